"""A sentence taken apart for comparison: its words by what is said of them, and its numbers with their units.

Negations and preferences sort the words: `do not pin tags` denies *pin* and *tags*, `tabs over spaces` rejects
*spaces*. Numbers, in digits or English words, become quantities that can be compared (`60 s`, `one minute`), versions
are told from plain numbers.
"""

import re
import unicodedata
from collections.abc import Iterator
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
from memtend.text.numerals import is_numeral, spelled
from memtend.text.stopwords import STOP
from memtend.text.tokens import fold, parts, tokens
from memtend.text.unspaced import is_unspaced, pairs

DIMENSIONS = frozenset(dimension for dimension, _ in UNITS.values())
_SHORT_CLAUSE = 3
"""Words up to which a negation at the end of a clause (`das erlauben wir nicht`) denies all of it."""
_WORD, _NAME, _PIECE = 1.0, 1.6, 0.4

_SIGNS = "|[%€]"
_CLAUSE = re.compile(r"[,;:](?=\s|$)|[()\[\]—–。，；：]|\s-\s|\b(?:but|aber|mais|pero)\b")
_MAIN_CLAUSE = re.compile(r";\s|,\s+(?:and|but|while|whereas|und|aber|et|mais|y|pero)\s")
_PLAIN_NUMBER = re.compile(r"[$~#]?(\d[\d.,_]*?)[.,]?([^\W\d_]*)$")
_VERSION_NUMBER = re.compile(r"v\d[\w.+-]*$|\d+\.\d+\.\d+(?:[-+.][a-z]\w*)*$", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
"""The comma in `1,000`."""
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


class Weighed(NamedTuple):
    """What a word counts where sentences are compared, wherever it stands."""

    word: str
    """Its stem."""
    weights: tuple[tuple[str, float], ...]
    """What it is weighed as: no function words, no numbers, opposites as one word."""
    is_name: bool
    counts: bool
    """Whether it has a digit, is a number in words or a date: what makes a quantity."""
    least: float
    """What it weighs at least; a word may weigh nothing behind a negation."""


def clauses_of(sentence: str) -> list[Statement]:
    """Statements of the parts of a sentence that could stand alone."""
    return [statement(clause) for clause in _MAIN_CLAUSE.split(sentence)]


@lru_cache(maxsize=20_000)
def statement(sentence: str) -> Statement:
    """A sentence taken apart; nobody changes it. Remembered (at three kilobytes each), since alike texts share many."""
    found = Statement(cjk_negations=len(_CJK_NEGATION.findall(sentence)))
    text, has_cue = _prepared(sentence)
    for number, clause in enumerate(_CLAUSE.split(text)):
        words = tokens(clause, _SIGNS)
        keys = list(map(fold, words))
        _read_words(words, keys, number > 0, found)
        found.quantities += _quantities(words, keys, has_cue)
    found.total = sum(found.weights.values())
    return found


def quantities(sentence: str) -> list[Quantity]:
    """The quantities of a sentence alone."""
    text, has_cue = _prepared(sentence)
    by_clause = [tokens(clause, _SIGNS) for clause in _CLAUSE.split(text)]
    return [found for words in by_clause for found in _quantities(words, list(map(fold, words)), has_cue)]


def lexemes(text: str, beside: str = "") -> list[str]:
    """The words of all sentences of a text (NFKC) as statements read them, and what the pattern `beside` finds."""
    return tokens(_CLAUSE.sub(" ", text), _SIGNS + beside)


def _prepared(sentence: str) -> tuple[str, bool]:
    """A sentence as it is read, and whether it speaks of versions."""
    text = unicodedata.normalize("NFKC", sentence).replace("’", "'")
    if "," in text:
        text = _THOUSANDS.sub("", text)
    return text, not VERSION_CUES.isdisjoint(fold(text).split())


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
        _keep(word, lexemes[at], found)
    if side is found.negated and is_fresh and len(content) <= _SHORT_CLAUSE:
        _deny(content, found)


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


def _deny(words: list[str], found: Statement) -> None:
    """What stood as plain words was meant to be denied: `I like it not`."""
    found.negated.update(words)
    found.denied += words
    found.plain.difference_update(words)


def _keep(word: str, lexeme: str, found: Statement) -> None:
    """The word in its place, as it was written, and what it weighs."""
    found.order.append(word)
    found.written.setdefault(word, lexeme)
    its = weighed(lexeme)
    if its.is_name:
        found.names.add(its.word)
    for name, weight in its.weights:
        found.weights[name] = found.weights.get(name, 0.0) + weight


@lru_cache(maxsize=32_768)
def weighed(lexeme: str) -> Weighed:
    """What a word as written counts where sentences are compared."""
    key = fold(lexeme)
    word = stem(key)
    is_word_for_number = is_numeral(key)
    counts = is_word_for_number or key in CALENDAR or any(map(str.isdigit, lexeme))
    if is_word_for_number or word in STOP or lexeme[0].isdigit() or word in CALENDAR or _negates(key):
        return Weighed(word, (), False, counts, 0.0)
    pieces = [stem(part) for part in parts(lexeme)]
    has_digit = any(map(str.isdigit, word))
    is_name = has_digit or (bool(pieces) and not is_unspaced(word))
    if has_digit:
        names = [_DIGITS.sub("#", word)]
    elif is_unspaced(word):
        names = pairs(word)
    else:
        names = [min(OPPOSITE_STEMS.get(word, frozenset()) | {word})]
    weights = ((name, _NAME if is_name else _WORD) for name in names)
    whole = (*weights, *((piece, _PIECE) for piece in pieces))
    may_be_skipped = key in CANCELLED_BY or key in REJECTERS
    return Weighed(word, whole, is_name, counts, 0.0 if may_be_skipped else sum([weight for _, weight in whole]))


def _quantities(lexemes: list[str], keys: list[str], has_cue: bool) -> Iterator[Quantity]:
    before, behind = "", 0
    for at, lexeme in enumerate(lexemes):
        if at < behind:
            continue
        if number := spelled(keys, at):
            behind = at + number.length
            following = keys[behind] if behind < len(keys) else ""
            yield _in_words(number.value, " ".join(lexemes[at:behind]), before, following)
        elif keys[at] in CALENDAR:
            yield Quantity(CALENDAR[keys[at]], keys[at], "", False, lexeme)
        elif any(map(str.isdigit, lexeme)):
            following = keys[at + 1] if at + 1 < len(keys) else ""
            yield _quantity(lexeme, before, following, has_cue)
        elif keys[at] not in STOP:
            before = lexeme


def _in_words(value: int, written: str, before: str, following: str) -> Quantity:
    """A number in words; no version."""
    found = _quantity(str(value), before, following, False)
    unit = f" {following}" if found.shape in DIMENSIONS else ""
    return found._replace(is_version=False, written=written + unit)


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
