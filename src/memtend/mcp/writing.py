"""Tools that write, and so ask: learn, apply, undo.

A client that can ask its person gets a form. One that cannot gets the proposals back, and writes with `apply` and
explicit decisions that carry the proposals' digests. Nothing is written before that.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memtend.errors import NotFound, Usage
from memtend.mcp import forms
from memtend.mcp.answers import NOTICE, Answer, Form, Outcome, Question, page
from memtend.mcp.arguments import OBJECT, TEXT, TEXTS, WHOLE, Arguments, Parameter
from memtend.mcp.desk import Desk, Watch
from memtend.mcp.reading import OFFSET, PAGED
from memtend.mcp.tools import Tool
from memtend.review import Action, Decision

if TYPE_CHECKING:
    from memtend.store.receipt import Receipt
    from memtend.workspace import Plan
    from memtend.workspace.learning import Learned

_SHOWN = 20


def _learn(desk: Desk, given: Arguments, watch: Watch) -> Outcome:
    from memtend.workspace import LearnRequest

    if given["plan"]:
        return _planned(given["plan"], _kept(desk, given["plan"]), given["offset"])
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
    name = desk.plans.keep(plan)
    if not 0 < len(plan.proposals) <= forms.MOST:
        return _planned(name, plan, given["offset"])
    return _asked(desk, name, plan, ())


def _kept(desk: Desk, name: str) -> "Plan":
    plan = desk.plans.get(name)
    if plan is None:
        raise NotFound(f"No plan {name} is waiting here", hint="Plans end with the server that made them: learn again.")
    return plan


def _asked(desk: Desk, name: str, plan: "Plan", decided: tuple[Decision, ...]) -> Question:
    """The next form about a plan; behind the last one the plan is applied."""
    batches = forms.batches(plan.proposals)
    number = len(decided) // forms.AT_ONCE
    batch = batches[number]

    def then(filled: Mapping[str, Any]) -> Outcome:
        answered = (*decided, *forms.decisions(batch, filled))
        if number + 1 < len(batches):
            return _asked(desk, name, plan, answered)
        return _applied(desk, name, plan, answered)

    with desk.workspace() as workspace:
        form = forms.form(
            batch,
            lambda decision: workspace.preview(plan, decision),
            _secrets(plan),
            number=number + 1,
            of=len(batches),
        )
    return Question(form, then, lambda: _planned(name, plan, 0), {"plan": name})


def _secrets(plan: "Plan") -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for place in plan.secrets:
        found.setdefault(place.segment_id, []).append(f"{place.path} line {place.line} ({place.kind})")
    return found


def _planned(name: str, plan: "Plan", offset: int) -> Answer:
    """The proposals, for a client that answers them itself."""
    secrets = _secrets(plan)
    briefs = [forms.brief(proposal, has_secret=proposal.id in secrets) for proposal in plan.proposals]
    told = page("proposals", briefs, offset=offset, limit=_SHOWN)
    document = {"notice": NOTICE, "status": "planned", "plan": name, "mode": plan.mode, **told}
    document |= {"secrets": secrets} if secrets else {}
    document |= {"warnings": list(plan.warnings[:10])} if plan.warnings else {}
    document |= {"skipped": [dict(item) for item in plan.skipped[:10]]} if plan.skipped else {}
    ask = (
        "Nothing is written yet. Show the person each proposal; then call apply with this plan and their decisions, "
        "each with the proposal's digest. What has no decision is skipped."
    )
    return Answer(document | {"next": ask if plan.proposals else "There is nothing to learn in it."})


def _apply(desk: Desk, given: Arguments, _: Watch) -> Outcome:
    from memtend.workspace.plan import decisions_from_json

    plan = _plan_of(desk, given["plan"])
    decided = decisions_from_json(forms.undigested(given["decisions"], plan.proposals), plan.proposals)

    def then(filled: Mapping[str, Any]) -> Outcome:
        if filled.get("write", True) is not True:
            return declined()
        return _applied(desk, given["plan"], plan, decided)

    return Question(_confirmation(_told(plan, decided)), then, lambda: then({}))


def _plan_of(desk: Desk, given: str) -> "Plan":
    """A plan by its name here, or the whole plan as JSON."""
    from memtend.workspace.plan import from_json

    if not given.lstrip().startswith("{"):
        return _kept(desk, given)
    try:
        return from_json(json.loads(given))
    except ValueError as fault:
        raise Usage(f"the plan is no JSON: {fault}", hint="Give the plan's name, as learn answered it.") from fault


def _told(plan: "Plan", decided: Sequence[Decision]) -> list[str]:
    secrets = _secrets(plan)
    summaries = {proposal.id: forms.summary_of(proposal, proposal.id in secrets) for proposal in plan.proposals}
    chosen = [decision for decision in decided if decision.action is not Action.SKIP]
    lines = [
        f"{decision.proposal_id}: {forms.choice_of(decision.action, decision.target)}, from: "
        f"{summaries[decision.proposal_id][:100]}"
        for decision in chosen[:_SHOWN]
    ]
    return lines + ([f"… and {len(chosen) - _SHOWN} more"] if len(chosen) > _SHOWN else [])


def _confirmation(lines: Sequence[str]) -> Form:
    message = "\n".join(["Write this? It can be undone.", *lines])
    return Form(message, {"write": {"type": "boolean", "title": "Write it", "default": True}})


def _applied(desk: Desk, name: str, plan: "Plan", decided: Sequence[Decision]) -> Answer:
    with desk.workspace() as workspace:
        learned = workspace.apply(plan, decided)
    desk.plans.take(name)
    return Answer(_done(learned))


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


def declined(what: str = "declined", besides: Mapping[str, Any] | None = None) -> Answer:
    """The end where a person said no (`declined`) or closed the form (`cancelled`)."""
    said = "said no" if what == "declined" else "closed the form without an answer"
    return Answer({"status": what, "message": f"The person {said}. Nothing was written.", **(besides or {})})


def _undo(desk: Desk, given: Arguments, _: Watch) -> Outcome:
    with desk.workspace() as workspace:
        receipt = _standing(workspace.log(), given["receipt"])

    def then(filled: Mapping[str, Any]) -> Outcome:
        if filled.get("write", True) is not True:
            return declined()
        with desk.workspace() as workspace:
            done = workspace.undo(receipt.id)
        return Answer(
            {"status": "completed", "receipt": done.id, "undone": done.undoes, "paths": list(done.paths)[:50]}
        )

    def unasked() -> Outcome:
        return then({}) if given["receipt"] else _would_undo(receipt)

    lines = [f"Take back {receipt.id}: {receipt.note}", *receipt.paths[:_SHOWN]]
    return Question(_confirmation(lines), then, unasked)


def _standing(receipts: "Sequence[Receipt]", name: str | None) -> "Receipt":
    """The receipt that was named, or the latest that stands and is no undo itself."""
    standing = [r for r in receipts if not r.undone_by and (r.id == name if name else not r.undoes)]
    if not standing:
        what = f"no receipt {name} that stands" if name else "nothing to undo"
        raise NotFound(f"There is {what}", hint="The answer to apply names its receipt.")
    return standing[-1]


def _would_undo(receipt: "Receipt") -> Answer:
    return Answer(
        {
            "status": "planned",
            "receipt": None,
            "undone": receipt.id,
            "note": receipt.note,
            "paths": list(receipt.paths)[:50],
            "next": f"Nothing is written yet. Ask the person; then call undo with receipt {receipt.id}.",
        }
    )


_STATUS = {
    "status": {"type": "string", "enum": ["planned", "completed", "declined", "cancelled"]},
    "message": {"type": "string"},
    "next": {"type": "string"},
    "notice": {"type": "string"},
    "receipt": {"type": ["string", "null"]},
}
_DONE = _STATUS | {
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
        answer=_DONE
        | {"plan": {"type": "string"}, "proposals": {"type": "array", "items": {"type": "object"}}}
        | PAGED,
        writes=True,
        is_long=True,
    ),
    Tool(
        name="apply",
        title="Apply decisions on a plan",
        about=(
            "Write what a person decided on the proposals of `learn`. Each decision carries its proposal's digest; a "
            "memory that changed meanwhile is never overwritten. Only with decisions that a person made."
        ),
        parameters=(
            Parameter(
                name="plan",
                kind=TEXT,
                about="The plan's name, as learn answered it.",
                example="plan-0123",
                required=True,
            ),
            Parameter(
                name="decisions",
                kind=OBJECT,
                about='By segment: {"seg-001": {"action": "create|update|extend|skip", "target": …, "digest": …}}.',
                example=_EXAMPLE,
                required=True,
            ),
        ),
        run=_apply,
        answer=_DONE | PAGED,
        writes=True,
    ),
    Tool(
        name="undo",
        title="Undo a change",
        about="Take back the latest change, or a receipt's, to the byte. Refused where later work would go too.",
        parameters=(
            Parameter(name="receipt", kind=TEXT, about="The receipt; the latest unless given.", example="RECEIPT"),
        ),
        run=_undo,
        answer=_STATUS
        | {"undone": {"type": ["string", "null"]}, "paths": {"type": "array", "items": {"type": "string"}}},
        writes=True,
        destroys=True,
    ),
)
