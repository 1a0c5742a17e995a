"""The tool `distill`: the report, and the modes that tend the vault, each asked about like learning."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memtend.errors import Usage
from memtend.mcp import asking
from memtend.mcp.answers import Answer, Outcome
from memtend.mcp.arguments import TEXT, TEXTS, Arguments, Parameter
from memtend.mcp.asking import Waiting
from memtend.mcp.desk import Desk, Watch
from memtend.mcp.reading import PAGED
from memtend.mcp.tool import Tool
from memtend.mcp.writing import ASKED
from memtend.review import Action, Decision, Proposal

if TYPE_CHECKING:
    from memtend.distill.report import Report
    from memtend.workspace.distill_plan import Distilled, DistillPlan

_MODES = ("report", "purge", "merge", "compress", "refine", "gc", "auto")
PLAIN = "plain"
"""The proposal of what needs no judgement."""
_NAMED = 20
"""How many of a list the report names; the counts are whole."""


def _distill(desk: Desk, given: Arguments, watch: Watch) -> Outcome:
    from memtend.workspace.distill_plan import Mode

    mode = Mode(given["mode"])
    if mode is Mode.REPORT and given["only"]:
        raise Usage("distill: a report is about the whole vault", hint="Name memories to purge, merge, compress …")
    with desk.workspace() as workspace:
        watch.step(0, 0, "looking at every memory")
        if mode is Mode.REPORT:
            found, warnings = workspace.report()
            return Answer({"status": "completed", **report_in_short(found), "warnings": list(warnings)[:10]})
        plan = workspace.plan_distill(mode, given["only"])
        watch.step(0, 0, "putting the proposals together")
    waiting = tending(desk, plan)
    return asking.ask(desk, waiting) if waiting.proposals else waiting.apply(())


def tending(desk: Desk, plan: "DistillPlan") -> Waiting:
    """A plan of distill that waits for decisions; what the terminal does without a question is one more proposal."""

    def chosen(decided: Sequence[Decision]) -> "tuple[DistillPlan, list[Decision]]":
        rest = [decision for decision in decided if decision.proposal_id != PLAIN]
        return plan if _is_wanted(decided) else replace(plan, plain=()), rest

    def preview(decision: Decision) -> str:
        with desk.workspace() as workspace:
            return workspace.preview_distill(*chosen([decision]))

    def apply(decided: Sequence[Decision]) -> Answer:
        if str(plan.mode) == "auto" and not _is_wanted(decided):
            return asking.declined()
        with desk.workspace() as workspace:
            return Answer(_done(workspace.apply_distill(*chosen(decided))))

    return Waiting("distill", (*_plain(plan), *plan.proposals), preview, apply, {"mode": str(plan.mode)})


def _is_wanted(decided: Sequence[Decision]) -> bool:
    return any(decision.proposal_id == PLAIN and decision.action is Action.ACCEPT for decision in decided)


def _plain(plan: "DistillPlan") -> Iterator[Proposal]:
    """The proposal of what needs no judgement, where there is any; `auto` is that, and the derived pages."""
    if not plan.plain and str(plan.mode) != "auto":
        return
    count = len(plan.plain)
    memories = f"{count} {'memory' if count == 1 else 'memories'}"
    what = f"mend keywords, summary or topic of {memories}" if count else "bring the derived pages up to date"
    fixes = [fix.to_json() for fix in plan.plain]
    diff = "\n".join(f"{fix.id}: {name} → {_said(value)}" for fix in plan.plain for name, value in fix.fields.items())
    digests = {fix.id: fix.digest for fix in plan.plain}
    yield asking.one_change("distill", PLAIN, what, {"fixes": fixes, "diff": diff}, digests=digests)


def _said(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _done(done: "Distilled") -> dict[str, Any]:
    return {
        "status": "completed",
        "mode": str(done.plan.mode),
        "affected": list(done.affected)[:50],
        "affected_count": len(done.affected),
        "receipt": done.receipt.id if done.receipt else None,
        "refused": list(done.refused)[:_NAMED],
        "warnings": list(done.warnings)[:_NAMED],
    }


def report_in_short(found: "Report") -> dict[str, Any]:
    """The report without the scores of each memory; long lists are cut, their lengths are not."""
    whole = found.to_json()
    candidates = whole["candidates"]
    whole["candidate_counts"] = {name: len(named) for name, named in candidates.items()}
    whole["candidates"] = {name: named[:_NAMED] for name, named in candidates.items()}
    whole["health_status"] = whole.pop("status")
    del whole["scores"]
    return {name: value[:_NAMED] if isinstance(value, list) else value for name, value in whole.items()}


TOOLS = (
    Tool(
        name="distill",
        title="Tend the vault",
        about=(
            "report: health, what is stale, double, too long. purge retires what nobody uses, merge joins duplicates, "
            "compress shortens, refine mends names, gc deletes what was retired a week ago, auto does what needs no "
            "judgement. The person is asked as for learn; a report notes itself in the log."
        ),
        parameters=(
            Parameter(name="mode", kind=TEXT, about="What to do.", example="report", default="report", choices=_MODES),
            Parameter(name="only", kind=TEXTS, about="Just these memories.", example=["MEM-x"], splits=True),
        ),
        run=_distill,
        answer=ASKED
        | {
            "mode": {"type": "string"},
            "health_score": {"type": "number"},
            "health_status": {"type": "string"},
            "total_memories": {"type": "integer"},
        }
        | PAGED,
        writes=True,
        destroys=True,
        is_long=True,
    ),
)
