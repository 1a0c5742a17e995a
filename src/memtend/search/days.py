"""Days that a question names (`on 9 November 2023`, `in May`, `Q2 2026`, `last week`), and how near a memory is.

What is written of a day is written on it or soon after. So a memory made then is a better answer than another that
says the same, and all that can be found where nothing but a day is asked for.
"""

from memtend.search.ago import RELATIVE as _RELATIVE
from memtend.search.ago import only_asking, relative
from memtend.search.words import MARKS, chunks, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    Named = tuple[int, int, int]
    """Year, month, day; 0 for what is not said, and the day QUARTER for three months from that month on."""
    Span = tuple[date, date]

_MONTHS = """
january jan januar janvier enero|february feb februar février febrero|march mar märz mars marzo|april apr avril abril|
may mai mayo|june jun juni juin junio|july jul juli juillet julio|august aug août agosto|
september sept sep septembre septiembre|october oct oktober octobre octubre|november nov novembre noviembre|
december dec dezember décembre diciembre
"""
SIGNS = "年月년월"
"""Of them a day in Chinese, Japanese or Korean has one: `2023年5月21日`."""
_ENGLISH = [names.split()[0].title() for names in _MONTHS.split("|")]
MONTHS = {name: number for number, names in enumerate(_MONTHS.split("|"), 1) for name in names.split()}
_LEADS = frozenset((
    "in", "since", "during", "of", "until", "till", "by", "before", "after", "around", "last", "early", "late",
    "this", "from", "between", "im", "seit", "nach", "bis", "en", "depuis", "desde",
))  # fmt: skip
"""Words before a month or a year that stands alone: `May` may be a name, `march` a verb, 2024 a number."""
_SINCE, _AFTER = ("since", "seit", "depuis", "desde"), ("after", "nach")
_BEFORE, _UNTIL = ("before",), ("until", "till", "bis")
_BOUNDS = (*_SINCE, *_AFTER, *_BEFORE, *_UNTIL)
_FROM, _TO = ("between", "from"), ("and", "to", "until", "till")
_FIRST_BOUND = 2010
"""Before that, a number that stands alone after such a word is none of a year: `after 2000 requests`."""
_JOINTS = ("of", "the", "de", "del")
"""Words within a day: `9th of May`, `3 de mayo de 2024`."""
_SHORT_NAME = 3
"""Letters of a name that is a month in lower case only beside a number: `logging in may fail`."""
_VERBS = ("may", "march")
_QUARTER = -1
_QUARTERS = {"q1": 1, "q2": 2, "q3": 3, "q4": 4}
_QUARTER_NAMES = ("quarter", "quartal")
_NTH = """
first 1st erste ersten erstes 1|second 2nd zweite zweiten zweites 2|third 3rd dritte dritten drittes 3|
fourth 4th vierte vierten viertes 4 last final letzte letzten letztes
"""
_NTHS = {name: number for number, names in enumerate(_NTH.split("|"), 1) for name in names.split()}
_LAST = ("last", "final", "letzte", "letzten", "letztes")
RELATIVE = _RELATIVE.union(sign + joiner for sign in _QUARTERS for joiner in ("", "-", "/"))
"""What begins a part that names a day, beside months and numbers."""
_NEAR_TO = ("day", "days", "week", "weeks", "month", "months", "year", "years", "weekend")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ORDINALS = ("st", "nd", "rd", "th", "er")
_FIRST_YEAR, _LAST_YEAR = 1970, 2100
_WRITTEN_AFTER, _WRITTEN_BEFORE = 10, 5
"""Days after and before in which it is still written of a day, ever less; half as much before."""
_MOST_PARTS = 60
"""A longer text is a log or a page, and its days are not what is asked for."""


class Days:
    """The days that a question names: stretches of them, and those that come every year; and the words for them.

    `text` is the question with what is said of days as it was read.
    """

    __slots__ = ("_every_year", "_spans", "text", "words")

    def __init__(
        self, text: str, spans: "Iterable[Span]", every_year: "Iterable[Named]", words: "Iterable[str]"
    ) -> None:
        self.text = text
        self._spans = tuple(spans)
        self._every_year = tuple(every_year)
        self.words = frozenset(words)

    def nearness(self, day: str) -> float:
        """How likely what was made on a day (`2026-06-30`) is written of those: 1 on one of them, 0 far from all."""
        made = _day_of(day)
        if made is None:
            return 0.0
        yearly = (
            _span((year, *rest)) for _, *rest in self._every_year for year in (made.year, made.year - 1, made.year + 1)
        )
        spans = (*self._spans, *(span for span in yearly if span))
        return max((_nearness(first, last, made) for first, last in spans), default=0.0)

    def condition(self) -> tuple[str, list[str]]:
        """In SQL, with what is bound in it: whether the memory `m` was made on one of the days."""
        parts = ["substr(m.created, 1, 10) between ? and ?"] * len(self._spans)
        bound = [f"{day}" for span in self._spans for day in span]
        for _, month, day in self._every_year:
            parts.append("substr(m.created, 6, 5) = ?" if day else "substr(m.created, 6, 2) = ?")
            bound.append(f"{month:02}-{day:02}" if day else f"{month:02}")
        return f"({' or '.join(parts)})", bound


def days_of(text: str, today: str = "") -> Days | None:
    """The days that a question names; None where it names none.

    `today` (`2026-06-30`) says what `yesterday` is; without it such words name no day.
    """
    text = _in_english(text) if any(sign in text for sign in SIGNS) else text
    parts = [chunk.strip(MARKS).removesuffix("'s") for chunk in chunks(text)]
    if len(parts) > _MOST_PARTS or not any(map(_may_name, parts)):
        return None
    every_year: list[Named] = []
    now = _day_of(today)
    named = _named(parts)
    used = [place for _, places in named for place in places]
    spans, named = _stretches(parts, named, now)
    for name, places in named:
        if now and (bounded := _bounded(_bound(parts, places[0]), name, now)):
            spans.append(bounded)
        elif not name[0]:
            every_year += _months(name)
        elif span := _span(name):
            spans.append(span)
    for first, last, said in relative(parts, now, used) if now else ():
        spans.append((_date(first), _date(last)))
        used += said
    if asking := only_asking(parts, [parts[place] for place in used]):
        text = " ".join(part for part in parts if part.lower() not in asking)
    words = [word for place in used for unit in units(parts[place]) for word in (*unit.words, unit.whole) if word]
    words = words or [parts[place].lower() for place in used]
    return Days(text, spans, every_year, words) if spans or every_year else None


def _in_english(text: str) -> str:
    """A text whose Chinese, Japanese and Korean days are written as `21 May 2023`."""
    import re

    def written(found: "re.Match[str]") -> str:
        month = int(found[2] or 0)
        name = ("", *_ENGLISH)[month] if month <= len(_ENGLISH) else ""
        return f" in {found[3] or ''} {name} {found[1] or ''} " if name or not month else found[0]

    year, month_and_day = "([0-9]{4}) ?[年년] ?", "([0-9]{1,2}) ?[月월](?: ?([0-9]{1,2}) ?[日号일])?"
    return re.sub(f"(?<![0-9])(?=[0-9]{{1,4}} ?[{SIGNS}])(?:{year})?(?:{month_and_day})?", written, text)


def _may_name(part: str) -> bool:
    lower = part.lower()
    return lower[:1].isdecimal() or lower in MONTHS or lower in RELATIVE or lower[:3] in RELATIVE


def _day_of(text: str) -> "date | None":
    from datetime import date

    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _date(ordinal: int) -> "date":
    from datetime import date

    return date.fromordinal(ordinal)


def _nearness(first: "date", last: "date", made: "date") -> float:
    late, early = (made - last).days, (first - made).days
    if late > 0:
        return max(0.0, 1 - late / _WRITTEN_AFTER)
    return max(0.0, 1 - early / _WRITTEN_BEFORE) / 2 if early > 0 else 1.0


def _span(named: "Sequence[int]") -> "Span | None":
    """The first and the last day of what is named with its year; None for a day that is not in the calendar."""
    from datetime import date, timedelta

    year, month, day = named
    try:
        first = date(year, month or 1, max(1, day))
        if day > 0:
            return first, first
        behind = month + (3 if day == _QUARTER else 1) if month else 13
        return first, date(year + behind // 13, (behind - 1) % 12 + 1, 1) - timedelta(days=1)
    except ValueError:
        return None


def _bound(parts: "Sequence[str]", place: int) -> str:
    """The word that makes a day the end or the start of others; none in `the week before 3 May`, which is near it."""
    *_, measure, bound = "", "", *(part.lower() for part in parts[max(0, place - 2) : place])
    return bound if bound in _BOUNDS and measure not in (*_NEAR_TO, *_WEEKDAYS) else ""


def _bounded(bound: str, named: "Named", now: "date") -> "Span | None":
    """What is before, until, since, or after a day that is not to come, the latest where its year is not said."""
    from datetime import date, timedelta

    year, month, day = named
    if not bound or (not month and year < _FIRST_BOUND):
        return None
    for one in (year,) if year else (now.year, now.year - 1):
        if (span := _span((one, month, day))) and span[0] <= now:
            break
    else:
        return None
    if bound in _BEFORE:
        return date.min, span[0] - timedelta(days=1)
    if bound in _UNTIL:
        return date.min, span[1]
    first = span[1] + timedelta(days=1) if bound in _AFTER else span[0]
    return (first, now) if first <= now else None


def _named(parts: "Sequence[str]") -> "list[tuple[Named, list[int]]]":
    """What is named by numbers and months, and which parts of the question do so."""
    found: list[tuple[Named, list[int]]] = []
    for place in range(len(parts)):
        read = _by_quarter(parts, place) or _by_numbers(parts, place) or _by_month(parts, place)
        if read and not (found and read[1][0] <= found[-1][1][-1]):  # as is the year of `9 November 2023`
            found.append(read)
    return found


def _stretches(
    parts: "Sequence[str]", named: "Sequence[tuple[Named, list[int]]]", now: "date | None"
) -> "tuple[list[Span], list[tuple[Named, list[int]]]]":
    """What is named from one day to another (`between March and May 2024`), and what is named besides."""
    spans: list[Span] = []
    rest: list[tuple[Named, list[int]]] = []
    for name, places in named:
        if rest and _are_ends(parts, rest[-1][1], places) and (span := _stretch(rest[-1][0], name, now)):
            spans.append(span)
            rest.pop()
        else:
            rest.append((name, places))
    return spans, rest


def _are_ends(parts: "Sequence[str]", first: "Sequence[int]", last: "Sequence[int]") -> bool:
    joint = [part.lower() for part in parts[first[-1] + 1 : last[0]]]
    return first[0] > 0 and parts[first[0] - 1].lower() in _FROM and len(joint) == 1 and joint[0] in _TO


def _stretch(first: "Named", last: "Named", now: "date | None") -> "Span | None":
    """From the first day of the one to the last of the other; a year that is not said is the other's, or the latest."""
    said = first[0] or last[0]
    for year in (said,) if said else (now.year, now.year - 1) if now else ():
        start, end = _span((first[0] or year, *first[1:])), _span((last[0] or year, *last[1:]))
        if start and end and start[0] <= end[1] and (said or (now and start[0] <= now)):
            return start[0], end[1]
    return None


def _by_numbers(parts: "Sequence[str]", place: int) -> "tuple[Named, list[int]] | None":
    """`2026-06-30`, `2026/06`, `30.6.2026`, `6/30/2026`, or a year where a word says that it is one."""
    part = parts[place][:10] if parts[place][10:11] == "T" else parts[place]
    if place and (year := _year(part)) and parts[place - 1].lower() in _LEADS:
        return (year, 0, 0), [place]
    for joiner in "-/.":
        pieces = part.split(joiner)
        numbers = [int(piece) for piece in pieces if piece.isascii() and piece.isdecimal() and len(piece) <= 4]
        if len(numbers) != len(pieces):
            continue
        numbers = _turned(numbers, joiner)
        if 2 <= len(numbers) <= 3 and _FIRST_YEAR <= numbers[0] <= _LAST_YEAR and 1 <= numbers[1] <= 12:
            year, month, day = (*numbers, 0)[:3]
            return (year, month, day), [place]
    return None


def _turned(numbers: list[int], joiner: str) -> list[int]:
    """Numbers of a day with the year first. Where it is last, day and month are told apart if one is above 12."""
    if joiner == ".":
        return numbers[::-1]
    if len(numbers) < 3 or numbers[2] < _FIRST_YEAR:
        return numbers
    first, second, year = numbers
    if first > 12 or first == second:
        return [year, second, first]
    return [year, first, second] if second > 12 else numbers


def _by_quarter(parts: "Sequence[str]", place: int) -> "tuple[Named, list[int]] | None":
    """`Q2 2026`, `2026-Q2`, `in Q2`, `the second quarter of 2026`."""
    number, year, end = _quarter(parts, place)
    if not number:
        return None
    used = [*range(place, end)]
    after = end + (parts[end : end + 1] != [] and parts[end].lower() in _JOINTS)
    if not year and after < len(parts) and (year := _year(parts[after])):
        used.append(after)
    before = [part.lower() for part in parts[:place] if part.lower() != "the"][-1:]
    is_led = after == end and parts[place].lower() not in _LAST and before and before[0] in _LEADS
    return ((year, 3 * number - 2, _QUARTER), used) if year or is_led else None


def _quarter(parts: "Sequence[str]", place: int) -> tuple[int, int, int]:
    """Which quarter is named, its year where that stands with it or before it, and where the next part is."""
    one, two = (*(part.lower() for part in parts[place : place + 2]), "")[:2]
    if two in _QUARTER_NAMES:
        return _NTHS.get(one, 0), 0, place + 2
    if two in _QUARTERS and _year(one):
        return _QUARTERS[two], _year(one), place + 2
    first, joiner, second = one.replace("/", "-").partition("-")
    if second in _QUARTERS:
        first, second = second, first
    is_one = first in _QUARTERS and (_year(second) or not joiner)
    return (_QUARTERS[first], _year(second), place + 1) if is_one else (0, 0, place)


def _months(named: "Named") -> "list[Named]":
    """What is named without its year, by its months."""
    year, month, day = named
    return [(year, month + more, 0) for more in range(3)] if day == _QUARTER else [named]


def _by_month(parts: "Sequence[str]", place: int) -> "tuple[Named, list[int]] | None":
    """`9 November 2023`, `November 9`, `9th of November`, `Nov 2023`, `in November`."""
    month = MONTHS.get(parts[place].lower())
    if not month:
        return None
    before = [at for at in range(max(0, place - 3), place) if parts[at].lower() not in _JOINTS][-1:]
    after = place + 1
    used = [place]
    day = year = 0
    if before and (day := _day(parts[before[0]])):
        used.insert(0, before[0])
    elif after < len(parts) and (day := _day(parts[after])):
        used.append(after)
        after += 1
    after += after < len(parts) and parts[after].lower() in _JOINTS
    if after < len(parts) and (year := _year(parts[after])):
        used.append(after)
    is_verb = used[-1] > place and not year and parts[place] in _VERBS and used[-1] + 1 < len(parts)
    if is_verb and not (place and parts[place - 1].lower() in ("on", *_LEADS)):
        return None  # `it may 3 times`
    return ((year, month, day), used) if day or year or _is_led(parts, place) else None


def _is_led(parts: "Sequence[str]", place: int) -> bool:
    """Whether what stands before a name makes it a month: `in May`, `from March to May`."""
    *_, two_before, before = "", "", *(part.lower() for part in parts[max(0, place - 2) : place])
    is_plain = parts[place][0].isupper() or len(parts[place]) > _SHORT_NAME
    return is_plain and (before in _LEADS or (before in _TO and two_before in MONTHS))


def _day(part: str) -> int:
    """`9` or `9th`; 0 for anything else."""
    for ending in _ORDINALS:
        part = part.removesuffix(ending)
    return int(part) if part.isascii() and part.isdecimal() and len(part) <= 2 and 1 <= int(part) <= 31 else 0


def _year(part: str) -> int:
    is_one = len(part) == 4 and part.isascii() and part.isdecimal() and _FIRST_YEAR <= int(part) <= _LAST_YEAR
    return int(part) if is_one else 0
