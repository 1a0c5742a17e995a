"""A memory about probes, a segment that is about it too, and what decisions on it come to."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memtend.change import Change, ChangeSet, applied
from memtend.layouts.vault import VaultLayout
from memtend.learn.draft import draft
from memtend.learn.payload import LearnPayload
from memtend.memory import Digest, Memory, MemoryId, Place
from memtend.review import Action, Decision, Proposal, Recommendation

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
LAYOUT = VaultLayout()
OLD = Memory(
    id=MemoryId("MEM-probe"),
    place=Place("10-Memories/MEM-probe.md"),
    digest=Digest("d1"),
    title="Probes",
    content="Probes may take long.\n\n## Why\n\nNobody said.",
    history="### Previous Version (2026-01-01)\n\nNo probes.",
    connections="- [[MEM-gate]]",
    topic="ops/probes",
    category="PATTERN",
    tags=("PATTERN", "http"),
    keywords=("probe", "rollout"),
    summary="Probes may take long.",
    source="notes/old.md",
    created="2026-03-01",
    modified="2026-04-01",
    retrieval_count=7,
    last_retrieved="2026-05-05",
)
MEMORIES = {OLD.id: OLD}


def a_proposal(number: int = 1, text: str = "Ten seconds are enough. Measured in May.", **payload: Any) -> Proposal:
    """What a segment about probes proposes."""
    given = {
        "title": "Probe timeouts",
        "topic": "ops/probes",
        "key_terms": ("timeout", "probe"),
        "source_file": "notes/new.md",
    }
    return Proposal(
        id=f"seg-{number:03d}",
        kind="learn",
        summary="",
        actions=(Action.UPDATE, Action.EXTEND, Action.CREATE, Action.SKIP),
        recommendation=Recommendation(Action.UPDATE, OLD.id),
        digests={OLD.id: OLD.digest},
        payload=LearnPayload(text=text, **(given | payload)).to_json(),
    )


def drafted(
    *pairs: tuple[Proposal, Decision],
    memories: Mapping[MemoryId, Memory] = MEMORIES,
    taken: tuple[str, ...] = (),
    now: datetime = NOW,
    **more: Any,
) -> ChangeSet:
    """What decisions come to."""
    proposals, decisions = [proposal for proposal, _ in pairs], [decision for _, decision in pairs]
    return draft(proposals, decisions, memories, now=now, taken=lambda id: id.lower() in taken, **more)


def the_change(proposal: Proposal, action: Action, *, now: datetime = NOW, **decision: Any) -> Change:
    """The one change that a decision comes to."""
    (change,) = drafted((proposal, Decision(proposal.id, action, **decision)), now=now).changes
    return change


def made(text: str, **payload: Any) -> Memory:
    """The memory that a text becomes."""
    change = the_change(a_proposal(text=text, **payload), Action.CREATE)
    return applied({}, [change])[change.memory_id]
