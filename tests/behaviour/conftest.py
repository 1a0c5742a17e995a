"""What tests of several modules begin with."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from a_store import empty_store
from plain_layout import quick_folder

from memtend.store.apply import Store


@pytest.fixture
def store() -> Iterator[Store]:
    """An empty store of plain memories that commits nothing."""
    with quick_folder() as folder:
        yield empty_store(folder / "store")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project that is the working directory."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    return root
