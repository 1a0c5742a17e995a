"""What else the index can tell: every memory without its text, columns for distill, neighbours for learn.

None of it is on the hot path. `catalogue` and `columns` are in the order of ids.
"""

from memtend.search.phrases import best_by_words
from memtend.search.question import Question
from memtend.search.scope import Scope
from memtend.search.tables import SEPARATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memtend.memory import Memory
    from memtend.search.index import Index

    Usage = tuple[int, str]

_PLAIN = (
    "id, path, part, digest, title, summary, topic, category, source, created, modified, retrieval_count, "
    "last_retrieved, status, retired_at, retired_reason, token_count"
)
_LISTS = "tags, keywords, links, extra"
_TELLING = 12
"""How many of a text's rarest words look for its neighbours."""


class Neighbour:
    """A memory that may be about the same as a text. `n` is its number in the index, until the next refresh."""

    __slots__ = ("category", "digest", "id", "keywords", "n", "title", "topic")

    def __init__(self, row: "Sequence[Any]") -> None:
        self.n: int = row[0]
        self.id: str = row[1]
        self.title: str = row[2]
        self.digest: str = row[3]
        self.topic: str = row[4]
        self.category: str = row[5]
        self.keywords: tuple[str, ...] = _items(row[6])


def catalogue(index: "Index") -> "list[Memory]":
    """Every memory, without content: all that the derived pages and the reports show."""
    return _memories(index, "true", ())


def from_source(index: "Index", source: str) -> "list[Memory]":
    """The memories in use that name this source, without content."""
    return _memories(index, "status = 'active' and source = ?", (source,))


def retired(index: "Index") -> "list[Memory]":
    """The memories that are retired, without content."""
    return _memories(index, "status != 'active'", ())


def _memories(index: "Index", condition: str, bindings: "Sequence[Any]") -> "list[Memory]":
    from memtend.memory import Digest, Memory, MemoryId, Place, Status

    memories = []
    for row in index.rows(f"select {_PLAIN}, {_LISTS} from memories where {condition} order by id, path", bindings):
        values = dict(zip(_PLAIN.split(", "), row, strict=False))
        tags, keywords, links, extra = map(_items, row[-4:])
        values["id"] = MemoryId(values["id"])
        values["digest"] = Digest(values["digest"])
        values["status"] = Status(values["status"])
        place = Place(values.pop("path"), values.pop("part"))
        pairs = dict(zip(extra[::2], extra[1::2], strict=True))
        memories.append(Memory(place=place, tags=tags, keywords=keywords, links=links, extra=pairs, **values))
    return memories


def columns(index: "Index") -> "dict[str, list[Any]]":
    """Every memory's fields as one list a field, of equal length; lists of names as tuples."""
    names = f"{_PLAIN}, {_LISTS}".split(", ")
    rows = index.rows(f"select {_PLAIN}, {_LISTS} from memories order by id, path")
    table: dict[str, list[Any]] = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    for name in _LISTS.split(", "):
        table[name] = [_items(listed) for listed in table[name]]
    return table


def texts(index: "Index", ids: "Sequence[str]") -> dict[str, str]:
    """The active content of some memories by id."""
    return dict(
        index.rows_of("select m.id, t.text from memories m join texts t on t.n = m.n where m.id in ({keys})", ids)
    )


def neighbours(index: "Index", text: str, limit: int = 5) -> list[Neighbour]:
    """The memories in use that share most with a text (its key terms, or all of it), best first.

    Their own texts come by `text_of`: one may be large, and near to many.
    """
    return index.steadily(lambda: _neighbours(index, text, limit))


def _neighbours(index: "Index", text: str, limit: int) -> list[Neighbour]:
    some = Question(index, text, is_typed=False).some
    if some is None:
        return []
    query = " OR ".join(f'"{word}"' for word in some.words[:_TELLING])
    best = best_by_words(index, query, Scope(), limit)
    rows = index.rows_of(
        "select n, id, title, digest, topic, category, keywords from memories where n in ({keys})", list(best)
    )
    ranked = sorted(rows, key=lambda row: (best[row[0]], row[1]))
    return [Neighbour(row) for row in ranked[:limit]]


def text_of(index: "Index", near: Neighbour) -> str | None:
    """The active content of a neighbour; None where the memory has gone or changed since it was found."""
    rows = index.rows(
        "select t.text from memories m join texts t on t.n = m.n where m.n = ? and m.id = ? and m.digest = ?",
        (near.n, near.id, near.digest),
    )
    return next((text for (text,) in rows), None)


def usage(index: "Index") -> "dict[str, Usage]":
    """What files and derived pages know of every memory's usage: the larger count, the later date."""
    from memtend.search.usage import later

    known = {
        id: (times, last) for id, times, last in index.rows("select id, retrieval_count, last_retrieved from memories")
    }
    for id, times, last in index.rows("select id, times, last from usage_floor"):
        if id in known:
            known[id] = (max(known[id][0], times), later(known[id][1], last))
    return known


def links_to(index: "Index", id: str) -> list[str]:
    """The memories in use that link to one, by id."""
    rows = index.rows(
        "select distinct m.id from links l join memories m on m.n = l.n"
        " where l.target = ? and m.status = 'active' order by m.id",
        (id,),
    )
    return [source for (source,) in rows]


def problems(index: "Index") -> "list[tuple[str, str, str, int, str]]":
    """What is wrong with files: `(path, code, severity, line, message)`, by path."""
    rows = index.rows("select path, code, severity, line, message from problems order by path, line, code")
    return [(path, code, severity, line, message) for path, code, severity, line, message in rows]


def _items(listed: str) -> tuple[str, ...]:
    return tuple(listed.split(SEPARATOR)) if listed else ()
