"""A file of the memory taken apart into its entries, each with its bytes, its hash and its marker (category spec, 1).

An entry's text begins with its heading and ends before the line end, rules and comments behind it. What
leaves the file with it (`cut`) are its text, the blank lines below and the rule that ends it, so that what stays
reads as if the entry had never been there.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

from memtend import frontmatter
from memtend.frontmatter import Frontmatter
from memtend.layouts.category.ids import KEYWORDS, distinct, heading_id, slug_of
from memtend.layouts.category.markers import Marker, from_frontmatter, from_heading, read_quote
from memtend.layouts.category.paths import Kind, category_of, kind_of
from memtend.markdown import Block, Section, Span, blocks, sections


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a file."""

    path: str
    part: str = ""
    """Slug of its section; empty where the file, or what stands above its first section, is the entry."""
    id: str = ""
    """`DEC-60 (REVISED)`; empty where nothing names one."""
    title: str = ""
    level: int = 0
    """Of its heading; 0 where the file is the entry."""
    line: int = 1
    span: Span
    cut: Span
    sha256: str
    """Of its text."""
    marker: Marker | None = None
    """The whole marker that applies to it, its own or that of the section or file it lies in."""
    heading_marker: Marker | None = None
    """RETRACTED in its heading alone."""
    is_entangled: bool = False
    """Whether it and another entry lie within each other."""
    archived_to: str = ""
    """For a decision that was archived and left behind as a pointer: the archive."""

    @property
    def address(self) -> str:
        """`path#slug`, or the path alone."""
        return f"{self.path}#{self.part}" if self.part else self.path

    @property
    def category(self) -> str:
        """The folder of the first level."""
        return category_of(self.path)

    def gate(self, heading_markers: bool = False) -> Marker | None:
        """The marker that lets it be archived; None for what has to stay."""
        if self.archived_to:
            return None
        return self.marker or (self.heading_marker if heading_markers else None)


@dataclass(frozen=True)
class Document:
    """One file, read once; what costs more is found when it is asked for."""

    path: str
    data: bytes

    @cached_property
    def kind(self) -> Kind:
        """How it holds its entries."""
        return kind_of(self.path)

    @cached_property
    def frontmatter(self) -> Frontmatter:
        """Its keys."""
        return frontmatter.read(self.data)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """Its headings; none in fences and comments."""
        return sections(self.data, self.frontmatter.body_start)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Its top-level blocks."""
        return blocks(self.data, self.frontmatter.body_start)

    def key(self, name: str) -> str:
        """A key of the frontmatter as one text; empty where it is missing or a list."""
        value = self.frontmatter.values.get(name)
        return value.strip() if isinstance(value, str) else ""

    def names(self, name: str) -> tuple[str, ...]:
        """A key of the frontmatter as names."""
        return frontmatter.names(self.frontmatter.values.get(name))

    @cached_property
    def has_keywords(self) -> bool:
        """Whether a marker's word stands anywhere in it."""
        return any(word.encode() in self.data for word in KEYWORDS)

    @cached_property
    def marks(self) -> Mapping[int, "Mark"]:
        """By place among `sections`: the marker that stands directly below that heading, whole or not."""
        if not self.has_keywords:
            return {}
        starts = [block.span.start for block in self.blocks]
        found: dict[int, Mark] = {}
        for number, section in enumerate(self.sections):
            at = bisect_left(starts, section.text_start)
            if at < len(starts) and self.blocks[at].kind == "quote" and starts[at] < section.own_end:
                block = self.blocks[at]
                marker = read_quote(self.text(block.span), block.line)
                if marker is not None:
                    found[number] = Mark(marker, block.span)
        return found

    @cached_property
    def own_marker(self) -> Marker | None:
        """What the frontmatter says of the whole file, whole or not."""
        line = self.frontmatter.lines.get("status", 0)
        return from_frontmatter(self.key("status"), self.names("superseded_by"), line)

    @cached_property
    def title_mark(self) -> "Mark | None":
        """The marker below the title, which is about the whole file."""
        first = self.sections[0] if self.sections else None
        if first is None or first.level != 1 or (self.kind is Kind.LOG and heading_id(first.title)):
            return None
        return self.marks.get(0)

    @cached_property
    def file_marker(self) -> Marker | None:
        """The whole marker that is about the whole file."""
        candidates = (self.title_mark.marker if self.title_mark else None, self.own_marker)
        return next((marker for marker in candidates if marker is not None and marker.is_complete), None)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Its entries in order."""
        if self.kind is Kind.FILE:
            return (_file_entry(self),)
        return tuple(_log_entries(self) if self.kind is Kind.LOG else _section_entries(self))

    @cached_property
    def title(self) -> str:
        """What the frontmatter calls it, else its first heading, else its name."""
        headings = (section.title for section in self.sections if section.level == 1)
        return self.key("title") or next(headings, "") or PurePosixPath(self.path).name.removesuffix(".md")

    def place(self, number: int) -> int:
        """Where a heading begins, by its place among `sections`; the end of the file behind the last."""
        return self.sections[number].start if number < len(self.sections) else len(self.data)

    def text(self, span: Span) -> str:
        """Part of the file as text."""
        return self.data[span.start : span.end].decode("utf-8", "replace")

    @property
    def line_count(self) -> int:
        """How many lines it has."""
        return self.data.count(b"\n") + (not self.data.endswith(b"\n") and bool(self.data))


class Mark(NamedTuple):
    """A marker and the quote that it stands in."""

    marker: Marker
    span: Span


def read(path: str, data: bytes) -> Document:
    """A file of the memory."""
    return Document(path, data)


def hash_of(data: bytes) -> str:
    """The SHA-256 of an entry's text."""
    return sha256(data).hexdigest()


def _file_entry(document: Document) -> Entry:
    whole = Span(0, len(document.data))
    first = document.sections[0] if document.sections else None
    named = heading_id(first.title) if first else None
    title = document.title
    return Entry(
        path=document.path,
        id=document.key("id") or (named.whole if named else "") or _name_id(document.path),
        title=title,
        span=whole,
        cut=whole,
        sha256=hash_of(document.data),
        marker=document.file_marker,
        heading_marker=from_heading(first.title, first.line) if first and first.level == 1 else None,
        archived_to=document.key("archived_to"),
    )


def _name_id(path: str) -> str:
    named = heading_id(PurePosixPath(path).name.removesuffix(".md"))
    return named.whole if named else ""


def _log_entries(document: Document) -> Iterator[Entry]:
    """Sections whose heading begins with an id, at any level, without those inside them that have one too."""
    found = document.sections
    named = [heading_id(section.title) for section in found]
    extents = dict(_owned(found, [id is not None for id in named]))
    torn = [(start, end) for start, end, is_torn in extents.values() if is_torn]
    seen: dict[str, int] = {}
    for number, id in enumerate(named):
        if id is not None:
            start, end, _ = extents[number]
            entry = _entry(document, number, document.place(end), distinct(slug_of(id.whole), seen))
            is_entangled = any(first <= start < last for first, last in torn)
            inherits = (i for i in _enclosing(found, number) if named[i] is None)
            marker = _marker(document, number, inherits)
            yield replace(entry, id=id.whole, marker=marker, is_entangled=is_entangled)


def _owned(found: Sequence[Section], is_named: Sequence[bool]) -> Iterator[tuple[int, tuple[int, int, bool]]]:
    """For each heading with an id the headings that are its own, from and to, and whether others stand among them.

    A heading without an id belongs to the nearest one with an id that it lies below.
    """
    own: dict[int, list[int]] = {}
    above: list[tuple[int, int]] = []
    for number, section in enumerate(found):
        while above and above[-1][0] >= section.level:
            above.pop()
        owner = number if is_named[number] else above[-1][1] if above else -1
        above.append((section.level, owner))
        own.setdefault(owner, []).append(number)
    for owner, numbers in own.items():
        if owner >= 0:
            yield owner, (owner, numbers[-1] + 1, len(numbers) != numbers[-1] + 1 - owner)


def _section_entries(document: Document) -> Iterator[Entry]:
    """What stands below the title, and each section of level 1 to 3 behind it, each up to the next such heading."""
    found = document.sections
    has_title = bool(found) and found[0].level == 1
    numbers = [number for number, section in enumerate(found) if section.level <= 3 and (number or not has_title)]
    ends = [*(found[number].start for number in numbers), len(document.data)]
    yield from _head(document, ends[0])
    seen: dict[str, int] = {}
    for place, number in enumerate(numbers):
        section, end = found[number], ends[place + 1]
        slug = distinct(slug_of(section.title), seen)
        if _says_something(document, Span(section.text_start, end)):
            entry = _entry(document, number, end, slug)
            yield replace(entry, marker=_marker(document, number, _enclosing(found, number)))


def _head(document: Document, end: int) -> Iterator[Entry]:
    start = document.frontmatter.body_start
    if not _says_something(document, Span(start, end)):
        return
    inside = [block for block in document.blocks if start <= block.span.start < end]
    text, cut = _extent(document, inside[0].span.start, end)
    yield Entry(
        path=document.path,
        id=document.key("id"),
        title=document.title,
        line=inside[0].line,
        span=text,
        cut=cut,
        sha256=hash_of(document.data[text.start : text.end]),
        marker=document.file_marker,
    )


def _entry(document: Document, number: int, end: int, part: str) -> Entry:
    section = document.sections[number]
    span, cut = _extent(document, section.start, end)
    return Entry(
        path=document.path,
        part=part,
        title=section.title,
        level=section.level,
        line=section.line,
        span=span,
        cut=cut,
        sha256=hash_of(document.data[span.start : span.end]),
        heading_marker=from_heading(section.title, section.line),
    )


def _enclosing(found: Sequence[Section], number: int) -> Iterator[int]:
    """The sections that a section lies in, the nearest first."""
    level = found[number].level
    for at in range(number - 1, -1, -1):
        if found[at].level < level:
            level = found[at].level
            yield at


def _marker(document: Document, number: int, inherits: Iterator[int]) -> Marker | None:
    """The first whole marker of the heading itself, those it lies below, and the file."""
    for at in (number, *inherits):
        mark = document.marks.get(at)
        if mark is not None and mark.marker.is_complete:
            return mark.marker
    return document.file_marker


def _is_closing(document: Document, block: Block) -> bool:
    """Whether a block is a rule or a comment: what may stand behind an entry without belonging to it."""
    return block.kind == "rule" or _is_comment(document, block)


def _is_comment(document: Document, block: Block) -> bool:
    return block.kind == "html" and document.data[block.span.start : block.span.end].lstrip().startswith(b"<!--")


def _says_something(document: Document, span: Span) -> bool:
    return any(
        span.start <= block.span.start < span.end and block.kind != "heading" and not _is_closing(document, block)
        for block in document.blocks
    )


def _extent(document: Document, start: int, end: int) -> tuple[Span, Span]:
    """The text of an entry between two places, and what leaves the file with it."""
    inside = [block for block in document.blocks if start <= block.span.start < end]
    closing = list(takewhile(lambda block: _is_closing(document, block), reversed(inside[1:])))[::-1]
    end_of_text = inside[len(inside) - len(closing) - 1].span.end
    text = Span(start, start + len(document.data[start:end_of_text].rstrip(b"\r\n")))
    if not _stands_apart(document, start):
        return text, Span(start, end_of_text)
    behind = [block.span.start for block in closing]
    if closing and closing[0].kind == "rule":
        behind = behind[1:]
    return text, Span(start, behind[0] if behind else end)


def _stands_apart(document: Document, at: int) -> bool:
    """Whether nothing stands on the line above, so that the blank lines below need not stay."""
    above = document.data[max(document.frontmatter.body_start, at - 200) : at].rstrip(b" \t")
    return not above or above.endswith((b"\n\n", b"\n\r\n", b"\r\r"))
