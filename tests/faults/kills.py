"""Kills the command line at every write that it makes, and looks at what is left.

    python tests/faults/kills.py [--every N] [STORY ...]

Every story runs in a process of its own, which kills itself (SIGKILL) just before its n-th touch of the disk: a
file opened for writing, renamed, removed, a folder made, rights set, git started. So no write is left out,
whichever module makes it. One line of JSON a story: its touches, its kills, and what was wrong after which.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

from memtend.cli import main
from memtend.errors import MemtendError
from memtend.layouts.vault import paths
from memtend.workspace import Workspace

ENVIRON = {"MEMTEND_NOW": "2026-06-30T10:00:00Z", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
IDENTITY = {f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
NOTE = """# Boiler

The boiler of hall two is drained on the first Monday of the month, by the night shift.

# Invoices

Invoices are numbered without gaps; the auditor asks for the list of the void ones every spring.
"""
MORE = "The boiler of hall two also gets a new gasket on the first Monday of the month, by the night shift."
DERIVED = paths.DERIVED
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
TOUCHES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.chown", "os.truncate", "subprocess.Popen"}


def run(*words: str) -> None:
    """One command, which must work."""
    status = main(list(words))
    if status not in {0, 1}:
        raise SystemExit(f"{' '.join(words)} ended with {status}")


def decide(action: str) -> None:
    """Answer the saved plan."""
    answer = {"seg-001": {"action": action, "target": "MEM-boiler"}}
    run("apply", "plan.json", "--decisions", json.dumps(answer), "--no-commit")


STORIES: dict[str, Callable[[], None]] = {
    "learn": lambda: run("learn", "-t", "Badges are printed in the porter's lodge.", "--yes", "--no-commit"),
    "extend": lambda: decide("extend"),
    "update": lambda: decide("update"),
    "undo": lambda: run("undo", "--no-commit"),
    "index": lambda: run("index", "--no-commit"),
    "rebuild": lambda: run("index", "--rebuild", "--no-commit"),
    "recall": lambda: run("recall", "who drains the boiler of hall two"),
    "init": lambda: run("init", "other"),
    "commit": lambda: run("learn", "-t", "Badges are printed in the porter's lodge.", "--yes"),
}


def prepare(folder: Path) -> None:
    """A folder with a vault that has a little history and counts not yet written down, in a repository."""
    os.chdir(folder)
    subprocess.run(["git", "init", "-q", "."], check=True)
    (folder / "note.md").write_text(NOTE)
    run("init")
    (folder / ".memory/10-Memories/MEM-boiler.md").write_text(
        "---\ntitle: Boiler\ncreated: 2026-05-02\ntags: [WORKFLOW]\ntopic: ops\n---\n# Boiler\n\n"
        "The boiler of hall two is drained on the first Monday of the month, by the night shift.\n"
    )
    run("index", "--no-commit")
    run("learn", "-t", "Invoices are numbered without gaps, and the auditor checks it.", "--yes", "--no-commit")
    run("learn", "-t", MORE, "--plan", "plan.json")
    run("recall", "when is the boiler of hall two drained by the night shift")
    subprocess.run(["git", "add", "-A"], check=True)
    subprocess.run(["git", "commit", "-q", "-m", "before"], check=True, env=os.environ | IDENTITY)


def child(work: Callable[[], object], folder: Path, at: int = 0) -> tuple[int, int]:
    """Do something in a process of its own that dies before its `at`-th touch; its end, and how many it made."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        seen = 0

        def touched(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal seen
            if event in TOUCHES or (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES):
                seen += 1
                if seen == at:
                    os.kill(os.getpid(), signal.SIGKILL)

        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        sys.addaudithook(touched)
        try:
            work()
            os.write(writing, str(seen).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as end:
        said = end.read()
    return os.waitpid(pid, 0)[1], int(said or 0)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file outside memtend's own folders and git's, without usage, which is written beside a change.

    Derived pages show usage too; whether they are what the memories say is a question for `check`.
    """
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    kept = (path for path in files if not {".memtend", ".git"} & set(path.relative_to(folder).parts))
    named = {path.relative_to(folder).as_posix(): path for path in kept}
    return {name: without_usage(path.read_bytes()) for name, path in named.items() if not name.endswith(DERIVED)}


def without_usage(data: bytes) -> bytes:
    """The lines that say how often and when something was handed out do not count."""
    usage = (b"retrieval_count:", b"last_retrieved:")
    return b"\n".join(line for line in data.splitlines() if not line.startswith(usage))


def look(folder: Path, old: dict[str, bytes], new: dict[str, bytes]) -> Iterator[str]:
    """What is wrong after a kill. The next command is one that writes."""
    workspace = Workspace.open(start=str(folder), environ=ENVIRON)
    try:
        if (folder / "other").exists():
            other = Workspace.create("other", start=str(folder), environ=ENVIRON)[0]
            if left := other.check():
                yield f"check of the new vault: {left}"
        workspace.index()
        found = tree(folder)
        if found not in (old, new):
            changed = sorted(path for path in {*found, *old} if found.get(path) != old.get(path))
            yield f"neither old nor new: {changed}"
        if errors := [problem for problem in workspace.check() if problem.severity == "error"]:
            yield f"check: {errors}"
        workspace.reindex(commit=False)
        if left := workspace.check():
            yield f"check after index: {left}"
        if next(memory.retrieval_count for memory in workspace.memories() if memory.id == "MEM-boiler") < 1:
            yield "a count went down"
        if any(receipt.undone_by is None and receipt.undoes is None for receipt in workspace.log()):
            workspace.undo(commit=False)
    except MemtendError as fault:
        yield f"{fault.code}: {fault.message}"
    if left_over := [path.name for path in folder.rglob("*") if path.name.endswith((".tmp", ".intent.json"))]:
        yield f"left over: {left_over}"


def kill_everywhere(name: str, ground: Path, room: Path, every: int) -> dict[str, object]:
    """Run a story to its end once, then kill it at every touch (or every n-th)."""
    story = STORIES[name]
    whole = room / "whole"
    shutil.copytree(ground, whole, symlinks=True)
    ended, touches = child(story, whole)
    new, bad, kills = tree(whole), {}, 0
    if ended or not touches:
        return {"story": name, "touches": touches, "kills": 0, "bad": {"0": ["the story itself failed"]}}
    for at in range(1, touches + 1, every):
        folder = room / f"{name}-{at}"
        shutil.copytree(ground, folder, symlinks=True)
        ended, _ = child(story, folder, at)
        kills += os.WIFSIGNALED(ended)
        if wrong := list(look(folder, tree(ground), new)):
            bad[str(at)] = wrong
        shutil.rmtree(folder)
    shutil.rmtree(whole)
    return {"story": name, "touches": touches, "kills": kills, "bad": bad}


def everything(names: list[str], every: int) -> bool:
    """All stories; whether nothing was wrong."""
    os.environ.update(ENVIRON | IDENTITY)
    sys.dont_write_bytecode = True
    warnings.simplefilter("ignore", DeprecationWarning)
    memory_disk = Path("/dev/shm")
    is_good = True
    with TemporaryDirectory(dir=memory_disk if memory_disk.is_dir() else None) as folder:
        ground = Path(folder, "ground")
        ground.mkdir()
        with Path(os.devnull).open("w") as nothing, redirect_stdout(nothing):
            prepare(ground)
        for name in names or STORIES:
            result = kill_everywhere(name, ground, Path(folder), every)
            is_good = is_good and not result["bad"] and bool(result["kills"])
            print(json.dumps(result), flush=True)
    return is_good


if __name__ == "__main__":
    given = sys.argv[1:]
    stride = int(given.pop(given.index("--every") + 1)) if "--every" in given else 1
    sys.exit(not everything([word for word in given if word != "--every"], stride))
