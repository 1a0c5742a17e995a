"""A role in a git repository: asked to, memtend commits what it wrote, alone, and says when git would not."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from a_role import ARole, opened
from own_git import git, needs_git, own_git

from memtend.store.receipt import CommitStatus, Receipt
from memtend.workspace.role.roles import Roles

pytestmark = needs_git


@pytest.fixture
def role(monkeypatch: pytest.MonkeyPatch) -> Iterator[ARole]:
    """A role `zero` inside a repository, committed, with somebody's work staged beside it."""
    with own_git(monkeypatch) as folder:
        project = folder / "project"
        Roles(project / "roles").create("zero")
        git(project, "init", "--quiet")
        git(project, "add", ".")
        git(project, "commit", "--quiet", "--message=first")
        (project / "work.txt").write_text("half done\n")
        git(project, "add", "work.txt")
        yield opened(project / "roles" / "zero", commit=True, session="s-1")


def commits(role: ARole) -> list[list[str]]:
    """The files of each commit after the first, oldest first, named from the role's folder."""
    hashes = git(role.root, "log", "--reverse", "--format=%H").split()[1:]
    return [git(role.root, "show", "--relative", "--name-only", "--format=", one).split() for one in hashes]


def test_o_gt_01_a_write_is_committed_alone_and_staged_work_stays_staged(role: ARole) -> None:
    role.add_learning("Sign the commits")
    assert commits(role) == [["memory/consolidated.md", "memory/daily/2026-06-30.md"]]
    assert git(role.root, "log", "-1", "--format=%b").strip().endswith("\nSession: s-1")
    assert git(role.root, "status", "--short") == "A  ../../work.txt\n"


def test_a_promotion_is_one_commit_of_both_files(role: ARole) -> None:
    waiting = role.add_learning("Cache the answers", source="auto")
    role.promote(waiting.id)
    assert commits(role)[-1] == ["memory/consolidated.md", "memory/pending.md"]
    assert git(role.root, "status", "--short") == "A  ../../work.txt\n"


def test_an_undo_is_a_commit_too(role: ARole) -> None:
    first = role.text()
    role.add_learning("Sign the commits")
    role.undo()
    assert len(commits(role)) == 2
    assert git(role.root, "show", "HEAD:./memory/consolidated.md") == first


def test_nobody_asked_nothing_is_committed(role: ARole) -> None:
    role.again().add_learning("Sign the commits")
    assert commits(role) == []
    assert " M memory/consolidated.md" in git(role.root, "status", "--short", ".")


@pytest.mark.skipif(sys.platform == "win32", reason="hooks are those of Unix")
def test_a_commit_that_git_refuses_is_told_and_the_entry_is_there(role: ARole) -> None:
    hook = Path(git(role.root, "rev-parse", "--absolute-git-dir").strip()) / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'not on a Friday' >&2\nexit 1\n")
    hook.chmod(0o755)
    told: list[Receipt] = []
    made = role.again(commit=True, notice=told.append).add_learning("Sign the commits")
    assert [receipt.id for receipt in told] == [made.receipt]
    assert told[0].git is not None
    assert told[0].git.status is CommitStatus.FAILED
    assert "not on a Friday" in told[0].git.reason
    assert role.lines() == ["- [0x] Sign the commits"]


def test_a_role_in_no_repository_is_written_all_the_same(tmp_path: Path) -> None:
    Roles(tmp_path).create("zero")
    role = opened(tmp_path / "zero", commit=True)
    role.add_learning("Sign the commits")
    assert role.lines() == ["- [0x] Sign the commits"]
