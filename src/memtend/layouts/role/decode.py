"""The parts of a role's files as memories, each with its id and what is wrong with it."""

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from memtend.layouts import Decoded, Problem
from memtend.layouts.role import grammar, pending, repair
from memtend.layouts.role.bullet import Item
from memtend.layouts.role.ids import Kind, id_of, id_of_key, key_of
from memtend.layouts.role.page import Event, Page, Part, Section
from memtend.layouts.role.pending import Pending, PendingPage
from memtend.memory import Digest, Memory, MemoryId, Place, digest_of

CONSOLIDATED = "memory/consolidated.md"
PENDING = "memory/pending.md"
LEGACY = "MEMORY.md"

META_PREFIX = "meta:"
"""In `extra`, before the name of a metadata field that memtend does not know."""

_EXTRAS: Mapping[Kind, Mapping[str, str]] = MappingProxyType(
    {kind: MappingProxyType({"kind": str(kind)}) for kind in Kind}
)


def identified(page: Page, focus: Collection[str] | None = None) -> Iterator[tuple[MemoryId, Section, Item | Event]]:
    """Every memory of consolidated.md with its id. A second one with the same text gets `-2` behind its id.

    With a `focus` only those that say one of these texts (by key).
    """
    seen: dict[str, int] = {}
    for section in page.sections:
        kind: str = Kind.LEARNING if section.is_counted else Kind.PREFERENCE
        category = section.name.category
        for part in section.parts:
            if isinstance(part, Item):
                key = part.text.lower()
                if focus is None or key in focus:
                    yield MemoryId(_distinct(id_of_key(kind, key, category), seen)), section, part
            elif isinstance(part, Event) and (focus is None or part.title.lower() in focus):
                id = id_of(Kind.EVENT, f"{part.date} {part.title}")
                yield MemoryId(_distinct(id, seen)), section, part


def identified_pending(page: PendingPage) -> Iterator[tuple[MemoryId, Pending]]:
    """Every candidate with its id, a repeated one with `-2` behind it."""
    seen: dict[str, int] = {}
    for item in page.items:
        yield MemoryId(_distinct(item.id, seen)), item


def _distinct(id: str, seen: dict[str, int]) -> str:
    if id not in seen:
        seen[id] = 1
        return id
    seen[id] += 1
    return f"{id}-{seen[id]}"


def decode_consolidated(data: bytes) -> Decoded:
    """What consolidated.md holds."""
    page = grammar.parsed(data)
    digest = digest_of(data)
    memories = tuple(memory_of(id, section, part, digest) for id, section, part in identified(page))
    problems = tuple(
        Problem(
            fault.code,
            "error" if fault.code == "malformed-heading" else "warning",
            CONSOLIDATED,
            fault.message,
            fault.line,
        )
        for fault in repair.faults(page)
        if fault.code in repair.REPORTED
    )
    return Decoded(memories, problems)


def decode_pending(data: bytes) -> Decoded:
    """What pending.md holds."""
    page = pending.parse(data)
    digest = digest_of(data)
    return Decoded(
        tuple(_memory_of_pending(id, item, digest) for id, item in identified_pending(page)),
        tuple(pending_problems(page)),
    )


def decode_focused(path: str, data: bytes, keys: Collection[str]) -> Decoded:
    """The memories of a file that say one of these texts (by key); of the others and of problems nothing."""
    digest = digest_of(data)
    if path == PENDING:
        found = identified_pending(pending.parse(data))
        return Decoded(tuple(_memory_of_pending(id, item, digest) for id, item in found if key_of(item.text) in keys))
    parts = identified(grammar.parsed(data), keys)
    return Decoded(tuple(memory_of(id, section, part, digest) for id, section, part in parts))


def key_of_part(part: Part) -> str | None:
    """What copies of a part have in common; None for lines that are no memory."""
    if isinstance(part, Item):
        return part.text.lower()
    return part.title.lower() if isinstance(part, Event) else None


def pending_problems(page: PendingPage) -> Iterator[Problem]:
    """What a person should know of in pending.md."""
    for item in page.items:
        if item.state == pending.UNKNOWN:
            yield Problem("unknown-mark", "warning", PENDING, f"[{item.mark}] is no mark: {item.text}", item.line)
        elif not item.is_complete:
            yield Problem(
                "incomplete", "warning", PENDING, f"has no mark, source, id or date yet: {item.text}", item.line
            )


def memory_of(id: MemoryId, section: Section, part: Item | Event, digest: Digest) -> Memory:
    """A part of consolidated.md as a memory."""
    place = Place(CONSOLIDATED, id)
    if isinstance(part, Event):
        extra = _EXTRAS[Kind.EVENT]
        return Memory(
            id=id, place=place, digest=digest, title=part.title, content=part.body, created=part.date, extra=extra
        )
    extra = _EXTRAS[Kind.LEARNING if section.is_counted else Kind.PREFERENCE]
    tags, source, seen, other = part.meta
    if other:
        extra = {**extra, **{META_PREFIX + key: value for key, value in other}}
    return Memory(
        id=id,
        place=place,
        digest=digest,
        title=part.text,
        content=part.full_text if part.detail else part.text,
        category=section.name.category,
        tags=tags,
        source=source,
        retrieval_count=section.count(part),
        last_retrieved=seen,
        extra=extra,
    )


def _memory_of_pending(id: MemoryId, item: Pending, digest: Digest) -> Memory:
    return Memory(
        id=id,
        place=Place(PENDING, id),
        digest=digest,
        title=item.text,
        content=item.text,
        category=item.category,
        source=item.source,
        created=item.created,
        extra={**_EXTRAS[Kind.PENDING], "mark": item.mark},
    )


def kind_of(memory: Memory) -> Kind:
    """What a memory of a role is."""
    return Kind(memory.extra["kind"])
