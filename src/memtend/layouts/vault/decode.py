"""From the bytes of a vault file to a memory and what is wrong with it (vault spec, 1)."""

from collections.abc import Mapping
from typing import NamedTuple

from memtend import frontmatter
from memtend.body import tidy
from memtend.frontmatter import Frontmatter
from memtend.layouts import Decoded, Problem
from memtend.layouts.vault.parts import Kind, Parts, Region, Texts, split
from memtend.layouts.vault.paths import MEMORIES
from memtend.markdown import wiki_links
from memtend.memory import STANDARD_CATEGORIES, Memory, MemoryId, Place, Status, digest_of
from memtend.text import estimate_tokens


class Read(NamedTuple):
    """A file taken apart: what an edit starts from."""

    data: bytes
    """In UTF-8, whatever the file is in."""
    encoding: str
    matter: Frontmatter
    parts: Parts
    memory: Memory
    problems: tuple[Problem, ...]


def id_of(path: str) -> MemoryId:
    """The id of the memory in a file: the file's name without `.md`."""
    return MemoryId(path.rpartition("/")[2].removesuffix(".md"))


def decode(path: str, data: bytes) -> Decoded:
    """The memory in a file, and its problems. Never raises for what the file holds."""
    read = read_file(path, data)
    return Decoded((read.memory,), read.problems)


def read_file(path: str, data: bytes) -> Read:
    """The file taken apart; see `decode`."""
    content, whole, encoding = as_utf8(data)
    matter = frontmatter.read(content)
    value = _Values(path, matter)
    title = value.text("title")
    parts = split(content, matter.body_start, title if title.strip() else "")
    tags = frontmatter.names(matter.values.get("tags"))
    texts = texts_of(content, parts)
    memory = Memory(
        id=id_of(path),
        place=Place(path),
        digest=digest_of(data),
        title=parts.title or id_of(path),
        content=texts.content,
        trailing=texts.trailing,
        history=texts.history,
        connections=texts.connections,
        topic=value.text("topic"),
        category=category_of(value.text("category"), tags),
        tags=tags,
        keywords=frontmatter.names(matter.values.get("keywords")),
        summary=value.text("summary"),
        source=value.text("source"),
        created=value.date("created"),
        modified=value.date("modified"),
        retrieval_count=value.count("retrieval_count"),
        last_retrieved=value.date("last_retrieved"),
        status=value.status(),
        retired_at=value.date("tombstoned_at"),
        retired_reason=value.text("tombstone_reason"),
        token_count=count_tokens(content, whole, parts),
        links=_links(content, matter.body_start, parts),
    )
    value.check(memory, parts.title, encoding)
    return Read(content, encoding, matter, parts, memory, (*value.faults(), *value.problems))


def category_of(key: str, tags: tuple[str, ...]) -> str:
    """The `category` key, else the first tag; brackets around it off; upper case for the five standard ones."""
    name = key.strip() or (tags[0] if tags else "")
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1].strip()
    return name.upper() if name.upper() in STANDARD_CATEGORIES else name


def count_tokens(data: bytes, whole: str, parts: Parts) -> int:
    """floor(1.3 × words) of a file without its History and without Connections that hold no connection.

    `whole` is `data` as text.
    """
    unread = [region for region in parts.regions if _is_unread(region)]
    if not unread:
        return estimate_tokens(whole)
    pieces: list[bytes] = []
    at = 0
    for region in unread:
        pieces.append(data[at : region.start])
        at = region.end
    return estimate_tokens(b"\n".join((*pieces, data[at:])).decode())


def _is_unread(region: Region) -> bool:
    return region.kind is Kind.HISTORY or (region.kind is Kind.CONNECTIONS and region.text.start == region.text.end)


def as_utf8(data: bytes) -> tuple[bytes, str, str]:
    """The file in UTF-8, as text, and the encoding it was read as."""
    try:
        return data, data.decode(), "UTF-8"
    except UnicodeDecodeError:
        pass
    is_wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("UTF-16", "cp1252", "latin-1")[not is_wide :]:
        try:
            whole = data.decode(encoding)
            return whole.encode(), whole, encoding
        except UnicodeError:
            continue
    raise AssertionError("latin-1 takes any byte")


def texts_of(data: bytes, parts: Parts) -> Texts:
    """What each part of a file says."""
    said = {"content": "", "history": "", "connections": "", "trailing": ""}
    for region in parts.regions[1:]:
        kind, text = region.kind.value, tidy(data[region.text.start : region.text.end].decode())
        said[kind] = "\n\n".join(filter(None, (said[kind], text)))
    return Texts(**said)


def _links(data: bytes, body_start: int, parts: Parts) -> tuple[str, ...]:
    """The ids that the active text and Connections link to; the parser is asked only where brackets stand."""
    texts = [region.text for region in parts.regions if region.kind is not Kind.HISTORY]
    if not any(data.find(b"[[", *text) >= 0 for text in texts):
        return ()
    found: dict[str, None] = {}
    for link in wiki_links(data, body_start):
        if link.target and any(text.start <= link.span.start < text.end for text in texts):
            found[link_id(link.target)] = None
    return tuple(found)


def link_id(target: str) -> str:
    """The id a link target names: `MEM-x`, `MEM-x.md` and `10-Memories/MEM-x` are the same memory."""
    target = target.removesuffix(".md")
    folder, _, name = target.rpartition("/")
    is_ours = f"{folder.removeprefix('./').removeprefix('../')}/".startswith(MEMORIES)
    return name if is_ours else target


class _Values:
    """The frontmatter's values in the types of `Memory`, and what was wrong with them."""

    def __init__(self, path: str, matter: Frontmatter) -> None:
        self._path = path
        self._values: Mapping[str, frontmatter.Value] = matter.values
        self._matter = matter
        self.problems: list[Problem] = []

    def faults(self) -> tuple[Problem, ...]:
        """What the block itself has wrong."""
        severity = "error" if self._matter.is_broken else "warning"
        return tuple(
            Problem(fault.code, severity, self._path, f"{fault.message} (column {fault.column})", fault.line)
            for fault in self._matter.problems
        )

    def warn(self, code: str, message: str, key: str = "") -> None:
        """Note something that a person should look at."""
        self.problems.append(Problem(code, "warning", self._path, message, self._matter.lines.get(key, 0)))

    def text(self, key: str) -> str:
        """A value as one text; a list is joined by commas, nothing is empty."""
        value = self._values.get(key)
        if value is None:
            return ""
        return value if isinstance(value, str) else ", ".join(value)

    def date(self, key: str) -> str:
        """A date or timestamp as it is written, even one that cannot be understood."""
        text = self.text(key).strip()
        if text and not is_date(text):
            self.warn("unreadable-date", f"{key}: {text!r} is not a date", key)
        return text

    def count(self, key: str) -> int:
        """A whole number from 0; 0 for anything else."""
        text = self.text(key).strip()
        if text.isdecimal() and text.isascii() and len(text) < 19:
            return int(text)
        if text:
            self.warn("unreadable-count", f"{key}: {text!r} is not a number of times", key)
        return 0

    def status(self) -> Status:
        """Retired where it says tombstoned, in any case; active for everything else."""
        text = self.text("status").strip()
        if text.lower() == Status.RETIRED:
            return Status.RETIRED
        if text.lower() not in ("", Status.ACTIVE):
            self.warn("unknown-status", f"status: {text!r} is unknown and taken for active", "status")
        return Status.ACTIVE

    def check(self, memory: Memory, title: str, encoding: str) -> None:
        """Warn of what is odd about the whole; `title` is what the file itself is called, empty for nothing."""
        if self._matter.is_present and not memory.created:
            self.warn("no-date", "created: says nothing, so its age is not known")
        if not (title or memory.text or memory.summary):
            self.warn("no-text", "says nothing, so only its name can be found")
        if encoding != "UTF-8":
            self.warn("not-utf8", f"is not UTF-8; read as {encoding}, and not changed until it is saved as UTF-8")
        text = self.text("id").strip()
        if text and text != memory.id:
            self.warn("id-differs", f"id: {text!r} is not the file's name, which is the id", "id")


def is_date(text: str) -> bool:
    """Whether a text is an ISO date or timestamp."""
    if len(text) == 10 and text[4] == text[7] == "-" and text[:4].isdecimal():
        month, day = text[5:7], text[8:]
        if month.isdecimal() and day.isdecimal() and 1 <= int(month) <= 12 and 1 <= int(day) <= 28:
            return text[:4] != "0000"
    from datetime import datetime

    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
