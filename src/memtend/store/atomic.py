"""A file is the old one or the new one, never half, and stays so when the power goes.

A write has two halves. *Staging* puts the new bytes into a temporary file and waits for the disk: it needs the
space, and may fail with nothing changed. *Placing* renames that file over the old one: it needs no space.
"""

import os
import secrets
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from memtend.errors import Integrity
from memtend.store.files import TEMPORARY_PREFIX, Step, no_step


@contextmanager
def disk_refusals(hint: str = "No memory was changed.") -> Iterator[None]:
    """Turn a disk that refuses (full, read-only, no rights) into one Integrity error."""
    try:
        yield
    except OSError as fault:
        raise refused_by_disk(fault, hint) from fault


def refused_by_disk(fault: OSError, hint: str) -> Integrity:
    """The error for a disk that refuses."""
    where = f" ({fault.filename})" if fault.filename else ""
    return Integrity(f"the disk refuses to write: {fault.strerror or fault}{where}", hint=hint)


class New(NamedTuple):
    """Bytes for a file, and the permission bits it gets where it replaces none."""

    target: Path
    data: bytes
    mode: int | None = None


class Disk:
    """Writes whole files by way of a folder for temporary ones."""

    def __init__(self, scratch: Path, step: Step = no_step) -> None:
        self._scratch = scratch
        self._step = step

    def stage(self, wanted: Iterable[New]) -> list[Path]:
        """Temporary files with these bytes, safely on the disk, to be placed at their targets.

        Each gets the permission bits (and, for root, the owner) of the file it will replace; without one, `mode`
        or what the process gives new files. Raises OSError, and then leaves nothing behind.
        """
        staged: list[Path] = []
        try:
            for new in wanted:
                staged.append(self._temporary_for(new.target))
                self._step(f"stage {new.target.name}")
                with staged[-1].open("xb") as file:
                    file.write(new.data)
                    self._step(f"sync {new.target.name}")
                    _dress_like(file.fileno(), new.target, new.mode)
            _flush(staged, os.O_RDWR)
        except OSError:
            for temporary in staged:
                with suppress(OSError):
                    temporary.unlink(missing_ok=True)
            raise
        return staged

    def place(self, temporary: Path, target: Path) -> None:
        """Let a staged file take the place of `target`, in one instant. Raises OSError."""
        self._step(f"place {target.name}")
        temporary.replace(target)

    def write(self, target: Path, data: bytes) -> None:
        """Stage, place, and wait until the folder knows it. Raises OSError."""
        (temporary,) = self.stage([New(target, data)])
        self.place(temporary, target)
        self.settle([target.parent])

    def remove(self, target: Path) -> None:
        """Take a file away; one that is gone already is no fault. Raises OSError."""
        self._step(f"remove {target.name}")
        target.unlink(missing_ok=True)

    def make_folders(self, folders: Iterable[Path]) -> None:
        """Make folders and those above them, so that a crash does not lose them. Raises OSError."""
        changed: list[Path] = []
        for folder in dict.fromkeys(folders):
            missing = [folder, *folder.parents]
            missing = missing[: next(i for i, above in enumerate(missing) if above.is_dir())]
            for made in reversed(missing):
                self._step(f"folder {made.name}")
                made.mkdir(exist_ok=True)
                changed.append(made.parent)
        self.settle(changed)

    def settle(self, folders: Iterable[Path]) -> None:
        """Wait until renames and removals in these folders have reached the disk. Raises OSError."""
        if os.name == "nt":  # Windows cannot open a folder, and orders renames by itself
            return
        _flush(list(dict.fromkeys(folders)), os.O_RDONLY)

    def sweep(self, folders: Iterable[Path] = ()) -> int:
        """Remove temporary files that a crash left, here and beside files in `folders`; how many there were."""
        places = [self._scratch, *dict.fromkeys(folders)]
        left = [file for place in places if place.is_dir() for file in place.glob(f"{TEMPORARY_PREFIX}*.tmp")]
        for file in left:
            self.remove(file)
        return len(left)

    def _temporary_for(self, target: Path) -> Path:
        """In the scratch folder; beside the target where that is another file system, for a rename cannot cross."""
        name = f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}.tmp"
        is_near = self._scratch.stat().st_dev == target.parent.stat().st_dev
        return (self._scratch if is_near else target.parent) / name


def _flush(paths: Sequence[Path], flags: int) -> None:
    """Wait until files or folders are on the disk: many at once, for that takes little longer than one."""
    if len(paths) < 3:
        for path in paths:
            _flush_one(path, flags)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(len(paths), 8)) as pool:
        list(pool.map(_flush_one, paths, [flags] * len(paths)))


def _flush_one(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _dress_like(descriptor: int, target: Path, mode: int | None) -> None:
    """Give an open file the permission bits and owner of the one it replaces."""
    if os.name == "nt":
        return
    try:
        old = target.stat(follow_symlinks=False)
    except FileNotFoundError:
        if mode is not None:
            os.fchmod(descriptor, mode)
        return
    new = os.fstat(descriptor)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
