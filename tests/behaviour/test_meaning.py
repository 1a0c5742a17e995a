"""Search by meaning: what was meant is found without a word in common, offline, and the same on every way."""

from pathlib import Path

import pytest
from small_vault import Vault, vault_of

from memtend.search import wordtable
from memtend.search.candidates import LEXICAL, SEMANTIC
from memtend.search.meaning import meaning_of
from memtend.search.pieces import bodies
from memtend.search.rank import NEAR_IN_MEANING, search
from memtend.search.scope import Scope
from memtend.search.vectors import Asked
from memtend.search.wordtable import WordTable

_NOTES = {
    "MEM-login": "A user signs in with a password and a second factor.",
    "MEM-lunch": "The kitchen serves soup and bread at noon.",
    "MEM-disk": "The build host ran out of storage, so old images are deleted every night.",
    "MEM-mail": "Letters to customers leave through the relay in the cellar.",
}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return vault_of(tmp_path / "vault", _NOTES)


def first(vault: Vault, query: str, **options: str) -> str:
    hits = search(vault.index(), query, 1, **options).hits  # type: ignore[arg-type]
    return hits[0].id if hits else ""


@pytest.mark.parametrize(
    ("query", "id"),
    [
        ("authentication of people", "MEM-login"),
        ("hungry, want a meal", "MEM-lunch"),
        ("postal service", "MEM-mail"),
    ],
)
def test_what_is_meant_is_found_without_a_word_in_common(vault: Vault, query: str, id: str) -> None:
    assert first(vault, query) == id
    assert search(vault.index(), query, 1).hits[0].mode == NEAR_IN_MEANING
    assert first(vault, query, method=LEXICAL) == ""
    assert first(vault, query, method=SEMANTIC) == id


def test_the_nearness_is_one_of_the_parts_that_a_score_is_made_of(vault: Vault) -> None:
    hit = search(vault.index(), "the kitchen serves a meal", 1).hits[0]
    parts = {name: value for name, value, _weight in hit.parts}
    assert hit.id == "MEM-lunch"
    assert parts["meaning"] > 0.3 and parts["words"] > 0.3


def test_a_single_name_means_itself(vault: Vault) -> None:
    vault.note("MEM-error", "Error E0277 stops the build.")
    assert [hit.id for hit in search(vault.index(), "E0277", 9).hits] == ["MEM-error"]


def test_retired_memories_and_those_out_of_scope_are_not_found_by_meaning_either(vault: Vault) -> None:
    vault.note("MEM-old", "Breakfast is a meal in the morning.", status="tombstoned")
    index = vault.index()
    assert "MEM-old" not in [hit.id for hit in search(index, "hungry, want a meal", 9).hits]
    assert search(index, "hungry, want a meal", 9, Scope(topic="python")).hits == ()


def test_a_narrow_scope_is_searched_by_meaning_whatever_lies_outside(vault: Vault) -> None:
    for number in range(120):
        vault.note(f"MEM-food-{number}x", f"A hungry guest wants a meal, the {number}th today.", topic="kitchen")
    vault.note("MEM-canteen", "Soup and bread at noon.", topic="office")
    assert [hit.id for hit in search(vault.index(), "starving for supper", 3, Scope(topic="office")).hits] == [
        "MEM-canteen"
    ]


def test_the_snippet_of_what_has_no_word_in_common_is_its_nearest_piece(vault: Vault) -> None:
    filler = "Pipes carry water through the house from one floor to the next. " * 20
    vault.note("MEM-long", f"{filler}\n\nA user signs in with a password and a second factor.\n\n{filler}")
    hits = {hit.id: hit for hit in search(vault.index(), "authentication of people", 9).hits}
    assert hits["MEM-long"].mode == NEAR_IN_MEANING
    assert "signs in" in hits["MEM-long"].snippet
    assert hits["MEM-long"].snippet.startswith("…")


def test_o_se_06_a_memory_that_is_gone_leaves_no_vector(vault: Vault) -> None:
    index = vault.index()
    (vault.folder / "MEM-lunch.md").unlink()
    vault.refresh(index)
    assert index.rows("select count(*) from vectors") == [(3,)]
    assert "MEM-lunch" not in [hit.id for hit in search(index, "hungry, want a meal", 9).hits]


def test_only_days_within_the_bounds_answer(vault: Vault) -> None:
    vault.note("MEM-new", "The kitchen serves cake.", created="2026-01-01", modified="2026-06-02")
    vault.note("MEM-early", "The kitchen serves fish.", created="2026-05-01")
    index = vault.index()

    def found(**days: str) -> set[str]:
        return {hit.id for hit in search(index, "kitchen", 9, Scope(**days)).hits}  # type: ignore[arg-type]

    assert found(since="2026-06-02") == {"MEM-new"}
    assert found(before="2026-06-02") == {"MEM-early"}
    assert found(since="2026-05-01", before="2026-06-03") == {"MEM-new", "MEM-early"}


def test_without_the_table_of_words_the_answer_is_lexical_and_says_so(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    index = vault.index()
    monkeypatch.setattr(WordTable.__init__, "__defaults__", (str(tmp_path / "missing"), False))
    answer = search(index, "the kitchen serves", 1)
    assert [hit.id for hit in answer.hits] == ["MEM-lunch"]
    assert "by words alone" in answer.note


def test_vectors_are_the_same_with_numpy_and_without() -> None:
    slow, fast = WordTable(), WordTable(is_bulk=True)
    texts = [*_NOTES.values(), "getUserById() naïve 数据库 ünïcode", "x" * 50, "", "🚀", "the the the", "words " * 999]
    memories = [
        texts[:3],
        texts[2:8],
        texts[3:],
        ["", ""],
        ["", "x" * 50],
        ["a title", ""],
        *zip(texts, texts, strict=True),
    ]
    assert slow.packed(memories) == fast.packed(memories)
    assert list(map(slow.vector, texts)) == list(map(fast.vector, texts))
    assert [len(packed) for packed in slow.packed([["", "word", "words"], ["", ""]])] == [slow.dimensions, 0]


def test_a_piece_is_near_what_its_memory_says_elsewhere_and_what_it_is_about() -> None:
    table = WordTable()
    size = table.dimensions // 2
    clay, kiln, boats = "wet clay on a wheel", "fire the kiln slowly", "boats sail on the sea"

    def nearness(question: str, *memory: str) -> float:
        [packed] = table.packed([memory])
        return Asked(table.vector(question)).cosine(packed[:size])

    alone = nearness(kiln, "", clay)
    assert nearness(kiln, "", clay, kiln) > alone + 0.1
    assert nearness(kiln, "kiln", clay) > alone + 0.1
    assert nearness(kiln, "", clay, boats) < nearness(kiln, "", clay, kiln)
    assert nearness(clay, "", clay, boats) > nearness(boats, "", clay, boats), "its own words count most"


def test_words_are_folded_parted_at_humps_and_cut_into_known_pieces() -> None:
    table = WordTable()
    assert table.rows("getUser") == table.rows("get user") == table.rows("GET USER")
    assert table.rows("café") == table.rows("cafe")
    assert len(table.rows("quarantinings")) > 1
    assert table.rows("...") == []


@pytest.mark.parametrize("content", [b"", b"no table at all, only text"])
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "words.table").write_bytes(content)
    with pytest.raises(ValueError):
        wordtable.WordTable(str(tmp_path / "words.table"))


def test_long_texts_are_cut_between_paragraphs_and_nothing_is_lost() -> None:
    paragraphs = [" ".join(f"w{number}x{place}" for place in range(25)) for number in range(9)]
    found = list(bodies("\n\n".join(paragraphs)))
    assert " ".join(found) == " ".join(paragraphs)
    assert [len(body.split()) for body in found] == [75, 75, 75]
    assert list(bodies("")) == [""]
    assert {len(body.split()) for body in bodies("word " * 1000)} == {76, 77}


def test_of_a_very_long_text_the_first_pieces_are_taken() -> None:
    found = [body.split() for body in bodies(" ".join(map(str, range(50_000))))]
    assert len(found) == 400
    assert [int(word) for words in found for word in words] == list(range(32_000))


def test_a_question_of_unknown_signs_has_no_meaning(vault: Vault) -> None:
    assert meaning_of(vault.index(), "☃ …") == (None, "")
