"""Laws of the command line: what is read without Typer is what Typer reads, and all commands are found."""

import shlex
import subprocess
import sys
from functools import cache, partial
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.main import get_command

from memtend.cli import app, plain
from memtend.cli.call import Command
from memtend.cli.commands import HOMES
from memtend.cli.parameter import Argument
from memtend.cli.signature import parameters

COMMANDS = list(app.commands())


@cache
def parser() -> Any:
    return get_command(app.build())


def by_typer(words: list[str]) -> Any:
    """The call that Typer makes of a command line."""
    return parser().main(app.flags_after_command(words, parser()), prog_name="memtend", standalone_mode=False)


def meant(call: Any) -> tuple[Any, ...]:
    """What is called with what, types told apart."""
    assert isinstance(call, partial)
    return call.func, call.args, sorted((name, type(value), value) for name, value in call.keywords.items())


def test_the_homes_of_the_commands_are_where_they_are():
    homes: dict[str, set[str]] = {}
    for command in COMMANDS:
        homes.setdefault(command.group or command.name, set()).add(command.run.__module__.rpartition(".")[2])
    assert {word: set(modules) for word, modules in HOMES.items()} == homes


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: f"{command.group} {command.name}".strip())
def test_the_examples_mean_the_same_by_either_way(command: Command):
    for example in command.examples:
        words = shlex.split(example.rpartition("|")[2].partition("<")[0])[1:]
        call = plain.understood(words)
        if call is None:
            assert command.name == "watch"  # takes seconds with a point
            continue
        assert meant(call) == meant(by_typer(words))


# fmt: off
WORDS = st.sampled_from([
    "a", "a b", "", "-", "--", "5", "0", "-3", "007", "1.5", "x=y", "é", "/p/q", "-x", "--yes", "１", "99999999999",
    "=", "--help", "-h", "--nope", "-yn", "true", "--vault=v", "-y",
])
# fmt: on
TAKEN = {id(command): parameters(command) for command in COMMANDS}


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    command = draw(st.sampled_from(COMMANDS))
    taken = TAKEN[id(command)]
    options = [name for each in taken for name in each.how.names]
    words = draw(st.sampled_from([[], [], ["--vault", "v"], ["--json"], ["--vault=v", "-y"], ["--vault"]]))
    words = [*words, *filter(None, (command.group, command.name))]
    if draw(st.booleans()):
        words += ["a" for each in taken if isinstance(each.how, Argument)]
    for _ in range(draw(st.integers(0, 3))):
        option, value = draw(st.sampled_from(options)), draw(WORDS)
        words += draw(st.sampled_from([[value], [option], [option, value], [f"{option}={value}"]]))
    return words


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(lines())
def test_what_is_plainly_understood_typer_understands_alike(words: list[str]):
    call = plain.understood(words)
    assert call is None or meant(call) == meant(by_typer(words))


@pytest.mark.parametrize(
    "words", [["--version"], ["log", "--all"], ["undo", "--yes"], ["learn", "-t", "a", "--dry-run"]]
)
def test_a_plain_command_line_loads_no_command_line_library(words: list[str]):
    code = "import sys; from memtend.cli import plain; plain.understood(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert {"typer", "click", "pydantic", "memtend.cli.app"}.isdisjoint(done.stdout.split())
