"""Odd values on the command line: each is told in one line with a hint, and nothing is made of it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtend.cli import app, main
from memtend.cli.parameter import Argument, Option
from memtend.cli.signature import NEEDED, Taken, parameters

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
    "role tidy --only nothing --roles roles": "no entry has the id 'nothing'",
    "role tidy --delete nothing --plan plan.json --roles roles": "no entry has the id 'nothing'",
    "role organize --transcript nothing --roles roles": "--transcript goes with --due",
    "category compact --root memory --apply plan.json --category nothing": "a saved plan says itself what goes",
    "category add text --category decisions --title T --to /x.md --root memory": "'/x.md' cannot be a memory's file",
    "category forget DEC-1 --text Ada --root memory": "an entry and a text are too much at once",
    "category search mail --root memory --since yesterday": "'yesterday' is no day",
    "distill report --html roles": "roles cannot be written: Is a directory",
    "distill report --html missing/page.html": "missing/page.html cannot be written: No such file or directory",
    "init one --vault two": "DIR and --vault both say where",
    "learn file.txt --content-map --plan plan.json": "--content-map saves no plan",
    "distill purge --markdown": "--markdown goes with the report",
    "distill report --allow-conflicts": "--allow-conflicts goes with merge",
    "distill report --html ": "--html names no file",
    "category compact --root memory --plan ": "--plan names no file",
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


NAMES = {"ID", "ID|TEXT", "ID,...", "RECEIPT", "ARCHIVE", "ENTRY"}
"""What help writes for something that is there already."""
PLACE = {"role": "--roles=roles", "category": "--root=memory", "": "--vault=.memory"}


def naming() -> Iterator[str]:
    """A command line for each option and place that names something, with a name that is none's."""
    for command in app.commands():
        taken = parameters(command)
        needed = ["purge"] if command.name == "distill" else []
        needed += ["x" for each in taken if each.default is NEEDED and each.how.metavar not in NAMES]
        for each in taken:
            if each.how.metavar in NAMES and each.name != "session":
                name = ["nothing"] if isinstance(each.how, Argument) else [each.options()[0], "nothing"]
                yield " ".join([*filter(None, (command.group, command.name)), *name, *needed, PLACE[command.group]])


def _written(folder: Path) -> dict[str, bytes]:
    """Every file but the search indexes, which readers bring up to date."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("index.db")]
    return {str(path): path.read_bytes() for path in files}


def test_every_kind_of_name_is_among_them():
    assert len(list(naming())) >= 20


@pytest.mark.parametrize("how", ["", "--yes", "--dry-run", "--json"])
def test_a_name_that_is_nobodys_is_told_with_a_hint_and_nothing_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str], how: str
):
    for words in naming():
        before = _written(folder)
        capsys.readouterr()
        assert main([*words.split(), *filter(None, [how])]) == 2, words
        *_, error, hint = capsys.readouterr().err.splitlines()
        assert error.startswith("error["), words
        assert "nothing" in error, words
        assert hint.startswith("hint: "), words
        assert _written(folder) == before, words


def emptied(value: str) -> Iterator[list[str]]:
    """A command line for each option and each place of one word, with an empty value there: an unset variable's."""
    for command in app.commands():
        taken = parameters(command)
        for empty in taken:
            if empty.kind in (str, Path) and (empty.options() or not empty.is_list):
                given = [(each, value if each is empty else "1") for each in taken if each in (empty, *_needed(taken))]
                words = [word for each, word_of in given for word in (*each.options()[:1], word_of)]
                yield [*filter(None, (command.group, command.name)), *words]


def _needed(taken: list[Taken]) -> list[Taken]:
    return [each for each in taken if each.default is NEEDED]


@pytest.mark.parametrize(("how", "value"), [("", ""), ("--yes", ""), ("--json", ""), ("", " ")])
def test_an_empty_value_means_neither_all_nor_here(
    folder: Path, capsys: pytest.CaptureFixture[str], how: str, value: str
):
    for words in emptied(value):
        before = _written(folder)
        capsys.readouterr()
        assert main([*words, *filter(None, [how])]) == (1 if words[0] == "hook" else 2), words
        error, hint = capsys.readouterr().err.splitlines()
        assert error.startswith("error[usage]: "), words
        assert error.endswith((" is empty", " names no file")), words
        assert hint.startswith("hint: "), words
        assert _written(folder) == before, words


def test_help_names_what_a_value_is_and_not_a_type_of_the_language():
    for command in app.commands():
        for each in parameters(command):
            assert each.how.help, (command.name, each.name)
            assert each.kind is bool or each.how.metavar, (command.name, each.name)
            assert isinstance(each.how, Option) or "[" not in (each.how.metavar or ""), (command.name, each.name)


@pytest.mark.parametrize(
    ("words", "command"),
    [("list --topic", "list"), ("role search x --role", "role search"), ("index --rebuild=1", "index")],
)
def test_a_hint_names_the_command_whose_option_is_wrong(capsys: pytest.CaptureFixture[str], words: str, command: str):
    assert main(words.split(" ")) == 2
    assert f"hint: `memtend {command} --help` shows" in capsys.readouterr().err


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
