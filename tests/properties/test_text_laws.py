"""Laws of text: what holds for any text whatever."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from memtend.text import (
    conflict,
    count_words,
    coverage,
    estimate_tokens,
    first_line,
    fold,
    key_terms,
    overlap,
    parts,
    sentences,
    shorten,
    similarity,
    slug,
    terms,
    words,
)

ANY_TEXT = st.text(max_size=120)
PIECES = [
    "the", "cache", "Redis", "is", "not", "never", "on", "off", "30 s", "v1.2.3", "`a.b()`", "--flag", "缓存失效",
    "ที่นี่", "हिन्दी", "🎉", "e\u0301", "👩\u200d💻", "🇩🇪", ".", ",", "\n", "\n\n", "# ", "- ", "```\n", "|", "[[x]]",
    "don't", "camelCase", "Ünlü", "\u0627\u064e", "Port 8080", "before", "after", "instead of", "\r\n", "\t",
]  # fmt: skip
TEXT = st.one_of(ANY_TEXT, st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
TERMS = st.lists(st.text(min_size=1, max_size=12), max_size=8)
few = settings(max_examples=150, deadline=None)


@given(TEXT)
@few
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(TEXT)
@few
def test_words_are_folded_and_never_empty(text: str) -> None:
    assert all(word and not word.isspace() for word in words(text))
    assert words(text.replace("\u2019", "'")) == words(text)


@given(TEXT)
@few
def test_parts_are_made_of_the_words_own_letters(text: str) -> None:
    for word in text.split():
        for part in parts(word):
            assert part
            assert set(part) <= set(fold(word))


@given(TEXT)
@few
def test_tokens_never_fall_below_what_the_words_make(text: str) -> None:
    assert estimate_tokens(text) >= 0
    if text.isascii():
        assert estimate_tokens(text) == int(1.3 * count_words(text))


@given(TEXT, TEXT)
@few
def test_more_text_has_no_fewer_tokens(text: str, more: str) -> None:
    assert estimate_tokens(f"{text} {more}") >= max(estimate_tokens(text), estimate_tokens(more))


@given(TEXT)
@few
def test_the_words_of_a_text_are_those_of_its_sentences(text: str) -> None:
    plain = "".join(letter for letter in text if letter.isalnum() or letter in " .,")

    assert [word for sentence in sentences(plain) for word in words(sentence)] == words(" ".join(plain.split()))


@given(TEXT)
@few
def test_the_first_line_is_one_line(text: str) -> None:
    assert "\n" not in first_line(text)
    assert first_line(text) == first_line(text).strip()


@given(TEXT)
@few
def test_key_terms_are_the_first_terms_unique_and_words_of_the_text(text: str) -> None:
    found = terms(text)

    assert key_terms(text) == found[:5]
    assert len({fold(term) for term in found}) == len(found)
    folded = " ".join(fold(text).split())
    assert all(fold(word) in folded for term in found for word in term.split())


@given(TERMS, TERMS)
@few
def test_overlap_is_a_share_and_grows_with_what_the_memory_has(ours: list[str], theirs: list[str]) -> None:
    share = overlap(ours, theirs)

    assert 0.0 <= share <= 1.0
    assert overlap(ours, [*theirs, *ours]) == (1.0 if ours else 0.0)
    assert overlap(ours, [*theirs, "more"]) >= share
    assert overlap([term.upper() for term in ours], theirs) == overlap([term.upper().lower() for term in ours], theirs)


@given(TEXT, TEXT)
@few
def test_similarity_is_a_share_and_the_same_from_both_sides(a: str, b: str) -> None:
    assert 0.0 <= similarity(a, b) <= 1.0
    assert similarity(a, b) == similarity(b, a)
    assert similarity(a, a) == 1.0


@given(TEXT, TEXT)
@few
def test_coverage_is_a_share_and_whole_where_the_text_is_contained(a: str, b: str) -> None:
    assert 0.0 <= coverage(a, b) <= 1.0
    assert coverage(a, f"{a}\n\n{b}") > 0.99 or not words(a)


@given(TEXT, TEXT)
@few
def test_a_text_does_not_contradict_itself_and_a_contradiction_has_two_sides(a: str, b: str) -> None:
    assert conflict(a, a) is None
    found, mirrored = conflict(a, b), conflict(b, a)
    assert (found is None) == (mirrored is None)


@given(TEXT, st.integers(min_value=0, max_value=90))
@few
def test_a_shortened_text_is_one_line_within_the_limit_and_splits_no_character(text: str, limit: int) -> None:
    line = " ".join(text.split())
    short = shorten(text, limit)

    assert len(short) <= limit or short == line == ""
    assert "\n" not in short
    if short != line and short.endswith("…") and "`" not in line and limit > 1:
        kept = short.removesuffix("…")
        assert line.startswith(kept)
        behind = line[len(kept) : len(kept) + 1]
        assert not kept or not _belongs(kept[-1], behind) or limit < 8


def _belongs(before: str, behind: str) -> bool:
    """Whether two characters are one for a reader."""
    if unicodedata.category(behind) in ("Mn", "Mc", "Me") or behind == "\u200d" or before == "\u200d":
        return True
    return all("\U0001f1e6" <= letter <= "\U0001f1ff" for letter in (before, behind))


@given(st.lists(st.tuples(TEXT, TEXT), max_size=6))
@few
def test_slugs_are_safe_distinct_and_never_empty(notes: list[tuple[str, str]]) -> None:
    taken: list[str] = []
    for topic, title in notes:
        name = slug(topic, title, lambda candidate: candidate in taken)
        assert name not in taken
        taken.append(name)
    for name in taken:
        assert 0 < len(name) <= 50
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
        assert name.strip("-") == name
        assert name not in {"con", "prn", "aux", "nul"}


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from(" \t\n\x0b\x1c\x1f\x85\xa0\u2003\u3000ab"))))
def test_words_are_counted_as_white_space_parts_them(text: str) -> None:
    for long in (text, text * 200):
        assert count_words(long) == len(long.split())


def test_white_space_beyond_ascii_parts_the_words_of_long_texts() -> None:
    blanks = [chr(sign) for sign in range(0x110000) if chr(sign).isspace()]
    assert len(blanks) > 25
    assert all(count_words(f"a{blank}b" * 1_000) == 1_001 for blank in blanks)
