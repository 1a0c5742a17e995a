"""In what two otherwise alike texts contradict each other.

Sentences are paired with their best counterparts. Where a pair says the same but for a number, a version, a
negation or an opposite, that difference is named. A pair must be nearly the same sentence, or, where the texts
as wholes are alike, at least about the same thing. Words count, never parts of words, and a negation counts
only against the very word it negates: `do not forget to pin it` does not deny `pin it`.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from memtend.text.likeness import features, shared
from memtend.text.statement import DIMENSIONS, OPPOSITE_STEMS, Quantity, Statement, clauses, statements
from memtend.text.stopwords import STOP
from memtend.text.tokens import fold

Kind = Literal["number", "negation", "version", "opposite"]

SAME_SENTENCE = 0.7
"""Likeness from which two sentences say the same but for what differs."""
SAME_MATTER = 0.4
"""Likeness from which two sentences of alike texts are about the same thing."""
SAME_MEASURE = 0.55
"""Likeness from which a time is the other sentence's time, a size its size."""
SAME_POINT = 0.6
"""Likeness from which a word denied or put in another's place contradicts."""
SAME_WORDS = 2.0
"""Weight that sentences of texts that are not alike must share at least: about two words."""
ALIKE_TEXTS = 0.5
"""Share of the shorter text that the longer one has, from which texts are alike."""


class Difference(NamedTuple):
    """One point in which two alike texts differ: what ours says and what theirs says."""

    kind: Kind
    ours: str
    theirs: str


class _Pair(NamedTuple):
    """A sentence of ours, its counterpart, and how alike they are."""

    ours: Statement
    theirs: Statement
    likeness: float


def conflict(a: str, b: str) -> Difference | None:
    """The first point in which two otherwise alike texts contradict each other, or None."""
    if fold(a).split() == fold(b).split():
        return None
    ours, theirs = statements(a), statements(b)
    alike = _are_alike(a, b)
    pairs = _aligned(ours, theirs, SAME_MATTER if alike else SAME_SENTENCE)
    if not alike and min(len(ours), len(theirs)) > 1:
        # In long texts on different matters one word in common (`Retention: 7 days`) makes no sentence the same.
        pairs = [pair for pair in pairs if _shared(pair.ours, pair.theirs) >= SAME_WORDS]
    new, old = _unknown(ours, theirs), _unknown(theirs, ours)
    for pair in pairs:
        if found := _number(pair, new, old) or _opposite(pair) or _negation(pair):
            return found
    if not alike:
        return None
    return (
        _versions(new, old)
        or _crossed(pairs)
        or _mistaken(clauses(a), theirs, ours)
        or _mirrored(_mistaken(clauses(b), ours, theirs))
    )


def _mirrored(found: Difference | None) -> Difference | None:
    return Difference(found.kind, found.theirs, found.ours) if found else None


def _are_alike(a: str, b: str) -> bool:
    ours, theirs = features(a), features(b)
    smaller = min(sum(ours.values()), sum(theirs.values()))
    return shared(ours, theirs) >= ALIKE_TEXTS * smaller


def _aligned(ours: Sequence[Statement], theirs: Sequence[Statement], least: float) -> list[_Pair]:
    """Each sentence with its best counterpart, one to one, in our order."""
    scores = [(likeness, -i, -j) for i, j, likeness in _likenesses(ours, theirs) if likeness >= least]
    paired: dict[int, _Pair] = {}
    taken: set[int] = set()
    for likeness, i, j in sorted(scores, reverse=True):
        if -i not in paired and -j not in taken:
            paired[-i] = _Pair(ours[-i], theirs[-j], likeness)
            taken.add(-j)
    return [pair for _, pair in sorted(paired.items(), key=lambda item: item[0])]


def _likenesses(ours: Sequence[Statement], theirs: Sequence[Statement]) -> Iterator[tuple[int, int, float]]:
    """How alike the sentences are that share anything, by their places."""
    having: dict[str, list[tuple[int, float]]] = {}
    for j, other in enumerate(theirs):
        for word, weight in other.weights.items():
            having.setdefault(word, []).append((j, weight))
    bare = [j for j, other in enumerate(theirs) if not other.weights and other.quantities]
    for i, one in enumerate(ours):
        common: dict[int, float] = {}
        for word, weight in one.weights.items():
            for j, its in having.get(word, ()):
                common[j] = common.get(j, 0.0) + min(weight, its)
        for j, together in common.items():
            yield i, j, 2 * together / (one.total + theirs[j].total)
        if not one.weights and one.quantities:
            yield from ((i, j, 1.0) for j in bare)


def _likeness(one: Statement, other: Statement) -> float:
    total = one.total + other.total
    if not total:
        return 1.0 if one.quantities and other.quantities else 0.0
    return 2 * _shared(one, other) / total


def _shared(one: Statement, other: Statement) -> float:
    return shared(one.weights, other.weights)


def _unknown(ours: Sequence[Statement], theirs: Sequence[Statement]) -> set[Quantity]:
    """Our quantities that their whole text does not have."""
    known = {quantity.measure for side in theirs for quantity in side.quantities}
    return {quantity for side in ours for quantity in side.quantities if quantity.measure not in known}


def _number(pair: _Pair, new: set[Quantity], old: set[Quantity]) -> Difference | None:
    """Numbers that stand for each other, each unknown to the other text; those behind the same word first."""
    alike = list(_comparable(pair.ours.quantities, pair.theirs.quantities, new, old))
    same_place = [(ours, theirs) for ours, theirs in alike if ours.before and ours.before == theirs.before]
    if pair.likeness < SAME_SENTENCE:
        alike = [both for both in alike if pair.likeness >= SAME_MEASURE and both[0].shape in DIMENSIONS]
    return next((_between(ours, theirs) for ours, theirs in same_place or alike), None)


def _versions(new: set[Quantity], old: set[Quantity]) -> Difference | None:
    """Another version of the same product, wherever alike texts name it."""
    ours = sorted([quantity for quantity in new if quantity.is_version and quantity.before])
    theirs = sorted([quantity for quantity in old if quantity.is_version])
    alike = _comparable(ours, theirs, new, old)
    return next((_between(one, other) for one, other in alike if one.before == other.before), None)


def _comparable(
    ours: Sequence[Quantity], theirs: Sequence[Quantity], new: set[Quantity], old: set[Quantity]
) -> Iterator[tuple[Quantity, Quantity]]:
    for one in ours:
        for other in theirs:
            if one.shape == other.shape and one in new and other in old:
                yield one, other


def _between(ours: Quantity, theirs: Quantity) -> Difference:
    is_version = ours.is_version and theirs.is_version
    return Difference("version" if is_version else "number", ours.written, theirs.written)


def _opposite(pair: _Pair) -> Difference | None:
    one, other = pair.ours, pair.theirs
    for word in _only(one, other):
        for against in _only(other, one):
            if against in OPPOSITE_STEMS.get(word, frozenset()):
                return Difference("opposite", one.written[word], other.written[against])
    for word in one.order:
        if word in one.rejected and word in other.plain and word not in one.plain | other.rejected:
            return Difference("opposite", f"not {one.written[word]}", other.written[word])
    for word in other.order:
        if word in other.rejected and word in one.plain and word not in other.plain | one.rejected:
            return Difference("opposite", one.written[word], f"not {other.written[word]}")
    return _exchange(one, other)


def _only(one: Statement, other: Statement) -> list[str]:
    """The words that one statement says and the other neither says nor denies."""
    return [word for word in one.order if word in one.plain and word not in other.plain and word not in other.negated]


def _exchange(one: Statement, other: Statement) -> Difference | None:
    """Two words that have changed places in otherwise equal sentences."""
    ours, theirs = _content(one.order), _content(other.order)
    if len(ours) != len(theirs):
        return None
    places = [(word, against) for word, against in zip(ours, theirs, strict=True) if word != against]
    if len(places) != 2 or places[0] != places[1][::-1]:
        return None
    (first, second), _ = places
    return Difference(
        "opposite",
        f"{one.written[first]} … {one.written[second]}",
        f"{other.written[second]} … {other.written[first]}",
    )


def _crossed(pairs: Sequence[_Pair]) -> Difference | None:
    """A word that stands for another in one pair of sentences, and the other for it in a second pair."""
    swaps = [
        (pair, _content(_only(pair.ours, pair.theirs)), _content(_only(pair.theirs, pair.ours)))
        for pair in pairs
        if pair.likeness >= SAME_POINT
    ]
    for number, (pair, ours, theirs) in enumerate(swaps):
        for _, later_ours, later_theirs in swaps[number + 1 :]:
            for word in ours:
                for against in theirs:
                    if word in later_theirs and against in later_ours:
                        return Difference("opposite", pair.ours.written[word], pair.theirs.written[against])
    return None


def _mistaken(
    clauses: Sequence[Statement], theirs: Sequence[Statement], ours: Sequence[Statement]
) -> Difference | None:
    """A name of which is said what the other text says of another name, though both texts know both."""
    our_names, their_names = ({name for side in text for name in side.names} for text in (ours, theirs))
    for one in clauses:
        for other in theirs:
            mine = [word for word in _only(one, other) if word in one.names and word in their_names]
            yours = [word for word in _only(other, one) if word in other.names and word in our_names]
            if len(mine) == len(yours) == 1 and _likeness(one, other) >= SAME_POINT:
                return Difference("opposite", one.written[mine[0]], other.written[yours[0]])
    return None


def _content(words: list[str]) -> list[str]:
    return [word for word in words if word not in STOP and not word[0].isdigit()]


def _negation(pair: _Pair) -> Difference | None:
    one, other = pair.ours, pair.theirs
    if pair.likeness < SAME_POINT:
        return None
    for word in one.denied:
        if word in other.plain and word not in one.plain and word not in other.negated:
            return Difference("negation", f"not {one.written[word]}", other.written[word])
    for word in other.denied:
        if word in one.plain and word not in other.plain and word not in one.negated:
            return Difference("negation", one.written[word], f"not {other.written[word]}")
    if pair.likeness >= SAME_SENTENCE and (one.cjk_negations + other.cjk_negations) % 2:
        return Difference("negation", *(("不" if side.cjk_negations % 2 else "") for side in pair[:2]))
    return None
