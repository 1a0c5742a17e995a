"""Words of any script, sentences, and how much of a text there is.

A word is what a person would search for: `foo.bar_baz()`, `camelCase`, `--flag`, `main.py`, `E0277`, `C++` and
`multi-agent` are one word each; `parts` takes one apart. Scripts that write no spaces between words (Chinese,
Japanese, Korean, Thai, Lao, Khmer, Burmese) give overlapping pairs of characters.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

# Letters of scripts without spaces between words. Hangul has spaces, but its particles cling to the word.
_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\U00020000-\U0003ffff"
)
_SOUTH_EAST = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ecd\u1000-\u103f\u1050-\u1099\u1780-\u17d3"
UNSPACED = _CJK + _SOUTH_EAST
# Vowel signs and accents that `\w` leaves out, although words of Indic, Hebrew and Arabic script contain them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0971-\u0df3\u0f18-\u0fbc\u200c\u200d"
)
_EMOJI = "\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_LETTER = rf"(?:[^\W{UNSPACED}]|[{_MARKS}])"

_UNICODE_WORD = re.compile(
    rf"[{UNSPACED}]+"
    rf"|(?<![\w-])--?[^\W\d{UNSPACED}][\w-]*"
    rf"|\.?{_LETTER}+(?:(?:[.\-/@\\'’+]|::|->)+{_LETTER}+)*(?:\+\+|\#(?!\w))?(?:\(\))?"
    rf"|[{_EMOJI}](?:[\ufe0f\u200d\U0001f3fb-\U0001f3ff]+[{_EMOJI}]?)*"
)
_ASCII_WORD = re.compile(
    r"(?<![\w-])--?[A-Za-z_][\w-]*|\.?\w+(?:(?:[.\-/@\\'+]|::|->)+\w+)*(?:\+\+|\#(?!\w))?(?:\(\))?", re.ASCII
)
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+")
_UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")
_CLUSTER = re.compile(
    rf"[\u0e40-\u0e44\u0ec0-\u0ec4]?.[{_MARKS}\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u17b4-\u17d3\u3099\u309a]*"
)
_PART = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z]+")


def fold(text: str) -> str:
    """The form in which texts are compared: NFKC (`ｱ` equals `ア`), case folded, NFKC again where that undid it."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def tokens(text: str) -> list[str]:
    """The words of a text as written, runs of unspaced script whole. `text` should be NFKC."""
    return (_ASCII_WORD if text.isascii() else _UNICODE_WORD).findall(text)


def words(text: str) -> list[str]:
    """The folded words of a text in order, identifiers whole, unspaced scripts as pairs of characters."""
    folded = fold(text)
    if folded.isascii():
        return _ASCII_WORD.findall(folded)
    found: list[str] = []
    for token in _UNICODE_WORD.findall(folded):
        if token.isascii() or not _UNSPACED_LETTER.match(token):
            found.append(token)
        else:
            found.extend(pairs(token))
    return found


def pairs(run: str) -> list[str]:
    """The overlapping pairs of characters (with their marks) of a run of unspaced script."""
    clusters = list(run) if not _UNSPACED_MARKED.search(run) else _CLUSTER.findall(run)
    if len(clusters) < 2:
        return [run]
    return [first + second for first, second in pairwise(clusters)]


_UNSPACED_MARKED = re.compile(f"[{_SOUTH_EAST}\u3099\u309a]")


@lru_cache(maxsize=8192)
def parts(word: str) -> tuple[str, ...]:
    """The folded parts of a compound word as written: `fooBar.baz_qux()` gives foo, bar, baz, qux.

    Empty for a word that is not compound.
    """
    pieces = [hump for part in _PART.findall(word) for hump in (_HUMP.findall(part) if not part.islower() else [part])]
    return tuple(fold(piece) for piece in pieces) if len(pieces) > 1 else ()


def is_unspaced(token: str) -> bool:
    """Whether a token is a run of a script without spaces."""
    return not token.isascii() and _UNSPACED_LETTER.match(token) is not None


def count_words(text: str) -> int:
    """Words parted by white space, as `wc -w` counts them."""
    return len(text.split())


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model makes of a text: floor(1.3 × words) (vault spec, 1).

    In scripts without spaces every character counts as a token, since they have no words to count.
    """
    if text.isascii():
        return count_words(text) * 13 // 10
    spaced, characters = _UNSPACED_RUN.subn(" ", text)
    if not characters:
        return count_words(text) * 13 // 10
    return count_words(spaced) * 13 // 10 + sum(map(len, _UNSPACED_RUN.findall(text)))


_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_BLOCK = re.compile(r"\s*(?:#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+|\|)")
_RULE = re.compile(r"\s*(?:[-=*_]\s*){3,}$|[|:\s-]+$")
_STOP = re.compile(r"(?<=[.!?…؟।])(?:[\"'”’»)\]*_`]*)\s+(?=[^a-z\s])|(?<=[。！？])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|z\.\s?B|d\.\s?h|bzw|ca|Dr|Mr|Mrs|Ms|Prof|St|Nr|No|Fig|p|\w)\.$"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, Markdown markers left out; list items, table rows and code lines stand alone."""
    return [sentence for paragraph in _paragraphs(text) for sentence in _split(paragraph)]


def _paragraphs(text: str) -> Iterator[str]:
    held: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if fence or mark or not line.strip() or _RULE.match(line):
            if held:
                yield " ".join(held)
                held = []
            if mark and (not fence or line.strip().startswith(fence)):
                fence = "" if fence else mark[1]
            elif fence and line.strip():
                yield line.strip()
            continue
        block = _BLOCK.match(line)
        if block and held:
            yield " ".join(held)
            held = []
        held.append(line[block.end() :].strip() if block else line.strip())
    if held:
        yield " ".join(held)


def _split(paragraph: str) -> Iterator[str]:
    start = 0
    for stop in _STOP.finditer(paragraph):
        sentence = paragraph[start : stop.start()]
        if not _ABBREVIATION.search(sentence):
            yield paragraph[start : stop.end()].strip()
            start = stop.end()
    if rest := paragraph[start:].strip():
        yield rest


def first_line(text: str) -> str:
    """The first line that says something, without Markdown markers; empty where none does."""
    return next((paragraph for line in text.splitlines() for paragraph in _paragraphs(line) if paragraph), "")
