"""Made-up files of a role with the forms that people and tools write, and short ways to read and change them."""

from typing import Any

from contract import NOW, LayoutCase

from memtend.change import Change, ChangeSet, Verb
from memtend.layouts.role import RoleLayout
from memtend.layouts.role.decode import CONSOLIDATED, PENDING, decode_consolidated
from memtend.layouts.role.ids import Kind, id_of
from memtend.memory import Digest, Memory, MemoryId, Place

LAYOUT = RoleLayout("zero")

HEADER = """\
---
# owner: the build team
name: "zero"
version: "4.0.0"
updated: "2026-06-30"  # kept by memtend
custom: keep me
---
# Memory: zero
# Last Consolidated: 2026-06-01
# Auto-Extracted: true

---

"""
LEARNINGS = (
    HEADER
    + """\
# Learnings (High Priority)
- [6x] Run the check before you say done <!-- tags: verification, workflow | src: compaction | seen: 2026-04-17 -->
- [003x] Caches need a version in their key

# Learnings (Normal)
* [2X] 软删除优先
- [1x] A rollout waits for its probes <!-- weight: 0.5 | seen: 2026-05-02 -->
  - and a probe without a timeout waits for ever

# Learnings (New)
- [0x] C:\\new\\table costs $1,699, \\1 of it \\g<0>

# Unknown section
Stays where it is.
```md
# Learnings (New)
- [9x] only an example
```
"""
)
PREFERENCES = (
    HEADER
    + """\
# Preferences: Communication
- Answer in English <!-- tags: style -->

# Preferences: Code
- use tabs
- [5x] is no count here

# Preferences: Review Style
- Conclusion first
"""
)
EVENTS = (
    HEADER
    + """\
# Events
- 2026-02-01 moved to the new cluster
## [2026-04-17] New learnings about highways
They are long.

### Part
- one

## A day without a date
```
# Learnings (New)
```
"""
)
WAITING = """\
---
role: "zero"
updated: "2026-06-30"
---

# Pending Memories

- [○] [auto] cache invalidation needs a version key
  category: Code
  id: twin-001
  created: 2026-06-25

- [✗] [compaction] stale memo about an old tool
  id: 14868502b1
  created: 2026-06-01
"""


def memory(kind: Kind, text: str, **fields: object) -> Memory:
    """A memory as a change would create it."""
    category = str(fields.get("category", ""))
    values = {"content": text, "extra": {"kind": str(kind)}, **fields}
    return Memory(
        id=MemoryId(id_of(kind, text, "" if kind is Kind.PENDING else category)),
        place=Place(""),
        digest=Digest(""),
        title=text,
        **values,  # type: ignore[arg-type]
    )


CASES = {
    "learnings": LayoutCase(
        layout=LAYOUT,
        tree={CONSOLIDATED: LEARNINGS.encode()},
        new=memory(Kind.LEARNING, "Read twice, write once", retrieval_count=2, tags=("care",), source="user"),
        edits={"retrieval_count": 41, "source": "review", "tags": ("a", "b c"), "last_retrieved": "2026-06-30"},
        can_retire=False,
        has_unsafe_ids=False,
        exceptions={
            # written in a form of their own, which a line that is written anew does not have
            MemoryId(id_of(Kind.LEARNING, "Caches need a version in their key")): frozenset(
                {"retrieval_count", "source", "tags", "last_retrieved"}
            ),
            MemoryId(id_of(Kind.LEARNING, "软删除优先")): frozenset({"source", "tags", "last_retrieved"}),
            MemoryId(id_of(Kind.LEARNING, "A rollout waits for its probes")): frozenset(
                {"source", "tags", "last_retrieved"}
            ),
        },
    ),
    "preferences": LayoutCase(
        layout=LAYOUT,
        tree={CONSOLIDATED: PREFERENCES.encode()},
        new=memory(Kind.PREFERENCE, "- $& `a` <!-- tags: not mine -->", category="Tools"),
        edits={"source": "review", "tags": ("a", "b c"), "last_retrieved": "2026-06-30"},
        can_retire=False,
        has_unsafe_ids=False,
    ),
    "events": LayoutCase(
        layout=LAYOUT,
        tree={CONSOLIDATED: EVENTS.encode()},
        new=Memory(
            id=MemoryId(id_of(Kind.EVENT, "2026-06-30 Released")),
            place=Place(""),
            digest=Digest(""),
            title="Released",
            content="It works.",
            created="2026-06-30",
            extra={"kind": "event"},
        ),
        edits={"content": "Another body.\n\n### Part\n\nMore."},
        # a bullet becomes a heading when it gets a body
        exceptions={MemoryId(id_of(Kind.EVENT, "2026-02-01 moved to the new cluster")): frozenset({"content"})},
        can_retire=False,
        has_unsafe_ids=False,
    ),
    "pending": LayoutCase(
        layout=LAYOUT,
        tree={PENDING: WAITING.encode()},
        new=memory(
            Kind.PENDING,
            "[x] may be a mark",
            source="auto",
            created="2026-06-30",
            extra={"kind": "pending", "mark": "○"},
        ),
        edits={"source": "review", "created": "2026-05-05", "category": "Tools"},
        can_retire=False,
        has_unsafe_ids=False,
    ),
}


def read(text: str) -> tuple[Memory, ...]:
    """The memories of a consolidated file."""
    return decode_consolidated(text.encode()).memories


def learnings(text: str) -> list[tuple[int, str]]:
    """Count and text of its learnings."""
    return [(m.retrieval_count, m.title) for m in read(text) if m.extra["kind"] == Kind.LEARNING]


def changed(text: str, verb: Verb, title: str, **fields: Any) -> str:
    """The file after a change of the one memory of that title."""
    (wanted,) = [m for m in read(text) if m.title == title]
    return encoded(text, Change(verb, wanted.id, wanted.digest, fields))


def encoded(text: str, *changes: Change, plain: bool = False) -> str:
    """The file after changes."""
    edits = RoleLayout("zero", plain=plain).encode(ChangeSet(changes), {CONSOLIDATED: text.encode()}, NOW)
    (edit,) = edits
    return (edit.after or b"").decode()


def diff(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that went and the lines that came."""
    old, new = before.split("\n"), after.split("\n")
    return [line for line in old if line not in new], [line for line in new if line not in old]
