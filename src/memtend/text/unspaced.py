"""Words of scripts that write no spaces between them: Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese.

Without a dictionary nobody knows where such words end. Texts are compared by overlapping pairs of characters,
which find a word wherever it stands; terms for people are the runs between function characters and changes of
script, while those are short, and pairs where they are not.
"""

import re
from functools import cache
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

FIRST_UNSPACED = "\u0e01"
"""The least of these characters: most texts have none, and are told by it."""

# Patterns of many ranges take milliseconds to compile, so only texts of these scripts pay for them.
_RUN = f"[{UNSPACED}]+"
_HAS_MARKS = f"[{SOUTH_EAST_ASIAN}\u3099\u309a]"
_CLUSTER = (
    "[\u0e40-\u0e44\u0ec0-\u0ec4]?."
    "[\u0e30-\u0e3a\u0e45-\u0e4e\u0eb0-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u3099\u309a]*"
)
_HAN = "[\u3400-\u4dbf\u4e00-\u9fff\u3005\uf900-\ufaff\U00020000-\U0003ffff]"
_ONE_SCRIPT = (
    rf"{_HAN}+|[\u3041-\u309f]+|[\u30a1-\u30ff]+|[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb]+"
    r"|[\u0e01-\u0eff]+|[\u1000-\u109f]+|[\u1780-\u17ff]+"
)
_HAN_FUNCTION = "[的了是在和与及也就而但把被让给吗呢吧啊你我他她它们这那很不没]"
_HIRAGANA = "[\u3041-\u309f]"
_KOREAN_PARTICLE = "(?<=..)(?:에서|으로|까지|부터|에게|합니다|한다|했다|은|는|이|가|을|를|에|의|로|와|과|도)$"
_BESIDE_RUNS = ".-/@\\'’+:#()~$"
_compiled = cache(re.compile)


def is_unspaced(token: str) -> bool:
    """Whether a token starts with a letter of such a script."""
    return token[:1] >= FIRST_UNSPACED and _compiled(_RUN).match(token) is not None


def parted(token: str) -> list[str]:
    """A token that may mix scripts (`BBTool下载`), as runs of these scripts and what stands between them."""
    pieces: list[str] = []
    end = 0
    for run in _compiled(_RUN).finditer(token):
        pieces += (token[end : run.start()].strip(_BESIDE_RUNS), run[0])
        end = run.end()
    if not end:
        return [token]
    return [piece for piece in (*pieces, token[end:].strip(_BESIDE_RUNS)) if piece]


def without_runs(text: str) -> tuple[str, int]:
    """The text without its runs of these scripts, and how many characters they had."""
    spaced = _compiled(_RUN).sub(" ", text)
    return spaced, sum([len(run) for run in _compiled(_RUN).findall(text)])


def pairs(run: str) -> list[str]:
    """The overlapping pairs of a run's characters, each with its vowel signs; the run itself where it is one."""
    characters = _compiled(_CLUSTER).findall(run) if _compiled(_HAS_MARKS).search(run) else run
    if len(characters) < 2:
        return [run]
    return [first + second for first, second in pairwise(characters)]


def pieces(run: str) -> list[str]:
    """What may be words in a run: short pieces whole, long ones as pairs; particles and single characters left out.

    Pairs that start at even places come first: most Chinese words have two characters.
    """
    found: list[str] = []
    for part in _compiled(_ONE_SCRIPT).findall(run):
        if _compiled(_HIRAGANA).match(part):
            continue
        limit = _HAN_LIMIT if _compiled(_HAN).match(part) else _KANA_LIMIT
        for piece in _compiled(_HAN_FUNCTION).split(part):
            word = _compiled(_KOREAN_PARTICLE).sub("", piece)
            if 1 < len(word) <= limit:
                found.append(word)
            elif word[1:]:
                found += pairs(word)[::2] + pairs(word)[1::2]
    return found
