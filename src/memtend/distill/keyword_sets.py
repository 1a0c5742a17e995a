"""Sets of keywords as arrays, and what can be asked of all of them at once.

All sets stand in one array, each ordered by how rare its keywords are, rarest first; keywords are compared letter
case aside. See `overlap` for what these questions are put together to.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memtend.text import fold

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_CROWDED = 512
"""Shared sets of one size that one memory may have before it is counted instead."""
AT_ONCE = 4_000_000
"""Rows of a join that are held at a time."""


class Sets(NamedTuple):
    """Sets of terms in one array: row r has `terms[starts[r]:starts[r + 1]]`, rarest first.

    Terms that one row alone has are left out, for they are shared with nobody; `sizes` counts them too.
    """

    terms: "Ints"
    rows: "Ints"
    """The row of each place in `terms`."""
    starts: "Ints"
    sizes: "Ints"
    counts: "Ints"
    """How many rows have each term."""

    @property
    def lengths(self) -> "Ints":
        """How many terms of each row are shared with anybody."""
        return self.starts[1:] - self.starts[:-1]


# Sets as arrays


def sets_of(keywords: Sequence[Collection[str]], groups: Sequence[str] | None) -> Sets:
    """The sets; with groups, the same word in two groups is two terms."""
    import numpy as np

    rows, words, word_count = _flat(keywords)
    sizes = np.bincount(rows, minlength=len(keywords)).astype(np.int64)
    if groups is not None and len(rows):
        number = {group: n for n, group in enumerate(dict.fromkeys(groups))}
        words = np.array([number[group] for group in groups], dtype=np.int64)[rows] * word_count + words
        words = np.unique(words, return_inverse=True)[1].astype(np.int64)
    frequent = np.bincount(words)
    rank = np.empty(len(frequent), dtype=np.int64)
    rank[np.argsort(frequent, kind="stable")] = np.arange(len(frequent))
    shared = frequent[words] > 1
    width = max(1, len(frequent))
    rows, terms = np.divmod(np.sort(rows[shared] * width + rank[words[shared]]), width)
    starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(keywords))))).astype(np.int64)
    return Sets(terms, rows, starts, sizes, np.sort(frequent, kind="stable").astype(np.int64))


def _flat(keywords: Sequence[Collection[str]]) -> "tuple[Ints, Ints, int]":
    """Every keyword of every row once: its row, and its number; and how many different keywords there are."""
    import numpy as np

    folded: dict[str, int] = {}
    numbers: dict[str, int] = {}
    flat: list[int] = []
    for words in keywords:
        for word in words:
            if word not in numbers:
                numbers[word] = folded.setdefault(fold(word), len(folded))
            flat.append(numbers[word])
    rows = np.repeat(np.arange(len(keywords), dtype=np.int64), [len(words) for words in keywords])
    width = max(1, len(folded))
    keys = distinct(rows * width + np.array(flat, dtype=np.int64))
    return keys // width, keys % width, width


def distinct(keys: "Ints") -> "Ints":
    """The numbers in order, each once. Sorting is faster than the table that numpy's own way makes."""
    import numpy as np

    keys = np.sort(keys)
    found: Ints = keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if len(keys) else keys
    return found


# Level by level


class Level(NamedTuple):
    """Sets of one size that at least two rows have. One entry for each row that has one."""

    size: int
    sets: "Ints"
    """Which set, numbered from 0; entries are in this order."""
    rows: "Ints"
    places: "Ints"
    """Where the set's last term stands in the terms of all."""


def levels(sets: Sets, kept: "Flags", crowded: "Flags") -> Iterator[Level]:
    """The shared sets of `kept` rows, size by size. Rows that have too many are marked `crowded` and left out."""
    import numpy as np

    places = np.flatnonzero(kept[sets.rows])
    level = _grouped(1, sets.terms[places], sets.rows[places], places)
    while len(level.rows):
        busy = np.bincount(level.rows, minlength=len(kept)) > _CROWDED
        if busy.any():
            crowded |= busy
            level = _regrouped(level, ~busy[level.rows])
        yield level
        level = _longer(sets, level)


def _longer(sets: Sets, level: Level) -> Level:
    """The shared sets of one term more."""
    import numpy as np

    room = sets.starts[level.rows + 1] - level.places - 1
    entries = np.repeat(np.arange(len(room)), room)
    places = level.places[entries] + 1 + counting(room)
    keys = level.sets[entries] * (len(sets.counts) + 1) + sets.terms[places]
    return _grouped(level.size + 1, keys, level.rows[entries], places)


def counting(lengths: "Ints") -> "Ints":
    """0, 1, 2 … for each length, one after the other."""
    import numpy as np

    total = int(lengths.sum())
    return np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _grouped(size: int, keys: "Ints", rows: "Ints", places: "Ints") -> Level:
    """Entries by key, those left out whose key is theirs alone."""
    import numpy as np

    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    is_new = np.concatenate(([True], keys[1:] != keys[:-1])) if len(keys) else np.zeros(0, dtype=bool)
    number = np.cumsum(is_new) - 1
    is_shared = np.bincount(number)[number] > 1 if len(keys) else is_new
    kept = order[is_shared]
    sets = np.cumsum(is_new[is_shared]) - 1
    return Level(size, sets, rows[kept], places[kept])


def _regrouped(level: Level, kept: "Flags") -> Level:
    return _grouped(level.size, level.sets[kept], level.rows[kept], level.places[kept])


# Counting


def counted(sets: Sets, rows: "Ints") -> Iterator["tuple[Ints, Ints, Ints]"]:
    """Each of some rows with every other row that has one of its terms, and how many they share."""
    import numpy as np

    by_term = np.argsort(sets.terms, kind="stable")
    heads = np.concatenate(([0], np.cumsum(np.bincount(sets.terms, minlength=len(sets.counts))))).astype(np.int64)
    for some in _chunks(sets, rows):
        places = np.concatenate([np.arange(sets.starts[row], sets.starts[row + 1]) for row in some])
        terms = sets.terms[places]
        met = heads[terms + 1] - heads[terms]
        others = sets.rows[by_term[np.repeat(heads[terms], met) + counting(met)]]
        keys, shared = np.unique(np.repeat(sets.rows[places], met) * len(sets.sizes) + others, return_counts=True)
        first, second = np.divmod(keys, len(sets.sizes))
        apart = first != second
        yield first[apart], second[apart], shared[apart].astype(np.int64)


def _chunks(sets: Sets, rows: "Ints") -> Iterator[list[int]]:
    """The rows in portions that meet a bounded number of others."""
    portion: list[int] = []
    size = 0
    for row in rows.tolist():
        reach = int(sets.counts[sets.terms[sets.starts[row] : sets.starts[row + 1]]].sum())
        if portion and size + reach > AT_ONCE:
            yield portion
            portion, size = [], 0
        portion.append(row)
        size += reach
    if portion:
        yield portion


def reach(sets: Sets, rows: "Ints") -> int:
    """How many others some rows meet, each counted once a shared term."""
    import numpy as np

    chosen = np.isin(sets.rows, rows)
    return int(sets.counts[sets.terms[chosen]].sum())


def shared_terms(sets: Sets, first: "Ints", second: "Ints") -> "Ints":
    """How many terms each pair of rows shares."""
    import numpy as np

    width = len(sets.counts) + 1
    known = sets.rows * width + sets.terms
    shared = np.zeros(len(first), dtype=np.int64)
    for start in range(0, len(first), AT_ONCE // 8):
        some = slice(start, start + AT_ONCE // 8)
        lengths = sets.lengths[first[some]]
        pair = np.repeat(np.arange(len(lengths)), lengths)
        places = np.repeat(sets.starts[first[some]], lengths) + counting(lengths)
        wanted = second[some][pair] * width + sets.terms[places]
        at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        hits = known[at] == wanted
        shared[some] = np.bincount(pair[hits], minlength=len(lengths))
    return shared
