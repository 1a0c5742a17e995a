"""A workspace that lives as long as its server, and need not look at every file before every answer.

Looking at 10,000 files costs some 40 ms. The operating system says when something changes, so a look is good until
it does, and for two seconds at most: a disk of another machine may change without a word.
"""

import time
from typing import TYPE_CHECKING

from memtend.mcp.watcher import Watcher
from memtend.search.catalogue import catalogue
from memtend.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memtend.memory import Memory
    from memtend.search.index import Index

LONGEST_SECONDS = 2.0
"""How long a look at the disk is good where nobody says that something has changed."""

MOST_KEPT = 20_000
"""Memories of which a list is kept, some 20 MB, by each workspace of the pool."""


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

    def _on_file(self, index: "Index") -> "Sequence[Memory]":
        """Every memory as its file says it, kept until the index changes: `read` and `list` ask for all of them."""
        if index.count() > MOST_KEPT:
            return catalogue(index)
        return index.remembered("on file", lambda: catalogue(index))
