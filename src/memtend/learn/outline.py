"""Markdown, cut at its headings (vault spec, 2.1).

Every heading begins a segment that runs to the next heading; small ones join within the section they belong to,
so that a segment is a section with its subsections wherever that fits. A section that is too long is cut between
its blocks; fences, tables, HTML blocks and list items are never cut. Frontmatter is no content.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from memtend import markdown
from memtend.learn import prose
from memtend.learn.sizes import LARGE, Cut, Group, Piece, Span, fit, join_small, joined, pieces_of, span_of
from memtend.text import first_line, sentences, shorten

TITLE_LIMIT = 80
"""Characters of a title."""
_BEGINNING = 20_000
"""Characters in which the first heading is looked for."""
_WHOLE_BLOCKS = frozenset({"code", "table", "html"})
_UNTELLING = frozenset(
    {"background", "context", "description", "details", "example", "examples", "introduction", "notes"}
    | {"options", "overview", "summary", "usage"}
)
"""Headings that say nothing without the one above."""

_NO_SENTENCE = re.compile(r"$|#{1,6}(\s|$)|\||<|[*_\s]{3,}$")
"""Blank lines, headings, table rows, HTML and rules of stars."""

_MARK = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
"""What stands before the text of a list's item."""

TopicOf = Callable[[str], str]


class _Part(NamedTuple):
    """A heading's own text: from its line to the next heading."""

    path: tuple[str, ...]
    blocks: list[tuple[str, Span]]
    topic: str


def cut(text: str, body_start: int, topic_of: TopicOf) -> list[Cut]:
    """The segments of Markdown. `body_start` is the byte behind the frontmatter.

    `topic_of` gives the topic that a heading names, empty where it names none.
    """
    outline = _Outline(text, body_start)
    parts = list(outline.parts(topic_of))
    pieces = [piece for part in parts for piece in outline.pieces(part, is_alone=len(parts) == 1)]
    groups = join_small(pieces)
    titles = _distinct([_title(text, group) for group in groups], groups)
    return [
        Cut(group.span.start, group.span.end, title, group.topic) for group, title in zip(groups, titles, strict=True)
    ]


def items(text: str, body_start: int) -> list[Cut]:
    """Each outermost item of the lists as a segment, without its mark; beside them every block but headings."""
    outline = _Outline(text, body_start)
    spans = [span for kind, block in outline.blocks() if kind != "heading" for span in outline.items(kind, block)]
    return [Cut(_behind_mark(text, span.start), span.end) for span in spans]


def _behind_mark(text: str, at: int) -> int:
    mark = _MARK.match(text, at)
    return mark.end() if mark else at


class _Outline:
    """A Markdown text by blocks, with offsets in characters (all of them at line starts)."""

    def __init__(self, text: str, body_start: int) -> None:
        self.text = text
        self._data = text.encode()
        self._body_start = body_start
        self._starts = [0]
        for line in text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def parts(self, topic_of: TopicOf) -> Iterator[_Part]:
        """The text before the first heading, then each heading with its own text."""
        open_: list[tuple[int, str, str]] = []
        blocks: list[tuple[str, Span]] = []
        for kind, span in self.blocks():
            heads = markdown.sections(self.text[span.start : span.end].encode()) if kind == "heading" else ()
            for head in heads[:1]:
                if blocks:
                    yield _part(open_, blocks)
                while open_ and open_[-1][0] >= head.level:
                    open_.pop()
                open_.append((head.level, head.title, topic_of(head.title) or (open_[-1][2] if open_ else "")))
                blocks = []
            blocks.append((kind, span))
        if blocks:
            yield _part(open_, blocks)

    def blocks(self) -> Iterator[tuple[str, Span]]:
        """Kind and span of each block, the blank lines behind it included."""
        found = markdown.blocks(self._data, self._body_start)
        for number, block in enumerate(found):
            end = self._starts[found[number + 1].line - 1] if number + 1 < len(found) else len(self.text)
            yield block.kind, span_of(self.text, self._starts[block.line - 1], end)

    def pieces(self, part: _Part, *, is_alone: bool) -> Iterator[Piece]:
        """The part as one piece, or as several where it is too long or has no heading to go by."""
        whole = joined(span for _, span in part.blocks)
        if whole.size <= LARGE and not (is_alone and not part.path):
            yield Piece(whole, part.path, True, part.topic)
            return
        for number, span in enumerate(prose.subjects(self.text, list(self._atoms(part.blocks)))):
            yield Piece(span, part.path, number == 0, part.topic)

    def _atoms(self, blocks: Iterable[tuple[str, Span]]) -> list[Span]:
        """Blocks, the large ones as far apart as they may be; a lead-in stays with what it leads to."""
        found: list[Span] = []
        leads_in = False
        for kind, span in blocks:
            for atom in self._apart(kind, span):
                if leads_in and fit(found[-1], atom):
                    found[-1] = joined((found[-1], atom))
                else:
                    found.append(atom)
                leads_in = False
            leads_in = kind == "heading" or self.text[span.start : span.end].rstrip().endswith(":")
        return found

    def _apart(self, kind: str, span: Span) -> list[Span]:
        if span.size <= LARGE or kind in _WHOLE_BLOCKS:
            return [span]
        return self.items(kind, span) if kind == "list" else pieces_of(self.text, span)

    def items(self, kind: str, span: Span) -> list[Span]:
        """The outermost items of a list; any other block whole."""
        if kind != "list":
            return [span]
        first = bisect_right(self._item_starts, span.start)
        last = bisect_right(self._item_starts, span.end - 1)
        borders = [span.start, *self._item_starts[first:last], span.end]
        return [span_of(self.text, start, end) for start, end in pairwise(borders)]

    @cached_property
    def _item_starts(self) -> list[int]:
        """Where the lines of all outermost list items begin, in characters."""
        newlines = [match.start() for match in re.finditer(b"\n", self._data)]
        items = markdown.list_items(self._data, self._body_start)
        return [self._starts[bisect_right(newlines, item.span.start - 1)] for item in items if item.depth == 0]


def _part(open_: Sequence[tuple[int, str, str]], blocks: list[tuple[str, Span]]) -> _Part:
    return _Part(tuple(title for _, title, _ in open_), blocks, open_[-1][2] if open_ else "")


def _title(text: str, group: Group) -> str:
    """The heading that a group begins with; else the headings it holds, or how it goes on with one."""
    first = group.pieces[0]
    heading = group.path[-1] if group.path else ""
    if first.leads and first.path == group.path and heading:
        return heading
    if first.path == group.path:
        own = first_line(text[first.span.start : first.span.end])
        return f"{heading} › {own}" if heading else own
    begun = {piece.path for piece in group.pieces if piece.leads}
    depth = len(group.path) + 1
    shown = [piece.path[:depth] if piece.path[:depth] in begun else piece.path for piece in group.pieces]
    names = [path[-1] for path in shown if path]
    return ", ".join(dict.fromkeys(name for name in names if name)) or heading


def first_heading(text: str) -> str:
    """The first heading that says something, empty where there is none near the beginning."""
    beginning = text[:_BEGINNING].rpartition("\n")[0] if len(text) > _BEGINNING else text
    return next((section.title for section in markdown.sections(beginning.encode()) if section.title), "")


def summary(text: str) -> str:
    """The first sentence below the headings at its start; of a list or table where there is no running text."""
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        bare = line.strip()
        if fence or bare.startswith(("```", "~~~")):
            fence = "" if fence and bare.startswith(fence) and not bare.strip(fence[0]) else fence or bare[:3]
        elif bare and not bare.strip("=-"):
            lines = []  # a rule, or what is above it is a heading
        elif _NO_SENTENCE.match(bare):
            if lines:
                break
        else:
            lines.append(bare)
    return next(iter(sentences("\n".join(lines))), "").strip("*_ ")


def _distinct(titles: Sequence[str], groups: Sequence[Group]) -> list[str]:
    """The titles within their limit, with the heading above where one is untelling or stands more than once."""
    counts = Counter(titles)
    found: list[str] = []
    for title, group in zip(titles, groups, strict=True):
        above = [name for name in group.pieces[0].path if name and name not in title]
        is_telling = counts[title] == 1 and title.lower() not in _UNTELLING
        found.append(shorten(title if is_telling or not above else f"{above[-1]} › {title}", TITLE_LIMIT))
    return found
