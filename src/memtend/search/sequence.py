"""Memories of a line or two that continue each other, such as the turns of a conversation kept one by one.

One of them says little by itself: what it is about was said just before, and an answer stands just after its question.
So each lends some of its score to those next to it that lack a word of the question which it has: who has all of them
too needs no help. Which follows which, their ids say: they differ in the number at their end alone, and the topic, the
category and the day are the same.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memtend.search.rank import Hit

AROUND = 0.6
"""What the score of all that stands around weighs beside a memory's own: twice the sum of `_LENT`."""
_LENT = {1: 0.2, 2: 0.1}
"""Which share of its score a memory lends to the next one and to the next but one."""
_SHORT_TOKENS = 110
"""What says more than that in itself neither needs nor lends anything."""


def may_continue(hit: "Hit") -> bool:
    """Whether a memory is short, and numbered."""
    is_short: bool = hit.tokens <= _SHORT_TOKENS
    return is_short and hit.id[-1:].isascii() and hit.id[-1:].isdecimal()


def ids_around(hits: "Iterable[Hit]") -> list[str]:
    """The ids that memories next to some would have."""
    found: dict[str, None] = {}
    for hit in hits:
        stem, digits = _parted(hit.id)
        for step in (*_LENT, *(-step for step in _LENT)):
            number = int(digits) + step
            if number >= 0:
                found[f"{stem}{number:0{len(digits)}}"] = None
    return list(found)


def lent(givers: "Sequence[Hit]", takers: "Sequence[Hit]") -> dict[int, float]:
    """What each taker has around it, from 0 to 1, by its number in the index."""
    places = {(*_series(giver), _number(giver)): giver for giver in givers}
    found: dict[int, float] = {}
    for taker in takers:
        series, number = _series(taker), _number(taker)
        sum_lent = 0.0
        for step, share in _LENT.items():
            for place in (number - step, number + step):
                giver = places.get((*series, place))
                if giver and _tells_more(giver, taker):
                    sum_lent += share * giver.score
        if sum_lent:
            found[taker.n] = sum_lent / AROUND
    return found


def _tells_more(giver: "Hit", taker: "Hit") -> bool:
    """Whether it has a word of the question that the other lacks; without any, whether it is nearer in meaning."""
    return not giver.words <= taker.words if giver.words else giver.by_meaning > taker.by_meaning


def _series(hit: "Hit") -> tuple[str, ...]:
    """What memories that continue each other have in common."""
    return _parted(hit.id)[0], hit.topic, hit.category, hit.day


def _number(hit: "Hit") -> int:
    return int(_parted(hit.id)[1])


def _parted(id: str) -> tuple[str, str]:
    stem = id.rstrip("0123456789")
    return stem, id[len(stem) :]
