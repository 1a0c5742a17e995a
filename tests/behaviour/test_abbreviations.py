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
    made.note("MEM-a11y", "An audit of accessibility every spring.", {"title": "Labels"})
    made.note("MEM-l10n", "The texts are kept for localization.", {"title": "Texts"})
    made.note("MEM-prod", "In production, ten hosts are awake.", {"title": "Hosts"})
    made.note("MEM-spec", "Its specifications are drawn by hand.", {"title": "Drawing"})
    made.note("MEM-local", "Access to local files for a specific product.", {"title": "Everyday words"})
    made.note("MEM-other", "A lake, a tent and a boat.", {"title": "Holiday"})
    return made


@pytest.mark.parametrize("query", ["db_conn", "dbConn", "conn-pool", "get_db"])
def test_a_piece_of_a_name_is_found_as_it_is_written(vault: Vault, query: str) -> None:
    vault.note("MEM-name", "It calls get_db_conn_pool first.", {"title": "Name"})
    (hit,) = search(vault.index(), query, 1, method=LEXICAL).hits
    assert hit.id == "MEM-name" and hit.weights[query.replace("-", "").replace("_", "").lower()]


def test_a_word_kept_as_its_abbreviation_is_meant_as_a_word(vault: Vault) -> None:
    assert [hit.id for hit in search(vault.index(), "accessibility", 1).hits if hit.by_meaning] == ["MEM-a11y"]


@pytest.mark.parametrize(
    ("query", "id"),
    [
        ("postgres", "MEM-pg"), ("Postgres connections", "MEM-pg"), ("PostgreSQL", "MEM-pg"), ("kubernetes", "MEM-k8s"),
        ("K8S", "MEM-k8s"), ("Kubernetes cluster", "MEM-k8s"), ("configuration", "MEM-conf"), ("configs", "MEM-conf"),
        ("a11y", "MEM-a11y"), ("accessibility", "MEM-a11y"), ("localisation", "MEM-l10n"), ("l10n", "MEM-l10n"),
        ("prod", "MEM-prod"), ("specs", "MEM-spec"), ("specification", "MEM-spec"), ("local files", "MEM-local"),
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
