"""Decided changes made on the pages of a role: what `RoleLayout.encode` does."""

from collections.abc import Collection, Mapping
from typing import Any

from memtend.change import Change, FileEdit, Verb
from memtend.errors import Refused, StaleDecision, UnknownMemory
from memtend.layouts import Tree
from memtend.layouts.role import bullet, daily, grammar, header, pending, placing
from memtend.layouts.role.bullet import Item, Meta
from memtend.layouts.role.decode import CONSOLIDATED, META_PREFIX, PENDING, identified, identified_pending
from memtend.layouts.role.headings import Name
from memtend.layouts.role.ids import Kind, category_name, collapsed, tier_of
from memtend.layouts.role.page import Event, Page, Section
from memtend.memory import Digest, MemoryId, digest_of

Values = Mapping[str, Any]


class Draft:
    """The files of a role as the changes make them. Files in `given` are left to whoever edits them whole."""

    def __init__(self, tree: Tree, role: str, today: str, *, plain: bool, given: Collection[str] = ()) -> None:
        before = {path: tree.get(path) for path in (CONSOLIDATED, PENDING) if path not in given}
        self._digests: dict[str, Digest | None] = {
            path: None if data is None else digest_of(data) for path, data in before.items()
        }
        self._before = before
        self._given = given
        self._consolidated = _Consolidated(before.get(CONSOLIDATED), role, today, plain)
        self._pending = _Pending(before.get(PENDING), role, today)
        self.entries: list[tuple[str, str]] = []
        """What the raw journal gets: word and text of everything created."""

    def make(self, change: Change) -> None:
        """Make one change. Raises StaleDecision, UnknownMemory, Refused."""
        if change.verb is Verb.CREATE:
            kind = Kind(change.fields["extra"]["kind"])
            page: _Consolidated | _Pending = self._pending if kind is Kind.PENDING else self._consolidated
            if (PENDING if kind is Kind.PENDING else CONSOLIDATED) not in self._given:
                page.create(change.memory_id, kind, change.fields)
            self.entries.append(daily.entry(kind, change.fields["title"], change.fields.get("category", "")))
            return
        path = self._path_of(change.memory_id)
        if path is None:
            return
        if change.digest is not None and change.digest != self._digests[path]:
            raise StaleDecision(
                f"{path}: {change.memory_id} has changed since this was decided",
                hint="Run the command again to decide on what is there now.",
            )
        (self._pending if path == PENDING else self._consolidated).change(change)

    def _path_of(self, id: MemoryId) -> str | None:
        """The file that a memory lies in; None for one in a file that is edited whole."""
        if PENDING not in self._given and id in self._pending.items:
            return PENDING
        if CONSOLIDATED not in self._given and id in self._consolidated.parts:
            return CONSOLIDATED
        if self._given:
            return None
        raise UnknownMemory(f"No memory {id}", hint="`memtend role list` shows the ids.")

    def edits(self) -> list[FileEdit]:
        """The edits of the files that are no longer what they were."""
        made = []
        for path, page in ((CONSOLIDATED, self._consolidated), (PENDING, self._pending)):
            if page.is_touched:
                before = self._before[path]
                after = page.rendered()
                if after != before:
                    made.append(FileEdit(path, self._digests[path], after))
        return made


class _Consolidated:
    """consolidated.md under change."""

    def __init__(self, data: bytes | None, role: str, today: str, plain: bool) -> None:
        self._data = data
        self._role = role
        self._today = today
        self._plain = plain
        self._page: Page | None = None
        self._parts: dict[MemoryId, tuple[Section, Item | Event]] | None = None
        self.is_touched = False

    @property
    def page(self) -> Page:
        if self._page is None:
            new = self._data is None
            self._page = header.new_page(self._role, self._today) if new else grammar.parse(self._data or b"")
        return self._page

    @property
    def parts(self) -> dict[MemoryId, tuple[Section, Item | Event]]:
        if self._parts is None:
            self._parts = {id: (section, part) for id, section, part in identified(self.page)}
        return self._parts

    def rendered(self) -> bytes:
        self.page.header = header.stamped(self.page.header, self._today)
        return grammar.render(self.page, self._plain)

    def create(self, id: MemoryId, kind: Kind, values: Values) -> None:
        title, category = collapsed(values["title"]), category_name(values.get("category", ""))
        _require_new(id, id in self.parts if kind is Kind.EVENT else self._has(kind, title, category))
        self.is_touched = True
        if kind is Kind.EVENT:
            placing.append_event(self.page, _event(title, values.get("created", ""), values.get("content", "")))
            return
        count = int(values.get("retrieval_count", 0))
        is_learning = kind is Kind.LEARNING
        detail = values.get("content", "").partition("\n")[2]
        item = Item(title, count if is_learning else None, _meta_of(values), detail)
        placing.insert(self.page, Name(tier_of(count)) if is_learning else Name("preferences", category), item)

    def _has(self, kind: Kind, title: str, category: str) -> bool:
        """Whether an entry says this already. Quicker than the ids of all of them."""
        key = title.lower()
        return kind is not Kind.EVENT and any(
            item.text.lower() == key
            for section in self.page.sections
            if section.is_counted == (kind is Kind.LEARNING)
            and section.name.category == ("" if section.is_counted else category)
            for item in section.items
        )

    def change(self, change: Change) -> None:
        section, part = self.parts[change.memory_id]
        at = next(at for at, other in enumerate(section.parts) if other is part)
        if change.verb is Verb.ERASE:
            placing.remove(section, at)
            self.is_touched = True
        elif isinstance(part, Event):
            made = _event(part.title, part.date, change.fields.get("content", part.body))
            if made.body != part.body:
                gap = part.raw[len("\n".join(part.raw).rstrip().split("\n")) :]
                section.parts[at] = made = made._replace(raw=(*made.raw, *gap))
                self._put(change.memory_id, section, made)
        else:
            item = changed_item(section, part, change.fields)
            if item is not part:
                self._put(change.memory_id, *placing.replace(self.page, section, at, item))

    def _put(self, id: MemoryId, section: Section, part: Item | Event) -> None:
        self.parts[id] = (section, part)
        self.is_touched = True


class _Pending:
    """pending.md under change."""

    def __init__(self, data: bytes | None, role: str, today: str) -> None:
        self._today = today
        self._page = pending.new_page(role, today) if data is None else pending.parse(data)
        self.items = dict(identified_pending(self._page))
        self.is_touched = False

    def rendered(self) -> bytes:
        self._page.header = header.stamped(self._page.header, self._today)
        return pending.render(self._page)

    def create(self, id: MemoryId, _kind: Kind, values: Values) -> None:
        _require_new(id, id in self.items)
        created = values.get("created") or self._today
        made = pending.new_item(values["title"], values.get("source", ""), values.get("category", ""), created)
        pending.append(self._page, made._replace(mark=values["extra"].get("mark", "○")))
        self.is_touched = True

    def change(self, change: Change) -> None:
        item = self.items[change.memory_id]
        if change.verb is Verb.ERASE:
            pending.replace(self._page, item, None)
            self.is_touched = True
            return
        values = change.fields
        made = item.changed(
            mark=values.get("extra", {}).get("mark", item.mark),
            source=values.get("source", item.source),
            category=values.get("category", item.category),
            created=values.get("created", item.created) or self._today,
        )
        if made._replace(raw=item.raw, is_complete=item.is_complete) != item:
            pending.replace(self._page, item, made)
            self.items[change.memory_id] = made
            self.is_touched = True


def _require_new(id: MemoryId, is_there: bool) -> None:
    if is_there:
        raise StaleDecision(f"{id} exists already", hint="Run the command again to decide on what is there now.")


def _event(title: str, date: str, body: str) -> Event:
    """An event to be written. Raises Refused for a body that would be read as something else."""
    raw = placing.event_lines(title, date, body)
    read = grammar.parse(grammar.bytes_of(["# Events", *raw])).sections
    made = Event(title, date, body, raw)
    if len(read) != 2 or [part[:3] for part in read[1].parts] != [made[:3]]:
        raise Refused("an event's text has a heading of level 1 or 2", hint="Use `###` inside an event.")
    return made


def changed_item(section: Section, item: Item, values: Values) -> Item:
    """The item with new values; the same one where nothing changes."""
    text = collapsed(values.get("title", item.text))
    detail = values["content"].partition("\n")[2] if "content" in values else item.detail
    count = int(values.get("retrieval_count", section.count(item)))
    meta = _changed_meta(item.meta, values)
    if (text, detail, meta, count) == (item.text, item.detail, item.meta, section.count(item)):
        return item
    times = count if section.is_counted else None
    if (
        item.raw
        and not item.is_stray
        and item.times is not None
        and (text, meta, detail) == (item.text, item.meta, item.detail)
    ):
        return item._replace(times=times, raw=(_recounted(item.raw[0], count), *item.raw[1:]))
    indent = bullet.indent_of(item.raw[0]) if item.raw else item.indent
    return item.changed(
        text=text, times=times, meta=meta, detail=detail, is_stray=False, is_wrapped=False, indent=indent
    )


def _changed_meta(meta: Meta, values: Values) -> Meta:
    if {"tags", "source", "last_retrieved", "extra"}.isdisjoint(values):
        return meta
    kept = {"tags": meta.tags, "source": meta.source, "last_retrieved": meta.seen}
    extra = {META_PREFIX + key: value for key, value in meta.other}
    return _meta_of({**kept, "extra": extra, **values})


def _recounted(line: str, count: int) -> str:
    """The line with another count in front and no other character changed."""
    found = bullet.BULLET.fullmatch(line)
    if found is None or found[2] is None:
        return line
    return f"{line[: found.start(2)]}{count}{line[found.end(2) :]}"


def _meta_of(values: Values) -> Meta:
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
    placing.replace(page, section, at, changed_item(section, item, values))
    return True
