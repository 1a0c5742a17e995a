"""How a value becomes another one in place: the smallest change that keeps the way it is written."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from memtend.frontmatter.block import Entry, Raw, Remove, Style, Value, line_end
from memtend.frontmatter.lists import Item, read_block_list, read_flow
from memtend.frontmatter.reader import names
from memtend.frontmatter.scalars import block_written, can_be_plain, written


class Patch(NamedTuple):
    """Characters from, to, and what stands there instead."""

    start: int
    end: int
    text: str


_INDENTED_BELOW = re.compile(r"[\r\n]*[ \t]")
"""What a block scalar above it would take in."""
_ONE_LINE = (Style.PLAIN, Style.DOUBLE, Style.SINGLE)


def changed(text: str, entry: Entry, value: Value | Remove, newline: str) -> Iterator[Patch]:
    """The patches that give an entry another value."""
    extent = entry.extent
    if isinstance(value, Remove):
        yield Patch(extent.start, extent.end, "")
    elif isinstance(value, Raw) and value[:1].isspace():
        yield Patch(extent.colon, extent.end, value + newline)
    elif isinstance(value, tuple):
        yield from _list(text, entry, value, newline)
    elif value is None or isinstance(value, Raw):
        yield from _other(text, entry, "null" if value is None else value, newline)
    elif entry.style in _ONE_LINE:
        old = text[extent.value_start : extent.value_end]
        yield Patch(extent.value_start, extent.value_end, written(value, entry.style, old=old))
    elif entry.style in (Style.LITERAL, Style.FOLDED):
        is_open = _INDENTED_BELOW.match(text, extent.end) is not None
        new = None if is_open else block_written(value, entry.style, newline)
        yield Patch(extent.value_start, extent.value_end, new or written(value, Style.DOUBLE))
    else:
        yield from _other(text, entry, written(value), newline)


def _other(text: str, entry: Entry, new: str, newline: str) -> Iterator[Patch]:
    """A value of another kind: on the key's line, before its comment. Lines of the old value go."""
    extent, below = entry.extent, line_end(text, entry.extent.colon)
    if extent.value_start not in (extent.colon, below):
        yield Patch(extent.value_start, extent.value_end, new)
    elif entry.style is Style.RAW:
        yield Patch(extent.colon, extent.end, f" {new}{newline}")
    else:
        yield Patch(extent.colon, extent.colon, " " + new)
        yield Patch(below, max(below, extent.end), "")


def new_list(value: tuple[str, ...]) -> str:
    """A list in brackets."""
    return "[" + ", ".join(written(item, in_list=True) for item in value) + "]"


def _list(text: str, entry: Entry, value: tuple[str, ...], newline: str) -> Iterator[Patch]:
    extent = entry.extent
    if entry.style is Style.FLOW:
        yield Patch(extent.value_start, extent.value_end, _flow(text, entry, value))
    elif entry.style is Style.BLOCK and value:
        yield from _block(text, read_block_list(text, extent.value_start, extent.end).items, value, newline)
    elif entry.style in _ONE_LINE and isinstance(entry.value, str) and _fits(entry, entry.value, value):
        yield Patch(extent.value_start, extent.value_end, written(_joined(entry.value, value), entry.style))
    else:
        yield from _other(text, entry, new_list(value), newline)


def _fits(entry: Entry, old: str, value: tuple[str, ...]) -> bool:
    """Whether the names can be a comma string like the old one."""
    joined = _joined(old, value)
    return bool(value) and names(joined) == value and (entry.style is not Style.PLAIN or can_be_plain(joined))


def _joined(old: str, value: tuple[str, ...]) -> str:
    known = {name: piece.strip() for piece in old.split(",") for name in names(piece)}
    comma = "," if "," in old and ", " not in old else ", "
    return comma.join(known.get(name, name) for name in value)


def _flow(text: str, entry: Entry, value: tuple[str, ...]) -> str:
    """The list in brackets with other entries; those that stay keep their text and the gap before them."""
    flow = read_flow(text, entry.extent.value_start, entry.extent.value_end)
    items = flow.items
    if not items or not value:
        return new_list(value)
    gaps = [text[one.end : other.start] for one, other in pairwise(items)]
    usual = gaps[0] if gaps and "#" not in gaps[0] else ", "
    pieces = [text[entry.extent.value_start : items[0].start]]
    for index, name in _aligned(items, value):
        if len(pieces) > 1:
            pieces.append(gaps[index - 1] if index else usual)
        if index is None:
            pieces.append(written(name, items[0].style, in_list=True))
        else:
            pieces.append(text[items[index].start : items[index].end])
    return "".join((*pieces, text[items[-1].end : flow.end]))


def _block(text: str, items: list[Item], value: tuple[str, ...], newline: str) -> Iterator[Patch]:
    """The list with one entry a line: new lines like its first one, and lines that go."""
    at = _line_start(text, items[0])
    dash = text[at : items[0].start] if items[0].value is not None else "  - "
    kept: set[int] = set()
    for index, name in _aligned(items, value):
        if index is None:
            yield Patch(at, at, f"{dash}{written(name, items[0].style, in_list=True)}{newline}")
        else:
            kept.add(index)
            at = line_end(text, items[index].end)
    for index, item in enumerate(items):
        if index not in kept:
            yield Patch(_line_start(text, item), line_end(text, item.end), "")


def _line_start(text: str, item: Item) -> int:
    return text.rfind("\n", 0, item.start) + 1


def _aligned(items: list[Item], value: tuple[str, ...]) -> Iterator[tuple[int | None, str]]:
    """The new names in order, each with the index of the old entry that it is, None for a new one."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, [item.value or "" for item in items], value, autojunk=False)
    for tag, i, _, j, stop in matcher.get_opcodes():
        for k in range(j, stop):
            yield (i + k - j if tag == "equal" else None), value[k]
