"""What the actions on single entries or files of a role answer: plain values, each with `to_json`."""

from typing import Any, NamedTuple

from memtend.layouts.role.ids import Kind
from memtend.workspace.role.answers import Hit, Issue, as_json, counted


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
        return counted(as_json(self))


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
        return counted(as_json(self))


class Reinforced(NamedTuple):
    """A learning that counts one use more."""

    id: str
    text: str
    times: int
    tier: str
    receipt: str = ""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        return counted({"status": "reinforced", **as_json(self)})


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


class Found(NamedTuple):
    """The hits of a search, and what they proved."""

    query: str
    hits: tuple[Hit, ...]
    reinforced: tuple[Reinforced, ...] = ()
    promoted: tuple[Resolved, ...] = ()
    receipt: str = ""
    note: str = ""
    """Why what was proved could not be counted."""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values; a hit has what a reader needs."""
        hits = [counted(as_json(hit)) for hit in self.hits]
        for hit in hits:
            del hit["is_proof"]
        return {
            "query": self.query,
            "hits": hits,
            "reinforced": [{"id": one.id, "count": one.times, "tier": one.tier} for one in self.reinforced],
            "promoted": [{"id": one.id, "new_id": one.new_id, "kind": one.kind} for one in self.promoted],
            "receipt": self.receipt,
            **({"note": self.note} if self.note else {}),
        }


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
