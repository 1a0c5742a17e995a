"""The one place where decided changes become files: `Store`.

    lock → recover → re-read → compare digests → layout.admits → guards → layout.encode → self-check
         → layout.reindex → journal intent, with images → stage → place → journal done → unlock → git → Receipt

Nothing is written before everything has been checked, and what was written is taken back when the rest fails:
no receipt, no change.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from memtend.change import ChangeSet, FileEdit
from memtend.errors import NotFound, OutsideStore, UnusableInput
from memtend.layouts import Layout, Usage
from memtend.memory import Memory, MemoryId
from memtend.store.atomic import Disk, disk_refusals
from memtend.store.files import OWN_FOLDER, Files, Step, no_step
from memtend.store.git import Git
from memtend.store.journal import Journal, Pruned, State
from memtend.store.lock import WAIT_SECONDS, StoreLock
from memtend.store.pending import Pending
from memtend.store.plan import later, merged, plan_edits, plan_pages, plan_usage, real, rebased
from memtend.store.receipt import CommitResult, CommitStatus, Receipt, commit_message
from memtend.store.record import Record, stamp
from memtend.store.recover import Recovered, recover
from memtend.store.snapshot import Catalogue, Contents, Reading, Snapshot, find, read_all, take_snapshot
from memtend.store.undo import plan_undo, record_to_undo, require_last, undone
from memtend.store.write import Plan, Writer

Decide = Callable[[Sequence[Memory]], ChangeSet]
"""Says under the lock what is to change, from the memories as they are then; as the catalogue gives them."""
Known = Callable[[], Mapping[MemoryId, Usage]]
"""Gives totals of usage that are known outside the files. Called under the lock, once the catalogue has been."""


class Store:
    """A folder of memories that keeps its word: what was there before can be brought back.

    One value may be used by several threads; each call stands for itself. A call that writes waits for the
    store's lock, so it must not be made from within `catalogue`.
    """

    def __init__(
        self,
        root: Path,
        layout: Layout,
        *,
        catalogue: Catalogue | None = None,
        step: Step = no_step,
        wait_seconds: float = WAIT_SECONDS,
        git: Git | None = None,
    ) -> None:
        """A store at `root`, which need not exist yet.

        `catalogue` spares reading every file for the derived pages. `step` is told of every touch of the disk
        before it happens and may raise, which is how tests let a disk fail.
        """
        self.root = root
        self.layout = layout
        self._catalogue = catalogue
        self._git = git or Git()
        self._own = root / OWN_FOLDER
        self._files = Files(root, step)
        self._disk = Disk(self._own / "tmp", step)
        self._lock = StoreLock(self._own, wait_seconds)
        self._pending = Pending(root, self._own / "pending")
        self.journal = Journal(self._own / "journal", self._disk)

    # Reading

    def read(self) -> Contents:
        """All files, memories and problems. Raises NotFound, UnreadableStore (never an empty answer instead)."""
        return read_all(self._files, self.layout)

    def paths(self) -> tuple[str, ...]:
        """The files that hold memories, sorted. Raises NotFound, UnreadableStore."""
        return tuple(path for path in find(self._files, self.layout).paths if self.layout.claims(path))

    def read_file(self, path: str) -> bytes:
        """The bytes of one file. Raises OutsideStore, NotFound, UnreadableStore."""
        data = self._files.read(path)
        if data is None:
            raise NotFound(f"There is no file {path} in {self.root}", hint="Paths are from the store's root.")
        return data

    def log(self, *, with_bookkeeping: bool = False) -> tuple[Receipt, ...]:
        """What was done, newest last. Damaged records are left out; `findings` names them."""
        records = self.journal.history().records
        undone_by = undone(records)
        return tuple(
            _receipt(record, undone_by=undone_by.get(record.id))
            for record in records
            if with_bookkeeping or not record.is_bookkeeping
        )

    def plan_undo(self, receipt_id: str | None = None) -> Receipt:
        """The receipt that `undo` would take back. Raises NotFound, LaterChange, Refused as it would."""
        records = self.journal.history().records
        target = record_to_undo(records, receipt_id)
        require_last(target, records)
        return _receipt(target)

    @property
    def has_history(self) -> bool:
        """Whether anything was ever written here: a folder of memories that others made has no journal yet."""
        return self.journal.is_there

    @property
    def is_being_written(self) -> bool:
        """Whether somebody holds the lock at this moment."""
        return self._lock.is_held()

    # Writing

    def create(self, *, now: datetime, session: str = "") -> Receipt:
        """Make an empty store: those files of the layout's skeleton that are not there yet."""
        with disk_refusals():
            self._disk.make_folders([self.root])
        with self._writing(now) as recovered:
            reading = Reading(self._files.read)
            plan = Plan(
                edits=tuple(edit for edit in self.layout.skeleton(now) if reading.at(edit.path) is None),
                reading=reading,
                session=session,
                note="a new store",
                is_bookkeeping=True,
            )
            return self._write([plan], now, recovered)

    def plan_create(self, *, now: datetime) -> Receipt:
        """What `create` would make, as a receipt without a name. Writes nothing."""
        paths = (edit.path for edit in self.layout.skeleton(now) if not (self.root / edit.path).exists())
        return Receipt(id="", at=stamp(now), note="a new store", paths=tuple(paths))

    def apply(
        self,
        change_set: ChangeSet | Decide,
        *,
        now: datetime,
        session: str = "",
        allow_large: bool = False,
        commit: bool = True,
        usage: Mapping[MemoryId, Usage] | Known | None = None,
    ) -> Receipt:
        """Do all of a change set or none of it, and bring the derived pages up to date.

        `usage` has totals that are known outside the files; they are written down as bookkeeping beside the set
        and never stand in the way of an undo. An empty set brings usage and derived pages up to date; one that is
        decided under the lock and empty does nothing, and its receipt has no name.

        Raises StaleDecision, ChangedOnDisk, Locked; Refused, GuardTripped, OutsideStore; UnreadableStore,
        NewerFormat, SelfCheckFailed, Integrity; what deciding raises. Nothing was changed then.
        """
        with self._writing(now) as recovered:
            found = self._snapshot()
            if not isinstance(change_set, ChangeSet):
                change_set = change_set(list(found.memories.values()))
                if not (change_set.changes or change_set.edits):
                    return Receipt(id="", at=stamp(now))
            upkeep, left = self._upkeep(found, usage, change_set, now, session)
            base = found.after(upkeep.edits)
            edits = plan_edits(base, rebased(change_set, found, base), now, allow_large=allow_large)
            pages, warnings = self._pages(base.after(edits), now)
            main = Plan(
                edits=merged(edits, pages),
                reading=base.reading,
                session=session,
                note=change_set.note,
                verbs=Counter(str(change.verb) for change in change_set.changes),
                memories=change_set.memory_ids,
            )
            if not edits:
                main = replace(main, note="derived pages", verbs={}, memories=(), is_bookkeeping=True)
            receipt = self._write([upkeep, main], now, recovered, warnings, left)
        return self._committed(receipt, commit)

    def undo(
        self,
        receipt_id: str | None = None,
        *,
        now: datetime,
        session: str = "",
        commit: bool = True,
        usage: Mapping[MemoryId, Usage] | Known | None = None,
    ) -> Receipt:
        """Take back what a receipt did, or the latest that is neither an undo nor undone; usage is kept.

        An undo is a change like any other: it has a receipt, and undoing that brings the change back.

        Raises NotFound, LaterChange naming the later receipt, ChangedOnDisk naming the file that somebody else
        changed, Refused where its contents were erased on request, DamagedJournal where they are lost; and what
        `apply` raises for lock and disk. Nothing was changed then.
        """
        if not self.has_history:  # then it is refused, and no folder for a lock is made first
            record_to_undo((), receipt_id)
        with self._writing(now) as recovered:
            records = self.journal.history().records
            target = record_to_undo(records, receipt_id)
            require_last(target, records)
            found = self._snapshot()
            upkeep, left = self._upkeep(found, usage, ChangeSet(), now, session)
            base = found.after(upkeep.edits)
            edits, pages, warnings = self._taken_back(target, base, now)
            main = Plan(
                edits=merged(edits, pages),
                reading=base.reading,
                session=session,
                note=f"undo of {target.id}" + (f": {target.note}" if target.note else ""),
                verbs={"undo": len(target.memories)},
                memories=target.memories,
                undoes=target.id,
                modes={edit.path: edit.mode for edit in target.edits if edit.mode is not None},
            )
            receipt = self._write([upkeep, main], now, recovered, warnings, left)
        return self._committed(receipt, commit)

    def jot(self, edits: Iterable[FileEdit], *, now: datetime, session: str = "", note: str = "") -> Receipt:
        """Write files that are no memories, as bookkeeping: no page is brought up to date, nothing to be undone.

        Raises ChangedOnDisk where a file is not as the edit expects it, and what `apply` raises for lock and disk.
        """
        with self._writing(now) as recovered:
            plan = Plan(
                edits=tuple(replace(edit, derived=True) for edit in edits),
                reading=Reading(self._files.read),
                session=session,
                note=note,
                is_bookkeeping=True,
            )
            return self._write([plan], now, recovered)

    def recover(self, *, now: datetime) -> Recovered:
        """Take back what an interrupted writer left. Cheap, and without the lock, where there is nothing."""
        if not self.journal.history(State.INTENT).records:
            return Recovered()
        with self._writing(now) as recovered:
            return recovered

    def prune(self, before: datetime, *, now: datetime) -> Pruned:
        """Erase what the journal knows of the time before; that can then no longer be undone."""
        if not self.has_history:
            return Pruned(0, 0)
        with self._writing(now), disk_refusals():
            return self.journal.prune(before)

    def scrub(self, holds: Callable[[bytes], bool], *, now: datetime) -> tuple[str, ...]:
        """Erase from the journal every file content for which `holds` is true; the receipts concerned.

        They stay in the log, without content, and cannot be undone. Git's history is git's.
        """
        if not self.has_history:
            return ()
        with self._writing(now), disk_refusals():
            return self.journal.scrub(holds)

    # The steps of a write

    @contextmanager
    def _writing(self, now: datetime) -> Iterator[Recovered]:
        """Hold the lock of a store in which nothing is half done."""
        if now.tzinfo is None:
            raise UnusableInput(f"{now.isoformat()} has no time zone", hint="Give the time in UTC.")
        if not self.root.is_dir():
            raise NotFound(f"There is no store at {self.root}", hint="`memtend init` makes one.")
        with disk_refusals():
            self._make_own_folder()
        with self._lock.hold(now):
            with disk_refusals():
                recovered = recover(self._files, self._disk, self.journal)
            yield recovered

    def _make_own_folder(self) -> None:
        if self._own.is_symlink():
            raise OutsideStore(f"{OWN_FOLDER} is a link", hint="memtend keeps its journal inside the store.")
        self._disk.make_folders([self._own / "tmp"])
        ignore = self._own / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")

    def _snapshot(self) -> Snapshot:
        return take_snapshot(self._files, self.layout, self._catalogue)

    def _upkeep(
        self,
        found: Snapshot,
        given: Mapping[MemoryId, Usage] | Known | None,
        decided: ChangeSet,
        now: datetime,
        session: str,
    ) -> tuple[Plan, tuple[MemoryId, ...]]:
        """The plan that writes usage down, pages too, and the memories for which it cannot.

        What is given, and what only the pages know of memories that change. A plan of its own: undoing the set
        must not take usage away.
        """
        wanted = dict(given() if callable(given) else given or {})
        in_pages = self.layout.usage(found.pages()) if decided.changes else {}
        for id in decided.memory_ids:
            if id in in_pages:
                known = wanted.get(id, Usage(0, ""))
                wanted[id] = Usage(max(known.times, in_pages[id].times), later(known.last, in_pages[id].last))
        used = plan_usage(found, wanted, now)
        pages = self._pages(found.after(used.edits), now)[0] if used.edits else ()
        plan = Plan(
            edits=merged(used.edits, pages),
            reading=found.reading,
            session=session,
            note="usage",
            verbs=Counter(str(change.verb) for change in used.changes),
            memories=tuple(change.memory_id for change in used.changes),
            is_bookkeeping=True,
        )
        return plan, used.left

    def _pages(self, after: Snapshot, now: datetime) -> tuple[tuple[FileEdit, ...], tuple[str, ...]]:
        """The edits of the derived pages; none, with a warning, where they would forget what could not be read."""
        if after.is_complete:
            return plan_pages(after, now), ()
        return (), ("a file cannot be read, so the derived pages were left as they are; `memtend check` names it",)

    def _taken_back(
        self, target: Record, base: Snapshot, now: datetime
    ) -> tuple[tuple[FileEdit, ...], tuple[FileEdit, ...], tuple[str, ...]]:
        """The edits of files, those of derived pages, and warnings, that take a record back."""
        back = plan_undo(target, base, self.journal)
        edits = real(base, back.edits)
        restored = {page.path for page in back.pages}
        if back.is_exact and restored == {edit.path for edit in target.edits if edit.derived}:
            return edits, back.pages, ()
        made, warnings = self._pages(base.after([*edits, *back.pages]), now)
        return edits, (*back.pages, *(page for page in made if page.path not in restored)), warnings

    def _write(
        self,
        plans: Iterable[Plan],
        now: datetime,
        recovered: Recovered,
        warnings: Iterable[str] = (),
        usage_left: tuple[MemoryId, ...] = (),
    ) -> Receipt:
        """Write the plans that have edits; the receipt is that of the last one, with the paths of all."""
        writer = Writer(self._files, self._disk, self.journal)
        plans = [plan for plan in plans if plan.edits]
        for plan in plans:
            writer.require_proper_paths(plan)
        records = [writer.write(plan, now) for plan in plans]
        paths = sorted({edit.path for record in records for edit in record.edits})
        receipt = _receipt(records[-1]) if records else Receipt(id="", at=stamp(now))
        return replace(receipt, paths=tuple(paths), warnings=(*recovered.warnings, *warnings), usage_left=usage_left)

    def _committed(self, receipt: Receipt, is_wanted: bool) -> Receipt:
        """The receipt with what became of its commit. Files that an earlier commit left waiting come along."""
        if not is_wanted or not receipt.id:
            reason = "switched off" if receipt.id else "nothing was written"
            return replace(receipt, git=CommitResult(CommitStatus.OFF, reason))
        self._pending.add(receipt.id, receipt.paths)
        waiting = self._pending.lists()
        paths = set(receipt.paths).union(*waiting.values())
        result = self._git.commit(self.root, paths, commit_message(receipt))
        if not result.is_pending:
            self._pending.drop(waiting)
        return replace(receipt, git=result)


def _receipt(record: Record, undone_by: str | None = None) -> Receipt:
    return Receipt(
        id=record.id,
        at=record.at,
        note=record.note,
        session=record.session,
        verbs=dict(record.verbs),
        memory_ids=record.memories,
        paths=tuple(sorted(edit.path for edit in record.edits)),
        undoes=record.undoes,
        undone_by=undone_by,
        is_bookkeeping=record.is_bookkeeping,
        is_erased=record.is_erased,
    )
