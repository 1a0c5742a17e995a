"""Lets fault tests use the plain layout of the behaviour tests, and a disk in memory where there is one."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "behaviour"))

from plain_layout import quick_folder


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder of its own."""
    with quick_folder() as folder:
        yield folder
