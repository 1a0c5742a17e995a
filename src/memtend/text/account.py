"""What a text says, sentence by sentence, and which of its sentences are like a given one.

A memory may have a hundred thousand sentences, and a new text is compared with all of them. Taking a sentence apart
costs a tenth of a millisecond, so that is done only where it can matter: an index of weighed words tells beforehand
how alike two sentences can be at most. Sentences that weigh the same words (the lines of a table or of a log) are one
entry of the index.

The most alike sentences are looked for first, by their rarest words, and that is enough for most. Nothing is left out
in texts of some hundred sentences. In a much longer one a sentence may have one like it in nothing but words that
stand in hundreds of others; that one is not looked for, else time would grow by the square of the length.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from heapq import heappop, heappush, merge
from itertools import groupby
from math import inf
from operator import itemgetter
from typing import NamedTuple

from memtend.text.sentence import sentences
from memtend.text.statement import Quantity, Statement, Weighed, clauses_of, lexemes, quantities, statement, weighed
from memtend.text.tokens import fold

_EXACT = 9
"""Digits to which likeness is taken, so that what is equal is equal."""
_SLACK = 1e-9
_STEPS = (0.95, 0.8, 0.6)
"""Likenesses down to which sentences are looked for first: the more alike, the fewer words find them."""
_LOOKED_THROUGH = 2_000
"""Kinds of sentences that are looked through for one sentence, those of its rarest words first."""
_AROUND = 500
"""Sentences before and behind one, at least, whose numbers it is read with."""
_BETWEEN = "\x01"
"""Stands between sentences while a text is taken apart; no sign of any word."""


class _Index(NamedTuple):
    """Sentences by their weighed words. Those that weigh the same ones are of one kind, and light kinds come first."""

    weighed: Mapping[str, Weighed]
    """What the words are weighed as, by word as written."""
    places: Mapping[str, list[int]]
    """The kinds that have a word, by word as written."""
    members: Sequence[list[int]]
    """The numbers of the sentences, by kind; in order."""
    totals: Sequence[float]
    """What the words of a sentence weigh together at least, by kind."""
    counting: Sequence[int]
    """The numbers of the sentences that have a number or a date."""


class Account:
    """The sentences of a text, each once, in its order; statements are made of them when they are asked for."""

    def __init__(self, text: str) -> None:
        self.said = _plain(text)
        """The text, but for case and white space."""
        self.sentences: Sequence[str] = list(dict.fromkeys(sentences(text)))
        self._measured: dict[int, Set[tuple[str, float | str]]] = {}
        self._having: dict[str, tuple[Sequence[int], frozenset[int]]] = {}

    def __len__(self) -> int:
        return len(self.sentences)

    def __getitem__(self, number: int) -> Statement:
        """A sentence taken apart."""
        return statement(self.sentences[number])

    def statements(self) -> Iterator[Statement]:
        """All sentences taken apart, in order."""
        return (self[number] for number in range(len(self)))

    def says(self, sentence: str) -> bool:
        """Whether a sentence stands in the text, but for case and white space."""
        return _plain(sentence) in self._plain_sentences

    def clauses(self, numbers: Iterable[int] | None = None) -> Iterator[Statement]:
        """The parts of these sentences (of all) that could stand alone."""
        chosen = self.sentences if numbers is None else [self.sentences[number] for number in numbers]
        return (clause for sentence in chosen for clause in clauses_of(sentence))

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Every quantity of the text."""
        return tuple([found for number in self._index.counting for found in quantities(self.sentences[number])])

    @cached_property
    def measures(self) -> Set[tuple[str, float | str]]:
        """What the text's quantities measure."""
        return frozenset([quantity.measure for quantity in self.quantities])

    def measures_near(self, number: int) -> Set[tuple[str, float | str]]:
        """What quantities around a sentence measure. In a text as long as a book every number stands somewhere."""
        if len(self) <= 2 * _AROUND:
            return self.measures
        block = number // _AROUND
        if block not in self._measured:
            counting = self._index.counting
            start, end = (bisect_left(counting, (block + step) * _AROUND) for step in (-1, 2))
            near = [self.sentences[at] for at in counting[start:end]]
            self._measured[block] = frozenset([found.measure for sentence in near for found in quantities(sentence)])
        return self._measured[block]

    @cached_property
    def _plain_sentences(self) -> Set[str]:
        return frozenset(map(_plain, self.sentences))

    @property
    def names(self) -> Set[str]:
        """The identifiers and other compounds of the text."""
        return self._named.keys()

    @cached_property
    def versions(self) -> Mapping[tuple[str, str], list[Quantity]]:
        """The versions that the text names, by form and by the word before them."""
        found: dict[tuple[str, str], list[Quantity]] = {}
        for quantity in self.quantities:
            if quantity.is_version:
                found.setdefault((quantity.shape, quantity.before), []).append(quantity)
        return found

    def like(self, one: Statement, least: float) -> Iterator[tuple[float, int]]:
        """How alike to one the sentences are, `least` or more, and their numbers; the most alike first.

        Of equals the first ones. Sentences without a weighed word are like none.
        """
        near: list[tuple[float, int]] = []
        most = inf
        for low in (*[step for step in _STEPS if step > least], least):
            for bound, number in self._by_bound(one, low, most):
                while near and near[0] < (bound, number):
                    yield _popped(near)
                if (exact := _likeness(one, self[number])) >= least:
                    heappush(near, (-exact, number))
            while near and -near[0][0] >= low:
                yield _popped(near)
            most = low

    @cached_property
    def bare(self) -> Sequence[int]:
        """The numbers of the sentences that have quantities and no weighed word."""
        weightless = [
            members for members, total in zip(self._index.members, self._index.totals, strict=True) if not total
        ]
        return [number for number in merge(*weightless) if not self[number].weights and self[number].quantities]

    def naming(self, names: Collection[str], one: Statement, least: float) -> list[int]:
        """The sentences that have one of the names, and could have a part that is so alike to one; in order."""
        named = [self._named[name] for name in names if name in self._named]
        if not named:
            return []
        near = [
            kind for kind in self._common(one, least, len(self._index.members)) if any(kind in kinds for kinds in named)
        ]
        return sorted([number for kind in near for number in self._index.members[kind]])

    def _by_bound(self, one: Statement, least: float, most: float) -> Iterator[tuple[float, int]]:
        """How alike sentences are to one at most, negative, and their numbers: the most alike first, then in order.

        Only those that are `least` alike, or more, but less than `most`.
        """
        members, totals = self._index.members, self._index.totals
        behind = bisect_right(totals, one.total * (2 - least) / least + _SLACK)
        near = [
            (round(-2 * common / (one.total + max(common, totals[kind])), _EXACT), kind)
            for kind, common in self._common(one, least, behind).items()
            if 2 * common >= least * (one.total + totals[kind]) - _SLACK
        ]
        near = sorted([pair for pair in near if least <= -pair[0] < most])
        for bound, kinds in groupby(near, key=itemgetter(0)):
            for number in merge(*[members[kind] for _, kind in kinds]):
                yield bound, number

    def _common(self, one: Statement, least: float, behind: int) -> dict[int, float]:
        """The weight that one has in common, at most, with each kind that may have a part that is so alike.

        Kinds from `behind` on are left out.
        """
        needed = _needed(one.total, least)
        rare_first = sorted(one.weights.items(), key=lambda item: len(self._kinds_with(item[0])[0]))
        found = dict.fromkeys(self._likely(rare_first, one.total, needed, behind), 0.0)
        for name, weight in rare_first:
            kinds = self._kinds_with(name)[1]
            for kind in kinds.intersection(found) if len(found) < len(kinds) else found.keys() & kinds:
                found[kind] += weight
        return {kind: common for kind, common in found.items() if common >= needed}

    def _likely(
        self, rare_first: Sequence[tuple[str, float]], total: float, needed: float, behind: int
    ) -> Collection[int]:
        """The kinds that may have what is needed of some weighed words, as far as those are looked through.

        Who has none of the rare words cannot have enough of the others, and who lacks a heavy word has not enough.
        """
        found: set[int] = set()
        looked, rest = 0, total
        for name, weight in rare_first:
            light = self._light(name, behind)
            looked += len(light)
            if rest < needed or (found and looked > _LOOKED_THROUGH):
                break
            found.update(light)
            rest -= weight
        for name, weight in rare_first:
            if weight > total - needed:
                found &= self._kinds_with(name)[1]
        return found

    def _light(self, name: str, behind: int) -> Sequence[int]:
        kinds, _ = self._kinds_with(name)
        return kinds[: bisect_left(kinds, behind)]

    def _kinds_with(self, name: str) -> tuple[Sequence[int], frozenset[int]]:
        """The kinds of sentences that have what is weighed as this name, in order and as a set."""
        found = self._having.get(name)
        if found is None:
            kinds = frozenset().union(*[self._index.places[lexeme] for lexeme in self._lexemes.get(name, ())])
            found = self._having[name] = sorted(kinds), kinds
        return found

    @cached_property
    def _lexemes(self) -> Mapping[str, list[str]]:
        """The words as written, by what they are weighed as."""
        found: dict[str, list[str]] = {}
        for lexeme in self._index.places:
            for name, _ in self._index.weighed[lexeme].weights:
                found.setdefault(name, []).append(lexeme)
        return found

    @cached_property
    def _named(self) -> Mapping[str, Set[int]]:
        """The kinds of sentences that have a name, by name."""
        found: dict[str, set[int]] = {}
        for lexeme, kinds in self._index.places.items():
            if self._index.weighed[lexeme].is_name:
                found.setdefault(self._index.weighed[lexeme].word, set()).update(kinds)
        return found

    @cached_property
    def _index(self) -> _Index:
        """One look at every word."""
        joined = f"\n{_BETWEEN}\n".join([sentence.replace(_BETWEEN, " ") for sentence in self.sentences])
        written = lexemes(unicodedata.normalize("NFKC", joined).replace("’", "'"), f"|{_BETWEEN}")
        known = {lexeme: weighed(lexeme) for lexeme in set(written)}
        heavy = {lexeme for lexeme, its in known.items() if its.weights}
        counted = {lexeme for lexeme, its in known.items() if its.counts}
        kinds: dict[tuple[str, ...], list[int]] = {}
        counting: list[int] = []
        for number, words in zip(range(len(self)), _parted(written), strict=False):
            kinds.setdefault(tuple(sorted([word for word in words if word in heavy])), []).append(number)
            if not counted.isdisjoint(words):
                counting.append(number)
        totals = {words: sum([known[word].least for word in words]) for words in kinds}
        lightest_first = sorted(kinds, key=totals.__getitem__)
        places: dict[str, list[int]] = {}
        for kind, words in enumerate(lightest_first):
            for word in set(words):
                places.setdefault(word, []).append(kind)
        members = [kinds[words] for words in lightest_first]
        return _Index(known, places, members, [totals[words] for words in lightest_first], counting)


@lru_cache(maxsize=256)
def account(text: str) -> Account:
    """What a text says. Remembered, since a memory is compared with many texts."""
    return Account(text)


def _plain(text: str) -> str:
    return " ".join(fold(text).split())


def _popped(near: list[tuple[float, int]]) -> tuple[float, int]:
    negative, number = heappop(near)
    return -negative, number


def _parted(written: Sequence[str]) -> Iterator[Sequence[str]]:
    """The words of each sentence."""
    start = 0
    while start <= len(written):
        try:
            end = written.index(_BETWEEN, start)
        except ValueError:
            end = len(written)
        yield written[start:end]
        start = end + 1


def _needed(total: float, least: float) -> float:
    """What a sentence must have in common with one of this weight to be so alike, however little it says besides."""
    return least * total / (2 - least) - _SLACK


def _likeness(one: Statement, other: Statement) -> float:
    """Twice what two sentences have in common over what both have."""
    common = sum([min(weight, other.weights[word]) for word, weight in one.weights.items() if word in other.weights])
    return round(2 * common / (one.total + other.total), _EXACT) if common else 0.0
