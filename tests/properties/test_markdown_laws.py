"""Laws of Markdown by byte range: blocks tile, sections nest, a rename can be taken back, no byte is lost."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtend.markdown import Span, blocks, list_items, relink, sections, shift_headings, splice, wiki_links

# fmt: off
LINES = st.sampled_from([
    "# A", "## B [[T]]", "###### C", "####### no", "#no", "#", "Title", "===", "---", "-----", "", "",
    "text. [[T|x]]", "```", "````", "~~~", "```sh", "    code [[T]]", "> quote", "> # no", "- item",
    "  - sub [[T#p]]", "1. one", "* * *", "<!-- [[T]]", "-->", "<div>", "</div>", "<pre>", "</pre>", "| a | b |",
    "|---|---|", "| [[T\\|x]] | `[[T]]` |", "[r]: x", "[^1]: note", "`[[T]]` ![[T]]", "\ttab", "é 🎉 [[Ü]]", "\\[[T]]",
    "***", "- [ ] task", "\x00", "\ufeff", "---  ", "a\rb", "#\x0c", "##\x0bD",
    "<!-- [[T]] -->", "<!--> [[T]]", "<!-- `a -->", "`[[T]]`", "a `b ", " \x0bc` d\x0c ", "a \\", "b\t",
])
# fmt: on
NEWLINES = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    text = "".join(line + draw(NEWLINES) for line in draw(st.lists(LINES, max_size=14)))
    noise = draw(st.binary(max_size=6))
    at = draw(st.integers(0, len(text)))
    return text[:at].encode() + noise + text[at:].encode()


def lines_of(data: bytes) -> list[bytes]:
    return [line for line in data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n") if line.strip()]


@settings(max_examples=300)
@given(files())
def test_every_line_with_text_lies_in_exactly_one_block(data: bytes) -> None:
    found = blocks(data)
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    kept = [line for block in found for line in lines_of(data[slice(*block.span)])]
    assert kept == lines_of(data[start:])
    ends = [start] + [block.span.end for block in found]
    assert all(block.span.start >= end for block, end in zip(found, ends, strict=False))


@settings(max_examples=300)
@given(files())
def test_sections_are_the_heading_blocks_and_nest(data: bytes) -> None:
    found = sections(data)
    headings = [block for block in blocks(data) if block.kind == "heading"]
    assert [Span(s.start, s.text_start) for s in found] == [block.span for block in headings]
    assert [s.line for s in found] == [block.line for block in headings]
    for i, section in enumerate(found):
        later = found[i + 1 :]
        assert section.own_end == (later[0].start if later else len(data))
        assert section.end == next((s.start for s in later if s.level <= section.level), len(data))


@settings(max_examples=200)
@given(files(), st.integers(-2, 3))
@example(b"####### no\n---\n####### no\r---\n", 0)
@example(b"`\x00``\n####### no\n####### no\r\n| [[T\\|x]] | `[[T]]` |\n=== ", 1)
@example(b"===\n\x0b# A\n===\n", 0)
@example(b"text\n\x00#\x0c\n####### no\n===\n", 0)
@example(b"a `b \\\r\n\t c` d\x0b \n e \\\n\x0cf\n===\n", 0)
def test_shifted_headings_keep_their_titles_and_everything_else_stays(data: bytes, by: int) -> None:
    text = data.decode("utf-8", "replace")
    before, after = sections(text.encode()), sections(shift_headings(text, by).encode())
    assert [s.title for s in after] == [s.title for s in before]
    assert [s.level for s in after] == [min(6, max(1, s.level + by)) for s in before]
    shifted = shift_headings(text, by).encode()
    rest = [lines_of(text.encode()[s.text_start : s.own_end]) for s in before]
    assert [lines_of(shifted[s.text_start : s.own_end]) for s in after] == rest


@settings(max_examples=200)
@given(files())
@example(b"`a\nb` ` c\nd\n`\n===\n")
def test_titles_are_the_same_whatever_ends_the_lines(data: bytes) -> None:
    plain = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    for newline in (b"\r\n", b"\r"):
        found = sections(plain.replace(b"\n", newline))
        assert [section[:2] for section in found] == [section[:2] for section in sections(plain)]


@settings(max_examples=200)
@given(files())
def test_a_rename_is_complete_and_can_be_taken_back(data: bytes) -> None:
    after = relink(data, "T", "new name")
    links = wiki_links(data)
    assert [link.target for link in wiki_links(after)] == [
        "new name" if link.target == "T" else link.target for link in links
    ]
    assert [(link.part, link.alias, link.embed) for link in wiki_links(after)] == [
        (link.part, link.alias, link.embed) for link in links
    ]
    assert relink(after, "new name", "T") == data


@settings(max_examples=200)
@given(files())
@example(b"## B [[\x1cT]]\n")
def test_links_and_items_lie_where_they_say(data: bytes) -> None:
    for link in wiki_links(data):
        assert data[slice(*link.span)].removeprefix(b"!").startswith(b"[[")
        assert data[slice(*link.target_span)].decode("utf-8", "replace") == link.target
        assert link.span.start < link.target_span.start <= link.target_span.end < link.span.end
    for item in list_items(data):
        assert data.startswith(item.marker.encode(), item.span.start)
        assert item.span.start < item.text_span.start <= item.text_span.end <= item.span.end


@given(st.binary(max_size=80), st.integers(0, 80))
def test_no_bytes_make_reading_fail(data: bytes, start: int) -> None:
    start = min(start, len(data))
    for do in (sections, blocks, list_items, wiki_links):
        for found in do(data, start):
            assert found[0] is not None
    assert relink(data, "a", "b", len(data)) == data


@given(st.binary(max_size=30), st.data())
def test_splicing_a_part_in_and_out_again_restores_the_bytes(data: bytes, draw: st.DataObject) -> None:
    start = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(start, len(data)))
    new = draw.draw(st.binary(max_size=8))
    after = splice(data, [(Span(start, end), new)])
    assert splice(after, [(Span(start, start + len(new)), data[start:end])]) == data


@settings(max_examples=400)
@given(files(), st.integers(0, 8))
@example(b"[a]:\n# b\n", 0)
@example(b"- a\n  # b\n# `c` [[T|d]]\n", 0)
@example(b"a `b\n[[T]]` [[T]]\n\n[[T]]\n", 0)
@example(b"- a\n<!-- [[T]] --> [[T]]\n# b\n<!-->\n# c\n-->\n", 6)
def test_plain_text_is_read_without_a_parser_as_it_would_be_with_one(data: bytes, start: int) -> None:
    data += b"\n"
    start = min(start, len(data))
    odd = data + b"\n~~~\n"  # a fence below it, for which the parser is asked
    for plain, parsed in zip(sections(data, start), sections(odd, start), strict=True):
        assert plain[:4] == parsed[:4]
        assert plain.line == parsed.line
    assert wiki_links(data, start) == wiki_links(odd, start)
