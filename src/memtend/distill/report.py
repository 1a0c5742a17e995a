"""The health of a vault as one value: what the terminal, Markdown, JSON and the page are made from (vault spec, 5)."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, NamedTuple

from memtend.distill.alike import Alike, Pair
from memtend.distill.columns import Columns, DateProblem, day_of
from memtend.distill.score import Class, Scores, health_status
from memtend.memory import UNCATEGORIZED, MemoryId

GC_AFTER_DAYS = 7
"""How long a retired memory's file stays before gc offers it."""
_MONTHS = 120


class Dated(NamedTuple):
    """A memory and its day."""

    id: MemoryId
    date: str


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """What the memories of a category come to."""

    name: str
    count: int
    tokens: int
    average_score: float


@dataclass(frozen=True, slots=True)
class ClusterRow:
    """What the memories of a topic cluster come to."""

    name: str
    count: int
    average_staleness: float
    average_duplicate: float


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How often memories are handed out."""

    never: int
    low: int
    """One to three times."""
    high: int
    """Four times and more."""
    most: MemoryId | None
    """The one that was retrieved most; None where none ever was."""
    most_count: int


class Retired(NamedTuple):
    """A retired memory whose file is still there."""

    id: MemoryId
    retired_at: str
    reason: str
    days_until_gc: int
    """0 where gc may take it now."""


class Scored(NamedTuple):
    """The scores of one memory."""

    id: MemoryId
    staleness: float
    zero_retrieval: float
    size_penalty: float
    duplicate: float
    composite: float
    kind: Class


class Flagged(NamedTuple):
    """A memory that shares over 60 % of its keywords with another, of any cluster."""

    id: MemoryId
    duplicate: float
    partner: MemoryId


@dataclass(frozen=True, slots=True)
class Report:
    """The health of a vault on one day."""

    generated: date
    vault: str
    """The vault's folder, for people."""
    scores: Scores
    alike: Alike
    retired: tuple[Retired, ...]

    @property
    def columns(self) -> Columns:
        """The memories in use."""
        return self.scores.columns

    @property
    def total_memories(self) -> int:
        """How many memories are in use."""
        return len(self.columns)

    @property
    def total_tokens(self) -> int:
        """All their tokens."""
        return sum(self.columns.token_counts)

    @property
    def average_tokens(self) -> float:
        """Tokens a memory."""
        return self.total_tokens / self.total_memories if self.total_memories else 0.0

    @property
    def health(self) -> int:
        """0 to 100."""
        return self.scores.health

    @property
    def status(self) -> str:
        """`healthy`, `manageable`, `concerning` or `critical`."""
        return health_status(self.health)

    @property
    def date_problems(self) -> tuple[DateProblem, ...]:
        """Dates that count as today, since they cannot be true."""
        return self.scores.ages.problems

    def rows(self) -> Iterator[Scored]:
        """The scores of every memory, by id."""
        found = self.scores
        parts = (found.staleness, found.zero_retrieval, found.size_penalty, found.duplicate, found.composite)
        columns = zip(self.columns.ids, *(part.tolist() for part in parts), found.classes, strict=True)
        return (Scored(MemoryId(id), *values) for id, *values in columns)

    def named(self, rows: Sequence[int]) -> list[MemoryId]:
        """The ids in some rows."""
        return [MemoryId(self.columns.ids[row]) for row in rows]

    @property
    def flagged(self) -> list[Flagged]:
        """The memories that count as duplicates in the health score, each with the one it is most like."""
        ids, found = self.columns.ids, self.scores
        return [
            Flagged(MemoryId(ids[row]), float(found.duplicate[row]), MemoryId(ids[int(found.best.partner[row])]))
            for row in found.merge
        ]

    @property
    def flagged_elsewhere(self) -> list[Flagged]:
        """Flagged memories that are in no pair: the one they are like is of another cluster."""
        paired = {id for pair in self.alike.pairs for id in (pair.primary, pair.secondary)}
        return [found for found in self.flagged if found.id not in paired]

    @property
    def conflicts(self) -> list[Pair]:
        """Pairs whose texts contradict each other."""
        return [pair for pair in self.alike.pairs if pair.conflict]

    def extremes(self) -> tuple[Dated, Dated] | None:
        """The oldest and the newest memory; None where no memory has a date that can be."""
        latest = self.generated
        dated = [
            (day, id)
            for id, text in zip(self.columns.ids, self.columns.created, strict=True)
            if (day := day_of(text)) is not None and day <= latest
        ]
        if not dated:
            return None
        oldest = min(dated)
        newest = min(dated, key=lambda found: (-found[0].toordinal(), found[1]))
        return Dated(MemoryId(oldest[1]), str(oldest[0])), Dated(MemoryId(newest[1]), str(newest[0]))

    def categories(self) -> list[CategoryRow]:
        """By category, the largest first."""
        groups = _grouped([category or UNCATEGORIZED for category in self.columns.categories])
        composite, tokens = self.scores.composite.tolist(), self.columns.token_counts
        rows = [
            CategoryRow(name, len(members), sum(tokens[n] for n in members), _mean([composite[n] for n in members]))
            for name, members in groups.items()
        ]
        return sorted(rows, key=lambda row: (-row.count, row.name))

    def clusters(self) -> list[ClusterRow]:
        """By topic cluster, the largest first."""
        stale, same = self.scores.staleness.tolist(), self.scores.duplicate.tolist()
        rows = [
            ClusterRow(name, len(members), _mean([stale[n] for n in members]), _mean([same[n] for n in members]))
            for name, members in _grouped(self.columns.clusters()).items()
        ]
        return sorted(rows, key=lambda row: (-row.count, row.name))

    def retrieval(self) -> Retrieval:
        """How often the memories are handed out."""
        counts = self.columns.retrieval_counts
        top = max(range(len(counts)), key=lambda n: (counts[n], -n), default=None)
        used = top is not None and counts[top] > 0
        return Retrieval(
            never=sum(count == 0 for count in counts),
            low=sum(1 <= count <= 3 for count in counts),
            high=sum(count >= 4 for count in counts),
            most=MemoryId(self.columns.ids[top]) if used and top is not None else None,
            most_count=counts[top] if used and top is not None else 0,
        )

    def growth(self) -> list[tuple[str, int]]:
        """How many of today's memories there were at the end of each month, for the last ten years at most."""
        days = (day_of(text) for text in self.columns.created)
        by_month = Counter(day.year * 12 + day.month - 1 for day in days if day is not None and day <= self.generated)
        if not by_month:
            return []
        last = self.generated.year * 12 + self.generated.month - 1
        first = max(min(by_month), last - _MONTHS + 1)
        total = sum(count for month, count in by_month.items() if month < first)
        found: list[tuple[str, int]] = []
        for month in range(first, last + 1):
            total += by_month[month]
            found.append((f"{month // 12:04}-{month % 12 + 1:02}", total))
        return found

    def actions(self) -> list[str]:
        """What a person could do next, most urgent first."""
        return list(_actions(self))

    def to_json(self) -> dict[str, Any]:
        """The report as JSON values (design: contracts)."""
        extremes = self.extremes()
        return {
            "generated": str(self.generated),
            "vault": self.vault,
            "total_memories": self.total_memories,
            "total_tokens": self.total_tokens,
            "average_tokens": self.average_tokens,
            "oldest": extremes[0]._asdict() if extremes else None,
            "newest": extremes[1]._asdict() if extremes else None,
            "health_score": self.health,
            "status": self.status,
            "scores": [_scored(row) for row in self.rows()],
            "candidates": {
                "purge": self.named(self.scores.purge),
                "merge": [pair.to_json() for pair in self.alike.pairs],
                "compress": self.named(self.scores.compress),
                "review": self.named(self.scores.review),
            },
            "merge_is_complete": self.alike.is_complete,
            "duplicates": [found._asdict() for found in self.flagged],
            "categories": [asdict(row) for row in self.categories()],
            "clusters": [asdict(row) for row in self.clusters()],
            "retrieval": asdict(self.retrieval()),
            "tombstoned": [row._asdict() for row in self.retired],
            "date_problems": [problem._asdict() for problem in self.date_problems],
            "actions": self.actions(),
        }


def retired_rows(table: Sequence[tuple[str, str, str]], today: date) -> tuple[Retired, ...]:
    """The retired memories of `(id, retired_at, reason)`, longest retired first. A date that cannot be is today."""
    rows = [
        Retired(MemoryId(id), at, reason, max(0, GC_AFTER_DAYS - days_since(at, today))) for id, at, reason in table
    ]
    return tuple(sorted(rows, key=lambda row: (row.days_until_gc, row.retired_at, row.id)))


def days_since(text: str, today: date) -> int:
    """Days from a date to today; 0 for one that is missing, invalid or in the future."""
    day = day_of(text)
    return max(0, (today - day).days) if day is not None else 0


def _scored(row: Scored) -> dict[str, Any]:
    return {
        "id": row.id,
        "staleness": row.staleness,
        "zero_retrieval": row.zero_retrieval,
        "size_penalty": row.size_penalty,
        "duplicate": row.duplicate,
        "composite": row.composite,
        "class": row.kind,
    }


def _grouped(names: Sequence[str]) -> dict[str, list[int]]:
    found: defaultdict[str, list[int]] = defaultdict(list)
    for n, name in enumerate(names):
        found[name].append(n)
    return found


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _actions(report: Report) -> Iterator[str]:
    scores = report.scores
    if report.conflicts:
        pair = report.conflicts[0]
        yield (
            f"{_count(len(report.conflicts), 'pair')} in conflict, such as {pair.primary} and "
            f"{pair.secondary} ({pair.conflict}): decide which one holds"
        )
    if scores.stale:
        yield f"{_count(len(scores.stale), 'memory')} stale or never retrieved: `memtend distill purge`"
    mergeable = sum(not pair.conflict for pair in report.alike.pairs)
    if mergeable:
        yield f"{_count(mergeable, 'pair')} that may be one memory: `memtend distill merge`"
    if scores.compress:
        yield f"{_count(len(scores.compress), 'memory')} over 900 tokens: `memtend distill compress`"
    due = sum(row.days_until_gc == 0 for row in report.retired)
    if due:
        yield f"{_count(due, 'retired memory')} past {GC_AFTER_DAYS} days: `memtend distill gc`"
    if report.date_problems:
        count = len(report.date_problems)
        told = "counts as today: mend it in its file" if count == 1 else "count as today: mend them in their files"
        yield f"{_count(count, 'date')} that cannot be true {told}"


def _count(count: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count} {noun if count == 1 else plural}"
