"""Filters of a search: each keeps out what lies beside it, alone and with others."""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import pytest
from small_vault import Vault

from memtend.search.index import Index
from memtend.search.rank import search
from memtend.search.scope import Scope

NOTES: Mapping[str, Mapping[str, str]] = {
    "MEM-all": {"topic": "http/retry", "category": "CONFIG", "tags": "api, ünï", "modified": "2026-06-30"},
    "MEM-late": {"topic": "http", "category": "config", "tags": "API", "modified": "2026-06-30T23:59:00Z"},
    "MEM-inner": {"topic": "my/http", "category": "CONFIGURATION", "tags": "apis", "modified": "2026-06-29T23:59:59Z"},
    "MEM-beside": {"topic": "http-client", "category": "TECHNIQUE", "tags": "uni", "created": "2026-06-30"},
    "MEM-bare": {},
    "MEM-gone": {
        "topic": "http",
        "category": "CONFIG",
        "tags": "api",
        "modified": "2026-06-30",
        "status": "tombstoned",
    },
}
FILTERS: Mapping[str, tuple[Mapping[str, object], set[str]]] = {
    "topic": ({"topic": "HTTP"}, {"MEM-all", "MEM-late"}),
    "category": ({"category": "Config"}, {"MEM-all", "MEM-late"}),
    "tag": ({"tags": ("api",)}, {"MEM-all", "MEM-late"}),
    "accents": ({"tags": ("UNI",)}, {"MEM-all", "MEM-beside"}),
    "since": ({"since": "2026-06-30"}, {"MEM-all", "MEM-late", "MEM-beside"}),
    "before": ({"before": "2026-06-30"}, {"MEM-inner"}),
    "until": ({"before": "2026-07-01"}, {"MEM-all", "MEM-late", "MEM-inner", "MEM-beside"}),
    "two tags": ({"tags": ("api", "uni")}, {"MEM-all"}),
}
EVERYONE = set(NOTES) - {"MEM-gone"}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    vault = Vault(tmp_path_factory.mktemp("scope") / "vault")
    for id, fields in NOTES.items():
        vault.note(id, "The widget is kept.", dict(fields))
    return vault.index()


def _found(index: Index, scope: Scope, method: str = "hybrid") -> set[str]:
    return {str(hit.id) for hit in search(index, "widget", 50, scope, method).hits}


@pytest.mark.parametrize(("given", "ids"), FILTERS.values(), ids=FILTERS)
@pytest.mark.parametrize("method", ["hybrid", "lexical", "semantic"])
def test_a_filter_lets_through_what_it_means_and_nothing_beside_it(
    index: Index, given: Mapping[str, object], ids: set[str], method: str
) -> None:
    assert _found(index, Scope(**given), method) == ids  # type: ignore[arg-type]


@pytest.mark.parametrize(("one", "other"), list(combinations(FILTERS, 2)))
def test_two_filters_let_through_what_both_do(index: Index, one: str, other: str) -> None:
    (given, ids), (more, others) = FILTERS[one], FILTERS[other]
    if given.keys().isdisjoint(more):
        assert _found(index, Scope(**given, **more)) == ids & others  # type: ignore[arg-type]


def test_what_is_retired_answers_where_it_is_asked_for_alone(index: Index) -> None:
    assert _found(index, Scope()) == EVERYONE
    assert _found(index, Scope(include_retired=True)) == set(NOTES)
    assert _found(index, Scope("http", include_retired=True, tags=("api",))) == {"MEM-all", "MEM-late", "MEM-gone"}


@pytest.mark.parametrize("topic", ["htt", "http/", "/http/", "http/retr", "http'", "%", "_", "http/../http"])
def test_a_topic_is_a_name_and_no_pattern(index: Index, topic: str) -> None:
    assert _found(index, Scope(topic)) == ({"MEM-all", "MEM-late"} if topic.strip("/") == "http" else set())


def test_a_filter_holds_for_what_is_named_exactly_too(index: Index) -> None:
    assert [hit.id for hit in search(index, "MEM-beside", 5, Scope("http-client")).hits] == ["MEM-beside"]
    assert "MEM-beside" not in [hit.id for hit in search(index, "MEM-beside", 5, Scope("http")).hits]


def test_fillers_as_written_are_looked_for_in_the_scope_and_only_where_they_are_rare(tmp_path: Path) -> None:
    vault = Vault(tmp_path / "vault")
    for number in range(150):
        vault.note(f"MEM-{number:03}", "To be or not to be." if number < 15 else f"Widget {number}.", topic="plays")
    vault.note("MEM-title", "Widget.", {"title": "Not to be"}, topic="other")
    index = vault.index()
    assert len(search(index, "or not to be", 50).hits) == 15  # a tenth of all
    assert {hit.id for hit in search(index, "not to be", 50, Scope("other")).hits} == {"MEM-title"}
    for number in range(15, 40):
        vault.note(f"MEM-{number:03}", "To be or not to be.", topic="plays")
    vault.refresh(index)
    assert [hit.id for hit in search(index, "not to be", 50).hits] == ["MEM-title"]
    small = Vault(tmp_path / "small")
    for number in range(10):
        small.note(f"MEM-{number}", "To be or not to be.")
    assert len(search(small.index(), "or not to be", 50).hits) == 10  # ten are few anywhere
    small.note("MEM-10", "To be or not to be.")
    assert search(small.index(), "or not to be", 50).hits == ()
