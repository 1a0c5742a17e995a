"""What headings say, and where they are in plain text, which needs no parser.

Most notes are plain, and parsing one costs more than all the rest of reading it. Hash signs at the very start of a
line end every paragraph, list, quote and table. Three things alone keep them from making a heading: a code fence,
HTML, and a definition that runs over lines. Two things besides make one: an underline, and hash signs behind blanks.
Where a text holds any of these the parser decides, so that a heading is the same by either way.
"""

import re
from typing import NamedTuple

from memtend.markdown.source import STAND_IN, Node, Span, nodes


class Heading(NamedTuple):
    """A top-level heading; its span is whole lines."""

    span: Span
    level: int
    title: str


_WIKI_LINK = re.compile(r"!?\[\[([^\[\]|]+?)(?:\\?\|([^\[\]]*))?\]\]")


def heading_of(node: Node, span: Span) -> Heading:
    """The heading that the parser found on the lines of a span. A wiki link in it is read as its alias or target."""
    title = _WIKI_LINK.sub(lambda match: match.group(2) or match.group(1), node.title)
    return Heading(span, int(node.detail[1]), title.replace(STAND_IN, "\ufffd").strip())


_HASHES = re.compile(rb"\n(?:(#{1,6}) ([^\s#\\][^\n]*)|(#+\w)|#)")
"""Hash signs at the start of a line: a heading, or a `#tag`, or what only the parser can tell."""
_PLAIN_TITLE = re.compile(rb"[^\x00-\x1f`*_~\[\]<&\\#]*")
_DEFINITION = re.compile(rb"[^\]]\]:|\\\]")
_ODD_LINE = re.compile(rb"\n(?:[ \t]++[<#]|<(?!!--[^\n]*-->)|(?<!\n\n)[ \t]*+(?:=++|-++)\s*?(?:\n|\Z))")
"""A line of HTML, but for a comment that ends on it; hash signs behind blanks; an underline."""


def plain_headings(view: bytes, start: int) -> list[Heading] | None:
    """The headings from `start` on, where lines are all that counts; None where the parser has to say."""
    body = b"\n" + view[start:]
    if not _is_plain(body):
        return None
    found: list[Heading] = []
    for match in _HASHES.finditer(body):
        hashes, title, tag = match.groups()
        if hashes:
            span = Span(start + match.start(), min(start + match.end(), len(view)))
            found.append(Heading(span, len(hashes), _title(view, span, title.rstrip())))
        elif not tag:
            return None
    return found


def _is_plain(body: bytes) -> bool:
    """Whether only hash signs at the start of a line make headings, and all of them do."""
    if b"```" in body or b"~~~" in body:
        return False
    return not (_ODD_LINE.search(body) or (b"]:" in body and _DEFINITION.search(body)))


def _title(view: bytes, span: Span, written: bytes) -> str:
    """The title as plain text; one with marks in it is parsed by itself, since nothing around it matters."""
    if _PLAIN_TITLE.fullmatch(written):
        try:
            return written.decode().strip()
        except UnicodeDecodeError:
            pass
    return heading_of(next(nodes(view[span.start : span.end], 0)), span).title
