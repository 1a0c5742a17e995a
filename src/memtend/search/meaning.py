"""How near memories are to a question in meaning: cosines of vectors, found without numpy where they are few.

Every piece of a memory has a vector and its signs (`pieces`). The signs of all pieces are compared with the
question's, as whole numbers whose differing bits are counted; the likely ones are then compared in full, and a
memory's best piece counts. Signs are kept from one question to the next, until something was written.

numpy takes longer to load than some ten thousand comparisons, so it is loaded for many pieces, or by a process that
goes on asking. All is reckoned in whole numbers up to the last division: the answers are the same either way.
"""

import sys
from heapq import nsmallest
from math import sqrt
from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from memtend.search.index import Index
    from memtend.search.wordtable import WordTable

    Piece = tuple[int, int]

SHARE = 0.35
"""What the nearness by the built-in table weighs in a score; the words weigh the rest."""
LIKELY = 80
"""Pieces that are compared in full."""
_MANY = 200_000
"""Pieces that take as long to compare as numpy to load."""
_OFTEN = 20
"""Questions after which a process is taken for one that stays."""


def meaning_of(index: "Index", text: str) -> "tuple[Meaning | None, str]":
    """A question's meaning, and what is to be said about it: that the embedder of the settings cannot answer yet.

    There is none where no word is known, or where the table of words is missing.
    """
    index.memo["questions"] = index.memo.get("questions", 0) + 1
    if index.memo["questions"] == _OFTEN:
        _load_numpy()
        index.memo.pop("table", None)  # opened anew for many texts
    note = ""
    if index.embedder is not None:
        from memtend.errors import UnusableInput
        from memtend.search.embedders import SHARE, asked

        try:
            return Meaning(index, asked(index, index.embedder, text), "other_", SHARE), ""
        except UnusableInput as fault:
            note = f"{fault}; the built-in embedding serves"
    try:
        vector = _table(index).vector(text)
    except (OSError, ValueError):
        return None, "the table of words is missing or damaged: the answer is by words alone; install memtend again"
    return (Meaning(index, vector) if vector else None), note


def _table(index: "Index") -> "WordTable":
    """The table of words, kept from question to question. Raises OSError, ValueError."""
    from memtend.search.wordtable import WordTable

    table: WordTable | None = index.memo.get("table")
    if table is None:
        table = index.memo["table"] = WordTable(is_bulk=index.memo["questions"] >= _OFTEN)
    return table


class Meaning:
    """A question's vector, to be compared with the memories of an index; `share` is what nearness weighs."""

    __slots__ = ("_index", "_prefix", "_square", "_vector", "share")

    def __init__(self, index: "Index", vector: bytes, prefix: str = "", share: float = SHARE) -> None:
        self.share = share
        self._index = index
        self._prefix = prefix
        self._vector = memoryview(vector).cast("b").tolist()
        self._square = sum(map(mul, self._vector, self._vector))

    def likely(self, count: int = LIKELY) -> "list[Piece]":
        """The pieces (memory's number, place) that have the most signs in common with the question."""
        pool = self._index.remembered(f"{self._prefix}signs", self._pool)
        bits = int("".join("1" if number < 0 else "0" for number in self._vector), 2)
        return pool.nearest(bits, count)

    def cosines(self, pieces: "Sequence[Piece]", numbers: "Iterable[int]") -> dict[int, float]:
        """The cosine of each memory's nearest piece: of the pieces given, and of all of some memories."""
        whole = set(numbers)
        some: dict[int, list[int]] = {}
        for n, place in pieces:
            if n not in whole:
                some.setdefault(n, []).append(place)
        rows = self._rows([*whole, *some])
        kept = [row for row in rows if row[0] in whole or row[1] in some[row[0]]]
        best: dict[int, float] = {}
        for (n, _place, _vector, square), product in zip(kept, self._products(kept), strict=True):
            best[n] = max(best.get(n, -1.0), product / sqrt(square * self._square))
        return best

    def _pool(self) -> "Signs":
        return Signs(self._index.rows(f"select n, place, signs from {self._prefix}signs order by n, place"))

    def _rows(self, numbers: "Sequence[int]") -> "list[tuple[Any, ...]]":
        table = f"{self._prefix}vectors"
        rows = self._index.rows_of(f"select n, place, numbers, square from {table} where n in ({{keys}})", numbers)
        return [row for row in rows if len(row[2]) == len(self._vector)]

    def _products(self, rows: "Sequence[tuple[Any, ...]]") -> list[int]:
        if rows and "numpy" in sys.modules:
            import numpy as np

            vectors = np.frombuffer(b"".join([row[2] for row in rows]), np.int8).reshape(len(rows), -1)
            products: list[int] = (vectors.astype(np.int32) @ np.array(self._vector, np.int32)).tolist()
            return products
        return [sum(map(mul, self._vector, memoryview(row[2]).cast("b"))) for row in rows]


class Signs:
    """The signs of all pieces, in the order of the memories' numbers."""

    __slots__ = ("_bits", "_matrix", "_pieces")

    def __init__(self, rows: "Sequence[tuple[int, int, bytes]]") -> None:
        self._pieces = [(n, place) for n, place, _ in rows]
        self._bits: list[int] | None = None
        self._matrix: Any = None
        if "numpy" in sys.modules or (len(rows) >= _MANY and _load_numpy()):
            self._matrix = _as_matrix(b"".join([signs for _, _, signs in rows]), len(rows))
        else:
            self._bits = [int.from_bytes(signs, "big") for _, _, signs in rows]

    def nearest(self, bits: int, count: int) -> "list[Piece]":
        """The pieces with the fewest signs different, nearest first; ties by their order."""
        if self._bits is None:
            return [self._pieces[place] for place in _nearest_by_numpy(self._matrix, bits, count)]
        distances = [(bits ^ own).bit_count() for own in self._bits]
        return [piece for _, piece in nsmallest(count, zip(distances, self._pieces, strict=True))]


def _load_numpy() -> bool:
    """Load it, if it is there."""
    try:
        import numpy as np
    except ImportError:
        return False
    return bool(np)


def _as_matrix(signs: bytes, count: int) -> "Any":
    import numpy as np

    return np.frombuffer(signs, np.uint64).reshape(count, -1) if count else np.zeros((0, 1), np.uint64)


def _nearest_by_numpy(matrix: "Any", bits: int, count: int) -> list[int]:
    import numpy as np

    if not len(matrix):
        return []
    own = np.frombuffer(bits.to_bytes(matrix.shape[1] * 8, "big"), np.uint64)
    distances = np.bitwise_count(matrix ^ own).sum(axis=1, dtype=np.uint16)
    if len(distances) > 4 * count:
        farthest = np.partition(distances, count)[count]
        near = np.flatnonzero(distances <= farthest)
        places: list[int] = near[np.argsort(distances[near], kind="stable")][:count].tolist()
        return places
    first: list[int] = np.argsort(distances, kind="stable")[:count].tolist()
    return first
