"""Planned edits become files: written down first, then all of them or none."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from memtend.change import FileEdit
from memtend.errors import MemtendError
from memtend.memory import MemoryId, digest_of
from memtend.store.atomic import Disk, New, refused_by_disk
from memtend.store.files import Files
from memtend.store.journal import Journal
from memtend.store.plan import changed_on_disk, folded, require_distinct
from memtend.store.record import Edit, Record, stamp
from memtend.store.recover import Recovered, recover
from memtend.store.snapshot import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Edits that belong together, and what the journal says of them."""

    edits: tuple[FileEdit, ...]
    reading: Reading
    """The files that the edits were planned on."""
    session: str = ""
    note: str = ""
    verbs: Mapping[str, int] = field(default_factory=dict)
    memories: tuple[MemoryId, ...] = ()
    undoes: str | None = None
    is_bookkeeping: bool = False
    modes: Mapping[str, int | None] = field(default_factory=dict)
    """Permission bits for files that the plan brings back."""


class Writer:
    """Writes plans into one store. The store's lock must be held."""

    def __init__(self, files: Files, disk: Disk, journal: Journal) -> None:
        self._files = files
        self._disk = disk
        self._journal = journal

    def require_proper_paths(self, plan: Plan) -> None:
        """Raise OutsideStore or Refused where a file of the plan cannot be what it is to be called."""
        for edit in plan.edits:
            self._files.at(edit.path)
        require_distinct(plan.edits, self._files.names)

    def write(self, plan: Plan, now: datetime) -> Record:
        """Write the plan's files, all or none, and return the record of it.

        Raises ChangedOnDisk where a file is no longer the one that was planned on, Integrity where the disk
        refuses. The files are then as they were before.
        """
        record = self._journal.numbered(self._record(plan, now))
        try:
            self._carry_out(record, plan)
        except (MemtendError, KeyboardInterrupt):
            self._take_back()
            raise
        except OSError as fault:
            raise refused_by_disk(fault, _outcome(self._take_back())) from fault
        return record

    def _record(self, plan: Plan, now: datetime) -> Record:
        edits = tuple(
            Edit(
                edit.path,
                edit.before,
                None if edit.after is None else digest_of(edit.after),
                edit.derived,
                self._files.mode(edit.path),
            )
            for edit in plan.edits
        )
        return Record(
            id="",
            seq=0,
            at=stamp(now),
            session=plan.session,
            note=plan.note,
            verbs=dict(plan.verbs),
            memories=plan.memories,
            edits=edits,
            undoes=plan.undoes,
            is_bookkeeping=plan.is_bookkeeping,
        )

    def _carry_out(self, record: Record, plan: Plan) -> None:
        befores = (plan.reading.at(edit.path) for edit in plan.edits if edit.before is not None)
        afters = (edit.after for edit in plan.edits)
        self._journal.begin(record, (image for image in (*befores, *afters) if image is not None))
        targets = {edit.path: self._files.at(edit.path) for edit in plan.edits}
        made = {edit.path: edit.after for edit in plan.edits if edit.after is not None}
        self._disk.make_folders(targets[path].parent for path in made)
        news = (New(targets[path], data, plan.modes.get(path)) for path, data in made.items())
        staged = dict(zip(made, self._disk.stage(news), strict=True))
        for edit in _in_order(plan.edits):
            self._require_unchanged(edit)
            if edit.after is None:
                self._disk.remove(targets[edit.path])
            else:
                self._disk.place(staged[edit.path], targets[edit.path])
        self._disk.settle(target.parent for target in targets.values() if target.parent.is_dir())
        self._journal.finish(record)

    def _require_unchanged(self, edit: FileEdit) -> None:
        """An editor asks for no lock: look once more just before its file is replaced."""
        data = self._files.read(edit.path)
        current = None if data is None else digest_of(data)
        if current != edit.before:
            raise changed_on_disk(edit.path, edit.before, current)

    def _take_back(self) -> Recovered | None:
        """Undo what was begun; None where that fails too and has to wait for the next writer."""
        with suppress(OSError, MemtendError):
            return recover(self._files, self._disk, self._journal)
        return None


def _in_order(edits: tuple[FileEdit, ...]) -> list[FileEdit]:
    """New bytes before removals, so that what moves is seen twice rather than not at all; derived pages last.

    A file that only changes the case of its name goes first: on some disks the two names are one.
    """
    made = {folded(edit.path) for edit in edits if edit.before is None}

    def rank(edit: FileEdit) -> int:
        if edit.after is None and folded(edit.path) in made:
            return 0
        return 3 if edit.derived else 2 if edit.after is None else 1

    return sorted(edits, key=rank)


def _outcome(taken_back: Recovered | None) -> str:
    if taken_back is None:
        return "What was begun is taken back before the next write; `memtend check` shows it until then."
    return " ".join(["Nothing was changed.", *taken_back.warnings[1:]])
