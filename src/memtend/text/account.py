"""What a text says, sentence by sentence, and which of its sentences are like a given one.

A memory may have a hundred thousand sentences, and a new text is compared with all of them. Taking a sentence apart
costs a tenth of a millisecond, so that is done only where it can matter: an index of weighed words tells beforehand
how alike two sentences can be at most. Nothing is left out by that. Sentences that weigh the same words (the lines
of a table or of a log) are one entry of the index.
"""

import unicodedata
from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from memtend.text.sentence import sentences
from memtend.text.statement import Quantity, Statement, Weighed, clauses_of, lexemes, quantities, statement, weighed
from memtend.text.tokens import fold

_EXACT = 9
"""Digits to which likeness is taken, so that what is equal is equal."""
_SLACK = 1e-9
_BETWEEN = "\x01"
"""Stands between sentences while a text is taken apart; no sign of any word."""


class _Index(NamedTuple):
    """Sentences by their weighed words. Those that weigh the same ones are of one kind."""

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
        self.said = " ".join(fold(text).split())
        """The text, but for case and white space."""
        self.sentences: Sequence[str] = list(dict.fromkeys(sentences(text)))
        self._statements: dict[int, Statement] = {}
        self._having: dict[str, Set[int]] = {}

    def __len__(self) -> int:
        return len(self.sentences)

    def __getitem__(self, number: int) -> Statement:
        """A sentence taken apart."""
        found = self._statements.get(number)
        if found is None:
            found = self._statements[number] = statement(self.sentences[number])
        return found

    def statements(self) -> Iterator[Statement]:
        """All sentences taken apart, in order."""
        return (self[number] for number in range(len(self)))

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

    @property
    def names(self) -> Set[str]:
        """The identifiers and other compounds of the text."""
        return self._named.keys()

    def best(self, one: Statement, least: float, count: int) -> list[tuple[float, int]]:
        """How alike to one the sentences are that are most like it, `least` or more, and their numbers; best first.

        Of equals the first ones. Sentences without a weighed word are like none.
        """
        found: list[tuple[float, int]] = []
        for bound, number in self._by_bound(one, least):
            if len(found) == count and (bound, number) > found[-1]:
                break
            if (exact := _likeness(one, self[number])) >= least:
                insort(found, (-exact, number))
                del found[count:]
        return [(-negative, number) for negative, number in found]

    def bare(self) -> Iterator[int]:
        """The numbers of the sentences that have quantities and no weighed word."""
        weightless = (
            members for members, total in zip(self._index.members, self._index.totals, strict=True) if not total
        )
        return (number for number in merge(*weightless) if not self[number].weights and self[number].quantities)

    def naming(self, names: Iterable[str], one: Statement, least: float) -> list[int]:
        """The sentences that have one of the names, and could have a part that is so alike to one; in order."""
        kinds = {kind for name in names for kind in self._named.get(name, ())}
        if not kinds:
            return []
        needed = _needed(one.total, least)
        near = [kind for kind in kinds if self._shared(one.weights.items(), kind) >= needed]
        return sorted([number for kind in near for number in self._index.members[kind]])

    def _by_bound(self, one: Statement, least: float) -> Iterator[tuple[float, int]]:
        """How alike sentences are to one at most, negative, and their numbers: the most alike first, then in order."""
        members, totals = self._index.members, self._index.totals
        bounds = [
            (round(-2 * common / (one.total + totals[kind]), _EXACT), kind)
            for kind, common in self._common(one, least).items()
        ]
        near = sorted([pair for pair in bounds if -pair[0] >= least])
        for bound, kinds in groupby(near, key=itemgetter(0)):
            for number in merge(*[members[kind] for _, kind in kinds]):
                yield bound, number

    def _common(self, one: Statement, least: float) -> dict[int, float]:
        """The weight that one has in common, at most, with each kind that may be so alike.

        Who has none of its rare words cannot have enough of the others, so only their entries are looked through.
        """
        needed, rest, totals = _needed(one.total, least), one.total, self._index.totals
        rare_first = sorted(one.weights.items(), key=lambda item: len(self._kinds_with(item[0])))
        found: dict[int, float] = {}
        for at, (name, weight) in enumerate(rare_first):
            if rest < needed:
                others, half = rare_first[at:], least / 2
                near = [
                    (kind, common)
                    for kind, common in found.items()
                    if common + rest >= half * (one.total + totals[kind]) - _SLACK
                ]
                return {kind: common + self._shared(others, kind) for kind, common in near}
            for kind in self._kinds_with(name):
                found[kind] = found.get(kind, 0.0) + weight
            rest -= weight
        return found

    def _shared(self, weights: Iterable[tuple[str, float]], kind: int) -> float:
        """What a kind of sentences has of some weighed words at most."""
        return sum([weight for name, weight in weights if kind in self._kinds_with(name)])

    def _kinds_with(self, name: str) -> Set[int]:
        """The kinds of sentences that have what is weighed as this name."""
        found = self._having.get(name)
        if found is None:
            found = frozenset().union(*[self._index.places[lexeme] for lexeme in self._lexemes.get(name, ())])
            self._having[name] = found
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
    def _named(self) -> Mapping[str, list[int]]:
        """The kinds of sentences that have a name, by name."""
        found: dict[str, list[int]] = {}
        for lexeme, kinds in self._index.places.items():
            if self._index.weighed[lexeme].is_name:
                found.setdefault(self._index.weighed[lexeme].word, []).extend(kinds)
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
            kinds.setdefault(tuple([word for word in words if word in heavy]), []).append(number)
            if not counted.isdisjoint(words):
                counting.append(number)
        places: dict[str, list[int]] = {}
        for kind, words in enumerate(kinds):
            for word in set(words):
                places.setdefault(word, []).append(kind)
        totals = [sum([known[word].least for word in words]) for words in kinds]
        return _Index(known, places, list(kinds.values()), totals, counting)


@lru_cache(maxsize=256)
def account(text: str) -> Account:
    """What a text says. Remembered, since a memory is compared with many texts."""
    return Account(text)


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
