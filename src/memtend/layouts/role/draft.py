"""Decided changes made on the pages of a role: what `RoleLayout.encode` does."""

from collections.abc import Mapping
from typing import Any

from memtend.change import Change, FileEdit, Verb
from memtend.errors import Refused
from memtend.layouts import Tree
from memtend.layouts.role import bullet, daily, grammar, header, pending, placing
from memtend.layouts.role.bullet import Item, Meta
from memtend.layouts.role.decode import CONSOLIDATED, META_PREFIX, PENDING, identified, identified_pending
from memtend.layouts.role.grammar import Event, Page, Section
from memtend.layouts.role.headings import Name
from memtend.layouts.role.ids import Kind, category_name, collapsed, tier_of
from memtend.layouts.role.pending import Pending, PendingPage
from memtend.memory import MemoryId, digest_of


class Draft:
    """The files as the changes make them."""

    def __init__(self, tree: Tree, role: str, today: str, plain: bool) -> None:
        self._role = role
        self._plain = plain
        self._today = today
        self._before = {path: tree.get(path) for path in (CONSOLIDATED, PENDING)}
        self._consolidated: Page | None = None
        self._pending: PendingPage | None = None
        self._parts: dict[MemoryId, tuple[Section, Item | Event]] = {}
        self._items: dict[MemoryId, Pending] = {}
        self.touched: dict[str, None] = {}
        self.entries: list[tuple[str, str]] = []
        """What the raw journal gets: word and text of everything created."""

    def make(self, change: Change) -> None:
        """Make one change."""
        if change.verb is Verb.CREATE:
            self._create(change)
        elif change.memory_id in self._pending_items():
            self._change_pending(change)
        elif change.memory_id in self._consolidated_parts():
            self._change_part(change)

    def edit(self, path: str) -> FileEdit:
        """The edit of one touched file."""
        before = self._before[path]
        if path == PENDING:
            pages = self._pending_page()
            pages.header = header.stamped(pages.header, self._today)
            after = pending.render(pages)
        else:
            page = self._page()
            page.header = header.stamped(page.header, self._today)
            after = grammar.render(page, self._plain)
        return FileEdit(path, None if before is None else digest_of(before), after)

    def _page(self) -> Page:
        if self._consolidated is None:
            data = self._before[CONSOLIDATED]
            made = header.new_page(self._role, self._today) if data is None else grammar.parse(data)
            self._consolidated = made
            self._parts = {id: (section, part) for id, section, part in identified(made)}
        return self._consolidated

    def _consolidated_parts(self) -> dict[MemoryId, tuple[Section, Item | Event]]:
        self._page()
        return self._parts

    def _pending_page(self) -> PendingPage:
        if self._pending is None:
            data = self._before[PENDING]
            self._pending = pending.new_page(self._role, self._today) if data is None else pending.parse(data)
            self._items = dict(identified_pending(self._pending))
        return self._pending

    def _pending_items(self) -> dict[MemoryId, Pending]:
        self._pending_page()
        return self._items

    def _create(self, change: Change) -> None:
        values = change.fields
        kind = Kind(values["extra"]["kind"])
        title, category = collapsed(values["title"]), values.get("category", "")
        self.entries.append(daily.entry(kind, title, category))
        if kind is Kind.PENDING:
            made = pending.new_item(title, values.get("source", ""), category, values.get("created") or self._today)
            pending.append(self._pending_page(), made._replace(mark=values["extra"].get("mark", "○")))
            self.touched[PENDING] = None
            return
        self.touched[CONSOLIDATED] = None
        if kind is Kind.EVENT:
            placing.append_event(self._page(), _event(title, values.get("created", ""), values.get("content", "")))
            return
        count = int(values.get("retrieval_count", 0))
        detail = values.get("content", "").partition("\n")[2]
        is_learning = kind is Kind.LEARNING
        item = Item(title, count if is_learning else None, _meta_of(values), detail)
        name = Name(tier_of(count)) if is_learning else Name("preferences", category_name(category))
        placing.insert(self._page(), name, item)

    def _change_pending(self, change: Change) -> None:
        self.touched[PENDING] = None
        item = self._items[change.memory_id]
        if change.verb is Verb.ERASE:
            pending.replace(self._pending_page(), item, None)
            return
        values = change.fields
        mark = values.get("extra", {}).get("mark", item.mark)
        made = item.changed(
            mark=mark,
            source=values.get("source", item.source),
            category=values.get("category", item.category),
            created=values.get("created", item.created) or self._today,
        )
        pending.replace(self._pending_page(), item, made)
        self._items[change.memory_id] = made

    def _change_part(self, change: Change) -> None:
        self.touched[CONSOLIDATED] = None
        section, part = self._parts[change.memory_id]
        at = next(at for at, other in enumerate(section.parts) if other is part)
        if change.verb is Verb.ERASE:
            placing.remove(section, at)
        elif isinstance(part, Event):
            values = change.fields
            made = _event(part.title, part.date, values.get("content", part.body))
            gap = part.raw[len("\n".join(part.raw).rstrip().split("\n")) :]
            section.parts[at] = made._replace(raw=(*made.raw, *gap))
        else:
            placing.replace(self._page(), section, at, _changed_item(section, part, change.fields))


def _event(title: str, date: str, body: str) -> Event:
    """An event to be written. Raises Refused for a body that would be read as something else."""
    raw = placing.event_lines(title, date, body)
    read = grammar.parse(grammar.bytes_of(["# Events", *raw])).sections
    made = Event(title, date, body, raw)
    if len(read) != 2 or [part[:3] for part in read[1].parts] != [made[:3]]:
        raise Refused("an event's text has a heading of level 1 or 2", hint="Use `###` inside an event.")
    return made


def _changed_item(section: Section, item: Item, values: Mapping[str, Any]) -> Item:
    count = int(values.get("retrieval_count", section.count(item)))
    detail = values["content"].partition("\n")[2] if "content" in values else item.detail
    meta = item.meta
    if {"tags", "source", "last_retrieved", "extra"} & values.keys():
        kept = {"tags": meta.tags, "source": meta.source, "last_retrieved": meta.seen}
        extra = {META_PREFIX + key: value for key, value in meta.other}
        meta = _meta_of({**kept, "extra": extra, **values})
    text = collapsed(values.get("title", item.text))
    times = count if section.is_counted else None
    changed = item.changed(text=text, times=times, meta=meta, detail=detail, is_stray=False)
    is_as_written = item.raw and (text, meta, detail) == (item.text, item.meta, item.detail)
    if is_as_written and not item.is_stray and item.times is not None:
        return changed._replace(raw=(_recounted(item.raw[0], count), *item.raw[1:]))
    return changed


def _recounted(line: str, count: int) -> str:
    """The line with another count in front and no other character changed."""
    found = bullet.BULLET.fullmatch(line)
    if found is None or found[2] is None:
        return line
    return f"{line[: found.start(2)]}{count}{line[found.end(2) :]}"


def _meta_of(values: Mapping[str, Any]) -> Meta:
    extra = values.get("extra", {})
    other = tuple((key.removeprefix(META_PREFIX), value) for key, value in extra.items() if key.startswith(META_PREFIX))
    return bullet.checked_meta(
        Meta(tuple(values.get("tags", ())), values.get("source", ""), values.get("last_retrieved", ""), other)
    )


def carried(current: bytes, image: bytes, plain: bool) -> bytes:
    """`image` with the counts and dates of use of `current` where those are higher, all else as in `image`."""
    page, known_page = grammar.parse(image), grammar.parse(current)
    known = {id: (section, part) for id, section, part in identified(known_page)}
    raised = False
    for id, section, part in list(identified(page)):
        if section.is_counted and isinstance(part, Item) and id in known:
            known_section, known_part = known[id]
            if isinstance(known_part, Item) and known_section.is_counted:
                usage = (known_section.count(known_part), known_part.meta.seen)
                raised = _raise(page, section, part, usage) or raised
    if not raised:
        return image
    date = header.value(known_page.header, "updated")
    if date > header.value(page.header, "updated"):
        page.header = header.stamped(page.header, date)
    return grammar.render(page, plain)


def _raise(page: Page, section: Section, item: Item, usage: tuple[int, str]) -> bool:
    count, seen = max(section.count(item), usage[0]), max(item.meta.seen, usage[1])
    if (count, seen) == (section.count(item), item.meta.seen):
        return False
    at = next(at for at, other in enumerate(section.parts) if other is item)
    values: dict[str, Any] = {"retrieval_count": count}
    if seen != item.meta.seen:
        values["last_retrieved"] = seen
    placing.replace(page, section, at, _changed_item(section, item, values))
    return True
