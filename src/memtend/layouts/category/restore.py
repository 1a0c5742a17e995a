"""An archive gives back what it holds (category spec, 3.6).

Where every file still is as the compaction left it, the tree comes back byte for byte. Where something has changed
since, each entry goes back to its place among its neighbours, and the index is told by rows. The archive goes when
all of it is back, for then it would only hold copies; else it stays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memtend import frontmatter
from memtend.errors import ChangedOnDisk, Integrity, NotFound, Refused
from memtend.layouts.category import paths
from memtend.layouts.category.archive import Archive, How, Item, put_back
from memtend.layouts.category.entries import hash_of, read
from memtend.layouts.category.folder import Edits, Folder, id_of
from memtend.layouts.category.registry import IndexChange, updated
from memtend.markdown import Span, newline_of, splice


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """What a restore would do."""

    edits: Edits = field(default_factory=dict)
    addresses: tuple[str, ...] = ()
    """What is active again."""
    is_exact: bool = False
    """Whether the tree is the very one from before the compaction."""
    left: tuple[str, ...] = ()
    """What stays in the archive, with the reason, one sentence each."""


def restored(folder: Folder, archive_path: str, day: str, *, keep: bool = False) -> Restoration:
    """What restoring an archive does. With `keep` the archive stays, and so do its row and the summary.

    Raises NotFound; Integrity for a damaged archive; ChangedOnDisk where a file has taken an entry's place.
    """
    if archive_path in folder.damaged:
        raise Integrity(folder.damaged[archive_path], hint="Git or a backup may have it whole.")
    archive = folder.archives.get(archive_path)
    if archive is None:
        raise NotFound(f"There is no archive {archive_path}", hint="`memtend category list` names the archives.")
    if not keep and _is_as_left(folder, archive):
        return _exact(folder, archive, archive_path)
    return _careful(folder, archive, archive_path, day, keep)


def _is_as_left(folder: Folder, archive: Archive) -> bool:
    if any(item.forgotten_at for item in archive.items):
        return False
    return all(folder.digest(path) == touched.after for path, touched in archive.files.items())


def _exact(folder: Folder, archive: Archive, archive_path: str) -> Restoration:
    """Every file as it was."""
    edits: dict[str, bytes | None] = {archive_path: None}
    for path, touched in archive.files.items():
        own = [item for item in archive.items if item.origin == path]
        before = _before(folder.tree.get(path, b""), own, touched.hunks)
        edits[path] = None if touched.before is None else before
        if touched.before is not None and hash_of(before) != touched.before:
            raise Integrity(f"{archive_path} does not give back {path} as it was", hint="Nothing was changed.")
    addresses = tuple(item.address for item in archive.items)
    return Restoration(edits=edits, addresses=addresses, is_exact=True)


def _before(after: bytes, items: Sequence[Item], hunks: Sequence[tuple[int, int, bytes]]) -> bytes:
    if not items:
        return put_back(after, hunks)
    if items[0].how is not How.SECTION:
        return items[0].data
    for item in sorted(items, key=lambda item: item.at):
        after = after[: item.at] + item.data + item.tail + after[item.at :]
    return after


def _careful(folder: Folder, archive: Archive, archive_path: str, day: str, keep: bool) -> Restoration:
    """What can be given back to a memory that has changed since."""
    edits: dict[str, bytes | None] = {}
    left: list[str] = []
    back: list[str] = []
    for item in archive.items:
        if item.forgotten_at:
            continue
        reason = _put_back(folder, item, archive, edits, keep)
        if reason:
            left.append(reason)
        else:
            back.append(item.address)
    summary = paths.summary_path(archive.category)
    if not left and not keep and folder.digest(summary) == _summary_after(archive, summary):
        is_new = archive.files.get(summary) is not None and archive.files[summary].before is None
        edits |= {summary: None} if is_new and summary in folder.tree else {}
        edits[archive_path] = None
    elif summary in folder.tree and not keep:
        left.append(f"{summary} has changed since, so it and the archive stay")
    edits |= _index(folder, edits, archive, day)
    return Restoration(edits=edits, addresses=tuple(back), left=tuple(left))


def _summary_after(archive: Archive, summary: str) -> str | None:
    return archive.files[summary].after if summary in archive.files else None


def _put_back(folder: Folder, item: Item, archive: Archive, edits: dict[str, bytes | None], keep: bool) -> str:
    """Plan how one entry comes back; a sentence where it stays."""
    current = edits.get(item.origin, folder.tree.get(item.origin))
    if item.how is How.SECTION:
        if current is None:
            return f"{item.origin} is gone, so {item.address} has no place to go to"
        if not any(entry.sha256 == item.sha256 for entry in read(item.origin, current).entries):
            edits[item.origin] = _inserted(item, current)
        return ""
    if item.how is How.POINTER and current is not None:
        edits[item.origin] = _without_pointer(item, current)
        return ""
    if item.origin == paths.summary_path(archive.category):
        if keep or current is None or hash_of(current) != _summary_after(archive, item.origin):
            return "" if keep else f"{item.origin} has changed since, so the earlier one stays in the archive"
        edits[item.origin] = item.data
        return ""
    if current is not None and current != item.data:
        raise ChangedOnDisk(f"{item.origin} is there already, with another text", hint="Rename it, then restore.")
    if current is None:
        edits[item.origin] = item.data
    return ""


def _without_pointer(item: Item, current: bytes) -> bytes:
    """The decision file in force again: as it was, or, where it was edited, without the keys of the pointer."""
    values = frontmatter.read(current).values
    keys = [key for key in ("archived_at", "archived_to") if key in values]
    try:
        after = frontmatter.edit(current, dict.fromkeys(keys, frontmatter.REMOVE))
    except Refused:
        return current
    bare = frontmatter.edit(item.data, dict.fromkeys(keys, frontmatter.REMOVE))
    return item.data if after == bare else after


def _inserted(item: Item, current: bytes) -> bytes:
    """The file with a section back below the entry that stood above it, or at the place it had."""
    document = read(item.origin, current)
    above = next((entry for entry in document.entries if entry.part == item.follows), None)
    if above is not None:
        at = above.cut.end
    elif not item.follows and document.entries:
        at = document.entries[0].span.start
    else:
        at = document.entries[-1].cut.end if document.entries else len(current)
    newline = newline_of(current)
    gap = b"" if at == 0 or current[:at].endswith((b"\n\n", b"\n\r\n")) else newline
    gap = newline + gap if at and not current[:at].endswith(b"\n") else gap
    return splice(current, [(Span(at, at), gap + item.data + (item.tail or newline))])


def _index(folder: Folder, edits: Edits, archive: Archive, day: str) -> Mapping[str, bytes]:
    """The registries with rows for what is back and without rows for what goes."""
    after = folder.after(edits)
    gone = {path: _id(folder, path) for path, data in edits.items() if data is None}
    moved = {item.origin: item.id for item in archive.items if item.how is How.POINTER and item.origin in edits}
    back = [path for path, data in edits.items() if data is not None and paths.claims(path)]
    change = IndexChange(
        day=day,
        gone=gone | moved,
        added=[after.registration(path) for path in back],
        counts={name: after.counts(name) for name in {paths.category_of(path) for path in edits} if name},
    )
    removed = updated(folder.pages, IndexChange(day=day, gone=change.gone))
    pages = {**folder.pages, **removed}
    return removed | updated(pages, IndexChange(day=day, added=change.added, counts=change.counts))


def _id(folder: Folder, path: str) -> str:
    held = folder.archives.get(path)
    return held.id if held is not None else id_of(folder.document(path))
