"""Markdown by byte range: headings, blocks, list items and wiki links, each with where it stands.

Bytes in, byte offsets out, always counted from the first byte of the file, so that an edit is a `splice` and
no other byte changes. Nothing is raised for what a file holds: bytes that are not UTF-8 are kept, CRLF and a
BOM are no matter. CommonMark with tables decides what is code, what a comment and what a heading
(pulldown-cmark, linear on hostile input).

One rule is ours (the outcome that CommonMark's setext rule has on exported pages is no use): a line of dashes
below text makes a heading only where that text is one line, not longer than 100 characters, and does not end
like a sentence. Otherwise it is a paragraph with a rule below. A line of equal signs always makes a heading.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pyromark

BOM = b"\xef\xbb\xbf"
_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_TASKLISTS
_OPTIONS |= pyromark.Options.ENABLE_FOOTNOTES
_STAND_IN = "\x1a"
"""One ASCII character for each byte that is not UTF-8, so that offsets stay right."""


class Span(NamedTuple):
    """A range of bytes, `end` not included."""

    start: int
    end: int


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
    """A top-level block: whole lines."""

    kind: str
    """`heading`, `paragraph`, `code`, `list`, `table`, `html`, `quote` or `rule`."""
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
    marker: str


class WikiLink(NamedTuple):
    """A `[[target#part|alias]]`. Part and alias are empty where they are not given."""

    span: Span
    target_span: Span
    target: str
    part: str
    alias: str
    embed: bool


def sections(data: bytes, start: int = 0) -> tuple[Section, ...]:
    """Every top-level heading in document order. `start` is where the body begins, behind the frontmatter."""
    heads = [node for node in _top_level(data, start) if node.kind == "heading"]
    ends = _section_ends([node.level for node in heads])
    lines = _Lines(data)
    return tuple(
        Section(
            level=node.level,
            title=node.title,
            start=node.span.start,
            text_start=node.span.end,
            own_end=heads[i + 1].span.start if i + 1 < len(heads) else len(data),
            end=heads[ends[i]].span.start if ends[i] < len(heads) else len(data),
            line=lines.of(node.span.start),
        )
        for i, node in enumerate(heads)
    )


def _section_ends(levels: list[int]) -> list[int]:
    """For each heading the index of the next one of the same or a higher level."""
    ends = [len(levels)] * len(levels)
    open_: list[int] = []
    for i, level in enumerate(levels):
        while open_ and levels[open_[-1]] >= level:
            ends[open_.pop()] = i
        open_.append(i)
    return ends


def blocks(data: bytes, start: int = 0) -> tuple[Block, ...]:
    """The top-level blocks in order, as whole lines. Every line that is not blank lies in exactly one."""
    lines = _Lines(data)
    return tuple(
        Block(node.kind, node.span, lines.of(node.span.start), node.language) for node in _top_level(data, start)
    )


class _Node(NamedTuple):
    kind: str
    span: Span
    level: int = 0
    title: str = ""
    language: str = ""


_KINDS = {
    "Paragraph": "paragraph",
    "CodeBlock": "code",
    "List": "list",
    "Table": "table",
    "HtmlBlock": "html",
    "BlockQuote": "quote",
    "Heading": "heading",
    "FootnoteDefinition": "paragraph",
}


def _top_level(data: bytes, start: int) -> Iterator[_Node]:
    """The top-level blocks; what the parser gives no event for (link definitions) comes as a paragraph."""
    at = _after_bom(data, start)
    for node in _parsed(data, at):
        yield from _unclaimed(data, at, node.span.start)
        yield node
        at = node.span.end
    yield from _unclaimed(data, at, len(data))


def _unclaimed(data: bytes, start: int, end: int) -> Iterator[_Node]:
    text = data[start:end]
    if text.strip():
        first = start + len(text) - len(text.lstrip())
        yield _Node("paragraph", Span(_line_start(data, first, start), start + len(text.rstrip())))


def _parsed(data: bytes, start: int) -> Iterator[_Node]:
    depth = 0
    begin = end = 0
    tag: Any = None
    title: list[str] = []
    floor = start
    for event, where in _events(data, start):
        if isinstance(event, dict):
            if "Start" in event:
                if depth == 0:
                    tag, begin, end, title = event["Start"], start + where["start"], start + where["end"], []
                depth += 1
            elif "End" in event:
                depth -= 1
                if depth == 0:
                    for node in _nodes(data, tag, _whole_lines(data, begin, end, floor), "".join(title)):
                        yield node
                        floor = node.span.end
            elif depth:
                title.extend(text for kind, text in event.items() if kind in ("Text", "Code"))
        elif depth and event in ("SoftBreak", "HardBreak"):
            title.append(" ")
        elif depth == 0 and event == "Rule":
            span = _whole_lines(data, start + where["start"], start + where["end"], floor)
            yield _Node("rule", span)
            floor = span.end


def _nodes(data: bytes, tag: Any, span: Span, title: str) -> Iterator[_Node]:
    name = tag if isinstance(tag, str) else next(iter(tag))
    if name == "Heading":
        yield from _heading(data, span, int(tag["Heading"]["level"][1]), title)
    elif name == "CodeBlock":
        info = tag["CodeBlock"]
        words = info["Fenced"].split() if isinstance(info, dict) else []
        yield _Node("code", span, language=words[0] if words else "")
    else:
        yield _Node(_KINDS.get(name, "paragraph"), span)


def _heading(data: bytes, span: Span, level: int, title: str) -> Iterator[_Node]:
    title = title.replace(_STAND_IN, "\ufffd").strip()
    underline = _line_start(data, span.end - 1, span.start)
    is_dashes = data[underline : span.end].strip(b" \t\r\n").strip(b"-") == b"" and underline > span.start
    if is_dashes and not _is_title(data[span.start : underline]):
        yield _Node("paragraph", Span(span.start, underline))
        yield _Node("rule", Span(underline, span.end))
    else:
        yield _Node("heading", span, level, title)


def _is_title(above: bytes) -> bool:
    text = above.decode("utf-8", "replace").strip()
    return "\n" not in text and len(text) <= 100 and not text.endswith((".", ",", ";", ":", "!", "。", "，", "…"))


def list_items(data: bytes, start: int = 0) -> tuple[ListItem, ...]:
    """Every item of every list outside quotes, in document order; `depth` 0 is the outermost."""
    start = _after_bom(data, start)
    items: list[ListItem] = []
    open_: list[tuple[int, Span]] = []
    text_ends: dict[int, int] = {}
    quotes = 0
    for event, where in _events(data, start):
        name, tag = _name(event)
        if tag == "BlockQuote":
            quotes += 1 if name == "Start" else -1
        elif quotes:
            continue
        elif tag == "List" and name == "Start" and open_:
            text_ends.setdefault(open_[-1][0], start + where["start"])
        elif tag == "Item" and name == "Start":
            open_.append((len(items), Span(start + where["start"], start + where["end"])))
            items.append(_item(data, open_[-1][1], len(open_) - 1))
        elif tag == "Item":
            open_.pop()
    return tuple(_until(data, item, text_ends.get(i)) for i, item in enumerate(items))


_MARKER = re.compile(rb"([-*+]|\d{1,9}[.)])[ \t]*(\[[ xX]\][ \t]+)?")


def _item(data: bytes, span: Span, depth: int) -> ListItem:
    marker = _MARKER.match(data, span.start, span.end)
    text_start = marker.end() if marker else span.start
    return ListItem(span, Span(text_start, span.end), depth, marker.group(1).decode() if marker else "")


def _until(data: bytes, item: ListItem, end: int | None) -> ListItem:
    start = item.text_span.start
    text = data[start : item.span.end if end is None else max(start, end)]
    return item._replace(text_span=Span(start, start + len(text.rstrip())))


def _name(event: Any) -> tuple[str, str]:
    """Start or End with the tag's name; two empty strings for anything else."""
    if isinstance(event, dict):
        for edge in ("Start", "End"):
            if edge in event:
                tag = event[edge]
                return edge, tag if isinstance(tag, str) else next(iter(tag))
    return "", ""


_LINK = re.compile(rb"(!?)\[\[([^\[\]|#\r\n]*)(?:#([^\[\]|\r\n]*))?(?:\|([^\[\]\r\n]*))?\]\]")


def wiki_links(data: bytes, start: int = 0) -> tuple[WikiLink, ...]:
    """Every wiki link in document order; none in code, in HTML comments or before `start`.

    In a table the bar before the alias is written `\\|`: the backslash belongs to the form, not to the target.
    """
    found = [_link(match) for match in _LINK.finditer(data, start) if not _is_escaped(data, match.start())]
    if not found:
        return ()
    hidden = _hidden(data, start)
    starts = [span.start for span in hidden]

    def is_hidden(link: WikiLink) -> bool:
        i = bisect_right(starts, link.span.start) - 1
        return i >= 0 and link.span.start < hidden[i].end

    return tuple(link for link in found if (link.target or link.part) and not is_hidden(link))


def _is_escaped(data: bytes, at: int) -> bool:
    before = data[max(0, at - 64) : at]
    return (len(before) - len(before.rstrip(b"\\"))) % 2 == 1


def _link(match: re.Match[bytes]) -> WikiLink:
    mark, target, part, alias = match.groups(default=b"")
    if match.group(4) is not None:
        target, part = _without_backslash(target, match.group(3)), _without_backslash(part, None)
    name = target.strip()
    at = match.start(2) + target.find(name)
    texts = [text.decode("utf-8", "surrogateescape").strip() for text in (name, part, alias)]
    return WikiLink(Span(*match.span()), Span(at, at + len(name)), texts[0], texts[1], texts[2], bool(mark))


def _without_backslash(text: bytes, following: bytes | None) -> bytes:
    return text[:-1] if following is None and text.endswith(b"\\") else text


def _hidden(data: bytes, start: int) -> list[Span]:
    """Code and HTML comments, in order."""
    start = _after_bom(data, start)
    hidden: list[Span] = []
    for event, where in _events(data, start):
        if not isinstance(event, dict):
            continue
        span = Span(start + where["start"], start + where["end"])
        if "Code" in event or _name(event) == ("Start", "CodeBlock"):
            hidden.append(span)
        elif _name(event) == ("Start", "HtmlBlock") or "InlineHtml" in event:
            hidden.extend(_comments(data, span))
    return hidden


_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


def _comments(data: bytes, span: Span) -> Iterator[Span]:
    for match in _COMMENT.finditer(data, span.start, span.end):
        yield Span(*match.span())


def relink(data: bytes, old: str, new: str, start: int = 0) -> bytes:
    """The bytes with every link to `old` leading to `new`; alias, part and the form of the link stay.

    A target is `old` where it is spelled the same, with or without `.md`.
    """
    encoded = new.encode("utf-8", "surrogateescape")
    return splice(
        data,
        (
            (
                Span(link.target_span.start, link.target_span.start + len(old.encode("utf-8", "surrogateescape"))),
                encoded,
            )
            for link in wiki_links(data, start)
            if link.target in (old, f"{old}.md")
        ),
    )


def splice(data: bytes, replacements: Iterable[tuple[Span, bytes]]) -> bytes:
    """The bytes with each span replaced. The spans are in any order and do not overlap (ValueError)."""
    pieces: list[bytes] = []
    at = 0
    for span, text in sorted(replacements, key=lambda replacement: replacement[0]):
        if span.start < at or span.end < span.start or span.end > len(data):
            raise ValueError(f"spans overlap or leave the text at {span.start}")
        pieces += (data[at : span.start], text)
        at = span.end
    return b"".join((*pieces, data[at:]))


def newline_of(data: bytes) -> bytes:
    """The commoner line end: CRLF or LF; LF where there is none."""
    windows = data.count(b"\r\n")
    return b"\r\n" if windows * 2 > data.count(b"\n") else b"\n"


def shift_headings(text: str, by: int) -> str:
    """The text with each heading `by` levels lower (1 to 6 in the end), headings with an underline as ATX."""
    data = text.encode("utf-8", "surrogateescape")
    edits = [(Span(s.start, s.text_start), _shifted(data, s, by)) for s in sections(data)]
    return splice(data, edits).decode("utf-8", "surrogateescape")


def _shifted(data: bytes, section: Section, by: int) -> bytes:
    line = data[section.start : section.text_start]
    level = min(6, max(1, section.level + by))
    content = line.rstrip(b"\r\n")
    end = line[len(content) :]
    marks = content.lstrip(b" ")
    if marks.startswith(b"#"):
        return b"#" * level + marks.lstrip(b"#") + end
    return b"#" * level + b" " + b" ".join(part.strip() for part in content.splitlines()[:-1]) + end


def _events(data: bytes, start: int) -> Iterator[tuple[Any, Any]]:
    """The parser's events; their ranges count from `start`."""
    return iter(pyromark.events_with_range(_text(data[start:]), options=_OPTIONS))


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return re.sub("[\udc80-\udcff]", _STAND_IN, data.decode("utf-8", "surrogateescape"))


def _after_bom(data: bytes, start: int) -> int:
    return 3 if start == 0 and data.startswith(BOM) else start


def _whole_lines(data: bytes, start: int, end: int, floor: int) -> Span:
    """The lines that a range lies in, blank lines at its end left out."""
    end = start + len(data[start:end].rstrip())
    newline = data.find(b"\n", end)
    return Span(_line_start(data, start, floor), len(data) if newline < 0 else newline + 1)


def _line_start(data: bytes, at: int, floor: int) -> int:
    return max(floor, data.rfind(b"\n", floor, at) + 1)


class _Lines:
    """Line numbers for offsets that are asked in rising order."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at, self._line = data, 0, 1

    def of(self, at: int) -> int:
        """The line, from 1, that `at` lies in."""
        self._line += self._data.count(b"\n", self._at, at)
        self._at = at
        return self._line
