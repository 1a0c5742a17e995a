"""Arguments as clients really send them."""

import json
from pathlib import Path

import jsonschema
import pytest
from agents_client import Person, call, files_of
from hypothesis import given
from hypothesis import strategies as st

from memtend.errors import Usage
from memtend.mcp.arguments import OBJECT, SWITCH, TEXT, TEXTS, WHOLE, Parameter, read, schema_of
from memtend.mcp.desk import Desk

PARAMETERS = (
    Parameter(name="query", kind=TEXT, about="Words.", example="retry", required=True),
    Parameter(name="tags", kind=TEXTS, about="Tags.", example=["a"], splits=True),
    Parameter(name="ids", kind=TEXTS, about="Ids.", example=["MEM-a"]),
    Parameter(name="limit", kind=WHOLE, about="At most.", example=5, default=5, minimum=1, maximum=50),
    Parameter(name="archived", kind=SWITCH, about="Too.", example=False, default=False),
    Parameter(name="decisions", kind=OBJECT, about="By segment.", example={"a": 1}),
    Parameter(name="mode", kind=TEXT, about="Which.", example="x", choices=("x", "y")),
)


def value(**given: object) -> object:
    """The one argument that was given, as it is read."""
    (name,) = given
    return read("try", PARAMETERS, {"query": "q", **given})[name]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"tags": '["a", "b"]'}, ("a", "b")),
        ({"tags": "a"}, ("a",)),
        ({"tags": "a, b"}, ("a", "b")),
        ({"tags": "[a, 'b']"}, ("a", "b")),
        ({"tags": ""}, ()),
        ({"tags": None}, ()),
        ({"tags": "null"}, ()),
        ({"tags": ["a", "null", ""]}, ("a",)),
        ({"ids": "MEM-a"}, ("MEM-a",)),
        ({"ids": "notes, old.md"}, ("notes, old.md",)),
        ({"limit": "5"}, 5),
        ({"limit": 5.0}, 5),
        ({"limit": "7.0"}, 7),
        ({"limit": None}, 5),
        ({"limit": ""}, 5),
        ({"archived": "true"}, True),
        ({"archived": "False"}, False),
        ({"archived": 1}, True),
        ({"archived": None}, False),
        ({"decisions": '{"seg-001": {"action": "skip"}}'}, {"seg-001": {"action": "skip"}}),
        ({"decisions": "null"}, None),
        ({"mode": "null"}, None),
        ({"mode": "y"}, "y"),
    ],
)
def test_o_mc_05_what_comes_as_a_text_is_read_as_what_it_means(given: dict[str, object], expected: object) -> None:
    assert value(**given) == expected


@pytest.mark.parametrize(
    "given",
    [
        {"tags": "[a, b"},
        {"ids": "[a, b]"},
        {"tags": {"a": 1}},
        {"tags": [["a"]]},
        {"limit": "many"},
        {"limit": 5.5},
        {"limit": True},
        {"limit": 0},
        {"limit": 51},
        {"archived": "perhaps"},
        {"decisions": "seg-001 skip"},
        {"mode": "z"},
        {"query": None},
        {"query": ["a"]},
        {"quary": "a"},
    ],
)
def test_o_mc_05_what_cannot_be_meant_is_refused_with_a_call_that_is_right(given: dict[str, object]) -> None:
    with pytest.raises(Usage) as refused:
        read("try", PARAMETERS, {"query": "q", **given})
    assert 'A right call: try {"query": "retry"}' in refused.value.hint


def test_half_a_character_is_replaced_and_whole_ones_are_kept() -> None:
    assert value(query="a\ud83d b 🚀 測定") == "a\ufffd b 🚀 測定"


@given(st.text(), st.integers(1, 50), st.booleans(), st.lists(st.text(min_size=1)))
def test_what_the_schema_allows_is_never_refused(query: str, limit: int, archived: bool, tags: list[str]) -> None:
    given = {"query": query, "limit": limit, "archived": archived, "tags": tags}
    jsonschema.validate(given, schema_of(PARAMETERS))
    found = read("try", PARAMETERS, given)
    assert (found["limit"], found["archived"]) == (limit, archived)
    json.dumps(found)


NOTHING = "nothing-like-it"
_IDS = ("update_learning", "update_preference", "delete_learning", "delete_preference", "reinforce", "promote")
OF_NOBODY = (
    *(("memory", {"action": action, "id": NOTHING, "content": "x"}) for action in (*_IDS, "discard", "undo")),
    *(("memory", {"action": action, "id": NOTHING}) for action in ("tidy", "list", "organize", "expire")),
    *(
        ("category", {"action": action, "target": NOTHING})
        for action in ("search", "split", "restore", "forget", "undo")
    ),
    *(
        ("category", {"action": action, "target": NOTHING})
        for action in ("list", "check", "compact", "refresh", "sync")
    ),
    ("category", {"action": "list", "category": NOTHING}),
    ("category", {"action": "compact", "category": NOTHING}),
    *(("distill", {"mode": mode, "only": [NOTHING]}) for mode in ("report", "purge", "merge", "gc", "refine", "auto")),
    ("read", {"id": NOTHING}),
    ("undo", {"receipt": NOTHING}),
    ("learn", {"plan": NOTHING}),
    ("apply", {"plan": NOTHING, "decisions": {}}),
    ("role_read", {"path": NOTHING}),
    ("role_list", {"role": NOTHING}),
)


@pytest.mark.parametrize(
    ("tool", "given"), OF_NOBODY, ids=[f"{tool} {next(iter(given.values()))}" for tool, given in OF_NOBODY]
)
def test_a_name_that_is_nobodys_is_told_with_a_hint_and_nothing_is_written(
    everything: Desk, project: Path, tool: str, given: dict[str, object]
) -> None:
    before = files_of(project)
    fault = call(everything, tool, given, person=Person())["error"]
    assert fault["message"]
    assert fault["hint"]
    assert files_of(project) == before
