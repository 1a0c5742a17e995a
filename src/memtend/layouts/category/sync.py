"""The index brought up to date with the files, and the index of a new memory."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from memtend.change import FileEdit
from memtend.layouts import Tree
from memtend.layouts.category.paths import INDEX
from memtend.layouts.category.registry import UNKNOWN, IndexChange, Registration, updated
from memtend.memory import Memory, digest_of

_NEW = """\
---
type: memory_index
id: MEMORY-INDEX
updated_at: {day}
---

# Memory Map

> Always keep this index current: it says what exists.

## Categories

| Category | Path | Purpose |
|---|---|---|
| `project/` | *(empty)* | What the product is, its scope and constraints |
| `decisions/` | *(empty)* | Validated choices, never overwritten |
| `patterns/` | *(empty)* | Conventions and procedures |
| `sessions/` | *(empty)* | Working notes of a session |
| `summaries/` | *(empty)* | What compacted sessions came to |
| `archive/` | *(empty)* | What was compacted, whole |

## Active Files

| File | Category | ID | Last updated |
|---|---|---|---|
"""


def day_of(now: datetime) -> str:
    """The UTC day, `2026-06-30`: the one rule for dates, wherever the machine stands (O-TM-03)."""
    return f"{now.astimezone(UTC):%Y-%m-%d}"


def with_index(pages: Tree, day: str) -> Tree:
    """The registries, with the index of a new memory where there is none."""
    return pages if INDEX in pages else {**pages, INDEX: _NEW.format(day=day).encode()}


def synced(memories: Sequence[Memory], pages: Tree, now: datetime) -> tuple[FileEdit, ...]:
    """The edit that adds rows for files that index.md lacks. No row is taken out."""
    before = pages.get(INDEX)
    base = with_index(pages, day_of(now))
    change = IndexChange(day=day_of(now), added=tuple(registrations(memories)))
    after = updated({INDEX: base[INDEX]}, change).get(INDEX, base[INDEX])
    if after == before:
        return ()
    return (FileEdit(INDEX, None if before is None else digest_of(before), after, derived=True),)


def registrations(memories: Iterable[Memory]) -> Iterable[Registration]:
    """What a registry says of each file, by path."""
    by_path: dict[str, list[Memory]] = {}
    for memory in memories:
        by_path.setdefault(memory.place.path, []).append(memory)
    for path, own in sorted(by_path.items()):
        whole = next((memory for memory in own if not memory.place.part), None)
        yield Registration(
            path,
            own[0].category,
            whole.keywords[0] if whole and whole.keywords else "",
            whole.title if whole else "",
            max((memory.modified[:10] for memory in own), default="") or UNKNOWN,
            len(own),
            sum(memory.token_count for memory in own),
        )


def skeleton(now: datetime) -> tuple[FileEdit, ...]:
    """The files of a memory that remembers nothing yet."""
    folders = ("decisions", "patterns", "project", "sessions", "summaries", "archive")
    keep = (FileEdit(f"{folder}/.gitkeep", None, b"") for folder in folders)
    return (FileEdit(INDEX, None, _NEW.format(day=day_of(now)).encode()), *keep)
