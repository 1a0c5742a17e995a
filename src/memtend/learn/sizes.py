"""How large a segment is, how small ones join and where long ones may be cut (vault spec, 2.1: Sizes).

Everything works on spans of characters that tile a text. A cut falls between lines; only a line that is itself
longer than a segment may be is cut inside: behind a sentence, else at a blank, else between two characters.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from memtend.text import estimate_tokens

SMALL = 100
"""Tokens under which a segment joins a neighbour of the same topic."""
WHOLE = 500
"""Tokens under which an input is one segment; also the most that small ones are joined to."""
LARGE = 800
"""Tokens over which a segment is cut."""
_CHARACTERS_A_TOKEN = 10
"""Of text without blanks (base64, minified code): it has no words to count, and still a size."""

_SENTENCE_END = re.compile(r"[.!?…؟।][\"'”’»)\]*_]*(?=\s)|[。！？][」』”’）]*")
_LINE_END = re.compile(r"[.!?…؟।。！？:][\"'”’»)\]*_`」』）]*\s*$")


class Cut(NamedTuple):
    """What becomes a segment: a range of characters, and what is known of it without reading it again."""

    start: int
    end: int
    title: str = ""
    topic: str = ""
    """Only where a heading says another one than its document has."""


class Span(NamedTuple):
    """A range of characters of a text, `end` not included, with its tokens and their fraction, and its letters.

    Both add up where sizes, being rounded down and the larger of two, do not.
    """

    start: int
    end: int
    tokens: float
    letters: int = 0

    @property
    def weight(self) -> float:
        """What its size is the whole part of: its tokens, or a tenth of its letters where that is more."""
        return max(self.tokens, self.letters / _CHARACTERS_A_TOKEN)

    @property
    def size(self) -> int:
        """Its whole tokens."""
        return int(self.weight)


def size_tokens(text: str) -> int:
    """The size that cutting goes by: the estimate of the spec, or a tenth of the characters where that is more."""
    return span_of(text, 0, len(text)).size


def span_of(text: str, start: int, end: int) -> Span:
    """A span with what it weighs."""
    part = text[start:end]
    words = part.split()
    tokens = 1.3 * len(words) if part.isascii() else estimate_tokens(part) + 0.9
    return Span(start, end, tokens, sum(map(len, words)))


def joined(spans: Iterable[Span]) -> Span:
    """Neighbouring spans as one."""
    parts = list(spans)
    tokens, letters = sum(part.tokens for part in parts), sum(part.letters for part in parts)
    return Span(parts[0].start, parts[-1].end, tokens, letters)


def fit(first: Span, second: Span, limit: int = LARGE) -> bool:
    """Whether two spans together are within a limit."""
    return joined((first, second)).size <= limit


def lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The lines of a range, each with its line end."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop + 1
        yield start, stop
        start = stop


def pieces_of(text: str, span: Span) -> list[Span]:
    """A span taken apart as far as cuts are allowed: lines that end a sentence close a piece.

    A piece larger than a segment should be falls into its lines, a line larger than one may be into parts.
    """
    if span.size <= SMALL:
        return [span]
    found: list[Span] = []
    begin = span.start
    for _, stop in lines(text, span.start, span.end):
        if stop == span.end or _LINE_END.search(text, max(begin, stop - 40), stop):
            piece = span_of(text, begin, stop)
            found += [piece] if piece.size <= WHOLE else _by_line(text, piece)
            begin = stop
    return found


def _by_line(text: str, span: Span) -> Iterator[Span]:
    for start, stop in lines(text, span.start, span.end):
        line = span_of(text, start, stop)
        if line.size <= LARGE:
            yield line
        else:
            yield from _inside_line(text, line)


def _inside_line(text: str, line: Span) -> Iterator[Span]:
    """Parts of a line, each behind a sentence where one ends outside a code span, and none larger than WHOLE."""
    begin = line.start
    ticks = 0
    counted = line.start
    for stop in _SENTENCE_END.finditer(text, line.start, line.end):
        ticks += text.count("`", counted, stop.end())
        counted = stop.end()
        if ticks % 2 == 0:
            yield from _no_larger(text, begin, stop.end())
            begin = stop.end()
    if begin < line.end:
        yield from _no_larger(text, begin, line.end)


def _no_larger(text: str, start: int, end: int) -> Iterator[Span]:
    """The range, cut at blanks (else between characters) into parts of about half the limit where it is too large."""
    span = span_of(text, start, end)
    if span.size <= WHOLE:
        yield span
        return
    length = max(1, (end - start) * (WHOLE // 2) // span.size)
    while start < end:
        stop = _safe_cut(text, start, min(end, start + length), end)
        yield span_of(text, start, stop)
        start = stop


def _safe_cut(text: str, start: int, near: int, end: int) -> int:
    if near >= end:
        return end
    blank = text.rfind(" ", start + (near - start) // 2, near)
    if blank > start:
        return blank + 1
    while near < end and (unicodedata.combining(text[near]) or unicodedata.category(text[near]) in ("Mn", "Mc", "Cf")):
        near += 1
    return near


class Piece(NamedTuple):
    """A part of a text that a heading or a definition names: the smallest thing that stands alone."""

    span: Span
    path: tuple[str, ...]
    """Names from the outermost down to its own; empty for what stands before the first."""
    leads: bool = True
    """Whether it begins what its path names (else it goes on with it)."""
    topic: str = ""
    """Only pieces of the same topic join."""


@dataclass(slots=True)
class Group:
    """Neighbouring pieces that make one segment."""

    pieces: list[Piece]
    path: tuple[str, ...]
    """What the paths of its pieces have in common, from the start."""
    span: Span
    topic: str


def join_small(pieces: Iterable[Piece]) -> list[Group]:
    """Groups in which the small pieces have joined a neighbour, a nearer relative before a farther one."""
    groups = [Group([piece], piece.path, piece.span, piece.topic) for piece in pieces]
    for depth in range(max((len(group.path) for group in groups), default=0), -1, -1):
        joined: list[Group] = []
        for relatives in _relatives(groups, depth):
            joined += _settle(_fill(relatives)) if len(relatives) > 1 else relatives
        groups = joined
    return groups


def _relatives(groups: Iterable[Group], depth: int) -> Iterator[list[Group]]:
    """Runs of groups below the same name at this depth; one that reaches higher stands alone."""
    run: list[Group] = []
    for group in groups:
        if run and (len(group.path) < depth or group.path[:depth] != run[-1].path[:depth] or len(run[-1].path) < depth):
            yield run
            run = []
        run.append(group)
    if run:
        yield run


def _fill(groups: Iterable[Group]) -> list[Group]:
    """Small ones join what is before them, up to the ideal size."""
    filled: list[Group] = []
    for group in groups:
        if filled and _may_join(filled[-1], group, WHOLE):
            _join(filled[-1], group)
        else:
            filled.append(group)
    return filled


def _settle(groups: Sequence[Group]) -> list[Group]:
    """What is still small joins its smaller neighbour, up to the largest size."""
    settled: list[Group] = []
    for number, group in enumerate(groups):
        following = groups[number + 1] if number + 1 < len(groups) else None
        if settled and _may_join(settled[-1], group, LARGE):
            prefers_next = (
                settled[-1].span.size >= SMALL
                and following is not None
                and following.span.weight < settled[-1].span.weight
                and _may_join(group, following, LARGE)
            )
            if not prefers_next:
                _join(settled[-1], group)
                continue
        settled.append(group)
    return settled


def _may_join(first: Group, second: Group, limit: int) -> bool:
    is_small = min(first.span.size, second.span.size) < SMALL
    return is_small and first.topic == second.topic and fit(first.span, second.span, limit)


def _join(group: Group, following: Group) -> None:
    group.pieces += following.pieces
    group.span = joined((group.span, following.span))
    group.path = common_path(group.path, following.path)


def common_path(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """The part of two paths that is the same, from the start."""
    same = next((i for i, (ours, theirs) in enumerate(zip(first, second, strict=False)) if ours != theirs), None)
    return first[: min(len(first), len(second)) if same is None else same]
