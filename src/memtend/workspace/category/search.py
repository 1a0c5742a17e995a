"""Finding entries: by their text, their metadata, or near one id (category spec, 4)."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memtend.errors import UnknownMemory, Usage
from memtend.layouts.category import paths
from memtend.layouts.category.dates import entry_date, sort_key
from memtend.layouts.category.entries import Entry
from memtend.layouts.category.folder import Folder
from memtend.layouts.category.layout import CategoryLayout
from memtend.layouts.category.neighbours import neighbours
from memtend.workspace.category.answers import EntryHit, SearchedEntries
from memtend.workspace.listing import day_of

LIMIT = 10
"""Hits of a search (category spec, 4)."""
INDEX_FILE = ".memtend/index.db"


class Scope(NamedTuple):
    """Which entries may answer."""

    category: str = ""
    tags: tuple[str, ...] = ()
    since: str = ""
    archived: bool = False
    """Whether to look into the archives too."""
    near: str = ""
    """An id or address whose neighbours are wanted."""
    limit: int = LIMIT


def searched(folder: Folder, root: Path, query: str, scope: Scope, now: datetime) -> SearchedEntries:
    """Entries by text, by metadata, or near one id. `now` says what `yesterday` is in a query.

    Raises Usage where nothing is asked or `since` is no day, UnknownMemory.
    """
    scope = scope._replace(since=day_of(scope.since))
    limit = scope.limit
    if scope.near:
        return SearchedEntries(scope.near, tuple(_near(folder, scope)))
    if query.strip():
        hits, looked_for = _by_text(folder, root, query, scope, now)
        if scope.archived:
            hits += _in_archives(folder, query, scope)
        return SearchedEntries(query, tuple(hits[:limit]), looked_for)
    if not (scope.category or scope.tags or scope.since):
        raise Usage("nothing is asked", hint="Give words, --category, --tag, --since or --neighbours.")
    found = [(entry, _date(folder, entry)) for entry in folder.entries if _fits(folder, entry, scope)]
    found.sort(key=lambda pair: sort_key(pair[1]) if pair[1] else (False, ""), reverse=True)
    return SearchedEntries("", tuple(_hit(folder, entry, 1.0) for entry, _ in found[:limit]))


def _near(folder: Folder, scope: Scope) -> Iterator[EntryHit]:
    target, limit = scope.near, scope.limit
    found = folder.named(target)
    if not found:
        raise UnknownMemory(f"No entry is called {target}", hint="An id such as DEC-12, or path#section.")
    for each in neighbours(folder, found[0], limit + len(folder.entries) * bool(scope.category or scope.tags)):
        if _fits(folder, each.entry, scope) and limit > 0:
            limit -= 1
            yield _hit(folder, each.entry, each.score, reasons=each.reasons)


def _by_text(folder: Folder, root: Path, query: str, scope: Scope, now: datetime) -> tuple[list[EntryHit], str]:
    """Hits of the search index, which is brought up to date first, and what was looked for if not the query."""
    from memtend.search.disk import scan
    from memtend.search.index import Index
    from memtend.search.rank import search
    from memtend.search.scope import Scope as Wanted

    layout = CategoryLayout()
    _make_own(root)
    index = Index(str(root / INDEX_FILE), str(root))
    index.refresh(lambda: scan(str(root), [""], without=()), layout.decode)
    by_address = {entry.address: entry for entry in folder.entries}
    exact = [entry for entry in folder.named(query.strip()) if _fits(folder, entry, scope)]
    hits = [_hit(folder, entry, 1.0) for entry in exact]
    wanted = Wanted(category=scope.category, include_retired=True, tags=scope.tags)
    answer = search(index, query, scope.limit + (100 if scope.since else 0), wanted, today=f"{now:%Y-%m-%d}")
    for hit in answer.hits:
        entry = by_address.get(hit.id)
        if entry is not None and entry not in exact and _fits(folder, entry, scope):
            hits.append(_hit(folder, entry, hit.score, snippet=hit.snippet))
    index.close()
    return hits, answer.looked_for


def _make_own(root: Path) -> None:
    """The folder for what is no memory, which git ignores."""
    ignore = (root / INDEX_FILE).parent / ".gitignore"
    with suppress(OSError):  # a memory that cannot be written is searched with an index in memory
        ignore.parent.mkdir(parents=True, exist_ok=True)
        if not ignore.exists():
            ignore.write_text("*\n", encoding="ascii")


def _in_archives(folder: Folder, query: str, scope: Scope) -> Iterator[EntryHit]:
    """Archived entries that hold every word of the query."""
    from memtend.text import words

    wanted = set(words(query))
    for path, held in folder.archives.items():
        for item in held.items:
            text = item.data.decode("utf-8", "replace")
            if not item.forgotten_at and wanted <= set(words(f"{item.heading}\n{text}")):
                category = paths.category_of(item.origin)
                if scope.category in ("", category):
                    yield EntryHit(
                        item.address, item.id, item.heading, category, held.day, 0.5, is_active=False, archive=path
                    )


def _fits(folder: Folder, entry: Entry, scope: Scope) -> bool:
    if scope.category not in ("", entry.category):
        return False
    tags = {tag.casefold() for tag in folder.document(entry.path).names("tags")}
    if not {tag.casefold() for tag in scope.tags} <= tags:
        return False
    return not scope.since or _date(folder, entry) >= scope.since


def _date(folder: Folder, entry: Entry) -> str:
    return entry_date(folder.document(entry.path), entry, folder.times)


def _hit(folder: Folder, entry: Entry, score: float, *, snippet: str = "", reasons: tuple[str, ...] = ()) -> EntryHit:
    is_active = entry.marker is None and not entry.archived_to
    return EntryHit(
        entry.address,
        entry.id,
        entry.title,
        entry.category,
        _date(folder, entry),
        score,
        snippet,
        reasons,
        is_active,
        entry.archived_to,
    )


def remove_index(root: Path) -> None:
    """Delete the search index; it is made anew when it is next needed."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{root / INDEX_FILE}{suffix}").unlink(missing_ok=True)
