"""Whether two short texts say the same: told from texts that share many words and say something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtend.text import sameness, words
from memtend.text.sameness import LONGEST, SAME, traits


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Retry a failed call to the parcel API three times.", "A failed parcel API call is retried three times."),
        ("Never commit generated files to the repository.", "Generated files are never to be committed to the repo."),
        ("Ask the on-call person before a deploy on Friday.", "Before deploying on a Friday, ask whoever is on call."),
        ("缓存每天晚上会清空。", "缓存每天晚上都清空。"),
    ],
)
def test_a_sentence_in_other_words_says_the_same(a: str, b: str) -> None:
    assert sameness(a, b) >= SAME


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (
            "The shop asks imgproxy for a thumbnail when a page shows it.",
            "The shop asks imgproxy for a thumbnail, although the old importer wrote all of them to disk at night.",
        ),
        ("The label worker runs with two processes.", "The label printer in hall two needs the old driver."),
        ("Release 4.1 of the shop came with 12 fixes.", "Release 3.9 of the shop had 40 fixes and 7 known faults."),
    ],
)
def test_a_sentence_that_shares_words_and_goes_on_about_something_else_does_not(a: str, b: str) -> None:
    assert sameness(a, b) < SAME


def test_case_and_punctuation_make_no_difference_and_nothing_is_like_no_words() -> None:
    assert sameness("Pin the image!", "pin the image") == 1.0
    assert sameness("", "") == sameness("", "Pin it.") == sameness("!", "?") == 0.0


def test_long_texts_are_never_one_saying() -> None:
    assert sameness("queue " * LONGEST, "queue " * LONGEST) == 1.0
    assert sameness("queue " * (LONGEST + 1), "queue " * (LONGEST + 1)) == 0.0


def test_the_traits_say_where_two_texts_differ() -> None:
    its = traits(words("drain the queue 7 every hour"), words("drain the queue at noon and again every hour"))
    assert its.gap == 4, "at noon and again"
    assert its.numbers == 1
    assert its.quoted == 3 / 5


@given(st.text(max_size=60), st.text(max_size=60))
def test_it_is_a_share_and_the_same_from_both_sides(a: str, b: str) -> None:
    assert 0.0 <= sameness(a, b) == sameness(b, a) <= 1.0
