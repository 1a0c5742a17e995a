"""Consolidating a role: what is merged, what never is, and that every merge is reported."""

import pytest

from memtend.layouts.role import grammar
from memtend.layouts.role.alike import difference, jaccard, tokens
from memtend.layouts.role.consolidate import Merge, consolidated

TODAY = "2026-06-30"


def merged(text: str, threshold: float = 0.9) -> tuple[str, tuple[Merge, ...]]:
    page, merges = consolidated(grammar.parse(text.encode()), TODAY, threshold)
    return grammar.render(page).decode(), merges


def lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith("- ") and line != "- (none)"]


def kept(*texts: str, threshold: float = 0.9) -> list[str]:
    """What is left of some learnings, the earlier ones used more often."""
    body = "".join(f"- [{len(texts) - at}x] {text}\n" for at, text in enumerate(texts))
    return [line.partition("] ")[2] for line in lines(merged(f"# Learnings (Normal)\n{body}", threshold)[0])]


@pytest.mark.parametrize(
    "variant",
    [
        "use guard clauses",
        "USE GUARD CLAUSES",
        "Use  guard \t clauses",
        "Use guard clauses.",
        "Use guard clauses!",
        "Use guard-clauses",
        "Use, guard; clauses",
        "“Use guard clauses”",
        "Use `guard` clauses",
        "Use **guard** clauses",
        "Ｕｓｅ guard clauses",
    ],
)
def test_case_spacing_and_punctuation_variants_are_copies(variant: str) -> None:
    assert len(kept("Use guard clauses", variant)) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("软删除优先", "软删除，优先。"),
        ("テストを先に書く", "テストを先に書く。"),
        ("don’t panic in tests", "don't panic in tests"),
    ],
)
def test_variants_in_other_scripts_are_copies_too(one: str, other: str) -> None:
    assert len(kept(one, other)) == 1


FILLER = "when the nightly build of the staging cluster runs on the new machines in the second hall of the old site"

NEVER = [
    # O-DM-01, O-DM-02: negations and opposites
    ("use X", "do not use X"),
    ("Use the async runtime for the worker pool.", "Never use the async runtime for the worker pool."),
    ("We allow force-push on main.", "We do not allow force-push on main."),
    ("Feature flags default to on.", "Feature flags default to off."),
    ("Prefer tabs.", "Prefer spaces over tabs."),
    ("prefer tabs over spaces", "prefer spaces over tabs"),
    (f"Run the check {FILLER}", f"Don't run the check {FILLER}"),
    (f"Run the check {FILLER}", f"Run the check without {FILLER}"),
    (f"Enable the cache {FILLER}", f"Disable the cache {FILLER}"),
    (f"Convert JSON to YAML {FILLER}", f"Convert YAML to JSON {FILLER}"),
    ("提交之前一定要先运行全部测试再推送到远端仓库", "提交之前一定不要先运行全部测试再推送到远端仓库"),
    ("デプロイの前に必ずテストを実行して結果を確認する", "デプロイの前に必ずテストを実行しないで結果を確認する"),
    # O-DM-03: numbers, versions, codes
    ("Deadline is 15 October", "Deadline is 16 October"),
    ("Port 8080", "Port 8081"),
    (f"needs Python 3.11 {FILLER}", f"needs Python 3.12 {FILLER}"),
    ("timeout 30 s", "timeout 30 min"),
    ("v1.2.3", "v1.2.4"),
    (f"42 tests pass {FILLER}", f"420 tests pass {FILLER}"),
    (f"E-101 {FILLER}", f"E-110 {FILLER}"),
    (f"Keep two copies {FILLER}", f"Keep three copies {FILLER}"),
    (f"x <= limit {FILLER}", f"x >= limit {FILLER}"),
    (f"Read src/a.py {FILLER}", f"Read src/b.py {FILLER}"),
    # scripts without Latin letters, single signs, no words at all
    ("أحب القهوة في الصباح", "أكره الشاي في المساء"),
    ("ฉันชอบกาแฟ", "เขาชอบชา"),
    ("Пишите тесты", "Читайте код"),
    ("硬删除优先", "软删除优先"),
    ("option a", "option b"),
    ("Use C", "Use C++"),
    ("👍", "👎"),
    ("!!!", "???"),
]


@pytest.mark.parametrize(("one", "other"), NEVER)
def test_o_dm_01_02_03_what_says_something_else_is_never_merged(one: str, other: str) -> None:
    assert kept(one, other) == [one, other]
    assert kept(other, one) == [other, one]


def test_o_dm_01_a_hint_of_a_negation_elsewhere_is_no_copy_either() -> None:
    texts = [
        "Use the async runtime for the worker pool.",
        "Do not forget to configure the async runtime for the worker pool.",
        "Never use the async runtime for the worker pool.",
        "Knots in the async runtime schedule.",
    ]
    assert kept(*texts) == texts


def test_two_texts_without_words_have_nothing_in_common() -> None:
    assert jaccard([], []) == 0.0
    assert tokens("…!?") == []


def test_the_highest_count_the_longer_text_and_all_tags_stay() -> None:
    text = """\
# Learnings (High Priority)
- [5x] one truth <!-- tags: alpha | src: compaction | seen: 2026-08-01 -->
# Learnings (Normal)
- [2x] One truth. <!-- tags: beta, Alpha | seen: 2026-08-09 | weight: 2 -->
"""
    after, merges = merged(text)
    assert lines(after) == [
        "- [5x] One truth. <!-- tags: alpha, beta | src: compaction | seen: 2026-08-09 | weight: 2 -->"
    ]
    assert [(merge.text, merge.count, merge.rule, merge.score) for merge in merges] == [("One truth.", 5, "alike", 1.0)]
    assert [text for _, text in merges[0].removed] == ["one truth"]


def test_every_merge_names_the_ids_of_what_went_and_of_what_stays() -> None:
    from memtend.layouts.role.ids import id_of

    _, merges = merged("# Learnings (New)\n- [0x] a truth\n- [0x] A truth\n- [0x] a truth!\n")
    (merge,) = merges
    assert merge.id == id_of("learning", "a truth!")
    assert [id for id, _ in merge.removed] == [id_of("learning", "a truth"), f"{id_of('learning', 'a truth')}-2"]


def test_consolidating_raises_no_tier() -> None:
    after, _ = merged("# Learnings (New)\n" + "- [0x] a\n" * 9)
    assert lines(after) == ["- [0x] a"]


def test_preferences_are_merged_within_their_category_alone() -> None:
    text = "# Preferences: Code\n- Use tabs\n- use tabs.\n# Preferences: Tools\n- use tabs\n"
    text += "# Learnings (New)\n- [0x] use tabs\n"
    after, merges = merged(text)
    assert sorted(lines(after)) == ["- [0x] use tabs", "- use tabs", "- use tabs."]
    assert len(merges) == 1


def test_o_dm_04_in_a_chain_nothing_goes_without_a_text_that_covers_it() -> None:
    words = [f"w{chr(97 + at)}" for at in range(20)]
    first, second, third = " ".join(words), " ".join([*words, "x"]), " ".join([*words, "x", "y", "z"])
    assert jaccard(first.split(), second.split()) >= 0.9 > jaccard(first.split(), third.split())
    left = kept(first, second, third)
    assert all(any(jaccard(tokens(gone), tokens(stays)) >= 0.9 for stays in left) for gone in (first, second, third))
    assert kept("same", "same", "same") == ["same"]


def test_the_threshold_can_be_set() -> None:
    pair = ("always run the tests before a push", "always run the tests before every push")
    assert len(kept(*pair)) == 2
    assert len(kept(*pair, threshold=0.7)) == 1


def test_what_is_nested_is_kept_from_both() -> None:
    after, _ = merged("# Learnings (Normal)\n- [2x] a b\n  - one\n- [1x] A b\n  - two\n")
    assert "- [2x] a b\n  - one\n  - two\n" in after


def test_the_page_is_laid_out_and_dated() -> None:
    after, _ = merged(
        "# Memory: zero\n# Last Consolidated: 2020-01-01\n# Auto-Extracted: true\n\n# Events\n## [2026-01-01] A\nb\n"
    )
    assert after.startswith(
        "# Memory: zero\n# Last Consolidated: 2026-06-30\n# Auto-Extracted: true\n\n# Learnings (High"
    )
    assert after.endswith("# Events\n## [2026-01-01] A\nb\n")
    assert merged(after) == (after, ())


def test_a_date_line_is_made_where_there_is_none() -> None:
    assert merged("# Learnings (New)\n- [0x] a\n")[0].startswith("# Last Consolidated: 2026-06-30\n\n# Learnings (High")


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("use X", "do not use X", "negation"),
        ("Port 80", "Port 81", "number"),
        ("a b", "b a", "order"),
        ("a", "A", None),
    ],
)
def test_a_difference_says_what_it_is(one: str, other: str, kind: str | None) -> None:
    found = difference(one, other)
    assert (found.kind if found else None) == kind
