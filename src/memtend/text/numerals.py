"""Numbers written as English words: `three`, `twenty-five`, `two hundred and fifty`, `once`, `twice`.

`one` is a number only where it counts something (`one worker`, not `this one` or `one of them`), and `once` only where
it says how often (`retry once`, not `once the lock is held`).
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from memtend.text.stopwords import STOP


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_SMALL = {
    word: value
    for value, word in enumerate(
        _listed(
            """
            zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
            seventeen eighteen nineteen
            """
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(_listed("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
_VALUES = _SMALL | _TENS
_VALUES |= {f"{word}-{ones}": _TENS[word] + _SMALL[ones] for word in _TENS for ones in list(_SMALL)[1:10]}
_FACTORS = {"hundred": 100, "thousand": 1000}
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_NUMERALS = _VALUES.keys() | _FACTORS.keys() | _TIMES.keys()
_POINTING = frozenset(_listed("a the this that these those no any each every some which what another other only"))
"""Words before `one` that make it a pronoun."""
_BEHIND_ONCE = frozenset(_listed("a an per every each in and or more for by on at then before after only within"))
"""Words behind `once` where it says how often."""


class Spelled(NamedTuple):
    """A number in words: its value, and how many words it takes."""

    value: int
    length: int


def is_numeral(word: str) -> bool:
    """Whether a folded word may be a number, or part of one."""
    return word in _NUMERALS


def spelled(words: Sequence[str], at: int) -> Spelled | None:
    """The number that begins at a place among folded words, None where none does."""
    word = words[at]
    if word not in _NUMERALS:
        return None
    following = words[at + 1] if at + 1 < len(words) else ""
    if word in _TIMES:
        is_conjunction = word == "once" and following and (at == 0 or following not in _BEHIND_ONCE)
        return None if is_conjunction else Spelled(_TIMES[word], 1)
    if word == "one" and not _counts(words[at - 1] if at else "", following):
        return None
    return _read(words, at)


def _counts(before: str, following: str) -> bool:
    """Whether `one` between two words counts something."""
    return before not in _POINTING and bool(following) and (following == "per" or following not in STOP)


def _read(words: Sequence[str], start: int) -> Spelled:
    """Add up the words of a number: each must fit into the room that those before it leave."""
    thousands, current, room, at = 0, 0, inf, start
    while at < len(words):
        value, factor = _VALUES.get(words[at]), _FACTORS.get(words[at])
        if value is not None and value < room:
            current += value
            room = 10 if value >= 20 and value % 10 == 0 else 0
        elif factor == 100:
            current, room = max(current, 1) * factor, factor
        elif factor:
            thousands, current, room = thousands + max(current, 1) * factor, 0, factor
        elif not (words[at] == "and" and room in (100, 1000) and _goes_on(words, at + 1, room)):
            break
        at += 1
    return Spelled(thousands + current, at - start)


def _goes_on(words: Sequence[str], at: int, room: float) -> bool:
    value = _VALUES.get(words[at]) if at < len(words) else None
    return value is not None and value < room
