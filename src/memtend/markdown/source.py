"""The bytes of a file as a parser can take them, with every offset kept."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

BOM = b"\xef\xbb\xbf"
STAND_IN = "\x1a"
"""For the parser, each byte that is not UTF-8 is one such character, so that offsets stay right."""

_ESCAPED = re.compile("[\udc80-\udcff]")
_LONE_RETURN = re.compile(rb"\r(?!\n)")


class Span(NamedTuple):
    """A range of bytes, `end` not included."""

    start: int
    end: int


class Node(NamedTuple):
    """A block that lies in no other, as the parser names it."""

    name: str
    detail: str
    """`H1` to `H6` for a heading, the words behind the fence for code."""
    title: str
    """Its text without marks, for a heading."""
    span: Span


class Mark(NamedTuple):
    """Something at any depth: a tag that starts or ends, or a leaf."""

    edge: str
    """`Start`, `End`, or empty for a leaf."""
    name: str
    text: str
    span: Span


def splice(data: bytes, replacements: Iterable[tuple[Span, bytes]]) -> bytes:
    """The bytes with each span replaced, all other bytes as they are.

    The spans come in any order and must not overlap (ValueError). Texts for the same empty span keep their order.
    """
    pieces: list[bytes] = []
    at = 0
    for span, text in sorted(replacements, key=lambda replacement: replacement[0]):
        if span.start < at or span.end < span.start or span.end > len(data):
            raise ValueError(f"spans overlap or leave the text at byte {span.start}")
        pieces += (data[at : span.start], text)
        at = span.end
    return b"".join((*pieces, data[at:]))


def newline_of(data: bytes) -> bytes:
    """The commoner line end: CRLF or LF; LF where there is none."""
    return b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"


def view_of(data: bytes) -> bytes:
    """The bytes with LF for each carriage return that stands alone: as long, and with one kind of line start."""
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return _LONE_RETURN.sub(b"\n", data)
    return data


def body_start(data: bytes, start: int) -> int:
    """Where parsing begins: behind a byte order mark at least."""
    return len(BOM) if start < len(BOM) and data.startswith(BOM) else start


def nodes(view: bytes, start: int) -> Iterator[Node]:
    """The blocks from `start` on that lie in no other block, in document order."""
    depth = 0
    opening: Any = None
    title: list[str] | None = None
    for event, where in _events(view, start):
        if event.__class__ is str:
            if depth == 0:
                yield Node(event, "", "", _moved(where, start))
            elif title is not None:
                title.append(" ")
        elif "Start" in event:
            if depth == 0:
                opening = event["Start"]
                title = [] if "Heading" in opening else None
            depth += 1
        elif "End" in event:
            depth -= 1
            if depth == 0:
                yield _node(opening, "".join(title or ()), _moved(where, start))
        elif title is not None and "Text" in event:
            title.append(event["Text"])
        elif title is not None and "Code" in event:
            title.append(_code(event["Code"], view[slice(*_moved(where, start))]))


def _code(text: str, source: bytes) -> str:
    """What a code span says. The parser makes two blanks of a CRLF in it, so that is parsed again with LF."""
    if b"\r\n" not in source:
        return text
    events = _events(b"x " + source.replace(b"\r\n", b"\n"), 0)
    return next((str(event["Code"]) for event, _ in events if "Code" in event), text)


def _node(tag: Any, title: str, span: Span) -> Node:
    """A block from the tag that opens it: a name, or a name with details."""
    if isinstance(tag, str):
        return Node(tag, "", title, span)
    name, detail = next(iter(tag.items()))
    if name == "Heading":
        return Node(name, detail["level"], title, span)
    return Node(name, detail.get("Fenced", "") if name == "CodeBlock" and isinstance(detail, dict) else "", title, span)


def marks(view: bytes, start: int, names: frozenset[str]) -> Iterator[Mark]:
    """The tags and leaves with these names from `start` on, at any depth, in document order."""
    for event, where in _events(view, start):
        if event.__class__ is str or "Text" in event:
            continue
        edge, tag = next(iter(event.items()))
        if edge in ("Start", "End"):
            name, text = (tag if tag.__class__ is str else next(iter(tag))), ""
        else:
            edge, name, text = "", edge, tag
        if name in names:
            yield Mark(edge, name, text, _moved(where, start))


def _moved(where: Any, start: int) -> Span:
    return Span(start + where["start"], start + where["end"])


def _events(view: bytes, start: int) -> Iterable[tuple[Any, Any]]:
    """The parser's own events. Most of them are text, so whoever goes through them must be quick to pass on."""
    import pyromark

    found: Iterable[tuple[Any, Any]] = pyromark.events_with_range(_text(view[start:]), options=_options())
    return found


@cache
def _options() -> Any:
    from pyromark import Options

    return Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH | Options.ENABLE_TASKLISTS | Options.ENABLE_FOOTNOTES


def _text(view: bytes) -> str:
    try:
        return view.decode()
    except UnicodeDecodeError:
        return _ESCAPED.sub(STAND_IN, view.decode("utf-8", "surrogateescape"))


def line_start(view: bytes, at: int, floor: int = 0) -> int:
    """Where the line begins that `at` lies in, `floor` at least."""
    return max(floor, view.rfind(b"\n", floor, at) + 1)


def line_end(view: bytes, at: int) -> int:
    """Behind the line end of the line that `at` lies in."""
    newline = view.find(b"\n", at)
    return len(view) if newline < 0 else newline + 1


def whole_lines(view: bytes, span: Span, floor: int) -> Span:
    """The lines that a span lies in, without blank lines at its end."""
    end = span.start + len(view[span.start : span.end].rstrip())
    return Span(line_start(view, span.start, floor), line_end(view, end))


class LineNumbers:
    """Line numbers for offsets that are asked in rising order."""

    def __init__(self, view: bytes) -> None:
        """Count from the first byte of the file."""
        self._view, self._at, self._line = view, 0, 1

    def of(self, at: int) -> int:
        """The line, from 1, that `at` lies in."""
        self._line += self._view.count(b"\n", self._at, at)
        self._at = at
        return self._line
