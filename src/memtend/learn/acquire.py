"""From what a person named to documents: text, files, folders, a task's artifacts.

Modes, first match wins: a task; a directory; a file; otherwise text (`inputs` tells them apart). Beside `inputs` and
`walk`, nothing else of learning touches the disk.
"""

import os
import stat
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from memtend.errors import NotFound, UnusableInput
from memtend.learn import harvest as candidates
from memtend.learn.encoding import decode
from memtend.learn.inputs import Named, sort_out
from memtend.learn.kinds import Kind, nature_of_name, nature_of_text
from memtend.learn.walk import walk
from memtend.memory import digest_of

Mode = Literal["text", "file", "directory", "task"]
Hints = Mapping[str, str | tuple[str, ...]]
"""What the source itself says about its memory: `title`, `topic`, `category`, `keywords`, `tags`, `summary`."""

USER_INPUT = "user input"
"""The path of a document that was typed."""
MAX_FILES = 200
_MANY_FILES = 50
_LIMIT_BYTES = 32 * 1024 * 1024
"""Of a file that is named itself: more than any text a person wrote."""
_OF_THE_VAULT = frozenset(
    {"10-Memories", "20-Indices", "30-Templates", ".memtend", ".obsidian", "memory-index.json", "distill-log.json"}
)
_MANY_TIMES = 50
"""The most files, times this: where so many are found nobody needs to know how many more there are."""
_NO_HINTS: Hints = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Document:
    """One text to learn from."""

    path: str
    """From the project's root where it lies inside, else absolute; real, with `/`; `user input` for typed text."""
    text: str
    """With `\\n` line ends, without a byte order mark."""
    kind: Kind
    language: str = ""
    encoding: str = "utf-8"
    size_bytes: int = 0
    digest: str = ""
    """Of the text in UTF-8: line ends and encoding do not change it."""
    hints: Hints = field(default_factory=lambda: _NO_HINTS)


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was named or found but not read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Acquired:
    """Everything that one call of learn works on."""

    mode: Mode
    path: str
    """What was named; several parted by `; `."""
    documents: tuple[Document, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    project: str = ""
    """The name of the project's folder, for topics."""

    def only(self, paths: Collection[str]) -> "Acquired":
        """The same with just these documents: what a person chose from the list."""
        return replace(self, documents=tuple(item for item in self.documents if item.path in paths))


def acquire(
    inputs: Sequence[str] = (),
    *,
    text: str | None = None,
    files: Sequence[str] = (),
    directory: str | None = None,
    task: int | None = None,
    project: Path,
    vault: Path | None = None,
    max_files: int = MAX_FILES,
) -> Acquired:
    """Read what was named. Relative paths count from the working directory, a task's from the project's root.

    `inputs` are sorted by what they are; `text`, `files`, `directory` and `task` say it. `vault` is left out of
    any directory around it.

    Raises NotFound for what is missing; UnusableInput for nothing at all, for a named file that is no text, for a
    directory without text files, with too many, or that cannot be read.
    """
    project = project.resolve()
    if task is not None:
        return _acquire_task(task, project)
    named = sort_out(inputs, text=text, files=files, directory=directory)
    if vault is not None:
        vault = vault.resolve()
        _require_outside(vault, [path.resolve() for path in (*named.files, *named.directories)], project)
    return _read_all(named, project, vault, max_files)


def harvest(task: int, *, project: Path) -> Acquired:
    """The memory candidates that a task left in `specs/state.json` (vault spec, 4), each a document with hints.

    Raises NotFound where there is no such file or task, UnusableInput where the file is not understood.
    """
    path = project.resolve() / candidates.STATE_PATH
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise NotFound(
            f"File not found: {candidates.STATE_PATH}", hint="Harvest runs in a project that keeps tasks in specs/."
        ) from fault
    found, passed = candidates.read(data, task)
    documents = tuple(
        _document(item.source or candidates.STATE_PATH, item.content, "utf-8", item.hints) for item in found
    )
    return Acquired(
        mode="task",
        path=candidates.STATE_PATH,
        documents=documents,
        skipped=tuple(Skipped(candidates.STATE_PATH, reason) for reason in passed),
        warnings=() if documents else (f"Task {task} has no memory candidates to learn.",),
        project=project.resolve().name,
    )


def _require_outside(vault: Path, paths: Iterable[Path], project: Path) -> None:
    """Raise UnusableInput where something named is the vault's own: what was learned is not learned again."""
    for path in paths:
        if path != vault and path.is_relative_to(vault) and path.relative_to(vault).parts[0] in _OF_THE_VAULT:
            raise UnusableInput(
                f"{_shown(path, project)} lies in the vault, which holds what was learned already",
                hint="Of the vault's own folders only 00-Inbox is learned.",
            )


# --- reading ----------------------------------------------------------------------------------------------------


def _read_all(named: Named, project: Path, vault: Path | None, max_files: int) -> Acquired:
    documents = [_read_named(path.resolve(), project) for path in named.files]
    skipped: tuple[Skipped, ...] = ()
    warnings: list[str] = []
    if named.directories:
        listed = _directory_files(named.directories, project, vault, max_files)
        found, unread = _read_listed(listed.files, project)
        documents += found
        skipped = (*listed.skipped, *unread)
        warnings += listed.warnings
    documents = list({document.path: document for document in documents}.values())
    documents += [_document(USER_INPUT, text, "utf-8") for text in named.texts]
    warnings += [f"{item.path} was read as {item.encoding}" for item in documents if item.encoding[:5] != "utf-8"]
    return Acquired(
        mode="directory" if named.directories else "file" if named.files else "text",
        path=_shown_inputs(named, project),
        documents=tuple(documents),
        skipped=skipped,
        warnings=tuple(warnings),
        project=project.name,
    )


def _shown_inputs(named: Named, project: Path) -> str:
    shown = [_shown(path.resolve(), project) + "/" for path in named.directories]
    shown += [_shown(path.resolve(), project) for path in named.files]
    return "; ".join(dict.fromkeys(shown + [USER_INPUT] * bool(named.texts)))


def _read_named(path: Path, project: Path) -> Document:
    """A file that was named itself: what keeps it from being read is an error."""
    try:
        return _read(path, project)
    except UnusableInput as fault:
        raise UnusableInput(f"{_shown(path, project)}: {fault.message}", hint=fault.hint) from fault


def _read_listed(paths: Iterable[Path], project: Path) -> tuple[list[Document], list[Skipped]]:
    """Files that were found: what keeps one from being read is said, and the others are read."""
    documents: list[Document] = []
    skipped: list[Skipped] = []
    for path in paths:
        try:
            documents.append(_read(path, project))
        except UnusableInput as fault:
            skipped.append(Skipped(_shown(path, project), fault.message))
    return documents, skipped


def _read(path: Path, project: Path) -> Document:
    """The document of a real path. Raises UnusableInput with the bare reason."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UnusableInput("not a regular file", hint="Give a file that holds text.")
        if status.st_size > _LIMIT_BYTES:
            raise UnusableInput("larger than 32 MB", hint="Give the part of it that matters.")
        data = path.read_bytes()
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        raise UnusableInput(f"cannot be read: {reason}", hint="Check its permissions.") from fault
    decoded = decode(data)
    if not decoded.text.strip():
        raise UnusableInput("empty", hint="There is nothing to learn from it.")
    return replace(_document(_shown(path, project), decoded.text, decoded.encoding), size_bytes=len(data))


def _document(path: str, text: str, encoding: str, hints: Hints = _NO_HINTS) -> Document:
    nature = (nature_of_name(path) if path != USER_INPUT and not hints else None) or nature_of_text(text)
    data = text.encode("utf-8", "surrogatepass")
    return Document(path, text, nature.kind, nature.language, encoding, len(data), digest_of(data), hints)


def _shown(path: Path, project: Path) -> str:
    """A real path as people and other machines read it."""
    if path == project:
        return "."
    relative = path.relative_to(project) if path.is_relative_to(project) else path
    return os.fsencode(relative.as_posix()).decode("utf-8", "backslashreplace")


# --- directories and tasks --------------------------------------------------------------------------------------


class _Listed(NamedTuple):
    files: list[Path]
    skipped: list[Skipped]
    warnings: list[str]


def _directory_files(directories: Sequence[Path], project: Path, vault: Path | None, max_files: int) -> _Listed:
    found: dict[Path, None] = {}
    skipped: dict[Skipped, None] = {}
    ours = vault / "00-Inbox/README.md" if vault is not None else None  # says what the inbox is for; no note
    for directory in directories:
        walked = walk(directory.resolve(), vault=vault, enough=max_files * _MANY_TIMES)
        found |= {file.path: None for file in walked.files if file.path != ours}
        skipped |= {Skipped(_shown(item.path, project), item.reason): None for item in walked.passed}
    names = ", ".join(f"{_shown(directory.resolve(), project)}/" for directory in directories)
    if not found:
        raise UnusableInput(f"No text files found in: {names}", hint=_why_none(list(skipped)))
    if len(found) > max_files:
        more = "more than " if len(found) > max_files * _MANY_TIMES else ""
        raise UnusableInput(
            f"Too many files ({more}{len(found) - bool(more)}). Maximum is {max_files}.",
            hint=_how_to_narrow(found, project),
        )
    many = f"{len(found)} files found. Consider naming a folder further down, or single files."
    return _Listed(list(found), list(skipped), [many] if len(found) > _MANY_FILES else [])


def _why_none(skipped: Sequence[Skipped]) -> str:
    if not skipped:
        return "It is empty, or git ignores what it holds."
    return "Left out: " + "; ".join(f"{item.path} ({item.reason})" for item in skipped[:3])


def _how_to_narrow(found: Iterable[Path], project: Path) -> str:
    counts: dict[str, int] = {}
    for path in found:
        folder = _shown(path.parent, project)
        counts[folder] = counts.get(folder, 0) + 1
    most = sorted(counts, key=lambda folder: (-counts[folder], folder))[:3]
    listed = ", ".join(f"{folder}/ ({counts[folder]})" for folder in most)
    return f"Narrow your path, name single files, or raise --max-files. Most lie in {listed}."


def _acquire_task(task: int, project: Path) -> Acquired:
    padded = f"{task:03d}"
    starts = (f"{padded}_", f"{task}_")
    specs = project / "specs"
    folders = sorted(item for item in specs.glob("*_*") if item.name.startswith(starts) and item.is_dir())
    if not folders:
        raise NotFound(
            f"Task directory not found: specs/{padded}_*", hint="Tasks lie in specs/ below the project's root."
        )
    artifacts = sorted({path.resolve() for folder in folders for path in folder.rglob("*.md") if path.is_file()})
    documents, skipped = _read_listed(artifacts, project)
    if not documents:
        raise NotFound(f"No artifacts found for task {task}", hint="Its folder holds no Markdown file with text.")
    names = "; ".join(f"specs/{folder.name}/" for folder in folders)
    return Acquired("task", names, tuple(documents), tuple(skipped), (), project.name)
