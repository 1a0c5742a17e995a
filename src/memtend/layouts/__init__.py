"""How memories lie on disk: one package a layout, each pure functions over `{path: bytes}`.

A layout never touches the disk, never asks for the time and never knows another layout. Words of its file
grammar stay inside its package. `Layout` is the contract; `tests/layouts/` holds one suite that all must pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from memtend.change import ChangeSet, FileEdit
from memtend.memory import Memory, MemoryId

Tree = Mapping[str, bytes]
"""Files of a store by path from its root, `/` between names."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file that does not keep the rest from working."""

    code: str
    severity: str
    """`error`: part of the file cannot be used; `warning`: it can, but a person should look."""
    path: str
    message: str
    line: int = 0
    """From 1, counted from the start of the file; 0 where there is none."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What one file holds."""

    memories: tuple[Memory, ...] = ()
    problems: tuple[Problem, ...] = ()


class Usage(NamedTuple):
    """How often a memory was handed out, and when last (an ISO date or timestamp, empty for never)."""

    times: int
    last: str


class Layout(Protocol):
    """What the store and the workspace need of a layout."""

    @property
    def name(self) -> str:
        """`vault`, `role` or `category`."""
        ...

    @property
    def derived_paths(self) -> tuple[str, ...]:
        """The pages that `reindex` keeps."""
        ...

    def claims(self, path: str) -> bool:
        """Whether a file at this path holds memories."""
        ...

    def decode(self, path: str, data: bytes) -> Decoded:
        """The memories and problems of one file. Never raises for what the file holds."""
        ...

    def encode(self, change_set: ChangeSet, tree: Tree, now: datetime) -> tuple[FileEdit, ...]:
        """The file edits that make the changes. `tree` has every file that the changed memories lie in.

        Bytes outside what a change touches stay. Raises Refused where the file cannot be edited safely.
        """
        ...

    def reindex(self, memories: Sequence[Memory], pages: Tree, now: datetime) -> tuple[FileEdit, ...]:
        """The edits that bring the derived pages up to date; none where nothing would change but a date.

        `memories` need no content. `pages` are the derived pages that exist.
        """
        ...

    def admits(self, change_set: ChangeSet, memories: Mapping[MemoryId, Memory]) -> Sequence[str]:
        """Why the layout's own law forbids the set: one sentence a reason, empty where it does not."""
        ...

    def usage(self, pages: Tree) -> Mapping[MemoryId, Usage]:
        """Usage that only the derived pages know (vault spec, 1: it never goes down)."""
        ...

    def carry_usage(self, current: bytes, image: bytes) -> bytes:
        """`image` with the usage of `current` where that is higher, all other bytes as in `image`."""
        ...

    def skeleton(self, now: datetime) -> Iterable[FileEdit]:
        """The files of a new, empty store."""
        ...
