"""The life of a candidate: it waits, is promoted or discarded, expires, and is archived."""

from a_role import ARole, a_role

from memtend.layouts.role.ids import id_of

OLD = """\
---
role: "zero"
updated: "2026-06-01"
---

# Pending Memories

Auto-extracted memories waiting for usage verification.

- [○] [auto] young
  id: 1111111111
  created: 2026-06-23

- [○] [auto] old
  category: Code
  id: 2222222222
  created: 2026-06-22

- [✓] [auto] promoted long ago
  id: 3333333333
  created: 2026-05-30

- [✗] [compaction] discarded long ago
  id: 4444444444
  created: 2026-04-02
  note: kept with it

- [✗] [auto] discarded lately
  id: 5555555555
  created: 2026-05-31

- [!] [auto] a mark of its own
  id: 6666666666
  created: 2026-01-01

- written by hand
"""


def laid_down(role: ARole) -> ARole:
    role.put(OLD, "memory/pending.md")
    return role


def test_maintenance_expires_completes_and_archives_at_once() -> None:
    with a_role() as role:
        answer = laid_down(role).expire()
        assert [(line.id, line.text) for line in answer.expired] == [("2222222222", "old")]
        assert answer.completed == (id_of("pending", "written by hand"),)
        assert answer.archived == 2
        (unknown,) = answer.unknown
        assert role.text("memory/pending.md").split("\n")[unknown.line - 1] == "- [!] [auto] a mark of its own"
        assert role.lines("memory/pending.md") == [
            "- [○] [auto] young",
            "- [✗] [auto] old",
            "- [✗] [auto] discarded lately",
            "- [!] [auto] a mark of its own",
            "- [○] [manual] written by hand",
        ]
        assert role.text("memory/pending.md").endswith("  created: 2026-06-30\n")
        assert 'updated: "2026-06-30"' in role.text("memory/pending.md")
        assert role.lines("memory/archive/pending-2026-05.md") == ["- [✓] [auto] promoted long ago"]
        assert role.text("memory/archive/pending-2026-04.md").endswith(
            "- [✗] [compaction] discarded long ago\n  id: 4444444444\n  created: 2026-04-02\n  note: kept with it\n"
        )


def test_maintenance_is_one_write_that_undo_takes_back() -> None:
    with a_role() as role:
        before = laid_down(role).tree()
        receipt = role.expire().receipt
        assert [one.id for one in role.log()] == [receipt]
        role.undo(receipt)
        assert role.tree() == before


def test_maintenance_of_what_needs_none_writes_nothing() -> None:
    with a_role() as role:
        laid_down(role).expire()
        before = role.tree()
        assert role.expire().receipt == ""
        assert role.tree() == before


def test_the_clock_decides() -> None:
    with a_role() as role:
        role.add_learning("a", source="auto")
        role.clock.forward(days=7)
        assert not role.expire().expired
        role.clock.forward(days=1)
        assert [line.text for line in role.expire().expired] == ["a"]
        role.clock.forward(days=22)
        assert role.expire().archived == 0
        role.clock.forward(days=1)
        assert role.expire().archived == 1
        assert role.lines("memory/pending.md") == []
        assert role.lines("memory/archive/pending-2026-06.md") == ["- [✗] [auto] a"]


def test_later_lines_join_the_archive_of_their_month() -> None:
    with a_role() as role:
        laid_down(role).expire()
        role.clock.forward(days=2)
        role.expire()
        assert role.lines("memory/archive/pending-2026-05.md") == [
            "- [✓] [auto] promoted long ago",
            "- [✗] [auto] discarded lately",
        ]


def test_a_hand_written_line_can_be_promoted_as_it_stands() -> None:
    with a_role() as role:
        laid_down(role).promote("written by hand")
        assert role.lines() == ["- [0x] written by hand <!-- src: manual -->"]
        assert "- [✓] [manual] written by hand\n  id: " in role.text("memory/pending.md")
        assert role.text("memory/pending.md").endswith("  created: 2026-06-30\n")


def test_two_candidates_with_one_id_can_be_told_apart() -> None:
    with a_role() as role:
        role.put(
            "- [○] [auto] a\n  id: x\n  created: 2026-06-29\n\n- [○] [auto] b\n  id: x\n  created: 2026-06-29\n",
            "memory/pending.md",
        )
        assert [line.id for line in role.list().entries] == ["x", "x-2"]
        role.promote("x-2")
        assert role.lines() == ["- [0x] b <!-- src: auto -->"]


def test_an_expired_text_may_be_proposed_again() -> None:
    with a_role() as role:
        laid_down(role).expire()
        assert role.add_learning("old", source="auto").status == "pending"
        assert "- [○] [auto] old" in role.lines("memory/pending.md")
