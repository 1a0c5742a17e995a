"""Where a line of consolidated.md belongs: new and changed lines find their place, all others keep theirs.

Learnings stand under their tier by count, then by text; preferences by text; by code point. A sub-heading begins a
group of its own, which new lines do not join. `laid_out` is the canonical form of a whole page.
"""

from textwrap import dedent
from typing import NamedTuple

from memtend.layouts.role import bullet, headings
from memtend.layouts.role.bullet import Item
from memtend.layouts.role.grammar import bytes_of, lines_of, name_of_key, parse, render
from memtend.layouts.role.headings import EVENTS, PREAMBLE, Name
from memtend.layouts.role.ids import TIERS, tier_of
from memtend.layouts.role.page import Event, Loose, Page, Part, Section

BLANK = Loose("blank", ("",))
NOTHING = Loose("none", ("- (none)",))
_ALIASES = {"learnings": "normal", "lessons": "normal", "boundaries": "preferences", "notes": "events"}


def order(section: Section, item: Item) -> tuple[int, str]:
    """By what the items of a section are sorted: higher counts first, then the text by code point."""
    return (-section.count(item) if section.is_counted else 0, item.text)


def section_of(page: Page, name: Name) -> Section:
    """The first section with this name; a new one in its place where there is none."""
    for section in page.sections:
        if section.name == name:
            return section
    made = Section(name, headings.heading(name), parts=[NOTHING, BLANK])
    wanted = headings.rank(name) or (0, "")
    at = 1
    for index, section in enumerate(page.sections):
        rank = headings.rank(section.name)
        if rank is not None and rank < wanted:
            at = index + 1
    while at < len(page.sections) and headings.rank(page.sections[at].name) is None:
        at += 1
    _end_with_blank(page.sections[at - 1])
    page.sections.insert(at, made)
    page.ends_with_newline = True
    return made


def _end_with_blank(section: Section) -> None:
    has_lines = bool(section.heading or section.parts)
    if has_lines and not (section.parts and _is_blank(section.parts[-1])):
        section.parts.append(BLANK)


def _is_blank(part: Part) -> bool:
    if isinstance(part, Loose):
        return part.kind == "blank"
    return isinstance(part, Event) and not part.raw[-1].strip()


def _is_nothing(part: Part) -> bool:
    return isinstance(part, Loose) and part.kind == "none"


def insert(page: Page, name: Name, item: Item) -> tuple[Section, Item]:
    """Put a new item into its section; that, and the item as it stands there."""
    section = section_of(page, name)
    parts = section.parts
    end = _main_end(section)
    places = [(at, part) for at, part in enumerate(parts[:end]) if isinstance(part, Item)]
    if places:
        key = order(section, item)
        at, neighbour = next(((at, part) for at, part in places if order(section, part) > key), places[-1])
        behind = 0 if order(section, neighbour) > key else 1
        placed = bullet.indented(item, _indent_of(neighbour))
        parts.insert(at + behind, placed)
        return section, placed
    nothing = next((at for at, part in enumerate(parts[:end]) if _is_nothing(part)), None)
    if nothing is not None and not _is_indented(parts[nothing + 1 : nothing + 2]):
        parts[nothing] = placed = bullet.indented(item, 0)
        return section, placed
    at = end
    while at and _is_blank(parts[at - 1]):
        at -= 1
    placed = bullet.indented(item, 0)
    parts.insert(at, placed)
    return section, placed


def _indent_of(item: Item) -> int:
    return bullet.indent_of(item.raw[0]) if item.raw else item.indent


def _is_indented(following: list[Part]) -> bool:
    """Whether what follows would become part of an item in front of it."""
    return any(isinstance(part, Loose) and part.raw[0][:1] in (" ", "\t") for part in following)


def _main_end(section: Section) -> int:
    """Where the first sub-heading begins a group of its own."""
    for at, part in enumerate(section.parts):
        if isinstance(part, Loose) and part.kind == "heading":
            return at
    return len(section.parts)


def replace(page: Page, section: Section, at: int, item: Item) -> tuple[Section, Item]:
    """Put a changed item in the place of the old one, or where it now belongs; the section, and the item there.

    In a list that a person keeps in an order of their own, and under a sub-heading, it stays where it is.
    """
    kind = section.name.kind
    if kind in TIERS and tier_of(section.count(item)) != kind:
        remove(section, at)
        return insert(page, Name(tier_of(section.count(item))), item)
    was_sorted = at < _main_end(section) and _is_sorted(section)
    section.parts[at] = item
    if was_sorted and not _is_sorted(section):
        del section.parts[at]
        return insert(page, section.name, item)
    return section, item


def _is_sorted(section: Section) -> bool:
    end = _main_end(section)
    keys = [order(section, part) for part in section.parts[:end] if isinstance(part, Item)]
    return all(keys[at] <= keys[at + 1] for at in range(len(keys) - 1))


def remove(section: Section, at: int) -> None:
    """Take a part out; a list that holds nothing any more says so."""
    if section.is_list and len(section.items) == 1 and isinstance(section.parts[at], Item):
        section.parts[at] = NOTHING
    else:
        del section.parts[at]


def append_event(page: Page, event: Event) -> None:
    """Put a new event behind the others."""
    section = section_of(page, EVENTS)
    section.parts = [part for part in section.parts if not _is_nothing(part)]
    if any(isinstance(part, Event) for part in section.parts):
        _end_with_blank(section)
    else:
        section.parts = [part for part in section.parts if not _is_blank(part)]
    section.parts.append(event)


def event_lines(title: str, date: str, body: str) -> tuple[str, ...]:
    """The lines of an event: `## [date] title` and its body."""
    head = f"## [{date}] {title}" if date else f"## {title}"
    return (head, *body.split("\n")) if body else (head,)


class _Group(NamedTuple):
    """Items under what stands above them: comments, code, a sub-heading."""

    above: list[Part]
    items: list[Item]


def mended(page: Page) -> Page:
    """The page with every malformed heading written rightly, so that what stands under it is read."""
    lines = lines_of(render(page))
    for section in page.sections:
        if section.name.kind == "malformed":
            lines[section.line - 1] = headings.heading(_alias(name_of_key(section.name.category)))
    if lines and lines[-1] == "":
        lines.pop()
    return parse(bytes_of(lines))


def _alias(name: Name) -> Name:
    kind = _ALIASES.get(name.kind, name.kind)
    return Name(kind, name.category if kind == "preferences" else "")


def laid_out(page: Page) -> Page:
    """The canonical layout: every section once and in order, each item under its tier, sorted, in one form.

    Unknown sections stay behind the section that they followed; comments, code and sub-headings stay in their
    section above the items that they stood above. Nothing is merged and nothing is dropped. `page` must be `mended`.
    A page in which a fence or comment stays open is left as it is.
    """
    if page.is_open:
        return page
    groups, events, followers = _gathered(page)
    sections = [page.sections[0], *followers.get(PREAMBLE, [])]
    for name in sorted({*groups, *headings.standard_names()}, key=lambda name: headings.rank(name) or (0, "")):
        parts = _event_parts(events) if name == EVENTS else _list_parts(name, groups.get(name, []))
        sections += [Section(name, headings.heading(name), parts=parts), *followers.get(name, [])]
    for section in sections:
        _trim(section)
    _drop_last_blank(sections[-1])
    return Page(page.header, sections)


def _gathered(page: Page) -> tuple[dict[Name, list[_Group]], list[Part], dict[Name, list[Section]]]:
    """What is to stand under each heading, the events, and the unknown sections behind what they followed."""
    gathered: dict[Name, list[_Group]] = {}
    moved: list[tuple[Name, Item]] = []
    events: list[Part] = []
    followers: dict[Name, list[Section]] = {}
    current = PREAMBLE
    for section in page.sections[1:]:
        if headings.rank(_alias(section.name)) is None:
            followers.setdefault(current, []).append(section)
            continue
        name = _alias(section.name)
        if name == EVENTS:
            # What follows the notes of an older file must not end up behind the events, and so become one.
            current = PREAMBLE
            events += [part for part in section.parts if not _is_nothing(part)]
        else:
            current = name
            groups, strangers = _groups(section, name)
            if name in gathered and not groups[0].above:
                strangers += [(name, item) for item in groups.pop(0).items]
            gathered.setdefault(name, []).extend(groups)
            moved += strangers
    for name, item in moved:
        _main_group(gathered.setdefault(name, [])).items.append(item)
    return gathered, events, followers


def _groups(section: Section, name: Name) -> tuple[list[_Group], list[tuple[Name, Item]]]:
    """A section's groups with the items that belong there, and the items that belong elsewhere."""
    groups = [_Group([], [])]
    strangers: list[tuple[Name, Item]] = []
    gap = False
    for part in section.parts:
        if isinstance(part, Item):
            item = _canonical(section, part)
            home = Name(tier_of(item.times or 0)) if section.is_counted else name
            if home != name:
                strangers.append((home, item))
                continue
            if gap and groups[-1].above and not groups[-1].items:
                groups[-1].above.append(BLANK)
            groups[-1].items.append(item)
        elif isinstance(part, Loose) and part.kind in ("blank", "none"):
            gap = gap or part.kind == "blank"
            continue
        else:
            if groups[-1].items:
                groups.append(_Group([], []))
            if gap and (len(groups) > 1 or groups[-1].above):
                groups[-1].above.append(BLANK)
            groups[-1].above.append(_unindented(part))
        gap = False
    return groups, strangers


def _unindented(part: Part) -> Part:
    """Lines that stand by themselves, so that they do not become part of an item that comes to stand above them."""
    if not isinstance(part, Loose) or not part.raw[0][:1].isspace():
        return part
    return part._replace(raw=tuple(dedent("\n".join(line.expandtabs(4) for line in part.raw)).split("\n")))


def _canonical(section: Section, item: Item) -> Item:
    """The item as canonical layout writes it; one that stands so already keeps its line."""
    count = section.count(item) if section.is_counted else None
    is_plain = len(item.raw) <= 1 and item.raw and item.raw[0].startswith("- ") and not item.is_stray
    prefix = f"- [{count}x] {item.text}" if section.is_counted else f"- {item.text}"
    if is_plain and (item.raw[0] == prefix or item.raw[0].startswith(f"{prefix} <!--")):
        return item._replace(times=count)
    return item.changed(times=count, is_stray=False, is_wrapped=False, indent=0)


def _main_group(groups: list[_Group]) -> _Group:
    """The group that an item from elsewhere joins: the first with items before any sub-heading, else the last there."""
    if not groups:
        groups.append(_Group([], []))
    found = groups[0]
    for group in groups:
        if any(isinstance(part, Loose) and part.kind == "heading" for part in group.above):
            if group is groups[0]:
                found = _Group([], [])
                groups.insert(0, found)
            break
        found = group
        if group.items:
            break
    return found


def _list_parts(name: Name, groups: list[_Group]) -> list[Part]:
    section = Section(name)

    def by_order(item: Item) -> tuple[int, str]:
        return order(section, item)

    parts: list[Part] = []
    for group in groups:
        ordered = sorted(group.items, key=by_order)
        parts += [*group.above, *ordered]
    while parts and _is_blank(parts[0]):
        parts.pop(0)
    return parts or [NOTHING]


def _event_parts(events: list[Part]) -> list[Part]:
    parts: list[Part] = []
    for part in events:
        if not isinstance(part, Event):
            parts.append(part)
            continue
        lines = list(part.raw)
        while not lines[-1].strip():
            lines.pop()
        parts.append(part._replace(raw=tuple(lines)))
        parts += [BLANK] * (len(lines) < len(part.raw))
    while parts and _is_blank(parts[0]):
        parts.pop(0)
    return parts or [NOTHING]


def _trim(section: Section) -> None:
    """One blank line at the end of a section; a preamble without a word stays as it is."""
    if section.name == PREAMBLE and all(_is_blank(part) for part in section.parts):
        return
    while section.parts and isinstance(section.parts[-1], Loose) and _is_blank(section.parts[-1]):
        section.parts.pop()
    _end_with_blank(section)


def _drop_last_blank(section: Section) -> None:
    if section.parts and section.parts[-1] == BLANK:
        section.parts.pop()
