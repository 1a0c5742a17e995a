"""A store in a repository, and short ways to change it and look."""

import stat
from datetime import UTC, datetime
from pathlib import Path

from own_git import git
from plain_layout import PlainLayout, memory

from memtend.change import ChangeSet, created
from memtend.store.apply import Store
from memtend.store.git import Git
from memtend.store.receipt import CommitResult, Receipt

NOW = datetime(2026, 6, 30, 10, 15, tzinfo=UTC)


def a_project(root: Path) -> Path:
    """A repository with one commit and a store in `memory/`."""
    (root / "memory").mkdir(parents=True)
    git(root, "init", "--quiet")
    (root / "code.py").write_text("one = 1\n\n\n\n\n\n\n\ntwo = 2\n")
    (root / "README.md").write_text("Read me\n")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message=first")
    return root


def opened(folder: Path, **limits: float) -> Store:
    """The store of a folder, with the limits of its git."""
    return Store(folder, PlainLayout(), git=Git(**limits))  # type: ignore[arg-type]


def learn(store: Store, *names: str, session: str = "s-1") -> Receipt:
    """Memories by name, made in one change."""
    changes = tuple(created(memory(name)) for name in names)
    return store.apply(ChangeSet(changes), now=NOW, session=session)


def outcome(receipt: Receipt) -> CommitResult:
    """How the commit ended."""
    assert receipt.git is not None
    return receipt.git


def committed_paths(folder: Path, commit: str = "HEAD") -> list[str]:
    """The files of a commit."""
    return git(folder, "show", "--name-only", "--format=", commit).split()


def hook(project: Path, name: str, text: str) -> None:
    """A hook of the repository."""
    file = project / ".git/hooks" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
