"""What a person sees: plain values in, lines of text out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from memtend.cli.prompt import Choice
from memtend.review import Action, Candidate, Proposal
from memtend.text import shorten

if TYPE_CHECKING:
    from memtend.store.receipt import Receipt
    from memtend.workspace.learning import Learned
    from memtend.workspace.plan import Plan


_LEAST = 10
"""Cells of a column that is cut: less says nothing, so the line may rather be too long."""
_FAINT = 0.1
"""Likeness up to which the texts of one vault are alike whatever they are about."""
_ABOUT = 60
"""Characters of a title where it stands in a line with other things."""


@dataclass(frozen=True, slots=True)
class SegmentView:
    """What a learn proposal's payload says about its segment."""

    topic: str
    category: str
    title: str
    text: str
    place: str
    """`notes/a.md:15-42`, several parted by commas; empty for a text."""
    key_terms: tuple[str, ...]


def segment_of(proposal: Proposal) -> SegmentView:
    """Read a proposal's payload; what it does not say is empty."""
    segment: Mapping[str, Any] = proposal.payload
    paths, lines = str(segment.get("source_file") or ""), str(segment.get("source_lines") or "")
    pairs = zip_longest(paths.split("; "), lines.split("; "), fillvalue="")
    places = dict.fromkeys(":".join(filter(None, pair)) for pair in pairs)
    return SegmentView(
        topic=str(segment.get("topic") or ""),
        category=str(segment.get("category") or ""),
        title=str(segment.get("title") or ""),
        text=str(segment.get("text") or ""),
        place=", ".join(places) if paths else "",
        key_terms=tuple(segment.get("key_terms", ())),
    )


def percent(share: float) -> str:
    """A share as whole per cent."""
    return f"{round(share * 100)} %"


def size(size_bytes: int) -> str:
    """A file's size for people."""
    return f"{size_bytes} B" if size_bytes < 1024 else f"{size_bytes / 1024:.1f} KB"


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 memory`, `2 memories`."""
    many = plural or (noun[:-1] + "ies" if noun.endswith("y") else noun + "s")
    return f"{count} {noun if count == 1 else many}"


def table(rows: Sequence[Sequence[str]], head: Sequence[str], width: int = 0) -> str:
    """Columns as wide as what they hold; wide characters count as two.

    The last one is free, or cut so that a line has at most `width` cells, as long as that leaves anything of it.
    """
    from rich.cells import cell_len

    lines = [tuple(head), *map(tuple, rows)]
    widths = [max(cell_len(line[column]) for line in lines) for column in range(len(head) - 1)]
    room = width - sum(widths) - 2 * len(widths)
    if room >= _LEAST:
        lines = [(*line[:-1], _cut(line[-1], room)) for line in lines]
    return "\n".join(
        (
            "".join(cell + " " * (width - cell_len(cell) + 2) for cell, width in zip(line, widths, strict=False))
            + line[-1]
        ).rstrip()
        for line in lines
    )


def _cut(text: str, cells: int) -> str:
    from rich.cells import cell_len, set_cell_size

    return text if cell_len(text) <= cells else set_cell_size(text, cells - 1).rstrip() + "…"


def recommended_key(proposal: Proposal) -> str:
    """The key of the option that is recommended, see `options`."""
    recommended = proposal.recommendation
    for number, candidate in enumerate(proposal.candidates, 1):
        if candidate.id == recommended.target and recommended.action in (Action.UPDATE, Action.EXTEND):
            return f"{recommended.action[0]}{number}"
    return "s" if recommended.action is Action.SKIP else "c"


def related(proposal: Proposal) -> tuple[tuple[int, Candidate], ...]:
    """The candidates that a term, the text, a conflict or the recommendation speaks for, with their numbers."""
    return tuple(
        (number, candidate)
        for number, candidate in enumerate(proposal.candidates, 1)
        if candidate.overlap
        or candidate.similarity > _FAINT
        or candidate.conflict
        or candidate.id == proposal.recommendation.target
    )


def options(proposal: Proposal) -> tuple[Choice, ...]:
    """What may be decided: `u1` updates the first candidate, `e1` extends it, `c` creates, `s` skips."""
    choices = []
    for number, candidate in related(proposal):
        choices.append(Choice(f"u{number}", f"update {candidate.id}"))
        choices.append(Choice(f"e{number}", f"extend {candidate.id}"))
    choices += [Choice("c", "create a new memory"), Choice("s", "skip")]
    recommended = recommended_key(proposal)
    return tuple(
        Choice(choice.key, choice.label + " (recommended)") if choice.key == recommended else choice
        for choice in choices
    )


def proposal(proposal: Proposal, number: int = 1, total: int = 1, secrets: Sequence[str] = ()) -> str:
    """One segment with everything a person needs to decide on it, without the diff."""
    segment = segment_of(proposal)
    recommended = proposal.recommendation
    lines = [f"Segment {number} of {total}" + (f": {segment.place}" if segment.place else "")]
    lines += _fields(
        ("Title", _without_secrets([segment.title], secrets)),
        ("Summary", _without_secrets([proposal.summary], secrets)),
        ("Topic", segment.topic or "(none)"),
        ("Key terms", _without_secrets(segment.key_terms, secrets)),
    )
    near = [_candidate(candidate) for _, candidate in related(proposal)]
    lines += [f"  {'Related' if i == 0 else '':<12}{line}" for i, line in enumerate(near)]
    target = f" {recommended.target}" if recommended.target else ""
    lines.append(f"  {'Recommended':<12}{recommended.action}{target} ({recommended.strength})")
    lines += [f"  {'':<12}- {reason}" for reason in recommended.reasons]
    lines += [f"  {'Secret?':<12}{where}" for where in secrets]
    return "\n".join(lines)


def _without_secrets(texts: Sequence[str], secrets: Sequence[str]) -> str:
    """Texts in a row, those that look like a secret left out; looked at only where there is one."""
    if not secrets:
        return ", ".join(texts)
    from memtend.learn.secrets import find

    return ", ".join("(withheld)" if find(text) else text for text in texts)


def _fields(*pairs: tuple[str, str]) -> list[str]:
    return [f"  {name:<12}{value}" for name, value in pairs if value]


def _candidate(candidate: Candidate) -> str:
    conflict = f", conflict: {candidate.conflict}" if candidate.conflict else ""
    return (
        f"{candidate.id}  {percent(candidate.overlap)} overlap, {percent(candidate.similarity)} alike{conflict}"
        f"  {candidate.title}"
    )


def indented(lines: Iterable[str], by: int = 2) -> str:
    """Lines set in."""
    return "\n".join(" " * by + line if line else line for line in lines)


def named(proposal: Proposal) -> str:
    """A segment in a few words: its number, where it stands, and what it is called."""
    segment = segment_of(proposal)
    about = segment.title or proposal.summary
    place = f" ({segment.place})" if segment.place else ""
    return f"{proposal.id}{place}" + (f" {shorten(about, _ABOUT)!r}" if about else "")


def recommended(proposal: Proposal) -> str:
    """A recommendation in one line, with its reasons."""
    about = proposal.recommendation
    target = f" {about.target}" if about.target else ""
    reason = f": {'; '.join(about.reasons)}" if about.reasons else ""
    return f"{about.action}{target} ({about.strength}){reason}"


def plan(plan: "Plan") -> str:
    """Every segment of a plan, in short."""
    secrets = secrets_by_segment(plan)
    total = len(plan.proposals)
    return "\n\n".join(
        proposal(item, number, total, secrets.get(item.id, ())) for number, item in enumerate(plan.proposals, 1)
    )


def secrets_by_segment(plan: "Plan") -> dict[str, tuple[str, ...]]:
    """Where a plan's segments look like they hold a secret, never its value."""
    places: dict[str, tuple[str, ...]] = {}
    for secret in plan.secrets:
        where = f"{secret.path}:{secret.line}: looks like {secret.kind}"
        places[secret.segment_id] = (*places.get(secret.segment_id, ()), where)
    return places


def learned(learned: "Learned") -> str:
    """What was done, one line a segment, and the receipt."""
    done = [f"{item.type.lower():<8}{item.memory_id or item.segment_id}" for item in learned.operations]
    return "\n".join([*dict.fromkeys(done), *receipt_lines(learned.receipt)])


def receipt_lines(receipt: "Receipt | None") -> list[str]:
    """How what was done is taken back. Usage and pages alone are no step: an undo would take back the one before."""
    if receipt is None or not receipt.id:
        return []
    if receipt.is_bookkeeping:
        return ["Usage and derived pages were brought up to date."]
    return [f"Receipt {receipt.id}: `memtend undo` takes it back."]


def log_of(receipts: Iterable["Receipt"]) -> str:
    """What was done in a role or a category memory, a line a receipt."""
    return "\n".join(
        f"{one.id}  {one.at[:16].replace('T', ' ')}  {one.note}"
        + (f"  (undone by {one.undone_by})" if one.undone_by else "")
        for one in receipts
    )
