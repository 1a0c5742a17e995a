"""What a text is about: its key terms, and how far two sets of them agree (vault spec, 2.1 and 2.2).

A term is a word or a phrase of up to three words. Identifiers, file names, flags and error codes stand alone;
so does a word that the text uses more often than any phrase with it. Phrases are runs of words between stop
words and punctuation. Rank is weight: how often, what kind (proper noun, technical, common), how early.
"""

import re
import unicodedata
from collections.abc import Iterable

from memtend.text.stopwords import SHORT_TECHNICAL, STOP, WEAK
from memtend.text.tokens import fold, is_unspaced, pairs, parts, tokens

PHRASE_LIMIT = 3
_TECHNICAL = re.compile(r"[\w.]*[^\W_][._/@\\:+#-]+[\w(#+]|--?\w|\w*[a-z][A-Z]|\w*\d|\w+(?:\(\)|\#|\+\+)|\w+_")
_SCAN_BREAK = re.compile(
    r"[.,;:!?()\[\]{}\"|<>=*`…—–、。，；：！？「」『』（）【】]+(?:\s|$)|\s[-–—*#>|(\[{\"'`]+|[(\[{`\"]|\n\s*\n|、|。|，|；|：|！|？"
)


def key_terms(text: str, limit: int = 5) -> tuple[str, ...]:
    """The 3 to 5 terms that say what a text is about, as written, most telling first (vault spec, 2.1)."""
    return _ranked(text)[:limit]


def terms(text: str, limit: int = 40) -> tuple[str, ...]:
    """More of the same, for what a memory is about beside its keywords (vault spec, 2.2)."""
    return _ranked(text)[:limit]


def _ranked(text: str) -> tuple[str, ...]:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    seen: dict[str, list[float]] = {}
    shown: dict[str, str] = {}
    position = 0
    for piece in _SCAN_BREAK.split(text):
        run: list[str] = []
        for token in tokens(piece):
            position += 1
            key = fold(token)
            if is_unspaced(token):
                for pair in pairs(token):
                    _count(seen, shown, pair, pair, position, 1.0)
                continue
            if key in STOP or key.isdigit():
                _close(run, seen, shown, position)
                run = []
                continue
            kind = _kind(token)
            if kind == 2.0:
                _close(run, seen, shown, position)
                run = []
                _count(seen, shown, key, token, position, kind)
                continue
            run.append(token)
        _close(run, seen, shown, position)
    order = sorted(seen, key=lambda key: (-seen[key][0] * seen[key][2], seen[key][1]))
    return tuple(shown[key] for key in order)


def _kind(token: str) -> float:
    if _TECHNICAL.match(token):
        return 2.0
    if token[0].isupper():
        return 3.0
    return 1.0


def _close(run: list[str], seen: dict[str, list[float]], shown: dict[str, str], position: int) -> None:
    while run and fold(run[-1]) in WEAK:
        run.pop()
    while run and fold(run[0]) in WEAK:
        run.pop(0)
    if not run:
        return
    if len(run) > 1:
        phrase = " ".join(run[-PHRASE_LIMIT:])
        _count(seen, shown, fold(phrase), phrase, position, 1.0)
    for word in run:
        key = fold(word)
        if (len(key) > 4 or key in SHORT_TECHNICAL) and key not in WEAK:
            _count(seen, shown, key, word, position, 1.0)


def _count(
    seen: dict[str, list[float]], shown: dict[str, str], key: str, form: str, position: int, weight: float
) -> None:
    if key in seen:
        seen[key][0] += 1
    else:
        seen[key] = [1.0, position, weight]
        shown[key] = form


def overlap(segment_terms: Iterable[str], memory_terms: Iterable[str]) -> float:
    """Share of the segment's terms that the memory has, 0 to 1; 0 without terms (vault spec, 2.2).

    Compared folded. A term of several words, or a compound, also counts where all its words occur among the
    memory's terms.
    """
    wanted = {fold(term) for term in segment_terms}
    if not wanted:
        return 0.0
    had = {fold(term) for term in memory_terms}
    had_words = {word for term in had for word in _words_of(term)}
    return sum(term in had or had_words.issuperset(_words_of(term)) for term in wanted) / len(wanted)


def _words_of(term: str) -> tuple[str, ...]:
    return parts(term) or (term,)
