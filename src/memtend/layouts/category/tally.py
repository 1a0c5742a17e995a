"""Identifiers and numbers of a text: what a shortening is measured by (category spec, 3.6)."""

import re
from collections.abc import Iterable
from typing import NamedTuple

_CODE = re.compile(r"`([^`\n]+)`")
_IDENTIFIER = re.compile(
    r"""(?<![\w./-])(?:
    [A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+            # snake_case, UPPER_SNAKE
    | [A-Z][A-Z0-9]{1,9}-[\w.-]*\d[\w-]*              # DEC-41, ADR-7
    | [A-Za-z]+[a-z][A-Z][A-Za-z0-9]*                 # camelCase, PascalCase
    | [A-Za-z]+\d[A-Za-z0-9]*                         # E06S10, utf8
    | (?:[\w.-]+/)+[\w.-]*\w                          # a/path
    | v?\d+(?:\.\d+){2,}|v\d+(?:\.\d+)*               # v1.2, 1.2.3
    | [A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+                 # dotted.name, file.py
    )(?![\w/])""",
    re.VERBOSE,
)
_UNIT = r"(?:ms|s|min|h|d|kb|mb|gb|tb|px|x|k|m)(?![A-Za-z0-9_])"
_NUMBER = re.compile(
    r"(?:(?<![A-Za-z0-9_./-])|(?<=[^\x00-\x7f]))(?:\d{4}-\d\d-\d\d|\d+(?:[.,:]\d+)*)(?!\d)"
    rf"(?=(?i:{_UNIT})|[^A-Za-z_/]|$)"
)


class Tally(NamedTuple):
    """What a text names and counts."""

    identifiers: frozenset[str]
    numbers: frozenset[str]

    def kept_in(self, other: "Tally") -> tuple[int, int]:
        """How many of the identifiers, and how many of the numbers, the other has too."""
        return len(self.identifiers & other.identifiers), len(self.numbers & other.numbers)


def tally(texts: Iterable[str]) -> Tally:
    """The distinct identifiers and numbers of some texts."""
    identifiers: set[str] = set()
    numbers: set[str] = set()
    for text in texts:
        identifiers.update(span.strip() for span in _CODE.findall(text) if span.strip())
        identifiers.update(_IDENTIFIER.findall(text))
        numbers.update(_NUMBER.findall(text))
    return Tally(frozenset(identifiers), frozenset(numbers))
