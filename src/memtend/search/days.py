"""Days that a question names (`on 9 November 2023`, `in May`, `2026-06-30`, `last week`), and how near a memory is.

What is written of a day is written on it or soon after. So a memory made then is a better answer than another that
says the same, and all that can be found where nothing but a day is asked for.
"""

from memtend.search.words import MARKS, chunks, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    Named = tuple[int, int, int]
    """Year, month, day; 0 for what is not said."""
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
_PERIODS = {"day": 1, "week": 7, "month": 30, "year": 365}
_NEAR_DAYS = {"today": 0, "yesterday": 1}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PAST = ("last", "past", "previous")
_NOT_PAST = ("next", "every", "each")
_PARTS_OF_DAY = ("morning", "afternoon", "evening", "night")
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10,
}  # fmt: skip
RELATIVE = frozenset(("this", "ago", *_PAST, *_NEAR_DAYS, *_WEEKDAYS))
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
            every_year.append(name)
        elif span := _span(name):
            spans.append(span)
    for span, places in _relative(parts, now, used) if now else ():
        spans.append(span)
        used += places
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
    return part[:1].isdecimal() or part.lower() in MONTHS or part.lower() in RELATIVE


def _day_of(text: str) -> "date | None":
    from datetime import date

    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


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
        first = date(year, month or 1, day or 1)
        if day:
            return first, first
        next_first = date(year + (month in (0, 12)), month % 12 + 1 if month else 1, 1)
        return first, next_first - timedelta(days=1)
    except ValueError:
        return None


def _bound(parts: "Sequence[str]", place: int) -> str:
    """The word that makes a day the end or the start of others; none in `the week before 3 May`, which is near it."""
    *_, measure, bound = "", "", *(part.lower() for part in parts[max(0, place - 2) : place])
    is_near = _period([measure]) or measure in ("weekend", *_WEEKDAYS)
    return bound if bound in _BOUNDS and not is_near else ""


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
        read = _by_numbers(parts, place) or _by_month(parts, place)
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
    """`2026-06-30`, `2026/06`, `30.6.2026`, or a year where a word says that it is one."""
    part = parts[place][:10] if parts[place][10:11] == "T" else parts[place]
    if place and (year := _year(part)) and parts[place - 1].lower() in _LEADS:
        return (year, 0, 0), [place]
    for joiner in "-/.":
        pieces = part.split(joiner)
        numbers = [int(piece) for piece in pieces if piece.isascii() and piece.isdecimal() and len(piece) <= 4]
        if len(numbers) != len(pieces):
            continue
        if joiner == ".":
            numbers.reverse()
        if 2 <= len(numbers) <= 3 and _FIRST_YEAR <= numbers[0] <= _LAST_YEAR and 1 <= numbers[1] <= 12:
            year, month, day = (*numbers, 0)[:3]
            return (year, month, day), [place]
    return None


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


def _relative(parts: "Sequence[str]", now: "date", used: "Sequence[int]") -> "Iterator[tuple[Span, list[int]]]":
    """What is named by how long ago it is, and which parts of the question do so."""
    from datetime import timedelta

    lower = [part.lower() for part in parts]
    for place in range(len(lower)):
        if lower[place] in _WEEKDAYS and not {place - 1, place + 1}.isdisjoint(used):
            continue  # `Monday, 13 October 2025`
        if ago := _days_ago(lower, place, now.weekday()):
            first, last, places = ago
            if first < now.toordinal():
                yield (now - timedelta(days=first), now - timedelta(days=last)), [*places]


def _days_ago(lower: "Sequence[str]", place: int, weekday: int) -> "tuple[int, int, range] | None":
    """`yesterday`, `Friday`, `this week`, `last 3 days`, `2 weeks ago`: the first and the last day, and where.

    `weekday` is today's, Monday's being 0. Who says `last week` may mean the last seven days or those before Monday:
    both are in it.
    """
    word, then = lower[place], lower[place + 1 : place + 3]
    if word in _NEAR_DAYS:
        return _NEAR_DAYS[word], _NEAR_DAYS[word], range(place, place + 1)
    if word in _WEEKDAYS:
        return _weekday_ago(lower, place, (weekday - _WEEKDAYS.index(word)) % 7)
    if word in ("last", "this") and then and then[0] in _PARTS_OF_DAY:
        return int(word == "last"), 0, range(place, place + 2)
    if (period := _period(then[:1])) and word in (*_PAST, "this"):
        first, last = (period - 1, 0) if word == "this" else (2 * period - 1, 1)
        return first, last, range(place, place + 2)
    if (count := _count(then[:1])) and (period := _period(then[1:])) and word in _PAST:
        return count * period, 0, range(place, place + 3)
    if (
        word == "ago"
        and (period := _period(lower[place - 1 : place]))
        and (count := _count(lower[place - 2 : place - 1]))
    ):
        return count * period + period // 2, count * period - period // 2, range(place - 2, place + 1)
    return None


def _weekday_ago(lower: "Sequence[str]", place: int, ago: int) -> "tuple[int, int, range] | None":
    """A weekday that was `ago` days before; `last Monday` is not today, and `every Monday` is no day."""
    before = lower[place - 1] if place else ""
    if before in _NOT_PAST:
        return None
    ago = 7 if not ago and before in _PAST else ago
    return ago, ago, range(place, place + 1)


def _period(words: "Sequence[str]") -> int:
    return _PERIODS.get(words[0].removesuffix("s"), 0) if words else 0


def _count(words: "Sequence[str]") -> int:
    word = words[0] if words else ""
    is_number = word.isascii() and word.isdecimal() and len(word) <= 3
    return int(word) if is_number else _COUNTS.get(word, 0)
