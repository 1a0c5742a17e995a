"""How a segment stands to a memory: the shares and differences that the recommendation rests on.

A memory is compared with many segments and a segment with several memories, so what either is compared by is worked
out once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from memtend.memory import Digest, MemoryId
from memtend.text import Difference, conflict, count_words, fold, key_terms, sameness, sentences, terms
from memtend.text.keyterms import Had, had, shared_terms, words_of
from memtend.text.likeness import Features, content, exchanged, features, features_below, shared

_NEW_SENTENCE = 0.6
"""Share of unknown words from which a sentence says something new."""
_SHORT_OPENING = 12
"""Words of a first sentence or heading up to which the second one belongs to the opening."""
_MUCH = 4
"""Words of a sentence that says much."""
_PARTLY = 0.3
"""Share of a segment in a memory from which a short one is compared sentence by sentence too."""
_TERMS = 200
"""Terms of a memory that a segment's terms are looked for among."""
_SHORT = 40
"""Words up to which a text may be one saying: the same in other words, or a note of one pattern with others."""
READ_FOR_TERMS = 1_000_000
"""Characters of a memory that its terms are taken from; the reasons say so where it has more. Everything else, above
all contradictions, is looked for in all of it."""
BACKGROUND = 0.1
"""Similarity that texts of one vault have whatever they are about."""


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
class Segment:
    """What is compared with every neighbour, worked out once."""

    text: str
    terms: tuple[str, ...]
    features: Features
    features_total: float
    words: Mapping[str, bool]
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
class Match:
    """A neighbour and how the segment stands to it; shares from 0 to 1."""

    neighbour: Neighbour
    overlap: float
    shared_terms: tuple[str, ...]
    similarity: float
    covered: float
    """Of the segment, by the memory."""
    restated: float
    """Of the memory's text, by the segment."""
    keywords: float
    """Of the words of the memory's keywords, in the segment."""
    subject: float
    """Of the memory's title and keywords, named in the segment's opening."""
    novelty: float
    """Of the segment's names, figures and identifiers, unknown to the memory."""
    has_new_words: bool
    has_new_sentence: bool
    """Asked only of texts that are alike."""
    difference: Difference | None
    exchanged: tuple[tuple[str, str], ...]
    """The words that stand in each other's place where two short texts are the same but for those."""
    sameness: float | None
    """How likely two short texts say the same; None where one of them is longer."""


def segment_of(text: str, segment_terms: tuple[str, ...]) -> Segment:
    """A segment's text as it is compared. Without terms, its key terms are taken."""
    said = sentences(text)
    is_short_opening = bool(said) and len(said[0].split()) < _SHORT_OPENING
    own = features(text)
    return Segment(
        text=text,
        terms=tuple({fold(term): term for term in segment_terms or key_terms(text)}.values()),
        features=own,
        features_total=sum(own.values()),
        words=content(text),
        opening=frozenset().union(*map(content, said[: 1 + is_short_opening])),
    )


def compare(segment: Segment, neighbour: Neighbour) -> Match:
    """How a segment stands to a memory."""
    known = _known(neighbour)
    common = shared(segment.features, known.features)
    total = segment.features_total + known.features_total
    has = _shared_terms(segment.terms, neighbour)
    similarity = 2 * common / total if common else 0.0
    covered = common / segment.features_total if common else 0.0
    if similarity > BACKGROUND:
        below = features_below(neighbour.title, neighbour.text)
        covered = shared(segment.features, below) / segment.features_total
    is_alike = similarity > BACKGROUND or covered > _PARTLY
    are_short = is_alike and _is_short(segment.text) and _is_short(neighbour.text)
    return Match(
        neighbour=neighbour,
        overlap=len(has) / len(segment.terms) if segment.terms else 0.0,
        shared_terms=tuple(has),
        similarity=similarity,
        covered=covered,
        restated=common / known.features_total if common else 0.0,
        keywords=_share_of(known.keywords, segment.words),
        subject=_subject(segment, known),
        novelty=_novelty(segment.words, known.words),
        has_new_words=not known.words.keys() >= segment.words.keys(),
        has_new_sentence=is_alike and _has_new_sentence(segment.text, known.words),
        difference=conflict(segment.text, neighbour.text) if is_alike else None,
        exchanged=exchanged(segment.text, neighbour.text) if are_short else (),
        sameness=sameness(segment.text, neighbour.text) if are_short else None,
    )


def _has_new_sentence(text: str, known: Collection[str]) -> bool:
    return any(_share_of(words, known) <= 1 - _NEW_SENTENCE for words in _by_sentence(text))


@lru_cache(maxsize=64)
def _by_sentence(text: str) -> Sequence[Collection[str]]:
    """The words of each sentence that says much."""
    return [words for words in map(content, sentences(text)) if len(words) >= _MUCH]


@lru_cache(maxsize=256)
def _is_short(text: str) -> bool:
    return count_words(text) <= _SHORT


def overlaps(segment_terms: Sequence[str], neighbours: Iterable[Neighbour]) -> list[float]:
    """Share of a segment's terms that each memory has (vault spec, 2.2)."""
    wanted = tuple({fold(term): term for term in segment_terms}.values())
    return [len(_shared_terms(wanted, neighbour)) / len(wanted) if wanted else 0.0 for neighbour in neighbours]


@lru_cache(maxsize=8192)
def _shared_terms(wanted: tuple[str, ...], neighbour: Neighbour) -> Sequence[str]:
    """The terms that the memory has; remembered, since the topic asks for them before the text is compared.

    Taking a memory's terms is dear, so not where it can have none. Of one that is longer than what terms are taken
    from, to look through all of it is as dear.
    """
    if len(neighbour.text) <= READ_FOR_TERMS:
        folded = _known(neighbour).folded
        if not any(all(word in folded for word in each) for each in _words_of_each(wanted)):
            return []
    return shared_terms(wanted, _had(neighbour))


@lru_cache(maxsize=64)
def _words_of_each(terms: tuple[str, ...]) -> Sequence[Sequence[str]]:
    return [tuple(words_of(fold(term))) for term in terms]


@lru_cache(maxsize=2048)
def _had(neighbour: Neighbour) -> Had:
    return had(terms_of(neighbour))


@lru_cache(maxsize=2048)
def terms_of(neighbour: Neighbour) -> tuple[str, ...]:
    """A memory's terms: its keywords and those of its content (vault spec, 2.2)."""
    return (*neighbour.keywords, *terms(f"{neighbour.title}\n\n{neighbour.text}"[:READ_FOR_TERMS], _TERMS))


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
        keywords=content(keywords or "\n\n".join(terms_of(neighbour)[:5])),
        named=tuple([frozenset(content(keyword)) for keyword in neighbour.keywords]),
    )


def _subject(segment: Segment, known: _Known) -> float:
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
