"""Short memories that continue each other: what stands before and after says what one is about."""

from pathlib import Path

import pytest
from small_vault import Vault

from memtend.search.candidates import LEXICAL
from memtend.search.rank import Hit, search

_TALK = (
    "Anna: Did you take the tent to the lake?",
    "Ben: Yes, it was in the second week of July.",
    "Anna: How are your sister's children?",
    "Ben: They start school soon.",
    "Anna: We painted the kitchen.",
    "Ben: Which colour did you choose?",
    "Anna: A light green.",
)


def talk(vault: Vault, **fields: str) -> Vault:
    for number, line in enumerate(_TALK):
        vault.note(f"MEM-talk-{number:02}", line, {"title": "A talk", **fields})
    return vault


def found(vault: Vault, query: str) -> dict[str, Hit]:
    return {hit.id: hit for hit in search(vault.index(), query, 9).hits}


def around(hit: Hit) -> float:
    return sum(value for name, value, _weight in hit.parts if name == "around")


def test_an_answer_is_found_by_the_words_of_the_question_before_it(tmp_path: Path) -> None:
    hits = found(talk(Vault(tmp_path)), "tent lake")
    assert list(hits)[:2] == ["MEM-talk-00", "MEM-talk-01"]
    assert around(hits["MEM-talk-01"]) > around(hits.get("MEM-talk-02", hits["MEM-talk-00"]))


def test_the_next_but_one_is_lent_half_as_much_and_the_third_nothing(tmp_path: Path) -> None:
    lent = []
    for distance in (1, 2, 3):
        vault = Vault(tmp_path / f"{distance}")
        vault.note("MEM-talk-10", "The tent stands.", {"title": "A talk"})
        vault.note(f"MEM-talk-{10 + distance}", "The boat swims.", {"title": "A talk"})
        hits = search(vault.index(), "tent boat", 9, method=LEXICAL).hits
        lent.append([around(hit) for hit in hits])
    assert lent[0][0] > 0 and lent[0] == pytest.approx([2 * share for share in lent[1]]) and lent[2] == [0, 0]


@pytest.mark.parametrize(
    "fields", [{"created": "2026-02-{0:02}"}, {"topic": "t{0}"}], ids=["of another day", "of another topic"]
)
def test_what_is_elsewhere_lends_nothing(tmp_path: Path, fields: dict[str, str]) -> None:
    vault = Vault(tmp_path)
    for number, line in enumerate(_TALK, 1):
        own = {name: value.format(number) for name, value in fields.items()}
        vault.note(f"MEM-talk-{number:02}", line, {"title": "A talk"}, **own)
    assert not any(map(around, found(vault, "tent lake").values()))


def test_long_memories_stand_by_themselves(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    for number, line in enumerate(_TALK):
        vault.note(f"MEM-talk-{number:02}", f"{line} {'More of it follows here. ' * 30}", {"title": "A talk"})
    assert not any(map(around, found(vault, "tent lake").values()))


def test_of_long_memories_that_answer_alike_the_one_beside_the_best_is_first(tmp_path: Path) -> None:
    more = "More of it follows here. " * 30
    vault = Vault(tmp_path)
    for number in (1, 5, 8, 9):
        line = "The tent stood by the lake." if number == 9 else "A tent was bought."
        vault.note(f"MEM-talk-{number}", f"{line} {more}", {"title": "Of tents"}, created=f"2026-02-0{number}")
    hits = found(vault, "tent lake")
    assert list(hits) == ["MEM-talk-9", "MEM-talk-8", "MEM-talk-1", "MEM-talk-5"]
    assert around(hits["MEM-talk-8"]) > 0 and not around(hits["MEM-talk-1"])


def test_equal_memories_lend_each_other_nothing(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    for number in range(9):
        vault.note(f"MEM-{number:02}", "The pool holds ten connections.", {"title": "Pool"})
    hits = found(vault, "pool connections")
    assert list(hits) == [f"MEM-{number:02}" for number in range(9)]
    assert not any(map(around, hits.values()))


def test_numbers_of_any_width_are_followed(tmp_path: Path) -> None:
    vault = Vault(tmp_path)
    for number, line in enumerate(_TALK, 8):
        vault.note(f"MEM-talk-{number}", line, {"title": "A talk"})
    assert list(found(vault, "tent lake"))[:2] == ["MEM-talk-8", "MEM-talk-9"]
    assert "MEM-talk-10" in found(vault, "tent July second week")


def test_by_words_alone_an_answer_after_its_question_is_found_and_shown(tmp_path: Path) -> None:
    hits = search(talk(Vault(tmp_path)).index(), "tent lake", 9, method=LEXICAL).hits
    assert [(hit.id, hit.snippet) for hit in hits][:2] == [("MEM-talk-00", _TALK[0]), ("MEM-talk-01", _TALK[1])]
