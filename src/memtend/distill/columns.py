"""The memories in use as columns of equal length: what scores and overlaps are computed over.

One list a field and no object a memory, so that a vault of 100,000 memories is a few arrays. Dates become day
numbers (`datetime.date.toordinal`) in UTC; a plain date is that calendar day.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from memtend.memory import Digest, Memory, MemoryId, Status, cluster_of


class DateProblem(NamedTuple):
    """A date that counts as today, since it cannot be true (vault spec, 5)."""

    id: str
    field: str
    value: str
    """As the file has it; empty where it is missing."""
    reason: str
    """`missing`, `invalid` or `future`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Some fields of every memory in use, by id."""

    ids: Sequence[str]
    digests: Sequence[str]
    titles: Sequence[str]
    topics: Sequence[str]
    categories: Sequence[str]
    keywords: Sequence[tuple[str, ...]]
    created: Sequence[str]
    last_retrieved: Sequence[str]
    retrieval_counts: Sequence[int]
    token_counts: Sequence[int]

    @classmethod
    def of(cls, memories: Iterable[Memory]) -> "Columns":
        """The columns of those memories that are in use."""
        active = sorted((memory for memory in memories if memory.is_active), key=lambda memory: memory.id)
        return cls(**{name: [getattr(memory, field) for memory in active] for name, field in _FIELDS.items()})

    @classmethod
    def of_table(cls, table: Mapping[str, Sequence[Any]], usage: Mapping[str, tuple[int, str]]) -> "Columns":
        """The columns of a table with one list a field of `Memory`, by id; `usage` is all that is known of it."""
        rows = [n for n, status in enumerate(table["status"]) if status == Status.ACTIVE]
        picked = {name: [table[field][n] for n in rows] for name, field in _FIELDS.items()}
        known = [usage.get(id, (0, "")) for id in picked["ids"]]
        picked["retrieval_counts"] = [max(a, b) for a, (b, _) in zip(picked["retrieval_counts"], known, strict=True)]
        picked["last_retrieved"] = [last or own for own, (_, last) in zip(picked["last_retrieved"], known, strict=True)]
        return cls(**picked)

    def after(self, changed: Mapping[MemoryId, Memory | None]) -> "Columns":
        """The columns when some memories have become others, or (None) are gone."""
        kept = [n for n, id in enumerate(self.ids) if id not in changed]
        new = Columns.of(memory for memory in changed.values() if memory is not None)
        joined = {f.name: [*(getattr(self, f.name)[n] for n in kept), *getattr(new, f.name)] for f in fields(self)}
        order = sorted(range(len(joined["ids"])), key=joined["ids"].__getitem__)
        return Columns(**{name: [column[n] for n in order] for name, column in joined.items()})

    def clusters(self) -> list[str]:
        """The group that each memory is compared within: the first segment of its topic."""
        known = {topic: cluster_of(topic) for topic in set(self.topics)}
        return [known[topic] for topic in self.topics]

    def __len__(self) -> int:
        return len(self.ids)


_FIELDS = {
    "ids": "id",
    "digests": "digest",
    "titles": "title",
    "topics": "topic",
    "categories": "category",
    "keywords": "keywords",
    "created": "created",
    "last_retrieved": "last_retrieved",
    "retrieval_counts": "retrieval_count",
    "token_counts": "token_count",
}
"""Each column and the field of a memory that it holds."""


class Ages(NamedTuple):
    """In days up to today, never negative: since creation, and since the memory was last of use."""

    age_days: list[int]
    idle_days: list[int]
    """Since `last_retrieved`, or since `created` where it was never retrieved."""
    problems: tuple[DateProblem, ...]


def ages(columns: Columns, today: date) -> Ages:
    """How old each memory is. A missing, invalid or future date counts as today and is named (vault spec, 5)."""
    read = _Days(today)
    created = [read.age_days(text) for text in columns.created]
    used = [read.age_days(text) if text else None for text in columns.last_retrieved]
    age = [days if isinstance(days, int) else 0 for days in created]
    idle = [own if last is None else last if isinstance(last, int) else 0 for own, last in zip(age, used, strict=True)]
    found = [*_problems(columns.ids, "created", columns.created, created)]
    found += _problems(columns.ids, "last_retrieved", columns.last_retrieved, used)
    return Ages(age, idle, tuple(sorted(found)))


def _problems(
    ids: Sequence[str], field: str, texts: Sequence[str], days: Sequence[int | str | None]
) -> Iterator[DateProblem]:
    for id, text, found in zip(ids, texts, days, strict=True):
        if isinstance(found, str):
            yield DateProblem(id, field, text, found)


class _Days:
    """Reads dates; one that comes again is read once."""

    def __init__(self, today: date) -> None:
        self._today = today.toordinal()
        self._known: dict[str, int | str] = {}

    def age_days(self, text: str) -> int | str:
        """Days from that date to today, or what is wrong with it."""
        if text not in self._known:
            self._known[text] = self._read(text)
        return self._known[text]

    def _read(self, text: str) -> int | str:
        if not text.strip():
            return "missing"
        found = day_of(text)
        if found is None:
            return "invalid"
        days = self._today - found.toordinal()
        return "future" if days < 0 else days


@lru_cache(maxsize=65536)
def day_of(text: str) -> date | None:
    """The UTC day of a date or timestamp as files have it, None where it is none. A time without a zone is UTC."""
    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo is None else moment.astimezone(UTC)).date()
    except (ValueError, OverflowError):
        return None


def digest_at(columns: Columns, n: int) -> Digest:
    """The digest of the memory in a row."""
    return Digest(columns.digests[n])
