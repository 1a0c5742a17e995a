"""A small category memory on the disk, and short ways to look at it."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtend.layouts.category.compact import Compaction, Options, choose, plan
from memtend.layouts.category.folder import Folder
from memtend.layouts.category.verify import failures
from memtend.workspace.category.categories import CategoryWorkspace

NOW = datetime(2026, 6, 30, 10, tzinfo=UTC)

INDEX = """\
---
type: memory_index
id: MEMORY-INDEX
updated_at: 2026-02-22
---

# Memory Map

Prose of a person, with a | pipe.

## Categories

| Category | Path | Purpose | Load frequency |
|---|---|---|---|
| `decisions/` | `decisions/_log.md` | Validated choices | Selective |
| `sessions/` | `sessions/2026-06-01.md`, `sessions/2026-06-02.md` | Working notes | Never |
| `summaries/` | *(empty — add as project grows)* | Compacted | Selective |
| `archive/` | *(empty)* | Historical | Rarely |

## Active Files

| File | Category | ID | Last updated | Owner |
|---|---|---|---|---|
| `decisions/_log.md` | decisions | DECISIONS-LOG | 2026-02-22 (4 decisions) | Ada |
| `decisions/DEC-7.md` | decisions | DEC-7 | 2026-03-01 | Ada \\| Bob |
| `patterns/conventions.md` | patterns | PATTERNS-001 | — | |
| `sessions/2026-06-01.md` | sessions | — | 2026-06-01 | |
| `sessions/2026-06-02.md` | sessions | — | 2026-06-02 | |

## Active Artefacts (reference only — not memory)

| File | Type | Status |
|---|---|---|
| `artefacts/prd.md` | PRD | Active |
"""
LOG = """\
---
type: memory
category: decisions
id: DECISIONS-LOG
updated_at: 2026-02-22
---

# Decision Log

> Append-only.

---

### DEC-4 — One queue

**Decision:** All mail goes through one queue.
**Date:** 2026-02-22

---

### DEC-3 — Two queues

> ⚠️ **SUPERSEDED by DEC-4** — one is enough

**Decision:** Each kind of mail has its own queue.

---

### DEC-2 — RETRACTED: a queue in memory

Nobody needs it.

---

### DEC-1 — Plain files

Memory is plain Markdown.

---

<!-- Add decisions above this line, newest first -->
"""
DECISION = """\
---
id: DEC-7
status: superseded
superseded_by: DEC-4
created_at: 2026-03-01
---

# DEC-7 — Keep the journal for a year

The journal is kept for a year.
"""
PATTERNS = """\
---
type: memory
category: patterns
id: PATTERNS-001
---

# Patterns

## Errors

One line, one hint.

## Retries

> OBSOLETE — the client retries by itself

Three times.
"""
FILES = {
    "index.md": INDEX,
    "README.memory.md": "> RETRACTED\n",
    "decisions/_log.md": LOG,
    "decisions/DEC-7.md": DECISION,
    "patterns/conventions.md": PATTERNS,
    "sessions/2026-06-01.md": "# Planning\n\nKeys must be rotated every 90 days.\n\nThe port of mail is 25.\n",
    "sessions/2026-06-02.md": "# More\n\nWe decided to use SQLite.\n\nThe port of mail is 26.\n",
    "archive/.gitkeep": "",
}


def lay(root: Path, files: Mapping[str, str | bytes] = FILES) -> Path:
    """Write files into a folder."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def opened(root: Path, now: datetime = NOW, **options: Any) -> CategoryWorkspace:
    """The memory at a folder, at a given time."""
    return CategoryWorkspace(root, clock=lambda: now, **options)


def small(root: Path, **options: Any) -> CategoryWorkspace:
    """The small memory, laid down and opened."""
    return opened(lay(root), **options)


def tree_of(root: Path) -> dict[str, bytes]:
    """Every file outside memtend's own folder."""
    files = (file for file in sorted(root.rglob("*")) if file.is_file() and ".memtend" not in file.parts)
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in files}


def changed(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> set[str]:
    """The files that differ."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def codes(workspace: CategoryWorkspace) -> list[str]:
    """What check finds."""
    return [problem.code for problem in workspace.check()]


def wrong(workspace: CategoryWorkspace) -> set[str]:
    """What check finds, but for the heading of the small memory that says RETRACTED."""
    return {*codes(workspace)} - {"loose-marker"}


def compacted(files: dict[str, str], now: datetime = NOW) -> Compaction:
    """What plan makes of the only category that yields something, once it has passed the nine checks."""
    folder = Folder({path: text.encode() for path, text in files.items()})
    (candidate,), _ = choose(folder, Options(), now)
    compaction = plan(folder, candidate, Options(), now)
    assert failures(folder, compaction, Options(), now) == {}
    return compaction
