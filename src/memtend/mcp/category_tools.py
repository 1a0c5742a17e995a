"""The tool `category`: a category memory with the actions of `memtend category`."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memtend.mcp import asking
from memtend.mcp.answers import NOTICE, Answer, Outcome, in_pages
from memtend.mcp.arguments import SWITCH, TEXT, TEXTS, WHOLE, Arguments, Parameter, needed
from memtend.mcp.asking import Waiting
from memtend.mcp.desk import Desk, Watch
from memtend.mcp.reading import OFFSET, PAGED
from memtend.mcp.tool import Tool
from memtend.mcp.writing import STATUS
from memtend.review import Decision

if TYPE_CHECKING:
    from memtend.workspace.category.answers import CategoryPlan
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
_ANSWERS = ("list", "search", "check", "add", "sync")


def _category(desk: Desk, given: Arguments, _: Watch) -> Outcome:
    action = given["action"]
    memory = desk.category()
    if action in _PLANS:
        return asking.ask(desk, _waiting(desk, _PLANS[action](memory, given)))
    if action in ("add", "sync"):
        return _written(memory, given)
    return _looked(memory, given)


def _waiting(desk: Desk, plan: "CategoryPlan") -> Waiting:
    def preview(decision: Decision) -> str:
        return desk.category().preview(plan, [decision])

    def apply(decided: Sequence[Decision]) -> Answer:
        return Answer(_short(desk.category().apply(plan, decided).to_json()))

    skipped = [dict(each) for each in plan.skipped[: asking.SHOWN]]
    return Waiting("category", plan.proposals, preview, apply, {"kind": plan.kind, "skipped": skipped})


def _written(memory: "CategoryWorkspace", given: Arguments) -> Outcome:
    if given["action"] == "sync":
        would = memory.sync(dry_run=True)
        lines = [f"Add {len(would.done)} rows to index.md", *(str(each.get("path", "")) for each in would.done[:20])]
        return asking.confirmed("category", given, lines, lambda: Answer(_short(memory.sync().to_json())))
    title, text = needed("category", given, "title"), needed("category", given, "content")
    category = needed("category", given, "category")
    would = memory.add(category, title, text, tags=given["tags"], dry_run=True)
    address = str(would.done[0].get("address", "")) if would.done else category
    lines = [f"Add {address}: {title}", text[:400]]
    return asking.confirmed(
        "category",
        given,
        lines,
        lambda: Answer(_short(memory.add(category, title, text, tags=given["tags"]).to_json())),
    )


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
            "and refresh archive what is superseded or ephemeral, split, restore, forget, sync. The person is asked "
            "before anything is written."
        ),
        parameters=(
            Parameter(
                name="action",
                kind=TEXT,
                about="What to do.",
                example="search",
                required=True,
                choices=(*_ANSWERS, *_PLANS),
            ),
            Parameter(name="query", kind=TEXT, about="For search: plain words; for compact: the task.", example="lock"),
            Parameter(name="category", kind=TEXT, about="decisions, patterns, …", example="decisions"),
            Parameter(name="title", kind=TEXT, about="Of what is added.", example="Locks are per vault"),
            Parameter(name="content", kind=TEXT, about="The text to add, or to forget.", example="We lock …"),
            Parameter(
                name="target", kind=TEXT, about="An id, address, archive or file that is meant.", example="DEC-9"
            ),
            Parameter(name="tags", kind=TEXTS, about="Tags.", example=["store"], splits=True),
            Parameter(name="pressure", kind=SWITCH, about="Compact the largest alone.", example=False, default=False),
            Parameter(name="archived", kind=SWITCH, about="Search archives too.", example=False, default=False),
            Parameter(
                name="limit", kind=WHOLE, about="At most so many hits.", example=10, default=10, minimum=1, maximum=50
            ),
            asking.CONFIRMED,
            OFFSET,
        ),
        run=_category,
        answer=STATUS
        | {"status": {"type": "string"}}
        | {"plan": {"type": "string"}, "proposals": {"type": "array", "items": {"type": "object"}}}
        | PAGED,
        group="category",
        writes=True,
        destroys=True,
        is_long=True,
    ),
)
