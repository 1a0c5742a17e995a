"""What the upkeep of a role answers: plain values, each with `to_json`."""

from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Self

from memtend.workspace.role.answers import Entry, Issue, as_json
from memtend.workspace.role.outcomes import Stored

if TYPE_CHECKING:
    from memtend.layouts.role.consolidate import Merge
    from memtend.layouts.role.plan import TidyPlan


@dataclass(frozen=True)
class Report:
    """An answer of an action that may have written something."""

    receipt: str = field(default="", kw_only=True)
    """What `undo` takes back; empty where nothing was written."""

    def with_receipt(self, receipt: str) -> Self:
        """The answer with the receipt of what was written."""
        return replace(self, receipt=receipt)

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        return {one.name: as_json(getattr(self, one.name)) for one in fields(self)}


@dataclass(frozen=True)
class Expired(Report):
    """What upkeep of pending.md did."""

    expired: tuple[Entry, ...] = ()
    completed: tuple[str, ...] = ()
    """Ids of lines that a person wrote without mark, source, id or date."""
    archived: int = 0
    unknown: tuple[Issue, ...] = ()
    """Lines with a mark that memtend does not know; kept as they are."""


@dataclass(frozen=True)
class Consolidated(Report):
    """What was merged."""

    before: dict[str, int]
    """`learnings`, `preferences`."""
    after: dict[str, int]
    removed: int
    merges: "tuple[Merge, ...]"

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values; what went into a merge as ids and texts."""
        merges = [
            asdict(merge) | {"removed": [{"id": id, "text": text} for id, text in merge.removed]}
            for merge in self.merges
        ]
        return {**super().to_json(), "merges": merges}


@dataclass(frozen=True)
class Repaired(Report):
    """What was mended, and what only a person can."""

    repaired: bool
    mended: tuple[Issue, ...]
    left: tuple[Issue, ...]


@dataclass(frozen=True)
class Tidied(Report):
    """What of a tidy plan was applied."""

    rewrote: int = 0
    deleted: int = 0
    added: int = 0
    skipped: tuple[dict[str, str], ...] = ()
    """Ids and reasons of what was not applied."""


@dataclass(frozen=True)
class Extracted(Report):
    """What was taken from a transcript."""

    added: tuple[Stored, ...] = ()
    skipped: tuple[Stored, ...] = ()
    maker: str = "rules"

    def with_receipt(self, receipt: str) -> Self:
        """The answer with the receipt of all that was added, where that was written together."""
        return replace(self, receipt=receipt, added=tuple(one._replace(receipt=receipt) for one in self.added))


@dataclass(frozen=True)
class Migrated(Report):
    """What was taken over from an older layout."""

    taken: tuple[str, ...] = ()
    archive: str = ""
    added: int = 0
    raised: int = 0


@dataclass(frozen=True)
class Organized(Report):
    """One run of the whole procedure, or of what was due of it."""

    role: str
    before: dict[str, int]
    after: dict[str, int]
    repaired: bool = False
    removed: int = 0
    rewrote: int = 0
    deleted: int = 0
    added: int = 0
    promoted: int = 0
    expired: int = 0
    ran: tuple[str, ...] = ()
    """The steps that ran, in order."""
    notes: tuple[str, ...] = ()
    """What a person should know: why a step ran or did not, and what waits for them."""
    plan: "TidyPlan | None" = None
    """A tidy plan to look at; nothing of it is applied."""
    receipts: tuple[str, ...] = ()

    @property
    def report(self) -> str:
        """The report, as the role spec has it."""
        return "\n".join(
            (
                f"Memory Organize Report — {self.role}",
                f"- Before: {self.before['learnings']} learnings, {self.before['preferences']} preferences",
                f"- After:  {self.after['learnings']} learnings, {self.after['preferences']} preferences",
                f"- Repaired: {'yes' if self.repaired else 'no'}",
                f"- Consolidate: removed {self.removed} duplicates",
                f"- LLM tidy: rewrote {self.rewrote}, deleted {self.deleted}, added {self.added}",
                f"- Pending: {self.promoted} promoted, {self.expired} expired",
            )
        )

    def with_receipt(self, receipt: str) -> Self:
        """The answer with the receipt of all steps, where they were made together."""
        return replace(self, receipts=(receipt,) if receipt else ())

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values, with the report's text."""
        values = super().to_json()
        del values["receipt"]
        return {**values, "plan": self.plan.to_json() if self.plan else None, "report": self.report}
