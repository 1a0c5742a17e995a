"""One record of the journal as a value, and as JSON (docs/internals/journal.md)."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from memtend.errors import DamagedJournal, NewerFormat
from memtend.memory import Digest, MemoryId

FORMAT = 1
"""Raised when a reader of today could misunderstand what is written then."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What happened to one file. None stands for no file."""

    path: str
    before: Digest | None
    after: Digest | None
    derived: bool = False
    """A page rebuilt from the memories: never in the way of an undo."""
    mode: int | None = None
    """The permission bits of the file before."""
    is_forgotten: bool = False
    """Its contents were erased from the journal on request, so it cannot be taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What one apply did."""

    id: str
    seq: int
    """Order in the journal: counts up from 1, whatever the clock says."""
    at: str
    session: str = ""
    note: str = ""
    verbs: Mapping[str, int] = field(default_factory=dict)
    memories: tuple[MemoryId, ...] = ()
    edits: tuple[Edit, ...] = ()
    undoes: str | None = None
    is_bookkeeping: bool = False

    @property
    def is_erased(self) -> bool:
        """Whether a file's contents were erased from it on request, so that it cannot be undone."""
        return any(edit.is_forgotten and not edit.derived for edit in self.edits)


def stamp(now: datetime) -> str:
    """A moment as the journal writes it: UTC, whole seconds, `2026-06-30T10:15:00Z`."""
    return now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def render_record(record: Record) -> bytes:
    """The record as JSON, every character ASCII so that any file name survives."""
    return json.dumps({"format": FORMAT, **asdict(record)}, indent=1).encode("ascii") + b"\n"


def parse_record(name: str, data: bytes) -> Record:
    """The record that `render_record` wrote into the file `name`. Raises DamagedJournal, NewerFormat."""
    try:
        values = json.loads(data)
        if values["format"] > FORMAT:
            raise NewerFormat(
                f"{name} was written by a newer memtend (journal format {values['format']})",
                hint="Update memtend. Reading and searching go on working.",
            )
        return _record(values)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as fault:
        raise DamagedJournal(
            f"{name} in the journal is damaged ({type(fault).__name__}: {str(fault)[:80]})",
            hint="What it describes cannot be undone; the rest works. Remove the file when you no longer need it.",
        ) from fault


def _record(values: Mapping[str, Any]) -> Record:
    datetime.fromisoformat(values["at"])
    return Record(
        id=_text(values["id"]),
        seq=int(values["seq"]),
        at=_text(values["at"]),
        session=_text(values["session"]),
        note=_text(values["note"]),
        verbs={str(verb): int(count) for verb, count in values["verbs"].items()},
        memories=tuple(MemoryId(_text(id)) for id in values["memories"]),
        edits=tuple(_edit(edit) for edit in values["edits"]),
        undoes=None if values["undoes"] is None else _text(values["undoes"]),
        is_bookkeeping=bool(values["is_bookkeeping"]),
    )


def _edit(values: Mapping[str, Any]) -> Edit:
    return Edit(
        path=_text(values["path"]),
        before=_digest(values["before"]),
        after=_digest(values["after"]),
        derived=bool(values["derived"]),
        mode=None if values["mode"] is None else int(values["mode"]),
        is_forgotten=bool(values["is_forgotten"]),
    )


def _digest(value: object) -> Digest | None:
    if value is None:
        return None
    text = _text(value)
    if len(text) != 64 or not set(text) <= set("0123456789abcdef"):
        raise ValueError(f"{text!r} is no digest")
    return Digest(text)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
