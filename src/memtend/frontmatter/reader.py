"""Reading a block leniently, and the one rule for lists of names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from memtend.frontmatter.block import BOM, Fault, Fences, Raw, Value, find_fences, opening_end
from memtend.frontmatter.judge import yaml_type
from memtend.frontmatter.plain import read_plain
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


class Located(NamedTuple):
    """A block in the bytes of a file."""

    fences: Fences
    scan: Scan


def read(data: bytes) -> Frontmatter:
    """What the head of a file says. Never raises, whatever the file holds."""
    return _plain(data) or describe(data, locate(data))


def _plain(data: bytes) -> Frontmatter | None:
    """What a plain block says; None for any other, and where there is none."""
    fences = find_fences(data)
    if fences is None:
        return None
    try:
        found = read_plain(data[fences.text_start : fences.text_end].decode())
    except UnicodeDecodeError:
        return None
    return Frontmatter(*found, fences.body_start, is_present=True) if found else None


def describe(data: bytes, found: Located | None) -> Frontmatter:
    """What the head of a file says, its block already found."""
    if found is None:
        return _without_block(data)
    scan = found.scan
    return Frontmatter(
        values={entry.key: entry.value for entry in scan.entries},
        lines={entry.key: entry.line for entry in scan.entries},
        body_start=found.fences.body_start,
        is_present=True,
        is_broken=scan.is_broken,
        problems=tuple(scan.faults),
    )


def locate(data: bytes) -> Located | None:
    """The block at the head of a file; None where there is none."""
    fences = find_fences(data)
    if fences is None:
        return None
    scan = Scan(data[fences.text_start : fences.text_end].decode("utf-8", "surrogateescape"))
    return Located(fences, scan) if _is_block(scan) else None


_WORD_KEY = re.compile(r"[A-Za-z_][\w-]*:\s")


def _is_block(scan: Scan) -> bool:
    """Whether what stands between two fences is a block of keys, sound or broken, and not prose between rules.

    An empty one is a block; comments alone are not (they may be headings). Where some lines are neither keys
    nor part of one, it is a block if its first line is a key of one word, if YAML calls it a mapping, or if at
    least half of the lines are keys.
    """
    if not scan.stray_lines:
        return bool(scan.entries) or not scan.text.strip()
    if _WORD_KEY.match(scan.text) or len(scan.entries) >= scan.stray_lines:
        return True
    return yaml_type(scan.text) is dict


def _without_block(data: bytes) -> Frontmatter:
    """All of the file is body. A block that lost its closing fence is too, but no second one goes above it."""
    bom = len(BOM) if data.startswith(BOM) else 0
    start = opening_end(data)
    text = data[start : start + 200].decode("utf-8", "replace")
    if not start or not _WORD_KEY.match(text) or find_fences(data):
        return Frontmatter(body_start=bom)
    fault = Fault("unclosed-block", "the block has no closing ---; it is read as text", 1, 1)
    return Frontmatter(body_start=bom, is_broken=True, problems=(fault,))


def raw(data: bytes, key: str) -> str | None:
    """The value of a key as it is written, quotes and all, without its comment; None where the key is not there."""
    found = locate(data)
    entries = [entry for entry in found.scan.entries if entry.key == key] if found else []
    if not found or not entries:
        return None
    extent = entries[-1].extent
    return found.scan.text[extent.value_start : extent.value_end].strip()


def names(value: Value) -> tuple[str, ...]:
    """The names in a value of `tags` or `keywords`, by the one rule for files, command line and tools.

    A list, `a, b`, `[a, b]`, `"a"`, `#a` and `[PATTERN]` all give plain names: split at commas, without the
    brackets, quotes, hash signs and blanks around them, empty ones left out. What is nested gives none.
    """
    if value is None or (isinstance(value, Raw) and ("\n" in value or "{" in value)):
        return ()
    if isinstance(value, tuple):
        return value if all(map(_IS_NAME, value)) else tuple([name for item in value for name in names(item)])
    text = value.strip()
    if text.startswith("[") and text.endswith("]") and "]" not in text[1:-1]:
        text = text[1:-1]
    if text.startswith("#") and all(word.startswith("#") for word in text.replace(",", " ").split()):
        text = text.replace(" ", ",")
    return tuple(name for name in map(_bare, text.split(",")) if name)


_IS_NAME = re.compile(r"\w[\w .:/+-]*\w").fullmatch
"""What the rule for names leaves as it is."""


def _bare(piece: str) -> str:
    piece = piece.strip()
    for _ in range(4):
        if len(piece) > 1 and piece[0] + piece[-1] in ("[]", '""', "''"):
            piece = piece[1:-1].strip()
    return piece.lstrip("#").strip()
