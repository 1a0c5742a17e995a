"""Changing one key and no other byte, and writing new blocks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memtend.errors import Refused, SelfCheckFailed
from memtend.frontmatter.block import BOM, Entry, Raw, Remove, Style, Value
from memtend.frontmatter.judge import yaml_type
from memtend.frontmatter.patches import Patch, changed, new_list
from memtend.frontmatter.reader import Frontmatter, Located, describe, locate, names, read
from memtend.frontmatter.scalars import can_be_plain, written
from memtend.frontmatter.scan import Scan

_WIDTH = 100
"""Columns up to which a new list stays on one line."""

Changes = Mapping[str, Value | Remove]
"""What `edit` is asked for."""


def render(values: Mapping[str, Value]) -> str:
    """A new block with its fences. Whatever needs quotes gets them: any text reads back as the same text.

    Raises Refused for text that cannot be UTF-8.
    """
    return "---\n" + "".join(_line(key, value, "\n") for key, value in values.items()) + "---\n"


def edit(data: bytes, changes: Changes, *, after: str | Sequence[str] = ()) -> bytes:
    """The file with some keys changed, added or removed, and every other byte as it was.

    A value keeps the way it is written where that can hold the new one: its quotes, a list on one line or
    many, a comma string, the comment behind it. New keys go to the end of the block, or, where `after` gives
    a key or the usual order of keys, behind the nearest of those before it. A file without a block gets one in front,
    and a block goes with its last key.
    Raises Refused for a broken block, for a key that stands twice and for text that cannot be UTF-8, and
    SelfCheckFailed where the result would not read as meant.
    """
    if not changes:
        return data
    found = locate(data)
    before = describe(data, found)
    if before.is_broken:
        fault = before.problems[0]
        raise Refused(
            f"the frontmatter cannot be edited safely: line {fault.line}, column {fault.column}: {fault.message}",
            hint="Mend that line by hand; the file was left as it is.",
        )
    order = (after,) if isinstance(after, str) else after
    result = _with_block(data, changes) if found is None else _with_changes(data, found, changes, order)
    _require_meant(data, before, changes, result)
    return result


def _with_block(data: bytes, changes: Changes) -> bytes:
    values = {key: value for key, value in changes.items() if not isinstance(value, Remove)}
    if not values:
        return data
    bom = BOM if data.startswith(BOM) else b""
    block = render(values)
    if data.count(b"\r\n") * 2 > data.count(b"\n"):
        block = block.replace("\n", "\r\n")
    return bom + block.encode() + data[len(bom) :]


def _with_changes(data: bytes, found: Located, changes: Changes, after: Sequence[str]) -> bytes:
    fences, scan = found
    newline = "\r\n" if data[: fences.text_start].endswith(b"\r\n") else "\n"
    text = _patched(scan.text, _patches(scan, changes, after, newline))
    if scan.entries and _leaves_no_key(scan, changes):
        if text.strip():
            raise Refused(
                "the last key of a block that holds comments cannot be removed",
                hint="Without a key the comments would become text of the note. Remove them by hand first.",
            )
        bare = (BOM if data.startswith(BOM) else b"") + data[fences.body_start :]
        if not text and not _is_block_or_broken(bare):
            return bare
    return data[: fences.text_start] + text.encode("utf-8", "surrogateescape") + data[fences.text_end :]


def _is_block_or_broken(data: bytes) -> bool:
    front = read(data)
    return front.is_present or front.is_broken


def _leaves_no_key(scan: Scan, changes: Changes) -> bool:
    is_gone = all(isinstance(changes.get(entry.key), Remove) for entry in scan.entries)
    return is_gone and all(isinstance(value, Remove) for value in changes.values())


def _patches(scan: Scan, changes: Changes, after: Sequence[str], newline: str) -> Iterator[Patch]:
    entries = {entry.key: entry for entry in scan.entries}
    keys = [entry.key for entry in scan.entries]
    for key, value in changes.items():
        if key not in entries or _is_same(value, entries[key].value):
            continue
        if keys.count(key) > 1:
            raise Refused(f"{key} stands twice in the frontmatter", hint="Keep one of the two lines by hand.")
        if entries[key].style is Style.RAW and "&" in str(entries[key].value) and "*" in scan.text:
            raise Refused(f"other keys may refer to {key} (&, *)", hint="Change it by hand.")
        yield from changed(scan.text, entries[key], value, newline)
    new = {key: value for key, value in changes.items() if key not in entries and not isinstance(value, Remove)}
    for key in sorted(new, key=lambda key: after.index(key) if key in after else len(after)):
        at = _place(entries, key, after, len(scan.text))
        yield Patch(at, at, _line(key, new[key], newline))


def _patched(text: str, patches: Iterable[Patch]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, new in sorted(patches, key=lambda patch: patch[:2]):
        pieces += (text[at:start], new)
        at = end
    return "".join((*pieces, text[at:]))


def _is_same(value: Value | Remove, old: Value) -> bool:
    if isinstance(value, tuple) and isinstance(old, str) and not isinstance(old, Raw):
        return names(old) == value
    return not isinstance(value, Remove) and value == old


def _place(entries: Mapping[str, Entry], key: str, after: Sequence[str], end: int) -> int:
    """Behind the nearest key that usually stands before it, else before the nearest behind it, else the end."""
    here = after.index(key) if key in after else len(after)
    for earlier in reversed(after[:here]):
        if earlier in entries:
            return entries[earlier].extent.end
    return next((entries[later].extent.start for later in after[here + 1 :] if later in entries), end)


def _line(key: str, value: Value, newline: str) -> str:
    """A new entry, one line unless it is a long list."""
    head = written(key, Style.PLAIN if can_be_plain(key, in_list=True) else None) + ":"
    if isinstance(value, Raw):
        return head + ("" if value[:1].isspace() else " ") + value + newline
    if not isinstance(value, tuple):
        return f"{head} {'null' if value is None else written(value)}{newline}"
    line = f"{head} {new_list(value)}"
    if len(line) <= _WIDTH:
        return line + newline
    return head + newline + "".join(f"  - {written(item, in_list=True)}{newline}" for item in value)


def _require_meant(data: bytes, before: Frontmatter, changes: Changes, result: bytes) -> None:
    """Raise SelfCheckFailed unless the result reads as meant and everything else is as it was."""
    found = locate(result)
    after = describe(result, found)
    wrong = [key for key, value in changes.items() if not _reads_as(after.values.get(key), value)]
    others = [key for key in {**before.values, **after.values} if key not in changes]
    missing = object()
    wrong += [key for key in others if before.values.get(key, missing) != after.values.get(key, missing)]
    if after.is_broken or result[after.body_start :] != data[before.body_start :]:
        wrong.append("---")
    if _yaml_refuses(found) and not _yaml_refuses(locate(data)):
        wrong.append("YAML")
    if wrong:
        raise SelfCheckFailed(
            f"the frontmatter would not read as meant ({', '.join(wrong[:5])})",
            hint="Nothing was written. Please report this with the file concerned.",
        )


def _yaml_refuses(found: Located | None) -> bool:
    return found is not None and yaml_type(found.scan.text) is None


def _reads_as(found: Value, meant: Value | Remove) -> bool:
    if isinstance(meant, Remove):
        return found is None
    return found == meant or (isinstance(meant, tuple) and isinstance(found, str) and names(found) == meant)
