"""Changing one key and no other byte, and writing new blocks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memtend.errors import Refused, SelfCheckFailed
from memtend.frontmatter.block import BOM, KEY, Entry, Raw, Remove, Style, Value, content_end, line_end
from memtend.frontmatter.reader import Frontmatter, block_of, names, read
from memtend.frontmatter.scalars import can_be_plain, plain_by_default, written
from memtend.frontmatter.scan import Item, Scan, accepts, block_items, flow_items

_WIDTH = 100
"""Columns up to which a new list stays on one line."""
_UNWRITABLE = frozenset(map(chr, (*range(9), *range(11, 32), *range(127, 160), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)))
"""What a block scalar cannot hold."""

Patch = tuple[int, int, str]
"""Characters from, to, and what stands there instead."""


def render(values: Mapping[str, Value]) -> str:
    """A new block with its fences. Whatever needs quotes gets them: any text reads back as the same text.

    Raises Refused for text that cannot be UTF-8.
    """
    return "---\n" + "".join(_line(key, value, "\n") for key, value in values.items()) + "---\n"


def edit(data: bytes, changes: Mapping[str, Value | Remove], *, after: Sequence[str] = ()) -> bytes:
    """The file with some keys changed, added or removed, and every other byte as it was.

    A value keeps the way it is written where that can hold the new one: its quotes, a list on one line or
    many, a comma string, the comment behind it. New keys go to the end of the block, or, where `after` gives
    the usual order of keys, behind the nearest of those before it. A file without a block gets one in front.
    Raises Refused for a broken block, for a key that stands twice and for text that cannot be UTF-8, and
    SelfCheckFailed where the result would not read as meant.
    """
    before = read(data)
    if before.is_broken:
        raise _broken(before)
    found = block_of(data)
    if found is None:
        result = _with_block(data, changes)
    else:
        where, text = found
        new = _edited(text, changes, after, data[where.text_start - 2 : where.text_start] == b"\r\n")
        if not new.strip() and text.strip():
            result = (BOM if data.startswith(BOM) else b"") + data[where.body_start :]
        else:
            result = data[: where.text_start] + new.encode("utf-8", "surrogateescape") + data[where.text_end :]
    _require_meant(data, before, changes, result)
    return result


def _broken(front: Frontmatter) -> Refused:
    fault = front.problems[0]
    return Refused(
        f"the frontmatter cannot be edited safely: line {fault.line}, column {fault.column}: {fault.message}",
        hint="Mend that line by hand; the file was left as it is.",
    )


def _with_block(data: bytes, changes: Mapping[str, Value | Remove]) -> bytes:
    values = {key: value for key, value in changes.items() if not isinstance(value, Remove)}
    if not values:
        return data
    bom = BOM if data.startswith(BOM) else b""
    block = render(values)
    if data.count(b"\r\n") * 2 > data.count(b"\n"):
        block = block.replace("\n", "\r\n")
    return bom + block.encode() + data[len(bom) :]


def _edited(text: str, changes: Mapping[str, Value | Remove], after: Sequence[str], is_windows: bool) -> str:
    newline = "\r\n" if is_windows else "\n"
    entries: dict[str, Entry] = {}
    twice: set[str] = set()
    for entry in Scan(text, 2).entries:
        if entry.key in entries:
            twice.add(entry.key)
        entries[entry.key] = entry
    patches: list[Patch] = []
    for key, value in changes.items():
        if key not in entries or _is_same(value, entries[key].value):
            continue
        if key in twice:
            raise Refused(f"{key} stands twice in the frontmatter", hint="Keep one of the two lines by hand.")
        patches += _patches(text, entries[key], value, newline)
    new = {key: value for key, value in changes.items() if key not in entries and not isinstance(value, Remove)}
    patches += _additions(text, entries, new, after, newline)
    return _apply(text, patches)


def _apply(text: str, patches: Iterable[Patch]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(patches, key=lambda patch: patch[:2]):
        pieces += (text[at:start], new)
        at = end
    return "".join((*pieces, text[at:]))


def _is_same(value: Value | Remove, old: Value) -> bool:
    if isinstance(value, tuple) and isinstance(old, str) and not isinstance(old, Raw):
        return names(old) == value
    return value == old and not isinstance(value, Remove)


# --- new entries -----------------------------------------------------------------------------------------


def _additions(
    text: str, entries: Mapping[str, Entry], new: Mapping[str, Value], after: Sequence[str], newline: str
) -> Iterator[Patch]:
    usual = {key: i for i, key in enumerate(after)}
    for key in sorted(new, key=lambda key: usual.get(key, len(after))):
        at = _place(entries, key, after) if after else len(text)
        at = len(text) if at is None else at
        yield at, at, _line(key, new[key], newline)


def _place(entries: Mapping[str, Entry], key: str, after: Sequence[str]) -> int | None:
    """Behind the nearest key that usually stands before it, else before the nearest that stands behind it."""
    here = after.index(key) if key in after else len(after)
    for earlier in reversed(after[:here]):
        if earlier in entries:
            return entries[earlier].end
    return next((entries[later].start for later in after[here + 1 :] if later in entries), None)


def _line(key: str, value: Value, newline: str) -> str:
    head = written(key, Style.PLAIN if can_be_plain(key, in_list=True) else None) + ":"
    if isinstance(value, Raw):
        return head + value + newline
    if isinstance(value, tuple):
        line = f"{head} {_new_list(value)}"
        if len(line) <= _WIDTH or not value:
            return line + newline
        return head + newline + "".join(f"  - {written(item, in_list=True)}{newline}" for item in value)
    return f"{head} {_new_scalar(value)}{newline}"


def _new_scalar(value: str | None) -> str:
    return "null" if value is None else written(value)


def _new_list(value: tuple[str, ...]) -> str:
    return "[" + ", ".join(written(item, in_list=True) for item in value) + "]"


# --- changed entries -------------------------------------------------------------------------------------


def _patches(text: str, entry: Entry, value: Value | Remove, newline: str) -> list[Patch]:
    if isinstance(value, Remove):
        return [(entry.start, entry.end, "")]
    if isinstance(value, Raw):
        return [(_colon(text, entry), entry.end, value + newline)]
    if isinstance(value, tuple):
        return _list_patches(text, entry, value, newline)
    if entry.style in (Style.LITERAL, Style.FOLDED) and value is not None:
        return [(entry.value_start, entry.value_end, _block_scalar(value, entry.style, newline))]
    if value is None or entry.style not in (Style.PLAIN, Style.DOUBLE, Style.SINGLE):
        return _whole(text, entry, _new_scalar(value))
    old = text[entry.value_start : entry.value_end] if entry.style is Style.PLAIN else ""
    return [(entry.value_start, entry.value_end, written(value, entry.style, old=old))]


def _colon(text: str, entry: Entry) -> int:
    """Behind the colon of the key."""
    head = KEY.match(text, entry.start)
    return text.rindex(":", entry.start, head.end()) + 1 if head else entry.value_start


def _whole(text: str, entry: Entry, new: str) -> list[Patch]:
    """Another kind of value: on the key's line, before its comment; lines that belonged to the old one go."""
    colon = _colon(text, entry)
    if entry.style in (Style.BLOCK, Style.RAW) and entry.value_end > line_end(text, colon):
        return [(colon, colon, " " + new), (line_end(text, colon), entry.end, "")]
    if entry.value_start == colon:
        return [(colon, max(colon, entry.value_end), " " + new)]
    return [(entry.value_start, entry.value_end, new)]


def _block_scalar(value: str, style: Style, newline: str) -> str:
    body = value.rstrip("\n")
    rows = body.split("\n")
    is_odd = not body or body[0] in " \t\n" or any(row and not row.strip() for row in rows)
    if is_odd or len(value) - len(body) > 1 or not _UNWRITABLE.isdisjoint(value):
        return written(value, Style.DOUBLE)
    written(value)
    sign = ">" if style is Style.FOLDED and len(rows) == 1 else "|"
    chomp = "" if value.endswith("\n") else "-"
    return newline.join((sign + chomp, *("  " + row if row else "" for row in rows)))


def _list_patches(text: str, entry: Entry, value: tuple[str, ...], newline: str) -> list[Patch]:
    if entry.style is Style.FLOW:
        return [(entry.value_start, entry.value_end, _flow_list(text, entry, value))]
    if entry.style is Style.BLOCK and value:
        items, _ = block_items(text, entry.value_start, entry.value_end)
        return list(_block_list(text, items or [], value, newline))
    if entry.style in (Style.PLAIN, Style.DOUBLE, Style.SINGLE) and isinstance(entry.value, str):
        joined = _comma_string(entry.value, value)
        if joined and (entry.style is not Style.PLAIN or can_be_plain(joined)):
            return [(entry.value_start, entry.value_end, written(joined, entry.style))]
    return _whole(text, entry, _new_list(value))


def _comma_string(old: str, value: tuple[str, ...]) -> str:
    """The names as the comma string that the old one was; empty where that would not read back."""
    known = {name: piece.strip() for piece in old.split(",") for name in names(piece)}
    comma = "," if "," in old and ", " not in old else ", "
    joined = comma.join(known.get(name, name) for name in value)
    return joined if names(joined) == value else ""


def _flow_list(text: str, entry: Entry, value: tuple[str, ...]) -> str:
    items, close, _ = flow_items(text, entry.value_start, entry.value_end)
    if not items or not value:
        return _new_list(value)
    gaps = [text[a.end : b.start] for a, b in zip(items, items[1:], strict=False)]
    usual = gaps[0] if gaps and "#" not in gaps[0] else ", "
    pieces = [text[entry.value_start : items[0].start]]
    for index, name in _aligned(items, value):
        if len(pieces) > 1:
            pieces.append(gaps[index - 1] if index else usual)
        pieces.append(written(name, items[0].style, in_list=True) if index is None else _own(text, items[index]))
    return "".join((*pieces, text[items[-1].end : close]))


def _own(text: str, item: Item) -> str:
    return text[item.start : item.end]


def _block_list(text: str, items: list[Item], value: tuple[str, ...], newline: str) -> Iterator[Patch]:
    first = text.rfind("\n", 0, items[0].start) + 1
    dash = text[first : items[0].start] if items[0].value is not None else "  - "
    style = items[0].style
    kept = set()
    at = first
    for index, name in _aligned(items, value):
        if index is None:
            yield at, at, f"{dash}{written(name, style, in_list=True)}{newline}"
        else:
            kept.add(index)
            at = line_end(text, items[index].end)
    for index, item in enumerate(items):
        if index not in kept:
            yield text.rfind("\n", 0, item.start) + 1, line_end(text, item.end), ""


def _aligned(items: list[Item], value: tuple[str, ...]) -> Iterator[tuple[int | None, str]]:
    """The new names in order, each with the index of the old item that it is, None for a new one."""
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, [item.value or "" for item in items], value, autojunk=False)
    for tag, i, _, j, end in matcher.get_opcodes():
        for k in range(j, end):
            yield (i + k - j if tag == "equal" else None), value[k]


# --- the check -------------------------------------------------------------------------------------------


def _require_meant(data: bytes, before: Frontmatter, changes: Mapping[str, Value | Remove], result: bytes) -> None:
    """Raise SelfCheckFailed unless the result reads as meant and everything else is as it was."""
    after = read(result)
    wrong = [key for key, value in changes.items() if not _reads_as(after.values.get(key), value)]
    expected = [key for key in before.values if key not in changes]
    wrong += [key for key in expected if after.values.get(key, ()) != before.values[key]]
    wrong += [key for key in after.values if key not in before.values and key not in changes]
    if after.is_broken or result[after.body_start :] != data[before.body_start :]:
        wrong.append("---")
    old, new = block_of(data), block_of(result)
    if old and new and accepts(old[1]) and not accepts(new[1]):
        wrong.append("YAML")
    if wrong:
        raise SelfCheckFailed(
            f"the frontmatter would not read as meant ({', '.join(wrong[:5])})",
            hint="Nothing was written. Please report this with the file concerned.",
        )


def _reads_as(found: Value, meant: Value | Remove) -> bool:
    if isinstance(meant, Remove):
        return found is None
    return found == meant or (isinstance(meant, tuple) and isinstance(found, str) and names(found) == meant)
