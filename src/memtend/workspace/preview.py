"""What a change set would write, before anything is: the files as they would be, and as a diff."""

import difflib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from memtend.change import Change, ChangeSet, FileEdit
from memtend.errors import Refused, UnknownMemory
from memtend.memory import Memory, MemoryId

if TYPE_CHECKING:
    from memtend.workspace import Workspace


class Preview:
    """The edits that changes would come to in one vault. Files are read when they are needed, and once."""

    def __init__(self, workspace: "Workspace", memories: Iterable[Memory]) -> None:
        self._workspace = workspace
        self._paths: dict[MemoryId, str] = {}
        self._twice: set[MemoryId] = set()
        for memory in memories:
            if memory.id in self._paths:
                self._twice.add(memory.id)
            self._paths[memory.id] = memory.place.path
        self._tree: dict[str, bytes] = {}

    def edits(self, change_set: ChangeSet) -> tuple[FileEdit, ...]:
        """The file edits. Raises Refused where a file cannot be edited safely."""
        tree = {path: self.file(path) for id in change_set.memory_ids if (path := self._paths.get(id))}
        return self._workspace.layout.encode(change_set, tree, self._workspace.now)

    def told(self, change: Change) -> Memory:
        """A memory as reading its file will give it after one change. Raises UnknownMemory, Refused."""
        path = self._paths.get(change.memory_id)
        if path is None:
            raise UnknownMemory(f"No memory {change.memory_id}", hint="`memtend list` shows the ids.")
        if change.memory_id in self._twice:
            raise Refused(f"{change.memory_id} stands in more than one file", hint="Rename or remove all but one.")
        data = next((edit.after for edit in self.edits(ChangeSet((change,)))), None) or self.file(path)
        return self.decoded(path, data, change.memory_id)

    def after(self, change_set: ChangeSet) -> dict[MemoryId, Memory | None]:
        """The memories that the changes touch as they would be; None for one that is erased."""
        ids = {path: id for id, path in self._paths.items()}
        made = {edit.path: edit.after for edit in self.edits(change_set)}
        return {
            ids[path]: None if data is None else self.decoded(path, data, ids[path])
            for path, data in made.items()
            if path in ids
        }

    def memory(self, id: MemoryId) -> Memory:
        """A memory whole, as its file has it."""
        path = self._paths[id]
        return self.decoded(path, self.file(path), id)

    def decoded(self, path: str, data: bytes, id: MemoryId) -> Memory:
        """The memory of a file's bytes."""
        return next(memory for memory in self._workspace.layout.decode(path, data).memories if memory.id == id)

    def file(self, path: str) -> bytes:
        """The bytes of a file as they are."""
        if path not in self._tree:
            self._tree[path] = self._workspace.store.read_file(path)
        return self._tree[path]

    def diff(self, change_set: ChangeSet) -> str:
        """What the changes would do, as a unified diff."""
        edits = self.edits(change_set)
        return "".join(line for edit in edits for line in diff(edit.path, self._tree.get(edit.path), edit.after))


def diff(path: str, before: bytes | None, after: bytes | None) -> Iterator[str]:
    """The lines of a unified diff of one file."""
    old, new = ((data or b"").decode("utf-8", "replace").splitlines(keepends=True) for data in (before, after))
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    lines = difflib.unified_diff(old, new, *names)
    return (line if line.endswith("\n") else line + "\n" for line in lines)
