"""What was decided on is what is done: an entry says still what it said, and files become what was shown."""

import json

import pytest
from a_role import ARole, a_role

from memtend.errors import ChangedOnDisk, StaleDecision
from memtend.layouts.role.ids import Kind

UNTIDY = """\
# Memory: zero
# Learnings (New)
- [0x] Run the linter first.
- [0x] RUN the linter first.
- [0x] Shelves are numbered.
"""


def relying(role: ARole, needle: str, kind: Kind = Kind.LEARNING) -> ARole:
    """The same role for a caller who has read one entry and relies on it."""
    entry = role.state().find(needle, kind)
    return role.again(relies_on={entry.id: entry.digest})


def test_an_action_does_nothing_where_the_entry_it_relies_on_says_something_else() -> None:
    with a_role() as role:
        first = role.add_learning("Run the linter first.")
        late = relying(role, "linter")
        changed = role.update_learning(first.id, "Run the linter and the types first.")
        before = role.tree()
        for act in (late.delete_learning, late.reinforce, lambda id: late.update_learning(id, "Run nothing.")):
            for id in (first.id, changed.id):
                with pytest.raises(StaleDecision, match=first.id):
                    act(id)
        assert role.tree() == before


def test_an_entry_that_moved_to_another_category_is_not_the_one_that_was_read() -> None:
    with a_role() as role:
        added = role.add_preference("Use tabs.", "Code")
        late = relying(role, added.id, Kind.PREFERENCE)
        role.update_preference(added.id, "Use tabs.", "Tools")
        with pytest.raises(StaleDecision):
            late.delete_preference("Use tabs.", confirmed=True)


def test_a_use_that_was_counted_meanwhile_is_in_nobodys_way() -> None:
    with a_role() as role:
        added = role.add_learning("Run the linter first.")
        late = relying(role, added.id)
        role.reinforce(added.id)
        assert late.update_learning(added.id, "Run the linter last.").times == 1


def test_what_was_rehearsed_is_what_is_done_to_the_byte() -> None:
    with a_role() as role, a_role() as twin:
        for each in (role, twin):
            each.put(UNTIDY)
        before = role.tree()
        rehearsed = role.rehearse(lambda copy: copy.organize())
        assert role.tree() == before
        assert rehearsed.diff.startswith("memory/consolidated.md\n")
        assert "\n-- [0x] Run the linter first.\n" in rehearsed.diff
        receipt = role.apply(rehearsed.change_set)
        assert twin.organize().removed == rehearsed.answer.removed == 1
        assert role.tree() == twin.tree()
        assert [one.id for one in role.log()] == [receipt]
        role.undo(receipt)
        assert role.tree() == before


def test_what_was_rehearsed_on_other_bytes_is_refused() -> None:
    with a_role() as role:
        role.put(UNTIDY)
        rehearsed = role.rehearse(lambda copy: copy.consolidate())
        role.add_learning("Mondays are slow.")
        before = role.tree()
        with pytest.raises(ChangedOnDisk):
            role.apply(rehearsed.change_set)
        assert role.tree() == before


def test_a_file_that_was_made_meanwhile_is_not_written_over() -> None:
    with a_role() as role:
        rehearsed = role.rehearse(lambda copy: copy.write("core/identity.md", "# Mine\n"))
        role.put("# Theirs\n", "core/identity.md")
        with pytest.raises(ChangedOnDisk):
            role.apply(rehearsed.change_set)
        assert role.text("core/identity.md") == "# Theirs\n"


def test_an_older_layout_is_taken_over_in_the_rehearsal_and_then_with_it() -> None:
    with a_role() as role:
        (role.root / "memory" / "consolidated.md").unlink()
        role.put(UNTIDY, "MEMORY.md")
        role.put("# Pending Memories\n\n- [○] [auto] Mondays are slow.\n  created: 2026-01-01\n", "memory/pending.md")
        role.put("# 2026-06-01\n\nOlder.\n", "memory/2026-06-01.md")
        role.put("# 2026-06-01\n\nNewer.\n", "memory/daily/2026-06-01.md")
        before = role.tree()
        rehearsed = role.rehearse(lambda copy: copy.expire())
        assert role.tree() == before
        role.apply(rehearsed.change_set)
        assert "- [0x] Shelves are numbered." in role.lines()
        assert "MEMORY.md" not in role.tree()
        assert "Newer." in role.text("memory/daily/2026-06-01.md")
        assert "Older." in role.text("memory/daily/2026-06-01.md")


def test_what_changes_nothing_has_no_edits() -> None:
    with a_role() as role:
        rehearsed = role.rehearse(lambda copy: copy.repair())
        assert (rehearsed.change_set.edits, rehearsed.diff) == ((), "")


def test_a_merge_is_told_as_json() -> None:
    with a_role() as role:
        role.put(UNTIDY)
        told = json.loads(json.dumps(role.consolidate().to_json()))
        (merge,) = told["merges"]
        assert [gone["text"] for gone in merge["removed"]] == ["RUN the linter first."]
        assert (merge["kind"], merge["rule"]) == ("learning", "exact")
