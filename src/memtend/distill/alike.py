"""Pairs of memories that may be one: by their keywords, and by their texts (vault spec, 5, merge).

The keyword rule decides what a merge candidate is and what counts in the health score. Near-duplicate texts are
shown beside it, marked as such. A pair whose texts contradict each other is a conflict, whichever way it was found,
and never a duplicate.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import Any

from memtend.distill.columns import Columns, day_of
from memtend.distill.likeness import Likeness, Near
from memtend.distill.overlap import pairs
from memtend.memory import MemoryId
from memtend.review import ConflictKind
from memtend.text import fold

OVERLAP = 0.6
"""Shared keywords as a share of the smaller set, from which two memories of a cluster are offered for merging."""

Compare = Callable[[int, int], Likeness]
"""How the texts in two rows compare."""


class Basis(StrEnum):
    """By what a pair was found."""

    KEYWORDS = "keywords"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that may be one."""

    primary: MemoryId
    """The one that would stay."""
    secondary: MemoryId
    cluster: str
    """Of the primary."""
    basis: Basis
    overlap: float
    """Shared keywords as a share of the smaller set, 0 to 1, unrounded."""
    shared: tuple[str, ...]
    """Those keywords, as the primary has them."""
    likeness: Likeness | None = None
    """None where the texts were not compared: there are too many pairs."""
    has_no_keywords: bool = False
    """Whether neither has any."""

    @property
    def conflict(self) -> ConflictKind | None:
        """In what the texts contradict each other."""
        return self.likeness.conflict if self.likeness else None

    def to_json(self) -> dict[str, Any]:
        """The pair as JSON values (design: contracts)."""
        return {
            "primary": self.primary,
            "secondary": self.secondary,
            "overlap": self.overlap,
            "shared": list(self.shared),
            "cluster": self.cluster,
            "basis": self.basis,
            "similarity": self.likeness.similarity if self.likeness else None,
            "conflict": self.conflict,
        }


@dataclass(frozen=True, slots=True)
class Alike:
    """The pairs of a vault, most alike first within each cluster, those found by text last."""

    pairs: tuple[Pair, ...]
    is_complete: bool = True
    """Whether all pairs are there; of very many, each memory's best alone."""


def primary_first(columns: Columns, rows: Iterable[int], today: date) -> list[int]:
    """Rows in the order in which they would stay: more retrievals, then older, then first id."""

    def rank(row: int) -> tuple[int, int, str]:
        created = day_of(columns.created[row])
        known = min(created, today) if created else today
        return -columns.retrieval_counts[row], known.toordinal(), columns.ids[row]

    return sorted(rows, key=rank)


def alike(
    columns: Columns,
    today: date,
    near: Sequence[Near],
    compare: Compare,
    *,
    compared: int | None = None,
    limit: int | None = None,
) -> Alike:
    """The pairs that share enough keywords within their cluster, and those of near texts.

    The first `compared` pairs (all, without) have their texts compared. With a `limit`, and more pairs than that to
    look at, each memory's best alone is given.
    """
    clusters = columns.clusters()
    found = pairs(columns.keywords, clusters, OVERLAP, limit)
    told = _Teller(columns, clusters, today)
    rows = list(zip(found.first.tolist(), found.second.tolist(), found.overlap.tolist(), strict=True))
    rows.sort(key=lambda row: (clusters[row[0]], -row[2], row[0], row[1]))
    by_keywords = [told.pair(one, other, Basis.KEYWORDS, overlap) for one, other, overlap in rows]
    by_keywords = _with_likeness(by_keywords, told.row_of, compare, compared)
    known = {(one, other) for one, other, _ in rows}
    by_text = [
        replace(told.pair(pair.first, pair.second, Basis.TEXT), likeness=pair.likeness)
        for pair in sorted(near, key=lambda pair: (-pair.likeness.similarity, pair.first, pair.second))
        if (pair.first, pair.second) not in known
    ]
    return Alike((*by_keywords, *by_text), found.is_complete)


def _with_likeness(
    found: Sequence[Pair], row_of: Mapping[str, int], compare: Compare, compared: int | None
) -> list[Pair]:
    """The pairs with their texts compared, the most alike first where not all are."""
    order = sorted(range(len(found)), key=lambda place: (-found[place].overlap, place))
    chosen = set(order if compared is None else order[:compared])
    return [
        replace(pair, likeness=compare(row_of[pair.primary], row_of[pair.secondary])) if place in chosen else pair
        for place, pair in enumerate(found)
    ]


class _Teller:
    """Makes pairs of rows."""

    def __init__(self, columns: Columns, clusters: Sequence[str], today: date) -> None:
        self._columns = columns
        self._clusters = clusters
        self._today = today
        self.row_of = {id: row for row, id in enumerate(columns.ids)}

    def pair(self, one: int, other: int, basis: Basis, overlap: float | None = None) -> Pair:
        """The pair in two rows; its overlap is counted where it is not given."""
        first, second = primary_first(self._columns, (one, other), self._today)
        ids, keywords = self._columns.ids, self._columns.keywords
        ours, theirs = ({fold(word): word for word in reversed(keywords[row])} for row in (first, second))
        shared = tuple(word for key, word in reversed(ours.items()) if key in theirs)
        smaller = min(len(ours), len(theirs))
        counted = len(shared) / smaller if smaller else 0.0
        return Pair(
            MemoryId(ids[first]),
            MemoryId(ids[second]),
            self._clusters[first],
            basis,
            counted if overlap is None else overlap,
            shared,
            has_no_keywords=not (ours or theirs),
        )
