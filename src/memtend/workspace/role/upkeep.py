"""Upkeep of a role as edits of whole files: consolidate, repair, the life cycle of candidates.

Each function is pure: from a state to an answer and a change set whose edits say what the files become. What a
merge or a repair must keep is checked here once more before anything is written.
"""

from collections import Counter
from datetime import datetime
from typing import NamedTuple

from memtend.change import Change, ChangeSet, FileEdit, Verb
from memtend.errors import SelfCheckFailed
from memtend.layouts.role import grammar, header, pending, repair
from memtend.layouts.role.bullet import NO_META, Item
from memtend.layouts.role.consolidate import Merge, consolidated
from memtend.layouts.role.decode import CONSOLIDATED, PENDING, identified, pending_problems
from memtend.layouts.role.ids import key_of
from memtend.layouts.role.legacy import ARCHIVE
from memtend.layouts.role.page import Event, Page, Part
from memtend.layouts.role.placing import mended
from memtend.memory import MemoryId, digest_of
from memtend.workspace.role.answers import Issue
from memtend.workspace.role.reports import Consolidated, Expired, Repaired
from memtend.workspace.role.state import RoleState, candidate


def counts_of(page: Page) -> dict[str, int]:
    """How many learnings and preferences a page has."""
    sections = page.sections
    return {
        "learnings": sum(len(section.items) for section in sections if section.is_counted),
        "preferences": sum(len(section.items) for section in sections if section.is_list and not section.is_counted),
    }


class Upkeep(NamedTuple):
    """The moment and the manner of an upkeep."""

    role: str
    now: datetime
    plain: bool = False

    @property
    def today(self) -> str:
        """The UTC day."""
        return f"{self.now:%Y-%m-%d}"

    def consolidated(self, state: RoleState, threshold: float) -> tuple[Consolidated, ChangeSet]:
        """Copies merged, canonical layout, `# Last Consolidated` at today."""
        data = state.consolidated or b""
        if not data:
            empty = {"learnings": 0, "preferences": 0}
            return Consolidated(empty, empty, 0, ()), ChangeSet()
        before = grammar.parse(data)
        page, merges = consolidated(grammar.parse(data), self.today, threshold)
        after = self._rendered(page)
        removed = sum(len(merge.removed) for merge in merges)
        _require_all_kept(before, grammar.parse(after), merges)
        answer = Consolidated(counts_of(mended(before)), counts_of(page), removed, merges)
        changes = tuple(
            Change(Verb.MERGE, entry.id, state.digest(entry))
            for merge in merges
            for id, _ in merge.removed
            if (entry := state.by_id.get(id)) is not None
        )
        return answer, self._whole(data, after, f"consolidate: removed {removed} duplicates", changes)

    def repaired(self, state: RoleState) -> tuple[Repaired, ChangeSet]:
        """What is malformed mended; a file with nothing to mend is not touched."""
        data = state.consolidated
        if data is None:
            return Repaired(False, (), ()), ChangeSet()
        before = grammar.parse(data)
        page, mended = repair.repaired(grammar.parse(data))
        left = tuple(_issue(fault) for fault in repair.faults(page) if fault.code in repair.REPORTED)
        if not mended:
            return Repaired(False, (), left), ChangeSet()
        after = self._rendered(page)
        _require_no_text_lost(before, grammar.parse(after))
        answer = Repaired(True, tuple(_issue(fault) for fault in mended), left)
        return answer, self._whole(data, after, f"repair: {len(mended)} mended", ())

    def _rendered(self, page: Page) -> bytes:
        page.header = header.stamped(page.header, self.today)
        if self.plain:
            for section in page.sections:
                section.parts = [_plain(part) for part in section.parts]
        return grammar.render(page, self.plain)

    def _whole(self, before: bytes, after: bytes, note: str, changes: tuple[Change, ...]) -> ChangeSet:
        if before == after:
            return ChangeSet()
        return ChangeSet(changes, (FileEdit(CONSOLIDATED, digest_of(before), after),), note)

    def expired(self, state: RoleState, *, archives: bool = True) -> tuple[Expired, ChangeSet]:
        """Old candidates set to discarded, hand-written lines completed, resolved ones older than 30 days archived."""
        data = state.files.get(PENDING)
        if data is None:
            return Expired(), ChangeSet()
        page = pending.parse(data)
        completed = pending.completed(page, self.today)
        expired = []
        for item in list(pending.expired(page.items, self.now)):
            gone = item.changed(mark=pending.MARKS[pending.DISCARDED])
            pending.replace(page, item, gone)
            expired.append(candidate(MemoryId(item.id), gone))
        archive = self._archived(page, state) if archives else ()
        page.header = header.stamped(page.header, self.today)
        after = pending.render(page)
        unknown = tuple(
            Issue(problem.code, PENDING, problem.line, problem.message)
            for problem in pending_problems(pending.parse(after))
            if problem.code == "unknown-mark"
        )
        moved = len(state.pending_page.items) - len(page.items)
        answer = Expired(tuple(expired), tuple(item.id for item in completed), moved, unknown)
        if not (expired or completed or archive):
            return answer, ChangeSet()
        edits = (FileEdit(PENDING, digest_of(data), after), *archive)
        note = f"pending: {len(expired)} expired, {len(completed)} completed, {moved} archived"
        return answer, ChangeSet((), edits, note)

    def _archived(self, page: pending.PendingPage, state: RoleState) -> tuple[FileEdit, ...]:
        """Move old resolved lines to the archive of the month in which they came."""
        edits = []
        for month, items in sorted(pending.archivable(page.items, self.now).items()):
            path = f"{ARCHIVE}/pending-{month}.md"
            before = state.files.get(path)
            archive = pending.new_page(self.role, self.today) if before is None else pending.parse(before)
            for item in items:
                pending.append(archive, item)
                pending.replace(page, item, None)
            archive.header = header.stamped(archive.header, self.today)
            edits.append(FileEdit(path, None if before is None else digest_of(before), pending.render(archive)))
        return tuple(edits)


def _plain(part: Part) -> Part:
    """The part without metadata."""
    return part.changed(meta=NO_META) if isinstance(part, Item) and part.meta != NO_META else part


def _issue(fault: repair.Fault) -> Issue:
    return Issue(fault.code, CONSOLIDATED, fault.line, fault.message)


def _require_all_kept(before: Page, after: Page, merges: tuple[Merge, ...]) -> None:
    """Every entry is still there, or a merge reports it. Raises SelfCheckFailed."""
    gone = Counter(key_of(text) for merge in merges for _, text in merge.removed)
    missing = _texts(before) - gone - _texts(after)
    if missing:
        raise _lost(next(iter(missing)))


def _require_no_text_lost(before: Page, after: Page) -> None:
    """Every text still stands somewhere. Raises SelfCheckFailed."""
    known = "\n".join(_texts(after))
    lost = [
        text for text in _texts(before) if text not in known and not any(text.endswith(one) for one in _texts(after))
    ]
    if lost:
        raise _lost(lost[0])


def _texts(page: Page) -> Counter[str]:
    return Counter(key_of(part.title if isinstance(part, Event) else part.text) for _, _, part in identified(page))


def _lost(text: str) -> SelfCheckFailed:
    return SelfCheckFailed(
        f"an entry would be lost: {text[:80]}", hint="Nothing was written. Please report this with the file concerned."
    )
