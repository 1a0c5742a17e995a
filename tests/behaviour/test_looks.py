"""How often a command looks at every file: of 100,000 files a look costs seconds."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memtend.review import Action, Decision
from memtend.workspace import LearnRequest, Workspace
from memtend.workspace.distill_plan import Mode

ENVIRON = {"MEMTEND_NOW": "2026-06-30T10:00:00Z", "MEMTEND_COMMIT": "0"}


class Counted(Workspace):
    """A workspace that counts its looks at the disk."""

    looks = 0

    def _look(self) -> dict[str, str]:
        self.looks += 1
        return super()._look()


@pytest.fixture
def workspace(tmp_path: Path) -> Counted:
    """A vault with some memories, as a command finds it."""
    made, _ = Counted.create(start=str(tmp_path), environ=ENVIRON)
    for number in range(9):
        text = f"---\ntitle: Pump {number}\ncreated: 2026-04-01\n---\n# Pump {number}\n\nPump {number} leaks oil.\n"
        Path(made.root, "10-Memories", f"MEM-pump-{number}.md").write_text(text, encoding="utf-8")
    made.reindex()
    made.looks = 0
    return made


def learn(workspace: Counted) -> None:
    """Learn a text as `memtend learn -t … --yes` does."""
    plan = workspace.plan_learn(LearnRequest(text="The wombat lives behind hall two."))
    learned = workspace.apply(plan, [Decision(proposal.id, Action.CREATE) for proposal in plan.proposals])
    assert learned.memories_affected == 1
    assert Path(workspace.root, learned.operations[0].path).is_file()


def test_learning_looks_before_the_plan_and_once_under_the_lock(workspace: Counted) -> None:
    learn(workspace)
    assert workspace.looks == 2


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda workspace: workspace.undo(), id="undo"),
        pytest.param(lambda workspace: workspace.reindex(), id="index"),
        pytest.param(lambda workspace: workspace.memories(), id="list"),
        pytest.param(lambda workspace: workspace.search("wombat"), id="search"),
        pytest.param(lambda workspace: workspace.recall("where is the wombat?"), id="recall"),
        pytest.param(lambda workspace: workspace.links("MEM-pump-1"), id="links"),
        pytest.param(lambda workspace: workspace.plan_distill(Mode.PURGE), id="distill plan"),
    ],
)
def test_what_has_no_plan_looks_once(workspace: Counted, act: Callable[[Counted], object]) -> None:
    learn(workspace)
    workspace.looks = 0
    act(workspace)
    assert workspace.looks == 1


def test_what_only_skips_looks_at_what_is_there_and_writes_nothing(workspace: Counted) -> None:
    before = {path: path.read_bytes() for path in Path(workspace.root).glob("*/*.md")}
    plan = workspace.plan_learn(LearnRequest(text="The wombat lives behind hall two."))
    learned = workspace.apply(plan, [Decision(proposal.id, Action.SKIP) for proposal in plan.proposals])
    assert learned.receipt is None
    assert before == {path: path.read_bytes() for path in Path(workspace.root).glob("*/*.md")}
    assert workspace.looks == 2


def test_a_name_that_somebody_took_since_the_plan_is_not_taken_again(workspace: Counted) -> None:
    plan = workspace.plan_learn(LearnRequest(text="The wombat lives behind hall two."))
    decisions = [Decision(proposal.id, Action.CREATE) for proposal in plan.proposals]
    first = workspace.apply(plan, decisions).operations[0]
    second = Counted.open(workspace.root, environ=ENVIRON).apply(plan, decisions).operations[0]
    assert first.memory_id != second.memory_id
    assert Path(workspace.root, second.path).is_file()
