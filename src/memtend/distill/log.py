"""distill-log.json: the history of maintenance, as bytes in and bytes out (vault spec, 5).

What others wrote into it stays, an operation that is damaged is kept and passed over, and a file that is no JSON
object is set aside under a key of the new one rather than lost.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from typing import Any

from memtend.errors import NewerFormat
from memtend.memory import MemoryId
from memtend.text import words

LOG = "distill-log.json"
"""From the vault's root."""
VERSION = "1.0.0"
_UNREADABLE = "unreadable_before"
"""Where a log that was no JSON object is kept, as text."""
_REMEMBERED = "retired_texts"
"""Hashes of texts whose files gc erased."""


class Kind(StrEnum):
    """What an operation of the log was."""

    REPORT = "report"
    PURGE = "purge"
    MERGE = "merge"
    COMPRESS = "compress"
    REFINE = "refine"
    GC = "gc"


_TOTALS = {
    Kind.PURGE: "total_purged",
    Kind.MERGE: "total_merged",
    Kind.COMPRESS: "total_compressed",
    Kind.REFINE: "total_refined",
    Kind.GC: "total_gc_deleted",
}

Metrics = Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One run of a mode. `affected` is as the spec says: ids for purge and gc, else objects."""

    kind: Kind
    at: datetime
    session: str = ""
    pre_metrics: Metrics = field(default_factory=dict)
    post_metrics: Metrics = field(default_factory=dict)
    affected: Sequence[Any] = ()
    notes: str = ""
    remembered: Mapping[MemoryId, str] = field(default_factory=dict)
    """By id: the hash of a text that is not to be learned again unasked."""


def appended(data: bytes | None, operation: Operation) -> bytes:
    """The log with one operation more. `data` is the file as it is, None where there is none.

    Raises NewerFormat for a log of a later major version than ours.
    """
    log = _log(data)
    operations = log["operations"]
    operations.append(_entry(operation, {_id_of(entry) for entry in operations}))
    log["summary"] = _summary(log["summary"], operation)
    if operation.remembered:
        log[_REMEMBERED] = {
            **_mapping(log.get(_REMEMBERED)),
            **{str(id): text for id, text in operation.remembered.items()},
        }
    return _rendered(log, data)


def added(before: bytes | None, after: bytes | None) -> dict[str, Any] | None:
    """The entry that one log has and the one before it had not."""
    known = {_id_of(entry) for entry in operations(before)}
    return next((entry for entry in reversed(operations(after)) if _id_of(entry) not in known), None)


def has_entry(data: bytes | None, entry: Mapping[str, Any]) -> bool:
    """Whether the log has an entry with that one's id."""
    return any(_id_of(known) == _id_of(entry) for known in operations(data))


def without_entry(data: bytes, entry: Mapping[str, Any]) -> bytes:
    """The log as if an entry had not been made: it was undone."""
    log = _log(data)
    log["operations"] = [known for known in log["operations"] if _id_of(known) != _id_of(entry)]
    log["summary"] = {**log["summary"], **_totals(log["summary"], entry, -1)}
    if entry.get("type") == Kind.GC:
        gone = set(map(str, entry.get("affected_memories", ())))
        kept = {id: hash for id, hash in _mapping(log.pop(_REMEMBERED, None)).items() if id not in gone}
        log |= {_REMEMBERED: kept} if kept else {}
    return _rendered(log, data)


def with_entry(data: bytes | None, entry: Mapping[str, Any], source: bytes | None) -> bytes:
    """The log with an entry that was undone and is not any more; `source` is the log that had it first."""
    log = _log(data)
    log["operations"].append(dict(entry))
    log["summary"] = {**log["summary"], **_totals(log["summary"], entry, 1), "last_operation": entry.get("timestamp")}
    ids = set(map(str, entry.get("affected_memories", ()))) if entry.get("type") == Kind.GC else set()
    back = {id: hash for hash, id in remembered(source).items() if id in ids}
    if back:
        log[_REMEMBERED] = {**_mapping(log.get(_REMEMBERED)), **back}
    return _rendered(log, data)


def remembered(data: bytes | None) -> dict[str, str]:
    """The texts that were retired and erased: hash of the words, and the id it went by."""
    found = _mapping(_parsed(data).get(_REMEMBERED))
    return {text_hash: id for id, text_hash in found.items() if isinstance(text_hash, str)}


def text_hash(text: str) -> str:
    """What a text is known again by: the SHA-256 of its words, spacing and punctuation aside."""
    return hash_of_words(words(text))


def hash_of_words(said: Sequence[str]) -> str:
    """The same for a text's words."""
    return sha256("\x1f".join(said).encode("utf-8", "replace")).hexdigest()


def without_memory(data: bytes, id: str) -> bytes:
    """The log with nothing remembered of a memory's text; that something was done to its id stays."""
    log = _log(data)
    kept = {key: value for key, value in _mapping(log.get(_REMEMBERED)).items() if key != id}
    if kept == _mapping(log.get(_REMEMBERED)):
        return data
    log.pop(_REMEMBERED)
    return _rendered(log | ({_REMEMBERED: kept} if kept else {}), data)


def operations(data: bytes | None) -> list[dict[str, Any]]:
    """The operations that can be read, oldest first."""
    listed = _parsed(data).get("operations")
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


def damage(data: bytes | None) -> str:
    """What is wrong with the log, empty where nothing is."""
    if data is None:
        return ""
    log = _object(data)
    if log is None:
        return "is no JSON object; its text is kept in the next one"
    listed = log.get("operations", [])
    if not isinstance(listed, list):
        return "has no list of operations"
    strange = sum(not isinstance(entry, dict) for entry in listed)
    return f"has {strange} damaged operation(s), which are kept and passed over" if strange else ""


def _object(data: bytes | None) -> dict[str, Any] | None:
    """The log as an object; None where it is none."""
    try:
        found = json.loads((data or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _parsed(data: bytes | None) -> dict[str, Any]:
    return _object(data) or {}


def _log(data: bytes | None) -> dict[str, Any]:
    """The log, complete enough to append to."""
    log = _parsed(data)
    major = str(log.get("version", VERSION)).partition(".")[0]
    if major.isdecimal() and int(major[:9]) > int(VERSION.partition(".")[0]):
        raise NewerFormat(
            f"{LOG} has version {log['version']}, and this memtend writes {VERSION}",
            hint="Update memtend, or move that file away to begin a new log.",
        )
    if data is not None and data.strip() and _object(data) is None:
        log = {_UNREADABLE: data.decode("utf-8", "backslashreplace")}
    if "operations" in log and not isinstance(log["operations"], list):
        log = {**log, "operations": [] if log["operations"] is None else [log["operations"]]}
    summary = _mapping(log.get("summary"))
    return {"version": VERSION, "operations": [], **log, "summary": summary}


def _entry(operation: Operation, taken: set[str]) -> dict[str, Any]:
    at = operation.at.astimezone(UTC)
    base = f"distill_{at:%Y%m%dT%H%M%SZ}"
    id, number = base, 1
    while id in taken:
        number += 1
        id = f"{base}_{number}"
    return {
        "id": id,
        "timestamp": f"{at:%Y-%m-%dT%H:%M:%SZ}",
        "type": operation.kind,
        "session_id": operation.session,
        "pre_metrics": dict(operation.pre_metrics),
        "post_metrics": dict(operation.post_metrics),
        "affected_memories": list(operation.affected),
        "notes": operation.notes,
    }


def _id_of(entry: object) -> str:
    return str(entry.get("id", "")) if isinstance(entry, dict) else ""


def _summary(summary: Mapping[str, Any], operation: Operation) -> dict[str, Any]:
    entry = {"type": operation.kind, "affected_memories": operation.affected}
    last = f"{operation.at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return {**summary, **_totals(summary, entry, 1), "last_operation": last}


def _totals(summary: Mapping[str, Any], entry: Mapping[str, Any], sign: int) -> dict[str, int]:
    """The totals with one entry more (sign 1) or less (-1)."""
    more = {"total_operations": 1, **dict.fromkeys(_TOTALS.values(), 0)}
    affected = entry.get("affected_memories")
    if entry.get("type") in _TOTALS and isinstance(affected, Sequence):
        more[_TOTALS[Kind(entry["type"])]] = len(affected)
    return {name: max(0, _count(summary.get(name)) + sign * count) for name, count in more.items()}


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _mapping(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _rendered(log: Mapping[str, Any], before: bytes | None) -> bytes:
    newline = "\r\n" if before and b"\r\n" in before else "\n"
    text = json.dumps(log, ensure_ascii=False, indent=2) + "\n"
    return text.replace("\n", newline).encode("utf-8", "backslashreplace")
