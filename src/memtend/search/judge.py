"""Whether the best of what was found is an answer, or only the least bad.

What speaks for it and against it is weighed, and the sum is the logarithm of the odds that a person would call it an
answer. The weights were fitted (logistic regression) to questions that something answers and others that nothing does;
docs/design/search.md says how well they tell these apart. Who asks in other words than a memory's shares none with it,
who asks for something else shares some and lacks the one that says most. Who names what the memory does not name, or
what no memory names, means something else.
"""

from math import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memtend.search.meaning import Sense
    from memtend.search.question import Question
    from memtend.search.rank import Hit

LEAST_ODDS = -0.35
"""What the odds must be for the best hit to be shown. Below zero: a miss is worse than a hit too many."""
_EVEN, _WEIGHTS = -3.6, {
    "score": 4.7, "share": 2.1, "missing": -1.75, "unknown names": -2.0, "units": 0.8, "long": 0.7, "at home": 2.0,
}  # fmt: skip
_LACKING = -2.5
"""For a hit that has a word of the question; the last for the word that it lacks."""
_EVEN_WITHOUT, _WEIGHTS_WITHOUT = -2.9, {
    "meaning": 14.5, "related": 3.0, "units": 0.2, "elsewhere": -4.0, "others": -0.25, "unknown names": -1.55,
}  # fmt: skip
"""For one that has none. Of many memories one is near by chance, and so is a short question to some; where another has
most of what is asked for, it is no answer to lack it all."""
_MOST_NAMES = 2
_LEAST_UNITS, _MOST_UNITS = 3, 8
"""Two words that are found say much of a long question, little of two; but who asks with two means them."""
_SURE = 8
"""So many words of a question are in no memory by chance."""
_ORDINARY, _TELLING = 300, 600
"""What words weigh (`meaning.weight`) that are in many texts, such as `times`, and in few, such as `resharding`."""
_FAR, _MEANT = 0.15, 0.35
"""How near in meaning a memory is to a word that it says nothing of, and to one that it has in other words."""
_LONG_TOKENS = 300
"""What is longer speaks of several things, and says `there` and `she` for what it named before."""
_KNOWING, _LARGE = 30, 100
"""Memories that know a name if anybody does, and memories of which more make no difference."""
_LEAST_NEAR = 0.1
"""How near in meaning a hit must be that has no word of the question."""
_LEAST_BY_WORDS = 0.15
"""What the words of the best hit must give where meaning is not asked."""


def is_answer(
    question: "Question", hits: "Sequence[Hit]", least_odds: float, sense: "Sense | None", among: int
) -> bool:
    """Whether the best hit, of `among` memories that were asked, is likely enough an answer.

    Without `sense`, where meaning is not asked, words must say enough.
    """
    if sense is None:
        return max(hit.by_words for hit in hits) >= _LEAST_BY_WORDS
    best = min(hits, key=lambda hit: (-hit.score, hit.id))
    if best.found >= _SURE:
        return True
    if not best.words:
        return best.by_meaning >= _LEAST_NEAR and _odds_without_words(question, hits, best, among) >= least_odds
    odds = _weighed(_EVEN, _WEIGHTS, _evidence(question, best))
    if not least_odds <= odds < least_odds - _LACKING:  # what is lacking changes nothing
        return odds >= least_odds
    lacking = question.lacking(best.weights, best.related)
    most_telling = max((_telling(sense, word, best.n) for word in lacking), default=0.0)
    return odds + _LACKING * most_telling >= least_odds


def _odds_without_words(question: "Question", hits: "Sequence[Hit]", best: "Hit", among: int) -> float:
    evidence = {
        "meaning": best.by_meaning,
        "related": best.by_related,
        "elsewhere": max(hit.share for hit in hits),
        "units": min(_MOST_UNITS, len(question.units)),
        "others": log(min(_LARGE, max(1, among))),
        "unknown names": min(_MOST_NAMES, question.unknown_names),
    }
    return _weighed(_EVEN_WITHOUT, _WEIGHTS_WITHOUT, evidence)


def _weighed(even: float, weights: "Mapping[str, float]", evidence: "Mapping[str, float]") -> float:
    return even + sum([weights[name] * value for name, value in evidence.items()])


def _evidence(question: "Question", best: "Hit") -> dict[str, float]:
    is_long = best.tokens >= _LONG_TOKENS
    is_at_home = is_long and question.is_at_home  # it speaks of what is meant, by whatever name
    # What a few memories do not name may well be what they are about.
    knowing = 0.0 if is_at_home else min(1.0, log(question.vault_size + 1) / log(_KNOWING))
    return {
        "score": best.score,
        "share": best.share,
        "missing": knowing * min(_MOST_NAMES, question.names_missing(best.weights)),
        "unknown names": knowing * min(_MOST_NAMES, question.unknown_names),
        "units": max(_LEAST_UNITS, min(_MOST_UNITS, len(question.units))),
        "long": is_long,
        "at home": is_at_home,
    }


def _telling(sense: "Sense", word: str, n: int) -> float:
    """How much a word that a memory lacks speaks against it: much if it says much, and is far from all that is said."""
    telling = _between(_ORDINARY, _TELLING, sense.weight(word))
    return telling * (1 - _between(_FAR, _MEANT, sense.nearness(word, n))) if telling else 0.0


def _between(least: float, most: float, value: float) -> float:
    return min(1.0, max(0.0, (value - least) / (most - least)))
