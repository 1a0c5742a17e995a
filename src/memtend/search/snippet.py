"""The piece of a memory that shows why it answers: one line of its text, cut at blanks."""

from memtend.search.abbreviations import spellings
from memtend.search.rank import NEAR_IN_MEANING
from memtend.search.words import fold, is_unspaced, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memtend.search.index import Index
    from memtend.search.rank import Answer

_LENGTH = 200
_LEAD = 40
_PLACES = 20


def add_snippets(index: "Index", answer: "Answer") -> None:
    """Give each hit its snippet."""
    texts = index.texts([hit.n for hit in answer.hits])
    starts = _starts(index, answer.query)
    for hit in answer.hits:
        text = texts.get(hit.n, "")
        hit.snippet = _nearest(text, *hit.piece) if hit.mode == NEAR_IN_MEANING else snippet(text, starts)


def _nearest(text: str, piece: int, *size: int) -> str:
    """The start of a piece, `size` words long: without a word in common, the nearest in meaning shows why."""
    from memtend.search.pieces import bodies

    found = list(bodies(text, *size))
    body = found[piece] if piece < len(found) else ""
    end = _border(body, min(len(body), _LENGTH))
    is_cut = end < len(body) or piece + 1 < len(found)
    return ("…" if piece else "") + body[:end].strip() + ("…" if is_cut else "")


def _starts(index: "Index", query: str) -> list[str]:
    """What words that answer start with: the query's, endings cut."""
    asked = dict.fromkeys(word for unit in units(query) for word in unit.words)
    words = [spelling for word in asked for spelling in spellings(word)]
    stems = index.stems(words)
    # A stem may end in letters that no word has (`happi`), so its last one counts only in short ones.
    return [stem if stem == word or len(stem) < 4 else stem[:-1] for word, stem in zip(words, stems, strict=True)]


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
    folded = fold(line)
    if len(folded) != len(line):
        folded = line.lower() if len(line.lower()) == len(line) else line
    places = sorted((place, start) for start in starts for place in _places(folded, start))
    best, best_count = 0, 0
    for number, (place, _start) in enumerate(places):
        within = {start for other, start in places[number : number + _PLACES] if other < place + _LENGTH - _LEAD}
        if len(within) > best_count:
            best, best_count = place, len(within)
    return best


def _places(line: str, start: str) -> "list[int]":
    """The first places where a word starts so."""
    found: list[int] = []
    place = line.find(start)
    while place >= 0 and len(found) < _PLACES:
        if place == 0 or is_unspaced(start[0]) or not line[place - 1].isalnum():
            found.append(place)
        place = line.find(start, place + 1)
    return found


def _border(line: str, place: int) -> int:
    """The nearest blank at or before a place; the place itself where none is near."""
    if place in (0, len(line)):
        return place
    blank = line.rfind(" ", max(0, place - 30), place + 1)
    return place if blank < 0 else blank
