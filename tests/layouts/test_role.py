"""The role layout: the contract, and what reading and writing its files has to give."""

import pytest
from contract import LAWS, NOW, Law, LayoutCase, name_of
from role_case import CASES, LEARNINGS, changed, diff, encoded, learnings, memory, read

from memtend.change import Change, ChangeSet, Verb, created
from memtend.errors import Refused
from memtend.layouts.role import RoleLayout, grammar, header
from memtend.layouts.role.decode import CONSOLIDATED, PENDING, decode_consolidated, decode_pending
from memtend.layouts.role.ids import Kind, id_of, is_role_name

ODD = """\
# Learnings
intro line
- [3x] Prefer small commits
- [ 2x ] odd spacing
- [x3] wrong order
- [12x] long one
  continued on a second line
  - nested detail
* [1x] star bullet
- no counter
- [ ] a task
- [x] a done task
- [2x] says "[5x]" inside
## Unknown section
- [1x] stays here
"""


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_the_role_keeps_the_contract(law: Law, case: LayoutCase) -> None:
    law(case)


# Ids


@pytest.mark.parametrize(
    ("kind", "text", "category", "id"),
    [
        (Kind.LEARNING, "Use guard clauses", "", "0c5598bb85"),
        (Kind.PREFERENCE, "use tabs", "Code", "2bb5523a80"),
        (Kind.PREFERENCE, "use spaces", "General", "65f3794e56"),
        (Kind.PENDING, "candidate insight about caching layers", "", "f20191b7e5"),
        (Kind.LEARNING, "candidate insight about caching layers", "", "b6aa01bae8"),
    ],
)
def test_ids_follow_from_kind_text_and_category(kind: Kind, text: str, category: str, id: str) -> None:
    assert id_of(kind, text, category) == id
    assert id_of(kind, f"  {text.upper()}\n".replace(" ", " \t "), category.upper()) == id


def test_two_lines_that_say_the_same_are_two_entries() -> None:
    ids = [m.id for m in read("# Learnings (Normal)\n- [1x] a\n- [2x] A\n- [1x] b\n")]
    assert ids == [id_of("learning", "a"), f"{id_of('learning', 'a')}-2", id_of("learning", "b")]


@pytest.mark.parametrize(
    "name", ["..", ".", "", "a/b", "..\\x", "/etc", "~/x", "a\0b", ".git", "_draft", "con", "x.", "a b", "C:x"]
)
def test_o_fs_04_what_is_no_name_of_a_role_is_refused(name: str) -> None:
    assert not is_role_name(name)


@pytest.mark.parametrize("name", ["zero", "Zero-2", "a.b_c", "7", "角色"])
def test_letters_digits_dots_and_dashes_name_a_role(name: str) -> None:
    assert is_role_name(name)


# Counts, tiers, sections


@pytest.mark.parametrize(
    ("line", "count", "text"),
    [
        ("- [0x] a", 0, "a"),
        ("- [003x] a", 3, "a"),
        ("- [3X] a", 3, "a"),
        ("- [3x]a", 3, "a"),
        ("- a (used 3x)", 3, "a"),
        ("- a (Used: 4)", 4, "a"),
        ("- a (2)", 1, "a (2)"),
        ("- a (3x)", 1, "a (3x)"),
        ("- [2x] a (used 9x)", 2, "a (used 9x)"),
        ("- [2x] [5x] a", 2, "[5x] a"),
        ("- a", 1, "a"),
        ("* [2x]   a \t b  ", 2, "a b"),
    ],
)
def test_counts_are_read_in_front_and_behind(line: str, count: int, text: str) -> None:
    assert learnings(f"# Learnings (Normal)\n{line}\n") == [(count, text)]


@pytest.mark.parametrize(
    ("heading", "count"),
    [("# Learnings (High Priority)", 3), ("# learnings (NORMAL)", 1), ("# Learnings (New)", 0), ("# Learnings", 1)],
)
def test_a_line_without_a_count_takes_its_sections(heading: str, count: int) -> None:
    assert learnings(f"{heading}\n- a\n") == [(count, "a")]


@pytest.mark.parametrize("nothing", ["- (none)", "- (None yet)", "- none", "- -", "- [2x] (none)", "-"])
def test_a_placeholder_is_no_memory(nothing: str) -> None:
    assert read(f"# Learnings (New)\n{nothing}\n") == ()


def test_inside_events_only_a_sections_heading_ends_it() -> None:
    text = """\
# Events
## [2026-04-17] New learnings about highways
- [3x] a bullet in the story
# Lessons about roads
more
## Learnings (Normal)
- [2x] part of an event
# Learnings (New)
- [0x] a learning
"""
    assert learnings(text) == [(0, "a learning")]
    events = [m for m in read(text) if m.extra["kind"] == Kind.EVENT]
    assert [(m.created, m.title) for m in events] == [
        ("2026-04-17", "New learnings about highways"),
        ("", "Learnings (Normal)"),
    ]
    assert events[0].content == "- [3x] a bullet in the story\n# Lessons about roads\nmore"


def test_headings_in_code_and_comments_open_nothing() -> None:
    text = "# Learnings (New)\n```\n# Preferences: Code\n- [1x] no\n```\n<!--\n# Events\n-->\n- [0x] yes\n"
    assert [(m.title, m.extra["kind"]) for m in read(text)] == [("yes", "learning")]


def test_a_fence_that_nothing_closes_hides_no_section() -> None:
    text = "# Learnings (New)\n- [0x] a\n```python\n# Preferences: Code\n- use tabs\n"
    assert [m.title for m in read(text)] == ["a", "use tabs"]
    assert [p.code for p in decode_consolidated(text.encode()).problems] == ["open-fence"]


def test_custom_categories_keep_their_name_and_standard_ones_get_their_spelling() -> None:
    text = "# Preferences: code\n- a\n# preferences:  Review   Style\n- b\n# Preferences\n- c\n"
    assert [(m.category, m.title) for m in read(text)] == [("Code", "a"), ("Review Style", "b"), ("General", "c")]


# Metadata


def test_a_trailing_comment_is_metadata_when_its_fields_are() -> None:
    line = "- [6x] text <!-- tags: a, b c | src: auto | seen: 2026-04-17 | weight: 0.5 -->"
    (found,) = read(f"# Learnings (High Priority)\n{line}\n")
    assert (found.title, found.tags, found.source, found.last_retrieved) == ("text", ("a", "b c"), "auto", "2026-04-17")
    assert found.extra["meta:weight"] == "0.5"


@pytest.mark.parametrize(
    "comment", ["<!-- todo: check -->", "<!-- see below -->", "<!-- tags -->", "<!-- a: b | c -->"]
)
def test_any_other_comment_belongs_to_the_text(comment: str) -> None:
    (found,) = read(f"# Learnings (New)\n- [0x] text {comment}\n")
    assert found.title == f"text {comment}"


def test_a_field_that_memtend_does_not_know_survives_a_change() -> None:
    text = "# Learnings (Normal)\n- [1x] a <!-- weight: 0.5 | seen: 2026-05-02 -->\n"
    after = changed(text, Verb.REINFORCE, "a", retrieval_count=2, last_retrieved="2026-06-30")
    assert after == "# Learnings (Normal)\n- [2x] a <!-- seen: 2026-06-30 | weight: 0.5 -->\n"


@pytest.mark.parametrize("tag", ["a|b", "a-->b", "a, b", "#a", "<!--", "two  blanks"])
def test_o_fm_09_a_tag_that_would_break_the_comment_is_refused(tag: str) -> None:
    with pytest.raises(Refused):
        encoded("# Learnings (New)\n", created(memory(Kind.LEARNING, "a", tags=(tag,))))


# Nothing is lost


@pytest.mark.parametrize("text", [ODD, LEARNINGS, "", "\n", "no newline", "# Events\n\n\n", "---\nprose: no\n"])
def test_o_va_03_load_and_save_without_a_change_keeps_every_byte(text: str) -> None:
    assert grammar.render(grammar.parse(text.encode())) == text.encode()


def test_o_va_03_reinforcing_changes_that_line_alone() -> None:
    after = changed(ODD, Verb.REINFORCE, "Prefer small commits", retrieval_count=4)
    assert diff(ODD, after) == (["- [3x] Prefer small commits"], ["- [4x] Prefer small commits"])
    assert after.replace("[4x] Prefer", "[3x] Prefer") == ODD


def test_o_va_03_every_odd_line_is_read_and_reported() -> None:
    assert learnings(ODD) == [
        (1, "intro line"),
        (3, "Prefer small commits"),
        (1, "[ 2x ] odd spacing"),
        (1, "[x3] wrong order"),
        (12, "long one continued on a second line"),
        (1, "star bullet"),
        (1, "no counter"),
        (1, "[ ] a task"),
        (1, "[x] a done task"),
        (2, 'says "[5x]" inside'),
        (1, "stays here"),
    ]
    problems = decode_consolidated(ODD.encode()).problems
    assert [(p.code, p.line) for p in problems] == [
        ("stray-line", 2),
        ("odd-count", 4),
        ("odd-count", 5),
        ("wrapped-line", 6),
    ]
    (long,) = [m for m in read(ODD) if m.retrieval_count == 12]
    assert long.content == "long one continued on a second line\n- nested detail"


def test_crlf_and_a_mark_are_read_and_lf_is_written() -> None:
    """O-FM-06, where the role spec decides: LF is written."""
    text = "\ufeff" + LEARNINGS.replace("\n", "\r\n")
    assert learnings(text) == learnings(LEARNINGS)
    assert header.value(grammar.parse(text.encode()).header, "name") == "zero"
    (edit,) = RoleLayout("zero").encode(ChangeSet((raised(text),)), {CONSOLIDATED: text.encode()}, NOW)
    assert edit.after == encoded(LEARNINGS, raised(LEARNINGS)).encode()


def raised(text: str) -> Change:
    first = read(text)[0]
    return Change(Verb.REINFORCE, first.id, first.digest, {"retrieval_count": 7})


def test_o_fm_04_one_change_touches_its_line_and_the_date_of_the_header() -> None:
    before = LEARNINGS.replace("2026-06-30", "2026-06-01", 1)
    after = encoded(before, raised(before))
    gone, came = diff(before, after)
    assert gone == ['updated: "2026-06-01"  # kept by memtend', *[line for line in gone if line.startswith("- ")]]
    assert came == ['updated: "2026-06-30"  # kept by memtend', *[line for line in came if line.startswith("- ")]]
    assert len(gone) == len(came) == 2


@pytest.mark.parametrize(
    "head",
    [
        '---\nname: "abc "def" ghi"\ntags: [a, b]\n---\n',  # O-FM-05
        "---\nname: Deploy: the second attempt\n---\n",  # O-FM-01
        "---\nname: a\nname: b\nupdated: soon\n---\n",  # O-FM-10
        "---\nupdated: 2026-01-01\nupdated: 2026-01-02\n---\n",
    ],
)
def test_o_fm_05_a_header_that_is_broken_or_odd_stays_as_it_is(head: str) -> None:
    text = head + "# Learnings (Normal)\n- [1x] a\n"
    assert changed(text, Verb.REINFORCE, "a", retrieval_count=2) == text.replace("[1x]", "[2x]")


def test_o_fm_12_prose_between_two_rules_is_no_header() -> None:
    text = "---\n\nHello, this is prose between two rules.\n---\n# Learnings (Normal)\n- [1x] a\n"
    assert grammar.parse(text.encode()).header == []
    assert changed(text, Verb.REINFORCE, "a", retrieval_count=2) == text.replace("[1x]", "[2x]")


@pytest.mark.parametrize(
    "text",
    [
        "C:\\new\\table    \\1    \\g<0>    C:\\    $1,699    a$'b    $&",
        "ends with a comment <!-- tags: a -->",
        "ends with nothing <!-- -->",
        "[5x] begins like a count",
        "- begins like a bullet",
        "# begins like a heading",
        "``` begins like a fence",
        "used (used 3x)",
        "日本語 and \u202e odd \u2028 signs",
        "emoji 👩‍👩‍👧",
        "> quoted | piped |",
        "---",
    ],
)
@pytest.mark.parametrize("kind", [Kind.LEARNING, Kind.PREFERENCE, Kind.PENDING])
def test_o_md_08_any_text_is_stored_and_read_back(kind: Kind, text: str) -> None:
    extra = {"kind": str(kind), **({"mark": "○"} if kind is Kind.PENDING else {})}
    new = memory(kind, " ".join(text.split()), category="General" if kind is Kind.PREFERENCE else "", extra=extra)
    tree = {CONSOLIDATED: LEARNINGS.encode(), PENDING: b"# Pending Memories\n"}
    (edit,) = RoleLayout("zero").encode(ChangeSet((created(new),)), tree, NOW)
    decode = decode_pending if kind is Kind.PENDING else decode_consolidated
    found = {m.id: m for m in decode(edit.after or b"").memories}
    assert (found[new.id].title, found[new.id].tags) == (new.title, ())


def test_plain_files_get_no_comment() -> None:
    new = memory(Kind.LEARNING, "a")
    assert "<!--" not in encoded("# Learnings (New)\n- (none)\n", created(new), plain=True)
    with pytest.raises(Refused):
        encoded("# Learnings (New)\n", created(memory(Kind.LEARNING, "a <!-- tags: b -->")), plain=True)


# Places


def test_new_lines_stand_under_their_tier_by_count_then_by_text() -> None:
    text = "# Learnings (High Priority)\n- [9x] z\n- [3x] b\n\n# Events\n- (none)\n"
    for count, title in [(3, "c"), (3, "a"), (20, "y"), (0, "new"), (2, "normal")]:
        text = encoded(text, created(memory(Kind.LEARNING, title, retrieval_count=count)))
    assert text == (
        "# Learnings (High Priority)\n- [20x] y\n- [9x] z\n- [3x] a\n- [3x] b\n- [3x] c\n\n"
        "# Learnings (Normal)\n- [2x] normal\n\n# Learnings (New)\n- [0x] new\n\n# Events\n- (none)\n"
    )


def test_a_reinforced_line_moves_to_its_tier_and_leaves_a_placeholder() -> None:
    text = "# Learnings (High Priority)\n- [5x] b\n- [3x] c\n\n# Learnings (Normal)\n- [2x] a <!-- tags: t -->\n"
    after = changed(text, Verb.REINFORCE, "a", retrieval_count=3)
    assert after == (
        "# Learnings (High Priority)\n- [5x] b\n- [3x] a <!-- tags: t -->\n- [3x] c\n\n# Learnings (Normal)\n- (none)\n"
    )


def test_preferences_find_their_category_custom_ones_behind_the_standard_ones() -> None:
    text = "# Learnings (New)\n- (none)\n\n# Preferences: Tools\n- b\n\n# Events\n- (none)\n"
    for category, title in [("Zoo", "z"), ("tools", "a"), ("Code", "c"), ("", "g"), ("Art", "x")]:
        text = encoded(text, created(memory(Kind.PREFERENCE, title, category=category)))
    titles = [line for line in text.split("\n") if line and line != "- (none)"]
    sections = "New)|Code|c|Tools|a|b|General|g|Art|x|Zoo|z|# Events"
    assert "|".join(title.rpartition(": ")[2].rpartition("(")[2].removeprefix("- ") for title in titles) == sections


def test_new_lines_join_no_group_under_a_sub_heading() -> None:
    text = "# Learnings (New)\n- [0x] b\n\n## Git\n- [0x] a\n"
    assert (
        encoded(text, created(memory(Kind.LEARNING, "z")))
        == "# Learnings (New)\n- [0x] b\n- [0x] z\n\n## Git\n- [0x] a\n"
    )


def test_a_count_never_falls() -> None:
    memories = {m.id: m for m in read(LEARNINGS)}
    first = next(iter(memories.values()))
    fall = ChangeSet((Change(Verb.UPDATE, first.id, first.digest, {"retrieval_count": 1}),))
    assert RoleLayout("zero").admits(fall, memories)
