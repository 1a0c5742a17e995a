"""A category memory and everything that can be done with it (category spec).

`CategoryWorkspace` has a verb for each action of the command line. What changes files comes in two steps: `plan_…`
proposes, `apply` does what was accepted, as one change that can be undone. A verb without `plan_` does both, and takes
`accepted=True` for a yes given in advance.
"""

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtend.change import Change, ChangeSet, Verb
from memtend.errors import NeedsConfirmation, UnusableInput
from memtend.layouts.category import paths
from memtend.layouts.category.additions import New
from memtend.layouts.category.compact import Options, plan
from memtend.layouts.category.layout import CategoryLayout
from memtend.layouts.category.sync import day_of
from memtend.memory import MemoryId
from memtend.review import Action, Decision, Proposal, Reviewer, answered
from memtend.workspace.category import reading
from memtend.workspace.category import search as finding
from memtend.workspace.category.answers import CategoryPlan, Done, Listed, SearchedEntries
from memtend.workspace.category.at_once import Draft, addition, missing_rows
from memtend.workspace.category.folder import file_edits, find_root, read_folder, remove_empty_folders
from memtend.workspace.category.work import REFRESH_HOURS, Drafted, Planner, Work
from memtend.workspace.clock import Clock, now_of
from memtend.workspace.place import OWN_FOLDER, has_open_write, require_folder

if TYPE_CHECKING:
    from memtend.layouts import Problem
    from memtend.layouts.category.by_model import Model
    from memtend.layouts.category.folder import Edits, Folder
    from memtend.memory import Memory
    from memtend.store.apply import Decide, Store
    from memtend.store.files import Step
    from memtend.store.receipt import Receipt


class CategoryWorkspace:
    """One category memory on the disk.

    `clock` says what time it is. With `commit` every change is committed alone, where the memory lies in a git
    repository. `model` writes summaries where it is given; its answers are checked, and nothing needs it. `planner`
    plans compactions; whatever it plans must pass the nine checks. `notice` gets every receipt of a change.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        clock: Clock = now_of,
        session: str = "",
        commit: bool = False,
        model: "Model | None" = None,
        planner: Planner = plan,
        step: "Step | None" = None,
        notice: "Callable[[Receipt], None] | None" = None,
    ) -> None:
        self.root = Path(root)
        self.session = session
        self.commit = commit
        self._clock = clock
        self._model = model
        self._planner = planner
        self._step = step
        self._notice = notice
        self._held: Work | None = None
        self._is_whole = False

    @classmethod
    def open(
        cls, root: str | None = None, start: str | os.PathLike[str] | None = None, **options: Any
    ) -> "CategoryWorkspace":
        """The memory that was named, else the nearest one upwards of `start`. Raises NotFound."""
        return cls(find_root(root, start), **options)

    @classmethod
    def create(
        cls, root: str | os.PathLike[str], *, dry_run: bool = False, **options: Any
    ) -> "tuple[CategoryWorkspace, Receipt]":
        """Lay down what a memory at `root` lacks, and open it. What is there stays as it is. Raises UnusableInput."""
        require_folder(str(root))
        workspace = cls(root, **options)
        if dry_run:
            return workspace, workspace.store.plan_create(now=workspace.now)
        return workspace, workspace.store.create(now=workspace.now, session=workspace.session)

    @property
    def now(self) -> datetime:
        """The present, in UTC."""
        return self._clock().astimezone(UTC)

    @property
    def store(self) -> "Store":
        """The only thing that writes the memory's files."""
        return self._store(CategoryLayout(syncs=True))

    def _store(self, layout: CategoryLayout, *, knows_edits: bool = False) -> "Store":
        """A store. What it applies as edits of files it need not compare with every memory there is."""
        from memtend.store.apply import Store
        from memtend.store.files import no_step

        catalogue = _nothing if knows_edits else None
        return Store(self.root, layout, catalogue=catalogue, step=self._step or no_step)

    def folder(self) -> "Folder":
        """The memory as it is now; what an interrupted writer left is put right first, where that can be done."""
        if not self._is_whole and has_open_write(str(self.root / OWN_FOLDER)):
            from memtend.workspace.interrupted import take_back

            take_back(self.store, self.now)
        self._is_whole = True
        return read_folder(self.root)

    @property
    def _work(self) -> Work:
        """Who proposes and drafts. What was planned today need not be planned again to be applied."""
        now = self.now
        if self._held is None or day_of(self._held.now) != day_of(now):
            self._held = Work(now, self._planner, self._model)
        return self._held

    # Questions

    def list(self, category: str = "") -> Listed:
        """The categories with files, entries, tokens and what could be compacted; the archives; a category's files."""
        return reading.listed(self.folder(), self.root, self.now, category)

    def search(
        self,
        query: str = "",
        *,
        category: str = "",
        tags: Sequence[str] = (),
        since: str = "",
        neighbours: str = "",
        archived: bool = False,
        limit: int = finding.LIMIT,
    ) -> SearchedEntries:
        """Entries by their text, their metadata, or as the neighbours of one id. Raises Usage, UnknownMemory."""
        wanted = finding.Scope(category, tuple(tags), since, archived, neighbours, limit)
        return finding.searched(self.folder(), self.root, query, wanted, self.now)

    def check(self) -> "tuple[Problem, ...]":
        """What is wrong: index against files, markers, links, sizes, archives, the journal. Changes nothing."""
        return reading.checked(self.folder(), self._store(CategoryLayout()), self.now)

    # Proposals

    def plan_compact(
        self,
        category: str = "",
        *,
        tags: Sequence[str] = (),
        task: str = "",
        pressure: bool = False,
        heading_markers: bool = False,
        move: bool = False,
    ) -> CategoryPlan:
        """A proposal for each category that yields something. Raises OutsideStore, NotFound, SelfCheckFailed."""
        options = Options(heading_markers=heading_markers, move=move, tags=tuple(tags))
        folder = self.folder()
        if category:
            reading.require_category(folder, category)
        return self._work.compactions(folder, options, "compact", category=category, task=task, pressure=pressure)

    def plan_refresh(self, hours: int = REFRESH_HOURS) -> CategoryPlan:
        """The sessions older than so many hours: the scheduled form of compact."""
        options = Options(older_than_hours=hours)
        return self._work.compactions(self.folder(), options, "refresh", category=paths.SESSIONS)

    def plan_split(self, path: str = "") -> CategoryPlan:
        """A proposal for each durable file of more than 400 lines. Never an archive. Raises NotFound."""
        folder = self.folder()
        if path:
            reading.require_file(folder, path)
        return self._work.splits(folder, path)

    def plan_restore(self, archive: str, *, keep: bool = False) -> CategoryPlan:
        """What an archive gives back. Raises NotFound, Integrity, ChangedOnDisk."""
        paths.require_name(archive.removeprefix(f"{paths.ARCHIVE}/"), "an archive")
        return self._work.restorations(self.folder(), archive, keep=keep)

    def plan_forget(self, target: str = "", *, text: str = "") -> CategoryPlan:
        """Every place of an entry (address, id, start of its hash) or a text. Raises UnusableInput, UnknownMemory."""
        if bool(target) is bool(text.strip()):
            what = "an entry and a text are too much at once" if target else "nothing to forget"
            raise UnusableInput(what, hint="Name an entry, or give --text.")
        return self._work.erasures(self.folder(), target, text)

    # Decisions

    def apply(self, plan: CategoryPlan, decisions: Sequence[Decision]) -> Done:
        """Do what was accepted, all of it or nothing. Raises StaleDecision and what the store raises."""
        accepted = answered(plan.proposals, decisions, Action.ACCEPT)
        if not accepted:
            return Done(plan.kind, skipped=plan.skipped, problems=plan.problems)
        folder = self.folder()
        drafted, edits = self._work.drafted(folder, plan.kind, accepted)
        receipt = self._write(folder, edits, drafted, _note(plan.kind, accepted))
        if plan.kind == "restore":
            remove_empty_folders(self.root, (path for path, after in edits.items() if after is None))
        self._erase_traces(drafted)
        return Done(
            plan.kind,
            tuple(each.report for each in drafted),
            plan.skipped,
            tuple(reason for each in drafted for reason in each.left),
            plan.problems,
            receipt.paths,
            receipt.id,
            (*receipt.warnings, *_forget_warnings(plan.kind)),
        )

    def preview(self, plan: CategoryPlan, decisions: Sequence[Decision]) -> str:
        """What the accepted proposals would change, as a unified diff."""
        folder = self.folder()
        accepted = answered(plan.proposals, decisions, Action.ACCEPT)
        return reading.diff(folder, self._work.drafted(folder, plan.kind, accepted)[1]) if accepted else ""

    def _write(self, folder: "Folder", edits: "Edits", drafted: Sequence[Drafted], note: str) -> "Receipt":
        private = {paths.CONTACTS, ""}
        moves = tuple(
            Change(Verb.MOVE, MemoryId(address), None)
            for each in drafted
            for address in each.addresses
            if paths.category_of(address) not in private
        )
        return self._applied(ChangeSet(moves, file_edits(folder, edits), note))

    def _applied(self, change_set: "ChangeSet | Decide") -> "Receipt":
        receipt = self._store(CategoryLayout(), knows_edits=True).apply(
            change_set, now=self.now, session=self.session, allow_large=True, commit=self.commit
        )
        return self._told(receipt)

    def _told(self, receipt: "Receipt") -> "Receipt":
        if self._notice is not None:
            self._notice(receipt)
        return receipt

    def _erase_traces(self, drafted: Sequence[Drafted]) -> None:
        """Take what is forgotten out of the journal and the search index too."""
        needles = [needle for each in drafted for needle in each.needles]
        if needles:
            self.store.scrub(lambda data: any(needle in data for needle in needles), now=self.now)
            finding.remove_index(self.root)

    # Both steps in one

    def compact(
        self, category: str = "", *, accepted: bool = False, reviewer: Reviewer | None = None, **how: Any
    ) -> Done:
        """Compact what yields something. Raises NeedsConfirmation unless it is accepted or a reviewer decides."""
        return self._decide(self.plan_compact(category, **how), accepted, reviewer)

    def refresh(self, hours: int = REFRESH_HOURS, *, accepted: bool = False, reviewer: Reviewer | None = None) -> Done:
        """Compact the sessions older than so many hours."""
        return self._decide(self.plan_refresh(hours), accepted, reviewer)

    def split(self, path: str = "", *, accepted: bool = False, reviewer: Reviewer | None = None) -> Done:
        """Split durable files that are too long."""
        return self._decide(self.plan_split(path), accepted, reviewer)

    def restore(self, archive: str, *, keep: bool = False, accepted: bool = True) -> Done:
        """Give back what an archive holds: the very tree where nothing has changed since."""
        return self._decide(self.plan_restore(archive, keep=keep), accepted, None)

    def forget(
        self, target: str = "", *, text: str = "", accepted: bool = False, reviewer: Reviewer | None = None
    ) -> Done:
        """Erase an entry or all that holds a text, from archives, summaries and the journal too. Cannot be undone."""
        return self._decide(self.plan_forget(target, text=text), accepted, reviewer)

    def _decide(self, plan: CategoryPlan, accepted: bool, reviewer: Reviewer | None) -> Done:
        if plan.is_empty or accepted:
            return self.apply(plan, accept_all(plan))
        if reviewer is None:
            what = f"{plan.kind}: {len(plan.proposals)} proposals wait for a yes"
            raise NeedsConfirmation(what, hint="Pass accepted=True, or a reviewer.")
        return self.apply(plan, reviewer.review(plan.proposals))

    # What needs no decision

    def add(
        self,
        category: str,
        title: str,
        text: str,
        *,
        tags: Sequence[str] = (),
        to: str = "",
        purpose: str = "",
        force: bool = False,
        allow_secrets: bool = False,
        dry_run: bool = False,
        shown: Done | None = None,
    ) -> Done:
        """Add an entry, after a look at what is there; a new category is registered before its first file.

        `shown` is what a dry run answered. Raises OutsideStore, UnusableInput, SecretFound, StaleDecision where adding
        comes to something else than was shown, and Refused for a copy unless it is forced.
        """
        if not allow_secrets:
            reading.require_no_secrets(f"{title}\n{text}")
        new = New(category=category, title=title, text=text, tags=tuple(tags), to=to, purpose=purpose)
        return self._at_once("add", lambda folder: addition(folder, new, self.now, force=force), dry_run, shown)

    def sync(self, *, dry_run: bool = False, shown: Done | None = None) -> Done:
        """Add the rows that the index lacks. Rows without a file are named and never deleted.

        `shown` is what a dry run answered. Raises StaleDecision where other rows are missing by now.
        """
        return self._at_once("sync", lambda folder: missing_rows(folder, self.now), dry_run, shown)

    def _at_once(self, kind: str, draft: "Callable[[Folder], Draft]", dry_run: bool, shown: Done | None) -> Done:
        """Do what is drafted under the lock, on the files as they are then."""
        if dry_run or not self.store.has_history:
            would = draft(self.folder())
            would.require(shown)
            if dry_run or not would.edits:
                return Done(kind, would.done, left=would.left, dry_run=dry_run)
        made: list[Draft] = []

        def decide(_: object) -> ChangeSet:
            folder = read_folder(self.root)
            made.append(draft(folder))
            made[0].require(shown)
            return ChangeSet(edits=file_edits(folder, made[0].edits), note=made[0].note)

        receipt = self._applied(decide)
        return Done(
            kind, made[0].done, (), made[0].left, paths=receipt.paths, receipt=receipt.id, warnings=receipt.warnings
        )

    def log(self, *, with_bookkeeping: bool = False) -> "tuple[Receipt, ...]":
        """What was done, newest last."""
        return self.store.log(with_bookkeeping=with_bookkeeping)

    def undo(self, receipt_id: str | None = None) -> "Receipt":
        """Take back a receipt, or the latest that stands. Raises NotFound, LaterChange, ChangedOnDisk."""
        self.folder()
        receipt = self.store.undo(receipt_id, now=self.now, session=self.session, commit=self.commit)
        folder = self.folder()
        remove_empty_folders(self.root, (path for path in receipt.paths if path not in folder.tree))
        rows = reading.rows_after(folder, receipt.paths, self.now)
        if rows:  # somebody has changed the index since, so it did not come back as it was
            store = self._store(CategoryLayout(pages=file_edits(folder, rows)), knows_edits=True)
            store.apply(ChangeSet(), now=self.now, session=self.session, commit=self.commit)
        return self._told(receipt)


def accept_all(plan: CategoryPlan) -> tuple[Decision, ...]:
    """A yes to every proposal of a plan."""
    return tuple(Decision(proposal.id, Action.ACCEPT) for proposal in plan.proposals)


def _note(kind: str, accepted: Sequence[Proposal]) -> str:
    if kind == "forget":
        return f"forget: {len(accepted)} place{'s' * (len(accepted) != 1)}"
    return f"{kind}: " + "; ".join(proposal.summary for proposal in accepted)


def _forget_warnings(kind: str) -> tuple[str, ...]:
    if kind != "forget":
        return ()
    return ("what git has committed stays in its history; rewrite that yourself where it must go",)


def _nothing() -> "Sequence[Memory]":
    return ()
