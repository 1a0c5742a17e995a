"""A question may name a day: what was written then is found by it, and is the better of two answers."""

from pathlib import Path

import pytest
from small_vault import Vault

from memtend.search import days as words_of_days
from memtend.search.candidates import LEXICAL
from memtend.search.days import days_of
from memtend.search.question import Question
from memtend.search.rank import DAY_SIGNS, DAY_STARTS, search
from memtend.search.recall import recall
from memtend.search.scope import Scope
from memtend.workspace import Workspace

_TODAY = "2026-11-30"
"""A Monday."""


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "vault")


def ids(vault: Vault, query: str, *, today: str = _TODAY, **options: str) -> list[str]:
    return [hit.id for hit in search(vault.index(), query, 9, today=today, **options).hits]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "on_it", "not_on_it"),
    [
        ("what was decided on 9 November 2023?", ["2023-11-09"], ["2023-11-08", "2022-11-09"]),
        ("what was decided on the 9th of November, 2023", ["2023-11-09"], ["2023-11-08"]),
        ("shared on December 1,2023", ["2023-12-01"], ["2023-12-11"]),
        ("notes of 2023-05-21", ["2023-05-21"], ["2023-05-20"]),
        ("log of 2023-05-21T10:00:00Z", ["2023-05-21"], ["2023-05-20"]),
        ("Protokoll vom 21.05.2023", ["2023-05-21"], ["2023-05-20"]),
        ("Sitzung am 3. März 2024", ["2024-03-03"], ["2024-03-02"]),
        ("plans in May 2022.", ["2022-05-01", "2022-05-31"], ["2022-04-30", "2021-05-15"]),
        ("plans of 2022/01", ["2022-01-01", "2022-01-31"], ["2021-12-31", "2022-02-01"]),
        ("我们在2023年5月21日决定了什么", ["2023-05-21"], ["2023-05-20"]),
        ("2023年5月的计划", ["2023-05-01", "2023-05-31"], ["2023-06-01"]),
        ("2023 年的计划", ["2023-01-01", "2023-12-31"], ["2024-01-01"]),
        ("5月21日说了什么", ["2023-05-21", "2024-05-21"], ["2023-05-20"]),
        ("12月の計画", ["2023-12-01"], ["2023-11-30"]),
        ("2023년 5월 21일 회의", ["2023-05-21"], ["2023-05-20"]),
        ("plans in june", ["2022-06-01"], ["2022-07-01"]),
        ("plans of 2022/05", ["2022-05-01", "2022-05-31"], ["2022-04-30"]),
        ("what happened in December", ["2023-12-01", "1999-12-31"], ["2023-11-30"]),
        ("what happened on 29 February", ["2024-02-29"], ["2023-02-28"]),
        ("the roadmap in 2023", ["2023-01-01", "2023-12-31"], ["2022-12-31"]),
        ("from August 11 to August 15 2023", ["2023-08-15", "2023-08-11"], ["2023-07-15"]),
        ("between March and May 2024", ["2024-03-01", "2024-04-15", "2024-05-31"], ["2024-02-29", "2024-06-01"]),
        ("from 3 March to 5 April 2024", ["2024-03-03", "2024-03-20", "2024-04-05"], ["2024-03-02", "2024-04-06"]),
        ("from 2024-11-20 until 2025-01-10", ["2024-11-20", "2024-12-31", "2025-01-10"], ["2024-11-19", "2025-01-11"]),
        ("from October to December", ["2026-10-01", "2026-12-31"], ["2025-11-11", "2026-09-30"]),
        ("between June and August", ["2026-06-01", "2026-07-15"], ["2025-07-15", "2026-05-31"]),
        ("from May to March", ["2026-05-05", "2024-03-03"], ["2026-04-15"]),
        ("in May and in June 2024", ["2024-06-15", "2026-05-15"], ["2024-07-01"]),
        ("what did we do today", ["2026-11-30"], ["2026-11-29"]),
        ("yesterday's incident", ["2026-11-29"], ["2026-11-28"]),
        ("what we said on Friday", ["2026-11-27"], ["2026-11-26"]),
        ("what we said on Monday", ["2026-11-30"], ["2026-11-29"]),
        ("what changed this week", ["2026-11-24", "2026-11-30"], ["2026-11-23"]),
        ("what changed last week", ["2026-11-20", "2026-11-29"], ["2026-11-10"]),
        ("what changed last month", ["2026-10-02", "2026-11-29"], ["2026-09-20"]),
        ("the last 3 days", ["2026-11-27", "2026-11-30"], ["2026-11-26"]),
        ("a week ago", ["2026-11-23"], ["2026-11-10"]),
        ("2 months ago", ["2026-10-01", "2026-09-20"], ["2026-11-10"]),
        ("two weeks ago", ["2026-11-16"], ["2026-11-27", "2026-11-08"]),
        ("the last three days", ["2026-11-27"], ["2026-11-26"]),
        ("what broke last night", ["2026-11-29", "2026-11-30"], ["2026-11-28"]),
        ("what broke this morning", ["2026-11-30"], ["2026-11-29"]),
        ("what we said last Monday", ["2026-11-23"], ["2026-11-30"]),
        ("what we said this Monday", ["2026-11-30"], ["2026-11-23"]),
        ("what was agreed on Monday, 13 October 2025?", ["2025-10-13"], ["2026-11-30"]),
        ("agreed on 13 October 2025, Monday", ["2025-10-13"], ["2026-11-30"]),
        ("since 2010 it is so", ["2010-01-01", "2026-11-30"], ["2009-12-31"]),
        ("what changed since March 2025", ["2025-03-01", "2026-11-30"], ["2025-02-28", "2026-12-01"]),
        ("what changed since March", ["2026-03-01", "2026-11-30"], ["2026-02-28", "2025-03-05"]),
        ("what changed since December", ["2025-12-01", "2026-11-30"], ["2025-11-30", "2026-12-01"]),
        ("what was used before 2024?", ["2023-12-31", "2012-05-01"], ["2024-01-01"]),
        ("what was used before May", ["2026-04-30", "2012-05-01"], ["2026-05-01"]),
        ("what was used until May 2024", ["2024-05-31", "2012-05-01"], ["2024-06-01"]),
        ("what changed after 9 May 2024", ["2024-05-10", "2026-11-30"], ["2024-05-09", "2026-12-01"]),
        ("where was it the week before 9 May 2024", ["2024-05-09"], ["2023-05-09"]),
        ("where was it on the Sunday before 9 May 2024", ["2024-05-09"], ["2023-05-09"]),
        ("before 9 May 2024", ["2023-05-09"], ["2024-05-09"]),
        ("what changes after 2026", ["2026-05-10"], ["2027-01-01"]),
        ("it fails after 2000 requests", ["2000-05-10"], ["2026-11-30"]),
        ("it lasts until 2048", ["2048-05-10"], ["2026-11-30"]),
        ("seit 2025", ["2025-01-01", "2026-11-30"], ["2024-12-31"]),
        ("what is to come since 2030", ["2030-05-01"], ["2026-11-30"]),
        ("3 de mayo de 2024", ["2024-05-03"], ["2024-05-02", "2023-05-03"]),
        ("the plans in May of 2024", ["2024-05-03"], ["2024-08-02", "2023-05-03"]),
        ("decided in march", ["2024-03-03"], ["2024-02-02"]),
        ("decided on may 5 by Anna", ["2024-05-05"], ["2024-05-04"]),
        ("decided may 5", ["2024-05-05"], ["2024-05-04"]),
        ("5 may 2024 was decided", ["2024-05-05"], ["2024-05-04"]),
        ("the meeting of 05/21/2023", ["2023-05-21"], ["2023-05-20"]),
        ("the meeting of 21/05/2023", ["2023-05-21"], ["2023-05-20"]),
        ("the meeting of 21-05-2023", ["2023-05-21"], ["2023-05-20"]),
        ("the meeting of 05/05/2023", ["2023-05-05"], ["2023-05-04"]),
        ("what changed since 10/13/2026", ["2026-10-13", "2026-11-30"], ["2026-10-12"]),
        ("plans of Q2 2026", ["2026-04-01", "2026-06-30"], ["2026-03-31", "2026-07-01", "2025-05-05"]),
        ("plans of q4/2025", ["2025-10-01", "2025-12-31"], ["2025-09-30", "2026-01-01"]),
        ("the 2026-Q1 report", ["2026-01-01", "2026-03-31"], ["2025-12-31", "2026-04-01"]),
        ("2026 Q1 figures", ["2026-01-01", "2026-03-31"], ["2025-12-31", "2026-04-01"]),
        ("Q3 of 2025", ["2025-07-01", "2025-09-30"], ["2025-06-30", "2025-10-01"]),
        ("what we sold in Q3", ["2026-07-01", "2024-09-30"], ["2026-06-30", "2026-10-01"]),
        ("since Q3", ["2026-07-01", "2026-11-30"], ["2026-06-30", "2026-12-01"]),
        ("from Q1 to Q2 2025", ["2025-01-01", "2025-06-30"], ["2024-12-31", "2025-07-01"]),
        ("in the second quarter", ["2026-04-01", "2025-06-30"], ["2026-03-31", "2026-07-01"]),
        ("in the second quarter of 2025", ["2025-04-01", "2025-06-30"], ["2026-05-05", "2025-07-01"]),
        ("the last quarter of 2025", ["2025-10-01", "2025-12-31"], ["2026-08-01", "2026-01-01"]),
        ("im zweiten Quartal 2025", ["2025-04-01", "2025-06-30"], ["2026-05-05", "2025-07-01"]),
        ("im 2. Quartal 2025", ["2025-04-01", "2025-06-30"], ["2026-05-05", "2025-07-01"]),
        ("what we sold last quarter", ["2026-07-01", "2026-09-30"], ["2026-06-30", "2026-10-01"]),
        ("what we sold this quarter", ["2026-10-01", "2026-11-30"], ["2026-09-30", "2026-12-01"]),
        ("what changed last year", ["2025-01-01", "2025-12-31"], ["2024-12-31", "2026-01-01"]),
        ("what changed this year", ["2026-01-01", "2026-11-30"], ["2025-12-31", "2026-12-01"]),
        ("two years ago", ["2024-11-30"], ["2025-11-30", "2022-11-30"]),
        ("the day before yesterday", ["2026-11-28"], ["2026-11-29"]),
        ("was haben wir gestern beschlossen", ["2026-11-29"], ["2026-11-28"]),
        ("was war vorgestern", ["2026-11-28"], ["2026-11-29"]),
        ("was ist heute zu tun", ["2026-11-30"], ["2026-11-29"]),
        ("was war letzte Woche", ["2026-11-20", "2026-11-29"], ["2026-11-10"]),
        ("was war letzten Monat", ["2026-10-02", "2026-11-29"], ["2026-09-20"]),
        ("was war letztes Jahr", ["2025-01-01", "2025-12-31"], ["2024-12-31", "2026-01-01"]),
        ("was war diese Woche", ["2026-11-24", "2026-11-30"], ["2026-11-23"]),
        ("vor drei Tagen", ["2026-11-27"], ["2026-11-25"]),
        ("vor einer Woche", ["2026-11-23"], ["2026-11-10"]),
        ("die letzten 3 Tage", ["2026-11-27", "2026-11-30"], ["2026-11-26"]),
        ("qu'avons-nous décidé hier", ["2026-11-29"], ["2026-11-28"]),
        ("l'incident d'hier", ["2026-11-29"], ["2026-11-28"]),
        ("ce qui a changé avant-hier", ["2026-11-28"], ["2026-11-29"]),
        ("que faire aujourd'hui", ["2026-11-30"], ["2026-11-29"]),
        ("que faire aujourd’hui", ["2026-11-30"], ["2026-11-29"]),
        ("la semaine dernière", ["2026-11-20", "2026-11-29"], ["2026-11-10"]),
        ("le mois dernier", ["2026-10-02", "2026-11-29"], ["2026-09-20"]),
        ("l'année dernière", ["2025-01-01", "2025-12-31"], ["2024-12-31", "2026-01-01"]),
        ("il y a 2 semaines", ["2026-11-16"], ["2026-11-27", "2026-11-08"]),
        ("cette semaine", ["2026-11-24", "2026-11-30"], ["2026-11-23"]),
        ("qué decidimos ayer", ["2026-11-29"], ["2026-11-28"]),
        ("qué hicimos anteayer", ["2026-11-28"], ["2026-11-29"]),
        ("qué hay para hoy", ["2026-11-30"], ["2026-11-29"]),
        ("la semana pasada", ["2026-11-20", "2026-11-29"], ["2026-11-10"]),
        ("el mes pasado", ["2026-10-02", "2026-11-29"], ["2026-09-20"]),
        ("el año pasado", ["2025-01-01", "2025-12-31"], ["2024-12-31", "2026-01-01"]),
        ("hace dos semanas", ["2026-11-16"], ["2026-11-27", "2026-11-08"]),
    ],
)  # fmt: skip
def test_the_days_that_are_named(question: str, on_it: list[str], not_on_it: list[str]) -> None:
    days = days_of(question, _TODAY)
    assert days is not None
    assert [days.nearness(day) for day in on_it] == [1.0] * len(on_it)
    assert [day for day in not_on_it if days.nearness(day) >= 1] == []


@pytest.mark.parametrize(
    "text",
    [
        "", "May I ask?", "march on", "version 1.2.3", "python 3.11", "release 2024.1", "error 2023",
        "30 February 2023", "99999 days ago", "ago", "last", "in 99", "on 2023-13-40", "port 8080", "٢٠٢٣-٠٥-٢١", "²",
        "this", "next Friday", "every Monday", "logging in may fail", "it may 3 times", "since",
        "April is what lasts since",
        "13月", "3个月", "2023年13月", "月", "年", "1/2", "日 5", "months of work", "the March Hare",
        "05/06/2023", "12-11-2023", "13/13/2023", "2023/05/21/notes", "src/05/21/2023", "05/21/23", "192.168.21.5/2023",
        "Q2", "Q2 planning", "Q5 2026", "model.Q4_K_M", "q4 of the game", "the second quarter of the file",
        "a quarter of it", "quarter past nine", "warum ist das hier so", "hier steht der Wert", "the last tag",
        "this tag", "past an hour", "vor dem Test", "vor 3 Servern", "letzte Zeile", "el paso pasado", "esta mes",
        "9" * 5000, "2023-05-21 " * 70,
    ],
)  # fmt: skip
def test_what_names_no_day(text: str) -> None:
    assert days_of(text, _TODAY) is None


def test_every_word_that_names_a_day_starts_like_one() -> None:
    named = {*words_of_days.MONTHS, *words_of_days.RELATIVE}
    assert {word[:3] for word in named} == DAY_STARTS
    assert set(words_of_days.SIGNS) == DAY_SIGNS


@pytest.mark.parametrize(
    "prompt",
    [
        "how do we retry a failed request to the payment service?", "add a test for the parser of the config file",
        "rename the helper and run the linter again", "why does the build break on windows with utf-8 paths?",
        "let us use the same message for every error", "what is the key of the tag list in der Datei",
    ],
)  # fmt: skip
def test_an_ordinary_prompt_does_not_pay_for_days(prompt: str) -> None:
    assert DAY_STARTS.isdisjoint(word[:3] for word in prompt.split())


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("我们在2023年5月21日决定了什么", "21 2023"),
        ("the pump 2 weeks ago", "2 weeks ago"), ("oiled last week by Ben", "last week"),
        ("oiled last 3 days", "last 3 days"),
        ("oiled on Friday by Ben", "friday"), ("oiled 9th of November 2023", "9th november 2023"),
        ("oiled last night by Ben", "last night"), ("oiled in 2023 by Ben", "2023"),
        ("oiled in Q2 2026 by Ben", "q2 2026"), ("oiled in the second quarter of 2026", "second quarter 2026"),
        ("geölt letzte Woche von Ben", "letzte woche"), ("huilé la semaine dernière", "semaine derniere"),
    ],
)  # fmt: skip
def test_the_words_of_a_day_are_those_that_name_it(question: str, words: str) -> None:
    days = days_of(question, _TODAY)
    assert days and days.words == set(words.split())


def test_numbers_are_counted_in_words_up_to_ten() -> None:
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    for number, word in enumerate(words, 1):
        in_words, in_digits = days_of(f"{word} days ago", _TODAY), days_of(f"{number} days ago", _TODAY)
        assert in_words and in_digits and in_words.condition() == in_digits.condition()


def test_the_days_before_new_year_are_near_to_those_after() -> None:
    for question, day in (("on 2 January", "2023-12-31"), ("on 30 December", "2024-01-02")):
        days = days_of(question)
        assert days and 0 < days.nearness(day) < 1


@pytest.mark.parametrize(
    "question",
    ["yesterday", "999 years ago", "last 999 years", "two weeks ago", "last year", "last quarter", "letzte Woche"],
)
def test_what_is_before_the_calendar_is_no_day(question: str) -> None:
    assert days_of(question, "0001-01-01") is None


@pytest.mark.parametrize("query", ["(in May)", "«mai 2023»", '"yesterday"', "[2023-05-21]"])
def test_marks_before_a_day_are_no_part_of_it(vault: Vault, query: str) -> None:
    vault.note("MEM-a", "The pump was oiled.", created="2023-05-21")
    vault.note("MEM-b", "The pump was sold.", created="2026-11-29")
    day = "MEM-b" if "yest" in query else "MEM-a"
    assert ids(vault, f"pump {query}")[0] == day


@pytest.mark.parametrize("today", ["", "soon", "2026-99-01"])
def test_without_a_clock_yesterday_is_no_day(today: str) -> None:
    assert days_of("yesterday", today) is None
    assert days_of("9 May 2023", today) is not None


@pytest.mark.parametrize("day", ["", "soon", "2023-99-01", "0000-00-00"])
def test_what_has_no_day_is_near_to_none(day: str) -> None:
    days = days_of("on 9 May 2023")
    assert days and days.nearness(day) == 0


def test_it_is_written_of_a_day_soon_after_it_and_seldom_before() -> None:
    days = days_of("on 9 May 2023")
    assert days
    near = [days.nearness(f"2023-05-{day:02}") for day in (1, 6, 8, 9, 10, 14, 25)]
    assert near[0] == near[-1] == 0
    assert near[1] < near[2] < near[5] < near[4] < near[3] == 1


def test_of_two_that_say_the_same_the_one_of_that_day_is_first(vault: Vault) -> None:
    for month in (3, 5, 9):
        vault.note(f"MEM-{month}", "The relay was restarted by hand.", created=f"2023-{month:02}-09")
    assert ids(vault, "relay restarted in May 2023")[0] == "MEM-5"
    assert ids(vault, "relay restarted on 9 September")[0] == "MEM-9"
    assert ids(vault, "relay restarted on 9 March 2023", method=LEXICAL)[0] == "MEM-3"


@pytest.mark.parametrize(
    "question", ["what did we do on 2026-11-27?", "what did we do on Friday?", "Nov 27", "what was written in November"]
)
def test_a_day_alone_finds_what_was_written_then(vault: Vault, question: str) -> None:
    vault.note("MEM-a", "The pump was oiled.", created="2026-11-27")
    vault.note("MEM-b", "The fence was painted.", created="2026-08-02")
    vault.note("MEM-c", "The roof was tarred.", created="2026-11-27", status="tombstoned")
    vault.note("MEM-d", "The gate was shut.", created="2026-11-27", topic="garden")
    found = ids(vault, question)
    assert sorted(found[:2]) == ["MEM-a", "MEM-d"] and "MEM-c" not in found
    hits = search(vault.index(), question, 9, Scope(topic="garden"), today=_TODAY).hits
    assert [hit.id for hit in hits] == ["MEM-d"]


@pytest.mark.parametrize(
    "question",
    [
        "what did we do yesterday?", "was haben wir gestern gemacht?", "Was war gestern?",
        "was ist letzte Woche passiert?", "qu'avons-nous fait hier ?", "que s'est-il passé la semaine dernière ?",
        "¿qué hicimos ayer?", "qué pasó ayer",
    ],
)  # fmt: skip
def test_words_that_only_ask_are_not_looked_for_in_any_tongue_of_days(vault: Vault, question: str) -> None:
    vault.note("MEM-a", "The pump was oiled.", created="2026-11-29")
    vault.note("MEM-b", "The fence was painted.", created="2026-08-02")
    assert ids(vault, question) == ["MEM-a"]


@pytest.mark.parametrize(
    "question",
    [
        "was haben wir am 9. Mai 2026 gemacht?", "was wurde im Mai 2026 getan", "que s'est-il passé le 9 mai 2026",
        "qu'avons-nous fait en mai 2026 ?", "¿qué hicimos en mayo de 2026?",
    ],
)  # fmt: skip
def test_so_are_they_not_where_the_day_is_one_of_the_calendar(vault: Vault, question: str) -> None:
    vault.note("MEM-a", "The pump was oiled.", created="2026-05-09")
    vault.note("MEM-b", "The fence was painted.", created="2026-08-02")
    assert ids(vault, question) == ["MEM-a"]


def test_a_question_in_english_keeps_its_words() -> None:
    days = days_of("what was the war on 9 May 2026")
    assert days and "war" in days.text


@pytest.mark.parametrize("question", ["in May", "what was written in May?", "what we did on 9 May 2026"])
def test_a_month_that_is_a_filler_else_is_one_to_be_found(vault: Vault, question: str) -> None:
    vault.note("MEM-a", "The pump was oiled.", created="2026-05-09")
    vault.note("MEM-b", "The fence may be painted.", created="2026-08-02")
    assert ids(vault, question) == ["MEM-a"]


@pytest.mark.parametrize("question", ["2023年5月21日的泵", "5月21日的泵", "泵在2023年5月"])
def test_a_day_within_a_text_without_blanks_is_seen(vault: Vault, question: str) -> None:
    for month in (4, 5, 6):
        vault.note(f"MEM-{month}x", "泵已上油。", created=f"2023-{month:02}-21")
    assert ids(vault, question)[0] == "MEM-5x"


@pytest.mark.parametrize("day", ["2026-11-26", "26.11.2026", "2026-11-26T10:11:12Z", "yesterday", "2026"])
def test_a_day_weighs_as_much_as_one_word_however_it_is_written(vault: Vault, day: str) -> None:
    vault.note("MEM-a", "The pump was oiled.", created="2026-11-26")
    query = f"webhooks signed since {day}"
    question = Question(vault.index(), query, days=days_of(query, "2026-11-27"))
    _, share, _ = question.answered(1.0, question.with_day({}, 1.0))
    assert 0.3 < share < 0.4


def test_a_day_on_which_much_was_written_needs_more_words(vault: Vault) -> None:
    for number in range(60):
        vault.note(f"MEM-{number}x", f"Pump {number} was oiled.", created="2026-11-27")
    vault.note("MEM-fence", "The fence was painted.", created="2026-11-27")
    assert ids(vault, "what about the fence on 2026-11-27")[0] == "MEM-fence"


def test_the_day_is_one_of_the_parts_of_a_score(vault: Vault) -> None:
    vault.note("MEM-a", "The pump was oiled.", created="2026-11-27")
    hit = search(vault.index(), "pump on 2026-11-27", 1).hits[0]
    assert ("day", 1.0) in [(name, value) for name, value, _ in hit.parts]
    hit = search(vault.index(), "pump", 1).hits[0]
    assert "day" not in [name for name, *_ in hit.parts]


@pytest.mark.parametrize("days", ["on 3 October 2026", "between 2026-10-03T10:00Z and 2026-10-04T10:00Z"])
def test_a_day_that_fits_does_not_make_an_answer_of_what_is_about_something_else(vault: Vault, days: str) -> None:
    for number in range(40):
        vault.note(f"MEM-{number}x", f"Pump {number} was oiled.", created=f"2026-10-{number % 28 + 1:02}")
    assert ids(vault, f"Which licence of Photoshop did Miriam buy {days}?") == []


def test_the_clock_of_a_workspace_says_what_yesterday_is(tmp_path: Path) -> None:
    Workspace.create(str(tmp_path / ".memory"))
    for day in (28, 29):
        text = f"---\ntitle: Note {day}\ncreated: 2026-11-{day}\n---\n# Note {day}\n\nThe pump was oiled.\n"
        (tmp_path / ".memory/10-Memories" / f"MEM-note-of-{day}x.md").write_text(text, encoding="utf-8")
    workspace = Workspace.open(start=str(tmp_path), environ={"MEMTEND_NOW": "2026-11-30T10:00:00Z"})
    assert workspace.search("what did we do yesterday?").hits[0].id == "MEM-note-of-29x"
    assert workspace.recall("was the pump oiled yesterday?").hits[0].id == "MEM-note-of-29x"


@pytest.mark.parametrize(
    ("prompt", "handed"),
    [
        ("2026-11-27 10:00:00 ERROR connection refused", []),
        ("why does the gate fail since Friday?", ["MEM-gate"]),
        ("what happened on Friday?", ["MEM-dumps", "MEM-pump"]),
    ],
)
def test_a_prompt_is_handed_what_has_nothing_but_the_day_only_if_it_asks_for_little_else(
    vault: Vault, prompt: str, handed: list[str]
) -> None:
    vault.note("MEM-pump", "The pump did not start because a fuse was missing.", created="2026-11-27")
    vault.note("MEM-dumps", "The database is dumped to the object store; dumps are kept.", created="2026-11-27")
    vault.note("MEM-gate", "The gate fails when it is cold.", created="2026-02-03")
    vault.note("MEM-blue", "The brand blue is for buttons, links have none.", created="2026-05-03")
    assert sorted(hit.id for hit in recall(vault.index(), prompt, today=_TODAY).hits) == handed
