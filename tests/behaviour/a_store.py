"""An empty store of plain memories, and short ways to change it."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from plain_layout import PlainLayout, memory

from memtend.change import Change, ChangeSet, Verb, created, retired
from memtend.memory import MemoryId
from memtend.store.apply import Store
from memtend.store.receipt import Receipt

NOW = datetime(2026, 6, 30, 10, 15, tzinfo=UTC)


def empty_store(root: Path) -> Store:
    """A store that commits nothing."""
    root.mkdir()
    return Store(root, PlainLayout())


def learn(store: Store, *names: str, **more: object) -> Receipt:
    """Memories by name, made in one change."""
    changes = tuple(created(memory(name, **more)) for name in names)  # type: ignore[arg-type]
    return store.apply(ChangeSet(changes, note=f"learn {' '.join(names)}"), now=NOW, session="s-1", commit=False)


def update(store: Store, name: str, content: str) -> Receipt:
    """Another content for a memory."""
    return store.apply(ChangeSet((changed(store, name, content=content),)), now=NOW, commit=False)


def changed(store: Store, name: str, verb: Verb = Verb.UPDATE, **values: object) -> Change:
    """A change of a memory as it is now."""
    old = store.read().memories[MemoryId(name)]
    return Change(verb, old.id, old.digest, values)


def purge(store: Store, *names: str, allow_large: bool = False) -> Receipt:
    """Memories by name, retired."""
    memories = store.read().memories
    changes = tuple(retired(memories[MemoryId(name)], at="2026-06-30", reason="purge") for name in names)
    return store.apply(ChangeSet(changes), now=NOW, commit=False, allow_large=allow_large)


def tree_of(store: Store) -> dict[str, bytes]:
    """Every file outside the store's own folder."""
    files = (file for file in sorted(store.root.rglob("*")) if file.is_file() and ".memtend" not in file.parts)
    return {str(file.relative_to(store.root)): file.read_bytes() for file in files}


def refused(store: Store, change_set: ChangeSet, error: type[Exception], *words: str, **options: bool) -> None:
    """The set is refused in these words, and not a byte changes."""
    before, log = tree_of(store), store.log(with_bookkeeping=True)
    with pytest.raises(error) as fault:
        store.apply(change_set, now=NOW, commit=False, **options)  # type: ignore[arg-type]
    assert all(word in str(fault.value) for word in words), fault.value
    assert tree_of(store) == before
    assert store.log(with_bookkeeping=True) == log


def denying(what: str) -> Callable[[str], None]:
    """What a disk does that lets nobody touch a file."""

    def step(touched: str) -> None:
        if touched == what:
            raise PermissionError(13, "Permission denied")

    return step
