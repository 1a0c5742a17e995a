"""What a session says, sentence by sentence and item by item, each known for a constraint, a decision or a state."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from memtend.layouts.category.cues import Cues, label_of
from memtend.layouts.category.entries import Document, Entry
from memtend.markdown import Block, ListItem, list_items
from memtend.text import count_words, sentences

_LONG_ITEM_WORDS = 40
"""A list item with more words is taken sentence by sentence."""


class Kind(StrEnum):
    """What a statement is."""

    CONSTRAINT = "constraint"
    DECISION = "decision"
    STATE = "state"


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or list item of an original, on one line, with where it stands."""

    text: str
    kind: Kind
    sources: tuple[str, ...]
    """Addresses, the newest first."""
    date: str = ""
    order: int = 0
    """Its place among the statements of its source."""


def statements(document: Document, cues: Cues, date: str = "", entry: Entry | None = None) -> list[Statement]:
    """The statements of a file, or of one entry of it, in order."""
    source = entry.address if entry else document.path
    found: list[Statement] = []
    for text, given in _told(document, cues, entry):
        line = " ".join(text.split())
        kind = kind_of(line, cues)
        if given is Kind.CONSTRAINT or (given and kind is Kind.STATE):
            kind = given
        if line and (kind is not Kind.STATE or _says_something(line)):
            found.append(Statement(line, kind, (source,), date, len(found)))
    return found


_LABEL = re.compile(r"[*_]{0,3}([^\W\d_][\w ]{2,24}?)[*_]{0,3}\s*[:：][*_]{0,3}\s*(?=\S)")


def kind_of(line: str, cues: Cues) -> Kind:
    """What a sentence is by its words, or by the label it begins with (`Decision: …`)."""
    label = _LABEL.match(line)
    named = label_of(label[1]) if label else ""
    if named == "constraint" or cues.is_constraint(line):
        return Kind.CONSTRAINT
    return Kind.DECISION if named == "decision" or cues.is_decision(line) else Kind.STATE


def _says_something(line: str) -> bool:
    return count_words(line) > 2 or not line.isascii() or any(char.isdigit() or char in "`_/" for char in line)


def _told(document: Document, cues: Cues, entry: Entry | None) -> Iterator[tuple[str, Kind | None]]:
    """Every text that stands for itself, with what the heading or sentence above it makes of it."""
    items = list_items(document.data, document.frontmatter.body_start) if _has_list(document) else ()
    starts = {section.start: section for section in document.sections}
    labels: list[tuple[int, Kind]] = []
    lead = ""
    for block in document.blocks:
        if entry is not None and not entry.span.start <= block.span.start < entry.span.end:
            continue
        if block.kind == "heading" and block.span.start in starts:
            section = starts[block.span.start]
            labels = [(level, kind) for level, kind in labels if level < section.level]
            if label := label_of(section.title):
                labels.append((section.level, Kind(label)))
            lead = ""
            continue
        kind = labels[-1][1] if labels else None
        yield from ((text, given or kind) for text, given in _of_block(document, block, items, lead, cues))
        lead = _lead(document.text(block.span)) if block.kind == "paragraph" else ""


def _has_list(document: Document) -> bool:
    return any(block.kind == "list" for block in document.blocks)


def _lead(text: str) -> str:
    """The sentence that leads to a list; empty where the text does not end with a colon."""
    last = sentences(text)[-1:]
    return last[0] if last and last[0].rstrip("*_ ").endswith((":", "：")) else ""


def _of_block(
    document: Document, block: Block, items: Sequence[ListItem], lead: str, cues: Cues
) -> Iterator[tuple[str, Kind | None]]:
    text = document.text(block.span)
    if block.kind == "list":
        own = [item for item in items if block.span.start <= item.span.start < block.span.end]
        yield from _of_items(document, own, lead, cues)
    elif block.kind == "table":
        rows = [line for line in text.splitlines()[2:] if line.strip(" |-:")]
        yield from ((row.strip().strip("|").strip(), None) for row in rows)
    elif block.kind in ("paragraph", "quote"):
        if block.kind == "quote":
            text = re.sub(r"^[ \t]*>[ \t]?", "", text, flags=re.MULTILINE)
        led = _lead(text)
        for sentence in sentences(text):
            if sentence != led or not _leads(led, cues):
                yield sentence, None


def _leads(lead: str, cues: Cues) -> bool:
    """Whether a sentence before a list makes its items constraints or decisions."""
    return bool(lead) and kind_of(lead, cues) is not Kind.STATE


def _of_items(
    document: Document, items: Sequence[ListItem], lead: str, cues: Cues
) -> Iterator[tuple[str, Kind | None]]:
    """List items; those below a sentence such as `Never:` go with it, since alone they would say the opposite."""
    leads: list[str] = [lead if _leads(lead, cues) else ""]
    for item in items:
        del leads[item.depth + 1 :]
        text = " ".join(document.text(item.text_span).split())
        above = leads[-1]
        own_lead = text if text.rstrip("*_ ").endswith((":", "：")) and _leads(text, cues) else ""
        leads.append(f"{above} {own_lead}".strip())
        if own_lead or not text:
            continue
        if above:
            yield f"{above} {text}", kind_of(above, cues)
        elif count_words(text) <= _LONG_ITEM_WORDS:
            yield text, None
        else:
            yield from ((sentence, None) for sentence in sentences(text))
