"""A tidy plan as a value: rewrites, contradictions, deletions, additions. JSON outside, checked on the way in."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from memtend.errors import UnusableInput
from memtend.layouts.role.ids import Kind
from memtend.layouts.role.schema import complaints

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Rewrite:
    """An entry in fewer words."""

    id: str
    old: str
    text: str
    reason: str = "verbose"
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two entries that do not agree. Reported, never applied."""

    ids: tuple[str, str]
    texts: tuple[str, str]
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Deletion:
    """An entry that could go. With `into`, that one says the same and takes over count and tags."""

    id: str
    old: str
    reason: str
    into: str = ""
    must_be_named: bool = False
    """A preference, or used three times and more: it goes only when a person names it."""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Addition:
    """A new entry made of what others say."""

    text: str
    sources: tuple[str, ...]
    kind: Kind = Kind.LEARNING
    category: str = ""
    reason: str = "synthesis"


@dataclass(frozen=True, slots=True)
class Remark:
    """What a person may want to look at; nothing to apply."""

    reason: str
    id: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class TidyPlan:
    """What could be tidied. Nothing of it is applied before a person has seen and accepted it."""

    role: str = ""
    made: str = ""
    maker: str = "rules"
    rewrites: tuple[Rewrite, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    deletions: tuple[Deletion, ...] = ()
    additions: tuple[Addition, ...] = ()
    remarks: tuple[Remark, ...] = field(default=())

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to apply."""
        return not (self.rewrites or self.deletions or self.additions)

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values, as the schema has them."""
        return {
            "format": FORMAT,
            "role": self.role,
            "made": self.made,
            "maker": self.maker,
            "rewrites": [_stripped(asdict(rewrite)) for rewrite in self.rewrites],
            "contradictions": [
                {**asdict(pair), "ids": list(pair.ids), "texts": list(pair.texts)} for pair in self.contradictions
            ],
            "deletions": [_stripped(asdict(deletion)) for deletion in self.deletions],
            "additions": [_addition_to_json(addition) for addition in self.additions],
            "remarks": [_stripped(asdict(remark)) for remark in self.remarks],
        }


def _stripped(values: dict[str, Any]) -> dict[str, Any]:
    """Without the fields that say nothing."""
    return {name: value for name, value in values.items() if value != ""}


def _addition_to_json(addition: Addition) -> dict[str, Any]:
    values = {"kind": str(addition.kind), "category": addition.category, "text": addition.text}
    return _stripped({**values, "from": list(addition.sources), "reason": addition.reason})


def plan_from_json(data: object) -> TidyPlan:
    """The plan that JSON values are. Raises UnusableInput with what the schema has against them."""
    wrong = complaints(data) or _unwritable(data)
    if wrong or not isinstance(data, Mapping):
        raise UnusableInput(
            "not a tidy plan: " + "; ".join(wrong[:5]), hint="`memtend role tidy --schema` prints the schema."
        )
    return TidyPlan(
        role=data.get("role", ""),
        made=data.get("made", ""),
        maker=data.get("maker", "model"),
        rewrites=tuple(Rewrite(**{"old": "", **values}) for values in data["rewrites"]),
        contradictions=tuple(_contradiction(values) for values in data["contradictions"]),
        deletions=tuple(Deletion(**{"old": "", **values}) for values in data["deletions"]),
        additions=tuple(_addition(values) for values in data["additions"]),
        remarks=tuple(Remark(**values) for values in data.get("remarks", ())),
    )


def _unwritable(data: object) -> list[str]:
    """That a text holds half of a character, which no file can; bytes that were no UTF-8 are none."""
    try:
        json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return ["a text holds half of a character"]
    return []


def _contradiction(values: Mapping[str, Any]) -> Contradiction:
    first, second = values["ids"]
    texts = values.get("texts", ("", ""))
    return Contradiction((first, second), (texts[0], texts[1]), values.get("kind", ""), values["reason"])


def _addition(values: Mapping[str, Any]) -> Addition:
    return Addition(
        text=values["text"],
        sources=tuple(values["from"]),
        kind=Kind(values.get("kind", "learning")),
        category=values.get("category", ""),
        reason=values.get("reason", "synthesis"),
    )
