"""What a block is made of, and where it lies at the head of a file."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

BOM = b"\xef\xbb\xbf"


class Raw(str):
    """A value that is kept as it is written: a nested mapping, a list of lists, an anchor.

    `edit` and `render` write it as it is, without quotes; so it has to be valid YAML.
    """

    __slots__ = ()


class Remove:
    """The type of `REMOVE`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "REMOVE"


REMOVE = Remove()
"""For `edit`: the key goes."""

Value = str | tuple[str, ...] | None
"""What a key can hold: a text, a list of texts, nothing. A nested value is a `Raw`, which is a `str`."""


class Fault(NamedTuple):
    """Something in a block that a person should look at. Lines and columns count from 1, from the file's start."""

    code: str
    """Where the reading is sure all the same: `unquoted-colon`, `unquoted-sign`, `text-after-list`, `cut-at-hash`,
    `null-in-list`, `duplicate-key`, `tab-indent`, `not-utf8`. Where the block is broken: `not-a-key`, `conflict`,
    `broken-quotes`, `broken-list`, `broken-indent`, `unclosed-list`, `unexpected-indent`, `comment-in-text`,
    `not-yaml`, `lone-return`, `unclosed-block`."""
    message: str
    line: int
    column: int


class Style(StrEnum):
    """How a value is written."""

    NULL = "null"
    PLAIN = "plain"
    DOUBLE = "double"
    SINGLE = "single"
    LITERAL = "literal"
    FOLDED = "folded"
    FLOW = "flow"
    """A list in brackets."""
    BLOCK = "block"
    """A list with one entry a line."""
    RAW = "raw"


class Extent(NamedTuple):
    """Where an entry lies, in characters of the block's text."""

    start: int
    """Of the key's line."""
    colon: int
    """Behind the colon."""
    value_start: int
    """Where the text that stands for the value begins; behind the colon where there is none."""
    value_end: int
    """Where it ends: before a comment on the same line, and before the line end."""
    end: int
    """Where the next entry, comment or blank line may begin."""


class Entry(NamedTuple):
    """One key with its value, as it stands in the file."""

    key: str
    value: Value
    style: Style
    extent: Extent
    line: int
    """Of the file, from 1."""


ESCAPED = re.compile("[\udc80-\udcff]")
"""What stands in a block's text for a byte that is not UTF-8."""


def readable(value: Value) -> Value:
    """The value with a replacement character for each byte that is not UTF-8."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(ESCAPED.sub("\ufffd", item) for item in value)
    return type(value)(ESCAPED.sub("\ufffd", value))


class Fences(NamedTuple):
    """Where a block lies in the bytes of a file."""

    text_start: int
    text_end: int
    body_start: int


_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")
_CLOSING = re.compile(rb"---[ \t]*\r?(?:\n|\Z)")


def opening_end(data: bytes) -> int:
    """Where the text behind an opening fence begins, 0 where the file opens with none."""
    opening = _OPENING.match(data)
    return opening.end() if opening else 0


def find_fences(data: bytes) -> Fences | None:
    """The fences at the head of a file, None where none opens or none closes."""
    start = at = opening_end(data)
    while at:
        closing = _CLOSING.match(data, at)
        if closing:
            return Fences(start, *closing.span())
        at = data.find(b"\n---", at) + 1
    return None


def line_end(text: str, at: int) -> int:
    """Behind the line end of the line that `at` lies in."""
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def before_newline(text: str, end: int) -> int:
    """Before the line end that stands right before `end`; `end` where none does."""
    if text[end - 1 : end] != "\n":
        return end
    return end - 2 if text[end - 2 : end - 1] == "\r" else end - 1


def content_end(text: str, at: int) -> int:
    """Before the line end of the line that `at` lies in."""
    return before_newline(text, line_end(text, at))


def lines_within(text: str, at: int, stop: int) -> Iterator[tuple[int, int]]:
    """Start and end (behind the line end) of each line from `at` to `stop`."""
    while at < stop:
        end = min(line_end(text, at), stop)
        yield at, end
        at = end


def is_content(line: str) -> bool:
    """Whether a line holds more than blanks and a comment."""
    stripped = line.lstrip()
    return bool(stripped) and stripped[0] != "#"


def first_content(text: str, at: int, stop: int) -> int:
    """The first character from `at` on that is neither blank nor part of a comment line; `stop` without one."""
    for start, end in lines_within(text, at, stop):
        if is_content(text[start:end]):
            return end - len(text[start:end].lstrip())
    return stop
