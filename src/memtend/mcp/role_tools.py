"""Tools for roles: `memory` with the actions of `memtend role`, and the files of a role's folder."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memtend.layouts.role.ids import Kind
from memtend.mcp import asking, editing, tidying, undoing
from memtend.mcp.answers import NOTICE, Answer, Outcome, page, piece
from memtend.mcp.arguments import TEXT, TEXTS, WHOLE, Arguments, Parameter, needed, require_meant
from memtend.mcp.desk import Desk, Watch
from memtend.mcp.reading import OFFSET, PAGED
from memtend.mcp.tool import Tool
from memtend.mcp.writing import ASKED

if TYPE_CHECKING:
    from memtend.store.receipt import Receipt
    from memtend.workspace.role.outcomes import Written
    from memtend.workspace.role.roles import RoleWorkspace


def _content(given: Arguments) -> str:
    return needed("memory", given, "content")


def _named(given: Arguments) -> str:
    """What an action is about: an id, or a text that means exactly one entry."""
    return needed("memory", given, "id", "content")


_ACTIONS: Mapping[str, editing.Action] = {
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
    "organize": lambda role, _: role.organize(),
}
_LOOKS = ("list", "inject")
_AT_ONCE = ("search", "reinforce", "extract")
"""What counts uses, or makes candidates."""
_ABOUT: Mapping[str, Kind] = {
    "update_learning": Kind.LEARNING,
    "update_preference": Kind.PREFERENCE,
    "delete_learning": Kind.LEARNING,
    "delete_preference": Kind.PREFERENCE,
    "promote": Kind.PENDING,
    "discard": Kind.PENDING,
}
"""The kind of entry that an action is about."""
_WITH_ID = (*_ABOUT, "reinforce", "undo")
_UPKEEP: Mapping[str, Callable[[Any], str]] = {
    "expire": lambda done: (
        f"tend pending.md (expired {len(done.expired)}, completed {len(done.completed)}, archived {done.archived})"
    ),
    "consolidate": lambda done: f"merge copies and lay consolidated.md out (merged {done.removed})",
    "repair": lambda done: f"mend consolidated.md (places {len(done.mended)})",
    "organize": lambda done: (
        f"the whole upkeep (repaired {'yes' if done.repaired else 'no'}, merged {done.removed}, expired {done.expired})"
    ),
}
"""What changes the role's files as a whole, and what its answer comes to in a line."""
_ALIASES = {"llm_tidy": "tidy"}


def _memory(desk: Desk, given: Arguments, _: Watch) -> Outcome:
    action = str(_ALIASES.get(given["action"], given["action"]))
    require_meant("memory", given, "id", _WITH_ID)
    role = desk.role(given["role"])
    if action == "tidy":
        return asking.ask(desk, tidying.waiting(role))
    if action == "undo":
        return _undo(desk, role.name, given["id"])
    is_older = role.state().is_legacy
    if action in _LOOKS or (action in _AT_ONCE and not is_older):
        return editing.answered(role.name, action, _ACTIONS[action](role, given), given["offset"])
    if is_older:
        return _of_older_layout(desk, role, action, given)
    if action in _UPKEEP:
        return editing.files(desk, role, action, lambda copy: _ACTIONS[action](copy, given), _UPKEEP[action])
    kind = _ABOUT.get(action)
    return editing.edit(desk, {**given, "role": role.name}, _ACTIONS[action], _meant(given) if kind else "", kind)


def _of_older_layout(desk: Desk, role: "RoleWorkspace", action: str, given: Arguments) -> Outcome:
    """The first write takes the layout over, and so is asked about whatever it is."""
    if action == "search":
        found = role.search(needed("memory", given, "query", "content"), given["limit"], reinforce=False)
        return editing.answered(role.name, action, found, given["offset"])
    return editing.files(
        desk,
        role,
        action,
        lambda copy: _ACTIONS[action](copy, given),
        lambda _: f"{action}, and take the files of an older layout over",
    )


def _meant(given: Arguments) -> str:
    return needed("memory", given, "id") if given["action"].startswith("update") else _named(given)


def _undo(desk: Desk, name: str, receipt: str | None) -> Outcome:
    def look(receipt: str | None) -> "Receipt":
        return desk.role(name).store.plan_undo(receipt)

    told = {"role": name, "action": "undo"}
    return undoing.ask(desk, receipt, look, lambda receipt: desk.role(name).undo(receipt), told)


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
    role, path = desk.role(given["role"]), given["path"]
    role.read_files(path)  # what leads out is refused before the role is copied

    def write(copy: "RoleWorkspace") -> "Written":
        return copy.write(path, given["content"], expected=given["digest"])

    return editing.files(desk, role, "write", write, lambda done: f"write {done.path}", path=path)


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
            "for upkeep. The person is asked before a change; only candidates (source `auto`, extract) and uses "
            "(reinforce, search) are written at once."
        ),
        parameters=(
            Parameter(
                name="action",
                kind=TEXT,
                about="What to do.",
                example="add_learning",
                required=True,
                choices=(*_ACTIONS, "tidy", *_ALIASES, "undo"),
            ),
            Parameter(name="content", kind=TEXT, about="The text to add, or the new text.", example="Run the linter."),
            Parameter(name="category", kind=TEXT, about="Of a preference: Communication, Code, …", example="Code"),
            Parameter(name="query", kind=TEXT, about="For search: plain words.", example="linter"),
            Parameter(
                name="id",
                kind=TEXT,
                about="The entry's id, or its exact text; undo: the receipt.",
                example="3f9a2b1c",
            ),
            _ROLE,
            Parameter(name="tags", kind=TEXTS, about="Tags of what is added.", example=["ci"], splits=True),
            Parameter(name="source", kind=TEXT, about="`auto`: a candidate, kept if it proves useful.", example="auto"),
            Parameter(
                name="limit", kind=WHOLE, about="At most so many hits.", example=10, default=10, minimum=1, maximum=50
            ),
            OFFSET,
        ),
        run=_memory,
        answer=ASKED
        | {
            "status": {"type": "string"},
            "role": {"type": "string"},
            "action": {"type": "string"},
            "plan": {"type": ["string", "object", "null"]},
        },
        group="role",
        writes=True,
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
            "The person is asked, with the lines that change."
        ),
        parameters=(
            _PATH,
            Parameter(name="content", kind=TEXT, about="The whole file.", example="# Identity", required=True),
            Parameter(name="digest", kind=TEXT, about="As role_read answered it.", example="9f86d081…"),
            _ROLE,
        ),
        run=_role_write,
        answer=ASKED | {"status": {"type": "string"}, "path": {"type": "string"}},
        group="role",
        writes=True,
        destroys=True,
    ),
)
