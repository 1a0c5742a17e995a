"""What the full-text table is asked: the best by BM25, however many of them are in use or equal."""

import random
from pathlib import Path

import pytest
from small_vault import Vault

from memtend.search.phrases import COLUMNS, best_by_words
from memtend.search.rank import find
from memtend.search.scope import Scope


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """Notes that have a word more or less often, some of them equal, some retired."""
    root: Path = tmp_path_factory.mktemp("phrases")
    vault, chance = Vault(root / "vault"), random.Random(7)
    for number in range(150):
        text = "pump " * chance.randrange(1, 5) + "filler " * chance.choice((0, 0, 7, 20))
        status = chance.choice(("active", "active", "tombstoned"))
        vault.note(f"MEM-{number:03}", text, title="note", topic=chance.choice("xyz"), status=status)
    return vault


@pytest.mark.parametrize("scope", [Scope(), Scope(include_retired=True), Scope("x"), Scope("y", include_retired=True)])
@pytest.mark.parametrize("count", [1, 2, 5, 20, 60, 100, 200])
def test_the_best_by_words_are_as_many_as_asked_and_those_as_good_as_the_last(
    vault: Vault, scope: Scope, count: int
) -> None:
    index = vault.index()
    worth = index.rows(
        f"select m.n, bm25(words, {COLUMNS}) from words join memories m on m.n = words.rowid"
        f" where words match 'pump' and {scope.condition} order by 2",
        scope.bindings,
    )
    found = best_by_words(index, "pump", scope, count)
    least = worth[min(count, len(worth)) - 1][1]
    assert set(found) == {n for n, value in worth if value <= least}
    assert list(found.values()) == sorted(found.values())
    assert found.items() <= dict(worth).items()


@pytest.mark.parametrize(
    "query",
    [
        "pool size of postgres",
        "ool size of post",
        "SIZE of postgres conn",
        "the pool size",
        "logout_page's pool, size of",
    ],
)
def test_a_text_that_holds_the_question_as_it_is_is_told_by_that_wherever_it_is_cut(tmp_path: Path, query: str) -> None:
    vault = Vault(tmp_path / "vault")
    vault.note("MEM-it", "The logout_page's pool, size of postgres: the pool size of Postgres connections is thirty.")
    vault.note("MEM-other", "Of the pool, postgres has a size; a page to log out counts connections.")
    index = vault.index()
    told = {hit.id: {name: value for name, value, _ in hit.parts} for hit in find(index, query, least_odds=-99).hits}
    assert told["MEM-it"]["literal"] == 1.0
    assert told.get("MEM-other", {}).get("literal", 0.0) == 0.0
