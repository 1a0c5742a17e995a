"""A made-up vault with the odd but legal forms that people's files have, and short ways to read and change it."""

from typing import Any

from contract import NOW, LayoutCase

from memtend.change import Change, ChangeSet, Verb, created
from memtend.layouts.vault import VaultLayout
from memtend.memory import Digest, Memory, MemoryId, Place

LAYOUT = VaultLayout()

TEMPLATED = b"""\
---
title: "Probes need a timeout"
created: 2026-05-02
tags: [PATTERN, http]
topic: "ops/probes"
source: "notes/ops.md"
modified: 2026-05-03
keywords: [probe, timeout]
summary: "A probe without a timeout hangs the rollout."
retrieval_count: 2
last_retrieved: 2026-06-01
token_count: 88
---

# Probes need a timeout

A probe without a timeout hangs the rollout.

## Extension (2026-05-03)

**Source**: notes/more.md

Ten seconds are enough.

## History

### Previous Version (2026-04-01)

Probes may take as long as they like.

## Connections
<!-- links as [[some-name]] here -->
- [[MEM-rollout]]
"""
BY_HAND = b"""\
---
# owner: platform team
title: Gate: blocks the release
created: 2026-03-18        # first seen
tags: workflow, release
blocked: "yes"
keywords:
  - gate
  - release
custom_field: keep me
---
# Gate: blocks the release

```sh
## History
echo not a heading
```

## When
Before every release.
"""
WINDOWS = (
    b"\xef\xbb\xbf---\r\ntitle: 'Two lines'\r\ntags: ['config']\r\nlast_retrieved:\r\n---\r\n\r\nFirst.\r\nSecond."
)
PLAIN = b"# Just a note\n\nNo frontmatter at all.\n"
ODD_ORDER = b"""\
---
title: Odd order
status: tombstoned
tombstoned_at: 2026-06-01
tombstone_reason: "purge"
---
Text.

## connections
- [[MEM-a|A]]

## Also here
More text.

## HISTORY
### Previous Version (2026-01-01)
Old.

## And there
Even more.
"""

TREE = {
    "10-Memories/MEM-probes.md": TEMPLATED,
    "10-Memories/MEM-gate.md": BY_HAND,
    "10-Memories/sub/MEM-windows.md": WINDOWS,
    "10-Memories/MEM-plain.md": PLAIN,
    "10-Memories/MEM-odd.md": ODD_ORDER,
}

NEW = Memory(
    id=MemoryId("MEM-new"),
    place=Place(""),
    digest=Digest(""),
    title='Quote "it": C:\\new\\table',
    content="Text with `{{title}}` and {{content}}, \\1 and $1,699.\n\n### A part\n\nMore.",
    history="### Previous Version (2026-01-01)\n\nOld.",
    connections="- [[MEM-probes]]",
    topic="a/b",
    category="INSIGHT",
    tags=("INSIGHT", "1.10"),
    keywords=("no", "C++"),
    summary="Closes bug #42",
    source="notes/a.md",
    created="2026-06-30",
    modified="2026-06-30",
)

CASE = LayoutCase(
    layout=LAYOUT,
    tree=TREE,
    new=NEW,
    edits={
        "content": "New text.\n\n## Part\n\n- one\n- two",
        "title": "A new *title*",
        "history": "### Previous Version (2026-06-30)\n\nWhat it said.",
        "connections": "- [[MEM-x]]\n- [[MEM-y|Y]]",
        "topic": "x/y",
        "source": "b.md",
        "summary": "It's new # really",
        "modified": "2026-06-30",
        "retrieval_count": 41,
        "last_retrieved": "2026-06-30",
    },
    exceptions={
        # keys and headings that were not there stay, empty
        MemoryId("MEM-gate"): frozenset(
            {"title", "connections", "topic", "source", "summary", "modified", "retrieval_count", "last_retrieved"}
        ),
        MemoryId("MEM-windows"): frozenset(
            {"connections", "topic", "source", "summary", "modified", "retrieval_count", "last_retrieved"}
        ),
        MemoryId("MEM-odd"): frozenset({"topic", "source", "summary", "modified", "retrieval_count", "last_retrieved"}),
        MemoryId("MEM-plain"): frozenset(
            {"connections", "title", "topic", "source", "summary", "modified", "retrieval_count", "last_retrieved"}
        ),
    },
)


def read(data: bytes, path: str = "10-Memories/MEM-x.md") -> Memory:
    return LAYOUT.decode(path, data).memories[0]


def codes(data: bytes) -> list[tuple[str, int]]:
    return [(problem.code, problem.line) for problem in LAYOUT.decode("10-Memories/MEM-x.md", data).problems]


def changed(data: bytes, verb: Verb = Verb.REFINE, **fields: Any) -> bytes:
    memory = read(data)
    change = Change(verb, memory.id, memory.digest, fields)
    (edit,) = LAYOUT.encode(ChangeSet((change,)), {"10-Memories/MEM-x.md": data}, NOW)
    return edit.after or b""


def made(memory: Memory, tree: dict[str, bytes] | None = None) -> str:
    (edit,) = LAYOUT.encode(ChangeSet((created(memory),)), tree or {}, NOW)
    return (edit.after or b"").decode()


def lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")
