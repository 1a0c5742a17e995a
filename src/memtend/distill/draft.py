"""What every mode's draft is, and the memory that a decision is about.

Pure: memories come in as values, nothing is written. A draft says what the log is to say of it, and what was left
alone and why.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memtend.change import Change, ChangeSet
from memtend.errors import StaleDecision, UnknownMemory
from memtend.memory import Memory, MemoryId
from memtend.review import Proposal

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
