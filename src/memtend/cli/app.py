"""The whole command line: one module of `commands` a group of commands, each listed in its `COMMANDS`.

Typer only parses what `plain` does not: what it hands back is the command with its arguments, and `run` calls it. So
every fault passes one place (`faults`), and a command is an ordinary function `(call, …) -> exit status`. How to add
one stands in `commands`.
"""

import inspect
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand
from typer.main import get_command

from memtend import __version__
from memtend.cli.call import Command
from memtend.cli.parameter import Argument, command_at
from memtend.cli.signature import Taken, bound, parameters
from memtend.errors import Usage

_INTERRUPTED = 130
"""What the parser gives back where Ctrl-C came while it parsed."""


def run(words: list[str]) -> int:
    """Parse a command line and do what it says. Raises MemtendError, Usage for what is not understood."""
    app = build()
    parser = get_command(app)
    words = _asked_for_help(words, parser)
    try:
        parsed = parser.main(flags_after_command(words, parser), prog_name="memtend", standalone_mode=False)
    except typer.TyperException as fault:
        raise _usage(fault, _command_path(words, parser)) from fault
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        raise
    if parsed == _INTERRUPTED:
        raise KeyboardInterrupt
    return int(parsed()) if callable(parsed) else int(parsed or 0)


def _asked_for_help(words: list[str], parser: Any) -> list[str]:
    """The words, as a wish for help where nothing else can be meant: none, `help …`, or a group alone."""
    if words[:1] == ["help"]:
        return [*words[1:], "--help"]
    is_group = len(words) == 1 and hasattr(parser.commands.get(words[0]), "commands")
    return [*words, "--help"] if is_group or not words else words


def build() -> typer.Typer:
    """The Typer app with every command there is; also what the reference is made from."""
    app = typer.Typer(
        name="memtend",
        help="Tend what AI agents remember: learn, find, review and undo Markdown memories.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    )
    app.callback()(_root)
    groups: dict[str, typer.Typer] = {}
    for command in commands():
        home = app
        if command.group:
            home = groups.get(command.group) or groups.setdefault(command.group, _group(app, command))
        listed = _first_sentence(command.run)
        home.command(command.name, cls=_Page, epilog=_epilog(command), short_help=listed)(_parser_of(command))
    return app


def commands() -> Iterator[Command]:
    """Every command, by name."""
    package = import_module("memtend.cli.commands")
    found = [
        command
        for module in pkgutil.iter_modules(package.__path__)
        for command in import_module(f"{package.__name__}.{module.name}").COMMANDS
    ]
    yield from sorted(found, key=lambda command: (command.group, command.name))


def _group(app: typer.Typer, command: Command) -> typer.Typer:
    """The group a command is in; its help is the first line of the module that lists the command."""
    described = _first_sentence(inspect.getmodule(command.run)).removeprefix(f"{command.group}: ")
    described = described[:1].upper() + described[1:]
    group = typer.Typer(name=command.group, help=described, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.add_typer(group, short_help=described)
    return group


def _first_sentence(documented: object) -> str:
    """What help lists: the first sentence of a docstring, whole."""
    sentence, stop, _ = (inspect.getdoc(documented) or "").partition("\n")[0].partition(". ")
    return sentence + stop.rstrip()


class _Argument(TyperArgument):
    """An argument that help names as people do: `ID`, `[INPUT...]`, without braces and without Python's types."""

    def display_type(self, ctx: typer.Context) -> str:  # type: ignore[override]  # noqa: ARG002
        return ""

    def get_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        name = self.display_name_raw
        if self.nargs != 1 and not name.endswith("..."):
            name += "..."
        return [name if self.required else f"[{name}]"]


class _Page(TyperCommand):
    """A command whose arguments are of that kind; Typer makes them itself, so they are taught afterwards."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        for param in self.params:
            if isinstance(param, TyperArgument):
                param.__class__ = _Argument


def _root(version: Annotated[bool, typer.Option("--version", help="Say which version this is.")] = False) -> None:
    if version:
        typer.echo(f"memtend {__version__}")
        raise typer.Exit


def _epilog(command: Command) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  {example}" for example in command.examples)


def _parser_of(command: Command) -> Callable[..., Callable[[], int]]:
    """What Typer calls: takes the command's parameters, returns the call to make."""
    own = parameters(command)

    def parsed(**values: Any) -> Callable[[], int]:
        return bound(command, own, values)

    taken = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.left_out, annotation=_for_typer(each))
        for each in own
    ]
    parsed.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]
    parsed.__doc__ = command.run.__doc__
    return parsed


def _for_typer(taken: Taken) -> Any:
    """The annotation of a parameter in Typer's words."""
    how = taken.how
    told: dict[str, Any] = {"help": how.help, "metavar": how.metavar, "min": how.min, "max": how.max}
    told["autocompletion"] = how.autocompletion
    if isinstance(how, Argument):
        return Annotated[taken.annotation, typer.Argument(**told)]
    return Annotated[taken.annotation, typer.Option(*how.names, **told)]


def flags_after_command(words: list[str], parser: Any) -> list[str]:
    """Flags that stand before the command, moved behind it."""
    at = command_at(words)
    flags, rest = words[:at], words[at:]
    if at > len(words):
        raise Usage(f"{words[-1]} needs a value", hint="`memtend --vault DIR list`, for instance.")
    if not rest:
        return words if not flags else ["--help"]
    if not rest[0].startswith("-") and rest[0] not in parser.commands:
        return rest  # an unknown command, and so the parser will say
    behind = 0
    while behind < len(rest) and hasattr(parser, "commands") and rest[behind] in parser.commands:
        parser = parser.commands[rest[behind]]
        behind += 1
    return [*rest[:behind], *flags, *rest[behind:]]


def _command_path(words: list[str], parser: Any) -> str:
    """How the command is called that a command line begins with: `memtend role search`."""
    path = ["memtend"]
    for word in words[command_at(words) :]:
        if word not in getattr(parser, "commands", ()):
            break
        path.append(word)
        parser = parser.commands[word]
    return " ".join(path)


def _usage(fault: typer.TyperException, where: str) -> Usage:
    """The parser's complaint as one line and a hint."""
    said = " ".join(fault.format_message().split()).rstrip(".")
    hint = f"`{where} --help` shows what there is."
    if said.startswith("No such option"):
        hint += " A text that begins with - goes after --."
    return Usage(said, hint=hint)
