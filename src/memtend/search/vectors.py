"""Vectors in four bits a number: small enough to keep for every piece, and their signs are in them.

A vector is brought to a length at which its numbers are about three each, and rounded to whole numbers from -7 to 7.
The first half of them stands in the high halves of the bytes, the second half in the low ones, in two's complement;
so the sign of each is one bit at a known place. All packed vectors are of one length but for the rounding, so a
product with one is a cosine but for a constant. The pieces of a memory stand one after the other.

With numpy or without, the results are the same: sums are whole numbers, and scaling is one division and one product.
"""

import sys
from math import sqrt
from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_LEVEL = 2.5
"""What a number of usual size becomes: few are cut at 7, and rounding moves a vector by less than a degree or two."""
_MOST = 7
_HIGH = bytes((byte >> 4) - (16 if byte > 127 else 0) & 255 for byte in range(256))
_LOW = bytes((byte & 15) - (16 if byte & 8 else 0) & 255 for byte in range(256))
_SIGNS = 0x88
_AT_ONCE = 4_000_000
"""Bytes of vectors whose signs are taken out at once."""
_MOST_KEPT = 32_000_000
"""Bytes of vectors that are kept whole."""


def pack(numbers: "Sequence[float]") -> bytes:
    """One vector, half as many bytes as it has numbers; empty where all are 0."""
    length = sqrt(sum(map(mul, numbers, numbers)))
    if not length:
        return b""
    scale = _LEVEL * sqrt(len(numbers)) / length
    levels = [max(-_MOST, min(_MOST, round(number * scale))) & 15 for number in numbers]
    half = (len(levels) + 1) // 2
    return bytes(high << 4 | low for high, low in zip(levels[:half], [*levels[half:], 0], strict=False))


def pack_all(rows: "Any") -> list[bytes]:
    """As `pack`, for the rows of a matrix of floats with an even number of columns."""
    import numpy as np

    lengths = np.sqrt((rows * rows).sum(axis=1))
    scales = _LEVEL * sqrt(rows.shape[1]) / np.where(lengths, lengths, 1.0)
    levels = np.clip(np.rint(rows * scales[:, None]), -_MOST, _MOST).astype(np.int8) & 15
    half = rows.shape[1] // 2
    packed = (levels[:, :half] << 4 | levels[:, half:]).astype(np.uint8)
    return [row.tobytes() if length else b"" for row, length in zip(packed, lengths, strict=True)]


class Asked:
    """A question's vector, in whole numbers, to be compared with packed ones."""

    __slots__ = ("_high", "_length", "_low", "numbers", "size")

    def __init__(self, numbers: "Sequence[float]") -> None:
        self.numbers = _whole(numbers)
        half = (len(numbers) + 1) // 2
        self.size = half
        """Bytes of a packed vector of as many numbers."""
        self._high, self._low = self.numbers[:half], self.numbers[half:]
        self._length = sqrt(sum(map(mul, self.numbers, self.numbers))) * _LEVEL * sqrt(len(numbers)) or 1.0

    def signs(self) -> bytes:
        """Its signs, where those of a packed vector stand."""
        low = [*self._low, 0]
        return bytes([(high < 0) << 7 | (number < 0) << 3 for high, number in zip(self._high, low, strict=False)])

    def sign_words(self) -> "Any":
        """Its signs as `Pool` keeps them, 64 in a number; by numpy."""
        import numpy as np

        negative = np.zeros(-(-self.size // 32) * 64, bool)
        negative[: len(self.numbers)] = np.array(self.numbers) < 0
        return np.packbits(negative).view(np.uint64)

    def cosine(self, packed: bytes) -> float:
        """How alike in direction, from -1 to 1."""
        high, low = (memoryview(packed.translate(table)).cast("b") for table in (_HIGH, _LOW))
        product: int = sum(map(mul, self._high, high)) + sum(map(mul, self._low, low))
        return product / self._length

    def cosines(self, packed: bytes) -> list[float]:
        """Of several, by numpy."""
        import numpy as np

        rows = np.frombuffer(packed, np.int8).reshape(-1, self.size)
        high, low = np.array(self._high, np.float32), np.array(self._low, np.float32)
        lows = (rows << 4 >> 4).astype(np.float32)[:, : len(low)]
        found: list[float] = (((rows >> 4).astype(np.float32) @ high + lows @ low) / self._length).tolist()
        return found


def _whole(numbers: "Sequence[float]") -> list[int]:
    """The numbers as whole ones from -127 to 127; in one go where numpy is there anyway."""
    if "numpy" in sys.modules and len(numbers):
        import numpy as np

        many = np.array(numbers, np.float64)
        found: list[int] = np.rint(127 * many / (np.abs(many).max() or 1.0)).astype(np.int64).tolist()
        return found
    top = max(map(abs, numbers), default=0.0) or 1.0
    return [round(127 * number / top) for number in numbers]


class Pool:
    """The signs of all pieces of an index, and whose they are: `nearest` finds the likely ones.

    With numpy, and while there are not too many, it keeps the pieces too, and `rows` gives them.
    """

    __slots__ = ("_matrix", "_numbers", "_ones", "_owners", "_size", "_starts", "_whole")

    def __init__(self, rows: "Iterable[tuple[int, bytes]]", size: int, is_large: bool) -> None:
        """Rows are a memory's number, ascending, and its packed pieces of `size` bytes; numpy serves a large pool."""
        self._size = size
        self._owners: Any = []
        self._ones: list[int] = []
        self._matrix: Any = None
        self._numbers: Any = None
        self._starts: Any = None
        self._whole: bytearray | None = None
        if is_large:
            self._fill_matrix(rows)
            return
        for n, packed in rows:
            for start in range(0, len(packed), size):
                self._owners.append((n, start))
                self._ones.append(int.from_bytes(packed[start : start + size], "big"))

    def rows(self, numbers: "Sequence[int]") -> list[tuple[int, bytes]] | None:
        """Memories with their pieces, those that have some; None where these are not kept."""
        if self._whole is None:
            return None
        if not self._whole:
            return []
        import numpy as np

        sought = np.array(numbers, np.int64)
        places = self._numbers.searchsorted(sought, side="right")
        there = (places > 0) & (self._numbers[places - 1] == sought)
        starts, ends = self._starts[places[there] - 1].tolist(), self._starts[places[there]].tolist()
        whole = memoryview(self._whole)
        return [(n, whole[s:e].tobytes()) for n, s, e in zip(sought[there].tolist(), starts, ends, strict=True)]

    def nearest(self, asked: Asked, count: int) -> list[tuple[int, int]]:
        """`(memory's number, place of its first byte)` of those with the fewest signs different, nearest first."""
        if self._matrix is not None:
            places = _nearest(self._matrix, asked.sign_words(), count)
            owners, starts = (column[places].tolist() for column in self._owners)
            return list(zip(owners, starts, strict=True))
        from heapq import nsmallest

        own = asked.signs()
        mask = int.from_bytes(bytes((_SIGNS,)) * self._size, "big")
        bits = int.from_bytes(own, "big")
        distances = [((bits ^ one) & mask).bit_count() for one in self._ones]
        return [owner for _, owner in nsmallest(count, zip(distances, self._owners, strict=True))]

    def _fill_matrix(self, rows: "Iterable[tuple[int, bytes]]") -> None:
        import numpy as np

        numbers, counts = self._take_in(rows)
        many = np.array(counts, np.int64)
        ends = np.cumsum(many)
        starts = np.repeat(ends - many, many)
        self._numbers = np.array(numbers, np.int64)
        self._starts = np.concatenate(([0], ends * self._size))
        self._owners = (
            np.repeat(self._numbers, many),
            ((np.arange(len(starts)) - starts) * self._size).astype(np.int32),
        )

    def _take_in(self, rows: "Iterable[tuple[int, bytes]]") -> tuple[list[int], list[int]]:
        """Make the matrix, some rows at a time; gives the rows' numbers, and how many vectors each has."""
        import numpy as np

        numbers: list[int] = []
        counts: list[int] = []
        parts: list[Any] = []
        waiting = bytearray()
        whole: bytearray | None = bytearray()
        for n, packed in rows:
            numbers.append(n)
            counts.append(len(packed) // self._size)
            waiting += packed
            if len(waiting) > _AT_ONCE:
                parts.append(_signs(bytes(waiting), self._size))
                whole = whole + waiting if whole is not None and len(whole) < _MOST_KEPT else None
                waiting.clear()
        parts.append(_signs(bytes(waiting), self._size))
        self._whole = None if whole is None else whole + waiting
        self._matrix = np.ascontiguousarray(np.concatenate(parts, axis=1))
        return numbers, counts


def _signs(packed: bytes, size: int) -> "Any":
    """The signs of packed vectors, 64 in a number: a column a vector."""
    import numpy as np

    rows = np.frombuffer(packed, np.uint8).reshape(-1, size)
    bits = np.packbits(np.concatenate((rows >> 7, rows >> 3 & 1), axis=1), axis=1)
    whole = np.zeros((len(rows), -(-bits.shape[1] // 8) * 8), np.uint8)
    whole[:, : bits.shape[1]] = bits
    return whole.view(np.uint64).T


def _nearest(matrix: "Any", own: "Any", count: int) -> "Any":
    """The places of the columns with the fewest bits different, nearest first; ties by their order."""
    import numpy as np

    distances = np.zeros(matrix.shape[1], np.uint16)
    for row, bits in zip(matrix, own, strict=True):
        distances += np.bitwise_count(row ^ bits)
    least, most = 0, 64 * len(own)
    while least < most:  # halving what is far is quicker than sorting
        middle = (least + most) // 2
        if np.count_nonzero(distances <= middle) > count:
            most = middle
        else:
            least = middle + 1
    near = np.flatnonzero(distances <= least)
    return near[np.argsort(distances[near], kind="stable")][:count]
