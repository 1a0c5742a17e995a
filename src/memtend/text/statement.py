"""A sentence taken apart for comparison: its words by what is said of them, and its numbers with their units.

Negations and preferences sort the words: `do not pin tags` denies *pin* and *tags*, `tabs over spaces` rejects
*spaces*. Numbers become quantities that can be compared (`60 s`, `1 min`), versions are told from plain numbers.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from memtend.text.contrasts import (
    CALENDAR,
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
from memtend.text.likeness import stem
from memtend.text.sentence import sentences
from memtend.text.stopwords import STOP
from memtend.text.tokens import fold, parts, tokens
from memtend.text.unspaced import is_unspaced, pairs

DIMENSIONS = frozenset(dimension for dimension, _ in UNITS.values())
_SHORT_CLAUSE = 3
"""Words up to which a negation at the end of a clause (`das erlauben wir nicht`) denies all of it."""
_WORD, _NAME, _PIECE = 1.0, 1.6, 0.4

_CLAUSE = re.compile(r"[,;:](?=\s|$)|[()\[\]—–。，；：]|\s-\s|\b(?:but|aber|mais|pero)\b")
_MAIN_CLAUSE = re.compile(r";\s|,\s+(?:and|but|while|whereas|und|aber|et|mais|y|pero)\s")
_PLAIN_NUMBER = re.compile(r"[$~#]?(\d[\d.,_]*?)[.,]?([^\W\d_]*)$")
_VERSION_NUMBER = re.compile(r"v\d[\w.+-]*$|\d+\.\d+\.\d+(?:[-+.][a-z]\w*)*$", re.IGNORECASE)
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_CJK_NEGATION = re.compile("不|没|沒|未|無い|无|别|勿|ない|なかった|ません|안 |않|못|ไม่")


def _opposite_stems() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for word, others in OPPOSITES.items():
        found.setdefault(stem(word), set()).update(map(stem, others))
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITE_STEMS = _opposite_stems()


class Quantity(NamedTuple):
    """A number where it stands. `shape` is its token with `#` for digits, or its dimension (`time`)."""

    shape: str
    value: float | str
    before: str
    """The stem of the word in front of it."""
    is_version: bool
    written: str

    @property
    def measure(self) -> tuple[str, float | str]:
        """What makes two quantities the same."""
        return self.shape, self.value


@dataclass(slots=True)
class Statement:
    """A sentence taken apart. Words are stems."""

    order: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)
    """Each word as the sentence writes it."""
    weights: dict[str, float] = field(default_factory=dict)
    """What sentences are aligned by: no function words, no numbers, opposites as one word."""
    names: set[str] = field(default_factory=set)
    """Identifiers and other compounds."""
    quantities: list[Quantity] = field(default_factory=list)
    plain: set[str] = field(default_factory=set)
    """Words that nothing negates and nothing puts second."""
    negated: set[str] = field(default_factory=set)
    denied: list[str] = field(default_factory=list)
    """Of the negated words those right behind their negator: what a contradiction is about."""
    rejected: set[str] = field(default_factory=set)
    cjk_negations: int = 0
    total: float = 0.0
    """The sum of the weights."""


@lru_cache(maxsize=256)
def statements(text: str) -> tuple[Statement, ...]:
    """The statements of a text, one a sentence, each once. Remembered, so not to be changed."""
    return tuple([statement(sentence) for sentence in dict.fromkeys(sentences(text))])


def clauses(text: str) -> list[Statement]:
    """Statements of the parts of a text's sentences that could stand alone."""
    return [statement(clause) for sentence in sentences(text) for clause in _MAIN_CLAUSE.split(sentence)]


def statement(sentence: str) -> Statement:
    """A sentence taken apart."""
    found = Statement(cjk_negations=len(_CJK_NEGATION.findall(sentence)))
    text = unicodedata.normalize("NFKC", sentence).replace("’", "'")
    has_cue = not VERSION_CUES.isdisjoint(fold(text).split())
    for number, clause in enumerate(_CLAUSE.split(text)):
        lexemes = tokens(clause, "|[%€]")
        keys = list(map(fold, lexemes))
        _read_words(lexemes, keys, number > 0, found)
        _read_quantities(lexemes, keys, has_cue, found)
    found.total = sum(found.weights.values())
    return found


def _read_words(lexemes: list[str], keys: list[str], goes_on: bool, found: Statement) -> None:
    """Sort a clause's words into plain, negated and rejected ones.

    A negation reaches the words behind it up to the next function word; where none follow, those before it.
    """
    side, is_fresh = found.plain, False
    content: list[str] = []
    before = "and" if goes_on else ""
    for at, key in enumerate(keys):
        if side is not found.plain and key in (CARRIED if is_fresh else STOP):
            if is_fresh:
                continue
            side = found.plain
        turned = _turn(keys, at, before, found)
        before = key
        if turned is not None:
            side, is_fresh = turned, turned is not found.plain
            continue
        if key in CANCELLED_BY and at and _negates(keys[at - 1]):
            continue
        word = stem(key)
        side.add(word)
        if side is found.plain and key not in STOP:
            content.append(word)
        elif is_fresh and side is found.negated:
            found.denied.append(word)
        is_fresh = False
        found.order.append(word)
        found.written.setdefault(word, lexemes[at])
        _weigh(lexemes[at], word, found)
    if side is found.negated and is_fresh and len(content) <= _SHORT_CLAUSE:
        found.negated.update(content)
        found.denied += content
        found.plain.difference_update(content)


def _turn(keys: list[str], at: int, before: str, found: Statement) -> set[str] | None:
    """Where the words behind this one belong, if it changes that: `not` negates, `instead of` rejects."""
    key = keys[at]
    if _negates(key):
        if at + 1 < len(keys) and keys[at + 1] in CANCELLED_BY:
            return found.plain
        return found.rejected if key in REJECTERS and before in ("and", "und", "et", "y") else found.negated
    if key in REJECTERS and not (key in ("over", "than") and PREFERENCES.isdisjoint(keys[:at])):
        return found.rejected
    return None


def _negates(key: str) -> bool:
    return key in NEGATORS or key.endswith("n't")


def _weigh(lexeme: str, word: str, found: Statement) -> None:
    if word in STOP or lexeme[0].isdigit() or word in CALENDAR:
        return
    pieces = [stem(part) for part in parts(lexeme)]
    if any(map(str.isdigit, word)):
        names, weight = [_DIGITS.sub("#", word)], _NAME
    elif is_unspaced(word):
        names, weight = pairs(word), _WORD
    else:
        names, weight = [min(OPPOSITE_STEMS.get(word, frozenset()) | {word})], _NAME if pieces else _WORD
    if weight == _NAME:
        found.names.add(word)
    for name in names:
        found.weights[name] = found.weights.get(name, 0.0) + weight
    for piece in pieces:
        found.weights[piece] = found.weights.get(piece, 0.0) + _PIECE


def _read_quantities(lexemes: list[str], keys: list[str], has_cue: bool, found: Statement) -> None:
    before = ""
    for at, lexeme in enumerate(lexemes):
        if keys[at] in CALENDAR:
            found.quantities.append(Quantity(CALENDAR[keys[at]], keys[at], "", False, lexeme))
        elif any(map(str.isdigit, lexeme)):
            following = keys[at + 1] if at + 1 < len(keys) else ""
            found.quantities.append(_quantity(lexeme, before, following, has_cue))
        elif keys[at] not in STOP:
            before = lexeme


def _quantity(lexeme: str, before: str, following: str, has_cue: bool) -> Quantity:
    place = stem(fold(before))
    number = _PLAIN_NUMBER.match(lexeme)
    if number and not _VERSION_NUMBER.match(lexeme):
        suffix = fold(number[2])
        unit = UNITS.get(suffix or following)
        if unit and (value := _decimal(number[1])) is not None:
            written = lexeme if suffix else f"{lexeme} {following}"
            return Quantity(unit[0], round(value * unit[1], 9), place, False, written)
        if not suffix:
            return Quantity("#", number[1], place, _follows_product(before, number[1], has_cue), lexeme)
    key = fold(lexeme)
    is_version = _VERSION_NUMBER.match(key) is not None or (":" in key and "." in key)
    return Quantity(_DIGITS.sub("#", key).removeprefix("v"), " ".join(_DIGITS.findall(key)), place, is_version, lexeme)


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
