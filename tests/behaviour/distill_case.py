"""Small vaults for distill, given as frontmatter, and short ways to run a mode on them."""

from pathlib import Path
from typing import Any

from memtend.memory import Memory
from memtend.review import Action, Decision
from memtend.workspace import Workspace
from memtend.workspace.distill_plan import Distilled, Mode

TODAY = "2026-08-30"


def small(tmp_path: Path, now: str = TODAY, **memories: dict[str, Any]) -> Workspace:
    """A vault of a few memories `MEM-{name}`, each given as frontmatter and `text`; `_` in a name is `-`."""
    folder = tmp_path / ".memory" / "10-Memories"
    folder.mkdir(parents=True, exist_ok=True)
    for name, fields in memories.items():
        given = dict(fields)
        text = given.pop("text", f"What {name} says.")
        id = "MEM-" + name.replace("_", "-")
        values = {"title": name, "created": "2026-08-01", **given}
        head = "\n".join(f"{key}: {value}" for key, value in values.items() if value is not None)
        page = f"---\n{head}\n---\n# {values['title']}\n\n{text}\n"
        (folder / f"{id}.md").write_text(page, encoding="utf-8", newline="\n")
    return reopened(tmp_path, now)


def reopened(tmp_path: Path, now: str = TODAY) -> Workspace:
    """The vault as another process, on another day, finds it."""
    return Workspace.open(start=str(tmp_path), environ={"MEMTEND_NOW": now, "MEMTEND_COMMIT": "0"})


def run(workspace: Workspace, mode: Mode, *ids: str, action: Action = Action.ACCEPT) -> Distilled:
    """Say yes to every proposal, or to those of some ids."""
    plan = workspace.plan_distill(mode)
    chosen = [
        Decision(proposal.id, action)
        for proposal in plan.proposals
        if (not ids or proposal.id in ids)
        and (action is not Action.ACCEPT or proposal.recommendation.action in proposal.actions)
    ]
    return workspace.apply_distill(plan, chosen)


def read(workspace: Workspace, name: str) -> Memory:
    """One memory, whole."""
    return workspace.read(f"MEM-{name}")
