"""Words of any script, sentences, and how much of a text there is.

A word is what a person would search for: `foo.bar_baz()`, `camelCase`, `--flag`, `main.py`, `E0277`, `C++` and
`multi-agent` are one word each; `parts` takes one apart. Scripts that write no spaces between words (Chinese,
Japanese, Korean, Thai, Lao, Khmer, Burmese) give overlapping pairs of characters.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from memtend.text.unspaced import UNSPACED, is_unspaced, pairs

# Vowel signs and accents that `\w` leaves out, although words of Indic, Hebrew and Arabic script contain them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0971-\u0df3\u0f18-\u0fbc"
    "\u200c\u200d"
)
_EMOJI = "\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_FLAG = r"(?<![^\s`\"'(\[|=,])--?"
_PATH_START = r"(?:(?<![\w.)])(?:~?/\.?|\.{1,2}/|[.@$]))?"
_JOINT = r"(?:[.\-/@\\'’+:]|::|->|/\.|://)"
_TAIL = r"(?:\+\+|\#(?!\w))?(?:\(\))?"
_LETTER = rf"(?:[^\W{UNSPACED}]|[{_MARKS}])"

UNICODE_WORD = (
    rf"[{UNSPACED}]+|{_FLAG}[^\W\d{UNSPACED}][\w-]*|{_PATH_START}{_LETTER}+(?:{_JOINT}{_LETTER}+)*{_TAIL}"
    rf"|[{_EMOJI}](?:[\ufe0f\u200d\U0001f3fb-\U0001f3ff]+[{_EMOJI}]?)*"
)
"""Pattern of a word in text that is NFKC. `ASCII_WORD` finds the same in ASCII text, several times faster."""
ASCII_WORD = rf"{_FLAG}[A-Za-z_][\w-]*|{_PATH_START}\w+(?:{_JOINT}\w+)*{_TAIL}"
_UNICODE_WORD = re.compile(UNICODE_WORD)
_ASCII_WORD = re.compile(ASCII_WORD, re.ASCII)
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]+")
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")


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
    for token in _UNICODE_WORD.findall(folded.replace("’", "'")):
        found.extend(pairs(token) if is_unspaced(token) else (token,))
    return found


@lru_cache(maxsize=8192)
def parts(word: str) -> tuple[str, ...]:
    """The folded parts of a compound word as written: `fooBar.baz_qux()` gives foo, bar, baz, qux.

    Empty for a word that is its only part. Letters and digits stay together (`E0277`, `utf8`).
    """
    found: list[str] = []
    for part in _PART.findall(word.removesuffix("'s")):
        found.extend(_HUMP.findall(part) if part.isascii() and not part.islower() else (part,))
    folded = tuple([fold(part) for part in found])
    return () if len(folded) == 1 and (len(folded[0]) < 2 or folded[0] == fold(word)) else folded


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
_MARKER = re.compile(r"\s*(?:(#{1,6}\s+|\|)|(?:>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)+)")
_RULE = re.compile(r"(?:[-=*_]\s*){3,}$|[|:\s-]+$")
_STOP = re.compile(r"(?<=[.!?…؟।])(?:[\"'”’»)\]*_`]*)\s+(?=[^a-z\s])|(?<=[。！？])")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|z\.\s?B|d\.\s?h|bzw|ca|Dr|Mr|Mrs|Ms|Prof|St|Nr|No|Fig|p|\w)\.$"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, Markdown markers left out; list items, table rows and code lines stand alone."""
    return [sentence for paragraph in _paragraphs(text) if paragraph for sentence in _split(paragraph)]


def _paragraphs(text: str) -> Iterator[str]:
    """Lines that belong together, joined, without their markers."""
    held: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        is_plain = not (fence or mark or _RULE.match(line.strip()) or not line.strip())
        marker = _MARKER.match(line) if is_plain else None
        if held and (marker or not is_plain):
            yield " ".join(held)
            held.clear()
        if marker and marker[1]:
            yield line[marker.end() :].strip(" |#\t\r\f\v")
        elif is_plain:
            held.append(line[marker.end() if marker else 0 :].strip())
        elif fence and not line.strip().startswith(fence):
            yield line.strip()
        elif fence or mark:
            fence = "" if fence else (mark[1] if mark else "")
    if held:
        yield " ".join(held)


def _split(paragraph: str) -> Iterator[str]:
    start = 0
    for stop in _STOP.finditer(paragraph):
        if not _ABBREVIATION.search(paragraph[max(start, stop.start() - 12) : stop.start()]):
            yield paragraph[start : stop.end()].strip()
            start = stop.end()
    if rest := paragraph[start:].strip():
        yield rest


def first_line(text: str) -> str:
    """The first line that says something, without Markdown markers; empty where none does."""
    return next((paragraph for line in text.splitlines() for paragraph in _paragraphs(line) if paragraph), "")
