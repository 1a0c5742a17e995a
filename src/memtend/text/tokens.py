"""Words of any script, and how many there are.

A word is what a person would search for: `foo.bar_baz()`, `camelCase`, `--flag`, `main.py`, `E0277`, `C++` and
`multi-agent` are one word each; `parts` takes one apart. Scripts that write no spaces between words (Chinese,
Japanese, Korean, Thai, Lao, Khmer, Burmese) give overlapping pairs of characters.
"""

import re
import unicodedata
from functools import lru_cache

from memtend.text.unspaced import FIRST_UNSPACED, UNSPACED, is_unspaced, pairs, parted, without_runs

__all__ = [
    "ASCII_WORD",
    "UNICODE_WORD",
    "UNSPACED",
    "count_words",
    "estimate_tokens",
    "fold",
    "parts",
    "tokens",
    "words",
]

# Vowel signs and accents that `\w` leaves out, although words of Indic, Hebrew and Arabic script contain them.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0971-\u0df3\u0e31"
    "\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f18-\u0fbc\u102b-\u103e\u1056-\u1059\u17b4-\u17d3"
    "\u200c\u200d\u3099\u309a"
)
_EMOJI = "\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_FLAG = r"(?<![^\s`\"'(\[|=,])--?"
_PATH_START = r"(?:(?<![\w.)])(?:~?/\.?|\.{1,2}/|[.@$]))?"
_JOINT = r"(?:[.\-/@\\'’+:]|::|->|/\.|://)"
_TAIL = r"(?:\+\+|\#(?!\w))?(?:\(\))?"

UNICODE_WORD = (
    rf"{_FLAG}[^\W\d][\w-]*|{_PATH_START}[\w{_MARKS}]+(?:{_JOINT}[\w{_MARKS}]+)*{_TAIL}"
    rf"|[{_EMOJI}](?:[\ufe0f\u200d\U0001f3fb-\U0001f3ff]+[{_EMOJI}]?)*"
)
"""Pattern of a word in text that is NFKC. `ASCII_WORD` finds the same in ASCII text, several times faster."""
ASCII_WORD = rf"{_FLAG}[A-Za-z_][\w-]*|{_PATH_START}\w+(?:{_JOINT}\w+)*{_TAIL}"
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")
_WIDE_BLANKS = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""White space beyond ASCII."""
_LONG = 2_000
_LETTER_OR_BLANK = bytes([ord(" ") if sign < 0x80 and chr(sign).isspace() else ord("x") for sign in range(256)])


def fold(text: str) -> str:
    """The form in which texts are compared: NFKC (`ｱ` equals `ア`), case folded, NFKC again where that undid it."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def words(text: str) -> list[str]:
    """The folded words of a text in order, identifiers whole, unspaced scripts as pairs of characters."""
    folded = fold(text)
    if folded.isascii():
        return tokens(folded)
    found: list[str] = []
    for token in tokens(folded.replace("’", "'")):
        found.extend(pairs(token) if is_unspaced(token) else (token,))
    return found


def tokens(text: str, beside: str = "") -> list[str]:
    """The words of a text (NFKC) as written, runs of unspaced script whole.

    `beside` is a pattern, `|…`, of what else is to be found between the words.
    """
    if text.isascii():
        return _scanner(beside, True).findall(text)
    found = _scanner(beside, False).findall(text)
    if max(text) < FIRST_UNSPACED:
        return found
    return [piece for token in found for piece in (parted(token) if max(token) >= FIRST_UNSPACED else (token,))]


@lru_cache(maxsize=8)
def _scanner(beside: str, is_ascii: bool) -> re.Pattern[str]:
    return re.compile(ASCII_WORD + beside, re.ASCII) if is_ascii else re.compile(UNICODE_WORD + beside)


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
    """Words parted by white space, as `wc -w` counts them. Without a list of them: texts of megabytes are counted."""
    if len(text) < _LONG or (not text.isascii() and any(blank in text for blank in _WIDE_BLANKS)):
        return len(text.split())
    marked = text.encode("utf-8", "surrogatepass").translate(_LETTER_OR_BLANK)
    return marked.count(b"x ") + marked.endswith(b"x")


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model makes of a text: floor(1.3 × words) (vault spec, 1).

    In scripts without spaces every character counts as a token, since they have no words to count.
    """
    if text.isascii() or max(text) < FIRST_UNSPACED:
        return count_words(text) * 13 // 10
    spaced, characters = without_runs(text)
    return count_words(spaced) * 13 // 10 + characters
