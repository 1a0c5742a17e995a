"""Which lines say the same: words in common, and what keeps two lines apart however many they share.

Alike is the Jaccard measure of the sets of words (role spec, 3). It alone would merge "prefer tabs over spaces" with
its opposite, so the words in common must stand in the same order, and `difference` names a negation, number,
version, opposite, sign or identifier in which two lines differ.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil
from typing import NamedTuple

from memtend.layouts.role.ids import collapsed

_NEGATION_WORDS = """
not no never none nor cannot without neither nothing nowhere don't doesn't didn't won't can't isn't aren't shouldn't
mustn't wouldn't couldn't hasn't haven't wasn't weren't dont cant wont nicht kein keine keinen nie ohne ne pas jamais
sans nunca sin jamás não sem non mai senza niet geen zonder не ни нет никогда без لا ليس لم لن بدون אל לא בלי नहीं मत
ไม่ อย่า không đừng tidak jangan değil asla
"""
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
_NEGATING_SIGNS = frozenset("不没沒别別勿莫禁无無非未拒否")
_NEGATING_ENDINGS = ("ない", "なく", "ません", "ずに", "지마", "지 마", "않", "못", "없")
_NUMBER_NAMES = """
zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty hundred thousand
million half double twice once first second third last
"""
_NUMBER_WORDS = frozenset(_NUMBER_NAMES.split())
_NUMBER_SIGNS = frozenset("一二三四五六七八九十百千万萬两兩零〇半")
_SIGN = re.compile(r"[<>=≤≥≠≈+^~$@#%&|\\/]+|!(?=[\w=])|(?<![\w-])-(?=\d)|[×÷±€£¥]|❌|✅|✗|✓")
_DIGITS = re.compile(r"\d+(?:[.,:/]\d+)*")
_HYPHENS = re.compile(r"(?<=[^\W\d_])[-‐‑–](?=[^\W\d_])")
_CODE = re.compile(r"\w[./\\:_@]\w|[a-z][A-Z]|\(\)|^--?\w|\d")
_CODE_WORD = re.compile(r"[^\s,;!?\"“”«»]+")


class Difference(NamedTuple):
    """What keeps two lines apart."""

    kind: str
    """`negation`, `number`, `version`, `opposite`, `sign`, `identifier` or `order`."""
    ours: str
    theirs: str


def tokens(text: str) -> list[str]:
    """The words of a text for comparing: folded, of any script, Han and kana as pairs, hyphenated words apart."""
    from memtend.text import words

    return words(_plain(text))


def _plain(text: str) -> str:
    """Hyphens and apostrophes in one form, no stops within unspaced scripts: in these two copies may differ."""
    plain = _HYPHENS.sub(" ", text).replace("’", "'")
    return plain if plain.isascii() else _unspaced_stops().sub("", plain)


@cache
def _unspaced_stops() -> re.Pattern[str]:
    from memtend.text.tokens import UNSPACED

    return re.compile(rf"(?<=[{UNSPACED}])[\s，。、！？；：「」『』“”‘’（）…·,.!?;:]+(?=[{UNSPACED}])")


def jaccard(ours: Sequence[str], theirs: Sequence[str]) -> float:
    """Words in common over all words, 0 to 1. Two texts without words have nothing in common."""
    one, other = set(ours), set(theirs)
    either = len(one | other)
    return len(one & other) / either if either else 0.0


def difference(ours: str, theirs: str) -> Difference | None:
    """In what two alike lines differ so that they do not say the same; None where they may."""
    from memtend.text import conflict, fold

    one, other = fold(_plain(ours)), fold(_plain(theirs))
    if collapsed(one) == collapsed(other):
        return None
    for kind, found in (("number", _numbers), ("negation", _negations), ("sign", _signs)):
        mine, yours = found(one), found(other)
        if mine != yours:
            return Difference(kind, " ".join((mine - yours).elements()), " ".join((yours - mine).elements()))
    if contradiction := conflict(ours, theirs):
        return Difference(*contradiction)
    names, others = _identifiers(ours), _identifiers(theirs)
    if names - others and others - names:
        return Difference("identifier", " ".join(sorted(names - others)), " ".join(sorted(others - names)))
    return None if _in_order(tokens(ours), tokens(theirs)) else Difference("order", ours, theirs)


def _numbers(text: str) -> Counter[str]:
    words = [word for word in re.findall(r"[^\W\d_]+", text) if word in _NUMBER_WORDS]
    return Counter([*_DIGITS.findall(text), *words, *(sign for sign in text if sign in _NUMBER_SIGNS)])


def _negations(text: str) -> Counter[str]:
    found = [word for word in re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text) if word in _NEGATIONS]
    found += [sign for sign in text if sign in _NEGATING_SIGNS]
    return Counter([*found, *(ending for ending in _NEGATING_ENDINGS if ending in text)])


def _signs(text: str) -> Counter[str]:
    return Counter(_SIGN.findall(text))


def _identifiers(text: str) -> set[str]:
    words = (word.strip("`'()[]{}.:*_") for word in _CODE_WORD.findall(text))
    return {word.casefold() for word in words if _CODE.search(word)}


def _in_order(ours: list[str], theirs: list[str]) -> bool:
    """Whether the words in common stand in the same order in both."""
    common = set(ours) & set(theirs)
    one = [word for word in ours if word in common]
    other = [word for word in theirs if word in common]
    if len(one) > len(other):
        one, other = other, one
    rest = iter(other)
    return all(word in rest for word in one)


class Neighbours:
    """Finds, among texts put in one after another, those that may be alike: an exact filter, not a guess.

    Two sets with a Jaccard of at least t share one of the rarest n − ⌈t·n⌉ + 1 words of each, so only
    texts that share such a word are compared.
    """

    def __init__(self, token_lists: Sequence[Sequence[str]], threshold: float) -> None:
        self._counts = Counter(word for found in token_lists for word in set(found))
        self._threshold = threshold
        self._by_word: dict[str, list[int]] = {}

    def put(self, key: int, words: Sequence[str]) -> None:
        """Let a text be found from now on."""
        for word in self._rarest(words):
            self._by_word.setdefault(word, []).append(key)

    def near(self, words: Sequence[str]) -> Iterator[int]:
        """The keys of texts that may be as alike as the threshold asks, in the order they were put in."""
        found = {key for word in self._rarest(words) for key in self._by_word.get(word, ())}
        yield from sorted(found)

    def _rarest(self, words: Sequence[str]) -> list[str]:
        distinct = sorted(set(words), key=lambda word: (self._counts[word], word))
        size = len(distinct)
        # A hair below, so that rounding never hides a pair that lies on the threshold.
        return distinct[: size - ceil(self._threshold * size - 1e-9) + 1]


def foreign_to(text: str, sources: Sequence[str]) -> set[str]:
    """Numbers and identifiers of a text that none of its sources has."""
    from memtend.text import fold

    folded = " ".join(fold(_plain(source)) for source in sources)
    names = {name for source in sources for name in _identifiers(source)}
    numbers = set(_DIGITS.findall(fold(text))) - set(_DIGITS.findall(folded))
    return numbers | (_identifiers(text) - names)
