"""How alike two texts are, and in what otherwise alike texts contradict each other."""

import re
from collections import Counter
from typing import Literal, NamedTuple

from memtend.text.stopwords import STOP
from memtend.text.tokens import fold, parts, sentences, words

Kind = Literal["number", "negation", "version", "opposite"]


class Difference(NamedTuple):
    """One point in which two alike texts differ: what ours says and what theirs says."""

    kind: Kind
    ours: str
    theirs: str


def similarity(a: str, b: str) -> float:
    """How alike two texts are, 0 to 1: the weighted share of their words and word pairs in common."""
    one, other = _features(a), _features(b)
    total = sum(one.values()) + sum(other.values())
    if not total:
        return 1.0 if a.strip() == b.strip() else 0.0
    common = sum(min(weight, other[feature]) for feature, weight in one.items() if feature in other)
    return 2 * common / total


def _features(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    previous = ""
    for word in words(text):
        weight = 0.1 if word in STOP else 1.0
        found[word] = found.get(word, 0.0) + weight
        for part in parts(word):
            found[part] = found.get(part, 0.0) + 0.3
        if previous:
            pair = f"{previous} {word}"
            found[pair] = found.get(pair, 0.0) + 0.2
        previous = word
    return found


NEGATIONS = frozenset(("not", "no", "never", "none", "cannot", "without", "nicht", "kein", "pas", "nunca"))
OPPOSITES = {"on": "off", "allow": "deny", "enable": "disable", "tabs": "spaces", "before": "after", "always": "never"}
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*(?:\s?[a-zA-Z%]+)?")


def conflict(a: str, b: str) -> Difference | None:
    """The first point in which two otherwise alike texts contradict each other, or None."""
    if fold(a) == fold(b):
        return None
    theirs = [(sentence, Counter(words(sentence))) for sentence in sentences(b)]
    for sentence in sentences(a):
        ours = Counter(words(sentence))
        best = max(theirs, key=lambda other: _dice(ours, other[1]), default=None)
        if best and 0.6 < _dice(ours, best[1]) < 1.0 and (found := _differ(sentence, best[0])):
            return found
    return None


def _dice(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _differ(one: str, other: str) -> Difference | None:
    ours, theirs = _NUMBER.findall(one), _NUMBER.findall(other)
    if len(ours) == len(theirs):
        for mine, yours in zip(ours, theirs, strict=True):
            if mine != yours:
                return Difference("version" if mine.count(".") > 1 else "number", mine, yours)
    one_not, other_not = (set(words(text)) & NEGATIONS for text in (one, other))
    if bool(one_not) != bool(other_not):
        return Difference("negation", " ".join(sorted(one_not)), " ".join(sorted(other_not)))
    return None
