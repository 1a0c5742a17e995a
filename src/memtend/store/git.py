"""One commit of what was written, and of nothing else.

`git commit --only` does it: it builds the commit from HEAD and the named files, whatever else is staged, half
staged or changed; it runs the hooks as a person expects; and it brings the named files, and no others, up to
date in the index. Files that git does not know yet are announced first (`add --intent-to-add`), which stages
nothing, and are taken back if the commit fails.

Nothing here raises for what git does, asks anybody anything, or waits without end. What git and its hooks print
goes to no terminal; the reason for a failure is taken from it.
"""

import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from memtend.store.receipt import CommitResult, CommitStatus

if TYPE_CHECKING:
    import subprocess

OF_ONE_REPOSITORY = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NAMESPACE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
"""Variables that tie git to one repository (`git rev-parse --local-env-vars`, but for its configuration)."""

QUIET = {
    "GIT_EDITOR": "true",
    "GIT_SEQUENCE_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_PAGER": "cat",
    "LC_ALL": "C.UTF-8",
    "LANGUAGE": "C",
}

UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "sequencer": "a cherry-pick or revert",
    "BISECT_LOG": "a bisect",
}


class Output(NamedTuple):
    """What a git command gave: its exit status (None when it was stopped for taking too long) and its output."""

    status: int | None
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Git:
    """How to commit: which program, how long hooks may take, how long another git is waited for."""

    program: str = "git"
    hook_seconds: float = 30.0
    lock_seconds: float = 5.0

    def commit(self, root: Path, paths: Iterable[str], message: str) -> CommitResult:
        """Commit these files of the store at `root`, to the repository that holds them. Never raises."""
        real_root = Path(os.path.realpath(root))
        try:
            results = [self._commit(folder, names, message) for folder, names in _by_repository(real_root, paths)]
        except FileNotFoundError:
            return CommitResult(CommitStatus.OFF, "git is not installed")
        except OSError as fault:
            return _failed(str(fault.strerror or fault))
        return _together(results)

    def remembers(self, root: Path, path: str) -> bool:
        """Whether any commit has a file of the store at that path. False without git or a repository."""
        real_root = Path(os.path.realpath(root))
        try:
            return any(
                _Repository(self, folder).remembers(names) for folder, names in _by_repository(real_root, [path])
            )
        except OSError:
            return False

    def _commit(self, folder: Path, paths: Sequence[str], message: str) -> CommitResult:
        repository = _Repository(self, folder)
        obstacle = repository.obstacle()
        if obstacle is not None:
            return obstacle
        ignored = repository.ignored(paths)
        skipped = f"{len(ignored)} of {len(paths)} files are ignored by git ({ignored[0]})" if ignored else ""
        changed = repository.changed(paths)
        if isinstance(changed, CommitResult):
            return changed
        if not changed.paths:
            return CommitResult(CommitStatus.SKIPPED, skipped or "nothing to commit")
        result = self._when_free(repository, changed, message)
        if result.status is CommitStatus.COMMITTED:
            remarks = [remark for remark in (result.reason, repository.detached(), skipped) if remark]
            return replace(result, reason="; ".join(remarks))
        return result

    def _when_free(self, repository: "_Repository", changed: "Changed", message: str) -> CommitResult:
        """Commit as soon as no other git holds the index; give up after a while."""
        deadline = time.monotonic() + self.lock_seconds
        while True:
            if not repository.index_lock.exists():
                result = repository.commit(changed, message)
                if result.status is not CommitStatus.FAILED or "index.lock" not in result.reason:
                    return result
            if time.monotonic() >= deadline:
                return _failed(
                    f"another git process holds {repository.index_lock}; remove that file if none is running"
                )
            time.sleep(0.05)


def _by_repository(root: Path, paths: Iterable[str]) -> list[tuple[Path, list[str]]]:
    """Files by the folder of the repository that holds them, for a store may hold repositories of its own."""
    groups: dict[Path, list[str]] = {}
    for path in sorted(set(paths)):
        above = list((root / path).parents)
        folder = next((f for f in above[: above.index(root)] if os.path.lexists(f / ".git")), root)
        groups.setdefault(folder, []).append((root / path).relative_to(folder).as_posix())
    return list(groups.items())


def _together(results: Sequence[CommitResult]) -> CommitResult:
    """One result for several repositories: the worst status, all reasons, the first commit."""
    worst = [CommitStatus.FAILED, CommitStatus.SKIPPED, CommitStatus.COMMITTED, CommitStatus.OFF]
    status = min((result.status for result in results), key=worst.index, default=CommitStatus.SKIPPED)
    return CommitResult(
        status,
        "; ".join(result.reason for result in results if result.reason),
        next((result.commit for result in results if result.commit), ""),
        any(result.is_pending for result in results),
    )


class Changed(NamedTuple):
    """Files that differ from HEAD, from the store's root; `new` are those git does not know yet."""

    paths: tuple[str, ...]
    new: tuple[str, ...]


class _Repository:
    """The repository that holds a folder, as git sees it from there."""

    def __init__(self, git: Git, root: Path) -> None:
        self._git = git
        self._root = root
        self._folder = Path()

    @property
    def index_lock(self) -> Path:
        return self._folder / "index.lock"

    def obstacle(self) -> CommitResult | None:
        """Why nothing can be committed here at all, None where it can."""
        found = self._run("rev-parse", "--is-inside-work-tree", "--absolute-git-dir")
        if found.status != 0:
            if "not a git repository" in found.err:
                return CommitResult(CommitStatus.OFF, "not in a git repository")
            return _failed(_reason(found))
        is_inside, folder = found.out.splitlines()[:2]
        if is_inside != "true":
            return CommitResult(CommitStatus.OFF, "the repository has no working tree here")
        self._folder = Path(folder)
        for name, what in UNDER_WAY.items():
            if (self._folder / name).exists():
                reason = f"{what} is under way; a later commit takes the files along"
                return CommitResult(CommitStatus.SKIPPED, reason, is_pending=True)
        return None

    def changed(self, paths: Sequence[str]) -> "Changed | CommitResult":
        """Those of the files that differ from HEAD and are not ignored; a result where git cannot say."""
        prefix = self._run("rev-parse", "--show-prefix").out.rstrip("\n")
        changed, new = [], []
        for start in range(0, len(paths), 500):
            command = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignored=no", "--")
            listed = self._run("--literal-pathspecs", *command, *paths[start : start + 500])
            if listed.status != 0:
                return _failed(_reason(listed))
            for entry in filter(None, listed.out.split("\0")):
                path = entry[3:].removeprefix(prefix)
                changed.append(path)
                new += [path] if entry.startswith("??") else []
        return Changed(tuple(changed), tuple(new))

    def ignored(self, paths: Sequence[str]) -> list[str]:
        """Those of the files that git is told to ignore and does not know."""
        listing = "\0".join(paths)
        return [path for path in self._run("check-ignore", "-z", "--stdin", given=listing).out.split("\0") if path]

    def remembers(self, paths: Sequence[str]) -> bool:
        """Whether any commit has one of the files."""
        found = self._run("--literal-pathspecs", "log", "--all", "--max-count=1", "--format=%h", "--", *paths)
        return found.status == 0 and bool(found.out.strip())

    def commit(self, changed: Changed, message: str) -> CommitResult:
        """One commit of these files alone."""
        if changed.new:
            announced = self._with_paths(changed.new, "add", "--intent-to-add")
            if announced.status != 0:
                return _failed(_reason(announced))
        text = message.replace("\0", "")
        done = self._with_paths(changed.paths, "commit", "--quiet", "--cleanup=whitespace", f"--message={text}")
        if done.status == 0:
            return self._committed()
        stopped = f"a hook was stopped after {self._git.hook_seconds:g} s" if done.status is None else ""
        if stopped and self.changed(changed.paths) == Changed((), ()):
            return self._committed(stopped)
        if changed.new:
            self._with_paths(changed.new, "reset", "--quiet")
        return _failed(stopped or _reason(done))

    def _committed(self, remark: str = "") -> CommitResult:
        return CommitResult(CommitStatus.COMMITTED, remark, self._run("rev-parse", "HEAD").out.strip())

    def detached(self) -> str:
        """A remark where HEAD is on no branch."""
        head = self._run("symbolic-ref", "--quiet", "HEAD")
        return "" if head.status == 0 else "on no branch (detached HEAD)"

    def _with_paths(self, paths: Iterable[str], command: str, *options: str) -> Output:
        """Run a command on files named in a file: there may be more than a command line holds."""
        import tempfile

        with tempfile.TemporaryDirectory(prefix="memtend-") as folder:
            listing = Path(folder) / "paths"
            listing.write_bytes(b"\0".join(b":(literal)" + os.fsencode(path) for path in paths))
            return self._run(command, *options, f"--pathspec-from-file={listing}", "--pathspec-file-nul")

    def _run(self, *arguments: str, given: str | None = None) -> Output:
        """Run git in the store's folder, with nobody to ask, for as long as a hook may take."""
        import subprocess  # here and below: most stores are in no repository, and it is slow to load
        import tempfile

        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            source.write(os.fsencode(given or ""))
            source.seek(0)
            process = subprocess.Popen(
                [self._git.program, "-c", "core.quotePath=false", *arguments],
                cwd=self._root,
                env=_environment(os.environ),
                stdin=source if given is not None else subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            status = _wait(process, self._git.hook_seconds)
            return Output(status, _read_back(out), _read_back(err))


def _environment(outside: Mapping[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in outside.items() if name not in OF_ONE_REPOSITORY}
    return {**kept, **QUIET}


def _wait(process: "subprocess.Popen[bytes]", seconds: float) -> int | None:
    """The exit status; None when it had to be ended, with the processes that it had started."""
    import subprocess

    try:
        return process.wait(seconds)
    except KeyboardInterrupt:
        _end(process, is_polite=True)
        raise
    except subprocess.TimeoutExpired:
        _end(process, is_polite=True)
    with suppress(subprocess.TimeoutExpired):
        process.wait(2)
    _end(process, is_polite=False)  # git is gone by now; a hook of it may not be
    process.wait()
    return None


def _end(process: "subprocess.Popen[bytes]", *, is_polite: bool) -> None:
    """End a process and those of its session: politely first, for git then removes its lock files."""
    if sys.platform == "win32":
        process.kill()
        return
    import signal

    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM if is_polite else signal.SIGKILL)


def _read_back(file: IO[bytes]) -> str:
    file.seek(0)
    return os.fsdecode(file.read())


def _failed(reason: str) -> CommitResult:
    return CommitResult(CommitStatus.FAILED, f"not committed: {reason}", is_pending=True)


def _reason(output: Output) -> str:
    """What git, or a hook, gave as the reason: its own complaint where there is one, else its last words."""
    lines = [line.strip() for line in (output.out + "\n" + output.err).splitlines() if line.strip()]
    complaints = [line for line in lines if line.startswith(("fatal:", "error:"))]
    chosen = complaints or lines[-3:]
    return "; ".join(chosen) or f"git ended with status {output.status} and gave no reason; a hook may have refused it"
