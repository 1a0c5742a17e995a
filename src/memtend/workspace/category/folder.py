"""Where a category memory is, what lies in it, and how old what has no date of its own is."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from memtend import frontmatter
from memtend.change import FileEdit
from memtend.errors import NotFound
from memtend.layouts.category import paths
from memtend.layouts.category.dates import KEYS, date_of
from memtend.layouts.category.entries import Document
from memtend.layouts.category.folder import Edits, Folder
from memtend.store.files import Files
from memtend.store.git import OF_ONE_REPOSITORY, QUIET

PLACES = ("contexts/memory", ".gaai/contexts/memory", ".gaai/project/contexts/memory")
"""Where a project keeps its memory (category spec)."""
_GIT_SECONDS = 20


def find_root(given: str | None = None, start: str | os.PathLike[str] | None = None) -> Path:
    """The memory that was named, else the one that `start` lies in or has in one of its usual places, upwards.

    It is known by an index.md whose frontmatter says `type: memory_index`. Raises NotFound.
    """
    if given is not None:
        named = Path(start or ".", Path(given).expanduser())
        for root in (named, *(named / place for place in PLACES)):
            if is_root(root) or (root == named and _looks_like_one(root)):
                return root
        raise NotFound(f"There is no category memory at {named}", hint="`memtend category create DIR` makes one.")
    here = Path(start or ".").absolute()
    for folder in (here, *here.parents):
        for root in (folder, *(folder / place for place in PLACES)):
            if is_root(root):
                return root
    raise NotFound(
        f"No category memory in {here} or above it",
        hint="`memtend category create` makes one; --root DIR names one elsewhere.",
    )


def is_root(folder: Path) -> bool:
    """Whether a folder has an index.md that says it is a memory's."""
    try:
        data = (folder / paths.INDEX).read_bytes()
    except OSError:
        return False
    kind = frontmatter.read(data).values.get("type")
    return isinstance(kind, str) and kind.strip() == "memory_index"


def _looks_like_one(folder: Path) -> bool:
    """Whether a folder that was named can be meant: it has an index or one of the layout's categories."""
    return folder.is_dir() and any((folder / name).exists() for name in (paths.INDEX, *paths.KNOWN))


def read_folder(root: Path) -> Folder:
    """Every Markdown file of a memory. Raises NotFound, UnreadableStore: never an empty memory instead."""
    if not root.is_dir():
        raise NotFound(f"There is no folder {root}", hint="--root DIR names a category memory.")
    files = Files(root)
    found = files.find(sorted({*paths.KNOWN} & set(files.names("."))))
    wanted = (path for path in found.paths if path.endswith(".md") or path == paths.CUES)
    tree = {path: data for path in wanted if (data := files.read_found(path)) is not None}
    folder = Folder(tree)
    undated = [document for document in folder.documents.values() if _needs_date(document)]
    if not undated:
        return folder
    return folder.dated(times_of(root, [document.path for document in undated]))


def _needs_date(document: Document) -> bool:
    return not date_of(document) and not any(document.key(key) for key in KEYS)


def times_of(root: Path, wanted: Iterable[str]) -> Mapping[str, str]:
    """When files were last changed: by git where it knows them and they are as it knows them, else by the disk."""
    times = {path: _disk_time(root / path) for path in wanted}
    return times | {path: date for path, date in _git_times(root, list(times)).items() if path in times}


def _disk_time(file: Path) -> str:
    try:
        return f"{datetime.fromtimestamp(file.stat().st_mtime, UTC):%Y-%m-%dT%H:%M:%SZ}"
    except OSError:
        return ""


def _git_times(root: Path, wanted: list[str]) -> dict[str, str]:
    """The date of the last commit of each file, in one call; none where there is no repository."""
    changed = set(_git(root, "status", "--porcelain", "-z", "--no-renames", "--", *wanted).split("\0"))
    log = _git(root, "log", "--format=%x01%cI", "--name-only", "--relative", "--diff-merges=off", "--", *wanted)
    times: dict[str, str] = {}
    for commit in log.split("\x01")[1:]:
        date, *names = commit.split("\n")
        for name in filter(None, names):
            times.setdefault(name, date)
    edited = {line[3:] for line in changed if line}
    return {path: date for path, date in times.items() if not any(name.endswith(path) for name in edited)}


def _git(root: Path, *words: str) -> str:
    environment = {key: value for key, value in os.environ.items() if key not in OF_ONE_REPOSITORY} | QUIET
    command = ["git", "-C", str(root), "-c", "core.quotepath=off", *words]
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            command, env=environment, capture_output=True, check=False, timeout=_GIT_SECONDS, stdin=subprocess.DEVNULL
        )
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
    return ""


def file_edits(folder: Folder, edits: Edits) -> tuple[FileEdit, ...]:
    """Edits on the bytes that were read. The registries are never in the way of an undo."""
    return tuple(
        FileEdit(path, folder.digest(path), after, derived=paths.is_registry(path)) for path, after in edits.items()
    )


def remove_empty_folders(root: Path, gone: Iterable[str]) -> None:
    """Take away the folders of files that are gone, where nothing is left in them; those of the layout's notes stay."""
    kept = {*paths.KNOWN} - {paths.ARCHIVE, paths.SUMMARIES}
    folders = {folder for path in gone for folder in Path(path).parents if folder.name and str(folder) not in kept}
    for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
        with suppress(OSError):  # somebody has put something there
            (root / folder).rmdir()
