"""Who writes `postgres` or `k8s` finds what says PostgreSQL or Kubernetes, and the other way round."""

from pathlib import Path

import pytest
from small_vault import Vault

from memtend.search.abbreviations import SPELLED_OUT, spellings
from memtend.search.candidates import LEXICAL
from memtend.search.rank import search


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    made = Vault(tmp_path / "vault")
    made.note("MEM-pg", "PostgreSQL keeps ten connections. " + "Nothing else is said here. " * 20, {"title": "Pool"})
    made.note("MEM-k8s", "The k8s cluster is drained first.", {"title": "Nodes"})
    made.note("MEM-conf", "read_config reads the app_env file.", {"title": "Start"})
    made.note("MEM-other", "A lake, a tent and a boat.", {"title": "Holiday"})
    return made


@pytest.mark.parametrize(
    ("query", "id"),
    [
        ("postgres", "MEM-pg"), ("Postgres connections", "MEM-pg"), ("PostgreSQL", "MEM-pg"), ("kubernetes", "MEM-k8s"),
        ("K8S", "MEM-k8s"), ("Kubernetes cluster", "MEM-k8s"), ("configuration", "MEM-conf"), ("configs", "MEM-conf"),
        ("read_config", "MEM-conf"), ("readConfig", "MEM-conf"), ("application environment", "MEM-conf"),
    ],
)  # fmt: skip
def test_either_finds_the_other(vault: Vault, query: str, id: str) -> None:
    hits = search(vault.index(), query, 5, method=LEXICAL).hits
    assert [hit.id for hit in hits] == [id]


def test_the_snippet_shows_the_word_however_it_is_written(vault: Vault) -> None:
    text = f"{'Something else is said here. ' * 20}Here postgres is named. {'And more of it follows. ' * 9}"
    vault.note("MEM-late", text, {"title": "Late"})
    hits = {hit.id: hit for hit in search(vault.index(), "PostgreSQL", 5, method=LEXICAL).hits}
    assert "postgres is named" in hits["MEM-late"].snippet


def test_no_word_stands_for_two_and_none_for_another_abbreviation() -> None:
    assert len(SPELLED_OUT) > 60
    assert not set(SPELLED_OUT) & set(SPELLED_OUT.values())
    assert spellings("configuration") == ["configuration", "cfg", "conf", "config", "cfgs", "confs", "configs"]
