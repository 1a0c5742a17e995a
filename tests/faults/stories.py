"""A few writes that touch a store in every way, to be stopped at every step."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from plain_layout import PlainLayout, memory

from memtend.change import Change, ChangeSet, Verb, created, retired
from memtend.layouts import Usage
from memtend.memory import MemoryId
from memtend.store.apply import Store
from memtend.store.files import Step, no_step

NOW = datetime(2026, 6, 30, 10, 15, tzinfo=UTC)


def opened(root: Path, step: Step = no_step) -> Store:
    """The store at `root`."""
    return Store(root, PlainLayout(), step=step)


def grown(root: Path) -> Store:
    """A store with a little history."""
    root.mkdir(parents=True, exist_ok=True)
    store = opened(root)
    store.apply(ChangeSet(tuple(created(memory(name)) for name in "abcdefg")), now=NOW, commit=False)
    return store


def mixed(store: Store) -> None:
    """Create, update, retire and erase in one set, with usage beside it."""
    have = store.read().memories
    a, b, c = (have[MemoryId(name)] for name in "abc")
    changes = (
        created(memory("new")),
        Change(Verb.UPDATE, a.id, a.digest, {"content": "Changed."}),
        retired(b, at="2026-06-30", reason="purge"),
        Change(Verb.ERASE, c.id, c.digest),
    )
    usage = {MemoryId("d"): Usage(3, "2026-06-29")}
    store.apply(ChangeSet(changes), now=NOW, commit=False, usage=usage, allow_large=True)


def undo(store: Store) -> None:
    """Take the latest back."""
    store.undo(now=NOW, commit=False)


def deep(store: Store) -> None:
    """A first file in new folders."""
    from memtend.change import FileEdit

    store.apply(ChangeSet(edits=(FileEdit("x/y/z.md", None, b"Deep\n"),)), now=NOW, commit=False)


def reindex(store: Store) -> None:
    """Usage and derived pages alone."""
    store.apply(ChangeSet(), now=NOW, commit=False, usage={MemoryId("a"): Usage(9, "2026-06-29")})


STORIES: dict[str, Callable[[Store], None]] = {"mixed": mixed, "undo": undo, "deep": deep, "reindex": reindex}


def tree_of(root: Path) -> dict[str, bytes]:
    """Every file outside the store's own folder."""
    files = (file for file in sorted(root.rglob("*")) if file.is_file() and ".memtend" not in file.parts)
    return {str(file.relative_to(root)): file.read_bytes() for file in files}


def leftovers(root: Path) -> list[str]:
    """Temporary files and open intents."""
    return [file.name for file in root.rglob("*") if file.name.endswith((".tmp", ".intent.json"))]


def without_usage(tree: dict[str, bytes]) -> dict[str, bytes]:
    """A tree in which usage, which is written beside a set and may stay without it, does not count."""
    lines = {path: [line for line in data.split(b"\n") if not line.startswith(b"@used")] for path, data in tree.items()}
    return {path: b"\n".join(kept) for path, kept in lines.items() if not path.startswith("pages/")}


def at(store: Store, name: str) -> Change:
    """A change of one memory's title."""
    old = store.read().memories[MemoryId(name)]
    return replace(Change(Verb.REFINE, old.id, old.digest), fields={"title": f"{name} refined"})
