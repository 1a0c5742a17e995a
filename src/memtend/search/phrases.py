"""What the full-text table tells: which memories answer best, what each word weighs in one, how close they stand."""

from operator import mul

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import apsw

    from memtend.search.index import Index
    from memtend.search.scope import Scope

_NEAR, _FIRST_PLACES, _MOST_MARKS = 30, 20, 12
"""Words within which phrases stand close; places of each that are looked at, and how many from each on."""


def best_by_words(index: "Index", text: str, columns: str, scope: "Scope", count: int) -> list[int]:
    """The numbers of the best memories by BM25, best first: `count`, and those that are as good as the last of them.

    `columns` is what one occurrence weighs in each column.
    """
    asked = f"select words.rowid, bm25(words, {columns}) as worth from words"
    if not scope.is_narrow:
        # Almost all that is found is in use: to look after sorting is a fraction of the work.
        rows = index.rows(f"{asked} where words match ? order by worth limit {2 * count}", [text])
        retired = frozenset() if scope.with_retired else index.retired()
        found = [row for row in rows if row[0] not in retired]
        if len(found) > count and found[count - 1][1] != found[-1][1]:
            return [n for n, worth in found if worth <= found[count - 1][1]]
        if len(rows) < 2 * count:
            return [n for n, _ in found]
    rows = index.first_rows(
        f"{asked} cross join memories m on m.n = words.rowid where words match ? and {scope.condition} order by worth",
        [text, *scope.bindings],
        count,
    )
    return [n for n, _ in rows]


class Weights:
    """An SQL function that notes what it finds in a row, and gives the place of that in `noted`.

    So nothing is to be written as text and read again: SQLite has no value that holds several numbers.
    """

    __slots__ = ("noted",)

    def __init__(self) -> None:
        self.noted: list[tuple[float, float, list[float]]] = []
        """A row's length as a share of the mean, how close to each other the phrases stand in the last column, and how
        much each phrase weighs in the row."""

    def __call__(self, api: "apsw.FTS5ExtensionApi", *columns: "Any") -> int:
        """`columns` is what one occurrence weighs in each column."""
        mean = api.aux_data
        if mean is None:
            mean = api.aux_data = api.column_total_size(-1) / max(1, api.row_count)
        places = list(map(api.phrase_locations, range(api.phrase_count)))
        found = [sum(map(mul, columns, map(len, all_at))) for all_at in places]
        close = _closeness([all_at[-1] for all_at in places], sum(map(bool, found)))
        self.noted.append((api.column_size(-1) / mean if mean else 1.0, close, found))
        return len(self.noted) - 1


def _closeness(places: "Sequence[Sequence[int]]", count: int) -> float:
    """Which share of the `count` phrases that are there stands within some thirty words, at best."""
    if count < 2:
        return 1.0
    marks = sorted([(at, phrase) for phrase, all_at in enumerate(places) for at in all_at[:_FIRST_PLACES]])
    best = 0
    for number, (first, _phrase) in enumerate(marks):
        best = max(best, len({phrase for at, phrase in marks[number : number + _MOST_MARKS] if at - first <= _NEAR}))
        if best == count or len(marks) - number <= best:
            break
    return best / count
