"""Markdown by byte range. Case files of headings, blocks and links stand in tests/golden."""

import time
from pathlib import Path

import pytest

from memtend.frontmatter import read
from memtend.markdown import (
    Section,
    Span,
    blocks,
    list_items,
    newline_of,
    relink,
    sections,
    sections_named,
    shift_headings,
    splice,
    wiki_links,
)

SAMPLES = Path(__file__).parents[2].parent / "shared" / "samples"


def titles(data: bytes, start: int = 0) -> list[tuple[int, str, int]]:
    return [(section.level, section.title, section.line) for section in sections(data, start)]


# --- sections and blocks ---------------------------------------------------------------------------------


def test_a_section_says_where_it_and_its_own_text_end() -> None:
    data = b"intro\n\n# A\none\n## B\ntwo\n# C\nthree\n"
    assert sections(data) == (
        Section(level=1, title="A", start=7, text_start=11, own_end=15, end=24, line=3),
        Section(level=2, title="B", start=15, text_start=20, own_end=24, end=24, line=5),
        Section(level=1, title="C", start=24, text_start=28, own_end=34, end=34, line=7),
    )


def test_a_deeper_heading_that_skips_levels_ends_with_its_parent() -> None:
    data = b"# A\n### B\n## C\n# D\n"
    assert [(s.title, data[s.start : s.end]) for s in sections(data)] == [
        ("A", b"# A\n### B\n## C\n"),
        ("B", b"### B\n"),
        ("C", b"## C\n"),
        ("D", b"# D\n"),
    ]


def test_o_md_01_no_section_begins_or_ends_inside_a_fence() -> None:
    data = b"# Install\n\n```sh\n# get it\nmake\n```\nRestart.\n\n## Next\nDone.\n"
    assert titles(data) == [(1, "Install", 1), (2, "Next", 9)]
    assert data[sections(data)[0].text_start : sections(data)[0].own_end].count(b"```") == 2


def test_o_md_02_a_fence_closes_only_with_as_many_signs_and_nothing_behind_them() -> None:
    data = b"# One\n````md\n```js\n# no\n```\n## no\n````\n## Two\n~~~\n```\n# no\n~~~~\n## Three\n```\n# to the end\n"
    assert titles(data) == [(1, "One", 1), (2, "Two", 8), (2, "Three", 13)]
    assert [block.language for block in blocks(data) if block.kind == "code"] == ["md", "", ""]


def test_o_md_03_the_line_above_a_closing_fence_is_no_heading_and_lines_count_from_the_top() -> None:
    data = b"---\nname: example\nsummary: above the fence\n---\n# Title\n"
    assert titles(data, read(data).body_start) == [(1, "Title", 5)]
    pasted = b"# Title\n\n---\nname: example\n---\n\nmore\n"
    assert titles(pasted) == [(1, "Title", 1)]
    assert [block.kind for block in blocks(pasted)] == ["heading", "rule", "paragraph", "rule", "paragraph"]


def test_o_md_04_a_rule_below_a_page_of_text_makes_no_heading() -> None:
    page = "the first line of this page\nand its last line\n---\n"
    data = (page * 300).encode()
    assert sections(data) == ()
    assert len(blocks(data)) == 600
    single = "just one line on this page\n---\n"
    assert len(sections((single * 300).encode())) == 1
    assert sections(b"This sentence ends.\n---\n") == ()
    assert sections(b"word " * 21 + b"\n---\n") == ()


def test_o_md_04_a_title_with_a_line_below_it_is_a_heading() -> None:
    assert titles(b"A title\n---\ntext\n\nAnother: one?\n-\n\nLong ones,\nover two lines.\n====\n") == [
        (2, "A title", 1),
        (2, "Another: one?", 5),
        (1, "Long ones, over two lines.", 8),
    ]
    assert titles(b"---\ntitle: x\n---\nFirst line\n---\n", 17) == [(2, "First line", 4)]


def test_o_md_06_seven_hashes_and_a_hash_without_a_blank_are_text_and_a_lone_hash_is_an_empty_heading() -> None:
    assert titles(b"####### seven\n#no-blank\n\n#\n") == [(1, "", 4)]
    assert sections(b"") == sections(b"\n \n") == blocks(b"\n\n") == ()


OPEN = b"""## Open items #urgent
- one
### Detail
- two
## Description
old
"""


def test_o_md_04_shifting_a_title_makes_no_heading_of_the_page_below_it() -> None:
    assert shift_headings("A title\n---\npage one\n---\npage two\n***\n", 1) == (
        "### A title\npage one\n\n---\npage two\n***\n"
    )


def test_o_md_07_a_section_is_found_by_its_title_and_ends_where_the_next_one_begins() -> None:
    (found,) = sections_named(OPEN, "open items")
    assert OPEN[found.text_start : found.own_end] == b"- one\n"
    assert OPEN[found.start : found.end] == OPEN[: OPEN.index(b"## Desc")]
    (detail,) = sections_named(OPEN, "Detail")
    after = splice(OPEN, [(Span(detail.text_start, detail.end), b"- three\n#### Description\n")])
    assert after == OPEN.replace(b"- two\n", b"- three\n#### Description\n")


def test_o_md_07_a_missing_title_and_an_ambiguous_one_are_told_apart() -> None:
    assert sections_named(OPEN, "Missing") == sections_named(OPEN, "Desc") == ()
    assert [section.line for section in sections_named(OPEN + b"# description #x #y\n", "Description")] == [5, 7]
    assert len(sections_named(b"# Use C#\n", "use  c#")) == 1


def test_o_md_08_new_text_is_never_a_template() -> None:
    data = b"# A\nold [[MEM-old|x]]\n"
    for text in ("C:\\new", "\\1", "\\g<0>", "$1", "a$'b", "$&"):
        encoded = text.encode()
        assert splice(data, [(Span(4, 7), encoded)]) == b"# A\n" + encoded + data[7:]
        assert relink(data, "MEM-old", text) == data.replace(b"MEM-old", encoded)
        assert shift_headings(f"# {text}\n", 1) == f"## {text}\n"


def test_blocks_are_whole_lines_and_leave_only_blank_lines_out() -> None:
    data = b"\xef\xbb\xbf  para\n\n    code\n\n- a\n\n  b\n\n[r]: http://x\n\n\n[s]: http://y\n***\nlast"
    found = blocks(data)
    assert [(block.kind, block.line, data[slice(*block.span)]) for block in found] == [
        ("paragraph", 1, b"  para\n"),
        ("code", 3, b"    code\n"),
        ("list", 5, b"- a\n\n  b\n"),
        ("paragraph", 9, b"[r]: http://x\n"),
        ("paragraph", 12, b"[s]: http://y\n"),
        ("rule", 13, b"***\n"),
        ("paragraph", 14, b"last"),
    ]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_kind_give_the_same_outline(newline: str) -> None:
    text = "Title\n=====\n\n# A\ntext\n- x\n  - y\n\n## B\n```py\n# no\n```\n".replace("\n", newline)
    data = text.encode()
    assert titles(data) == [(1, "Title", 1), (1, "A", 4), (2, "B", 9)]
    assert [block.kind for block in blocks(data)] == ["heading", "heading", "paragraph", "list", "heading", "code"]
    assert [data[slice(*item.text_span)] for item in list_items(data)] == [b"x", b"y"]
    assert shift_headings(text, 1) == text.replace(f"Title{newline}=====", "## Title").replace("# A", "## A").replace(
        "## B", "### B"
    )


def test_bytes_that_are_not_utf8_and_nul_move_no_offset() -> None:
    data = b"\xff\xfe caf\xe9 [[A]]\n\n# T\xe9\x00 \xe2\x82\n[[B\xff|x]] `[[no]]`\n"
    (section,) = sections(data)
    assert (section.title, section.line) == ("T\ufffd\x00 \ufffd\ufffd", 3)
    assert data[section.start :].startswith(b"# T")
    assert [data[slice(*link.span)] for link in wiki_links(data)] == [b"[[A]]", b"[[B\xff|x]]"]
    assert relink(data, "A", "C") == data.replace(b"[[A]]", b"[[C]]")


def test_offsets_count_bytes_from_the_start_of_the_file() -> None:
    data = "---\ntitle: ä\n---\näöü\n\n# Größe 🎉\n[[Ä|ö]]\n".encode()
    start = read(data).body_start
    (section,) = sections(data, start)
    assert data[section.start : section.text_start].decode() == "# Größe 🎉\n"
    (link,) = wiki_links(data, start)
    assert (data[slice(*link.target_span)].decode(), link.target, link.alias) == ("Ä", "Ä", "ö")


def test_a_byte_order_mark_hides_no_heading() -> None:
    data = b"\xef\xbb\xbf# A\n"
    assert titles(data) == titles(data, 3) == [(1, "A", 1)]
    assert sections(data)[0].start == blocks(data)[0].span.start == 3


# --- lists -----------------------------------------------------------------------------------------------


def test_list_items_say_their_depth_marker_and_own_text() -> None:
    data = b"- one\n  goes on\n    - deep\n- [x] done\n\n1. first\n\n   more\n> - quoted\n"
    found = list_items(data)
    assert [(item.depth, item.marker, data[slice(*item.text_span)]) for item in found] == [
        (0, "-", b"one\n  goes on"),
        (1, "-", b"deep"),
        (0, "-", b"done"),
        (0, "1.", b"first\n\n   more"),
    ]
    assert data[slice(*found[0].span)] == b"- one\n  goes on\n    - deep\n"


def test_an_empty_item_has_an_empty_text() -> None:
    data = b"-\n- x\n- [ ]\n"
    assert [data[slice(*item.text_span)] for item in list_items(data)] == [b"", b"x", b""]


# --- links -----------------------------------------------------------------------------------------------


def test_o_lk_01_links_in_code_are_none() -> None:
    code = b'`[[target]]`\n\n```bash\nif [[ -n "$a" && "$a" == s-* ]]; then echo; fi\n```\n\n    [[indented]]\n'
    data = code + b"\n[[MEM-a]]\n"
    assert [link.target for link in wiki_links(data)] == ["MEM-a"]


def test_o_lk_02_the_bar_of_an_alias_in_a_table_leaves_no_backslash_in_the_target() -> None:
    data = b"| Part | Note |\n|---|---|\n| A | [[MEM-a\\|Alpha]] |\n\nProse: [[MEM-a|Alpha]]\n"
    assert [(link.target, link.alias) for link in wiki_links(data)] == [("MEM-a", "Alpha")] * 2
    assert relink(data, "MEM-a", "MEM-b") == data.replace(b"MEM-a", b"MEM-b")


def test_o_lk_03_a_placeholder_in_a_comment_is_no_link() -> None:
    assert wiki_links(b"## Connections\n<!-- add links as [[some-name]] here -->\n") == ()
    assert wiki_links(b"text <!-- [[a]]\n[[b]] --> and <!-- never closed [[c]]\n")[0].target == "c"


def test_o_lk_05_every_form_follows_a_rename_and_nothing_else_does() -> None:
    data = (
        b"[[MEM-old]] [[MEM-old|alias]] [[MEM-old#Part]] ![[MEM-old]]\n\n| a |\n|---|\n| [[MEM-old\\|t]] |\n\n"
        b"[[MEM-old-2]] `[[MEM-old]]` MEM-old [[x/MEM-old]] <!-- [[MEM-old]] -->\n"
    )
    after = relink(data, "MEM-old", "MEM-new")
    assert after.count(b"MEM-new") == 5
    assert after.endswith(data[data.index(b"[[MEM-old-2") :])
    assert relink(after, "MEM-new", "MEM-old") == data
    assert relink(data, "x/MEM-old", "x/MEM-new").count(b"MEM-new") == 1


def test_links_before_the_body_do_not_count() -> None:
    data = b'---\nrelated: "[[A]]"\n---\n[[A]]\n'
    start = read(data).body_start
    assert [link.span.start for link in wiki_links(data, start)] == [start]
    assert relink(data, "A", "B", start) == b'---\nrelated: "[[A]]"\n---\n[[B]]\n'


# --- splicing --------------------------------------------------------------------------------------------


def test_splice_takes_spans_in_any_order_and_keeps_the_rest() -> None:
    assert splice(b"abcdef", [(Span(4, 5), b"X"), (Span(0, 0), b"<"), (Span(1, 3), b"")]) == b"<adXf"
    assert splice(b"ab", [(Span(1, 1), b"1"), (Span(1, 1), b"2")]) == b"a12b"
    assert splice(b"ab", []) == b"ab"


@pytest.mark.parametrize("spans", [[Span(0, 2), Span(1, 3)], [Span(0, 9)], [Span(2, 1)], [Span(-1, 1)]])
def test_splice_refuses_spans_that_overlap_or_leave_the_text(spans: list[Span]) -> None:
    with pytest.raises(ValueError, match="span"):
        splice(b"abc", [(span, b"") for span in spans])


def test_the_commoner_line_end_is_the_one_to_write() -> None:
    assert newline_of(b"") == newline_of(b"a") == newline_of(b"a\nb\r\nc\n") == b"\n"
    assert newline_of(b"a\r\nb\r\nc\n") == b"\r\n"


# --- hostile input ---------------------------------------------------------------------------------------

HOSTILE = {
    "one line": "a" * 200_000,
    "blanks in a heading": "## x" + " " * 100_000 + "y",
    "backticks": "`" * 2_000,
    "backticks of every length": "".join("`" * i + " " for i in range(700)),
    "open links": "[[" * 50_000,
    "an open comment": "<!--" + "-" * 100_000,
    "comments": "<!-- [[a]] " * 10_000,
    "brackets in a heading": "# [a](b" + "()" * 5_000,
    "a block that never closes": "---\n" + "k: v\n" * 50_000,
    "quotes": ">" * 20_000,
    "open code": "<code>`[[a]]` </code>" * 5_000,
    "table rows": "|a|b|\n|-|-|\n" + "|[[x]]`|`\n" * 5_000,
    "definitions": "[a]: b\n\n" * 20_000,
    "backslashes": "\\" * 200_000 + "[[a]]",
    "links": "[[a]] `x` " * 10_000,
    "deep lists": "".join("  " * i + "- a [[x]]\n" for i in range(500)),
    "pages": "a\n---\n" * 10_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_o_md_05_hostile_text_takes_linear_time(name: str) -> None:
    """Two seconds for each: ten times what they take, and a fraction of what a quadratic way would."""
    data = HOSTILE[name].encode()
    began = time.process_time()
    for do in (sections, blocks, list_items, wiki_links):
        do(data)
        assert time.process_time() - began < 2, do
    assert relink(data, "no such name", "x") == data
    assert read(data).body_start == 0


def test_every_sample_is_tiled_by_its_blocks() -> None:
    files = sorted(SAMPLES.rglob("*.md"))
    if not files:
        pytest.skip(f"no samples at {SAMPLES}")
    for path in files:
        data = path.read_bytes()
        start = read(data).body_start
        kept = b"".join(data[slice(*block.span)] for block in blocks(data, start))
        assert kept.split() == data[start:].split(), path.name
        headings = [block.span for block in blocks(data, start) if block.kind == "heading"]
        assert [Span(s.start, s.text_start) for s in sections(data, start)] == headings
        assert relink(data, "no-such-memory", "x", start) == data


def test_every_blank_behind_the_hash_signs_makes_a_heading_that_can_be_moved() -> None:
    for blank in " \t\v\f":
        assert shift_headings(f"#{blank}Title\n\ntext", 2) == f"###{blank}Title\n\ntext"
        assert shift_headings(f"#{blank}\n\ntext", 1) == f"##{blank}\n\ntext"
