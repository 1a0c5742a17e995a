"""How well a line answers a query, and whether that proves that the line was of use (role spec, 3).

    0.5 if the whole query occurs as words  +  0.3 × Jaccard of the words  +  0.2 × share of the query's words there

Both sides are lower case; the sum is at most 1. Meaning alone (an embedder) lifts a hit to 0.49 at most, below
what reinforces: use must be literal to count as proof.
"""

import re
from typing import NamedTuple

from memtend.layouts.role.ids import collapsed
from memtend.text import fold, words

PROOF = 0.5
"""From this score on a hit has proved to be of use."""
MEANING_LIMIT = 0.49
_PHRASE, _JACCARD, _SHARE = 0.5, 0.3, 0.2
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u31ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff]")


class Score(NamedTuple):
    """A score from 0 to 1."""

    value: float
    is_proof: bool
    """Whether a word of the query that says something stands in the text, and the score is high enough."""


NO_SCORE = Score(0.0, False)


class Query:
    """A query, ready to be compared with many texts."""

    def __init__(self, text: str) -> None:
        self.text = collapsed(text)
        folded = fold(self.text)
        self._pieces = folded.split()
        self._words = set(words(self.text))
        self._phrase = _as_words(folded) if folded else None
        self._telling = _telling(self._words)

    def bound(self, text: str) -> float:
        """What the score of a text cannot be above; much quicker than the score itself."""
        folded = text.lower() if text.isascii() else fold(text)
        value = _PHRASE if all(piece in folded for piece in self._pieces) else 0.0
        if self._words:
            share = sum([word in folded for word in self._words]) / len(self._words)
            value += (_JACCARD + _SHARE) * share
        return min(1.0, value)

    def score(self, text: str, meaning: float = 0.0) -> Score:
        """The score of a text. `meaning` is an embedder's similarity, 0 to 1."""
        if self._phrase is None:
            return _by_meaning(NO_SCORE, meaning)
        folded = fold(text)
        found = set(words(folded))
        common = self._words & found
        has_phrase = self._phrase.search(folded) is not None
        value = _PHRASE * has_phrase
        if common:
            value += _JACCARD * len(common) / len(self._words | found) + _SHARE * len(common) / len(self._words)
        is_literal = bool(self._telling & found) or (has_phrase and bool(self._telling) and not common)
        score = Score(min(1.0, value), is_literal and value >= PROOF)
        return _by_meaning(score, meaning)


def _by_meaning(score: Score, meaning: float) -> Score:
    lifted = min(meaning, MEANING_LIMIT)
    return score if lifted <= score.value else Score(lifted, False)


def _as_words(phrase: str) -> re.Pattern[str]:
    """The phrase with no letter of the same word before or behind it. Scripts without spaces need no border."""
    before = r"(?<!\w)" if phrase[0].isalnum() and not _UNSPACED.match(phrase[0]) else ""
    behind = r"(?!\w)" if phrase[-1].isalnum() and not _UNSPACED.match(phrase[-1]) else ""
    return re.compile(before + re.escape(phrase).replace(r"\ ", r"\s+") + behind)


def _telling(found: set[str]) -> set[str]:
    """The words that say something: no function words, no single Latin letters."""
    from memtend.text.stopwords import STOP

    return {word for word in found if word not in STOP and (len(word) > 1 or not word.isascii())}
