"""The store as it is under the lock: what a plan is made on.

Files are read when somebody asks for them, and once. Planned edits can be laid over, so that a second plan can
stand on a first one before either is written.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from memtend.change import FileEdit
from memtend.errors import Refused, UnreadableStore
from memtend.layouts import Layout, Problem
from memtend.memory import Digest, Memory, MemoryId, digest_of
from memtend.store.files import Files, Found

Catalogue = Callable[[], Iterable[Memory]]
"""Gives the memories of the whole store, known to be current, without their content. Called under the lock."""


class Reading(Mapping[str, bytes]):
    """Files by path. Iterating gives the ones it was made for; asking by name reaches any file of the store.

    So a layout may walk the few files that changed memories lie in, and look up a template beside them.
    """

    def __init__(self, read: Callable[[str], bytes | None], paths: Iterable[str] = ()) -> None:
        self._read = read
        self._paths = tuple(dict.fromkeys(paths))
        self._held: dict[str, bytes | None] = {}

    def at(self, path: str) -> bytes | None:
        """The bytes of a file, None where there is none. Raises OutsideStore, UnreadableStore."""
        if path not in self._held:
            self._held[path] = self._read(path)
        return self._held[path]

    def digest(self, path: str) -> Digest | None:
        """The digest of a file, None where there is none."""
        data = self.at(path)
        return None if data is None else digest_of(data)

    def made_for(self, paths: Iterable[str]) -> "Reading":
        """The same files, iterating over these."""
        return Reading(self.at, paths)

    def over(self, edits: Iterable[FileEdit]) -> "Reading":
        """The files as the edits would leave them."""
        laid = Reading(self.at, self._paths)
        laid._held.update({edit.path: edit.after for edit in edits})
        return laid

    def __getitem__(self, path: str) -> bytes:
        data = self.at(path)
        if data is None:
            raise KeyError(path)
        return data

    def __iter__(self) -> Iterator[str]:
        return (path for path in self._paths if self.at(path) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All memories of a store and any file of it."""

    layout: Layout
    reading: Reading
    memories: Mapping[MemoryId, Memory]
    """Of the whole store. Where a catalogue gave them they have no content: see `decoded`."""
    is_complete: bool = True
    """Whether every file of memories could be read."""
    doubles: Mapping[MemoryId, tuple[str, ...]] = field(default_factory=dict)
    """Ids that more than one file claims, with those files."""
    _known: dict[tuple[str, bytes], tuple[Memory, ...]] = field(default_factory=dict)
    """What was decoded so far: a plan asks several times for the same bytes, which may be megabytes."""

    def decoded(self, paths: Iterable[str]) -> dict[MemoryId, Memory]:
        """The memories in these files, with content."""
        files = ((path, self.reading.at(path)) for path in sorted(set(paths)) if self.layout.claims(path))
        return keyed(memory for path, data in files if data is not None for memory in self._memories(path, data))

    def _memories(self, path: str, data: bytes) -> tuple[Memory, ...]:
        found = self._known.get((path, data))
        if found is None:
            found = self._known[path, data] = self.layout.decode(path, data).memories
        return found

    def paths_of(self, ids: Iterable[MemoryId]) -> set[str]:
        """The files that these memories lie in; unknown ids have none. Raises Refused for an id of several files."""
        known = [id for id in ids if id in self.memories]
        for id in known:
            if id in self.doubles:
                raise Refused(
                    f"{id} stands in more than one file: {', '.join(self.doubles[id])}",
                    hint="Rename or remove all but one of them; then it can be changed.",
                )
        return {self.memories[id].place.path for id in known}

    def after(self, edits: Iterable[FileEdit]) -> "Snapshot":
        """The store as the edits would leave it."""
        edits = tuple(edits)
        if not edits:
            return self
        paths = {edit.path for edit in edits}
        laid = replace(self, reading=self.reading.over(edits))
        kept = {id: memory for id, memory in self.memories.items() if memory.place.path not in paths}
        return replace(laid, memories={**kept, **laid.decoded(paths)})

    def pages(self) -> dict[str, bytes]:
        """The derived pages that exist."""
        found = {path: self.reading.at(path) for path in self.layout.derived_paths}
        return {path: data for path, data in found.items() if data is not None}

    def in_file_order(self) -> list[Memory]:
        """All memories by path, those of one file as they stand in it."""
        return sorted(self.memories.values(), key=lambda memory: memory.place.path)


class Contents(NamedTuple):
    """Everything a store holds: files of memories and derived pages, memories by id, and what is wrong."""

    tree: dict[str, bytes]
    memories: dict[MemoryId, Memory]
    problems: tuple[Problem, ...]


def take_snapshot(files: Files, layout: Layout, catalogue: Catalogue | None) -> Snapshot:
    """The store as it is now. Without a catalogue every file is read. Raises UnreadableStore, NotFound."""
    reading = Reading(files.read)
    if catalogue is not None:
        return Snapshot(layout, reading, keyed(catalogue()))
    contents = read_all(files, layout)
    memories = contents.memories.values()
    unread = any(problem.code == UNREAD for problem in contents.problems)
    return Snapshot(layout, reading, contents.memories, not unread, _doubles(memories))


def read_all(files: Files, layout: Layout) -> Contents:
    """Read and decode the whole store.

    A file that cannot be read is a problem and the rest still works; a folder that cannot be is UnreadableStore.
    """
    found = find(files, layout)
    tree: dict[str, bytes] = {}
    memories: list[Memory] = []
    problems = list(found.problems)
    for path in found.paths:
        if not (layout.claims(path) or path in layout.derived_paths):
            continue
        try:
            data = files.read_found(path)
        except UnreadableStore as fault:
            problems.append(Problem(UNREAD, "error", path, f"{fault.message}; what it holds was not looked at"))
            continue
        if data is not None:
            tree[path] = data
            decoded = layout.decode(path, data) if layout.claims(path) else None
            memories += decoded.memories if decoded is not None else ()
            problems += decoded.problems if decoded is not None else ()
    twice = [
        Problem("double-id", "error", paths[0], f"{id} also stands in {', '.join(paths[1:])}")
        for id, paths in _doubles(memories).items()
    ]
    return Contents(tree, keyed(memories), (*problems, *twice))


UNREAD = "unreadable-file"


def find(files: Files, layout: Layout) -> Found:
    """Every file of a store, its folders of memories being what they should. Raises UnreadableStore, NotFound."""
    pages = [*layout.derived_paths, *(edit.path for edit in layout.skeleton(datetime.min.replace(tzinfo=UTC)))]
    folders = {str(folder) for page in pages for folder in PurePosixPath(page).parents} - {"."}
    return files.find(sorted(folders))


def keyed(memories: Iterable[Memory]) -> dict[MemoryId, Memory]:
    """Memories by id. A second one with an id goes by `id (2)`: it cannot be named, but is not lost from sight."""
    found: dict[MemoryId, Memory] = {}
    for memory in memories:
        key, count = memory.id, 1
        while key in found:
            count += 1
            key = MemoryId(f"{memory.id} ({count})")
        found[key] = memory
    return found


def _doubles(memories: Iterable[Memory]) -> dict[MemoryId, tuple[str, ...]]:
    """The ids that more than one file claims, with those files."""
    files: dict[MemoryId, set[str]] = {}
    for memory in memories:
        files.setdefault(memory.id, set()).add(memory.place.path)
    return {id: tuple(sorted(paths)) for id, paths in files.items() if len(paths) > 1}
