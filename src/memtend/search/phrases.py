"""What the full-text table tells of a memory: what each word of a question weighs in it, and how close they stand."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    import apsw

_NEAR, _FIRST_PLACES, _MOST_MARKS = 30, 20, 12
"""Words within which phrases stand close; places of each that are looked at, and how many from each on."""


def weights(api: "apsw.FTS5ExtensionApi", *columns: "Any") -> str:
    """An SQL function: numbers about a row, parted by blanks. `columns` is what one occurrence weighs in each column.

    They are the row's length as a share of the mean, how close to each other the phrases stand in the last column, then
    how much each phrase weighs in the row.
    """
    mean = api.column_total_size(-1) / max(1, api.row_count)
    places = [api.phrase_locations(phrase) for phrase in range(len(api.phrases))]
    found = [sum([weight * len(at) for weight, at in zip(columns, all_at, strict=False)]) for all_at in places]
    close = _closeness([all_at[-1] for all_at in places], sum(map(bool, found)))
    return " ".join(map(str, (api.column_size(-1) / mean if mean else 1.0, close, *found)))


def _closeness(places: "Sequence[Sequence[int]]", count: int) -> float:
    """Which share of the `count` phrases that are there stands within some thirty words, at best."""
    if count < 2:
        return 1.0
    marks = sorted([(at, phrase) for phrase, all_at in enumerate(places) for at in all_at[:_FIRST_PLACES]])
    best = 0
    for number, (first, _phrase) in enumerate(marks):
        best = max(best, len({phrase for at, phrase in marks[number : number + _MOST_MARKS] if at - first <= _NEAR}))
        if best == count:
            break
    return best / count
