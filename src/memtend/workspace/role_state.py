"""A role as it is on the disk at one moment: its entries with their ids, and which of them a person means."""

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from memtend.errors import UnknownMemory
from memtend.layouts.role import grammar, pending
from memtend.layouts.role.bullet import Item
from memtend.layouts.role.decode import CONSOLIDATED, LEGACY, PENDING, identified, identified_pending
from memtend.layouts.role.grammar import Event, Page
from memtend.layouts.role.ids import Kind, collapsed, key_of, tier_of
from memtend.layouts.role.pending import PendingPage
from memtend.memory import Digest, MemoryId, digest_of

CURATED = (Kind.LEARNING, Kind.PREFERENCE)
LONG_LIST = 10
"""Candidates that an error names."""


class Entry(NamedTuple):
    """One thing that a role remembers, whichever file it stands in."""

    id: MemoryId
    kind: Kind
    text: str
    detail: str = ""
    """What is nested under it, or an event's body."""
    category: str = ""
    times: int = 0
    tags: tuple[str, ...] = ()
    source: str = ""
    date: str = ""
    """Of a learning or preference when it was last used, of a candidate when it came, of an event when it was."""
    mark: str = ""
    other: tuple[tuple[str, str], ...] = ()

    @property
    def tier(self) -> str:
        """`high`, `normal` or `new` for a learning, empty for the rest."""
        return tier_of(self.times) if self.kind is Kind.LEARNING else ""

    @property
    def state(self) -> str:
        """Of a candidate: `waiting`, `promoted`, `discarded` or `unknown`."""
        return pending.STATES.get(self.mark, pending.UNKNOWN) if self.kind is Kind.PENDING else ""

    @property
    def content(self) -> str:
        """The text with what is nested under it, as `Memory.content` has it."""
        return f"{self.text}\n{self.detail}" if self.detail and self.kind is not Kind.EVENT else self.text


class RoleState:
    """The files of one role, read once. Everything else follows from them when it is asked for."""

    def __init__(self, files: Mapping[str, bytes], aliases: Mapping[str, str]) -> None:
        """`files` by path; `aliases` are ids handed out earlier with the ids that their items have now."""
        self.files = files
        self._aliases = aliases

    @property
    def consolidated(self) -> bytes | None:
        """The bytes of consolidated.md, None where there is none."""
        return self.files.get(CONSOLIDATED)

    @property
    def is_legacy(self) -> bool:
        """Whether the role has only a MEMORY.md of an older layout."""
        return CONSOLIDATED not in self.files and LEGACY in self.files

    @cached_property
    def digests(self) -> dict[str, Digest]:
        """The digest of each file: what a decision on an entry in it relies on."""
        return {path: digest_of(data) for path, data in self.files.items()}

    def digest(self, entry: Entry) -> Digest | None:
        """The digest of the file that an entry stands in."""
        return self.digests.get(PENDING if entry.kind is Kind.PENDING else CONSOLIDATED)

    @cached_property
    def page(self) -> Page:
        """consolidated.md, or the MEMORY.md that stands for it."""
        return grammar.parse(self.files.get(CONSOLIDATED, self.files.get(LEGACY, b"")))

    @cached_property
    def pending_page(self) -> PendingPage:
        """pending.md; an empty page where there is none."""
        return pending.parse(self.files.get(PENDING, b""))

    @cached_property
    def curated(self) -> tuple[Entry, ...]:
        """Learnings, preferences and events in the order of the file."""
        return tuple(
            Entry(id, Kind.EVENT, part.title, part.body, date=part.date)
            if isinstance(part, Event)
            else _entry(id, section, part)
            for id, section, part in identified(self.page)
        )

    @cached_property
    def candidates(self) -> tuple[Entry, ...]:
        """What waits in pending.md, and what was promoted or discarded there."""
        return tuple(
            Entry(
                id,
                Kind.PENDING,
                item.text,
                category=item.category,
                source=item.source,
                date=item.created,
                mark=item.mark,
            )
            for id, item in identified_pending(self.pending_page)
        )

    @cached_property
    def by_id(self) -> dict[str, Entry]:
        """Every entry by its id."""
        return {entry.id: entry for entry in (*self.candidates, *self.curated)}

    def of(self, *kinds: Kind) -> list[Entry]:
        """The entries of some kinds."""
        entries = [entry for entry in self.curated if entry.kind in kinds]
        return entries + [entry for entry in self.candidates if entry.kind in kinds]

    def twin(self, kind: Kind, text: str, category: str = "") -> Entry | None:
        """The entry of a kind (and category) that says exactly this, case and blanks aside."""
        key = key_of(text)
        if kind is not Kind.PENDING and not self._says(key):
            return None
        entries = self.candidates if kind is Kind.PENDING else self.curated
        for entry in entries:
            is_home = kind is not Kind.PREFERENCE or entry.category == category
            if entry.kind is kind and is_home and key_of(entry.text) == key:
                return entry
        return None

    def _says(self, key: str) -> bool:
        """Whether a line says this; much quicker than making an entry of each."""
        return any(item.text.lower() == key for section in self.page.sections for item in section.items)

    def find(self, needle: str, *kinds: Kind) -> Entry:
        """The one entry that an id or a text means. Raises UnknownMemory, naming the candidates where it is unclear."""
        for id in (needle.strip(), self._current(needle.strip())):
            entry = self.by_id.get(id)
            if entry is not None and entry.kind in kinds:
                return entry
        found = self._by_text(needle, kinds)
        if len(found) == 1:
            return found[0]
        what = " or ".join(kinds)
        if not found:
            raise UnknownMemory(f"no {what} has the id or the text {_shown(needle)}", hint="`list` shows the ids.")
        named = "; ".join(f"{entry.id} {_shown(entry.text)}" for entry in found[:LONG_LIST])
        more = f"; and {len(found) - LONG_LIST} more" if len(found) > LONG_LIST else ""
        raise UnknownMemory(f"{_shown(needle)} means {len(found)} entries: {named}{more}", hint="Give an id.")

    def _current(self, id: str) -> str:
        """The id that an item has now, whatever it was called when the id was handed out."""
        seen = {id}
        while id not in self.by_id or (id in self._aliases and self.by_id[id].kind is Kind.PENDING):
            following = self._aliases.get(id)
            if following is None or following in seen:
                break
            seen.add(following)
            id = following
        return id

    def _by_text(self, needle: str, kinds: Sequence[Kind]) -> list[Entry]:
        key = key_of(needle)
        if not key:
            return []
        entries = self.of(*kinds)
        exact = [entry for entry in entries if key_of(entry.text) == key]
        return exact or [entry for entry in entries if key in entry.text.lower()]


def _entry(id: MemoryId, section: grammar.Section, part: Item) -> Entry:
    meta = part.meta
    counted = section.is_counted
    return Entry(
        id,
        Kind.LEARNING if counted else Kind.PREFERENCE,
        part.text,
        part.detail,
        section.name.category,
        section.count(part),
        meta.tags,
        meta.source,
        meta.seen,
        "",
        meta.other,
    )


def _shown(text: str) -> str:
    """A text short enough for a message."""
    flat = collapsed(text)
    return f"“{flat if len(flat) <= 60 else flat[:59] + '…'}”"


def named_root(given: str | None, environ: Mapping[str, str]) -> str:
    """The folder that holds the roles: what was named, else MEMTEND_ROLES, else PI_ROLES_DIR, else ~/.pi/roles."""
    named = given or environ.get("MEMTEND_ROLES") or environ.get("PI_ROLES_DIR") or "~/.pi/roles"
    return os.path.abspath(os.path.expanduser(named))
