"""The R7 gate: a durable entry may be archived only if it carries a marker (category spec, 2).

    > SUPERSEDED by DEC-XX        > RETRACTED        > OBSOLETE — {reason}

A marker is the first thing below a heading, in a quote, its keyword in capitals at the start of the quote. Symbols,
emphasis and brackets before and between its words are skipped; code, quotation marks and strike-through are not,
since they talk about a marker or take it back; and behind RETRACTED and OBSOLETE a sentence cannot just go on.
Whatever is no marker leaves the entry active.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from memtend.layouts.category.ids import ID, KEYWORDS, base_of, id_at


class Word(StrEnum):
    """What a marker says of an entry."""

    SUPERSEDED = "SUPERSEDED"
    RETRACTED = "RETRACTED"
    OBSOLETE = "OBSOLETE"


class Source(StrEnum):
    """Where a marker stands."""

    QUOTE = "quote"
    FRONTMATTER = "frontmatter"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker as it was read, whole or not."""

    word: Word
    ids: tuple[str, ...] = ()
    """The successors that are named."""
    reason: str = ""
    text: str = ""
    """As it is written, on one line."""
    line: int = 0
    source: Source = Source.QUOTE

    @property
    def is_complete(self) -> bool:
        """Whether it says enough to count: SUPERSEDED names an id, OBSOLETE gives a reason."""
        if self.word is Word.SUPERSEDED:
            return bool(self.ids)
        return self.word is Word.RETRACTED or bool(self.reason)

    @property
    def summary(self) -> str:
        """In few words: `SUPERSEDED by DEC-41`, `OBSOLETE — no longer sold`."""
        if self.ids:
            return f"{self.word} by {', '.join(self.ids)}"
        return f"{self.word} — {self.reason}" if self.reason else str(self.word)


_SKIPPED = frozenset(" \t*_:!.,;·•—–-→[]()")
_LIST = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_END = r"(?![^\W_]|-)"
"""The end of a word; emphasis may follow."""
_KEYWORD = re.compile(
    rf"({'|'.join(KEYWORDS)}){_END}(?=[\s*_]*(?:$|[^\w\s*]|(?i:by|on|since|as|in|after|because|due|per){_END}))",
)
_BY = re.compile(rf"(?i:by){_END}")
_AND = re.compile(rf"(?:and|und|et|y|e|和|及|与){_END}|[,/&+;、，]")
_LINK_TARGET = re.compile(r"\]\([^)\s]*\)")
_PLACEHOLDER = re.compile(r"\{[^}]*\}")
LOOSE = re.compile(rf"(?<![^\W_])(?<!-)(?:{'|'.join(KEYWORDS)}){_END}")
"""A keyword in capitals, wherever it stands."""


def read_quote(quote: str, line: int = 0) -> Marker | None:
    """The marker at the start of a quote, given with its `>` signs; None where it starts with something else."""
    lines = [text.lstrip() for text in quote.strip("\r\n").splitlines()]
    if not lines or not lines[0].startswith(">"):
        return None
    inner = [text.removeprefix(">") for text in lines]
    if _LIST.match(inner[0]) or inner[0].lstrip().startswith((">", "#")):
        return None
    found = _KEYWORD.match(inner[0], skipped(inner[0], 0))
    if found is None:
        return None
    own = [inner[0], *_continued(inner[1:])]
    said = " ".join(text.strip() for text in own)
    rest = said[said.index(found[1]) + len(found[1]) :]
    return _marker(Word(found[1]), rest, said, line)


def _continued(lines: list[str]) -> Iterator[str]:
    """The lines of a quote that go on with its first: up to a blank one or another marker."""
    for line in lines:
        if not line.strip() or _KEYWORD.match(line, skipped(line, 0)):
            return
        yield line


def _marker(word: Word, rest: str, said: str, line: int) -> Marker:
    ids, at = _successors(rest) if word is Word.SUPERSEDED else ((), 0)
    reason = rest[skipped(rest, at, also="`") :].strip(" \t*_")
    return Marker(word, ids, "" if _PLACEHOLDER.fullmatch(reason) else reason, said, line)


def _successors(rest: str) -> tuple[tuple[str, ...], int]:
    """The ids behind `by`, and where they end."""
    at = skipped(rest, 0)
    by = _BY.match(rest, at)
    ids: list[str] = []
    at = by.end() if by else len(rest)
    end = 0
    while by:
        found = id_at(rest, skipped(rest, at, also="`"))
        if found is None:
            break
        ids.append(found[0])
        end = at = _behind_link(rest, found[1])
        joint = _AND.match(rest, skipped(rest, at, but=",;", also="`"))
        if joint is None:
            break
        at = joint.end()
        following = _AND.match(rest, skipped(rest, at, but=",;"))  # `, and`
        at = following.end() if following else at
    return tuple(ids), end


def _behind_link(text: str, at: int) -> int:
    target = _LINK_TARGET.match(text, at)
    return target.end() if target else at


def skipped(text: str, at: int, *, but: str = "", also: str = "") -> int:
    """The place of the next thing that is neither blank, symbol nor emphasis. `but` are signs not to be skipped."""
    while at < len(text) and (
        (text[at] in _SKIPPED and text[at] not in but)
        or text[at] in also
        or unicodedata.category(text[at]) in ("So", "Mn", "Me", "Cf")
    ):
        at += 1
    return at


def from_frontmatter(status: str, successors: tuple[str, ...], line: int) -> Marker | None:
    """The marker that `status: superseded` with `superseded_by` is; without an id it is not whole."""
    if status.strip().casefold() != "superseded":
        return None
    ids = tuple(found[0] for name in successors if (found := ID.match(name)))
    text = f"status: {status}" + (f", superseded_by: {', '.join(ids)}" if ids else "")
    return Marker(Word.SUPERSEDED, ids, "", text, line, Source.FRONTMATTER)


def from_heading(title: str, line: int) -> Marker | None:
    """RETRACTED in a heading: a marker only for those who ask for it (`--heading-markers`)."""
    if not any(found[0] == Word.RETRACTED for found in LOOSE.finditer(title)):
        return None
    return Marker(Word.RETRACTED, (), "", title, line, Source.HEADING)


def disagree(quote: Marker, status: str, frontmatter: Marker | None) -> str:
    """In what the frontmatter contradicts a quote; empty where it does not."""
    if frontmatter is None:
        said = status.strip()
        return f"the frontmatter says status: {said}, the quote {quote.summary}" if said else ""
    ours, theirs = ({base_of(id) for id in marker.ids} for marker in (quote, frontmatter))
    if quote.word is not Word.SUPERSEDED or (theirs and ours != theirs):
        return f"the frontmatter says {frontmatter.summary}, the quote {quote.summary}"
    return ""
