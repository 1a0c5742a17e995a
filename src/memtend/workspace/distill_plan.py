"""What a mode of distill would do, and what it did: plans and answers as values and as JSON."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from memtend.distill.refine import Plain
from memtend.distill.report import Report
from memtend.errors import UnusableInput
from memtend.memory import MemoryId
from memtend.review import Proposal
from memtend.store.receipt import Receipt


class Mode(StrEnum):
    """What distill can do."""

    REPORT = "report"
    PURGE = "purge"
    MERGE = "merge"
    COMPRESS = "compress"
    REFINE = "refine"
    GC = "gc"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class DistillPlan:
    """What a mode would do. Nothing is written until it comes back with decisions."""

    mode: Mode
    proposals: tuple[Proposal, ...] = ()
    plain: tuple[Plain, ...] = ()
    """Tier 1 of refine: done without being asked about."""
    report: Report | None = None
    """What it was made from."""
    only: tuple[MemoryId, ...] = ()
    warnings: tuple[str, ...] = ()
    """What a person should know before deciding, one sentence each."""

    @property
    def candidates(self) -> list[Any]:
        """What the contract names (design): ids, pairs of merge, memories and fixes of refine."""
        if self.mode is Mode.MERGE:
            return [dict(proposal.payload) for proposal in self.proposals]
        if self.mode in (Mode.REFINE, Mode.AUTO):
            asked = [
                {
                    "id": proposal.payload["id"],
                    "tier": 2,
                    "fixes": [proposal.payload["fix"]],
                    "proposal": proposal.id,
                    "values": {"suggested": proposal.payload["value"]},
                }
                for proposal in self.proposals
            ]
            return [*(fix.to_json() for fix in self.plain), *asked]
        return [proposal.id for proposal in self.proposals]

    def to_json(self, *, dry_run: bool) -> dict[str, Any]:
        """The plan as JSON values (design: contracts)."""
        return {
            "mode": self.mode,
            "dry_run": dry_run,
            "candidates": self.candidates,
            "proposals": [_proposal_to_json(proposal) for proposal in self.proposals],
            "affected": [],
            "receipt": None,
        }


@dataclass(frozen=True, slots=True)
class Distilled:
    """What applying a plan did."""

    plan: DistillPlan
    affected: tuple[Any, ...] = ()
    receipt: Receipt | None = None
    """None where nothing was to be written."""
    refused: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: str = ""
    health: tuple[int, int] | None = None
    """The health score before and after."""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values (design: contracts)."""
        told = self.plan.to_json(dry_run=False)
        del told["proposals"]
        return told | {
            "affected": list(self.affected),
            "receipt": self.receipt.to_json() if self.receipt else None,
            "refused": list(self.refused),
            "warnings": list(self.warnings),
            "health": list(self.health) if self.health else None,
        }


def without(plan: DistillPlan, ids: set[MemoryId], why: str) -> DistillPlan:
    """The plan without some memories that cannot be decided on."""
    proposals = tuple(proposal for proposal in plan.proposals if not ids & proposal.digests.keys())
    plain = tuple(fix for fix in plan.plain if fix.id not in ids)
    met = {id for proposal in plan.proposals for id in proposal.digests} | {fix.id for fix in plan.plain}
    warnings = tuple(f"{id} {why}" for id in sorted(ids & met))
    return replace(plan, proposals=proposals, plain=plain, warnings=(*plan.warnings, *warnings))


def narrowed(plan: DistillPlan, ids: tuple[MemoryId, ...]) -> DistillPlan:
    """The plan for some memories alone; a pair counts when both are named, or the only one that is."""
    wanted = set(ids)
    enough = min(2, len(wanted)) if plan.mode is Mode.MERGE else 1
    proposals = tuple(p for p in plan.proposals if len(wanted & set(p.digests)) >= enough)
    plain = tuple(fix for fix in plan.plain if fix.id in wanted)
    met = {id for proposal in proposals for id in proposal.digests} | {fix.id for fix in plain}
    strangers = [id for id in ids if id not in met]
    if strangers:
        raise UnusableInput(
            f"{', '.join(strangers)}: nothing to {plan.mode} there",
            hint=f"`memtend distill {plan.mode} --dry-run` lists the candidates.",
        )
    return replace(plan, proposals=proposals, plain=plain, only=ids)


def _proposal_to_json(proposal: Proposal) -> dict[str, Any]:
    about = proposal.recommendation
    return {
        "id": proposal.id,
        "title": proposal.summary,
        "recommendation": {
            "action": about.action,
            "strength": about.strength,
            "conflict": about.conflict,
            "reasons": list(about.reasons),
        },
        "details": {name: value for name, value in proposal.payload.items() if name != "text"},
    }
