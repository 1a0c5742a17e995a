"""What the index of sentences says is what comparing all sentences would say, for any texts."""

from itertools import islice

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtend.text.account import Account
from memtend.text.contradiction import SAME_MATTER, SAME_POINT, SAME_SENTENCE, conflict

WORDS = """
the cache pool queue never not no must only forget over than prefer tabs spaces before after foo_bar fooBaz v1.2.3
E0277 7 60s days March retries retried but and it's isn't don't 缓存每天清空 効果 % (x) [a] — , ; : . ! instead of
"""
SENTENCES = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=9).map(
    lambda words: " ".join(words).capitalize()
)
TEXTS = st.lists(SENTENCES, min_size=0, max_size=12).map(".\n\n".join)


def likeness(account: Account, i: int, others: Account, j: int) -> float:
    one, other = account[i], others[j]
    common = sum(min(weight, other.weights.get(word, 0.0)) for word, weight in one.weights.items())
    return round(2 * common / (one.total + other.total), 9) if common else 0.0


@settings(max_examples=200, deadline=None)
@given(TEXTS, TEXTS, st.sampled_from((SAME_MATTER, SAME_SENTENCE)), st.integers(1, 12))
@example("cache cache pool queue tabs", "cache pool.\n\nCache queue over tabs.\n\nQueue tabs", SAME_MATTER, 3)
def test_the_index_finds_the_sentences_that_comparing_all_would_find(a: str, b: str, least: float, count: int) -> None:
    ours, theirs = Account(a), Account(b)
    for i in range(len(ours)):
        scores = [(likeness(ours, i, theirs, j), j) for j in range(len(theirs))]
        wanted = sorted([(-score, j) for score, j in scores if score >= least])[:count]
        assert list(islice(theirs.like(ours[i], least), count)) == [(-negative, j) for negative, j in wanted]


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS)
def test_what_the_index_knows_of_names_and_quantities_is_what_the_sentences_say(a: str, b: str) -> None:
    ours, theirs = Account(a), Account(b)
    assert set(theirs.names) == {name for one in theirs.statements() for name in one.names}
    assert list(theirs.quantities) == [found for one in theirs.statements() for found in one.quantities]
    bare = [j for j in range(len(theirs)) if not theirs[j].weights and theirs[j].quantities]
    assert theirs.bare == bare
    for i, one in enumerate(ours.statements()):
        near = theirs.naming(theirs.names, one, SAME_POINT)
        alike = [j for j in range(len(theirs)) if theirs[j].names and likeness(ours, i, theirs, j) >= SAME_POINT]
        assert set(alike) <= set(near)


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS)
@example("The cache holds 60s.", "The cache holds 7 days.")
def test_both_sides_see_the_same_contradiction(a: str, b: str) -> None:
    one, other = conflict(a, b), conflict(b, a)
    assert (one is None) == (other is None)
