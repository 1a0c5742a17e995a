r"""An archive: what a compaction took out, each entry with its origin and its untouched bytes (category spec, 3.4).

    <!-- memtend:archive {"format": 1, "files": {…}} -->

    <!-- memtend:entry {"origin": "sessions/a.md", "heading": "…", "sha256": "…", "bytes": 512, "how": "file"} -->
    (512 bytes, whatever they are)
    <!-- memtend:end -->

An archive is never rewritten, appended to or deleted, but for a person's request to forget. Bytes are counted and not
looked for, so a text that holds such a line does no harm. `files` says of every file that the compaction touched what
it was and what it became, so that a restore can tell whether it gives back the very tree.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any, NamedTuple

from memtend import frontmatter
from memtend.errors import Integrity
from memtend.layouts.category.entries import hash_of, read
from memtend.layouts.category.summary import title_of

FORMAT = 1
_ARCHIVE, _ENTRY, _CLOSE = b"<!-- memtend:archive ", b"<!-- memtend:entry ", b" -->\n"
_END = b"\n<!-- memtend:end -->\n"


class How(StrEnum):
    """How an entry left its place."""

    FILE = "file"
    """The whole file moved."""
    SECTION = "section"
    """It was cut out of a file that stays."""
    POINTER = "pointer"
    """The file stays and says where its original is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry of an archive."""

    origin: str
    """The file it was in; empty where it was forgotten."""
    part: str = ""
    id: str = ""
    heading: str = ""
    marker: str = ""
    sha256: str = ""
    how: How = How.FILE
    data: bytes = b""
    at: int = 0
    """Where a section began in its file."""
    tail: bytes = b""
    """What left the file behind a section: blank lines, a rule."""
    follows: str = ""
    """The slug of the entry above a section; empty where it was the first."""
    forgotten_at: str = ""

    @property
    def address(self) -> str:
        """Where it was."""
        return f"{self.origin}#{self.part}" if self.part else self.origin

    @property
    def hashes(self) -> list[str]:
        """Those of the entries it holds."""
        if self.forgotten_at:
            return []
        return [self.sha256] if self.how is How.SECTION else [e.sha256 for e in read(self.origin, self.data).entries]


Hunk = tuple[int, int, bytes]
"""From and to in a file as it became, and the bytes that stood there before."""


class Touched(NamedTuple):
    """What a compaction made of one file: its SHA-256 before and after, None for no file; and the way back."""

    before: str | None
    after: str | None
    hunks: tuple[Hunk, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """What an archive holds."""

    category: str
    day: str
    archived_at: str
    items: tuple[Item, ...]
    files: Mapping[str, Touched] = field(default_factory=dict)
    number: int = 1
    """The how manieth of its day."""

    @property
    def id(self) -> str:
        """Its id in the index."""
        suffix = f"-{self.number:02}" if self.number > 1 else ""
        return f"ARCHIVE-{self.category.upper()}-{self.day}{suffix}"


def render(archive: Archive) -> bytes:
    """The bytes of an archive."""
    keys: dict[str, frontmatter.Value] = {
        "type": "memory_archive",
        "category": "archive",
        "id": archive.id,
        "archived_at": archive.archived_at,
        "archived_from": archive.category,
        "entries": str(len(archive.items)),
    }
    head = frontmatter.render(keys) + (
        f"\n# {title_of(archive.category)} — Archive {archive.day}\n\n"
        "> Originals, untouched. Not to be edited: `memtend category restore` gives them back.\n\n"
    )
    files = {path: _touched_to_json(touched) for path, touched in archive.files.items()}
    parts = [head.encode(), _ARCHIVE, _json({"format": FORMAT, "files": files}), _CLOSE]
    for item in archive.items:
        parts += [b"\n", _ENTRY, _json(_item_to_json(item)), _CLOSE, item.data, _END]
    return b"".join(parts)


def _json(values: Mapping[str, Any]) -> bytes:
    """JSON that can stand in a comment; readable, but for bytes that are no text."""
    text = json.dumps(values, ensure_ascii=False)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = json.dumps(values).encode()
    return data.replace(b">", b"\\u003e")


def _item_to_json(item: Item) -> dict[str, Any]:
    if item.forgotten_at:
        return {"forgotten_at": item.forgotten_at, "bytes": 0}
    values = {
        "origin": item.origin,
        "part": item.part,
        "id": item.id,
        "heading": item.heading,
        "marker": item.marker,
        "sha256": item.sha256,
        "how": str(item.how),
        "at": item.at,
        "tail": _text(item.tail),
        "follows": item.follows,
    }
    return {name: value for name, value in values.items() if value} | {"bytes": len(item.data)}


def _touched_to_json(touched: Touched) -> dict[str, Any]:
    hunks = [[start, end, _text(before)] for start, end, before in touched.hunks]
    return {"before": touched.before, "after": touched.after} | ({"back": hunks} if hunks else {})


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def parse(path: str, data: bytes) -> Archive:
    """The archive in a file. Raises Integrity where it is damaged, naming what."""
    try:
        return _parsed(data)
    except (_Damaged, ValueError, KeyError, TypeError, RecursionError) as fault:
        plain = data.replace(b"\r\n", b"\n")
        if plain != data:  # git may have changed its line ends
            return parse(path, plain)
        raise Integrity(f"{path} is damaged: {fault}", hint="Git or a backup may have it whole.") from fault


class _Damaged(Exception):
    """What is wrong with an archive."""


def _parsed(data: bytes) -> Archive:
    values = frontmatter.read(data).values
    start = data.find(b"\n" + _ARCHIVE) + 1
    if not start:
        raise _Damaged("it has no list of files")
    head, at = _header(data, start, _ARCHIVE)
    if int(head["format"]) > FORMAT:
        raise _Damaged("it was written by a newer memtend")
    id = str(values.get("id") or "")
    day = str(values.get("archived_at") or "")[:10]
    suffix = id.rpartition(day)[2].removeprefix("-")
    return Archive(
        category=str(values.get("archived_from") or ""),
        day=day,
        archived_at=str(values.get("archived_at") or ""),
        items=tuple(_items(data, at)),
        files={path: _touched_from_json(touched) for path, touched in head["files"].items()},
        number=int(suffix) if suffix.isdecimal() else 1,
    )


def _header(data: bytes, start: int, opening: bytes) -> tuple[Any, int]:
    end = data.find(_CLOSE, start)
    if not data.startswith(opening, start) or end < 0:
        raise _Damaged(f"something else than an entry stands at byte {start}")
    return json.loads(data[start + len(opening) : end]), end + len(_CLOSE)


def _items(data: bytes, at: int) -> Iterator[Item]:
    while at < len(data):
        if data[at : at + 1] in b"\r\n":
            at += 1
            continue
        values, at = _header(data, at, _ENTRY)
        end = at + int(values["bytes"])
        item = _item_from_json(values, data[at:end])
        if not data.startswith(_END, end) or (item.origin and hash_of(item.data) != item.sha256):
            raise _Damaged(f"the bytes of {item.address or 'an entry'} are not those that were archived")
        yield item
        at = end + len(_END)


def _item_from_json(values: Mapping[str, Any], data: bytes) -> Item:
    if values.get("forgotten_at"):
        return Item(origin="", forgotten_at=str(values["forgotten_at"]))
    texts = {name: str(values.get(name, "")) for name in ("part", "id", "heading", "marker", "follows")}
    return Item(
        origin=str(values["origin"]),
        sha256=str(values["sha256"]),
        how=How(values["how"]),
        at=int(values.get("at", 0)),
        tail=_bytes(str(values.get("tail", ""))),
        data=data,
        **texts,
    )


def _touched_from_json(values: Mapping[str, Any]) -> Touched:
    hunks = tuple((int(start), int(end), _bytes(before)) for start, end, before in values.get("back", ()))
    return Touched(values["before"], values["after"], hunks)


def touched(before: bytes | None, after: bytes | None, *, with_way_back: bool = False) -> Touched:
    """What became of a file. The way back is kept for files that no item gives back."""
    hunks = tuple(_hunks(before, after)) if with_way_back and before is not None and after is not None else ()
    was, became = (None if data is None else hash_of(data) for data in (before, after))
    return Touched(was, became, hunks)


def _hunks(before: bytes, after: bytes) -> Iterable[Hunk]:
    """Line by line, what to put back where."""
    ours, theirs = before.splitlines(keepends=True), after.splitlines(keepends=True)
    ends = [0]
    for line in theirs:
        ends.append(ends[-1] + len(line))
    for tag, i, k, j, m in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag != "equal":
            yield ends[j], ends[m], b"".join(ours[i:k])


def put_back(after: bytes, hunks: Sequence[Hunk]) -> bytes:
    """The file before its hunks."""
    pieces: list[bytes] = []
    at = 0
    for start, end, before in hunks:
        pieces += (after[at:start], before)
        at = end
    return b"".join((*pieces, after[at:]))
