"""What is wrong with a consolidated.md, by line, and the page with all of it mended."""

from typing import NamedTuple

from memtend.layouts.role import bullet, headings
from memtend.layouts.role.bullet import Item
from memtend.layouts.role.grammar import heading_key, name_of_key
from memtend.layouts.role.headings import Name
from memtend.layouts.role.ids import TIERS, tier_of
from memtend.layouts.role.page import OPENERS, Loose, Page, Section

REPORTED = frozenset(
    ("malformed-heading", "repeated-section", "stray-line", "odd-count", "wrapped-line", "wrong-tier", "open-fence")
)
"""Faults that a person should know of. The others are ways of writing that `repair` brings to one form."""


class Fault(NamedTuple):
    """One thing that is not as the grammar has it."""

    code: str
    line: int
    """From 1; 0 for what is missing."""
    message: str


def faults(page: Page) -> tuple[Fault, ...]:
    """Everything that `repaired` would mend and what it leaves alone, in the order of the file."""
    found: list[Fault] = []
    seen: set[Name] = set()
    for section in page.sections[1:]:
        found += _heading_faults(section, seen)
        seen.add(section.name)
    line = len(page.header) + 1
    for section in page.sections:
        line += bool(section.heading)
        tier = section.name.kind if section.name.kind in TIERS else ""
        for part in section.parts:
            if isinstance(part, Item):
                if part.is_stray or part.is_wrapped or part.times is None or (tier and tier_of(part.times) != tier):
                    found += _item_faults(section, part, line)
            elif part.raw and isinstance(part, Loose) and part.kind == "text":
                found += _loose_faults(section, part, line)
            line += len(part.raw)
    found.sort(key=lambda fault: fault.line)
    missing = [name for name in headings.standard_names() if name not in seen and heading_key(name) not in _meant(page)]
    found += [Fault("missing-section", 0, f"no section `{headings.heading(name)}`") for name in missing]
    return tuple(found)


def _meant(page: Page) -> set[str]:
    return {section.name.category for section in page.sections if section.name.kind == "malformed"}


def _heading_faults(section: Section, seen: set[Name]) -> list[Fault]:
    name = section.name
    if name.kind == "malformed":
        wanted = headings.heading(name_of_key(name.category))
        return [Fault("malformed-heading", section.line, f"`{section.heading.strip()}` should be `{wanted}`")]
    if name.kind in headings.LEGACY_KINDS or name.kind == "learnings":
        return [Fault("old-heading", section.line, f"`{section.heading.strip()}` is a heading of an older layout")]
    if name in seen and name != headings.UNKNOWN:
        return [Fault("repeated-section", section.line, f"`{section.heading.strip()}` stands here again")]
    return []


def _item_faults(section: Section, item: Item, line: int) -> list[Fault]:
    found: list[Fault] = []
    if item.is_stray:
        found.append(Fault("stray-line", line, f"a line without a bullet: {item.text}"))
    if item.is_wrapped:
        found.append(Fault("wrapped-line", line, f"runs over several lines: {item.text}"))
    if section.is_counted:
        found += _count_faults(section, item, line)
    return found


def _count_faults(section: Section, item: Item, line: int) -> list[Fault]:
    if item.times is None and bullet.odd_count(item.text):
        return [Fault("odd-count", line, f"a count that is not written [Nx]: {item.text}")]
    found = [Fault("missing-count", line, f"no count: {item.text}")] if item.times is None else []
    tier = tier_of(section.count(item))
    if section.name.kind in TIERS and tier != section.name.kind:
        wanted = headings.heading(Name(tier))
        found.append(Fault("wrong-tier", line, f"[{section.count(item)}x] belongs under `{wanted}`: {item.text}"))
    return found


def _loose_faults(section: Section, part: Loose, line: int) -> list[Fault]:
    if part.raw[0].lstrip().startswith(OPENERS):
        return [Fault("open-fence", line, f"nothing closes this: {part.raw[0].strip()}")]
    return [Fault("kept-line", line, f"kept as it stands: {part.raw[0].strip()}")] if section.is_list else []


_MENDED = frozenset(
    (
        "malformed-heading",
        "repeated-section",
        "stray-line",
        "odd-count",
        "wrapped-line",
        "wrong-tier",
        "missing-count",
        "missing-section",
        "old-heading",
    )
)


def repaired(page: Page) -> tuple[Page, tuple[Fault, ...]]:
    """The page in canonical layout and what was mended; the page itself where nothing is wrong.

    A page in which a fence or comment stays open is for a person to mend first.
    """
    from memtend.layouts.role.placing import laid_out, mended

    if page.is_open:
        return page, ()
    page_mended = mended(page)
    wrong = {fault.code for fault in faults(page_mended)} | {fault.code for fault in faults(page)}
    if not wrong & _MENDED:
        return page, ()
    found = [fault for fault in faults(page) if fault.code in _MENDED]
    for section in page_mended.sections:
        section.parts = [_without_oddities(section, part) if isinstance(part, Item) else part for part in section.parts]
    return laid_out(page_mended), tuple(found)


def _without_oddities(section: Section, item: Item) -> Item:
    """A stray line as a bullet, a count in another spelling as a count. Counts never fall."""
    if item.is_stray:
        text = bullet.without_odd_bullet(item.text)
        item = item.changed(text=text, is_stray=False)
    odd = bullet.odd_count(item.text) if section.is_counted and item.times is None else None
    if odd is not None and odd[1]:
        item = item.changed(times=max(section.count(item), odd[0]), text=odd[1])
    return item
