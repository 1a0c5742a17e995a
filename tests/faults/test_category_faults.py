"""A compaction, a restore, a split or a forgetting that is stopped at any step is taken back on the next open."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from small_memory import INDEX, lay, opened, tree_of

from memtend.errors import ChangedOnDisk, Integrity, StaleDecision
from memtend.workspace.category.answers import Done
from memtend.workspace.category.categories import CategoryWorkspace


class Crash(BaseException):
    """The process is gone: nothing catches this."""


class Stop:
    """Raises at the n-th touch of the disk that changes something."""

    def __init__(self, at: int, fault: Callable[[], BaseException]) -> None:
        self.at = at
        self.seen = 0
        self.fault = fault

    def __call__(self, what: str) -> None:
        if what.startswith(("read", "list")):
            return
        self.seen += 1
        if self.seen == self.at:
            raise self.fault()


SESSION = {"index.md": INDEX, "sessions/a.md": "Keys must be rotated.\n"}
LOG = {"index.md": INDEX, "decisions/_log.md": "# Log\n\n### DEC-2\n\n> RETRACTED\n\na\n\n### DEC-1\n\nb\n"}


def compact(workspace: CategoryWorkspace) -> None:
    workspace.compact(accepted=True)


def restore(workspace: CategoryWorkspace) -> None:
    workspace.restore("decisions-2026-06-30")


def undo(workspace: CategoryWorkspace) -> None:
    workspace.undo()


def nothing(workspace: CategoryWorkspace) -> None:
    pass


Act = Callable[[CategoryWorkspace], None]
STORIES: dict[str, tuple[Mapping[str, str], Act, Act]] = {
    "archive a session": (SESSION, nothing, compact),
    "cut a log": (LOG, nothing, compact),
    "restore": (LOG, compact, restore),
    "undo": (SESSION, compact, undo),
}
"""The files, what happens before, and what is stopped."""


def prepared(root: Path, story: str) -> None:
    """The memory as it is before a story begins."""
    files, before, _ = STORIES[story]
    before(opened(lay(root, files)))


def steps_of(root: Path, story: str) -> int:
    """How many touches of the disk a story takes."""
    prepared(root, story)
    counting = Stop(0, Crash)
    STORIES[story][2](opened(root, step=counting))
    return counting.seen


@pytest.mark.parametrize("story", STORIES)
def test_o_cc_03_a_crash_at_any_step_is_taken_back_or_done_on_the_next_open(tmp_path: Path, story: str) -> None:
    total = steps_of(tmp_path / "new", story)
    prepared(tmp_path / "old", story)
    old, new = tree_of(tmp_path / "old"), tree_of(tmp_path / "new")
    assert total > 10
    for n in range(1, total + 1):
        root = tmp_path / f"at-{n}"
        prepared(root, story)
        with pytest.raises(Crash):
            STORIES[story][2](opened(root, step=Stop(n, Crash)))
        workspace = opened(root)
        workspace.list()
        assert tree_of(root) in (old, new), n
        assert not list(root.rglob("*.intent.json")), n
        if tree_of(root) == old:
            STORIES[story][2](workspace)
        assert tree_of(root) == new, n


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES], ids=["full", "forbidden"])
def test_o_cc_03_a_disk_that_refuses_at_any_step_leaves_the_memory_as_it_was(tmp_path: Path, code: int) -> None:
    total = steps_of(tmp_path / "new", "cut a log")
    lay(tmp_path / "old", LOG)
    old, new = tree_of(tmp_path / "old"), tree_of(tmp_path / "new")
    for n in range(1, total + 1, 3):
        root = lay(tmp_path / f"at-{n}", LOG)
        with pytest.raises(Integrity, match=os.strerror(code)):
            compact(opened(root, step=Stop(n, lambda: OSError(code, os.strerror(code)))))
        assert tree_of(root) in (old, new), n
        compact(opened(root))
        assert tree_of(root) == new, n


KILLED = """
import os, signal, sys
from pathlib import Path
from small_memory import opened
seen = 0
def step(what):
    global seen
    seen += not what.startswith(("read", "list"))
    if seen == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
opened(Path(sys.argv[1]), step=step).compact(accepted=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("share", [0.4, 0.7, 0.9])
def test_o_cc_03_a_killed_compaction_loses_nothing(tmp_path: Path, share: float) -> None:
    total = steps_of(tmp_path / "new", "cut a log")
    old, new = tree_of(lay(tmp_path / "old", LOG)), tree_of(tmp_path / "new")
    here = Path(__file__).parent
    folders = [here.parent / "behaviour", here.parents[1] / "src"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, folders))}
    command = [sys.executable, "-c", KILLED, str(tmp_path / "old"), str(int(total * share))]
    assert subprocess.run(command, env=environment, check=False).returncode == -signal.SIGKILL
    workspace = opened(tmp_path / "old")
    workspace.check()
    assert tree_of(workspace.root) in (old, new)
    workspace.compact(accepted=True)
    assert tree_of(workspace.root) == new


def test_what_an_editor_saves_while_a_compaction_writes_is_not_written_over(tmp_path: Path) -> None:
    root = lay(tmp_path, LOG | SESSION)

    def save(what: str) -> None:
        if what == "stage _log.md":
            (root / "decisions/_log.md").write_text("Saved in an editor.\n")

    with pytest.raises(ChangedOnDisk, match=r"decisions/_log\.md was changed by somebody else"):
        compact(opened(root, step=save))
    assert (root / "decisions/_log.md").read_text() == "Saved in an editor.\n"
    assert (root / "sessions/a.md").read_text() == "Keys must be rotated.\n"
    assert not (root / "archive").exists() or not list((root / "archive").iterdir())


OTHERS = "### DEC-2 — Theirs\n\nBoilers are blue.\n\n"
ADDED = {"index.md": INDEX, "decisions/_log.md": "# Log\n\n### DEC-1\n\nb\n"}
AT_ONCE: dict[str, Callable[..., Done]] = {
    "add": lambda workspace, **how: workspace.add("decisions", "Ours", "Pumps are red.", **how),
    "sync": lambda workspace, **how: workspace.sync(**how),
}


def planting(root: Path, at: int, plant: Callable[[], object]) -> Callable[[str], None]:
    """Somebody else writes at the n-th touch of the disk.

    Between the last look at a file and its being replaced nobody can be kept out who asks for no lock.
    """
    seen: list[str] = []

    def touched(what: str) -> None:
        seen.extend([] if what == "place index.md" else [what])
        if len(seen) == at and what == seen[-1]:
            plant()

    return touched


def write_more(root: Path) -> None:
    """Somebody writes a decision into the log and a file that the index does not list."""
    log = root / "decisions/_log.md"
    log.write_text(log.read_text().replace("### DEC-1", OTHERS + "### DEC-1"))
    (root / "patterns").mkdir()
    (root / "patterns/theirs.md").write_text("# Theirs\n\nGates are green.\n")


def test_o_cc_02_an_entry_is_added_to_what_is_there_when_it_is_written(tmp_path: Path) -> None:
    root = lay(tmp_path, ADDED)
    workspace = opened(root, step=planting(root, 1, lambda: write_more(root)))
    assert workspace.add("decisions", "Ours", "Pumps are red.").done[0]["id"] == "DEC-3"
    assert OTHERS in (root / "decisions/_log.md").read_text()


@pytest.mark.parametrize("action", AT_ONCE)
def test_o_cc_02_what_was_shown_is_done_or_nothing(tmp_path: Path, action: str) -> None:
    root = lay(tmp_path, ADDED | {"sessions/a.md": "Keys must be rotated.\n"})
    shown = AT_ONCE[action](opened(root), dry_run=True)
    changed: list[Mapping[str, bytes]] = []

    def plant() -> None:
        write_more(root)
        changed.append(tree_of(root))

    with pytest.raises(StaleDecision, match="not what it comes to any more"):
        AT_ONCE[action](opened(root, step=planting(root, 1, plant)), shown=shown)
    assert [tree_of(root)] == changed
    again = AT_ONCE[action](opened(root), dry_run=True)
    assert AT_ONCE[action](opened(root), shown=again).done == again.done != shown.done


@pytest.mark.parametrize("action", AT_ONCE)
def test_o_cc_02_what_an_editor_saves_at_any_moment_of_an_addition_stays(tmp_path: Path, action: str) -> None:
    n, is_over = 0, False
    while not is_over:
        n, is_over = n + 1, True
        root = lay(tmp_path / str(n), ADDED | {"sessions/a.md": "Keys must be rotated.\n"})

        def save(index: Path = root / "index.md") -> None:
            nonlocal is_over
            is_over = False
            index.write_bytes(index.read_bytes() + b"\nSaved by hand.\n")

        with suppress(ChangedOnDisk):
            AT_ONCE[action](opened(root, step=planting(root, n, save)))
        assert is_over or "\nSaved by hand.\n" in (root / "index.md").read_text(), n
    assert n > 10


def test_o_cc_01_agents_that_add_at_once_get_an_id_each(tmp_path: Path) -> None:
    root = lay(tmp_path, ADDED)

    def add(agent: int) -> None:
        for number in range(3):
            opened(root).add("decisions", f"Of {agent}", f"Pump {number} of hall {agent} is red.", force=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(4)))
    ids = [entry.id for entry in opened(root).folder().entries]
    assert sorted(ids, key=lambda id: int(id[4:])) == [f"DEC-{number}" for number in range(1, 14)]
    assert not [problem for problem in opened(root).check() if problem.code == "unregistered"]


def test_a_link_in_the_place_of_a_category_is_an_error_and_never_an_empty_one(tmp_path: Path) -> None:
    root = lay(tmp_path / "memory", SESSION)
    (root / "sessions/a.md").unlink()
    (root / "sessions").rmdir()
    (root / "sessions").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(Integrity, match="sessions holds memories but is a link"):
        opened(root).list()
