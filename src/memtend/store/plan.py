"""A change set turned into bytes and checked, before anything is written."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from memtend.change import Change, ChangeSet, FileEdit, Verb, applied, require_same
from memtend.errors import ChangedOnDisk, MemtendError, Refused, SelfCheckFailed, StaleDecision
from memtend.layouts import Usage
from memtend.memory import Digest, Memory, MemoryId
from memtend.store.guard import require_moderate
from memtend.store.snapshot import Snapshot

Names = Callable[[str], Iterable[str]]
"""What lies in a folder of the store (`.` for its root)."""


def plan_edits(snapshot: Snapshot, change_set: ChangeSet, now: datetime, *, allow_large: bool) -> tuple[FileEdit, ...]:
    """The file edits that a change set comes to, derived pages aside; those that change nothing are left out.

    Raises StaleDecision or ChangedOnDisk where the files are not what was decided on, Refused where the layout's
    law forbids it, GuardTripped where too much would go, SelfCheckFailed where the edits are not the changes.
    """
    before = snapshot.decoded(snapshot.paths_of(change_set.memory_ids))
    _require_current(snapshot, change_set, before)
    known = {**snapshot.memories, **before}
    refusals = snapshot.layout.admits(change_set, known)
    if refusals:
        raise Refused("; ".join(refusals), hint="The layout's own law forbids it. Nothing was changed.")
    if not allow_large:
        require_moderate(change_set.changes, known)
    tree = snapshot.reading.made_for(snapshot.paths_of(change_set.memory_ids))
    encoded = snapshot.layout.encode(change_set, tree, now) if change_set.changes else ()
    edits = _united(encoded, change_set.edits)
    _require_on_the_same_bytes(snapshot, edits)
    _self_check(snapshot, change_set, edits)
    return real(snapshot, edits)


def plan_pages(snapshot: Snapshot, now: datetime) -> tuple[FileEdit, ...]:
    """The edits that bring the derived pages up to date. Usage that only they know stays in them."""
    pages = snapshot.pages()
    usage = snapshot.layout.usage(pages)
    memories = [_lifted(memory, usage.get(memory.id)) for memory in snapshot.in_file_order()]
    edits = snapshot.layout.reindex(memories, pages, now)
    return real(snapshot, [replace(edit, derived=True) for edit in edits])


@dataclass(frozen=True, slots=True)
class UsagePlan:
    """How usage gets into the files: the changes, their edits, and the memories for which it cannot."""

    changes: tuple[Change, ...] = ()
    edits: tuple[FileEdit, ...] = ()
    left: tuple[MemoryId, ...] = ()


def plan_usage(snapshot: Snapshot, usage: Mapping[MemoryId, Usage], now: datetime) -> UsagePlan:
    """Write usage totals into the memories that have less. What fails for one memory does not stop the others."""
    memories: dict[MemoryId, Memory] = {}
    left: list[MemoryId] = []
    for id in usage:
        if id in snapshot.memories:
            try:
                memories[id] = snapshot.decoded(snapshot.paths_of([id]))[id]
            except (MemtendError, KeyError):
                left.append(id)
    changes = [change for id, memory in memories.items() if (change := _raised(memory, usage[id])) is not None]
    kept = changes if _works(snapshot, changes, now) else [c for c in changes if _works(snapshot, [c], now)]
    kept = kept if _works(snapshot, kept, now) else []
    left += [change.memory_id for change in changes if change not in kept]
    edits = plan_edits(snapshot, ChangeSet(tuple(kept)), now, allow_large=True) if kept else ()
    return UsagePlan(tuple(kept), edits, tuple(left))


def _works(snapshot: Snapshot, changes: Sequence[Change], now: datetime) -> bool:
    """Whether these changes can be made together."""
    try:
        plan_edits(snapshot, ChangeSet(tuple(changes)), now, allow_large=True)
    except MemtendError:
        return False
    return True


def rebased(change_set: ChangeSet, before: Snapshot, after: Snapshot) -> ChangeSet:
    """A change set decided on `before`, to be applied on `after`, which differs in usage alone.

    Usage never goes down, so a change that would set less than the file has keeps what the file has. What was
    decided on neither is left as it is, to be refused.
    """
    paths = before.paths_of(change_set.memory_ids)
    old, new = before.decoded(paths), after.decoded(paths)
    return replace(
        change_set,
        changes=tuple(_rebased_change(change, old, new) for change in change_set.changes),
        edits=tuple(_rebased_edit(edit, before, after) for edit in change_set.edits),
    )


def _rebased_change(change: Change, old: Mapping[MemoryId, Memory], new: Mapping[MemoryId, Memory]) -> Change:
    was, now = old.get(change.memory_id), new.get(change.memory_id)
    if change.verb is Verb.CREATE or was is None or now is None:
        return change
    digest = now.digest if change.digest == was.digest else change.digest
    values = dict(change.fields)
    if "retrieval_count" in values:
        values["retrieval_count"] = max(values["retrieval_count"], now.retrieval_count)
    if "last_retrieved" in values:
        values["last_retrieved"] = later(values["last_retrieved"], now.last_retrieved)
    return replace(change, digest=digest, fields=values)


def _rebased_edit(edit: FileEdit, before: Snapshot, after: Snapshot) -> FileEdit:
    current = after.reading.at(edit.path)
    if current is None or current == before.reading.at(edit.path) or edit.before != before.reading.digest(edit.path):
        return edit
    image = None if edit.after is None else after.layout.carry_usage(current, edit.after)
    return replace(edit, before=after.reading.digest(edit.path), after=image)


def _raised(memory: Memory, usage: Usage) -> Change | None:
    """The change that brings a memory's usage up to what is known; None where it has as much."""
    last = later(memory.last_retrieved, usage.last)
    values: dict[str, Any] = {}
    if usage.times > memory.retrieval_count:
        values["retrieval_count"] = usage.times
    if last != memory.last_retrieved:
        values["last_retrieved"] = last
    return Change(Verb.REINFORCE, memory.id, memory.digest, values) if values else None


def _lifted(memory: Memory, usage: Usage | None) -> Memory:
    if usage is None:
        return memory
    times = max(memory.retrieval_count, usage.times)
    return replace(memory, retrieval_count=times, last_retrieved=later(memory.last_retrieved, usage.last))


def later(ours: str, theirs: str) -> str:
    """The later of two ISO dates or timestamps; what starts with no year is older than any date."""
    return max(ours, theirs, key=lambda date: date if date[:4].isdigit() else "")


def merged(edits: Sequence[FileEdit], pages: Sequence[FileEdit]) -> tuple[FileEdit, ...]:
    """Edits with those of derived pages laid over them; where both touch a file it becomes one edit."""
    result = {edit.path: edit for edit in edits}
    for page in pages:
        first = result.get(page.path)
        result[page.path] = replace(first, after=page.after) if first is not None else page
    return tuple(result.values())


def require_distinct(edits: Iterable[FileEdit], names: Names) -> None:
    """Raise Refused where a new file would differ from another only in case or in how its letters are composed.

    On many disks those two are one file. A file that goes in the same set is not in the way.
    """
    edits = tuple(edits)
    gone = {edit.path for edit in edits if edit.after is None}
    listed: dict[str, dict[str, str]] = {}
    for new in (PurePosixPath(edit.path) for edit in edits if edit.before is None):
        for part in (new, *new.parents[:-1]):
            folder = str(part.parent)
            if folder not in listed:
                going = {PurePosixPath(path).name for path in gone if str(PurePosixPath(path).parent) == folder}
                listed[folder] = {folded(name): name for name in names(folder) if name not in going}
            other = listed[folder].setdefault(folded(part.name), part.name)
            if other != part.name:
                raise Refused(
                    f"{part} and {part.parent / other} differ only in case or in composed letters",
                    hint="On many disks they are one file. Choose another name.",
                )


def folded(name: str) -> str:
    """A name as a disk that ignores case and composition sees it."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _require_current(snapshot: Snapshot, change_set: ChangeSet, before: Mapping[MemoryId, Memory]) -> None:
    """The files must be the ones that the changes were decided on."""
    for change in change_set.changes:
        if change.verb is Verb.CREATE:
            if change.memory_id in snapshot.memories:
                raise _stale(change.memory_id, snapshot.memories[change.memory_id].place.path, "exists already")
        elif change.digest is not None and change.memory_id in snapshot.memories:
            path = snapshot.memories[change.memory_id].place.path
            memory = before.get(change.memory_id)
            if memory is None:
                raise _stale(change.memory_id, path, "is no longer there")
            if memory.digest != change.digest:
                raise _stale(change.memory_id, path, f"has changed since this was decided (now {memory.digest[:12]})")


def _stale(id: MemoryId, path: str, fact: str) -> StaleDecision:
    return StaleDecision(f"{path}: {id} {fact}", hint="Run the command again to decide on what is there now.")


def _require_on_the_same_bytes(snapshot: Snapshot, edits: Sequence[FileEdit]) -> None:
    going = {(folded(edit.path), edit.before) for edit in edits if edit.after is None}
    for edit in edits:
        current = snapshot.reading.digest(edit.path)
        is_renamed = edit.before is None and (folded(edit.path), current) in going
        if current != edit.before and not is_renamed:
            raise changed_on_disk(edit.path, edit.before, current)


def changed_on_disk(path: str, expected: Digest | None, current: Digest | None) -> ChangedOnDisk:
    """The error for a file that is not the one that was read."""
    fact = "is gone" if current is None else "is already there" if expected is None else "was changed by somebody else"
    return ChangedOnDisk(f"{path} {fact}", hint="Nothing was changed. Look at the file, then run the command again.")


def _united(encoded: Iterable[FileEdit], given: Iterable[FileEdit]) -> tuple[FileEdit, ...]:
    """Edits by the layout and edits that the set brought along; one file cannot have two different ones."""
    edits: dict[str, FileEdit] = {}
    for edit in (*encoded, *given):
        if edits.setdefault(edit.path, edit).after != edit.after:
            raise SelfCheckFailed(f"{edit.path} would be written twice", hint="Nothing was written. Please report it.")
    return tuple(edits.values())


def _self_check(snapshot: Snapshot, change_set: ChangeSet, edits: Sequence[FileEdit]) -> None:
    """The tree about to be left, decoded, must be the old one plus the changes.

    Over the files that are touched: all others keep their bytes. Files that the set edits directly say themselves
    what they become; changes to memories in them are only for people and guards.
    """
    given = {edit.path for edit in change_set.edits}
    paths = (snapshot.paths_of(change_set.memory_ids) | {edit.path for edit in edits}) - given
    after = snapshot.after(edits)
    elsewhere = snapshot.decoded(given) | after.decoded(given)
    changes = [change for change in change_set.changes if change.memory_id not in elsewhere]
    require_same(applied(snapshot.decoded(paths), changes), after.decoded(paths))


def real(snapshot: Snapshot, edits: Iterable[FileEdit]) -> tuple[FileEdit, ...]:
    """The edits that change something."""
    return tuple(edit for edit in edits if snapshot.reading.at(edit.path) != edit.after)
