"""The words that the built-in embedding knows, each with its vector: one sorted file that comes with the package.

A text's vector is the sum of its words' vectors. It is reckoned in whole numbers, so that it is the same with numpy
(for many texts) and without (a prompt must not wait for numpy's import).
`tools/distil_embedding.py` makes the file: 16 bytes of head, then a record for each word, in the order of bytes:
its letters, filled up with zeros, and its numbers, one byte each. How rare a word is, is in them already.

Words that are not there are cut into the longest beginnings and continuations (`##...`) that are (WordPiece).
"""

import mmap
import os

from memtend.search.words import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

MAGIC = b"memtend1"
HEAD = 16
"""Bytes before the first record: the magic, then dimensions, letters' width (two bytes each), records (four)."""
PATH = os.path.join(os.path.dirname(__file__), "words.table")
_LONGEST = 40
"""Letters of a word beyond which it is no word."""
_MOST_CHUNKS = 100_000
_PARTING = {code: " " for code in range(128) if not chr(code).isalnum()}


class WordTable:
    """The open table. Cheap to open; `is_bulk` loads numpy, which pays from a few hundred texts on."""

    __slots__ = ("_count", "_known", "_map", "_matrix", "_record", "_seen", "_start", "_width", "dimensions")

    def __init__(self, path: str = PATH, is_bulk: bool = False) -> None:
        """Raises OSError where the file is missing, ValueError where it is none of ours."""
        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        head = self._map[:HEAD]
        if head[:8] != MAGIC:
            raise ValueError(f"{path} is no table of words")
        self.dimensions = int.from_bytes(head[8:10], "little")
        self._width = int.from_bytes(head[10:12], "little")
        self._count = int.from_bytes(head[12:16], "little")
        self._record = self._width + self.dimensions
        self._start = HEAD
        self._seen: dict[str, tuple[int, ...]] = {}
        self._matrix: Any = self._as_matrix() if is_bulk else None
        self._known: dict[str, int] | None = self._all_words() if is_bulk else None

    def rows(self, text: str) -> list[int]:
        """The records of a text's words, in order."""
        seen = self._seen
        if len(seen) > _MOST_CHUNKS:
            seen.clear()
        found: list[int] = []
        for chunk in text.translate(_PARTING).split():
            rows = seen.get(chunk)
            if rows is None:
                rows = seen[chunk] = tuple(self._rows_of(chunk))
            found += rows
        return found

    def vector(self, text: str) -> list[int]:
        """A text's vector; empty where no word of it is known."""
        rows = self.rows(text)
        if self._matrix is not None:
            sums: list[int] = self._matrix[rows].sum(axis=0, dtype="int32").tolist() if rows else []
            return sums
        first, size, dimensions = self._start + self._width, self._record, self.dimensions
        whole = memoryview(self._map)
        vectors = [whole[first + row * size : first + row * size + dimensions].cast("b") for row in rows]
        found = list(map(sum, zip(*vectors, strict=True)))
        for view in (*vectors, whole):
            view.release()
        return found

    def packed(self, memories: "Sequence[Sequence[str]]") -> list[bytes]:
        """The vectors of some memories as they are kept; empty where no word is known.

        A memory is given as what it is about, then the text of each of its pieces.
        """
        if self._matrix is None:
            return [self._packed(memory) for memory in memories]
        from itertools import islice

        import numpy as np

        from memtend.search.blend import blend_all
        from memtend.search.vectors import pack_all

        counts = np.array([len(memory) - 1 for memory in memories], np.int64)
        sums = self._sums([text for memory in memories for text in memory])
        firsts = np.cumsum(counts + 1) - counts - 1
        rows = iter(pack_all(blend_all(sums[firsts], np.delete(sums, firsts, axis=0), counts)))
        return [b"".join(islice(rows, count)) for count in counts.tolist()]

    def _packed(self, memory: "Sequence[str]") -> bytes:
        from memtend.search.blend import blend
        from memtend.search.vectors import pack

        nothing = [0] * self.dimensions
        about, *bodies = [self.vector(text) or nothing for text in memory]
        return b"".join(map(pack, blend(about, bodies)))

    def _sums(self, texts: "Sequence[str]") -> "Any":
        """The vectors of some texts, a row each."""
        import numpy as np

        sums = np.zeros((len(texts), self.dimensions), np.float64)
        for place, text in enumerate(texts):
            rows = self.rows(text)
            # Whole numbers this small are exact in any order, so the quickest product will do.
            sums[place] = np.ones(len(rows), np.float32) @ self._matrix[rows].astype(np.float32)
        return sums

    def _as_matrix(self) -> "Any":
        """All records as rows; None where numpy is not there."""
        try:
            import numpy as np
        except ImportError:
            return None
        records = np.frombuffer(self._map, np.int8, self._count * self._record, self._start)
        return records.reshape(self._count, self._record)[:, self._width :]

    def _all_words(self) -> dict[str, int]:
        whole, size, width = self._map[:], self._record, self._width
        starts = range(self._start, len(whole), size)
        return {whole[at : at + width].rstrip(b"\0").decode(): row for row, at in enumerate(starts)}

    def _rows_of(self, chunk: str) -> "Iterator[int]":
        for word in _words(chunk):
            if len(word) <= _LONGEST:
                yield from self._pieces(word)

    def _pieces(self, word: str) -> list[int]:
        """The word's record, or its pieces', longest first; none where some letters are in no record."""
        find = self._find if self._known is None else self._known.get
        rows: list[int] = []
        start, before = 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._width), start, -1):
                row = find(before + word[start:end])
                if row is not None:
                    rows.append(row)
                    start, before = end, "##"
                    break
            else:
                return []
        return rows

    def _find(self, word: str) -> int | None:
        """The word's record, by halving; None where there is none."""
        sought = word.encode("utf-8", "replace").ljust(self._width, b"\0")
        if len(sought) > self._width:
            return None
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            place = self._start + middle * self._record
            found = self._map[place : place + self._width]
            if found < sought:
                low = middle + 1
            elif found > sought:
                high = middle
            else:
                return middle
        return None


def _words(chunk: str) -> "Iterator[str]":
    """The words of what stands between blanks, folded: `camelCase` is two, each ideograph is one."""
    for hump in _humps(chunk):
        folded = fold(hump)
        if folded.isascii():
            yield from folded.translate(_PARTING).split()
        else:
            parted = (f" {c} " if 0x3400 <= ord(c) <= 0x9FFF else c if c.isalnum() else " " for c in folded)
            yield from "".join(parted).split()


def _humps(chunk: str) -> "Iterator[str]":
    if chunk.islower() or chunk.isupper() or chunk.istitle():
        yield chunk
        return
    start = 0
    for place in range(1, len(chunk)):
        if chunk[place].isupper() and chunk[place - 1].islower():
            yield chunk[start:place]
            start = place
    yield chunk[start:]
