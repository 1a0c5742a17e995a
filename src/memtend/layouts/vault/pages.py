"""The pages that `reindex` keeps: memory-index.json, the index page, the list beside the memories (vault spec, 3).

Both Markdown pages are people's too. Ours are certain sections (in the index page: Recent Memories, By Category, By
Topic, Statistics; in the list: the count and the `### [MEM-x](MEM-x.md)` entries); within ours, text between a
section's heading and its first list or sub-heading is a person's as well. Everything else stays byte for byte.
The same memories give the same page; one that would change in nothing but its date is left alone.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from memtend.change import FileEdit
from memtend.layouts import Tree
from memtend.layouts.vault import json_index
from memtend.layouts.vault.json_index import by_id
from memtend.layouts.vault.parts import one_line
from memtend.layouts.vault.paths import INDEX, JSON_INDEX, LIST, MEMORIES
from memtend.layouts.vault.topics import topic_rows
from memtend.markdown import BOM, Section, Span, blocks, newline_of, sections, splice
from memtend.memory import UNCATEGORIZED, Memory, digest_of

RECENT = 10
"""How many memories the index page names as recent."""

_DATE = "\ue000today\ue000"
"""Stands for the day until it is known whether anything else changes."""
_NAVIGATION = """\
- [Inbox](../00-Inbox/): what waits to be learned
- [Memories](../10-Memories/): one file a memory
- [Templates](../30-Templates/): how a new memory is laid out
"""
_INDEX_HEAD = "# Memory Vault Index\n\n"
_LIST_HEAD = "# Memories\n\n"
_LIST_NAVIGATION = "## Navigation\n\n- [The vault](../README.md)\n- [Index](../20-Indices/index.md)\n"
_COUNT = "Total memories: "


def reindex(memories: Sequence[Memory], pages: Tree, now: datetime, folder: str) -> tuple[FileEdit, ...]:
    """The edits that bring the pages up to date; see `Layout.reindex`. Raises NewerFormat."""
    listing = json_index.read(pages.get(JSON_INDEX))
    json_index.require_writable(listing)
    active = [memory for memory in by_id(memories) if memory.is_active]
    drawn = {
        JSON_INDEX: json_index.render(memories, listing, folder, _DATE),
        INDEX: index_page(active, pages.get(INDEX, b"")),
        LIST: list_page(active, pages.get(LIST, b"")),
    }
    today = now.astimezone(UTC).date().isoformat()
    return tuple(filter(None, (_edit(path, page, pages.get(path), today) for path, page in drawn.items())))


def _edit(path: str, page: bytes, existing: bytes | None, today: str) -> FileEdit | None:
    """The edit to a page that has `_DATE` where its date stands; None where no more than the date would change."""
    before, mark, after = page.partition(_DATE.encode())
    if existing is not None and _is_current(existing, before, after if mark else None):
        return None
    text = before + today.encode() + after if mark else page
    return FileEdit(path, None if existing is None else digest_of(existing), text, derived=True)


def _is_current(existing: bytes, before: bytes, after: bytes | None) -> bool:
    """Whether a page is as drawn, whichever date it has; `after` is None for a page without one."""
    if after is None:
        return existing == before
    date = existing[len(before) : len(existing) - len(after)]
    is_same = existing.startswith(before) and existing.endswith(after) and len(existing) >= len(before) + len(after)
    return is_same and len(date) < 40 and len(date.split()) <= 1


# --- the index page ---------------------------------------------------------------------------------------


def index_page(active: Sequence[Memory], existing: bytes) -> bytes:
    """The index page for the active memories, with what `existing` has beside our sections."""
    ours = {
        "Quick Navigation": _NAVIGATION,
        "Recent Memories": _recent(active),
        "By Category": _by_category(active),
        "By Topic": _by_topic(active),
        "Statistics": _statistics(active),
    }
    return _page(existing, _INDEX_HEAD, ours, kept=frozenset({"Quick Navigation"}))


def _recent(active: Sequence[Memory]) -> str:
    newest = sorted(active, key=lambda memory: (_day(memory), memory.id), reverse=True)[:RECENT]
    return "".join(f"{row(memory)} ({_day(memory)})\n" if _day(memory) else f"{row(memory)}\n" for memory in newest)


def _day(memory: Memory) -> str:
    date = memory.modified or memory.created
    return date[:10] if date[:4].isdecimal() and date[4:5] == "-" else ""


def _by_category(active: Iterable[Memory]) -> str:
    groups: dict[str, list[Memory]] = {}
    for memory in active:
        groups.setdefault(memory.category or UNCATEGORIZED, []).append(memory)
    names = sorted(groups, key=lambda name: (name.casefold(), name))
    return "\n".join(_group(plain(name), groups[name]) for name in names)


def _group(name: str, memories: Iterable[Memory]) -> str:
    return f"### {name}\n\n" + "".join(f"{row(memory)}\n" for memory in memories)


def _by_topic(active: Sequence[Memory]) -> str:
    return "\n".join(topic_rows([(memory.topic, row(memory)) for memory in active], plain))


def _statistics(active: Sequence[Memory]) -> str:
    tokens = sum(memory.token_count for memory in active)
    return f"- {_COUNT}{len(active)}\n- Total tokens: {tokens}\n- Last updated: {_DATE}\n"


def row(memory: Memory) -> str:
    """One line of the index page: a link and the title."""
    return f"- [{plain(memory.id)}](../{_address(memory.place.path)}) - {plain(memory.title)}"


_MEANING = {ord(sign): f"\\{sign}" for sign in "\\`[]<|"}
_IN_NO_ADDRESS = frozenset(' %()<>[]\\`#?|"')


def plain(text: str) -> str:
    """The text on one line, with a backslash before every sign that could end a link, a row or a code span."""
    line = one_line("".join(char if char.isprintable() else " " for char in text) if not text.isprintable() else text)
    return line.translate(_MEANING)


def _address(path: str) -> str:
    """A path as a link's address, whatever is in it: line breaks, and bytes that are no character, too."""
    if path.isprintable() and _IN_NO_ADDRESS.isdisjoint(path):
        return path
    return "".join(char if char.isprintable() and char not in _IN_NO_ADDRESS else _percent(char) for char in path)


def _percent(char: str) -> str:
    is_byte = "\udc80" <= char <= "\udcff"
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass"))


# --- sections of a page that is not ours alone --------------------------------------------------------------


class _Piece(NamedTuple):
    """A stretch of a page; `name` is our section's, in lower case, or empty."""

    name: str
    text: bytes


def _page(existing: bytes, head: str, ours: Mapping[str, str], kept: frozenset[str]) -> bytes:
    """The page with each of our sections up to date. Those in `kept` are written once and then a person's."""
    newline = newline_of(existing)
    names = [name.lower() for name in ours]
    pieces = list(_pieces(existing, names)) if existing.strip() else [_Piece("", head.encode())]
    drawn: list[_Piece] = []
    for piece in pieces:
        if piece.name and piece.name in (other.name for other in drawn):
            continue
        name = next((name for name in ours if name.lower() == piece.name and name not in kept), None)
        drawn.append(_Piece(piece.name, _section(piece.text, ours[name], newline)) if name else piece)
    for name, text in ours.items():
        if name.lower() not in (piece.name for piece in drawn):
            heading = f"## {name}\n".encode().replace(b"\n", newline)
            at = _place(drawn, names, name.lower())
            drawn[at:at] = [_Piece(name.lower(), _section(heading, text, newline))]
    return _joined([piece.text for piece in drawn], newline)


def _pieces(page: bytes, names: Sequence[str]) -> Iterator[_Piece]:
    cuts = [section for section in _headings(page) if section.level <= 2]
    yield _Piece("", page[: cuts[0].start] if cuts else page)
    for section, following in zip(cuts, [*cuts[1:], None], strict=False):
        name = section.title.strip().lower() if section.level == 2 else ""
        yield _Piece(name if name in names else "", page[section.start : following.start if following else len(page)])


def _headings(page: bytes) -> tuple[Section, ...]:
    from memtend import frontmatter

    return sections(page, frontmatter.read(page).body_start if page.startswith((b"---", BOM)) else 0)


def _section(old: bytes, text: str, newline: bytes) -> bytes:
    """Our section: its heading and the prose below it as they are, then `text`."""
    heading_end = old.find(b"\n") + 1 or len(old)
    prose = old[heading_end : _own_start(old)].strip(b"\r\n")
    heading = old[:heading_end].rstrip(b"\r\n")
    own = text.encode("utf-8", "replace").replace(b"\n", newline).rstrip(b"\r\n")
    return (newline * 2).join(filter(None, (heading, prose, own))) + newline


def _own_start(section: bytes) -> int:
    """Where the first list or sub-heading of a section begins; only a long code block makes it read all of it."""
    likely = [at for at in (section.find(b"\n- "), section.find(b"\n### ")) if at >= 0]
    for end in (min(likely, default=len(section)) + 5, len(section)):
        first = next((block for block in blocks(section[:end])[1:] if block.kind in ("list", "heading")), None)
        if first:
            return first.span.start
    return len(section)


def _place(drawn: Sequence[_Piece], names: Sequence[str], name: str) -> int:
    """Where a section that is missing goes: behind the last of ours that comes before it, else at the end."""
    before = set(names[: names.index(name)])
    return next((i + 1 for i in range(len(drawn) - 1, -1, -1) if drawn[i].name in before), len(drawn))


def _joined(pieces: Sequence[bytes], newline: bytes) -> bytes:
    """The pieces with one blank line between, except where there is one."""
    page = b""
    for piece in filter(None, pieces):
        if page and not page.endswith((b"\n\n", b"\n\r\n")):
            page += newline if page.endswith(b"\n") else newline * 2
        page += piece
    return page if page.endswith(b"\n") else page + newline


# --- the list beside the memories ---------------------------------------------------------------------------


def list_page(active: Sequence[Memory], existing: bytes) -> bytes:
    """The list of the active memories, with what `existing` has beside count and entries."""
    newline = newline_of(existing)
    page = existing if existing.strip() else _LIST_HEAD.encode()
    headings = _headings(page)
    entries = [Span(section.start, section.end) for section in headings if _is_entry(page, section)]
    count = _count_line(page, entries[0].start if entries else len(page))
    navigation = [section.start for section in headings if section.title.strip().lower() == "navigation"]
    at = entries[0].start if entries else navigation[0] if navigation else len(page)
    count_row = f"{_COUNT}{len(active)}\n"
    own = "\n".join(filter(None, ("" if count else count_row, *map(_list_entry, active))))
    edits = [(span, b"") for span in entries]
    if count:
        edits.append((count, count_row.encode().replace(b"\n", newline)))
    own_bytes = own.encode("utf-8", "replace").replace(b"\n", newline)
    before, after = _split_at(page, edits, at)
    tail = after if navigation else _joined([after, _LIST_NAVIGATION.encode().replace(b"\n", newline)], newline)
    return _joined([before, own_bytes, tail.lstrip(b"\r\n")], newline)


def _is_entry(page: bytes, section: Section) -> bool:
    line = page[section.start : section.text_start].strip()
    return section.level == 3 and line.startswith(b"### [") and b"](" in line and line.endswith(b".md)")


def _count_line(page: bytes, end: int) -> Span | None:
    at = page.find(_COUNT.encode(), 0, end)
    if at < 0 or page[max(0, at - 1) : at].strip():
        return None
    stop = page.find(b"\n", at) + 1 or len(page)
    return Span(at, stop) if page[at + len(_COUNT) : stop].strip().isdigit() else None


def _split_at(page: bytes, edits: Iterable[tuple[Span, bytes]], at: int) -> tuple[bytes, bytes]:
    edits = list(edits)
    before = [(span, text) for span, text in edits if span.start < at]
    after = [(Span(span.start - at, span.end - at), text) for span, text in edits if span.start >= at]
    return splice(page[:at], before), splice(page[at:], after)


def _list_entry(memory: Memory) -> str:
    fields = {
        "Title": plain(memory.title),
        "Topic": plain(memory.topic),
        "Tags": ", ".join(map(plain, memory.tags)),
        "Created": plain(memory.created),
    }
    path = _address(memory.place.path.removeprefix(MEMORIES))
    rows = "".join(f"**{name}**: {value}".rstrip() + "\n" for name, value in fields.items())
    return f"### [{plain(memory.id)}]({path})\n{rows}"
