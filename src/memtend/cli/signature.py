"""What a command takes, as the signature of its function says it; both readers of command lines go by it."""

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, get_args, get_type_hints

from memtend.cli.call import Call, Command
from memtend.cli.parameter import SHARED, Option, Parameter
from memtend.errors import Usage

NEEDED = inspect.Parameter.empty
"""The default of what has to be given."""


class Taken(NamedTuple):
    """A parameter of a command with what it can be."""

    name: str
    annotation: Any
    kind: Any
    """The type of one value: without `None`, and of one entry of a list."""
    is_list: bool
    default: Any
    how: Parameter

    @property
    def left_out(self) -> Any:
        """What stands for it where nobody gives it; never "", which is what an unset variable of a shell gives."""
        return None if self.default == "" else self.default

    def options(self) -> tuple[str, ...]:
        """The names by which it is given; none where it is given by place."""
        if not isinstance(self.how, Option):
            return ()
        return self.how.names or ("--" + self.name.replace("_", "-"),)


def parameters(command: Command) -> list[Taken]:
    """What a command takes: its own, then what it shares with some (`**shared: Unpack[…]`), then with all.

    Only what is written as `Annotated[type, Option(…)]` can be understood. What is shared with some is optional.
    """
    found = []
    for each in list(inspect.signature(command.run).parameters.values())[1:]:
        if each.kind is inspect.Parameter.VAR_KEYWORD:
            (shared,) = get_args(each.annotation)
            found += [_optional(name, how) for name, how in get_type_hints(shared, include_extras=True).items()]
        else:
            annotation, how = get_args(each.annotation)
            found.append(_taken(each.name, annotation, how, each.default))
    return [*found, *(_taken(name, kind, option, default) for name, (kind, default, option) in SHARED.items())]


def bound(command: Command, taken: Sequence[Taken], values: dict[str, Any]) -> Callable[[], int]:
    """A command ready to be called, with a value for each of what it takes. Raises Usage for an empty one."""
    _require_places(taken, values)
    _require_texts(taken, values)
    values = {each.name: each.default if values[each.name] is None else values[each.name] for each in taken}
    call = Call(**{name: values[name] for name in SHARED})
    return partial(command.run, call, **{name: value for name, value in values.items() if name not in SHARED})


def _require_places(taken: Sequence[Taken], values: dict[str, Any]) -> None:
    """Where a file or folder is to be named, one is: `--plan --json` would write a file `--json`."""
    options = {name for each in taken for name in each.options()}
    for each in taken:
        for value in _given(each, values):
            if isinstance(value, Path) and not value.name.strip():
                raise Usage(f"{_called(each)} names no file", hint=_wanted(each, "Name one"))
            if each.options() and each.how.metavar in ("FILE", "DIR") and str(value) in options:
                raise Usage(
                    f"{_called(each)} needs a {each.how.metavar}, and {value} is an option",
                    hint=f"{_called(each)} ./{value} means a file of that name.",
                )


def _require_texts(taken: Sequence[Taken], values: dict[str, Any]) -> None:
    """Nothing is given empty: `--category "$UNSET"` would mean all. Words that make one text have their own rules."""
    for each in taken:
        if not each.options() and each.is_list:
            continue
        if any(isinstance(text, str) and not text.strip() for text in _given(each, values)):
            give = "Name a folder" if each.how.metavar == "DIR" else "Give a value"
            raise Usage(f"{_called(each)} is empty", hint=_wanted(each, give))


def _given(each: Taken, values: dict[str, Any]) -> list[Any]:
    """What was given for a parameter, as a list; of one that was left out, its default."""
    return (values[each.name] or []) if each.is_list else [values[each.name]]


def _called(each: Taken) -> str:
    """How a parameter is named to a person: `--plan`, `PLAN`."""
    return each.options()[0] if each.options() else (each.how.metavar or each.name).strip("[]")


def _wanted(each: Taken, give: str) -> str:
    """What to do about an empty value; a place that must be filled says in its help what belongs there."""
    if each.default is not NEEDED:
        return f"{give}, or leave it out."
    return f"{give}." if each.options() else each.how.help


def _optional(name: str, annotated: Any) -> Taken:
    annotation, how = get_args(annotated)
    return _taken(name, annotation, how, False if annotation is bool else None)


def _taken(name: str, annotation: Any, how: Parameter, default: Any) -> Taken:
    is_list = annotation in (list[str], list[str] | None)
    kinds = [kind for kind in get_args(annotation) if kind is not type(None)] or [annotation]
    return Taken(name, annotation, str if is_list else kinds[0], is_list, default, how)
