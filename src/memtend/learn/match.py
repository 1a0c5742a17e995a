"""What to do with a segment: what is already known about it, and why (vault spec, 2.2).

Each neighbour that the search gives becomes a candidate with its evidence. The share of the segment's key terms
that a memory has comes first: over 60 % recommends UPDATE, 30 to 60 % EXTEND, less CREATE. Three things may move
that, and then the reasons say so:

- The texts. Who restates a good part of a memory means to replace it, whoever restates little adds to it. A text
  whose every part is there already is known.
- The matter. A memory that a text names in its first sentence, and that no other is as near to, is what the text
  is about; a text that shares words and brings its own names and figures is about something else.
- A contradiction: a number, version, negation or opposite in otherwise alike texts. It is named, makes an UPDATE
  weak, and is never taken for a copy.

Weights and limits were fitted on the odd half of a set of 200 segments with given decisions
(`benchmarks/matching.py` shows the figures of the other half).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from memtend.learn.comparison import BACKGROUND, READ_FOR_TERMS, Match, Neighbour, compare, overlaps, segment_of
from memtend.review import Action, Candidate, ConflictKind, Evidence, Part, Proposal, Recommendation, Strength
from memtend.text import Difference

HIGH = 0.6
"""Overlap over which a segment covers the memory's terms (vault spec, 2.2)."""
MEDIUM = 0.3
"""Overlap from which it has enough of them."""

ACTIONS = (Action.UPDATE, Action.EXTEND, Action.CREATE, Action.SKIP)

_OVERLAP, _KEYWORDS, _SUBJECT, _FOREIGN = 1.4, 1.5, 1.0, -0.6
_TEXT = 3.0
"""What the similarity of the texts weighs when candidates are ranked."""
_RELATED = {Action.UPDATE: 0.0, Action.EXTEND: 0.9, Action.CREATE: 1.0}
"""Total of the evidence from which a segment is about the memory's matter, by what the overlap says."""
_RESTATES = {Action.UPDATE: 0.18, Action.EXTEND: 0.2, Action.CREATE: 0.22}
"""Similarity from which a text restates a good part of the memory, by what the overlap says."""
_COPY = 0.93
"""Share of a segment in the memory from which it is a copy, if it has no word of its own."""
_EDITED = 0.85
"""Share from which a text with words of its own is the memory's text edited, not the same said again."""
_REWORDED = 0.35
"""Share in the memory, less what is new, from which a segment seems to say the same in other words."""
_NEW = 0.7
"""What the share of new names, figures and identifiers takes away from it."""
_SAID = 0.7
"""Sameness from which a short text seems to say the same: of news sentences 87 of 100 that reach it do."""
_WHOLE = 0.85
"""Share of a short memory from which a text with words of its own repeats it to add something."""
_CLOSE = 0.9
"""Likeness of the runner-up, as a share of the best one's, from which the choice between them is open."""


def propose(  # noqa: PLR0917 - the parts of a segment, in its order
    segment_id: str,
    text: str,
    summary: str,
    topic: str,
    key_terms: Sequence[str],
    neighbours: Sequence[Neighbour],
    *,
    payload: Mapping[str, Any] | None = None,
) -> Proposal:
    """One question to a person: update, extend, create or skip, with the evidence for each candidate.

    `neighbours` come from the search, best first, usually five. `payload` (JSON values) is what the caller needs
    to draft the change; topic, key terms and text are in it in any case.
    """
    matches = _ranked(text, tuple(key_terms), neighbours)
    runner_up = _runner_up(matches)
    candidates = tuple([_candidate(match) for match in matches])
    return Proposal(
        id=segment_id,
        kind="learn",
        summary=summary,
        actions=ACTIONS,
        recommendation=_recommend(matches[0], candidates[0], runner_up) if matches else _nothing_alike(),
        candidates=candidates,
        digests={candidate.id: candidate.digest for candidate in candidates},
        payload={"topic": topic, "key_terms": list(key_terms), "text": text} | dict(payload or {}),
    )


def topics_of(neighbours: Sequence[Neighbour], key_terms: Sequence[str]) -> tuple[str, ...]:
    """The topics of the memories that have enough of these terms, best first, each once (vault spec, 2.4)."""
    scored = zip(overlaps(key_terms, neighbours), [neighbour.topic for neighbour in neighbours], strict=True)
    fitting = sorted([pair for pair in scored if pair[0] >= MEDIUM and pair[1]], key=lambda pair: -pair[0])
    return tuple(dict.fromkeys(topic for _, topic in fitting))


def _ranked(text: str, segment_terms: tuple[str, ...], neighbours: Sequence[Neighbour]) -> list[Match]:
    segment = segment_of(text, segment_terms)
    return sorted([compare(segment, neighbour) for neighbour in neighbours], key=_nearness, reverse=True)


def _nearness(match: Match) -> float:
    """What candidates are ranked by."""
    about = _OVERLAP * match.overlap + _KEYWORDS * match.keywords + _SUBJECT * match.subject
    return about + _TEXT * match.similarity


def _runner_up(matches: Sequence[Match]) -> float:
    """How alike the second best text is, as a share of the best one; 1 where even the best is hardly alike."""
    if not matches:
        return 1.0
    second = max([match.similarity for match in matches[1:]], default=0.0)
    return min(1.0, max(second, BACKGROUND) / max(matches[0].similarity, BACKGROUND))


def _candidate(match: Match) -> Candidate:
    neighbour = match.neighbour
    foreign = match.novelty if match.similarity >= _RESTATES[Action.EXTEND] else 0.0
    named = f"it has the key terms {', '.join(match.shared_terms)}" if match.shared_terms else ""
    parts = [
        Part("overlap", match.overlap, _OVERLAP, named),
        Part(
            "keywords", match.keywords, _KEYWORDS, "the text has most of its keywords" if match.keywords > 0.5 else ""
        ),
        Part("subject", match.subject, _SUBJECT, "the text opens with its subject" if match.subject >= 0.4 else ""),
        Part("foreign", foreign, _FOREIGN, "the text names much that it does not know" if foreign > 0.6 else ""),
    ]
    caps = (_contradiction(match.difference),) if match.difference else ()
    return Candidate(
        id=neighbour.id,
        title=neighbour.title,
        digest=neighbour.digest,
        overlap=match.overlap,
        similarity=match.similarity,
        conflict=ConflictKind(match.difference.kind) if match.difference else None,
        evidence=Evidence(tuple(parts), caps),
    )


def _recommend(match: Match, candidate: Candidate, runner_up: float) -> Recommendation:
    if not match.difference and (known := _already_known(match, candidate)):
        return known
    by_overlap = _class_of(match.overlap)
    restates = match.similarity >= _RESTATES[by_overlap]
    is_related = candidate.evidence.total >= _RELATED[by_overlap] or match.covered >= _COPY
    if not is_related and not (match.difference and restates):
        return _unrelated(match, candidate)
    action = Action.UPDATE if restates else Action.EXTEND
    reasons = (_reason(match, action), *candidate.evidence.reasons, *_exchange(match))
    return Recommendation(action, candidate.id, _strength(match, action, runner_up), candidate.conflict, reasons)


def _already_known(match: Match, candidate: Candidate) -> Recommendation | None:
    """SKIP where the memory says it all already."""
    if match.covered >= _COPY and not match.has_new_words:
        reason = "it is there already, word for word" if match.covered > 0.99 else "it is a near copy"
        return Recommendation(Action.SKIP, candidate.id, Strength.STRONG, None, (reason,))
    if _is_reworded(match):
        reason = "it seems to say the same in other words: hardly a name or figure is new"
        return Recommendation(Action.SKIP, candidate.id, Strength.WEAK, None, (reason, *candidate.evidence.reasons))
    return None


def _is_reworded(match: Match) -> bool:
    """Whether the memory seems to say the same in other words."""
    if match.sameness is not None:
        adds = match.restated >= _WHOLE and match.has_new_words
        return match.sameness >= _SAID and not match.exchanged and not adds
    is_near = match.covered - _NEW * match.novelty >= _REWORDED and match.covered < _EDITED
    return is_near and not match.has_new_sentence


def _unrelated(match: Match, candidate: Candidate) -> Recommendation:
    """CREATE, the surer the less speaks for the nearest memory."""
    total = candidate.evidence.total
    strength = Strength.STRONG if total < 0.4 else Strength.MEDIUM if total < 0.8 else Strength.WEAK
    nearest = f"the nearest memory, {match.neighbour.id}, has {_percent(match.overlap)} of its key terms{_read(match)}"
    if match.overlap >= MEDIUM:
        nearest += ", yet the texts are about different matters"
    return Recommendation(Action.CREATE, None, strength, None, (nearest, *candidate.evidence.reasons))


def _nothing_alike() -> Recommendation:
    return Recommendation(Action.CREATE, None, Strength.STRONG, None, ("no memory is like it",))


def _class_of(share: float) -> Action:
    """What the overlap alone recommends (vault spec, 2.2)."""
    if share > HIGH:
        return Action.UPDATE
    return Action.EXTEND if share >= MEDIUM else Action.CREATE


def _reason(match: Match, action: Action) -> str:
    """Why this action, and what moved it where the overlap alone would have said another."""
    by_overlap = _class_of(match.overlap)
    found = f"{_percent(match.overlap)} of its key terms are in {match.neighbour.id}{_read(match)}"
    if by_overlap is action:
        return found
    if action is Action.UPDATE:
        return f"{found}, and the text restates a good part of it"
    if by_overlap is Action.UPDATE:
        return f"{found}, but the text restates little of it"
    return f"{found}, but it is about the same matter"


def _read(match: Match) -> str:
    """That terms were looked for in the beginning alone, where that is so."""
    if len(match.neighbour.text) <= READ_FOR_TERMS:
        return ""
    return f" (terms from the first {READ_FOR_TERMS:,} characters of that memory)"


def _strength(match: Match, action: Action, runner_up: float) -> Strength:
    """Strong where terms and text agree; weaker where they do not, or where another memory is as near."""
    steps = [Strength.WEAK, Strength.MEDIUM, Strength.STRONG]
    if match.difference or match.exchanged:
        return Strength.WEAK
    sure = 1 + (action is Action.UPDATE and match.overlap > HIGH) - (match.overlap < MEDIUM) - (runner_up >= _CLOSE)
    return steps[max(0, min(2, sure))]


def _contradiction(difference: Difference) -> str:
    ours, theirs = difference.ours or "nothing", difference.theirs or "nothing"
    return f"{difference.kind} differs: the text says {ours}, the memory {theirs}"


def _exchange(match: Match) -> list[str]:
    """That the text may correct a word of the memory, or be its twin about another thing: they look the same."""
    if match.difference or not match.exchanged:
        return []
    ours, theirs = match.exchanged[0]
    return [f"the texts are the same but for a few words: the text says {ours}, the memory {theirs}"]


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"
