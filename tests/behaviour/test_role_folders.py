"""Where roles lie, and what an older layout left there."""

from typing import Any

from a_role import ARole, Clock, opened
from plain_layout import quick_folder

from memtend.workspace.role.roles import Roles

# Older layouts

OLD = """\
# MEMORY.md - Long-Term Memory

*Curated memories and lessons.*

## Significant Events
- 2026-01-05 moved to the new cluster

## Lessons Learned
- tests come first
- [4x] small steps

## Preferences & Boundaries
- no meetings on Friday

## Running Notes

---

*Review daily files.*
"""


def an_old_role(root: Any) -> ARole:
    role = opened(root / "old", Clock())
    role.put(OLD, "MEMORY.md")
    role.put("# Memory: 2026-01-05\n\n## [09:00] EVENT\n\nmoved\n", "memory/2026-01-05.md")
    return role


def test_an_older_layout_is_read_where_it_lies() -> None:
    with quick_folder() as folder:
        role = an_old_role(folder)
        found = role.list()
        assert (found.learnings["total"], found.preferences["total"], found.events) == (2, 1, 1)
        assert [(issue.code, issue.path) for issue in found.issues] == [
            ("older-layout", "MEMORY.md"),
            ("older-layout", "memory/2026-01-05.md"),
        ]
        assert [hit.text for hit in role.search("small steps", reinforce=False).hits] == ["small steps"]
        assert set(role.tree()) == {"MEMORY.md", "memory/2026-01-05.md"}


def test_migration_takes_it_over_and_keeps_what_was_there() -> None:
    with quick_folder() as folder:
        role = an_old_role(folder)
        before = role.tree()
        answer = role.migrate()
        assert (answer.taken, answer.added) == (("MEMORY.md", "memory/2026-01-05.md"), 4)
        after = role.tree()
        archive = "memory/archive/migrated-2026-06-30"
        assert answer.archive == archive
        assert (after[f"{archive}/MEMORY.md"], after["memory/daily/2026-01-05.md"]) == (
            before["MEMORY.md"],
            before["memory/2026-01-05.md"],
        )
        assert set(after) == {
            f"{archive}/MEMORY.md",
            f"{archive}/2026-01-05.md",
            "memory/consolidated.md",
            "memory/daily/2026-01-05.md",
        }
        assert role.lines() == [
            "- [4x] small steps",
            "- [1x] tests come first",
            "- no meetings on Friday",
            "- 2026-01-05 moved to the new cluster",
        ]
        assert role.migrate().taken == ()
        role.undo()
        assert role.tree() == before


def test_the_first_write_migrates() -> None:
    with quick_folder() as folder:
        role = an_old_role(folder)
        role.reinforce("small steps")
        assert role.lines()[0] == "- [5x] small steps <!-- seen: 2026-06-30 -->"
        assert "MEMORY.md" not in role.tree()


def test_migration_into_a_newer_file_keeps_the_higher_count() -> None:
    with quick_folder() as folder:
        role = an_old_role(folder)
        role.put(
            "# Learnings (High Priority)\n- [9x] Tests come first\n\n"
            "# Learnings (Normal)\n- [1x] small steps <!-- tags: t -->\n- [1x] mine\n"
        )
        role.put("# Memory: 2026-01-05\n\n## [08:00] LESSON\n\nearlier\n\n", "memory/daily/2026-01-05.md")
        assert [issue.path for issue in role.list().issues if issue.code == "older-layout"] == [
            "MEMORY.md",
            "memory/2026-01-05.md",
        ]
        answer = role.migrate()
        assert (answer.added, answer.raised) == (2, 1)
        assert role.lines() == [
            "- [9x] Tests come first",
            "- [4x] small steps <!-- tags: t -->",
            "- [1x] mine",
            "- no meetings on Friday",
            "- 2026-01-05 moved to the new cluster",
        ]
        assert role.text("memory/daily/2026-01-05.md") == (
            "# Memory: 2026-01-05\n\n## [08:00] LESSON\n\nearlier\n\n## [09:00] EVENT\n\nmoved\n"
        )


# Roles


def test_roles_are_folders_without_a_dot_or_an_underscore_in_front() -> None:
    with quick_folder() as folder:
        roles = Roles(folder / "roles")
        for name in ("zero", "A-1"):
            roles.create(name)
        (folder / "roles" / ".hidden").mkdir()
        (folder / "roles" / "_draft").mkdir()
        (folder / "roles" / "file.md").write_text("x")
        assert roles.names() == ("A-1", "zero")


def test_the_roots_name_comes_from_the_flag_then_the_environment() -> None:
    assert str(Roles.open("/a", {"MEMTEND_ROLES": "/b"}).root) == "/a"
    assert str(Roles.open(None, {"MEMTEND_ROLES": "/b", "PI_ROLES_DIR": "/c"}).root) == "/b"
    assert str(Roles.open(None, {"PI_ROLES_DIR": "/c"}).root) == "/c"
    assert str(Roles.open(None, {}).root).endswith("/.pi/roles")
