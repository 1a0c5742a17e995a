"""The parts of a memory file by byte range: what is title, content, History, Connections (vault spec, 1).

A file is cut into regions that follow one another without a gap, so that a new text for one part is a new region
and every other byte stays:

    head       frontmatter, and the `# title` heading when it says the title
    content    up to History or Connections
    history, connections, trailing      each from its heading to the next heading of level 1 or 2

Within a region the *text* starts behind the *anchor* (the heading's own line, or the comment that a template puts
below Connections) and has no blank lines around it.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from memtend.body import SECTIONS
from memtend.markdown import BOM, Section, Span, sections

_BLANK = b" \t\r\n"
_COMMENT = re.compile(rb"[ \t\r\n]*<!--")


class Kind(StrEnum):
    """What a region holds."""

    HEAD = "head"
    CONTENT = "content"
    HISTORY = "history"
    CONNECTIONS = "connections"
    TRAILING = "trailing"


class Region(NamedTuple):
    """A stretch of a file. Offsets are from the start of the file."""

    kind: Kind
    start: int
    end: int
    anchor: int
    """Where the text may begin: behind the line that stays, before its line end (content: the region's start)."""
    text: Span
    """Empty at the anchor where there is no text."""


class Texts(NamedTuple):
    """What the parts of a file say, or are to say, in the form of `Memory`."""

    content: str
    history: str
    connections: str
    trailing: str


class Parts(NamedTuple):
    """A file's regions in order, the head first and the content second."""

    regions: tuple[Region, ...]
    heading: Section | None
    """The heading that says the title."""
    title: str
    """The one given; else what the first heading says, empty where there is none."""

    def of(self, kind: Kind) -> tuple[Region, ...]:
        """The regions of one kind."""
        return tuple(region for region in self.regions if region.kind is kind)

    def first(self, kind: Kind) -> Region | None:
        """The first region of a kind."""
        return next((region for region in self.regions if region.kind is kind), None)


def split(data: bytes, body_start: int, title: str) -> Parts:
    """The parts of a file whose body begins at `body_start`. `title` is the frontmatter's, empty for none."""
    if body_start == 0 and data.startswith(BOM):
        body_start = len(BOM)
    headings = sections(data, body_start)
    title = title or (headings[0].title if headings else "")
    heading = _title_heading(data, body_start, headings, title)
    cuts = [section for section in headings if section.level <= 2 and section is not heading]
    starts = _starts(cuts)
    head_end = heading.text_start if heading else body_start
    content_end = starts[0][1] if starts else len(data)
    regions = [
        Region(Kind.HEAD, 0, head_end, head_end, Span(head_end, head_end)),
        _region(data, Kind.CONTENT, head_end, content_end, head_end),
    ]
    ends = [start for _, start, _ in starts[1:]] + [len(data)]
    for (kind, start, text_start), end in zip(starts, ends, strict=bool(starts)):
        anchor = start if kind is Kind.TRAILING else _line_content_end(data, text_start)
        if kind is Kind.CONNECTIONS:
            anchor = _behind_comments(data, anchor, end)
        regions.append(_region(data, kind, start, end, anchor))
    return Parts(tuple(regions), heading, title)


def _title_heading(data: bytes, body_start: int, headings: Sequence[Section], title: str) -> Section | None:
    """The first heading when it opens the body, is at level 1 and says the title; else it is content."""
    if not headings or headings[0].level != 1 or data[body_start : headings[0].start].strip(_BLANK):
        return None
    return headings[0] if says(data, headings[0], title) else None


def says(data: bytes, heading: Section, title: str) -> bool:
    """Whether a heading is the title, as plain text or as it is written, blanks aside."""
    wanted = one_line(title)
    if not wanted:
        return False
    if one_line(heading.title) == wanted:
        return True
    written = data[heading.start : heading.text_start].decode("utf-8", "replace").strip()
    if not written.startswith("#"):
        return one_line(written.rpartition("\n")[0]) == wanted
    written = one_line(written.lstrip("#"))
    return wanted in (written, written.rstrip("#").rstrip())


def one_line(text: str) -> str:
    """The text with every run of white space as one blank."""
    return " ".join(text.split())


_LINE_ENDS = {ord(end): " " for end in "\r\n"}


def unbroken(text: str) -> str:
    """The text with a blank for every line end, all other blanks as they are."""
    return text.translate(_LINE_ENDS)


def _starts(cuts: Sequence[Section]) -> list[tuple[Kind, int, int]]:
    """Kind, start and text start of every region behind the content; neighbouring trailing ones are one."""
    found: list[tuple[Kind, int, int]] = []
    seen: set[str] = set()
    for section in cuts:
        name = section.title.strip().lower() if section.level == 2 else ""
        if name in SECTIONS and name not in seen:
            seen.add(name)
            found.append((Kind(name), section.start, section.text_start))
        elif found and found[-1][0] is not Kind.TRAILING:
            found.append((Kind.TRAILING, section.start, section.start))
    return found


def _region(data: bytes, kind: Kind, start: int, end: int, anchor: int) -> Region:
    return Region(kind, start, end, anchor, trimmed(data, anchor, end))


def trimmed(data: bytes, start: int, end: int) -> Span:
    """The range without blank lines around it, and without blanks behind its last line."""
    text = data[start:end]
    kept = text.rstrip(_BLANK)
    if not kept:
        return Span(start, start)
    blank = len(kept) - len(kept.lstrip(_BLANK))
    line = max(kept.rfind(b"\n", 0, blank), kept.rfind(b"\r", 0, blank)) + 1
    return Span(start + line, start + len(kept))


def _line_content_end(data: bytes, line_end: int) -> int:
    """Before the line end that lies right before `line_end`."""
    if data[line_end - 2 : line_end] == b"\r\n":
        return line_end - 2
    return line_end - 1 if data[line_end - 1 : line_end] == b"\n" else line_end


def _behind_comments(data: bytes, anchor: int, end: int) -> int:
    """Behind the comments that open a Connections section: a template's advice is not a connection."""
    while comment := _COMMENT.match(data, anchor, end):
        close = data.find(b"-->", comment.end(), end)
        if close < 0:
            return anchor + len(data[anchor:end].rstrip(_BLANK))
        anchor = close + len(b"-->")
    return anchor
