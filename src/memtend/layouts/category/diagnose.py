"""What is wrong with markers and ids: in one file, and between files (category spec, 1 and 2)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memtend.layouts import Problem
from memtend.layouts.category.entries import Document, Entry
from memtend.layouts.category.ids import KEYWORDS, base_of
from memtend.layouts.category.markers import Marker, Word, disagree, read_quote
from memtend.layouts.category.paths import Durability, Kind, durability_of

_LOOSE = re.compile(rb"(?<![A-Za-z0-9-])(?:%s)(?![A-Za-z0-9-])" % "|".join(KEYWORDS).encode())
_PLACES = {
    "heading": "only in a heading",
    "code": "in code",
    "list": "in a list",
    "table": "in a table",
    "html": "in a comment",
    "quote": "in a quote that is not directly below a heading",
    "paragraph": "in running text",
    "rule": "",
}


def file_problems(document: Document) -> Iterator[Problem]:
    """What is wrong with one file: its frontmatter, its markers, ids that stand in it twice."""
    for fault in document.frontmatter.problems:
        yield Problem("frontmatter", "warning", document.path, fault.message, fault.line)
    if _is_not_utf8(document.data):
        yield Problem("not-utf8", "warning", document.path, "is not UTF-8; its bytes are kept as they are", 1)
    if durability_of(document.path.partition("/")[0]) is Durability.DURABLE:
        yield from _marker_problems(document)
    yield from _repeated(document)


def _is_not_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False


def _marker_problems(document: Document) -> Iterator[Problem]:
    yield from _frontmatter_problems(document)
    for mark in document.marks.values():
        if not mark.marker.is_complete:
            yield _incomplete(document, mark.marker)
    for entry in document.entries:
        if entry.is_entangled and entry.marker:
            message = f"{entry.id} and another entry lie within each other; it stays where it is"
            yield Problem("entangled", "warning", document.path, message, entry.line)
    if document.has_keywords:
        yield from _unused_marks(document)
        yield from _loose(document)


def _incomplete(document: Document, marker: Marker) -> Problem:
    lacks = "names no id" if marker.word is Word.SUPERSEDED else "gives no reason"
    message = f"{marker.word} {lacks}: no marker, the entry stays active"
    return Problem("incomplete-marker", "warning", document.path, message, marker.line)


def _frontmatter_problems(document: Document) -> Iterator[Problem]:
    own, mark, status = document.own_marker, document.title_mark, document.key("status")
    line = document.frontmatter.lines.get("status", 1)
    if own is not None and not own.is_complete:
        yield _incomplete(document, own)
    if mark is not None and mark.marker.is_complete:
        contradiction = disagree(mark.marker, status, own if own and own.is_complete else None)
        if contradiction:
            yield Problem("markers-disagree", "warning", document.path, contradiction, line)
    elif own is None and document.names("superseded_by"):
        message = f"superseded_by names a successor, but status is {status or 'not given'}: no marker"
        yield Problem("markers-disagree", "warning", document.path, message, line)
    elif own is None and status.casefold() in ("retracted", "obsolete", "deprecated"):
        message = f"status: {status} is no marker; it takes a quote below the title"
        yield Problem("loose-marker", "warning", document.path, message, line)


def _unused_marks(document: Document) -> Iterator[Problem]:
    """A heading's marker that marks no entry, and a second marker in an entry that has one."""
    used = {entry.marker.line for entry in document.entries if entry.marker}
    for mark in document.marks.values():
        if mark.marker.is_complete and mark.marker.line not in used:
            message = f"{mark.marker.summary} stands below a heading that is no entry's; nothing is marked by it"
            yield Problem("loose-marker", "warning", document.path, message, mark.marker.line)
    own = {mark.span for mark in document.marks.values()}
    marked = [(entry.span, entry.marker) for entry in document.entries if entry.marker]
    for block in document.blocks:
        if block.kind == "quote":
            found = list(_markers_in(document.text(block.span), block.line))
            extra = found[1:] if block.span in own else found
            owner = next((marker for span, marker in marked if span.start <= block.span.start < span.end), None)
            for marker in extra if owner is not None else ():
                message = f"{marker.summary} is a second marker; {owner.summary if owner else ''} came first"
                yield Problem("two-markers", "warning", document.path, message, marker.line)


def _markers_in(quote: str, line: int) -> Iterator[Marker]:
    """Every marker that begins a line of a quote."""
    lines = quote.splitlines()
    for number in range(len(lines)):
        marker = read_quote("\n".join(lines[number:]), line + number)
        if marker is not None and marker.is_complete:
            yield marker


def _loose(document: Document) -> Iterator[Problem]:
    """Keywords in capitals that are no markers, with where they stand."""
    used = [mark.span for mark in document.marks.values()]
    found = _LOOSE.finditer(document.data, document.frontmatter.body_start)
    for word in found:
        at = word.start()
        if any(span.start <= at < span.end for span in used):
            continue
        block = next((block for block in document.blocks if block.span.start <= at < block.span.end), None)
        if block is None or _is_second(document, block.kind, at):
            continue
        line = document.data.count(b"\n", 0, at) + 1
        message = f"{word[0].decode()} stands {_PLACES[block.kind]}: no marker"
        yield Problem("loose-marker", "warning", document.path, message, line)


def _is_second(document: Document, kind: str, at: int) -> bool:
    """Whether a quote lies in an entry that is marked already; that is said elsewhere."""
    return kind == "quote" and any(
        entry.span.start <= at < entry.span.end and entry.marker for entry in document.entries
    )


def _repeated(document: Document) -> Iterator[Problem]:
    if document.kind is Kind.LOG:
        lines: dict[str, list[int]] = defaultdict(list)
        for entry in document.entries:
            lines[entry.id].append(entry.line)
        for id, found in lines.items():
            if len(found) > 1:
                message = f"{id} stands here {len(found)} times (lines {', '.join(map(str, found))})"
                yield Problem("duplicate-id", "warning", document.path, message, found[1])


# --- between files ---------------------------------------------------------------------------------------


def between_files(documents: Iterable[Document], archived: Sequence[tuple[str, str]] = ()) -> Iterator[Problem]:
    """What only shows when all files are looked at: ids in two files, successors that are missing or gone, cycles.

    `archived` are ids with the archives that hold them.
    """
    entries = [entry for document in documents for entry in document.entries]
    by_id = _by_id(entries)
    yield from _in_two_files(documents, by_id)
    known = {**dict(archived), **{id: found[0].path for id, found in by_id.items()}}
    successors = {entry.id: _named(entry, by_id) for entry in entries if entry.marker and entry.marker.ids}
    for entry in entries:
        if entry.marker is not None and not entry.archived_to and entry.marker.ids:
            yield from _successor_problems(entry, by_id, known, successors)
    yield from _unmarked_predecessors(documents, by_id)


def _by_id(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.id:
            found[entry.id].append(entry)
    return found


def resolve(id: str, by_id: Mapping[str, Sequence[Entry]]) -> tuple[Entry, ...]:
    """The entries that an id means: its own, else those that have it with something in brackets, or without."""
    if id in by_id:
        return tuple(by_id[id])
    base = base_of(id)
    return tuple(entry for other, found in by_id.items() if base_of(other) == base for entry in found)


def _named(entry: Entry, by_id: Mapping[str, Sequence[Entry]]) -> set[str]:
    ids = entry.marker.ids if entry.marker else ()
    return {found.id for id in ids for found in resolve(id, by_id)}


def _in_two_files(documents: Iterable[Document], by_id: Mapping[str, Sequence[Entry]]) -> Iterator[Problem]:
    texts = {document.path: document for document in documents}
    for id, found in by_id.items():
        real = [entry for entry in found if not _is_pointer(entry, texts[entry.path], found)]
        paths = sorted({entry.path for entry in real})
        if len(paths) > 1:
            yield Problem("duplicate-id", "warning", paths[1], f"{id} also stands in {paths[0]}", real[-1].line)


def _is_pointer(entry: Entry, document: Document, others: Sequence[Entry]) -> bool:
    """Whether a log's entry only points to the file that holds the decision."""
    text = document.data[entry.span.start : entry.span.end]
    return any(other.path != entry.path and other.path.encode("utf-8", "surrogateescape") in text for other in others)


def _successor_problems(
    entry: Entry, by_id: Mapping[str, Sequence[Entry]], known: Mapping[str, str], successors: Mapping[str, set[str]]
) -> Iterator[Problem]:
    marker = entry.marker
    for id in marker.ids if marker else ():
        found = resolve(id, by_id)
        if not found and base_of(id) not in {base_of(other) for other in known}:
            message = f"{entry.id or entry.title} is superseded by {id}, which is not there"
            yield Problem("successor-missing", "warning", entry.path, message, marker.line if marker else entry.line)
        if any(other.marker for other in found) and not _leads_to(entry.id, entry.id, successors):
            message = f"{entry.id or entry.title} is superseded by {id}, which is itself {_state(found)}"
            yield Problem("successor-gone", "warning", entry.path, message, marker.line if marker else entry.line)
    if entry.id and _leads_to(entry.id, entry.id, successors):
        message = f"{entry.id} supersedes itself by way of its successors: none of them is in force"
        yield Problem("marker-cycle", "error", entry.path, message, entry.line)


def _state(found: Sequence[Entry]) -> str:
    return next(entry.marker.word.lower() for entry in found if entry.marker)


def _leads_to(start: str, goal: str, successors: Mapping[str, set[str]]) -> bool:
    waiting, seen = list(successors.get(start, ())), set[str]()
    while waiting:
        id = waiting.pop()
        if id == goal:
            return True
        if id not in seen:
            seen.add(id)
            waiting += successors.get(id, ())
    return False


def _unmarked_predecessors(documents: Iterable[Document], by_id: Mapping[str, Sequence[Entry]]) -> Iterator[Problem]:
    """Decisions that say they supersede another one, which carries no marker."""
    for document in documents:
        for id in document.names("supersedes"):
            for entry in by_id.get(id, ()):
                if entry.marker is None and not entry.archived_to and entry.path != document.path:
                    message = f"{document.path} supersedes {id}, which carries no marker and so stays active"
                    yield Problem("predecessor-unmarked", "warning", entry.path, message, entry.line)
