"""Laws of the role layout that hold for any file and any text."""

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[1] / "layouts"))

from contract import NOW
from role_case import memory

from memtend.change import Change, ChangeSet, Verb, applied, created, differences
from memtend.errors import Refused
from memtend.layouts.role import RoleLayout, bullet, grammar, headings, pending, placing, repair
from memtend.layouts.role.alike import difference, jaccard, tokens
from memtend.layouts.role.bullet import Item
from memtend.layouts.role.consolidate import consolidated
from memtend.layouts.role.decode import CONSOLIDATED, decode_consolidated
from memtend.layouts.role.ids import Kind, category_name, collapsed, id_of, key_of
from memtend.layouts.role.layout import says_something
from memtend.layouts.role.page import Event, Page, Part, Section, numbered
from memtend.layouts.role.score import Query
from memtend.memory import Memory

TODAY = "2026-06-30"
SIGNS = st.sampled_from(list("abc dX#-*+[]()<>!|`~:;,.\"'\\$&0139xé软删除優先ノ\t\u2028👍"))
TEXTS = st.text(SIGNS, min_size=1, max_size=24) | st.text(min_size=1, max_size=24)
HEADINGS = st.sampled_from(
    [
        "# Learnings (High Priority)",
        "# Learnings (Normal)",
        "# learnings (new)",
        "# Learnings",
        "# Preferences: Code",
        "# Preferences: Review Style",
        "# Preferences",
        "# Events",
        "## Learnings (New)",
        "## Preferences: Code",
        "## Lessons Learned",
        "## Running Notes",
        "# Unknown",
        "## Sub-heading",
        "# Memory: zero",
    ]
)
BULLETS = st.builds(
    lambda mark, count, text, meta: f"{mark} {count}{text}{meta}",
    st.sampled_from(["-", "*", "+", "  -", "    -"]),
    st.sampled_from(["", "[0x] ", "[003x] ", "[12X] ", "[ 2x ] ", "[x3] "]),
    TEXTS,
    st.sampled_from(["", " <!-- tags: a, b -->", " <!-- src: auto | seen: 2026-01-02 -->", " <!-- todo -->"]),
)
ODD = st.sampled_from(
    [
        "",
        "   ",
        "```",
        "~~~py",
        "<!--",
        "-->",
        "<!-- x -->",
        "---",
        "- (none)",
        "> q",
        "  more",
        "text",
        "## [2026-01-02] Day",
    ]
)
LINES = HEADINGS | BULLETS | ODD | TEXTS
HEADERS = st.sampled_from(
    ["", '---\nname: "z"\nupdated: "2026-06-30"\n---\n', "---\nnot closed\n", "\ufeff", "---\n\nprose\n---\n"]
)


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    """A file that somebody might have."""
    text = draw(HEADERS) + "\n".join(draw(st.lists(LINES, max_size=14))) + draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.encode("utf-8", "surrogatepass" if False else "replace")


def texts_of(page: Page) -> Counter[str]:
    return Counter(
        key_of(part.title if isinstance(part, Event) else part.text)
        for section in page.sections
        for part in section.parts
        if isinstance(part, Item | Event)
    )


def memories(data: bytes) -> dict[str, Memory]:
    return {memory.id: memory for memory in decode_consolidated(data).memories}


def said(found: Iterable[Memory]) -> Counter[tuple[object, ...]]:
    """What memories say; of several copies the ids follow from their order, which a change of one may change."""
    return Counter((m.title, m.content, m.category, m.tags, m.retrieval_count, m.last_retrieved) for m in found)


@given(pages())
def test_reading_loses_no_byte(data: bytes) -> None:
    plain = data.removeprefix(grammar.BOM).replace(b"\r\n", b"\n")
    assert grammar.render(grammar.parse(data)) == plain
    assert pending.render(pending.parse(data)) in (plain, plain + b"\n")


@given(st.binary(max_size=80))
def test_no_bytes_stop_the_reading(data: bytes) -> None:
    decode_consolidated(data)
    once = grammar.render(grammar.parse(data))
    assert grammar.render(grammar.parse(once)) == once


@given(pages())
def test_line_ends_of_another_system_read_the_same(data: bytes) -> None:
    windows = data.replace(b"\r", b"").replace(b"\n", b"\r\n")
    here, there = memories(data.replace(b"\r", b"")), memories(windows)
    assert differences(here, there) == []  # type: ignore[arg-type]


@given(pages())
def test_ids_are_distinct_and_lines_are_numbered_rightly(data: bytes) -> None:
    found = decode_consolidated(data)
    assert len({memory.id for memory in found.memories}) == len(found.memories)
    lines = grammar.lines_of(data)
    for line, _, part in numbered(grammar.parse(data)):
        assert lines[line - 1] == part.raw[0]


@given(pages())
def test_repair_is_done_at_once_and_loses_no_line(data: bytes) -> None:
    before = grammar.parse(data)
    page, found = repair.repaired(grammar.parse(data))
    after = grammar.render(page)
    if not found:
        assert after == data.removeprefix(grammar.BOM).replace(b"\r\n", b"\n")
        assert before.is_open or repair.repaired(before) == (before, ())
        return
    again, left = repair.repaired(grammar.parse(after))
    assert left == ()
    assert grammar.render(again) == after
    known = collapsed(after.decode("utf-8", "surrogateescape")).lower()
    for text in (key_of(item.text) for section in before.sections for item in section.items):
        words = bullet.without_odd_bullet(text)
        odd = bullet.odd_count(words)
        assert (odd[1] if odd and odd[1] else words) in known


@given(pages())
def test_canonical_layout_keeps_every_entry_with_its_count(data: bytes) -> None:
    page = placing.mended(grammar.parse(data))
    counted = [(s.count(i), i.text, i.meta, i.detail) for s in page.sections if s.is_counted for i in s.items]
    after = grammar.parse(grammar.render(placing.laid_out(page)))
    laid = [(s.count(i), i.text, i.meta, i.detail) for s in after.sections if s.is_counted for i in s.items]
    assert Counter(laid) == Counter(counted)
    assert grammar.render(placing.laid_out(after)) == grammar.render(grammar.parse(grammar.render(after)))


@given(pages())
def test_canonical_layout_is_sorted_under_its_tiers(data: bytes) -> None:
    page = grammar.parse(grammar.render(placing.laid_out(placing.mended(grammar.parse(data)))))
    if page.is_open:
        return
    for section in page.sections:
        if section.name.kind in ("high", "normal", "new"):
            assert all(placing.tier_of(section.count(item)) == section.name.kind for item in section.items)
    assert not {fault.code for fault in repair.faults(page)} & {
        "wrong-tier",
        "repeated-section",
        "missing-section",
        "missing-count",
    }


@given(pages(), st.sampled_from([Kind.LEARNING, Kind.PREFERENCE]), TEXTS, TEXTS, st.integers(0, 5))
def test_what_is_added_is_there_and_everything_else_stays(
    data: bytes, kind: Kind, text: str, category: str, count: int
) -> None:
    """O-MD-08, O-FM-09: any text is stored and read back exactly, or refused."""
    text, category = collapsed(text), category_name(category) if kind is Kind.PREFERENCE else ""
    if not says_something(text) or "\r" in text + category:
        return
    new = memory(kind, text, category=category, retrieval_count=count if kind is Kind.LEARNING else 0)
    before = memories(data)
    change = created(new)
    layout = RoleLayout("zero")
    if new.id in before:
        return
    try:
        (edit,) = layout.encode(ChangeSet((change,)), {CONSOLIDATED: data}, NOW)
    except Refused:
        return
    after = memories(edit.after or b"")
    assert differences(applied(before, [change]), after) == []  # type: ignore[arg-type]
    erase = Change(Verb.ERASE, new.id, None)
    (back,) = layout.encode(ChangeSet((erase,)), {CONSOLIDATED: edit.after or b""}, NOW)
    assert differences(before, memories(back.after or b"")) == []  # type: ignore[arg-type]


@given(pages(), st.data())
def test_reinforcing_touches_no_other_line(data: bytes, choice: st.DataObject) -> None:
    before = memories(data)
    learnings = [memory for memory in before.values() if memory.extra["kind"] == Kind.LEARNING]
    if not learnings:
        return
    chosen = choice.draw(st.sampled_from(learnings))
    change = Change(Verb.REINFORCE, chosen.id, chosen.digest, {"retrieval_count": chosen.retrieval_count + 1})
    (edit,) = RoleLayout("zero").encode(ChangeSet((change,)), {CONSOLIDATED: data}, NOW)
    after = memories(edit.after or b"")
    assert said(applied(before, [change]).values()) == said(after.values())  # type: ignore[arg-type]
    old, new = (Counter(grammar.lines_of(one)) for one in (data, edit.after or b""))
    gone = {line for line in (old - new) if bullet.parse(line, True) is not None}
    twins = [part for section in grammar.parse(data).sections for part in section.items if part.text == chosen.title]
    assert any(gone <= {*twin.raw, *grammar.parse(data).header} for twin in twins)


@given(st.lists(TEXTS.map(collapsed).filter(says_something), max_size=8), st.floats(0.5, 1.0))
@settings(max_examples=60)
def test_consolidating_removes_nothing_that_is_not_covered(texts: list[str], threshold: float) -> None:
    items: list[Part] = [Item(text, at % 4) for at, text in enumerate(texts)]
    data = grammar.render(
        Page(
            [],
            [
                Section(headings.PREAMBLE),
                Section(headings.NORMAL, "# Learnings (Normal)", parts=items),
            ],
        )
    )
    before = texts_of(grammar.parse(data))
    page, merges = consolidated(grammar.parse(data), TODAY, threshold)
    after = texts_of(grammar.parse(grammar.render(page)))
    gone = Counter(key_of(text) for merge in merges for _, text in merge.removed)
    assert after == before - gone
    assert gone + after == before
    for merge in merges:
        for _, text in merge.removed:
            assert key_of(text) == key_of(merge.text) or (
                jaccard(tokens(text), tokens(merge.text)) >= threshold and difference(text, merge.text) is None
            )
    again, more = consolidated(grammar.parse(grammar.render(page)), TODAY, threshold)
    assert (grammar.render(again), more) == (grammar.render(page), ())


@given(TEXTS, TEXTS)
def test_a_difference_is_seen_from_both_sides(one: str, other: str) -> None:
    assert (difference(one, other) is None) == (difference(other, one) is None)
    assert jaccard(tokens(one), tokens(other)) == jaccard(tokens(other), tokens(one))
    assert difference(one, one) is None


@given(TEXTS, TEXTS)
def test_a_score_is_a_share_and_highest_for_the_text_itself(query: str, text: str) -> None:
    score = Query(query).score(text)
    assert 0.0 <= score.value <= 1.0
    assert not score.is_proof or score.value >= 0.5
    assert score.value <= Query(query).bound(text) + 1e-9
    if tokens(query):
        assert Query(query).score(query).value >= score.value


@given(TEXTS)
def test_an_id_follows_from_what_is_said_and_not_from_how(text: str) -> None:
    assert id_of("learning", text) == id_of("learning", f"\t{text}\n ")
    assert len(id_of("learning", text)) == 10
