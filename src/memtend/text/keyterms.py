"""What a text is about: its key terms, and how far two sets of them agree (vault spec, 2.1 and 2.2).

A term is a word, or a phrase of two or three words that stand together between stop words and punctuation.
Identifiers, file names, flags and error codes stand alone; numbers and quantities are no terms.

In running prose phrases say most; in a technical note single names and identifiers do. Which of the two a text
is shows in its share of technical words, so a term's weight is taken between two columns of weights, one for
each kind of text. They were fitted by logistic regression on abstracts with given key phrases and on notes with
given keywords (`benchmarks/key_terms.py` measures on the other halves of both), then rounded.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from math import log
from typing import NamedTuple

from memtend.text.stopwords import ENGLISH, LY_NOUNS, SHORT_TECHNICAL, STOP, VERBS, WEAK
from memtend.text.tokens import fold, tokens, words
from memtend.text.unspaced import is_unspaced, pairs, pieces

PHRASE_LIMIT = 3
"""Words of a phrase. Longer ones are rarely written the same way twice."""

_BREAK = (
    r"|`{3,}[^\n`]*|\n(?=[ \t]{0,12}(?:[A-Z#>*+\n|-]|\d{1,9}[.)]|$))|`+"
    r"|[.,;:!?()\[\]{}\"“”„«»|<>=…—–*#&、。，；：！？「」『』（）【】]|(?<=\s)[-/+~](?=\s)"
)

_IDENTIFIER = re.compile(r"\W*\w.*(?:[_()\\@:+#]|[\w)][./-]\w+[./]|[a-z)]\.\w|->)|[^\w]|[a-z]+[A-Z]|.*\d")
_QUANTITY = re.compile(r"[vV]?\d[\d.,:x/-]*[^\W\d_]{0,3}$|\d+-[^\W\d_]+$")
_POSSESSIVE = re.compile(r"['’]s?$")

# What a token of a text is, from what parts phrases to what stands alone.
_BREAKING, _FOREIGN, _EMPTY, _GENERAL, _COMMON, _OPENING, _NAME, _TECHNICAL, _ALONE = range(9)


class _Token(NamedTuple):
    key: str
    form: str
    kind: int


class _Weights(NamedTuple):
    """What each trait of a term adds to its weight (log odds of being a key term)."""

    word: float
    word_of_phrase: float
    pair: float
    triple: float
    cut: float
    """A phrase that is the end of a longer run of words."""
    name: float
    technical: float
    repeated: float
    """Per unit of the logarithm of how often the phrase occurs."""
    words_frequent: float
    """Per unit of the mean logarithm of how often a phrase's words occur."""
    word_frequent: float
    late: float
    """From the start of the text (0) to its end (1)."""
    first: float
    general: float


_PROSE = _Weights(-2.15, -1.1, 0.1, 0.4, -1.6, 0.8, 0.1, 1.5, -0.4, 0.45, -0.55, 0.5, -0.7)
_NOTES = _Weights(-2.05, -0.5, -3.0, -3.3, -1.0, 1.3, 0.75, 0.55, 1.8, 0.8, -2.1, 0.6, -0.6)
_SHORT_TEXT = 20
"""Runs of words of a text below which its first words are not that much earlier than its last."""
_NOTES_SHARE = 0.25
"""Share of technical words from which a text counts as a technical note altogether."""


def key_terms(text: str, limit: int = 5) -> tuple[str, ...]:
    """The 3 to 5 terms that say what a text is about, as written, most telling first (vault spec, 2.1).

    Fewer only where the text has fewer words; one with few terms gives its short and general words too.
    """
    return terms(text, limit)


def terms(text: str, limit: int = 40) -> tuple[str, ...]:
    """More of the same, for what a memory is about beside its keywords (vault spec, 2.2)."""
    found = _ranked(text)
    if len(found) < 3:
        known = set(map(fold, found))
        found += [word for word in _plain_words(text) if word not in known]
    return tuple(found[:limit])


def _plain_words(text: str) -> list[str]:
    """The words of a text that has hardly any terms: all but stop words and numbers, or all."""
    plain = list(dict.fromkeys(words(text)))
    return [word for word in plain if word not in STOP and not word[0].isdigit()] or plain


def _ranked(text: str) -> list[str]:
    """Every term of a text once, by weight, then by place."""
    runs, is_english = _runs(text if text.isascii() else unicodedata.normalize("NFKC", text))
    best = _best_forms(runs)
    logs = {key: log(count) for key, count in Counter([token.key for run in runs for token in run]).items()}
    keys = [" ".join([token.key for token in run[-PHRASE_LIMIT:]]) for run in runs]
    repeats = Counter(keys)
    weights = _weights(runs)
    weighed: dict[str, tuple[float, int, str]] = {}
    for number, (run, key) in enumerate(zip(runs, keys, strict=True)):
        place = weights.late * number / max(len(runs), _SHORT_TEXT) + (0.0 if number else weights.first)
        is_phrase = len(run) > 1
        if is_phrase and key not in weighed and (is_english or repeats[key] > 1):
            weight = _phrase_weight(run, logs, log(repeats[key]), weights)
            form = " ".join([best[token.key].form for token in run[-PHRASE_LIMIT:]])
            weighed[key] = (-weight - place, len(weighed), form)
        # A word that the text never uses outside a phrase it repeats is no term of its own.
        inside = log(repeats[key]) if is_phrase and repeats[key] > 1 else -1.0
        for token in run:
            if token.key not in weighed and _is_term(token) and logs[token.key] > inside:
                shown = best[token.key]
                weight = _word_weight(shown, is_phrase, logs[token.key], weights)
                weighed[token.key] = (-weight - place, len(weighed), shown.form)
    return [form for _, _, form in sorted(weighed.values())]


def _best_forms(runs: list[list[_Token]]) -> dict[str, _Token]:
    """Each word as the text first writes it, elsewhere than at the start of a sentence if it can be helped."""
    found: dict[str, _Token] = {}
    for run in runs:
        for token in run:
            if token.key not in found or (found[token.key].kind == _OPENING and token.kind != _OPENING):
                found[token.key] = token
    return found


def _weights(runs: list[list[_Token]]) -> _Weights:
    """Between prose and notes, by the share of technical words."""
    total = sum(map(len, runs)) or 1
    technical = sum([token.kind >= _TECHNICAL for run in runs for token in run])
    share = min(1.0, technical / total / _NOTES_SHARE)
    return _Weights(*[prose + share * (note - prose) for prose, note in zip(_PROSE, _NOTES, strict=True)])


def _phrase_weight(run: list[_Token], logs: dict[str, float], repeat_log: float, weights: _Weights) -> float:
    phrase = run[-PHRASE_LIMIT:]
    weight = weights.pair if len(phrase) == 2 else weights.triple
    weight += weights.repeated * repeat_log
    weight += weights.words_frequent * sum([logs[token.key] for token in phrase]) / len(phrase)
    if len(run) > PHRASE_LIMIT:
        weight += weights.cut
    for token in run:
        if token.kind == _GENERAL:
            return weight + weights.general
    return weight


def _word_weight(token: _Token, in_phrase: bool, count_log: float, weights: _Weights) -> float:
    weight = weights.word + weights.word_frequent * count_log
    if in_phrase:
        weight += weights.word_of_phrase
    if token.kind == _NAME:
        return weight + weights.name
    return weight + weights.technical if token.kind > _NAME else weight


def _is_term(token: _Token) -> bool:
    """Over four characters, or a name or technical token of any length (vault spec, 2.1)."""
    return token.kind > _OPENING or (token.kind > _GENERAL and (len(token.key) > 4 or not token.key.isascii()))


def _runs(text: str) -> tuple[list[list[_Token]], bool]:
    """The runs of words between stop words and punctuation, without general words at their ends.

    And whether the stop words are mostly English: only there verbs are known, which part phrases too.
    """
    english = 0
    runs: list[list[_Token]] = []
    run: list[_Token] = []
    opening, fenced = True, False
    for form in tokens(text, _BREAK):
        token = _sorted(form)
        if _EMPTY < token.kind < _ALONE and not fenced:
            run.append(_opening(form) if opening and token.kind == _NAME else token)
            opening = False
            continue
        if run:
            _keep(run, runs)
            run = []
        if token.kind == _ALONE or (fenced and token.kind > _OPENING):
            runs.extend([piece] for piece in (_pieces(form) if is_unspaced(form) else (token,)))
        english += 1 if token.kind == _EMPTY else -(token.kind == _FOREIGN)
        opening = token.kind == _BREAKING and form[0] in ".!?\n#"
        fenced = fenced is not form.startswith("```")
    if run:
        _keep(run, runs)
    return runs, english >= 0


def _keep(run: list[_Token], runs: list[list[_Token]]) -> None:
    """Add the run without general words at its ends; a gerund may end one (`error handling`)."""
    end = len(run)
    while end and (run[end - 1].key.endswith("ed") or (run[end - 1].kind == _GENERAL and not _is_gerund(run, end - 1))):
        end -= 1
    start = 0
    while start < end and run[start].kind == _GENERAL:
        start += 1
    if start < end:
        runs.append(run[start:end])


def _is_gerund(run: list[_Token], at: int) -> bool:
    return at > 0 and run[at].key.endswith("ing")


def _pieces(form: str) -> list[_Token]:
    return [_Token(piece, piece, _COMMON) for piece in pieces(fold(form))]


@lru_cache(maxsize=8192)
def _sorted(form: str) -> _Token:
    """A token as the text has it, with its folded form and its kind."""
    if form[0] == "`" or (not form[0].isalnum() and not any(map(str.isalnum, form))):
        return _Token(form, form, _BREAKING)
    if not form.isalpha():
        form = _POSSESSIVE.sub("", form)
    key = fold(form)
    return _Token(key, form, _kind(form, key))


@lru_cache(maxsize=1024)
def _opening(form: str) -> _Token:
    """A capitalised token at the start of a sentence, where a capital says nothing."""
    return _sorted(form)._replace(kind=_OPENING)


def _kind(form: str, key: str) -> int:
    if is_unspaced(form):
        return _ALONE
    if key in STOP or (key.endswith("ly") and len(key) > 4 and key not in LY_NOUNS):
        return _EMPTY if key in ENGLISH or key not in STOP else _FOREIGN
    if key in SHORT_TECHNICAL:
        return _TECHNICAL
    is_word = form.isalpha()
    if not is_word and (_QUANTITY.match(form) or "://" in form):
        return _EMPTY
    if key in WEAK or len(key) == 1 or _is_verb(key):
        return _GENERAL
    if (form[0].islower() and not form.islower()) if is_word else _IDENTIFIER.match(form):
        return _ALONE
    if form.isupper():
        return _TECHNICAL
    return _NAME if form[0].isupper() else _COMMON


def _is_verb(key: str) -> bool:
    """Whether a word is an inflected form of one of the listed verbs."""
    if key in VERBS:
        return True
    ending = next((ending for ending in ("ing", "ed", "s") if key.endswith(ending)), "")
    stem = key[: -len(ending)] if ending else ""
    if len(stem) < 2:
        return False
    if stem.endswith(("ie", "i")):
        return stem.rstrip("e")[:-1] + "y" in VERBS
    return stem in VERBS or stem + "e" in VERBS or (stem[-1] in ("e", stem[-2]) and stem[:-1] in VERBS)


def overlap(segment_terms: Iterable[str], memory_terms: Iterable[str]) -> float:
    """Share of the segment's terms that the memory has, 0 to 1; 0 without terms (vault spec, 2.2).

    Compared folded. A phrase or a compound also counts where all its words are among the words of the memory's
    terms (`pool size` where the memory has `pool` and `size`, `connection_pool` where it has `connection pool`).
    """
    wanted = list({fold(term): term for term in segment_terms}.values())
    return len(shared_terms(wanted, had(memory_terms))) / len(wanted) if wanted else 0.0


class Had(NamedTuple):
    """What a memory has to share: its terms, folded, and the words of all of them."""

    terms: frozenset[str]
    words: frozenset[str]


def had(memory_terms: Iterable[str]) -> Had:
    """A memory's terms, ready to be compared with those of many segments."""
    folded = frozenset(map(fold, memory_terms))
    return Had(folded, frozenset([word for term in folded for word in words_of(term)]))


def shared_terms(segment_terms: Iterable[str], memory: Had) -> list[str]:
    """The segment's terms that the memory has, as the segment writes them; see `overlap`."""
    return [
        term for term in segment_terms if (key := fold(term)) in memory.terms or memory.words.issuperset(words_of(key))
    ]


_WORD = re.compile(r"[^\W_]+")


def words_of(term: str) -> list[str]:
    """The words of a folded term, unspaced scripts as pairs; the term itself where it has none (`++`)."""
    if term.isascii() and term.replace(" ", "").isalpha():
        return term.split()  # as most are, and a text is asked for hundreds
    found: list[str] = []
    for word in _WORD.findall(term):
        found.extend(pairs(word) if is_unspaced(word) else (word,))
    return found or [term]
