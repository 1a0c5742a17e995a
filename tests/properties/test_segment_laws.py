"""What holds for the segments of any input at all."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtend.learn.acquire import Acquired, Document
from memtend.learn.grammar import LANGUAGES
from memtend.learn.segment import SUMMARY_LIMIT, TITLE_LIMIT, Segment, content_map, segment
from memtend.learn.sizes import LARGE, SMALL, joined, size_tokens, span_of
from memtend.learn.sizes import lines as lines_of

ODDITIES = (
    """
|# Head|## Sub head ##|### Deep|#|####### seven|#no-blank|Setext|===|---|***|```|```sh|~~~~|````|# in a fence?
- item|  continued|* other|1. first|12) twelfth|> quote|<div>|</div>|<!-- open|close -->|[ref]: http://x.y|[^1]: note
    indented|[[MEM-link]]|title: Value|tags: [a, b]|def f():|    return 1|class A:|import os|# comment|// comment|}|{
日本語の文章です。次の文です。|“Quoted.”|café naïve|""".strip("\n")
    .replace("\n", "|")
    .split("|")
)
ODDITIES += [
    "| a | b |",
    "|---|---|",
    "| 1 | 2 |",
    " ",
    "\t",
    "\u00a0",
    "\u2028",
    "\x0c",
    "a\x0bb",
    "word " * 30,
    "x" * 400,
]
SENTENCES = [
    "The cache holds every key.",
    "Retries wait a second!",
    "Why does it fail?",
    "Nothing else changed here.",
    "Ok.",
]

lines = st.one_of(
    st.sampled_from(ODDITIES), st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=25).map(" ".join)
)
texts = st.one_of(st.lists(lines, min_size=1, max_size=12), st.lists(lines, min_size=40, max_size=150)).map("\n".join)
any_text = st.text(max_size=400).map(lambda text: text.replace("\r", "\n").replace("\0", ""))
encodable = any_text.filter(lambda text: text.encode("utf-8", "ignore").decode() == text)


def segments_of(text: str, kind: str = "markdown", language: str = "") -> tuple[Segment, ...]:
    document = Document("notes/some.md", text, kind, language)
    return segment(Acquired("file", "notes/some.md", (document,))).segments


def shown_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]


def without_blanks(text: str) -> str:
    return re.sub(r"\s+", "", text)


def body_of(text: str) -> str:
    """The text without frontmatter, by what its own reader says."""
    from memtend import frontmatter

    block = frontmatter.read(text.encode())
    return text.encode()[block.body_start :].decode() if block.is_present else text


def check(text: str, kind: str, language: str = "") -> None:
    found = segments_of(text, kind, language)
    body = body_of(text) if kind == "markdown" else text
    source = text.split("\n")
    assert without_blanks("".join(item.text for item in found)) == without_blanks(body)
    assert all(item.text in "\n".join(source[item.start_line - 1 : item.end_line]) for item in found)
    if all(size_tokens(line) <= LARGE for line in source):
        assert [line for item in found for line in shown_lines(item.text)] == shown_lines(body)
        assert all(item.text == "\n".join(source[item.start_line - 1 : item.end_line]).rstrip() for item in found)
        assert all(one.end_line < two.start_line for one, two in pairwise(found))


@settings(max_examples=150, deadline=None)
@given(st.one_of(texts, encodable))
def test_the_segments_of_markdown_hold_every_line_once_and_point_at_it(text):
    check(text, "markdown", "markdown")


@settings(max_examples=80, deadline=None)
@given(st.one_of(texts, encodable))
def test_the_segments_of_prose_hold_every_line_once_and_point_at_it(text):
    check(text, "prose")


@settings(max_examples=100, deadline=None)
@given(st.one_of(texts, encodable), st.sampled_from([*LANGUAGES, "yaml", ""]))
def test_the_segments_of_code_hold_every_line_once_and_point_at_it(text, language):
    check(text, "code", language)


def may_join(one: Segment, two: Segment) -> bool:
    """Whether two neighbours together would still be no larger than a segment may be."""
    return one.topic == two.topic and size_tokens(one.text) + size_tokens(two.text) <= LARGE - 2  # rounding of parts


@settings(max_examples=60, deadline=None)
@given(texts, st.sampled_from(["markdown", "prose", "code"]))
def test_no_small_segment_is_left_beside_one_it_could_join(text, kind):
    for one, two in pairwise(segments_of(text, kind, {"code": "python"}.get(kind, ""))):
        assert not may_join(one, two) or min(size_tokens(one.text), size_tokens(two.text)) >= SMALL - 2


@settings(max_examples=60, deadline=None)
@given(texts.map(lambda text: text.encode("ascii", "ignore").decode()))
def test_what_lines_weigh_adds_up_whether_they_have_words_or_only_letters(text):
    parts = [span_of(text, *line) for line in lines_of(text, 0, len(text))]
    if parts:
        assert joined(parts).weight == pytest.approx(span_of(text, 0, len(text)).weight)


@settings(max_examples=60, deadline=None)
@given(texts)
def test_prose_and_code_are_never_larger_than_a_segment_may_be(text):
    for kind, language in (("prose", ""), ("code", "python"), ("code", "yaml")):
        assert all(size_tokens(item.text) <= LARGE for item in segments_of(text, kind, language))


@settings(max_examples=60, deadline=None)
@given(st.one_of(texts, encodable), st.sampled_from(["markdown", "prose", "code"]))
def test_every_segment_has_a_title_terms_and_a_number(text, kind):
    document = Document("notes/some.md", text, kind)
    acquired = Acquired("file", "notes/some.md", (document,))
    found = segment(acquired).segments
    listed = content_map(acquired, found)["segments"]
    assert [item["id"] for item in listed] == [f"seg-{number:03d}" for number in range(1, len(found) + 1)]
    for item in found:
        assert 0 < len(item.title) <= TITLE_LIMIT
        assert len(item.summary) <= SUMMARY_LIMIT
        assert len(item.key_terms) <= 5
        assert "\n" not in item.title + item.summary


@settings(max_examples=40, deadline=None)
@given(texts, st.sampled_from(["markdown", "prose", "code"]))
def test_segmenting_twice_gives_the_same(text, kind):
    assert segments_of(text, kind) == segments_of(text, kind)
