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

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from memtend.memory import Digest, MemoryId
from memtend.review import Action, Candidate, ConflictKind, Evidence, Part, Proposal, Recommendation, Strength
from memtend.text import Difference, conflict, count_words, fold, key_terms, overlap, sentences, terms
from memtend.text.keyterms import shared_terms, words_of
from memtend.text.likeness import Features, content, exchanged, features, features_below, shared

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
_BACKGROUND = 0.1
"""Similarity that texts of one vault have whatever they are about."""
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
_NEW_SENTENCE = 0.6
"""Share of unknown words from which a sentence says something new."""
_CLOSE = 0.9
"""Likeness of the runner-up, as a share of the best one's, from which the choice between them is open."""
_SHORT_OPENING = 12
"""Words of a first sentence or heading up to which the second one belongs to the opening."""
_MUCH = 4
"""Words of a sentence that says much."""
_PARTLY = 0.3
"""Share of a segment in a memory from which a short one is compared sentence by sentence too."""
_TERMS = 200
"""Terms of a memory that a segment's terms are looked for among."""
_PATTERN = 40
"""Words up to which two texts that are the same but for a few words may be two notes of one pattern."""
_READ_FOR_TERMS = 1_000_000
"""Characters of a memory that its terms are taken from; the reasons say so where it has more. Everything else, above
all contradictions, is looked for in all of it."""


class Neighbour(NamedTuple):
    """A memory that the search found near a segment. `text` is its active content."""

    id: MemoryId
    title: str
    digest: Digest
    topic: str
    category: str
    keywords: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Segment:
    """What is compared with every neighbour, worked out once."""

    text: str
    terms: tuple[str, ...]
    features: Features
    features_total: float
    words: Mapping[str, bool]
    sentences: tuple[Collection[str], ...]
    """The words of each sentence that says much."""
    opening: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Known:
    """What a neighbour is compared by, worked out once and remembered: it is one to many segments."""

    folded: str
    """All its text and its keywords: what stands nowhere in it is no term of it."""
    features: Features
    features_total: float
    words: Mapping[str, bool]
    title: Mapping[str, bool]
    keywords: Mapping[str, bool]
    """The words of its keywords, or of its first terms where it has none."""
    named: tuple[frozenset[str], ...]
    """The words of each keyword."""


@dataclass(frozen=True, slots=True)
class _Match:
    """A neighbour and how the segment stands to it; shares from 0 to 1."""

    neighbour: Neighbour
    overlap: float
    shared_terms: tuple[str, ...]
    similarity: float
    covered: float
    """Of the segment, by the memory."""
    keywords: float
    """Of the words of the memory's keywords, in the segment."""
    subject: float
    """Of the memory's title and keywords, named in the segment's opening."""
    novelty: float
    """Of the segment's names, figures and identifiers, unknown to the memory."""
    has_new_words: bool
    has_new_sentence: bool
    difference: Difference | None
    exchanged: tuple[tuple[str, str], ...]
    """The words that stand in each other's place where two short texts are the same but for those."""

    @property
    def nearness(self) -> float:
        """What candidates are ranked by."""
        about = _OVERLAP * self.overlap + _KEYWORDS * self.keywords + _SUBJECT * self.subject
        return about + _TEXT * self.similarity


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


def topics_of(neighbours: Iterable[Neighbour], key_terms: Sequence[str]) -> tuple[str, ...]:
    """The topics of the memories that have enough of these terms, best first, each once (vault spec, 2.4)."""
    scored = [(overlap(key_terms, _terms_of(neighbour)), neighbour.topic) for neighbour in neighbours]
    fitting = sorted([pair for pair in scored if pair[0] >= MEDIUM and pair[1]], key=lambda pair: -pair[0])
    return tuple(dict.fromkeys(topic for _, topic in fitting))


def _ranked(text: str, segment_terms: tuple[str, ...], neighbours: Sequence[Neighbour]) -> list[_Match]:
    segment = _segment(text, segment_terms)
    return sorted([_compare(segment, neighbour) for neighbour in neighbours], key=lambda match: -match.nearness)


def _segment(text: str, segment_terms: tuple[str, ...]) -> _Segment:
    said = sentences(text)
    is_short_opening = bool(said) and len(said[0].split()) < _SHORT_OPENING
    own, by_sentence = features(text), [content(sentence) for sentence in said]
    return _Segment(
        text=text,
        terms=tuple({fold(term): term for term in segment_terms or key_terms(text)}.values()),
        features=own,
        features_total=sum(own.values()),
        words=content(text),
        sentences=tuple([words for words in by_sentence if len(words) >= _MUCH]),
        opening=frozenset().union(*by_sentence[: 1 + is_short_opening]),
    )


def _compare(segment: _Segment, neighbour: Neighbour) -> _Match:
    known = _known(neighbour)
    common = shared(segment.features, known.features)
    total = segment.features_total + known.features_total
    has = _shared_terms(segment, neighbour, known)
    similarity = 2 * common / total if common else 0.0
    covered = common / segment.features_total if common else 0.0
    if similarity > _BACKGROUND:
        below = features_below(neighbour.title, neighbour.text)
        covered = shared(segment.features, below) / segment.features_total
    is_alike = similarity > _BACKGROUND or covered > _PARTLY
    return _Match(
        neighbour=neighbour,
        overlap=len(has) / len(segment.terms) if segment.terms else 0.0,
        shared_terms=tuple(has),
        similarity=similarity,
        covered=covered,
        keywords=_share_of(known.keywords, segment.words),
        subject=_subject(segment, known),
        novelty=_novelty(segment.words, known.words),
        has_new_words=not known.words.keys() >= segment.words.keys(),
        has_new_sentence=any(_share_of(words, known.words) <= 1 - _NEW_SENTENCE for words in segment.sentences),
        difference=conflict(segment.text, neighbour.text) if is_alike else None,
        exchanged=_exchanged(segment, neighbour) if is_alike else (),
    )


def _exchanged(segment: _Segment, neighbour: Neighbour) -> tuple[tuple[str, str], ...]:
    return exchanged(segment.text, neighbour.text) if count_words(segment.text) <= _PATTERN else ()


def _shared_terms(segment: _Segment, neighbour: Neighbour, known: _Known) -> list[str]:
    """The segment's terms that the memory has. Taking a memory's terms is dear, so not where it can have none."""
    may_have = any(all(word in known.folded for word in words_of(fold(term))) for term in segment.terms)
    return shared_terms(segment.terms, _terms_of(neighbour)) if may_have else []


@lru_cache(maxsize=2048)
def _terms_of(neighbour: Neighbour) -> tuple[str, ...]:
    """A memory's terms: its keywords and those of its content (vault spec, 2.2)."""
    return (*neighbour.keywords, *terms(f"{neighbour.title}\n\n{neighbour.text}"[:_READ_FOR_TERMS], _TERMS))


@lru_cache(maxsize=2048)
def _known(neighbour: Neighbour) -> _Known:
    keywords = "\n\n".join(neighbour.keywords)
    its_features, title = features(neighbour.text), content(neighbour.title)
    return _Known(
        folded=fold(f"{neighbour.title}\n\n{neighbour.text}\n\n{keywords}"),
        features=its_features,
        features_total=sum(its_features.values()),
        words=title | content(neighbour.text),
        title=title,
        keywords=content(keywords or "\n\n".join(_terms_of(neighbour)[:5])),
        named=tuple([frozenset(content(keyword)) for keyword in neighbour.keywords]),
    )


def _subject(segment: _Segment, known: _Known) -> float:
    """How far the segment's opening names what the memory is about: its title's words and its keywords."""
    shares = [_share_of(known.title, segment.opening)]
    if known.named:
        shares.append(sum([segment.opening.issuperset(keyword) for keyword in known.named]) / len(known.named))
    return sum(shares) / len(shares)


def _share_of(words: Collection[str], among: Collection[str]) -> float:
    return sum([word in among for word in words]) / len(words) if words else 0.0


def _novelty(words: Mapping[str, bool], known: Mapping[str, bool]) -> float:
    """Share of unknown words, of those that are names, figures and identifiers where there are a few."""
    telling = [word for word, is_technical in words.items() if is_technical]
    if len(telling) < 3:
        telling = list(words)
    return sum([word not in known for word in telling]) / len(telling) if telling else 0.0


def _runner_up(matches: Sequence[_Match]) -> float:
    """How alike the second best text is, as a share of the best one; 1 where even the best is hardly alike."""
    if not matches:
        return 1.0
    second = max([match.similarity for match in matches[1:]], default=0.0)
    return min(1.0, max(second, _BACKGROUND) / max(matches[0].similarity, _BACKGROUND))


def _candidate(match: _Match) -> Candidate:
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


def _recommend(match: _Match, candidate: Candidate, runner_up: float) -> Recommendation:
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


def _already_known(match: _Match, candidate: Candidate) -> Recommendation | None:
    """SKIP where the memory says it all already."""
    if match.covered >= _COPY and not match.has_new_words:
        reason = "it is there already, word for word" if match.covered > 0.99 else "it is a near copy"
        return Recommendation(Action.SKIP, candidate.id, Strength.STRONG, None, (reason,))
    is_reworded = match.covered - _NEW * match.novelty >= _REWORDED and match.covered < _EDITED
    if is_reworded and not match.has_new_sentence:
        reason = "it seems to say the same in other words: hardly a name or figure is new"
        return Recommendation(Action.SKIP, candidate.id, Strength.WEAK, None, (reason, *candidate.evidence.reasons))
    return None


def _unrelated(match: _Match, candidate: Candidate) -> Recommendation:
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


def _reason(match: _Match, action: Action) -> str:
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


def _read(match: _Match) -> str:
    """That terms were looked for in the beginning alone, where that is so."""
    if len(match.neighbour.text) <= _READ_FOR_TERMS:
        return ""
    return f" (terms from the first {_READ_FOR_TERMS:,} characters of that memory)"


def _strength(match: _Match, action: Action, runner_up: float) -> Strength:
    """Strong where terms and text agree; weaker where they do not, or where another memory is as near."""
    steps = [Strength.WEAK, Strength.MEDIUM, Strength.STRONG]
    if match.difference or match.exchanged:
        return Strength.WEAK
    sure = 1 + (action is Action.UPDATE and match.overlap > HIGH) - (match.overlap < MEDIUM) - (runner_up >= _CLOSE)
    return steps[max(0, min(2, sure))]


def _contradiction(difference: Difference) -> str:
    ours, theirs = difference.ours or "nothing", difference.theirs or "nothing"
    return f"{difference.kind} differs: the text says {ours}, the memory {theirs}"


def _exchange(match: _Match) -> list[str]:
    """That the text may correct a word of the memory, or be its twin about another thing: they look the same."""
    if match.difference or not match.exchanged:
        return []
    ours, theirs = match.exchanged[0]
    return [f"the texts are the same but for a few words: the text says {ours}, the memory {theirs}"]


def _percent(share: float) -> str:
    return f"{round(100 * share)} %"
