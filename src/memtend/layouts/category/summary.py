"""A category's summary as a value, as Markdown, and read back (category spec, 3.3).

    # Sessions — Compact Summary
    > Compacted from 3 files on 2026-06-30
    > Original token estimate: ~2140 | Summary: ~402

    ## Key Decisions
    ## Active Constraints
    ## Current State

Bullets only, each a sentence or list item of an original with its source behind it, and a note where another bullet
contradicts it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memtend import frontmatter
from memtend.layouts.category.entries import Document, read
from memtend.layouts.category.paths import SUMMARIES, summary_path
from memtend.layouts.category.statements import Kind, Statement
from memtend.markdown import list_items
from memtend.text import estimate_tokens, fold

SHARE = 0.20
"""The most of the originals' tokens that a summary takes, unless its constraints and decisions need more."""
HEADINGS = {Kind.DECISION: "Key Decisions", Kind.CONSTRAINT: "Active Constraints", Kind.STATE: "Current State"}
_SOURCES_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Bullet:
    """One line of a summary."""

    text: str
    kind: Kind
    sources: tuple[str, ...] = ()
    note: str = ""
    """What it contradicts: `disagrees with sessions/b.md (number: 500 / 800)`."""

    @property
    def line(self) -> str:
        """As it stands in the file."""
        shown = ", ".join(self.sources[:_SOURCES_SHOWN])
        more = f", +{len(self.sources) - _SOURCES_SHOWN}" if len(self.sources) > _SOURCES_SHOWN else ""
        source = f" ({shown}{more})" if shown else ""
        return f"- {self.text}{source}" + (f" ⚠️ {self.note}" if self.note else "")


@dataclass(frozen=True, slots=True)
class Kept:
    """How much of the originals a summary keeps: of each, how many it has and how many there are."""

    constraints: tuple[int, int] = (0, 0)
    decisions: tuple[int, int] = (0, 0)
    identifiers: tuple[int, int] = (0, 0)
    numbers: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary, ready to be written."""

    category: str
    day: str
    file_count: int
    original_tokens: int
    bullets: tuple[Bullet, ...]
    source: str = ""
    """The archive that holds the originals."""
    excess: str = ""
    """Why it takes more than its share; empty where it does not."""
    kept: Kept = Kept()
    contradictions: int = 0
    maker: str = "extract"
    """`extract`, or `model`."""

    @property
    def path(self) -> str:
        """Where it goes."""
        return summary_path(self.category)

    @property
    def limit_tokens(self) -> int:
        """Its share of the originals."""
        return int(self.original_tokens * SHARE)

    @property
    def tokens(self) -> int:
        """How long it is, keys and headings counted."""
        return estimate_tokens(self.text)

    @property
    def text(self) -> str:
        """The file."""
        body = render(self, 0)
        return body.replace("Summary: ~0", f"Summary: ~{estimate_tokens(body)}", 1)


def render(summary: Summary, tokens: int) -> str:
    """The Markdown of a summary."""
    keys: dict[str, frontmatter.Value] = {
        "type": "memory",
        "category": SUMMARIES,
        "id": f"{summary.category.upper()}-SUMMARY",
        "updated_at": summary.day,
        "source": summary.source or None,
    }
    head = frontmatter.render({key: value for key, value in keys.items() if value})
    lines = [
        f"# {title_of(summary.category)} — Compact Summary",
        f"> Compacted from {summary.file_count} files on {summary.day}",
        f"> Original token estimate: ~{summary.original_tokens} | Summary: ~{tokens}",
        *([f"> Over {SHARE:.0%}: {summary.excess}"] if summary.excess else ()),
    ]
    for kind, heading in HEADINGS.items():
        own = [bullet.line for bullet in summary.bullets if bullet.kind is kind]
        lines += ["", f"## {heading}", *own]
    return head + "\n" + "\n".join(lines) + "\n"


def title_of(category: str) -> str:
    """A category's name in a title."""
    return category[:1].upper() + category[1:]


_BEHIND = re.compile(
    r"(?P<text>.*?)"
    r"(?: \((?P<sources>[^\s()]+\.md(?:#[^\s()]*)?(?:, [^\s()]+\.md(?:#[^\s()]*)?)*(?:, \+\d+)?)\))?"
    r"(?: ⚠️ (?P<note>disagrees with .*))?",
    re.DOTALL,
)


def parse(path: str, data: bytes) -> tuple[Bullet, ...]:
    """The bullets of a summary, one that people wrote too; what is no bullet is left out."""
    document = read(path, data)
    return tuple(_bullets(document))


def _bullets(document: Document) -> Iterator[Bullet]:
    names = {fold(heading): kind for kind, heading in HEADINGS.items()}
    for item in list_items(document.data, document.frontmatter.body_start):
        above = [section for section in document.sections if section.start <= item.span.start]
        kind = names.get(fold(above[-1].title), Kind.STATE) if above else Kind.STATE
        text = " ".join(document.text(item.text_span).split())
        found = _BEHIND.fullmatch(text)
        if found is None or not found["text"]:
            continue
        sources = tuple(source for source in (found["sources"] or "").split(", ") if source and source[0] != "+")
        yield Bullet(found["text"], kind, sources, found["note"] or "")


def earlier(path: str, data: bytes) -> list[Statement]:
    """An earlier summary's bullets as what a new one is made of (category spec, 3.3)."""
    date = read(path, data).key("updated_at")
    return [
        Statement(bullet.text, bullet.kind, bullet.sources or (path,), date, order)
        for order, bullet in enumerate(parse(path, data))
    ]


def with_excess(summary: Summary, parts: Sequence[tuple[int, str]]) -> Summary:
    """The summary with a sentence on why it takes more than its share, where it does."""
    if summary.tokens <= summary.limit_tokens:
        return summary
    named = [f"{count} {noun if count == 1 else noun + 's'}" for count, noun in parts if count]
    reason = f"{', '.join(named)} kept whole." if named else "the originals are short."
    return replace(summary, excess=reason)


def texts_of(bullets: Iterable[Bullet]) -> list[str]:
    """What the bullets say, without sources and notes."""
    return [bullet.text for bullet in bullets]
