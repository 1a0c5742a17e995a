"""Snippets show the reason: the place whose words made the memory an answer, however these are written."""

import unicodedata
from pathlib import Path

import pytest
from small_vault import Vault

from memtend.search.meaning import BUILT_IN
from memtend.search.pieces import COARSE
from memtend.search.rank import LITERAL, NEAR_IN_MEANING, search
from memtend.search.snippet import snippet

_FILLER = "Filler text about nothing at all, gently going on and on through meadows. " * 12

REASONS = {
    "a slip of the keyboard": ("autovaccum", "Then the autovacuum daemon froze the table."),
    "two words for one": ("logout", "When users log out everywhere, sessions end."),
    "one word for two": ("multiagent", "A well-known multi-agent group."),
    "the second half of a name": ("write json", "Call atomicWriteJson(path) before leaving."),
    "the end of a name in one": ("barbaz", "Call foo.bar_baz() before leaving."),
    "an abbreviation": ("k8s", "We run Kubernetes on bare metal."),
    "letters that stand for several": ("Größe Tür", "… ½ ﬁne … Die Größe der Tür stimmt."),
    "accents in pieces": ("früh schließt", unicodedata.normalize("NFD", "Ach … sie schließt früh.")),
    "one width for another": ("カタカナ", "… ｶﾀｶﾅ のテスト です。"),
    "an ending": ("happiness policies", "He is happy with each policy."),
    "a table": ("lemon timeout", "\n\n| name | value |\n|---|---|\n| lemon_timeout | 30 |\n\n"),
    "a sign": ("🚀", "Deploys are marked with 🚀 here."),
}


@pytest.mark.parametrize(("query", "reason"), REASONS.values(), ids=REASONS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_snippet_shows_the_reason_however_it_is_written(
    tmp_path: Path, query: str, reason: str, line_end: str
) -> None:
    vault = Vault(tmp_path / "vault")
    vault.note("MEM-a", f"{_FILLER}{reason} {_FILLER}".replace("\n", line_end))
    vault.note("MEM-b", "Something else, of other matters.")
    [hit, *_] = search(vault.index(), query).hits
    assert (hit.id, hit.mode != "exact") == ("MEM-a", True)
    assert " ".join(reason.split()) in hit.snippet


@pytest.mark.parametrize("query", ["to be or not to be", "not to be", '"'])
def test_a_snippet_shows_fillers_and_marks_where_they_stand_as_they_were_asked_for(tmp_path: Path, query: str) -> None:
    vault = Vault(tmp_path / "vault")
    vault.note("MEM-a", f'{_FILLER}He said: "To be or not to be!" {_FILLER}')
    [hit] = search(vault.index(), query).hits
    assert hit.mode == LITERAL
    assert '"To be or not to be!"' in hit.snippet


def test_a_snippet_of_what_is_near_in_meaning_shows_the_piece_that_is(tmp_path: Path) -> None:
    assert BUILT_IN.piece_words == COARSE  # else it would show another piece than the vectors are of
    vault = Vault(tmp_path / "vault")
    near = "The doctor prescribed medicine to the ill child in hospital."
    vault.note(
        "MEM-a",
        "\n\n".join(["Stones and timber for a shed roof. " * 12, near * 8, "Paint and varnish for doors. " * 14]),
    )
    [hit] = search(vault.index(), "physician treating sick patients", method="semantic").hits
    assert hit.mode == NEAR_IN_MEANING
    assert near in hit.snippet


def test_a_snippet_shows_where_most_words_stand_together(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault")
    apart = f"The wombat digs. {_FILLER[:300]} The burrow is deep. {_FILLER}"
    vault.note("MEM-a", f"{apart} A wombat sleeps in its burrow by day. {_FILLER}")
    [hit] = search(vault.index(), "wombat burrow").hits
    assert "A wombat sleeps in its burrow by day." in hit.snippet


@pytest.mark.parametrize("distance", range(100, 200, 3))
def test_a_word_that_the_stretch_was_chosen_for_is_not_cut_off(distance: int) -> None:
    filler = "floccinaucinihilipilification " * 20
    between = ("floccinaucinihilipilification " * 20)[: distance - 6]
    shown = snippet(f"{filler}kettle {between} teapot {filler}{filler}kettle teapot {filler}", ["kettl", "teapot"])
    assert "kettle" in shown and "teapot" in shown
