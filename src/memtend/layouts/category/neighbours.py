"""What stands near an entry: what it names, what names it, what is tagged or worded like it (category spec, 4)."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memtend.layouts.category.entries import Document, Entry
from memtend.layouts.category.folder import Folder
from memtend.layouts.category.ids import base_of, ids_in
from memtend.text import key_terms, overlap, terms

_KEYS = ("supersedes", "superseded_by", "related_to", "amends", "amended_by")


class Neighbour(NamedTuple):
    """An entry near another, why, and how near, 0 to 1."""

    entry: Entry
    reasons: tuple[str, ...]
    score: float


def neighbours(folder: Folder, entry: Entry, limit: int = 10) -> tuple[Neighbour, ...]:
    """The nearest entries: those that one of the two names first, then those with tags and terms in common."""
    document = folder.document(entry.path)
    own_ids = _named(document, entry)
    own_terms = key_terms(_text(document, entry), 8)
    tags = set(document.names("tags"))
    found = []
    for other in folder.entries:
        if other.address != entry.address:
            reasons = tuple(_reasons(folder, entry, other, own_ids))
            there = folder.document(other.path)
            shared = tags & set(there.names("tags")) if other.path != entry.path else set()
            likeness = overlap(own_terms, terms(_text(there, other)))
            score = min(1.0, (0.7 if reasons else 0.0) + 0.1 * bool(shared) + 0.3 * likeness)
            if reasons or shared or likeness >= 0.3:
                said = (*reasons, *([f"tags {', '.join(sorted(shared))}"] if shared else []))
                found.append(Neighbour(other, said or ("alike",), score))
    return tuple(sorted(found, key=lambda near: (-near.score, near.entry.address))[:limit])


def _text(document: Document, entry: Entry) -> str:
    return document.text(entry.span)


def _named(document: Document, entry: Entry) -> set[str]:
    """The ids that an entry names in its text, its marker or its keys."""
    keys = (name for key in _KEYS for name in document.names(key)) if not entry.part else ()
    return {*ids_in(_text(document, entry)), *keys} - {base_of(entry.id), entry.id}


def _reasons(folder: Folder, entry: Entry, other: Entry, own_ids: Iterable[str]) -> Iterator[str]:
    """How two entries name each other."""
    if other.id and base_of(other.id) in {base_of(id) for id in own_ids}:
        is_successor = entry.marker is not None and base_of(other.id) in {base_of(id) for id in entry.marker.ids}
        yield f"supersedes {entry.id}" if is_successor else f"named by {entry.id or entry.title}"
    if entry.id and base_of(entry.id) in {base_of(id) for id in _named(folder.document(other.path), other)}:
        is_gone = other.marker is not None and base_of(entry.id) in {base_of(id) for id in other.marker.ids}
        yield f"superseded by {entry.id}" if is_gone else f"names {entry.id}"
