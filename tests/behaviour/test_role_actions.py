"""The actions of a role on single entries, and their exact answers."""

import pytest
from a_role import a_role

from memtend.errors import NeedsConfirmation, Refused, UnknownMemory
from memtend.layouts.role.ids import Kind, id_of
from memtend.workspace.role.outcomes import Edited, Reinforced, Resolved, Stored

GUARD = "0c5598bb85"


def test_a_learning_begins_at_zero_and_is_journalled() -> None:
    with a_role() as role:
        answer = role.add_learning("Use  guard\tclauses ", source="review", tags=("style", "go"))
        assert answer == Stored("created", Kind.LEARNING, GUARD, "Use guard clauses", receipt=answer.receipt)
        assert role.lines() == ["- [0x] Use guard clauses <!-- tags: style, go | src: review -->"]
        assert role.text("memory/daily/2026-06-30.md") == (
            "# Memory: 2026-06-30\n\n## [10:00] LESSON\n\nUse guard clauses\n\n"
        )


def test_a_preference_goes_to_its_category() -> None:
    with a_role() as role:
        answer = role.add_preference("use tabs", "code")
        assert answer == Stored("created", Kind.PREFERENCE, "2bb5523a80", "use tabs", "Code", receipt=answer.receipt)
        role.add_preference("use spaces")
        assert role.lines() == ["- use tabs", "- use spaces"]
        assert "# Preferences: General\n- use spaces\n" in role.text()
        role.clock.forward(minutes=5)
        role.add_preference("Conclusion first", "Review Style")
        assert role.text("memory/daily/2026-06-30.md").endswith(
            "## [10:00] PREFERENCE\n\n[General] use spaces\n\n"
            "## [10:05] PREFERENCE\n\n[Review Style] Conclusion first\n\n"
        )


def test_o_dm_03_an_exact_copy_is_refused_with_the_id_of_its_twin() -> None:
    with a_role() as role:
        role.add_learning("Use guard clauses")
        role.reinforce(GUARD)
        before = role.tree()
        answer = role.add_learning("use GUARD  clauses")
        assert answer == Stored("duplicate", Kind.LEARNING, GUARD, "Use guard clauses", times=1)
        assert role.tree() == before
        role.add_preference("use tabs", "Code")
        assert role.add_preference("Use tabs", "CODE").status == "duplicate"
        assert role.add_preference("use tabs", "Tools").status == "created"
        assert role.add_learning("use tabs").status == "created"
        assert role.add_learning("use guard clauses!").status == "created"


def test_o_va_03_a_copy_that_differs_in_its_final_full_stop_is_refused_as_an_exact_one() -> None:
    with a_role() as role:
        role.add_learning("Use guard clauses")
        role.add_preference("先给结论。", "Review Style")
        before = role.tree()
        assert role.add_learning("use guard clauses.").id == GUARD
        assert role.add_learning("Use guard clauses。").status == "duplicate"
        assert role.add_preference("先给结论", "Review Style").status == "duplicate"
        assert role.tree() == before
        assert role.add_learning("Use guard clauses...").status == "created"
        assert role.add_learning("Use guard clauses?").status == "created"
        assert role.reinforce("USE guard clauses.").id == GUARD


def test_o_va_03_a_candidate_that_is_a_copy_but_for_its_full_stop_becomes_the_learning_that_is_there() -> None:
    with a_role() as role:
        waiting = role.add_learning("Use guard clauses.", source="auto")
        role.put(role.text().replace("- (none)", "- [2x] Use guard clauses", 1))
        assert role.promote(waiting.id).new_id == GUARD
        assert role.lines() == ["- [2x] Use guard clauses"]


def test_of_two_that_differ_in_a_full_stop_alone_the_exact_one_is_meant() -> None:
    with a_role() as role:
        role.put("# Learnings (Normal)\n- [1x] Use guard clauses\n- [2x] Use guard clauses.\n")
        assert role.reinforce("use guard clauses.").times == 3
        assert role.reinforce("use guard clauses").times == 2
        with pytest.raises(Refused):
            role.update_learning(GUARD, "use guard clauses.")
        assert role.update_learning(GUARD, "use Guard clauses").status == "updated"


@pytest.mark.parametrize("text", ["", "  \n", "(none)", "(None yet)", "-"])
def test_o_dm_09_an_empty_text_is_refused(text: str) -> None:
    with a_role() as role:
        role.add_learning("a")
        before = role.tree()
        for action in (role.add_learning, role.add_preference, lambda text: role.update_learning("a", text)):
            with pytest.raises(Refused):
                action(text)
        assert role.tree() == before


@pytest.mark.parametrize("source", ["auto", "Auto", "compaction"])
def test_what_is_unproven_waits(source: str) -> None:
    with a_role() as role:
        answer = role.add_learning("candidate insight about caching layers", source=source)
        assert answer.status == "pending"
        assert (answer.kind, answer.id) == (Kind.PENDING, "f20191b7e5")
        assert role.lines() == []
        assert role.text("memory/pending.md").endswith(
            "Promote to consolidated when used in relevant context.\n\n"
            f"- [○] [{source}] candidate insight about caching layers\n  id: f20191b7e5\n  created: 2026-06-30\n"
        )
        assert role.text("memory/daily/2026-06-30.md").endswith("LESSON\n\ncandidate insight about caching layers\n\n")
        assert role.add_learning("Candidate insight about caching layers", source=source).status == "duplicate"


def test_an_update_keeps_count_tags_and_source() -> None:
    with a_role() as role:
        role.put(
            "# Learnings (High Priority)\n"
            "- [6x] Use guard clauses <!-- tags: a | src: user | seen: 2026-05-01 -->\n  - nested\n"
        )
        answer = role.update_learning("guard", "Use guard clauses early")
        new = id_of("learning", "Use guard clauses early")
        assert answer == Edited(
            "updated", Kind.LEARNING, new, GUARD, "Use guard clauses early", "Use guard clauses", "", 6, answer.receipt
        )
        assert role.text() == (
            "# Learnings (High Priority)\n"
            "- [6x] Use guard clauses early <!-- tags: a | src: user | seen: 2026-05-01 -->\n  - nested\n"
        )
        assert "memory/daily/2026-06-30.md" not in role.paths()


def test_an_update_in_case_alone_keeps_the_id() -> None:
    with a_role() as role:
        role.add_learning("use guard clauses")
        assert role.update_learning(GUARD, "Use Guard Clauses").id == GUARD
        assert role.lines() == ["- [0x] Use Guard Clauses"]
        assert role.update_learning(GUARD, "Use Guard Clauses").status == "unchanged"


def test_an_update_to_what_is_there_already_is_refused() -> None:
    with a_role() as role:
        role.add_learning("a")
        role.add_learning("b")
        before = role.tree()
        with pytest.raises(Refused, match="says that already"):
            role.update_learning("a", "B")
        assert role.tree() == before


def test_a_preference_keeps_its_category_unless_another_is_given() -> None:
    with a_role() as role:
        role.add_preference("use tabs", "Code", tags=("style",))
        assert role.update_preference("tabs", "use spaces").category == "Code"
        answer = role.update_preference("spaces", "use spaces", "tools")
        assert (answer.category, answer.id) == ("Tools", id_of("preference", "use spaces", "tools"))
        assert (
            "# Preferences: Code\n- (none)\n\n# Preferences: Tools\n- use spaces <!-- tags: style -->\n" in role.text()
        )


def test_ids_go_on_working_after_the_entry_was_edited() -> None:
    with a_role() as role:
        old = role.add_learning("Use guard clauses").id
        role.update_learning(old, "Use guard clauses early")
        role.update_learning(old, "Use guard clauses very early")
        assert role.reinforce(old).text == "Use guard clauses very early"
        waiting = role.add_learning("candidate", source="auto").id
        role.promote(waiting)
        assert role.reinforce(waiting).text == "candidate"
        role.add_learning("Candidate!")
        role.consolidate()
        assert role.update_learning(id_of("learning", "candidate"), "a candidate").old_text == "Candidate!"
        with pytest.raises(UnknownMemory):
            role.again().reinforce(old)


def test_a_text_that_means_several_entries_is_an_error_that_names_them() -> None:
    with a_role() as role:
        for text in ("Use tabs in Go", "Use tabs in Make", "spaces"):
            role.add_learning(text)
        before = role.tree()
        for action in (role.reinforce, role.delete_learning, lambda needle: role.update_learning(needle, "x")):
            with pytest.raises(UnknownMemory) as fault:
                action("use TABS")
            assert id_of("learning", "Use tabs in Go") in fault.value.message
            assert id_of("learning", "Use tabs in Make") in fault.value.message
            assert id_of("learning", "spaces") not in fault.value.message
        with pytest.raises(UnknownMemory, match="no learning"):
            role.reinforce("nothing like that")
        assert role.tree() == before
        assert role.reinforce("tabs in go").times == 1


def test_a_text_that_is_an_entrys_whole_text_means_that_entry() -> None:
    with a_role() as role:
        role.add_learning("cache")
        role.add_learning("cache keys")
        assert role.reinforce("Cache").text == "cache"


def test_an_id_of_another_kind_means_nothing() -> None:
    with a_role() as role:
        tabs = role.add_preference("use tabs", "Code").id
        with pytest.raises(UnknownMemory):
            role.reinforce(tabs)


def test_a_learning_is_deleted_and_undo_brings_it_back() -> None:
    with a_role() as role:
        role.add_learning("Use guard clauses")
        before = role.tree()
        answer = role.delete_learning(GUARD)
        assert (answer.status, answer.old_text) == ("deleted", "Use guard clauses")
        assert role.lines() == []
        role.undo()
        assert role.tree() == before


def test_a_preference_is_deleted_only_after_a_yes() -> None:
    with a_role() as role:
        role.add_preference("use tabs", "Code")
        before = role.tree()
        with pytest.raises(NeedsConfirmation):
            role.delete_preference("tabs")
        assert role.tree() == before
        assert role.delete_preference("tabs", confirmed=True).status == "deleted"


def test_one_of_two_copies_can_be_deleted_and_the_other_stays() -> None:
    with a_role() as role:
        role.put(
            "# Learnings (High Priority)\n- [5x] a truth\n"
            "# Learnings (New)\n- [0x] A truth <!-- tags: t -->\n- [0x] b\n"
        )
        first, second, _ = (line.id for line in role.list().entries)
        assert second == f"{first}-2"
        with pytest.raises(UnknownMemory, match="2 entries"):
            role.delete_learning("a truth")
        role.again().delete_learning(first)
        assert [(line.id, line.text, line.times) for line in role.list().entries][:1] == [(first, "A truth", 0)]
        role.undo()
        role.again().delete_learning(second)
        assert [(line.text, line.times) for line in role.list().entries] == [("a truth", 5), ("b", 0)]


def test_reinforcing_counts_and_dates() -> None:
    with a_role() as role:
        role.add_learning("Use guard clauses")
        answers = [role.reinforce("guard") for _ in range(3)]
        assert [(one.times, one.tier) for one in answers] == [(1, "normal"), (2, "normal"), (3, "high")]
        assert answers[2] == Reinforced(GUARD, "Use guard clauses", 3, "high", answers[2].receipt)
        assert "# Learnings (High Priority)\n- [3x] Use guard clauses <!-- seen: 2026-06-30 -->\n" in role.text()


def test_a_candidate_is_promoted_at_zero() -> None:
    with a_role() as role:
        waiting = role.add_learning("candidate insight about caching layers", source="auto").id
        answer = role.promote(waiting)
        assert answer == Resolved(
            "promoted", waiting, "candidate insight about caching layers", Kind.LEARNING, "b6aa01bae8", answer.receipt
        )
        assert role.lines() == ["- [0x] candidate insight about caching layers <!-- src: auto -->"]
        with pytest.raises(Refused, match="promoted already"):
            role.promote(waiting)


def test_a_candidate_with_a_category_becomes_a_preference() -> None:
    with a_role() as role:
        waiting = role.add_preference("use tabs", "code", source="auto").id
        assert "  category: Code\n" in role.text("memory/pending.md")
        assert (role.promote(waiting).kind, role.promote.__name__) == (Kind.PREFERENCE, "promote")
        assert "# Preferences: Code\n- use tabs <!-- src: auto -->\n" in role.text()


def test_promoting_what_is_there_already_only_marks_it() -> None:
    with a_role() as role:
        waiting = role.add_learning("a", source="auto").id
        learning = role.add_learning("A").id
        assert role.promote(waiting).new_id == learning
        assert role.lines() == ["- [0x] A"]


def test_a_discarded_candidate_may_be_proposed_again() -> None:
    with a_role() as role:
        waiting = role.add_learning("a", source="auto").id
        assert role.discard("a").status == "discarded"
        with pytest.raises(Refused, match="discarded already"):
            role.discard(waiting)
        role.clock.forward(days=3)
        assert role.add_learning("a", source="auto").status == "pending"
        assert role.lines("memory/pending.md") == ["- [○] [auto] a"]
        assert "  created: 2026-07-03\n" in role.text("memory/pending.md")


def test_a_deleted_text_may_be_proposed_again() -> None:
    with a_role() as role:
        role.promote(role.add_learning("a", source="auto").id)
        assert role.add_learning("a", source="auto").status == "duplicate"
        role.delete_learning("a")
        assert role.add_learning("a", source="auto").status == "pending"
