"""Proposals, the decisions on them, and who decides.

Every ability ends in proposals. A reviewer (the terminal, an MCP client, a browser, a script) turns them into
decisions; nothing is written before that. Proposals and decisions are plain JSON, so that a plan can be saved
and answered later; a proposal carries the digests it relies on and is refused when they no longer hold.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from math import isfinite
from typing import Any, Protocol

from memtend.errors import UnusableInput
from memtend.memory import Digest, MemoryId
from memtend.text import require_name


class Action(StrEnum):
    """What a person may choose for a proposal."""

    UPDATE = "update"
    EXTEND = "extend"
    CREATE = "create"
    SKIP = "skip"
    PURGE = "purge"
    MERGE = "merge"
    COMPRESS = "compress"
    REFINE = "refine"
    GC = "gc"
    ACCEPT = "accept"
    """The proposal as it stands, where there is only one thing to do."""


class Strength(StrEnum):
    """How much a recommendation can be relied on; `--yes` follows strong and medium ones."""

    NONE = "none"
    WEAK = "weak"
    MEDIUM = "medium"
    STRONG = "strong"


class ConflictKind(StrEnum):
    """In what two otherwise alike texts contradict each other."""

    NUMBER = "number"
    NEGATION = "negation"
    VERSION = "version"
    OPPOSITE = "opposite"


@dataclass(frozen=True, slots=True)
class Part:
    """One named part of the evidence: a value, its weight, and the reason in words."""

    name: str
    value: float
    weight: float = 1.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why something is recommended: named parts, and the caps that hold the recommendation down."""

    parts: tuple[Part, ...] = ()
    caps: tuple[str, ...] = ()

    @property
    def total(self) -> float:
        """The weighted sum of the parts."""
        return sum(part.value * part.weight for part in self.parts)

    def value(self, name: str) -> float:
        """The value of the part with this name, 0 where there is none."""
        return next((part.value for part in self.parts if part.name == name), 0.0)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The parts' and caps' reasons in words."""
        return tuple(part.reason for part in self.parts if part.reason) + self.caps


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that a proposal may be about, with how much it is alike."""

    id: MemoryId
    title: str
    digest: Digest
    overlap: float
    """Share of the segment's terms that the memory has (vault spec, 2.2), unrounded."""
    similarity: float
    """Of the two texts, 0 to 1."""
    conflict: ConflictKind | None = None
    evidence: Evidence = Evidence()


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What memtend would do, how sure it is, and why."""

    action: Action
    target: MemoryId | None = None
    strength: Strength = Strength.NONE
    conflict: ConflictKind | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """One question to a person: what to do with a segment, a pair, a memory.

    `kind` names the ability that asks (`learn`, `purge`, `merge` …). `payload` is what that ability needs to
    draft the change, JSON only. `digests` are those of the memories it relies on.
    """

    id: str
    kind: str
    summary: str
    actions: tuple[Action, ...]
    recommendation: Recommendation
    candidates: tuple[Candidate, ...] = ()
    digests: Mapping[MemoryId, Digest] = field(default_factory=dict)
    payload: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's answer to one proposal. What is empty stays as proposed."""

    proposal_id: str
    action: Action
    target: MemoryId | None = None
    topic: str | None = None
    category: str | None = None
    text: str | None = None
    title: str | None = None
    merge_into: str | None = None
    """Another proposal that this one's text joins; it is then applied with that one."""

    def __post_init__(self) -> None:
        """Raise UnusableInput for what names no topic or category."""
        require_name("topic", self.topic)
        require_name("category", self.category)


class Reviewer(Protocol):
    """Who decides. Implementations ask a person; a scripted one answers in tests."""

    def review(self, proposals: Sequence[Proposal]) -> Sequence[Decision]:
        """Answer the proposals; one left out is skipped. Raises Cancelled, and then nothing is written."""
        ...


def answered(proposals: Sequence[Proposal], decisions: Sequence[Decision], action: Action) -> list[Proposal]:
    """The proposals that were answered with that action. Raises as `answers_to` and `taken` do."""
    return [proposal for proposal, _ in answered_pairs(proposals, decisions, action)]


def answered_pairs(
    proposals: Sequence[Proposal], decisions: Sequence[Decision], action: Action
) -> list[tuple[Proposal, Decision]]:
    """The proposals that were answered with that action, with their answers."""
    answers = answers_to(proposals, decisions)
    pairs = [(proposal, answers[proposal.id]) for proposal in proposals if proposal.id in answers]
    return [pair for pair in pairs if taken(*pair) is action]


def answers_to(proposals: Sequence[Proposal], decisions: Sequence[Decision]) -> dict[str, Decision]:
    """Decisions by proposal. Raises UnusableInput for one that answers nothing that was asked, or answers it again."""
    asked = dict.fromkeys(proposal.id for proposal in proposals)
    answers: dict[str, Decision] = {}
    for decision in decisions:
        id = decision.proposal_id
        if id not in asked:
            raise UnusableInput(f"the plan has no {id}", hint="It has " + (", ".join(asked) or "none"))
        if id in answers:
            raise UnusableInput(f"{id} is decided twice", hint="Give one decision for each proposal.")
        answers[id] = decision
    return answers


def taken(proposal: Proposal, decision: Decision) -> Action:
    """What a decision says is to be done. Raises UnusableInput for what cannot be done here."""
    action = proposal.recommendation.action if decision.action is Action.ACCEPT else decision.action
    if action not in proposal.actions:
        allowed = ", ".join(proposal.actions)
        raise UnusableInput(f"{proposal.id}: {action} cannot be done here", hint=f"It can be: {allowed}.")
    return action


def proposal_to_json(proposal: Proposal) -> dict[str, Any]:
    """A proposal as JSON values."""
    return asdict(proposal)


def proposal_from_json(data: Mapping[str, Any]) -> Proposal:
    """The proposal that `proposal_to_json` wrote. Raises UnusableInput for anything else."""
    try:
        return Proposal(
            id=str(data["id"]),
            kind=str(data["kind"]),
            summary=str(data["summary"]),
            actions=tuple(Action(action) for action in data["actions"]),
            recommendation=_recommendation(data["recommendation"]),
            candidates=tuple(_candidate(item) for item in data.get("candidates", ())),
            digests={MemoryId(str(id)): Digest(str(digest)) for id, digest in data.get("digests", {}).items()},
            payload=dict(data.get("payload", {})),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as fault:
        raise UnusableInput(f"not a proposal: {fault}", hint="Make the plan again with --plan.") from fault


def decision_from_json(proposal_id: str, data: Mapping[str, Any]) -> Decision:
    """A decision from `{"action": …, "target": …, …}`. Raises UnusableInput for anything else."""
    known = {"action", "target", "topic", "category", "text", "title", "merge_into"}
    if not isinstance(data, Mapping) or not set(data) <= known or "action" not in data:
        raise UnusableInput(
            f"the decision on {proposal_id} is not understood: {data!r}",
            hint='A decision looks like {"seg-001": {"action": "extend", "target": "MEM-x"}}.',
        )
    try:
        action = Action(data["action"])
    except ValueError as fault:
        raise UnusableInput(
            f"{proposal_id}: {data['action']!r} is no action",
            hint="Actions: " + ", ".join(Action),
        ) from fault
    given = {name: str(data[name]) for name in known - {"action"} if data.get(name) is not None}
    target = given.pop("target", None)
    return Decision(proposal_id, action, MemoryId(target) if target is not None else None, **given)


def _candidate(data: Mapping[str, Any]) -> Candidate:
    evidence = data.get("evidence") or {}
    parts = tuple(_part(**part) for part in evidence.get("parts", ()))
    return Candidate(
        id=MemoryId(data["id"]),
        title=str(data["title"]),
        digest=Digest(data["digest"]),
        overlap=_finite(data["overlap"]),
        similarity=_finite(data["similarity"]),
        conflict=ConflictKind(data["conflict"]) if data.get("conflict") else None,
        evidence=Evidence(parts, tuple(map(str, evidence.get("caps", ())))),
    )


def _part(name: str, value: float, weight: float = 1.0, reason: str = "") -> Part:
    return Part(str(name), _finite(value), _finite(weight), str(reason))


def _finite(value: float) -> float:
    """A number that JSON can hold; Python reads more (`NaN`, `1e999`) than that."""
    number = float(value)
    if not isfinite(number):
        raise ValueError(f"{value} is no number")
    return number


def _recommendation(data: Mapping[str, Any]) -> Recommendation:
    return Recommendation(
        action=Action(data["action"]),
        target=MemoryId(str(data["target"])) if data.get("target") else None,
        strength=Strength(data.get("strength", "none")),
        conflict=ConflictKind(data["conflict"]) if data.get("conflict") else None,
        reasons=tuple(map(str, data.get("reasons", ()))),
    )
