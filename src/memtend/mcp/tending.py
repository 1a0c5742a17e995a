"""The tool `distill`: the report, and the modes that tend the vault, each asked about like learning."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memtend.mcp import asking
from memtend.mcp.answers import Answer, Outcome
from memtend.mcp.arguments import TEXT, TEXTS, Arguments, Parameter
from memtend.mcp.asking import Waiting
from memtend.mcp.desk import Desk, Watch
from memtend.mcp.reading import PAGED
from memtend.mcp.tool import Tool
from memtend.mcp.writing import STATUS
from memtend.review import Decision

if TYPE_CHECKING:
    from memtend.distill.report import Report
    from memtend.workspace.distill_plan import Distilled, DistillPlan

_MODES = ("report", "purge", "merge", "compress", "refine", "gc", "auto")
_NAMED = 20
"""How many of a list the report names; the counts are whole."""


def _distill(desk: Desk, given: Arguments, _: Watch) -> Outcome:
    from memtend.workspace.distill_plan import Mode

    mode = Mode(given["mode"])
    with desk.workspace() as workspace:
        if mode is Mode.REPORT:
            found, warnings = workspace.report()
            return Answer({"status": "completed", **report_in_short(found), "warnings": list(warnings)[:10]})
        plan = workspace.plan_distill(mode, given["only"])
    waiting = tending(desk, plan)
    return asking.ask(desk, waiting) if plan.proposals else waiting.apply(())


def tending(desk: Desk, plan: "DistillPlan") -> Waiting:
    """A plan of distill that waits for decisions."""

    def preview(decision: Decision) -> str:
        with desk.workspace() as workspace:
            return workspace.preview_distill(plan, [decision])

    def apply(decided: Sequence[Decision]) -> Answer:
        with desk.workspace() as workspace:
            return Answer(_done(workspace.apply_distill(plan, decided)))

    return Waiting("distill", plan.proposals, preview, apply, {"mode": str(plan.mode)})


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
            "judgement. The person is asked as for learn."
        ),
        parameters=(
            Parameter(name="mode", kind=TEXT, about="What to do.", example="report", default="report", choices=_MODES),
            Parameter(name="only", kind=TEXTS, about="Just these memories.", example=["MEM-x"], splits=True),
        ),
        run=_distill,
        answer=STATUS
        | {
            "mode": {"type": "string"},
            "plan": {"type": "string"},
            "health_score": {"type": "number"},
            "health_status": {"type": "string"},
            "total_memories": {"type": "integer"},
            "proposals": {"type": "array", "items": {"type": "object"}},
        }
        | PAGED,
        writes=True,
        destroys=True,
        is_long=True,
    ),
)
