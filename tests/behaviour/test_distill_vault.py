"""Every mode on a vault of 2,000 memories finds what was planted and nothing else; undoing all restores every byte."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from grown_vault import NOW, Grown, grow, tree

from memtend.review import Action, Decision
from memtend.workspace import Workspace
from memtend.workspace.distill_plan import Distilled, DistillPlan, Mode

ENVIRON = {"MEMTEND_NOW": NOW, "MEMTEND_COMMIT": "0"}


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Grown]]:
    """A vault that every test leaves as it was, with a project's state beside it."""
    project = tmp_path_factory.mktemp("project")
    planted = grow(project / ".memory")
    (project / "specs").mkdir()
    (project / "specs" / "state.json").write_text(
        '{"next": 3,\n "memory_health": {"distill_count": 7}, "tasks": [ 1]}\n'
    )
    yield Workspace.open(start=str(project), environ=ENVIRON), planted


def pairs_of(plan: DistillPlan, **wanted: str) -> dict[frozenset[str], str | None]:
    """The pairs of a merge plan that have some values, with their conflicts."""
    return {
        frozenset((pair["primary"], pair["secondary"])): pair["conflict"]
        for pair in plan.candidates
        if all(pair[name] == value for name, value in wanted.items())
    }


def follow(workspace: Workspace, mode: Mode) -> Distilled:
    """Do everything that a mode recommends, and all of its doubtful ones but contradictions."""
    plan = workspace.plan_distill(mode)
    chosen = [
        Decision(proposal.id, Action.ACCEPT)
        for proposal in plan.proposals
        if proposal.recommendation.conflict is None and proposal.recommendation.action is not Action.SKIP
    ]
    return workspace.apply_distill(plan, chosen)


def test_purge_finds_exactly_the_stale_ones(grown: tuple[Workspace, Grown]) -> None:
    workspace, planted = grown
    assert set(workspace.plan_distill(Mode.PURGE).candidates) == planted.stale


def test_merge_finds_exactly_the_planted_pairs_and_marks_likeness_of_text(grown: tuple[Workspace, Grown]) -> None:
    workspace, planted = grown
    plan = workspace.plan_distill(Mode.MERGE)
    assert pairs_of(plan, basis="keywords").keys() == planted.pairs
    assert pairs_of(plan, basis="text").keys() == planted.texts


def test_o_dm_02_o_dm_03_texts_that_contradict_each_other_are_conflicts_and_not_recommended(
    grown: tuple[Workspace, Grown],
) -> None:
    workspace, planted = grown
    plan = workspace.plan_distill(Mode.MERGE)
    assert {pair: kind for pair, kind in pairs_of(plan).items() if kind} == planted.conflicts
    for proposal in plan.proposals:
        if proposal.recommendation.conflict:
            assert proposal.recommendation.strength == "none"


def test_likeness_of_text_does_not_count_in_the_health(grown: tuple[Workspace, Grown]) -> None:
    workspace, planted = grown
    report, _ = workspace.report(keep=False)
    alike = {id for pair in planted.pairs for id in pair}
    assert {flagged.id for flagged in report.flagged} <= alike
    assert not {flagged.id for flagged in report.flagged} & {id for pair in planted.texts for id in pair}


def test_compress_finds_exactly_the_long_ones(grown: tuple[Workspace, Grown]) -> None:
    workspace, planted = grown
    assert set(workspace.plan_distill(Mode.COMPRESS).candidates) == planted.long


def test_refine_mends_exactly_the_planted_faults_without_asking(grown: tuple[Workspace, Grown]) -> None:
    workspace, planted = grown
    plan = workspace.plan_distill(Mode.AUTO)
    assert {fix.id: set(fix.fixes) for fix in plan.plain} == planted.unrefined
    assert plan.proposals == ()
    asked = {str(proposal.payload["id"]) for proposal in workspace.plan_distill(Mode.REFINE).proposals}
    assert asked == {f"MEM-chain-{number}-{letter}" for number in range(5) for letter in "ac"}


def test_gc_finds_exactly_those_retired_for_seven_days(grown: tuple[Workspace, Grown]) -> None:
    workspace, planted = grown
    assert set(workspace.plan_distill(Mode.GC).candidates) == planted.due


def test_undoing_merge_purge_compress_refine_and_gc_restores_every_byte(grown: tuple[Workspace, Grown]) -> None:
    workspace, planted = grown
    workspace.reindex()  # so that derived pages are there
    project = Path(workspace.project)
    before = tree(project)
    modes = (Mode.MERGE, Mode.PURGE, Mode.COMPRESS, Mode.REFINE, Mode.GC)
    done = [follow(workspace, mode) for mode in modes]
    assert all(distilled.affected and not distilled.refused for distilled in done)
    after = tree(project)
    log = json.loads(after[".memory/distill-log.json"])
    assert [entry["type"] for entry in log["operations"]] == list(modes)
    assert log["summary"]["total_operations"] == len(modes)
    merged = {
        f"MEM-{name}-{number}-{letter}"
        for name, count in (("twin", 30), ("echo", 12))
        for number in range(count)
        for letter in "ab"
    }
    assert log["summary"]["total_merged"] == len(merged) / 2 + 2 * 5
    assert log["summary"]["total_purged"] == len(planted.stale)
    assert log["summary"]["total_compressed"] == len(planted.long)
    assert log["summary"]["total_gc_deleted"] == len(planted.due)
    assert json.loads(after["specs/state.json"])["memory_health"]["distill_count"] == 12
    for _ in modes:
        workspace.undo()
    assert tree(project) == before


def test_the_merged_pages_and_links_are_whole(grown: tuple[Workspace, Grown]) -> None:
    workspace, planted = grown
    del planted
    done = follow(workspace, Mode.MERGE)
    problems = [problem for problem in workspace.check() if problem.severity == "error"]
    assert problems == []
    again = workspace.plan_distill(Mode.MERGE)
    assert {proposal.recommendation.conflict is not None for proposal in again.proposals} == {True}
    workspace.undo(done.receipt.id if done.receipt else None)
