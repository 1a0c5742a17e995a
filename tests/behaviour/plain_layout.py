"""The plainest layout there can be, for tests of the store: `name.md`, a title, some `@` lines, then the content.

    Retry with care
    @topic python/http
    @category TECHNIQUE
    @used 3 2026-06-01
    @retired 2026-06-20 purge
    The content, to the end of the file.

`index.txt` is derived: one line an active memory, with its use.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from memtend.change import ChangeSet, FileEdit, Verb
from memtend.errors import Refused, UnknownMemory
from memtend.layouts import Decoded, Problem, Tree, Usage
from memtend.memory import Digest, Memory, MemoryId, Place, Status, digest_of

INDEX = "pages/index.txt"


class PlainLayout:
    """One memory a file, anywhere in the store."""

    name = "plain"
    derived_paths: tuple[str, ...] = (INDEX,)

    def claims(self, path: str) -> bool:
        return path.endswith(".md")

    def decode(self, path: str, data: bytes) -> Decoded:
        memory = read(path, data)
        problems = () if memory.title else (Problem("no-title", "warning", path, "has no title", 1),)
        return Decoded((memory,), problems)

    def encode(self, change_set: ChangeSet, tree: Tree, now: datetime) -> tuple[FileEdit, ...]:
        files = {read(path, data).id: (path, data) for path, data in tree.items()}
        edits: dict[MemoryId, FileEdit] = {}
        for change in change_set.changes:
            id = change.memory_id
            if change.verb is Verb.CREATE:
                memory = Memory(id=id, place=Place(""), digest=Digest(""), **change.fields)
                edits[id] = FileEdit(f"{id}.md", None, write(memory))
                continue
            if id not in files:
                raise UnknownMemory(f"No memory {id}")
            path, data = files[id]
            if b"@locked" in data:
                raise Refused(f"{path} cannot be edited safely")
            base = edits.get(id, FileEdit(path, digest_of(data), data))
            memory = replace(read(path, base.after or data), **change.fields)
            edits[id] = replace(base, after=None if change.verb is Verb.ERASE else write(memory))
        return tuple(edits.values())

    def reindex(self, memories: Sequence[Memory], pages: Tree, now: datetime) -> tuple[FileEdit, ...]:
        lines = sorted(f"{m.id}\t{m.title}\t{m.retrieval_count}\t{m.last_retrieved}" for m in memories if m.is_active)
        before = pages.get(INDEX)
        after = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        if before == after:
            return ()
        return (FileEdit(INDEX, None if before is None else digest_of(before), after),)

    def admits(self, change_set: ChangeSet, memories: Mapping[MemoryId, Memory]) -> Sequence[str]:
        return [f"{c.memory_id} is forbidden" for c in change_set.changes if c.fields.get("title") == "forbidden"]

    def usage(self, pages: Tree) -> Mapping[MemoryId, Usage]:
        rows = [line.split("\t") for line in pages.get(INDEX, b"").decode("utf-8", "surrogateescape").splitlines()]
        return {MemoryId(id): Usage(int(times), last) for id, _, times, last in rows if int(times) or last}

    def carry_usage(self, current: bytes, image: bytes) -> bytes:
        ours, theirs = read("x.md", image), read("x.md", current)
        times = max(ours.retrieval_count, theirs.retrieval_count)
        last = max(ours.last_retrieved, theirs.last_retrieved)
        if (times, last) == (ours.retrieval_count, ours.last_retrieved):
            return image
        return write(replace(ours, retrieval_count=times, last_retrieved=last))

    def skeleton(self, now: datetime) -> tuple[FileEdit, ...]:
        return (FileEdit(INDEX, None, b""),)


def read(path: str, data: bytes) -> Memory:
    """The memory in a file."""
    title, *rest = data.decode("utf-8", "surrogateescape").split("\n")
    keys: dict[str, str] = {}
    while rest and rest[0].startswith("@"):
        key, _, value = rest.pop(0)[1:].partition(" ")
        keys[key] = value
    times, _, last = keys.get("used", "0").partition(" ")
    at, _, reason = keys.get("retired", "").partition(" ")
    return Memory(
        id=MemoryId(path.rpartition("/")[2].removesuffix(".md")),
        place=Place(path),
        digest=digest_of(data),
        title=title,
        content="\n".join(rest).strip("\n"),
        topic=keys.get("topic", ""),
        category=keys.get("category", ""),
        retrieval_count=int(times),
        last_retrieved=last,
        status=Status.RETIRED if "retired" in keys else Status.ACTIVE,
        retired_at=at,
        retired_reason=reason,
    )


def write(memory: Memory) -> bytes:
    """The file of a memory."""
    lines = [memory.title]
    lines += [f"@topic {memory.topic}"] if memory.topic else []
    lines += [f"@category {memory.category}"] if memory.category else []
    if memory.retrieval_count or memory.last_retrieved:
        lines.append(f"@used {memory.retrieval_count} {memory.last_retrieved}")
    if not memory.is_active:
        lines.append(f"@retired {memory.retired_at} {memory.retired_reason}")
    return "\n".join([*lines, memory.content, ""]).encode("utf-8", "surrogateescape")


def memory(name: str, title: str = "", content: str = "", **more: object) -> Memory:
    """A memory to be created."""
    values = {"title": title or name, "content": content or f"Text of {name}.", **more}
    return Memory(id=MemoryId(name), place=Place(""), digest=Digest(""), **values)  # type: ignore[arg-type]


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder for one test, on a disk in memory where there is one: a store waits for its disk at every write."""
    memory_disk = Path("/dev/shm")
    with TemporaryDirectory(dir=memory_disk if memory_disk.is_dir() else None) as folder:
        yield Path(folder)
