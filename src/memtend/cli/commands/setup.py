"""setup: memtend in a coding agent, and out of it again."""

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from memtend.cli.call import DONE, Call, Command, though_unread
from memtend.cli.faults import Answered, unconfirmed
from memtend.cli.parameter import Argument, Option
from memtend.cli.screen import show
from memtend.errors import Cancelled, Usage

if TYPE_CHECKING:
    from memtend.agents.setup import Command as SlashCommand
    from memtend.agents.setup import Edit, Place
    from memtend.agents.table import Agent

Remove = Annotated[bool, Option("--remove", help="Take memtend out again: the files are as they were.")]
User = Annotated[bool, Option("--user", help="For you in every project, instead of this project.")]
NoHooks = Annotated[bool, Option("--no-hooks", help="Only the server and the slash commands.")]
Program = Annotated[str, Option("--command", metavar="PATH", help="How the agent starts memtend.")]


def setup(
    call: Call,
    *,
    agent: Annotated[
        str,
        Argument(metavar="AGENT", help="claude-code, opencode, codex, gemini, cursor, vscode or pi."),
    ],
    remove: Remove = False,
    user: User = False,
    no_hooks: NoHooks = False,
    program: Program = "memtend",
) -> int:
    """Set memtend up in a coding agent: server, hooks, slash commands.

    Shows what would change and asks before it writes. Comments, order and everything else in the agent's files stay.
    Twice is the same as once.
    """
    from memtend.agents import setup as agents

    chosen = _agent(agent)
    _require_program(program)
    scope = agents.USER if user else agents.PROJECT
    place = agents.Place(Path.cwd(), Path.home(), scope, program, chosen.elsewhere(os.environ))
    records = agents.Records.of(os.environ, place.home)
    commands = _slash_commands()
    if remove:
        found = agents.without(chosen, place, commands, records)
    else:
        found = agents.edits(chosen, place, commands, hooks=not no_hooks)
    document = _document(chosen, place, found, remove)
    with though_unread(call.yes and not call.dry_run):
        _tell(call, found, place)
    if not document["files"]:
        call.answer(document, _unchanged(chosen, remove))
        return DONE
    if not remove and shutil.which(program) is None:
        call.say(f"note: {program} is not found from here. --command PATH names one that the agent can start.")
    if not call.dry_run:
        _require_yes(call, document, chosen.title, remove)
        agents.write(found, records, removing=remove)
        document["written"] = True
        for other in () if remove else agents.run_twice(chosen, place):
            call.say(f"note: {other} runs each of these hooks twice now: say `memtend setup {other}` again.")
    call.answer(document, "" if call.dry_run else _done(chosen, remove, len(document["files"])))
    return DONE


def _require_program(given: str) -> None:
    if not given.isprintable():
        raise Usage(f"--command {given!r} starts nothing", hint="Name a program, or leave --command out.")


def _agent(name: str) -> "Agent":
    from memtend.agents.table import AGENTS, ALIASES

    agent = AGENTS.get(ALIASES.get(name.lower(), name.lower()))
    if agent is None:
        raise Usage(f"no agent is called {name!r}", hint="Agents: " + ", ".join(AGENTS))
    return agent


def _slash_commands() -> "list[SlashCommand]":
    """`/learn` and `/distill`, with the same words as the server's prompts."""
    from memtend.agents.setup import Command as SlashCommand
    from memtend.mcp.pages import PROMPTS

    named = {prompt.name: prompt for prompt in PROMPTS}
    return [
        SlashCommand(name, named[name].about, named[name].text.replace("{" + argument + "}", "{argument}"))
        for name, argument in (("learn", "source"), ("distill", "mode"))
    ]


def _document(agent: "Agent", place: "Place", found: "list[Edit]", remove: bool) -> dict[str, Any]:
    """The answer as JSON values, before anything is written."""
    return {
        "agent": agent.name,
        "scope": place.scope,
        "removed": remove,
        "written": False,
        "files": [_shown(edit.path, place) for edit in found if edit.changes],
    }


def _tell(call: Call, found: "list[Edit]", place: "Place") -> None:
    """The diffs, and what a person should know of a file."""
    for edit in found:
        shown = _shown(edit.path, place)
        if edit.remark:
            call.say(f"{shown} {edit.remark}")
        if edit.changes and not call.json:
            show(edit.diff(shown).rstrip("\n"))


def _shown(path: Path, place: "Place") -> str:
    if path.is_relative_to(place.project):
        return path.relative_to(place.project).as_posix()
    return "~/" + path.relative_to(place.home).as_posix() if path.is_relative_to(place.home) else str(path)


def _require_yes(call: Call, document: "dict[str, Any]", title: str, remove: bool) -> None:
    """Ask the person. Raises Cancelled, NeedsConfirmation where nobody can be asked."""
    if call.yes:
        return
    prompter = call.prompter()
    if prompter is None:
        call.answer(document, "")
        raise Answered(unconfirmed("these are only the changes", hint="Add --yes to write them."))
    question = f"Take memtend out of {title}?" if remove else f"Set memtend up in {title}?"
    if not prompter.confirm(question, default=True):
        raise Cancelled("Cancelled. Nothing was written.")


def _unchanged(agent: "Agent", remove: bool) -> str:
    return f"There is nothing of memtend in {agent.title}." if remove else f"{agent.title} is set up already."


def _done(agent: "Agent", remove: bool, count: int) -> str:
    files = f"{count} file{'s' if count != 1 else ''}"
    if remove:
        return f"memtend is out of {agent.title} ({files})."
    notes = "".join(f"\nnote: {note}" for note in agent.notes)
    return f"{agent.title} is set up ({files}). Start it anew so that it finds memtend.{notes}"


COMMANDS = (
    Command(
        "setup",
        setup,
        ("memtend setup claude-code", "memtend setup codex --user --dry-run", "memtend setup claude-code --remove"),
    ),
)
