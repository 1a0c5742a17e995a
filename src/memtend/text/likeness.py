"""How alike two texts are, and how much of one is in the other.

Both compare bags of weighted features: words by their stems, the parts of compounds, and pairs of neighbouring
words. Function words weigh little, identifiers and numbers more, since they are what two texts on the same
matter share whatever their wording.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import fsum

from memtend.text.numerals import spelled
from memtend.text.stopwords import STOP
from memtend.text.tokens import parts, words

_FUNCTION_WORD = 0.1
_TECHNICAL = 1.6
_PART = 0.4
_PAIR = 0.3
Features = Mapping[str, float]
"""Weights by feature; a word that stands twice has twice the weight."""


def similarity(a: str, b: str) -> float:
    """How alike two texts are, 0 to 1, whichever comes first: twice what they share over what both have.

    About 1 for copies that differ in case, spacing or punctuation, over 0.95 where a word in twenty differs,
    under 0.2 for texts on different matters.
    """
    if a == b:
        return 1.0
    ours, theirs = features(a), features(b)
    total = fsum(ours.values()) + fsum(theirs.values())
    return min(1.0, 2 * shared(ours, theirs) / total) if total else 0.0


def coverage(part: str, whole: str) -> float:
    """How much of the first text the second one has, 0 to 1; 1 for a part taken word for word."""
    ours = features(part)
    total = sum(ours.values())
    return min(1.0, shared(ours, features(whole)) / total) if total else 0.0


def exchanged(a: str, b: str) -> tuple[tuple[str, str], ...]:
    """The words that stand in each other's place in two otherwise equal texts, ours and theirs; else none.

    That is what notes written to one pattern differ in, and what a correction of a word changes. They may be a third of
    the words; inflections, function words and a number in words or digits are no difference.
    """
    if _count(a) != _count(b):
        return ()
    ours, theirs = _said(a), _said(b)
    places = [(one, other) for one, other in zip(ours, theirs, strict=True) if _written(one) != _written(other)]
    if len(places) > len(ours) / 3 and len(places) > 1:
        return ()
    return tuple([pair for pair in places if not STOP.issuperset(pair)])


def _written(word: str) -> str:
    """A word without its inflection, a number in digits."""
    number = spelled([word], 0)
    return str(number.value) if number else stem(word)


def shared(ours: Features, theirs: Features) -> float:
    """The weight of what two texts have in common, the same whichever comes first."""
    if len(theirs) < len(ours):
        ours, theirs = theirs, ours
    return fsum([min(weight, theirs[feature]) for feature, weight in ours.items() if feature in theirs])


@lru_cache(maxsize=256)
def features(text: str) -> Features:
    """The weighted features of a text. Remembered, since a text is compared with several others.

    Each word is looked at once, however often it stands there.
    """
    said = _said(text)
    found: dict[str, float] = {}
    keys: dict[str, str] = {}
    for word, times in Counter(said).items():
        key, weight, pieces = _feature(word)
        keys[word] = key
        found[key] = found.get(key, 0.0) + times * weight
        for piece in pieces:
            found[piece] = found.get(piece, 0.0) + times * _PART
    stems = [keys[word] for word in said]
    for pair, times in Counter(map("%s %s".__mod__, pairwise(stems))).items():
        found[pair] = times * _PAIR
    return found


@lru_cache(maxsize=256)
def features_total(text: str) -> float:
    """What all features of a text weigh together."""
    return sum(features(text).values())


@lru_cache(maxsize=256)
def features_below(title: str, text: str) -> Features:
    """The features of a text with its title above it."""
    found = dict(features(text))
    for feature, weight in features(title).items():
        found[feature] = found.get(feature, 0.0) + weight
    if title and text and (above := _said(title)) and (below := _said(text)):
        pair = f"{_feature(above[-1])[0]} {_feature(below[0])[0]}"
        found[pair] = found.get(pair, 0.0) + _PAIR
    return found


@lru_cache(maxsize=8)
def _said(text: str) -> Sequence[str]:
    """The words of a text: one is often asked for them several times in a row."""
    return tuple(words(text))


@lru_cache(maxsize=256)
def _count(text: str) -> int:
    return len(_said(text))


@lru_cache(maxsize=32_768)
def _feature(word: str) -> tuple[str, float, tuple[str, ...]]:
    """What stands for a folded word, its weight, and the stems of its parts."""
    if word in STOP:
        return word, _FUNCTION_WORD, ()
    pieces = tuple([stem(piece) for piece in parts(word) if piece not in STOP])
    technical = len(pieces) > 1 or not word.isalpha()
    return stem(word), _TECHNICAL if technical else 1.0, pieces


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """A folded English word without its inflection (`retries`, `retried`, `retry`); others as they are."""
    word = word.removesuffix("'s")
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    for ending in ("ing", "ed"):
        if word.endswith(ending) and not _VOWELS.isdisjoint(word[: -len(ending)]) and len(word) > len(ending) + 2:
            return _without_e(_undoubled(word[: -len(ending)]))
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _without_e(word)


_VOWELS = frozenset("aeiouy")


def _undoubled(word: str) -> str:
    return word[:-1] if len(word) > 2 and word[-1] == word[-2] and word[-1] not in "aeiousl" else word


def _without_e(word: str) -> str:
    if word.endswith("i") and len(word) > 3:
        return word[:-1] + "y"
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def content(text: str) -> dict[str, bool]:
    """The stems of a text's words and of their parts, function words left out, in order.

    True for what is no plain word: numbers, identifiers, compounds.
    """
    found: dict[str, bool] = {}
    for word in dict.fromkeys(_said(text)):
        key, weight, pieces = _feature(word)
        if weight != _FUNCTION_WORD:
            found.setdefault(key, weight == _TECHNICAL)
            for piece in pieces:
                found.setdefault(piece, False)
    return found
