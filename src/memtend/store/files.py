"""Paths that stay inside the store, and folders that are read or named but never taken for empty.

Paths are strings from the store's root with `/` between names. Symbolic links inside a store are named and
never followed: not for reading, not for writing. The store itself may be reached through one.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

from memtend.errors import NotFound, OutsideStore, UnreadableStore
from memtend.layouts import Problem

Step = Callable[[str], None]
"""Told what is about to be touched, as `verb path`; raising stops it. Tests make disks fail with it."""

OWN_FOLDER = ".memtend"
NEVER_READ = frozenset({OWN_FOLDER, ".git", ".obsidian"})
TEMPORARY_PREFIX = ".memtend-"


def no_step(_what: str) -> None:
    """The step of a disk that does not fail."""


class Found(NamedTuple):
    """What a walk met: every plain file, and what could not be followed or read."""

    paths: tuple[str, ...]
    problems: tuple[Problem, ...]


def inside(root: Path, path: str) -> Path:
    """Where `path` lies on the disk. Raises OutsideStore for anything that is not a plain path inside `root`.

    The real path of the nearest parent that exists must be inside the real root, so a linked folder is no way
    out; and the file itself must not be a link.
    """
    _require_plain(path)
    real_root = Path(os.path.realpath(root))
    target = real_root / path
    parent = target.parent
    while not os.path.lexists(parent):
        parent = parent.parent
    if not Path(os.path.realpath(parent)).is_relative_to(real_root):
        raise _outside(path, "it leaves the store through a link")
    if target.is_symlink():
        raise _outside(path, "it is a link")
    return target


def _require_plain(path: str) -> None:
    names = path.split("/")
    if not path or "\0" in path or "\\" in path or path.startswith(("/", "~")):
        raise _outside(path, "it is not a path from the store's root")
    if PureWindowsPath(path).drive or any(name in {"", ".", ".."} for name in names):
        raise _outside(path, "it is not a path from the store's root")
    if any(name.casefold().rstrip(". ") in {".git", "git~1", OWN_FOLDER} for name in names):
        raise _outside(path, "git's and memtend's own files are not memories")


def _outside(path: str, reason: str) -> OutsideStore:
    return OutsideStore(f"{path!r} is refused: {reason}", hint="Name a file inside the store, such as notes/name.md.")


class Files:
    """The files of one store, read with care."""

    def __init__(self, root: Path, step: Step = no_step) -> None:
        self.root = root
        self._step = step

    def at(self, path: str) -> Path:
        """Where `path` lies on the disk; see `inside`."""
        return inside(self.root, path)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, None where there is none. Raises UnreadableStore, OutsideStore."""
        return self._bytes(self.at(path), path)

    def read_found(self, path: str) -> bytes | None:
        """As `read`, for a path that `find` has just returned: the way there has been looked at."""
        return self._bytes(self.root / path, path)

    def _bytes(self, target: Path, path: str) -> bytes | None:
        try:
            self._step(f"read {path}")
            with open(target, "rb", opener=_plain_file) as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as fault:
            if fault.errno == errno.ENOTDIR:
                return None
            raise _unreadable(path, fault) from fault

    def mode(self, path: str) -> int | None:
        """The permission bits of a file, None where there is none."""
        try:
            return stat.S_IMODE(self.at(path).stat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self, folder: str) -> tuple[str, ...]:
        """What lies in a folder (`.` for the root), none where it is not there. Raises UnreadableStore."""
        place = self.root if folder == "." else self.at(folder)
        try:
            with os.scandir(place) as entries:
                return tuple(entry.name for entry in entries)
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as fault:
            raise _unreadable(folder, fault) from fault

    def find(self, needed: Iterable[str] = ()) -> Found:
        """Every plain file of the store, sorted, and a problem for each link or thing that is none.

        `needed` are folders that hold memories: one that is there but is a link or no folder raises
        UnreadableStore, as does any folder that cannot be listed. Raises NotFound without a root.
        """
        if not self.root.exists():
            raise NotFound(f"There is no store at {self.root}", hint="`memtend init` makes one.")
        for folder in needed:
            self._require_folder(folder)
        paths: list[str] = []
        problems: list[Problem] = []
        for entry, path in self._entries(""):
            problem = _problem(self.root, entry, path)
            if problem is None:
                paths.append(path)
            else:
                problems.append(problem)
        return Found(tuple(sorted(paths)), tuple(sorted(problems, key=lambda problem: problem.path)))

    def _require_folder(self, folder: str) -> None:
        place = self.root / folder
        if os.path.lexists(place) and (place.is_symlink() or not place.is_dir()):
            raise UnreadableStore(
                f"{folder} holds memories but is {'a link' if place.is_symlink() else 'no folder'}",
                hint="Links inside a store are not followed. Put the folder itself there.",
            )

    def _entries(self, folder: str) -> Iterator[tuple[os.DirEntry[str], str]]:
        """Everything that is no folder, depth first, without going through links."""
        waiting = [folder]
        while waiting:
            folder = waiting.pop()
            for entry in self._listed(folder):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                else:
                    yield entry, path

    def _listed(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            self._step(f"list {folder or '.'}")
            with os.scandir(self.root / folder) as entries:
                return [entry for entry in entries if _is_of_interest(entry.name)]
        except OSError as fault:
            raise _unreadable(folder or str(self.root), fault) from fault


def _is_of_interest(name: str) -> bool:
    return name not in NEVER_READ and not name.startswith(TEMPORARY_PREFIX)


def _plain_file(path: str, flags: int) -> int:
    """Open without following a link, and without waiting for the other end of a pipe."""
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a plain file")


def _problem(root: Path, entry: os.DirEntry[str], path: str) -> Problem | None:
    """What keeps an entry from being read as a file."""
    if entry.is_symlink():
        code, message = _link(root, entry)
        return Problem(code, "warning", path, message)
    if not entry.is_file(follow_symlinks=False):
        return Problem("not-a-file", "warning", path, "neither a file nor a folder; left alone")
    return None


def _link(root: Path, entry: os.DirEntry[str]) -> tuple[str, str]:
    link, real_root = Path(entry.path), Path(os.path.realpath(root))
    try:
        link.stat()
    except FileNotFoundError:
        return "link-dangling", f"a link to {link.readlink()}, which is not there; left alone"
    except OSError as fault:
        return "link-loop", f"a link that leads nowhere ({fault.strerror}); left alone"
    target = Path(os.path.realpath(link))
    if not target.is_relative_to(real_root):
        return "link-outside", f"a link out of the store, to {target}; neither read nor written"
    if Path(os.path.realpath(link.parent)).is_relative_to(target):
        return "link-loop", "a link to a folder that it lies in; not followed"
    return "link-inside", f"a link to {target.relative_to(real_root)}, which is read there; not followed"


def _unreadable(path: str, fault: OSError) -> UnreadableStore:
    return UnreadableStore(
        f"{path} cannot be read: {fault.strerror or fault}",
        hint="Give yourself the right to read it, or mount its disk. Nothing was changed.",
    )
