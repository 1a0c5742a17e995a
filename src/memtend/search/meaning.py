"""How near memories are to a question in meaning: cosines of vectors, found without numpy where they are few.

Every piece of a memory has a vector and its signs (`pieces`). The signs of all pieces are compared with the
question's, as whole numbers whose differing bits are counted; the likely ones are then compared in full, and a
memory's best piece counts. Signs are kept from one question to the next, until something was written.
"""

from heapq import nsmallest
from math import sqrt
from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memtend.search.index import Index

_LIKELY = 100
"""Pieces that are compared in full."""
_MANY = 20_000
"""Pieces from which numpy, once loaded, is faster; it takes as long to load as counting the bits of ten times more."""
_WORTH_LOADING = 10 * _MANY


def meaning_of(index: "Index", text: str) -> "Meaning | None":
    """A question's meaning; None where none of its words is known, or the table of words is missing."""
    from memtend.search.wordtable import WordTable

    try:
        vector = index.remembered("table", WordTable).vector(text)
    except (OSError, ValueError):
        return None
    return Meaning(index, vector) if vector else None


class Meaning:
    """A question's vector, to be compared with the memories of an index."""

    __slots__ = ("_index", "_length", "_vector")

    def __init__(self, index: "Index", vector: bytes) -> None:
        self._index = index
        self._vector = memoryview(vector).cast("b").tolist()
        self._length = _length(self._vector)

    def likely(self, count: int = _LIKELY) -> list[int]:
        """The numbers of the memories whose pieces have the most signs in common with the question."""
        pool = self._index.remembered("signs", self._pool)
        bits = int("".join("1" if number < 0 else "0" for number in self._vector), 2)
        return list(dict.fromkeys(pool.nearest(bits, count)))

    def _pool(self) -> "Signs":
        return Signs(self._index.rows("select n, signs from signs order by n, place"))

    def cosines(self, numbers: "Iterable[int]") -> dict[int, float]:
        """The cosine of each memory's nearest piece."""
        best: dict[int, float] = {}
        for n, vector in self._index.rows_of("select n, numbers from vectors where n in ({keys})", list(numbers)):
            cosine = self._cosine(memoryview(vector).cast("b"))
            if cosine > best.get(n, -1.0):
                best[n] = cosine
        return best

    def _cosine(self, vector: "memoryview[int]") -> float:
        if len(vector) != len(self._vector):
            return 0.0
        product: int = sum(map(mul, self._vector, vector))
        return product / (self._length * _length(vector) or 1.0)


def _length(vector: "Sequence[int] | memoryview[int]") -> float:
    square: int = sum(map(mul, vector, vector))
    return sqrt(square)


class Signs:
    """The signs of all pieces: `owners` are the memories' numbers."""

    __slots__ = ("_bits", "_matrix", "_owners")

    def __init__(self, rows: "Sequence[tuple[int, bytes]]") -> None:
        self._owners = [owner for owner, _ in rows]
        self._matrix: Any = None
        self._bits: list[int] = []
        if _is_for_numpy(len(rows)):
            self._matrix = _as_matrix([signs for _, signs in rows])
        else:
            self._bits = [int.from_bytes(signs, "big") for _, signs in rows]

    def nearest(self, bits: int, count: int) -> list[int]:
        """The owners of the pieces with the fewest signs different, nearest first; ties by their order."""
        if self._matrix is not None:
            return [self._owners[place] for place in _nearest_by_numpy(self._matrix, bits, count)]
        distances = [(bits ^ own).bit_count() for own in self._bits]
        return [owner for _, owner in nsmallest(count, zip(distances, self._owners, strict=True))]


def _is_for_numpy(count: int) -> bool:
    if count < _MANY:
        return False
    import sys
    from importlib.util import find_spec

    return "numpy" in sys.modules or (count >= _WORTH_LOADING and find_spec("numpy") is not None)


def _as_matrix(signs: "Sequence[bytes]") -> "Any":
    import numpy as np

    return np.frombuffer(b"".join(signs), np.uint64).reshape(len(signs), -1)


def _nearest_by_numpy(matrix: "Any", bits: int, count: int) -> list[int]:
    import numpy as np

    own = np.frombuffer(bits.to_bytes(matrix.shape[1] * 8, "big"), np.uint64)
    distances = np.bitwise_count(matrix ^ own).sum(axis=1, dtype=np.uint16)
    likely = np.argpartition(distances, min(count, len(distances) - 1))[:count]
    return sorted(likely.tolist(), key=lambda place: (int(distances[place]), place))
