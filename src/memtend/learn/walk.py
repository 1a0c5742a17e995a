"""The text files of a folder: what is ignored stays out, every file comes once, and nothing is passed over in silence.

Links inside a folder are named and not followed: what they lead to inside it is met where it lies, and what lies
outside was not asked for. The folder itself may be given through a link.
"""

import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from memtend.errors import UnusableInput
from memtend.learn.encoding import SNIFFED_BYTES, is_binary
from memtend.learn.kinds import nature_of_name

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LIMIT_BYTES = 102_400
"""Larger files of a folder are left out, and named (vault spec, 2.4)."""
_OUT = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".obsidian", ".memtend"})


class Found(NamedTuple):
    """A text file of the folder, by its real path."""

    path: Path
    size_bytes: int


class Passed(NamedTuple):
    """A file, link or folder that was left out, and why."""

    path: Path
    reason: str


@dataclass(slots=True)
class Walk:
    """What a folder holds, in the order of the paths' parts."""

    files: list[Found] = field(default_factory=list)
    passed: list[Passed] = field(default_factory=list)


class _Rule(NamedTuple):
    base: Path
    spec: "GitIgnoreSpec"


def walk(top: Path, *, vault: Path | None = None, enough: int = sys.maxsize) -> Walk:
    """The text files below a folder (a real path), without what git ignores and without the vault.

    Looks no further once there are more than `enough`. Raises UnusableInput where the folder itself cannot be read.
    """
    found = Walk()
    if top == vault:
        return Walk(passed=[Passed(top, "the vault itself: it holds what was learned already")])
    waiting = [(top, _rules_above(top))]
    while waiting and len(found.files) <= enough:
        folder, rules = waiting.pop()
        entries = _entries(folder, top, found)
        if folder != top and any(entry.name == "pyvenv.cfg" for entry in entries):
            continue  # a virtual environment
        rules = rules + list(_rule_of(folder))
        for entry in entries:
            path = folder / entry.name
            if entry.name in _OUT or path == vault or _is_ignored(path, entry.is_dir(follow_symlinks=False), rules):
                continue
            if entry.is_symlink():
                found.passed.append(Passed(path, _where_it_leads(path, top)))
            elif entry.is_dir(follow_symlinks=False):
                waiting.append((path, rules))
            else:
                _take(path, found)
            if len(found.files) > enough:
                break
    found.files.sort(key=lambda file: file.path.parts)
    found.passed.sort(key=lambda item: item.path.parts)
    return found


def _entries(folder: Path, top: Path, found: Walk) -> list["os.DirEntry[str]"]:
    """What lies in a folder, by name; of one that cannot be read nothing, which is said. Raises UnusableInput."""
    try:
        return sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as fault:
        reason = _reason(fault)
        if folder == top:
            raise UnusableInput(
                f"Cannot read the directory: {top} ({reason})", hint="Check its permissions."
            ) from fault
        found.passed.append(Passed(folder, f"cannot be read: {reason}"))
        return []


def _take(path: Path, found: Walk) -> None:
    """Put a file among the found ones, or say why not."""
    try:
        status = path.lstat()
        reason = _unfit(path, status)
    except OSError as fault:
        reason = f"cannot be read: {_reason(fault)}"
    if reason:
        found.passed.append(Passed(path, reason))
    else:
        found.files.append(Found(path, status.st_size))


def _unfit(path: Path, status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "not a regular file"
    if status.st_size == 0:
        return "empty"
    if nature_of_name(path.name) is None:
        with path.open("rb") as stream:
            if is_binary(stream.read(SNIFFED_BYTES)):
                return "binary, not text"
    if status.st_size > LIMIT_BYTES:
        return f"larger than 100 KB ({status.st_size:,} bytes)"
    return ""


def _where_it_leads(link: Path, top: Path) -> str:
    try:
        target = link.resolve(strict=True)
    except FileNotFoundError:
        return f"a link to {_named(link)}, which does not exist"
    except (OSError, RuntimeError):  # too many levels; RuntimeError up to Python 3.12
        return "a link that leads back to itself"
    if target == top or target in link.parents:
        return "a link to a folder above it (a loop)"
    if target.is_relative_to(top):
        return f"a link to {target.relative_to(top).as_posix()}, which is read where it lies"
    return f"a link out of the folder; name {_named(link)} itself to learn it"


def _named(link: Path) -> str:
    """What a link says; a kernel's own links may lead to what has no name."""
    try:
        return str(link.readlink())
    except OSError:
        return "something"


def _rules_above(top: Path) -> list[_Rule]:
    """The ignore rules from the repository's root down to the folder, without the folder's own.

    None where the folder lies in no repository, and none where they ignore the folder itself: naming it wins.
    """
    above = [top, *top.parents]
    root = next((folder for folder in above if os.path.lexists(folder / ".git")), None)
    if root is None:
        return []
    rules: list[_Rule] = list(_rule_of(root, ".git/info/exclude"))
    for folder in reversed(above[1 : above.index(root) + 1]):
        rules += _rule_of(folder)
    hidden = any(_is_ignored(folder, True, rules) for folder in above[: above.index(root)])
    return [] if hidden else rules


def _rule_of(folder: Path, name: str = ".gitignore") -> Iterator[_Rule]:
    try:
        data = (folder / name).read_bytes()
    except OSError:  # none there, or not ours to read: git ignores nothing by it either
        return
    from pathspec import GitIgnoreSpec

    yield _Rule(folder, GitIgnoreSpec.from_lines(data.decode("utf-8", "surrogateescape").splitlines()))


def _is_ignored(path: Path, is_folder: bool, rules: list[_Rule]) -> bool:
    """Whether git ignores it: the last rule that matches decides, the deeper file before the higher one."""
    for rule in reversed(rules):
        if path.is_relative_to(rule.base):
            relative = path.relative_to(rule.base).as_posix() + ("/" if is_folder else "")
            verdict = rule.spec.check_file(relative).include
            if verdict is not None:
                return verdict
    return False


def _reason(fault: OSError) -> str:
    return (fault.strerror or str(fault)).lower()
