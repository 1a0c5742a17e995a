"""The nine checks of a compaction, made on the planned tree before anything is written (category spec, 3.6)."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime

from memtend import frontmatter
from memtend.errors import MemtendError
from memtend.layouts import Problem
from memtend.layouts.category import paths
from memtend.layouts.category.agreement import SAME, contrast, key_of
from memtend.layouts.category.archive import How
from memtend.layouts.category.compact import Compaction, Options, choose
from memtend.layouts.category.entries import Entry
from memtend.layouts.category.folder import Folder
from memtend.layouts.category.paths import Durability
from memtend.layouts.category.registry import faults
from memtend.layouts.category.restore import restored
from memtend.layouts.category.summary import parse
from memtend.layouts.category.tally import tally
from memtend.markdown import splice
from memtend.text import fold, similarity


class Case:
    """One compaction to be checked: the folder before and after, and what was meant."""

    def __init__(self, before: Folder, plan: Compaction, options: Options, now: datetime) -> None:
        self.before = before
        self.after = before.after(plan.edits)
        self.plan = plan
        self.options = options
        self.now = now

    def of_category(self, folder: Folder) -> Counter[str]:
        """The active entries of the compacted category, pointers left out, by hash."""
        return Counter(
            entry.sha256 for entry in folder.entries if entry.category == self.plan.category and not entry.archived_to
        )

    def may_go(self, entry: Entry) -> bool:
        """Whether the gate lets an entry of a durable category leave."""
        document = self.before.document(entry.path)
        return entry.gate(self.options.heading_markers) is not None or document.file_marker is not None


def failures(before: Folder, plan: Compaction, options: Options, now: datetime) -> dict[str, str]:
    """The checks that fail, by name, each with the first reason; empty where the compaction may be written."""
    case = Case(before, plan, options, now)
    found: dict[str, str] = {}
    for name, check in CHECKS.items():
        try:
            reason = next(check(case), "")
        except MemtendError as fault:
            reason = fault.message
        if reason:
            found[name] = reason
    return found


def every_entry_is_kept(case: Case) -> Iterator[str]:
    """The multiset of entry hashes over active and archived is unchanged, but for the summary that is new."""
    new = Counter(entry.sha256 for entry in case.after.entries if entry.path == paths.summary_path(case.plan.category))
    before, after = case.before.hashes(), case.after.hashes() - new
    if before != after:
        lost, added = before - after, after - before
        yield f"{lost.total()} entries lost, {added.total()} that were not there"


def only_marked_entries_left(case: Case) -> Iterator[str]:
    """Nothing unmarked left a durable file."""
    for category in case.before.categories:
        if paths.durability_of(category) is not Durability.DURABLE:
            continue
        own = [entry for entry in case.before.entries if entry.category == category]
        stays = Counter(entry.sha256 for entry in own if not case.may_go(entry) and not entry.archived_to)
        there = Counter(e.sha256 for e in case.after.entries if e.category == category and not e.archived_to)
        for entry in own:
            if (stays - there)[entry.sha256]:
                yield f"{entry.address} carries no marker and would leave"


def the_rest_is_untouched(case: Case) -> Iterator[str]:
    """Durable files are identical apart from the cut sections and a pointer's keys; other files are identical."""
    going = {item.address for item in case.plan.archive.items}
    for path, data in case.before.tree.items():
        after = case.after.tree.get(path)
        if after == data or paths.is_registry(path) or path == paths.summary_path(case.plan.category):
            continue
        if not paths.claims(path):
            yield f"{path} would be changed"
        elif after is None:
            if path not in going:
                yield f"{path} would go"
        elif after != _expected(case, path):
            yield f"{path} would change elsewhere than where an entry leaves"


def _expected(case: Case, path: str) -> bytes | None:
    """A file as it should be after the entries in the archive have left it."""
    own = [item for item in case.plan.archive.items if item.origin == path]
    document = case.before.document(path)
    if any(item.how is How.POINTER for item in own):
        keys = {"archived_at": case.plan.archive.day, "archived_to": case.plan.archive_path}
        return frontmatter.edit(document.data, keys)
    parts = {item.part for item in own}
    return splice(document.data, [(entry.cut, b"") for entry in document.entries if entry.part in parts])


def every_constraint_stands(case: Case) -> Iterator[str]:
    """Every constraint stands in the summary or in an active file."""
    path = paths.summary_path(case.plan.category)
    data = case.after.tree.get(path, b"")
    bullets = [bullet.text for bullet in parse(path, data)] if data else []
    keys = {key_of(bullet) for bullet in bullets}
    active = ""
    for one in case.plan.constraints:
        if key_of(one.text) in keys or any(_says_the_same(bullet, one.text) for bullet in bullets):
            continue
        active = active or " ".join(" ".join(_active_texts(case)).split())
        if fold(one.text) not in active:
            yield f"lost: {one.text} ({one.sources[0]})"


def _says_the_same(bullet: str, constraint: str) -> bool:
    if fold(constraint) in fold(bullet):
        return True
    alike = similarity(bullet, constraint) >= SAME and tally([bullet]) == tally([constraint])
    return alike and contrast(bullet, constraint) is None


def _active_texts(case: Case) -> Iterator[str]:
    return (fold(document.data.decode("utf-8", "replace")) for document in case.after.documents.values())


def the_index_knows_every_file(case: Case) -> Iterator[str]:
    """Every file that the compaction made or kept has its row; what lacked one before may lack it still."""
    yield from _new_faults(case, "unregistered")


def every_row_has_its_file(case: Case) -> Iterator[str]:
    """Every row of the index names what is there; what was wrong before may be wrong still."""
    yield from _new_faults(case, "dead-row")


def _new_faults(case: Case, code: str) -> Iterator[str]:
    known = {(fault.path, fault.message) for fault in _index_faults(case.before) if fault.code == code}
    for fault in _index_faults(case.after):
        if fault.code == code and (fault.path, fault.message) not in known:
            yield f"{fault.path}: {fault.message}"


def _index_faults(folder: Folder) -> Iterator[Problem]:
    return faults(folder.pages, folder.registrable(), folder.ids())


def a_second_run_plans_nothing(case: Case) -> Iterator[str]:
    """Nothing that could be archived is left in the category."""
    again, _ = choose(case.after, case.options, case.now, category=case.plan.category)
    for candidate in again:
        yield f"{candidate.entries[0].address} would be archived by a second run"


def the_archive_gives_the_tree_back(case: Case) -> Iterator[str]:
    """Restoring the archive gives the old tree, byte for byte."""
    back = restored(case.after, case.plan.archive_path, case.plan.archive.day)
    tree = case.after.after(back.edits).tree
    if not back.is_exact:
        yield "the archive does not know the tree that it was made in"
    for path in sorted(tree.keys() | case.before.tree.keys()):
        if tree.get(path) != case.before.tree.get(path):
            yield f"{path} would not come back as it was"


def earlier_archives_are_untouched(case: Case) -> Iterator[str]:
    """No archive that was there is rewritten, added to or gone, and none is read as an active entry."""
    for path, data in case.before.tree.items():
        if paths.is_archive(path) and case.after.tree.get(path) != data:
            yield f"{path} would be changed"
    if case.plan.archive_path in case.before.tree:
        yield f"{case.plan.archive_path} would be written over"


Check = Callable[[Case], Iterator[str]]
CHECKS: dict[str, Check] = {
    "entries-kept": every_entry_is_kept,
    "only-marked-left": only_marked_entries_left,
    "rest-untouched": the_rest_is_untouched,
    "constraints-kept": every_constraint_stands,
    "index-complete": the_index_knows_every_file,
    "index-true": every_row_has_its_file,
    "nothing-left": a_second_run_plans_nothing,
    "restorable": the_archive_gives_the_tree_back,
    "archives-untouched": earlier_archives_are_untouched,
}
"""The nine checks, by the name they are reported under."""
