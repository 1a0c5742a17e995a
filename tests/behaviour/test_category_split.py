"""Splitting a file that is too long: whole sections move, and no text changes."""

from collections import Counter
from pathlib import Path

import pytest
from small_memory import INDEX, changed, lay, opened, tree_of

from memtend.errors import NotFound, StaleDecision
from memtend.workspace.category.categories import accept_all


def long_log(count: int = 60, *, domain: bool = False) -> str:
    parts = ["# Decision Log\n\n---\n\n"]
    for n in range(count, 0, -1):
        month = 1 + (n - 1) * 5 // count
        said = f"Domain: {'auth' if n % 3 else 'mail'}\n\n" if domain else ""
        lines = "\n".join(f"Line {i} of {n}." for i in range(6))
        parts.append(f"### DEC-{n} — Title {n}\n\n{said}{lines}\n\n**Date:** 2026-{month:02}-11\n\n---\n\n")
    return "".join(parts) + "<!-- newest first -->\n"


def test_a_file_that_is_too_long_is_split_by_month_and_no_text_changes(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "decisions/_log.md": long_log()}))
    before = tree_of(tmp_path)
    entries = Counter(entry.sha256 for entry in workspace.folder().entries)
    done = workspace.split(accepted=True)
    (report,) = done.done
    assert [part["path"] for part in report["parts"]] == [
        "decisions/log-2026-01.md",
        "decisions/log-2026-02.md",
        "decisions/log-2026-03.md",
    ]
    folder = workspace.folder()
    assert Counter(entry.sha256 for entry in folder.entries) == entries
    assert all(document.line_count <= 400 for document in folder.documents.values())
    assert (tmp_path / "decisions/_log.md").read_text().endswith("<!-- newest first -->\n")
    assert (
        "| `decisions/log-2026-01.md` | decisions | LOG-2026-01 | 2026-06-30 | — |"
        in (tmp_path / "index.md").read_text()
    )
    assert not [path for path in changed(before, tree_of(tmp_path)) if path.startswith("archive/")]
    assert workspace.split(accepted=True).receipt == ""
    workspace.undo()
    assert tree_of(tmp_path) == before


def test_entries_that_name_their_domain_are_split_by_it(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "decisions/_log.md": long_log(domain=True)}))
    (report,) = workspace.split(accepted=True).done
    assert [(part["path"], part["entries"]) for part in report["parts"]] == [
        ("decisions/log-auth.md", 25),
        ("decisions/log-auth-2.md", 15),
    ]
    assert all(document.line_count <= 400 for document in workspace.folder().documents.values())


def test_sections_move_with_all_that_lies_below_them(tmp_path: Path) -> None:
    text = "# Patterns\n\nIntro.\n\n" + "".join(
        f"## Part {n}\n\n### One {n}\n\n" + "a\n" * 60 + f"\n### Two {n}\n\n" + "b\n" * 60 + "\n" for n in range(4)
    )
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "patterns/conventions.md": text}))
    entries = Counter(entry.sha256 for entry in workspace.folder().entries)
    (report,) = workspace.split(accepted=True).done
    assert [part["path"] for part in report["parts"]] == ["patterns/conventions-part-3.md"]
    made = (tmp_path / "patterns/conventions-part-3.md").read_text()
    assert made.partition("---\n\n")[2].startswith("# Part 3\n\n## Part 3\n\n### One 3\n\na\n")
    assert Counter(entry.sha256 for entry in workspace.folder().entries) == entries


def test_a_file_of_one_section_cannot_be_split_and_is_named(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "patterns/p.md": "# P\n\n## A\n\n" + "a\n" * 500}))
    plan = workspace.plan_split()
    assert plan.is_empty
    assert plan.skipped == ({"path": "patterns/p.md", "lines": 504, "reason": "it is a single section"},)


def test_a_file_that_is_marked_as_a_whole_is_not_split_since_its_parts_would_lose_the_mark(tmp_path: Path) -> None:
    parts = "".join(f"## Part {number}\n\n" + "a\n" * 100 for number in range(5))
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "patterns/p.md": f"# P\n\n> RETRACTED\n\n{parts}"}))
    plan = workspace.plan_split()
    assert plan.is_empty
    assert "marked as a whole" in plan.skipped[0]["reason"]


def test_sessions_are_never_split(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "sessions/s.md": "## A\n\na\n\n" * 200}))
    assert workspace.plan_split() == workspace.plan_split()
    assert workspace.plan_split().skipped == ()


def test_a_split_decided_on_another_file_is_refused(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "decisions/_log.md": long_log()}))
    plan = workspace.plan_split("decisions/_log.md")
    (tmp_path / "decisions/_log.md").write_text(long_log(61))
    with pytest.raises(StaleDecision):
        workspace.apply(plan, accept_all(plan))
    with pytest.raises(NotFound):
        workspace.plan_split("decisions/other.md")
