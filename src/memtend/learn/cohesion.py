"""Where the subject of a text changes: dynamic programming over how well its parts' words hang together.

A run of parts costs what its words cost under one distribution of words, with a Dirichlet prior (the compound
multinomial of Eisenstein and Barzilay, 2008, in the search of Utiyama and Isahara, 2001), plus a fixed price a
segment. The cheapest way to cut the text wins; how many segments there are comes out of it. The constants are
tuned on one half of Choi's documents, see `benchmarks/segmentation.py` for both halves.
"""

from collections.abc import Callable, Sequence
from math import inf, lgamma, log

from memtend.learn.sizes import LARGE, SMALL, WHOLE
from memtend.text import words
from memtend.text.stopwords import STOP

_CONCENTRATION = 0.4
_PRICE = 0.85
_STEM_LETTERS = 5
"""Words are compared by their first letters: on Choi's texts better than any stemmer tried."""
_MOST_WORDS = 2000
_MOST_DISTINCT = 1000
"""Of the text around: a long text is cut as finely as a short one."""
_LEAST_IDEAL = 200

Price = Callable[[float], float]


def by_size(tokens: float) -> float:
    """What a segment's size adds to its price: nothing from 200 to 500 tokens, a lot under 100 or over 800."""
    if int(tokens) > LARGE:
        return 1000.0 + tokens
    if tokens > WHOLE:
        return 3.0 * (tokens - WHOLE) / (LARGE - WHOLE)
    if tokens >= _LEAST_IDEAL:
        return 0.0
    return 2.0 * (_LEAST_IDEAL - tokens) / SMALL + (50.0 if tokens < SMALL else 0.0)


def regardless_of_size(_tokens: float) -> float:
    """The price of a segment where only the subject counts."""
    return 0.0


def cuts(parts: Sequence[str], weights: Sequence[float], price: Price = by_size) -> list[int]:
    """How many parts each segment takes, in order. `weights` are the parts' tokens.

    Linear in the number of parts: no segment grows beyond 800 tokens (unless one part does, or size is no matter).
    """
    bags = _bags(parts)
    distinct = {word for bag in bags for word in bag}
    mass = _CONCENTRATION * min(max(len(distinct), 1), _MOST_DISTINCT)
    base = _PRICE * log(max(min(sum(map(len, bags)), _MOST_WORDS), 2)) - lgamma(mass)
    limit = LARGE if price is by_size else inf
    best = [0.0] + [inf] * len(bags)
    back = [0] * (len(bags) + 1)
    for start in range(len(bags)):
        for end, tokens, fit, count in _growing(bags, weights, start, limit):
            cost = best[start] + base + lgamma(count + mass) - fit + price(tokens)
            if cost < best[end]:
                best[end], back[end] = cost, start
    return _lengths(back)


def _growing(
    bags: Sequence[list[str]], weights: Sequence[float], start: int, limit: float
) -> "list[tuple[int, float, float, int]]":
    """For each end of a segment that begins at `start`: end, tokens, log-likelihood of its words, their number."""
    gains = _GAINS
    seen: dict[str, int] = {}
    grown: list[tuple[int, float, float, int]] = []
    count = 0
    tokens = fit = 0.0
    for end in range(start, len(bags)):
        tokens += weights[end]
        if int(tokens) > limit and end > start:
            break
        for word in bags[end]:
            before = seen.get(word, 0)
            fit += gains[before] if before < len(gains) else log(before + _CONCENTRATION)
            seen[word] = before + 1
        count += len(bags[end])
        grown.append((end + 1, tokens, fit, count))
    return grown


_GAINS = tuple(log(before + _CONCENTRATION) for before in range(64))


def _bags(parts: Sequence[str]) -> list[list[str]]:
    return [
        [word[:_STEM_LETTERS] for word in words(part) if word not in STOP and len(word) > 1 and not word[0].isdigit()]
        for part in parts
    ]


def _lengths(back: Sequence[int]) -> list[int]:
    lengths: list[int] = []
    end = len(back) - 1
    while end > 0:
        lengths.append(end - back[end])
        end = back[end]
    return lengths[::-1]
