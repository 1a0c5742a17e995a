"""Laws of the days that a text names: whatever it is, it is read, and what is read can be asked for."""

import sqlite3
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from memtend.search.days import days_of

_WRITTEN = """
on in of the since de next every two night
9 9th 31 May may March november Nov. 2023 2024 0 99 last this week weeks month ago a 3 yesterday Friday
2023-05-21 2023-02-30 1.1.2024 2024/13 2023-05 T10 between and , ( März décembre 9999 1969 - 21/05/2023 02/30/2023
Q2 q4/2023 2024-Q1 second 2. quarter Quartal year letzte Woche vor drei Tagen hier est
semaine dernière y hace año pasado
"""
_PARTS = st.sampled_from(_WRITTEN.split())
_TEXTS = st.text(max_size=60) | st.lists(_PARTS, max_size=9).map(" ".join)
_DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31)).map(str) | st.text(max_size=12)


@given(_TEXTS, _DAYS, _DAYS)
def test_any_text_is_read_and_any_day_is_more_or_less_near(text: str, today: str, day: str) -> None:
    days = days_of(text, today)
    if days is not None:
        assert 0 <= days.nearness(day) <= 1
        assert days.words and all(word == word.strip() != "" for word in days.words)


@given(_TEXTS, st.dates(date(1990, 1, 1), date(2060, 1, 1)), st.dates(date(1990, 1, 1), date(2060, 1, 1)))
def test_a_memory_is_looked_up_by_the_days_that_it_is_nearest_to(text: str, today: date, made: date) -> None:
    days = days_of(text, f"{today}")
    if days is None:
        return
    condition, bound = days.condition()
    database = sqlite3.connect(":memory:")
    database.execute("create table memories (created text)")
    database.execute("insert into memories values (?)", [f"{made}"])
    found = database.execute(f"select 1 from memories m where {condition}", bound).fetchall()
    assert bool(found) == (days.nearness(f"{made}") == 1)


@given(st.dates(date(1971, 1, 1), date(2099, 12, 31)))
def test_however_a_day_is_written_it_is_that_day(day: date) -> None:
    either = ("%m/%d/%Y", "%d/%m/%Y") if day.day > 12 or day.day == day.month else ()
    for form in ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%d %b %Y", *either):
        days = days_of(f"what was done on {day.strftime(form)}?")
        assert days is not None
        assert days.nearness(f"{day}") == 1
        assert days.condition()[1] == [f"{day}", f"{day}"]
