"""A slip of the keyboard: what no memory has as it is spelled is looked for as they spell it, and that is said."""

from pathlib import Path

import pytest
from small_vault import Vault

from memtend.cli import main
from memtend.search.candidates import LEXICAL
from memtend.search.rank import search
from memtend.search.spelling import respelled
from memtend.workspace import Workspace
from memtend.workspace.category.categories import CategoryWorkspace


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    made = Vault(tmp_path / "vault")
    made.note("MEM-boats", "The trawler and the dinghies lie at the jetty.", {"title": "Boats"})
    made.note("MEM-wuzzle", "A wuzzlegate opens at noon; its wuzzlegates rust.", {"title": "Gates"})
    made.note("MEM-tea", "Tea is served at four.", {"title": "Tea"})
    return made


@pytest.mark.parametrize(
    ("query", "meant"),
    [
        ("wuzzelgate", "wuzzlegate"),  # two letters changed places
        ("wuzzlegat", "wuzzlegate"),
        ("wuzlegate", "wuzzlegate"),
        ("wuzzlegatte", "wuzzlegate"),
        ("wuzzlegade", "wuzzlegate"),
        ("Wuzzelgate!", "wuzzlegate"),
        ("when wuzzelgate opens", "when wuzzlegate opens"),
        ("trwaler", "trawler"),
        ("gaets", "gates"),  # of five letters
    ],
)
def test_one_slip_is_seen_through(vault: Vault, query: str, meant: str) -> None:
    assert respelled(vault.index(), query) == meant


@pytest.mark.parametrize(("query", "meant"), [("acnhors", "anchors"), ("anhcoring", "anchoring"), ("anchorin", "")])
def test_a_slip_is_seen_through_in_a_form_that_no_memory_has(vault: Vault, query: str, meant: str) -> None:
    vault.note("MEM-anchor", "It anchored here.", {"title": "Harbour"})
    assert respelled(vault.index(), query) == meant


@pytest.mark.parametrize(
    "query",
    [
        "wuzzlegate", "wuzzlegates", "wuzelgates", "wuxxlegate", "wulegate", "teaa",
        "trailer", "trawl", "xyzzyplugh", "wuzzle-gade", "w",
        "wuzzlegäte", "wuzzlegat3", "dinghies", "", "one two three four five six seven wuzzelgate nine",
    ],
)  # fmt: skip
def test_what_is_right_or_a_word_or_too_far_off_stays(vault: Vault, query: str) -> None:
    assert respelled(vault.index(), query) == ""


@pytest.mark.parametrize("field", ["title", "keywords", "topic", "summary"])
def test_a_word_may_stand_beside_the_text_alone(vault: Vault, field: str) -> None:
    vault.note("MEM-mill", "It turns by itself.", {"title": "Mill", field: "frobnicator"})
    answer = search(vault.index(), "frobincator", 5)
    assert (answer.hits[0].id, answer.looked_for) == ("MEM-mill", "frobnicator")


@pytest.mark.parametrize("method", ["hybrid", LEXICAL])
def test_a_search_that_finds_nothing_looks_for_what_was_meant(vault: Vault, method: str) -> None:
    answer = search(vault.index(), "wuzzelgate rots", 5, method=method)
    assert answer.hits[0].id == "MEM-wuzzle"
    assert (answer.query, answer.looked_for) == ("wuzzelgate rots", "wuzzlegate rots")
    assert "wuzzlegate" in answer.hits[0].snippet


def test_what_is_found_as_it_is_spelled_stays_as_it_is(vault: Vault) -> None:
    vault.note("MEM-slip", "Here it says wuzzelgate.", {"title": "Slip"})
    answer = search(vault.index(), "wuzzelgate", 5)
    assert answer.hits[0].id == "MEM-slip"
    assert answer.looked_for == ""


def test_without_the_table_of_words_a_slip_is_seen_through_too(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise OSError

    monkeypatch.setattr("memtend.search.wordtable.WordTable.__init__", missing)
    assert search(vault.index(), "trwaler", 5).looked_for == "trawler"


def test_the_command_says_what_it_looked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from memtend.cli import fast

    Workspace.create(str(tmp_path / ".memory"))
    text = "---\ntitle: Gates\n---\n# Gates\n\nA wuzzlegate opens at noon.\n"
    (tmp_path / ".memory/10-Memories/MEM-gates.md").write_text(text, encoding="utf-8")
    assert fast.run(["search", "wuzzelgate", "--vault", str(tmp_path / ".memory")]) == 0
    told = capsys.readouterr()
    assert "MEM-gates" in told.out
    assert told.err == "note: no memory has that as it is spelled; this is for 'wuzzlegate'\n"


def test_a_category_memory_says_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "memory"
    workspace, _ = CategoryWorkspace.create(root)
    workspace.add("decisions", "Gates", "The wuzzlegate opens at noon.")
    assert main(["category", "search", "wuzzelgate", "--root", str(root)]) == 0
    told = capsys.readouterr()
    assert "Gates" in told.out
    assert told.err == "note: no memory has that as it is spelled; this is for 'wuzzlegate'\n"
