"""A project with a vault in it, and what a server of it serves."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from agents_client import ENVIRON

from memtend.mcp.desk import Desk
from memtend.workspace import Workspace
from memtend.workspace.category.categories import CategoryWorkspace
from memtend.workspace.role.roles import Roles


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
def desk(project: Path) -> Iterator[Desk]:
    """What the server serves."""
    with closing(Desk(start=str(project), environ={**ENVIRON, "MEMTEND_ROLES": str(project / "roles")})) as desk:
        yield desk


@pytest.fixture
def everything(desk: Desk, project: Path) -> Desk:
    """A desk with a vault, a role and a category memory."""
    Roles.open(str(project / "roles"), ENVIRON).create("reviewer")
    memory, _ = CategoryWorkspace.create(project / "contexts" / "memory")
    desk.category_root = str(memory.root)
    return desk
