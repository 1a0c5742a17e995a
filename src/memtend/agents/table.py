"""The agents: where each keeps its servers, hooks and commands, and in which form. One row an agent.

Paths of the project scope count from the project, those of the user scope from the home folder.
"""

import json
import os
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

JSONC, TOML = "jsonc", "toml"
SERVER = "memtend"
PROMPT, STOP, COMPACT = "prompt", "stop", "compact"


def _plain(command: str) -> dict[str, Any]:
    return {"command": command, "args": ["mcp"]}


def _with_type(command: str) -> dict[str, Any]:
    return {"type": "stdio", **_plain(command)}


def _as_one_list(command: str) -> dict[str, Any]:
    return {"type": "local", "command": [command, "mcp"], "enabled": True}


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: `text` has `{argument}` where the person's words go."""

    name: str
    about: str
    text: str


def _as_markdown(command: Command) -> str:
    return f"---\ndescription: {json.dumps(command.about)}\n---\n\n{command.text}\n"


def _as_toml(command: Command) -> str:
    return f'description = {json.dumps(command.about)}\nprompt = """\n{command.text}\n"""\n'


def _as_skill(command: Command) -> str:
    return f"---\nname: {command.name}\ndescription: {json.dumps(command.about)}\n---\n\n{command.text}\n"


@dataclass(frozen=True, slots=True)
class Hooks:
    """How an agent is told of hooks: the file, and the event of each."""

    project: str
    user: str
    events: Mapping[str, str]
    seconds: int = 1
    """What one second is in the agent's own unit: 1, or 1000 where it counts milliseconds."""
    is_nested: bool = True
    """Whether an event has groups of hooks, or the hooks themselves."""
    version: int | None = None
    """What the file must say under `version`."""
    also_read: str = ""
    """A file of another agent, in both scopes, whose hooks this one runs too."""

    def entry(self, command: str, name: str) -> dict[str, Any]:
        """What stands in the event's list."""
        hook = {
            "type": "command",
            "command": command_line(command, name),
            "timeout": self.seconds * (10 if name == PROMPT else 30),
        }
        return {"hooks": [hook]} if self.is_nested else hook


def command_line(command: str, name: str) -> str:
    """How a shell starts a hook; a path with a blank in it is quoted."""
    if os.name == "nt":
        return f'"{command}" hook {name}' if " " in command else f"{command} hook {name}"
    return f"{shlex.quote(command)} hook {name}"


@dataclass(frozen=True, slots=True)
class Plugin:
    """Where an agent looks for plug-ins; ours is called by the agent's name."""

    project: str
    user: str


@dataclass(frozen=True, slots=True)
class Commands:
    """Where an agent keeps slash commands; empty where that scope has none."""

    project: str
    user: str
    argument: str = "$ARGUMENTS"
    suffix: str = ".md"
    render: Callable[[Command], str] = _as_markdown

    def rendered(self, command: Command) -> str:
        """The text of a command's file, as the agent reads it."""
        return self.render(replace(command, text=command.text.replace("{argument}", self.argument)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """One coding agent. `also` are other names of its settings file, taken where they are there already."""

    name: str
    title: str
    project: str
    user: str
    keys: tuple[str, ...] = ("mcpServers",)
    form: str = JSONC
    server: Callable[[str], dict[str, Any]] = _plain
    also: tuple[str, ...] = ()
    hooks: Hooks | None = None
    plugin: Plugin | None = None
    commands: Commands | None = None
    moved: tuple[str, str] | None = None
    """The variable that moves a folder of the home elsewhere, and the folder."""
    notes: tuple[str, ...] = field(default=())
    """What a person has to know or do besides."""

    def elsewhere(self, environ: Mapping[str, str]) -> dict[str, Path]:
        """Where a person has moved the agent's folder of the home, by its name there."""
        variable, folder = self.moved or ("", "")
        return {folder: Path(environ[variable]).expanduser()} if environ.get(variable) else {}


def _user_folder_of_vs_code() -> str:
    if sys.platform == "darwin":
        return "Library/Application Support/Code/User"
    if os.name == "nt":
        return "AppData/Roaming/Code/User"
    return ".config/Code/User"


AGENTS = {
    agent.name: agent
    for agent in (
        Agent(
            name="claude-code",
            title="Claude Code",
            project=".mcp.json",
            user=".claude.json",
            hooks=Hooks(
                ".claude/settings.json",
                ".claude/settings.json",
                {PROMPT: "UserPromptSubmit", STOP: "Stop", COMPACT: "PreCompact"},
            ),
            commands=Commands(".claude/commands", ".claude/commands"),
            moved=("CLAUDE_CONFIG_DIR", ".claude"),
        ),
        Agent(
            name="opencode",
            title="OpenCode",
            project="opencode.json",
            user=".config/opencode/opencode.json",
            also=("opencode.jsonc", ".config/opencode/opencode.jsonc"),
            keys=("mcp",),
            server=_as_one_list,
            plugin=Plugin(".opencode/plugins/memtend.js", ".config/opencode/plugins/memtend.js"),
            commands=Commands(".opencode/commands", ".config/opencode/commands"),
            moved=("XDG_CONFIG_HOME", ".config"),
        ),
        Agent(
            name="codex",
            title="Codex",
            project=".codex/config.toml",
            user=".codex/config.toml",
            keys=("mcp_servers",),
            form=TOML,
            hooks=Hooks(
                ".codex/hooks.json",
                ".codex/hooks.json",
                {PROMPT: "UserPromptSubmit", STOP: "Stop", COMPACT: "PreCompact"},
            ),
            commands=Commands(".agents/skills", ".agents/skills", "what I name", "/SKILL.md", _as_skill),
            moved=("CODEX_HOME", ".codex"),
            notes=(
                "Its slash commands are skills: say $learn or $distill.",
                "Codex runs new hooks once you trust them: it asks, or say /hooks.",
                "Older versions run hooks only with `codex_hooks = true` under [features] in config.toml.",
            ),
        ),
        Agent(
            name="gemini",
            title="Gemini CLI",
            project=".gemini/settings.json",
            user=".gemini/settings.json",
            hooks=Hooks(
                ".gemini/settings.json",
                ".gemini/settings.json",
                {PROMPT: "BeforeAgent", STOP: "AfterAgent", COMPACT: "PreCompress"},
                seconds=1000,
            ),
            commands=Commands(".gemini/commands", ".gemini/commands", "{{args}}", ".toml", _as_toml),
        ),
        Agent(
            name="cursor",
            title="Cursor",
            project=".cursor/mcp.json",
            user=".cursor/mcp.json",
            hooks=Hooks(
                ".cursor/hooks.json",
                ".cursor/hooks.json",
                {PROMPT: "beforeSubmitPrompt", STOP: "stop", COMPACT: "preCompact"},
                is_nested=False,
                version=1,
            ),
            commands=Commands(".cursor/commands", ".cursor/commands", "what I name next"),
            notes=("Versions before 3 run the hook, but add nothing to a prompt: ask them to call recall.",),
        ),
        Agent(
            name="vscode",
            title="VS Code",
            project=".vscode/mcp.json",
            user=f"{_user_folder_of_vs_code()}/mcp.json",
            keys=("servers",),
            server=_with_type,
            hooks=Hooks(
                ".github/hooks/memtend.json",
                ".copilot/hooks/memtend.json",
                {PROMPT: "UserPromptSubmit", STOP: "Stop", COMPACT: "PreCompact"},
                is_nested=False,
                also_read=".claude/settings.json",
            ),
            commands=Commands(
                ".github/prompts", f"{_user_folder_of_vs_code()}/prompts", "${input:argument}", ".prompt.md"
            ),
            moved=("XDG_CONFIG_HOME", ".config"),
            notes=("Its hooks are a preview: where it adds nothing to a prompt, ask it to call recall.",),
        ),
        Agent(
            name="pi",
            title="pi",
            project=".pi/mcp.json",
            user=".pi/agent/mcp.json",
            plugin=Plugin(".pi/extensions/memtend.js", ".pi/agent/extensions/memtend.js"),
            commands=Commands(".pi/prompts", ".pi/agent/prompts", "$@"),
            moved=("PI_CODING_AGENT_DIR", ".pi/agent"),
            notes=(
                "Versions without servers of their own read mcp.json with the extension pi-mcp-adapter.",
                "Extensions of a project are loaded once you trust the project.",
            ),
        ),
    )
}
"""Every agent by name."""
ALIASES = {"claude": "claude-code", "gemini-cli": "gemini", "vs-code": "vscode", "code": "vscode"}
