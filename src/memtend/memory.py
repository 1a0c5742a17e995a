"""What a memory is, whichever layout keeps it.

A `Memory` is a plain value: what was read from a store, or what a change would make of it. Nothing here
knows Markdown, YAML or the disk.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NewType

MemoryId = NewType("MemoryId", str)
Digest = NewType("Digest", str)

STANDARD_CATEGORIES = ("TECHNIQUE", "PATTERN", "CONFIG", "WORKFLOW", "INSIGHT")
UNCATEGORIZED = "uncategorized"


class Status(StrEnum):
    """Whether a memory is in use. A retired one keeps its file until it is erased."""

    ACTIVE = "active"
    RETIRED = "tombstoned"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a memory lies: a file of the store and, where a file holds many, its part of that file."""

    path: str
    """From the store's root, `/` between names."""
    part: str = ""
    """What finds it inside the file; empty where the file is the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    r"""One thing that an agent remembers.

    Dates are strings as the file has them (`2026-06-08`, or a timestamp); empty means not given. Texts have
    `\n` line ends whatever the file has, and neither leading nor trailing blank lines.
    """

    id: MemoryId
    place: Place
    digest: Digest
    """Of the bytes it was read from: what a decision relies on."""
    title: str
    content: str = ""
    """What it says, without its title heading, its History and its Connections."""
    trailing: str = ""
    """Content that stands below History or Connections; rare, and counted as content."""
    history: str = ""
    """Earlier versions: never searched, never handed to an agent."""
    connections: str = ""
    topic: str = ""
    """A slash-separated path; see `cluster`."""
    category: str = ""
    tags: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    summary: str = ""
    source: str = ""
    created: str = ""
    modified: str = ""
    retrieval_count: int = 0
    last_retrieved: str = ""
    status: Status = Status.ACTIVE
    retired_at: str = ""
    retired_reason: str = ""
    token_count: int = 0
    """Derived: floor(1.3 × words), History left out."""
    links: tuple[str, ...] = ()
    """Derived: ids it links to, from content and Connections, each once, in order."""
    extra: Mapping[str, str] = field(default_factory=dict)
    """What only its layout understands."""

    @property
    def text(self) -> str:
        """The active content: what is searched, matched and handed to an agent."""
        return f"{self.content}\n\n{self.trailing}" if self.trailing else self.content

    @property
    def is_active(self) -> bool:
        """Whether it is in use."""
        return self.status is Status.ACTIVE

    @property
    def cluster(self) -> str:
        """The first segment of its topic: the group it is compared within (vault spec, 1)."""
        return cluster_of(self.topic)


def cluster_of(topic: str) -> str:
    """The first segment of a topic path, or `uncategorized`."""
    return topic.strip("/ ").partition("/")[0].strip().lower() or UNCATEGORIZED


def digest_of(data: bytes) -> Digest:
    """The SHA-256 of bytes, as hexadecimal."""
    return Digest(hashlib.sha256(data).hexdigest())
