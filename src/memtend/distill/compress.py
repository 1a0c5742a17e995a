"""Long memories in short: proposals with what each would become, and the change that does it (vault spec, 5)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memtend.body import earlier_version, fit, newest_first, tidy
from memtend.change import Change, ChangeSet, Verb
from memtend.distill.columns import digest_at
from memtend.distill.condense import Condensed, condense
from memtend.distill.draft import Draft, Told, counted, current
from memtend.distill.report import Report
from memtend.distill.retire import evidence_of
from memtend.errors import Refused, UnusableInput
from memtend.memory import Memory, MemoryId
from memtend.review import Action, Candidate, Decision, Proposal, Recommendation, Strength, answered_pairs
from memtend.text import estimate_tokens, fold


def compress_proposals(report: Report, texts: Callable[[MemoryId], str]) -> tuple[Proposal, ...]:
    """The memories over 900 tokens, largest first, each with what it would become (vault spec, 5, compress)."""
    return tuple(_compress_proposal(report, row, texts) for row in report.scores.compress)


def _compress_proposal(report: Report, row: int, texts: Callable[[MemoryId], str]) -> Proposal:
    scores, columns = report.scores, report.columns
    id, digest = MemoryId(columns.ids[row]), digest_at(columns, row)
    text = texts(id)
    short = condense(text, columns.keywords[row])
    action, reason = Action.SKIP, f"cannot be shortened: {short.reason}"
    if short.text:
        action, reason = Action.COMPRESS, _saves(short)
    return Proposal(
        id=id,
        kind="compress",
        summary=columns.titles[row],
        actions=(Action.COMPRESS, Action.SKIP) if short.text else (Action.SKIP,),
        recommendation=Recommendation(action, id, Strength.MEDIUM, reasons=(reason,)),
        candidates=(Candidate(id, columns.titles[row], digest, 0.0, 0.0, None, evidence_of(scores, row)),),
        digests={id: digest},
        payload={
            "text": short.text,
            "reason": short.reason,
            "token_count": columns.token_counts[row],
            "size_penalty": float(scores.size_penalty[row]),
            "tokens_text": estimate_tokens(text),
            "tokens_short": estimate_tokens(short.text),
            "keywords_added": list(short.named),
        },
    )


def _saves(short: Condensed) -> str:
    share = 100 - short.words_after * 100 // max(1, short.words_before)
    return f"{short.words_before} words become {short.words_after}, {share} % less"


def draft_compress(
    proposals: Sequence[Proposal],
    decisions: Sequence[Decision],
    memories: Mapping[MemoryId, Memory],
    told: Told,
    today: str,
) -> Draft:
    """Put the short texts in place; the whole ones go to History. A person's own text may come with a decision."""
    changes: list[Change] = []
    affected: list[dict[str, Any]] = []
    refused: list[str] = []
    for proposal, decision in answered_pairs(proposals, decisions, Action.COMPRESS):
        memory = current(proposal, memories)
        short = _short_text(proposal, decision)
        change = Change(Verb.COMPRESS, memory.id, memory.digest, compressed_fields(memory, short, today))
        try:
            after = told(change).token_count
        except Refused as fault:
            refused.append(fault.message)
            continue
        changes.append(change)
        affected.append(_entry(memory, short, after))
    saved = sum(entry["tokens_before"] - entry["tokens_after"] for entry in affected)
    return Draft(
        ChangeSet(tuple(changes), note=f"distill compress: {counted(len(changes))}"),
        tuple(affected),
        f"Compressed {counted(len(changes))}. Total tokens saved: {saved}",
        tuple(refused),
    )


def _entry(memory: Memory, short: str, tokens_after: int) -> dict[str, Any]:
    """What the log says of one memory."""
    return {
        "id": memory.id,
        "tokens_before": memory.token_count,
        "tokens_after": tokens_after,
        "compression_ratio": round(tokens_after / max(1, memory.token_count), 4),
        "keywords_preserved": all(fold(word) in fold(short) for word in memory.keywords),
        "action": "compressed",
    }


def _short_text(proposal: Proposal, decision: Decision) -> str:
    text = decision.text if decision.text is not None else str(proposal.payload.get("text", ""))
    if not tidy(text).strip():
        reason = proposal.payload.get("reason") or "there is no text to put in its place"
        raise UnusableInput(f"{proposal.id} cannot be compressed: {reason}", hint="Give a text, or skip it.")
    return fit(text)


def compressed_fields(memory: Memory, short: str, today: str) -> dict[str, Any]:
    """The fields of a memory that says less now; what it said is the newest entry of its History."""
    entry = earlier_version(f"Pre-Compression ({today})", memory.text)
    return {"content": short, "trailing": "", "history": newest_first(entry, memory.history), "modified": today}
