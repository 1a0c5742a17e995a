"""What a hook at every prompt costs, what first indexing a large vault costs, and what learning into one costs.

    python benchmarks/speed.py [--runs 15] [--large 10000] [--larger 100000 1000000] [--json]

Every figure is the CPU time (user and system) of a whole process, the median of several runs taken in turn with
bare Python, so that a busy machine disturbs all alike; a limit in times of bare Python counts from that median. Peak
memory comes from the same place. Warm figures are per call inside one process. A question of plain words is answered
by words and meaning, one code name by words alone. What is `--larger` is indexed once. Exit status 1 where a limit
is broken.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from generate import Notes, write_vault

SMALL = 1_000
_HERE = str(Path(__file__).parent)
_COMMAND = str(Path(sys.executable).with_name("memtend"))
_OPEN = "import sys; from memtend.workspace import Workspace; Workspace.open(sys.argv[1]).index()"
_WITHOUT_MEANING = """
from memtend.search.wordtable import WordTable
def missing(*_, **__): raise OSError
WordTable.__init__ = missing
"""
_NAME = re.compile(r"`(\w+_\w+)\(\)`")
_WARM_LIMITS = {1_000: 0.002, 10_000: 0.004, 100_000: 0.012, 1_000_000: 0.080}
_NEIGHBOURS_LIMITS = {10_000: 0.0015}
_MOST_SHARE = 1.5
_MOST_MEGABYTES = {100_000: 200.0}
"""Peak of a first index."""
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
    spent = []
    for item in items:
        start = time.process_time()
        ask(index, item)
        spent.append(time.process_time() - start)
    return sorted(spent)[len(spent) // 2]
for question in questions[:50]:
    search(index, question)
print(json.dumps([timed(search, questions[50:]), timed(neighbours, texts)]))
"""


class Cost(NamedTuple):
    """CPU seconds and peak megabytes of one process."""

    seconds: float
    megabytes: float


class Figure(NamedTuple):
    """One line of the table. `limit` is what `seconds` may be at most, `most_megabytes` the peak; 0 for no limit."""

    name: str
    seconds: float
    megabytes: float = 0.0
    limit: float = 0.0
    most_megabytes: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether the limits hold, if there are any."""
        is_small = not self.most_megabytes or self.megabytes <= self.most_megabytes
        return is_small and (not self.limit or self.seconds <= self.limit)

    def to_json(self) -> dict[str, object]:
        """The line for a program."""
        return {**self._asdict(), "holds": self.holds}


def main() -> int:
    """Measure and print; 1 where a limit is broken."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=15, help="processes a figure (long ones: a fifth, 3 at least)")
    parser.add_argument("--large", type=int, default=10_000, help="notes of the large vault")
    parser.add_argument(
        "--larger", type=int, nargs="*", default=[], metavar="N", help="vaults of N notes too; a million: 7 GB, an hour"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures, share = measure(Path(folder), given.runs, given.large)
        shares = {given.large: share}
        for count in given.larger:
            more, shares[count] = measure_larger(Path(folder) / str(count) / ".memory", count)
            figures += more
    if given.json:
        print(json.dumps({"figures": [figure.to_json() for figure in figures], "index_shares": shares}, indent=2))
    else:
        print_table(figures)
        for count, share in shares.items():
            print(f"index / text, {count}: {share:.2f}, limit {_MOST_SHARE}")
    return int(not all(figure.holds for figure in figures) or max(shares.values()) > _MOST_SHARE)


def measure(folder: Path, runs: int, large_count: int) -> tuple[list[Figure], float]:
    """All figures, on vaults made in `folder`, and how large the large one's first index is as a share of its text."""
    small, large = folder / "small" / ".memory", folder / "large" / ".memory"
    notes = write_vault(small, SMALL)
    write_vault(large, large_count)
    few = max(3, runs // 5)
    indexing = first_index(large, few, large_count)
    opening = [sys.executable, "-c", _OPEN]
    settle([*opening, str(small)], [*opening, str(large)])
    share = share_of_text(large)
    asked = asking(small, large, notes, runs)
    learned = learning(folder, small, large, few)
    return [*asked, *indexing, *learned, *warm(small, SMALL), *warm(large, large_count)], share


def measure_larger(vault: Path, count: int) -> tuple[list[Figure], float]:
    """The first index of a vault that is made for it, its share of the text, opening it again, and warm figures."""
    write_vault(vault, count)
    opening = [sys.executable, "-c", _OPEN, str(vault)]
    first = cost(opening)
    share = share_of_text(vault)
    settle(opening)
    figures = [
        Figure(f"first index, {count}", *first, count * 0.001, _MOST_MEGABYTES.get(count, 0.0)),
        Figure(f"open, {count}", *cost(opening)),
        *warm(vault, count),
    ]
    return figures, share


def share_of_text(vault: Path) -> float:
    """How large the index of a vault is, as a share of its files."""
    text = sum(path.stat().st_size for path in vault.glob("10-Memories/*.md"))
    return (vault / ".memtend" / "index.db").stat().st_size / text


def first_index(vault: Path, runs: int, count: int) -> list[Figure]:
    """The first index, with and without vectors: at most 1 ms and 0.6 ms a note."""
    whole, lexical = in_turn(
        runs,
        lambda: cost([sys.executable, "-c", _OPEN, str(vault)], before=lambda: forget(vault)),
        lambda: cost([sys.executable, "-c", _WITHOUT_MEANING + _OPEN, str(vault)], before=lambda: forget(vault)),
    )
    forget(vault)
    return [
        Figure(f"first index, {count} of 150 words", *whole, count * 0.001),
        Figure("the same without vectors", *lexical, count * 0.0006),
    ]


def asking(small: Path, large: Path, notes: Notes, runs: int) -> list[Figure]:
    """Bare Python, and what questions to vaults cost that have not changed."""
    questions = iter([notes.question() for _ in range(2 * runs)])
    names = iter(names_in(notes, runs))
    bare, by_words, by_both, found, opened = in_turn(
        runs,
        lambda: cost([sys.executable, "-c", "pass"]),
        lambda: cost([_COMMAND, "recall", next(names), "--vault", str(small)]),
        lambda: cost([_COMMAND, "recall", next(questions), "--vault", str(small)]),
        lambda: cost([_COMMAND, "search", next(questions), "--vault", str(small)]),
        lambda: cost([sys.executable, "-c", _OPEN, str(large)]),
    )
    count = len(list(large.glob("10-Memories/*.md")))
    return [
        Figure("bare Python", *bare),
        Figure(f"recall by words, {SMALL}", *by_words, 2.5 * bare.seconds),
        Figure(f"recall by words and meaning, {SMALL}", *by_both, 4 * bare.seconds),
        Figure(f"search, {SMALL}", *found),
        Figure(f"open, {count}", *opened, bare.seconds + 0.25 * count / 10_000),
    ]


def names_in(notes: Notes, count: int) -> list[str]:
    """Code names that notes like these hold."""
    found: list[str] = []
    while len(found) < count:
        found += _NAME.findall(notes.text(1))
    return found[:count]


def learning(folder: Path, small: Path, large: Path, runs: int) -> list[Figure]:
    """A megabyte planned into the large vault, and a short note learned into the small one."""
    document, note = folder / "document.md", folder / "note.md"
    other = Notes(2)
    sections = [f"## Part {number}\n\n{other.body(150)}\n\n" for number in range(1_000)]
    document.write_text("# Made up\n\n" + "".join(sections), encoding="utf-8", newline="\n")

    def another() -> None:
        note.write_text(f"# Of its own\n\n{other.body(60)}\n", encoding="utf-8", newline="\n")

    planned, learned = in_turn(
        runs,
        lambda: cost([_COMMAND, "learn", str(document), "--dry-run", "--vault", str(large)]),
        lambda: cost([_COMMAND, "learn", str(note), "--yes", "--vault", str(small)], before=another),
    )
    size = document.stat().st_size / 1_000_000
    return [
        Figure(f"plan to learn {size:.1f} MB, large vault", *planned, 3.0 * size),
        Figure(f"learn a note, {SMALL}", *learned),
    ]


def cost(command: Sequence[str], before: Callable[[], None] = lambda: None) -> Cost:
    """What one process costs."""
    before()
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    silent = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    process = os.posix_spawn(command[0], list(command), environ, file_actions=silent)
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


def warm(vault: Path, count: int) -> list[Figure]:
    """One search by words and meaning, and one look for neighbours, in a process that goes on: the median of many."""
    out, told = os.pipe()
    actions = [(os.POSIX_SPAWN_DUP2, told, 1)]
    process = os.posix_spawn(
        sys.executable, [sys.executable, "-c", _WARM, str(vault), _HERE], os.environ, file_actions=actions
    )
    os.close(told)
    with os.fdopen(out) as answer:
        searched, near = json.load(answer)
    os.waitpid(process, 0)
    return [
        Figure(f"one more search, {count}", searched, limit=_WARM_LIMITS.get(count, 0.0)),
        Figure(f"neighbours of a text, {count}", near, limit=_NEIGHBOURS_LIMITS.get(count, 0.0)),
    ]


def print_table(figures: Sequence[Figure]) -> None:
    """One line a figure with its limit and whether that holds; times in milliseconds."""
    bare = figures[0].seconds
    print(f"{'':36}{'CPU ms':>9}{'× bare':>8}{'peak MB':>9}{'limit ms':>10}{'× bare':>8}{'MB':>6}")
    for figure in figures:
        peak = f"{figure.megabytes:9.1f}" if figure.megabytes else " " * 9
        limit = f"{figure.limit * 1000:10.1f}{figure.limit / bare:8.2f}" if figure.limit else ""
        limit += f"{figure.most_megabytes:6.0f}" if figure.most_megabytes else ""
        verdict = ("  holds" if figure.holds else "  BROKEN") if limit else ""
        print(f"{figure.name:36}{figure.seconds * 1000:9.1f}{figure.seconds / bare:8.2f}{peak}{limit}{verdict}")


if __name__ == "__main__":
    sys.exit(main())
