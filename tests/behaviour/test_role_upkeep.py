"""Upkeep of a role as a whole: repair, the procedure and its report, what is due, migration, extraction."""

import json

import pytest
from a_role import a_role

from memtend.errors import UnusableInput

BROKEN = """\
# Memory: zero
# Learnings (Normal)
- [5x] wrong tier
- a truth
stray line
# Learnings (Normal)
- A truth
## Preferences: Code
- use tabs
"""


def test_repair_says_what_it_mended_and_is_one_write() -> None:
    with a_role() as role:
        role.put(BROKEN)
        before = role.tree()
        answer = role.repair()
        assert answer.repaired
        assert {issue.code for issue in answer.mended} == {
            "wrong-tier",
            "missing-count",
            "stray-line",
            "repeated-section",
            "malformed-heading",
            "missing-section",
        }
        assert role.lines() == [
            "- [5x] wrong tier",
            "- [1x] A truth",
            "- [1x] a truth",
            "- [1x] stray line",
            "- use tabs",
        ]
        assert not role.list().issues
        role.undo()
        assert role.tree() == before


def test_repair_does_not_touch_a_file_that_lacks_nothing() -> None:
    with a_role() as role:
        role.add_learning("a")
        role.clock.forward(days=3)
        before = role.tree()
        assert not role.repair().repaired
        assert role.tree() == before


def test_repair_names_what_only_a_person_can_mend() -> None:
    with a_role() as role:
        role.put(role.text().replace("# Learnings (New)\n", "# Learnings (New)\n```python\n"))
        answer = role.repair()
        assert (answer.repaired, [issue.code for issue in answer.left]) == (False, ["open-fence"])


def test_organize_runs_the_whole_procedure_and_reports_it() -> None:
    with a_role() as role:
        role.put(BROKEN)
        role.put(
            "- [○] [auto] old\n  id: 1\n  created: 2026-06-01\n\n"
            "- [○] [auto] guard clauses\n  id: 2\n  created: 2026-06-29\n",
            "memory/pending.md",
        )
        answer = role.organize(query="guard clauses")
        assert (
            answer.report
            == """\
Memory Organize Report — zero
- Before: 4 learnings, 0 preferences
- After:  4 learnings, 1 preferences
- Repaired: yes
- Consolidate: removed 1 duplicates
- LLM tidy: rewrote 0, deleted 0, added 0
- Pending: 1 promoted, 1 expired"""
        )
        assert answer.ran == ("repair", "consolidate", "search", "expire")
        assert answer.receipts == tuple(one.id for one in role.log())
        assert role.lines() == [
            "- [5x] wrong tier",
            "- [1x] A truth",
            "- [1x] stray line",
            "- [0x] guard clauses <!-- src: auto | seen: 2026-06-30 -->",
            "- use tabs",
        ]
        assert json.loads(json.dumps(answer.to_json()))["report"] == answer.report


def test_organizing_twice_changes_nothing_more() -> None:
    with a_role() as role:
        role.put(BROKEN)
        role.organize()
        before = role.tree()
        again = role.organize()
        assert (again.repaired, again.removed, again.receipts) == (False, 0, ())
        assert role.tree() == before


def test_a_tidy_plan_is_made_when_asked_for_and_not_applied() -> None:
    with a_role() as role:
        role.put("# Learnings (New)\n- [0x] never used <!-- seen: 2026-01-01 -->\n- [0x] b\n")
        answer = role.organize(tidy=True)
        assert answer.plan is not None
        assert len(answer.plan.deletions) == 1
        assert "a tidy plan waits: 0 rewrites, 1 deletions, 0 additions, 0 contradictions" in answer.notes
        assert len(role.lines()) == 2
        assert role.organize().plan is None


def test_a_plan_that_is_due_waits_where_there_is_something_to_tidy() -> None:
    with a_role() as role:
        role.put("# Learnings (New)\n- [0x] never used <!-- seen: 2026-01-01 -->\n- [0x] b\n")
        *_, note = role.organize_due().notes
        assert note.startswith("monthly: never done; a plan waits in ")
        assert note.endswith("role-tidy-plan.json: 0 rewrites, 1 deletions, 0 additions, 0 contradictions")


def test_what_is_due_runs_and_what_is_not_says_so() -> None:
    with a_role() as role:
        first = role.organize_due()
        assert first.ran == ("tidy plan",)
        assert first.notes[0] == "weekly: not due, last done 2026-06-30"
        assert first.notes[1] == "monthly: never done; there is nothing to tidy"
        assert role.organize_due().ran == ()
        role.clock.forward(days=7)
        second = role.organize_due()
        assert second.ran == ("repair", "consolidate", "expire")
        assert second.notes[0] == "weekly: last done 2026-06-30, 7 days ago"
        role.clock.forward(days=23)
        assert role.organize_due().ran == ("repair", "consolidate", "expire", "tidy plan")
        assert role.organize_due("user: always run the tests first\n").ran == ("extract",)


def test_the_header_sets_the_interval_and_switches_off() -> None:
    with a_role() as role:
        role.put(role.text().replace('"7d"', '"2d"'))
        role.organize_due()
        role.clock.forward(days=2)
        assert "consolidate" in role.organize_due().ran
        role.put(role.text().replace("autoConsolidate: true", "autoConsolidate: false"))
        role.clock.forward(days=9)
        answer = role.organize_due()
        assert (answer.ran, answer.notes[0]) == ((), "weekly: switched off by autoConsolidate")


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.1])
def test_a_threshold_that_is_no_share_is_refused(threshold: float) -> None:
    with a_role() as role, pytest.raises(UnusableInput):
        role.consolidate(threshold)
