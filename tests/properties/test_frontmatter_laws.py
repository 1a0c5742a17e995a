"""Laws of the frontmatter: what is written reads back, what is not meant does not change, YAML agrees."""

from typing import Any

import ryaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from memtend.errors import Refused
from memtend.frontmatter import REMOVE, Raw, Remove, Value, edit, names, raw, read, render

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
# fmt: off
TRICKY = st.sampled_from([
    "", " ", "no", "null", "~", "1.10", "0123", "2026-06-08", "a: b", "a #b", "#a", "- a", "---", "...", "|", ">",
    "'", '"', "[a]", "{a}", "a,b", "*a", "&a", "!a", "%a", "@a", "`a`", "a:", ":a", "?", '\\', "\\1", "$&", "a\nb",
    "\r\n", "\x00", "\u2028", "\x85", "\ufeff", "\xa0a", "\t", "a\tb", "é", "日本語", "🎉", "=", "<<", "12:30", "0x1f",
    "1e3", ".inf",
])
# fmt: on
WORDS = TEXT | TRICKY | st.text("ab :#,-'\"\n[]{}\\|>", max_size=12)
KEYS = st.sampled_from(["title", "tags", "summary", "x"]) | WORDS
VALUES: st.SearchStrategy[Value] = st.none() | WORDS | st.lists(WORDS, max_size=4).map(tuple)


def parsed(data: bytes) -> Any:
    """What a YAML parser makes of the block; None where it refuses it."""
    text = data[data.index(b"\n") + 1 : read(data).body_start].decode()
    try:
        return ryaml.loads(text[: text.rindex("---")])  # type: ignore[attr-defined]
    except ValueError:
        return None


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4))
def test_whatever_is_rendered_reads_back_equal(values: dict[str, Value]) -> None:
    data = render(values).encode() + b"body\n"
    front = read(data)
    assert dict(front.values) == values
    assert list(front.values) == list(values)
    assert (front.problems, data[front.body_start :]) == ((), b"body\n")


@given(WORDS)
def test_a_yaml_parser_reads_the_same_text_from_what_is_rendered(text: str) -> None:
    found = parsed(render({"key": text, "list": (text,)}).encode())
    assert [str(found["key"]), str(found["list"][0])] == [text, text]
    assert isinstance(found["key"], str) or text.lstrip("-").replace("-", "").isdigit()


SHAPES = st.sampled_from(
    [
        ("title: plain words\n", "title"),
        ("title: 'single'   # why\n", "title"),
        ('title: "double: yes"\n', "title"),
        ("title:  # nothing yet\n", "title"),
        ("title: null\n", "title"),
        ("title: |\n  one\n\n  two\n", "title"),
        ("title: >-\n  one\n  two\n", "title"),
        ("tags: [a, 'b',  \"c\"] # why\n", "tags"),
        ("tags: [\n  a,\n  b\n]\n", "tags"),
        ("tags: []\n", "tags"),
        ("tags: a, b\n", "tags"),
        ("tags:\n  - a # one\n\n  - 'b'\n", "tags"),
        ("tags:\n- a\n# between\n- b\n", "tags"),
        ("meta:\n  a: 1\n  b: [2]\n", "meta"),
        ("meta: {a: 1} # why\n", "meta"),
        ("title: a: b\n", "title"),
    ]
)
FRAME = "# first\nbefore: 'x: y' # kept\n\n{}\n# about the rest\nrest:\n  - 1 # kept\ncount: 0\n"


@given(SHAPES, VALUES | st.just(REMOVE), st.sampled_from(["\n", "\r\n"]), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_an_edit_changes_the_lines_of_its_key_and_no_other_byte(
    shape: tuple[str, str], value: Value | Remove, newline: str, bom: bytes
) -> None:
    text, key = shape
    before, behind = ("---\n" + FRAME + "---\nbody\n").split("{}")
    pieces = [bom + before.replace("\n", newline).encode(), behind.replace("\n", newline).encode()]
    data = text.replace("\n", newline).encode().join(pieces)
    after = edit(data, {key: value})
    assert after.startswith(pieces[0])
    assert after.endswith(pieces[1])
    found = read(after).values
    if isinstance(value, Remove):
        assert after == b"".join(pieces)
    elif isinstance(value, tuple) and isinstance(found[key], str):
        assert names(found[key]) == value
    else:
        assert found[key] == value
    assert after.count(b"\n") == after.count(newline.encode())


FORMS = {
    "plain": (st.text("abc xz", min_size=1, max_size=8).map(str.strip).filter(bool), "k: {}   # why\n"),
    "day": (st.dates().filter(lambda day: day.year > 999).map(str), "k: {}\n"),
    "count": (st.integers(0, 10**9).map(str), "k: {}\n"),
    "single": (st.text("ab:# -", max_size=8), "k: '{}' # why\n"),
    "double": (st.text("ab:# -,[]", max_size=8), 'k: "{}"\n'),
}


@given(st.data())
def test_an_edit_and_its_opposite_restore_the_file_where_the_form_can_hold_both(data: st.DataObject) -> None:
    strategy, form = data.draw(st.sampled_from(list(FORMS.values())))
    old, new = data.draw(strategy), data.draw(strategy)
    text = f"---\na: 1\n{form.format(old)}b: 2\n---\nbody\n".encode()
    assert edit(edit(text, {"k": new}), {"k": old}) == text


LISTS = st.lists(st.sampled_from(["a", "b", "c c", "d"]), min_size=1, max_size=4, unique=True).map(tuple)


@given(LISTS, LISTS, st.sampled_from(["k: [{}]\n", "k: [ {} ]  # why\n", "k:\n{}", "k: {}\n"]), st.booleans())
def test_a_list_changed_and_changed_back_is_the_same_file(
    old: tuple[str, ...], new: tuple[str, ...], form: str, is_quoted: bool
) -> None:
    if form == "k: {}\n":
        text = ", ".join(old)
    else:
        items = [f"'{item}'" if is_quoted else item for item in old]
        text = "".join(f"  - {item}\n" for item in items) if form == "k:\n{}" else ", ".join(items)
    data = f"---\na: 1\n{form.format(text)}b: 2\n---\n".encode()
    assert edit(edit(data, {"k": new}), {"k": old}) == data


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=3), st.binary(max_size=20), st.booleans())
@example({"a": "1"}, b"\xef\xbb\xbf---\r\nprose\r\n---\r\n", True)
def test_keys_that_are_added_and_removed_leave_no_trace(values: dict[str, Value], body: bytes, has_block: bool) -> None:
    data = b"---\nfirst: 'x' # kept\n\n# end\n---\n" + body if has_block else body
    assume(not read(data).is_broken and read(data).is_present == has_block)
    assume("first" not in values)
    gone: dict[str, Value | Remove] = dict.fromkeys(values, REMOVE)
    assert edit(edit(data, values), gone) == data


@given(st.lists(KEYS, max_size=4, unique=True), st.lists(KEYS, min_size=1, max_size=4, unique=True))
def test_new_keys_stand_in_their_usual_order(present: list[str], new: list[str]) -> None:
    usual = sorted({*present, *new})
    data = render(dict.fromkeys(sorted(present), "x")).encode() if present else b""
    after = edit(data, dict.fromkeys(new, "y"), after=usual)
    if present:
        assert list(read(after).values) == usual


# fmt: off
YAML_VALUES = st.sampled_from([
    "foo", "foo bar", "a: b", "x #y", "x # y", "# c", "'it''s'", '"q \\n z"', '"abc "def"', "null", "~", "",
    "1.10", "no", "[a, b]", '[a, \'b\', "c"]', "[[x]]", "[[x]] y", "{a: 1}", "[a,", "[]", "*x", "!t y", "`b`",
    "- a", "|", ">-", "|2", "> q", "a'b", "a, b", "a:", "-", "['a' b]", "]", '"', "'", "{{x}}",
])
# fmt: on
LINE = st.one_of(
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["title", "k", "tags", "a b", "'q'", '"d"', "x.y", "-k"]),
        st.sampled_from([":", ": ", ":  ", " : "]),
        YAML_VALUES,
    ),
    st.sampled_from(
        ["- a", "  - a", "  - 'b'", "  - a: b", "  more", "    deep", "  k: v", "", "# c", "  # c", "k:", "tags:"]
    ),
)
BLOCKS = st.lists(LINE, min_size=1, max_size=6).map(
    lambda lines: ("---\n" + "\n".join(lines) + "\n---\nbody\n").encode()
)


@settings(max_examples=400)
@given(BLOCKS)
def test_what_is_read_without_a_problem_a_yaml_parser_reads_too(data: bytes) -> None:
    front = read(data)
    found = parsed(data)
    if not front.is_present or front.problems or not isinstance(found, dict):
        assert not front.values or front.problems or isinstance(found, dict) or b"{{x}}" in data
        return
    assert set(front.values) == set(found)
    for key, value in found.items():
        ours = front.values[key]
        if isinstance(value, str) and not isinstance(ours, Raw):
            assert ours == value
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            assert ours == tuple(value)
        elif value is None:
            assert ours is None


@settings(max_examples=300)
@given(BLOCKS, st.sampled_from(["title", "k", "tags", "new"]), VALUES | st.just(REMOVE))
def test_an_edit_of_any_block_is_refused_or_touches_one_key(data: bytes, key: str, value: Value | Remove) -> None:
    before = read(data)
    try:
        after = edit(data, {key: value})
    except Refused:
        return
    untouched = [other for other in before.values if other != key]
    assert [raw(after, other) for other in untouched] == [raw(data, other) for other in untouched]
    assert after[read(after).body_start :] == data[before.body_start :]


@given(st.binary(max_size=60), st.sampled_from([b"", b"---\n", b"\xef\xbb\xbf---\r\n", b"---\ntitle: "]), st.booleans())
def test_no_bytes_make_reading_fail(noise: bytes, head: bytes, is_closed: bool) -> None:
    data = head + noise + (b"\n---\n" if is_closed else b"")
    front = read(data)
    assert 0 <= front.body_start <= len(data)
    try:
        after = edit(data, {"memtend": "x"})
    except Refused:
        return
    assert after.endswith(data[front.body_start :])
    assert read(after).values["memtend"] == "x"


@given(VALUES)
def test_names_of_names_are_the_names(value: Value) -> None:
    found = names(value)
    assert names(names(found)) == names(found)
    assert all(name and name == name.strip() and "," not in name for name in found)


# fmt: off
PLAIN_LINE = st.builds(
    "{}:{}".format,
    st.sampled_from(["title", "tags", "k", "a-b", "_x", "T1"]),
    st.sampled_from([
        " word", " two words", "  1.10", " no", " null", " ~", "", "  ", ' "q: #x"', " 's'", ' ""', " ''", " []",
        " [a]", " [a, b c]", " [a,]", " [a,,b]", ' ["a", "b,c"]', ' ["", "null"]', " [null]", "\n  - a\n  - b c",
        "\n- a", "\n- null", "\n  - a\n - b", "\n  - a\n    b", " a\xa0", " a\u2028b", " a\x85", " é", " x \t",
        " 's''t'", ' "a\\n"', " a # c", " a:b", " a: b", " 'x' y", "\n  more",
    ]),
)
# fmt: on


@settings(max_examples=400)
@given(st.lists(PLAIN_LINE | LINE, min_size=1, max_size=5), st.sampled_from(["---", "----\n---", "--- \n---"]))
def test_a_plain_block_is_read_as_the_scanner_reads_it(lines: list[str], close: str) -> None:
    block = "---\nfirst: one\n" + "\n".join(lines)
    found = read(f"{block}\n{close}\nbody".encode())
    scanned = read(f"{block}\n# a comment, so that the block is not plain\n{close}\nbody".encode())
    assert list(found.values.items()) == list(scanned.values.items())
    assert [type(value) for value in found.values.values()] == [type(value) for value in scanned.values.values()]
    assert (found.lines, found.is_present, found.is_broken) == (scanned.lines, scanned.is_present, scanned.is_broken)
    assert [fault.code for fault in found.problems] == [fault.code for fault in scanned.problems]
