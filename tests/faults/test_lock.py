"""One writer at a time: whoever is dead, far away or nonsense in a file keeps nobody out."""

import json
import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from plain_layout import PlainLayout, memory
from stories import NOW, grown, opened

from memtend.change import ChangeSet, created
from memtend.errors import Integrity, Locked
from memtend.store.apply import Store
from memtend.store.lock import StoreLock

FORK = multiprocessing.get_context("fork") if sys.platform != "win32" else multiprocessing.get_context()

HOLDERS = {
    "a dead process": lambda: json.dumps({"pid": 2**22 - 1, "host": "here", "command": "x", "since": "2026-06-30"}),
    "this very process": lambda: json.dumps({"pid": os.getpid(), "host": "here", "command": "x", "since": ""}),
    "another host": lambda: json.dumps({"pid": 1, "host": "elsewhere", "command": "x", "since": "2026-06-30"}),
    "the future": lambda: json.dumps({"pid": 1, "host": "h", "command": "x", "since": "2999-01-01T00:00:00Z"}),
    "nothing": lambda: "",
    "garbage": lambda: "\0\xff{[",
    "a cut record": lambda: '{"pid": 12',
    "a list": lambda: "[1]",
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_o_cc_05_a_lock_file_that_names_nobody_alive_keeps_nobody_out(tmp_path: Path, holder: str) -> None:
    grown(tmp_path)
    for name in ("lock", "lock-holder.json"):
        (tmp_path / ".memtend" / name).write_text(HOLDERS[holder](), encoding="utf-8")
    store = Store(tmp_path, PlainLayout(), wait_seconds=1)
    store.apply(ChangeSet((created(memory("new")),)), now=NOW, commit=False)
    assert "new.md" in store.paths()


@pytest.mark.parametrize("holder", HOLDERS)
def test_o_cc_05_waiting_ends_with_a_message_whatever_the_holder_wrote(tmp_path: Path, holder: str) -> None:
    with StoreLock(tmp_path).hold(NOW):
        (tmp_path / "lock-holder.json").write_text(HOLDERS[holder](), encoding="utf-8")
        with pytest.raises(Locked, match="holds the store's lock"), StoreLock(tmp_path, 0.05).hold(NOW):
            pass


HOLD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from memtend.store.lock import StoreLock

with StoreLock(Path(sys.argv[1])).hold(datetime(2026, 6, 30, 10, 15, tzinfo=UTC)):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_o_cc_05_the_message_names_the_holder_and_a_killed_one_holds_no_longer(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        lock = StoreLock(tmp_path, 0.05)
        assert lock.is_held()
        with pytest.raises(Locked) as fault, lock.hold(NOW):
            pass
        assert f"process {process.pid} (-c" in fault.value.message
        assert "since 2026-06-30T10:15:00Z" in fault.value.message
        process.kill()
        process.wait()
        with StoreLock(tmp_path, 1).hold(NOW):
            assert lock.is_held()
    assert not lock.is_held()


def test_o_cc_05_two_waiters_never_both_get_it(tmp_path: Path) -> None:
    inside: list[int] = []
    most: list[int] = []
    lock = threading.Lock()

    def work() -> None:
        for _ in range(20):
            with StoreLock(tmp_path, 30).hold(NOW):
                with lock:
                    inside.append(1)
                    most.append(len(inside))
                with lock:
                    inside.pop()

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(most) == 120
    assert max(most) == 1


def test_a_holder_that_asks_again_is_told_so_and_does_not_hang(tmp_path: Path) -> None:
    store = grown(tmp_path)

    def greedy() -> list[object]:
        nested = Store(tmp_path, PlainLayout(), wait_seconds=0.05)
        nested.apply(ChangeSet((created(memory("inner")),)), now=NOW, commit=False)
        return []

    outer = Store(tmp_path, PlainLayout(), catalogue=greedy)  # type: ignore[arg-type]
    with pytest.raises(Locked):
        outer.apply(ChangeSet((created(memory("outer")),)), now=NOW, commit=False)
    assert "inner.md" not in store.paths()


def test_a_folder_that_cannot_hold_a_lock_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(Integrity, match="cannot be locked"), StoreLock(tmp_path, 0.05).hold(NOW):
        pass


def test_o_cc_05_a_failed_apply_lets_the_next_one_in(tmp_path: Path) -> None:
    grown(tmp_path)

    def fail(what: str) -> None:
        if what.startswith("place new"):
            raise OSError(28, "No space left on device")

    with pytest.raises(Integrity):
        opened(tmp_path, fail).apply(ChangeSet((created(memory("new")),)), now=NOW, commit=False)
    Store(tmp_path, PlainLayout(), wait_seconds=0.5).apply(ChangeSet((created(memory("new")),)), now=NOW, commit=False)


def in_processes(work: Callable[[int], None], count: int) -> None:
    """Run `work` in as many processes, all of which must end well."""
    processes = [FORK.Process(target=work, args=(number,)) for number in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * count


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_o_cc_01_and_o_cc_02_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    grown(tmp_path)
    each, many = 12, 4

    def work(number: int) -> None:
        store = opened(tmp_path)
        for n in range(each):
            receipt = store.apply(ChangeSet((created(memory(f"m-{number}-{n}")),)), now=NOW, commit=False)
            if n % 4 == 3:
                store.undo(receipt.id, now=NOW, commit=False)
            index = (tmp_path / "pages/index.txt").read_bytes()
            assert index.endswith(b"\n")
            assert index.startswith(b"a\ta\t0\t\n")

    in_processes(work, many)
    store = opened(tmp_path)
    kept = {f"m-{number}-{n}" for number in range(many) for n in range(each) if n % 4 != 3}
    assert set(store.read().memories) == kept | set("abcdefg")
    lines = (tmp_path / "pages/index.txt").read_text().splitlines()
    assert {line.split("\t")[0] for line in lines} == kept | set("abcdefg")
    log = store.log()
    assert len(log) == 1 + many * (each + each // 4)
    assert len({receipt.id for receipt in log}) == len(log)


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_o_cc_02_of_two_that_change_the_same_memory_at_once_one_is_told(tmp_path: Path) -> None:
    from memtend.change import Change, Verb
    from memtend.errors import StaleDecision
    from memtend.memory import MemoryId

    store = grown(tmp_path)
    old = store.read().memories[MemoryId("a")]

    def work(number: int) -> None:
        change = Change(Verb.UPDATE, old.id, old.digest, {"content": f"By {number}."})
        try:
            opened(tmp_path).apply(ChangeSet((change,)), now=NOW, commit=False)
        except StaleDecision:
            (tmp_path / f"told-{number}").touch()

    in_processes(work, 5)
    assert len(list(tmp_path.glob("told-*"))) == 4
    assert len(store.log()) == 2
