"""How texts of a vault compare, kept beside the index so that each is looked at once.

Derived, and keyed by the digests of files, so nothing here can be out of date; it goes with the index.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memtend.distill.columns import Columns
from memtend.distill.likeness import METHOD, Likeness, Near, candidates, likeness, signatures, verified
from memtend.review import ConflictKind

if TYPE_CHECKING:
    from memtend.search.index import Index

_SCHEMA = {
    "signatures": "create table if not exists signatures (digest text primary key, method text not null, "
    "value blob not null) without rowid",
    "likenesses": "create table if not exists likenesses (one text, other text, similarity real not null, "
    "conflict text not null, primary key (one, other)) without rowid",
}
_AT_ONCE = 500
_LEFT_OVER = 1000
"""Signatures of memories that are no more, from which they are swept out."""


class Likenesses:
    """The likenesses of the memories in some columns."""

    def __init__(self, index: "Index", columns: Columns) -> None:
        self._index = index
        self._columns = columns
        self._make_tables()
        rows = index.rows("select one, other, similarity, conflict from likenesses")
        self._known = {
            (one, other): Likeness(similarity, ConflictKind(conflict) if conflict else None)
            for one, other, similarity, conflict in rows
        }
        self._new: dict[tuple[str, str], Likeness] = {}

    def near(self) -> list[Near]:
        """The pairs of memories, by row, whose texts are near-duplicates."""
        found = verified(candidates(self.signatures()), self.compare)
        self.keep()
        return found

    def compare(self, one: int, other: int) -> Likeness:
        """How the texts in two rows compare."""
        digests = self._columns.digests
        key = (min(digests[one], digests[other]), max(digests[one], digests[other]))
        if key not in self._known:
            self._known[key] = self._new[key] = likeness(self._text(one), self._text(other))
        return self._known[key]

    def keep(self) -> None:
        """Write down what was found since the last time."""
        rows = [(*key, found.similarity, str(found.conflict or "")) for key, found in self._new.items()]
        if rows:
            self._index.write("insert or replace into likenesses values (?, ?, ?, ?)", rows)
            self._new.clear()

    def signatures(self) -> list[bytes]:
        """The signature of every row; those not known yet are made and kept."""
        found: dict[str, bytes] = dict(
            self._index.rows("select digest, value from signatures where method = ?", (METHOD,))
        )
        digests = self._columns.digests
        missing = [row for row, digest in enumerate(digests) if digest not in found]
        for start in range(0, len(missing), _AT_ONCE):
            found |= self._made(missing[start : start + _AT_ONCE])
        if len(found) > len(digests) + _LEFT_OVER:
            self._index.write("delete from signatures where digest not in (select digest from memories)", [()])
            self._index.write("delete from likenesses where one not in (select digest from memories)", [()])
        return [found[digest] for digest in digests]

    def _made(self, rows: Sequence[int]) -> dict[str, bytes]:
        digests = [self._columns.digests[row] for row in rows]
        texts = self._texts(digests)
        made = signatures(texts.get(digest, "") for digest in digests)
        new = dict(zip(digests, made, strict=True))
        keyed = [(digest, METHOD, value) for digest, value in new.items()]
        self._index.write("insert or replace into signatures values (?, ?, ?)", keyed)
        return new

    def _text(self, row: int) -> str:
        digest = self._columns.digests[row]
        return self._texts([digest]).get(digest, "")

    def _texts(self, digests: Sequence[str]) -> dict[str, str]:
        """The texts of some files by digest, found by their numbers in the index."""
        numbers = {self._numbers[digest]: digest for digest in digests if digest in self._numbers}
        rows = self._index.rows_of("select n, text from texts where n in ({keys})", list(numbers))
        return {numbers[n]: text for n, text in rows}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(self._index.rows("select digest, n from memories"))

    def _make_tables(self) -> None:
        there = {name for (name,) in self._index.rows("select name from sqlite_master where type = 'table'")}
        for name, schema in _SCHEMA.items():
            if name not in there:
                self._index.write(schema, [()])
