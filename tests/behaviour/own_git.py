"""A git that knows only what a test tells it, and a quick folder for its repository."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from plain_layout import quick_folder

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
_CONFIG = "[user]\n name = Mem\n email = mem@example.org\n[init]\n defaultBranch = main\n[core]\n editor = sleep 60\n"


@contextmanager
def own_git(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in no repository, while git knows nothing of the machine's settings; an editor would not come back."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    with quick_folder() as folder:
        (folder / "gitconfig").write_text(_CONFIG)
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(folder / "gitconfig"))
        monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder))
        monkeypatch.setenv("GIT_EDITOR", "sleep 60")
        yield folder


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    """What git says on stdout."""
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=check).stdout
