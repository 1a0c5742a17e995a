"""A person asks to be forgotten: text goes from files, archives and summaries (category spec, 4).

It is the only thing that rewrites an archive. What is left there is a record that something was, without content.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memtend.errors import Integrity, UnknownMemory
from memtend.layouts.category import archive as archives
from memtend.layouts.category import paths
from memtend.layouts.category.archive import Item
from memtend.layouts.category.entries import Entry, read
from memtend.layouts.category.folder import Edits, Folder, id_of
from memtend.layouts.category.ids import base_of
from memtend.layouts.category.paths import Kind
from memtend.layouts.category.registry import Counts, IndexChange, updated
from memtend.layouts.category.summary import parse
from memtend.markdown import list_items, splice
from memtend.text import fold


class Place(NamedTuple):
    """Where something to be forgotten stands."""

    where: str
    """`active`, `archived` or `summary`."""
    path: str
    address: str
    title: str
    text: bytes


@dataclass(frozen=True, slots=True)
class Erasure:
    """What forgetting would do."""

    places: tuple[Place, ...]
    edits: Edits
    needles: tuple[bytes, ...]
    """What must not be found anywhere afterwards, the journal included."""


def find(folder: Folder, *, target: str = "", text: str = "") -> tuple[Place, ...]:
    """Every place of an entry (by address, id, or the start of its hash), or of a text.

    Raises UnknownMemory, and Integrity where an archive cannot be looked into.
    """
    for path, reason in folder.damaged.items():
        raise Integrity(reason, hint=f"What it holds cannot be forgotten. Mend or remove {path} first.")
    found = [*_active(folder, target, text), *_archived(folder, target, text)]
    addresses = {place.address for place in found}
    texts = [fold(place.text.decode("utf-8", "replace")) for place in found]
    found += _bullets(folder, addresses, texts, text)
    if not found:
        what = target or text
        raise UnknownMemory(f"nothing here is or holds {what!r}", hint="`memtend category search` finds entries.")
    return tuple(found)


def _active(folder: Folder, target: str, text: str) -> Iterator[Place]:
    for entry in _named(folder, target) if target else folder.entries:
        data = folder.tree[entry.path][entry.span.start : entry.span.end]
        if entry.category != paths.SUMMARIES and (target or _holds(data, text)):
            yield Place("active", entry.path, entry.address, entry.title, data)


def _named(folder: Folder, target: str) -> Sequence[Entry]:
    """The entries that a target means."""
    return folder.named(target) or [entry for entry in folder.entries if _is_hash(target, entry.sha256)]


def _is_hash(target: str, sha256: str) -> bool:
    return len(target) >= 8 and sha256.startswith(target.lower())


def _archived(folder: Folder, target: str, text: str) -> Iterator[Place]:
    for path, held in folder.archives.items():
        for item in held.items:
            is_meant = _is_named(item, target) if target else _holds(item.data, text)
            if is_meant and not item.forgotten_at:
                yield Place("archived", path, item.address, item.heading, item.data)


def _is_named(item: Item, target: str) -> bool:
    ids = {item.id, base_of(item.id)} - {""}
    return target in ({item.address} | ids) or _is_hash(target, item.sha256)


def _holds(data: bytes, text: str) -> bool:
    return bool(text) and fold(text) in fold(data.decode("utf-8", "replace"))


def _bullets(folder: Folder, addresses: set[str], texts: Sequence[str], text: str) -> Iterator[Place]:
    """Bullets that come from one of the entries, that one of them says, or that hold the text."""
    for document in folder.of_category(paths.SUMMARIES):
        for bullet in parse(document.path, document.data):
            said = fold(bullet.text)
            is_theirs = not addresses.isdisjoint(bullet.sources) or any(said in other for other in texts)
            if is_theirs or _holds(bullet.line.encode(), text):
                yield Place("summary", document.path, document.path, bullet.text, bullet.text.encode())


def erase(folder: Folder, places: Sequence[Place], day: str) -> Erasure:
    """The edits that take these places out of the memory."""
    edits: dict[str, bytes | None] = {}
    gone: dict[str, str] = {}
    going = {place.address for place in places if place.where != "summary"}
    for path in dict.fromkeys(place.path for place in places if place.where == "active"):
        edits[path] = _without_entries(folder, path, going)
        if edits[path] is None:
            gone[path] = id_of(folder.document(path))
    for path in dict.fromkeys(place.path for place in places if place.where == "archived"):
        edits[path] = _without_items(folder, path, going, day)
    bullets = {place.text.decode() for place in places if place.where == "summary"}
    for document in folder.of_category(paths.SUMMARIES):
        after = _without_bullets(document.path, document.data, bullets, going)
        if after != document.data:
            edits[document.path] = after
    ids = _rows_of_their_own(folder, going)
    change = IndexChange(day=day, gone=gone | ids, counts=_counts(folder, edits))
    needles = tuple(dict.fromkeys(place.text.strip() for place in places if place.text.strip()))
    return Erasure(tuple(places), edits | updated(folder.pages, change), needles)


def _without_entries(folder: Folder, path: str, going: set[str]) -> bytes | None:
    document = folder.document(path)
    own = [entry for entry in document.entries if entry.address in going]
    if document.kind is Kind.FILE or (len(own) == len(document.entries) and document.kind is Kind.SECTIONS):
        return None
    return splice(document.data, [(entry.cut, b"") for entry in own])


def _without_items(folder: Folder, path: str, going: set[str], day: str) -> bytes:
    """The archive with records in place of the items. It can give the rest back, but no longer the very tree."""
    held = folder.archives[path]
    parts = {item.part for item in held.items if item.address in going}
    items = tuple(
        Item(origin="", forgotten_at=day)
        if item.address in going
        else replace(item, follows="" if item.follows in parts else item.follows)
        for item in held.items
    )
    return archives.render(replace(held, items=items, files={}))


def _without_bullets(path: str, data: bytes, texts: set[str], going: set[str]) -> bytes:
    """A summary without some bullets, and without what others say of entries that go."""
    document = read(path, data)
    edits = []
    for item in list_items(data, document.frontmatter.body_start):
        line = document.text(item.span)
        found = parse(path, line.encode())
        if found and found[0].text in texts:
            edits.append((item.span, b""))
        elif found and found[0].note and any(address in found[0].note for address in going):
            whole = replace(found[0], note="", kind=found[0].kind).line
            ending = line[len(line.rstrip("\r\n")) :]
            edits.append((item.span, (whole + ending).encode()))
    return splice(data, edits)


def _rows_of_their_own(folder: Folder, going: set[str]) -> dict[str, str]:
    """Rows that register an entry by its id alone."""
    return {entry.address: entry.id for entry in folder.entries if entry.address in going and entry.part and entry.id}


def _counts(folder: Folder, edits: Edits) -> dict[str, Counts]:
    after = folder.after(edits)
    return {name: after.counts(name) for name in {paths.category_of(path) for path in edits} if name}
