"""What keeps a vault true: usage folded into the files, derived pages, checks, undo."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtend.change import ChangeSet
from memtend.layouts import Problem, Usage
from memtend.learn import secrets
from memtend.memory import Memory, MemoryId
from memtend.search import catalogue as table
from memtend.search import usage
from memtend.store.apply import Decide, Store
from memtend.store.check import STALE, findings
from memtend.store.git import Git
from memtend.store.receipt import Receipt
from memtend.store.snapshot import UNREAD
from memtend.workspace.interrupted import take_back
from memtend.workspace.suspect import orders

if TYPE_CHECKING:
    from memtend.search.index import Index
    from memtend.workspace import Vault, Workspace


def store_of(vault: "Vault") -> Store:
    """The store of a vault, with the index as its catalogue."""
    settings = vault.settings
    return Store(
        Path(vault.root),
        vault.layout,
        catalogue=lambda: catalogue(vault),
        wait_seconds=settings.number("lock_timeout_seconds"),
        git=Git(hook_seconds=settings.number("git_timeout_seconds")),
    )


def catalogue(vault: "Vault", index: "Index | None" = None) -> Iterator[Memory]:
    """Every memory without its content; usage is what file, derived pages and log together know.

    With an index the disk is not looked at again.
    """
    index = index or vault.index()
    totals = usage.totals(vault.own_folder, table.usage(index), vault.now.isoformat())
    for memory in vault._on_file(index):
        yield _with_all(memory, totals)


def _with_all(memory: Memory, totals: Mapping[str, tuple[int, str]]) -> Memory:
    """The memory with all its usage; one that another process has just put into the index has what its file says."""
    return _with_usage(memory, *totals.get(memory.id, (memory.retrieval_count, memory.last_retrieved)))


def _with_usage(memory: Memory, times: int, last: str) -> Memory:
    """The memory with all its usage. Files say the day it was last handed out, the log the second."""
    day = memory.last_retrieved if last[:10] == memory.last_retrieved[:10] else last[:10]
    if (times, day) == (memory.retrieval_count, memory.last_retrieved):
        return memory  # as most are; to make another costs more than to read one
    return replace(memory, retrieval_count=times, last_retrieved=day)


@dataclass(frozen=True, slots=True)
class Upkeep:
    """The upkeep of one vault."""

    workspace: "Workspace"

    def usage_to_write(self) -> dict[MemoryId, Usage]:
        """The usage of those memories whose files do not know all of it; the log is counted up to here.

        For the store, which has looked at the disk and holds the lock.
        """
        index, own = self.workspace._index_as_seen(), self.workspace.own_folder
        known, now = table.usage(index), self.workspace.now.isoformat()
        totals = usage.totals(own, known, now)
        with suppress(OSError):  # not counted yet is counted next time
            usage.fold(own, known, now)
        pairs = ((memory, _with_all(memory, totals)) for memory in table.catalogue(index))
        return {new.id: Usage(new.retrieval_count, new.last_retrieved) for old, new in pairs if new != old}

    def apply(
        self, change_set: ChangeSet | Decide, *, allow_large: bool = False, commit: bool | None = None
    ) -> Receipt:
        """Apply a change set, or one that is decided under the lock, with all usage that is not in the files yet."""
        return self.workspace.store.apply(
            change_set,
            now=self.workspace.now,
            session=self.workspace.session,
            allow_large=allow_large,
            commit=self._commits(commit),
            usage=self.usage_to_write,
        )

    def undo(self, receipt_id: str | None, commit: bool | None) -> Receipt:
        """Take back a receipt, or the latest that stands, and what it did to the project's state."""
        from memtend.workspace.distill_log import DistillLog
        from memtend.workspace.health import ProjectHealth

        receipt = self.workspace.store.undo(
            receipt_id,
            now=self.workspace.now,
            session=self.workspace.session,
            commit=self._commits(commit),
            usage=self.usage_to_write,
        )
        self._forget_usage_taken_back(receipt)
        left = [DistillLog(self.workspace).follow(receipt), ProjectHealth(self.workspace).take_back(receipt)]
        return replace(receipt, warnings=(*receipt.warnings, *filter(None, left)))

    def _forget_usage_taken_back(self, receipt: Receipt) -> None:
        """Read again what the derived pages know of these memories' usage: a merge that is undone adds nothing."""
        index = self.workspace._index_as_seen()
        index.write("delete from usage_floor where id = ?", [(id,) for id in receipt.memory_ids])
        index.write("delete from pages", [()])

    def reindex(self, rebuild: bool, commit: bool | None) -> Receipt:
        """Write usage and derived pages where they are not what the memories say."""
        if rebuild:
            self.workspace.forget_index()
        return self.apply(ChangeSet(note="update indexes"), commit=commit)

    def check(self) -> tuple[Problem, ...]:
        """Everything that is wrong with the store, its files and its derived pages, errors first."""
        from memtend.workspace.distill_log import DistillLog

        store = self.workspace.store
        contents = store.read()
        pages = {path: contents.tree[path] for path in store.layout.derived_paths if path in contents.tree}
        memories = tuple(contents.memories.values())
        compared = self.workspace.layout.compare(memories, pages)
        if any(problem.code == UNREAD for problem in contents.problems):
            compared = tuple(problem for problem in compared if problem.code != STALE)
        kept = {path: data for path, data in contents.tree.items() if store.layout.claims(path)}
        found = {
            *findings(store, self.workspace.now, contents, pages=False),
            *compared,
            *_dead_links(memories),
            *_secrets(kept),
            *orders(kept),
            *DistillLog(self.workspace).faults(),
        }
        return tuple(sorted(found, key=lambda item: (item.severity != "error", item.path, item.line, item.message)))

    def _commits(self, wanted: bool | None) -> bool:
        return self.workspace.settings.switch("commit") if wanted is None else wanted


def _dead_links(memories: Iterable[Memory]) -> Iterator[Problem]:
    """Links of memories in use that lead nowhere."""
    memories = tuple(memories)
    ids = {memory.id for memory in memories}
    for memory in memories:
        dead = [target for target in memory.links if target.rpartition("/")[2].removesuffix(".md") not in ids]
        if dead and memory.is_active:
            yield Problem("dead-link", "warning", memory.place.path, f"links to {', '.join(dead)}, which is not there")


def _secrets(files: Mapping[str, bytes]) -> Iterator[Problem]:
    """Where a file holds what looks like a key or password; the value is never said."""
    for path, data in files.items():
        for found in secrets.find(data.decode("utf-8", "replace")):
            yield Problem("secret", "warning", path, f"looks like it holds a secret ({found.kind})", found.line)


def take_back_interrupted(vault: "Vault") -> None:
    """Take back what an interrupted writer left in a vault, where that can be done."""
    take_back(store_of(vault), vault.now)


def remove_index(path: str) -> None:
    """Delete the private index; it is made anew from the files when it is next needed."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.remove(path + suffix)
