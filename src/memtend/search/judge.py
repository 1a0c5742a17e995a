"""Whether the best of what was found is an answer, or only the least bad.

What speaks for it and against it is weighed, and the sum is the logarithm of the odds that a person would call it an
answer. The weights were fitted (logistic regression) to questions that something answers and others that nothing does;
docs/design/search.md says how well they tell these apart. Who asks in other words than a memory's shares none with it,
who asks for something else shares some and lacks the one that says most. Who names what the memory does not name, or
what no memory names, means something else.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memtend.search.question import Question
    from memtend.search.rank import Hit

    Weigh = Callable[[str], float]

LEAST_ODDS = -0.45
"""What the odds must be for the best hit to be shown. Below zero: a miss is worse than a hit too many."""
_WEIGHTS = {
    "score": 4.7, "share": 2.1, "missing": -1.75, "unknown names": -2.0, "other words": 4.8, "units": 0.8,
    "lacking": -2.0, "long": 1.5,
}  # fmt: skip
_EVEN = -3.75
_MOST_NAMES, _MOST_UNITS = 2, 8
_SURE = 8
"""So many words of a question are in no memory by chance."""
_ORDINARY, _TELLING = 300, 600
"""What words weigh (`meaning.weight`) that are in many texts, such as `times`, and in few, such as `resharding`."""
_LONG_TOKENS = 300
"""What is longer speaks of several things, and says `there` and `she` for what it named before."""
_LEAST_NEAR = 0.15
"""How near in meaning a hit must be that has no word of the question."""
_LEAST_BY_WORDS = 0.15
"""What the words of the best hit must give where meaning is not asked."""


def is_answer(question: "Question", hits: "Sequence[Hit]", least_odds: float, weigh: "Weigh | None") -> bool:
    """Whether the best hit is likely enough an answer.

    `weigh` gives what a word weighs in texts at large. Without it, where meaning is not asked, words must say enough.
    """
    if weigh is None:
        return max(hit.by_words for hit in hits) >= _LEAST_BY_WORDS
    best = min(hits, key=lambda hit: (-hit.score, hit.id))
    if best.found >= _SURE:
        return True
    is_near = bool(best.found) or best.by_meaning >= _LEAST_NEAR
    return is_near and odds(question, best, weigh) >= least_odds


def odds(question: "Question", best: "Hit", weigh: "Weigh") -> float:
    """The logarithm of the odds that a hit answers a question."""
    has_words = best.found > 0
    is_long = best.tokens >= _LONG_TOKENS
    is_known = is_long and question.is_at_home  # it speaks of what is meant, by whatever name
    evidence = {
        "score": best.score,
        "share": best.share,
        "missing": 0 if is_known else min(_MOST_NAMES, question.names_missing(best.weights)),
        "unknown names": 0 if is_known else min(_MOST_NAMES, question.unknown_names),
        "other words": not has_words,
        "units": has_words and min(_MOST_UNITS, len(question.units)),
        "lacking": has_words and _telling(max(map(weigh, question.lacking(best.weights)), default=0.0)),
        "long": is_long,
    }
    weighed: float = _EVEN + sum(_WEIGHTS[name] * value for name, value in evidence.items())
    return weighed


def _telling(weight: float) -> float:
    return min(1.0, max(0.0, (weight - _ORDINARY) / (_TELLING - _ORDINARY)))
