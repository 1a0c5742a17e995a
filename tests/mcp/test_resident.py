"""A server's view of the vault: it does not look at every file before every answer, and misses no change."""

import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from agents_client import ENVIRON, PARCELS, call, remember

from memtend.mcp.desk import Desk
from memtend.mcp.watcher import Watcher
from memtend.search import disk
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
    real = disk.scan

    def scan(root: str, *rest: object, **more: object) -> dict[str, str]:
        counted.append(root)
        return real(root, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(disk, "scan", scan)
    return counted


@pytest.fixture(params=["kernel", "thread"])
def watched(request: pytest.FixtureRequest, desk: Desk, workspace: Workspace) -> Desk:
    """A desk with one memory whose watcher watches, in each of the ways there are."""
    if request.param == "kernel" and sys.platform != "linux":
        pytest.skip("the kernel's notices are those of Linux")
    remember(workspace, PARCELS)
    desk.watcher = Watcher(by_kernel=request.param == "kernel")
    call(desk, "search", {"query": "jitter"})
    assert until(lambda: desk.watcher.is_watching)
    return desk


def test_while_nothing_changes_the_disk_is_not_looked_at_again(watched: Desk, looks: list[str]) -> None:
    watched.watcher.changed()
    with watched.reader() as first:
        first.index()
        count = len(looks)
        for _ in range(5):
            assert first.search("jitter").hits
        assert len(looks) == count
    watched.close()


def test_a_change_by_somebody_else_is_found_and_so_is_a_write_of_our_own(watched: Desk, workspace: Workspace) -> None:
    path = Path(workspace.root) / "10-Memories" / "MEM-parcel-retries.md"
    path.write_text(path.read_text().replace("full jitter", "velvet curtains"))
    assert until(lambda: bool(call(watched, "search", {"query": "velvet curtains"})["hits"]), 5)
    plan = call(watched, "learn", {"text": "# Customs\n\nForms need the tariff number."})
    decisions = {p["segment_id"]: {"action": "create", "digest": p["digest"]} for p in plan["proposals"]}
    call(watched, "apply", {"plan": plan["plan"], "decisions": decisions})
    assert call(watched, "search", {"query": "tariff number"})["hits"]
    watched.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's notices are those of Linux")
def test_o_cc_07_a_change_made_before_the_question_is_never_missed(desk: Desk, workspace: Workspace) -> None:
    (id,) = remember(workspace, PARCELS)
    folder = Path(workspace.root) / "10-Memories"
    memory = (folder / f"{id}.md").read_text()
    with desk.reader() as reader:

        def found(words: str) -> bool:
            return any(words in hit.snippet for hit in reader.search(words).hits)

        assert found("jitter")
        for number in range(20):
            word = f"velvet{number:02}"
            if number % 4 == 0:
                (folder / f"{id}.md").write_text(memory.replace("full jitter", word))
            elif number % 4 == 1:
                (folder / f"shelf{number}" / "below").mkdir(parents=True)
                (folder / f"shelf{number}" / "below" / f"MEM-{word}.md").write_text(f"# {word}\n\nText {word}.\n")
            elif number % 4 == 2:
                (folder / f"shelf{number - 1}" / "below" / f"MEM-{word}.md").write_text(f"# {word}\n\nIn {word}.\n")
            else:
                with (folder / f"{id}.md").open("r+") as file:
                    file.write(memory.replace("full jitter", word))
            assert found(word), number
            assert found(word)
        (folder / f"{id}.md").unlink()
        assert not found("parcel client")
        (folder / "shelf1").rename(workspace.root + "/gone")
        assert not found("velvet01")
    desk.close()


def test_a_list_that_is_kept_shows_uses_edits_and_what_came_or_went(desk: Desk, workspace: Workspace) -> None:
    (id,) = remember(workspace, PARCELS)
    folder = Path(workspace.root) / "10-Memories"

    def shown() -> list[tuple[str, int]]:
        return [(each["title"], each["retrieval_count"]) for each in call(desk, "list")["memories"]]

    assert shown() == [("Parcel retries", 0)]
    call(desk, "recall", {"text": "full jitter"})
    assert shown() == [("Parcel retries", 1)]
    path = folder / f"{id}.md"
    path.write_text(path.read_text().replace("Parcel retries", "Parcel clients"))
    assert shown() == [("Parcel clients", 1)]
    assert call(desk, "read", {"id": id})["title"] == "Parcel clients"
    (folder / "MEM-a.md").write_text("# Another\n\nText.\n")
    assert [title for title, _ in shown()] == ["Another", "Parcel clients"]
    path.unlink()
    assert shown() == [("Another", 0)]
    desk.close()


def test_where_nobody_can_watch_a_folder_every_look_is_a_real_one(
    desk: Desk, workspace: Workspace, looks: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(workspace, PARCELS)
    if sys.platform == "linux":
        monkeypatch.setattr("memtend.mcp.watcher.Notices", _refused)
    else:
        desk.watcher.stop()
    before = len(looks)
    with desk.reader() as reader:
        for count in range(1, 4):
            assert reader.search("jitter").hits
            assert len(looks) == before + count


def _refused(root: str) -> object:
    raise OSError(28, os.strerror(28), root)


def test_o_cc_04_a_look_that_failed_is_not_taken_for_a_good_one(
    desk: Desk, workspace: Workspace, project: Path
) -> None:
    remember(workspace, PARCELS)
    assert call(desk, "search", {"query": "jitter"})["hits"]
    folder = project / ".memory" / "10-Memories"
    folder.rename(project / "elsewhere")
    for _ in range(2):
        assert call(desk, "search", {"query": "jitter"})["status"] == "error"
    (project / "elsewhere").rename(folder)
    assert call(desk, "search", {"query": "jitter"})["hits"]
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


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's notices are those of Linux")
def test_a_desk_that_nobody_closed_gives_its_watch_back(project: Path) -> None:
    def handles() -> int:
        return sum(str(path.readlink()).endswith("inotify") for path in _open_files())

    gc.collect()  # what other tests left open is none of this one's
    before = handles()
    kept = Desk(start=str(project), environ=ENVIRON)
    assert call(kept, "list")["total"] == 0
    assert handles() == before + 1
    for _ in range(3):
        assert call(Desk(start=str(project), environ=ENVIRON), "list")["total"] == 0

    def are_given_back() -> bool:
        gc.collect()
        return handles() == before + 1

    assert until(are_given_back)  # a worker thread that is just ending still has its desk
    kept.close()
    assert handles() == before


def _open_files() -> list[Path]:
    return [path for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
