"""Headings, blocks and list items."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtend.markdown.headings import Heading, heading_of, plain_headings
from memtend.markdown.source import (
    LineNumbers,
    Node,
    Span,
    body_start,
    line_end,
    line_start,
    marks,
    newline_of,
    nodes,
    splice,
    view_of,
    whole_lines,
)


class Section(NamedTuple):
    """A heading with what stands below it."""

    level: int
    title: str
    """The heading as plain text, without marks."""
    start: int
    """Of the heading's line."""
    text_start: int
    """Behind the heading's line end."""
    own_end: int
    """Where the next heading of any level starts."""
    end: int
    """Where the next heading of the same or a higher level starts, or the end of the file."""
    line: int
    """Of the heading, from 1, counted from the start of the file."""


class Block(NamedTuple):
    """A top-level block: whole lines, without blank lines around them."""

    kind: str
    """`heading`, `paragraph`, `code`, `list`, `table`, `html`, `quote` or `rule`. Definitions of links and
    footnotes count as paragraphs."""
    span: Span
    line: int
    language: str = ""
    """The first word behind a code fence."""


class ListItem(NamedTuple):
    """One item of a list outside quotes."""

    span: Span
    """From its marker to its end, items below it included."""
    text_span: Span
    """What the item itself says: behind marker and check box, without the items below it."""
    depth: int
    """How many items it lies in."""
    marker: str
    """`-`, `*`, `+`, `1.` and so on."""


def sections(data: bytes, start: int = 0) -> tuple[Section, ...]:
    """Every top-level heading in document order; none in fences, HTML, quotes and lists."""
    view = view_of(data)
    heads = plain_headings(view, body_start(view, start))
    if heads is None:
        heads = [Heading(part.span, part.level, part.title) for part in _parts(view, start) if part.kind == "heading"]
    starts = [part.span.start for part in heads] + [len(view)]
    ends = _section_ends([part.level for part in heads])
    lines = LineNumbers(view)
    return tuple(
        Section(
            level=part.level,
            title=part.title,
            start=part.span.start,
            text_start=part.span.end,
            own_end=starts[i + 1],
            end=starts[ends[i]],
            line=lines.of(part.span.start),
        )
        for i, part in enumerate(heads)
    )


def _section_ends(levels: list[int]) -> list[int]:
    """For each heading the index of the next one of the same or a higher level."""
    ends = [len(levels)] * len(levels)
    unfinished: list[int] = []
    for i, level in enumerate(levels):
        while unfinished and levels[unfinished[-1]] >= level:
            ends[unfinished.pop()] = i
        unfinished.append(i)
    return ends


_TAGS = re.compile(r"(?:\s+#[^\s#]+)+$")


def sections_named(data: bytes, title: str, start: int = 0) -> tuple[Section, ...]:
    """The sections with a title, `#tags` at its end and the case of its letters aside; more than one is ambiguous."""
    wanted = _bare_title(title)
    return tuple(section for section in sections(data, start) if _bare_title(section.title) == wanted)


def _bare_title(title: str) -> str:
    return _TAGS.sub("", " ".join(title.split())).casefold()


def blocks(data: bytes, start: int = 0) -> tuple[Block, ...]:
    """The top-level blocks in order. Every line that is not blank lies in exactly one of them."""
    view = view_of(data)
    lines = LineNumbers(view)
    at = body_start(view, start)
    found: list[Block] = []
    for part in _parts(view, start):
        found.extend(_unclaimed(view, at, part.span.start, lines))
        found.append(Block(part.kind, part.span, lines.of(part.span.start), part.language))
        at = part.span.end
    return (*found, *_unclaimed(view, at, len(view), lines))


def _unclaimed(view: bytes, start: int, end: int, lines: LineNumbers) -> Iterator[Block]:
    """What the parser gives no block for: definitions of links, one block for each run of lines."""
    first = start
    while start < end:
        stop = min(end, line_end(view, start))
        is_blank = not view[start:stop].strip()
        if is_blank and first < start:
            yield Block("paragraph", Span(first, start), lines.of(first))
        first = stop if is_blank else first
        start = stop
    if first < end:
        yield Block("paragraph", Span(first, end), lines.of(first))


# --- top-level blocks ------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """A block as whole lines, with what is known of it."""

    kind: str
    span: Span
    level: int = 0
    title: str = ""
    language: str = ""


_KINDS = {
    "BlockQuote": "quote",
    "CodeBlock": "code",
    "HtmlBlock": "html",
    "List": "list",
    "Rule": "rule",
    "Table": "table",
}


def _parts(view: bytes, start: int) -> Iterator[_Part]:
    """The top-level blocks that the parser finds."""
    first = floor = body_start(view, start)
    for node in nodes(view, first):
        span = whole_lines(view, node.span, floor)
        if node.name == "Heading":
            yield from _heading(view, first, span, node)
        else:
            yield _Part(_KINDS.get(node.name, "paragraph"), span, language=(node.detail.split() or [""])[0])
        floor = span.end


def _heading(view: bytes, first: int, span: Span, node: Node) -> Iterator[_Part]:
    """A heading, or the paragraph and the rule that its two lines rather are."""
    underline = _underline(view, span)
    is_dashed = view[underline : span.end].strip()[:1] == b"-"
    above = view[line_start(view, span.start - 1, first) : span.start - 1] if span.start > first else b""
    if is_dashed and (_DASHES.match(above) or not _is_title(view[span.start : underline])):
        yield _Part("paragraph", Span(span.start, underline))
        yield _Part("rule", Span(underline, span.end))
        return
    heading = heading_of(node, span)
    yield _Part("heading", span, heading.level, heading.title)


def _underline(view: bytes, span: Span) -> int:
    """Where the line below the text of a heading begins; the heading's end where it has a hash sign instead."""
    last = line_start(view, span.end - 1, span.start)
    return last if last > span.start else span.end


_DASHES = re.compile(rb" {0,3}-{3,}[ \t\r]*\Z")
_SENTENCE_ENDS = (".", ",", ";", "。", "，", "；", "、")


def _is_title(above: bytes) -> bool:
    """Whether text above a line of dashes is a heading and not the last line of a page."""
    text = above.decode("utf-8", "replace").strip()
    return "\n" not in text and len(text) <= 100 and not text.endswith(_SENTENCE_ENDS)


# --- list items ------------------------------------------------------------------------------------------

_MARKER = re.compile(rb"([-*+]|\d{1,9}[.)])[ \t]*(?:\[[ xX]\](?:[ \t]+|$))?", re.MULTILINE)

_LISTS = frozenset(("BlockQuote", "Item", "List"))


def list_items(data: bytes, start: int = 0) -> tuple[ListItem, ...]:
    """Every item of every list outside quotes, in document order."""
    view = view_of(data)
    items: list[ListItem] = []
    open_: list[int] = []
    quotes = 0
    for mark in marks(view, body_start(view, start), _LISTS):
        if mark.name == "BlockQuote":
            quotes += 1 if mark.edge == "Start" else -1
        elif quotes:
            continue
        elif mark.name == "Item" and mark.edge == "Start":
            open_.append(len(items))
            items.append(_item(view, mark.span, len(open_) - 1))
        elif mark.name == "Item":
            open_.pop()
        elif mark.edge == "Start" and open_:
            items[open_[-1]] = _cut(view, items[open_[-1]], mark.span.start)
    return tuple(items)


def _item(view: bytes, span: Span, depth: int) -> ListItem:
    text = view[span.start : span.end]
    span = Span(span.start + len(text) - len(text.lstrip(b" \t")), span.end)
    marker = _MARKER.match(view, span.start, span.end)
    start = marker.end() if marker else span.start
    span = Span(span.start, line_end(view, span.start + len(view[span.start : span.end].rstrip())))
    item = ListItem(span, Span(start, start), depth, marker.group(1).decode() if marker else "")
    return _cut(view, item, span.end)


def _cut(view: bytes, item: ListItem, end: int) -> ListItem:
    """The item with its own text up to `end` at most. Only the first list within it ends the text."""
    start = item.text_span.start
    end = min(end, item.text_span.end) if item.text_span.end > start else max(start, end)
    return item._replace(text_span=Span(start, start + len(view[start:end].rstrip())))


# --- moving headings -------------------------------------------------------------------------------------


def shift_headings(text: str, by: int) -> str:
    """The text with every heading `by` levels lower, between 1 and 6; one with an underline gets hash signs.

    Where an underline goes that kept the next line with its dashes from being a heading, a blank line does so.
    """
    data = text.encode("utf-8", "surrogatepass")
    edits: list[tuple[Span, bytes]] = []
    underlined_end = paragraph_end = -1
    for part in _parts(view_of(data), 0):
        if part.kind == "heading":
            edits.append((part.span, _shifted(data[slice(*part.span)], part.level + by)))
            is_underlined = not _HASHES.match(data, part.span.start)
            underlined_end = part.span.end if is_underlined else -1
        elif part.kind == "paragraph":
            paragraph_end = part.span.end if part.span.start == underlined_end else -1
        elif part.kind == "rule" and part.span.start == paragraph_end:
            blank = b"\r" if data[paragraph_end - 1] == ord("\r") else newline_of(data)
            edits.append((Span(paragraph_end, paragraph_end), blank))
    return splice(data, edits).decode("utf-8", "surrogatepass")


_HASHES = re.compile(rb"( {0,3})#{1,6}(?=\s|\Z)")
_BLANKS = b" \t\x0b\x0c"
"""What does not count behind a line of a title; in front of one form feeds do."""


def _shifted(lines: bytes, level: int) -> bytes:
    marks = b"#" * min(6, max(1, level))
    if _HASHES.match(lines):
        return _HASHES.sub(lambda match: match.group(1) + marks, lines, count=1)
    content = lines.rstrip(b"\r\n")
    title = _on_one_line(content)
    if title.endswith(b"#"):
        kept = title.rstrip(b"#")
        title = kept + b"\\" + title[len(kept) :]
    return marks + b" " + title + lines[len(content) :]


def _on_one_line(content: bytes) -> bytes:
    """The lines of a title without the underline. Blanks around a line count only within code."""
    *ends, underline = _LINE_END.finditer(content)
    code = [mark.span for mark in marks(view_of(content), 0, frozenset(("Code",)))]
    title, at = b"", 0
    for end in ends:
        line = content[at : end.start()]
        is_code = any(span.start < end.start() < span.end for span in code)
        title += (line if is_code else _unbroken(line)) + b" "
        at = end.end(1) if is_code else end.end()
    return (title + content[at : underline.start()]).strip(_BLANKS)


_LINE_END = re.compile(rb"(\r\n|\r|\n)[ \t]*")


def _unbroken(line: bytes) -> bytes:
    """A line of a title without the backslash that breaks it from the next."""
    line = line.rstrip(_BLANKS)
    is_broken = (len(line) - len(line.rstrip(b"\\"))) % 2 == 1
    return line[:-1] if is_broken else line
