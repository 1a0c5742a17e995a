"""The files of agents, before and after: written whole, with a record of what was put in and in whose place.

The record is kept by file in the user's state folder, and nothing of a file's other text is kept there.
"""

import difflib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtend.errors import UnusableInput


@dataclass(frozen=True, slots=True)
class Swap:
    """A piece of text that took another's place; undone by putting the other back."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One file before and after; None where it is not there."""

    path: Path
    before: str | None
    after: str | None
    swaps: tuple[Swap, ...] = ()
    remark: str = ""
    """What a person should know of the file: why it stays as it is, or what it says again."""
    was_there: bool = False
    """Whether the file named memtend before, so that taking us out gives that back."""

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after

    def diff(self, shown: str) -> str:
        """The change as a unified diff under the name that a person knows the file by."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        names = ("/dev/null" if self.before is None else shown, "/dev/null" if self.after is None else shown)
        lines = difflib.unified_diff(old, new, *names)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _is_record(value: Any) -> bool:
    """Whether it is what `Records.add` keeps of a file; what somebody else made of it is nothing we know."""
    if not isinstance(value, dict) or not isinstance(value.get("folders"), list):
        return False
    swaps = value.get("swaps")
    return isinstance(swaps, list) and all(isinstance(swap, list) and len(swap) == 2 for swap in swaps)


class Records:
    """What was put into which file, kept in the user's state folder; no file's other text is kept there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[str, dict[str, Any]] = {}
        with suppress(OSError, ValueError, RecursionError):
            kept = json.loads(path.read_text(encoding="utf-8"))
            listed = kept.items() if isinstance(kept, dict) else ()
            self._kept = {name: one for name, one in listed if _is_record(one)}

    @classmethod
    def of(cls, environ: Mapping[str, str], home: Path) -> "Records":
        """The records of a user."""
        given = environ.get("XDG_STATE_HOME") or environ.get("LOCALAPPDATA")
        return cls((Path(given) if given else home / ".local" / "state") / "memtend" / "setup.json")

    def swaps(self, path: Path) -> list[Swap]:
        """What was put into a file, in order."""
        listed = self._kept.get(str(path), {}).get("swaps", [])
        return [Swap(str(old), str(new)) for old, new in listed]

    def was_there(self, path: Path) -> bool:
        """Whether the file named memtend before we came."""
        return bool(self._kept.get(str(path), {}).get("there"))

    def is_new(self, path: Path) -> bool:
        """Whether the file was made by us."""
        return bool(self._kept.get(str(path), {}).get("new"))

    def add(self, edit: Edit, folders: Sequence[Path]) -> None:
        """Remember an edit and the folders that were made for it; earlier ones that have gone since are forgotten."""
        first = {"new": edit.before is None, "there": edit.was_there, "folders": [], "swaps": []}
        kept = self._kept.setdefault(str(edit.path), first)
        if taken_back(edit.before or "", self.swaps(edit.path)) is None:
            kept.update(new=edit.before is None, swaps=[])
        kept["swaps"] += [[swap.old, swap.new] for swap in edit.swaps]
        kept["folders"] += map(str, folders)

    def forget(self, paths: Iterable[Path]) -> set[Path]:
        """Remember files no longer; gives the folders that were made for them."""
        gone = [self._kept.pop(str(path), {}) for path in paths]
        return {Path(folder) for kept in gone for folder in kept.get("folders", [])}

    def save(self) -> None:
        """Write the records. Raises OSError."""
        if not self._kept:
            self._path.unlink(missing_ok=True)
            _remove_empty([self._path.parent])
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        _replace(self._path, json.dumps(self._kept, ensure_ascii=False, indent=1))
        self._path.chmod(0o600)  # an entry that ours took the place of may name a key


def write(found: Sequence[Edit], records: Records, *, removing: bool = False) -> None:
    """Write the edits: each file whole or not at all; what was written is on record, also where the next one fails.

    Raises OSError.
    """
    emptied: set[Path] = set()
    try:
        for edit in found:
            made = _written(edit) if edit.changes else []
            if removing:
                emptied |= records.forget([edit.path])
            elif edit.changes:
                records.add(edit, made)
    finally:
        records.save()
    _remove_empty(emptied)


def _written(edit: Edit) -> list[Path]:
    """Write one file, at the end of its links, and give the folders that were made for it."""
    target = edit.path.resolve()
    if edit.after is None:
        target.unlink(missing_ok=True)
        return []
    missing = [folder for folder in target.parents if not folder.exists()]
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, edit.after)
    except OSError:
        _remove_empty(missing)
        raise
    return missing


def writable(found: list[Edit]) -> list[Edit]:
    """The edits, each of a file that may be written. Raises UnusableInput."""
    for edit in found:
        target = edit.path.resolve()
        nearest = next(folder for folder in target.parents if folder.exists())
        may_be = os.access(nearest, os.W_OK) and (not target.exists() or target.stat().st_mode & 0o222)
        if edit.changes and not may_be:
            raise UnusableInput(
                f"{edit.path} may not be written",
                hint="Make it writable, or put in by hand what `--dry-run` shows of the other files.",
            )
    return found


def _remove_empty(folders: Iterable[Path]) -> None:
    """Folders that were made for our files and hold nothing now."""
    for folder in sorted(folders, key=lambda folder: len(folder.parts), reverse=True):
        with suppress(OSError):  # something else lies in it
            folder.rmdir()


def _replace(target: Path, text: str) -> None:
    """The new text in one step, with the rights of the old file."""
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with fresh.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
        with suppress(FileNotFoundError):
            fresh.chmod(target.stat().st_mode)
        fresh.replace(target)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def text_of(path: Path) -> str | None:
    """A file's text with its line ends as they are, None where there is none. Raises UnusableInput."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as fault:
        raise UnusableInput(f"{path} cannot be read: {fault}", hint="Mend that and run the command again.") from fault


def taken_back(text: str, swaps: Sequence[Swap]) -> str | None:
    """The text before all that was put in; None where a person has changed one of the places since."""
    for swap in reversed(swaps):
        if swap.new and text.count(swap.new) != 1:
            return None
        text = text.replace(swap.new, swap.old) if swap.new else text
    return text
