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


def at(text: str, path: Sequence[str]) -> Any:
    """The value at a path, None where there is none. Raises UnusableInput."""
    return _within(parse(text), path)


def put(text: str, path: Sequence[str], value: Any) -> list[Splice]:
    """The edit that sets a table, or one key of a table; none where it is so already. Raises UnusableInput."""
    here = at(text, path)
    if here == value:
        return []
    splice = _with_table(text, path, value, here) if isinstance(value, Mapping) else _with_key(text, path, value)
    _require_only_ours(text, [splice], path, value)
    return [splice]


def _with_table(text: str, path: Sequence[str], values: Mapping[str, Any], here: Any) -> Splice:
    newline = _newline(text)
    table = newline.join([f"[{'.'.join(path)}]", *(_line(key, value) for key, value in values.items())]) + newline
    if here is not None:
        return Splice(*_span(text, _header(text, path)), table)
    gap = "" if not text or text.endswith(newline * 2) else newline if text.endswith("\n") else newline * 2
    return Splice(len(text), len(text), gap + table)


def _with_key(text: str, path: Sequence[str], value: Any) -> Splice:
    """A key of a table with another value, as the table's first one where it is new."""
    header = _header(text, path[:-1])
    start, end = _span(text, header)
    key = path[-1]
    found = re.compile(rf"^[ \t]*(?:{re.escape(key)}|\"{re.escape(key)}\")[ \t]*=", re.MULTILINE).search(
        text, start, end
    )
    line = _line(key, value)
    if found is None:
        return Splice(header.end(), header.end(), line + _newline(text))
    return Splice(found.start(), _end_of_value(text, found.start(), end), line)


def _end_of_value(text: str, start: int, end: int) -> int:
    """Where a key and its value end: behind the first line with which they can be read."""
    for line_end in re.finditer(r"\r?\n|\Z", text[start:end]):
        try:
            tomllib.loads(text[start : start + line_end.start()])
        except ValueError:
            continue
        return start + line_end.start()
    return end


def removed(text: str, path: Sequence[str]) -> list[Splice]:
    """The edits that take a table out, with those below it and the empty line before each. Raises UnusableInput."""
    if at(text, path) is None:
        return []
    headers = list(re.finditer(_header_pattern(path, below=True), text, re.MULTILINE))
    splices = [_taken_out(text, header) for header in headers]
    _require_only_ours(text, splices, path, None)
    return splices


def _taken_out(text: str, header: re.Match[str]) -> Splice:
    start, end = _span(text, header)
    empty = re.search(r"(?<=\n)\r?\n\Z", text[:start])
    return Splice(empty.start() if empty else start, end, "")


def _within(values: Any, path: Sequence[str]) -> Any:
    for key in path:
        if not isinstance(values, dict) or key not in values:
            return None
        values = values[key]
    return values


def _line(key: str, value: Any) -> str:
    return f"{key} = {json.dumps(value, ensure_ascii=False)}"


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _header(text: str, path: Sequence[str]) -> re.Match[str]:
    """The line that opens a table. Raises UnusableInput where it has none of its own."""
    found = re.search(_header_pattern(path), text, re.MULTILINE)
    if not found:
        raise UnusableInput(f"[{'.'.join(path)}] is written in a way of its own", hint="Change it by hand.")
    return found


def _header_pattern(path: Sequence[str], *, below: bool = False) -> str:
    name = r"[ \t]*\.[ \t]*".join(rf"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')" for key in path)
    deeper = r"(?:[ \t]*\.[^\]\n]*)?" if below else ""
    return rf"^\ufeff?[ \t]*\[\[?[ \t]*{name}{deeper}[ \t]*\]\]?[^\n]*\n?"


def _span(text: str, header: re.Match[str]) -> tuple[int, int]:
    """From the header of a table to the next one, whose comments stay with it."""
    start = header.start() + header[0].startswith("\ufeff")
    following = _HEADER.search(text, header.end())
    end = following.start() if following else len(text)
    kept = re.search(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*\Z", text[header.end() : end]) if following else None
    return start, header.end() + kept.start() if kept else end


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
