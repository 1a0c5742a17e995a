"""Finding the block at the head of a file and cutting it into entries, without changing a value.

A YAML parser answers with typed values: `1.10` becomes 1.1, `no` becomes False, a day becomes a date, and one
bad line loses the whole block. This scanner keeps the text as it is written and knows the shapes that people
and tools write: plain and quoted scalars, block scalars, comma strings, lists on one or several lines, block
lists, comments. What is nested deeper is kept raw, and a YAML parser judges whether it is sound.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

BOM = b"\xef\xbb\xbf"

_OPENING = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*(\r?\n)")
_CLOSING = re.compile(rb"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)


class Raw(str):
    """A value that is kept as it is written: a nested mapping, a list of lists, an anchor.

    It holds everything between the colon and the end of the entry, and is written back exactly so.
    """

    __slots__ = ()


class Remove:
    """The type of `REMOVE`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "REMOVE"


REMOVE = Remove()
"""In `edit`: the key goes."""

Value = str | tuple[str, ...] | None
"""What a key can hold. A nested value is a `Raw`, which is a `str`."""


class Fault(NamedTuple):
    """Something in a block that a person should look at. Lines and columns count from 1, from the file's start."""

    code: str
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
    BLOCK = "block"
    RAW = "raw"


class Entry(NamedTuple):
    """One key with its value. The offsets count characters of the block's text."""

    key: str
    value: Value
    style: Style
    line: int
    """Of the file, from 1."""
    start: int
    value_start: int
    """Where the text that stands for the value begins; behind the colon where there is none."""
    value_end: int
    """Where it ends: before a comment on the same line, and before the line end."""
    end: int
    """Where the next entry, comment or blank line may begin."""


class Fences(NamedTuple):
    """Where a block lies in the bytes of a file."""

    text_start: int
    text_end: int
    body_start: int


def fences(data: bytes) -> Fences | None:
    """The block at the head of a file, None where none opens or none closes."""
    opening = _OPENING.match(data)
    closing = _CLOSING.search(data, opening.end()) if opening else None
    if opening is None or closing is None:
        return None
    return Fences(opening.end(), closing.start(), closing.end())


def opens(data: bytes) -> int:
    """Where the text behind an opening fence begins, 0 where the file opens with none."""
    opening = _OPENING.match(data)
    return opening.end() if opening else 0


def text_of(data: bytes, where: Fences) -> str:
    """The text between the fences. Bytes that are not UTF-8 survive as lone surrogates."""
    return data[where.text_start : where.text_end].decode("utf-8", "surrogateescape")


# --- lines -----------------------------------------------------------------------------------------------

KEY = re.compile(
    r"""(?: "(?P<double>(?:[^"\\\r\n]|\\.)*)" | '(?P<single>(?:[^'\r\n]|'')*)'
    | (?P<plain>(?:[^\s#\-?:,\[\]{}&*!|>'"%@`]|[-?:](?=[^\s]))[^:\r\n]*(?: :(?=[^\s])[^:\r\n]*)*) )
    [ \t]*:(?=\s|\Z)[ \t]*""",
    re.VERBOSE,
)
"""The head of an entry up to its value. Written so that it takes linear time on any line."""

NULLS = frozenset(("", "~", "null", "Null", "NULL"))


def line_end(text: str, at: int) -> int:
    """Behind the line end of the line that `at` lies in."""
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def content_end(text: str, at: int) -> int:
    """Before the line end of the line that `at` lies in."""
    end = line_end(text, at)
    if end > at and text[end - 1] == "\n":
        end -= 1
        if end > at and text[end - 1] == "\r":
            end -= 1
    return end


def lines_from(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Start and end (behind the line end) of each line from `at` on."""
    while at < len(text):
        end = line_end(text, at)
        yield at, end
        at = end
