"""Days that are named by how long ago they were: `yesterday`, `last week`, `vor drei Tagen`, `la semaine dernière`.

In four tongues, each with words of its own together: `the last tag` is no day, though `Tag` is one.
"""

from memtend.search.words import FILLERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    Ago = tuple[int, int, int]
    """The first and the last day, counted as `date.toordinal` does, and how many words say so."""

_WEEK, _MONTH, _QUARTER, _YEAR = 7, 30, 91, 365


class _Tongue:
    """How a tongue says it.

    `near` are today, yesterday and the day before, `periods` the names of day, week, month, quarter and year, parted by
    `|`. `past` (`last`) stands before them, or after where it `follows`. How long ago something was stands between
    `before` and `after`. `asking` are words of a question about a day that name nothing.
    """

    __slots__ = ("after", "asking", "before", "follows", "near", "past", "periods", "this")

    def __init__(
        self,
        near: str,
        periods: str,
        *,
        this: str,
        past: str,
        before: str = "",
        after: str = "",
        follows: bool = False,
        asking: str = "",
    ) -> None:
        self.near = {name: ago for ago, listed in enumerate(near.split("|")) for name in listed.split()}
        names = zip((1, _WEEK, _MONTH, _QUARTER, _YEAR), periods.split("|"), strict=True)
        self.periods = {name: days for days, listed in names for name in listed.split()}
        self.this, self.past = this.split(), past.split()
        self.before, self.after = before.split(), after.split()
        self.follows = follows
        self.asking = frozenset(asking.split())


_ENGLISH = _Tongue(
    "today|yesterday",
    "day days|week weeks|month months|quarter quarters|year years",
    this="this",
    past="last past previous",
    after="ago",
)
_GERMAN = _Tongue(
    "heute|gestern|vorgestern",
    "tag tage tagen|woche wochen|monat monate monaten|quartal quartale quartalen|jahr jahre jahren",
    this="diese diesen dieser diesem dieses",
    past="letzte letzten letzter letztem letztes vorige vorigen voriger voriges vergangene vergangenen vergangenes",
    before="vor",
    asking="was wer wie wann wir ich habe haben hat ist war waren wurde wurden gemacht getan passiert am im in",
)
_FRENCH = _Tongue(
    "aujourd'hui d'aujourd'hui|hier d'hier|avant-hier",
    "jour jours|semaine semaines|mois|trimestre trimestres|année années annee l'année an ans l'an",
    this="ce cette",
    past="dernier dernière derniere passé passée passee",
    before="y a",
    follows=True,
    asking="que qui quoi qu'est-ce qu'avons-nous qu'a-t-on nous on avons a est s'est s'est-il passé fait le la l en",
)
_SPANISH = _Tongue(
    "hoy|ayer|anteayer",
    "día días dia dias|semana semanas|mes meses|trimestre trimestres|año años",
    this="este esta",
    past="pasado pasada",
    before="hace",
    follows=True,
    asking="qué que quién cómo hicimos hemos hecho hizo se fue pasó ha pasado la el lo en de",
)
_TONGUES = (_ENGLISH, _GERMAN, _FRENCH, _SPANISH)
_NEAR_DAYS = {name: ago for tongue in _TONGUES for name, ago in tongue.near.items()}
_FRENCH_ONLY = frozenset((
    "le", "la", "les", "que", "qu'est-ce", "qu'a-t-on", "qu'avons-nous", "est", "nous", "avons", "ce", "qui", "pour",
    "dans", "une", "soir", "matin", "depuis",
))  # fmt: skip
"""Beside one of these `hier` is French; in German it says where something is."""
_DAY_BEFORE = ["day", "before"]
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NOT_PAST = ("next", "every", "each")
_PARTS_OF_DAY = ("morning", "afternoon", "evening", "night")
_NUMBERS = """
a an one ein eine einen einem einer un une una|two zwei deux dos|three drei trois tres|four vier quatre cuatro|
five fünf cinq cinco|six sechs seis|seven sieben sept siete|eight acht huit ocho|nine neun neuf nueve|ten zehn dix diez
"""
_COUNTS = {name: number for number, names in enumerate(_NUMBERS.split("|"), 1) for name in names.split()}
_SIGNS = (
    "vor hace quarter quartal pasado pasada woche wochen jahr jahre jahren monat semaine semaines mois semana semanas"
)
RELATIVE = frozenset((
    "this", "ago", "année", "l'année", "l'an", "año", "años", *_ENGLISH.past, *_NEAR_DAYS, *_WEEKDAYS, *_SIGNS.split(),
))  # fmt: skip
"""One of these, or a number, is in all that is understood; but for common words such as `mes` and `tag` alone."""


def relative(parts: "Sequence[str]", now: "date", used: "Sequence[int]") -> "Iterator[tuple[int, int, range]]":
    """What is named by how long ago it is: the first and the last day, as ordinals, and which parts say so.

    Parts that are `used` for a day of the calendar name no other one.
    """
    lower = [part.lower() for part in parts]
    for place in range(len(lower)):
        if lower[place] in _WEEKDAYS and not {place - 1, place + 1}.isdisjoint(used):
            continue  # `Monday, 13 October 2025`
        found = _near_day(lower, place, now) or _phrase(lower[place:], now)
        if not found:
            continue
        first, last, count = found
        places = range(place, place + count)
        if first > 0 and set(places).isdisjoint(used):
            yield first, last, places


def only_asking(words: "Iterable[str]", said: "Iterable[str]") -> frozenset[str]:
    """Words of a question that only ask (`was haben wir gemacht`), in the tongue it is in; English ones are fillers.

    That is the tongue of what is `said` of days, or where that is of none the one in which two of them ask.
    """
    asked, days = {word.lower() for word in words}, {word.lower() for word in said}
    for tongue in _TONGUES:
        if not days.isdisjoint((*tongue.near, *tongue.periods)):
            return tongue.asking
    is_spoken = [len(asked & one.asking) > 1 and asked & FILLERS <= one.asking for one in _TONGUES]
    return next((one.asking for one, is_it in zip(_TONGUES, is_spoken, strict=True) if is_it), frozenset())


def _near_day(lower: "Sequence[str]", place: int, now: "date") -> "Ago | None":
    """`yesterday`, `Friday`, `the day before yesterday`."""
    word, today = lower[place], now.toordinal()
    if [*lower[place : place + 2]] == _DAY_BEFORE and lower[place + 2 : place + 3] == ["yesterday"]:
        return today - 2, today - 2, 3
    if word in _WEEKDAYS:
        return _weekday(lower[place - 1] if place else "", today, (now.weekday() - _WEEKDAYS.index(word)) % 7)
    ago = _NEAR_DAYS.get(word)
    is_other = (word == "hier" and _FRENCH_ONLY.isdisjoint(lower)) or lower[max(0, place - 2) : place] == _DAY_BEFORE
    return None if ago is None or is_other else (today - ago, today - ago, 1)


def _weekday(before: str, today: int, ago: int) -> "Ago | None":
    """A weekday that was `ago` days before; `last Monday` is not today, and `every Monday` is no day."""
    if before in _NOT_PAST:
        return None
    ago = 7 if not ago and before in _ENGLISH.past else ago
    return today - ago, today - ago, 1


def _phrase(words: "Sequence[str]", now: "date") -> "Ago | None":
    """`last night`, `this week`, `last 3 days`, `2 weeks ago`, in any tongue."""
    today = now.toordinal()
    if words[0] in ("last", "this") and words[1:2] and words[1] in _PARTS_OF_DAY:
        return today - (words[0] == "last"), today, 2
    for tongue in _TONGUES:
        if found := _one_of(tongue, words, now) or _counted(tongue, words, today):
            return found
    return None


def _one_of(tongue: _Tongue, words: "Sequence[str]", now: "date") -> "Ago | None":
    """`last week`, `this week`. Who says that may mean the last seven days or those before Monday: both are in it.

    But the last year and the last quarter are those of the calendar.
    """
    one, two, three = (*words[:3], "", "")[:3]
    is_last = one in tongue.past or (tongue.follows and two in tongue.past)
    days = tongue.periods.get(one if tongue.follows and is_last else two, 0)
    if not days or not (is_last or one in tongue.this) or (days == _QUARTER and three == "of"):
        return None
    today = now.toordinal()
    if days in (_QUARTER, _YEAR):
        start = _start(now, days)
        return (_start(now, days, 1), start - 1, 2) if is_last else (start, today, 2)
    return (today - 2 * days + 1, today - 1, 2) if is_last else (today - days + 1, today, 2)


def _start(now: "date", days: int, back: int = 0) -> int:
    """The first day of this quarter or year, or of one further back; 0 where that is before the calendar."""
    from datetime import date

    months = 12 if days == _YEAR else 3
    month = (now.year * 12 + now.month - 1) // months * months - back * months
    return date(month // 12, month % 12 + 1, 1).toordinal() if month >= 12 else 0


def _counted(tongue: _Tongue, words: "Sequence[str]", today: int) -> "Ago | None":
    """`last 3 days`, `2 weeks ago`, `vor zwei Wochen`."""
    if words[0] in tongue.past and (days := _counted_days(tongue, words[1:3])):
        return today - days[0] * days[1], today, 3
    start, end = len(tongue.before), len(tongue.before) + 2
    days = _counted_days(tongue, words[start:end])
    behind = end + len(tongue.after)
    if not days or [*words[:start], *words[end:behind]] != [*tongue.before, *tongue.after]:
        return None
    middle, half = today - days[0] * days[1], days[1] // 2
    return middle - half, middle + half, behind


def _counted_days(tongue: _Tongue, words: "Sequence[str]") -> tuple[int, int] | None:
    """How many periods a number and a name say, and how many days each has."""
    count, days = (_count(words[0]), tongue.periods.get(words[1], 0)) if len(words) == 2 else (0, 0)
    return (count, days) if count and days else None


def _count(word: str) -> int:
    is_number = word.isascii() and word.isdecimal() and len(word) <= 3
    return int(word) if is_number else _COUNTS.get(word, 0)
