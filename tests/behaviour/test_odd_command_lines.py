"""Odd values on the command line: each is told in one line with a hint, and nothing is made of it."""

import os
from pathlib import Path

import pytest

from memtend.cli import main

LONG = "x" * 300
ODD = {
    "category create file.txt": "file.txt is no folder",
    "category create file.txt/memory": "file.txt is no folder",
    "role create zero --roles file.txt": "file.txt is no folder",
    f"role create {LONG} --roles roles": f"'{LONG}' is no name of a role",
    "role search  --roles roles": "the query is empty",
    "role read memory --roles roles": "memory is a folder",
    "role write memory -t text --roles roles": "memory is a folder",
    "role promote nothing --roles roles": "no candidate has the id or the text “nothing”",
    "category search mail --root memory --since yesterday": "'yesterday' is no day",
    "distill report --html ": "--html names no file",
    "category compact --root memory --plan ": "--plan names no file",
    "setup claude-code --command ": "--command '' starts nothing",
    "setup claude-code --command a\nb": "--command 'a\\nb' starts nothing",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a vault, a role and a category memory in it, and a file."""
    for name in [name for name in os.environ if name.startswith("MEMTEND_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    for words in ("init", "role create one --roles roles", "category create memory"):
        assert main(words.split(" ")) == 0
    (tmp_path / "file.txt").write_text("a file\n")
    return tmp_path


def _tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize(
    "words", ["role undo nope --roles roles", "role undo --roles roles", "category undo --root memory"]
)
def test_a_hint_names_the_command_of_the_memory_that_was_asked(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str
):
    assert main(words.split(" ")) == 2
    assert f"hint: `memtend {words.partition(' ')[0]} log` shows" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "told"), ODD.items(), ids=[words[:40].replace("\n", " ") for words in ODD])
def test_what_is_odd_is_told_in_one_line_and_nothing_is_made_of_it(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str, told: str
):
    before = _tree(folder)
    capsys.readouterr()
    assert main(words.split(" ")) in (2, 5)
    printed = capsys.readouterr()
    error, hint = printed.err.splitlines()
    assert error.startswith("error[")
    assert error.endswith(told)
    assert hint.startswith("hint: ")
    assert printed.out == ""
    assert _tree(folder) == before
