"""A learn plan: what was read, how it was cut, and one proposal a segment. Saved as JSON, answered later."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memtend.errors import NewerFormat, UnusableInput
from memtend.memory import MemoryId
from memtend.review import Decision, Proposal, answers_to, decision_from_json, proposal_from_json, proposal_to_json
from memtend.text import require_name
from memtend.workspace import plan_file

FORMAT = 1


@dataclass(frozen=True, slots=True)
class LearnRequest:
    """What a person asked to learn. `inputs` are sorted by what they are; the named ones say it."""

    inputs: tuple[str, ...] = ()
    text: str | None = None
    files: tuple[str, ...] = ()
    directory: str | None = None
    task: int | None = None
    category: str | None = None
    topic: str | None = None
    max_files: int | None = None
    only: tuple[str, ...] | None = None
    """Of the documents found, just these paths: what a person chose from the list."""

    def __post_init__(self) -> None:
        """Raise UnusableInput for what names no topic or category."""
        require_name("topic", self.topic)
        require_name("category", self.category)


@dataclass(frozen=True, slots=True)
class SecretPlace:
    """Where something looks like a key or a password. Never its value."""

    segment_id: str
    path: str
    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A document that was found, for a person to choose from."""

    path: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be learned. Nothing is written until it comes back with decisions."""

    mode: str
    content_map: Mapping[str, Any]
    proposals: tuple[Proposal, ...]
    warnings: tuple[str, ...] = ()
    skipped: tuple[Mapping[str, str], ...] = ()
    secrets: tuple[SecretPlace, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values (design: contracts), whole enough to be applied later."""
        return {
            "status": "planned",
            "format": FORMAT,
            "mode": self.mode,
            "content_map": self.content_map,
            "proposals": [_proposal_to_json(proposal) for proposal in self.proposals],
            "warnings": list(self.warnings),
            "skipped": list(self.skipped),
            "secrets": [
                {"segment_id": s.segment_id, "path": s.path, "line": s.line, "kind": s.kind} for s in self.secrets
            ],
        }

    def save(self, path: Path) -> None:
        """Write the plan to a file. Raises UnusableInput where that fails."""
        plan_file.save(path, self.to_json())


def load(path: Path) -> Plan:
    """The plan that `save` wrote. Raises NotFound, UnusableInput, NewerFormat."""
    return from_json(plan_file.load(path, hint="`memtend learn … --plan FILE` makes a plan."), str(path))


def from_json(data: Any, name: str = "the plan") -> Plan:
    """A plan from JSON values. Raises UnusableInput, NewerFormat."""
    if not isinstance(data, Mapping) or data.get("status") != "planned" or not isinstance(data.get("proposals"), list):
        raise UnusableInput(f"{name} is no plan", hint="Make it with `memtend learn … --plan FILE`.")
    if "kind" in data:
        raise UnusableInput(
            f"{name} is a plan of {data['kind']}, not of learn",
            hint="`memtend category compact --apply FILE` takes it.",
        )
    if not isinstance(data.get("format", FORMAT), int) or data.get("format", FORMAT) > FORMAT:
        raise NewerFormat(f"{name} was made by a newer memtend", hint="Update memtend, or make the plan again.")
    try:
        return Plan(
            mode=str(data.get("mode", "text")),
            content_map=dict(data.get("content_map", {})),
            proposals=tuple(_proposal_from_json(item) for item in data["proposals"]),
            warnings=tuple(map(str, data.get("warnings", ()))),
            skipped=tuple({name: str(item[name]) for name in ("path", "reason")} for item in data.get("skipped", ())),
            secrets=tuple(
                SecretPlace(str(s["segment_id"]), str(s["path"]), int(s["line"]), str(s["kind"]))
                for s in data.get("secrets", ())
            ),
        )
    except (KeyError, TypeError, ValueError, OverflowError) as fault:
        raise UnusableInput(f"{name} is damaged: {fault}", hint="Make it again with --plan.") from fault


def decisions_from_json(data: Any, proposals: Sequence[Proposal]) -> tuple[Decision, ...]:
    """Decisions from `{"seg-001": {"action": …, "target": …}}`. Raises UnusableInput, naming what does not fit."""
    known = {proposal.id: proposal for proposal in proposals}
    if not isinstance(data, Mapping):
        raise UnusableInput(
            "decisions are a JSON object by segment",
            hint='For instance {"seg-001": {"action": "extend", "target": "MEM-x"}}.',
        )
    decisions = tuple(decision_from_json(str(id), answer) for id, answer in data.items())
    for id, decision in answers_to(proposals, decisions).items():
        _require_fitting(decision, known[id])
    return decisions


def _require_fitting(decision: Decision, proposal: Proposal) -> None:
    if decision.action not in proposal.actions:
        allowed = ", ".join(proposal.actions)
        raise UnusableInput(f"{proposal.id}: {decision.action} cannot be done here", hint=f"It can be: {allowed}.")


def _proposal_to_json(proposal: Proposal) -> dict[str, Any]:
    """The contract's shape first, then what is needed to apply it."""
    payload = proposal.payload
    whole = proposal_to_json(proposal)
    return {
        "segment_id": proposal.id,
        "summary": proposal.summary,
        "topic": payload.get("topic", ""),
        "key_terms": list(payload.get("key_terms", ())),
        "candidates": whole["candidates"],
        "recommendation": whole["recommendation"],
        "kind": proposal.kind,
        "actions": list(proposal.actions),
        "digests": dict(proposal.digests),
        "payload": dict(payload),
    }


def _proposal_from_json(item: Any) -> Proposal:
    if not isinstance(item, Mapping):
        raise UnusableInput("a proposal of the plan is not an object", hint="Make the plan again with --plan.")
    proposal = proposal_from_json({**item, "id": item.get("segment_id", item.get("id"))})
    terms = proposal.payload.get("key_terms", [])
    if not isinstance(terms, list) or not all(isinstance(term, str) for term in terms):
        raise UnusableInput(f"{proposal.id}: key_terms is no list of texts", hint="Make the plan again with --plan.")
    return proposal


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that was done."""

    type: str
    """`CREATE`, `UPDATE`, `EXTEND` or `SKIP`."""
    memory_id: MemoryId | None
    segment_id: str
    path: str

    def to_json(self) -> dict[str, Any]:
        """The operation as JSON values."""
        return {"type": self.type, "memory_id": self.memory_id, "segment_id": self.segment_id, "path": self.path}
