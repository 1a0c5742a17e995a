"""Edits of JSON and JSONC change what they are meant to and nothing else."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonc_texts import texts

from memtend.agents import jsonc
from memtend.agents.jsonc import append, items_removed, parse, put, removed, spliced
from memtend.errors import UnusableInput

SERVER = {"command": "memtend", "args": ["mcp"]}
COMMENTED = """{
  // servers of the team
  "mcpServers": {
    "other": {"command": "x"}, // keep
    /* old: "memtend": {} */
  },
  "zeta": 1, "alpha": [1, 2,],
}
"""


def test_a_member_is_put_behind_the_others_and_comments_stay() -> None:
    after = spliced(COMMENTED, put(COMMENTED, ("mcpServers", "memtend"), SERVER))
    assert after == COMMENTED.replace(
        '"x"},',
        '"x"},\n    "memtend": {\n      "command": "memtend",\n      "args": [\n        "mcp"\n      ]\n    }',
    )
    assert parse(after).plain()["mcpServers"]["memtend"] == SERVER


def test_an_empty_file_and_an_empty_object_are_filled() -> None:
    assert parse(spliced("", put("", ("a", "b"), 1))).plain() == {"a": {"b": 1}}
    for text in ("{}", "{ }", "{\n}\n", "{ // nothing yet\n}", "\ufeff{}", '{"a": {}}', '{"a": {\n}}'):
        assert parse(spliced(text, put(text, ("a", "b"), 1))).plain() == {"a": {"b": 1}}


def test_what_is_so_already_is_not_edited() -> None:
    text = spliced(COMMENTED, put(COMMENTED, ("mcpServers", "memtend"), SERVER))
    assert put(text, ("mcpServers", "memtend"), SERVER) == []
    text = spliced(text, append(text, ("hooks", "Stop"), {"x": 1}))
    assert append(text, ("hooks", "Stop"), {"x": 1}) == []


def test_indentation_and_line_ends_are_those_of_the_file() -> None:
    text = '{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n'
    after = spliced(text, put(text, ("a", "c"), {"d": 2}))
    assert after == '{\r\n\t"a": {\r\n\t\t"b": 1,\r\n\t\t"c": {\r\n\t\t\t"d": 2\r\n\t\t}\r\n\t}\r\n}\r\n'


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        '{"a": }',
        "[1,,2]",
        "{} {}",
        '{"a": tru}',
        "{a: 1}",
        '{"a": 1, "a": 2}',
        "[" * 999,
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(UnusableInput, match="line 1"):
        parse(text)


def test_a_path_through_something_else_is_refused() -> None:
    for text in ('{"mcpServers": []}', '{"mcpServers": 3}', "[]"):
        with pytest.raises(UnusableInput):
            put(text, ("mcpServers", "memtend"), SERVER)
    with pytest.raises(UnusableInput):
        append('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), 1)


@settings(max_examples=150, deadline=None)
@given(texts())
def test_any_text_is_read_as_what_it_says(case: tuple[str, Any]) -> None:
    text, value = case
    assert parse(text).plain() == value


@settings(max_examples=200, deadline=None)
@given(texts())
def test_putting_changes_one_key_and_taking_the_piece_back_gives_the_text(case: tuple[str, Any]) -> None:
    text, value = case
    if not isinstance(value.get("mcpServers", {}), dict):
        return
    (splice,) = put(text, ("mcpServers", "memtend"), SERVER)
    after = spliced(text, [splice])
    expected = {**value, "mcpServers": {**value.get("mcpServers", {}), "memtend": SERVER}}
    assert parse(after).plain() == expected
    assert list(parse(after).plain()) == list(expected)
    back = after[: splice.start] + text[splice.start : splice.end] + after[splice.start + len(splice.text) :]
    assert back == text
    gone = spliced(after, removed(after, ("mcpServers", "memtend")))
    rest = {key: one for key, one in value.items() if key != "mcpServers" or one}
    assert parse(gone).plain() == rest


@settings(max_examples=150, deadline=None)
@given(texts(), st.integers(0, 2))
def test_items_are_added_and_taken_out_by_themselves(case: tuple[str, Any], more: int) -> None:
    text, value = case
    if not isinstance(value.get("hooks", []), list):
        return
    for number in range(more + 1):
        text = spliced(text, append(text, ("hooks",), {"ours": number}))
    assert parse(text).plain()["hooks"] == value.get("hooks", []) + [{"ours": n} for n in range(more + 1)]
    for number in range(more + 1):
        text = spliced(text, items_removed(text, ("hooks",), [{"ours": number}]))
    assert parse(text).plain().get("hooks", []) == value.get("hooks", [])


def test_an_item_of_ours_in_another_form_is_replaced() -> None:
    text = '{"hooks": [{"run": "old"}, 1]}'
    (splice,) = jsonc.append(text, ("hooks",), {"run": "new"}, lambda item: isinstance(item, dict))
    assert parse(spliced(text, [splice])).plain() == {"hooks": [{"run": "new"}, 1]}
