"""From statements to a summary, without a language model (category spec, 3.3).

Every constraint and every decision stays, past the share too, and then the summary says so; two that contradict each
other stay both, and are named. What room is left goes to the state of things, the newest first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memtend.layouts.category.agreement import Disagreement, disagreements, distinct, partners
from memtend.layouts.category.dates import sort_key
from memtend.layouts.category.statements import Kind, Statement
from memtend.layouts.category.summary import Bullet, Kept, Summary, texts_of, with_excess
from memtend.layouts.category.tally import Tally, tally
from memtend.text import estimate_tokens


@dataclass(frozen=True, slots=True)
class Originals:
    """What a summary is made of."""

    category: str
    day: str
    file_count: int
    statements: tuple[Statement, ...]
    texts: tuple[str, ...]
    """The whole texts, for counting."""
    tokens: int
    archive: str

    @property
    def tally(self) -> Tally:
        """Their identifiers and numbers."""
        return tally(self.texts)


def condense(originals: Originals) -> Summary:
    """The extract of the originals."""
    found = newest_first(distinct(originals.statements))
    against = partners(disagreements(found))
    fixed = [place for place, one in enumerate(found) if one.kind is not Kind.STATE or place in against]
    states = sorted(set(range(len(found))) - set(fixed))
    base = _summary(originals, found, against, fixed)
    room = base.limit_tokens - base.tokens
    chosen = sorted([*fixed, *_fitting(found, states, room)])
    summary = _summary(originals, found, against, chosen)
    return measured(_explained(summary, against, found), originals, found)


def newest_first(found: Iterable[Statement]) -> list[Statement]:
    """Statements by the date of their sources, unknown ones last, those of a source as they stand in it."""
    in_order = sorted(found, key=lambda one: (one.sources[:1], one.order))
    return sorted(in_order, key=_recency, reverse=True)


def _recency(one: Statement) -> tuple[bool, str]:
    is_unknown, moment = sort_key(one.date)
    return (not is_unknown, moment)


def _fitting(found: Sequence[Statement], places: Iterable[int], room: int) -> list[int]:
    """Those of the places that fit, the newest first; of one source, those that name or count something first."""
    chosen: list[int] = []
    by_worth = sorted(places, key=lambda place: (found[place].sources[:1], not _counts(found[place]), place))
    for place in sorted(by_worth, key=lambda place: _recency(found[place]), reverse=True):
        cost = estimate_tokens(_bullet(found[place]).line) + 1
        if cost <= room:
            chosen.append(place)
            room -= cost
    return chosen


def _counts(one: Statement) -> bool:
    counted = tally([one.text])
    return bool(counted.identifiers or counted.numbers)


def _bullet(one: Statement, note: str = "") -> Bullet:
    return Bullet(one.text, one.kind, one.sources, note)


def _summary(
    originals: Originals, found: Sequence[Statement], against: dict[int, list[Disagreement]], places: Sequence[int]
) -> Summary:
    order = _beside_each_other(places, against)
    bullets = tuple(_bullet(found[place], _note(found, against.get(place, ()))) for place in order)
    return Summary(
        originals.category,
        originals.day,
        originals.file_count,
        originals.tokens,
        bullets,
        originals.archive,
        contradictions=sum(len(each) for each in against.values()) // 2,
    )


def _beside_each_other(places: Sequence[int], against: dict[int, list[Disagreement]]) -> list[int]:
    """The places in order, but those that contradict one right behind it."""
    order: dict[int, None] = {}
    for place in places:
        order[place] = None
        for other in against.get(place, ()):
            order.setdefault(other.second, None)
    return list(order)


def _note(found: Sequence[Statement], against: Sequence[Disagreement]) -> str:
    if not against:
        return ""
    said = [
        f"{found[one.second].sources[0]} ({one.kind}: {one.ours or '—'} / {one.theirs or '—'})" for one in against[:2]
    ]
    return f"disagrees with {' and '.join(said)}"


def _explained(summary: Summary, against: dict[int, list[Disagreement]], found: Sequence[Statement]) -> Summary:
    constraints = sum(bullet.kind is Kind.CONSTRAINT for bullet in summary.bullets)
    decisions = sum(bullet.kind is Kind.DECISION for bullet in summary.bullets)
    disputed = sum(found[place].kind is Kind.STATE for place in against)
    parts = ((constraints, "constraint"), (decisions, "decision"), (disputed, "disputed fact"))
    return with_excess(summary, parts)


def measured(summary: Summary, originals: Originals, found: Sequence[Statement]) -> Summary:
    """The summary with how much of the originals it keeps."""
    kept = tally(texts_of(summary.bullets))
    whole = originals.tally
    identifiers, numbers = whole.kept_in(kept)
    by_kind = {kind: [one for one in found if one.kind is kind] for kind in Kind}
    said = {bullet.text for bullet in summary.bullets}
    counts = {kind: sum(one.text in said for one in by_kind[kind]) for kind in Kind}
    return replace(
        summary,
        kept=Kept(
            (counts[Kind.CONSTRAINT], len(by_kind[Kind.CONSTRAINT])),
            (counts[Kind.DECISION], len(by_kind[Kind.DECISION])),
            (identifiers, len(whole.identifiers)),
            (numbers, len(whole.numbers)),
        ),
    )
