"""A vault in the smallest grammar there is, for what search does whatever the layout: `key: value` lines, then text."""

import os
from collections.abc import Mapping
from pathlib import Path

from memtend.layouts import Decoded, Problem
from memtend.memory import Memory, MemoryId, Place, Status, digest_of
from memtend.search.catalogue import catalogue, problems, texts
from memtend.search.disk import Refreshed, scan
from memtend.search.index import Index
from memtend.search.rank import search

FOLDER = "10-Memories"
_LISTS = {"tags", "keywords", "links"}


def decode(path: str, data: bytes) -> Decoded:
    """The memories of a file, parted by lines of `=====`; a head ends at the first empty line."""
    parts = data.decode("utf-8", "surrogateescape").split("\n=====\n")
    memories = tuple(_memory(path, place, part, data) for place, part in enumerate(parts))
    untitled = [memory for memory in memories if not memory.title]
    return Decoded(memories, tuple(Problem("no-title", "warning", path, f"{m.id} has no title", 1) for m in untitled))


def _memory(path: str, place: int, part: str, data: bytes) -> Memory:
    head, _, text = part.partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.split("\n") if ": " in line)
    id = path.rpartition("/")[2].removesuffix(".md") + (f"-{place}" if place else "")
    values: dict[str, object] = {
        key: tuple(value.split(", ")) if key in _LISTS else int(value) if value.isdecimal() else value
        for key, value in fields.items()
    }
    values["status"] = Status(str(values.get("status", "active")))
    values.setdefault("title", "")
    values.setdefault("token_count", len(text.split()))
    return Memory(  # type: ignore[arg-type]
        id=MemoryId(id), place=Place(path, str(place or "")), digest=digest_of(data), content=text.strip("\n"), **values
    )


class Vault:
    """A folder with notes and the index of it. `read` are the paths that were decoded, in order."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.read: list[str] = []
        (root / FOLDER).mkdir(parents=True)

    @property
    def folder(self) -> Path:
        return self.root / FOLDER

    @property
    def index_path(self) -> Path:
        return self.root / ".memtend" / "index.db"

    def note(self, id: str, text: str, fields: Mapping[str, str] | None = None, **more: str) -> Path:
        """Write a note and give its path."""
        head = "\n".join(f"{key}: {value}" for key, value in {"title": id, **(fields or {}), **more}.items())
        path = self.folder / f"{id}.md"
        path.write_text(f"{head}\n\n{text}\n", encoding="utf-8", newline="\n")
        return path

    def open(self) -> Index:
        """The index as a new process finds it, not yet compared with the disk."""
        return Index(str(self.index_path), str(self.root))

    def refresh(self, index: Index) -> Refreshed:
        return index.refresh(lambda: scan(str(self.root), [FOLDER]), self._decode)

    def index(self) -> Index:
        """The index as a new process uses it."""
        index = self.open()
        self.refresh(index)
        return index

    def _decode(self, path: str, data: bytes) -> Decoded:
        self.read.append(path)
        return decode(path, data)


def keep_times(path: Path, text: str) -> None:
    """Change a file without changing its size or the time of its last change."""
    before = path.stat()
    path.write_text(text, encoding="utf-8", newline="\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def ids(index: Index, query: str) -> list[str]:
    """The memories that answer, best first."""
    return [hit.id for hit in search(index, query, 50).hits]


def everything(index: Index) -> list[tuple[object, ...]]:
    """All that the index knows and a person could see, in an order that does not depend on how it came there."""
    memories = [(memory, texts(index, [memory.id])[memory.id]) for memory in catalogue(index)]
    words = index.rows("select term, doc, cnt from vocabulary order by term")
    links = index.rows("select m.id, l.target from links l join memories m on m.n = l.n order by m.id, l.target")
    return [*memories, *words, *links, *problems(index)]


def vault_of(root: Path, texts: Mapping[str, str]) -> Vault:
    """A vault of some texts by their ids; the second word of each is its title."""
    made = Vault(root)
    for id, text in texts.items():
        made.note(id, text, {"title": text.split()[1].capitalize()})
    return made
