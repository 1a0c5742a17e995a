"""Writing frontmatter: new blocks, new values, and every byte that stays."""

from pathlib import Path

import pytest
import ryaml
from head_of_file import block

from memtend.errors import Refused, SelfCheckFailed
from memtend.frontmatter import REMOVE, Raw, edit, read, render

SAMPLES = Path(__file__).parents[2].parent / "shared" / "samples"


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
