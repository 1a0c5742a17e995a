"""What a command takes, as its signature says it: `Annotated[bool, Option("--all", help="Retired ones too.")]`.

Nothing here knows who parses: plain command lines are read by `plain`, all others by Typer (`app`).
"""

from collections.abc import Callable, Sequence
from typing import Any


class Parameter:
    """One parameter of a command. Its type and its default are those of the function."""

    __slots__ = ("autocompletion", "help", "max", "metavar", "min", "names")

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        autocompletion: "Callable[[Any, str], Sequence[str]] | None" = None,
    ) -> None:
        """`metavar` stands for the value in help, `min` and `max` bound a number, `autocompletion` serves the shell."""
        self.names = names
        self.help = help
        self.metavar = metavar
        self.min = min
        self.max = max
        self.autocompletion = autocompletion


class Option(Parameter):
    """Given by name; a flag where its type is bool."""

    __slots__ = ()


class Argument(Parameter):
    """Given by place."""

    __slots__ = ()


SHARED: dict[str, tuple[Any, Any, Option]] = {
    "vault": (
        str | None,
        None,
        Option("--vault", metavar="DIR", help="The vault; else MEMTEND_VAULT, else the nearest .memory upwards."),
    ),
    "yes": (bool, False, Option("--yes", "-y", help="Say yes in advance: follow what is recommended.")),
    "dry_run": (bool, False, Option("--dry-run", help="Show what would be done and stop.")),
    "json": (bool, False, Option("--json", help="One JSON document on stdout, messages on stderr.")),
    "debug": (bool, False, Option("--debug", help="Show where an error comes from.")),
}
"""What every command takes besides: type, default and how it is given."""

EVERYWHERE = {name: int(kind is not bool) for kind, _, option in SHARED.values() for name in option.names}
"""Flags that may stand before or after the command, with how many words follow them."""


def command_at(words: Sequence[str]) -> int:
    """Where the command stands, behind the flags before it; beyond the end where a flag lacks its value."""
    at = 0
    while at < len(words) and words[at].partition("=")[0] in EVERYWHERE:
        at += 1 + (0 if "=" in words[at] else EVERYWHERE[words[at]])
    return at
