"""What every mode's draft is, and the decisions that it is made of.

Pure: memories come in as values, nothing is written. A draft says what the log is to say of it, and what was left
alone and why.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memtend.change import Change, ChangeSet
from memtend.errors import StaleDecision, UnknownMemory, UnusableInput
from memtend.memory import Memory, MemoryId
from memtend.review import Action, Decision, Proposal

Told = Callable[[Change], Memory]
"""A memory as reading its file will give it after a change. Raises Refused where the file cannot be changed safely."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What decisions come to."""

    change_set: ChangeSet = field(default_factory=ChangeSet)
    affected: tuple[Any, ...] = ()
    """What the log says was done (vault spec, 5)."""
    notes: str = ""
    """One line for the log."""
    refused: tuple[str, ...] = ()
    """What was decided and left alone, one sentence each."""
    warnings: tuple[str, ...] = ()
    """What a person should know, one sentence each."""
    remembered: Mapping[MemoryId, str] = field(default_factory=dict)
    """By id: hashes of texts that are not to be learned again unasked."""


def accepted(proposals: Sequence[Proposal], decisions: Sequence[Decision], action: Action) -> list[Proposal]:
    """The proposals that were answered with that action."""
    return [proposal for proposal, _ in accepted_pairs(proposals, decisions, action)]


def accepted_pairs(
    proposals: Sequence[Proposal], decisions: Sequence[Decision], action: Action
) -> list[tuple[Proposal, Decision]]:
    """The proposals that were answered with that action, with their answers."""
    answers = answers_to(proposals, decisions)
    return [
        (proposal, answers[proposal.id])
        for proposal in proposals
        if proposal.id in answers and taken(proposal, answers[proposal.id]) is action
    ]


def answers_to(proposals: Sequence[Proposal], decisions: Sequence[Decision]) -> dict[str, Decision]:
    """Decisions by proposal. Raises UnusableInput for one that answers nothing, twice, or with what cannot be done."""
    asked = {proposal.id: proposal for proposal in proposals}
    answers: dict[str, Decision] = {}
    for decision in decisions:
        if decision.proposal_id not in asked or decision.proposal_id in answers:
            fact = "is decided twice" if decision.proposal_id in answers else "was not asked"
            raise UnusableInput(f"{decision.proposal_id} {fact}", hint="Give one decision for each proposal.")
        action = taken(asked[decision.proposal_id], decision)
        if action not in asked[decision.proposal_id].actions:
            allowed = ", ".join(asked[decision.proposal_id].actions)
            raise UnusableInput(f"{decision.proposal_id}: {action} cannot be done here", hint=f"It can be: {allowed}.")
        answers[decision.proposal_id] = decision
    return answers


def taken(proposal: Proposal, decision: Decision) -> Action:
    """What a decision says is to be done."""
    return proposal.recommendation.action if decision.action is Action.ACCEPT else decision.action


def current(proposal: Proposal, memories: Mapping[MemoryId, Memory], id: MemoryId | None = None) -> Memory:
    """The memory that a proposal is about, which must not have changed since. Raises UnknownMemory, StaleDecision."""
    wanted = id if id is not None else proposal.recommendation.target or next(iter(proposal.digests))
    memory = memories.get(wanted)
    if memory is None:
        raise UnknownMemory(f"No memory {wanted}", hint="`memtend list` shows the ids.")
    if memory.digest != proposal.digests.get(wanted):
        raise StaleDecision(
            f"{wanted} has changed since this was decided",
            hint="Run the command again to decide on what is there now.",
        )
    return memory


def counted(count: int) -> str:
    """`1 memory`, `2 memories`."""
    return f"{count} {'memory' if count == 1 else 'memories'}"
