"""A file that has grown too long is split by domain: whole sections move, no text changes (category spec, 2)."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from memtend import frontmatter
from memtend.layouts.category.dates import entry_date
from memtend.layouts.category.entries import Document, Entry
from memtend.layouts.category.folder import Folder
from memtend.layouts.category.ids import slug_of
from memtend.layouts.category.paths import OVERSIZED_LINES, Durability, Kind, category_of, durability_of
from memtend.layouts.category.registry import IndexChange, updated
from memtend.layouts.category.sync import day_of, with_index
from memtend.markdown import Span, newline_of, splice


class Piece(NamedTuple):
    """What moves as one: an entry of a log, or a section of level 2 with all that lies below it."""

    title: str
    text: Span
    cut: Span
    entries: tuple[Entry, ...]


class Part(NamedTuple):
    """A new file of a split."""

    path: str
    title: str
    pieces: tuple[Piece, ...]

    @property
    def addresses(self) -> tuple[str, ...]:
        """What moves into it."""
        return tuple(entry.address for piece in self.pieces for entry in piece.entries)


class Split(NamedTuple):
    """How a file would be split. Without parts it cannot be, and `reason` says why."""

    path: str
    lines: int
    parts: tuple[Part, ...]
    reason: str = "it is a single section"


def oversized(folder: Folder) -> list[Document]:
    """The durable files that are too long."""
    return [
        document
        for document in folder.documents.values()
        if durability_of(category_of(document.path)) is Durability.DURABLE and document.line_count > OVERSIZED_LINES
    ]


def propose(folder: Folder, document: Document) -> Split:
    """How one file would be split: by the domain that its entries name, by month or day, or by its sections.

    The newest, or what is first, stays; as much moves as brings the file below its limit.
    """
    if document.file_marker is not None:  # what moved would no longer stand below it
        return Split(document.path, document.line_count, (), "it is marked as a whole; compacting archives it")
    pieces = list(_log_pieces(document) if document.kind is Kind.LOG else _section_pieces(document))
    excess = document.line_count - OVERSIZED_LINES
    taken = {path.casefold() for path in folder.tree}
    parts: list[Part] = []
    left = len(pieces)
    for name, title, own in _short_enough(document, _groups(document, pieces)):
        if excess <= 0 or left - len(own) < 1:
            break
        path = _free(document, name, taken)
        taken.add(path.casefold())
        parts.append(Part(path, title, tuple(own)))
        left -= len(own)
        excess -= sum(_lines(document, piece) for piece in own)
    return Split(document.path, document.line_count, tuple(parts))


def _log_pieces(document: Document) -> Iterator[Piece]:
    return (Piece(entry.title, entry.span, entry.cut, (entry,)) for entry in document.entries if not entry.is_entangled)


def _section_pieces(document: Document) -> Iterator[Piece]:
    """The sections of level 2 that hold an entry, heading and all."""
    for section in document.sections if document.kind is Kind.SECTIONS else ():
        own = tuple(entry for entry in document.entries if section.start <= entry.span.start < section.end)
        if section.level == 2 and own and own[0].part:
            text = Span(section.start, own[-1].span.end)
            yield Piece(section.title, text, Span(section.start, own[-1].cut.end), own)


Group = tuple[str, str, list[Piece]]
"""A name for the file, a title, what moves."""


def _groups(document: Document, pieces: Sequence[Piece]) -> list[Group]:
    """The pieces in groups, those first that move first."""
    domains = _by(pieces, lambda piece: _domain(document, piece))
    if len(domains) > 1 and "" not in domains:
        by_size = sorted(domains.items(), key=lambda group: sum(_lines(document, piece) for piece in group[1]))
        return [(slug_of(name), name, own) for name, own in reversed(by_size)]
    if document.kind is not Kind.LOG:
        return [(slug_of(piece.title)[:40].strip("-"), piece.title, [piece]) for piece in reversed(pieces)]
    for length in (7, 10):  # by month, else by day
        dated = _by(pieces, partial(_day, document, length))
        if len(dated) > 1:
            return [(day, f"{document.title} {day}", own) for day, own in sorted(dated.items()) if day]
    half = len(pieces) // 2
    older = list(pieces[half:])
    return [(slug_of(older[0].entries[0].id), f"{document.title}, older", older)] if older else []


def _short_enough(document: Document, groups: Sequence[Group]) -> Iterator[Group]:
    """The groups, cut where one would make a file that is too long again."""
    for name, title, own in groups:
        taken: list[Piece] = []
        size = 0
        for piece in own:
            lines = _lines(document, piece)
            if taken and size + lines > OVERSIZED_LINES - _HEAD_LINES:
                yield name, title, taken
                taken, size = [], 0
            taken.append(piece)
            size += lines
        yield name, title, taken


_HEAD_LINES = 12
"""What a new file has above its first entry."""


def _day(document: Document, length: int, piece: Piece) -> str:
    return entry_date(document, piece.entries[0])[:length]


def _by(pieces: Sequence[Piece], name_of: Callable[[Piece], str]) -> dict[str, list[Piece]]:
    groups: dict[str, list[Piece]] = {}
    for piece in pieces:
        groups.setdefault(name_of(piece), []).append(piece)
    return groups


_DOMAIN = ("domain", "domaine", "dominio", "bereich", "领域")


def _domain(document: Document, piece: Piece) -> str:
    """What a `Domain:` line says."""
    for line in document.text(piece.text).splitlines():
        for said in line.split("|"):
            name, colon, value = said.strip(" *_>-").partition(":")
            if colon and name.strip(" *_").casefold() in _DOMAIN:
                return value.strip(" *_`")
    return ""


def _lines(document: Document, piece: Piece) -> int:
    return document.data.count(b"\n", piece.cut.start, piece.cut.end)


def _free(document: Document, name: str, taken: set[str]) -> str:
    folder, _, stem = document.path.removesuffix(".md").rpartition("/")
    prefix = "log" if stem == "_log" else stem
    path, number = f"{folder}/{prefix}-{name}.md", 1
    while path.casefold() in taken:
        number += 1
        path = f"{folder}/{prefix}-{name}-{number}.md"
    return path


def edits(folder: Folder, split: Split, now: datetime) -> dict[str, bytes | None]:
    """The files that a split writes: the new ones, the old one without what moved, the registries."""
    document = folder.document(split.path)
    day = day_of(now)
    made: dict[str, bytes | None] = {part.path: _file(document, part, day) for part in split.parts}
    made[split.path] = splice(document.data, [(piece.cut, b"") for part in split.parts for piece in part.pieces])
    after = folder.after(made)
    change = IndexChange(
        day=day,
        added=[after.registration(part.path)._replace(updated=day) for part in split.parts],
        touched=[after.registration(split.path)._replace(updated=day)],
        counts={category_of(split.path): after.counts(category_of(split.path))},
    )
    return made | updated(with_index(folder.pages, day), change)


def _file(document: Document, part: Part, day: str) -> bytes:
    newline = newline_of(document.data)
    keys: dict[str, frontmatter.Value] = {
        "type": "memory",
        "category": category_of(part.path),
        "id": part.path.removesuffix(".md").rpartition("/")[2].upper(),
        "created_at": day,
        "updated_at": day,
        "source": document.path,
    }
    head = (frontmatter.render(keys) + f"\n# {part.title}\n\n").encode().replace(b"\n", newline)
    texts = (document.data[piece.text.start : piece.text.end] for piece in part.pieces)
    return head + newline.join(text + newline for text in texts)
