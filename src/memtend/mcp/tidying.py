"""A role's tidy plan as proposals: each rewrite, deletion and addition is a question of its own.

An entry that goes only when it is named (a preference, or often used) is named by accepting the proposal about it.
Deletions are never what a form has chosen beforehand.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memtend.mcp.answers import Answer
from memtend.mcp.asking import Waiting
from memtend.memory import Digest, MemoryId
from memtend.review import Action, Decision, Proposal, Recommendation, Strength

if TYPE_CHECKING:
    from memtend.layouts.role.plan import TidyPlan
    from memtend.workspace.role.roles import RoleWorkspace

_SHOWN = 20


def waiting(role: "RoleWorkspace") -> Waiting:
    """What could be tidied in a role, waiting for decisions. Raises UnusableInput where a model's answer is no plan."""
    plan = role.tidy()
    going = {deletion.id for deletion in plan.deletions}

    def preview(decision: Decision) -> str:
        chosen = {decision.proposal_id}
        return role.tidy_diff(plan, named=going & chosen, only=chosen)

    def apply(decided: Sequence[Decision]) -> Answer:
        accepted = [decision.proposal_id for decision in decided if decision.action is Action.ACCEPT]
        done = role.apply_tidy(plan, accepted=True, named=going & set(accepted), only=accepted)
        return Answer({"status": "completed", "role": role.name, "action": "tidy", **done.to_json()})

    about = {
        "role": role.name,
        "action": "tidy",
        "maker": plan.maker,
        "contradictions": [{"ids": list(pair.ids), "reason": pair.reason} for pair in plan.contradictions[:_SHOWN]],
        "remarks": [{"id": remark.id, "reason": remark.reason} for remark in plan.remarks[:_SHOWN]],
    }
    return Waiting("tidy", tuple(_proposals(plan)), preview, apply, about)


def _proposals(plan: "TidyPlan") -> Iterator[Proposal]:
    """One proposal an entry; what is made of an entry is added with it."""
    asked: set[str] = set()
    for deletion in plan.deletions:
        asked.add(deletion.id)
        kept = f", {deletion.into} says the same" if deletion.into else ""
        why = (deletion.reason, *(("a preference or often used",) if deletion.must_be_named else ()))
        summary = " / add: ".join((f"delete: {deletion.old}{kept}", *_made_of(plan, deletion.id)))
        yield _proposal(deletion.id, summary, Strength.WEAK, why, deletion.digest)
    for rewrite in plan.rewrites:
        if rewrite.id not in asked:
            asked.add(rewrite.id)
            summary = " / ".join((f"rewrite as: {rewrite.text}", *_made_of(plan, rewrite.id)))
            yield _proposal(rewrite.id, summary, Strength.MEDIUM, (rewrite.reason,), rewrite.digest)
    for addition in plan.additions:
        source = addition.sources[0]
        if not asked & set(addition.sources):
            asked.add(source)
            summary = f"add: {' / '.join(_made_of(plan, source))}"
            yield _proposal(source, summary, Strength.WEAK, (addition.reason,), "")


def _made_of(plan: "TidyPlan", id: str) -> list[str]:
    return [addition.text for addition in plan.additions if id in addition.sources]


def _proposal(id: str, summary: str, strength: Strength, reasons: tuple[str, ...], digest: str) -> Proposal:
    recommendation = Recommendation(Action.ACCEPT, None, strength, reasons=reasons)
    digests = {MemoryId(id): Digest(digest)} if digest else {}
    return Proposal(id, "tidy", summary, (Action.ACCEPT, Action.SKIP), recommendation, digests=digests)
