"""A role as it is on the disk at one moment: its entries with their ids, and which of them a person means."""

import os
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from memtend.errors import StaleDecision, UnknownMemory
from memtend.layouts.role import grammar, pending
from memtend.layouts.role.bullet import Item
from memtend.layouts.role.decode import CONSOLIDATED, LEGACY, PENDING, identified, identified_pending, key_of_part
from memtend.layouts.role.ids import Kind, collapsed, copy_keys, key_of
from memtend.layouts.role.page import Page
from memtend.layouts.role.pending import Pending, PendingPage
from memtend.memory import Digest, MemoryId, digest_of
from memtend.workspace.role.answers import Entry

Place = tuple[int, int]
"""Where an entry stands: section and part of consolidated.md, or `PENDING_PLACE` and the number in pending.md."""
PENDING_PLACE = -1

_new = tuple.__new__
CURATED = (Kind.LEARNING, Kind.PREFERENCE)
LONG_LIST = 10
"""Candidates that an error names."""


def candidate(id: MemoryId, item: Pending) -> Entry:
    """What stands in pending.md as an entry."""
    return Entry(
        id,
        Kind.PENDING,
        item.text,
        category=item.category,
        source=item.source,
        date=item.created,
        mark=item.mark,
    )


class RoleState:
    """The files of one role, read once. Everything else follows from them when it is asked for."""

    def __init__(
        self, files: Mapping[str, bytes], aliases: Mapping[str, str], focus: Collection[str] | None = None
    ) -> None:
        """`files` by path; `aliases` are ids handed out earlier with the ids that their items have now.

        With a `focus` (keys of texts, see `ids.key_of`) there are only entries that say one of these.
        """
        self.files = files
        self._aliases = aliases
        self._focus = focus

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
        return grammar.parsed(self.files.get(CONSOLIDATED, self.files.get(LEGACY, b"")))

    @cached_property
    def pending_page(self) -> PendingPage:
        """pending.md; an empty page where there is none."""
        return pending.parse(self.files.get(PENDING, b""))

    @cached_property
    def curated(self) -> tuple[Entry, ...]:
        """Learnings, preferences and events in the order of the file."""
        found = []
        for id, section, part in identified(self.page, self._focus):
            if isinstance(part, Item):
                tags, source, seen, other = part.meta
                counted = section.is_counted
                kind, times = (Kind.LEARNING, section.count(part)) if counted else (Kind.PREFERENCE, 0)
                category = section.name.category
                found.append(Entry(id, kind, part.text, part.detail, category, times, tags, source, seen, "", other))
            else:
                found.append(Entry(id, Kind.EVENT, part.title, part.body, date=part.date))
        return tuple(found)

    @cached_property
    def candidates(self) -> tuple[Entry, ...]:
        """What waits in pending.md, and what was promoted or discarded there."""
        return tuple(
            candidate(id, item)
            for id, item in identified_pending(self.pending_page)
            if self._focus is None or key_of(item.text) in self._focus
        )

    def entries_at(self, places: Sequence[Place]) -> list[Entry]:
        """The entries at some places of the files, made without making all the others."""
        page, waiting = self.page.sections, self.pending_page.items
        keys = {
            key_of(waiting[at].text) if section == PENDING_PLACE else key_of_part(page[section].parts[at]) or ""
            for section, at in places
        }
        there = RoleState(self.files, self._aliases, keys)
        known = {
            (number, at): None
            for number, section in enumerate(page)
            for at, part in enumerate(section.parts)
            if key_of_part(part) in keys
        }
        curated = dict(zip(known, there.curated, strict=True))
        resting = [(PENDING_PLACE, at) for at, item in enumerate(waiting) if key_of(item.text) in keys]
        found = {**curated, **dict(zip(resting, there.candidates, strict=True))}
        return [found[place] for place in places]

    @cached_property
    def by_id(self) -> dict[str, Entry]:
        """Every entry by its id."""
        return {entry.id: entry for entry in (*self.candidates, *self.curated)}

    def require(self, relied_on: Mapping[MemoryId, Digest]) -> None:
        """Raise StaleDecision where an entry, by its id, is gone or says something else than what was decided on."""
        for id, digest in relied_on.items():
            entry = self.by_id.get(id)
            if entry is None or entry.digest != digest:
                fact = f"says now: {entry.text}" if entry else "is not there any more"
                raise StaleDecision(
                    f"{id} has changed since this was decided; it {fact}",
                    hint="Nothing was written. Look at it again, and decide anew.",
                )

    def of(self, *kinds: Kind) -> list[Entry]:
        """The entries of some kinds."""
        entries = [entry for entry in self.curated if entry.kind in kinds]
        return entries + [entry for entry in self.candidates if entry.kind in kinds]

    def twin(self, kind: Kind, text: str, category: str = "") -> Entry | None:
        """The entry of a kind (and category) that is a copy of this: case, blanks and a final full stop aside.

        One that differs in case and blanks alone comes first.
        """
        entries = self.candidates if kind is Kind.PENDING else self.curated
        home = [
            each for each in entries if each.kind is kind and (kind is not Kind.PREFERENCE or each.category == category)
        ]
        return next(iter(_copies(home, text)), None)

    def find(self, needle: str, *kinds: Kind) -> Entry:
        """The one entry that an id or a text means. Raises UnknownMemory, naming the candidates where it is unclear."""
        for id in (needle.strip(), self._current(needle.strip())):
            entry = self.by_id.get(id)
            if entry is not None and entry.kind in kinds:
                return entry
        found = self._by_text(needle, kinds)
        if len(found) == 1:
            return found[0]
        what = " or ".join("candidate" if kind is Kind.PENDING else kind for kind in kinds)
        if not found:
            raise UnknownMemory(
                f"no {what} has the id or the text {_shown(needle)}", hint="`memtend role list` shows the ids."
            )
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
        return _copies(entries, needle) or [entry for entry in entries if key in entry.text.lower()]


def _copies(entries: Sequence[Entry], text: str) -> list[Entry]:
    """The entries that say exactly a text; where there is none, those that end with a full stop more or less."""
    key, keys = key_of(text), copy_keys(text)
    found = [(entry, said) for entry in entries if (said := key_of(entry.text)) in keys]
    return [entry for entry, said in found if said == key] or [entry for entry, _ in found]


def _shown(text: str) -> str:
    """A text short enough for a message."""
    flat = collapsed(text)
    return f"“{flat if len(flat) <= 60 else flat[:59] + '…'}”"


def named_root(given: str | None, environ: Mapping[str, str]) -> str:
    """The folder that holds the roles: what was named, else MEMTEND_ROLES, else PI_ROLES_DIR, else ~/.pi/roles."""
    named = given or environ.get("MEMTEND_ROLES") or environ.get("PI_ROLES_DIR") or "~/.pi/roles"
    return os.path.abspath(os.path.expanduser(named))
