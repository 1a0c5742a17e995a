"""How much may go at once.

A set that would retire or erase more than 20 % of the active memories, or the last active one of a category,
needs its own yes. In a store of fewer than five, only a set that takes everything does. What merges into
another memory is not gone and does not count.
"""

from collections.abc import Iterable, Mapping

from memtend.change import Change, Verb
from memtend.errors import GuardTripped
from memtend.memory import Memory, MemoryId, Status

LARGE_SHARE = 0.20
SMALL_STORE = 5


def require_moderate(changes: Iterable[Change], memories: Mapping[MemoryId, Memory]) -> None:
    """Raise GuardTripped where the changes take too many of the store's memories at once."""
    active = {id for id, memory in memories.items() if memory.is_active}
    going = {change.memory_id for change in changes if _takes(change)} & active
    reasons = _reasons(going, active, memories)
    if reasons:
        raise GuardTripped(
            f"{len(going)} of {len(active)} active memories would go: {'; '.join(reasons)}",
            hint="Choose fewer, or say that so many are meant (--allow-large). Nothing was changed.",
        )


def _takes(change: Change) -> bool:
    retires = change.fields.get("status") is Status.RETIRED and change.verb is not Verb.MERGE
    return change.verb is Verb.ERASE or retires


def _reasons(going: set[MemoryId], active: set[MemoryId], memories: Mapping[MemoryId, Memory]) -> list[str]:
    if not going:
        return []
    if going == active:
        return ["none would be left"]
    if len(active) < SMALL_STORE:
        return []
    share = len(going) / len(active)
    reasons = [f"that is {share:.0%}, the limit is {LARGE_SHARE:.0%}"] if share > LARGE_SHARE else []
    left = {memories[id].category for id in active - going}
    emptied = sorted({memories[id].category for id in going} - left - {""})
    return reasons + [f"no {category} would be left" for category in emptied]
