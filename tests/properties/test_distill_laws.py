"""Laws of upkeep: scores stay in their ranges, overlaps are exact, and nothing is lost by what distill decides."""

from collections.abc import Sequence
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from memtend.distill.columns import Columns
from memtend.distill.overlap import best, pairs
from memtend.distill.score import scores
from memtend.memory import Digest, Memory, MemoryId, Place

TODAY = date(2026, 8, 30)

words = st.sampled_from([f"w{n}" for n in range(12)] + ["W1", "ß", "SS"])
keyword_sets = st.lists(st.lists(words, max_size=14).map(tuple), max_size=25)
crowded_sets = st.lists(
    st.sets(st.sampled_from([f"k{n}" for n in range(16)]), min_size=10).map(lambda s: tuple(sorted(s))), max_size=8
)
dates = st.one_of(
    st.just(""),
    st.dates(date(1, 1, 1), date(9999, 12, 31)).map(str),
    st.sampled_from(["soon", "2026-02-30", "2026-06-08T10:00:00+02:00", "2026-06-08 10:00", "20260608", "9" * 30]),
)


def folded(sets: Sequence[tuple[str, ...]]) -> list[set[str]]:
    return [{word.casefold() for word in words} for words in sets]


@settings(max_examples=150, deadline=None)
@given(keyword_sets | crowded_sets)
def test_the_best_overlap_is_what_comparing_each_with_each_finds(keywords: list[tuple[str, ...]]) -> None:
    found, sets = best(keywords), folded(keywords)
    for row, own in enumerate(sets):
        shared = {other: len(own & sets[other]) for other in range(len(sets)) if other != row}
        most = max(shared.values(), default=0)
        first = min((other for other, count in shared.items() if count == most), default=-1)
        assert int(found.shared[row]) == most
        assert int(found.partner[row]) == (first if most else -1)
        assert int(found.sizes[row]) == len(own)


@settings(max_examples=150, deadline=None)
@given(keyword_sets | crowded_sets, st.sampled_from([0.6, 0.25, 1.0]), st.data())
def test_the_pairs_are_what_comparing_each_with_each_finds(
    keywords: list[tuple[str, ...]], least: float, data: st.DataObject
) -> None:
    groups = data.draw(st.lists(st.sampled_from("ab"), min_size=len(keywords), max_size=len(keywords)))
    sets = folded(keywords)
    expected = [
        (a, b, len(sets[a] & sets[b]) / min(len(sets[a]), len(sets[b])))
        for a in range(len(sets))
        for b in range(a + 1, len(sets))
        if groups[a] == groups[b] and sets[a] and sets[b]
    ]
    found = pairs(keywords, groups, least)
    assert found.is_complete
    assert list(zip(found.first.tolist(), found.second.tolist(), found.overlap.tolist(), strict=True)) == [
        pair for pair in expected if pair[2] >= least
    ]


@settings(max_examples=60, deadline=None)
@given(keyword_sets)
def test_where_pairs_are_too_many_each_memory_still_has_its_best(keywords: list[tuple[str, ...]]) -> None:
    groups = ["one"] * len(keywords)
    whole, some = pairs(keywords, groups, 0.6), pairs(keywords, groups, 0.6, limit=0)
    listed = {frozenset(pair) for pair in zip(whole.first.tolist(), whole.second.tolist(), strict=True)}
    kept = {frozenset(pair) for pair in zip(some.first.tolist(), some.second.tolist(), strict=True)}
    assert kept <= listed
    sizes = [len(own) for own in folded(keywords)]
    flagged = {row for row, most in enumerate(best(keywords).shared.tolist()) if sizes[row] and most / sizes[row] > 0.6}
    assert flagged <= {row for pair in kept for row in pair}


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(dates, dates, st.integers(0, 10**30), st.integers(0, 10**7), st.lists(words)), max_size=8))
def test_o_tm_01_every_score_is_finite_and_in_its_range_whatever_the_dates(
    rows: list[tuple[str, str, int, int, list[str]]],
) -> None:
    memories = [
        Memory(
            id=MemoryId(f"MEM-{number}"),
            place=Place(f"{number}.md"),
            digest=Digest(""),
            title="",
            created=created,
            last_retrieved=last,
            retrieval_count=count,
            token_count=tokens,
            keywords=tuple(keywords),
        )
        for number, (created, last, count, tokens, keywords) in enumerate(rows)
    ]
    found = scores(Columns.of(memories), TODAY)
    for column in (found.staleness, found.zero_retrieval, found.duplicate, found.composite):
        assert all(0.0 <= value <= 1.0 for value in column.tolist())
    assert all(0.0 <= value < 1e6 for value in found.size_penalty.tolist())
    assert all(days >= 0 for days in (*found.ages.age_days, *found.ages.idle_days))
    assert 0 <= found.health <= 100


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 400), st.integers(0, 400), st.integers(0, 9), st.integers(0, 9))
def test_more_use_never_raises_a_score_and_more_age_never_lowers_staleness(
    age: int, more_age: int, used: int, more_used: int
) -> None:
    def memory(number: int, age_days: int, count: int) -> Memory:
        created = str(TODAY - timedelta(days=age_days))
        return Memory(
            id=MemoryId(f"MEM-{number}"),
            place=Place(f"{number}.md"),
            digest=Digest(""),
            title="",
            created=created,
            retrieval_count=count,
        )

    young, old, useful = scores(
        Columns.of([memory(0, age, used), memory(1, age + more_age, used), memory(2, age, used + more_used)]), TODAY
    ).composite.tolist()
    assert useful <= young
    if used == 0 or age > 60 or age + more_age <= 60:
        assert young <= old
