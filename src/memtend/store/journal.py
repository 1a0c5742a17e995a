"""What was done to a store, with the bytes before and after (docs/internals/journal.md).

An apply is first written down as an *intent*, its images on the disk; then the files change; then the intent
is renamed to what is *done*. An intent found without a writer is a write that was interrupted: it is taken
back and kept as *void*. Every record is a file of its own, so a damaged one harms no other.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from memtend.errors import DamagedJournal, NewerFormat, UnreadableStore
from memtend.layouts import Problem
from memtend.memory import Digest, digest_of
from memtend.store.atomic import Disk, New
from memtend.store.record import Record, parse_record, render_record, stamp


class State(StrEnum):
    """How far the apply behind a record came."""

    INTENT = "intent"
    DONE = "done"
    VOID = "void"


class Entry(NamedTuple):
    """A file of the journal by its name: `000042.r-20260630-101500-4f2a[.intent|.void].json`."""

    seq: int
    id: str
    state: State
    time: str
    file: Path


class History(NamedTuple):
    """Records in the order they were made, and what is wrong with those that could not be read."""

    records: tuple[Record, ...]
    problems: tuple[Problem, ...]


class Pruned(NamedTuple):
    """How much went from the journal."""

    records: int
    images: int


class Journal:
    """The journal in one folder. Only the holder of the store's lock may call what writes."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self._folder = folder
        self._objects = folder / "objects"
        self._disk = disk

    @property
    def is_there(self) -> bool:
        """Whether a journal was ever begun."""
        return self._folder.is_dir()

    def history(self, state: State = State.DONE) -> History:
        """All records in that state. What is damaged or from a newer memtend is a problem, not an error."""
        records, problems = [], []
        for entry in self._entries():
            if entry.state is state:
                try:
                    records.append(self._read(entry))
                except (DamagedJournal, NewerFormat) as fault:
                    problems.append(Problem(fault.code, "error", self._shown(entry.file), fault.message))
        return History(tuple(records), tuple(problems))

    def strangers(self) -> tuple[Problem, ...]:
        """Files that lie in the journal and are none of its records."""
        files = sorted(self._folder.iterdir()) if self._folder.is_dir() else []
        return tuple(
            Problem("damaged-journal", "error", self._shown(file), f"{file.name} is no record of the journal")
            for file in files
            if file != self._objects and _entry(file) is None
        )

    def require_known_format(self) -> None:
        """Raise NewerFormat where a newer memtend was here last, for it may rely on what we would not keep."""
        entries = self._entries()
        for entry in reversed(entries):
            with suppress(DamagedJournal):
                self._read(entry)
                if entry.state is not State.INTENT:
                    return

    def numbered(self, record: Record) -> Record:
        """The record with the next number, and an id that no other has: its time and a few hex digits."""
        entries = self._entries()
        seq = entries[-1].seq + 1 if entries else 1
        taken = {entry.id for entry in entries}
        digits = "".join(filter(str.isdigit, record.at))
        seed = render_record(replace(record, seq=seq))
        while (id := f"r-{digits[:8]}-{digits[8:]}-{sha256(seed).hexdigest()[:4]}") in taken:
            seed += b"+"
        return replace(record, seq=seq, id=id)

    def begin(self, record: Record, images: Iterable[bytes]) -> None:
        """Write down what is about to be done, and wait until it is safe on the disk. Raises OSError."""
        self._keep(images)
        self._disk.write(self._file(record, State.INTENT), render_record(record))

    def finish(self, record: Record) -> None:
        """All files are as the record says. Raises OSError."""
        self._move(record, State.DONE)

    def void(self, record: Record) -> None:
        """The files are as they were before the record. Raises OSError."""
        self._move(record, State.VOID)

    def image(self, digest: Digest) -> bytes:
        """The contents with this digest. Raises DamagedJournal where they are missing or not whole."""
        try:
            data = zlib.decompress(self._object(digest).read_bytes())
        except (OSError, zlib.error) as fault:
            raise _lost(digest, str(fault)) from fault
        if digest_of(data) != digest:
            raise _lost(digest, "not the bytes that were kept")
        return data

    def prune(self, before: datetime) -> Pruned:
        """Erase the oldest records, up to the first one made at `before` or later, and images that only they use."""
        limit = stamp(before)
        entries = self._entries()
        going = list(takewhile(lambda entry: entry.state is not State.INTENT and entry.time < limit, entries))
        unused, _ = self._images_of(going)
        used, is_complete = self._images_of(entries[len(going) :])
        if is_complete:  # then what no record knows is left from writes that never began
            unused = set(self._digests())
        for entry in going:
            self._disk.remove(entry.file)
        for digest in unused - used:
            self._disk.remove(self._object(digest))
        return Pruned(len(going), len(unused - used))

    def scrub(self, holds: Callable[[bytes], bool]) -> tuple[str, ...]:
        """Erase every image for which `holds` is true; the ids of the records that lose one, in order.

        Their edits are marked, so that an undo can say why it refuses; a note that `holds` goes too. Images and
        records that cannot be read any more go where their raw bytes `holds`; damaged images go in any case.
        """
        going = {digest for digest, data in self._kept() if data is None or holds(data)}
        touched = [record.id for entry in self._entries() if (record := self._scrubbed(entry, going, holds))]
        for digest in going:
            self._disk.remove(self._object(digest))
        return tuple(touched)

    def _scrubbed(self, entry: Entry, going: set[Digest], holds: Callable[[bytes], bool]) -> Record | None:
        """The record as it was rewritten without what is to go; None where nothing of it goes."""
        try:
            record = self._read(entry)
        except (DamagedJournal, NewerFormat):
            if holds(entry.file.read_bytes()):
                self._disk.remove(entry.file)
            return None
        edits = tuple(
            replace(edit, is_forgotten=True) if {edit.before, edit.after} & going else edit for edit in record.edits
        )
        note = "" if holds(record.note.encode("utf-8", "surrogatepass")) else record.note
        scrubbed = replace(record, edits=edits, note=note)
        if scrubbed == record:
            return None
        self._disk.write(entry.file, render_record(scrubbed))
        return scrubbed

    def _entries(self) -> list[Entry]:
        try:
            files = list(self._folder.iterdir())
        except FileNotFoundError:
            return []
        except OSError as fault:
            raise UnreadableStore(
                f"the journal cannot be read: {fault.strerror}",
                hint=f"Give yourself the right to read {self._folder}.",
            ) from fault
        return sorted(entry for file in files if (entry := _entry(file)) is not None)

    def _read(self, entry: Entry) -> Record:
        try:
            record = parse_record(entry.file.name, entry.file.read_bytes())
        except OSError as fault:
            raise DamagedJournal(f"{entry.file.name} in the journal cannot be read: {fault.strerror}") from fault
        if (record.seq, record.id) != (entry.seq, entry.id):
            raise DamagedJournal(f"{entry.file.name} in the journal holds another record, {record.id}")
        return record

    def _keep(self, images: Iterable[bytes]) -> None:
        """Put images on the disk, those that are not there yet."""
        targets = {self._object(digest_of(data)): data for data in images}
        missing = {target: data for target, data in targets.items() if not target.exists()}
        self._disk.make_folders([self._objects, *(target.parent for target in missing)])
        staged = self._disk.stage(New(target, zlib.compress(data)) for target, data in missing.items())
        for temporary, target in zip(staged, missing, strict=True):
            self._disk.place(temporary, target)
        self._disk.settle(target.parent for target in missing)

    def _move(self, record: Record, state: State) -> None:
        self._disk.place(self._file(record, State.INTENT), self._file(record, state))
        self._disk.settle([self._folder])

    def _file(self, record: Record, state: State) -> Path:
        suffix = "" if state is State.DONE else f".{state}"
        return self._folder / f"{record.seq:06d}.{record.id}{suffix}.json"

    def _object(self, digest: Digest) -> Path:
        return self._objects / digest[:2] / digest

    def _digests(self) -> list[Digest]:
        return [Digest(file.name) for file in sorted(self._objects.glob("??/*"))]

    def _kept(self) -> Iterator[tuple[Digest, bytes | None]]:
        """Every image of the journal; None for one that is not whole."""
        for digest in self._digests():
            try:
                yield digest, self.image(digest)
            except DamagedJournal:
                yield digest, None

    def _images_of(self, entries: Iterable[Entry]) -> tuple[set[Digest], bool]:
        """The images that records use, and whether every record could be asked."""
        digests: set[Digest] = set()
        is_complete = True
        for entry in entries:
            try:
                edits = self._read(entry).edits
            except (DamagedJournal, NewerFormat):
                is_complete = False
                continue
            digests.update(digest for edit in edits for digest in (edit.before, edit.after) if digest is not None)
        return digests, is_complete

    def _shown(self, file: Path) -> str:
        return f"{self._folder.parent.name}/{self._folder.name}/{file.name}"


_NAME = re.compile(r"(\d{6,})\.(r-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-[0-9a-f]{4})(?:\.(intent|void))?\.json")


def _entry(file: Path) -> Entry | None:
    found = _NAME.fullmatch(file.name)
    if found is None:
        return None
    seq, id, year, month, day, hour, minute, second, state = found.groups()
    time = f"{year}-{month}-{day}T{hour}:{minute}:{second}Z"
    return Entry(int(seq), id, State(state or "done"), time, file)


def _lost(digest: Digest, reason: str) -> DamagedJournal:
    return DamagedJournal(
        f"the journal no longer has the contents {digest[:12]}: {reason}",
        hint="This change cannot be taken back; git may still have the file as it was.",
    )
