"""Where running text is cut, against the places where other texts really begin, and what it costs.

    python benchmarks/segmentation.py DATA [--json]

DATA holds `choi/choi-200.zip`: documents put together from pieces of others, parted by lines of equal signs, one
sentence a line; how many pieces there are is not told. Measures are Pk (Beeferman, 1999) and WindowDiff (Pevzner
and Hearst, 2002), with a window of half the mean length of the true pieces; lower is better. The constants of
`memtend.learn.cohesion` were fitted on every second document of each kind, starting with the first; the other
half is the honest one.
"""

import argparse
import json
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

from memtend.learn.acquire import Acquired, Document
from memtend.learn.cohesion import cuts, regardless_of_size
from memtend.learn.segment import segment
from memtend.learn.sizes import size_tokens
from sets import file_of

Segmenter = Callable[[Sequence[str]], list[int]]
"""Sentences to the lengths of the segments."""


class Pieces(NamedTuple):
    """A document of the set: its sentences, and how many of them each true piece has."""

    kind: str
    sentences: list[str]
    lengths: list[int]


class Scores(NamedTuple):
    """Means over documents."""

    pk: float
    window_diff: float
    ratio: float
    """Found segments for a true one."""


def read(archive: Path) -> list[Pieces]:
    """The documents of the set, by name."""
    found: list[Pieces] = []
    with zipfile.ZipFile(archive) as files:
        for name in sorted(name for name in files.namelist() if name.endswith(".ref")):
            text = files.read(name).decode("latin-1")
            parts = [[line for line in part.split("\n") if line.strip()] for part in text.split("==========")]
            parts = [part for part in parts if part]
            found.append(Pieces(name.split("/")[-2], [line for part in parts for line in part], list(map(len, parts))))
    return found


def by_subject(sentences: Sequence[str]) -> list[int]:
    """The cuts that the subject alone asks for."""
    return cuts(sentences, [size_tokens(sentence) for sentence in sentences], regardless_of_size)


def as_learned(sentences: Sequence[str]) -> list[int]:
    """The cuts of `learn` in a text file: by subject, and between 100 and 800 tokens."""
    document = Document("a.txt", "\n".join(sentences), "prose")
    return [item.end_line - item.start_line + 1 for item in segment(Acquired("file", "a.txt", (document,))).segments]


def evenly(sentences: Sequence[str]) -> list[int]:
    """Ten segments of equal length: right about the number, blind to the text."""
    borders = [round(len(sentences) * n / 10) for n in range(11)]
    return [end - start for start, end in pairwise(borders)]


def nowhere(sentences: Sequence[str]) -> list[int]:
    """One segment."""
    return [len(sentences)]


SEGMENTERS: dict[str, Segmenter] = {
    "as learned": as_learned,
    "by subject": by_subject,
    "evenly in ten": evenly,
    "not at all": nowhere,
}


def errors(true: Sequence[int], found: Sequence[int]) -> Scores:
    """Pk and WindowDiff of one document."""
    size = sum(true)
    window = max(2, round(size / len(true) / 2))
    ours, theirs = _numbers(true), _numbers(found)
    pairs = [(ours[i + window] - ours[i], theirs[i + window] - theirs[i]) for i in range(size - window)]
    apart = sum((a == 0) != (b == 0) for a, b in pairs)
    different = sum(a != b for a, b in pairs)
    return Scores(apart / len(pairs), different / len(pairs), len(found) / len(true))


def _numbers(lengths: Sequence[int]) -> list[int]:
    """For each sentence the number of its segment."""
    starts = set(accumulate(lengths[:-1]))
    return list(accumulate(int(i in starts) for i in range(sum(lengths))))


def mean(found: Sequence[Scores]) -> Scores:
    """The mean of each column."""
    return Scores(*(sum(column) / len(found) for column in zip(*found, strict=True)))


def measure(documents: Sequence[Pieces], segmenter: Segmenter) -> dict[str, Scores]:
    """Scores by kind of document, and over all."""
    scored = [(document.kind, errors(document.lengths, segmenter(document.sentences))) for document in documents]
    kinds = sorted({kind for kind, _ in scored})
    table = {kind: mean([score for of, score in scored if of == kind]) for kind in kinds}
    return table | {"all": mean([score for _, score in scored])}


def main() -> int:
    """Print the table, or the same as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    documents = read(file_of(options.data, "choi/choi-200.zip"))
    halves = {"held out": documents[1::2], "fitted": documents[0::2]}
    began = time.process_time()
    for document in documents:
        as_learned(document.sentences)
    cost = (time.process_time() - began) / len(documents)
    results = {
        half: {name: measure(chosen, segmenter) for name, segmenter in SEGMENTERS.items()}
        for half, chosen in halves.items()
    }
    if options.json:
        shown = {
            half: {name: {kind: score._asdict() for kind, score in table.items()} for name, table in tables.items()}
            for half, tables in results.items()
        }
        print(json.dumps({"documents": len(documents), "cpu_seconds_a_document": cost, **shown}, indent=2))
        return 0
    for half, tables in results.items():
        print(f"{half} ({len(halves[half])} documents): Pk / WindowDiff / segments found for a true one")
        for name, table in tables.items():
            cells = "  ".join(f"{kind} {s.pk:.3f} {s.window_diff:.3f} {s.ratio:.2f}" for kind, s in table.items())
            print(f"  {name:14} {cells}")
    print(f"{cost * 1000:.1f} ms of CPU a document, key terms and titles included")
    return 0


if __name__ == "__main__":
    sys.exit(main())
