"""Files that wait for a commit, written down before git is asked: neither a refusal nor a crash forgets them."""

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from memtend.errors import OutsideStore
from memtend.store.files import inside


class Pending:
    """The waiting files of the store at `root`, in a folder of small lists, one an apply. Needs no lock."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder

    def add(self, receipt_id: str, paths: Iterable[str]) -> None:
        """Let files wait. Best effort: a full disk costs a commit, not a memory."""
        with suppress(OSError):
            self._folder.mkdir(exist_ok=True)
            (self._folder / f"{receipt_id}.json").write_text(json.dumps(sorted(paths)), encoding="ascii")

    def lists(self) -> dict[Path, frozenset[str]]:
        """The waiting files, by the list they stand in. A damaged list names none."""
        found: dict[Path, frozenset[str]] = {}
        for file in sorted(self._folder.glob("*.json")):
            found[file] = frozenset()
            with suppress(OSError, ValueError, TypeError, RecursionError):
                paths = json.loads(file.read_text(encoding="ascii"))
                found[file] = frozenset(path for path in paths if isinstance(path, str) and self._may_be_ours(path))
        return found

    def drop(self, lists: Iterable[Path]) -> None:
        """Forget lists whose files wait no longer."""
        for file in lists:
            with suppress(OSError):
                file.unlink(missing_ok=True)

    def _may_be_ours(self, path: str) -> bool:
        try:
            inside(self._root, path)
        except OutsideStore:
            return False
        return True
