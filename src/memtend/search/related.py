"""Words that mean much the same as those of a question: a thesaurus that comes with the package.

Who asks in other words than a memory's shares none with it, and vectors know little of what people who build software
call things: that an OOM is a lack of memory, that what is idempotent may be done twice. `tools/thesaurus/` says it in
plain lines; `tools/thesaurus.py` makes `thesaurus.table` of them, sorted by stems, a line for each word that a term
begins with:

    word TAB rest=related|related TAB rest=related…

`rest` are the other words of the term, none of a single word; `~rest` is one that may stand on either side of it.
"""

import mmap
import os

from memtend.search.words import MARKS, chunks, fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from memtend.search.index import Index
    from memtend.search.question import Expression
    from memtend.search.words import Unit

PATH = os.path.join(os.path.dirname(__file__), "thesaurus.table")
_MOST_KNOWN = 10_000
_PARTING = {ord(mark): " " for mark in MARKS}


class Related:
    """What related words give of a question.

    `expression` finds the memories that have any of them, `with_own` also those that have a word of the question.
    """

    __slots__ = ("_parts", "_total", "expression", "with_own", "words")

    def __init__(
        self,
        parts: "Sequence[tuple[Sequence[str], Sequence[tuple[str, float, bool]]]]",
        total: float,
        expression: "Expression",
        with_own: "Expression",
    ) -> None:
        """`parts` are the words of each unit and those related to it.

        With each of these what it is worth, of `total`, and whether it says the same as several words of the question
        together, such as `out of memory`.
        """
        self._parts = parts
        self._total = total
        self.expression = expression
        self.with_own = with_own
        self.words = frozenset(expression.words)

    def said(self, half: float, found: "Mapping[str, float]") -> tuple[float, tuple[str, ...]]:
        """Which share of what is asked for is there in other words alone, and in which.

        `found` is what each word weighs in a memory, `half` what gives half of a word's worth.
        """
        there = {word: seen / (seen + half) for word in self.words if (seen := found.get(word))}
        if not there:
            return 0.0, ()
        worth = 0.0
        words: dict[str, None] = {}
        for own, related in self._parts:
            if not any(map(found.get, own)):
                meant = {word: value * there[word] for word, value, _ in related if word in there}
                worth += max(meant.values(), default=0.0)
                words |= dict.fromkeys(meant)
        return min(1.0, worth / self._total), tuple(words)

    def stand_for(self, words: "Container[str]") -> set[int]:
        """The units, by their places, of which several together are said by one of these words."""
        return {
            place
            for place, (_, related) in enumerate(self._parts)
            if any(is_of_several and word in words for word, _, is_of_several in related)
        }


class Thesaurus:
    """The open table. Cheap to open: nothing of it is read before it is asked; what was asked is kept."""

    __slots__ = ("_known", "_map")

    def __init__(self, path: str) -> None:
        """Raises OSError where the file is missing, ValueError where it is empty."""
        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._known: dict[str, list[tuple[str, list[str]]]] = {}

    def terms(self, stem: str) -> "list[tuple[str, list[str]]]":
        """The terms that begin with a word: the rest of each, and the words related to it."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        if stem not in self._known:
            fields = self._line(stem.encode("utf-8", "replace") + b"\t").decode("utf-8", "replace").split("\t")[1:]
            parts = (field.partition("=") for field in fields)
            self._known[stem] = [(rest, list(filter(str.strip, related.split("|")))) for rest, _, related in parts]
        return self._known[stem]

    def _line(self, start: bytes) -> bytes:
        """The line that starts so, by halving; empty where there is none."""
        low, high = 0, len(self._map)
        while low < high:
            first = self._map.rfind(b"\n", low, (low + high) // 2) + 1 or low
            end = self._map.find(b"\n", first, high)
            line = self._map[first : high if end < 0 else end]
            if line.startswith(start):
                return line
            if line < start:
                low = first + len(line) + 1
            else:
                high = first
        return b""


def sequence(text: str) -> list[str]:
    """The words of a text in order, fillers too, the parts of names one by one."""
    return " ".join(chunks(fold(text))).translate(_PARTING).split()


def related_words(index: "Index", text: str, asked: "Sequence[Unit]") -> list[dict[str, bool]]:
    """For each unit of a question the words (or words that stand together) that mean the same; its own left out.

    With each, whether it says the same as several words of the question together.
    """
    try:
        thesaurus = index.memo.get("thesaurus") or index.memo.setdefault("thesaurus", Thesaurus(PATH))
    except (OSError, ValueError):
        return [{} for _ in asked]
    said = index.stems(sequence(text))
    stems, places = _spelled(index, asked)
    found: list[dict[str, bool]] = [{} for _ in asked]
    present = dict.fromkeys((*said, *places))
    for first in present:
        for rest, related in thesaurus.terms(first):
            words = [first, *rest.removeprefix("~").split()]
            if len(words) == 1 or (all(map(present.__contains__, words)) and _stand_together(words, rest, said, stems)):
                for place in (place for word in words for place in places.get(word, ())):
                    found[place] |= {word: bool(rest) or found[place].get(word, False) for word in related}
    own = {word for unit in asked for word in (*unit.words, unit.whole)}
    return [{word: of_several for word, of_several in some.items() if word not in own} for some in found]


def _spelled(index: "Index", asked: "Sequence[Unit]") -> tuple[list[str], dict[str, list[int]]]:
    """The stems of a question's words as they are written, without fillers, and the units that have each.

    A unit has those of the words that it abbreviates, too: of `k8s`, that of `kubernetes`.
    """
    spelled = [word for unit in asked for word in (*unit.spelled, unit.whole) if word]
    places: dict[str, list[int]] = {}
    for place, unit in enumerate(asked):
        for stem in dict.fromkeys(index.stems([word for word in (*unit.spelled, *unit.words, unit.whole) if word])):
            places.setdefault(stem, []).append(place)
    return index.stems(spelled), places


def _stand_together(words: "Sequence[str]", rest: str, said: "Sequence[str]", stems: "Sequence[str]") -> bool:
    """Whether a term is there: words that follow each other, or two that stand beside each other but for fillers."""
    if rest[:1] == "~":
        return any(stems[at : at + 2] in (words, words[::-1]) for at in range(len(stems)))
    return any(said[at : at + len(words)] == words for at in range(len(said)))
