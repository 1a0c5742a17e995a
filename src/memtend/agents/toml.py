"""Lossless edits of TOML: a table of ours is put behind everything else, or taken out; nothing else changes."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from memtend.agents.jsonc import Splice
from memtend.errors import UnusableInput

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def parse(text: str) -> dict[str, Any]:
    """The values of a text. Raises UnusableInput for what is no TOML."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as fault:
        raise UnusableInput(str(fault), hint="Mend the file, then run the command again.") from fault


def put(text: str, path: Sequence[str], values: Mapping[str, Any]) -> list[Splice]:
    """The edit that makes a table have these values; none where it has. Raises UnusableInput."""
    here = _within(parse(text), path)
    if here == dict(values):
        return []
    table = _render(path, values, "\r\n" if "\r\n" in text else "\n")
    if here is None:
        gap = "" if not text or text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        splices = [Splice(len(text), len(text), gap + table)]
    else:
        start, end = _span(text, path)
        splices = [Splice(start, end, table)]
    _require_only_ours(text, splices, path, dict(values))
    return splices


def removed(text: str, path: Sequence[str]) -> list[Splice]:
    """The edit that takes a table out, with the empty line before it. Raises UnusableInput."""
    if _within(parse(text), path) is None:
        return []
    start, end = _span(text, path)
    before = text[:start]
    gap = len(before) - len(before.rstrip("\n"))
    splices = [Splice(start - (gap > 1), end, "")]
    _require_only_ours(text, splices, path, None)
    return splices


def _within(values: Any, path: Sequence[str]) -> Any:
    for key in path:
        if not isinstance(values, dict) or key not in values:
            return None
        values = values[key]
    return values


def _render(path: Sequence[str], values: Mapping[str, Any], newline: str) -> str:
    lines = [
        f"[{'.'.join(path)}]",
        *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()),
    ]
    return newline.join(lines) + newline


def _span(text: str, path: Sequence[str]) -> tuple[int, int]:
    """From the header of a table to the next one. Raises UnusableInput where it has no header of its own."""
    name = r"[ \t]*\.[ \t]*".join(rf"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')" for key in path)
    found = re.search(rf"^[ \t]*\[[ \t]*{name}[ \t]*\][^\n]*\n?", text, re.MULTILINE)
    if not found:
        raise UnusableInput(f"[{'.'.join(path)}] is written in a way of its own", hint="Change it by hand.")
    following = _HEADER.search(text, found.end())
    end = following.start() if following else len(text)
    kept = re.search(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*\Z", text[found.end() : end]) if following else None
    return found.start(), found.end() + kept.start() if kept else end


def _require_only_ours(text: str, splices: Sequence[Splice], path: Sequence[str], values: Any) -> None:
    """Raise UnusableInput where an edit would change more than the one table."""
    from memtend.agents.jsonc import spliced

    before, after = parse(text), parse(spliced(text, splices))
    if _within(after, path) != values or _without(after, path) != _without(before, path):
        raise UnusableInput(f"[{'.'.join(path)}] cannot be changed alone", hint="Change it by hand.")


def _without(values: Any, path: Sequence[str]) -> Any:
    """The values without one table, and without what is empty then."""
    if not isinstance(values, dict) or path[0] not in values:
        return values
    rest = {key: value for key, value in values.items() if key != path[0]}
    inner = _without(values[path[0]], path[1:]) if len(path) > 1 else None
    return rest | ({path[0]: inner} if inner else {})
