"""A hook at every prompt starts a process: it loads what the answer needs and nothing that costs milliseconds.

The seconds themselves are measured by `benchmarks/speed.py`; here stands what they follow from.
"""

import os
import subprocess
import sys
from pathlib import Path
from time import time_ns

import pytest

from memtend.search import intake
from memtend.workspace import Workspace

DEAR = {
    "argparse", "ast", "asyncio", "dataclasses", "datetime", "email", "enum", "hashlib", "importlib.metadata",
    "importlib.resources", "inspect", "json", "logging", "numpy", "pathlib", "random", "re", "rich", "shutil", "socket",
    "sqlite3", "subprocess", "tempfile", "tokenize", "tomllib", "traceback", "typer", "typing", "unicodedata", "urllib",
}  # fmt: skip
"""Each of these costs at least half a millisecond of every prompt, or brings something that does."""
OURS = {
    "memtend", "memtend.cli", "memtend.cli.fast", "memtend.cli.screen", "memtend.cli.words", "memtend.errors",
    "memtend.search", "memtend.search.abbreviations", "memtend.search.ago", "memtend.search.candidates",
    "memtend.search.days", "memtend.search.disk", "memtend.search.index", "memtend.search.judge",
    "memtend.search.meaning", "memtend.search.phrases", "memtend.search.question", "memtend.search.rank",
    "memtend.search.recall", "memtend.search.related", "memtend.search.scope", "memtend.search.sequence",
    "memtend.search.snippet", "memtend.search.usage", "memtend.search.vectors", "memtend.search.words",
    "memtend.search.wordtable", "memtend.settings", "memtend.workspace", "memtend.workspace.place",
}  # fmt: skip
"""What of ours may be loaded for an answer over memories that have not changed."""


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault that was indexed long after it was last written."""
    workspace, _ = Workspace.create(str(tmp_path / ".memory"))
    for number in range(12):
        text = f"---\ntitle: Note {number}\nkeywords: [pool]\n---\n# Note {number}\n\nThe pool holds {number} things.\n"
        (tmp_path / ".memory/10-Memories" / f"MEM-{number:02}.md").write_text(text, encoding="utf-8", newline="\n")
    monkeypatch.setattr(intake, "time_ns", lambda: time_ns() + 3_600_000_000_000)
    workspace.index()
    return tmp_path / ".memory"


def _loaded(code: str, *words: str) -> tuple[int, set[str]]:
    """The exit status and the modules of a process that runs the code."""
    told = "import sys; status = 0\n" + code + "\nprint(*sys.modules, sep='\\n', file=sys.stderr); sys.exit(status)"
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environ.pop("MEMTEND_NOW", None)
    done = subprocess.run(
        [sys.executable, "-c", told, *words], capture_output=True, text=True, encoding="utf-8", env=environ, check=False
    )
    return done.returncode, set(done.stderr.split("\n"))


def _bare() -> set[str]:
    return _loaded("")[1]


def _beyond(loaded: set[str]) -> tuple[set[str], set[str]]:
    """The dear modules and those of ours that are not foreseen, beyond what Python itself loads here."""
    new = loaded - _bare()
    ours = {name for name in new if name.split(".")[0] == "memtend"}
    return new & DEAR, ours - OURS


def test_searching_and_recalling_load_nothing_dear() -> None:
    code = "import memtend.search.index, memtend.search.rank, memtend.search.recall, memtend.search.usage"
    status, loaded = _loaded(code)
    assert (status, *_beyond(loaded)) == (0, set(), set())
    assert len(loaded - _bare()) < 25, "every module costs something"


@pytest.mark.parametrize("command", ["recall", "search"])
def test_a_prompt_over_unchanged_memories_loads_nothing_dear(vault: Path, command: str) -> None:
    code = "from memtend.cli import main\nstatus = main(sys.argv[1:])"
    status, loaded = _loaded(code, command, "how many things does the pool hold?", "--vault", str(vault))
    assert (status, *_beyond(loaded)) == (0, set(), set())


def test_a_single_name_pays_for_no_vectors_and_no_related_words(vault: Path) -> None:
    code = "from memtend.cli import main\nstatus = main(sys.argv[1:])"
    _, loaded = _loaded(code, "recall", "E0277", "--vault", str(vault))
    assert not {"memtend.search.related", "memtend.search.vectors", "memtend.search.wordtable"} & loaded


def test_a_question_in_another_script_pays_for_unicode_alone(vault: Path) -> None:
    code = "from memtend.cli import main\nstatus = main(sys.argv[1:])"
    status, loaded = _loaded(code, "recall", "how many things does the pool hold, café?", "--vault", str(vault))
    assert (status, *_beyond(loaded)) == (0, {"unicodedata"}, set())
