"""What the full-text table is asked: the best by BM25, however many of them are in use or equal."""

import random
from pathlib import Path

import pytest
from small_vault import Vault

from memtend.search.phrases import best_by_words
from memtend.search.scope import Scope

COLUMNS = "3, 3, 2, 1, 1"


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
    found = best_by_words(index, "pump", COLUMNS, scope, count)
    least = worth[min(count, len(worth)) - 1][1]
    assert set(found) == {n for n, value in worth if value <= least}
    values = dict(worth)
    assert [values[n] for n in found] == sorted(values[n] for n in found)
