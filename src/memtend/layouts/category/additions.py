"""A new entry: where it goes, what is there already, and what the index says of it (category spec, 4)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from memtend.body import below, closed, tidy
from memtend.errors import OutsideStore, Refused, UnusableInput
from memtend.layouts.category import paths
from memtend.layouts.category.agreement import SAME, contrast
from memtend.layouts.category.dates import entry_date
from memtend.layouts.category.decode import content_of
from memtend.layouts.category.encode import new_file
from memtend.layouts.category.entries import Document, read
from memtend.layouts.category.folder import Edits, Folder
from memtend.layouts.category.ids import base_of, heading_id, slug_of
from memtend.layouts.category.paths import Kind
from memtend.layouts.category.registry import IndexChange, categories, updated
from memtend.layouts.category.sync import day_of, with_index
from memtend.markdown import Span, newline_of, splice
from memtend.text import similarity

NEAR = 0.3
"""Likeness from which an entry that is there is shown to whoever adds one."""
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """What somebody wants to add."""

    category: str
    title: str
    text: str
    tags: tuple[str, ...] = ()
    to: str = ""
    """The file it goes into; empty for a new one."""
    purpose: str = ""
    """What a new category is for."""


class Alike(NamedTuple):
    """An entry that says something like it."""

    address: str
    title: str
    similarity: float
    conflict: str
    """What it contradicts in; empty where it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """What adding an entry would do."""

    address: str
    id: str
    edits: Edits
    alike: tuple[Alike, ...] = ()
    is_new_category: bool = False


def add(folder: Folder, new: New, now: datetime, *, force: bool = False) -> Addition:
    """What adding an entry would do.

    Raises OutsideStore for a name that none can have (O-FS-04), UnusableInput without title or text, NotFound and
    Refused for a file that cannot take it, Refused for a copy of what is there unless it is forced.
    """
    new = _checked(new)
    alike = tuple(_alike(folder, new))
    copies = [other for other in alike if other.similarity >= SAME and not other.conflict]
    if copies and not force:
        raise Refused(f"{copies[0].address} says that already", hint="--force adds it all the same.")
    day = day_of(now)
    id = next_id(folder, day) if new.category == paths.DECISIONS else ""
    path, after, part = _written(folder, new, id, day)
    edits: dict[str, bytes | None] = {path: after}
    if id and path not in folder.tree:
        edits |= _log_told(folder, id, new.title, path, day)
    is_new = new.category not in {*categories(folder.pages), *folder.categories}
    pages = updated(with_index(folder.pages, day), _index_change(folder, new, path, edits, day, is_new=is_new))
    return Addition(
        address=f"{path}#{part}" if part else path,
        id=id,
        edits={**pages, **edits},  # the category is registered before its first file
        alike=alike,
        is_new_category=is_new,
    )


def _index_change(folder: Folder, new: New, path: str, edits: Edits, day: str, *, is_new: bool) -> IndexChange:
    """What the registries say of an entry that goes to a path, and of the files that change with it."""
    listed = categories(folder.pages)
    is_listed = new.category in listed or (new.category in paths.KNOWN and not listed)
    draft = folder.after(edits)
    return IndexChange(
        day=day,
        added=[draft.registration(path)._replace(updated=day)],
        touched=[draft.registration(other)._replace(updated=day) for other in edits if other in folder.tree],
        counts={new.category: draft.counts(new.category)},
        new_categories={new.category: new.purpose or new.title} if is_new and not is_listed else {},
    )


def _checked(new: New) -> New:
    paths.require_name(new.category)
    if new.category in (paths.SUMMARIES, paths.ARCHIVE):
        raise OutsideStore(f"{new.category} is made by compaction", hint="Add to another category.")
    title, text = " ".join(new.title.split()), closed(tidy(new.text))
    if not title or not text:
        raise UnusableInput("an entry needs a title and a text", hint="Give --title and a text.")
    if new.to and paths.category_of(paths.require_path(new.to)) != new.category:
        raise OutsideStore(f"{new.to} is not in {new.category}", hint="Name a file of the category.")
    return New(
        category=new.category, title=title, text=text, tags=new.tags, to=new.to, purpose=" ".join(new.purpose.split())
    )


def _alike(folder: Folder, new: New) -> Iterator[Alike]:
    """What is there already and is like it, the nearest first."""
    found = []
    wanted = f"{new.title}\n{new.text}"
    for document in folder.of_category(new.category):
        for entry in document.entries:
            named = heading_id(entry.title)
            text = f"{named.rest if named else entry.title}\n{content_of(document, entry)}"
            likeness = similarity(wanted, text)
            if likeness >= NEAR:
                against = contrast(new.text, content_of(document, entry))
                said = f"{against[0]}: {against[1] or '—'} / {against[2] or '—'}" if against else ""
                found.append(Alike(entry.address, entry.title, likeness, said))
    yield from sorted(found, key=lambda other: -other.similarity)[:_SHOWN]


def next_id(folder: Folder, day: str) -> str:
    """The id of the next decision: one more than the highest, in the manner of those that are there."""
    ids = [base_of(id) for id in _all_ids(folder)]
    plain = [found for id in ids if (found := re.fullmatch(r"DEC-(\d+)", id))]
    dated = [found for id in ids if (found := re.fullmatch(r"DEC-\d{4}-\d\d-\d\d-(\d+)", id))]
    if dated and not plain:
        return f"DEC-{day}-{max(int(found[1]) for found in dated) + 1:02}"
    number = max((int(found[1]) for found in plain), default=0) + 1
    width = max((len(found[1]) for found in plain if found[1].startswith("0")), default=1)
    return f"DEC-{number:0{width}}"


def _all_ids(folder: Folder) -> Iterable[str]:
    named = (heading_id(path.rpartition("/")[2].removesuffix(".md")) for path in folder.tree)
    return {*folder.ids(), *(name.base for name in named if name)} - {""}


def _written(folder: Folder, new: New, id: str, day: str) -> tuple[str, bytes, str]:
    """The file, its bytes and the part of it that the new entry is."""
    if not new.to:
        path = _free(folder, new, id, day)
        return path, _new_file(path, new, id, day), ""
    before = folder.tree.get(new.to)
    if before is None:
        return new.to, _new_file(new.to, new, id, day), ""
    document = folder.document(new.to)
    if document.kind is Kind.FILE:
        raise Refused(f"{new.to} is one entry and there already", hint="Leave --to away for a new file.")
    after = _with_section(document, new, id, day)
    known = {entry.sha256 for entry in document.entries}
    made = [entry for entry in read(new.to, after).entries if entry.sha256 not in known]
    if len(made) != 1 or len(read(new.to, after).entries) != len(document.entries) + 1:
        raise Refused(f"{new.to} cannot take the entry without changing another", hint="Leave --to away.")
    return new.to, after, made[0].part


def _free(folder: Folder, new: New, id: str, day: str) -> str:
    stem = id or (f"{day}-{slug_of(new.title)}" if new.category == paths.SESSIONS else slug_of(new.title))
    stem = _ascii(stem)[:60].rstrip("-.")
    taken = {path.casefold() for path in folder.tree}
    path, number = f"{new.category}/{stem}.md", 1
    while path.casefold() in taken:
        number += 1
        path = f"{new.category}/{stem}-{number}.md"
    return path


def _ascii(stem: str) -> str:
    if stem.isascii():
        return stem
    from memtend.text import slug

    return slug("", stem.replace("-", " "), lambda _: False)


def _new_file(path: str, new: New, id: str, day: str) -> bytes:
    title = f"{id} — {new.title}" if id else new.title
    fields = {"title": title, "content": new.text, "tags": new.tags, "created": day, "modified": day}
    return new_file(path, {**fields, "keywords": (id,) if id else ()})


def _with_section(document: Document, new: New, id: str, day: str) -> bytes:
    """The file with the entry as a section: in a log where the newest stand, else at the end."""
    level = next((entry.level for entry in document.entries if entry.part), 3 if document.kind is Kind.LOG else 2)
    title = f"{id} — {new.title}" if id else new.title
    date = f"\n\n**Date:** {day}" if document.kind is Kind.LOG else ""
    newline = newline_of(document.data)
    deepest = level + 1 if document.kind is Kind.LOG else 4  # a heading of level 3 would be an entry of its own
    text = f"{'#' * level} {title}\n\n{below(new.text, deepest)}{date}\n".encode().replace(b"\n", newline)
    at, is_first = _place(document)
    rule = b"---" + newline * 2 if _has_rules(document) else b""
    if is_first:
        return splice(document.data, [(Span(at, at), text + newline + rule)])
    head = document.data[:at]
    gap = b"" if head.endswith(newline * 2) or not head else newline if head.endswith(b"\n") else newline * 2
    return splice(document.data, [(Span(at, at), gap + text + (newline + rule if document.data[at:] else b""))])


def _place(document: Document) -> tuple[int, bool]:
    """Where a new section goes, and whether that is in front of the first."""
    own = [entry for entry in document.entries if entry.part]
    if document.kind is not Kind.LOG or not own:
        return (own[-1].cut.end if own else len(document.data)), False
    dates = [entry_date(document, entry) for entry in own]
    is_newest_first = dates[0] >= dates[-1] if dates[0] != dates[-1] else _number(own[0].id) > _number(own[-1].id)
    return (own[0].span.start, True) if is_newest_first else (own[-1].cut.end, False)


def _number(id: str) -> int:
    found = re.findall(r"\d+", base_of(id))
    return int(found[-1]) if found else 0


def _has_rules(document: Document) -> bool:
    own = [entry for entry in document.entries if entry.part]
    return any(b"---" in document.data[entry.span.end : entry.cut.end] for entry in own)


_NEXT = re.compile(rb"^(Next available ID:[ \t]*(?:DEC-)?)(\d+)", re.MULTILINE)


def _log_told(folder: Folder, id: str, title: str, path: str, day: str) -> dict[str, bytes]:
    """The log of a memory with one file a decision, where it counts them: next id, pointer to the new file."""
    log = f"{paths.DECISIONS}/_log.md"
    data = folder.tree.get(log, b"")
    counted = _NEXT.search(data)
    if counted is None or not (number := _number(id)):
        return {}
    edits = [(Span(*counted.span(2)), str(number + 1).encode())]
    own = folder.document(log).entries
    if own and b"File: `" in data[own[0].span.start : own[0].span.end]:
        newline = newline_of(data)
        text = f"{'#' * own[0].level} {id} — {title}\nFile: `{path}`\nDate: {day}\n\n"
        edits.append((Span(own[0].span.start, own[0].span.start), text.encode().replace(b"\n", newline)))
    return {log: splice(data, edits)}
