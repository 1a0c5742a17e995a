"""Which memory a name means, and what is linked to what. Never a guess: a doubt is an error with the candidates."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from memtend.errors import UnknownMemory
from memtend.memory import Memory, MemoryId
from memtend.search import catalogue as table
from memtend.text import fold

if TYPE_CHECKING:
    from memtend.workspace import Workspace

PREFIX = "MEM-"


@dataclass(frozen=True, slots=True)
class Linked:
    """The links of one memory, each id once."""

    id: MemoryId
    outgoing: tuple[MemoryId, ...]
    """Ids of memories that it links to."""
    incoming: tuple[MemoryId, ...]
    """Ids of memories in use that link to it."""
    broken: tuple[str, ...]
    """Targets that lead nowhere."""
    retired: tuple[MemoryId, ...] = ()
    """Of the outgoing ones, those that are retired."""


def find(memories: Sequence[Memory], name: str) -> Memory:
    """The memory that goes by a name: its id (with or without `MEM-`, `.md` or brackets) or its path.

    Exact spelling wins over another case; a part of a name is never enough. Raises UnknownMemory with candidates.
    """
    wanted = name.strip().removeprefix("[[").removesuffix("]]").removesuffix(".md")
    for spell in (str, fold):
        spelled = {spell(wanted), spell(PREFIX + wanted)}
        found = [memory for memory in memories if spell(memory.place.path.removesuffix(".md")) in spelled]
        found = found or [memory for memory in memories if spell(memory.id) in spelled]
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(memory.place.path for memory in found)
            raise UnknownMemory(f"{name} names {len(found)} memories: {listed}", hint="Give the path of one of them.")
    ids = {fold(memory.id): str(memory.id) for memory in memories}
    close = get_close_matches(fold(wanted), ids, n=3) or get_close_matches(fold(PREFIX + wanted), ids, n=3)
    hint = f"Did you mean {', '.join(ids[id] for id in close)}?" if close else "`memtend list` shows the ids."
    raise UnknownMemory(f"No memory goes by {name!r}", hint=hint)


def read(workspace: "Workspace", name: str) -> Memory:
    """One memory, whole, with all its usage. Raises UnknownMemory."""
    return whole(workspace, find(workspace.memories(include_retired=True), name))


def whole(workspace: "Workspace", known: Memory) -> Memory:
    """A memory of the catalogue with what it says. Raises UnknownMemory where it has just gone."""
    from dataclasses import replace

    data = workspace.store.read_file(known.place.path)
    decoded = workspace.layout.decode(known.place.path, data).memories
    found = next((memory for memory in decoded if memory.id == known.id), None)
    if found is None:
        raise UnknownMemory(
            f"{known.place.path} no longer holds {known.id}", hint="`memtend check` says what is wrong."
        )
    return replace(found, retrieval_count=known.retrieval_count, last_retrieved=known.last_retrieved)


def links(workspace: "Workspace", name: str) -> Linked:
    """The links of a memory in both directions. Raises UnknownMemory."""
    memories = workspace.memories(include_retired=True)
    memory = find(memories, name)
    ids = {known.id: known for known in memories}
    outgoing = [MemoryId(target.rpartition("/")[2].removesuffix(".md")) for target in memory.links]
    return Linked(
        id=memory.id,
        outgoing=tuple(id for id in outgoing if id in ids),
        incoming=tuple(MemoryId(id) for id in table.links_to(workspace._index_as_seen(), memory.id) if id != memory.id),
        broken=tuple(target for target, id in zip(memory.links, outgoing, strict=True) if id not in ids),
        retired=tuple(id for id in outgoing if id in ids and not ids[id].is_active),
    )
