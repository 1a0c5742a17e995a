r"""What a tool may be given: the schema a client sees, and how what it really sends is read.

Some clients send lists, numbers and booleans as text, `"[\"a\"]"`, `"5"`, `"true"`, or `"null"` for nothing. What
can only mean one thing is read so; anything else is refused with a call that is right.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memtend.errors import Usage

TEXT, TEXTS, WHOLE, SWITCH, OBJECT = "text", "texts", "whole", "switch", "object"
LONGEST = 4_000_000
"""Characters of one text; over HTTP a whole request has no more bytes."""
_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")
_NOTHING = ("", "null", "none", "undefined")

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a tool. `example` is what a right call shows; a default of None means not given."""

    name: str
    kind: str
    about: str
    example: Any
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    splits: bool = False
    """Whether a text in place of a list is parted at commas."""

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the parameter."""
        schema = dict(_SCHEMAS[self.kind]) | {"description": self.about}
        if self.choices:
            schema["enum"] = list(self.choices) if self.required else [*self.choices, ""]
        bounds = {"minimum": self.minimum, "maximum": self.maximum, "default": self.default}
        return schema | {name: value for name, value in bounds.items() if value not in (None, ())}


_SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    TEXT: {"type": "string"},
    TEXTS: {"type": "array", "items": {"type": "string"}},
    WHOLE: {"type": "integer"},
    SWITCH: {"type": "boolean"},
    OBJECT: {"type": "object"},
}


def schema_of(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    required = [parameter.name for parameter in parameters if parameter.required]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "additionalProperties": False,
    }
    return schema | ({"required": required} if required else {})


def read(tool: str, parameters: Sequence[Parameter], given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments of one call, each of its kind, defaults filled in. Raises Usage with a call that is right."""
    given = given or {}
    unknown = sorted(set(given) - {parameter.name for parameter in parameters})
    if unknown:
        raise Usage(f"{tool} has no parameter {', '.join(map(repr, unknown))}", hint=right_call(tool, parameters))
    read: dict[str, Any] = {}
    for parameter in parameters:
        try:
            value = _READERS[parameter.kind](parameter, given.get(parameter.name))
            _require_fitting(parameter, value)
        except ValueError as fault:
            raise Usage(f"{tool}: {parameter.name} {fault}", hint=right_call(tool, parameters)) from fault
        read[parameter.name] = parameter.default if value is None else value
    return read


def needed(tool: str, given: Arguments, name: str, *instead: str) -> str:
    """A parameter that an action of a tool cannot do without, or one in its place. Raises Usage where none is given."""
    found = next((given[each] for each in (name, *instead) if given[each] is not None), None)
    if found is None:
        example = json.dumps({"action": given["action"], name: "…"}, ensure_ascii=False)
        raise Usage(f"{tool}: {given['action']} needs {name}", hint=f"For instance {tool} {example}.")
    return str(found)


def require_meant(tool: str, given: Arguments, name: str, actions: Sequence[str]) -> None:
    """Raise Usage where a parameter that narrows some actions is given to another one, which would pass it over."""
    if given[name] is not None and given["action"] not in actions:
        raise Usage(
            f"{tool}: {given['action']} takes no {name}", hint=f"Leave it out; {name} goes with {', '.join(actions)}."
        )


def right_call(tool: str, parameters: Sequence[Parameter]) -> str:
    """A call that is right, for a client that made a wrong one."""
    shown = [parameter for parameter in parameters if parameter.required] or list(parameters[:2])
    call = json.dumps({parameter.name: parameter.example for parameter in shown}, ensure_ascii=False)
    return f"A right call: {tool} {call}. It takes: {', '.join(p.name for p in parameters) or 'nothing'}."


def _require_fitting(parameter: Parameter, value: Any) -> None:
    if value is None or value == ():
        if parameter.required:
            raise ValueError("is missing")
        return
    if parameter.choices and value not in parameter.choices:
        raise ValueError(f"is none of {', '.join(parameter.choices)}: {value!r}")
    if parameter.kind == WHOLE:
        if parameter.minimum is not None and value < parameter.minimum:
            raise ValueError(f"must be at least {parameter.minimum}, not {value}")
        if parameter.maximum is not None and value > parameter.maximum:
            raise ValueError(f"must be at most {parameter.maximum}, not {value}")


def _text(parameter: Parameter, value: Any) -> str | None:
    if value is None or (isinstance(value, str) and not parameter.required and _says_nothing(parameter, value)):
        return None
    if isinstance(value, dict) and parameter.required:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"must be a text, not {_shown(value)}")
    text = str(value)
    if len(text) > LONGEST:
        raise ValueError(f"has {len(text)} characters, and may have {LONGEST}; give it in pieces or as a file")
    return sound(text)


def _says_nothing(parameter: Parameter, value: str) -> bool:
    """Whether a text stands for none: the empty one, which is among the choices, or what some clients write for it."""
    return (value if parameter.choices else value.strip()) in _NOTHING


def _texts(parameter: Parameter, value: Any) -> tuple[str, ...] | None:
    if value is None:
        return ()
    if isinstance(value, str):
        value = _named(value) if parameter.splits else _decoded(value, "[", [value])
    if not isinstance(value, list | tuple):
        raise ValueError(f"must be a list of texts, not {_shown(value)}")
    if any(isinstance(item, bool) or not isinstance(item, str | int | float) for item in value):
        raise ValueError(f"must be a list of texts, not {_shown(value)}")
    texts = (sound(str(item)).strip() for item in value)
    return tuple(text for text in texts if text and text != "null")


def _named(text: str) -> Any:
    """Names in one text: JSON, or parted at commas, in brackets or without."""
    stripped = text.strip()
    try:
        return _decoded(text, "[", text.split(","))
    except ValueError:
        if not stripped.endswith("]"):
            raise
        return [name.strip(" \"'") for name in stripped[1:-1].split(",")]


def _whole(_: Parameter, value: Any) -> int | None:
    if isinstance(value, str):
        if value.strip().lower() in _NOTHING:
            return None
        try:
            value = float(value) if "." in value else int(value)
        except ValueError:
            raise ValueError(f"must be a whole number, not {_shown(value)}") from None
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise ValueError(f"must be a whole number, not {_shown(value)}")
    return int(value)


def _switch(_: Parameter, value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    said = str(value).strip().lower() if isinstance(value, str | int) else ""
    if said in _TRUE + _FALSE:
        return said in _TRUE
    if isinstance(value, str) and said in _NOTHING:
        return None
    raise ValueError(f"must be true or false, not {_shown(value)}")


def _object(_: Parameter, value: Any) -> Any:
    if isinstance(value, str):
        value = _decoded(value, "{[", None)
    if value is None:
        return None
    if not isinstance(value, dict | list):
        raise ValueError(f"must be an object, not {_shown(value)}")
    return value


_READERS: Mapping[str, Callable[[Parameter, Any], Any]] = {
    TEXT: _text,
    TEXTS: _texts,
    WHOLE: _whole,
    SWITCH: _switch,
    OBJECT: _object,
}


def _decoded(text: str, openings: str, otherwise: Any) -> Any:
    """JSON that came as a text; None where the text says nothing, `otherwise` where it is no JSON at all."""
    stripped = text.strip()
    if stripped.lower() in _NOTHING:
        return None if otherwise is None else []
    if stripped[0] not in openings:
        if otherwise is None:
            raise ValueError(f"must be an object, not {_shown(text)}")
        return otherwise
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        raise ValueError(f"is a text that is no JSON: {_shown(text)}") from None


def sound(text: str) -> str:
    """The text without halves of characters, which no encoder takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if not text.isascii() else text


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
