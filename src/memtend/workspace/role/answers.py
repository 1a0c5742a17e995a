"""What a role remembers, as plain values: entries, listings, hits. What actions answer stands in `outcomes`.

Named tuples, and few of them, since a hook pays for the making of every class at every start.
"""

from typing import Any, NamedTuple

from memtend.layouts.role.ids import Kind, tier_of
from memtend.layouts.role.pending import STATES, UNKNOWN
from memtend.memory import Digest, MemoryId, digest_of


def as_json(value: Any) -> Any:
    """A value as JSON values: named tuples become objects, other tuples lists."""
    if isinstance(value, Entry):
        return value.to_json()
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        if fields is None:
            return [as_json(inner) for inner in value]
        return {
            name: inner if inner.__class__ is str else as_json(inner) for name, inner in zip(fields, value, strict=True)
        }
    if isinstance(value, dict):
        return {name: as_json(inner) for name, inner in value.items()}
    return value


class Hit(NamedTuple):
    """One answer to a search, as it stood when the question was asked."""

    id: str
    kind: Kind
    score: float
    times: int
    text: str
    category: str = ""
    state: str = ""
    """Of a candidate."""
    is_proof: bool = False
    """Whether it has proved to be of use: the query's own words stand in it."""


class Issue(NamedTuple):
    """Something in a file that a person should know of."""

    code: str
    path: str
    line: int
    message: str


class Entry(NamedTuple):
    """One thing that a role remembers, whichever file it stands in."""

    id: MemoryId
    kind: Kind
    text: str
    detail: str = ""
    """What is nested under it, or an event's body."""
    category: str = ""
    times: int = 0
    """How often a learning was used."""
    tags: tuple[str, ...] = ()
    source: str = ""
    date: str = ""
    """Of a learning or preference when it was last used, of a candidate when it came, of an event when it was."""
    mark: str = ""
    """Of a candidate."""
    other: tuple[tuple[str, str], ...] = ()
    """Fields of its metadata that memtend does not know."""

    @property
    def tier(self) -> str:
        """`high`, `normal` or `new` for a learning, empty for the rest."""
        return tier_of(self.times) if self.kind is Kind.LEARNING else ""

    @property
    def state(self) -> str:
        """Of a candidate: `waiting`, `promoted`, `discarded` or `unknown`."""
        return STATES.get(self.mark, UNKNOWN) if self.kind is Kind.PENDING else ""

    @property
    def digest(self) -> Digest:
        """Of what it says and where it belongs. How often it was used is no part of it."""
        return digest_of(f"{self.kind}:{self.category}:{self.content}".encode("utf-8", "surrogateescape"))

    @property
    def content(self) -> str:
        """The text with what is nested under it, as `Memory.content` has it."""
        return f"{self.text}\n{self.detail}" if self.detail and self.kind is not Kind.EVENT else self.text

    def to_json(self) -> dict[str, Any]:
        """The entry as JSON values, with the fields that its kind has."""
        values: dict[str, Any] = {"id": self.id, "kind": self.kind, "text": self.text}
        if self.kind is Kind.LEARNING:
            values["count"] = self.times
            values["tier"] = tier_of(self.times)
        elif self.kind is Kind.PREFERENCE or self.category:
            values["category"] = self.category
        if self.mark:
            values["state"] = self.state
        if self.tags:
            values["tags"] = self.tags
        if self.source:
            values["source"] = self.source
        if self.date:
            values[_DATES[self.kind]] = self.date
        return values


class Listed(NamedTuple):
    """What a role remembers and what is the matter with it."""

    role: str
    learnings: dict[str, int]
    """`total`, `high`, `normal`, `new`."""
    preferences: dict[str, int]
    """`total`, then by category."""
    events: int
    pending: dict[str, int]
    """`waiting`, `promoted`, `discarded`, `unknown`."""
    issues: tuple[Issue, ...]
    long: tuple[str, ...]
    """Ids of the entries over 120 characters."""
    noise: float
    """Share of the learnings that stand at [0x], 0 to 1."""
    last_consolidated: str
    entries: tuple[Entry, ...]

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        values: dict[str, Any] = as_json(self._replace(entries=()))
        values["entries"] = [entry.to_json() for entry in self.entries]
        return values


_DATES = {Kind.LEARNING: "seen", Kind.PREFERENCE: "seen", Kind.PENDING: "created", Kind.EVENT: "date"}


def counted(values: dict[str, Any]) -> dict[str, Any]:
    """With the count by the name that readers know."""
    return {"count" if name == "times" else name: value for name, value in values.items()}
