"""`execute(command, args)`: one tool for clients of the older interface, with its commands and its parameter names.

`vault` in its arguments names a folder inside what is served and is only checked, never followed elsewhere.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtend.errors import OutsideStore, Usage
from memtend.mcp import reading, writing
from memtend.mcp.answers import Outcome
from memtend.mcp.arguments import OBJECT, TEXT, Arguments, Parameter
from memtend.mcp.desk import Desk, Watch
from memtend.mcp.tool import Tool

_RENAMED: Mapping[str, Mapping[str, str]] = {
    "search": {"q": "query", "text": "query"},
    "read": {"path": "id", "name": "id", "memory_id": "id"},
    "write": {"content": "text"},
    "list": {},
}
_TOOLS: Mapping[str, str] = {"search": "search", "read": "read", "write": "learn", "list": "list"}


def _execute(desk: Desk, given: Arguments, watch: Watch) -> Outcome:
    command, args = given["command"], given["args"] or {}
    if not isinstance(args, dict):
        raise Usage("execute: args must be an object", hint=f'For instance {command} with {{"query": "retry policy"}}.')
    args = dict(args)
    _require_this_vault(desk, args.pop("vault", None))
    renamed = {_RENAMED[command].get(name, name): value for name, value in args.items()}
    return _by_name()[_TOOLS[command]].call(desk, renamed, watch)


def _by_name() -> dict[str, Tool]:
    return {tool.name: tool for tool in (*reading.TOOLS, *writing.TOOLS)}


def _require_this_vault(desk: Desk, named: Any) -> None:
    """Raise OutsideStore where another vault is meant than the one being served."""
    if not named:
        return
    with desk.workspace() as workspace:
        root, project = Path(workspace.root).resolve(), Path(workspace.project).resolve()
    if not isinstance(named, str) or "\0" in named:
        raise Usage("vault is a folder's name", hint="Leave it out: one vault is served.")
    if named in (root.name, project.name) or (project / named).resolve() in (root, project):
        return
    raise OutsideStore(f"{named} is not the vault that is served here", hint=f"This one is {project.name}.")


TOOLS = (
    Tool(
        name="execute",
        title="Older interface",
        about="For clients of the older interface: search, read, list, and write, which proposes as `learn` does.",
        parameters=(
            Parameter(
                name="command",
                kind=TEXT,
                about="search (query, limit), read (path), write (content), list (limit).",
                example="search",
                required=True,
                choices=tuple(_TOOLS),
            ),
            Parameter(
                name="args",
                kind=OBJECT,
                about="The command's arguments; `vault` and `limit` where they apply.",
                example={"query": "retry policy", "limit": 5},
            ),
        ),
        run=_execute,
        answer={"status": {"type": "string"}} | reading.PAGED,
        group="execute",
        writes=True,
    ),
)
