"""What the everyday actions of a role answer: plain values, each with `to_json`.

Named tuples, since a hook pays for the making of every class at every start.
"""

from typing import Any, NamedTuple

from memtend.layouts.role.ids import Kind


def as_json(value: Any) -> Any:
    """A value as JSON values: named tuples become objects, other tuples lists."""
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


class Stored(NamedTuple):
    """What became of a new learning or preference."""

    status: str
    """`created`, `pending` (it waits for proof of use), or `duplicate` (nothing was written; `id` is the twin's)."""
    kind: Kind
    id: str
    text: str
    category: str = ""
    times: int = 0
    receipt: str = ""
    """What `undo` takes back; empty where nothing was written."""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        return _counted(as_json(self))


class Edited(NamedTuple):
    """What became of an entry that was updated or deleted."""

    status: str
    """`updated`, `unchanged` or `deleted`."""
    kind: Kind
    id: str
    """The id it has now."""
    old_id: str
    text: str
    old_text: str
    category: str = ""
    times: int = 0
    receipt: str = ""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        return _counted(as_json(self))


class Reinforced(NamedTuple):
    """A learning that counts one use more."""

    id: str
    text: str
    times: int
    tier: str
    receipt: str = ""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        return _counted({"status": "reinforced", **as_json(self)})


class Resolved(NamedTuple):
    """A candidate that was promoted or discarded."""

    status: str
    id: str
    text: str
    kind: Kind
    """What it became."""
    new_id: str
    """The id of what it became; empty where it was discarded."""
    receipt: str = ""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        values: dict[str, Any] = as_json(self)
        return values


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


class Found(NamedTuple):
    """The hits of a search, and what they proved."""

    query: str
    hits: tuple[Hit, ...]
    reinforced: tuple[Reinforced, ...] = ()
    promoted: tuple[Resolved, ...] = ()
    receipt: str = ""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values; a hit has what a reader needs."""
        hits = [_counted(as_json(hit)) for hit in self.hits]
        for hit in hits:
            del hit["is_proof"]
        return {
            "query": self.query,
            "hits": hits,
            "reinforced": [{"id": one.id, "count": one.times, "tier": one.tier} for one in self.reinforced],
            "promoted": [{"id": one.id, "new_id": one.new_id, "kind": one.kind} for one in self.promoted],
            "receipt": self.receipt,
        }


class Issue(NamedTuple):
    """Something in a file that a person should know of."""

    code: str
    path: str
    line: int
    message: str


class Line(NamedTuple):
    """One entry of a listing."""

    id: str
    kind: Kind
    text: str
    times: int = 0
    tier: str = ""
    category: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""
    date: str = ""
    state: str = ""


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
    entries: tuple[Line, ...]

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        values: dict[str, Any] = as_json(self._replace(entries=()))
        values["entries"] = [_line_to_json(line) for line in self.entries]
        return values


def _line_to_json(line: Line) -> dict[str, Any]:
    """A line with the fields that its kind has."""
    values: dict[str, Any] = {"id": line.id, "kind": line.kind, "text": line.text}
    if line.kind is Kind.LEARNING:
        values |= {"count": line.times, "tier": line.tier}
    if line.kind is Kind.PREFERENCE or line.category:
        values["category"] = line.category
    if line.state:
        values["state"] = line.state
    if line.tags:
        values["tags"] = list(line.tags)
    if line.source:
        values["source"] = line.source
    if line.date:
        values[_DATES[line.kind]] = line.date
    return values


_DATES = {Kind.LEARNING: "seen", Kind.PREFERENCE: "seen", Kind.PENDING: "created", Kind.EVENT: "date"}


def _counted(values: dict[str, Any]) -> dict[str, Any]:
    """With the count by the name that readers know."""
    return {"count" if name == "times" else name: value for name, value in values.items()}


class Prompt(NamedTuple):
    """What an agent's prompt gets of a role."""

    role: str
    text: str
    size_tokens: int
    shown: int
    left_out: int

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        values: dict[str, Any] = as_json(self)
        return values


class RoleFile(NamedTuple):
    """A file of a role's folder."""

    path: str
    text: str
    digest: str

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        values: dict[str, Any] = as_json(self)
        return values


class Written(NamedTuple):
    """A file of a role's folder that was written."""

    status: str
    """`created`, `updated` or `unchanged`."""
    path: str
    digest: str
    issues: tuple[Issue, ...] = ()
    receipt: str = ""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        values: dict[str, Any] = as_json(self)
        return values
