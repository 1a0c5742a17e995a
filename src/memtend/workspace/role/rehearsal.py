"""Dry runs of what takes several steps: each step has to see what the one before it would have left.

What was rehearsed can then be done just so: the bytes that were shown, where the files are still what they were.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Generic, TypeVar

from memtend.change import ChangeSet, FileEdit
from memtend.layouts.role import daily, grammar
from memtend.layouts.role.legacy import ARCHIVE
from memtend.memory import Digest, digest_of
from memtend.workspace.place import OWN_FOLDER
from memtend.workspace.role.procedure import PLAN_FILE
from memtend.workspace.role.reports import Extracted, Organized
from memtend.workspace.role.sessions import FILE as SESSIONS_FILE

if TYPE_CHECKING:
    from memtend.workspace.role.roles import RoleWorkspace


A = TypeVar("A")


@dataclass(frozen=True)
class Rehearsed(Generic[A]):
    """What an action would answer, and what it would make of the role's files; without edits it changes nothing."""

    answer: A
    change_set: ChangeSet
    """Edits of whole files, each on the bytes it was worked out on. `apply` of the role makes them."""
    diff: str
    """A file's name, then the lines that would go (`-`) and come (`+`)."""


def rehearse(
    role: "RoleWorkspace", action: "Callable[[RoleWorkspace], A]", journals: Collection[str] = ()
) -> Rehearsed[A]:
    """Do an action on a copy of the role, with those files of the raw journal that it is about.

    Years of journal are no part of any upkeep, but where an older layout is taken over. Raises what the action raises.
    """
    is_older = role.state().is_legacy
    with _copy_of(role, None if is_older else journals) as copy:
        before = _files(copy)
        answer = action(copy)
        after = _files(copy)
        note = "; ".join(receipt.note for receipt in copy.log())
    changed = [path for path in sorted({*before, *after}, key=_archives_last) if before.get(path) != after.get(path)]
    edits = tuple(FileEdit(path, _digest(before.get(path)), after.get(path)) for path in changed)
    shown = [line for path in changed for line in (path, *_lines_changed(before.get(path), after.get(path)))]
    return Rehearsed(answer, ChangeSet((), edits, note), "\n".join(shown))


def _archives_last(path: str) -> tuple[bool, str]:
    return path.startswith(f"{ARCHIVE}/"), path


def _files(role: "RoleWorkspace") -> Mapping[str, bytes]:
    return {path: (role.root / path).read_bytes() for path in role.paths()}


def _digest(data: bytes | None) -> Digest | None:
    return None if data is None else digest_of(data)


def _lines_changed(before: bytes | None, after: bytes | None) -> list[str]:
    found = unified_diff(grammar.lines_of(before or b""), grammar.lines_of(after or b""), lineterm="", n=0)
    return [line for number, line in enumerate(found) if number > 1 and not line.startswith("@@")]


@contextmanager
def _copy_of(role: "RoleWorkspace", journals: Collection[str] | None = None) -> "Iterator[RoleWorkspace]":
    """The role in a folder of its own, for as long as the steps take; with all its journals or some."""
    with TemporaryDirectory(prefix="memtend-") as folder:
        root = Path(folder) / role.name
        root.mkdir()
        for path in (*role.paths(), f"{OWN_FOLDER}/{PLAN_FILE}", f"{OWN_FOLDER}/{SESSIONS_FILE}"):
            is_left_out = journals is not None and path.startswith(f"{daily.FOLDER}/") and path not in journals
            if not is_left_out and (role.root / path).is_file():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes((role.root / path).read_bytes())
        yield role.elsewhere(root)


def extract(role: "RoleWorkspace", transcript: str, *, by_model: bool) -> Extracted:
    """What an extraction would propose."""
    with _copy_of(role) as copy:
        return copy.extract(transcript, by_model=by_model).with_receipt("")


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
