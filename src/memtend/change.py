"""What may happen to memories: changes as plain data, decided here and done by the store alone.

A `Change` says which memory gets which new field values; a layout turns it into `FileEdit`s. Because a change
is a value, it can be shown, saved in a plan, checked against the files it relies on, and compared with what
was really written (`applied` is that comparison's left side).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

from memtend.errors import SelfCheckFailed, StaleDecision, UnknownMemory
from memtend.memory import Digest, Memory, MemoryId, Place, Status


class Verb(StrEnum):
    """What a change does, for people and for guards. The fields alone say how."""

    CREATE = "create"
    UPDATE = "update"
    EXTEND = "extend"
    MERGE = "merge"
    COMPRESS = "compress"
    REFINE = "refine"
    RELINK = "relink"
    REINFORCE = "reinforce"
    MOVE = "move"
    RETIRE = "retire"
    RESTORE = "restore"
    ERASE = "erase"


DERIVED_FIELDS = frozenset({"digest", "place", "token_count", "links"})
"""What follows from the other fields: not for a change to set, not compared by the self-check."""


@dataclass(frozen=True, slots=True)
class Change:
    """New values for some fields of one memory.

    `digest` is that of the memory the change was decided on, None only for `create`. `fields` are named as in
    `Memory`; an `erase` has none. The content of an `extend` is the old content with the new text behind it.
    """

    verb: Verb
    memory_id: MemoryId
    digest: Digest | None
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileEdit:
    """New bytes for one file. `before` is the digest the file must have, None where it must not exist."""

    path: str
    before: Digest | None
    after: bytes | None
    """None: the file goes."""
    derived: bool = False
    """Rebuilt from the memories at any time, so never in the way of an undo."""


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What is applied together or not at all.

    `edits` are for what a layout's upkeep does to files directly (an undo, a move between files); most sets
    have `changes` alone. `note` is the line that the log and the commit show.
    """

    changes: tuple[Change, ...] = ()
    edits: tuple[FileEdit, ...] = ()
    note: str = ""

    def of(self, *verbs: Verb) -> tuple[Change, ...]:
        """The changes with one of these verbs."""
        return tuple(change for change in self.changes if change.verb in verbs)

    @property
    def memory_ids(self) -> tuple[MemoryId, ...]:
        """Every memory it touches, each once, in order."""
        return tuple(dict.fromkeys(change.memory_id for change in self.changes))


def created(memory: Memory) -> Change:
    """The change that brings a new memory into being."""
    values = {f.name: getattr(memory, f.name) for f in fields(Memory)}
    kept = {name: value for name, value in values.items() if name not in DERIVED_FIELDS and name != "id"}
    return Change(Verb.CREATE, memory.id, None, kept)


def applied(memories: Mapping[MemoryId, Memory], changes: Iterable[Change]) -> dict[MemoryId, Memory]:
    """The memories as they should be after the changes, derived fields left as they were.

    Raises StaleDecision when a change relies on a digest that is not there, UnknownMemory when its memory is not.
    """
    after = dict(memories)
    relied_on = {id: memory.digest for id, memory in memories.items()}
    for change in changes:
        if change.verb is Verb.CREATE:
            after[change.memory_id] = _made(change, after)
            continue
        memory = after.get(change.memory_id)
        if memory is None:
            raise UnknownMemory(f"No memory {change.memory_id}", hint="`memtend list` shows the ids.")
        if change.digest is not None and change.digest != relied_on.get(change.memory_id, change.digest):
            raise StaleDecision(
                f"{change.memory_id} has changed since this was decided",
                hint="Run the command again to decide on what is there now.",
            )
        if change.verb is Verb.ERASE:
            del after[change.memory_id]
        else:
            after[change.memory_id] = replace(memory, **change.fields)
    return after


def _made(change: Change, existing: Mapping[MemoryId, Memory]) -> Memory:
    if change.memory_id in existing:
        raise StaleDecision(
            f"{change.memory_id} exists already",
            hint="Run the command again: a free name will be chosen.",
        )
    return Memory(id=change.memory_id, place=Place(""), digest=Digest(""), **change.fields)


def differences(expected: Mapping[MemoryId, Memory], found: Mapping[MemoryId, Memory]) -> list[str]:
    """Where two sets of memories differ, as `id: field` lines; derived fields do not count."""
    lines = [f"{id}: missing" for id in expected if id not in found]
    lines += [f"{id}: not expected" for id in found if id not in expected]
    for id, memory in expected.items():
        other = found.get(id)
        if other is not None:
            lines += [f"{id}: {name}" for name in _compared if getattr(memory, name) != getattr(other, name)]
    return lines


_compared = tuple(f.name for f in fields(Memory) if f.name not in DERIVED_FIELDS)


def require_same(expected: Mapping[MemoryId, Memory], found: Mapping[MemoryId, Memory]) -> None:
    """Raise SelfCheckFailed where what would be written is not what was decided."""
    lines = differences(expected, found)
    if lines:
        raise SelfCheckFailed(
            "what would be written is not what was decided (" + "; ".join(lines[:5]) + ")",
            hint="Nothing was written. Please report this with the file concerned.",
        )


def retired(memory: Memory, *, at: str, reason: str) -> Change:
    """The change that takes a memory out of use; its file stays."""
    fields = {"status": Status.RETIRED, "retired_at": at, "retired_reason": reason}
    return Change(Verb.RETIRE, memory.id, memory.digest, fields)


def restored(memory: Memory) -> Change:
    """The change that brings a retired memory back into use."""
    fields = {"status": Status.ACTIVE, "retired_at": "", "retired_reason": ""}
    return Change(Verb.RESTORE, memory.id, memory.digest, fields)
