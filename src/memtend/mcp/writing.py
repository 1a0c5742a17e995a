"""Tools of the vault that write, and so ask: learn, undo; and `apply`, with which a client answers for its person.

A client that can ask its person gets a form. One that cannot gets the proposals back, and writes with `apply` and
explicit decisions that carry the proposals' digests. Nothing is written before that (`asking` has the whole rule).
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memtend.errors import Refused, Usage
from memtend.mcp import asking, forms, undoing
from memtend.mcp.answers import Answer, Outcome, page
from memtend.mcp.arguments import OBJECT, TEXT, TEXTS, WHOLE, Arguments, Parameter
from memtend.mcp.asking import Waiting
from memtend.mcp.desk import Desk, Watch
from memtend.mcp.reading import OFFSET, PAGED
from memtend.mcp.tool import Tool
from memtend.review import Decision

if TYPE_CHECKING:
    from memtend.store.receipt import Receipt
    from memtend.workspace import Plan
    from memtend.workspace.learning import Learned


def _learn(desk: Desk, given: Arguments, watch: Watch) -> Outcome:
    from memtend.workspace import LearnRequest

    if given["plan"]:
        return asking.planned(given["plan"], asking.kept(desk, given["plan"]), given["offset"])
    if given["text"] is None and not given["paths"] and given["task"] is None:
        raise Usage("learn: nothing was given", hint='For instance learn {"text": "Retry at most three times."}.')
    with desk.workspace() as workspace:
        request = LearnRequest(
            inputs=tuple(desk.path(path, workspace.project) for path in given["paths"]),
            text=given["text"],
            task=given["task"],
            category=given["category"],
            topic=given["topic"],
        )
        plan = workspace.plan_learn(request, step=watch.step)
    return asking.ask(desk, learning(desk, plan))


def learning(desk: Desk, plan: "Plan") -> Waiting:
    """A learn plan that waits for decisions."""

    def preview(decision: Decision) -> str:
        try:
            with desk.workspace() as workspace:
                return workspace.preview(plan, decision)
        except Refused as fault:  # the other proposals can be decided all the same
            return f"cannot be done: {fault.message}. {fault.hint}"

    def apply(decided: Sequence[Decision]) -> Answer:
        with desk.workspace() as workspace:
            return Answer(_done(workspace.apply(plan, decided)))

    about: dict[str, Any] = {"mode": plan.mode}
    about |= {"warnings": list(plan.warnings[:10])} if plan.warnings else {}
    about |= {"skipped": [dict(item) for item in plan.skipped[:10]]} if plan.skipped else {}
    return Waiting("learn", plan.proposals, preview, apply, about, _secrets(plan))


def _secrets(plan: "Plan") -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for place in plan.secrets:
        found.setdefault(place.segment_id, []).append(f"{place.path} line {place.line} ({place.kind})")
    return found


def _done(learned: "Learned") -> dict[str, Any]:
    operations = [operation.to_json() for operation in learned.operations]
    receipt = learned.receipt
    return {
        "status": "completed",
        "mode": learned.mode,
        "memories_affected": learned.memories_affected,
        "receipt": receipt.id if receipt else None,
        **page("operations", operations, limit=100),
        **({"warnings": list(receipt.warnings)} if receipt and receipt.warnings else {}),
    }


def _apply(desk: Desk, given: Arguments, _: Watch) -> Outcome:
    from memtend.workspace.plan import decisions_from_json

    waiting = _waiting(desk, given["plan"])
    decided = decisions_from_json(forms.undigested(given["decisions"], waiting.proposals), waiting.proposals)
    return asking.confirm(
        asking.lines_of(waiting, decided), lambda: asking.apply(desk, given["plan"], waiting, decided)
    )


def _waiting(desk: Desk, given: str) -> Waiting:
    """A plan by its name here, or a whole learn plan as JSON."""
    from memtend.workspace.plan import from_json

    if not given.lstrip().startswith("{"):
        return asking.kept(desk, given)
    try:
        return learning(desk, from_json(json.loads(given)))
    except (ValueError, RecursionError) as fault:
        raise Usage(f"the plan is no JSON: {fault}", hint="Give the plan's name, as learn answered it.") from fault


def _undo(desk: Desk, given: Arguments, _: Watch) -> Outcome:
    def look(receipt: str | None) -> "Receipt":
        with desk.workspace() as workspace:
            return workspace.plan_undo(receipt)

    def undo(receipt: str) -> "Receipt":
        with desk.workspace() as workspace:
            return workspace.undo(receipt)

    return undoing.ask(desk, given["receipt"], look, undo)


STATUS = {
    "status": {"type": "string", "enum": ["planned", "completed", "declined", "cancelled"]},
    "message": {"type": "string"},
    "next": {"type": "string"},
    "notice": {"type": "string"},
    "receipt": {"type": ["string", "null"]},
}
ASKED = STATUS | {"plan": {"type": "string"}, "proposals": {"type": "array", "items": {"type": "object"}}}
"""Of a tool that asks: its proposals, or what was done after a yes."""
DONE = {
    "operations": {"type": "array", "items": {"type": "object"}},
    "memories_affected": {"type": "integer"},
}
_EXAMPLE = {"seg-001": {"action": "extend", "target": "MEM-x", "digest": "0123456789ab"}}

TOOLS = (
    Tool(
        name="learn",
        title="Learn from text, files or a task",
        about=(
            "Cut material into segments and propose for each: update or extend a memory, create one, skip. The person "
            "is asked; where your client cannot ask, the answer holds the proposals (status planned): show them, then "
            "call `apply`. Give text, paths or task."
        ),
        parameters=(
            Parameter(name="text", kind=TEXT, about="A text to learn.", example="Retry at most three times."),
            Parameter(name="paths", kind=TEXTS, about="Files or folders to learn.", example=["notes/http.md"]),
            Parameter(
                name="task", kind=WHOLE, about="Learn the artifacts of this task in specs/.", example=12, minimum=0
            ),
            Parameter(name="topic", kind=TEXT, about="The topic of what is created.", example="python/http"),
            Parameter(name="category", kind=TEXT, about="The category of what is created.", example="TECHNIQUE"),
            Parameter(name="plan", kind=TEXT, about="Show an earlier plan again, from `offset`.", example="plan-0123"),
            OFFSET,
        ),
        run=_learn,
        answer=ASKED | DONE | PAGED,
        writes=True,
        is_long=True,
    ),
    Tool(
        name="apply",
        title="Apply decisions on a plan",
        about=(
            "Write what a person decided on proposals, whichever tool answered them (status planned). Each decision "
            "carries its proposal's digest; what changed meanwhile is never overwritten. Only with decisions that a "
            "person made."
        ),
        parameters=(
            Parameter(
                name="plan",
                kind=TEXT,
                about="The plan's name, as it was answered.",
                example="plan-0123",
                required=True,
            ),
            Parameter(
                name="decisions",
                kind=OBJECT,
                about='By `segment_id`: {"seg-001": {"action": one of the proposal\'s, "digest": …, "target": …}}.',
                example=_EXAMPLE,
                required=True,
            ),
        ),
        run=_apply,
        answer=STATUS | {"status": {"type": "string"}} | DONE | PAGED,
        writes=True,
        destroys=True,
    ),
    Tool(
        name="undo",
        title="Undo a change",
        about=(
            "Take back the vault's latest change, or a receipt's, to the byte, once the person has said yes. Refused "
            "where later work would go too. `memory` and `category` have an undo of their own."
        ),
        parameters=(
            Parameter(name="receipt", kind=TEXT, about="The receipt; the latest unless given.", example="RECEIPT"),
        ),
        run=_undo,
        answer=ASKED
        | {"undone": {"type": ["string", "null"]}, "paths": {"type": "array", "items": {"type": "string"}}},
        writes=True,
        destroys=True,
    ),
)
