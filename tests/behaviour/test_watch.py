"""The watcher: it indexes what has changed, and never what it wrote itself."""

from collections.abc import Iterator
from dataclasses import dataclass

from memtend.cli.commands.watch import watching
from memtend.errors import Locked


@dataclass
class Receipt:
    """What the watcher needs of one."""

    paths: tuple[str, ...] = ()


def watched(looks: list[dict[str, str]], *, writes: tuple[str, ...] = ()) -> tuple[int, int]:
    """How often the watcher reindexes over these looks at the disk, and how many looks it took."""
    runs = 0
    left = iter(looks)

    def reindex() -> Receipt:
        nonlocal runs
        runs += 1
        return Receipt(writes)

    def ticks() -> Iterator[None]:
        while True:
            yield

    try:
        for _ in watching(lambda: next(left), reindex, ticks()):  # type: ignore[arg-type, return-value]
            pass
    except (StopIteration, RuntimeError):
        pass
    return runs, len(looks)


def test_o_cc_06_an_idle_vault_is_indexed_once():
    assert watched([{"a": "1"}] * 100)[0] == 1


def test_o_cc_06_what_the_watcher_writes_itself_does_not_wake_it():
    assert watched([{"a": "1"}, *[{"a": "2"}] * 100], writes=("a",))[0] == 1


def test_o_cc_06_a_change_made_while_it_was_writing_is_not_lost():
    assert watched([{"a": "1"}, *[{"a": "1", "b": "1"}] * 100])[0] == 2


def test_o_cc_06_a_burst_is_a_few_runs_with_the_last_change_in():
    burst = [{str(n): "1" for n in range(count)} for count in range(1, 31)]
    runs, _ = watched([*burst, *[burst[-1]] * 20])
    assert 2 <= runs <= 8


def test_a_store_that_is_locked_is_tried_again():
    faults = [Locked("busy", hint="")]

    def reindex() -> Receipt:
        if faults:
            raise faults.pop()
        return Receipt()

    told = list(watching(lambda: {"a": "1"}, reindex, iter([None] * 5)))  # type: ignore[arg-type, return-value]
    assert told == ["busy; trying again", "Brought up to date: 0 files"]
