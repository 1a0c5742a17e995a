"""Forms that older tools and hands wrote: their headings, their pattern, their candidates."""

from collections.abc import Iterable

import pytest
from contract import NOW
from role_case import encoded, memory, read

from memtend.change import created
from memtend.layouts.role import grammar, header, pending
from memtend.layouts.role.decode import decode_pending
from memtend.layouts.role.ids import Kind, id_of


def test_older_headings_are_read_where_they_stand() -> None:
    text = """\
# MEMORY.md
*Curated.*
## Significant Events
- 2026-01-01 moved
## Lessons Learned
- tests first
- [4x] small steps
## Preferences & Boundaries
- no meetings
## Running Notes
a note
---
*Review daily files.*
"""
    assert [(m.extra["kind"], m.retrieval_count, m.title) for m in read(text)] == [
        ("event", 0, "moved"),
        ("learning", 1, "tests first"),
        ("learning", 4, "small steps"),
        ("preference", 0, "no meetings"),
        ("event", 0, "a note"),
    ]


def by_strict_pattern(text: str) -> Iterable[tuple[str, str]]:
    """What a reader finds that knows the exact headings and `- [Nx] text` and nothing else."""
    import re

    section = ""
    for line in text.split("\n"):
        if line.startswith("# "):
            section = line
        elif section.startswith("# Learnings (") and (found := re.fullmatch(r"- \[(\d+)x\] (.+)", line)):
            yield found[1], found[2]
        elif section.startswith("# Preferences: ") and line.startswith("- ") and line != "- (none)":
            yield section.removeprefix("# Preferences: "), line[2:]


def test_what_is_written_plain_is_read_by_a_strict_pattern() -> None:
    changes = [
        created(memory(Kind.LEARNING, "a learning", retrieval_count=4)),
        created(memory(Kind.LEARNING, "禁止 rm，优先 trash")),
        created(memory(Kind.PREFERENCE, "use tabs", category="Code")),
        created(memory(Kind.PREFERENCE, "Conclusion first", category="Review Style")),
    ]
    text = grammar.render(header.new_page("zero", "2026-06-30")).decode()
    after = encoded(text, *changes, plain=True)
    assert list(by_strict_pattern(after)) == [
        ("4", "a learning"),
        ("0", "禁止 rm，优先 trash"),
        ("Code", "use tabs"),
        ("Review Style", "Conclusion first"),
    ]


# Pending


def test_hand_written_candidates_are_read_reported_and_completed() -> None:
    text = """\
# Pending Memories
- [○] [auto] whole
  id: 1
  created: 2026-06-01

- [○] no source
- [auto] no mark
- plain words
  that go on
- [?] [auto] unknown mark
  note: kept
- (none)
"""
    page = pending.parse(text.encode())
    assert [(i.mark, i.source, i.text, i.is_complete) for i in page.items] == [
        ("○", "auto", "whole", True),
        ("○", "manual", "no source", False),
        ("○", "auto", "no mark", False),
        ("○", "manual", "plain words that go on", False),
        ("?", "auto", "unknown mark", False),
    ]
    assert [(p.code, p.line) for p in decode_pending(text.encode()).problems] == [
        ("incomplete", 6),
        ("incomplete", 7),
        ("incomplete", 8),
        ("unknown-mark", 10),
    ]
    pending.completed(page, "2026-06-30")
    assert (
        pending.render(page).decode()
        == """\
# Pending Memories
- [○] [auto] whole
  id: 1
  created: 2026-06-01

- [○] [manual] no source
  id: ea91f84c57
  created: 2026-06-30
- [○] [auto] no mark
  id: ff7cd76b7b
  created: 2026-06-30
- [○] [manual] plain words that go on
  id: 14eb8c7cba
  created: 2026-06-30
- [?] [auto] unknown mark
  id: bf4ba0acb1
  created: 2026-06-30
  note: kept
- (none)
""".replace("ea91f84c57", id_of("pending", "no source"))
        .replace("ff7cd76b7b", id_of("pending", "no mark"))
        .replace("14eb8c7cba", id_of("pending", "plain words that go on"))
        .replace("bf4ba0acb1", id_of("pending", "unknown mark"))
    )
    assert pending.completed(pending.parse(pending.render(page)), "2026-07-01") == []


@pytest.mark.parametrize(
    ("created_on", "is_expired"), [("2026-06-23", False), ("2026-06-22", True), ("2027-01-01", False)]
)
def test_a_candidate_waits_seven_days(created_on: str, is_expired: bool) -> None:
    page = pending.parse(f"- [○] [auto] a\n  id: 1\n  created: {created_on}\n".encode())
    assert bool(list(pending.expired(page.items, NOW))) is is_expired


@pytest.mark.parametrize("day", ["yesterday", "2026-13-45", ""])
def test_a_date_that_is_none_never_expires(day: str) -> None:
    page = pending.parse(f"- [○] [auto] a\n  id: 1\n  created: {day}\n".encode())
    assert not list(pending.expired(page.items, NOW))
