"""Nothing instead of the least bad, also in a vault of a handful, and for questions of two words."""

from pathlib import Path

import pytest
from small_vault import Vault

from memtend.search.question import Question
from memtend.search.rank import search
from memtend.search.scope import Scope

_NOTES = {
    "MEM-out": (
        "Log out everywhere",
        "Who presses it ends each of their sessions: clients get 401 at the next request.",
    ),
    "MEM-backups": ("Backups", "At 02:00 the database is dumped to the object store; dumps are kept for thirty days."),
    "MEM-colours": ("Colours", "The brand blue is #2244aa; buttons use it, links do not."),
    "MEM-flaky": ("Flaky tests", "Tests that fail twice a week are put in quarantine and get an owner."),
}


@pytest.fixture(params=[1, 4, 40], ids=["of one", "of four", "of forty"])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Vault:
    made = Vault(tmp_path / "vault")
    for id, (title, text) in list(_NOTES.items())[: request.param]:
        made.note(id, text, {"title": title})
    for number in range(request.param - len(_NOTES)):
        made.note(f"MEM-{number}x", f"Parcel {number} waits at gate {number % 7} for the van.", {"title": "Parcels"})
    return made


def first(vault: Vault, query: str) -> str:
    hits = search(vault.index(), query, 5).hits
    return hits[0].id if hits else ""


@pytest.mark.parametrize(
    "query",
    [
        "Kubernetes operator upgrade", "GPU driver crash", "lunch menu", "what is the capital of France",
        "vacation policy", "payment provider", "Which vendor prints our invoices?", "Redis cluster resharding",
    ],
)  # fmt: skip
def test_what_nothing_is_about_gets_nothing(vault: Vault, query: str) -> None:
    assert first(vault, query) == ""


@pytest.mark.parametrize("query", ["terminate all sessions", "sign out everywhere", "401 unauthorized", "logout"])
def test_what_is_said_in_other_words_is_found(vault: Vault, query: str) -> None:
    assert first(vault, query) == "MEM-out"


@pytest.mark.parametrize(
    ("query", "id"),
    [
        ("unstable tests", "MEM-flaky"), ("who owns quarantine", "MEM-flaky"), ("palette", "MEM-colours"),
        ("restore yesterday's dump", "MEM-backups"), ("how long do we keep backups", "MEM-backups"),
        ("primary color", "MEM-colours"),
    ],
)  # fmt: skip
def test_two_words_of_which_one_is_there_are_enough_where_the_other_is_meant(
    tmp_path: Path, query: str, id: str
) -> None:
    made = Vault(tmp_path / "vault")
    for own, (title, text) in _NOTES.items():
        made.note(own, text, {"title": title})
    assert first(made, query) == id


def test_how_many_may_answer_counts_those_of_the_scope(tmp_path: Path) -> None:
    made = Vault(tmp_path / "vault")
    made.note("MEM-canteen", "Soup and bread at noon.", {"title": "Canteen"}, topic="office")
    alone = search(made.index(), "starving for supper", 3).hits
    for number in range(200):
        made.note(f"MEM-{number}x", f"Parcel {number} waits at the gate.", {"title": "Parcels"}, topic="depot")
    among = search(made.index(), "starving for supper", 3, Scope(topic="office")).hits
    assert [hit.id for hit in alone] == [hit.id for hit in among] == ["MEM-canteen"]


@pytest.mark.parametrize(
    "query", ["What Console does Nate own?", "Which Console did Nate buy?", "Does Nate own a Console?"]
)
def test_the_first_word_of_a_sentence_is_no_name_by_its_capital(tmp_path: Path, query: str) -> None:
    made = Vault(tmp_path / "vault")
    made.note("MEM-a", "Nate plays.", {"title": "Talk"})
    assert Question(made.index(), query).names_missing({}) == 2


def test_a_name_made_of_signs_is_one_that_may_be_missing(tmp_path: Path) -> None:
    made = Vault(tmp_path / "vault")
    made.note("MEM-a", "Nate plays.", {"title": "Talk"})
    assert Question(made.index(), "who here writes C++ at home?").names_missing({}) == 1
