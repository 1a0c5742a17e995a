"""What a compaction would do, before anything is written (category spec, 3).

`choose` says which categories, `plan` what becomes of one: summary, archive, index and every file that changes.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from memtend import frontmatter
from memtend.errors import Refused
from memtend.layouts.category import archive as archives
from memtend.layouts.category import paths
from memtend.layouts.category.archive import Archive, How, Item, Touched, touched
from memtend.layouts.category.condense import Originals, condense
from memtend.layouts.category.dates import is_older, sort_key
from memtend.layouts.category.entries import Document, Entry, hash_of, read
from memtend.layouts.category.folder import Edits, Folder, id_of
from memtend.layouts.category.paths import Durability, Kind
from memtend.layouts.category.registry import IndexChange, updated
from memtend.layouts.category.statements import Kind as Said
from memtend.layouts.category.statements import Statement, statements
from memtend.layouts.category.summary import Summary, earlier
from memtend.layouts.category.sync import day_of, with_index
from memtend.markdown import splice
from memtend.text import estimate_tokens, words

Condense = Callable[[Originals], Summary]
"""How originals become a summary: the extract, or a model's bullets that were checked against it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to compact."""

    heading_markers: bool = False
    """Whether RETRACTED in a heading counts as a marker."""
    move: bool = False
    """Whether archived decision files go, instead of staying as pointers."""
    tags: tuple[str, ...] = ()
    """Only files with one of these tags."""
    older_than_hours: int | None = None
    """Only sessions that are certainly as old."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A category that could be compacted."""

    category: str
    entries: tuple[Entry, ...]
    """What may be archived."""
    file_count: int
    """How many files that is, or is part of."""
    raw_count: int
    """How many files the category has."""
    oldest: str = ""
    is_mentioned: bool = False
    """Whether the task names it."""


class Skipped(NamedTuple):
    """A category that yields nothing, and why."""

    category: str
    raw_count: int
    reason: str


def choose(
    folder: Folder, options: Options, now: datetime, *, category: str = "", task: str = "", pressure: bool = False
) -> tuple[tuple[Candidate, ...], tuple[Skipped, ...]]:
    """The categories to compact in order, and those that yield nothing.

    Most files first, then the oldest, then those that the task mentions. What counts is what may be compacted.
    `pressure` takes the single largest.
    """
    candidates: list[Candidate] = []
    skipped: list[Skipped] = []
    for name in folder.categories:
        if category in ("", name) and paths.durability_of(name) is not Durability.MADE:
            candidate = _candidate(folder, name, options, now, task)
            if candidate.entries:
                candidates.append(candidate)
            else:
                skipped.append(Skipped(name, candidate.raw_count, _why_nothing(name, options)))
    candidates.sort(key=lambda each: (-each.file_count, sort_key(each.oldest), not each.is_mentioned, each.category))
    return tuple(candidates[:1] if pressure else candidates), tuple(skipped)


def _candidate(folder: Folder, category: str, options: Options, now: datetime, task: str) -> Candidate:
    documents = list(folder.of_category(category))
    entries = [entry for document in documents for entry in _eligible(folder, document, options, now)]
    files = {entry.path for entry in entries}
    dates = sorted((folder.date_of(path) for path in files), key=sort_key)
    return Candidate(
        category=category,
        entries=tuple(entries),
        file_count=len(files),
        raw_count=len(documents),
        oldest=dates[0] if dates else "",
        is_mentioned=_is_mentioned(category, task),
    )


def _eligible(folder: Folder, document: Document, options: Options, now: datetime) -> Iterator[Entry]:
    """The gate: the entries of a file that may be archived."""
    if options.tags and not {tag.casefold() for tag in options.tags} & {
        tag.casefold() for tag in document.names("tags")
    }:
        return
    durability = paths.durability_of(paths.category_of(document.path))
    if durability is Durability.EPHEMERAL:
        hours = options.older_than_hours
        if hours is None or is_older(folder.date_of(document.path), hours, now):
            yield from document.entries
    elif durability is Durability.DURABLE and options.older_than_hours is None and _is_known(document.path):
        if document.kind is not Kind.FILE and document.file_marker:
            yield from document.entries
        else:
            yield from leaving(document, options.heading_markers)


def leaving(document: Document, heading_markers: bool) -> tuple[Entry, ...]:
    """The marked entries of a file that can leave it without changing those that stay.

    Two that lie within each other cannot, nor one whose neighbours would run together (a heading underlined with
    dashes, and no blank line above it).
    """
    marked = tuple(entry for entry in document.entries if entry.gate(heading_markers))
    if document.kind is Kind.FILE or not marked or _is_clean_cut(document, marked):
        return marked
    taken: tuple[Entry, ...] = ()
    while True:
        more = next((e for e in marked if e not in taken and _is_clean_cut(document, (*taken, e))), None)
        if more is None:
            return tuple(entry for entry in marked if entry in taken)
        taken = (*taken, more)


def _is_clean_cut(document: Document, going: Sequence[Entry]) -> bool:
    """Whether the other entries are the same when some have left."""
    left = Counter(entry.sha256 for entry in document.entries)
    left.subtract(entry.sha256 for entry in going)
    after = read(document.path, splice(document.data, [(entry.cut, b"") for entry in going]))
    return +left == Counter(entry.sha256 for entry in after.entries)


def _is_known(path: str) -> bool:
    """Whether the category is one of the layout's; nothing of another is ever archived."""
    return paths.category_of(path) in paths.KNOWN


def _why_nothing(category: str, options: Options) -> str:
    if category not in paths.KNOWN:
        return "not a category of this layout, so nothing of it is archived"
    if options.tags:
        return f"nothing to compact with the tags {', '.join(options.tags)}"
    if paths.durability_of(category) is Durability.DURABLE:
        return "durable, and nothing in it is marked"
    return "no session is old enough" if options.older_than_hours is not None else "nothing to compact"


def _is_mentioned(category: str, task: str) -> bool:
    said = set(words(task))
    return bool(said & {category.casefold(), category.casefold().removesuffix("s")})


# --- the plan --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """What compacting one category would do."""

    category: str
    archive: Archive
    archive_path: str
    summary: Summary | None
    """None for contacts, which are personal data, and are never copied."""
    edits: Edits
    constraints: tuple[Statement, ...]
    """Those that are in force and must not be lost."""

    @property
    def addresses(self) -> tuple[str, ...]:
        """What is archived, an earlier summary aside."""
        earlier = paths.summary_path(self.category)
        return tuple(item.address for item in self.archive.items if item.origin != earlier)


def plan(folder: Folder, candidate: Candidate, options: Options, now: datetime, by: Condense = condense) -> Compaction:
    """Everything that compacting a category changes. Raises Refused where a decision file's keys cannot be edited."""
    category, day = candidate.category, day_of(now)
    archive_path = paths.archive_path(category, day, folder.tree.keys())
    items = tuple(_items(folder, candidate.entries, options))
    originals = _originals(folder, candidate, items, day, archive_path)
    summary = None if category == paths.CONTACTS else by(originals)
    edits: dict[str, bytes | None] = dict(_moved(folder, items, archive_path, now))
    if summary is not None:
        items = (*items, *_earlier_summary(folder, summary.path))
        edits[summary.path] = summary.text.encode("utf-8", "replace")
    archived_at = f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    held = Archive(category=category, day=day, archived_at=archived_at, items=items, number=_number(archive_path, day))
    draft = folder.after({**edits, archive_path: archives.render(held)})
    edits |= updated(with_index(folder.pages, day), _index_change(folder, draft, held, archive_path, edits))
    held = replace(held, files=_touched(folder, edits, items))
    edits[archive_path] = archives.render(held)
    return Compaction(
        category=category,
        archive=held,
        archive_path=archive_path,
        summary=summary,
        edits=edits,
        constraints=tuple(one for one in originals.statements if one.kind is Said.CONSTRAINT),
    )


def _touched(folder: Folder, edits: Edits, items: Iterable[Item]) -> dict[str, Touched]:
    """What an archive says of every file that is changed, so that the very tree can come back."""
    whole = {item.origin for item in items}
    return {
        path: touched(folder.tree.get(path), after, with_way_back=path not in whole) for path, after in edits.items()
    }


def _number(path: str, day: str) -> int:
    suffix = path.removesuffix(".archive.md").rpartition(day)[2].removeprefix("-")
    return int(suffix) if suffix else 1


def _items(folder: Folder, entries: Sequence[Entry], options: Options) -> Iterator[Item]:
    """What the archive holds, by file and place."""
    by_path: dict[str, list[Entry]] = {}
    for entry in entries:
        by_path.setdefault(entry.path, []).append(entry)
    for path, own in by_path.items():
        document = folder.document(path)
        marker = document.file_marker
        if document.kind is Kind.FILE:
            is_pointer = paths.is_decision_file(path) and not options.move
            yield _file_item(document, own[0], How.POINTER if is_pointer else How.FILE, options)
        elif marker is not None:
            yield _whole_item(document, marker.summary)
        else:
            yield from (_section_item(document, entry, options) for entry in own)


def _file_item(document: Document, entry: Entry, how: How, options: Options) -> Item:
    marker = entry.gate(options.heading_markers)
    return Item(
        origin=document.path,
        id=entry.id,
        heading=entry.title,
        marker=marker.text if marker else "",
        sha256=entry.sha256,
        how=how,
        data=document.data,
    )


def _whole_item(document: Document, marker: str) -> Item:
    sha = hash_of(document.data)
    return Item(
        origin=document.path,
        id=document.key("id"),
        heading=document.title,
        marker=marker,
        sha256=sha,
        data=document.data,
    )


def _section_item(document: Document, entry: Entry, options: Options) -> Item:
    marker = entry.gate(options.heading_markers)
    above = [other for other in document.entries if other.span.start < entry.span.start]
    return Item(
        origin=document.path,
        part=entry.part,
        id=entry.id,
        heading=entry.title,
        marker=marker.text if marker else "",
        sha256=entry.sha256,
        how=How.SECTION,
        data=document.data[entry.span.start : entry.span.end],
        at=entry.cut.start,
        tail=document.data[entry.span.end : entry.cut.end],
        follows=above[-1].part if above else "",
    )


def _earlier_summary(folder: Folder, path: str) -> Iterator[Item]:
    """The summary that is replaced: its bullets live on in the new one, its bytes in the archive."""
    if path in folder.tree:
        document = folder.document(path)
        yield _file_item(document, document.entries[0], How.FILE, Options())


def _originals(folder: Folder, candidate: Candidate, items: Sequence[Item], day: str, archive_path: str) -> Originals:
    found = [one for entry in candidate.entries for one in _statements(folder, entry)]
    datas = [(item.data, item.how is How.SECTION) for item in items]
    path = paths.summary_path(candidate.category)
    before = folder.tree.get(path)
    if before is not None:
        found += earlier(path, before)
        datas.append((before, False))
    return Originals(
        category=candidate.category,
        day=day,
        file_count=candidate.file_count,
        statements=tuple(found),
        texts=tuple(_body(data, is_section) for data, is_section in datas),
        tokens=sum(estimate_tokens(data.decode("utf-8", "replace")) for data, _ in datas),
        archive=archive_path,
    )


def _body(data: bytes, is_section: bool) -> str:
    """What a text says, without its keys."""
    return data[0 if is_section else frontmatter.read(data).body_start :].decode("utf-8", "replace")


def _statements(folder: Folder, entry: Entry) -> Iterable[Statement]:
    """What a summary may say of an entry: all that a session says, of a marked one that it is no longer in force."""
    document = folder.document(entry.path)
    date = folder.date_of(entry.path)
    if paths.durability_of(entry.category) is Durability.EPHEMERAL:
        return statements(document, folder.cues, date)
    marker = entry.marker or entry.heading_marker
    text = " ".join(f"{entry.title}: {marker.summary if marker else ''}".split())
    return [Statement(text, Said.DECISION, (entry.address,), date, entry.line)]


def _moved(
    folder: Folder, items: Sequence[Item], archive_path: str, now: datetime
) -> Iterator[tuple[str, bytes | None]]:
    """What becomes of the files that the items come from."""
    sections: dict[str, list[Item]] = {}
    for item in items:
        if item.how is How.SECTION:
            sections.setdefault(item.origin, []).append(item)
        elif item.how is How.FILE:
            yield item.origin, None
        else:
            yield item.origin, _pointer(item, archive_path, day_of(now))
    for path, own in sections.items():
        by_part = {entry.part: entry for entry in folder.document(path).entries}
        yield path, splice(folder.tree[path], [(by_part[item.part].cut, b"") for item in own])


def _pointer(item: Item, archive_path: str, day: str) -> bytes:
    """The decision file as it stays behind."""
    try:
        return frontmatter.edit(item.data, {"archived_at": day, "archived_to": archive_path})
    except Refused as fault:
        raise Refused(f"{item.origin}: {fault.message}", hint=fault.hint) from fault


def _index_change(folder: Folder, draft: Folder, held: Archive, archive_path: str, edits: Edits) -> IndexChange:
    """What the registries have to say after a compaction."""
    gone = {path: id_of(folder.document(path)) for path, after in edits.items() if after is None}
    changed = [path for path, after in edits.items() if after is not None and path != archive_path]
    new = [path for path in changed if path not in folder.tree]
    left = {entry.id for entry in draft.entries if not entry.archived_to}
    superseded = {
        item.address: item.id
        for item in held.items
        if item.how is How.POINTER or (item.how is How.SECTION and item.id and item.id not in left)
    }
    touched_files = [
        draft.registration(path)._replace(updated=held.day)
        for path in changed
        if path in folder.tree and path not in superseded
    ]
    categories = {paths.category_of(path) for path in edits} | {paths.ARCHIVE}
    return IndexChange(
        day=held.day,
        gone=gone,
        superseded=superseded,
        added=[draft.registration(path)._replace(updated=held.day) for path in (*new, archive_path)],
        touched=touched_files,
        counts={category: draft.counts(category) for category in categories if category},
    )
