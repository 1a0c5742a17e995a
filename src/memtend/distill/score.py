"""How much a memory asks for upkeep: the formulas of the vault spec, section 5.

Each formula stands here once, over whole columns. Columns may be numpy arrays or expressions of a database, so a
formula uses arithmetic and comparisons, and for what those cannot say the few verbs of an `Algebra`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from memtend.distill.columns import Ages, Columns, ages
from memtend.distill.overlap import Best, best

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

STALE_AFTER_DAYS = 90
PROVEN_AFTER_DAYS = 60
"""Age from which having been retrieved at all lowers staleness."""
GRACE_DAYS = 30
"""Age up to which nobody expects a memory to have been retrieved."""
FULL_TOKENS = 600
"""Size from which a memory is penalised."""

WEIGHTS = {"staleness": 0.3, "zero_retrieval": 0.25, "size_penalty": 0.2, "duplicate": 0.25}
"""What each score counts in the composite."""

PURGE_FROM = 0.7
TEND_FROM = 0.5
REVIEW_FROM = 0.3
MERGE_ABOVE = 0.6
COMPRESS_ABOVE = 0.5
STALE_ABOVE = 0.8


class Algebra(Protocol):
    """What a kind of column needs beside arithmetic."""

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        """`yes` in the rows where the condition holds, else `no`."""
        ...

    def least(self, one: Any, other: Any) -> Any:
        """The smaller of the two in each row."""
        ...

    def greatest(self, one: Any, other: Any) -> Any:
        """The larger of the two in each row."""
        ...


# The formulas (vault spec, 5). Days are whole days in UTC.


def staleness(idle_days: Any, age_days: Any, retrieval_count: Any, of: Algebra) -> Any:
    """0 (fresh) to 1 (of no use for 90 days); 0.3 less for one over 60 days old that was ever retrieved."""
    plain = of.least(idle_days / STALE_AFTER_DAYS, 1.0)
    proven = (retrieval_count > 0) & (age_days > PROVEN_AFTER_DAYS)
    return of.where(proven, of.greatest(plain - 0.3, 0.0), plain)


def zero_retrieval(age_days: Any, retrieval_count: Any, of: Algebra) -> Any:
    """1 for one over 30 days old that was never retrieved, else 0."""
    return of.where((retrieval_count == 0) & (age_days > GRACE_DAYS), 1.0, 0.0)


def size_penalty(token_count: Any, of: Algebra) -> Any:
    """0 up to 600 tokens, 1 at 1,200 and so on without bound."""
    return of.greatest((token_count - FULL_TOKENS) / FULL_TOKENS, 0.0)


def duplicate(shared: Any, keyword_count: Any, of: Algebra) -> Any:
    """The share of its own keywords that the most alike other memory has too; 0 without keywords."""
    return of.where(keyword_count > 0, shared / of.greatest(keyword_count, 1), 0.0)


def composite(staleness: Any, zero_retrieval: Any, size_penalty: Any, duplicate: Any, of: Algebra) -> Any:
    """All four together, 0 to 1."""
    total = (
        WEIGHTS["staleness"] * staleness
        + WEIGHTS["zero_retrieval"] * zero_retrieval
        + WEIGHTS["size_penalty"] * size_penalty
        + WEIGHTS["duplicate"] * duplicate
    )
    return of.least(of.greatest(total, 0.0), 1.0)


def health(purge: int, merge: int, compress: int) -> int:
    """0 to 100, from how many memories are to be purged, merged and compressed."""
    return max(0, min(100, 100 - 3 * purge - 5 * merge - 2 * compress))


def health_status(score: int) -> str:
    """A health score in a word."""
    return next((word for least, word in _STATUSES if score >= least), "critical")


_STATUSES = ((80, "healthy"), (60, "manageable"), (40, "concerning"))


class Arrays:
    """The algebra of numpy arrays."""

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        """`yes` in the rows where the condition holds, else `no`."""
        import numpy as np

        return np.where(condition, yes, no)

    def least(self, one: Any, other: Any) -> Any:
        """The smaller of the two in each row."""
        import numpy as np

        return np.minimum(one, other)

    def greatest(self, one: Any, other: Any) -> Any:
        """The larger of the two in each row."""
        import numpy as np

        return np.maximum(one, other)


# The scores of a vault


class Class(StrEnum):
    """What the composite alone says of a memory."""

    PURGE = "purge"
    TEND = "merge_or_compress"
    REVIEW = "review"
    HEALTHY = "healthy"


@dataclass(frozen=True, slots=True)
class Scores:
    """The four components and the composite of every memory in use, as arrays in the order of `columns`."""

    columns: Columns
    ages: Ages
    best: Best
    """The memory that each one shares most keywords with."""
    staleness: "Floats"
    zero_retrieval: "Floats"
    size_penalty: "Floats"
    duplicate: "Floats"
    composite: "Floats"

    @property
    def classes(self) -> list[Class]:
        """What the composite says of each memory."""
        return [class_of(value) for value in self.composite.tolist()]

    @property
    def purge(self) -> list[int]:
        """Rows to be purged: composite 0.7 and more, highest first."""
        return self._rows(self.composite >= PURGE_FROM, self.composite)

    @property
    def merge(self) -> list[int]:
        """Rows that share over 60 % of their keywords with another, most alike first."""
        return self._rows(self.duplicate > MERGE_ABOVE, self.duplicate)

    @property
    def compress(self) -> list[int]:
        """Rows over 900 tokens, largest first."""
        return self._rows(self.size_penalty > COMPRESS_ABOVE, self.size_penalty)

    @property
    def review(self) -> list[int]:
        """Rows to be looked at: composite from 0.3, or never retrieved; those to be purged left out."""
        doubtful = (self.composite >= REVIEW_FROM) | (self.zero_retrieval == 1)
        return self._rows(doubtful & (self.composite < PURGE_FROM), self.composite)

    @property
    def stale(self) -> list[int]:
        """Rows that the purge mode proposes: never retrieved, or stale beyond 0.8."""
        return self._rows((self.zero_retrieval == 1) | (self.staleness > STALE_ABOVE), self.composite)

    @property
    def health(self) -> int:
        """The health of the whole, 0 to 100."""
        return health(len(self.purge), len(self.merge), len(self.compress))

    def metrics(self) -> dict[str, int]:
        """What the log keeps of the vault's state."""
        return {
            "total_memories": len(self.columns),
            "total_tokens": sum(self.columns.token_counts),
            "health_score": self.health,
            "purge_candidates": len(self.purge),
            "merge_candidates": len(self.merge),
            "compress_candidates": len(self.compress),
        }

    def _rows(self, chosen: Any, key: "Floats") -> list[int]:
        """The chosen rows, the highest key first, equal ones by id."""
        rows: list[int] = chosen.nonzero()[0].tolist()
        values = key.tolist()
        return sorted(rows, key=lambda n: (-values[n], n))


def class_of(value: float) -> Class:
    """What a composite says by itself."""
    return next((found for least, found in _CLASSES if value >= least), Class.HEALTHY)


_CLASSES = ((PURGE_FROM, Class.PURGE), (TEND_FROM, Class.TEND), (REVIEW_FROM, Class.REVIEW))


def scores(columns: Columns, today: date) -> Scores:
    """The scores of all memories. n·log n in their number, for memories of a few keywords each."""
    import numpy as np

    of = Arrays()
    found = ages(columns, today)
    age, idle, used, tokens = (
        np.array(column, dtype=np.int64)
        for column in (found.age_days, found.idle_days, _bounded(columns.retrieval_counts), columns.token_counts)
    )
    alike = best(columns.keywords)
    parts = (
        staleness(idle, age, used, of),
        zero_retrieval(age, used, of),
        size_penalty(tokens, of),
        duplicate(alike.shared, alike.sizes, of),
    )
    return Scores(columns, found, alike, *parts, composite(*parts, of))


def _bounded(counts: Sequence[int]) -> list[int]:
    """Counts as a machine word holds them; a file may say anything."""
    return [min(count, 2**62) for count in counts]
