"""Wiki links: where they are, where they lead, and leading them elsewhere."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from memtend.markdown.source import Span, body_start, marks, splice, view_of

_LINK = re.compile(rb"\[\[([^\[\]|#\r\n]*+)(?:#([^\[\]|\r\n]*+))?(?:\|([^\[\]\r\n]*+))?\]\]")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINE_COMMENT = re.compile(rb"(?<=\n)<!--[^\r\n]*?-->")
"""A comment that is a line of its own, such as a template's advice."""
_VERBATIM = re.compile(rb"\s*<(?:pre|code|script|style|textarea)\b", re.IGNORECASE)
_HIDES_BLOCKS = (b"<", b"\t", b"    ", b"```", b"~~~")
"""What a file must hold for anything but a code span to hide a part of it."""


class WikiLink(NamedTuple):
    """A `[[target#part|alias]]`. Part and alias are empty where they are not given, the target in `[[#part]]`."""

    span: Span
    target_span: Span
    target: str
    part: str
    alias: str
    embed: bool
    """Whether an exclamation mark stands before it."""


def wiki_links(data: bytes, start: int = 0) -> tuple[WikiLink, ...]:
    r"""Every wiki link in document order; none in code, in HTML comments or before `start`.

    In a table the bar before the alias is written `\|`: the backslash belongs to the form, not to the target.
    """
    if data.find(b"[[", start) < 0:
        return ()
    shown = _without_line_comments(data, start)
    links = list(_written(shown, start))
    if _are_in_plain_sight(shown, start, links):
        return tuple(links)
    links = list(_written(data, start))
    hidden = _hidden(view_of(data), body_start(data, start))
    starts = [span.start for span in hidden]

    def is_seen(link: WikiLink) -> bool:
        i = bisect_right(starts, link.span.start) - 1
        return i < 0 or link.span.start >= hidden[i].end

    return tuple(filter(is_seen, links))


def _without_line_comments(data: bytes, start: int) -> bytes:
    """The bytes with a point for each byte of such a comment from `start` on."""
    if data.find(b"\n<!--", start) < 0:
        return data
    return data[:start] + _LINE_COMMENT.sub(lambda comment: b"." * len(comment.group()), data[start:])


def _are_in_plain_sight(data: bytes, start: int, links: Iterable[WikiLink]) -> bool:
    """Whether no link can be in code or a comment: no block hides any, and no code span opens before one.

    A code span ends with its paragraph, at a blank line at the latest.
    """
    if any(data.find(sign, start) >= 0 for sign in _HIDES_BLOCKS):
        return False
    at = start
    for link in links:
        _, _, paragraph = data[at : link.span.start].rpartition(b"\n\n")
        if b"`" in paragraph:
            return False
        at = link.span.start
    return True


def retarget(data: bytes, leads_to: Callable[[str], str | None], start: int = 0) -> bytes:
    """The bytes with links leading where `leads_to` says for their target, None for as it is.

    Alias, part and the form of each link stay.
    """
    found = [(link.target_span, leads_to(link.target)) for link in wiki_links(data, start)]
    return splice(data, [(span, new.encode()) for span, new in found if new is not None])


def relink(data: bytes, old: str, new: str, start: int = 0) -> bytes:
    """The bytes with every link to `old` leading to `new`; alias, part and the form of the link stay.

    A target is `old` where it is spelled the same, `.md` aside. A link with a folder in it is another target:
    `relink(data, "folder/old", "folder/new")`.
    """
    return retarget(data, {old: new, f"{old}.md": f"{new}.md"}.get, start)


def _is_escaped(data: bytes, at: int) -> bool:
    first = at
    while first and data[first - 1] == ord("\\"):
        first -= 1
    return (at - first) % 2 == 1


def _written(data: bytes, start: int) -> Iterator[WikiLink]:
    """What is written like a link, with no backslash before it; it has a target or a part."""
    for match in _LINK.finditer(data, start):
        at = match.start()
        is_embed = at > start and data[at - 1] == ord("!")
        link = _link(match, is_embed)
        if (link.target or link.part) and not _is_escaped(data, at - is_embed):
            yield link


def _link(match: re.Match[bytes], is_embed: bool) -> WikiLink:
    target, part, alias = match.groups(default=b"")
    if match.group(3) is not None and match.group(2) is None:
        target = target.removesuffix(b"\\")
    elif match.group(3) is not None:
        part = part.removesuffix(b"\\")
    name = target.strip()
    at = match.start(1) + target.find(name)
    # Blanks of ASCII alone: what a target's span leaves out is exactly what its text leaves out.
    texts = [text.strip().decode("utf-8", "replace") for text in (name, part, alias)]
    span = Span(match.start() - is_embed, match.end())
    return WikiLink(span, Span(at, at + len(name)), texts[0], texts[1], texts[2], is_embed)


_HIDING = frozenset(("Code", "CodeBlock", "HtmlBlock", "InlineHtml", "Table"))


def _hidden(view: bytes, start: int) -> list[Span]:
    """Code and HTML comments, in order and without overlaps."""
    hidden: list[Span] = []
    code: Span | None = None
    table_end = 0
    for mark in marks(view, start, _HIDING):
        if mark.edge == "End" or mark.span.start < table_end:
            continue
        if mark.name == "Table":
            hidden.extend(_hidden_in_rows(view, mark.span))
            table_end = mark.span.end
        elif mark.name != "InlineHtml":
            is_code = mark.name != "HtmlBlock" or _VERBATIM.match(view, mark.span.start)
            hidden.extend([mark.span] if is_code else _comments(view, mark.span))
        elif code and mark.text.lower().startswith("</code"):
            while hidden and hidden[-1].start >= code.start:
                hidden.pop()
            hidden.append(Span(code.start, mark.span.end))
            code = None
        elif mark.text.lower().startswith("<code"):
            code = code or mark.span
        else:
            hidden.extend(_comments(view, mark.span))
    return hidden


_TICKS_OR_COMMENT = re.compile(rb"\\?(`++)|<!--.*?(?:-->|\Z)")


def _hidden_in_rows(view: bytes, table: Span) -> Iterator[Span]:
    """Code and comments of a table, row by row: the parser drops what stands beyond the last column."""
    at = table.start
    for row in view[table.start : table.end].splitlines(keepends=True):
        if b"[[" in row and (b"`" in row or b"<" in row):
            yield from _hidden_in_row(row, at)
        at += len(row)


def _hidden_in_row(row: bytes, at: int) -> Iterator[Span]:
    """A code span closes with as many backticks as it opens with; one behind a backslash opens none."""
    found = list(_TICKS_OR_COMMENT.finditer(row))
    closing: dict[int, list[int]] = {}
    for match in reversed(found):
        closing.setdefault(len(match.group(1) or b""), []).append(match.end())
    end = 0
    for match in found:
        ticks = match.group(1)
        ends = closing[len(ticks or b"")]
        ends.pop()
        if match.start() < end or (ticks and row[match.start() : match.start() + 1] == b"\\"):
            continue
        if ticks is None:
            end = match.end()
        elif ends:
            end = ends[-1]
        else:
            continue
        yield Span(at + match.start(), at + end)


def _comments(view: bytes, span: Span) -> Iterator[Span]:
    for match in _COMMENT.finditer(view, span.start, span.end):
        yield Span(*match.span())
