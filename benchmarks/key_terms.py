"""How well key terms agree with those that people gave, and what they cost.

    python benchmarks/key_terms.py DATA [--json]

DATA holds `inspec/inspec-400.zip` (abstracts with key phrases) and `matching/memories.jsonl` (technical notes with
keywords). Phrases are compared by the Snowball stems of their words; each counts once. Of the first k terms: precision
P@k, right ones ÷ terms that were given; recall R@k, right ones ÷ phrases that people gave; F1@k, the harmonic mean of
both. Each is reckoned for a document and averaged over documents. The weights of `memtend.text.keyterms` were fitted
on every second document of both sets, starting with the first; the other half is the honest one.
"""

import argparse
import json
import re
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import snowballstemmer

from memtend.text import key_terms, terms
from sets import file_of

_WORD = re.compile(r"[a-z0-9+#]+")
_STEMMER = snowballstemmer.stemmer("english")


class Document(NamedTuple):
    """A text with the terms that a person gave it, stemmed."""

    text: str
    gold: frozenset[str]


class Scores(NamedTuple):
    """Means over documents."""

    precision: float
    recall: float
    f1: float


def stemmed(phrase: str) -> str:
    """A phrase as the stems of its words."""
    return " ".join(_STEMMER.stemWords(_WORD.findall(phrase.lower())))


def abstracts(archive: Path) -> list[Document]:
    """The abstracts of the set, by name."""
    with zipfile.ZipFile(archive) as files:
        names = sorted(name for name in files.namelist() if name.startswith("docs/"))
        return [
            Document(
                files.read(name).decode("utf-8", "replace"),
                _gold(files.read(f"keys/{Path(name).stem}.key").decode("utf-8", "replace").splitlines()),
            )
            for name in names
        ]


def notes(path: Path) -> list[Document]:
    """The notes of the set, each under its title."""
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Document(f"{note['title']}\n\n{note['body']}", _gold(note["keywords"])) for note in found]


def _gold(phrases: Sequence[str]) -> frozenset[str]:
    return frozenset(filter(None, map(stemmed, phrases)))


def scores(documents: Sequence[Document], count: int) -> Scores:
    """How the first terms agree with the given ones."""
    found = [_agreement(document, count) for document in documents]
    return Scores(*(sum(column) / len(found) for column in zip(*found, strict=True)))


def _agreement(document: Document, count: int) -> Scores:
    given = list(dict.fromkeys(filter(None, map(stemmed, terms(document.text, count)))))[:count]
    right = len(document.gold & set(given))
    precision = right / len(given) if given else 0.0
    recall = right / len(document.gold) if document.gold else 0.0
    return Scores(precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0)


def cost_ms(call: Callable[[str], object], texts: Sequence[str], per_words: int) -> float:
    """CPU milliseconds for so many words, the best of five runs."""
    words = sum(len(text.split()) for text in texts)
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for text in texts:
            call(text)
        best = min(best, time.process_time() - start)
    return 1000 * best * per_words / words


def main(arguments: Sequence[str]) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    sets = {
        "abstracts": abstracts(file_of(given.data, "inspec/inspec-400.zip")),
        "notes": notes(file_of(given.data, "matching/memories.jsonl")),
    }
    rows = {
        f"{name}, {half}": {f"@{count}": scores(documents[start::2], count)._asdict() for count in (5, 10)}
        for name, documents in sets.items()
        for half, start in (("fitted half", 0), ("other half", 1))
    }
    short = [document.text for document in sets["notes"]]
    long = ["\n\n".join(short[at : at + 9]) for at in range(0, len(short), 9)]
    cost = {"150 words": cost_ms(key_terms, short, 150), "1000 words": cost_ms(key_terms, long, 1000)}
    if given.json:
        print(json.dumps({"agreement": rows, "cpu_ms": cost}, indent=2))
        return 0
    print(f"{'':24}{'P@5':>8}{'R@5':>8}{'F1@5':>8}{'P@10':>8}{'R@10':>8}{'F1@10':>8}")
    for name, row in rows.items():
        print(f"{name:24}" + "".join(f"{value:8.3f}" for column in row.values() for value in column.values()))
    print("".join(f"\n{name}: {value:.2f} ms of CPU" for name, value in cost.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
