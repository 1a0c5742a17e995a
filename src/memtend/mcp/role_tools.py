"""Tools for roles: `memory` with the actions of `memtend role`, and the files of a role's folder."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memtend.mcp import asking, tidying
from memtend.mcp.answers import NOTICE, Answer, Outcome, in_pages, page, piece
from memtend.mcp.arguments import TEXT, TEXTS, WHOLE, Arguments, Parameter, needed
from memtend.mcp.desk import Desk, Watch
from memtend.mcp.reading import OFFSET, PAGED
from memtend.mcp.tool import Tool

if TYPE_CHECKING:
    from memtend.workspace.role.roles import RoleWorkspace

Action = Callable[["RoleWorkspace", Arguments], Any]


def _content(given: Arguments) -> str:
    return needed("memory", given, "content")


def _named(given: Arguments) -> str:
    """What an action is about: an id, or a text that means exactly one entry."""
    return needed("memory", given, "id", "content")


_ACTIONS: Mapping[str, Action] = {
    "list": lambda role, _: role.list(),
    "search": lambda role, given: role.search(needed("memory", given, "query", "content"), given["limit"]),
    "inject": lambda role, given: role.inject(query=given["query"] or ""),
    "add_learning": lambda role, given: role.add_learning(
        _content(given), source=given["source"] or "", tags=given["tags"]
    ),
    "add_preference": lambda role, given: role.add_preference(
        _content(given), given["category"] or "", source=given["source"] or "", tags=given["tags"]
    ),
    "update_learning": lambda role, given: role.update_learning(needed("memory", given, "id"), _content(given)),
    "update_preference": lambda role, given: role.update_preference(
        needed("memory", given, "id"), _content(given), given["category"] or ""
    ),
    "delete_learning": lambda role, given: role.delete_learning(_named(given)),
    "delete_preference": lambda role, given: role.delete_preference(_named(given), confirmed=True),
    "reinforce": lambda role, given: role.reinforce(_named(given)),
    "promote": lambda role, given: role.promote(_named(given)),
    "discard": lambda role, given: role.discard(_named(given)),
    "expire": lambda role, _: role.expire(),
    "consolidate": lambda role, _: role.consolidate(),
    "repair": lambda role, _: role.repair(),
    "extract": lambda role, given: role.extract(_content(given)),
    "organize": lambda role, given: role.organize(query=given["query"] or ""),
}
_ALIASES = {"llm_tidy": "tidy"}
_ASKED = {
    "delete_learning": "Take this learning out:",
    "delete_preference": "Take this preference out:",
    "consolidate": "Merge the copies among what the role remembers.",
    "organize": "Mend the role's files, merge the copies, and let go of what waited too long.",
}
"""Actions that a person is asked about first. `tidy` is asked about proposal by proposal."""


def _memory(desk: Desk, given: Arguments, _: Watch) -> Outcome:
    action = str(_ALIASES.get(given["action"], given["action"]))
    role = desk.role(given["role"])
    if action == "tidy":
        return asking.ask(desk, tidying.waiting(role))

    def do() -> Answer:
        return _answered(role.name, action, _ACTIONS[action](role, given), given["offset"])

    if action not in _ASKED:
        return do()
    about = [_named(given)] if action.startswith("delete") else []
    return asking.confirmed("memory", {**given, "action": action}, [_ASKED[action], *about], do)


def _answered(role: str, action: str, answer: Any, offset: int) -> Answer:
    return Answer({"notice": NOTICE, "role": role, "action": action, **in_pages(answer.to_json(), offset)})


def _role_list(desk: Desk, given: Arguments, _: Watch) -> Answer:
    from memtend.workspace.role.roles import Roles

    if given["role"] is None:
        names = Roles.open(desk.roles_root, desk.environ).names()
        return Answer(page("roles", list(names), offset=given["offset"], limit=100))
    files = desk.role(given["role"]).files()
    return Answer({"role": given["role"], **page("files", list(files), offset=given["offset"], limit=100)})


def _role_read(desk: Desk, given: Arguments, _: Watch) -> Answer:
    file = desk.role(given["role"]).read(given["path"])
    document = file.to_json()
    part, following = piece(str(document.pop("text")), given["offset"])
    whole = {"returned": len(part), "next_offset": following, "truncated": following is not None}
    return Answer({"notice": NOTICE, **document, "text": part, **whole})


def _role_write(desk: Desk, given: Arguments, _: Watch) -> Outcome:
    role = desk.role(given["role"])

    def do() -> Answer:
        return Answer(role.write(given["path"], given["content"], expected=given["digest"]).to_json())

    return asking.confirm([f"{given['path']} of the role {role.name}, {len(given['content'])} characters."], do)


_ROLE = Parameter(name="role", kind=TEXT, about="The role; else MEMTEND_ROLE, else the only one.", example="reviewer")
_PATH = Parameter(name="path", kind=TEXT, about="From the role's folder.", example="core/identity.md", required=True)
_ENTRIES = {"type": "array", "items": {"type": "object"}}

TOOLS = (
    Tool(
        name="memory",
        title="A role's memory",
        about=(
            "What a role remembers: learnings and preferences. search before a task, add_learning for what was "
            "learned the hard way, add_preference for what the person wants, reinforce what proved useful, organize "
            "for upkeep. Single entries are written at once; what takes something away, organize and tidy are asked "
            "about."
        ),
        parameters=(
            Parameter(
                name="action",
                kind=TEXT,
                about="What to do.",
                example="add_learning",
                required=True,
                choices=(*_ACTIONS, "tidy", *_ALIASES),
            ),
            Parameter(name="content", kind=TEXT, about="The text to add, or the new text.", example="Run the linter."),
            Parameter(name="category", kind=TEXT, about="Of a preference: Communication, Code, …", example="Code"),
            Parameter(name="query", kind=TEXT, about="For search: plain words.", example="linter"),
            Parameter(name="id", kind=TEXT, about="The entry's id, or its exact text.", example="3f9a2b1c"),
            _ROLE,
            Parameter(name="tags", kind=TEXTS, about="Tags of what is added.", example=["ci"], splits=True),
            Parameter(name="source", kind=TEXT, about="`auto`: a candidate, kept if it proves useful.", example="auto"),
            Parameter(
                name="limit", kind=WHOLE, about="At most so many hits.", example=10, default=10, minimum=1, maximum=50
            ),
            OFFSET,
            asking.CONFIRMED,
        ),
        run=_memory,
        answer={
            "status": {"type": "string"},
            "role": {"type": "string"},
            "action": {"type": "string"},
            "plan": {"type": ["string", "object", "null"]},
            "proposals": _ENTRIES,
        },
        group="role",
        writes=True,
        asks=False,
        destroys=True,
    ),
    Tool(
        name="role_list",
        title="Roles, or a role's files",
        about="The roles there are; with `role`, the files in its folder.",
        parameters=(_ROLE, OFFSET),
        run=_role_list,
        answer={"roles": {"type": "array", "items": {"type": "string"}}, "files": _ENTRIES} | PAGED,
        group="role",
    ),
    Tool(
        name="role_read",
        title="Read a role's file",
        about="A file of a role's folder, with the digest to give when writing it.",
        parameters=(_PATH, _ROLE, OFFSET),
        run=_role_read,
        answer={"path": {"type": "string"}, "text": {"type": "string"}, "digest": {"type": "string"}},
        group="role",
    ),
    Tool(
        name="role_write",
        title="Write a role's file",
        about=(
            "Write a file of a role's folder. Memory files must stay readable; the digest guards against lost edits. "
            "The person is asked where your client has forms; where not, it writes at once: ask first."
        ),
        parameters=(
            _PATH,
            Parameter(name="content", kind=TEXT, about="The whole file.", example="# Identity", required=True),
            Parameter(name="digest", kind=TEXT, about="As role_read answered it.", example="9f86d081…"),
            _ROLE,
        ),
        run=_role_write,
        answer={"status": {"type": "string"}, "path": {"type": "string"}},
        group="role",
        writes=True,
        asks=False,
    ),
)
