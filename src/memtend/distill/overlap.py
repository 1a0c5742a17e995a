"""Which memories share keywords: exactly, and without comparing each with each.

Keywords are compared letter case aside. Each set is ordered by how rare its keywords are, rarest first. Two joins
stand on that order:

- `best`: what is the most that a memory shares with any other? Sets of k keywords that stand in at least two
  memories are found level by level, k = 1, 2, 3 …: each is one of the level before with one more keyword, kept only
  where a second memory has it too. So the work follows what is really shared, and a keyword that thousands have
  costs no pairs. Memories that share very much with others leave that way and are counted against everyone who has
  one of their keywords.
- `pairs`: which pairs share enough? Sets that must share k keywords share, in the order of rarity, one of their
  rarest few (a prefix filter), and three of them likewise; pairs that meet there are then counted.

All sets stand in one array (`keyword_sets`), so that both are a few array operations.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memtend.distill.keyword_sets import (
    AT_ONCE,
    Level,
    Sets,
    counted,
    counting,
    distinct,
    levels,
    reach,
    sets_of,
    shared_terms,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Flags = npt.NDArray[np.bool_]
    Floats = npt.NDArray[np.float64]
    Ints = npt.NDArray[np.int64]

_DEPTH = 3
"""Keywords that a pair is looked up by."""


class Best(NamedTuple):
    """The most that each memory shares with another."""

    shared: "Ints"
    """How many keywords."""
    partner: "Ints"
    """The row of the first memory it shares so many with; -1 where it shares none."""
    sizes: "Ints"
    """How many different keywords it has."""


class Pairs(NamedTuple):
    """Pairs of rows, the smaller row first, in order of rows."""

    first: "Ints"
    second: "Ints"
    shared: "Ints"
    """Keywords that both have."""
    overlap: "Floats"
    """Shared keywords as a share of the smaller set."""
    is_complete: bool = True
    """Whether all pairs are there; else only each memory's best."""


def best(keywords: Sequence[Collection[str]], groups: Sequence[str] | None = None) -> Best:
    """The most that each memory shares with any other, or with any other of its group."""
    import numpy as np

    sets = sets_of(keywords, groups)
    found = _Leader(sets)
    kept = found.settle_twins()
    crowded = np.zeros(len(sets.sizes), dtype=bool)
    for level in levels(sets, kept, crowded):
        found.take_level(level)
    for rows, others, shared in counted(sets, np.flatnonzero(crowded)):
        found.take(rows, others, shared)
        found.take(others, rows, shared)
    found.take_twins()
    return Best(found.shared, found.partner, sets.sizes)


def pairs(
    keywords: Sequence[Collection[str]],
    groups: Sequence[str],
    least: float,
    limit: int | None = None,
) -> Pairs:
    """All pairs of one group whose shared keywords are at least that share of the smaller set.

    With a `limit`, and more pairs than that to look at, only each memory's best one is given (`is_complete` says
    so): all of them can be as many as the square of the memories.
    """
    import numpy as np

    sets = sets_of(keywords, groups)
    need = np.maximum(1, _needed(sets.sizes, least))
    crowded = np.zeros(len(sets.sizes), dtype=bool)
    probes = list(_probes(sets, need, crowded))
    rows = np.flatnonzero(crowded)
    if limit is not None and sum(probe.cost for probe in probes) + int(reach(sets, rows)) > limit:
        return _best_pairs(best(keywords, groups), least)
    count = len(sets.sizes)
    met = [distinct(_united(first, second, count)) for probe in probes for first, second in probe.met()]
    met += [distinct(_united(first, second, count)) for first, second, _ in counted(sets, rows)]
    keys = distinct(np.concatenate(met)) if met else np.zeros(0, dtype=np.int64)
    first, second = np.divmod(keys, max(1, count))
    shared = shared_terms(sets, first, second)
    return _qualified(first, second, shared, sets.sizes, least)


def _united(first: "Ints", second: "Ints", count: int) -> "Ints":
    """Pairs of rows as one number each, the smaller row first."""
    import numpy as np

    united: Ints = np.minimum(first, second) * count + np.maximum(first, second)
    return united


def _qualified(first: "Ints", second: "Ints", shared: "Ints", sizes: "Ints", least: float) -> Pairs:
    import numpy as np

    smaller = np.minimum(sizes[first], sizes[second])
    overlap = shared / np.maximum(smaller, 1)
    good = (overlap >= least) & (smaller > 0)
    return Pairs(first[good], second[good], shared[good], overlap[good])


def _best_pairs(found: Best, least: float) -> Pairs:
    """Each memory with the one it shares most with, where that is enough."""
    import numpy as np

    rows = np.flatnonzero(found.partner >= 0)
    keys, at = np.unique(_united(rows, found.partner[rows], len(found.sizes)), return_index=True)
    first, second = np.divmod(keys, max(1, len(found.sizes)))
    enough = _qualified(first, second, found.shared[rows[at]], found.sizes, least)
    return enough._replace(is_complete=False)


def _needed(sizes: "Ints", least: float) -> "Ints":
    """How many keywords the smaller set of a pair must share: the least k with k / size at or over the limit."""
    import numpy as np

    guess = np.floor(sizes * least).astype(np.int64)
    enough = guess / np.maximum(sizes, 1) >= least
    needed: Ints = np.where(enough, guess, guess + 1)
    return needed


class _Leader:
    """The most that each row is known to share, and with whom."""

    def __init__(self, sets: Sets) -> None:
        import numpy as np

        self._sets = sets
        count = len(sets.sizes)
        self.shared: Ints = np.zeros(count, dtype=np.int64)
        self.partner: Ints = np.full(count, -1, dtype=np.int64)
        self._twins: list[tuple[int, int]] = []

    def settle_twins(self) -> "Flags":
        """Rows with the same shared terms need no search; the rows still to be searched: one of each kind."""
        import numpy as np

        sets = self._sets
        first: dict[bytes, int] = {}
        kept = np.zeros(len(sets.sizes), dtype=bool)
        for row, (start, end) in enumerate(zip(sets.starts.tolist(), sets.starts[1:].tolist(), strict=False)):
            if start == end:
                continue
            other = first.setdefault(sets.terms[start:end].tobytes(), row)
            kept[row] = other == row
            if other != row:
                self._twins.append((row, other))
        rows, others = np.array(self._twins, dtype=np.int64).reshape(-1, 2).T
        self.take(np.concatenate((rows, others)), np.concatenate((others, rows)), np.tile(sets.lengths[rows], 2))
        return kept

    def take_twins(self) -> None:
        """What the one of each kind was found to share, the others of its kind share too."""
        import numpy as np

        rows, others = np.array(self._twins, dtype=np.int64).reshape(-1, 2).T
        apart = self.partner[others] != rows
        rows, others = rows[apart], others[apart]
        self.take(rows, self.partner[others], self.shared[others])

    def take_level(self, level: Level) -> None:
        """Everyone with a set of this size shares so much with the first other who has it."""
        import numpy as np

        if not len(level.rows):
            return
        heads = np.flatnonzero(np.concatenate(([True], level.sets[1:] != level.sets[:-1])))
        first = np.minimum.reduceat(level.rows, heads)[level.sets]
        nobody = len(self.shared)
        second = np.minimum.reduceat(np.where(level.rows == first, nobody, level.rows), heads)[level.sets]
        nearest = np.full(nobody, nobody)
        np.minimum.at(nearest, level.rows, np.where(level.rows == first, second, first))
        rows = np.flatnonzero(nearest < nobody)
        self.take(rows, nearest[rows], np.full(len(rows), level.size))

    def take(self, rows: "Ints", others: "Ints", shared: "Ints") -> None:
        """Note what rows share with others; of equal ones the first other counts."""
        import numpy as np

        order = np.lexsort((others, -shared, rows))
        rows, others, shared = rows[order], others[order], shared[order]
        is_first = np.concatenate(([True], rows[1:] != rows[:-1])) if len(rows) else np.zeros(0, dtype=bool)
        rows, others, shared = rows[is_first], others[is_first], shared[is_first]
        is_closer = (shared == self.shared[rows]) & ((others < self.partner[rows]) | (self.partner[rows] < 0))
        better = (shared > self.shared[rows]) | is_closer
        self.shared[rows[better]] = shared[better]
        self.partner[rows[better]] = others[better]


# The prefix join


class _Probe(NamedTuple):
    """Entries of one level that look for partners, and where in the level these stand."""

    rows: "Ints"
    starts: "Ints"
    lengths: "Ints"
    partners: "Ints"
    """The rows of the whole level, in its order."""

    @property
    def cost(self) -> int:
        """How many pairs will meet."""
        return int(self.lengths.sum())

    def met(self) -> Iterator["tuple[Ints, Ints]"]:
        """The pairs that meet, some more than once."""
        import numpy as np

        ends = np.cumsum(self.lengths)
        at = 0
        while at < len(ends):
            done = int(ends[at - 1]) if at else 0
            upto = max(at + 1, int(np.searchsorted(ends, done + AT_ONCE, side="right")))
            lengths = self.lengths[at:upto]
            others = self.partners[np.repeat(self.starts[at:upto], lengths) + counting(lengths)]
            rows = np.repeat(self.rows[at:upto], lengths)
            apart = rows != others
            yield rows[apart], others[apart]
            at = upto


def _probes(sets: Sets, need: "Ints", crowded: "Flags") -> Iterator[_Probe]:
    """What finds every pair of which the smaller set has what it needs.

    The terms that two sets share, rarest first, begin within the rarest of the smaller set: if k are needed of n,
    the d-th of them is among its first n - k + d. So a set looks with d of its terms, d = 3 or all that it needs,
    the last of which stands so early.
    """
    import numpy as np

    able = sets.lengths >= need
    depth = np.minimum(need, _DEPTH)
    kept = np.ones(len(need), dtype=bool)
    for level in levels(sets, kept, crowded):
        early = level.places - sets.starts[level.rows] < (sets.lengths - need + depth)[level.rows]
        looking = np.flatnonzero((depth == level.size)[level.rows] & early & able[level.rows])
        heads = np.flatnonzero(np.concatenate(([True], level.sets[1:] != level.sets[:-1])))
        heads = np.concatenate((heads, [len(level.sets)]))
        chosen = level.sets[looking]
        yield _Probe(level.rows[looking], heads[chosen], heads[chosen + 1] - heads[chosen], level.rows)
        if level.size == _DEPTH:
            return
