"""distill-log.json of one vault: what is noted there, and what becomes of an entry when its change is undone."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from memtend.change import FileEdit
from memtend.distill import log
from memtend.errors import DamagedJournal, MemtendError, NotFound
from memtend.layouts import Problem
from memtend.memory import Digest, digest_of
from memtend.store.receipt import Receipt

if TYPE_CHECKING:
    from memtend.workspace import Workspace


class DistillLog:
    """The log of a vault."""

    def __init__(self, workspace: "Workspace") -> None:
        self._workspace = workspace

    def edit(self, operation: log.Operation) -> FileEdit:
        """The edit that adds an operation, to go with the change set. Raises NewerFormat."""
        data = self._read()
        return FileEdit(log.LOG, _digest(data), log.appended(data, operation), derived=True)

    def jot(self, operation: log.Operation) -> str:
        """Note an operation that changed no memory, unless it says nothing new; what stood in the way."""
        try:
            if not _is_told(log.operations(self._read()), operation):
                self._write(self.edit(operation))
        except MemtendError as fault:
            return f"{log.LOG} was left as it is: {fault.message}"
        return ""

    def follow(self, receipt: Receipt) -> str:
        """Bring the log in line with an undo: an entry is there while its change stands. What stood in the way.

        Where the log is as the change left it, the undo has given it its bytes back already.
        """
        try:
            found = self._entry_behind(receipt)
            if found is not None:
                self._set(*found)
        except MemtendError as fault:
            return f"{log.LOG} was left as it is: {fault.message}"
        return ""

    def faults(self) -> Iterator[Problem]:
        """What is wrong with the log; what it holds is kept and passed over whatever it is."""
        damage = log.damage(self._read())
        if damage:
            yield Problem("distill-log", "warning", log.LOG, damage)

    def _entry_behind(self, receipt: Receipt) -> "tuple[Mapping[str, Any], bytes | None, bool] | None":
        """The entry of the change that an undo, or an undo of an undo, is about; its log; whether it stands now."""
        receipts = {known.id: known for known in self._workspace.log(with_bookkeeping=True)}
        first = receipt
        while first.undoes is not None and first.undoes in receipts:
            first = receipts[first.undoes]
        journal = self._workspace.store.journal
        for record in journal.history().records:
            for edit in record.edits:
                if record.id == first.id and edit.path == log.LOG and edit.after is not None:
                    with suppress(DamagedJournal):
                        before = None if edit.before is None else journal.image(edit.before)
                        after = journal.image(edit.after)
                        entry = log.added(before, after)
                        stands = receipts[first.id].undone_by is None
                        return (entry, after, stands) if entry is not None else None
        return None

    def _set(self, entry: Mapping[str, Any], source: bytes | None, stands: bool) -> None:
        data = self._read()
        if log.has_entry(data, entry) == stands:
            return
        if stands:
            after = log.with_entry(data, entry, source)
        elif data is not None:
            after = log.without_entry(data, entry)
        self._write(FileEdit(log.LOG, _digest(data), after))

    def _read(self) -> bytes | None:
        try:
            return self._workspace.store.read_file(log.LOG)
        except NotFound:
            return None

    def _write(self, edit: FileEdit) -> None:
        workspace = self._workspace
        workspace.store.jot([edit], now=workspace.now, session=workspace.session, note="distill log")


def _is_told(operations: Sequence[Mapping[str, Any]], operation: log.Operation) -> bool:
    """Whether the last entry of the log came to the same, in the same mode and on the same day."""
    if not operations:
        return False
    last = operations[-1]
    same = last.get("type") == operation.kind and last.get("post_metrics") == dict(operation.post_metrics)
    return same and str(last.get("timestamp", ""))[:10] == operation.at.date().isoformat()


def _digest(data: bytes | None) -> Digest | None:
    return None if data is None else digest_of(data)
