"""Answers stay small, say what they leave out, and put together are the whole."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from memtend.mcp.answers import LIMIT_BYTES, as_text, page, piece

ITEMS = st.lists(st.dictionaries(st.sampled_from("abc"), st.text(max_size=3000), min_size=1), max_size=30)


@settings(max_examples=60, deadline=None)
@given(ITEMS, st.integers(1, 12))
def test_o_mc_04_pages_are_small_and_put_together_are_the_list(items: list[dict[str, str]], limit: int) -> None:
    found: list[object] = []
    offset: int | None = 0
    while offset is not None:
        shown = page("items", items, offset=offset, limit=limit)
        assert shown["total"] == len(items)
        assert shown["returned"] == len(shown["items"]) <= limit
        assert len(as_text(shown).encode()) <= LIMIT_BYTES or shown["returned"] == 1
        assert shown["truncated"] == (shown["next_offset"] is not None)
        found += shown["items"]
        offset = shown["next_offset"]
    assert found == items


def test_o_mc_04_a_page_behind_the_end_is_empty_and_says_how_many_there_are() -> None:
    assert page("items", ["a"], offset=5) == {
        "items": [],
        "total": 1,
        "returned": 0,
        "next_offset": None,
        "truncated": False,
    }


@settings(max_examples=60, deadline=None)
@given(st.text(min_size=1, max_size=400), st.integers(1, 40), st.integers(200, 2000))
def test_o_mc_04_pieces_put_together_are_the_text(text: str, times: int, room: int) -> None:
    text *= times
    parts: list[str] = []
    offset: int | None = 0
    while offset is not None:
        part, offset = piece(text, offset, room)
        assert part
        assert json.loads(as_text({"text": part}))
        parts.append(part)
    assert "".join(parts) == text


def test_o_mc_04_a_cut_never_splits_what_reads_as_one_character() -> None:
    family = "👩‍👩‍👧‍👦e\u0301👍🏽"
    text = family * 400
    offset: int | None = 0
    while offset is not None:
        part, offset = piece(text, offset, 700)
        assert part[0] not in "\u200d\u0301🏽"
        assert not part.endswith("\u200d")


def test_a_long_text_is_cut_behind_a_line() -> None:
    part, following = piece("A line of text.\n" * 200, 0, 1000)
    assert part.endswith(".\n")
    assert following == len(part)
