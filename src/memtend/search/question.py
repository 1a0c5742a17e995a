"""What a text asks for: its words, what each weighs in this index, and how well a memory answers."""

import math

from memtend.search.words import FILLERS, Unit, is_unspaced, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from memtend.search.days import Days
    from memtend.search.index import Index
    from memtend.search.related import Related

_UNSEEN_MEMORIES = 50
"""Memories that might be there but are not: so a word of a small vault is not taken for a common one."""
_COMMON_SHARE, _COMMON_COUNT = 0.1, 50
_HOME_COUNT = 5
"""Memories that have a name, at least, where it is named all over the place."""
_MOST_WORDS, _MOST_COMMON, _MOST_IN_EVERY = 24, 4, 48
_MOST_WEIGHED, _MOST_LOOKED_UP, _MOST_RELATED = 30_000, 10_000, 5_000
"""Memories that a question's words may have together: to be weighed by BM25, each for some tenth of a microsecond; for
single memories to be looked up among them, or those that have all words; and that related words may have besides."""
_TELLING_UNITS = 8
"""A long text is asked no more than its weightiest words could give."""
_HALF = 3
"""Letters of half a compound, at least."""
_PARTICLES = ("out", "off", "down", "over", "in", "up")
"""Ends of compounds that are fillers where they stand alone: `logout`, `log out`."""
_UNSEEN_PAIR = 0.3
"""Pairs of characters that cross the border of two words need not be anywhere."""
_IN_TITLE = 3.0
"""What a word in the title counts for, of 1 in the text."""
_SATURATION, _LENGTH = 1.0, 0.5
"""BM25's k1 and b."""


class Term:
    """A word of a question: how many memories have it, and what it weighs."""

    __slots__ = ("count", "weight")

    def __init__(self, count: int, total: int) -> None:
        self.count = count
        self.weight = math.log(1 + (total + _UNSEEN_MEMORIES - count + 0.5) / (count + 0.5))


class Expression:
    """A full-text query, and its words in the order of its phrases."""

    __slots__ = ("text", "words")

    def __init__(self, text: str, words: "Sequence[str]") -> None:
        self.text = text
        self.words = words


class Question:
    """A text, weighed against an index.

    `every` finds memories that hold each of its units, `some` those that hold any that tells memories apart, and
    `rarest` those of them that hold one of the rarest; None where there can be none. `some_is_all` says that `some`
    looks for every word that is anywhere, `is_common` that so many memories have each of them that none tells memories
    apart. `unknown_names` are how many units are spelled as names and in no memory, `vault_size` how many there are;
    `is_at_home` says that it names something that is named all over the place. `related` are words that mean much the
    same as its own, where it is widened by them and memories have some.
    """

    __slots__ = (
        "_aside", "_names", "_total", "_weighed", "_words", "days", "every", "is_at_home", "is_common", "rarest",
        "related", "some", "some_is_all", "terms", "units", "unknown_names", "vault_size",
    )  # fmt: skip

    def __init__(
        self,
        index: "Index",
        text: str,
        *,
        is_typed: bool = True,
        is_widened: bool = False,
        days: "Days | None" = None,
    ) -> None:
        """`is_typed` says that a person put it so: it may name something, and may have joined two words.

        `is_widened` says that related words count, too; `days` are those that it names.
        """
        total = self.vault_size = index.count()
        self.days = days
        self.units = units(text)
        if days and days.words.isdisjoint(word for unit in self.units for word in unit.words):
            self.units.append(Unit(tuple(sorted(days.words))))  # `may` is a filler, but for the month
        self.terms = _terms(index, self.units, total)
        if is_typed and len(self.units) <= _MOST_WORDS:
            self._part_compounds(index, total)
        most = max(_COMMON_COUNT, total * _COMMON_SHARE)
        self.is_common = all(term.count > most for term in self.terms.values() if term.count)
        telling = self._telling(most)
        self.every = self._every()
        self.some = _any_of(telling)
        rarest = self._rarest(telling)
        self.rarest = self.some if len(rarest) == len(telling) else _any_of(rarest)
        self.some_is_all = len(telling) == sum(term.count > 0 for term in self.terms.values())
        named = _names(text) if is_typed else ()
        aside = days.words if days else frozenset[str]()
        beside = [unit for unit in self.units if not unit.words or not aside.issuperset(unit.words)]
        self._aside = aside if len(beside) > 1 else frozenset[str]()
        names = [unit for unit in beside if unit.key in named]
        self._names = [unit for unit in names if not self._is_everywhere(unit, max(_HOME_COUNT, total * _COMMON_SHARE))]
        self.is_at_home = len(self._names) < len(names)
        self.unknown_names = sum(not self._is_anywhere(unit) for unit in self._names)
        self._words = {word for unit in self.units for word in unit.words}
        masses = [self._mass(unit, set(telling)) for unit in self.units]
        self._total = sum(sorted(masses, reverse=True)[:_TELLING_UNITS]) or 1.0
        self._weighed = [
            ([(word, self.terms[word].weight, 1 + _is_code(word)) for word in unit.words], unit.whole, mass)
            for unit, mass in zip(self.units, masses, strict=True)
        ]
        self.related = self._widened(index, text, masses, most) if is_widened and self._may_be_widened() else None

    @property
    def is_a_name(self) -> bool:
        """Whether it is a single name, which means itself."""
        return len(self.units) == 1 and self.units[0].is_name

    def _may_be_widened(self) -> bool:
        return len(self.units) <= _MOST_WORDS and not self.is_a_name

    def answered(self, length: float, found: "Mapping[str, float]") -> tuple[float, float, int]:
        """How much a memory gives of what is asked for, which share of it is there at all, and how many words are.

        A word with letters and digits (`E0277`) counts as two, since it can hardly be there by chance. Those of a day
        do not count where more is asked for: much is made on a day, and a line of a log begins with one.
        `length` is the memory's, as a share of the mean; `found` how much each word weighs in it by its places.
        """
        half = _half(length)
        value = share = 0.0
        count = 0
        for words, whole, mass in self._weighed:
            worth = there = 0.0
            for word, weight, counts in words:
                if seen := found.get(word):
                    worth += weight * seen / (seen + half)
                    there += weight
                    count += 0 if word in self._aside else counts
            in_one = found.get(whole, 0.0)
            if in_one:
                value += min(mass, max(worth, mass * in_one / (in_one + half)))
                share += mass
                count += whole not in self._aside
            elif there:
                value += min(mass, worth)
                share += min(mass, there)
        return min(1.0, value / self._total), min(1.0, share / self._total), count

    def answered_in_other_words(self, length: float, found: "Mapping[str, float]") -> tuple[float, tuple[str, ...]]:
        """Which share of what is asked for a memory says in related words alone, and in which."""
        return self.related.said(_half(length), found) if self.related else (0.0, ())

    def own(self, found: "dict[str, float]") -> "dict[str, float]":
        """Of what is found, the words that are asked for themselves."""
        if not self.related:
            return found
        return {word: weight for word, weight in found.items() if word not in self.related.words}

    def with_day(self, found: "Mapping[str, float]", nearness: float) -> "dict[str, float]":
        """What a memory has of the question, if the day it was made on is as near as that to those asked for.

        It says its day in its head, so the words of that day count as if they stood in its title.
        """
        words = self.days.words if self.days else ()
        return {**found} | {word: max(found.get(word, 0), _IN_TITLE * nearness) for word in words if word in self.terms}

    def masses(self, expression: Expression) -> list[float]:
        """What each phrase of an expression is worth; nothing for a whole name, whose words count."""
        return [self.terms[word].weight if word in self._words else 0.0 for word in expression.words]

    def share_of(self, mass: float) -> float:
        """Which share of what is asked for that is."""
        return min(1.0, mass / self._total)

    def is_light(self, expression: Expression) -> bool:
        """Whether so few memories have its words that single ones are found among them in no time."""
        return sum(self.terms[word].count for word in expression.words) <= _MOST_LOOKED_UP

    def names_missing(self, found: "Mapping[str, float]") -> int:
        """How many things that the question names are not there at all."""
        return sum(not any(found.get(word) for word in (*unit.words, unit.whole)) for unit in self._names)

    def lacking(self, found: "Mapping[str, float]", related: "Container[str]" = ()) -> list[str]:
        """The words and names that are not there at all; none of an idiom that a related word stands for."""
        said = self.related.stand_for(related) if self.related else ()
        return [
            unit.whole or " ".join(unit.spelled)
            for place, unit in enumerate(self.units)
            if place not in said and not any(found.get(word) for word in (*unit.words, unit.whole))
        ]

    def _is_everywhere(self, unit: "Unit", most: float) -> bool:
        return any(self.terms[word].count > most for word in (*unit.words, unit.whole) if word)

    def _is_anywhere(self, unit: "Unit") -> bool:
        return any(self.terms[word].count for word in (*unit.words, unit.whole) if word)

    def is_answered_wholly(self, found: "Mapping[str, float]") -> bool:
        """Whether every unit is there."""
        return all(
            found.get(unit.whole) or (unit.words and all(found.get(word) for word in unit.words)) for unit in self.units
        )

    def _part_compounds(self, index: "Index", total: int) -> None:
        """Take a word that no memory has for the two that it is made of, where these stand together in one."""
        parted: dict[int, list[tuple[str, ...]]] = {}
        for place, unit in enumerate(self.units):
            if len(unit.words) == 1 and not self._is_anywhere(unit) and (halves := _halves(unit)):
                parted[place] = halves
        if not parted:
            return
        found = _terms(index, [Unit(words) for halves in parted.values() for words in halves], total)
        for place, halves in parted.items():
            for words in halves:
                if all(found[word].count for word in words) and index.has_phrase(words):
                    self.units[place] = Unit(words)
                    self.terms |= {word: found[word] for word in words}
                    break
        self.units = list({unit.key: unit for unit in self.units}.values())

    def _telling(self, most: float) -> list[str]:
        """The words that memories have, rarest first, without those that too many have unless no other is left."""
        known = sorted((term.count, word) for word, term in self.terms.items() if term.count)
        if self.is_common:
            return [word for _count, word in known[:_MOST_COMMON]]
        return [word for count, word in known if count <= most][:_MOST_WORDS]

    def _widened(self, index: "Index", text: str, masses: "Sequence[float]", most: float) -> "Related | None":
        """The words related to those asked for that tell memories apart, the rarest if they are many.

        One that many memories have is worth no more than if it were asked for itself. Of several that stand together,
        the rarest says how many have them.
        """
        from memtend.search.related import Related, related_words

        related = related_words(index, text, self.units)
        words = {word: tuple(word.split()) for some in related for word in some}
        counted = _terms(index, map(Unit, words.values()), self.vault_size)
        terms = {word: min((counted[part] for part in parts), key=_count) for word, parts in words.items()}
        self.terms = terms | self.terms
        telling = sorted((term.count, word) for word, term in terms.items() if 0 < term.count <= most)
        kept = self._rarest([word for _, word in telling], _MOST_RELATED)
        if not kept:
            return None
        parts = [
            (
                (*unit.words, unit.whole),
                [(word, min(mass, terms[word].weight), several) for word, several in some.items() if word in kept],
            )
            for unit, mass, some in zip(self.units, masses, related, strict=True)
        ]
        own = self.some.words if self.some else ()
        return Related(parts, self._total, _any(kept), _any([*own, *kept]))

    def _rarest(self, telling: "Sequence[str]", most: int = _MOST_WEIGHED) -> list[str]:
        """The first words, rarest first, that not too many memories have together."""
        chosen: list[str] = []
        total = 0
        for word in telling:
            total += self.terms[word].count
            if chosen and total > most:
                break
            chosen.append(word)
        return chosen

    def _every(self) -> Expression | None:
        if not 0 < sum(max(1, len(unit.words)) for unit in self.units) <= _MOST_IN_EVERY:
            return None
        parts: list[str] = []
        words: list[str] = []
        for unit in self.units:
            wholes = [unit.whole] if unit.whole and self.terms[unit.whole].count else []
            pieces = unit.words if all(self.terms[word].count for word in unit.words) else ()
            choices = [" AND ".join(map(_quoted, some)) for some in (pieces, wholes) if some]
            if not choices:
                return None
            parts.append("(" + ") OR (".join(choices) + ")")
            words += [*pieces, *wholes]
        return Expression("(" + ") AND (".join(parts) + ")", words)

    def _mass(self, unit: "Unit", telling: set[str]) -> float:
        """What a unit is worth: its words that tell memories apart or that no memory has. A day is one word."""
        if self.days and unit.words and self.days.words.issuperset(unit.words):
            return max(self.terms[word].weight for word in unit.words)
        mass = 0.0
        for word in unit.words:
            term = self.terms[word]
            if term.count == 0:
                mass += term.weight * (_UNSEEN_PAIR if unit.is_run else 1.0)
            elif word in telling:
                mass += term.weight
        whole = self.terms.get(unit.whole)
        return max(mass, whole.weight) if whole and (whole.count or not unit.words) else mass


def _half(length: float) -> float:
    """What gives half of a word's weight in a memory of that length, as a share of the mean."""
    return _SATURATION * (1 - _LENGTH + _LENGTH * length)


def _count(term: Term) -> int:
    return term.count


def _halves(unit: "Unit") -> list[tuple[str, ...]]:
    """The ways in which a plain word may be made of two; of `logout`, only `log` is ever looked for."""
    word = unit.words[0]
    if unit.whole or unit.is_run or not word.isascii() or not word.isalpha():
        return []
    halves = [(word[:place], word[place:]) for place in range(_HALF, len(word) - _HALF + 1)]
    spoken = [(word.removesuffix(end),) for end in _PARTICLES if word.endswith(end) and len(word) >= _HALF + len(end)]
    return [words for words in (*spoken, *halves) if FILLERS.isdisjoint(words)]


def _terms(index: "Index", asked: "Iterable[Unit]", total: int) -> dict[str, Term]:
    words = list(dict.fromkeys(word for unit in asked for word in (*unit.words, unit.whole) if word))
    stems = dict(zip(words, index.stems(words), strict=True))
    counts = index.counts(list(dict.fromkeys(stems.values())))
    starts = [word for word in words if _is_start(word)]
    counts.update({word: min(total, index.count_starts(word)) for word in starts})
    return {word: Term(counts.get(stem, 0), total) for word, stem in stems.items()}


def _any_of(words: "Sequence[str]") -> Expression | None:
    return _any(words) if words else None


def _any(words: "Sequence[str]") -> Expression:
    return Expression(" OR ".join(map(_quoted, words)), words)


def _names(text: str) -> set[tuple[tuple[str, ...], str]]:
    """The units that are spelled as names: with digits, signs or capitals within, or a capital amid an English text.

    Other tongues write any noun so; a text in capitals throughout names nothing by them.
    """
    chunks = text.split()
    is_english = any(chunk in FILLERS for chunk in map(str.lower, chunks)) and not text.isupper()
    capitals = sum(chunk[:1].isupper() for chunk in chunks[1:])
    found: set[tuple[tuple[str, ...], str]] = set()
    is_first = True
    for chunk in chunks:
        core = chunk.strip(".,:;?!()[]\"'`")
        is_capital = core[:1].isupper() and not is_first and is_english and 2 * capitals < len(chunks)
        has_hump = not core.isupper() and any(map(str.isupper, core[1:]))
        if is_capital or has_hump or _has_sign(core):
            found.update(unit.key for unit in units(chunk))
        is_first = chunk[-1] in ".?!:"
    return found


def _has_sign(core: str) -> bool:
    return "--" in core or any(letter.isdecimal() or letter in "_./@\\#+" for letter in core)


def _is_code(word: str) -> bool:
    return not word.isalpha() and not word.isdecimal()


def _quoted(word: str) -> str:
    return f'"{word}" *' if _is_start(word) else f'"{word}"'


def _is_start(word: str) -> bool:
    """A single character of an unspaced script stands for every pair that starts with it."""
    return len(word) == 1 and is_unspaced(word)
