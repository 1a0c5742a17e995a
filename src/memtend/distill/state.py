"""The memory_health of specs/state.json, as bytes in and bytes out (vault spec, 5).

The file belongs to others. One value of it is replaced, and every other byte stays as it was.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memtend.errors import UnusableInput

STATE = "specs/state.json"
"""From the project's root."""


@dataclass(frozen=True, slots=True)
class Health:
    """What a project's state says of its memory."""

    last_distilled: datetime
    total_memories: int
    never_retrieved: int
    health_score: int
    status: str
    is_report: bool = False
    """A report does not raise `distill_count`."""


def with_health(data: bytes, health: Health) -> bytes:
    """state.json with its `memory_health` brought up to date; every other byte stays.

    Other keys of that object stay too. Raises UnusableInput where the file is no JSON object.
    """
    before = _member(data, "memory_health")
    old = _object(before)
    count = old.get("distill_count")
    count = (count if isinstance(count, int) else 0) + (not health.is_report)
    new = {
        **old,
        "last_distilled": f"{health.last_distilled.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "distill_count": count,
        "total_memories": health.total_memories,
        "never_retrieved": health.never_retrieved,
        "health_score": health.health_score,
        "status": health.status,
    }
    return with_value(data, new)


def health_value(data: bytes) -> Mapping[str, Any] | None:
    """The `memory_health` of state.json, None where it has none. Raises UnusableInput for a file that is no object."""
    found = _member(data, "memory_health")
    return _object(found) if found else None


def with_value(data: bytes, value: Mapping[str, Any] | None) -> bytes:
    """state.json with that `memory_health`, or (None) without any. Raises UnusableInput."""
    text, lead = _text_of(data)
    members = list(_members(text))
    here = next((n for n, member in enumerate(members) if member.key == "memory_health"), None)
    newline = "\r\n" if "\r\n" in text else "\n"
    if here is not None and value is not None:
        member = members[here]
        text = text[: member.start] + _value(value, text, member.key_start, newline) + text[member.end :]
    elif here is not None:
        text = _without(text, members, here)
    elif value is not None:
        text = _with_member(text, members, value, newline)
    return lead + text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class _Member:
    """A key and its value in the outermost object, by their places in the text."""

    key: str
    value: Any
    key_start: int
    start: int
    end: int


def _object(member: _Member | None) -> dict[str, Any]:
    return member.value if member is not None and isinstance(member.value, dict) else {}


def _text_of(data: bytes) -> tuple[str, bytes]:
    lead = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    try:
        return data[len(lead) :].decode(), lead
    except UnicodeDecodeError as fault:
        raise _unusable("is not UTF-8") from fault


def _member(data: bytes, key: str) -> _Member | None:
    return next((member for member in _members(_text_of(data)[0]) if member.key == key), None)


def _members(text: str) -> Iterator[_Member]:
    """The members of the JSON object that the text is."""
    try:
        if not isinstance(json.loads(text), dict):
            raise _unusable("is no JSON object")
    except (ValueError, RecursionError) as fault:
        raise _unusable(f"is no JSON: {fault}") from fault
    decoder = json.JSONDecoder()
    at = _blank(text, text.index("{") + 1)
    while text[at] != "}":
        key, end = decoder.raw_decode(text, at)
        start = _blank(text, text.index(":", end) + 1)
        value, stop = decoder.raw_decode(text, start)
        yield _Member(key, value, at, start, stop)
        at = _blank(text, stop)
        at = _blank(text, at + 1) if text[at] == "," else at


def _blank(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def _value(value: Mapping[str, Any], text: str, key_start: int, newline: str) -> str:
    """The value, set in as deep as its key."""
    line = text[text.rfind("\n", 0, key_start) + 1 : key_start]
    if line.strip():
        return json.dumps(value, ensure_ascii=False)
    step = line or "  "
    return json.dumps(value, ensure_ascii=False, indent=step).replace("\n", newline + line)


def _with_member(text: str, members: Sequence[_Member], value: Mapping[str, Any], newline: str) -> str:
    """The text with the member behind all others, or as the only one."""
    if not members:
        opening = text.index("{") + 1
        closing = _blank(text, opening)
        shown = json.dumps({"memory_health": value}, ensure_ascii=False, indent=2).replace("\n", newline)
        return text[:opening] + shown[1:-1] + text[closing:]
    last = members[-1]
    line = text[text.rfind("\n", 0, last.key_start) + 1 : last.key_start]
    gap = newline + line if not line.strip() and "\n" in text[: last.key_start] else " "
    shown = _value(value, text, last.key_start, newline)
    return f'{text[: last.end]},{gap}"memory_health": {shown}{text[last.end :]}'


def _without(text: str, members: Sequence[_Member], here: int) -> str:
    """The text without a member and the comma that parts it from the others."""
    if here:
        return text[: members[here - 1].end] + text[members[here].end :]
    if len(members) > 1:
        return text[: members[0].key_start] + text[members[1].key_start :]
    return text[: text.index("{") + 1] + text[_blank(text, members[0].end) :]


def _unusable(fact: str) -> UnusableInput:
    return UnusableInput(f"specs/state.json {fact}", hint="Mend it; memory_health is kept there when it can be read.")
