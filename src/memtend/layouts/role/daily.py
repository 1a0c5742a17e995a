"""The raw journal of a role, `memory/daily/YYYY-MM-DD.md`: only ever added to.

    # Memory: 2026-11-30

    ## [07:21] LESSON

    text

Date and time are UTC, both, so that a line and the file it stands in agree wherever the machine is.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from memtend.layouts.role.grammar import bytes_of, lines_of
from memtend.layouts.role.ids import Kind, collapsed, key_of

FOLDER = "memory/daily"
NAME = re.compile(r"(\d{4}-\d{2}-\d{2})\.md")
WORDS = {Kind.LEARNING: "LESSON", Kind.PENDING: "LESSON", Kind.PREFERENCE: "PREFERENCE", Kind.EVENT: "EVENT"}


def is_older(path: str) -> bool:
    """Whether a file is a journal of the older layout, straight in memory/."""
    folder, _, name = path.rpartition("/")
    return folder == "memory" and NAME.fullmatch(name) is not None


def path_of(now: datetime) -> str:
    """The file of a day."""
    return f"{FOLDER}/{now.astimezone(UTC):%Y-%m-%d}.md"


def days_before(now: datetime, count: int) -> list[str]:
    """The last days by name, `2026-06-30` first."""
    today = now.astimezone(UTC).date()
    return [(today - timedelta(days=back)).isoformat() for back in range(count)]


def first_days(files: Mapping[str, bytes]) -> dict[str, str]:
    """The day on which each text (its key) was first written down. `files` by name."""
    found: dict[str, str] = {}
    for name in sorted(files):
        dated = NAME.fullmatch(name)
        for _, text in _entries(files[name]) if dated else ():
            found.setdefault(key_of(_WORD.sub("", text)), dated[1] if dated else "")
    return found


def entry(kind: Kind, text: str, category: str = "") -> tuple[str, str]:
    """The word and the text that the journal has for a new memory."""
    return WORDS[kind], f"[{category}] {text}" if kind is Kind.PREFERENCE else text


def appended(data: bytes | None, entries: list[tuple[str, str]], now: datetime) -> bytes:
    """A day's file with more entries (word, text) at its end."""
    moment = now.astimezone(UTC)
    before = f"# Memory: {moment:%Y-%m-%d}\n\n".encode() if data is None else data
    if before and not before.endswith(b"\n\n"):
        before += b"\n" if before.endswith(b"\n") else b"\n\n"
    lines: list[str] = []
    for word, text in entries:
        lines += [f"## [{moment:%H:%M}] {word}", "", collapsed(text), ""]
    return before + bytes_of(lines)


def recent(files: dict[str, bytes], limit: int) -> list[tuple[str, str]]:
    """The newest entries of some days' files by name, newest first: date and time, and what it says."""
    found: list[tuple[str, str]] = []
    for name in sorted(files, reverse=True):
        dated = NAME.fullmatch(name)
        if dated is None:
            continue
        found += [(f"{dated[1]} {time}".strip(), text) for time, text in reversed(_entries(files[name]))]
        if len(found) >= limit:
            break
    return found[:limit]


_WORD = re.compile(r"[A-Z]+: (?:\[[^\]]*\] )?")
_HEADING = re.compile(r"## \[(\d{2}:\d{2})\][ \t]*(.*)")


def _entries(data: bytes) -> list[tuple[str, str]]:
    """Time and text of every entry; what stands above the first one has no time."""
    found: list[tuple[str, str]] = []
    time, words = "", [""]
    for line in lines_of(data):
        heading = _HEADING.fullmatch(line)
        if heading or line.startswith("# "):
            found.append((time, collapsed(" ".join(words))))
            time, words = (heading[1], [f"{heading[2]}:"]) if heading else ("", [""])
        else:
            words.append(line)
    found.append((time, collapsed(" ".join(words))))
    return [(time, text) for time, text in found if text and not text.endswith(":")]
