"""What an action would change in a role: pure functions from a state to an answer and a change set."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from memtend.change import Change, ChangeSet, Verb, created
from memtend.errors import NeedsConfirmation, Refused
from memtend.layouts.role import pending
from memtend.layouts.role.decode import CONSOLIDATED, META_PREFIX, PENDING
from memtend.layouts.role.ids import Kind, category_name, collapsed, id_of
from memtend.layouts.role.layout import require_text
from memtend.memory import Digest, Memory, MemoryId, Place
from memtend.workspace.role.answers import Entry, Hit
from memtend.workspace.role.outcomes import Edited, Reinforced, Resolved, Stored
from memtend.workspace.role.state import CURATED, RoleState

UNPROVEN_SOURCES = frozenset(("auto", "compaction"))
"""What comes from these waits in pending.md until it has proved to be of use."""


class New(NamedTuple):
    """What is to be remembered."""

    kind: Kind
    text: str
    category: str = ""
    source: str = ""
    tags: tuple[str, ...] = ()


class Used(NamedTuple):
    """What a search has proved."""

    reinforced: tuple[Reinforced, ...]
    promoted: tuple[Resolved, ...]


class Drafter:
    """Drafts change sets at one moment. With `plain` no entry that is touched keeps metadata."""

    def __init__(self, state: RoleState, now: datetime, plain: bool) -> None:
        self.state = state
        self.today = f"{now:%Y-%m-%d}"
        self._plain = plain

    def added(self, new: New) -> tuple[Stored, ChangeSet]:
        """A new learning or preference; from an unproven source a candidate. Copies are not added."""
        text = require_text(new.text)
        category = category_name(new.category) if new.kind is Kind.PREFERENCE else ""
        twin = self.state.twin(new.kind, text, category)
        if twin is not None:
            return self._duplicate(twin), ChangeSet()
        if new.source.strip().lower() in UNPROVEN_SOURCES:
            return self._candidate(new._replace(text=text, category=category))
        memory = self._memory(new.kind, text, category=category, source=collapsed(new.source), tags=new.tags)
        answer = Stored("created", new.kind, memory.id, memory.title, category, 0)
        return answer, ChangeSet((created(memory),), note=f"add {new.kind}: {text}")

    def _candidate(self, new: New) -> tuple[Stored, ChangeSet]:
        twin = self.state.twin(Kind.PENDING, new.text)
        source = collapsed(new.source)
        if twin is None:
            memory = self._memory(Kind.PENDING, new.text, category=new.category, source=source, date=self.today)
            changes: tuple[Change, ...] = (created(memory),)
        elif twin.state in (pending.WAITING, pending.UNKNOWN):
            return self._duplicate(twin), ChangeSet()
        else:  # it expired, or what it became was deleted: it may be proposed again
            values = {"extra": _pending_extra(pending.WAITING), "created": self.today, "source": source}
            changes = (self._change(Verb.UPDATE, twin, values),)
        answer = Stored("pending", Kind.PENDING, changes[0].memory_id, new.text, new.category, 0)
        return answer, ChangeSet(changes, note=f"propose: {new.text}")

    def _duplicate(self, twin: Entry) -> Stored:
        return Stored("duplicate", twin.kind, twin.id, twin.text, twin.category, twin.times)

    def updated(self, kind: Kind, needle: str, text: str, category: str = "") -> tuple[Edited, ChangeSet]:
        """Another text (or category) for an entry; count, tags and source stay."""
        entry = self.state.find(needle, kind)
        text = require_text(text)
        home = category_name(category) if category.strip() and kind is Kind.PREFERENCE else entry.category
        twin = self.state.twin(kind, text, home)
        if twin is not None and twin.id != entry.id:
            raise Refused(f"{twin.id} says that already: {twin.text}", hint="Delete one of the two, or consolidate.")
        if (text, home) == (entry.text, entry.category):
            return Edited("unchanged", kind, entry.id, entry.id, text, entry.text, home, entry.times), ChangeSet()
        changes = self.rewritten(entry, text, home)
        answer = Edited("updated", kind, _id_after(entry, text, home), entry.id, text, entry.text, home, entry.times)
        return answer, ChangeSet(changes, note=f"update {kind}: {text}")

    def rewritten(self, entry: Entry, text: str, category: str) -> tuple[Change, ...]:
        """The changes that give an entry another text. An id follows from the text, so mostly it is another memory."""
        detail = f"{text}\n{entry.detail}" if entry.detail else text
        if _id_after(entry, text, category) == entry.id:
            values = {"title": text, "content": detail, **self._stripped(entry)}
            return (self._change(Verb.UPDATE, entry, values),)
        memory = self._memory(
            entry.kind,
            text,
            category=category,
            source=entry.source,
            tags=entry.tags,
            date=entry.date,
            count=entry.times,
            detail=entry.detail,
            other=entry.other,
        )
        return (*self.erased(entry), created(memory))

    def deleted(self, kind: Kind, needle: str, *, is_confirmed: bool) -> tuple[Edited, ChangeSet]:
        """An entry goes; a preference only when a person has said so. Raises NeedsConfirmation."""
        entry = self.state.find(needle, kind)
        if kind is Kind.PREFERENCE and not is_confirmed:
            raise NeedsConfirmation(
                f"a preference goes only when a person says so: {entry.text} (nothing written)",
                hint="Say yes, or --yes in advance.",
            )
        answer = Edited("deleted", kind, entry.id, entry.id, "", entry.text, entry.category, entry.times)
        return answer, ChangeSet(self.erased(entry), note=f"delete {kind}: {entry.text}")

    def erased(self, entry: Entry) -> tuple[Change, ...]:
        """The change that takes an entry out."""
        return (self._change(Verb.ERASE, entry, {}),)

    def reinforced(self, entry: Entry) -> tuple[Reinforced, Change]:
        """One more use, today."""
        values: dict[str, Any] = {"retrieval_count": entry.times + 1, "last_retrieved": self.today}
        change = self._change(Verb.REINFORCE, entry, {**values, **self._stripped(entry)})
        return Reinforced(entry.id, entry.text, entry.times + 1, entry._replace(times=entry.times + 1).tier), change

    def inherited(self, heir: Entry, gone: Entry) -> Change | None:
        """The change that gives an entry what one that says the same leaves: the higher count, its tags, its date."""
        tags = tuple(dict.fromkeys((*heir.tags, *gone.tags)))
        values = {
            "retrieval_count": max(heir.times, gone.times),
            "tags": tags,
            "last_retrieved": max(heir.date, gone.date),
            **self._stripped(heir),
        }
        now = {"retrieval_count": heir.times, "tags": heir.tags, "last_retrieved": heir.date}
        if all(now.get(name) == value for name, value in values.items() if name in now):
            return None
        return self._change(Verb.MERGE, heir, values)

    def promoted(self, entry: Entry, *, used: bool) -> tuple[Resolved, tuple[Change, ...]]:
        """A candidate becomes a learning at [0x], or a preference where it has a category. Raises Refused.

        `used`: it is promoted because it has just been of use, so that is its date.
        """
        _require_waiting(entry)
        kind = Kind.PREFERENCE if entry.category else Kind.LEARNING
        category = category_name(entry.category) if entry.category else ""
        twin = self.state.twin(kind, entry.text, category)
        marked = self._marked(entry, pending.PROMOTED)
        if twin is not None:
            return Resolved("promoted", entry.id, entry.text, kind, twin.id), (marked,)
        memory = self._memory(kind, entry.text, category=category, source=entry.source, date=self.today if used else "")
        return Resolved("promoted", entry.id, entry.text, kind, memory.id), (marked, created(memory))

    def discarded(self, entry: Entry) -> tuple[Resolved, tuple[Change, ...]]:
        """A candidate is not worth keeping. Raises Refused where it is resolved already."""
        _require_waiting(entry)
        marked = self._marked(entry, pending.DISCARDED)
        return Resolved("discarded", entry.id, entry.text, Kind.PENDING, ""), (marked,)

    def _marked(self, entry: Entry, state: str) -> Change:
        values: dict[str, Any] = {"extra": _pending_extra(state)}
        if not entry.date:
            values["created"] = self.today
        return self._change(Verb.UPDATE, entry, values)

    def reinforcing(self, needle: str) -> tuple[Reinforced, ChangeSet]:
        """One more use of the learning that an id or a text means."""
        answer, change = self.reinforced(self.state.find(needle, Kind.LEARNING))
        return answer, ChangeSet((change,), note=f"reinforce [{answer.times}x]: {answer.text}")

    def promoting(self, needle: str) -> tuple[Resolved, ChangeSet]:
        """The candidate that an id or a text means becomes part of the memory."""
        answer, changes = self.promoted(self.state.find(needle, Kind.PENDING), used=False)
        return answer, ChangeSet(changes, note=f"promote: {answer.text}")

    def discarding(self, needle: str) -> tuple[Resolved, ChangeSet]:
        """The candidate that an id or a text means is not worth keeping."""
        answer, changes = self.discarded(self.state.find(needle, Kind.PENDING))
        return answer, ChangeSet(changes, note=f"discard: {answer.text}")

    def used(self, hits: Sequence[Hit]) -> tuple[Used, ChangeSet]:
        """What a search has proved: learnings among the hits count one more, candidates are promoted."""
        reinforced: list[Reinforced] = []
        resolved: list[Resolved] = []
        changes: list[Change] = []
        for hit in hits:
            entry = self.state.by_id.get(hit.id)
            if entry is None or not hit.is_proof:
                continue
            if entry.kind is Kind.LEARNING:
                answer, change = self.reinforced(entry)
                reinforced.append(answer)
                changes.append(change)
            elif entry.state == pending.WAITING:
                promotion, more = self.promoted(entry, used=True)
                resolved.append(promotion)
                changes += more
        note = f"search: {len(reinforced)} reinforced, {len(resolved)} promoted"
        return Used(tuple(reinforced), tuple(resolved)), ChangeSet(tuple(changes), note=note if changes else "")

    def _change(self, verb: Verb, entry: Entry, values: dict[str, Any]) -> Change:
        return Change(verb, entry.id, self.state.digest(entry), values)

    def _stripped(self, entry: Entry) -> dict[str, Any]:
        """In plain files a line that is touched has no metadata any more."""
        if not self._plain or entry.kind not in CURATED:
            return {}
        return {"tags": (), "source": "", "last_retrieved": "", "extra": {"kind": str(entry.kind)}}

    def _memory(
        self,
        kind: Kind,
        text: str,
        *,
        category: str = "",
        source: str = "",
        tags: tuple[str, ...] = (),
        date: str = "",
        count: int = 0,
        detail: str = "",
        other: tuple[tuple[str, str], ...] = (),
    ) -> Memory:
        is_pending = kind is Kind.PENDING
        extra = {"kind": str(kind), **({"mark": "○"} if is_pending else {})}
        bare = self._plain and not is_pending
        return Memory(
            id=MemoryId(id_of(kind, text, "" if is_pending else category)),
            place=Place(PENDING if is_pending else CONSOLIDATED),
            digest=Digest(""),
            title=text,
            content=f"{text}\n{detail}" if detail else text,
            category=category,
            source="" if bare else source,
            tags=() if bare else tags,
            created=date if is_pending else "",
            last_retrieved="" if bare or is_pending else date,
            retrieval_count=count,
            extra=extra if bare else {**extra, **{META_PREFIX + key: value for key, value in other}},
        )


def _require_waiting(entry: Entry) -> None:
    if entry.state != pending.WAITING:
        state = "has a mark that is not known" if entry.state == pending.UNKNOWN else f"is {entry.state} already"
        raise Refused(f"{entry.id} {state}: {entry.text}", hint="Only what waits can be promoted or discarded.")


def _pending_extra(state: str) -> dict[str, str]:
    return {"kind": str(Kind.PENDING), "mark": pending.MARKS[state]}


def _id_after(entry: Entry, text: str, category: str) -> MemoryId:
    """The id of an entry with another text; the same where that differs in case alone."""
    new = id_of(entry.kind, text, category)
    return entry.id if new == entry.id.partition("-")[0] else MemoryId(new)
