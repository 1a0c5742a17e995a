"""What a person or program gets back from an apply: what was done, and by which name to take it back."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from memtend.change import Verb
from memtend.memory import MemoryId


class CommitStatus(StrEnum):
    """How the commit of an apply ended. The memories are on the disk whichever it is."""

    COMMITTED = "committed"
    SKIPPED = "skipped"
    """Not now, for the reason given: nothing to commit, ignored, a merge under way."""
    FAILED = "failed"
    """Git said no, for the reason given. The next commit of this store takes the files along."""
    OFF = "off"
    """Not asked for, or there is no repository."""


@dataclass(frozen=True, slots=True)
class CommitResult:
    """The outcome of the commit, the reason in words, and the commit's hash where there is one."""

    status: CommitStatus
    reason: str = ""
    commit: str = ""
    is_pending: bool = False
    """Whether the next commit of this store takes the files along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One apply, as the log shows it."""

    id: str
    """Sorts by time. Empty where there was nothing to write, and so nothing was recorded."""
    at: str
    """A UTC timestamp that ends in `Z`."""
    note: str = ""
    session: str = ""
    verbs: Mapping[str, int] = field(default_factory=dict)
    """How many changes of each verb; an undo has the verb `undo` alone."""
    memory_ids: tuple[MemoryId, ...] = ()
    paths: tuple[str, ...] = ()
    """Every file written or removed, derived pages too, sorted."""
    undoes: str | None = None
    """The receipt that this one took back."""
    undone_by: str | None = None
    """The receipt that took this one back and still stands."""
    is_bookkeeping: bool = False
    """Usage counts and derived pages: nothing a person decided, so nothing to undo."""
    is_erased: bool = False
    """What it held was erased on request (`memtend forget`), so it cannot be undone."""
    git: CommitResult | None = None
    """Of the apply just made; None in the log, which does not follow what became of a commit."""
    warnings: tuple[str, ...] = ()
    """What a person should know of the apply just made, one sentence each."""
    usage_left: tuple[MemoryId, ...] = ()
    """Memories whose usage could not be written into their files this time."""

    def to_json(self) -> dict[str, Any]:
        """The receipt as JSON values."""
        return asdict(self)


def commit_message(receipt: Receipt) -> str:
    """The commit message: `memory: add/update N memories` for what was learned (vault spec, 2.4), else the verbs."""
    learned = {Verb.CREATE, Verb.UPDATE, Verb.EXTEND}
    if receipt.undoes is not None:
        subject = f"memory: undo {receipt.undoes}"
    elif receipt.is_bookkeeping or not receipt.memory_ids:
        subject = f"memory: {' '.join(receipt.note.split()) or 'update files'}"
    else:
        what = "add/update" if set(receipt.verbs) <= learned else "/".join(sorted(receipt.verbs))
        subject = f"memory: {what} {len(receipt.memory_ids)} memories"
    body = receipt.note if receipt.memory_ids and not receipt.is_bookkeeping and receipt.note != subject else ""
    trailer = f"Session: {' '.join(receipt.session.split())}" if receipt.session.strip() else ""
    return "\n\n".join(part for part in (subject, body, trailer) if part)
