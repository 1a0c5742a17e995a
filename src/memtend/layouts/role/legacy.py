"""Older layouts: a MEMORY.md in the role's folder, and dated journals straight in memory/.

They are read where nothing newer is there. Migration merges them into memory/consolidated.md and memory/daily/,
keeps the higher count, and leaves what it took in an archive folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from memtend.change import FileEdit
from memtend.layouts.role import daily, header, placing
from memtend.layouts.role.bullet import Item
from memtend.layouts.role.decode import CONSOLIDATED, LEGACY
from memtend.layouts.role.grammar import bytes_of, lines_of, parse, render
from memtend.layouts.role.headings import UNKNOWN, Name
from memtend.layouts.role.ids import key_of, tier_of
from memtend.layouts.role.page import Event, Loose, Page, Section
from memtend.memory import digest_of

ARCHIVE = "memory/archive"


@dataclass(frozen=True, slots=True)
class Migration:
    """What a migration would do."""

    edits: tuple[FileEdit, ...] = ()
    taken: tuple[str, ...] = ()
    """The files of an older layout that it takes over."""
    archive: str = ""
    """The folder in which they are kept."""
    added: int = 0
    """Learnings, preferences and events that were not in consolidated.md."""
    raised: int = 0
    """Learnings whose count was higher in the older file."""


def as_consolidated(data: bytes, role: str, today: str) -> bytes:
    """A MEMORY.md as the consolidated.md that it would be: what a role without one is read from."""
    page = parse(data)
    made = placing.laid_out(placing.mended(page))
    if not made.header:
        made.header = header.new_page(role, today).header
    return render(made)


def migration(files: Mapping[str, bytes], role: str, today: str, plain: bool = False) -> Migration:
    """What takes the older files of a role over. `files` holds those and their newer counterparts, by path."""
    taken = sorted(path for path in files if path == LEGACY or daily.is_older(path))
    if not taken:
        return Migration()
    archive = _free_folder(files, f"{ARCHIVE}/migrated-{today}", taken)
    edits = [FileEdit(f"{archive}/{path.rpartition('/')[2]}", None, files[path]) for path in taken]
    edits += [FileEdit(path, digest_of(files[path]), None) for path in taken]
    added = raised = 0
    if LEGACY in files:
        before = files.get(CONSOLIDATED)
        if before is None:
            after = as_consolidated(files[LEGACY], role, today)
            added = sum(1 for section in parse(after).sections for part in section.parts if not isinstance(part, Loose))
        else:
            page = parse(before)
            added, raised = _merge(page, parse(files[LEGACY]))
            page.header = header.stamped(page.header, today)
            after = render(page, plain) if added or raised else before
        edits.append(FileEdit(CONSOLIDATED, None if before is None else digest_of(before), after))
    edits += _journals(files, [path for path in taken if path != LEGACY])
    real = tuple(edit for edit in edits if edit.after is None or files.get(edit.path) != edit.after)
    return Migration(real, tuple(taken), archive, added, raised)


def _free_folder(files: Mapping[str, bytes], folder: str, taken: list[str]) -> str:
    """A folder in which none of the files is there yet."""
    names = [path.rpartition("/")[2] for path in taken]
    free, number = folder, 1
    while any(f"{free}/{name}" in files for name in names):
        number += 1
        free = f"{folder}-{number}"
    return free


def _merge(page: Page, old: Page) -> tuple[int, int]:
    """Put what the older page has into the newer one: how many were added, and how many counts raised."""
    old = placing.laid_out(placing.mended(old))
    known = {_key(section, part): (section, part) for section in page.sections for part in section.items}
    added = raised = 0
    for section in old.sections:
        for part in section.items:
            found = known.get(_key(section, part))
            if found is None:
                placing.insert(page, _home(section, part), part)
                added += 1
            elif section.is_counted and section.count(part) > found[0].count(found[1]):
                _raise(page, *found, section.count(part))
                raised += 1
    return added + _carry_texts(page, old), raised


def _key(section: Section, item: Item) -> tuple[str, str]:
    return ("" if section.is_counted else f"preference {section.name.category}", key_of(item.text))


def _home(section: Section, item: Item) -> Name:
    return Name(tier_of(section.count(item))) if section.is_counted else section.name


def _raise(page: Page, section: Section, item: Item, count: int) -> None:
    at = next(at for at, part in enumerate(section.parts) if part is item)
    placing.replace(page, section, at, item.changed(times=count, is_stray=False))


def _carry_texts(page: Page, old: Page) -> int:
    """Events, and sections that memtend does not know, unless they are there or only a template's words."""
    known = {
        (part.date, part.title, part.body)
        for section in page.sections
        for part in section.parts
        if isinstance(part, Event)
    }
    headings_there = {section.heading for section in page.sections}
    added = 0
    for section in old.sections:
        for part in section.parts:
            if isinstance(part, Event) and (part.date, part.title, part.body) not in known:
                placing.append_event(page, part)
                added += 1
        if section.name == UNKNOWN and section.heading not in headings_there and _says_something(section):
            page.sections.insert(1, section)
    return added


def _says_something(section: Section) -> bool:
    lines = [line.strip() for part in section.parts for line in part.raw]
    return any(line and not (line.startswith("*") and line.endswith("*")) and line != "---" for line in lines)


def _journals(files: Mapping[str, bytes], taken: list[str]) -> list[FileEdit]:
    """The dated files as entries of the newer journal; what is in both is there once."""
    edits = []
    for path in taken:
        target = f"{daily.FOLDER}/{path.rpartition('/')[2]}"
        there, old = files.get(target), files[path]
        if there is None:
            edits.append(FileEdit(target, None, old))
        elif old.strip() not in there:
            lines = [line for at, line in enumerate(lines_of(old)) if at or not line.startswith("# ")]
            joined = there.rstrip(b"\n") + b"\n\n" + bytes_of(lines).strip(b"\n") + b"\n"
            edits.append(FileEdit(target, digest_of(there), joined))
    return edits
