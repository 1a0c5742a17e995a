"""The tool `category`: a category memory with the actions of `memtend category`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memtend.mcp import asking, undoing
from memtend.mcp.answers import NOTICE, Answer, Outcome, in_pages
from memtend.mcp.arguments import SWITCH, TEXT, TEXTS, WHOLE, Arguments, Parameter, needed, require_meant
from memtend.mcp.asking import Waiting
from memtend.mcp.desk import Desk, Watch
from memtend.mcp.reading import OFFSET, PAGED
from memtend.mcp.tool import Tool
from memtend.mcp.writing import ASKED
from memtend.review import Decision

if TYPE_CHECKING:
    from memtend.store.receipt import Receipt
    from memtend.workspace.category.answers import CategoryPlan, Done
    from memtend.workspace.category.categories import CategoryWorkspace

Planner = Callable[["CategoryWorkspace", Arguments], "CategoryPlan"]

_PLANS: Mapping[str, Planner] = {
    "compact": lambda memory, given: memory.plan_compact(
        given["category"] or "", tags=given["tags"], task=given["query"] or "", pressure=given["pressure"]
    ),
    "refresh": lambda memory, _: memory.plan_refresh(),
    "split": lambda memory, given: memory.plan_split(given["target"] or ""),
    "restore": lambda memory, given: memory.plan_restore(needed("category", given, "target")),
    "forget": lambda memory, given: memory.plan_forget(given["target"] or "", text=given["content"] or ""),
}
_LOOKS = ("list", "search", "check")
_WITH_TARGET = ("search", "split", "restore", "forget", "undo")


def _category(desk: Desk, given: Arguments, _: Watch) -> Outcome:
    action = given["action"]
    require_meant("category", given, "target", _WITH_TARGET)
    if action in _PLANS:
        return asking.ask(desk, _waiting(desk, _PLANS[action](desk.category(), given)))
    if action in _LOOKS:
        return _looked(desk.category(), given)
    if action == "add":
        return _added(desk, given)
    return _synced(desk) if action == "sync" else _undone(desk, given)


def _waiting(desk: Desk, plan: "CategoryPlan") -> Waiting:
    def preview(decision: Decision) -> str:
        return desk.category().preview(plan, [decision])

    def apply(decided: Sequence[Decision]) -> Answer:
        return Answer(_short(desk.category().apply(plan, decided).to_json()))

    proposals = plan.proposals
    if plan.kind == "forget":
        proposals = tuple(replace(each, summary=f"forget for good, {each.summary}") for each in proposals)
    skipped = [dict(each) for each in plan.skipped[: asking.SHOWN]]
    return Waiting("category", proposals, preview, apply, {"kind": plan.kind, "skipped": skipped})


def _added(desk: Desk, given: Arguments) -> Outcome:
    """Ask about an entry to add; it stands on where it goes and on what is like it there."""
    category, title, text = (needed("category", given, name) for name in ("category", "title", "content"))

    def add(**how: Any) -> "Done":
        return desk.category().add(category, title, text, tags=given["tags"], **how)

    shown = add(dry_run=True)
    (would,) = shown.done
    address = str(would["address"])

    alike = [f"like {each['address']}: {each['title']}" for each in would["alike"][:3]]
    payload = {**would, "tags": list(given["tags"]), "diff": "\n".join(f"+{line}" for line in text.splitlines())}
    proposal = asking.one_change("category", address, f"add {address}: {title}", payload, reasons=alike)
    return asking.ask_once(desk, proposal, lambda: Answer(_short(add(shown=shown).to_json())), {"kind": "add"})


def _synced(desk: Desk) -> Outcome:
    """Ask about the rows that the index lacks."""
    shown = desk.category().sync(dry_run=True)
    if not shown.done:
        return Answer(_short({**shown.to_json(), "status": "done"}))

    def do() -> Answer:
        return Answer(_short(desk.category().sync(shown=shown).to_json()))

    rows = [str(row["path"]) for row in shown.done]
    summary = f"add {len(rows)} {'row' if len(rows) == 1 else 'rows'} to index.md"
    return asking.ask_once(
        desk, asking.one_change("category", "index.md", summary, {"paths": rows}), do, {"kind": "sync"}
    )


def _undone(desk: Desk, given: Arguments) -> Outcome:
    def look(receipt: str | None) -> "Receipt":
        return desk.category().store.plan_undo(receipt)

    return undoing.ask(desk, given["target"], look, lambda receipt: desk.category().undo(receipt), {"kind": "undo"})


def _looked(memory: "CategoryWorkspace", given: Arguments) -> Answer:
    if given["action"] == "list":
        document = memory.list(given["category"] or "").to_json()
    elif given["action"] == "check":
        problems = memory.check()
        document = {
            "findings": [{"code": p.code, "path": p.path, "line": p.line, "message": p.message} for p in problems]
        }
    else:
        found = memory.search(
            given["query"] or "",
            category=given["category"] or "",
            tags=given["tags"],
            neighbours=given["target"] or "",
            archived=given["archived"],
            limit=given["limit"],
        )
        document = found.to_json()
    return Answer({"notice": NOTICE, **in_pages(document, given["offset"])})


def _short(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value)[:50] if isinstance(value, list | tuple) else value for name, value in document.items()}


TOOLS = (
    Tool(
        name="category",
        title="A category memory",
        about=(
            "Memory in categories with an index (decisions, patterns, sessions …): list, search, check, add; compact "
            "and refresh archive what is superseded or ephemeral, split, restore, forget, sync, undo. The person is "
            "asked before anything is written."
        ),
        parameters=(
            Parameter(
                name="action",
                kind=TEXT,
                about="What to do.",
                example="search",
                required=True,
                choices=(*_LOOKS, "add", "sync", *_PLANS, "undo"),
            ),
            Parameter(name="query", kind=TEXT, about="For search: plain words; for compact: the task.", example="lock"),
            Parameter(name="category", kind=TEXT, about="decisions, patterns, …", example="decisions"),
            Parameter(name="title", kind=TEXT, about="Of what is added.", example="Locks are per vault"),
            Parameter(name="content", kind=TEXT, about="The text to add, or to forget.", example="We lock …"),
            Parameter(
                name="target",
                kind=TEXT,
                about="An id, address, archive, file or receipt.",
                example="DEC-9",
            ),
            Parameter(name="tags", kind=TEXTS, about="Tags.", example=["store"], splits=True),
            Parameter(name="pressure", kind=SWITCH, about="Compact the largest alone.", example=False, default=False),
            Parameter(name="archived", kind=SWITCH, about="Search archives too.", example=False, default=False),
            Parameter(
                name="limit", kind=WHOLE, about="At most so many hits.", example=10, default=10, minimum=1, maximum=50
            ),
            OFFSET,
        ),
        run=_category,
        answer=ASKED | {"status": {"type": "string"}} | PAGED,
        group="category",
        writes=True,
        destroys=True,
        is_long=True,
    ),
)
