"""The head of a file: read leniently, changed key by key."""

import json
from pathlib import Path

import pytest
import ryaml

from memtend.errors import Refused, SelfCheckFailed
from memtend.frontmatter import REMOVE, Raw, edit, names, raw, read, render
from memtend.markdown import sections

SAMPLES = Path(__file__).parents[2].parent / "shared" / "samples"


def block(text: str, body: str = "Body.\n") -> bytes:
    return f"---\n{text}---\n{body}".encode()


def codes(data: bytes) -> list[str]:
    return [fault.code for fault in read(data).problems]


# --- reading ---------------------------------------------------------------------------------------------


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


# --- the catalogue of faults -----------------------------------------------------------------------------


def test_o_fm_01_a_colon_in_an_unquoted_title_loses_neither_title_nor_neighbours() -> None:
    data = block("title: Deploy: blue then green\ncreated: 2026-05-02\ntags: [WORKFLOW]\n")
    front = read(data)
    assert dict(front.values) == {
        "title": "Deploy: blue then green",
        "created": "2026-05-02",
        "tags": ("WORKFLOW",),
    }
    assert [(fault.code, fault.line, fault.column) for fault in front.problems] == [("unquoted-colon", 2, 14)]
    assert edit(data, {"created": "2026-05-03"}) == data.replace(b"05-02", b"05-03")
    assert b'title: "Deploy: canary"\n' in edit(data, {"title": "Deploy: canary"})


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("source: `C:\\agent\\logs`\n", "unquoted-sign", 2, 9),
        ("title: *Urgent* fix\n", "unquoted-sign", 2, 8),
        ("related:\n  - [[MEM-alpha]] see also\n", "text-after-list", 3, 5),
        ("related: [[MEM-alpha]] see also\n", "text-after-list", 2, 23),
    ],
)
def test_o_fm_02_markdown_in_yaml_is_read_and_reported_with_its_place(
    text: str, code: str, line: int, column: int
) -> None:
    data = block(text + "n: 1\n")
    front = read(data)
    assert [(fault.code, fault.line, fault.column) for fault in front.problems] == [(code, line, column)]
    assert front.values["n"] == "1"
    assert edit(data, {"n": "2"}) == data.replace(b"n: 1", b"n: 2")


def test_o_fm_02_a_rule_that_never_closes_is_text() -> None:
    data = b"---\nJust prose.\n"
    assert (read(data).is_present, read(data).body_start, read(data).problems) == (False, 0, ())
    assert edit(data, {"title": "x"}) == b"---\ntitle: x\n---\n" + data


def test_o_fm_02_a_block_that_lost_its_end_gets_no_second_one_on_top() -> None:
    data = b"---\ntitle: x\n\ntext\n"
    assert (read(data).is_present, read(data).is_broken, codes(data)) == (False, True, ["unclosed-block"])
    with pytest.raises(Refused):
        edit(data, {"title": "y"})


def test_o_fm_03_dates_stay_text() -> None:
    values = read(block("a: 2026-06-08\nb: 2026-06-08 10:00\nc: 2026-06-08T10:00:00+02:00\n")).values
    assert json.loads(json.dumps(values)) == {
        "a": "2026-06-08",
        "b": "2026-06-08 10:00",
        "c": "2026-06-08T10:00:00+02:00",
    }


GATE = b"""---
# owner: platform team
title: "Gate: blocks the release"
created: 2026-03-18        # first seen
tags: [type/project, status/active]
retrieval_count: 0
last_retrieved:     # never
blocked: "yes"
custom_field: keep me
---
text
"""


def test_o_fm_04_an_update_changes_only_the_lines_it_touches() -> None:
    after = edit(GATE, {"retrieval_count": "1", "last_retrieved": "2026-06-30"})
    assert after == GATE.replace(b"count: 0", b"count: 1").replace(b"retrieved:     #", b"retrieved: 2026-06-30     #")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("title", "Gate: waits"),
        ("created", "2027-01-01"),
        ("tags", ("status/active",)),
        ("tags", ("type/project", "new one", "status/active")),
        ("retrieval_count", "12"),
        ("blocked", "no"),
        ("custom_field", "other words"),
        ("brand_new", "x"),
        ("brand_new", ("x", "y")),
        ("brand_new", None),
    ],
)
def test_o_fm_04_an_update_and_its_opposite_restore_the_file(key: str, value: str | tuple[str, ...] | None) -> None:
    old = read(GATE).values.get(key, REMOVE)
    after = edit(GATE, {key: value})
    assert after != GATE
    assert edit(after, {key: old}) == GATE


def test_o_fm_05_a_block_that_cannot_be_parsed_is_never_replaced() -> None:
    data = block('title: "abc "def" ghi"\ntags: [a, b]\n')
    front = read(data)
    assert front.is_present
    assert front.is_broken
    assert front.values == {"title": 'abc "def" ghi', "tags": ("a", "b")}
    for changes in ({"tags": ("c",)}, {"title": "new"}, {"modified": "2026-01-01"}, {"tags": REMOVE}):
        with pytest.raises(Refused, match="line 2, column 8"):
            edit(data, changes)  # type: ignore[arg-type]
    assert edit(data, {}) == data


def test_o_fm_05_a_value_that_an_editor_wrapped_at_the_margin_breaks_the_block_and_gets_none_on_top() -> None:
    data = block("title: x\nsummary: a long text\nthat an editor\nwrapped\nat the margin\n")
    assert (read(data).is_present, read(data).is_broken) == (True, True)
    assert read(data).values == {"title": "x", "summary": "a long text"}
    with pytest.raises(Refused, match="line 4, column 1"):
        edit(data, {"title": "y"})


@pytest.mark.parametrize(
    ("data", "after"),
    [
        (b"---\r\ntitle: a\r\n---\r\nbody\r\n", b"---\r\ntitle: b\r\nnew: [x]\r\n---\r\nbody\r\n"),
        (b"---\ntitle: a\n---", b"---\ntitle: b\nnew: [x]\n---"),
        (b"---  \ntitle: a\n---\t\nbody\n", b"---  \ntitle: b\nnew: [x]\n---\t\nbody\n"),
        (b"\xef\xbb\xbf---\r\ntitle: a\r\n---\r\n", b"\xef\xbb\xbf---\r\ntitle: b\r\nnew: [x]\r\n---\r\n"),
    ],
)
def test_o_fm_06_fences_with_crlf_or_blanks_or_at_the_end_parse_and_stay_single(data: bytes, after: bytes) -> None:
    assert dict(read(data).values) == {"title": "a"}
    assert edit(data, {"title": "b", "new": ("x",)}) == after


@pytest.mark.parametrize(
    "form", ["|\n  old\n", "|-\n  old\n", "\n  - old\n", "[\n  old\n  ]\n", "\n  k: v\n", "'old'\n"]
)
def test_o_fm_06_no_edit_mixes_line_ends(form: str) -> None:
    data = block(f"a: {form}z: 1\n").replace(b"\n", b"\r\n")
    for value in ("new", "one\ntwo\n", ("x", "y"), (), None, REMOVE):
        after = edit(data, {"a": value, "n": "1"})
        assert after.count(b"\n") == after.count(b"\r\n")


def test_o_fm_07_names_that_look_like_numbers_and_truth_values_stay_text() -> None:
    data = block("tags: [no, on, yes, 2017, 1.10, null, 0123, 12:30:45]\n")
    assert read(data).values["tags"] == ("no", "on", "yes", "2017", "1.10", "0123", "12:30:45")
    assert [(fault.code, fault.line, fault.column) for fault in read(data).problems] == [("null-in-list", 2, 33)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Stack Overflow, votes", ("Stack Overflow", "votes")),
        ("single", ("single",)),
        ("a,b", ("a", "b")),
        (("a", "b"), ("a", "b")),
        (("a,b",), ("a", "b")),
        ("[a, b]", ("a", "b")),
        (("[PATTERN]",), ("PATTERN",)),
        ("[PATTERN]", ("PATTERN",)),
        ("#one, #two", ("one", "two")),
        ("#one #two", ("one", "two")),
        (("#one", " two "), ("one", "two")),
        ('"a", "b"', ("a", "b")),
        ("[[MEM-x]]", ("MEM-x",)),
        ("C#, a[0]", ("C#", "a[0]")),
        ("", ()),
        (" , ,", ()),
        (None, ()),
        ((), ()),
        (Raw("\n  a: 1"), ()),
    ],
)
def test_o_fm_08_one_rule_for_lists_of_names(value: str | tuple[str, ...] | None, expected: tuple[str, ...]) -> None:
    assert names(value) == expected


def test_o_fm_08_a_comma_string_stays_one_when_names_are_added() -> None:
    data = block('tags: Stack Overflow, votes\nkeywords: "single"\ntopics: a,b\n')
    after = edit(data, {"tags": ("votes", "new"), "keywords": ("single", "more"), "topics": ("a", "b", "c")})
    assert after == block('tags: votes, new\nkeywords: "single, more"\ntopics: a,b,c\n')
    assert edit(data, {"tags": ("Stack Overflow", "votes")}) == data


def test_o_fm_08_a_name_that_no_comma_string_can_hold_makes_a_list() -> None:
    assert edit(block("tags: a, b\n"), {"tags": ("a", "b,c")}) == block('tags: [a, "b,c"]\n')


@pytest.mark.parametrize(
    "text",
    [
        "Quarterly review\nstatus: purged\ntags: [x]",
        "ends with ---\n---\n# Fake heading",
        "a\u2028b",
        "a\u2029b\u0085c",
        "tail\r\n",
        "\ufeffmark",
        "nul \x00 and bell \x07",
    ],
)
def test_o_fm_09_a_line_break_in_a_value_gives_neither_keys_nor_headings(text: str) -> None:
    values = {"title": text, "status": "active", "tags": ("real",)}
    assert dict(read(render(values).encode()).values) == values
    data = block("title: x\nstatus: active\n")
    after = edit(data, {"title": text, "topic": text})
    assert dict(read(after).values) == {"title": text, "status": "active", "topic": text}
    assert sections(after, read(after).body_start) == ()
    assert after.count(b"\n") == data.count(b"\n") + 1


def test_o_fm_09_half_a_character_is_refused() -> None:
    for call in (lambda: render({"a": "\ud800"}), lambda: edit(block("a: b\n"), {"a": ("\udfff",)})):
        with pytest.raises(Refused, match="half of a character"):
            call()


def test_o_fm_10_a_key_that_stands_twice_is_reported_and_both_lines_stay() -> None:
    data = block("title: First\ncreated: 2026-01-01\ntitle: Second\n")
    front = read(data)
    assert front.values["title"] == "Second"
    assert [(f.code, f.line) for f in front.problems] == [("duplicate-key", 4)]
    assert "title" in front.problems[0].message
    assert edit(data, {"created": "2026-02-02"}) == data.replace(b"01-01", b"02-02")
    for changes in ({"title": "Third"}, {"title": REMOVE}):
        with pytest.raises(Refused, match="title stands twice"):
            edit(data, changes)  # type: ignore[arg-type]


def test_o_fm_11_a_hash_sign_is_reported_and_nothing_behind_it_is_lost() -> None:
    data = block("summary: Closes bug #42 in the parser\nn: 1\n")
    assert [(f.code, f.line, f.column) for f in read(data).problems] == [("cut-at-hash", 2, 21)]
    assert b"#42 in the parser" in edit(data, {"n": "2"})
    assert render({"summary": "Closes bug #42"}) == '---\nsummary: "Closes bug #42"\n---\n'
    assert codes(block("created: 2026-01-01  # a comment\n")) == []
    assert read(block("tags: #one, #two\n")).values["tags"] == "#one, #two"


@pytest.mark.parametrize(
    "data",
    [
        b"---\n\nHello, this is prose between two rules.\n---\nmore\n",
        b"---\nA first paragraph\nwith a second line.\n---\nmore\n",
        b"---\n# A heading\n---\nmore\n",
        b"---\n- one\n- two\n---\nmore\n",
        b"---\n> quoted\n---\n",
    ],
)
def test_o_fm_12_text_between_two_rules_is_body_and_stays(data: bytes) -> None:
    front = read(data)
    assert (front.is_present, front.is_broken, front.body_start, dict(front.values)) == (False, False, 0, {})
    after = edit(data, {"title": "x"})
    assert after == b"---\ntitle: x\n---\n" + data
    assert after[read(after).body_start :] == data
    assert edit(after, {"title": REMOVE}) == data


@pytest.mark.parametrize("text", ["{title: x}\n", "? title\n: x\n", "  title: x\n  n: 1\n"])
def test_o_fm_12_a_mapping_in_a_form_we_do_not_edit_is_no_body_text(text: str) -> None:
    front = read(block(text))
    assert (front.is_present, front.is_broken) == (True, True)


@pytest.mark.parametrize(
    "value", ["C:\\new\\table", "\\1", "\\g<0>", "C:\\", "$1,699", "a$'b", "$&", "%s {0}", 'say "\\"']
)
def test_o_md_08_new_text_is_never_a_template(value: str) -> None:
    data = block("title: x\ntopic: 'y'\nsummary: \"z\"\ntags: [a]\nwords:\n  - b\n")
    changes = {"title": value, "topic": value, "summary": value, "tags": (value,), "words": (value, "b"), "new": value}
    assert dict(read(edit(data, changes)).values) == changes


def test_o_md_05_a_block_that_never_closes_is_read_in_no_time() -> None:
    front = read(b"---\n" + b"k: v\n" * 50_000)
    assert (front.is_present, front.body_start) == (False, 0)


# --- writing ---------------------------------------------------------------------------------------------


def test_a_new_block_quotes_what_needs_quotes_and_nothing_else() -> None:
    values = {
        "title": "Warm caches first",
        "created": "2026-03-04",
        "tags": ("PATTERN", "two words", "no", "1.10"),
        "topic": "python/libs",
        "count": "0",
        "version": "1.10",
        "flag": "yes",
        "last": None,
        "none": "null",
        "list": (),
        "blank": "",
        "odd key: #1": "x",
    }
    text = render(values)
    assert text == (
        '---\ntitle: "Warm caches first"\ncreated: 2026-03-04\ntags: [PATTERN, "two words", "no", "1.10"]\n'
        'topic: python/libs\ncount: 0\nversion: "1.10"\nflag: "yes"\nlast: null\nnone: "null"\nlist: []\nblank: ""\n'
        '"odd key: #1": x\n---\n'
    )
    assert dict(read(text.encode()).values) == values


def test_a_long_list_is_written_one_entry_a_line() -> None:
    words = tuple(f"keyword-number-{i}" for i in range(12))
    text = render({"keywords": words})
    assert text.startswith("---\nkeywords:\n  - keyword-number-0\n")
    assert read(text.encode()).values["keywords"] == words


def test_a_value_keeps_its_quotes_where_they_can_hold_the_new_one() -> None:
    data = block("a: one\nb: 'one'\nc: \"one\"\nd: 1\ne: 1.9\nf: |\n  one\n  two\ng: >-\n  one\n")
    after = edit(data, dict.fromkeys("abcfg", "two words") | {"d": "2", "e": "1.10"})
    assert after == block(
        "a: two words\nb: 'two words'\nc: \"two words\"\nd: 2\ne: 1.10\nf: |-\n  two words\ng: >-\n  two words\n"
    )
    after = edit(data, {"a": "x: y", "b": "it's", "c": 'say "x"', "d": "no", "f": "x\n\ny\n", "g": "x\ny"})
    assert after == block(
        'a: "x: y"\nb: \'it\'\'s\'\nc: "say \\"x\\""\nd: no\ne: 1.9\nf: |\n  x\n\n  y\ng: |-\n  x\n  y\n'
    )


def test_a_plain_text_gets_quotes_before_other_readers_take_it_for_a_number_or_a_truth_value() -> None:
    data = block("title: words\n")
    for value in ("no", "1.10", "null", "~", "0x1f", "12:30:45", "2026-06-08 10:00:00", "1e3", ".5", "true"):
        assert edit(data, {"title": value}) == block(f'title: "{value}"\n')
    assert edit(data, {"title": "1984"}) == block("title: 1984\n")


@pytest.mark.parametrize(
    "value", ["ends with:", "a: b", "a #b", " a", "a ", "- a", "#a", "[a]", "", "a\tb", "...", "@a"]
)
def test_a_plain_text_that_would_not_read_back_gets_quotes(value: str) -> None:
    after = edit(block("title: words\n"), {"title": value})
    assert after.startswith(b'---\ntitle: "')
    assert ryaml.loads(after.decode().split("---\n")[1]) == {"title": value}  # type: ignore[attr-defined]


def test_lists_keep_their_form_and_the_entries_that_stay_keep_theirs() -> None:
    data = block(
        "one: [ a, 'b',  \"c\" ]  # why\nmany:\n  - a    # first\n  # between\n  - 'b'\n\n  - c\n"
        "wide: [\n  a,\n  b\n]\nmargin:\n- a\n- b\n"
    )
    after = edit(
        data,
        {
            "one": ("a", "x", "c"),
            "many": ("a", "x y", "c", "d"),
            "wide": ("a", "b", "c"),
            "margin": ("b",),
        },
    )
    assert after == block(
        'one: [ a, x,  "c" ]  # why\nmany:\n  - a    # first\n  - x y\n  # between\n\n  - c\n  - d\n'
        "wide: [\n  a,\n  b,\n  c\n]\nmargin:\n- b\n"
    )


def test_a_value_of_another_kind_takes_the_place_of_the_old_one() -> None:
    data = block("a:\n  - x\n  - y\nb: [x, y]\nc: text\nd: # why\ne:\n  k: v\nf: |\n  one\n  two\ng: end\n")
    after = edit(data, {"a": "text", "b": None, "c": None, "d": ("x",), "e": "flat", "f": ("x",), "g": ()})
    assert after == block("a: text\nb: null\nc: null\nd: [x] # why\ne: flat\nf: [x]\ng: []\n")


def test_a_raw_value_is_written_as_it_is() -> None:
    data = block("meta:\n  a: 1\npoint: {x: 1}  # here\nn: 1\n")
    new = {"meta": Raw("\n  a: 2\n  b: 3"), "point": Raw("{x: 2}"), "n": Raw("[[1], [2]]")}
    after = edit(data, new)
    assert after == block("meta:\n  a: 2\n  b: 3\npoint: {x: 2}  # here\nn: [[1], [2]]\n")
    old = {key: read(data).values[key] for key in ("meta", "point", "n")}
    assert edit(after, old) == data
    assert dict(read(render(new).encode()).values) == new


def test_new_keys_go_to_the_end_or_where_they_usually_stand() -> None:
    data = block("title: x\nsummary: y\n# the end\n")
    usual = ("title", "created", "tags", "summary", "status")
    assert edit(data, {"status": "active"}) == block("title: x\nsummary: y\n# the end\nstatus: active\n")
    after = edit(data, {"status": "active", "tags": ("a",), "created": "2026-01-01"}, after=usual)
    assert after == block("title: x\ncreated: 2026-01-01\ntags: [a]\nsummary: y\nstatus: active\n# the end\n")
    assert edit(block("summary: y\n"), {"title": "x"}, after=usual) == block("title: x\nsummary: y\n")
    assert edit(data, {"odd": "1"}, after="title") == block("title: x\nodd: 1\nsummary: y\n# the end\n")


def test_a_file_without_a_block_gets_one_in_front_in_its_own_line_ends() -> None:
    assert edit(b"", {"a": "1"}) == b"---\na: 1\n---\n"
    assert edit(b"text\r\nmore\r\n", {"a": "1"}) == b"---\r\na: 1\r\n---\r\ntext\r\nmore\r\n"
    assert edit(b"\xef\xbb\xbftext\n", {"a": "1"}) == b"\xef\xbb\xbf---\na: 1\n---\ntext\n"
    assert edit(b"text\n", {"a": REMOVE}) == b"text\n"


def test_a_block_goes_with_its_last_key() -> None:
    for data in (b"text\n", b"\xef\xbb\xbftext\r\n", b"", b"\n\ntext"):
        assert edit(edit(data, {"a": "1", "b": ("x",)}), {"a": REMOVE, "b": REMOVE}) == data


def test_the_last_key_stays_where_comments_would_become_text() -> None:
    with pytest.raises(Refused, match="comments"):
        edit(block("# who\na: 1\n"), {"a": REMOVE})


def test_the_last_key_goes_and_the_fences_stay_where_the_body_looks_like_a_block() -> None:
    data = b"---\na: 1\n---\n---\nb: 2\n---\n"
    assert edit(data, {"a": REMOVE}) == b"---\n---\n---\nb: 2\n---\n"


def test_a_removed_key_takes_all_its_lines_and_no_other() -> None:
    data = block("a: 1\nlist: # why\n  - x\n  # between\n  - y\n\n# about b\nb: |\n  one\n\n  two\nc: 3\n")
    assert edit(data, {"list": REMOVE}) == block("a: 1\n\n# about b\nb: |\n  one\n\n  two\nc: 3\n")
    assert edit(data, {"b": REMOVE, "absent": REMOVE}) == block(
        "a: 1\nlist: # why\n  - x\n  # between\n  - y\n\n# about b\nc: 3\n"
    )


def test_an_anchor_that_others_refer_to_is_not_changed() -> None:
    data = block("base: &b x\nuse: *b\nn: 1\n")
    assert edit(data, {"n": "2"}) == data.replace(b"n: 1", b"n: 2")
    with pytest.raises(Refused, match="refer"):
        edit(data, {"base": "y"})


def test_an_edit_that_would_change_its_neighbour_is_stopped() -> None:
    data = block("text: >+\ngone: 1\n  # a comment that would become part of the text\n")
    with pytest.raises(SelfCheckFailed, match=r"\(text\)"):
        edit(data, {"gone": REMOVE})


def test_setting_a_value_to_what_it_is_changes_nothing() -> None:
    data = block("a:  'x'\nb: [ a ,b ]\nc:\nd: a,b\ne: {x: 1}\n")
    assert edit(data, dict(read(data).values)) == data
    assert edit(data, {"d": ("a", "b")}) == data


def test_every_sample_is_read_and_one_edit_changes_one_line() -> None:
    files = sorted(SAMPLES.rglob("*.md"))
    if not files:
        pytest.skip(f"no samples at {SAMPLES}")
    seen = 0
    for path in files:
        data = path.read_bytes()
        front = read(data)
        assert edit(data, dict(front.values)) == data, path.name
        if not front.is_present:
            continue
        assert not front.is_broken, (path.name, front.problems)
        for key, value in front.values.items():
            if isinstance(value, Raw):
                continue
            seen += 1
            after = edit(data, {key: "changed"})
            assert (
                edit(after, {"memtend_new": "1"}).splitlines()[: front.lines[key] - 1]
                == data.splitlines()[: front.lines[key] - 1]
            )
            if isinstance(value, str):
                lines, old = after.splitlines(), data.splitlines()
                assert [i for i in range(len(old)) if old[i] != lines[i]] == [front.lines[key] - 1], (path.name, key)
    assert seen > 100
