"""Makes the table of related words that widens questions, `src/memtend/search/thesaurus.table`, of `tools/thesaurus/`.

    python tools/thesaurus.py [--check]

A line is `= term, term` (either finds the other), `> general: specific, specific` (who asks for the general means the
specific, too), `# heading` or empty. A term is one to four words in lower case. Stems are cut as the index cuts them,
by SQLite's own stemmer. `--check` writes nothing and says whether the table is as it would be made.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import apsw

from memtend.search.index import TOKENIZER
from memtend.search.related import PATH, sequence
from memtend.search.words import FILLERS, units

SOURCES = Path(__file__).parent / "thesaurus"
_MOST_WORDS = 4


class BadLine(ValueError):
    """A line that is no entry."""


def pairs(line: str) -> Iterator[tuple[str, str]]:
    """What an entry says: each term with one that is related to it. Raises BadLine."""
    if not line.strip() or line.startswith("#"):
        return
    kind, entry = line[:2], line[2:]
    general, colon, specific = entry.partition(":") if kind == "> " else ("", "", entry)
    terms = [term.strip() for term in specific.split(",")]
    wanted = [general.strip(), *terms] if colon else terms
    if kind not in ("= ", "> ") or (kind == "> " and not colon) or not all(map(_is_term, wanted)):
        raise BadLine(line)
    if colon:
        yield from ((general.strip(), term) for term in terms)
    else:
        yield from ((one, other) for one in terms for other in terms if one != other)


def _is_term(term: str) -> bool:
    return 0 < len(sequence(term)) <= _MOST_WORDS and term == term.lower() and not set("=|\t~") & set(term)


def table(lines: Sequence[str]) -> bytes:
    """The table of some entries."""
    stemmer = apsw.Connection(":memory:").fts5_tokenizer("porter", TOKENIZER)

    def stem(word: str) -> str:
        found = stemmer(word.encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False)
        return " ".join(str(token[0]) for token in found)

    found: dict[str, dict[str, dict[str, None]]] = {}
    for line in lines:
        for term, other in pairs(line):
            if related := _sought(other):
                first, rest = _key(sequence(term), stem)
                found.setdefault(first, {}).setdefault(rest, {})[related] = None
    return b"".join(sorted(_line(first, terms).encode() for first, terms in found.items()))


def _key(words: Sequence[str], stem: Callable[[str], str]) -> tuple[str, str]:
    """Where a term is kept: under its first word, of two that say something under the one that sorts first."""
    stems = list(map(stem, words))
    if len(words) == 2 and FILLERS.isdisjoint(words):
        first, rest = sorted(stems)
        return first, f"~{rest}"
    return stems[0], " ".join(stems[1:])


def _sought(term: str) -> str:
    """A term as it is looked for in the index; nothing where of several words one is left."""
    words = [word for unit in units(term) for word in unit.words or (unit.whole,)]
    return " ".join(words) if len(words) > 1 or len(sequence(term)) == 1 else ""


def _line(first: str, terms: dict[str, dict[str, None]]) -> str:
    fields = (f"{rest}={'|'.join(sorted(related))}" for rest, related in sorted(terms.items()))
    return "\t".join((first, *fields)) + "\n"


def main() -> int:
    """Write the table, or say whether it is what it would be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the table would change")
    options = parser.parse_args()
    lines = [line for path in sorted(SOURCES.glob("*.txt")) for line in path.read_text(encoding="utf-8").split("\n")]
    made, path = table(lines), Path(PATH)
    if options.check:
        return 0 if path.read_bytes() == made else print("thesaurus.table is out of date: make thesaurus") or 1
    path.write_bytes(made)
    print(f"{len(lines)} lines, {len(made)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
