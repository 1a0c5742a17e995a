"""What the store asks of a layout (`memtend.layouts.Layout`), for category memory."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from memtend.change import ChangeSet, FileEdit
from memtend.layouts import Decoded, Tree, Usage
from memtend.layouts.category import paths
from memtend.memory import Memory, MemoryId

_REMEMBERED = 4096
"""So many files are decoded once: the store looks at each of them before and after a change."""


class CategoryLayout:
    """Category memory.

    With `syncs` the store also keeps index.md: rows of files that it lacks are added; a row is never taken out. It is
    off by default, since what a compaction does to the index stands in its plan, and a restore has to be exact.
    `pages` are edits of the registries that are known already; they are all that the store then does to them.
    """

    name = "category"
    derived_paths: tuple[str, ...] = (paths.INDEX,)

    def __init__(self, *, syncs: bool = False, pages: Sequence[FileEdit] = ()) -> None:
        self._syncs = syncs
        self._pages = tuple(pages)
        self._decoded: dict[tuple[str, bytes], Decoded] = {}

    def claims(self, path: str) -> bool:
        """Whether a file holds memory."""
        return paths.claims(path)

    def decode(self, path: str, data: bytes) -> Decoded:
        """The entries of one file and what is wrong with it."""
        key = (path, data)
        if key not in self._decoded:
            from memtend.layouts.category.decode import decode

            if len(self._decoded) >= _REMEMBERED:
                self._decoded.clear()
            self._decoded[key] = decode(path, data)
        return self._decoded[key]

    def encode(self, change_set: ChangeSet, tree: Tree, now: datetime) -> tuple[FileEdit, ...]:
        """The edits that make the changes; files that the set edits itself are left to it."""
        from memtend.layouts.category.encode import encode

        del now  # every date is in the changes
        return encode(change_set, tree)

    def reindex(self, memories: Sequence[Memory], pages: Tree, now: datetime) -> tuple[FileEdit, ...]:
        """The edit that adds missing rows to index.md, for a layout that syncs; or those that are known already."""
        if not self._syncs:
            return self._pages
        from memtend.layouts.category.sync import synced

        return synced(memories, pages, now)

    def admits(self, change_set: ChangeSet, memories: Mapping[MemoryId, Memory]) -> Sequence[str]:
        """Why a set is forbidden: names that no file can have, entries without a title."""
        from memtend.layouts.category.encode import refusals

        del memories
        return tuple(refusals(change_set))

    def usage(self, pages: Tree) -> Mapping[MemoryId, Usage]:
        """Nobody counts uses in this layout."""
        del pages
        return {}

    def carry_usage(self, current: bytes, image: bytes) -> bytes:
        """`image`, since there is no usage to carry."""
        del current
        return image

    def skeleton(self, now: datetime) -> tuple[FileEdit, ...]:
        """The files of a memory that remembers nothing yet."""
        from memtend.layouts.category.sync import skeleton

        return skeleton(now)
