"""Words of scripts that write no spaces between them: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese.

Without a dictionary nobody knows where such words end. Texts are compared by overlapping pairs of characters,
which find a word wherever it stands; terms for people are the runs between function characters and changes of
script, while those are short, and pairs where they are not.
"""

import re
from itertools import pairwise

CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Character ranges for a regular expression, NFKC. Hangul has spaces, but its particles cling to the word."""
SOUTH_EAST_ASIAN = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ecd\u1000-\u103f\u1050-\u1099\u1780-\u17d3"
UNSPACED = CJK + SOUTH_EAST_ASIAN
_HAN_LIMIT, _KANA_LIMIT = 4, 12
"""Characters up to which a run of Chinese characters, or of other letters, is taken for one word."""

_FIRST = re.compile(f"[{UNSPACED}]")
_HAS_MARKS = re.compile(f"[{SOUTH_EAST_ASIAN}\u3099\u309a]")
_CLUSTER = re.compile(
    "[\u0e40-\u0e44\u0ec0-\u0ec4]?."
    "[\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u3099\u309a]*"
)
_ONE_SCRIPT = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\u3005\uf900-\ufaff\U00020000-\U0003ffff]+|[\u3041-\u309f]+|[\u30a1-\u30ff]+"
    "|[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb]+|[\u0e01-\u0eff]+|[\u1000-\u109f]+|[\u1780-\u17ff]+"
)
_HAN_FUNCTION = re.compile("[的了是在和与及也就而但把被让给吗呢吧啊你我他她它们这那很不没]")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_KOREAN_PARTICLE = re.compile(
    "(?<=..)(?:에서|으로|까지|부터|에게|합니다|한다|했다|은|는|이|가|을|를|에|의|로|와|과|도)$"
)


def is_unspaced(token: str) -> bool:
    """Whether a token is a run of such a script."""
    return not token.isascii() and _FIRST.match(token) is not None


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a run's characters, each with its vowel signs; the run itself where it is one."""
    characters = _CLUSTER.findall(run) if _HAS_MARKS.search(run) else run
    if len(characters) < 2:
        return [run]
    return [first + second for first, second in pairwise(characters)]


def pieces(run: str) -> list[str]:
    """What may be words in a run: short pieces whole, long ones as pairs; particles and single characters left out.

    Pairs that start at even places come first: most Chinese words have two characters.
    """
    found: list[str] = []
    for part in _ONE_SCRIPT.findall(run):
        if _HIRAGANA.match(part):
            continue
        limit = _HAN_LIMIT if _HAN.match(part) else _KANA_LIMIT
        for piece in _HAN_FUNCTION.split(part):
            word = _KOREAN_PARTICLE.sub("", piece)
            if 1 < len(word) <= limit:
                found.append(word)
            elif word[1:]:
                found += pairs(word)[::2] + pairs(word)[1::2]
    return found
