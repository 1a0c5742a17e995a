"""How old an entry is (category spec, 3): its keys, its name, or what is known from outside."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from memtend.layouts.category.entries import Document, Entry

KEYS = ("last_updated_at", "updated_at", "created_at")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_IN_NAME = re.compile(r"(?<!\d)(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)(?!\d)")
_DATE_LINE = re.compile(
    rb"^[ \t>*_-]*(?:Date|Datum|Fecha|Data|%s)[*_ \t]*(?::|%s)[*_ \t]*(\d{4}-\d\d-\d\d)"
    % ("日期".encode(), "：".encode()),
    re.M,
)
Times = Mapping[str, str]
"""Dates by path, known from outside: git's, or the file's own time."""


def is_date(text: str) -> bool:
    """Whether a text is a date or timestamp; the placeholder `YYYY-MM-DD` is none."""
    return bool(_ISO.fullmatch(text)) and moment_of(text) is not None


def moment_of(text: str) -> datetime | None:
    """The moment that a date or timestamp means, in UTC; a date alone is its beginning."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def date_of(document: Document, times: Times | None = None) -> str:
    """When a file was last changed: the newest of its keys, else the date in its name, else git's or the file's.

    Empty where it is not known. A file whose keys still are placeholders is not dated from outside.
    """
    given = [value for key in KEYS if (value := document.key(key))]
    known = [value for value in given if is_date(value)]
    if known:
        return max(known, key=lambda value: moment_of(value) or datetime.min.replace(tzinfo=UTC))
    named = date_in_name(document.path)
    return named or ("" if given else (times or {}).get(document.path, ""))


def date_in_name(path: str) -> str:
    """The last date in a file's name or that of its folders; empty where there is none."""
    found = [f"{y}-{m}-{d}" for y, m, d in _IN_NAME.findall(path.removesuffix(".md"))]
    return next((date for date in reversed(found) if is_date(date)), "")


def entry_date(document: Document, entry: Entry, times: Times | None = None) -> str:
    """When an entry was made: its `Date:` line or the date in its id, else that of its file."""
    if not entry.part:
        return date_of(document, times)
    line = _DATE_LINE.search(document.data, entry.span.start, entry.span.end)
    own = line[1].decode() if line else date_in_name(entry.id)
    return own if own and is_date(own) else date_of(document, times)


def sort_key(date: str) -> tuple[bool, str]:
    """Oldest first; what is not known sorts last."""
    moment = moment_of(date) if date else None
    return (moment is None, moment.isoformat() if moment else "")


def is_older(date: str, hours: int, now: datetime) -> bool:
    """Whether a date is certainly as many hours past; of a date alone the day must be over."""
    moment = moment_of(date) if date else None
    if moment is None:
        return False
    end = moment + timedelta(days=1) if len(date) == 10 else moment
    return now - end >= timedelta(hours=hours)
