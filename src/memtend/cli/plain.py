"""Command lines that are plainly meant, read without Typer, which takes longer to load than most commands to run.

A command by its whole name, options by their whole names with a value behind them, and texts: that is how scripts,
agents and most people write. Whatever is not understood here (help, an unknown option, a value that does not fit,
letters run together as `-yn5`) is left to Typer, which says what is wrong. What both understand is the same.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from memtend import __version__
from memtend.cli.call import DONE, Command
from memtend.cli.commands import HOMES
from memtend.cli.parameter import Argument, Parameter, command_at
from memtend.cli.screen import out
from memtend.cli.signature import NEEDED, Taken, bound, parameters
from memtend.cli.words import parted
from memtend.errors import Usage


def run(words: list[str]) -> int:
    """Do what a command line says, by Typer where it has to. Raises MemtendError."""
    command = understood(words)
    if command is None:
        from memtend.cli.app import run as run_by_typer

        return run_by_typer(words)
    return command()


def understood(words: Sequence[str]) -> Callable[[], int] | None:
    """The command that a command line plainly means, ready to be called; None where Typer has to read it."""
    if words == ["--version"]:
        return _say_version
    at = command_at(words)
    flags, rest = words[:at], words[at:]
    command = _command(rest) if rest else None
    if command is None:
        return None
    taken = parameters(command)
    values = _values(taken, [*flags, *rest[2 if command.group else 1 :]])
    if values is not None:
        with suppress(Usage):  # Typer comes to the same complaint
            return bound(command, taken, values)
    return None


def _say_version() -> int:
    out(f"memtend {__version__}")
    return DONE


def _command(words: Sequence[str]) -> Command | None:
    """The command that the first word, or the first two, name."""
    for module in HOMES.get(words[0], ()):
        for command in import_module(f"memtend.cli.commands.{module}").COMMANDS:
            names = [command.group, command.name] if command.group else [command.name]
            if words[: len(names)] == names:
                found: Command = command
                return found
    return None


def _values(taken: Sequence[Taken], words: Sequence[str]) -> dict[str, Any] | None:
    """The value of each parameter; None where anything is not plainly understood."""
    options = {name: each for each in taken for name in each.options()}
    found = parted(words, {name: each.kind is not bool for name, each in options.items()})
    if found is None:
        return None
    given: dict[str, list[str]] = {}
    for name, value in found[0]:
        given.setdefault(options[name].name, []).append(value)
    return _fitted(taken, given | _placed(taken, found[1]))


def _placed(taken: Sequence[Taken], texts: list[str]) -> dict[str, list[str]]:
    """The texts by the arguments that take them, in their order; too many are left under no name."""
    placed: dict[str, list[str]] = {}
    for each in taken:
        if texts and isinstance(each.how, Argument):
            placed[each.name], texts = (texts, []) if each.is_list else (texts[:1], texts[1:])
    return placed | ({"": texts} if texts else {})


def _fitted(taken: Sequence[Taken], given: dict[str, list[str]]) -> dict[str, Any] | None:
    """The values as the command takes them; None where one does not fit, is missing, or is too many."""
    values: dict[str, Any] = {}
    for each in taken:
        written = given.pop(each.name, [])
        found = [_value(each, text) for text in written]
        if None in found or (len(found) > 1 and not each.is_list) or (not found and each.default is NEEDED):
            return None
        values[each.name] = each.left_out if not found else found if each.is_list else found[0]
    return None if given else values


def _value(taken: Taken, written: str) -> Any:
    """A value in its type; None where it is none of it."""
    if taken.kind is bool:
        return True
    if taken.kind is int:
        is_number = written.isdecimal() and written.isascii() and len(written) < 10
        return int(written) if is_number and _is_within(taken.how, int(written)) else None
    return taken.kind(written) if taken.kind in (str, Path) else None


def _is_within(how: Parameter, number: int) -> bool:
    return (how.min is None or number >= how.min) and (how.max is None or number <= how.max)
