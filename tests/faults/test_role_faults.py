"""A role under fire: many agents at once, a kill between two files, a full disk, a foreign editor."""

import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from a_role import ARole, Clock, opened

from memtend.errors import Integrity, MemtendError
from memtend.layouts.role import RoleLayout
from memtend.store.apply import Store
from memtend.workspace.role.roles import Roles, RoleWorkspace

NOW = datetime(2026, 6, 30, 10, 0, tzinfo=UTC)
AGENTS, EACH = 8, 50


class Failing(ARole):
    """A role on a disk that stops after some touches."""

    touches_left = 10**9
    how: Callable[[], None] = staticmethod(lambda: None)

    def store_with(self, layout: RoleLayout) -> Store:
        return Store(self.root, layout, step=self._touched)

    def _touched(self, what: str) -> None:
        if what.startswith(("read", "list")):
            return
        if self.touches_left == 0:
            self.how()
        self.touches_left -= 1


def a_role(folder: Path, **options: Any) -> ARole:
    Roles(folder).create("zero", clock=lambda: NOW)
    return opened(folder / "zero", Clock(NOW), **options)


def failing(role: ARole, after: int, how: Callable[[], None]) -> Failing:
    """The same role for a caller whose disk fails."""
    other = Failing(role.root, clock=role.clock)
    other.clock, other.touches_left, other.how = role.clock, after, how
    return other


def full() -> None:
    raise OSError(28, "No space left on device")


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def add_many(root: str, agent: int) -> None:
    role = RoleWorkspace(root, clock=lambda: NOW)
    for number in range(EACH):
        role.add_learning(f"agent {agent} learned lesson {number}")


def reinforce_many(root: str) -> None:
    role = RoleWorkspace(root, clock=lambda: NOW)
    for _ in range(10):
        role.reinforce("shared lesson")


def search_in_session(root: str) -> None:
    RoleWorkspace(root, clock=lambda: NOW, session="one").search("shared lesson")


def in_processes(target: Callable[..., None], calls: list[tuple[Any, ...]]) -> list[int | None]:
    """Run a function once for each tuple of arguments, each in a process of its own; the exit statuses."""
    context = multiprocessing.get_context("fork" if sys.platform != "win32" else "spawn")
    running = [context.Process(target=target, args=arguments) for arguments in calls]
    for process in running:
        process.start()
    for process in running:
        process.join(120)
    return [process.exitcode for process in running]


def test_o_cc_01_eight_agents_adding_fifty_learnings_each_leave_four_hundred(tmp_path: Path) -> None:
    role = a_role(tmp_path)
    assert in_processes(add_many, [(str(role.root), agent) for agent in range(AGENTS)]) == [0] * AGENTS
    wanted = {f"agent {agent} learned lesson {number}" for agent in range(AGENTS) for number in range(EACH)}
    entries = role.list().entries
    assert len(entries) == AGENTS * EACH
    assert {entry.text for entry in entries} == wanted
    assert role.text("memory/daily/2026-06-30.md").count("] LESSON") == AGENTS * EACH
    assert len(role.log()) == AGENTS * EACH


def test_o_cc_01_reinforcing_at_once_counts_every_use(tmp_path: Path) -> None:
    role = a_role(tmp_path)
    role.add_learning("shared lesson")
    assert in_processes(reinforce_many, [(str(role.root),)] * 4) == [0] * 4
    assert role.lines() == ["- [40x] shared lesson <!-- seen: 2026-06-30 -->"]


def test_two_searches_of_one_session_at_once_count_once(tmp_path: Path) -> None:
    role = a_role(tmp_path)
    role.add_learning("shared lesson")
    assert in_processes(search_in_session, [(str(role.root),)] * 6) == [0] * 6
    assert role.lines() == ["- [1x] shared lesson <!-- seen: 2026-06-30 -->"]


def test_o_cc_02_a_line_that_somebody_saves_between_reading_and_writing_is_kept(tmp_path: Path) -> None:
    role = a_role(tmp_path)
    role.add_learning("a")
    decided = role.change

    def with_an_editor(decide: Any, *rest: Any, **options: Any) -> Any:
        def meanwhile(state: Any) -> Any:
            answer = decide(state)
            if "by hand" not in role.text():
                role.put(role.text().replace("- [0x] a", "- [0x] a\n- [0x] by hand"))
            return answer

        return decided(meanwhile, *rest, **options)

    role.change = with_an_editor  # type: ignore[method-assign]
    role.reinforce("a")
    role.add_learning("b")
    assert role.lines() == ["- [1x] a <!-- seen: 2026-06-30 -->", "- [0x] b", "- [0x] by hand"]


WRITES: dict[str, Callable[[ARole], object]] = {
    "add": lambda role: role.add_learning("new"),
    "promote": lambda role: role.promote("waiting"),
    "use what was found": lambda role: role.use(role.search("waiting", reinforce=False)),
    "update": lambda role: role.update_learning("learned", "learned anew"),
    "consolidate": lambda role: role.consolidate(),
    "expire": lambda role: role.expire(),
    "migrate": lambda role: role.migrate(),
}


def prepared(folder: Path) -> ARole:
    role = a_role(folder)
    role.add_learning("waiting", source="auto")
    role.add_learning("learned")
    role.add_learning("Learned!")
    role.put(
        role.text("memory/pending.md") + "\n- [✗] [auto] gone\n  id: 1\n  created: 2026-01-01\n", "memory/pending.md"
    )
    role.put("# Memory: 2026-01-05\n\nold\n", "memory/2026-01-05.md")
    return role


@pytest.mark.parametrize("name", WRITES)
def test_o_cc_03_a_full_disk_at_any_step_leaves_the_old_files_or_the_new_ones(name: str, tmp_path: Path) -> None:
    role = prepared(tmp_path)
    before = role.tree()
    steps = 0
    while True:
        other = failing(role, steps, full)
        try:
            WRITES[name](other)
        except (Integrity, OSError, MemtendError):
            assert role.again().state()
            assert role.tree() == before, steps
            steps += 1
        else:
            break
    assert steps > 3
    after = role.tree()
    assert after != before
    assert not list(role.root.rglob("*.tmp"))
    role.undo()
    assert {path: data for path, data in role.tree().items() if "daily/2026-06-30" not in path} == {
        path: data for path, data in before.items() if "daily/2026-06-30" not in path
    }


def test_what_was_found_is_told_though_a_full_disk_takes_no_count(tmp_path: Path) -> None:
    role = a_role(tmp_path)
    role.add_learning("learned")
    before = role.tree()
    for steps in range(5):
        found = failing(role, steps, full).search("learned")
        assert [hit.text for hit in found.hits] == ["learned"]
        assert found.note.startswith("not counted: the disk refuses to write: No space left")
        assert (role.tree(), found.reinforced) == (before, ())
    assert [one.times for one in role.again().search("learned").reinforced] == [1]


def kill_at(root: str, steps: int) -> None:
    role = Failing(root, clock=lambda: NOW)
    role.touches_left, role.how = steps, killed
    role.promote("waiting")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_o_cc_03_a_promotion_killed_between_its_two_files_is_whole_after_reopening(tmp_path: Path) -> None:
    whole = prepared(tmp_path / "roles")
    before = whole.tree()
    halves = 0
    for steps in range(60):
        role = opened(Path(shutil.copytree(whole.root, tmp_path / str(steps) / "zero")), whole.clock)
        (status,) = in_processes(kill_at, [(str(role.root), steps)])
        halves += status != 0 and role.tree() != before
        there = role.again()
        is_learning = any(entry.text == "waiting" for entry in there.list().entries if entry.kind == "learning")
        is_promoted = "- [✓] [auto] waiting" in there.lines("memory/pending.md")
        assert is_learning == is_promoted, steps
        if status == 0:
            break
        assert is_learning or role.tree() == before, steps
    assert steps > 15
    assert halves, "no kill hit between the two files"


def test_o_cc_04_a_damaged_file_of_sessions_stops_nothing(tmp_path: Path) -> None:
    role = a_role(tmp_path)
    role.add_learning("shared lesson")
    (role.root / ".memtend" / "role-sessions").write_bytes(b"\xff\x00garbage\nx\ty\n")
    assert role.again(session="s").search("shared lesson").reinforced
    assert not role.again(session="s").search("shared lesson").reinforced


def test_a_read_only_role_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "zero" / "memory"
    folder.mkdir(parents=True)
    (folder / "consolidated.md").write_text("# Learnings (New)\n- [0x] shared lesson\n")
    role = opened(tmp_path / "zero", Clock(NOW))
    assert [entry.text for entry in role.list().entries] == ["shared lesson"]
    assert role.search("shared lesson", reinforce=False).hits
    assert role.inject().text
    assert not (tmp_path / "zero" / ".memtend").exists()
