"""Questions to a category memory: what there is, what is wrong, what the index lacks."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from difflib import unified_diff
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from memtend.errors import NotFound, SecretFound
from memtend.layouts import Problem
from memtend.layouts.category import archive as archives
from memtend.layouts.category import paths
from memtend.layouts.category.compact import Options, choose
from memtend.layouts.category.dates import sort_key
from memtend.layouts.category.diagnose import between_files, file_problems
from memtend.layouts.category.entries import Document, Entry
from memtend.layouts.category.folder import Edits, Folder
from memtend.layouts.category.registry import IndexChange, categories, faults, updated
from memtend.layouts.category.split import oversized
from memtend.layouts.category.sync import day_of, with_index
from memtend.layouts.category.tables import LINK, plain_path
from memtend.markdown import wiki_links
from memtend.workspace.category.answers import ArchiveInfo, CategoryInfo, Listed
from memtend.workspace.category.work import archived_ids

if TYPE_CHECKING:
    from memtend.store.apply import Store

_WORST_FIRST = ("error", "warning")


def require_category(folder: Folder, category: str) -> None:
    """Raise OutsideStore for what is no category's name, NotFound for one that holds nothing."""
    paths.require_name(category)
    if category not in folder.categories:
        known = ", ".join(folder.categories) or "none"
        raise NotFound(f"There is no category {category} with a file in it", hint=f"There is {known}.")


def require_file(folder: Folder, path: str) -> Document:
    """A file of the memory. Raises OutsideStore, NotFound."""
    paths.require_path(path)
    if path not in folder.documents:
        raise NotFound(f"There is no file {path}", hint="`memtend category list CATEGORY` shows the files.")
    return folder.document(path)


def require_no_secrets(text: str) -> None:
    """Raise SecretFound where a text looks like it holds a key or password; its value is not told (O-PV-01)."""
    from memtend.learn import secrets

    found = secrets.find(text)
    if found:
        raise SecretFound(
            f"line {found[0].line} looks like it holds a secret ({found[0].kind})",
            hint="Leave it out, or say that it may be stored (--allow-secrets). Nothing was written.",
        )


# --- list ------------------------------------------------------------------------------------------------


def listed(folder: Folder, root: Path, now: datetime, category: str = "") -> Listed:
    """What a memory holds; with a category its files too."""
    if category:
        require_category(folder, category)
    candidates, _ = choose(folder, Options(), now)
    eligible = {candidate.category: candidate.entries for candidate in candidates}
    known = {*categories(folder.pages), *_in_files_tables(folder)}
    names = [name for name in folder.categories if category in ("", name)]
    infos = tuple(_info(folder, name, eligible.get(name, ()), name in known) for name in names)
    broken = (
        ArchiveInfo(path=path, category="", archived_at="", entries=0, is_damaged=True) for path in folder.damaged
    )
    held = (*(_archive_info(path, each) for path, each in folder.archives.items()), *broken)
    files = tuple(_file_info(folder, document) for document in folder.of_category(category)) if category else ()
    return Listed(str(root), infos, held, files)


def _in_files_tables(folder: Folder) -> set[str]:
    from memtend.layouts.category.registry import registered

    return {paths.category_of(path) for row in registered(folder.pages) for path in row.paths}


def _info(folder: Folder, name: str, eligible: Sequence[Entry], is_registered: bool) -> CategoryInfo:
    counts = folder.counts(name)
    dates = sorted((date for d in folder.of_category(name) if (date := folder.date_of(d.path))), key=sort_key)
    return CategoryInfo(
        category=name,
        durability=str(paths.durability_of(name)),
        files=counts.files,
        entries=counts.entries,
        tokens=counts.tokens,
        compactable_files=len({entry.path for entry in eligible}),
        compactable_entries=len(eligible),
        compactable_tokens=sum(_tokens(folder, entry) for entry in eligible),
        oldest=dates[0] if dates else "",
        newest=dates[-1] if dates else "",
        is_registered=is_registered,
    )


def _tokens(folder: Folder, entry: Entry) -> int:
    from memtend.text import estimate_tokens

    return estimate_tokens(folder.document(entry.path).text(entry.span))


def _archive_info(path: str, held: archives.Archive) -> ArchiveInfo:
    forgotten = sum(bool(item.forgotten_at) for item in held.items)
    return ArchiveInfo(
        path=path,
        category=held.category,
        archived_at=held.archived_at,
        entries=len(held.items) - forgotten,
        forgotten=forgotten,
    )


def _file_info(folder: Folder, document: Document) -> Mapping[str, object]:
    marked = sum(entry.marker is not None for entry in document.entries)
    return {
        "path": document.path,
        "title": document.title,
        "entries": len(document.entries),
        "marked": marked,
        "lines": document.line_count,
        "tokens": folder.tokens(document.path),
        "date": folder.date_of(document.path),
    }


# --- check and sync --------------------------------------------------------------------------------------


def checked(folder: Folder, store: "Store", now: datetime) -> tuple[Problem, ...]:
    """Everything that is wrong, errors first."""
    from memtend.store.check import findings
    from memtend.workspace.suspect import orders

    found = {*findings(store, now), *_damaged(folder)}
    for document in folder.documents.values():
        found |= {*file_problems(document), *_dead_links(folder, document)}
    found |= set(between_files(folder.documents.values(), archived_ids(folder)))
    found |= {*faults(folder.pages, folder.registrable(), folder.ids()), *_lost_pointers(folder)}
    found |= {*_too_long(folder), *_unknown_places(folder)}
    found |= set(orders({path: folder.tree[path] for path in folder.documents}))
    if paths.INDEX not in folder.tree:
        found.add(Problem("no-index", "error", paths.INDEX, "is not there; `memtend category sync` makes it"))
    return tuple(sorted(found, key=lambda one: (_WORST_FIRST.index(one.severity), one.path, one.line, one.message)))


def _damaged(folder: Folder) -> Iterator[Problem]:
    """Archives whose bytes are not those that were archived."""
    return (Problem("damaged-archive", "error", path, reason) for path, reason in folder.damaged.items())


def _lost_pointers(folder: Folder) -> Iterator[Problem]:
    for entry in folder.entries:
        if entry.archived_to and entry.archived_to not in folder.tree:
            message = f"was archived to {entry.archived_to}, which is not there"
            yield Problem("archive-missing", "error", entry.path, message, entry.line)


def _too_long(folder: Folder) -> Iterator[Problem]:
    for document in oversized(folder):
        message = (
            f"has {document.line_count} lines, more than {paths.OVERSIZED_LINES}; `memtend category split` proposes how"
        )
        yield Problem("too-long", "warning", document.path, message)


def _unknown_places(folder: Folder) -> Iterator[Problem]:
    """Files that lie where no memory is looked for, and categories that are not registered."""
    known = {*paths.KNOWN, *categories(folder.pages), *_in_files_tables(folder)}
    for name in folder.categories:
        if name not in known:
            yield Problem("unknown-category", "warning", name, "is not registered; nothing of it is ever archived")
    for path in folder.tree:
        if path.startswith(f"{paths.ARCHIVE}/") and not paths.is_archive(path) and not _is_ours(path):
            yield Problem("strange-archive", "warning", path, "is no archive of memtend's; it is left alone")


def _is_ours(path: str) -> bool:
    return PurePosixPath(path).name.startswith(("README", "_template")) or path.endswith(".example.md")


_PLACES = ("http:", "https:", "mailto:", "#", "/", "ftp:")


def _dead_links(folder: Folder, document: Document) -> Iterator[Problem]:
    """Links to files within the memory that are not there."""
    if paths.category_of(document.path) == paths.SUMMARIES:
        return
    for target, line in _targets(document):
        if not _is_there(folder, document.path, target):
            yield Problem("dead-link", "warning", document.path, f"links to {target}, which is not there", line)


def _targets(document: Document) -> Iterator[tuple[str, int]]:
    """What a file links to by path, with the line of the block; links to pages by name alone are left out."""
    if b"](" in document.data:
        for block in document.blocks:
            if block.kind not in ("code", "html"):
                for found in LINK.finditer(document.text(block.span)):
                    target = unquote(found[1].partition("#")[0])
                    if target.endswith(".md") and not target.startswith(_PLACES):
                        yield target, block.line
    if b"[[" in document.data:
        for link in wiki_links(document.data, document.frontmatter.body_start):
            if "/" in link.target:
                yield link.target, document.data.count(b"\n", 0, link.span.start) + 1


def _is_there(folder: Folder, path: str, target: str) -> bool:
    """Whether a target is a file of the memory, from the file's folder or from the root, or leaves the memory."""
    wanted = target if target.endswith(".md") else f"{target}.md"
    beside = os.path.normpath(str(PurePosixPath(path).parent / wanted)).replace(os.sep, "/")
    return beside.startswith("..") or beside in folder.tree or plain_path(wanted) in folder.tree


def unregistered(folder: Folder) -> list[str]:
    """The files that have no row in the index."""
    found = faults(folder.pages, folder.registrable(), folder.ids())
    return [fault.path for fault in found if fault.code == "unregistered"]


def dead_rows(folder: Folder) -> list[Problem]:
    """The rows that name what is not there."""
    return [f for f in faults(folder.pages, folder.registrable(), folder.ids()) if f.code == "dead-row"]


def synced(folder: Folder, now: datetime) -> Mapping[str, bytes]:
    """The registries with the rows that they lack; none where nothing is missing."""
    missing = [folder.registration(path) for path in unregistered(folder)]
    if not missing and paths.INDEX in folder.tree:
        return {}
    counts = {name: folder.counts(name) for name in {each.category for each in missing}}
    change = IndexChange(day=day_of(now), added=missing, counts=counts)
    return updated(with_index(folder.pages, day_of(now)), change)


def rows_after(folder: Folder, written: Iterable[str], now: datetime) -> Mapping[str, bytes]:
    """The registries with a row for each file that an undo brought back, and none for those that it took away.

    Empty where they say so already. An index that is among what was written has the rows it had before, or at least
    those of entries; archives the store does not know.
    """
    wanted = set(written)
    gone = {path: "" for path in wanted if path not in folder.tree}
    lacks_all = paths.INDEX not in wanted
    back = [path for path in unregistered(folder) if path in wanted and (lacks_all or paths.is_archive(path))]
    if not gone and not back:
        return {}
    added = [folder.registration(path) for path in back]
    counts = {name: folder.counts(name) for name in {each.category for each in added}}
    return updated(folder.pages, IndexChange(day=day_of(now), gone=gone, added=added, counts=counts))


def diff(folder: Folder, edits: Edits) -> str:
    """What edits change, as a unified diff; an archive is only named."""
    pieces: list[str] = []
    for path, after in edits.items():
        before = folder.tree.get(path)
        if paths.is_archive(path):
            pieces.append(f"{'new' if after else 'gone'}: {path}\n")
            continue
        old, new = ((data or b"").decode("utf-8", "replace").splitlines(keepends=True) for data in (before, after))
        ours, theirs = ("/dev/null" if data is None else path for data in (before, after))
        pieces += [line if line.endswith("\n") else line + "\n" for line in unified_diff(old, new, ours, theirs)]
    return "".join(pieces)
