"""Dry runs of what takes several steps: each step has to see what the one before it would have left."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from memtend.workspace.place import OWN_FOLDER
from memtend.workspace.role.procedure import PLAN_FILE
from memtend.workspace.role.reports import Extracted, Organized
from memtend.workspace.role.sessions import FILE as SESSIONS_FILE

if TYPE_CHECKING:
    from memtend.workspace.role.roles import RoleWorkspace


@contextmanager
def _copy_of(role: "RoleWorkspace") -> "Iterator[RoleWorkspace]":
    """The role in a folder of its own, for as long as the steps take."""
    with TemporaryDirectory(prefix="memtend-") as folder:
        root = Path(folder) / role.name
        root.mkdir()
        for path in (*role.paths(), f"{OWN_FOLDER}/{PLAN_FILE}", f"{OWN_FOLDER}/{SESSIONS_FILE}"):
            if (role.root / path).is_file():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes((role.root / path).read_bytes())
        yield role.elsewhere(root)


def extract(role: "RoleWorkspace", transcript: str, *, by_model: bool) -> Extracted:
    """What an extraction would propose."""
    with _copy_of(role) as copy:
        found = copy.extract(transcript, by_model=by_model)
    return replace(found, added=tuple(one._replace(receipt="") for one in found.added))


def organize(role: "RoleWorkspace", *, tidy: bool, query: str) -> Organized:
    """What the whole procedure would do."""
    with _copy_of(role) as copy:
        return _as_of(role, copy, copy.organize(tidy=tidy, query=query))


def organize_due(role: "RoleWorkspace", transcript: str | None) -> Organized:
    """What would be done of what is due."""
    with _copy_of(role) as copy:
        return _as_of(role, copy, copy.organize_due(transcript))


def _as_of(role: "RoleWorkspace", copy: "RoleWorkspace", answer: Organized) -> Organized:
    """The answer without receipts, since there are none, and without the copy's place."""
    notes = tuple(note.replace(str(copy.root), str(role.root)) for note in answer.notes)
    return replace(answer, notes=notes, receipts=())
