"""`memory_health` in specs/state.json, which lies outside the vault and belongs to others (vault spec, 5).

The file is replaced in one step after the memories are written, and only that value of it is touched. What it was
before is kept in `.memtend/health/`, by receipt, so that an undo takes it back: to the byte where nobody wrote since,
else that value alone. A crash between the two writes leaves the value of the time before; the next run mends it.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtend.distill.state import STATE, Health, health_value, with_health, with_value
from memtend.errors import MemtendError, UnusableInput
from memtend.memory import digest_of
from memtend.store.atomic import Disk, disk_refusals
from memtend.store.receipt import Receipt

if TYPE_CHECKING:
    from memtend.workspace import Workspace

_ATTEMPTS = 3


class ProjectHealth:
    """The state file of the project around one vault. Nothing happens where there is none."""

    def __init__(self, workspace: "Workspace") -> None:
        self._path = Path(os.path.realpath(os.path.join(workspace.project, STATE)))
        self._own = Path(workspace.own_folder)

    @property
    def is_kept(self) -> bool:
        """Whether the project has that file."""
        return self._path.is_file()

    def keep(self, health: Health, receipt_id: str = "") -> str:
        """Write the health down; what stands in the way, as a sentence, empty where nothing does."""
        return self._rewritten(lambda data: with_health(data, health), receipt_id)

    def take_back(self, receipt: Receipt) -> str:
        """Give the file what it had before the receipt that this one took back; what stands in the way."""
        note = self._note(receipt.undoes or "")
        if note is None:
            return ""
        return self._rewritten(lambda data: _taken_back(data, note), receipt.id)

    def forget(self, kept: "set[str]") -> None:
        """Drop what is known of receipts that are no longer in the journal."""
        with suppress(OSError):
            for file in (self._own / "health").iterdir():
                if file.stem not in kept:
                    file.unlink()

    def _rewritten(self, change: Callable[[bytes], bytes], receipt_id: str) -> str:
        if not self.is_kept:
            return ""
        try:
            with disk_refusals("The memories are written; only that file is not up to date."):
                self._rewrite(change, receipt_id)
        except MemtendError as fault:
            return f"{STATE} was left as it is: {fault.message}"
        return ""

    def _rewrite(self, change: Callable[[bytes], bytes], receipt_id: str) -> None:
        """Replace the file, unless somebody else writes at the same time: then with theirs as the start."""
        for _ in range(_ATTEMPTS):
            before = self._path.read_bytes()
            after = change(before)
            if after == before:
                return
            disk = Disk(self._own / "tmp")
            disk.make_folders([self._own / "tmp", self._own / "health"])
            if receipt_id:
                note = json.dumps(_difference(before, after)).encode()
                disk.write(self._own / "health" / f"{receipt_id}.json", note)
            if self._path.read_bytes() == before:
                disk.write(self._path, after)
                return
        raise UnusableInput(f"{STATE} is being written by somebody else", hint="Run the command again.")

    def _note(self, receipt_id: str) -> dict[str, Any] | None:
        with suppress(OSError, ValueError, RecursionError):
            note = json.loads((self._own / "health" / f"{receipt_id}.json").read_bytes())
            return note if isinstance(note, dict) else None
        return None


def _difference(before: bytes, after: bytes) -> dict[str, Any]:
    """What was replaced by what, and where; and the value as it was, for a file that others have changed since."""
    start = _same(before, after)
    rest = _same(before[start:][::-1], after[start:][::-1])
    return {
        "after": digest_of(after),
        "start": start,
        "old": before[start : len(before) - rest].hex(),
        "new_length": len(after) - rest - start,
        "value": health_value(before),
    }


def _same(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with alike."""
    length = min(len(one), len(other))
    return next((place for place in range(length) if one[place] != other[place]), length)


def _taken_back(data: bytes, note: dict[str, Any]) -> bytes:
    if digest_of(data) != note["after"]:
        return with_value(data, note["value"])
    start, end = int(note["start"]), int(note["start"]) + int(note["new_length"])
    return data[:start] + bytes.fromhex(note["old"]) + data[end:]
