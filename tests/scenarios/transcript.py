"""Markdown files as tests: a heading is a test, its fences are files to lay down and commands to run.

    ```md file=notes/a.md        a file of the temporary folder the test runs in
    ```console                   `$ ` a command line; below it what it prints, stdout and stderr as they come
                                 `? ` an answer typed where the program waits; `[3]` last: its exit status
    <!-- lay: examples/notes --> a folder or file of the repository, copied to the same path

Files of a heading hold for the headings below it too. `memtend …` runs in this process with the clock at `NOW`;
any other command line goes to `sh`. Holes: `{{id}}` a memory's id, `{{date}}` a date or timestamp, `{{*}}` anything on
its line, and a line that is `{{*}}` alone any number of lines. One receipt is as good as another.
"""

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

from memtend.cli import main

ROOT = Path(__file__).parents[2]
NOW = "2026-06-30T10:00:00Z"
SHOWN_FOLDER = "/home/you/project"
"""Stands in a transcript for the temporary folder."""

_HEADING = re.compile(r"(#{1,6})\s+(.*\S)")
_FENCE = re.compile(r"(`{3,})(\S*)(?:\s+file=(\S+))?\s*$")
_LAY = re.compile(r"<!-- lay: (\S+) -->")
_HOLES = {
    "id": r"MEM-[\w-]+",
    "receipt": r"r-\d{8}-\d{6}-[0-9a-f]{4}",
    "date": r"\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?",
    "*": r"[^\n]*",
}


@dataclass
class Step:
    """One command line with what it is expected to do, and the lines of the file that say so."""

    command: str
    expected: list[str]
    first: int
    """Index of the first expected line in the file."""

    @property
    def answers(self) -> list[str]:
        return [line[2:] for line in self.expected if line.startswith("? ") or line == "?"]


Changes = list[tuple[Step, list[str]]]
"""Steps with what they really printed."""


class Mismatch(Exception):
    """A command did not print what the transcript says, or ended with another status."""

    def __init__(self, change: tuple[Step, list[str]]) -> None:
        step, printed = change
        lines = unified_diff(step.expected, printed, "expected", "printed", lineterm="")
        super().__init__("\n".join([f"{step.first}: $ {step.command}", *lines]))


@dataclass
class Scenario:
    """One test: the files it starts from and its steps."""

    title: str
    line: int
    files: dict[str, str] = field(default_factory=dict)
    copies: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


def read(lines: list[str]) -> list[Scenario]:
    """The tests of a Markdown file: every heading that has a console fence of its own."""
    above: list[tuple[int, Scenario]] = [(0, Scenario("(start)", 0))]
    found = [above[0][1]]
    number = 0
    while number < len(lines):
        line = lines[number]
        if fence := _FENCE.match(line):
            end = next(i for i in range(number + 1, len(lines)) if lines[i].strip() == fence[1])
            _take_fence(found[-1], fence, lines[number + 1 : end], number + 1)
            number = end
        elif heading := _HEADING.match(line):
            level = len(heading[1])
            above = [(depth, scenario) for depth, scenario in above if depth < level]
            parent = above[-1][1]
            scenario = Scenario(heading[2], number, dict(parent.files), list(parent.copies))
            above.append((level, scenario))
            found.append(scenario)
        elif copy := _LAY.match(line):
            found[-1].copies.append(copy[1])
        number += 1
    return [scenario for scenario in found if scenario.steps]


def _take_fence(scenario: Scenario, fence: re.Match[str], body: list[str], first: int) -> None:
    if fence[3]:
        scenario.files[fence[3]] = "".join(line + "\n" for line in body)
    elif fence[2] == "console":
        starts = [i for i, line in enumerate(body) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(body)], strict=True):
            expected = body[start + 1 : end]
            while expected and not expected[-1]:
                expected.pop()
            scenario.steps.append(Step(body[start][2:], expected, first + start + 1))


def run(scenario: Scenario, folder: Path) -> Iterator[tuple[Step, list[str]]]:
    """Lay the files down, run each step in `folder` and yield it with the lines it really printed."""
    for copied in scenario.copies:
        target = folder / copied
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / copied).is_dir() else shutil.copy)(ROOT / copied, target)
    for path, text in scenario.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    for step in scenario.steps:
        output, status = _memtend(step, folder) if "memtend " in step.command else _shell(step.command, folder)
        printed = output.replace(str(folder), SHOWN_FOLDER).rstrip("\n").splitlines()
        yield step, [*printed, f"[{status}]"] if status else printed


def _shell(command: str, folder: Path) -> tuple[str, int]:
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    return done.stdout.decode(), done.returncode


def _memtend(step: Step, folder: Path) -> tuple[str, int]:
    """Run `[command |] [NAME=value …] memtend …` here, typed answers at hand."""
    feed, _, command = step.command.rpartition(" | ") if " | memtend" in step.command else ("", "", step.command)
    words = shlex.split(command, comments=True)
    start = words.index("memtend")
    settings = dict(word.split("=", 1) for word in words[:start])
    if step.answers:
        settings["MEMTEND_PROMPT"] = "plain"
    screen = io.StringIO()
    typed = _Typed(step.answers, screen) if step.answers else io.StringIO(_shell(feed, folder)[0] if feed else "")
    streams = contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen)
    with _in(folder, settings), streams[0], streams[1], _stdin(typed):
        status = main(words[start + 1 :])
    return screen.getvalue(), status


class _Typed(io.StringIO):
    """Answers that show on the screen where they are read, as they do in a terminal."""

    def __init__(self, answers: list[str], screen: io.StringIO) -> None:
        super().__init__("".join(answer + "\n" for answer in answers))
        self.screen = screen

    def readline(self, size: int | None = -1, /) -> str:
        line = super().readline(-1 if size is None else size)
        if line:
            self.screen.write(f"? {line}".replace("? \n", "?\n"))
        return line


@contextlib.contextmanager
def _in(folder: Path, settings: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith(("MEMTEND_", "GIT_"))]:
        del os.environ[name]
    here = str(Path(sys.executable).parent)  # where memtend is installed, whether or not the tester's shell finds it
    path = os.pathsep.join([here, os.environ.get("PATH", os.defpath)])
    fixed = {"MEMTEND_NOW": NOW, "COLUMNS": "120", "GIT_CEILING_DIRECTORIES": str(folder.parent), "PATH": path}
    os.environ.update(fixed | settings)
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _stdin(typed: io.StringIO) -> Iterator[None]:
    before, sys.stdin = sys.stdin, typed
    try:
        yield
    finally:
        sys.stdin = before


def matches(expected: list[str], printed: list[str]) -> bool:
    """Whether what was printed is what the transcript says, holes filled."""
    pattern = "".join(_pattern(re.sub(_HOLES["receipt"], "{{receipt}}", line)) for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def _pattern(line: str) -> str:
    if line == "{{*}}":
        return r"(?:[^\n]*\n)*"
    parts = re.split(r"\{\{(id|receipt|date|\*)\}\}", line)
    return "".join(_HOLES[part] if i % 2 else re.escape(part) for i, part in enumerate(parts)) + r"\n"


def differences(scenario: Scenario, folder: Path) -> Changes:
    """Run a scenario in a folder: the steps that did something else than they should."""
    return [(step, printed) for step, printed in run(scenario, folder) if not matches(step.expected, printed)]


def is_updating() -> bool:
    """Whether transcripts are to be rewritten with what really happens (`make scenarios-update`)."""
    return bool(os.environ.get("MEMTEND_UPDATE_SCENARIOS"))


def rewrite(path: Path, changed: Changes) -> None:
    """Put what was really printed where the transcript was wrong."""
    if not changed:
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    for step, printed in sorted(changed, key=lambda pair: -pair[0].first):
        lines[step.first : step.first + len(step.expected)] = printed
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
