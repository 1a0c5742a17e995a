"""How near memories are to a question in meaning: cosines of vectors, found without numpy where they are few.

Every piece of a memory has a vector (`vectors`). The signs of all pieces are compared with the question's, as whole
numbers whose differing bits are counted; the likely ones are then compared in full, and a memory's best piece counts.
Signs are kept from one question to the next, until something was written.

numpy takes longer to load than some ten thousand comparisons, so it is loaded for many pieces, or by a process that
goes on asking. The answers are the same either way.
"""

import sys
from math import sqrt
from operator import mul

from memtend.search.vectors import Asked, Pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memtend.search.index import Index
    from memtend.search.wordtable import WordTable

    Piece = tuple[int, int]
    Near = tuple[float, int]

_MANY = 50_000
"""Memories whose pieces take as long to compare as numpy to load."""
_OFTEN = 20
"""Questions after which a process is taken for one that stays."""
_MOST_WEIGHTS = 20_000
"""Words whose weights are kept."""


class Space:
    """Where vectors of a kind stand, and what nearness among them is worth.

    `share` is what it weighs in a score, the words weigh the rest; `trust` how much lower the odds of an answer may be
    for it (see `judge`). `likely` is how many pieces are compared in full, `piece_words` how long pieces are.
    """

    __slots__ = ("likely", "piece_words", "share", "table", "trust")

    def __init__(self, table: str, share: float, trust: float, likely: int, piece_words: int) -> None:
        self.table = table
        self.share = share
        self.trust = trust
        self.likely = likely
        self.piece_words = piece_words


BUILT_IN = Space("vectors", share=0.35, trust=0.0, likely=60, piece_words=80)


def meaning_of(index: "Index", text: str) -> "tuple[Meaning | None, str]":
    """A question's meaning, and what is to be said about it: that the embedder of the settings cannot answer yet.

    There is none where no word is known, or where the table of words is missing.
    """
    index.memo["questions"] = index.memo.get("questions", 0) + 1
    if index.memo["questions"] == _OFTEN and _load_numpy():
        index.memo.pop("table", None)  # opened anew for many texts
    note = ""
    if index.embedder is not None:
        from memtend.errors import UnusableInput
        from memtend.search.embedders import TRANSFORMER, asked

        try:
            return Meaning(index, asked(index, index.embedder, text), TRANSFORMER), ""
        except UnusableInput as fault:
            note = f"{fault}; the built-in embedding serves"
    try:
        vector = _table(index).vector(text)
    except (OSError, ValueError):
        return None, "the table of words is missing or damaged: the answer is by words alone; install memtend again"
    return (Meaning(index, vector) if any(vector) else None), note


def is_word(index: "Index", word: str) -> bool:
    """Whether the table has it whole: a word of the language, or a name that is in many texts."""
    try:
        return len(_table(index).rows(word)) == 1
    except (OSError, ValueError):
        return False


class Sense:
    """What single words say, by the built-in vectors; nothing where the table of words is missing."""

    __slots__ = ("_index",)

    def __init__(self, index: "Index") -> None:
        self._index = index

    def weight(self, word: str) -> float:
        """How much it says in texts at large: the length of its vector, which is the longer the rarer it is."""
        known: dict[str, float] = self._index.memo.setdefault("weights", {})
        if word not in known:
            vector = self._vector(word)
            if len(known) > _MOST_WEIGHTS:
                known.clear()
            known[word] = sqrt(sum(map(mul, vector, vector)))
        return known[word]

    def nearness(self, word: str, n: int) -> float:
        """How near in meaning a memory is to it."""
        near = Meaning(self._index, self._vector(word)).cosines((), (n,))
        return near[n][0] if n in near else 0.0

    def _vector(self, word: str) -> "Sequence[float]":
        try:
            return _table(self._index).vector(word)
        except (OSError, ValueError):
            return ()


def _table(index: "Index") -> "WordTable":
    """The table of words, kept from question to question. Raises OSError, ValueError."""
    from memtend.search.wordtable import WordTable

    table: WordTable | None = index.memo.get("table")
    if table is None:
        table = index.memo["table"] = WordTable(is_bulk=index.memo.get("questions", 0) >= _OFTEN)
    return table


class Meaning:
    """A question's vector, to be compared with the memories of an index."""

    __slots__ = ("_asked", "_index", "_pool", "space")

    def __init__(self, index: "Index", numbers: "Sequence[float]", space: Space = BUILT_IN) -> None:
        self.space = space
        self._index = index
        self._asked = Asked(numbers)
        self._pool: Pool | None = None

    def likely(self) -> "list[Piece]":
        """The pieces (memory's number, place) that have the most signs in common with the question."""
        is_large = "numpy" in sys.modules or (self._index.count() >= _MANY and _load_numpy())
        self._pool = self._index.remembered(f"{self.space.table} {is_large}", lambda: self._made_pool(is_large))
        return self._pool.nearest(self._asked, self.space.likely)

    def cosines(self, pieces: "Sequence[Piece]", numbers: "Iterable[int]") -> "dict[int, Near]":
        """The cosine of each memory's nearest piece, and which it is: of the pieces given, and of all of some."""
        whole = set(numbers)
        some: dict[int, list[int]] = {}
        for n, place in pieces:
            if n not in whole:
                some.setdefault(n, []).append(place)
        size = self._asked.size
        kept: list[tuple[int, int, bytes]] = []
        for n, packed in self._rows([*whole, *some]):
            places = range(0, len(packed), size) if n in whole else some[n]
            kept += [(n, place // size, packed[place : place + size]) for place in places]
        best: dict[int, Near] = {}
        for (n, number, _), cosine in zip(kept, self._cosines([packed for *_, packed in kept]), strict=True):
            if n not in best or cosine > best[n][0]:
                best[n] = cosine, number
        return best

    def _cosines(self, packed: "Sequence[bytes]") -> list[float]:
        if "numpy" in sys.modules:
            return self._asked.cosines(b"".join(packed))
        return list(map(self._asked.cosine, packed))

    def _made_pool(self, is_large: bool) -> Pool:
        size = self._asked.size

        def made(rows: "Iterable[tuple[int, bytes]]") -> Pool:
            return Pool(((n, packed) for n, packed in rows if len(packed) % size == 0), size, is_large)

        return self._index.made_of(f"select n, pieces from {self.space.table} order by n", made)

    def _rows(self, numbers: "Sequence[int]") -> "list[tuple[int, bytes]]":
        rows = self._pool.rows(numbers) if self._pool else None
        if rows is None:
            rows = self._index.rows_of(f"select n, pieces from {self.space.table} where n in ({{keys}})", numbers)
        return [(n, packed) for n, packed in rows if len(packed) % self._asked.size == 0]


def _load_numpy() -> bool:
    """Load it, if it is there."""
    try:
        import numpy as np
    except ImportError:
        return False
    return bool(np)
