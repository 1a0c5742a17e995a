"""pending.md: candidates that wait for proof of use.

    - [○] [auto] text
      category: Code
      id: f20191b7e5
      created: 2026-04-10

Marks: `[○]` waiting, `[✓]` promoted, `[✗]` discarded. Like consolidated.md it is read without losing a line; what a
person wrote without id, date, source or mark is completed when maintenance next writes.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import NamedTuple

from memtend.errors import Refused
from memtend.layouts.role.bullet import PLACEHOLDERS
from memtend.layouts.role.grammar import bytes_of, lines_of, split_header
from memtend.layouts.role.ids import Kind, category_name, collapsed, id_of

WAITING, PROMOTED, DISCARDED, UNKNOWN = "waiting", "promoted", "discarded", "unknown"
STATES = {"○": WAITING, "✓": PROMOTED, "✗": DISCARDED}
MARKS = {state: mark for mark, state in STATES.items()}

EXPIRES_AFTER_DAYS = 7
"""An item waits this many days; with one day more it is expired."""
ARCHIVED_AFTER_DAYS = 30

MANUAL = "manual"
"""The source of a line that names none."""

_BULLET = re.compile(r" ?[-*+][ \t]+(?:\[(.)\][ \t]*)?(?:\[([^\[\]\s][^\[\]]*)\][ \t]+)?(.*)", re.DOTALL)
_FIELD = re.compile(r"[ \t]+(category|id|created):[ \t]*(.*)", re.DOTALL)
_OTHER_FIELD = re.compile(r"[ \t]+[A-Za-z][\w-]*:(?:\s|$)")
_INTRODUCTION = (
    "# Pending Memories",
    "",
    "Auto-extracted memories waiting for usage verification.",
    "Promote to consolidated when used in relevant context.",
    "",
)


class Pending(NamedTuple):
    """One candidate. `raw` as in `bullet.Item`; `other` are lines under it that memtend does not know."""

    text: str
    mark: str = "○"
    source: str = MANUAL
    category: str = ""
    id: str = ""
    created: str = ""
    other: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    line: int = 0
    is_complete: bool = True
    """Whether the file has mark, source, id and date of it."""

    @property
    def state(self) -> str:
        """`waiting`, `promoted`, `discarded`, or `unknown` for a mark that memtend does not know."""
        return STATES.get(self.mark, UNKNOWN)

    def changed(self, **values: object) -> "Pending":
        """The item with other values, to be written anew."""
        return self._replace(raw=(), is_complete=True, **values)  # type: ignore[arg-type]


class PendingPage:
    """The whole file: its frontmatter, then items and lines that are kept as they stand."""

    __slots__ = ("header", "parts")

    def __init__(self, header: list[str], parts: list[Pending | str]) -> None:
        self.header = header
        self.parts = parts

    @property
    def items(self) -> list[Pending]:
        """The candidates in the order of the file."""
        return [part for part in self.parts if isinstance(part, Pending)]


def parse(data: bytes) -> PendingPage:
    """The page that the bytes of a file are."""
    lines = lines_of(data)
    if lines[-1] == "":
        lines.pop()
    header, body = split_header(lines)
    parts: list[Pending | str] = []
    at = 0
    while at < len(body):
        end = at + 1
        found = _BULLET.fullmatch(body[at])
        if found is None or not _says_something(found[3]):
            parts.append(body[at])
        else:
            while end < len(body) and body[end].strip() and body[end][0] in " \t":
                end += 1
            parts.append(_item(found, body[at:end], len(header) + at + 1))
        at = end
    return PendingPage(header, parts)


def _says_something(text: str) -> bool:
    return bool(text.strip()) and collapsed(text).lower() not in PLACEHOLDERS


def _item(found: re.Match[str], raw: list[str], line: int) -> Pending:
    texts, other = [found[3]], []
    fields: dict[str, str] = {}
    for under in raw[1:]:
        if field := _FIELD.fullmatch(under):
            fields.setdefault(field[1], collapsed(field[2]))
        elif not fields and not _OTHER_FIELD.match(under):
            texts.append(under)
        else:
            other.append(under)
    text = collapsed(" ".join(texts))
    return Pending(
        text=text,
        mark=found[1] or "○",
        source=collapsed(found[2] or MANUAL),
        category=fields.get("category", ""),
        id=fields.get("id", "") or id_of(Kind.PENDING, text),
        created=fields.get("created", ""),
        other=tuple(other),
        raw=tuple(raw),
        line=line,
        is_complete=bool(found[1] and found[2] and fields.get("id") and fields.get("created")) and len(texts) == 1,
    )


def render(page: PendingPage) -> bytes:
    """The bytes of a page."""
    lines = list(page.header)
    for part in page.parts:
        lines.extend((part,) if isinstance(part, str) else render_item(part))
    return bytes_of(lines)


def render_item(item: Pending) -> tuple[str, ...]:
    """The lines of an item: its own ones while it is unchanged, else the canonical ones."""
    if item.raw:
        return item.raw
    category = (f"  category: {item.category}",) if item.category else ()
    first = f"- [{item.mark}] [{item.source}] {item.text}"
    return (first, *category, f"  id: {item.id}", f"  created: {item.created}", *item.other)


def new_page(role: str, today: str) -> PendingPage:
    """A file without candidates."""
    quoted = role.replace("\\", "\\\\").replace('"', '\\"')
    return PendingPage(["---", f'role: "{quoted}"', f'updated: "{today}"', "---", ""], [*_INTRODUCTION, "- (none)"])


def new_item(text: str, source: str, category: str, today: str) -> Pending:
    """A candidate as it is first written. Raises Refused for a source that could not be read back."""
    source = collapsed(source) or MANUAL
    if "[" in source or "]" in source:
        raise Refused(f"{source!r} is no name of a source", hint="Leave the brackets out.")
    category = category_name(category) if category.strip() else ""
    return Pending(collapsed(text), "○", source, category, id_of(Kind.PENDING, text), today)


def append(page: PendingPage, item: Pending) -> None:
    """Put a new item at the end, a blank line before it."""
    page.parts = [part for part in page.parts if not (isinstance(part, str) and _is_placeholder(part))]
    if page.parts and not (isinstance(page.parts[-1], str) and not page.parts[-1].strip()):
        page.parts.append("")
    page.parts.append(item)


def _is_placeholder(line: str) -> bool:
    return line.lstrip().startswith("-") and collapsed(line.lstrip()[1:]).lower() in PLACEHOLDERS - {"-"}


def replace(page: PendingPage, old: Pending, new: Pending | None) -> None:
    """Put one item in another's place; None takes it out with the blank line behind it."""
    at = next(at for at, part in enumerate(page.parts) if part is old)
    if new is not None:
        page.parts[at] = new
        return
    behind = page.parts[at + 1 : at + 2]
    del page.parts[at : at + (2 if behind and behind[0] == "" else 1)]
    if not page.items:
        page.parts.append("- (none)")


def age_days(created: str, now: datetime) -> int | None:
    """Days since a date; None where it is none. A date in the future counts as today."""
    try:
        day = date.fromisoformat(created[:10])
    except ValueError:
        return None
    return max(0, (now.date() - day).days)


def completed(page: PendingPage, today: str) -> list[Pending]:
    """Complete what a person wrote without mark, source, id or date; returns the completed items."""
    done = [item for item in page.items if not item.is_complete]
    for item in done:
        replace(page, item, item.changed(created=item.created or today))
    return done


def expired(items: Iterable[Pending], now: datetime) -> Iterator[Pending]:
    """The waiting items that are older than seven days."""
    for item in items:
        age = age_days(item.created, now)
        if item.state == WAITING and age is not None and age > EXPIRES_AFTER_DAYS:
            yield item


def archivable(items: Iterable[Pending], now: datetime) -> dict[str, list[Pending]]:
    """The promoted and discarded items older than thirty days, by the month (`2026-04`) they were created in."""
    found: dict[str, list[Pending]] = {}
    for item in items:
        age = age_days(item.created, now)
        if item.state in (PROMOTED, DISCARDED) and age is not None and age > ARCHIVED_AFTER_DAYS:
            month = date.fromisoformat(item.created[:10]).isoformat()[:7]
            found.setdefault(month, []).append(item)
    return found
