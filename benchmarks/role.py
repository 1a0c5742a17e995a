"""How long everyday commands on a role of 5,000 learnings take, as whole processes.

    python benchmarks/role.py [--learnings 5000] [--runs 11] [--check]

Figures are milliseconds of processor time beyond what starting Python costs: a bare `python -c pass` is measured
between the runs and taken off. The lowest of the runs is the cost on an idle machine, the median what a busy one
makes of it. `--check` fails where the lowest is over the limit of 150 ms.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from compileall import compile_dir
from itertools import count
from pathlib import Path
from statistics import median

import memtend
from generate import Notes
from memtend.change import ChangeSet, FileEdit
from memtend.layouts.role import grammar, header, placing
from memtend.layouts.role.bullet import NO_META, Item, Meta
from memtend.layouts.role.headings import Name
from memtend.layouts.role.ids import tier_of
from memtend.memory import digest_of
from memtend.workspace.role.roles import Roles

LIMIT_MS = 150


def filled(root: Path, learnings: int) -> None:
    """A role `zero` with many learnings, two of three with metadata; few used often, most rarely."""
    notes = Notes(7)
    page = header.new_page("zero", "2026-06-30")
    texts = dict.fromkeys(f"{notes.question(4)} {number}".capitalize() for number in range(learnings))
    for number, text in enumerate(texts):
        times = max(0, 9 - (number * 7919 % 97) // 8)
        seen = f"2026-0{1 + number % 6}-1{number % 9}"
        meta = Meta(("style", f"tag{number % 40}"), "auto", seen) if number % 3 else NO_META
        home = placing.section_of(page, Name(tier_of(times)))
        home.parts.append(Item(text, times, meta))
    data = grammar.render(placing.laid_out(page))
    workspace, _ = Roles(root).create("zero")
    path = "memory/consolidated.md"
    before = digest_of((workspace.root / path).read_bytes())
    workspace.store.apply(ChangeSet((), (FileEdit(path, before, data),)), now=workspace.now, commit=False)


def processor_ms(words: list[str]) -> float:
    """Processor time of one process and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def commands(root: Path) -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """What is measured, by name."""
    role = [str(Path(sys.executable).with_name("memtend")), "role"]
    where = ["--roles", str(root), "--role", "zero"]
    number = count(1)
    yield "list", lambda: [*role, "list", *where]
    yield "list --json", lambda: [*role, "list", *where, "--json"]
    yield "search, looking", lambda: [*role, "search", "the style of a release", "--no-reinforce", *where]
    yield "search", lambda: [*role, "search", f"lesson {next(number)} of the benchmark", *where]
    yield "add_learning", lambda: [*role, "add_learning", f"lesson {next(number)} of the benchmark", *where]
    yield "inject", lambda: [*role, "inject", *where, "--query", "release"]


def measured(make: Callable[[], list[str]], runs: int) -> tuple[float, float]:
    """Lowest and median of some runs, the start of Python taken off."""
    empty = [sys.executable, "-c", "pass"]
    processor_ms(make())
    pairs = [(processor_ms(make()), processor_ms(empty)) for _ in range(runs)]
    start = min(bare for _, bare in pairs)
    return min(whole for whole, _ in pairs) - start, median(whole for whole, _ in pairs) - start


def main() -> int:
    """Print a table; status 1 where `--check` was asked for and a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learnings", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    compile_dir(str(Path(memtend.__file__).parent), quiet=1)
    slow = []
    with tempfile.TemporaryDirectory() as folder:
        filled(Path(folder), given.learnings)
        print(f"{given.learnings} learnings, {given.runs} runs, ms of processor time beyond Python's start")
        for name, make in commands(Path(folder)):
            lowest, middle = measured(make, given.runs)
            print(f"  {name:<16} lowest {lowest:6.1f}   median {middle:6.1f}")
            slow += [name] if lowest > LIMIT_MS else []
    if slow:
        print(f"over {LIMIT_MS} ms: {', '.join(slow)}")
    return 1 if slow and given.check else 0


if __name__ == "__main__":
    sys.exit(main())
