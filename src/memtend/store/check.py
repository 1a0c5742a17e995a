"""What is wrong with a store: facts that need no person's judgement, each with a code, a path and a sentence.

Nothing is changed and no lock is taken. What a layout finds in a file comes from its `decode`.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from pathlib import PurePosixPath

from memtend.layouts import Problem
from memtend.memory import MemoryId
from memtend.store.apply import Store
from memtend.store.journal import State
from memtend.store.plan import folded, plan_pages
from memtend.store.snapshot import UNREAD, Contents, Reading, Snapshot

STALE = "stale-page"
"""The code of a derived page that `memtend index` would change."""
RESERVED = frozenset({"con", "prn", "aux", "nul"} | {f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)})


def findings(
    store: Store, now: datetime, contents: Contents | None = None, *, pages: bool = True
) -> tuple[Problem, ...]:
    """Everything that is wrong, errors first, then by path. Raises NotFound, UnreadableStore.

    `contents` is what the store holds, where that was read already. Without `pages` the derived pages are left to
    whoever compares them more closely: drawing them takes seconds for 100,000 memories.
    """
    contents = contents or store.read()
    found = [
        *contents.problems,
        *_twins(contents.memories),
        *_name_clashes(contents.tree),
        *_unportable(contents.tree),
        *(_stale_pages(store, contents, now) if pages else ()),
        *_journal(store),
    ]
    return tuple(sorted(set(found), key=lambda finding: (finding.severity != "error", finding.path, finding.line)))


def _stale_pages(store: Store, contents: Contents, now: datetime) -> list[Problem]:
    """Derived pages that `memtend index` would change."""
    if any(problem.code == UNREAD for problem in contents.problems):
        return []
    snapshot = Snapshot(store.layout, Reading(contents.tree.get), contents.memories)
    return [
        Problem(STALE, "warning", edit.path, "is not what the memories say; `memtend index` brings it up to date")
        for edit in plan_pages(snapshot, now)
    ]


def _journal(store: Store) -> list[Problem]:
    """Interrupted writes, unless one is under way, and records that cannot be read."""
    intents = store.journal.history(State.INTENT)
    found = [*store.journal.strangers(), *store.journal.history().problems]
    if not store.is_being_written:
        found += intents.problems
        found += [Problem("interrupted", "error", "", _interrupted(record.id)) for record in intents.records]
    return found


def _interrupted(receipt_id: str) -> str:
    return f"{receipt_id} was interrupted half way; the next write takes it back"


def _twins(ids: Iterable[MemoryId]) -> list[Problem]:
    """Ids that differ only in case or in how letters are composed."""
    return [
        Problem("id-clash", "warning", "", f"{' and '.join(group)} differ only in case or in composed letters")
        for group in _alike(ids)
    ]


def _name_clashes(paths: Iterable[str]) -> list[Problem]:
    """Files that are one file on a disk that ignores case."""
    return [
        Problem("name-clash", "warning", group[0], f"is the same file as {', '.join(group[1:])} on many disks")
        for group in _alike(paths)
    ]


def _alike(names: Iterable[str]) -> list[list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[folded(name)].append(name)
    return [sorted(group) for group in groups.values() if len(group) > 1]


def _unportable(paths: Iterable[str]) -> list[Problem]:
    """Names that other systems refuse, so that the repository cannot be cloned there."""
    return [
        Problem("unportable-name", "warning", path, f"{name!r} cannot be a file's name on every system")
        for path in paths
        for name in PurePosixPath(path).parts
        if _is_unportable(name)
    ]


def _is_unportable(name: str) -> bool:
    has_bad_character = any(char in '<>:"|?*\\' or unicodedata.category(char) in {"Cc", "Cs"} for char in name)
    return has_bad_character or name[-1:] in {".", " "} or name.partition(".")[0].casefold() in RESERVED
