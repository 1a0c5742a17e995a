"""What the built-in embedding keeps of a piece: its own words, those of the whole memory, and what it is about.

A piece alone says little of what the text around it is for, and a question may ask for that. So a piece's vector is a
quarter its own, half the mean of all pieces of its memory, and a quarter that of title and keywords, each brought to
one length first. Everything is reckoned in whole numbers: the same with numpy (for many memories) and without.
"""

from math import sqrt
from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_WHOLE = 2
"""What the whole memory weighs beside a piece itself, and beside what it is about."""
_LENGTH = 4096
"""To which each of the three is brought: rounding then moves no direction by more than a fraction of a degree."""


def blend(about: "Sequence[int]", bodies: "Sequence[Sequence[int]]") -> list[list[int]]:
    """A vector for each piece of a memory, from the sums of words of title and keywords and of each piece's text."""
    own = [_even([*map(sum, zip(about, body, strict=True))]) for body in bodies]
    whole = _even([*map(sum, zip(*own, strict=True))])
    beside = [_WHOLE * number + more for number, more in zip(whole, _even(about), strict=True)]
    return [[*map(sum, zip(piece, beside, strict=True))] for piece in own]


def blend_all(abouts: "Any", bodies: "Any", counts: "Any") -> "Any":
    """As `blend`, for matrices of floats: a row a memory, and a row a piece, of which each memory has so many.

    `counts` is an array of whole numbers.
    """
    import numpy as np

    own = _even_rows(bodies + np.repeat(abouts, counts, axis=0))
    whole = _even_rows(np.add.reduceat(own, np.cumsum(counts) - counts, axis=0))
    return own + np.repeat(_WHOLE * whole + _even_rows(abouts), counts, axis=0)


def _even(numbers: "Sequence[int]") -> list[int]:
    length = sqrt(sum(map(mul, numbers, numbers)))
    if not length:
        return list(numbers)
    scale = _LENGTH / length
    return [round(number * scale) for number in numbers]


def _even_rows(rows: "Any") -> "Any":
    import numpy as np

    lengths = np.sqrt((rows * rows).sum(axis=1))
    return np.rint(rows * (_LENGTH / np.where(lengths, lengths, 1.0))[:, None])
