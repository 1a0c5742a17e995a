"""How well near-duplicates are told from texts that only share words: F1 on pairs of sentences with given labels.

    python benchmarks/near_duplicates.py DATA [--json]

DATA holds `mrpc/msr_paraphrase_train.txt`, tab-separated with a heading: label (1 is a paraphrase), two ids, two
sentences. The limit over which a pair is called a duplicate is chosen on the pairs of odd lines, the figures are those
of the even ones: precision, recall and their harmonic mean F1. `same` is `memtend.text.sameness`, whose weights were
fitted on the odd lines too; `text` is `memtend.text.similarity`; `meaning` the cosine of the built-in vectors; `both`
the mean of `same` and `meaning`; `tokens` the Jaccard index of the words, for comparison; `all` calls every pair a
duplicate.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from memtend.search.wordtable import WordTable
from memtend.text import sameness, similarity, words
from sets import file_of


class Pair(NamedTuple):
    """Two sentences, and whether they say the same."""

    is_same: bool
    ours: str
    theirs: str


def pairs(path: Path) -> list[Pair]:
    """The labelled pairs of the file."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8-sig").splitlines()[1:]]
    return [Pair(row[0] == "1", row[3], row[4]) for row in rows if len(row) >= 5]


def nearness(table: WordTable, ours: str, theirs: str) -> float:
    """The cosine of two texts' vectors."""
    one, other = table.vector(ours), table.vector(theirs)
    lengths = (sum(n * n for n in one) * sum(n * n for n in other)) ** 0.5
    return sum(a * b for a, b in zip(one, other, strict=False)) / lengths if lengths else 0.0


def tokens(ours: str, theirs: str) -> float:
    """The share of words that both have, of those that any has."""
    one, other = set(words(ours)), set(words(theirs))
    return len(one & other) / len(one | other) if one | other else 0.0


def f1(scores: Sequence[float], labels: Sequence[bool], limit: float) -> tuple[float, float, float]:
    """Precision, recall and F1 at a limit."""
    called = [score >= limit for score in scores]
    right = sum(c and label for c, label in zip(called, labels, strict=True))
    precision, recall = right / max(1, sum(called)), right / max(1, sum(labels))
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def measure(found: Sequence[Pair], score: Callable[[str, str], float]) -> dict[str, float]:
    """The figures of the even pairs at the limit that is best for the odd ones."""
    scores = [score(pair.ours, pair.theirs) for pair in found]
    labels = [pair.is_same for pair in found]
    limits = [place / 100 for place in range(100)]
    limit = max(limits, key=lambda limit: f1(scores[::2], labels[::2], limit)[2])
    precision, recall, balanced = f1(scores[1::2], labels[1::2], limit)
    return {"limit": limit, "precision": precision, "recall": recall, "F1": balanced}


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    found, table = pairs(file_of(given.data, "mrpc/msr_paraphrase_train.txt")), WordTable()
    scorers: dict[str, Callable[[str, str], float]] = {
        "same": sameness,
        "text": similarity,
        "meaning": lambda ours, theirs: nearness(table, ours, theirs),
        "both": lambda ours, theirs: (sameness(ours, theirs) + nearness(table, ours, theirs)) / 2,
        "tokens": tokens,
        "all": lambda _ours, _theirs: 1.0,
    }
    result = {name: measure(found, score) for name, score in scorers.items()}
    if given.json:
        print(json.dumps(result, indent=2))
        return 0
    print(f"{'':10}" + "".join(f"{name:>11}" for name in ("limit", "precision", "recall", "F1")))
    for name, row in result.items():
        print(f"{name:10}" + "".join(f"{value:11.3f}" for value in row.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
