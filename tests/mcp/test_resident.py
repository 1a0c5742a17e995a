"""A server's view of the vault: it does not look at every file before every answer, and misses no change."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from agents_client import PARCELS, call, remember

from memtend.mcp.desk import Desk
from memtend.search import index
from memtend.workspace import Workspace


def until(is_so: Callable[[], bool], seconds: float = 15) -> bool:
    """Whether it becomes so within a time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if is_so():
            return True
    return False


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The looks at the disk, one entry each."""
    counted: list[str] = []
    real = index.scan

    def scan(root: str, *rest: object, **more: object) -> dict[str, str]:
        counted.append(root)
        return real(root, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(index, "scan", scan)
    return counted


def test_while_nothing_changes_the_disk_is_not_looked_at_again(
    desk: Desk, workspace: Workspace, looks: list[str]
) -> None:
    remember(workspace, PARCELS)
    call(desk, "search", {"query": "jitter"})
    assert until(lambda: desk.watcher.is_watching)
    desk.watcher.changed()
    with desk.reader() as first:
        first.index()
        count = len(looks)
        for _ in range(5):
            assert first.search("jitter").hits
        assert len(looks) == count
    desk.close()


def test_a_change_by_somebody_else_is_found_and_so_is_a_write_of_our_own(desk: Desk, workspace: Workspace) -> None:
    (id,) = remember(workspace, PARCELS)
    call(desk, "search", {"query": "jitter"})
    assert until(lambda: desk.watcher.is_watching)
    path = Path(workspace.root) / "10-Memories" / f"{id}.md"
    path.write_text(path.read_text().replace("full jitter", "velvet curtains"))
    assert until(lambda: bool(call(desk, "search", {"query": "velvet curtains"})["hits"]), 5)
    plan = call(desk, "learn", {"text": "# Customs\n\nForms need the tariff number."})
    decisions = {p["segment_id"]: {"action": "create", "digest": p["digest"]} for p in plan["proposals"]}
    call(desk, "apply", {"plan": plan["plan"], "decisions": decisions})
    assert call(desk, "search", {"query": "tariff number"})["hits"]
    desk.close()


def test_without_a_watcher_every_look_is_a_real_one(desk: Desk, workspace: Workspace, looks: list[str]) -> None:
    remember(workspace, PARCELS)
    desk.watcher.stop()
    with desk.reader() as reader:
        reader.index()
        count = len(looks)
        reader.search("jitter")
        reader.search("jitter")
    assert len(looks) == count + 2
