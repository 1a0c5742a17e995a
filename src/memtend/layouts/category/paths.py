"""Which files are memory, of which category and kind, and the names of what a compaction makes."""

import re
from collections.abc import Collection
from enum import StrEnum
from pathlib import PurePosixPath

from memtend.errors import OutsideStore

INDEX = "index.md"
SUMMARIES = "summaries"
ARCHIVE = "archive"
SESSIONS = "sessions"
CONTACTS = "contacts"
DECISIONS = "decisions"
KNOWN = (DECISIONS, "patterns", "project", "ops", CONTACTS, "domains", SESSIONS, SUMMARIES, ARCHIVE)
"""The categories of the layout (category spec)."""
CUES = "_constraints.txt"
"""Beside index.md: words of a constraint that this memory adds to the table."""
OVERSIZED_LINES = 400
"""More lines than this in a durable file call for a split."""


class Durability(StrEnum):
    """What a compaction may do with a category."""

    DURABLE = "durable"
    """Only what carries a marker may be archived. Every category that is not known is durable."""
    EPHEMERAL = "ephemeral"
    """Summarised and archived."""
    MADE = "made"
    """What a compaction makes: summaries."""


class Kind(StrEnum):
    """How a file holds its entries."""

    FILE = "file"
    """The file is the entry: a decision, a session, a summary."""
    LOG = "log"
    """Sections whose heading begins with an id."""
    SECTIONS = "sections"
    """Sections of level 2 and 3 (and 1, but for the title), and what stands above the first of them."""


def category_of(path: str) -> str:
    """The folder of the first level; empty for a file beside the index."""
    return path.partition("/")[0] if "/" in path else ""


def durability_of(category: str) -> Durability:
    """What a compaction may do with a category."""
    if category == SESSIONS:
        return Durability.EPHEMERAL
    return Durability.MADE if category == SUMMARIES else Durability.DURABLE


def claims(path: str) -> bool:
    """Whether a file holds memory. Read-mes, templates and examples do not, and neither do archives and registries."""
    folder, _, name = path.rpartition("/")
    names = path.split("/")
    if not folder or not name.endswith(".md") or names[0] == ARCHIVE or any(part.startswith(".") for part in names):
        return False
    return not (name.startswith(("README", "readme", "Readme", "_template")) or name.endswith(".example.md"))


def is_registry(path: str) -> bool:
    """Whether a file is index.md or another registry, `index-*.md`."""
    return path == INDEX or (path.startswith("index-") and path.endswith(".md") and "/" not in path)


def is_archive(path: str) -> bool:
    """Whether a file is an archive that a compaction made."""
    return path.startswith(f"{ARCHIVE}/") and path.endswith(".archive.md")


def kind_of(path: str) -> Kind:
    """How a file holds its entries. Follows from the path alone, so that what leaves a file does not change it."""
    name = PurePosixPath(path).name
    category = category_of(path)
    if category in (SESSIONS, SUMMARIES) or is_decision_file(path):
        return Kind.FILE
    return Kind.LOG if name == "_log.md" or category == DECISIONS else Kind.SECTIONS


def is_decision_file(path: str) -> bool:
    """Whether a file is one decision: its name begins with an id such as `DEC-12`."""
    return _DECISION_NAME.match(PurePosixPath(path).name) is not None


_DECISION_NAME = re.compile(r"(?:DEC|ADR)-[\w-]*\d")


def summary_path(category: str) -> str:
    """The summary of a category."""
    return f"{SUMMARIES}/{category}.summary.md"


def archive_path(category: str, day: str, taken: Collection[str]) -> str:
    """A free name for an archive: `sessions-2026-06-30`, the second of a day `-02`. `day` is a UTC date."""
    folded = {path.casefold() for path in taken}
    number, path = 1, f"{ARCHIVE}/{category}-{day}.archive.md"
    while path.casefold() in folded:
        number += 1
        path = f"{ARCHIVE}/{category}-{day}-{number:02}.archive.md"
    return path


_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.IGNORECASE)


def require_name(name: str, what: str = "a category") -> str:
    """A name that can be a folder or file on every system. Raises OutsideStore for anything else (O-FS-04)."""
    if not re.fullmatch(r"\w(?:[\w .-]*\w)?", name) or len(name) > 80 or _DEVICES.match(name):
        raise OutsideStore(f"{name!r} cannot be the name of {what}", hint="Letters, digits, '-', '_' and '.'.")
    return name


def require_path(path: str) -> str:
    """A path of a memory file. Raises OutsideStore where it is none (O-FS-04)."""
    if not path.endswith(".md") or not claims(path) or "" in path.split("/"):
        raise OutsideStore(f"{path!r} cannot be a memory's file", hint="Such as patterns/conventions.md.")
    for name in path.removesuffix(".md").split("/"):
        require_name(name.removeprefix("_"), "a folder or file")
    return path
