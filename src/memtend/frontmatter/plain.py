"""Blocks that are plain from their first line to their last, read at a fraction of what the scanner takes.

Most are: behind each key stand words, a text in quotes, a list in brackets or a list one a line. A block that is odd
anywhere (a comment, a colon in a text without quotes, a carriage return, a key that stands twice) is left to the
scanner, which knows every form and finds the faults. What is read here has none.
"""

import re

from memtend.frontmatter.block import Value
from memtend.frontmatter.scalars import NULLS

_WORDS = r"[A-Za-z0-9_./][^\s:#]*+(?>(?:[ ][^\s:#]++)*)"
_ENTRY = re.compile(
    rf"""( \n([A-Za-z_][\w-]*+):
    (?: [ ]++( {_WORDS} | "[^"\\\r\n]*+" | '[^'\r\n]*+'
      | \[ (?: "[^"\\\r\n]*+"(?>(?:,[ ]*+"[^"\\\r\n]*+")*) | [^\[\]{{}}"'\r\n\#&*!|>%@`:]*+ ) \] )[ ]*+
    | \n(?P<indent>[ ]*+)-[ ]++{_WORDS}(?>(?:\n(?P=indent)-[ ]++{_WORDS})*)
    | [ ]*+ ) )(?=\n)""",
    re.VERBOSE,
)
"""The line end above an entry, its key and value; the whole, the key, and what stands behind it on its line."""
_IN_QUOTES = re.compile(r'"([^"]*)"')
_ITEM = re.compile(r"\n *- +([^\n]+)")


def read_plain(text: str, first_line: int = 2) -> tuple[dict[str, Value], dict[str, int]] | None:
    """The values and the lines of a block's keys; None where the scanner has to read it."""
    found = _ENTRY.findall("\n" + text)
    if sum([len(entry) for entry, *_ in found]) != len(text):
        return None
    values: dict[str, Value] = {}
    lines: dict[str, int] = {}
    line = first_line
    for entry, key, written, _ in found:
        value = _value(entry, written)
        if isinstance(value, tuple) and not NULLS.isdisjoint(value):
            return None
        values[key] = value
        lines[key] = line
        line += entry.count("\n")
    return (values, lines) if found and len(values) == len(found) else None


def _value(entry: str, written: str) -> Value:
    if not written:
        return tuple(_ITEM.findall(entry)) or None
    if written[0] in "\"'":
        return written[1:-1]
    if written[0] != "[":
        return None if written in NULLS else written
    if '"' in written:
        return tuple(_IN_QUOTES.findall(written))
    names = [name.strip() for name in written[1:-1].split(",")]
    return tuple(names if names[-1] else names[:-1])
