"""Whether the best of what was found is an answer, or only the least bad.

What speaks for it and against it is weighed, and the sum is the logarithm of the odds that a person would call it an
answer. The weights were fitted (logistic regression) to questions that something answers and others that nothing does;
docs/design/search.md says how well they tell these apart. Who asks in other words than a memory's shares few with it,
so that speaks for it; who names what the memory does not name, or what no memory names, means something else.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memtend.search.question import Question
    from memtend.search.rank import Hit

LEAST_ODDS = -1.6
"""What the odds must be for the best hit to be shown. Below zero: a miss is worse than a hit too many."""
_WEIGHTS = {
    "score": 5.0, "share": 4.3, "missing": -2.0, "unknown names": -1.2, "other words": 2.0, "units": 0.95,
    "unknown": 3.9, "at home": 0.7,
}  # fmt: skip
_EVEN = -7.5
_MOST_NAMES, _MOST_UNITS = 2, 8
_LEAST_NEAR = 0.15
"""How near in meaning a hit must be that has no word of the question."""
_LEAST_BY_WORDS = 0.15
"""What the words of the best hit must give where meaning is not asked."""


def is_answer(question: "Question", hits: "Sequence[Hit]", least_odds: float, *, has_meaning: bool) -> bool:
    """Whether the best hit is likely enough an answer. Without meaning, its words must say enough."""
    if not has_meaning:
        return max(hit.by_words for hit in hits) >= _LEAST_BY_WORDS
    best = min(hits, key=lambda hit: (-hit.score, hit.id))
    is_near = bool(best.found) or best.by_meaning >= _LEAST_NEAR
    return is_near and odds(question, best) >= least_odds


def odds(question: "Question", best: "Hit") -> float:
    """The logarithm of the odds that a hit answers a question."""
    evidence = {
        "score": best.score,
        "share": best.share,
        "missing": min(_MOST_NAMES, question.names_missing(best.weights)),
        "unknown names": min(_MOST_NAMES, question.unknown_names),
        "other words": not best.found,
        "units": min(_MOST_UNITS, len(question.units)),
        "unknown": question.unknown / len(question.units),
        "at home": question.is_at_home,
    }
    return _EVEN + sum(_WEIGHTS[name] * value for name, value in evidence.items())
