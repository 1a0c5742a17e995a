"""The published JSON Schema of a tidy plan, and what it has against a value.

The schema file is the one definition; this reads the part of JSON Schema that it uses.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

FILE = "tidy-plan.schema.json"
_TYPES: Mapping[str, type] = {"object": dict, "array": list, "string": str, "boolean": bool}


@cache
def plan_schema() -> dict[str, Any]:
    """The schema of a tidy plan."""
    loaded: dict[str, Any] = json.loads((files(__package__) / FILE).read_text(encoding="utf-8"))
    return loaded


def complaints(value: object) -> list[str]:
    """What the schema has against a value: one line each with its place, none where it is a plan."""
    return list(_complaints(value, plan_schema(), "plan"))


def _complaints(value: object, schema: Mapping[str, Any], place: str) -> Iterator[str]:
    if "$ref" in schema:
        schema = plan_schema()["$defs"][schema["$ref"].rpartition("/")[2]]
    if "const" in schema and value != schema["const"]:
        yield f"{place}: must be {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: must be one of {', '.join(schema['enum'])}"
    wanted = schema.get("type")
    if wanted and not isinstance(value, _TYPES[wanted]):
        yield f"{place}: must be {wanted}"
    elif isinstance(value, str):
        yield from _of_text(value, schema, place)
    elif isinstance(value, list):
        yield from _of_list(value, schema, place)
    elif isinstance(value, dict):
        yield from _of_object(value, schema, place)


def _of_text(value: str, schema: Mapping[str, Any], place: str) -> Iterator[str]:
    if len(value) < schema.get("minLength", 0):
        yield f"{place}: is empty"
    if len(value) > schema.get("maxLength", len(value)):
        yield f"{place}: is longer than {schema['maxLength']} characters"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{place}: {value!r} does not fit {schema['pattern']}"


def _of_list(value: list[object], schema: Mapping[str, Any], place: str) -> Iterator[str]:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{place}: has {len(value)} entries"
    for at, entry in enumerate(value):
        yield from _complaints(entry, schema.get("items", {}), f"{place}[{at}]")


def _of_object(value: dict[str, object], schema: Mapping[str, Any], place: str) -> Iterator[str]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place}: {name} is missing"
    for name, inner in value.items():
        if name in known:
            yield from _complaints(inner, known[name], f"{place}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{place}: {name} is not known"
