"""Mending a role's file: what is malformed is named, and all of it is kept."""

import pytest
from role_case import read

from memtend.layouts.role import grammar, header, placing, repair
from memtend.layouts.role.decode import decode_consolidated


def mended(text: str) -> str:
    page, _ = repair.repaired(grammar.parse(text.encode()))
    return grammar.render(page).decode()


def codes(text: str) -> list[tuple[str, int]]:
    return [(fault.code, fault.line) for fault in repair.repaired(grammar.parse(text.encode()))[1]]


def test_repair_leaves_a_file_alone_that_lacks_nothing() -> None:
    whole = grammar.render(header.new_page("zero", "2026-06-30")).decode()
    unsorted = whole.replace("# Learnings (New)\n- (none)", "# Learnings (New)\n- [0x] b\n- [0x] a")
    for text in (whole, unsorted, whole.replace("2026-06-30", "2020-01-01")):
        assert mended(text) == text
        assert codes(text) == []


MALFORMED = [
    ("## Learnings (Normal)", "# Learnings (Normal)"),
    ("#Learnings (Normal)", "# Learnings (Normal)"),
    ("# Learnings Normal:", "# Learnings (Normal)"),
    ("### learnings - High Priority ###", "# Learnings (High Priority)"),
    ("# New Learnings", "# Learnings (New)"),
    ("**Learnings (New)**", "# Learnings (New)"),
    ("## Preferences: code", "# Preferences: Code"),
    ("# Preference - Review Style", "# Preferences: Review Style"),
    ("## Events", "# Events"),
]


@pytest.mark.parametrize(("wrong", "right"), MALFORMED)
def test_a_malformed_heading_is_kept_reported_and_mended(wrong: str, right: str) -> None:
    text = f"# Memory: zero\n\n{wrong}\n- [3x] kept\n"
    assert read(text) == ()
    assert [(p.code, p.severity, p.line) for p in decode_consolidated(text.encode()).problems] == [
        ("malformed-heading", "error", 3)
    ]
    after = mended(text)
    assert right in after.split("\n")
    assert [m.title for m in read(after)] == (["kept"] if "Learn" in right else ["[3x] kept"])
    assert codes(after) == []


@pytest.mark.parametrize(
    "title", ["# Learnings about highways", "# High priority", "# News", "## A preference for cats"]
)
def test_a_heading_that_only_sounds_alike_is_none_of_ours(title: str) -> None:
    text = f"# Learnings (New)\n- (none)\n{title}\n- x\n"
    assert "malformed-heading" not in {code for code, _ in codes(text)}
    assert title in mended(text).split("\n")


OUT_OF_ORDER = """\
# Memory: zero
# Learnings (Normal)
- [5x] belongs to high
- [ 2x ] odd
stray line
# Preferences: Code
1. stray preference
# Learnings (Normal)
- again
- long one
  goes on
# Odd section
text
"""


def test_repair_names_repeated_sections_stray_lines_counts_and_tiers() -> None:
    assert codes(OUT_OF_ORDER)[:8] == [
        ("wrong-tier", 3),
        ("odd-count", 4),
        ("stray-line", 5),
        ("missing-count", 5),
        ("stray-line", 7),
        ("repeated-section", 8),
        ("missing-count", 9),
        ("wrapped-line", 10),
    ]


def test_repair_mends_repeated_sections_stray_lines_counts_and_tiers() -> None:
    after = mended(OUT_OF_ORDER)
    assert (
        after
        == """\
# Memory: zero

# Learnings (High Priority)
- [5x] belongs to high

# Learnings (Normal)
- [2x] odd
- [1x] again
- [1x] long one goes on
- [1x] stray line

# Odd section
text

# Learnings (New)
- (none)

# Preferences: Communication
- (none)

# Preferences: Code
- stray preference

# Preferences: Tools
- (none)

# Preferences: Workflow
- (none)

# Preferences: General
- (none)

# Events
- (none)
"""
    )
    assert mended(after) == after


def test_comments_code_and_sub_headings_stay_above_what_they_stood_above() -> None:
    text = "# Learnings (Normal)\n<!-- first -->\n- [1x] b\n- [2x] a\n\n## Git\n- [1x] d\n- [2x] c\n- [4x] e\n"
    after = grammar.render(placing.laid_out(grammar.parse(text.encode()))).decode()
    assert "# Learnings (High Priority)\n- [4x] e\n" in after
    assert "# Learnings (Normal)\n<!-- first -->\n- [2x] a\n- [1x] b\n\n## Git\n- [2x] c\n- [1x] d\n" in after
