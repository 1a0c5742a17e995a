"""`memory-index.json`: every memory with its metadata, for machines (vault spec, 3).

It is derived, with one exception: older tools counted retrievals here alone. So it is read leniently (what a cut
file still holds counts), and a count in it never goes down.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from json.encoder import encode_basestring as quoted
from typing import Any, NamedTuple

from memtend.errors import NewerFormat
from memtend.layouts import Usage
from memtend.layouts.vault.paths import JSON_INDEX
from memtend.memory import Memory, MemoryId

VERSION = "1.0.0"
_OURS = frozenset({"version", "generated_at", "entry_count", "total_tokens", "entries"})

Entry = Mapping[str, Any]


class Listing(NamedTuple):
    """What an index file says."""

    entries: tuple[Entry, ...] = ()
    """Those with an id; the first of each."""
    others: Mapping[str, Any] = {}
    """Top-level keys that are not ours."""
    version: str = VERSION
    is_damaged: bool = False
    """Not what it should be: cut, not JSON, entries that are none."""


def read(data: bytes | None) -> Listing:
    """What an index file says; as much of it as can be read. Nothing is an empty listing."""
    if not data:
        return Listing()
    text = data.decode("utf-8-sig", "replace")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return Listing(tuple(_with_id(_salvaged(text))), is_damaged=True)
    if not isinstance(document, dict) or not isinstance(document.get("entries"), list):
        return Listing(version=_version(document), is_damaged=True)
    entries = tuple(_with_id(document["entries"]))
    others = {key: value for key, value in document.items() if key not in _OURS}
    return Listing(entries, others, _version(document), len(entries) < len(document["entries"]))


def _version(document: object) -> str:
    return str(document.get("version", VERSION)) if isinstance(document, dict) else VERSION


def _with_id(items: Iterable[object]) -> Iterable[Entry]:
    seen: set[str] = set()
    for item in items:
        if isinstance(item, dict) and isinstance(item.get("id"), str) and item["id"] and item["id"] not in seen:
            seen.add(item["id"])
            yield item


def _salvaged(text: str) -> Iterable[object]:
    """The entries of a file that is no JSON: each object that can be read, up to the first that cannot."""
    at = text.find("[", text.find('"entries"') + 1)
    decoder = json.JSONDecoder()
    while 0 <= at < len(text):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            item, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        yield item


def require_writable(listing: Listing) -> None:
    """Raise NewerFormat where the file is of a later major version than ours."""
    major = listing.version.partition(".")[0].strip()
    if major.isdecimal() and int(major[:9]) > int(VERSION.partition(".")[0]):
        raise NewerFormat(
            f"{JSON_INDEX} has version {listing.version}, and this memtend writes {VERSION}",
            hint="Update memtend, or move that file away to have it built anew.",
        )


def usage(listing: Listing) -> dict[MemoryId, Usage]:
    """How often and when last each entry says its memory was handed out; those never were are left out."""
    found: dict[MemoryId, Usage] = {}
    for entry in listing.entries:
        used = Usage(_count(entry.get("retrieval_count")), _text(entry.get("last_retrieved")))
        if used != Usage(0, ""):
            found[MemoryId(entry["id"])] = used
    return found


def _count(value: object) -> int:
    if isinstance(value, str) and value.isdecimal() and len(value) < 19:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 10**18:
        return 0
    return int(value)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def most(one: Usage, other: Usage) -> Usage:
    """The larger count and the later date of two."""
    return Usage(max(one.times, other.times), later(one.last, other.last))


def later(one: str, other: str) -> str:
    """The later of two dates; a plain date counts as its day, a text that is no date as never."""
    return max(one, other, key=_when)


def _when(date: str) -> tuple[str, str]:
    is_day = date[:4].isdecimal() and date[4:5] == "-"
    return (date[:10].replace("T", " "), date[10:].replace("T", " ")) if is_day else ("", "")


def render(memories: Sequence[Memory], existing: Listing, folder: str, date: str) -> bytes:
    """The file's text, two blanks a level, memories by id. `folder` is the vault's, from the project's root."""
    used = usage(existing)
    entries = [_entry(memory, used.get(memory.id, Usage(0, "")), folder) for memory in by_id(memories)]
    fields = [
        f'  "version": {quoted(VERSION)}',
        f'  "generated_at": {quoted(date)}',
        f'  "entry_count": {len(entries)}',
        f'  "total_tokens": {sum(memory.token_count for memory in memories)}',
        '  "entries": [\n' + ",\n".join(entries) + "\n  ]" if entries else '  "entries": []',
    ]
    fields += [f"  {quoted(key)}: {_indented(value)}" for key, value in existing.others.items()]
    return ("{\n" + ",\n".join(fields) + "\n}\n").encode("utf-8", "backslashreplace")


def by_id(memories: Iterable[Memory]) -> list[Memory]:
    """In the order of every page: by id, letter case aside, then by path."""
    return sorted(memories, key=lambda memory: (memory.id.casefold(), memory.id, memory.place.path))


def _indented(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", "\n  ")


def _entry(memory: Memory, listed: Usage, folder: str) -> str:
    used = most(Usage(memory.retrieval_count, memory.last_retrieved), listed)
    fields = [
        ("id", quoted(memory.id)),
        ("path", quoted(f"{folder}/{memory.place.path}" if folder else memory.place.path)),
        ("title", quoted(memory.title)),
        ("summary", quoted(memory.summary)),
        ("topic", quoted(memory.topic)),
        ("category", quoted(memory.category)),
        ("keywords", _list(memory.keywords)),
        ("token_count", str(memory.token_count)),
        ("created", _date(memory.created)),
        ("modified", _date(memory.modified)),
        ("last_retrieved", _date(used.last)),
        ("retrieval_count", str(used.times)),
        ("status", quoted(memory.status)),
    ]
    if memory.retired_at:
        fields.append(("tombstoned_at", quoted(memory.retired_at)))
    if memory.retired_reason:
        fields.append(("tombstone_reason", quoted(memory.retired_reason)))
    lines = ",\n".join(f'      "{name}": {value}' for name, value in fields)
    return f"    {{\n{lines}\n    }}"


def _date(text: str) -> str:
    return quoted(text) if text else "null"


def _list(names: tuple[str, ...]) -> str:
    return "[\n" + ",\n".join(f"        {quoted(name)}" for name in names) + "\n      ]" if names else "[]"
