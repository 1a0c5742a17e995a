"""The known faults of frontmatter, one after the other."""

import json

import pytest
from head_of_file import block, codes

from memtend.errors import Refused
from memtend.frontmatter import REMOVE, Raw, edit, names, read, render
from memtend.markdown import sections


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
