"""What the full-text table tells: which memories answer best, what each word weighs in one, how close they stand."""

from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import apsw

    from memtend.search.index import Index
    from memtend.search.scope import Scope

COLUMNS = "3, 3, 2, 1, 1"
"""What a word weighs in title, keywords, topic, summary, body."""
_NEAR, _FIRST_PLACES = 20, 20
"""Words within which phrases stand together, and places of each that are looked at."""
_HEAD = 2
"""Columns at the front, title and keywords, whose phrases stand together wherever they are."""


def best_by_words(index: "Index", text: str, scope: "Scope", count: int) -> dict[int, float]:
    """The numbers of the best memories by BM25, best first: `count`, and those that are as good as the last of them.

    Each with its BM25, which is below zero: the lower, the better.
    """
    asked = f"select words.rowid, bm25(words, {COLUMNS}) as worth from words"
    if not scope.is_narrow:
        # Almost all that is found is in use: to look after sorting is a fraction of the work.
        rows = index.rows(f"{asked} where words match ? order by worth limit {2 * count}", [text])
        retired = frozenset() if scope.with_retired else index.retired()
        found = [row for row in rows if row[0] not in retired]
        if len(found) > count and found[count - 1][1] != found[-1][1]:
            return {n: worth for n, worth in found if worth <= found[count - 1][1]}
        if len(rows) < 2 * count:
            return dict(found)
    rows = index.first_rows(
        f"{asked} cross join memories m on m.n = words.rowid where words match ? and {scope.condition} order by worth",
        [text, *scope.bindings],
        count,
    )
    return dict(rows)


class Weights:
    """An SQL function that notes what it finds in a row, and gives the place of that in `noted`.

    So nothing is to be written as text and read again: SQLite has no value that holds several numbers.
    """

    __slots__ = ("masses", "noted")

    def __init__(self) -> None:
        self.masses: Sequence[float] = ()
        """What each phrase is worth."""
        self.noted: list[tuple[float, float, list[float]]] = []
        """A row's length as a share of the mean, what the phrases that stand together in it are worth, and how much
        each phrase weighs in the row."""

    def __call__(self, api: "apsw.FTS5ExtensionApi", *columns: "Any") -> int:
        """`columns` is what one occurrence weighs in each column."""
        mean = api.aux_data
        if mean is None:
            mean = api.aux_data = api.column_total_size(-1) / max(1, api.row_count)
        places = list(map(api.phrase_locations, range(api.phrase_count)))
        found = [sum(map(mul, columns, map(len, all_at))) for all_at in places]
        together = _together([(mass, *at) for mass, at in zip(self.masses, places, strict=True) if mass and any(at)])
        self.noted.append((api.column_size(-1) / mean if mean else 1.0, together, found))
        return len(self.noted) - 1


def _together(phrases: "Sequence[tuple[Any, ...]]") -> float:
    """What the phrases are worth that stand within some words of the last column, or in the first columns, at best.

    A phrase is its mass, then its places in each column.
    """
    best: float = sum([mass for mass, *at in phrases if any(at[:_HEAD])])
    marks = sorted([(at, phrase) for phrase, (_, *all_at) in enumerate(phrases) for at in all_at[-1][:_FIRST_PLACES]])
    inside = [0] * len(phrases)
    worth, first = 0.0, 0
    for at, phrase in marks:
        worth += 0 if inside[phrase] else phrases[phrase][0]
        inside[phrase] += 1
        while at - marks[first][0] > _NEAR:
            gone = marks[first][1]
            inside[gone] -= 1
            worth -= 0 if inside[gone] else phrases[gone][0]
            first += 1
        best = max(best, worth)
    return best
