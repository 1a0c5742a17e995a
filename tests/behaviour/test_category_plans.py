"""A compaction from its plan to its undo: what waits for a yes, and what changed in between."""

import json
from pathlib import Path

import pytest
from small_memory import INDEX, LOG, changed, opened, small, tree_of, wrong

from memtend.errors import LaterChange, NeedsConfirmation, NotFound, StaleDecision, UnusableInput
from memtend.review import Action, Decision, Proposal
from memtend.workspace.category.answers import load_plan, plan_from_json
from memtend.workspace.category.categories import accept_all


def test_nothing_is_written_before_a_yes(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    with pytest.raises(NeedsConfirmation):
        workspace.compact()
    plan = workspace.plan_compact()
    assert [proposal.kind for proposal in plan.proposals] == ["compact"] * 3
    assert workspace.apply(plan, ()).receipt == ""
    assert workspace.apply(plan, [Decision(plan.proposals[0].id, Action.SKIP)]).receipt == ""
    assert tree_of(tmp_path) == before


class OnlySessions:
    def review(self, proposals: list[Proposal]) -> list[Decision]:
        return [Decision(one.id, Action.ACCEPT) for one in proposals if one.payload["category"] == "sessions"]


def test_a_reviewer_decides_on_each_category(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    done = workspace.compact(reviewer=OnlySessions())  # type: ignore[arg-type]
    assert [report["category"] for report in done.done] == ["sessions"]
    assert (tmp_path / "decisions/_log.md").read_text() == LOG


def test_a_plan_is_saved_answered_later_and_says_the_same(tmp_path: Path) -> None:
    workspace = small(tmp_path / "memory")
    plan = workspace.plan_compact()
    plan.save(tmp_path / "plan.json")
    loaded = load_plan(tmp_path / "plan.json")
    assert json.dumps(loaded.to_json()) == json.dumps(plan.to_json())
    other = opened(tmp_path / "memory")
    assert [report["entries"] for report in other.apply(loaded, accept_all(loaded)).done] == [
        proposal.payload["report"]["entries"] for proposal in plan.proposals
    ]


def test_what_is_no_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput):
        plan_from_json({"status": "done"})
    with pytest.raises(UnusableInput):
        plan_from_json({"status": "planned", "kind": "compact", "proposals": [{"id": 1}]})
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(UnusableInput):
        load_plan(tmp_path / "plan.json")
    with pytest.raises(NotFound):
        load_plan(tmp_path / "nothing.json")
    workspace = small(tmp_path / "memory")
    with pytest.raises(UnusableInput, match="the plan has no compact-x"):
        workspace.apply(workspace.plan_compact(), [Decision("compact-x", Action.ACCEPT)])
    with pytest.raises(UnusableInput, match="purge cannot be done here"):
        workspace.apply(workspace.plan_compact(), [Decision("compact-sessions", Action.PURGE)])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("sessions/2026-06-01.md", "Edited since.\n"),
        ("sessions/2026-06-03.md", "New since.\n"),
        ("sessions/2026-06-01.md", None),
    ],
)
def test_o_cc_02_a_plan_decided_on_other_files_is_refused(tmp_path: Path, path: str, text: str | None) -> None:
    workspace = small(tmp_path)
    plan = workspace.plan_compact("sessions")
    if text is None:
        (tmp_path / path).unlink()
    else:
        (tmp_path / path).write_text(text)
    before = tree_of(tmp_path)
    with pytest.raises(StaleDecision, match="sessions has changed since this was decided"):
        workspace.apply(plan, accept_all(plan))
    assert tree_of(tmp_path) == before


def test_o_cc_02_what_others_write_between_the_plan_and_the_yes_is_kept(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    plan = workspace.plan_compact("sessions")
    (tmp_path / "index.md").write_text(INDEX + "\nBy somebody else.\n")
    workspace.apply(plan, accept_all(plan))
    text = (tmp_path / "index.md").read_text()
    assert text.endswith("\nBy somebody else.\n")
    assert "archive/sessions-2026-06-30.archive.md" in text


def test_undo_takes_a_compaction_back_though_the_index_has_changed_since(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    workspace.compact(accepted=True)
    (tmp_path / "index.md").write_text((tmp_path / "index.md").read_text() + "\nBy somebody else.\n")
    workspace.undo()
    after = tree_of(tmp_path)
    assert changed(before, after) == {"index.md"}
    assert after["index.md"].endswith(b"\nBy somebody else.\n")
    assert wrong(workspace) == set()


def test_an_undo_that_is_undone_registers_the_archives_again_though_the_index_has_changed(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    undone = workspace.undo()
    (tmp_path / "index.md").write_text((tmp_path / "index.md").read_text() + "\nBy somebody else.\n")
    workspace.undo(undone.id)
    assert "archive/sessions-2026-06-30.archive.md" in (tmp_path / "index.md").read_text()
    assert wrong(workspace) == set()


def test_an_undo_that_is_undone_registers_an_entry_again_though_the_index_has_changed(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.add("patterns", "Locks", "The lock is taken before the file is read.", to="patterns/locks.md")
    (tmp_path / "index.md").write_text((tmp_path / "index.md").read_text() + "\nBy somebody else.\n")
    undone = workspace.undo()
    (tmp_path / "index.md").write_text((tmp_path / "index.md").read_text() + "\nAnd again.\n")
    workspace.undo(undone.id)
    assert "patterns/locks.md" in (tmp_path / "index.md").read_text()
    assert wrong(workspace) == set()


def test_mending_the_index_after_an_undo_is_no_step_of_its_own(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    first = workspace.add("patterns", "Locks", "The lock is taken before the file is read.")
    workspace.add("patterns", "Retries", "A call is tried three times.", to="patterns/retries.md")
    (tmp_path / "index.md").write_text((tmp_path / "index.md").read_text() + "\nBy somebody else.\n")
    workspace.undo()
    workspace.undo()
    assert [receipt.undoes for receipt in workspace.log()][-1] == first.receipt
    assert wrong(workspace) == set()


def test_an_undo_that_would_take_a_later_change_away_is_refused(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    first = workspace.compact("sessions", accepted=True)
    (tmp_path / "sessions/2026-06-20.md").write_text("# Later\n\nOnly Ada may push.\n")
    workspace.compact("sessions", accepted=True)
    with pytest.raises(LaterChange):
        workspace.undo(first.receipt)


def test_compacting_several_categories_is_one_change(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    workspace.compact(accepted=True)
    assert len(workspace.log()) == 1
    for name in ("patterns", "sessions", "decisions"):
        assert workspace.restore(f"{name}-2026-06-30").done[0]["exact"] is True
    assert tree_of(tmp_path) == before
