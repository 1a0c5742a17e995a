"""Reading a block leniently, and the one rule for lists of names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from memtend.frontmatter.block import BOM, KEY, Fault, Fences, Raw, Value, fences, opens, text_of
from memtend.frontmatter.scan import Scan


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """What the head of a file says."""

    values: Mapping[str, Value] = field(default_factory=dict)
    """By key, in the order of the file; the text as it is written. A key that stands twice has its last value."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """The line of each key, from 1, counted from the start of the file."""
    body_start: int = 0
    """Where the body begins, in bytes; behind a byte order mark where there is no block."""
    is_present: bool = False
    """Whether there is a block. Text between two rules is none, and neither is one that never closes."""
    is_broken: bool = False
    """Whether the block cannot be edited safely. What could be read is in `values` all the same."""
    problems: tuple[Fault, ...] = ()


def read(data: bytes) -> Frontmatter:
    """What the head of a file says. Never raises, whatever the file holds."""
    bom = len(BOM) if data.startswith(BOM) else 0
    where = fences(data)
    if where is None:
        return _without_end(data, bom)
    text = text_of(data, where)
    if not is_mapping(text):
        return Frontmatter(body_start=bom)
    scan = Scan(text, 2)
    return Frontmatter(
        values={entry.key: entry.value for entry in scan.entries},
        lines={entry.key: entry.line for entry in scan.entries},
        body_start=where.body_start,
        is_present=True,
        is_broken=scan.is_broken,
        problems=tuple(sorted(scan.faults, key=lambda fault: fault[2:])),
    )


def block_of(data: bytes) -> tuple[Fences, str] | None:
    """Where the block lies and its text; None where `read` finds no block."""
    where = fences(data)
    text = text_of(data, where) if where else ""
    return (where, text) if where and is_mapping(text) else None


_WORD_KEY = re.compile(rb"[A-Za-z_][\w-]*:(?:[ \t]|\r?\n)")


def _without_end(data: bytes, bom: int) -> Frontmatter:
    """A file without a block. A block that lost its closing fence is body text, and no second one goes above it."""
    start = opens(data)
    if not start or not _WORD_KEY.match(data, start):
        return Frontmatter(body_start=bom)
    fault = Fault("unclosed-block", "the block has no closing ---; it is read as text", 1, 1)
    return Frontmatter(body_start=bom, is_broken=True, problems=(fault,))


def is_mapping(text: str) -> bool:
    """Whether text between two fences is a block of keys, sound or broken, and not prose between two rules.

    An empty block is one; comments alone are not (they may be headings). Otherwise the first line decides
    where it is a key and at least half of the lines that are not indented are.
    """
    keys = others = 0
    for line in text.splitlines():
        if line[:1] in ("", " ", "\t", "#", "-") or not line.strip():
            continue
        is_key = KEY.match(line) is not None or line[0] in "{?"
        keys, others = keys + is_key, others + (not is_key)
    return keys >= others if keys else not text.strip()


def raw(data: bytes, key: str) -> str | None:
    """The text behind a key's colon as it is written, comments left out; None where the key is not there."""
    found = block_of(data)
    if found is None:
        return None
    entries = [entry for entry in Scan(found[1], 2).entries if entry.key == key]
    return found[1][entries[-1].value_start : entries[-1].value_end].strip() if entries else None


def names(value: Value) -> tuple[str, ...]:
    """The names in a value of `tags` or `keywords`, by the one rule for files, command line and tools.

    A list, `a, b`, `[a, b]`, `"a"`, `#a` and `[PATTERN]` all give plain names: split at commas, without the
    brackets, quotes, hash signs and blanks around them, empty ones left out. What is nested gives none.
    """
    if value is None or (isinstance(value, Raw) and ("\n" in value or "{" in value)):
        return ()
    if isinstance(value, tuple):
        return tuple(name for item in value for name in names(item))
    text = value.strip()
    if text.startswith("[") and text.endswith("]") and "]" not in text[1:-1]:
        text = text[1:-1]
    if text.startswith("#") and all(word.startswith("#") for word in text.replace(",", " ").split()):
        text = text.replace(" ", ",")
    return tuple(name for name in map(_bare, text.split(",")) if name)


def _bare(piece: str) -> str:
    piece = piece.strip()
    while len(piece) > 1 and piece[0] + piece[-1] in ("[]", '""', "''"):
        piece = piece[1:-1].strip()
    return piece.lstrip("#").strip()
