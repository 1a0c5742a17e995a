"""Taking memories out of use, erasing their files, and bringing them back (vault spec, 5, purge and gc)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date

from memtend.change import Change, ChangeSet, Verb, restored, retired
from memtend.distill.alike import Basis, Pair
from memtend.distill.columns import digest_at
from memtend.distill.draft import Draft, counted, current
from memtend.distill.report import GC_AFTER_DAYS, Report, days_since
from memtend.distill.score import WEIGHTS, Scores
from memtend.markdown import sections
from memtend.memory import Memory, MemoryId
from memtend.review import Action, Candidate, Decision, Evidence, Part, Proposal, Recommendation, Strength, answered

TIME_TO_LIVE_DAYS: Mapping[str, int] = {"CONFIG": 180, "TECHNIQUE": 270, "WORKFLOW": 365, "PATTERN": 540}
"""Age from which memories of a category are offered for purging first; other categories, INSIGHT too, have none."""
SAME_TEXT = 0.95
"""Text similarity from which purging all of several memories would lose what they say."""
MERGED_INTO = "merged_into:"
"""Begins the reason of a memory that was retired into another."""


def purge_proposals(report: Report) -> tuple[Proposal, ...]:
    """The memories that nobody needs, those past their category's time first (vault spec, 5, purge).

    The last one of several that say the same is offered, but not recommended: merging keeps what they say.
    """
    scores = report.scores
    over = {row: _days_over(report, row) for row in scores.stale}
    rows = sorted(over, key=lambda row: (-over[row], -float(scores.composite[row]), row))
    kept = _last_of_twins(report, rows)
    return tuple(_purge_proposal(report, row, over[row], kept.get(row, ())) for row in rows)


def _days_over(report: Report, row: int) -> int:
    """Days past its category's time to live; 0 within it or without one."""
    limit = TIME_TO_LIVE_DAYS.get(report.columns.categories[row])
    return max(0, report.scores.ages.age_days[row] - limit) if limit is not None else 0


def _purge_proposal(report: Report, row: int, days_over: int, twins: Sequence[str]) -> Proposal:
    scores, columns = report.scores, report.columns
    id, digest = MemoryId(columns.ids[row]), digest_at(columns, row)
    evidence = evidence_of(scores, row, (f"says the same as {', '.join(twins)}, which would go too",) if twins else ())
    reasons = (
        *((f"{days_over} days past the time of {columns.categories[row]}",) if days_over else ()),
        *evidence.reasons,
    )
    return Proposal(
        id=id,
        kind="purge",
        summary=columns.titles[row],
        actions=(Action.PURGE, Action.SKIP),
        recommendation=Recommendation(Action.PURGE, id, Strength.WEAK if twins else Strength.MEDIUM, reasons=reasons),
        candidates=(Candidate(id, columns.titles[row], digest, float(scores.duplicate[row]), 0.0, None, evidence),),
        digests={id: digest},
        payload={
            "composite": float(scores.composite[row]),
            "staleness": float(scores.staleness[row]),
            "zero_retrieval": float(scores.zero_retrieval[row]),
            "days_over": days_over,
            "category": columns.categories[row],
            "created": columns.created[row],
            "retrieval_count": columns.retrieval_counts[row],
            "token_count": columns.token_counts[row],
        },
    )


def evidence_of(scores: Scores, row: int, caps: tuple[str, ...] = ()) -> Evidence:
    """The four components of a memory's score, with their weights and reasons."""
    idle, age = scores.ages.idle_days[row], scores.ages.age_days[row]
    tokens = scores.columns.token_counts[row]
    same, size, never = (float(part[row]) for part in (scores.duplicate, scores.size_penalty, scores.zero_retrieval))
    parts = (
        ("staleness", float(scores.staleness[row]), f"of no use for {idle} days"),
        ("zero_retrieval", never, f"never retrieved in {age} days" if never else ""),
        ("size_penalty", size, f"{tokens} tokens" if size else ""),
        ("duplicate", same, _shared(scores, row) if same else ""),
    )
    return Evidence(tuple(Part(name, value, WEIGHTS[name], reason) for name, value, reason in parts), caps)


def _shared(scores: Scores, row: int) -> str:
    partner = scores.columns.ids[int(scores.best.partner[row])]
    return f"shares {scores.duplicate[row] * 100:.0f} % of its keywords with {partner}"


def _last_of_twins(report: Report, rows: Iterable[int]) -> dict[int, list[str]]:
    """Of memories that say the same and would all go, the one to keep, with the others (O-DM-04)."""
    going = {report.columns.ids[row]: row for row in rows}
    groups: dict[str, frozenset[str]] = {}
    pairs = [pair for pair in report.alike.pairs if _are_twins(pair)]
    for pair in pairs:
        joined: frozenset[str] = frozenset((pair.primary, pair.secondary))
        for id in (pair.primary, pair.secondary):
            joined |= groups.get(id, frozenset())
        groups |= dict.fromkeys(joined, joined)
    kept: dict[int, list[str]] = {}
    for group in set(groups.values()):
        if group <= going.keys():
            stays = min(group - {pair.secondary for pair in pairs} or group)
            kept[going[stays]] = sorted(group - {stays})
    return kept


def _are_twins(pair: Pair) -> bool:
    """Whether two memories say the same under the same keywords, or under none."""
    if pair.likeness is None or pair.likeness.similarity < SAME_TEXT or pair.conflict:
        return False
    return pair.basis is Basis.KEYWORDS or pair.has_no_keywords


def draft_purge(
    proposals: Sequence[Proposal],
    decisions: Sequence[Decision],
    memories: Mapping[MemoryId, Memory],
    linked_from: Callable[[MemoryId], Sequence[str]],
    today: str,
) -> Draft:
    """Retire what was chosen; its files stay. Active memories that link to one of them are named."""
    chosen = [current(proposal, memories) for proposal in answered(proposals, decisions, Action.PURGE)]
    going = {memory.id for memory in chosen}
    links = [(source, memory.id) for memory in chosen for source in linked_from(memory.id) if source not in going]
    scan = ", ".join(f"{source}->{id}" for source, id in links) or "none"
    return Draft(
        ChangeSet(
            tuple(retired(memory, at=today, reason="purge") for memory in chosen),
            note=f"distill purge: {counted(len(chosen))}",
        ),
        tuple(memory.id for memory in chosen),
        f"Tombstoned {counted(len(chosen))}. Link-scan warnings: {scan}",
        warnings=tuple(f"{source} links to {id}, which is retired now" for source, id in links),
    )


def gc_proposals(memories: Iterable[Memory], today: date) -> tuple[Proposal, ...]:
    """The retired memories whose files may go: seven days and more, longest first (vault spec, 5, gc)."""
    waited = [(days_since(memory.retired_at, today), memory) for memory in memories if not memory.is_active]
    due = sorted((pair for pair in waited if pair[0] >= GC_AFTER_DAYS), key=lambda pair: (-pair[0], pair[1].id))
    return tuple(_gc_proposal(memory, days) for days, memory in due)


def _gc_proposal(memory: Memory, days: int) -> Proposal:
    reason = f"retired {days} days ago ({memory.retired_reason or 'no reason given'})"
    return Proposal(
        id=memory.id,
        kind="gc",
        summary=memory.title,
        actions=(Action.GC, Action.SKIP),
        recommendation=Recommendation(Action.GC, memory.id, Strength.MEDIUM, reasons=(reason,)),
        candidates=(Candidate(memory.id, memory.title, memory.digest, 0.0, 0.0),),
        digests={memory.id: memory.digest},
        payload={"retired_at": memory.retired_at, "reason": memory.retired_reason, "days": days},
    )


def draft_gc(
    proposals: Sequence[Proposal],
    decisions: Sequence[Decision],
    memories: Mapping[MemoryId, Memory],
    hash_of: Callable[[str], str],
) -> Draft:
    """Erase the files of what was chosen. Their texts are remembered by hash, so that learning can say so (O-DM-08)."""
    chosen = [current(proposal, memories) for proposal in answered(proposals, decisions, Action.GC)]
    purged = {memory.id: hash_of(memory.text) for memory in chosen if not memory.retired_reason.startswith(MERGED_INTO)}
    return Draft(
        ChangeSet(
            tuple(Change(Verb.ERASE, memory.id, memory.digest) for memory in chosen),
            note=f"distill gc: {counted(len(chosen))}",
        ),
        tuple(memory.id for memory in chosen),
        f"Hard-deleted {len(chosen)} tombstoned {'memory' if len(chosen) == 1 else 'memories'}",
        remembered=purged,
    )


def draft_restore(memory: Memory, primary: Memory | None, today: str) -> Draft:
    """Bring a retired memory back into use. One that was merged is named where it was merged into."""
    changes = [restored(memory)]
    warnings: list[str] = []
    if memory.retired_reason.startswith(MERGED_INTO):
        noted = noted_restore(primary.content, memory.id, today) if primary else None
        if primary is not None and noted is not None and noted != primary.content:
            changes.append(Change(Verb.UPDATE, primary.id, primary.digest, {"content": noted, "modified": today}))
            warnings.append(f"{primary.id} still has its text, and now says that {memory.id} is back")
        elif primary is not None:
            warnings.append(f"{primary.id}, which it was merged into, no longer has a part of that name")
        warnings.append("links that were led elsewhere stay as they are; `memtend undo` takes a merge back whole")
    return Draft(ChangeSet(tuple(changes), note=f"restore {memory.id}"), (memory.id,), warnings=tuple(warnings))


def noted_restore(content: str, id: MemoryId, today: str) -> str | None:
    """A primary's content with a line below each part that came from a memory; None where there is none."""
    data = content.encode()
    places = [section.text_start for section in sections(data) if section.title.strip() == f"Merged From {id}"]
    if not places:
        return None
    line = f"\n**Restored**: {today} as [[{id}]]\n".encode()
    for place in reversed(places):
        data = data[:place] + line + data[place:]
    return data.decode()
