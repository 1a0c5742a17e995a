"""A made-up category memory with the odd but legal forms that people's files have."""

from contract import LayoutCase

from memtend.layouts.category import CategoryLayout
from memtend.memory import Digest, Memory, MemoryId, Place

LOG = b"""\
---
type: memory
category: decisions
id: DECISIONS-LOG
tags: [decisions, governance]
created_at: 2026-01-10
updated_at: 2026-05-12
---

# Decision Log

> Append-only. Newest at top.

---

## Entry Template

```markdown
### DEC-YYYY-MM-DD-NN \xe2\x80\x94 Title

> SUPERSEDED by DEC-1
```

---

### DEC-60 (REVISED) \xe2\x80\x94 One queue for all mail

**Decision:** All mail goes through one queue.
**Date:** 2026-05-12

---

### DEC-60 \xe2\x80\x94 A queue for each kind of mail

> \xe2\x9a\xa0\xef\xb8\x8f **SUPERSEDED by DEC-60 (REVISED)** \xe2\x80\x94 one is enough

Each kind of mail has its own queue.

---

### DEC-13 \xe2\x80\x94 Nightly rebuild of staging

The staging database is rebuilt every night at two.

#### Impact

Nobody keeps data there.

---

### DEC-1 \xe2\x80\x94 Plain files

Memory is plain Markdown.

---

<!-- Add decisions above this line, newest first -->
"""
PATTERNS = (
    b"\xef\xbb\xbf---\r\ntype: memory\r\ncategory: patterns\r\nid: PATTERNS-001\r\n"
    b"updated_at: 2026-04-01\r\n---\r\n\r\n"
    b"# Patterns\r\n\r\n> How we write code.\r\n\r\n## Errors\r\n\r\nOne line, one hint.\r\n\r\n### Codes\r\n\r\n"
    b"Codes are words.\r\n\r\n### More codes\r\n\r\nSome are numbers.\r\n\r\n## Tests\r\n\r\n"
    b"- no sleeps\r\n- no network\r\n\r\n<!-- more to come -->\r\n"
)
DECISION = b"""\
---
id: DEC-7
status: active
tags:
  - storage
created_at: 2026-03-01
last_updated_at: 2026-03-02
superseded_by: null
---

# DEC-7 \xe2\x80\x94 Keep the journal for a year

## Context

Disks are cheap.

## Decision

The journal is kept for a year.
"""
SESSION = b"""\
# Planning the move

We looked at [[patterns/errors]] and `move_tables`.

- The move must be done by 2026-07-01.
- Nobody works at night.
"""
RETIRED = b"""\
---
id: DEC-2
status: superseded
superseded_by: DEC-7
---
Only text, no heading.
"""

TREE = {
    "decisions/_log.md": LOG,
    "decisions/DEC-7.md": DECISION,
    "decisions/DEC-2.md": RETIRED,
    "patterns/conventions.md": PATTERNS,
    "sessions/2026-06-01-move.md": SESSION,
    "ideas/later.md": b"Just a thought, nowhere near a heading.\n",
}

NEW = Memory(
    id=MemoryId("sessions/2026-06-30-index.md"),
    place=Place(""),
    digest=Digest(""),
    title='Quote "it": C:\\new\\table | \\1 $1,699',
    content="Text with `a\\|b` and \\g<0>.\n\n## A part\n\nMore.",
    topic="sessions",
    category="sessions",
    tags=("storage", "1.10"),
    created="2026-06-30",
    modified="2026-06-30",
)

CASE = LayoutCase(
    layout=CategoryLayout(),
    tree=TREE,
    new=NEW,
    edits={"content": "New text, C:\\new \\1 $1.\n\n#### A part\n\n- one\n- two"},
    can_retire=False,
)
