"""Upkeep of a category memory: check, sync, refresh, and its commits."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from own_git import git, needs_git, own_git
from small_memory import FILES, INDEX, LOG, codes, lay, opened, small, tree_of

from memtend.workspace.category.folder import find_root

# --- check and sync --------------------------------------------------------------------------------------


def test_a_healthy_memory_has_no_findings(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {**FILES, "decisions/_log.md": LOG.replace("RETRACTED: a", "A")}))
    assert workspace.check() == ()


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("ops/new.md", "# N\n\n## A\n\na\n", "unregistered"),
        ("sessions/2026-06-01.md", None, "dead-row"),
        (
            "decisions/DEC-7.md",
            "---\nstatus: superseded\nsuperseded_by: DEC-99\n---\n# DEC-7\n\na\n",
            "successor-missing",
        ),
        ("decisions/DEC-7.md", "---\ntitle: [a\n---\n# DEC-7\n\na\n", "frontmatter"),
        ("patterns/conventions.md", "# P\n\n## A\n\n[x](../nothing.md)\n", "dead-link"),
        ("patterns/conventions.md", "# P\n\n## A\n\n[[decisions/DEC-99|that]]\n", "dead-link"),
        ("patterns/conventions.md", "# P\n\n" + "## A\n\na\n" * 140, "too-long"),
        ("archive/hand-made.md", "x\n", "strange-archive"),
        ("archive/x-2026-01-01.archive.md", "broken\n", "damaged-archive"),
        ("ideas/x.md", "# X\n\na\n", "unknown-category"),
        ("index.md", None, "no-index"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, path: str, text: str | None, code: str) -> None:
    workspace = small(tmp_path)
    assert code not in codes(workspace)
    if text is None:
        (tmp_path / path).unlink()
    else:
        lay(tmp_path, {path: text})
    assert code in codes(workspace)


def test_links_to_files_that_are_there_or_elsewhere_are_no_findings(tmp_path: Path) -> None:
    text = "# P\n\n## A\n\n[a](../decisions/_log.md#dec-1) [b](https://x.org/a.md) [c](../../outside.md) [d](/abs.md)\n"
    text += "[[decisions/DEC-7|that]] [[DEC-7]] [[Anywhere]] `[[a/b]]` [e](decisions/_log.md)\n"
    workspace = opened(lay(tmp_path, {**FILES, "patterns/conventions.md": text}))
    assert "dead-link" not in codes(workspace)


def test_o_va_02_sync_adds_what_is_missing_and_names_dead_rows_without_deleting_them(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {**FILES, "ops/new.md": "# New\n\n## A\n\na\n"}))
    (tmp_path / "sessions/2026-06-01.md").unlink()
    before = (tmp_path / "index.md").read_text()
    done = workspace.sync()
    after = (tmp_path / "index.md").read_text()
    assert [row["path"] for row in done.done] == ["ops/new.md"]
    assert done.left == ("index.md:27: a row names sessions/2026-06-01.md, which is not there",)
    assert set(before.splitlines()) - set(after.splitlines()) == {"updated_at: 2026-02-22"}
    assert workspace.sync().receipt == ""
    assert workspace.sync().left == done.left
    workspace.undo()
    assert (tmp_path / "index.md").read_text() == before


def test_sync_shows_what_it_would_do(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {**FILES, "ops/new.md": "# New\n\n## A\n\na\n"}))
    before = tree_of(tmp_path)
    assert workspace.sync(dry_run=True).to_json()["status"] == "planned"
    assert tree_of(tmp_path) == before


def test_sync_makes_an_index_where_there_is_none(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"patterns/p.md": "# P\n\n## A\n\na\n"}))
    workspace.sync()
    assert workspace.check() == ()
    assert find_root(str(tmp_path)) == tmp_path


def test_an_index_that_needs_no_change_is_the_same_bytes_after_every_action(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    index = (tmp_path / "index.md").read_bytes()
    workspace.list()
    workspace.search("mail")
    workspace.check()
    workspace.sync()
    workspace.refresh(accepted=False) if workspace.plan_refresh().is_empty else None
    workspace.plan_compact()
    workspace.split(accepted=True)
    workspace.compact("sessions", accepted=True)
    workspace.undo()
    workspace.add("ideas", "Later", "A thought.")
    workspace.undo()
    assert (tmp_path / "index.md").read_bytes() == index


# --- refresh ---------------------------------------------------------------------------------------------


def test_refresh_takes_sessions_that_are_certainly_older_than_48_hours(tmp_path: Path) -> None:
    files = {
        "index.md": INDEX,
        "sessions/2026-06-26.md": "# A\n\na b c\n",
        "sessions/2026-06-28.md": "# B\n\na b c\n",
        "sessions/timed.md": "---\nupdated_at: 2026-06-28T09:00:00Z\n---\n# C\n\na b c\n",
        "sessions/late.md": "---\nupdated_at: 2026-06-28T11:00:00Z\n---\n# D\n\na b c\n",
        "sessions/unknown.md": "---\nupdated_at: YYYY-MM-DD\n---\n# E\n\na b c\n",
        "decisions/DEC-1.md": "# DEC-1\n\n> RETRACTED\n\na\n",
    }
    workspace = opened(lay(tmp_path, files))
    (proposal,) = workspace.plan_refresh().proposals
    assert proposal.payload["report"]["entries"] == ["sessions/2026-06-26.md", "sessions/timed.md"]
    workspace.refresh(accepted=True)
    assert workspace.plan_refresh().is_empty
    assert (tmp_path / "sessions/2026-06-28.md").exists()
    later = opened(tmp_path, datetime(2026, 7, 9, tzinfo=UTC))
    assert len(later.plan_refresh().proposals[0].payload["report"]["entries"]) == 2


# --- git -------------------------------------------------------------------------------------------------


@needs_git
def test_a_change_is_committed_alone_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with own_git(monkeypatch) as folder:
        project = folder / "project"
        lay(project / "memory")
        (project / "other.txt").write_text("not ours\n")
        git(project, "init", "-q")
        git(project, "add", "memory")
        git(project, "commit", "-qm", "first")
        opened(project / "memory", commit=True).compact("sessions", accepted=True)
        assert sorted(git(project, "show", "--name-status", "--format=", "--no-renames", "HEAD").splitlines()) == [
            "A\tmemory/archive/sessions-2026-06-30.archive.md",
            "A\tmemory/summaries/sessions.summary.md",
            "D\tmemory/sessions/2026-06-01.md",
            "D\tmemory/sessions/2026-06-02.md",
            "M\tmemory/index.md",
        ]
        assert git(project, "status", "--porcelain").splitlines() == ["?? other.txt"]
