"""A workspace that lives as long as its server, and need not look at every file before every answer.

Looking at 10,000 files costs some 40 ms. The operating system says when something changes, so a look is good until
it does, and for two seconds at most: a disk of another machine may change without a word.
"""

import time
from typing import TYPE_CHECKING

from memtend.mcp.watcher import Watcher
from memtend.workspace import Workspace

if TYPE_CHECKING:
    from memtend.search.index import Index

LONGEST_SECONDS = 2.0
"""How long a look at the disk is good where nobody says that something has changed."""


class Resident(Workspace):
    """A workspace of a server. While it `trusts` its watcher, a look at the disk may be the last one."""

    watcher: Watcher
    trusts = False
    _looked: tuple[int, float] = (-1, 0.0)

    def index(self) -> "Index":
        """The index, brought up to date with the disk. Raises UnreadableStore."""
        changes, seconds = self._looked
        now = self.watcher.count()
        is_good = self.watcher.is_watching and changes == now
        if self.trusts and self._index is not None and is_good and time.monotonic() - seconds < LONGEST_SECONDS:
            return self._index
        self.watcher.start(self.root)
        look = self.watcher.count(), time.monotonic()
        index = super().index()
        self._looked = look
        return index
