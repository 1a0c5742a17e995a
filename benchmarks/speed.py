"""What a hook at every prompt costs, and what opening and first indexing a large vault cost.

    python benchmarks/speed.py [--runs 15] [--large 10000] [--json]

Every figure is the CPU time (user and system) of a whole process, the median of several runs taken in turn with
bare Python, so that a busy machine disturbs all alike; peak memory comes from the same place. Warm figures are per
call inside one process. Budgets are those of `docs/design/architecture.md`; exit status 1 where one is broken.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from generate import write_vault

SMALL = 1_000
_HERE = str(Path(__file__).parent)
_COMMAND = str(Path(sys.executable).with_name("memtend"))
_OPEN = "import sys; from memtend.workspace import Workspace; Workspace.open(sys.argv[1]).index()"
_WARM = """
import json, sys, time
sys.path.insert(0, sys.argv[2])
from generate import Notes
from memtend.search.catalogue import neighbours
from memtend.search.rank import search
from memtend.workspace import Workspace
index = Workspace.open(sys.argv[1]).index()
notes = Notes(1)
questions = [notes.question() for _ in range(200)]
texts = [notes.text(1).split("---")[2] for _ in range(100)]
def timed(ask, items):
    start = time.process_time()
    for item in items:
        ask(index, item)
    return (time.process_time() - start) / len(items)
print(json.dumps([timed(search, questions), timed(neighbours, texts)]))
"""


class Cost(NamedTuple):
    """CPU seconds and peak megabytes of one process."""

    seconds: float
    megabytes: float


class Figure(NamedTuple):
    """One line of the table. `limit` is what `seconds` may be at most; 0 where there is no budget."""

    name: str
    seconds: float
    megabytes: float
    limit: float


def main() -> int:
    """Measure and print; 1 where a budget is broken."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=15, help="processes a figure (first indexing: a fifth of them)")
    parser.add_argument("--large", type=int, default=10_000, help="notes of the large vault")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), given.runs, given.large)
    if given.json:
        print(json.dumps([figure._asdict() for figure in figures], indent=2))
    else:
        print_table(figures)
    return int(any(figure.limit and figure.seconds > figure.limit for figure in figures))


def measure(folder: Path, runs: int, large_count: int) -> list[Figure]:
    """All figures, on vaults made in `folder`."""
    small, large = folder / "small" / ".memory", folder / "large" / ".memory"
    notes = write_vault(small, SMALL)
    write_vault(large, large_count)
    opening = [sys.executable, "-c", _OPEN]
    first = median([cost([*opening, str(large)], before=lambda: forget(large)) for _ in range(max(3, runs // 5))])
    settle([*opening, str(small)], [*opening, str(large)])
    asked = iter([notes.question() for _ in range(runs * 2)])
    bare, recall, found, opened = in_turn(
        runs,
        lambda: cost([sys.executable, "-c", "pass"]),
        lambda: cost([_COMMAND, "recall", next(asked), "--vault", str(small)]),
        lambda: cost([_COMMAND, "search", next(asked), "--vault", str(small)]),
        lambda: cost([*opening, str(large)]),
    )
    searched, near = warm(large)
    scale = large_count / 10_000
    return [
        Figure("bare Python", *bare, 0),
        Figure(f"recall, {SMALL} unchanged", *recall, 2.5 * bare.seconds),
        Figure(f"search, {SMALL} unchanged", *found, 0),
        Figure(f"open, {large_count} unchanged", *opened, bare.seconds + 0.25 * scale),
        Figure(f"first index, {large_count} of 150 words", *first, 6.0 * scale),
        Figure(f"one more search, {large_count}", searched, 0, 0),
        Figure(f"neighbours of a text, {large_count}", near, 0, 0.0015 * max(1.0, scale)),
    ]


def cost(command: Sequence[str], before: Callable[[], None] = lambda: None) -> Cost:
    """What one process costs."""
    before()
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    process = os.posix_spawn(command[0], command, environ, file_actions=silent)
    _, _, used = os.wait4(process, 0)
    megabytes = used.ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)
    return Cost(used.ru_utime + used.ru_stime, megabytes)


def in_turn(runs: int, *cases: Callable[[], Cost]) -> list[Cost]:
    """The median of each case, all of them run in turn."""
    rounds = [[case() for case in cases] for _ in range(runs)]
    return [median(list(costs)) for costs in zip(*rounds, strict=True)]


def median(costs: Sequence[Cost]) -> Cost:
    """The middle of the seconds and the middle of the megabytes."""
    return Cost(statistics.median(c.seconds for c in costs), statistics.median(c.megabytes for c in costs))


def settle(*commands: Sequence[str]) -> None:
    """Index when the last write is long enough ago for a look at the clock to be enough from then on."""
    time.sleep(2.1)
    for command in commands:
        cost(command)


def forget(vault: Path) -> None:
    """Delete the index of a vault."""
    for suffix in ("", "-wal", "-shm"):
        (vault / ".memtend" / f"index.db{suffix}").unlink(missing_ok=True)


def warm(vault: Path) -> tuple[float, float]:
    """Seconds of one search and one look for neighbours in a process that goes on."""
    out, told = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, told, 1)]
    process = os.posix_spawn(
        sys.executable, [sys.executable, "-c", _WARM, str(vault), _HERE], os.environ, file_actions=actions
    )
    os.close(told)
    with os.fdopen(out) as answer:
        searched, near = json.load(answer)
    os.waitpid(process, 0)
    return searched, near


def print_table(figures: Sequence[Figure]) -> None:
    """One line a figure; times in milliseconds."""
    bare = figures[0].seconds
    print(f"{'':38}{'CPU ms':>9}{'× bare':>8}{'peak MB':>9}{'budget ms':>11}")
    for name, seconds, megabytes, limit in figures:
        budget = f"{limit * 1000:11.1f}{'' if seconds <= limit else '  BROKEN'}" if limit else ""
        peak = f"{megabytes:9.1f}" if megabytes else " " * 9
        print(f"{name:38}{seconds * 1000:9.1f}{seconds / bare:8.2f}{peak}{budget}")


if __name__ == "__main__":
    sys.exit(main())
