"""The head of a file, read leniently."""

import pytest
import ryaml
from head_of_file import block, codes

from memtend.errors import Refused
from memtend.frontmatter import Raw, edit, raw, read


def test_values_are_the_text_as_it_is_written() -> None:
    data = block(
        "title: Warm caches first\ncreated: 2026-03-04\nversion: 1.10\ndone: no\nmode: 0644\n"
        "tags: [a, 'b c', \"d\"]\nkeywords:\n  - one\n  - two words\nempty:\ntilde: ~\nnothing: null\nquoted: 'null'\n"
    )
    assert dict(read(data).values) == {
        "title": "Warm caches first",
        "created": "2026-03-04",
        "version": "1.10",
        "done": "no",
        "mode": "0644",
        "tags": ("a", "b c", "d"),
        "keywords": ("one", "two words"),
        "empty": None,
        "tilde": None,
        "nothing": None,
        "quoted": "null",
    }


def test_a_file_without_a_block_is_all_body() -> None:
    front = read(b"# Title\n\ntext\n")
    assert (front.is_present, front.is_broken, front.body_start, dict(front.values)) == (False, False, 0, {})


def test_the_body_of_a_file_that_begins_with_a_byte_order_mark_begins_behind_it() -> None:
    assert read(b"\xef\xbb\xbftext").body_start == 3
    front = read(b"\xef\xbb\xbf---\ntitle: x\n---\nbody")
    assert (dict(front.values), front.body_start) == ({"title": "x"}, 20)


def test_lines_count_from_the_start_of_the_file() -> None:
    assert dict(read(block("# who\ntitle: a\nlist:\n  - x\n\nlast: b\n")).lines) == {"title": 3, "list": 4, "last": 7}


def test_an_empty_block_is_a_block() -> None:
    front = read(b"---\n---\ntext")
    assert (front.is_present, front.body_start) == (True, 8)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("|\n  one\n\n  two\n", "one\n\ntwo\n"),
        ("|-\n  one\n  two\n", "one\ntwo"),
        ("|+\n  one\n\n", "one\n\n"),
        (">\n  one\n  two\n\n  three\n", "one two\nthree\n"),
        (">-\n  one\n    deeper\n  two\n", "one\n  deeper\ntwo"),
        ("|2\n   indented\n", " indented\n"),
        ("one\n  two\n", "one two"),
        ("\n  on the next line\n", "on the next line"),
        ("one\n\n  two\n", "one\ntwo"),
        ('"one\n  two\n\n  three"\n', "one two\nthree"),
        ('"joined \\\n  here"\n', "joined here"),
        ("'it''s\n  so'\n", "it's so"),
        ('"\\u00e9\\x41\\t\\U0001F600\\L"\n', "éA\t😀\u2028"),
        ("plain  # a comment\n", "plain"),
        ("http://x.example/a#b\n", "http://x.example/a#b"),
        ('don\'t "stop"\n', 'don\'t "stop"'),
    ],
)
def test_scalars_are_read_as_yaml_says(written: str, value: str) -> None:
    data = block(f"key: {written}next: 1\n")
    front = read(data)
    assert (front.values["key"], front.values["next"], front.problems) == (value, "1", ())
    assert ryaml.loads(f"key: {written}next: 1\n")["key"] == value  # type: ignore[attr-defined]


def test_a_list_in_brackets_may_run_over_several_lines() -> None:
    data = block("keywords: [\n  one,   # first, of course\n  'two, too',\n  \"three\"\n]\nnext: 1\n")
    assert read(data).values["keywords"] == ("one", "two, too", "three")
    assert codes(data) == []


def test_a_block_list_may_stand_at_the_margin_and_hold_comments() -> None:
    data = block("keywords:\n# all of them\n- one # first\n\n- \"two\"\n- 'three'\nnext: 1\n")
    assert read(data).values["keywords"] == ("one", "two", "three")


def test_what_is_nested_is_kept_as_it_is_written() -> None:
    front = read(block("meta:\n  owner: me\n  ids: [1, 2]\npoint: {x: 1, y: 2}\ngrid: [[1, 2], [3]]\nnext: 1\n"))
    assert front.values == {
        "meta": "\n  owner: me\n  ids: [1, 2]",
        "point": "{x: 1, y: 2}",
        "grid": "[[1, 2], [3]]",
        "next": "1",
    }
    assert isinstance(front.values["meta"], Raw)
    assert not front.problems


def test_a_placeholder_of_a_template_is_kept_as_it_is_written() -> None:
    front = read(block("title: {{title}}\ncreated: {{date}}  # today\ntags: [{{tags}}]\n"))
    assert front.values == {"title": "{{title}}", "created": "{{date}}", "tags": "[{{tags}}]"}
    assert not front.is_broken


def test_brackets_without_end_and_without_measure_are_read_in_no_time() -> None:
    deep = "[" * 50_000
    assert read(block(f"a: {deep}{']' * 50_000}\nb:\n  c: {deep}\n")).is_broken


def test_nested_text_that_is_no_yaml_breaks_the_block() -> None:
    assert codes(block("meta:\n  a: 'x' y\n")) == ["not-yaml"]
    assert read(block("meta:\n  a: 'x' y\n")).is_broken


def test_bytes_that_are_not_utf8_are_replaced_in_the_value_and_kept_in_the_file() -> None:
    data = b"---\ntitle: caf\xe9\nn: 1\n---\nbody\n"
    assert read(data).values["title"] == "caf\ufffd"
    assert codes(data) == ["not-utf8"]
    assert edit(data, {"n": "2"}) == data.replace(b"n: 1", b"n: 2")


def test_raw_gives_a_value_as_it_is_written() -> None:
    data = block("a: 'x y'  # why\nb:\n  - 1\n  - 2\nc:\n")
    assert (raw(data, "a"), raw(data, "b"), raw(data, "c"), raw(data, "d")) == ("'x y'", "- 1\n  - 2", "", None)


@pytest.mark.parametrize(
    "text",
    [
        "title: x\n<<<<<<< ours\na: 1\n",
        "title: 'x' y\n",
        'title: "never closed\nother: 1\n',
        "tags: [a, b\nother: 1\n",
        "title: x\n  sub: y\n",
        "list:\n  - a\n - b\n",
        "list: ['a' b]\n",
        "list: [a, b}\n",
        "text: |\n    a\n  b\n",
        "a: x\ry\n",
    ],
)
def test_a_block_whose_parts_cannot_be_told_apart_is_broken_and_never_edited(text: str) -> None:
    data = block(text)
    front = read(data)
    assert front.is_present
    assert front.is_broken
    with pytest.raises(Refused) as refusal:
        edit(data, {"new": "1"})
    assert f"line {front.problems[0].line}" in refusal.value.message
    assert refusal.value.hint


def test_a_tab_before_an_entry_is_read_and_reported() -> None:
    data = block("keywords:\n\t- one\n\t- two\n")
    assert read(data).values["keywords"] == ("one", "two")
    assert codes(data) == ["tab-indent"]
