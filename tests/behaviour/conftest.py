"""What tests of several modules begin with."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from a_store import empty_store
from own_git import own_git
from plain_layout import quick_folder
from store_in_git import a_project

from memtend.store.apply import Store


@pytest.fixture
def store() -> Iterator[Store]:
    """An empty store of plain memories that commits nothing."""
    with quick_folder() as folder:
        yield empty_store(folder / "store")


@pytest.fixture
def git_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in no repository, and a git that knows only what the test tells it."""
    with own_git(monkeypatch) as folder:
        yield folder


@pytest.fixture
def repository(git_folder: Path) -> Path:
    """A repository with one commit and a store in `memory/`."""
    return a_project(git_folder / "project")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project that is the working directory."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    return root
