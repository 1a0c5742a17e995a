"""Laws of upkeep: scores stay in their ranges, overlaps are exact, and nothing is lost by what distill decides."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from memtend.body import fit
from memtend.change import Change, ChangeSet, Verb, applied, created, differences
from memtend.distill.columns import Columns
from memtend.distill.condense import condense, lost_facts
from memtend.distill.merge import merged_with, relinked, without_own_links
from memtend.distill.overlap import best, pairs
from memtend.distill.passages import passages
from memtend.distill.score import scores
from memtend.errors import UnusableInput
from memtend.layouts.vault import VaultLayout
from memtend.memory import Digest, Memory, MemoryId, Place
from memtend.text import count_words

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


# --- condensing ---------------------------------------------------------------------------------------------------

pieces = st.sampled_from(
    [
        "The gate closes at dusk.",
        "The gate does not close at dusk.",
        "Call `foo.bar()` with 3 retries.",
        "See [[MEM-x#Part|it]] and https://x.example/a?b=1.",
        "Nothing of note happens in the afternoon, says the watch.",
        "The watch says that nothing of note happens in the afternoon.",
        "- a bullet about /etc/hosts\n  - and one below it\n- another",
        "1. First step.\n2. Second step.",
        "```sh\nmake 42\n```",
        "| a | b |\n|---|---|\n| 1 | x |",
        "## A heading",
        "### Deeper with `code`",
        "> A quotation of `x_y`.",
        "```\nleft open",
        "<!-- a comment",
        "**Source**: notes/a.md",
        "设置超时时间。重试三次。",
        "# 7",
        "a `torn. span",
    ]
)
notes = st.lists(pieces | st.text(max_size=40), max_size=14).map("\n\n".join)


@settings(max_examples=200, deadline=None)
@given(notes, st.lists(st.sampled_from(["gate", "quantum", "Watch"]), max_size=3))
def test_o_dm_06_a_short_text_has_every_fact_of_the_long_one_or_is_refused_with_a_reason(
    text: str, keywords: list[str]
) -> None:
    short = condense(text, keywords)
    assert bool(short.text) != bool(short.reason)
    assert short.words_before == count_words(text)
    if short.text:
        assert lost_facts(text, short.text) == []
        assert short.words_after == count_words(short.text) < short.words_before
        assert all(word.casefold() in short.text.casefold() for word in keywords)
        assert condense(text, keywords) == short


@settings(max_examples=150, deadline=None)
@given(notes)
def test_every_word_of_a_text_is_in_one_of_its_passages(text: str) -> None:
    told = " ".join(passage.text for passage in passages(text))
    letters = [char for char in text if char.isalnum()]
    assert sorted(char for char in told if char.isalnum()) == sorted(letters)


# --- merging ------------------------------------------------------------------------------------------------------

names = st.lists(st.sampled_from(["API", "api", "retry", "naïve", "C++", "1.10", "no"]), max_size=5, unique=True).map(
    tuple
)
links = st.lists(
    st.sampled_from(["- [[MEM-a]]", "- [[MEM-b]]", "- [[MEM-c|why]]", "See also:"]), max_size=4, unique=True
)


@st.composite
def memories(draw: st.DrawFn, id: str) -> Memory:
    text = draw(notes)
    try:
        content = fit(text) or "Text."
    except (UnusableInput, UnicodeEncodeError):
        content = "Text."
    tags = draw(names)
    entries = draw(st.lists(st.sampled_from(["One.", "Two.\n\n#### Part\n\nMore."]), max_size=2))
    return Memory(
        id=MemoryId(id),
        place=Place(f"10-Memories/{id}.md"),
        digest=Digest(""),
        title=f"Title of {id}",
        content=content if content.strip() else "Text.",
        keywords=draw(names),
        tags=tags,
        category=next(iter(tags), ""),
        history="\n\n".join(f"### Version {number}\n\n{entry}" for number, entry in enumerate(entries)),
        connections="\n".join(draw(links)),
        created=draw(dates),
        retrieval_count=draw(st.integers(0, 50)),
    )


@settings(max_examples=120, deadline=None)
@given(memories("MEM-a"), memories("MEM-b"))
def test_a_merge_keeps_the_union_of_everything_and_reads_back_as_it_was_meant(one: Memory, other: Memory) -> None:
    merged = without_own_links(merged_with(one, other, 0.75, "2026-08-30"))
    assert set(merged.keywords) == {*one.keywords, *other.keywords}
    assert {tag.casefold() for tag in merged.tags} == {tag.casefold() for tag in (*one.tags, *other.tags)}
    assert merged.retrieval_count == one.retrieval_count + other.retrieval_count
    assert merged.content.startswith(one.content)
    assert len(merged.history) >= len(one.history) + len(other.history)
    wanted = {line for line in (*one.connections.split("\n"), *other.connections.split("\n")) if line}
    assert {line for line in merged.connections.split("\n") if line} == wanted - {"- [[MEM-a]]"}
    _require_readable(one, merged)


def _require_readable(one: Memory, merged: Memory) -> None:
    """The layout writes the merged memory and reads the same back."""
    layout = VaultLayout()
    (made,) = layout.encode(ChangeSet((created(one),)), {}, TODAY_AT)
    tree = {made.path: made.after or b""}
    (before,) = layout.decode(made.path, tree[made.path]).memories
    names = ("content", "history", "connections", "keywords", "tags", "category", "created", "retrieval_count")
    fields = {name: getattr(merged, name) for name in names if getattr(merged, name) != getattr(before, name)}
    change = Change(Verb.MERGE, before.id, before.digest, fields)
    (edit,) = layout.encode(ChangeSet((change,)), tree, TODAY_AT)
    (after,) = layout.decode(edit.path, edit.after or b"").memories
    assert differences(applied({before.id: before}, [change]), {after.id: after}) == []


TODAY_AT = datetime(2026, 8, 30, tzinfo=UTC)


@settings(max_examples=100, deadline=None)
@given(notes)
def test_leading_links_elsewhere_and_back_restores_the_text(text: str) -> None:
    there, back = {MemoryId("MEM-x"): MemoryId("MEM-new")}, {MemoryId("MEM-new"): MemoryId("MEM-x")}
    try:
        moved = relinked(text, there)
    except UnicodeEncodeError:
        return
    assert "MEM-x#" not in moved.replace("`", "") or "left open" in text or "<!--" in text
    assert relinked(moved, back) == text
