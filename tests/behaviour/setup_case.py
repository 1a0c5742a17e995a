"""Agents' files as a person may have them, and short ways to set memtend up in them."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from memtend.agents import setup
from memtend.agents.jsonc import parse
from memtend.agents.setup import Command, Place, Records
from memtend.agents.table import AGENTS

COMMANDS = [Command("learn", "Learn.", "Learn {argument}."), Command("distill", "Look.", "Mode {argument}.")]
EVERY = pytest.mark.parametrize("name", list(AGENTS))
SCOPES = pytest.mark.parametrize("scope", [setup.PROJECT, setup.USER])

THERE = {
    ".mcp.json": '{"mcpServers": {"other": {"command": "x", "env": {"TOKEN": "made-up"}}}}',
    ".claude.json": '{\n  "numStartups": 7,\n  "projects": {}\n}',
    ".claude/settings.json": '{\n    "permissions": {"allow": ["Bash(ls)"]},\n    "hooks": {\n        "Stop": [\n'
    '            {"hooks": [{"type": "command", "command": "say done"}]}\n        ]\n    }\n}\n',
    "opencode.json": '// ours\n{\n\t"$schema": "https://opencode.ai/config.json", // keep\n\t"theme": "x",\n}\n',
    ".config/opencode/opencode.json": "{}",
    ".codex/config.toml": '# mine\nmodel = "x"   # the good one\n\n[mcp_servers.other]\ncommand = "y"\n# the end',
    ".codex/hooks.json": '{"hooks": {}}\n',
    ".gemini/settings.json": '{\r\n  "theme": "x",\r\n  "hooks": {"BeforeAgent": []}\r\n}\r\n',
    ".cursor/mcp.json": "{ }",
    ".cursor/hooks.json": '{\n  // mine\n  "version": 1,\n  "hooks": {\n    "stop": [{"command": "say done"}], '
    "// keep\n  },\n}\n",
    ".github/hooks/memtend.json": '{"hooks": {"Stop": []}}',
    ".vscode/mcp.json": '{\n  "inputs": [],\n  "servers": {\n  }\n}',
    ".config/Code/User/mcp.json": "",
    ".pi/mcp.json": '{"mcpServers": {}, "settings": {"x": 1,},}',
    ".pi/agent/mcp.json": "\ufeff{\n}\n",
}
"""Files that a person may have, in the ways that people write them."""


def place(tmp_path: Path, scope: str = setup.PROJECT, *, full: bool = False, **more: Any) -> Place:
    """A project and a home folder, empty or with a person's own files."""
    found = Place(tmp_path / "project", tmp_path / "home", scope, **more)
    for folder in (found.project, found.home):
        folder.mkdir(exist_ok=True)
        for name, text in THERE.items() if full else ():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text.encode())
    return found


def state(place: Place) -> dict[str, bytes]:
    """Every file and folder of the project and the home."""
    roots = (place.project, place.home)
    paths = [path for root in roots for path in sorted(root.rglob("*"))]
    return {str(path): path.read_bytes() if path.is_file() else b"folder" for path in paths}


def records(place: Place) -> Records:
    return Records(place.home.parent / "state.json")


def add(name: str, place: Place, **more: bool) -> list[setup.Edit]:
    found = setup.edits(AGENTS[name], place, COMMANDS, **more)
    setup.write(found, records(place))
    return found


def remove(name: str, place: Place) -> list[setup.Edit]:
    kept = records(place)
    found = setup.without(AGENTS[name], place, COMMANDS, kept)
    setup.write(found, kept, removing=True)
    return found


def server_of(name: str, place: Place) -> Any:
    """The entry of memtend, as the agent's own format has it."""
    agent = AGENTS[name]
    text = setup.settings_file(agent, place).read_text(encoding="utf-8")
    values = tomllib.loads(text) if agent.form == "toml" else parse(text).plain()
    return values[agent.keys[0]]["memtend"]
