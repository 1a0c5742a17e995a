"""Whether two short texts say the same, in the same words or in others.

`similarity` says how much two texts share. That does not tell a sentence in other words from one that quotes half of
the other and goes on about something else. What tells them apart is where the differences lie: in words here and there,
or in a whole clause.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import exp
from typing import NamedTuple

from memtend.text.likeness import stem
from memtend.text.tokens import words

SAME = 0.47
"""Sameness from which two sentences more likely say the same than not, at the best balance of both mistakes."""
LONGEST = 200
"""Words up to which texts are compared: the time goes by the product of both, and longer texts are never one saying."""

_LETTERS, _GAP, _NUMBERS, _QUOTED, _START = 8.2, -0.19, -0.19, -1.9, -1.67
_RUN = 3
"""Letters of the runs that are counted."""


class Traits(NamedTuple):
    """What sameness goes by."""

    letters: float
    """Share of the longer text's runs of three letters that the shorter one has: inflected and joined words count."""
    gap: int
    """Words of the longest stretch of either text that nothing of the other stands for, in order."""
    numbers: int
    """Words with digits that one of them has alone."""
    quoted: float
    """Of the words that both have in order, the share in the longest stretch without a break."""


def sameness(a: str, b: str) -> float:
    """How likely two short texts say the same, 0 to 1, whichever comes first.

    1 for the same words, 0 for texts that share nothing or have over `LONGEST` words. A logistic mix of `Traits`:
    8.2 letters, -0.19 gap, -0.19 numbers, -1.9 quoted, less 1.67; fitted on the odd lines of a set of 4,076 pairs of
    sentences from news, as `SAME` was (`benchmarks/near_duplicates.py` shows the figures of the even lines).
    """
    ours, theirs = words(a), words(b)
    if max(len(ours), len(theirs)) > LONGEST:
        return 0.0
    if ours == theirs:
        return 1.0 if ours else 0.0
    its = traits(ours, theirs)
    if not its.letters:
        return 0.0
    sum_ = _LETTERS * its.letters + _GAP * its.gap + _NUMBERS * its.numbers + _QUOTED * its.quoted + _START
    return 1 / (1 + exp(-sum_))


def traits(ours: Sequence[str], theirs: Sequence[str]) -> Traits:
    """What two texts, as words, have in common and where they differ; the same whichever comes first."""
    first, second = sorted(([stem(word) for word in ours], [stem(word) for word in theirs]))
    stretches = _stretches(first, second)
    gaps = [
        max(after.at - before.at, after.there - before.there) - before.size for before, after in pairwise(stretches)
    ]
    sizes = [stretch.size for stretch in stretches]
    numbers = {word for word in ours if _has_digit(word)} ^ {word for word in theirs if _has_digit(word)}
    return Traits(_letters(ours, theirs), max(gaps), len(numbers), max(sizes) / max(1, sum(sizes)))


class _Stretch(NamedTuple):
    """Words that two texts have in a row."""

    at: int
    there: int
    size: int


def _stretches(first: Sequence[str], second: Sequence[str]) -> list[_Stretch]:
    """The words in a row that both have, in order, between an empty stretch before and one behind all of them."""
    from difflib import SequenceMatcher

    found = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return [_Stretch(0, 0, 0), *(_Stretch(*block) for block in found)]


def _letters(ours: Sequence[str], theirs: Sequence[str]) -> float:
    one, other = _runs(ours), _runs(theirs)
    return (one & other).total() / max(1, one.total(), other.total())


def _runs(said: Sequence[str]) -> Counter[str]:
    text = f" {' '.join(said)} "
    return Counter([text[at : at + _RUN] for at in range(len(text) - _RUN + 1)])


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))
