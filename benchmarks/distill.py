"""What a report of a large vault costs, and how that grows with the vault.

    python benchmarks/distill.py [SIZE…] [--runs 3] [--folder DIR] [--planted] [--json]

Makes vaults of made-up notes of one distribution (10,000, 30,000 and 100,000 without SIZE), indexes each once and
then measures whole processes: `memtend distill report`, index and signatures warm, as Markdown and as JSON, and the
first report with signatures still to be made. CPU seconds (user and system) and peak memory, median of the runs. The
parts are measured inside one process. `--planted` adds, in each vault, one pair of near-duplicates a hundred notes.
`--folder` keeps the vaults there, for building them takes longest. Budgets: 1 s at 10,000; 6 s and 1 GB at 100,000;
growth no faster than n·log n. Exit status 1 where one is broken.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise
from math import log
from pathlib import Path
from typing import NamedTuple

from generate import write_vault
from memtend.distill.columns import Columns
from memtend.distill.overlap import best, pairs
from memtend.distill.score import scores
from memtend.search import catalogue
from memtend.workspace import Workspace
from memtend.workspace.likenesses import Likenesses

SIZES = (10_000, 30_000, 100_000)
BUDGETS = {10_000: (1.0, 0.0), 100_000: (6.0, 1024.0)}
"""By size: CPU seconds and megabytes."""
SLACK = 1.25
"""How much faster than n·log n a measured growth may be, for noise."""
NOW = "2026-08-30"


class Cost(NamedTuple):
    """CPU seconds and peak megabytes of one process."""

    seconds: float
    megabytes: float


class Figure(NamedTuple):
    """One line of the table."""

    size: int
    name: str
    seconds: float
    megabytes: float


def main() -> int:
    """Measure and print; 1 where a budget is broken."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, metavar="SIZE")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="where the vaults are kept")
    parser.add_argument("--planted", action="store_true", help="near-duplicates among the notes")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        figures = [figure for size in given.sizes for figure in measure(folder, size, given.runs, given.planted)]
    if given.json:
        print(json.dumps([figure._asdict() for figure in figures], indent=2))
    else:
        print_table(figures)
    return int(bool(broken(figures)))


def measure(folder: Path, size: int, runs: int, planted: bool) -> Iterator[Figure]:
    """The figures of one vault."""
    root = folder / f"notes-{size}{'-planted' if planted else ''}"
    if not root.exists():
        write_vault(root, size)
        if planted:
            plant(root, size)
    workspace = Workspace.open(str(root), environ={"MEMTEND_NOW": NOW})
    index = workspace.index()
    yield from parts(workspace, size)
    index.write("delete from signatures", [()])
    index.write("delete from likenesses", [()])
    index.close()
    yield Figure(size, "first report, signatures made", *process(root))
    for name, flags in (("report", ()), ("report --json", ("--json",))):
        costs = [process(root, *flags) for _ in range(runs)]
        seconds = statistics.median(cost.seconds for cost in costs)
        yield Figure(size, name, seconds, max(cost.megabytes for cost in costs))


def plant(root: Path, size: int) -> None:
    """Copies of some notes with a word in twenty changed."""
    for number in range(0, size, 100):
        text = (root / f"10-Memories/MEM-{number:06}.md").read_text(encoding="utf-8")
        head, _, body = text.partition("\n# ")
        words = body.split(" ")
        words[10::20] = [f"{word}x" for word in words[10::20]]
        (root / f"10-Memories/MEM-{number:06}-copy.md").write_text(f"{head}\n# {' '.join(words)}", encoding="utf-8")


def parts(workspace: Workspace, size: int) -> Iterator[Figure]:
    """What the parts of a report take inside one process."""
    clock = [time.process_time()]

    def took(name: str) -> Figure:
        clock.append(time.process_time())
        return Figure(size, f"  {name}", clock[-1] - clock[-2], 0.0)

    index = workspace.index()
    yield took("is the index up to date?")
    columns = Columns.of_table(catalogue.columns(index), {})
    yield took("columns")
    scores(columns, date.fromisoformat(NOW))
    yield took("scores with the largest overlap of each")
    best(columns.keywords, columns.clusters())
    yield took("largest overlap within clusters")
    pairs(columns.keywords, columns.clusters(), 0.6, limit=20 * size)
    yield took("pairs of 60 % within clusters")
    likenesses = Likenesses(index, columns)
    likenesses.signatures()
    clock.append(time.process_time())
    likenesses.near()
    yield took("near-duplicate texts, signatures at hand")


def process(root: Path, *flags: str) -> Cost:
    """What one report costs, as a process."""
    command = [sys.executable, "-m", "memtend", "distill", "report", "--dry-run", "--vault", str(root), *flags]
    child = os.posix_spawn(
        command[0],
        command,
        {**os.environ, "MEMTEND_NOW": NOW},
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {status}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def broken(figures: Sequence[Figure]) -> list[str]:
    """The budgets that do not hold."""
    found: list[str] = []
    reports = {figure.size: figure for figure in figures if figure.name == "report"}
    for size, figure in reports.items():
        seconds, megabytes = BUDGETS.get(size, (0.0, 0.0))
        if seconds and figure.seconds > seconds:
            found.append(f"{size}: {figure.seconds:.2f} s, budget {seconds} s")
        if megabytes and figure.megabytes > megabytes:
            found.append(f"{size}: {figure.megabytes:.0f} MB, budget {megabytes:.0f} MB")
    sizes = sorted(reports)
    for small, large in pairwise(sizes):
        allowed = large * log(large) / (small * log(small)) * SLACK
        grown = reports[large].seconds / reports[small].seconds
        if grown > allowed:
            found.append(f"{small} to {large}: {grown:.1f} times, allowed {allowed:.1f}")
    return found


def print_table(figures: Sequence[Figure]) -> None:
    """The figures, and what they say of the budgets."""
    for figure in figures:
        memory = f"{figure.megabytes:7.0f} MB" if figure.megabytes else ""
        print(f"{figure.size:>8}  {figure.name:<45} {figure.seconds:7.3f} s {memory}")
    for line in broken(figures) or ["all budgets hold"]:
        print(line)


if __name__ == "__main__":
    sys.exit(main())
