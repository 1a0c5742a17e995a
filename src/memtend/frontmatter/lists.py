"""The entries of a list, in brackets or one a line, and where each stands."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtend.frontmatter.block import Style, content_end, is_content, line_end, lines_within
from memtend.frontmatter.scalars import HEADER, NULLS, fold, quoted_at

_TOKEN = re.compile(
    r"""(?P<blank>\s+) | (?P<quoted>"[^"\\]*+(?>(?:\\.[^"\\]*+)*)" | '[^']*+(?>(?:''[^']*+)*)')
    | (?P<open>[\[{]) | (?P<close>[\]}]) | (?P<comma>,) | (?P<plain>[^\s\[\]{},][^\[\]{},\n]*)""",
    re.VERBOSE | re.DOTALL,
)
COMMENT = re.compile(r"[ \t]#")
"""Where a comment begins on a line that has something before it."""


class Item(NamedTuple):
    """One entry of a list. Its value is None where nothing, or null, stands there."""

    value: str | None
    style: Style
    start: int
    end: int


class Flow(NamedTuple):
    """A list or mapping in brackets."""

    items: list[Item]
    end: int
    """Behind the closing bracket; 0 where it does not close."""
    is_nested: bool
    """Whether there are brackets within the brackets."""
    odd_at: int
    """Where text stands behind a quoted entry; 0 where none does."""


def read_flow(text: str, at: int, stop: int) -> Flow:
    """What opens at `at`. Text runs to `stop` at most."""
    items: list[Item] = []
    open_: list[str] = []
    odd_at = 0
    is_nested = False
    is_fresh = True
    while at < stop and (token := _TOKEN.match(text, at, stop)):
        kind, start, at = token.lastgroup, at, token.end()
        if kind == "open":
            open_.append(text[start])
            is_nested = is_nested or len(open_) > 1
        elif kind == "close":
            if open_[-1] + text[start] not in ("[]", "{}"):
                break
            open_.pop()
            if not open_:
                return Flow(items, at, is_nested, odd_at)
        elif kind == "comma" and len(open_) == 1:
            if is_fresh:
                items.append(Item(None, Style.NULL, start, start))
            is_fresh = True
        elif kind == "plain" and text[start] == "#" and text[start - 1].isspace():
            at = line_end(text, start)
        elif kind in ("plain", "quoted") and len(open_) == 1:
            if not is_fresh and items[-1].style is not Style.PLAIN:
                odd_at = start
            items.append(_flow_item(text, token) if is_fresh else _longer(text, items.pop(), at))
            is_fresh = False
            at = _before_comment(text, token)
    return Flow(items, 0, is_nested, odd_at)


def _before_comment(text: str, token: re.Match[str]) -> int:
    """Where to go on: behind the token, or where a comment in it begins."""
    comment = COMMENT.search(text, *token.span()) if token.lastgroup == "plain" else None
    return comment.start() if comment else token.end()


def _flow_item(text: str, token: re.Match[str]) -> Item:
    if token.lastgroup == "quoted":
        quoted = quoted_at(text, token.start(), token.end())
        if quoted:
            return Item(quoted[0], quoted[1], *token.span())
    return _plain(text, token.start(), token.end())


def _plain(text: str, start: int, stop: int) -> Item:
    comment = COMMENT.search(text, start, stop)
    content = text[start : comment.start() if comment else stop].rstrip()
    value = None if content in NULLS else content
    return Item(value, Style.NULL if value is None else Style.PLAIN, start, start + len(content))


def _longer(text: str, item: Item, stop: int) -> Item:
    """An entry that goes on: on another line, or behind a quote that closed too early."""
    longer = _plain(text, item.start, stop)
    return longer._replace(value=fold(longer.value)) if longer.value else longer


class BlockList(NamedTuple):
    """A list with one entry a line."""

    items: list[Item]
    is_nested: bool
    """Whether an entry is itself a list or mapping over several lines."""
    faults: list[tuple[int, str]]
    """Places that make an edit a guess."""


def read_block_list(text: str, at: int, stop: int) -> BlockList:
    """The list whose lines run from `at` to `stop`."""
    found = BlockList([], False, [])
    indent = -1
    is_nested = False
    for start, end in lines_within(text, at, stop):
        line = text[start:end]
        if not is_content(line):
            continue
        depth = len(line) - len(line.lstrip(" \t"))
        indent = depth if indent < 0 else indent
        if depth == indent and is_dash(text, start + depth):
            item = _block_item(text, start + depth + 1, content_end(text, start), found.faults)
            found.items.append(item)
            is_nested = is_nested or HEADER.match(text, item.start) is not None
        elif depth > indent and found.items and not is_nested:
            is_nested = _KEY_OR_LIST.match(text, found.items[-1].start, found.items[-1].end) is not None
            found.items[-1] = _continued_item(text, found.items[-1], (start, end), found.faults)
        elif depth <= indent or not found.items:
            found.faults.append((start + depth, "this line is no entry of the list"))
    items = [_longer(text, item, item.end) if "\n" in text[item.start : item.end] else item for item in found.items]
    return BlockList(items, is_nested, found.faults)


def _continued_item(text: str, item: Item, line: tuple[int, int], faults: list[tuple[int, str]]) -> Item:
    """An entry with one more line, its value still to be read."""
    start, end = line
    if item.style is not Style.PLAIN or COMMENT.search(text, item.end, start) or _COLON.search(text, start, end):
        faults.append((start, "this line does not belong to the entry above it"))
    return item._replace(end=start + len(text[start:end].rstrip()))


def is_dash(text: str, at: int) -> bool:
    """Whether an entry of a block list begins at `at`."""
    return text.startswith("-", at) and text[at + 1 : at + 2] in ("", " ", "\t", "\r", "\n")


_COLON = re.compile(r":(?=\s|\Z)")
_KEY_OR_LIST = re.compile(r"""[\[{&*!|>]|-[ \t]|["']?[^:"'\n]*+["']?:(?:[ \t]|\Z)""")


def _block_item(text: str, at: int, stop: int, faults: list[tuple[int, str]]) -> Item:
    start = at + len(text[at:stop]) - len(text[at:stop].lstrip(" \t"))
    if text[start:stop].startswith("#"):
        return Item(None, Style.NULL, start, start)
    if text[start:stop].startswith(('"', "'")):
        quoted = quoted_at(text, start, stop)
        if quoted and is_finished(text, quoted[2], stop):
            return Item(quoted[0], quoted[1], start, quoted[2])
        faults.append((start, "the quotes do not close where the entry ends"))
    return _plain(text, start, stop)


def is_finished(text: str, at: int, stop: int) -> bool:
    """Whether nothing but blanks and a comment stands between `at` and the end of its line."""
    rest = text[at : min(content_end(text, at), stop)]
    return not rest.strip() or (rest[0] in " \t" and rest.lstrip()[0] == "#")


def item_faults(text: str, item: Item) -> Iterator[tuple[int, str, str]]:
    """Place, code and reason where other readers refuse or shorten an entry of a block list."""
    if item.style is not Style.PLAIN or not item.value:
        return
    first = item.value[0]
    flow = read_flow(text, item.start, item.end) if first in "[{" else None
    if flow and (flow.end != item.end or flow.odd_at):
        yield item.start, "text-after-list", "text behind a bracket or a quote; quote the entry"
    elif first in "`@%*&!|>,]}":
        yield item.start, "unquoted-sign", f"an entry without quotes cannot begin with {first}"
    comment = COMMENT.search(text, item.end, content_end(text, item.end))
    if comment and text[comment.end() : comment.end() + 1].strip():
        yield comment.end() - 1, "cut-at-hash", "the entry may be cut at #; quote it"
