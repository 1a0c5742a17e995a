"""Which receipts stand, and what taking one back means.

A record is *undone* when a record that undoes it stands, and *stands* when it is not undone; so an undo of an undo
brings a change back. Usage counts and derived pages never stand in the way.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memtend.change import FileEdit
from memtend.errors import DamagedJournal, LaterChange, NotFound, Refused
from memtend.memory import digest_of
from memtend.store.journal import Journal
from memtend.store.plan import changed_on_disk
from memtend.store.record import Edit, Record
from memtend.store.snapshot import Snapshot


def undone(records: Sequence[Record]) -> dict[str, str]:
    """The id of every undone record, with that of the record that undid it. Records are in order of `seq`."""
    found: dict[str, str] = {}
    for record in reversed(records):  # an undo comes after what it undoes, so whether it stands is known by then
        if record.undoes is not None and record.id not in found:
            found.setdefault(record.undoes, record.id)
    return found


def record_to_undo(records: Sequence[Record], receipt_id: str | None) -> Record:
    """The record with that id, or the latest that is neither an undo nor undone nor bookkeeping.

    Raises NotFound, LaterChange where it is undone already, Refused where it is bookkeeping, or where the latest one
    cannot be undone: an earlier one is then named and never taken in its place.
    """
    undone_by = undone(records)
    if receipt_id is None:
        return _latest(records, undone_by)
    chosen = next((record for record in records if record.id == receipt_id), None)
    if chosen is None:
        raise NotFound(f"There is no receipt {receipt_id!r}", hint="`memtend log` shows the receipts.")
    if receipt_id in undone_by:
        again = undone_by[receipt_id]
        raise LaterChange(f"{receipt_id} is undone already, by {again}", hint=f"`memtend undo {again}` brings it back.")
    if chosen.is_bookkeeping:
        raise Refused(f"{receipt_id} only wrote down usage or derived pages", hint="There is nothing to take back.")
    return chosen


def _latest(records: Sequence[Record], undone_by: Mapping[str, str]) -> Record:
    """The latest record that stands. Raises NotFound, Refused where its contents were erased on request."""
    standing = [
        record
        for record in reversed(records)
        if record.undoes is None and record.id not in undone_by and not record.is_bookkeeping
    ]
    if not standing:
        undos = [record.id for record in records if record.undoes is not None and record.id not in undone_by]
        again = f" `memtend undo {undos[-1]}` takes back the last undo." if undos else ""
        raise NotFound("There is nothing to undo", hint=f"`memtend log` shows what was done.{again}")
    if standing[0].is_erased:
        earlier = next((record for record in standing if not record.is_erased), None)
        what = f" ({standing[0].note})" if standing[0].note else ""
        raise Refused(
            f"The latest, {standing[0].id}{what}, cannot be undone: what it held was erased from the journal"
            " on request",
            hint=f"Undo {earlier.id} by its name to take back the one before it."
            if earlier
            else "There is nothing before it that can be undone.",
        )
    return standing[0]


def require_last(target: Record, records: Sequence[Record]) -> None:
    """Raise LaterChange where a later record that still counts touched a file of this one."""
    mine = {edit.path for edit in target.edits if not edit.derived}
    for record in _later(target, records):
        shared = sorted(mine & {edit.path for edit in record.edits if not edit.derived})
        if shared:
            raise LaterChange(
                f"{record.id} has changed {shared[0]} after {target.id}",
                hint=f"Undo that first: `memtend undo {record.id}`. Nothing was changed.",
            )


def _later(target: Record, records: Sequence[Record]) -> Iterator[Record]:
    """Records after the target whose effect is still there, newest first.

    An undo of something later than the target cancels it, and neither counts.
    """
    undone_by = undone(records)
    numbers: Mapping[str, int] = {record.id: record.seq for record in records}
    for record in reversed(records):
        if record.seq <= target.seq:
            return
        cancels = record.undoes is not None and numbers.get(record.undoes, 0) > target.seq
        if record.id not in undone_by and not cancels and not record.is_bookkeeping:
            yield record


class Undo(NamedTuple):
    """The edits that take a record back: of files, and of derived pages that can get their exact bytes again."""

    edits: tuple[FileEdit, ...]
    pages: tuple[FileEdit, ...]
    is_exact: bool
    """Whether every file gets exactly the bytes that it had, so that untouched pages fit again."""


def plan_undo(target: Record, snapshot: Snapshot, journal: Journal) -> Undo:
    """What takes a record back, usage kept.

    Raises ChangedOnDisk where a file is not as the record left it, Refused where its contents were erased on
    request, DamagedJournal where they are lost.
    """
    mine = [edit for edit in target.edits if not edit.derived]
    edits = [_taken_back(edit, target, snapshot, journal) for edit in mine]
    images = [edit.before for edit in mine]
    is_exact = all(_digest(edit) == image for edit, image in zip(edits, images, strict=True))
    pages = [_page_back(edit, snapshot, journal) for edit in target.edits if edit.derived and is_exact]
    return Undo(tuple(edits), tuple(page for page in pages if page is not None), is_exact)


def _taken_back(edit: Edit, target: Record, snapshot: Snapshot, journal: Journal) -> FileEdit:
    if edit.is_forgotten:
        raise Refused(
            f"{target.id} cannot be undone: what {edit.path} held was erased from the journal on request",
            hint="Nothing was changed.",
        )
    current = snapshot.reading.at(edit.path)
    before = None if edit.before is None else journal.image(edit.before)
    digest = snapshot.reading.digest(edit.path)
    if digest == edit.after:
        return FileEdit(edit.path, digest, before)
    after = None if edit.after is None else journal.image(edit.after)
    if current is None or after is None or snapshot.layout.carry_usage(current, after) != current:
        raise changed_on_disk(edit.path, edit.after, digest)
    return FileEdit(edit.path, digest, None if before is None else snapshot.layout.carry_usage(current, before))


def _page_back(edit: Edit, snapshot: Snapshot, journal: Journal) -> FileEdit | None:
    """The exact bytes for a page that still is as the record left it; None where it has to be made anew."""
    if edit.is_forgotten or snapshot.reading.digest(edit.path) != edit.after:
        return None
    try:
        before = None if edit.before is None else journal.image(edit.before)
    except DamagedJournal:
        return None
    return FileEdit(edit.path, edit.after, before, derived=True)


def _digest(edit: FileEdit) -> str | None:
    return None if edit.after is None else digest_of(edit.after)
