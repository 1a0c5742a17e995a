"""A question is widened by words that mean the same, from a thesaurus; they say less than its own words."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_vault import Vault, vault_of

from memtend.search import related
from memtend.search.candidates import HYBRID, LEXICAL, SEMANTIC
from memtend.search.question import Question
from memtend.search.rank import NEAR_IN_MEANING, Hit, search
from memtend.search.related import Thesaurus

_NOTES = {
    "MEM-oom": "The importer got an OOM on the small host, so it reads in parts.",
    "MEM-ddl": "Each migration is run by the deploy job, before the new code.",
    "MEM-hamster": "Mila has a hamster that is called Biscuit.",
    "MEM-lunch": "The kitchen serves soup and bread at noon.",
    "MEM-paint": "The hall is painted in grey.",
}


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return vault_of(tmp_path / "vault", _NOTES)


def found(vault: Vault, query: str, method: str = HYBRID) -> dict[str, Hit]:
    """What a question is answered with, best first."""
    return {hit.id: hit for hit in search(vault.index(), query, 5, method=method).hits}


@pytest.mark.parametrize(
    ("query", "id", "word"),
    [
        ("the host is out of memory", "MEM-oom", "oom"),
        ("schema change", "MEM-ddl", "migration"),
        ("how do we change the schema", "MEM-ddl", "migration"),
        ("which pet does Mila have", "MEM-hamster", "hamster"),
    ],
)
def test_what_a_memory_says_in_related_words_is_found_by_them(vault: Vault, query: str, id: str, word: str) -> None:
    best = next(iter(found(vault, query).values()))
    assert (best.id, word in best.related) == (id, True)
    assert {name: value for name, value, _ in best.parts}["related"] > 0
    assert word in best.snippet.lower()


def test_who_asks_for_the_specific_does_not_mean_the_general(vault: Vault) -> None:
    vault.note("MEM-pet", "No pet may come into the office.", {"title": "Pet"})
    assert "hamster" in found(vault, "which pet does Mila have")["MEM-hamster"].related
    assert not any(hit.related for hit in found(vault, "which hamster does Mila have").values())


def test_a_word_that_is_asked_for_says_more_than_one_that_is_related(vault: Vault) -> None:
    vault.note(
        "MEM-memory", "The importer was out of memory on the small host, so it reads in parts.", {"title": "Importer"}
    )
    first, second = list(found(vault, "importer out of memory"))[:2]
    assert (first, second) == ("MEM-memory", "MEM-oom")


def test_words_alone_and_meaning_alone_ask_for_no_related_words(vault: Vault) -> None:
    for method in (LEXICAL, SEMANTIC):
        assert not any(hit.related for hit in found(vault, "the host is out of memory", method).values())


def test_a_memory_that_shares_no_word_of_the_question_itself_is_near_in_meaning(vault: Vault) -> None:
    assert found(vault, "schema change")["MEM-ddl"].mode == NEAR_IN_MEANING


def test_a_related_word_that_most_memories_have_tells_none_apart(vault: Vault) -> None:
    for number in range(80):
        vault.note(f"MEM-many-{number}", f"The migration of table {number} is done.", {"title": f"Table {number}"})
    assert not any(hit.related for hit in found(vault, "schema change").values())


def test_without_the_thesaurus_search_goes_on(vault: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(related, "PATH", str(tmp_path / "nowhere.table"))
    assert "MEM-oom" in found(vault, "OOM importer")
    assert not any(hit.related for hit in found(vault, "importer out of memory").values())


@pytest.mark.parametrize(
    "kept",
    [b"", b"memori", b"chang\t", b"chang\t~schema", b"chang\t~schema=", b"chang\t~schema=|\xff", b"chang\t~schema= | "],
)
def test_a_thesaurus_that_is_damaged_stops_no_search(
    vault: Vault, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kept: bytes
) -> None:
    (tmp_path / "cut.table").write_bytes(kept)
    monkeypatch.setattr(related, "PATH", str(tmp_path / "cut.table"))
    assert "MEM-oom" in found(vault, "OOM importer")
    assert not any(hit.related for hit in found(vault, "importer schema change").values())


_WORDS = st.text("abc", min_size=1, max_size=4)


@given(st.dictionaries(_WORDS, st.dictionaries(_WORDS, st.lists(_WORDS, min_size=1)), min_size=1), _WORDS)
def test_each_word_of_a_table_is_found_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, terms: dict[str, dict[str, list[str]]], other: str
) -> None:
    lines = ("\t".join((word, *(f"{rest}={'|'.join(them)}" for rest, them in terms[word].items()))) for word in terms)
    path = tmp_path_factory.mktemp("thesaurus") / "thesaurus.table"
    path.write_bytes(b"".join(sorted(f"{line}\n".encode() for line in lines)))
    thesaurus = Thesaurus(str(path))
    for word in {*terms, other}:
        assert dict(thesaurus.terms(word)) == terms.get(word, {})


def test_a_single_name_means_itself_alone(vault: Vault) -> None:
    vault.note("MEM-k3s", "The small cluster runs k3s.", {"title": "Cluster"})
    beside_another = Question(vault.index(), "k8s cluster", is_widened=True).related
    assert beside_another and "k3s" in beside_another.words, "by the word that it abbreviates"
    assert Question(vault.index(), "k8s", is_widened=True).related is None
