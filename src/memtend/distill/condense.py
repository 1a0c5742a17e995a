"""A long memory in short, without a language model: sentences taken from it, never invented (vault spec, 5, compress).

Headings stay; code, tables, HTML and ordered lists stay to the letter. Of prose and bullets the most telling
sentences are kept as bullets, by where they stand, by the key terms they have and by how much they say of the whole.
Then the sentences are added that hold names, numbers, paths and links not told yet, and sentences that contradict
each other are kept both. What cannot be told in 60 % of the words is left as it is, and the reason is said.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from math import sqrt

from memtend.body import closed
from memtend.distill.facts import NONE, Facts, facts
from memtend.distill.passages import Passage, passages
from memtend.errors import UnusableInput
from memtend.text import conflict, count_words, fold, terms
from memtend.text.likeness import content

TARGET_SHARE = 0.4
"""Share of the words of prose that is aimed at."""
LIMIT_SHARE = 0.6
"""Share of the words of prose that must not be passed."""
_LEAST_SAVED = 0.1
"""Share of all words that must be saved."""
_SAME_POINT = 0.6
"""Share of words from which two sentences are about the same point."""
_SAID_ALREADY = 0.8
"""Share of its words that a kept sentence has, from which a sentence says nothing new."""
_FEW = 3
"""Sentences and bullets from which there is something to choose."""
_LOOKED_AT = 5
"""Sentences on the same point that one is compared with."""
_CUES = ("must", "never", "always", "only", "because", "instead", "avoid", "require", "default", "unless", "except")
"""Words of a rule or a reason."""


@dataclass(frozen=True, slots=True)
class Condensed:
    """A text in short, or why it stays as it is."""

    text: str
    """Empty where it cannot be shortened."""
    words_before: int
    words_after: int
    reason: str = ""
    """Why it cannot be shortened; empty where it can."""
    named: tuple[str, ...] = ()
    """Keywords that no kept sentence has; they stand in a line of their own."""


def condense(text: str, keywords: Sequence[str] = ()) -> Condensed:
    """The text in about 40 % of its words, and never over 60 % of what is prose in it.

    Every number, link, name and path of the text is in the result, and so are the keywords; the code in it is, to
    the letter. What would break one of these is refused, with the reason.
    """
    before = count_words(text)
    try:
        cut = passages(closed(text))
    except UnusableInput as fault:
        return Condensed("", before, before, fault.message)
    prose = [passage for passage in cut if passage.is_prose]
    if len(prose) < _FEW:
        return Condensed("", before, before, _too_few(prose, before))
    _rank(cut, prose, text, keywords)
    _fix_contradictions(prose)
    budget = sum(passage.words for passage in prose)
    for soft in (False, True):
        _choose(cut, prose, budget)
        left = _cover(cut, prose, soft)
        if not any(passage.kept for passage in prose):
            max(prose, key=lambda passage: passage.rank).kept = True
        if _kept_words(prose) <= LIMIT_SHARE * budget:
            return _told(cut, text, keywords, before, left)
    share = _kept_words(prose) * 100 // max(1, budget)
    reason = f"{share} % of its sentences hold numbers or links that stand nowhere else in it"
    return Condensed("", before, before, reason)


def _too_few(prose: Sequence[Passage], words: int) -> str:
    if not words:
        return "there is no text"
    return (
        "it is a sentence or two" if prose else "all of it is code, tables and lists of steps, which stay as they are"
    )


def _kept_words(prose: Sequence[Passage]) -> int:
    return sum(passage.words for passage in prose if passage.kept)


def _told(cut: Sequence[Passage], text: str, keywords: Sequence[str], before: int, names: Facts) -> Condensed:
    """The result, unless it breaks its promise."""
    parts = _parts(cut)
    told = fold("\n".join(parts))
    lost = tuple(word for word in keywords if fold(word) not in told)
    extra = [name for name in sorted(names.names) if name not in told]
    if extra:
        parts.append("**Also named**: " + ", ".join(f"`{name}`" for name in _as_written(extra, text)))
    if lost:
        parts.append("**Keywords**: " + ", ".join(lost))
    result = "\n\n".join(parts)
    after = count_words(result)
    if after > (1 - _LEAST_SAVED) * before:
        return Condensed("", before, before, "it would hardly be shorter")
    missing = lost_facts(text, result)
    if missing:
        return Condensed("", before, before, f"{missing[0]} would be lost")
    return Condensed(result, before, after, named=lost)


def lost_facts(text: str, result: str) -> list[str]:
    """What a text names and a shorter one of it does not."""
    told = fold(" ".join(result.split()))
    lost = facts(text) - facts(result)
    return sorted(fact for kind in lost for fact in kind if fact not in told)


def _as_written(folded: Sequence[str], text: str) -> list[str]:
    """Names in the letters of the text."""
    lower = fold(text)
    if len(lower) != len(text):
        return list(folded)
    places = [lower.find(name) for name in folded]
    return [text[at : at + len(name)] if at >= 0 else name for at, name in zip(places, folded, strict=True)]


# --- choosing ---------------------------------------------------------------------------------------------


def _rank(cut: Sequence[Passage], prose: Sequence[Passage], text: str, keywords: Sequence[str]) -> None:
    """How telling each sentence is: 0.35 place, 0.4 key terms, 0.25 centrality; a rule counts a little more."""
    wanted = {fold(word): 1.0 for word in keywords}
    for place, term in enumerate(terms(text, 20)):
        wanted.setdefault(fold(term), 1.0 - place / 25)
    for passage in prose:
        passage.stems = frozenset(content(passage.text))
    weights = _centroid(prose)
    for passage, early in zip(prose, _places(cut), strict=True):
        told = fold(passage.text)
        named = sum(weight for word, weight in wanted.items() if word in told)
        central = sum(weights[stem] for stem in passage.stems) / sqrt(len(passage.stems) or 1)
        rule = 0.1 if any(cue in told for cue in _CUES) else 0.0
        passage.rank = 0.35 * early + 0.4 * min(1.0, named / 3) + 0.25 * min(1.0, central) + rule


def _centroid(prose: Sequence[Passage]) -> dict[str, float]:
    """How much of the whole each word stands for; the words of one sentence of the middle add up to about one."""
    counts: dict[str, int] = {}
    for passage in prose:
        for stem in passage.stems:
            counts[stem] = counts.get(stem, 0) + 1
    length = sqrt(sum(count * count for count in counts.values())) or 1.0
    return {stem: count / length for stem, count in counts.items()}


def _places(cut: Sequence[Passage]) -> Iterator[float]:
    """For each sentence how early it stands in its section: 1 for the first, falling to 0.2."""
    since = 0
    for passage in cut:
        since = 0 if passage.is_heading else since
        if passage.is_prose:
            yield max(0.2, 1.0 - 0.2 * since)
            since += 1


def _fix_contradictions(prose: Sequence[Passage]) -> None:
    """Sentences of which one denies the other are kept both: a person has to say which holds.

    Those that differ in a number are kept anyway, for the number.
    """
    told = _Told()
    for passage in prose:
        for other in told.near(passage, _SAME_POINT)[:_LOOKED_AT]:
            found = conflict(other.text, passage.text)
            if found and found.kind in ("negation", "opposite"):
                other.is_fixed = passage.is_fixed = True
        told.add(passage)


class _Told:
    """Passages that can be asked for by their words."""

    def __init__(self) -> None:
        self._passages: list[Passage] = []
        self._having: dict[str, list[int]] = {}

    def add(self, passage: Passage) -> None:
        """One more passage."""
        for stem in passage.stems:
            self._having.setdefault(stem, []).append(len(self._passages))
        self._passages.append(passage)

    def near(self, passage: Passage, share: float) -> list[Passage]:
        """The passages that have that share of its words, those with most first."""
        common: dict[int, int] = {}
        for stem in passage.stems:
            for place in self._having.get(stem, ()):
                common[place] = common.get(place, 0) + 1
        least = share * max(1, len(passage.stems))
        found = sorted((-count, place) for place, count in common.items() if count >= least)
        return [self._passages[place] for _, place in found]


def _choose(cut: Sequence[Passage], prose: Sequence[Passage], budget: int) -> None:
    """The most telling sentences up to the words that are aimed at; what is said already is passed over."""
    told = _Told()
    for passage in cut:
        passage.kept = passage.is_fixed
        if passage.kept:
            told.add(passage)
    left = TARGET_SHARE * budget
    left -= sum(passage.words for passage in prose if passage.is_fixed)
    for passage in sorted(prose, key=lambda passage: -passage.rank):
        if not passage.kept and passage.words <= left and not told.near(passage, _SAID_ALREADY):
            passage.kept = True
            told.add(passage)
            left -= passage.words


def _cover(cut: Sequence[Passage], prose: Sequence[Passage], soft: bool) -> Facts:
    """Add sentences until every fact is told, and drop those that tell nothing of their own where room is short.

    With `soft`, names need no sentence; they are given, to be listed.
    """
    needed = _told_by(cut)
    names = needed.names if soft else NONE.names
    needed = needed._replace(names=needed.names - names)
    missing = needed - _told_by(passage for passage in cut if passage.kept)
    waiting = [(-_gain(passage, missing), place) for place, passage in enumerate(cut) if not passage.kept]
    heapify(waiting)
    while missing and waiting:  # a passage's gain only falls, so the first that is still as good as it was is the best
        gain, place = waiting[0]
        now = -_gain(cut[place], missing)
        if now > gain:
            heapreplace(waiting, (now, place))
            continue
        heappop(waiting)
        cut[place].kept = True
        missing -= cut[place].facts
    _trim(cut, prose, needed)
    return NONE._replace(names=names)


def _gain(passage: Passage, missing: Facts) -> float:
    """How many missing facts a passage tells, a word."""
    return (passage.facts.total - (passage.facts - missing).total) / max(1, passage.words)


def _trim(cut: Sequence[Passage], prose: Sequence[Passage], needed: Facts) -> None:
    """Drop the least telling sentences that tell no fact of their own until the words are as few as aimed at."""
    counts = Counter(fact for passage in cut if passage.kept for fact in _keys(passage.facts))
    wanted = set(_keys(needed))
    room = TARGET_SHARE * sum(passage.words for passage in prose) - _kept_words(prose)
    for passage in sorted(prose, key=lambda passage: passage.rank):
        if room >= 0:
            return
        own = [fact for fact in _keys(passage.facts) if fact in wanted]
        if passage.kept and not passage.is_fixed and all(counts[fact] > 1 for fact in own):
            passage.kept = False
            room += passage.words
            counts.subtract(_keys(passage.facts))


def _keys(found: Facts) -> list[tuple[int, str]]:
    return [(kind, fact) for kind in range(3) for fact in found[kind]]


def _told_by(cut: Iterable[Passage]) -> Facts:
    told = NONE
    for passage in cut:
        told |= passage.facts
    return told


# --- putting together -------------------------------------------------------------------------------------


def _parts(cut: Sequence[Passage]) -> list[str]:
    """What is kept, in order; headings where something below them is, bullets without blank lines between."""
    parts: list[str] = []
    bullets: list[str] = []
    for place, passage in enumerate(cut):
        if passage.is_heading:
            passage.kept = passage.kept or _has_content(cut, place)
        if not passage.kept:
            continue
        if _is_bullet(passage):
            bullets.append(passage.text)
            continue
        if bullets:
            parts.append("\n".join(bullets))
            bullets = []
        parts.append(passage.text)
    if bullets:
        parts.append("\n".join(bullets))
    return parts


def _is_bullet(passage: Passage) -> bool:
    return not passage.is_heading and passage.text.startswith(("- ", "* ", "+ "))


def _has_content(cut: Sequence[Passage], place: int) -> bool:
    """Whether anything below a heading is kept."""
    level = cut[place].level
    for passage in cut[place + 1 :]:
        if passage.is_heading and passage.level <= level:
            return False
        if passage.kept and not passage.is_heading:
            return True
    return False
