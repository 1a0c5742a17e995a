"""How often memories were handed out: a log that recall appends to, and what was counted of it so far.

`usage.log` grows by one `write` a recall, so two at once both count. A block of it is an empty line, then lines of
`<UTC timestamp> TAB <id>`; a line that a crash cut short ends where the next block begins. Its first line is
unique to the file.

`usage.counts` says how far each log was counted, and the totals at that point. *Folding* reads what is new, adds
it to the larger of those totals and what the memories know, and replaces `usage.counts` in one step: a crash
before it has counted nothing, one after it everything. Bringing the memories up to the totals is the next step;
it takes the larger number, so it may be repeated or left undone. A line appended meanwhile lies behind the point
and is counted next time. A long log is set aside under another name and is still read, so a late append counts.
"""

import os
from time import time_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Usage = tuple[int, str]

LOG = "usage.log"
COUNTS = "usage.counts"
_ASIDE = "usage.aside.log"
_LONG_BYTES = 256 * 1024


def append(folder: str, ids: "Iterable[str]", when: str) -> bool:
    """Note that memories were handed out at `when` (UTC, ISO 8601). False where the folder cannot be written."""
    lines = "".join(f"{when}\t{_escaped(id)}\n" for id in ids)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    try:
        log = os.open(os.path.join(folder, LOG), flags, 0o666)
    except OSError:
        return False
    try:
        heading = "" if os.fstat(log).st_size else f"# {time_ns()} {os.getpid()}\n"
        os.write(log, f"{heading}\n{lines}".encode("utf-8", "surrogateescape"))
    except OSError:
        return False
    finally:
        os.close(log)
    return True


def totals(folder: str, known: "Mapping[str, Usage]", now: str = "") -> "dict[str, Usage]":
    """How often each memory was handed out, and when last: what its file and the derived pages know, and the log.

    `known` is `id: (times, last)`; ids that only the log knows are in the answer too. A date after `now` is not
    taken over one that may be true.
    """
    return _Tally(folder).totals(known, now)


def fold(folder: str, known: "Mapping[str, Usage]", now: str = "") -> "dict[str, Usage]":
    """Count the log up to here, and give the totals of the memories that do not know them yet.

    The caller holds the store's lock, and writes these totals into the memories. Raises OSError with nothing
    counted when the counts cannot be written.
    """
    tally = _Tally(folder)
    found = tally.totals(known, now)
    if tally.has_news():
        tally.keep(found)
    return {id: found[id] for id, usage in known.items() if found[id] != usage}


def forget(folder: str, ids: "Iterable[str]", now: str = "") -> None:
    """Drop the totals of memories that were erased, so that a new one of that name starts at nothing."""
    gone = set(ids)
    tally = _Tally(folder)
    tally.keep({id: usage for id, usage in tally.totals({}, now).items() if id not in gone})


def later(one: str, other: str, now: str = "") -> str:
    """The later of two dates or timestamps as it was written; an invalid or future one only where both are.

    A date alone is that day's midnight, a time without a zone is UTC.
    """
    limit = _moment(now) or "~"
    first, second = _moment(one), _moment(other)
    first_counts, second_counts = "" < first <= limit, "" < second <= limit
    if first_counts and second_counts:
        return other if second > first else one
    return other if second_counts or not one else one


def _moment(text: str) -> str:
    """A date or timestamp as text that sorts by time; empty where it is none."""
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (ValueError, OverflowError):
        return ""


class _Tally:
    """What was counted before, and the logs."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._counted, marks = _read_counts(os.path.join(folder, COUNTS))
        log = _Log(os.path.join(folder, LOG), marks)
        # Read in this order: a log that is set aside meanwhile is met twice rather than not at all.
        aside = _Log(os.path.join(folder, _ASIDE), marks)
        self._logs = [log] if aside.heading == log.heading else [log, aside]

    def totals(self, known: "Mapping[str, Usage]", now: str) -> "dict[str, Usage]":
        found = dict(known)
        for id, (times, last) in self._counted.items():
            before, before_last = found.get(id, (0, ""))
            found[id] = (max(before, times), later(before_last, last, now))
        for log in self._logs:
            for when, id in log.entries:
                times, last = found.get(id, (0, ""))
                found[id] = (times + 1, later(last, when, now))
        return found

    def has_news(self) -> bool:
        """Whether anything was appended since the last fold."""
        return any(log.entries for log in self._logs)

    def keep(self, totals: "Mapping[str, Usage]") -> None:
        """Make these the counts, all that was read counted. Sets a long log aside."""
        counted = sorted(self._counted.keys() | {id for log in self._logs for _when, id in log.entries})
        marks = [f"#{log.end}\t{log.heading}\n" for log in self._logs if log.end]
        lines = ["{}\t{}\t{}\n".format(*totals[id], _escaped(id)) for id in counted if id in totals]
        target = os.path.join(self._folder, COUNTS)
        temporary = f"{target}.{os.getpid()}"
        with open(temporary, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            file.writelines((*marks, *lines))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
        log = self._logs[0]
        if log.end > _LONG_BYTES and all(other.is_read_to_its_end() for other in self._logs[1:]):
            os.replace(log.path, os.path.join(self._folder, _ASIDE))


class _Log:
    """A log file from where it was counted to. `end` is behind the last whole line."""

    def __init__(self, path: str, marks: "Mapping[str, int]") -> None:
        self.path = path
        try:
            with open(path, "rb") as file:
                self.heading = file.readline().rstrip(b"\n").decode("ascii", "replace")
                start = min(marks.get(self.heading, 0), os.fstat(file.fileno()).st_size)
                file.seek(start)
                data = file.read()
        except OSError:
            self.heading, start, data = "", 0, b""
        whole = data[: data.rfind(b"\n") + 1]
        self.end = start + len(whole)
        self.entries = list(_entries(whole))

    def is_read_to_its_end(self) -> bool:
        return not os.path.exists(self.path) or os.path.getsize(self.path) == self.end


def _entries(data: bytes) -> "Iterator[tuple[str, str]]":
    """The `(when, id)` of every line that is one."""
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        when, _, id = line.partition("\t")
        if id and _moment(when):
            yield when, _unescaped(id)


def _read_counts(path: str) -> "tuple[dict[str, Usage], dict[str, int]]":
    """Totals by id, and how far each log was counted, by its first line. What is no line of ours is passed over."""
    counted: dict[str, Usage] = {}
    marks: dict[str, int] = {}
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="\n") as file:
            lines = file.read().split("\n")
    except OSError:
        return counted, marks
    for line in lines:
        first, _, rest = line.partition("\t")
        last, _, id = rest.partition("\t")
        if first.startswith("#") and first[1:].isdecimal():
            marks[rest] = int(first[1:])
        elif first.isdecimal() and id:
            counted[_unescaped(id)] = (int(first), last)
    return counted, marks


def _escaped(id: str) -> str:
    """An id on one line, whatever a file is called."""
    return id.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def _unescaped(id: str) -> str:
    if "\\" not in id:
        return id
    return "\\".join(part.replace("\\n", "\n").replace("\\r", "\r") for part in id.split("\\\\"))
