"""A project with a vault in it, and what a server of it serves."""

from pathlib import Path

import pytest
from agents_client import ENVIRON

from memtend.mcp.desk import Desk
from memtend.workspace import Workspace


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder with an empty vault."""
    Workspace.create(start=str(tmp_path), environ=ENVIRON)
    return tmp_path


@pytest.fixture
def workspace(project: Path) -> Workspace:
    """The vault itself, for looking at what was written."""
    return Workspace.open(start=str(project), environ=ENVIRON)


@pytest.fixture
def desk(project: Path) -> Desk:
    """What the server serves."""
    return Desk(start=str(project), environ={**ENVIRON, "MEMTEND_ROLES": str(project / "roles")})
