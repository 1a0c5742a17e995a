"""Which statements say the same, and which contradict each other (category spec, 3.3).

Copies become one. Two that differ in a number, a negation, an opposite or in what was chosen are both kept and named.
Pairs are looked for where they can be: among statements alike but for numbers and negations, and among those that
share their rarest words. So the work grows with the text, not with its square.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from memtend.layouts.category.dates import sort_key
from memtend.layouts.category.statements import Kind, Statement
from memtend.layouts.category.tally import tally
from memtend.text import conflict, fold, similarity, words
from memtend.text.contrasts import NEGATORS
from memtend.text.likeness import content

SAME = 0.9
"""Likeness from which two statements with the same numbers and identifiers are copies."""
ALIKE = 0.5
"""Share of words in common from which two statements are compared closely."""
_SERIES = 4
"""So many numbers in one place are a series of measurements, not a contradiction."""
_COMMON = 40
"""A word in more statements tells none of them."""
_RAREST = 4
"""By so many of its rarest words a statement looks for others."""


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Disagreement(NamedTuple):
    """Two statements, by their places, that cannot both hold: in what, and what each says."""

    first: int
    second: int
    kind: str
    ours: str
    theirs: str


def distinct(found: Iterable[Statement]) -> list[Statement]:
    """The statements without copies, in the order of the first; each has all sources and the newest wording."""
    groups: dict[str, list[Statement]] = {}
    for statement in found:
        groups.setdefault(key_of(statement.text), []).append(statement)
    merged = [_united(group) for group in groups.values()]
    keys = [_lookup(statement.text) for statement in merged]
    twin: dict[int, int] = {}
    for first, second in sorted(_candidates(keys)):
        root = _root(twin, first)
        if _root(twin, second) != root and _are_same(merged[first], merged[second]):
            twin[_root(twin, second)] = root
    united: dict[int, list[Statement]] = defaultdict(list)
    for place, statement in enumerate(merged):
        united[_root(twin, place)].append(statement)
    return [_united(group) for group in united.values()]


def key_of(text: str) -> str:
    """What two copies have in common: their words and signs in order, case, emphasis and punctuation aside."""
    return " ".join(_SIGNS.sub(" ", fold(text)).split())


_SIGNS = re.compile(r"[*_`\"'’“”„«».,;:!?()\[\]。，；：！？、]+(?=\s|$)|(?<!\S)[*_`\"'’“”„«»(\[]+|[*_`]{2,}")


def _root(twin: Mapping[int, int], place: int) -> int:
    while place in twin:
        place = twin[place]
    return place


def _united(group: Sequence[Statement]) -> Statement:
    """One statement of several that say the same: the newest wording, the strongest kind, every source."""
    if len(group) == 1:
        return group[0]
    newest = sorted(group, key=lambda one: sort_key(one.date) if one.date else (False, ""), reverse=True)
    sources = dict.fromkeys(source for statement in newest for source in statement.sources)
    kinds = {statement.kind for statement in group}
    kind = next(kind for kind in Kind if kind in kinds)
    return replace(newest[0], kind=kind, sources=tuple(sources))


def _are_same(one: Statement, other: Statement) -> bool:
    if similarity(one.text, other.text) < SAME or tally([one.text]) != tally([other.text]):
        return False
    return contrast(one.text, other.text) is None


def disagreements(found: Sequence[Statement]) -> list[Disagreement]:
    """Every pair of statements that contradict each other."""
    keys = [_lookup(statement.text) for statement in found]
    series = _series(keys)
    result = []
    for first, second in sorted(_candidates(keys)):
        if keys[first].skeleton in series and keys[first].skeleton == keys[second].skeleton:
            continue
        said = contrast(found[first].text, found[second].text)
        if said is not None:
            result.append(Disagreement(first, second, *said))
    return result


def contrast(ours: str, theirs: str) -> tuple[str, str, str] | None:
    """In what two alike statements contradict each other: the kind, and what each says. None where they do not."""
    difference = conflict(ours, theirs)
    if difference is not None and _is_of_one_thing(ours, theirs, difference.ours, difference.theirs):
        return difference.kind, difference.ours, difference.theirs
    return _turned(ours, theirs) or _chosen(ours, theirs)


def _is_of_one_thing(ours: str, theirs: str, mine: str, yours: str) -> bool:
    """Whether two statements that differ in `mine` and `yours` are about the same, not each about its own thing."""
    if any(_NAME_WITH_NUMBER.match(name) for name in (mine, yours)):
        return False
    if _HAS_CJK.search(ours) and _HAS_CJK.search(theirs):
        return _skeleton(fold(ours)) == _skeleton(fold(theirs))
    said = {*_contents(mine), *_contents(yours)}
    one, other = _contents(ours) - said, _contents(theirs) - said
    return not (one - other and other - one)


_NAME_WITH_NUMBER = re.compile(r"[^\W\d][\w-]*\d")
"""`service14`: another one is another thing."""


def _contents(text: str) -> set[str]:
    """The stems that say what a statement is about: neither numbers nor negations nor modal verbs."""
    return {
        stem
        for stem in content(text)
        if stem not in _MODALS and not _is_negator(stem) and not re.fullmatch(r"[\d.,:%-]+[a-z]{0,3}", stem)
    }


class _Key:
    """What a statement is looked up by."""

    __slots__ = ("numbers", "skeleton", "tokens")

    def __init__(self, text: str) -> None:
        folded = fold(text)
        self.tokens = frozenset(words(text))
        self.numbers = tuple(_NUMBER.findall(folded))
        self.skeleton = _skeleton(folded)


@lru_cache(maxsize=1 << 15)
def _lookup(text: str) -> _Key:
    return _Key(text)


def _series(keys: Iterable[_Key]) -> set[str]:
    """Skeletons that stand with many numbers."""
    seen: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for key in keys:
        seen[key.skeleton].add(key.numbers)
    return {skeleton for skeleton, numbers in seen.items() if len(numbers) >= _SERIES}


def _candidates(keys: Sequence[_Key]) -> set[tuple[int, int]]:
    """Pairs of places worth a closer look."""
    groups: dict[str, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        groups[key.skeleton].append(place)
    pairs = {pair for group in groups.values() for pair in combinations(group[:_COMMON], 2)}
    spread = Counter(token for key in keys for token in key.tokens)
    having: dict[str, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        rare = sorted(
            (token for token in key.tokens if 1 < spread[token] <= _COMMON), key=lambda token: (spread[token], token)
        )
        for token in rare[:_RAREST]:
            having[token].append(place)
    for places in having.values():
        for first, second in combinations(places, 2):
            if (first, second) not in pairs and _share(keys[first].tokens, keys[second].tokens) >= ALIKE:
                pairs.add((first, second))
    return pairs


def _share(ours: frozenset[str], theirs: frozenset[str]) -> float:
    smaller = min(len(ours), len(theirs))
    return len(ours & theirs) / smaller if smaller else 0.0


# --- contradictions that stand in a negation or a choice -------------------------------------------------

_MODALS = _listed(
    """
    must shall may can could should would will do does did to be is are has have need needs always every
    muss müssen musst darf dürfen kann können soll sollen sollte wird werden immer zu
    doit doivent peut peuvent devra faut toujours être debe deben puede pueden deberá hay que siempre ser
    deve devono devem può possono pode podem sempre moet moeten mag mogen altijd
    """
)
_CJK_NEGATIONS = re.compile(
    "严禁|禁止|不得|不能|不可|不必|不会|不应|不要|不允许|切勿|请勿|绝不|从不|没有|[不没未无勿非]"
)
_CJK_MODALS = re.compile("已经|正在|必须|必須|应当|应该|可以|需要|务必|一律|始终|总是|允许|[应须可能会要得已了都也]")
_HAS_CJK = re.compile("[\u3400-\u9fff]")


_NUMBER = re.compile(r"(?<![A-Za-z0-9_])\d+(?:[.,:]\d+)*")
"""A number that is no part of a name."""


def _is_negator(word: str) -> bool:
    return (
        word in NEGATORS
        or word.endswith("n't")
        or word in ("forbidden", "prohibited", "verboten", "interdit", "prohibido")
    )


def _skeleton(folded: str) -> str:
    """A statement without its numbers, negations and modal verbs: what stays when a rule is turned round."""
    text = _NUMBER.sub("#", folded.replace("’", "'"))
    if _HAS_CJK.search(text):
        return re.sub(r"[\s\W]+", "", _CJK_MODALS.sub("", _CJK_NEGATIONS.sub("", text)))
    return " ".join(word for word in _TOKEN.findall(text) if word not in _MODALS and not _is_negator(word))


_TOKEN = re.compile(r"[\w'#./-]*[\w'#]")


def _turned(ours: str, theirs: str) -> tuple[str, str, str] | None:
    """A negation in one of two statements that are otherwise the same."""
    one, other = fold(ours), fold(theirs)
    if _skeleton(one) != _skeleton(other):
        return None
    mine, yours = _negations(one), _negations(other)
    if bool(mine) == bool(yours):
        return None
    return "negation", " ".join(mine), " ".join(yours)


def _negations(folded: str) -> list[str]:
    if _HAS_CJK.search(folded):
        return _CJK_NEGATIONS.findall(folded)
    return [word for word in _TOKEN.findall(folded.replace("’", "'")) if _is_negator(word)]


_CHOICE = _listed(
    """
    use uses using used adopt adopts adopted choose chose chosen pick picked prefer
    verwenden verwendet nutzen nutzt benutzen nehmen wählen
    utiliser utilise utilisons utilisent adopter adoptons choisir choisissons employer
    usar usa usamos usan utilizar utiliza utilizamos adoptar adoptamos elegir elegimos
    usare usa usiamo utilizzare adottare usar usamos utilizamos gebruiken gebruikt используем выбрали
    """
)
_CJK_CHOICE = re.compile("(?:使用|采用|採用|选用|选择|選擇|用)$")


def _chosen(ours: str, theirs: str) -> tuple[str, str, str] | None:
    """Another thing chosen for the same purpose: `use Redis for the queue`, `use Kafka for the queue`."""
    is_unspaced = bool(_HAS_CJK.search(ours) and _HAS_CJK.search(theirs))
    one, other = (list(fold(text)) if is_unspaced else _TOKEN.findall(fold(text)) for text in (ours, theirs))
    start = _common(one, other)
    end = _common(one[start:][::-1], other[start:][::-1])
    mine, yours = one[start : len(one) - end], other[start : len(other) - end]
    before = one[:start]
    is_choice = bool(_CJK_CHOICE.search("".join(before))) if is_unspaced else not _CHOICE.isdisjoint(before[-2:])
    longest = 12 if is_unspaced else 3
    if not (is_choice and end >= 2 and 0 < len(mine) <= longest and 0 < len(yours) <= longest):
        return None
    joint = "" if is_unspaced else " "
    return "choice", joint.join(mine), joint.join(yours)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def partners(found: Sequence[Disagreement]) -> dict[int, list[Disagreement]]:
    """The disagreements of each statement, by its place."""
    result: dict[int, list[Disagreement]] = defaultdict(list)
    for each in found:
        result[each.first].append(each)
        result[each.second].append(Disagreement(each.second, each.first, each.kind, each.theirs, each.ours))
    return result
