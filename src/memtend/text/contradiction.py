"""In what two otherwise alike texts contradict each other.

Sentences are paired with their best counterparts. Where a pair says the same but for a number, a version, a
negation or an opposite, that difference is named. A pair must be nearly the same sentence, or, where the texts
as wholes are alike, at least about the same thing. Words count, never parts of words, and a negation counts
only against the very word it negates: `do not forget to pin it` does not deny `pin it`.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Literal, NamedTuple

from memtend.text.account import Account, account
from memtend.text.contrasts import COUNTERS
from memtend.text.likeness import exchanged, features, features_total, shared, stem
from memtend.text.statement import DIMENSIONS, OPPOSITE_STEMS, Quantity, Statement
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


_LABELS = frozenset(map(stem, COUNTERS - {"port"}))
"""Words behind which a number is a name, and another number another thing."""


class Difference(NamedTuple):
    """One point in which two alike texts differ: what ours says and what theirs says."""

    kind: Kind
    ours: str
    theirs: str


class _Pair(NamedTuple):
    """A sentence of ours, its counterpart, how alike they are, and their numbers."""

    ours: Statement
    theirs: Statement
    likeness: float
    places: tuple[int, int]


def conflict(a: str, b: str) -> Difference | None:
    """The first point in which two otherwise alike texts contradict each other, or None.

    Takes time by the length of both texts, and by how many sentences of the second are like each of the first.
    """
    ours, theirs = account(a), account(b)
    if ours.said == theirs.said:
        return None
    alike = _are_alike(a, b)
    pairs = _aligned(ours, theirs, SAME_MATTER if alike else SAME_SENTENCE)
    if not alike and min(len(ours), len(theirs)) > 1:
        # In long texts on different matters one word in common (`Retention: 7 days`) makes no sentence the same.
        pairs = [pair for pair in pairs if shared(pair.ours.weights, pair.theirs.weights) >= SAME_WORDS]
    for pair in pairs:
        if found := _number(pair, ours, theirs) or _opposite(pair) or _negation(pair) or _alone(pair, ours, theirs):
            return found
    if not alike:
        return _in_place(ours, theirs, exchanged(a, b))
    found = _versions(ours, theirs) or _crossed(pairs) or _mistaken(ours, theirs) or _mistaken_there(ours, theirs)
    return found or _in_place(ours, theirs, exchanged(a, b))


def _are_alike(a: str, b: str) -> bool:
    smaller = min(features_total(a), features_total(b))
    return shared(features(a), features(b)) >= ALIKE_TEXTS * smaller


def _aligned(ours: Account, theirs: Account, least: float) -> list[_Pair]:
    """Each sentence with its best counterpart, one to one, in our order; the most alike find each other first."""
    paired: dict[int, _Pair] = {i: _Pair(ours[i], theirs[j], 1.0, (i, j)) for i, j in _bare(ours, theirs)}
    taken: set[int] = set()
    open_ones: list[tuple[float, int, int, Iterator[tuple[float, int]]]] = []

    def offer(i: int, near: Iterator[tuple[float, int]]) -> None:
        for likeness, j in near:
            if j not in taken:
                heappush(open_ones, (-likeness, i, j, near))
                break

    for i, one in enumerate(ours.statements()):
        if one.weights and i not in paired:
            offer(i, theirs.like(one, least))
    while open_ones:
        negative, i, j, near = heappop(open_ones)
        if j in taken:
            offer(i, near)
        else:
            paired[i] = _Pair(ours[i], theirs[j], -negative, (i, j))
            taken.add(j)
    return [pair for _, pair in sorted(paired.items(), key=lambda item: item[0])]


def _bare(ours: Account, theirs: Account) -> Iterator[tuple[int, int]]:
    """Sentences of nothing but quantities, in order: all of them are alike."""
    return zip(ours.bare, theirs.bare, strict=False) if ours.bare else iter(())


def _number(pair: _Pair, ours: Account, theirs: Account) -> Difference | None:
    """Numbers that stand for each other, each unknown to the other text; those behind the same word first."""
    if not (pair.ours.quantities and pair.theirs.quantities):
        return None
    i, j = pair.places
    our_measures, their_measures = ours.measures_near(i), theirs.measures_near(j)
    alike = [
        (one, other)
        for one in pair.ours.quantities
        for other in pair.theirs.quantities
        if one.shape == other.shape and one.measure not in their_measures and other.measure not in our_measures
    ]
    same_place = [(one, other) for one, other in alike if one.before and one.before == other.before]
    if pair.likeness < SAME_SENTENCE:
        alike = [both for both in alike if pair.likeness >= SAME_MEASURE and both[0].shape in DIMENSIONS]
    return next((_between(one, other) for one, other in same_place or alike), None)


def _alone(pair: _Pair, ours: Account, theirs: Account) -> Difference | None:
    """The one number in which two sentences of the same words differ, wherever else either text has it.

    Not where one of the texts says both, as a list does, nor where the number tells which one is meant (`step 3`).
    """
    one, other = pair.ours, pair.theirs
    if one.weights != other.weights or len(one.quantities) != len(other.quantities):
        return None
    differing = [
        both for both in zip(one.quantities, other.quantities, strict=True) if both[0].measure != both[1].measure
    ]
    if len(differing) != 1 or differing[0][0].shape != differing[0][1].shape or differing[0][0].before in _LABELS:
        return None
    i, j = pair.places
    return None if ours.says(theirs.sentences[j]) or theirs.says(ours.sentences[i]) else _between(*differing[0])


def _in_place(ours: Account, theirs: Account, places: Sequence[tuple[str, str]]) -> Difference | None:
    """Another number at the same place of texts that are the same word for word, but for a few other words too."""
    for one, other in places:
        mine = [number for number in ours.quantities if fold(number.written) == one]
        yours = [number for number in theirs.quantities if fold(number.written) == other]
        for number, against in zip(mine[:1], yours[:1], strict=False):
            is_known = number.measure in theirs.measures or against.measure in ours.measures
            if number.shape == against.shape and not is_known:
                return _between(number, against)
    return None


def _versions(ours: Account, theirs: Account) -> Difference | None:
    """Another version of the same product, wherever alike texts name it."""
    mine = {version for version in ours.quantities if version.is_version and version.before}
    if not mine:
        return None
    new = sorted([version for version in mine if version.measure not in theirs.measures])
    for one in new:
        others = theirs.versions.get((one.shape, one.before), ())
        if against := min((other for other in others if other.measure not in ours.measures), default=None):
            return _between(one, against)
    return None


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
    replaced: dict[str, list[int]] = {}
    for number, (_, _, theirs) in enumerate(swaps):
        for word in theirs:
            replaced.setdefault(word, []).append(number)
    for number, (pair, ours, theirs) in enumerate(swaps):
        for later in sorted({at for word in ours for at in replaced.get(word, ()) if at > number}):
            _, later_ours, later_theirs = swaps[later]
            for word in ours:
                for against in theirs:
                    if word in later_theirs and against in later_ours:
                        return Difference("opposite", pair.ours.written[word], pair.theirs.written[against])
    return None


def _mistaken(ours: Account, theirs: Account) -> Difference | None:
    """A name of which we say what the other text says of another name, though both texts know both."""
    for one in ours.clauses():
        if one.names & one.plain & theirs.names:
            for number in theirs.naming(ours.names - one.plain - one.negated, one, SAME_POINT):
                if found := _named_otherwise(one, theirs[number], ours, theirs):
                    return found
    return None


def _mistaken_there(ours: Account, theirs: Account) -> Difference | None:
    """The same where it is the other text that says it in part of a sentence."""
    known = [other for other in ours.statements() if other.names & other.plain & theirs.names]
    near = [theirs.naming(ours.names - other.plain - other.negated, other, SAME_POINT) for other in known]
    for one in theirs.clauses(sorted({number for numbers in near for number in numbers})):
        for other in known:
            if found := _named_otherwise(one, other, theirs, ours):
                return Difference(found.kind, found.theirs, found.ours)
    return None


def _named_otherwise(one: Statement, other: Statement, text: Account, other_text: Account) -> Difference | None:
    """The name in one that stands for another in the other, if that is all they differ in and both texts have both."""
    mine = [word for word in _only(one, other) if word in one.names and word in other_text.names]
    yours = [word for word in _only(other, one) if word in other.names and word in text.names]
    if len(mine) == len(yours) == 1 and _likeness(one, other) >= SAME_POINT:
        return Difference("opposite", one.written[mine[0]], other.written[yours[0]])
    return None


def _likeness(one: Statement, other: Statement) -> float:
    return 2 * shared(one.weights, other.weights) / (one.total + other.total)


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
