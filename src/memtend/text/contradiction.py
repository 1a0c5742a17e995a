"""In what two otherwise alike texts contradict each other.

Sentences are paired with their best counterparts. Where a pair says the same but for a number, a version, a
negation or an opposite, that difference is named. A pair must be nearly the same sentence, or, where the texts
as wholes are alike, at least about the same thing. Words count, never parts of words, and a negation counts
only against the very word it negates: `do not forget to pin it` does not deny `pin it`.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from memtend.text.contrasts import (
    CANCELLED_BY,
    CARRIED,
    COUNTERS,
    NEGATORS,
    OPPOSITES,
    PREFERENCES,
    PRODUCTS,
    REJECTERS,
    UNITS,
    VERSION_CUES,
)
from memtend.text.likeness import coverage, stem
from memtend.text.stopwords import STOP
from memtend.text.tokens import UNICODE_WORD, fold, parts, sentences
from memtend.text.unspaced import is_unspaced, pairs

Kind = Literal["number", "negation", "version", "opposite"]

SAME_SENTENCE = 0.7
"""Likeness from which two sentences say the same but for what differs."""
SAME_MATTER = 0.4
"""Likeness from which two sentences of alike texts are about the same thing."""
SAME_MEASURE = 0.55
"""Likeness from which a time is the other sentence's time, a size its size."""
SAME_CROSSED = 0.6
"""Likeness of the sentences between which words may have changed places."""
SAME_WORDS = 2.0
"""Weight that sentences of texts that are not alike must share at least: about two words."""
ALIKE_TEXTS = 0.5
"""Share of the shorter text that the longer one has, from which texts are alike."""

DIMENSIONS = frozenset(dimension for dimension, _ in UNITS.values())
OPPOSITE_STEMS: dict[str, frozenset[str]] = {}
for _word, _others in OPPOSITES.items():
    OPPOSITE_STEMS[stem(_word)] = OPPOSITE_STEMS.get(stem(_word), frozenset()) | {stem(other) for other in _others}

_CLAUSE = re.compile(r"[,;:](?=\s|$)|[()\[\]—–。，；：]|\s-\s|\b(?:but|aber|mais|pero)\b")
_LEXEME = re.compile(UNICODE_WORD + "|[%€]")
_PLAIN_NUMBER = re.compile(r"[$~#]?(\d[\d.,_]*?)[.,]?([^\W\d_]*)$")
_VERSION_NUMBER = re.compile(r"v\d[\w.+-]*$|\d+\.\d+\.\d+(?:[-+.][a-z]\w*)*$")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_CJK_NEGATION = re.compile("不|没|沒|未|無い|无|别|勿|ない|なかった|ません|안 |않|못|ไม่")


class Difference(NamedTuple):
    """One point in which two alike texts differ: what ours says and what theirs says."""

    kind: Kind
    ours: str
    theirs: str


class _Quantity(NamedTuple):
    """A number where it stands. `shape` is its token with `#` for digits, or its dimension (`time`)."""

    shape: str
    value: float | str
    before: str
    is_version: bool
    written: str


@dataclass(slots=True)
class _Statement:
    """A sentence taken apart; words are stems."""

    order: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    quantities: list[_Quantity] = field(default_factory=list)
    negated: set[str] = field(default_factory=set)
    denied: list[str] = field(default_factory=list)
    """Of the negated words those right behind their negator: what a contradiction is about."""
    rejected: set[str] = field(default_factory=set)
    plain: set[str] = field(default_factory=set)
    """What nothing negates and nothing puts second."""
    cjk_negations: int = 0


def conflict(a: str, b: str) -> Difference | None:
    """The first point in which two otherwise alike texts contradict each other, or None."""
    if fold(a).split() == fold(b).split():
        return None
    ours, theirs = ([_statement(sentence) for sentence in sentences(text)] for text in (a, b))
    our_values, their_values = ({_value(q) for s in side for q in s.quantities} for side in (ours, theirs))
    alike = max(coverage(a, b), coverage(b, a)) >= ALIKE_TEXTS
    aligned = _aligned(ours, theirs, SAME_MATTER if alike else SAME_SENTENCE)
    if not alike and min(len(ours), len(theirs)) > 1:
        # In long texts on different matters one word in common (`Retention: 7 days`) makes no sentence the same.
        aligned = [pair for pair in aligned if _shared(pair[0], pair[1]) >= SAME_WORDS]
    for one, other, likeness in aligned:
        new = [quantity for quantity in one.quantities if _value(quantity) not in their_values]
        old = [quantity for quantity in other.quantities if _value(quantity) not in our_values]
        found = _number(new, old, likeness) or _opposite(one, other, likeness) or _negation(one, other, likeness)
        if found:
            return found
    if not alike:
        return None
    new, old = (
        [q for s in side for q in s.quantities if q.is_version and _value(q) not in known]
        for side, known in ((ours, their_values), (theirs, our_values))
    )
    return _number(new, old, 0.0) or _crossed(aligned)


def _aligned(
    ours: Sequence[_Statement], theirs: Sequence[_Statement], least: float
) -> list[tuple[_Statement, _Statement, float]]:
    """Each sentence with its best counterpart, one to one, in our order."""
    scores = [
        (likeness, -i, -j)
        for i, one in enumerate(ours)
        for j, other in enumerate(theirs)
        if (likeness := _likeness(one, other)) >= least
    ]
    paired: dict[int, tuple[int, float]] = {}
    taken: set[int] = set()
    for likeness, i, j in sorted(scores, reverse=True):
        if -i not in paired and -j not in taken:
            paired[-i] = (-j, likeness)
            taken.add(-j)
    return [(ours[i], theirs[j], likeness) for i, (j, likeness) in sorted(paired.items())]


def _likeness(one: _Statement, other: _Statement) -> float:
    total = sum(one.weights.values()) + sum(other.weights.values())
    if not total:
        return 1.0 if one.quantities and other.quantities else 0.0
    return 2 * _shared(one, other) / total


def _shared(one: _Statement, other: _Statement) -> float:
    return sum([min(weight, other.weights[key]) for key, weight in one.weights.items() if key in other.weights])


def _value(quantity: _Quantity) -> tuple[str, float | str]:
    return quantity.shape, quantity.value


def _number(new: list[_Quantity], old: list[_Quantity], likeness: float) -> Difference | None:
    """Numbers that stand for each other, each unknown to the other text; those behind the same word first."""
    alike = [(ours, theirs) for ours in new for theirs in old if ours.shape == theirs.shape]
    same_place = [(ours, theirs) for ours, theirs in alike if ours.before and ours.before == theirs.before]
    if likeness < SAME_SENTENCE:
        alike = [pair for pair in alike if likeness >= SAME_MEASURE and pair[0].shape in DIMENSIONS]
    for ours, theirs in same_place or alike:
        kind: Kind = "version" if ours.is_version and theirs.is_version else "number"
        return Difference(kind, ours.written, theirs.written)
    return None


def _opposite(one: _Statement, other: _Statement, likeness: float) -> Difference | None:
    for word in _only(one, other):
        for against in _only(other, one):
            if against in OPPOSITE_STEMS.get(word, frozenset()):
                return Difference("opposite", one.written[word], other.written[against])
    for word in one.order:
        if word in one.rejected and word in other.plain and word not in one.plain | other.rejected:
            return Difference("opposite", f"not {one.written[word]}", other.written[word])
        if word in other.rejected and word in one.plain and word not in other.plain | one.rejected:
            return Difference("opposite", one.written[word], f"not {other.written[word]}")
    return _exchange(one, other) if likeness > 0.9 else None


def _only(one: _Statement, other: _Statement) -> list[str]:
    """The words that one statement says and the other neither says nor denies."""
    return [word for word in one.order if word in one.plain and word not in other.plain and word not in other.negated]


def _exchange(one: _Statement, other: _Statement) -> Difference | None:
    """Two words that have changed places in otherwise equal sentences."""
    if len(one.order) != len(other.order):
        return None
    places = [(ours, theirs) for ours, theirs in zip(one.order, other.order, strict=True) if ours != theirs]
    if len(places) != 2 or places[0] != places[1][::-1]:
        return None
    (first, second), _ = places
    return Difference(
        "opposite",
        f"{one.written[first]} … {one.written[second]}",
        f"{other.written[second]} … {other.written[first]}",
    )


def _crossed(aligned: Sequence[tuple[_Statement, _Statement, float]]) -> Difference | None:
    """A word that stands for another in one pair of sentences, and the other for it in a second pair."""
    swaps = [
        (one, other, _content(_only(one, other)), _content(_only(other, one)))
        for one, other, likeness in aligned
        if likeness >= SAME_CROSSED
    ]
    for number, (one, other, ours, theirs) in enumerate(swaps):
        for _, _, later_ours, later_theirs in swaps[number + 1 :]:
            for word in ours:
                for against in theirs:
                    if word in later_theirs and against in later_ours:
                        return Difference("opposite", one.written[word], other.written[against])
    return None


def _content(words: list[str]) -> list[str]:
    return [word for word in words if word not in STOP and not word[0].isdigit()]


def _negation(one: _Statement, other: _Statement, likeness: float) -> Difference | None:
    for word in one.denied:
        if word in other.plain and word not in one.plain and word not in other.negated:
            return Difference("negation", f"not {one.written[word]}", other.written[word])
    for word in other.denied:
        if word in one.plain and word not in other.plain and word not in one.negated:
            return Difference("negation", one.written[word], f"not {other.written[word]}")
    if likeness >= SAME_SENTENCE and (one.cjk_negations + other.cjk_negations) % 2:
        return Difference("negation", *(("不" if side.cjk_negations % 2 else "") for side in (one, other)))
    return None


def _statement(sentence: str) -> _Statement:
    found = _Statement(cjk_negations=len(_CJK_NEGATION.findall(sentence)))
    text = unicodedata.normalize("NFKC", sentence).replace("’", "'")
    has_cue = not VERSION_CUES.isdisjoint(fold(text).split())
    for number, clause in enumerate(_CLAUSE.split(text)):
        lexemes = _LEXEME.findall(clause)
        _read_polarity(lexemes, number > 0, found)
        _read_quantities(lexemes, has_cue, found)
    return found


def _read_polarity(lexemes: list[str], goes_on: bool, found: _Statement) -> None:
    """Sort a clause's words into plain, negated and rejected ones (`tabs, not spaces` rejects spaces).

    A negation holds for the words up to the next function word; at the end of a short clause, for those before it.
    """
    target, reached = found.plain, False
    plain: list[str] = []
    previous, skip = "and" if goes_on else "", False
    for lexeme, following in zip(lexemes, [*map(fold, lexemes[1:]), ""], strict=False):
        key = fold(lexeme)
        if target is not found.plain and key in (CARRIED if not reached else STOP):
            target, reached = (found.plain, False) if reached else (target, False)
        if skip or (target is not found.plain and key in CARRIED):
            skip = False
            continue
        if _negates(key):
            skip = following in CANCELLED_BY
            if not skip:
                rejects = key in REJECTERS and previous in ("and", "und", "et", "y")
                target, reached = found.rejected if rejects else found.negated, False
        elif key in REJECTERS and not (key in ("over", "than") and PREFERENCES.isdisjoint(plain)):
            target, reached = found.rejected, False
        else:
            word = stem(key)
            plain += (key, word)
            target.add(word)
            if target is found.negated and not reached:
                found.denied.append(word)
            found.written.setdefault(word, lexeme)
            found.order.append(word)
            _weigh(lexeme, word, found)
            reached = target is not found.plain
        previous = key
    if target is found.negated and not reached and len(plain) <= 6:
        found.negated.update(plain)
        found.denied += plain
        found.plain.difference_update(plain)


def _negates(key: str) -> bool:
    return key in NEGATORS or key.endswith("n't")


def _weigh(lexeme: str, word: str, found: _Statement) -> None:
    """Add a word's weight; opposites weigh as one word, so that they do not keep sentences apart."""
    if word in STOP or lexeme[0].isdigit() or lexeme in STOP:
        return
    names = pairs(word) if is_unspaced(word) else [min(OPPOSITE_STEMS.get(word, frozenset()) | {word})]
    pieces = [stem(part) for part in parts(lexeme)]
    shaped = any(map(str.isdigit, word))
    for name in names:
        key = _DIGITS.sub("#", name) if shaped else name
        found.weights[key] = found.weights.get(key, 0.0) + (1.6 if pieces or shaped else 1.0)
    for piece in pieces:
        found.weights[piece] = found.weights.get(piece, 0.0) + 0.4


def _read_quantities(lexemes: list[str], has_cue: bool, found: _Statement) -> None:
    before = ""
    for lexeme, following in zip(lexemes, [*map(fold, lexemes[1:]), ""], strict=False):
        if not any(map(str.isdigit, lexeme)):
            before = lexeme if fold(lexeme) not in STOP else before
            continue
        found.quantities.append(_quantity(lexeme, before, following, has_cue))


def _quantity(lexeme: str, before: str, following: str, has_cue: bool) -> _Quantity:
    place = stem(fold(before))
    number = _PLAIN_NUMBER.match(lexeme)
    if number and not _VERSION_NUMBER.match(lexeme):
        suffix = fold(number[2])
        unit = UNITS.get(suffix or following)
        if unit and (value := _decimal(number[1])) is not None:
            written = lexeme if suffix else f"{lexeme} {following}"
            return _Quantity(unit[0], round(value * unit[1], 9), place, False, written)
        if not suffix:
            return _Quantity("#", number[1], place, _follows_product(before, number[1], has_cue), lexeme)
    key = fold(lexeme)
    is_version = bool(_VERSION_NUMBER.match(key)) or (":" in key and "." in key)
    return _Quantity(_DIGITS.sub("#", key).removeprefix("v"), " ".join(_DIGITS.findall(key)), place, is_version, lexeme)


def _decimal(written: str) -> float | None:
    digits = written.replace("_", "")
    if digits.count(",") == 1 and "." not in digits and len(digits.rpartition(",")[2]) != 3:
        digits = digits.replace(",", ".")
    try:
        return float(digits.replace(",", ""))
    except ValueError:
        return None


def _follows_product(before: str, number: str, has_cue: bool) -> bool:
    """Whether a bare number is a version: it stands behind a product's name and no counting word."""
    key = fold(before)
    if not key or key in COUNTERS:
        return False
    capital = before[0].isupper()
    named = key in PRODUCTS or (capital and (has_cue or "." in number or any(map(str.isupper, before[1:]))))
    return named or ("." in number and has_cue)
