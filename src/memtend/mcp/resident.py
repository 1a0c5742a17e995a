"""A workspace that lives as long as its server, and need not look at every file before every answer.

Looking at 10,000 files costs some 40 ms. The operating system says when something changes, so a look is good until
it does, and for two seconds at most: a disk of another machine may change without a word.
"""

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from memtend.workspace import Workspace
from memtend.workspace.place import MEMORIES_FOLDER

if TYPE_CHECKING:
    from memtend.search.index import Index

LONGEST_SECONDS = 2.0
"""How long a look at the disk is good where nobody says that something has changed."""
_GATHER_MS, _STEP_MS, _WAIT_MS = 50, 5, 500


class Watcher:
    """Counts the changes of a vault's memories. Where it cannot watch, no look is good for long."""

    def __init__(self) -> None:
        self.changes = 0
        self.is_watching = False
        self._stop = threading.Event()
        self._started = False
        self._lock = threading.Lock()

    def changed(self) -> None:
        """Something may have changed: the next look is a real one."""
        self.changes += 1

    def start(self, root: str) -> None:
        """Watch a vault from now on; once is enough."""
        with self._lock:
            if self._started:
                return
            self._started = True
        threading.Thread(target=self._watch, args=(root,), name="memtend watcher", daemon=True).start()

    def stop(self) -> None:
        """Watch no longer."""
        self._stop.set()

    def _watch(self, root: str) -> None:
        from watchfiles import watch

        paths = [path for name in (MEMORIES_FOLDER, "memory-index.json") if (path := Path(root, name)).exists()]
        try:
            for changes in watch(
                *paths,
                watch_filter=None,
                debounce=_GATHER_MS,
                step=_STEP_MS,
                rust_timeout=_WAIT_MS,
                yield_on_timeout=True,
                stop_event=self._stop,
                raise_interrupt=False,
            ):
                self.changes += bool(changes) or not self.is_watching
                self.is_watching = True
        except (OSError, RuntimeError):
            return  # too many watches, or none here: every look is a real one
        finally:
            self.is_watching = False


class Resident(Workspace):
    """A workspace of a server. While it `trusts` its watcher, a look at the disk may be the last one."""

    watcher: Watcher
    trusts = False
    _looked: tuple[int, float] = (-1, 0.0)

    def index(self) -> "Index":
        """The index, brought up to date with the disk. Raises UnreadableStore."""
        changes, seconds = self._looked
        is_good = self.watcher.is_watching and changes == self.watcher.changes
        if self.trusts and self._index is not None and is_good and time.monotonic() - seconds < LONGEST_SECONDS:
            return self._index
        self._looked = (self.watcher.changes, time.monotonic())
        self.watcher.start(self.root)
        return super().index()
