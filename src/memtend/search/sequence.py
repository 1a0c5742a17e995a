"""Memories that continue each other, such as the turns of a conversation kept one by one, or one talk after another.

A line or two says little by itself: what it is about was said just before, and an answer stands just after its
question. So each lends some of its score to those next to it that lack a word of the question which it has: who has
all of them too needs no help. A long memory lends less: that its neighbour answers speaks for it, since what was spoken
of goes on. Which follows which, their ids say: they differ in the number at their end alone, and the topic and the
category are the same, of short ones the day, too.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memtend.search.rank import Hit

AROUND = 0.6
"""What the score of all that stands around weighs beside a memory's own: twice the sum of `_LENT`."""
_LENT = {1: 0.2, 2: 0.1}
"""Which share of its score a memory lends to the next one and to the next but one."""
_LENT_BY_LONG = {1: 0.05}
"""The same of what says more by itself, such as one meeting's notes to those of the next."""
_SHORT_TOKENS = 110
"""What says more than that in itself is long."""


def may_continue(hit: "Hit") -> bool:
    """Whether a memory is numbered."""
    last: str = hit.id[-1:]
    return last.isascii() and last.isdecimal()


def ids_around(hits: "Iterable[Hit]") -> list[str]:
    """The ids that memories next to some would have. What a long one lends brings in none that was not found."""
    found: dict[str, None] = {}
    for hit in filter(_is_short, hits):
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
        series, number, is_short = _series(taker), _number(taker), _is_short(taker)
        sum_lent = 0.0
        for step, share in (_LENT if is_short else _LENT_BY_LONG).items():
            for place in (number - step, number + step):
                giver = places.get((*series, place))
                if giver and (not is_short or _tells_more(giver, taker)):
                    sum_lent += share * giver.score
        if sum_lent:
            found[taker.n] = sum_lent / AROUND
    return found


def _tells_more(giver: "Hit", taker: "Hit") -> bool:
    """Whether it has a word of the question that the other lacks; without any, whether it is nearer in meaning."""
    return not giver.words <= taker.words if giver.words else giver.by_meaning > taker.by_meaning


def _is_short(hit: "Hit") -> bool:
    return bool(hit.tokens <= _SHORT_TOKENS)


def _series(hit: "Hit") -> tuple[str, ...]:
    """What memories that continue each other have in common: the day, too, if they are short."""
    return _parted(hit.id)[0], hit.topic, hit.category, hit.day if _is_short(hit) else "long"


def _number(hit: "Hit") -> int:
    return int(_parted(hit.id)[1])


def _parted(id: str) -> tuple[str, str]:
    stem = id.rstrip("0123456789")
    return stem, id[len(stem) :]
