"""The piece of a memory that shows why it answers: one line of its text, cut at blanks."""

from itertools import chain

from memtend.search.abbreviations import spellings
from memtend.search.rank import LITERAL, NEAR_IN_MEANING
from memtend.search.words import MARKS, Entries, chunks, fold, is_unspaced, plain, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memtend.search.index import Index
    from memtend.search.rank import Answer

    Places = list[tuple[int, str]]

_LENGTH = 200
_LEAD = 40
_PLACES = 20
_TO_BORDER = 30
"""Characters up to which a snippet is moved or cut so as to end at a blank."""
_UNJOINED = dict.fromkeys(map(ord, MARKS))


def add_snippets(index: "Index", answer: "Answer") -> None:
    """Give each hit its snippet."""
    texts = index.texts([hit.n for hit in answer.hits])
    asked = [word for unit in units(answer.query) for word in unit.words]
    said = {hit.n: [*sorted(hit.words), *" ".join(hit.related).split()] for hit in answer.hits}
    starts = _starts(index, dict.fromkeys((*asked, *chain.from_iterable(said.values()))))
    for hit in answer.hits:
        text, words = texts.get(hit.n, ""), said[hit.n]
        if hit.mode == LITERAL:
            hit.snippet = snippet(text, _literal(text, answer.query))
        elif hit.mode == NEAR_IN_MEANING and not words:
            hit.snippet = _nearest(text, *hit.piece)
        else:
            hit.snippet = snippet(text, [start for word in words or asked for start in starts[word]])


def _literal(text: str, query: str) -> list[str]:
    """A query that was looked for as it is written; its words where others stand between them, or other marks."""
    whole = fold(" ".join(query.split()))
    return [whole] if whole in fold(" ".join(text.split())) else plain(query).split()


def _nearest(text: str, piece: int, *size: int) -> str:
    """The start of a piece, `size` words long: without a word in common, the nearest in meaning shows why."""
    from memtend.search.pieces import bodies

    found = list(bodies(text, *size))
    body = found[piece] if piece < len(found) else ""
    end = _border(body, min(len(body), _LENGTH))
    is_cut = end < len(body) or piece + 1 < len(found)
    return ("…" if piece else "") + body[:end].strip() + ("…" if is_cut else "")


def _starts(index: "Index", words: "Iterable[str]") -> dict[str, list[str]]:
    """What words that answer start with, by the words that are asked for: endings cut."""
    spelled = {word: spellings(word) for word in words}
    index.stems([spelling for group in spelled.values() for spelling in group])  # all at once; they are kept
    return {word: list(map(_start, group, index.stems(group))) for word, group in spelled.items()}


def _start(word: str, stem: str) -> str:
    """A stem may end in letters that no word has (`happi`), so its last one counts only in short ones."""
    return stem if stem == word or len(stem) < 4 else stem[:-1]


def snippet(text: str, starts: "Sequence[str]") -> str:
    """About 200 characters of a text around the place where most of the words are, without line ends."""
    line = " ".join(text.split())
    if len(line) <= _LENGTH:
        return line
    start = _border(line, max(0, min(_best_place(line, starts) - _LEAD, len(line) - _LENGTH)))
    end = _border(line, min(len(line), start + _LENGTH))
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")


def _best_place(line: str, starts: "Sequence[str]") -> int:
    """Where the stretch begins that holds most different words."""
    places = _as_written(line, starts) or _as_indexed(line, starts)
    best, best_count = 0, 0
    for number, (place, _) in enumerate(places):
        last = place + _LENGTH - _LEAD - _TO_BORDER
        within = {start for other, start in places[number : number + _PLACES] if other + len(start) <= last}
        if len(within) > best_count:
            best, best_count = place, len(within)
    return best


def _as_written(line: str, starts: "Iterable[str]") -> "Places":
    """Where words that start so stand in a line, whatever their case, width and accents."""
    folded = fold(line)
    if len(folded) == len(line):
        return sorted((place, start) for start in starts for place in _places(folded, start))
    letters = {letter: fold(letter) for letter in set(line)}
    folded = "".join(map(letters.__getitem__, line))
    ends = [place for place, letter in enumerate(line) for _ in letters[letter]]
    return sorted((ends[place], start) for start in starts for place in _places(folded, start))


def _as_indexed(line: str, starts: "Sequence[str]") -> "Places":
    """Where they stand within names or as such: `json` in `writeJson`, `multiagent` as `multi-agent`."""
    letters = " ".join(chunks(fold(line))).translate(_UNJOINED)
    if not any(start in letters for start in starts):
        return []  # they stand in the title or the keywords: to take the whole text apart would be dear
    entries = Entries()
    found: Places = []
    place = 0
    for chunk in line.split(" "):
        words = entries.words(chunk).split()
        found += [(place, start) for start in starts if any(word.startswith(start) for word in words)]
        place += len(chunk) + 1
    return found


def _places(line: str, start: str) -> "list[int]":
    """The first places where a word starts so."""
    found: list[int] = []
    place = line.find(start) if start else -1
    while place >= 0 and len(found) < _PLACES:
        if place == 0 or is_unspaced(start[0]) or not (line[place - 1].isalnum() and start[0].isalnum()):
            found.append(place)
        place = line.find(start, place + 1)
    return found


def _border(line: str, place: int) -> int:
    """The nearest blank at or before a place; the place itself where none is near."""
    if place in (0, len(line)):
        return place
    blank = line.rfind(" ", max(0, place - _TO_BORDER), place + 1)
    return place if blank < 0 else blank
