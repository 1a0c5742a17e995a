"""consolidated.md taken apart without losing a character, and put together again.

What a page is stands in `page`. `parse` never merges and never drops; `render` of what `parse` gave has the same lines.
CRLF and a byte order mark are read, and LF is written (role spec, 1).
"""

import re
from functools import lru_cache

from memtend.layouts.role import bullet, headings
from memtend.layouts.role.bullet import Item, indent_of
from memtend.layouts.role.headings import Name
from memtend.layouts.role.ids import collapsed
from memtend.layouts.role.page import Event, Loose, Page, Part, Section

BOM = b"\xef\xbb\xbf"

_KEY_LINE = re.compile(r"[^\s#:-][^:]*:(?:\s|$)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`]*)$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_DATED = re.compile(r"\[?(\d{4}-\d{2}-\d{2})\]?[ \t]*(.*)")
_BULLETS = frozenset(("- ", "* "))
_GAPS = frozenset(("", " ", "\t"))
"""How a line begins that may belong to the bullet above it, or is followed by one that does."""
_WIDTH = 2
"""Blanks that make a line part of the bullet above it; fewer where that is indented itself."""


def lines_of(data: bytes) -> list[str]:
    """The lines of a file, without BOM and line ends; a last newline gives a last empty line."""
    text = data.removeprefix(BOM).decode("utf-8", "surrogateescape")
    return text.replace("\r\n", "\n").split("\n")


def bytes_of(lines: list[str]) -> bytes:
    """The file that these lines are, each ended by LF."""
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def split_header(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines of the frontmatter and the rest. Prose between two rules is no frontmatter."""
    if not lines or lines[0].rstrip() != "---":
        return [], lines
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() in ("---", "...")), 0)
    said = [line for line in lines[1:end] if line.strip() and not line.lstrip().startswith("#")]
    if not end or (said and not _KEY_LINE.match(said[0])):
        return [], lines
    return lines[: end + 1], lines[end + 1 :]


def parse(data: bytes) -> Page:
    """The page that the bytes of a file are."""
    lines = lines_of(data)
    ends_with_newline = len(lines) > 1 and lines[-1] == ""
    if ends_with_newline or lines == [""]:
        lines.pop()
    header, body = split_header(lines)
    return Page(header, _Reader(body, len(header)).sections(), ends_with_newline or not lines)


@lru_cache(maxsize=4)
def parsed(data: bytes) -> Page:
    """As `parse`, for looking only: whoever asks for the same bytes again is given the same page."""
    return parse(data)


def render(page: Page, plain: bool = False) -> bytes:
    """The bytes of a page. With `plain`, lines that are new or changed have no metadata comment."""
    lines = list(page.header)
    for section in page.sections:
        if section.heading:
            lines.append(section.heading)
        counted = section.is_counted
        for part in section.parts:
            lines.extend(part.raw or bullet.render(part, counted, plain) if isinstance(part, Item) else part.raw)
    data = bytes_of(lines)
    return data if page.ends_with_newline else data[:-1]


class _Reader:
    """Walks over the lines once; `at` is the next one."""

    def __init__(self, lines: list[str], skipped: int) -> None:
        self.lines = lines
        self.skipped = skipped
        self.at = 0
        self.unclosed: set[str] = set()
        """Fences and comment signs that nothing closes from here on."""

    def sections(self) -> list[Section]:
        current = Section(headings.PREAMBLE, line=self.skipped + 1)
        found = [current]
        while self.at < len(self.lines):
            if current.is_list:
                self._plain_items(current)
                if self.at == len(self.lines):
                    break
            line = self.lines[self.at]
            opened = self._opened(line, current.name) if line[:2] not in _BULLETS else None
            if opened is not None:
                current = Section(opened, line, self.skipped + self.at + 1)
                found.append(current)
                self.at += 1
            elif current.is_list:
                current.parts.append(self._list_part(line, current.is_counted))
            elif current.name.kind in headings.EVENT_KINDS:
                current.parts.append(self._event_part(line))
            else:
                current.parts.append(self._loose(line) or self._take("text", 1))
        return found

    def _plain_items(self, section: Section) -> None:
        """The bullets from here on that stand on a line of their own: nearly all there are, so without detours."""
        counted, parts, lines = section.is_counted, section.parts, self.lines
        at, last = self.at, len(lines) - 1
        while at < last and lines[at][:2] in _BULLETS and lines[at + 1][:1] not in _GAPS:
            item = bullet.parse(lines[at], counted)
            parts.append(Loose("none", (lines[at],)) if item is None else item)
            at += 1
        self.at = at

    def _opened(self, line: str, within: Name) -> Name | None:
        """The section that a heading opens, None where it opens none."""
        if "#" not in line and not line.startswith(("**", "__")):
            # In older files a rule parts the notes from the template's closing words.
            return headings.UNKNOWN if within.kind == "notes" and _RULE.match(line) else None
        level, title = headings.level_and_title(line)
        if level == 1 and (name := headings.exact(title)):
            return name
        if within == headings.EVENTS:
            return None
        if level and (name := headings.legacy(title)):
            return name
        if level == 1 and headings.is_title(title):
            return None
        if name := headings.meant(line):
            return Name("malformed", heading_key(name))
        return headings.UNKNOWN if level == 1 else None

    def _take(self, kind: str, count: int) -> Loose:
        start, self.at = self.at, self.at + count
        return Loose(kind, tuple(self.lines[start : self.at]))

    def _loose(self, line: str) -> Loose | None:
        """The lines here that can be no memory, if they are such."""
        stripped = line.strip()
        if not stripped:
            return self._take("blank", 1)
        first = stripped[0]
        if first == "#" and (found := headings.level_and_title(line))[0]:
            return self._take("title" if found[0] == 1 and headings.is_title(found[1]) else "heading", 1)
        if first in "`~" and (fence := _FENCE.match(line)):
            size = self._fence_size(fence[1])
            return self._take("code", size) if size else self._take("text", 1)
        if stripped.startswith("<!--"):
            return self._comment()
        if first in "-*_" and _RULE.match(line):
            return self._take("rule", 1)
        return self._take("text", 1) if first in "|>" else None

    def _fence_size(self, fence: str) -> int:
        """How many lines a code block has; 0 where nothing closes it, so that one stray fence hides no section."""
        if fence in self.unclosed:
            return 0
        for at in range(self.at + 1, len(self.lines)):
            closing = self.lines[at].strip()
            if closing.startswith(fence) and not closing.strip(fence[0]):
                return at - self.at + 1
        self.unclosed.add(fence)
        return 0

    def _comment(self) -> Loose | None:
        """The comment that begins here; one that nothing closes is a line of text, and hides nothing."""
        for at in range(self.at, len(self.lines) if "<!--" not in self.unclosed else self.at):
            before, closes, behind = self.lines[at].partition("-->")
            if at > self.at and "<!--" in before:
                break
            if closes:
                return None if behind.strip() else self._take("comment", at - self.at + 1)
        else:
            self.unclosed.add("<!--")
        return self._take("text", 1)

    def _list_part(self, line: str, counted: bool) -> Part:
        is_bullet = line[:1] in "-*+" and bullet.BULLET.match(line) is not None
        if not is_bullet and (loose := self._loose(line)):
            return loose
        start = self.at
        self.at += 1
        item = bullet.parse(line, counted)
        if item is None:
            return Loose("none", (line,))
        return self._with_nested(item, start) if self._is_nested(line) else item

    def _is_nested(self, bullet_line: str) -> bool:
        """Whether the next line that is not blank is indented under this bullet."""
        at, end = self.at, len(self.lines)
        while at < end and not self.lines[at].strip():
            at += 1
        if at == end or self.lines[at][0] not in " \t":
            return False
        return indent_of(self.lines[at]) > max(indent_of(bullet_line), _WIDTH - 1)

    def _with_nested(self, item: Item, start: int) -> Item:
        """The item with the indented lines under it: first those that continue its text, then the nested ones."""
        indent = indent_of(self.lines[start])
        texts = [item.text]
        nested: list[str] = []
        while self._is_nested(self.lines[start]):
            line = self.lines[self.at]
            self.at += 1
            if nested or not line.strip() or not _continues(line):
                margin = min(indent + _WIDTH, indent_of(line))
                nested.append(line.expandtabs(4)[margin:] if line.strip() else "")
            else:
                texts.append(collapsed(line))
        return item._replace(
            text=" ".join(texts),
            detail="\n".join(nested).replace("\r", " ").rstrip(),
            raw=tuple(self.lines[start : self.at]),
            is_wrapped=len(texts) > 1,
        )

    def _event_part(self, line: str) -> Part:
        level, title = headings.level_and_title(line)
        if level == 2:
            return self._titled_event(title)
        if loose := self._loose(line):
            return loose
        start = self.at
        self.at += 1
        item = bullet.parse(line, counted=False)
        if item is None:
            return Loose("none", (line,))
        if self._is_nested(line):
            item = self._with_nested(item, start)
        dated = _DATED.fullmatch(item.text)
        title, date = (dated[2], dated[1]) if dated and dated[2] else (item.text, "")
        return Event(title, date, item.detail, item.raw)

    def _titled_event(self, title: str) -> Event:
        start = self.at
        self.at += 1
        while self.at < len(self.lines) and not self._ends_event(self.lines[self.at]):
            loose = self._loose(self.lines[self.at])
            if loose is None:
                self.at += 1
        raw = tuple(self.lines[start : self.at])
        dated = _DATED.fullmatch(collapsed(title))
        title, date = (dated[2], dated[1]) if dated else (collapsed(title), "")
        body = [line.replace("\r", " ") for line in raw[1:]]
        while body and not body[0].strip():
            body.pop(0)
        return Event(title, date, "\n".join(body).rstrip(), raw)

    def _ends_event(self, line: str) -> bool:
        if "#" not in line:
            return False
        level, title = headings.level_and_title(line)
        return level == 2 or (level == 1 and headings.exact(title) is not None)


def heading_key(name: Name) -> str:
    """A section's name as one text, for what a malformed heading means."""
    return f"{name.kind}:{name.category}"


def name_of_key(key: str) -> Name:
    """The name that `heading_key` wrote."""
    kind, _, category = key.partition(":")
    return Name(kind, category)


def _continues(line: str) -> bool:
    """Whether an indented line goes on with the text above rather than beginning something nested."""
    stripped = line.strip()
    if (
        bullet.BULLET.match(line)
        or stripped in "-*+"
        or stripped[0] in "|>#"
        or stripped.startswith(("```", "~~~", "<!--"))
    ):
        return False
    return re.match(r"\d{1,9}[.)]\s", stripped) is None
