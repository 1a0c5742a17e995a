"""The table of related words is what its sources say, and its sources say what can be looked for."""

import runpy
from pathlib import Path

import pytest

from memtend.search.related import PATH, Thesaurus

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools/thesaurus.py"))
LINES = [line for path in sorted(TOOL["SOURCES"].glob("*.txt")) for line in path.read_text("utf-8").split("\n")]


def test_the_table_is_made_of_the_sources_as_they_stand() -> None:
    assert TOOL["table"](LINES) == Path(PATH).read_bytes(), "make thesaurus"


def test_no_entry_stands_twice_and_none_names_a_term_twice() -> None:
    entries = [line for line in LINES if line[:1] in ("=", ">")]
    assert len(set(entries)) == len(entries) > 5_000
    for entry in entries:
        listed = entry[2:].replace(":", ",", 1) if entry[0] == ">" else entry[2:]
        terms = [term.strip() for term in listed.split(",")]
        assert len(set(terms)) == len(terms) > 1, entry


def table(tmp_path: Path, *lines: str) -> Thesaurus:
    """The table of some entries, open."""
    path = tmp_path / "thesaurus.table"
    path.write_bytes(TOOL["table"](lines))
    return Thesaurus(str(path))


def test_terms_that_mean_the_same_lead_to_each_other_and_a_general_one_to_its_kinds(tmp_path: Path) -> None:
    made = table(tmp_path, "# Boats", "= ferry, car boat", "> boat: ferries, canoe", "")
    assert dict(made.terms("ferri")) == {"": ["car boat"]}
    assert dict(made.terms("boat")) == {"": ["canoe", "ferries"], "~car": ["ferry"]}
    assert made.terms("cano") == []


def test_of_several_words_those_that_only_fill_are_kept_in_order_and_never_looked_for_alone(tmp_path: Path) -> None:
    made = table(tmp_path, "= out of fuel, stranded")
    assert dict(made.terms("out")) == {"of fuel": ["stranded"]}
    assert made.terms("strand") == [], "fuel alone would say something else"


@pytest.mark.parametrize(
    "line",
    ["ferry, boat", "= ferry, Boat", "= ferry,, boat", "> boat ferry", "= a b c d e, f", "= a=b, c", "= ..., dots"],
)
def test_what_is_no_entry_is_refused(line: str) -> None:
    with pytest.raises(TOOL["BadLine"]) as refused:
        TOOL["table"]([line])
    assert str(refused.value) == line
