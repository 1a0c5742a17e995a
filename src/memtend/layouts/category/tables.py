"""Tables of a Markdown page by byte range, so that one cell changes and no other byte (O-MD-08, O-LK-02)."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memtend import frontmatter
from memtend.markdown import Span, blocks, newline_of, sections


class Row(NamedTuple):
    """One row: where its line stands and where each cell's text does, blanks around it left out."""

    span: Span
    """With its line end, where it has one."""
    cells: tuple[Span, ...]


class Table(NamedTuple):
    """A table with the heading that it stands below."""

    names: tuple[str, ...]
    """The header's cells, folded and without emphasis."""
    header: Span
    """Header and delimiter row."""
    rows: tuple[Row, ...]
    span: Span
    heading: str
    level: int
    """Of that heading; 0 where there is none."""

    def column(self, *wanted: str) -> int:
        """The place of the first column with one of these names, -1 where there is none."""
        return next((place for place, name in enumerate(self.names) if name in wanted), -1)


class Page(NamedTuple):
    """A page with its tables."""

    data: bytes
    tables: tuple[Table, ...]

    def text(self, row: Row, column: int) -> str:
        """The text of a cell, its escaped pipes plain; empty where the row has no such cell."""
        if not 0 <= column < len(row.cells):
            return ""
        span = row.cells[column]
        return unescaped(self.data[span.start : span.end].decode("utf-8", "replace"))

    @property
    def newline(self) -> bytes:
        """Its line end."""
        return newline_of(self.data)


def read_page(data: bytes) -> Page:
    """The tables of a page; none in code, comments and quotes."""
    start = frontmatter.read(data).body_start
    heads = sections(data, start)
    starts = [head.start for head in heads]
    found = []
    for block in blocks(data, start):
        if block.kind == "table":
            at = bisect_right(starts, block.span.start) - 1
            title, level = (heads[at].title, heads[at].level) if at >= 0 else ("", 0)
            found.append(_table(data, block.span, title, level))
    return Page(data, tuple(found))


def _table(data: bytes, span: Span, heading: str, level: int) -> Table:
    lines = list(_lines(data, span))
    names = tuple(_folded(data[cell.start : cell.end]) for cell in _cells(data, lines[0]))
    rows = tuple(Row(line, tuple(_cells(data, line))) for line in lines[2:])
    return Table(names, Span(lines[0].start, lines[1].end), rows, span, heading, level)


def _lines(data: bytes, span: Span) -> Iterator[Span]:
    start = span.start
    while start < span.end:
        newline = data.find(b"\n", start, span.end)
        end = span.end if newline < 0 else newline + 1
        yield Span(start, end)
        start = end


_UNESCAPED = re.compile(rb"(?<!\\)(?:\\\\)*\|")


def _cells(data: bytes, line: Span) -> Iterator[Span]:
    """The cells of a row. A pipe within a cell is escaped, in code too."""
    end = line.start + len(data[line.start : line.end].rstrip())
    start = line.start + len(data[line.start : end]) - len(data[line.start : end].lstrip())
    borders = [match.end() - 1 for match in _UNESCAPED.finditer(data, start, end)]
    if borders and borders[0] == start:
        start, borders = start + 1, borders[1:]
    for border in borders:
        yield _stripped(data, start, border)
        start = border + 1
    if start < end:
        yield _stripped(data, start, end)


def _stripped(data: bytes, start: int, end: int) -> Span:
    text = data[start:end]
    first = start + len(text) - len(text.lstrip())
    return Span(min(first, end), max(first, start + len(text.rstrip()))) if text.strip() else Span(end, end)


def _folded(cell: bytes) -> str:
    return " ".join(cell.decode("utf-8", "replace").strip("*_` ").casefold().split())


_ESCAPED_PIPE = re.compile(r"(\\+)\|")
_PIPE = re.compile(r"(\\*)\|")


def escaped(text: str) -> str:
    """A text as it can stand in a cell: on one line, its pipes escaped, and backslashes in front of them doubled."""
    return _PIPE.sub(lambda found: found[1] * 2 + "\\|", " ".join(text.split()))


def unescaped(cell: str) -> str:
    """The text that a cell's characters stand for."""
    return _ESCAPED_PIPE.sub(lambda found: "\\" * ((len(found[1]) - 1) // 2) + "|", cell)


def new_row(cells: Sequence[str], newline: bytes) -> bytes:
    """A row with its line end."""
    return ("| " + " | ".join(escaped(cell) for cell in cells) + " |").encode("utf-8", "surrogateescape") + newline


def cell_edit(row: Row, column: int, text: str, page: Page) -> tuple[Span, bytes] | None:
    """The replacement that gives a cell another text; None where it has it, or the row has no such cell."""
    if not 0 <= column < len(row.cells):
        return None
    span = row.cells[column]
    new = escaped(text).encode("utf-8", "surrogateescape")
    if page.data[span.start : span.end] == new:
        return None
    return span, (new if span.end > span.start else new + b" ")


_CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[[^\]]*\]\(<?([^)>\s]+)>?\)")
"""A link of Markdown with its target."""
_WIKI = re.compile(r"\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]")


def paths_in(cell: str) -> tuple[str, ...]:
    """The files that a cell names: in code, as a link, as a wiki link, or as a plain path."""
    found = [
        *(match[1] for match in _CODE.finditer(cell)),
        *(match[1] for match in LINK.finditer(cell)),
        *(match[1] for match in _WIKI.finditer(cell)),
    ]
    if not found and not cell.startswith("*"):
        found = [cell]
    plain = (plain_path(path) for path in found)
    return tuple(dict.fromkeys(path for path in plain if "/" in path or path.endswith(".md")))


_ROOTS = (".gaai/project/contexts/memory/", ".gaai/contexts/memory/", "contexts/memory/", "memory/")


def plain_path(path: str) -> str:
    """A path as it counts from the memory's folder."""
    path = path.strip().partition("#")[0].removeprefix("./")
    for root in _ROOTS:
        if path.startswith(root):
            return path.removeprefix(root)
    return path
