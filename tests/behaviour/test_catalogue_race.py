"""The index is shared: another process may put a memory into it between two questions of one listing."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from memtend.search import recall, usage
from memtend.search.index import Index
from memtend.search.rank import Hit
from memtend.workspace import Workspace
from memtend.workspace.upkeep import Upkeep

ENVIRON = {"MEMTEND_NOW": "2026-06-30T10:00:00Z", "MEMTEND_COMMIT": "0"}


def test_o_cc_01_a_memory_that_arrives_during_a_listing_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = Workspace.create(start=str(tmp_path), environ=ENVIRON)[0]
    real = usage.totals

    def late(*asked: object) -> dict[str, tuple[int, str]]:
        """Count, and then let another process be quick."""
        found = real(*asked)  # type: ignore[arg-type]
        path = Path(vault.root) / "10-Memories/MEM-late.md"
        if not path.exists():
            path.write_text("---\ntitle: Late\nretrieval_count: 4\nlast_retrieved: 2026-06-01\n---\n# Late\n\nText.\n")
            Workspace.open(start=str(tmp_path), environ=ENVIRON).index()
        return found

    monkeypatch.setattr(usage, "totals", late)
    (memory,) = vault.memories()
    assert (memory.id, memory.retrieval_count) == ("MEM-late", 4)
    (Path(vault.root) / "10-Memories/MEM-late.md").unlink()
    vault.index()
    assert Upkeep(vault).usage_to_write() == {}


def test_o_cc_01_a_memory_that_goes_during_a_recall_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = Workspace.create(start=str(tmp_path), environ=ENVIRON)[0]
    for name in ("pump", "valve"):
        path = Path(vault.root) / f"10-Memories/MEM-{name}.md"
        path.write_text(f"---\ntitle: Gasket of the {name}\n---\n# Gasket of the {name}\n\nThe {name} gasket is red.\n")
    real = recall._texts

    def late(index: Index, hits: Iterable[Hit]) -> dict[int, str]:
        """Another process is quick: a memory goes after it was found."""
        (Path(vault.root) / "10-Memories/MEM-pump.md").unlink(missing_ok=True)
        Workspace.open(start=str(tmp_path), environ=ENVIRON).index()
        return real(index, hits)

    monkeypatch.setattr(recall, "_texts", late)
    assert [hit.id for hit in vault.recall("which gasket of pump and valve is red").hits] == ["MEM-valve"]
