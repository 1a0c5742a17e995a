"""Plain text, cut where its subject changes: whole paragraphs, and sentences only of a paragraph that is too long.

Neighbours whose key terms overlap by more than 40 % join before anything else, and a paragraph of one sentence
joins its neighbour (vault spec, 2.1); among the cuts that are left `cohesion` finds the best.
"""

from collections.abc import Iterator, Sequence

from memtend.learn.cohesion import cuts
from memtend.learn.sizes import LARGE, SMALL, Cut, Span, fit, joined, lines, pieces_of, span_of
from memtend.text import fold, key_terms, overlap, sentences

JOINING_OVERLAP = 0.4
_COARSEST = 40
_MANY_PARTS = 50
"""Parts that are told apart by a token more each: 50 parts may have one token, 2,000 must have 40."""


def cut(text: str, start: int = 0) -> list[Cut]:
    """The segments of plain text, from `start` to its end."""
    groups = subjects(text, _parts(text, _related(text, list(paragraphs(text, start)))))
    return [Cut(group.start, group.end) for group in groups]


def paragraphs(text: str, start: int = 0) -> Iterator[Span]:
    """Runs of lines between blank ones, each with the blank lines behind it."""
    begin = start
    after_blank = has_text = False
    for line, _ in lines(text, start, len(text)):
        stop = text.find("\n", line)
        is_blank = not text[line : stop if stop >= 0 else len(text)].strip()
        if not is_blank and after_blank and has_text:
            yield span_of(text, begin, line)
            begin = line
        has_text = has_text or not is_blank
        after_blank = is_blank
    if has_text:
        yield span_of(text, begin, len(text))


def subjects(text: str, parts: Sequence[Span]) -> list[Span]:
    """Neighbouring parts joined to segments, by subject and size."""
    parts = _coarse(parts)
    found: list[Span] = []
    at = 0
    for length in cuts([text[part.start : part.end] for part in parts], [part.weight for part in parts]):
        found.append(joined(parts[at : at + length]))
        at += length
    return found


def _coarse(parts: Sequence[Span]) -> list[Span]:
    """The parts; where there are hundreds, tiny ones with the next, so that the time stays linear."""
    least = min(_COARSEST, len(parts) / _MANY_PARTS)
    found: list[Span] = []
    held: list[Span] = []
    for part in parts:
        held.append(part)
        if sum(one.weight for one in held) >= least:
            found.append(joined(held))
            held = []
    return [*found, joined(held)] if held else found


def _parts(text: str, spans: Sequence[Span]) -> list[Span]:
    return [part for span in spans for part in (pieces_of(text, span) if span.size > LARGE else [span])]


def _related(text: str, spans: Sequence[Span]) -> list[Span]:
    """Paragraphs of which those that must stay together have joined, as far as the largest size allows."""
    found: list[Span] = []
    terms_before: set[str] = set()
    must_join = False
    for span in spans:
        paragraph = text[span.start : span.end]
        terms = {fold(term) for term in key_terms(paragraph)}
        is_lone = span.size >= SMALL and len(sentences(paragraph)) == 1  # a smaller one joins by its size
        related = max(overlap(terms, terms_before), overlap(terms_before, terms)) > JOINING_OVERLAP
        if found and (must_join or is_lone or related) and fit(found[-1], span):
            found[-1] = joined((found[-1], span))
            must_join = False
        else:
            found.append(span)
            must_join = is_lone
        must_join = must_join or paragraph.rstrip().endswith(":")
        terms_before = terms
    return found
