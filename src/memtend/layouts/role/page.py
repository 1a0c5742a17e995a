"""consolidated.md as plain values: a page of sections, and their parts in the order of the file.

A part is an `Item`, an `Event`, or `Loose` lines that are kept as they stand: blank lines, placeholders, comments,
code, sub-headings. `grammar` reads and writes them.
"""

from collections.abc import Iterator
from typing import NamedTuple

from memtend.layouts.role import headings
from memtend.layouts.role.bullet import Item
from memtend.layouts.role.headings import Name
from memtend.layouts.role.ids import collapsed

OPENERS = ("```", "~~~", "<!--")
"""How a line begins that opens a fence or a comment."""


class Loose(NamedTuple):
    """Lines that are no memory."""

    kind: str
    """`blank`, `none` (a placeholder), `title`, `heading`, `rule`, `comment`, `code` or `text`."""
    raw: tuple[str, ...]


class Event(NamedTuple):
    """Something that happened: `## [date] title` and its body, or a line of its own."""

    title: str
    """Of a heading without its date."""
    date: str
    body: str
    raw: tuple[str, ...]


Part = Item | Event | Loose


class Section:
    """A heading and what stands under it.

    `heading` is its line as it stands, empty for the preamble; `line` its number from 1, 0 for a new one.
    """

    __slots__ = ("heading", "line", "name", "parts")

    def __init__(self, name: Name, heading: str = "", line: int = 0, parts: list[Part] | None = None) -> None:
        self.name = name
        self.heading = heading
        self.line = line
        self.parts: list[Part] = [] if parts is None else parts

    @property
    def items(self) -> list[Item]:
        """Its learnings or preferences."""
        return [part for part in self.parts if isinstance(part, Item)]

    @property
    def is_counted(self) -> bool:
        """Whether it holds learnings."""
        return self.name.kind in headings.DEFAULT_COUNTS

    @property
    def is_list(self) -> bool:
        """Whether it holds learnings or preferences."""
        return self.is_counted or self.name.kind in headings.PREFERENCE_KINDS

    def count(self, item: Item) -> int:
        """An item's count: its own, else the section's."""
        return headings.DEFAULT_COUNTS.get(self.name.kind, 0) if item.times is None else item.times


class Page:
    """The whole file.

    `header` are the lines of the frontmatter with its fences, none where there is none; `sections[0]` is what stands
    before the first heading of a section.
    """

    __slots__ = ("ends_with_newline", "header", "sections")

    def __init__(self, header: list[str], sections: list[Section], ends_with_newline: bool = True) -> None:
        self.header = header
        self.sections = sections
        self.ends_with_newline = ends_with_newline

    @property
    def is_open(self) -> bool:
        """Whether a fence or a comment opens in it that nothing closes. Moving lines about might then hide some."""
        return any(
            isinstance(part, Loose) and part.kind == "text" and part.raw[0].lstrip().startswith(OPENERS)
            for section in self.sections
            for part in section.parts
        )

    def title(self, key: str) -> str:
        """The value of a line such as `# Last Consolidated: …`, empty where there is none."""
        for section in self.sections:
            for part in section.parts:
                if isinstance(part, Loose) and part.kind == "title":
                    name, _, value = collapsed(headings.level_and_title(part.raw[0])[1]).partition(":")
                    if name.lower() == key:
                        return value.strip()
        return ""


def entries(page: Page) -> Iterator[tuple[Section, int, Item | Event]]:
    """Every memory of the page with its section and its place among the section's parts."""
    for section in page.sections:
        for at, part in enumerate(section.parts):
            if not isinstance(part, Loose):
                yield section, at, part


def numbered(page: Page) -> Iterator[tuple[int, Section, Part]]:
    """Every part with its section and the number of its first line in the file, from 1."""
    line = len(page.header) + 1
    for section in page.sections:
        line += bool(section.heading)
        for part in section.parts:
            yield line, section, part
            line += len(part.raw) or 1
