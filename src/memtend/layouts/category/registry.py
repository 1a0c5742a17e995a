"""The registries: index.md and `index-*.md`, read and edited cell by cell (category spec, 3.5).

Tables are known by their header cells. A file is registered by its full path or, in a table without paths, by its
whole id. Unknown columns, other sections and prose stay as they are, and so does a page that needs no change.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memtend import frontmatter
from memtend.errors import Refused
from memtend.layouts import Problem, Tree
from memtend.layouts.category.paths import INDEX
from memtend.layouts.category.tables import Page, Row, Table, cell_edit, new_row, paths_in, read_page
from memtend.markdown import Span, splice

FILE = ("file", "path", "document", "location", "fichier", "datei", "archivo", "文件")
ID = ("id", "decision id", "dec", "ref")
CATEGORY = ("category", "folder", "catégorie", "kategorie", "categoría", "类别")
UPDATED = ("last updated", "updated", "updated at", "updated_at", "last_updated_at", "last update", "date", "modified")
FILES = ("files", "file count", "# files", "count")
ENTRIES = ("entries", "# entries", "entry count")
TOKENS = ("tokens", "~tokens", "est. tokens", "token count")
TITLE = ("title", "description", "summary", "purpose", "topic")
SUPERSEDED = "Superseded (archived)"
UNKNOWN = "—"


class Registration(NamedTuple):
    """What a registry says of a file."""

    path: str
    category: str
    id: str = ""
    title: str = ""
    updated: str = ""
    entries: int = 0
    tokens: int = 0

    def cell(self, name: str) -> str:
        """What stands in the column with this name."""
        known: tuple[tuple[tuple[str, ...], str], ...] = (
            (FILE, f"`{self.path}`"),
            (CATEGORY, self.category),
            (ID, self.id),
            (UPDATED, self.updated),
            (ENTRIES + FILES, str(self.entries)),
            (TOKENS, str(self.tokens)),
            (TITLE, self.title),
        )
        return next((value for names, value in known if name in names), "") or UNKNOWN


class Counts(NamedTuple):
    """How much a category holds."""

    files: int
    entries: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexChange:
    """What has happened that the registries should say. Files by path, each with its whole id."""

    day: str
    gone: Mapping[str, str] = field(default_factory=dict)
    superseded: Mapping[str, str] = field(default_factory=dict)
    """Decisions that were archived and stay as pointers: their rows move."""
    added: Sequence[Registration] = ()
    touched: Sequence[Registration] = ()
    """Files that have changed: their dates and counts."""
    counts: Mapping[str, Counts] = field(default_factory=dict)
    """By category, for those that changed."""
    new_categories: Mapping[str, str] = field(default_factory=dict)
    """By name, with what each is for."""


class Registered(NamedTuple):
    """One row that registers something."""

    page: str
    line: int
    paths: tuple[str, ...]
    id: str
    category: str


def is_files_table(table: Table) -> bool:
    """Whether a table registers files: it has their paths and their categories or ids, or ids alone."""
    if is_categories_table(table) or (table.column(*ID) < 0 and table.column(*CATEGORY) < 0):
        return False
    return table.column(*FILE) >= 0 or table.column(*ID) >= 0


def is_categories_table(table: Table) -> bool:
    """Whether a table lists the categories."""
    return bool(table.names) and table.names[0] in CATEGORY and table.column(*ID) < 0


def registered(pages: Tree) -> Iterator[Registered]:
    """Every row of the registries that registers something."""
    for path, data in pages.items():
        page = read_page(data)
        for table in filter(is_files_table, page.tables):
            for row in table.rows:
                paths, id = names_of(page, table, row)
                if paths or id:
                    line = data.count(b"\n", 0, row.span.start) + 1
                    yield Registered(path, line, paths, id, page.text(row, table.column(*CATEGORY)))


def names_of(page: Page, table: Table, row: Row) -> tuple[tuple[str, ...], str]:
    """The files and the id that a row names."""
    id = page.text(row, table.column(*ID)).strip("`* ")
    return paths_in(page.text(row, table.column(*FILE))), "" if id in (UNKNOWN, "-", "") else id


def categories(pages: Tree) -> dict[str, str]:
    """The categories that a categories table lists, with what it says of each."""
    found: dict[str, str] = {}
    for data in pages.values():
        page = read_page(data)
        for table in filter(is_categories_table, page.tables):
            for row in table.rows:
                found[_category_name(page, row)] = page.text(row, table.column(*TITLE))
    return found


def _category_name(page: Page, row: Row) -> str:
    return page.text(row, 0).strip("`* ").strip("/")


def faults(pages: Tree, files: Mapping[str, str], ids: Iterable[str]) -> Iterator[Problem]:
    """Where registries and files differ: files without a row, rows without a file.

    `files` are paths with the id of each, `ids` those of all entries, archived ones too.
    """
    rows = list(registered(pages))
    known = {path for row in rows for path in row.paths}
    alone = {row.id for row in rows if not row.paths}
    for path, id in files.items():
        if path not in known and id not in alone:
            yield Problem("unregistered", "warning", path, "has no row in the index; `memtend category sync` adds one")
    everything = {*ids, *files.values()}
    for row in rows:
        for path in row.paths:
            if path not in files:
                yield Problem("dead-row", "warning", row.page, f"a row names {path}, which is not there", row.line)
        if not row.paths and row.id not in everything:
            yield Problem("dead-row", "warning", row.page, f"a row names {row.id}, which is not there", row.line)


# --- editing ---------------------------------------------------------------------------------------------


def updated(pages: Tree, change: IndexChange) -> dict[str, bytes]:
    """The registries that change, as they are afterwards."""
    added = _not_yet(pages, change.added)
    target = _target(pages, added)
    result = {}
    for path, data in pages.items():
        after = _removed_and_touched(data, change)
        after = _moved(after, change.superseded)
        for name, purpose in change.new_categories.items() if path == INDEX else ():
            after = _with_category(after, name, purpose, change)
        for registration in added:
            if target[registration.path] == path:
                after = _with_row(after, registration)
        if after != data:
            result[path] = _dated(after, change.day)
    return result


def _not_yet(pages: Tree, added: Sequence[Registration]) -> list[Registration]:
    rows = list(registered(pages))
    known = {path for row in rows for path in row.paths}
    alone = {row.id for row in rows if not row.paths}
    return [each for each in added if each.path not in known and (not each.id or each.id not in alone)]


def _target(pages: Tree, added: Sequence[Registration]) -> dict[str, str]:
    """The page for each new row: where its category has rows, else index.md."""
    homes: dict[str, str] = {}
    for row in registered({path: data for path, data in pages.items() if path != INDEX}):
        if row.paths:
            homes.setdefault(row.category.strip("`/ "), row.page)
    for row in registered({INDEX: pages[INDEX]} if INDEX in pages else {}):
        homes[row.category.strip("`/ ")] = INDEX
    return {each.path: homes.get(each.category, INDEX) for each in added}


def _removed_and_touched(data: bytes, change: IndexChange) -> bytes:
    page = read_page(data)
    edits: list[tuple[Span, bytes]] = []
    for table in page.tables:
        if is_files_table(table):
            for row in table.rows:
                if _is_about(page, table, row, change.gone):
                    edits.append((row.span, b""))
                else:
                    edits += _touched(page, table, row, change)
        elif is_categories_table(table):
            edits += [edit for row in table.rows for edit in _recounted(page, table, row, change)]
    return splice(data, edits)


def _is_about(page: Page, table: Table, row: Row, files: Mapping[str, str]) -> bool:
    """Whether a row registers one of these files: by its path, or by its id where the row has no path."""
    paths, id = names_of(page, table, row)
    return any(path in files for path in paths) if paths else bool(id) and id in files.values()


_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _touched(page: Page, table: Table, row: Row, change: IndexChange) -> Iterator[tuple[Span, bytes]]:
    for registration in change.touched:
        if _is_about(page, table, row, {registration.path: registration.id}):
            wanted: list[tuple[tuple[str, ...], str]] = [
                (UPDATED, _redated(page.text(row, table.column(*UPDATED)), registration.updated))
            ]
            wanted += [(names, _recount(page, table, row, names, registration)) for names in (ENTRIES, FILES, TOKENS)]
            for names, text in wanted:
                edit = cell_edit(row, table.column(*names), text, page)
                if edit is not None:
                    yield edit


def _redated(cell: str, day: str) -> str:
    """The cell with its first date, or its placeholder, at another day; what stands behind it stays."""
    if not day or _DAY.match(cell):
        return day + cell[10:] if day else cell
    return day if cell in ("", UNKNOWN, "-", "YYYY-MM-DD") else cell


def _recount(page: Page, table: Table, row: Row, names: Sequence[str], registration: Registration) -> str:
    cell = page.text(row, table.column(*names))
    return registration.cell(names[0]) if cell.strip("~").isdecimal() else cell


def _recounted(page: Page, table: Table, row: Row, change: IndexChange) -> Iterator[tuple[Span, bytes]]:
    """A category's counts, and the files that its row names."""
    counts = change.counts.get(_category_name(page, row))
    if counts is None:
        return
    numbers = ((FILES, counts.files), (ENTRIES, counts.entries), (TOKENS, counts.tokens))
    wanted = [(table.column(*names), str(number)) for names, number in numbers]
    wanted = [(column, text) for column, text in wanted if page.text(row, column).strip("~").isdecimal()]
    column = table.column(*FILE)
    wanted.append((column, _place_cell(page.text(row, column), _category_name(page, row), change, counts)))
    for column, text in wanted:
        edit = cell_edit(row, column, text, page)
        if edit is not None:
            yield edit


def _place_cell(cell: str, category: str, change: IndexChange, counts: Counts) -> str:
    paths = paths_in(cell)
    if any(path in change.gone for path in paths):
        left = [path for path in paths if path not in change.gone]
        return ", ".join(f"`{path}`" for path in left) or (f"`{category}/`" if counts.files else "*(empty)*")
    is_empty = not paths and cell.startswith("*(empty")
    return f"`{category}/`" if is_empty and counts.files else cell


def _moved(data: bytes, superseded: Mapping[str, str]) -> bytes:
    """The page with the rows of these files below `### Superseded (archived)`, byte for byte where columns agree."""
    while True:
        page = read_page(data)
        tables = (table for table in page.tables if is_files_table(table) and not _is_superseded(table))
        about = ((table, [row for row in table.rows if _is_about(page, table, row, superseded)]) for table in tables)
        table, rows = next((pair for pair in about if pair[1]), (None, []))
        if table is None:
            return data
        home = next((other for other in page.tables if _is_superseded(other)), None)
        data = _rows_moved(page, table, rows, home)


def _is_superseded(table: Table) -> bool:
    return table.heading.casefold() == SUPERSEDED.casefold()


def _rows_moved(page: Page, table: Table, rows: Sequence[Row], home: Table | None) -> bytes:
    lines = [_whole(page, row.span) for row in rows]
    removals = [(row.span, b"") for row in rows]
    if home is not None:
        if home.names != table.names:
            lines = [_refitted(page, table, row, home) for row in rows]
        return splice(page.data, [*removals, _below(page, home, b"".join(lines))])
    newline = page.newline
    header = _whole(page, table.header)
    end = table.span.end
    before = b"" if page.data[:end].endswith(b"\n") else newline
    text = before + newline + f"### {SUPERSEDED}".encode() + newline * 2 + header + b"".join(lines)
    return splice(page.data, [*removals, (Span(end, end), text)])


def _whole(page: Page, span: Span) -> bytes:
    line = page.data[span.start : span.end]
    return line if line.endswith(b"\n") else line + page.newline


def _refitted(page: Page, table: Table, row: Row, home: Table) -> bytes:
    cells = {name: page.text(row, column) for column, name in enumerate(table.names)}
    return new_row([cells.get(name, UNKNOWN) for name in home.names], page.newline)


def _below(page: Page, table: Table, lines: bytes, after: Row | None = None) -> tuple[Span, bytes]:
    """The insertion of rows behind a row, or at the end of a table."""
    end = after.span.end if after else table.rows[-1].span.end if table.rows else table.header.end
    text = lines if page.data[:end].endswith(b"\n") else page.newline + lines.removesuffix(page.newline)
    return Span(end, end), text


def _with_row(data: bytes, registration: Registration) -> bytes:
    """The page with a row for a file: behind the last of its category, else at the end of the largest table."""
    page = read_page(data)
    tables = [t for t in page.tables if is_files_table(t) and t.column(*FILE) >= 0 and not _is_superseded(t)]
    if not tables:
        return _with_section(page, "Active Files", ("File", "Category", "ID", "Last updated"), registration)
    best: tuple[Table, Row | None] = (max(tables, key=lambda table: len(table.rows)), None)
    for table in tables:
        column = table.column(*CATEGORY)
        alike = [row for row in table.rows if page.text(row, column).strip("`/ ") == registration.category]
        best = (table, alike[-1]) if alike else best
    table, row = best
    line = new_row([registration.cell(name) for name in table.names], page.newline)
    return splice(data, [_below(page, table, line, row)])


def _with_section(page: Page, heading: str, names: Sequence[str], registration: Registration) -> bytes:
    newline = page.newline
    gap = b"" if not page.data else newline if page.data.endswith(b"\n") else newline * 2
    head = f"## {heading}".encode() + newline * 2 + new_row(names, newline)
    head += b"|" + b"---|" * len(names) + newline
    return page.data + gap + head + new_row([registration.cell(name.casefold()) for name in names], newline)


def _with_category(data: bytes, name: str, purpose: str, change: IndexChange) -> bytes:
    """The page with a row for a new category."""
    if name in categories({INDEX: data}):
        return data
    page = read_page(data)
    tables = [table for table in page.tables if is_categories_table(table)]
    registration = Registration(f"{name}/", f"`{name}/`", title=purpose, updated=change.day)
    if not tables:
        return _with_section(page, "Categories", ("Category", "Path", "Purpose"), registration)
    line = new_row([registration.cell(column) for column in tables[0].names], page.newline)
    return splice(data, [_below(page, tables[0], line)])


def _dated(data: bytes, day: str) -> bytes:
    """The page with the day in its frontmatter; as it is where that has no such key or cannot be edited."""
    values = frontmatter.read(data).values
    key = next((key for key in ("updated_at", "last_updated_at") if isinstance(values.get(key), str)), "")
    try:
        return frontmatter.edit(data, {key: day}) if key else data
    except Refused:
        return data
