"""Source code, cut at its definitions by syntax tree; by blank lines where there is no grammar (vault spec, 2.1).

Functions and classes keep the comments, decorators and attributes above them; imports stay together; comments
that stand alone are segments of documentation; what is between is grouped. Small neighbours join; what is too
large is opened: a class at its methods, a function at its statements.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from memtend.learn.grammar import ATTACHED, IMPORTS, definition_of, parser_of, unwrapped
from memtend.learn.sizes import LARGE, WHOLE, Cut, Group, Piece, Span, fit, join_small, joined, pieces_of, span_of

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 12
"""Definitions within definitions that are opened, and nodes that are passed on the way into one."""
_LARGEST_ERROR_SHARE = 0.3
_REQUIRE = re.compile(r"(?:local|const|let|var)\s[^\n]*=\s*require\b|(?:source|\.)\s+\S|require\b")
_MARKS = " \t#/*;%\"'!-"
"""What stands around the words of a comment."""
_SAID = re.compile(
    r"""^[ \t]*(?:///?!?|\#+(?!!|include|define|if|endif|pragma|\[)|--+|;+|/\*+!?|\*(?!/)|[rRuU]?\"{3}|[rRuU]?'{3})"""
    r"""\s{0,200}(\w[^\n]*)""",
    re.MULTILINE,
)
_NOTICE = re.compile(r"(?i)copyright|licen[cs]e|spdx|\(c\)|all rights")
"""How comments begin that say nothing about the code."""
_LOOKED_THROUGH = 4000
"""Characters of a segment in which a comment or doc string is looked for."""
_IMPORT, _COMMENT, _ATTACHED, _OTHER = "import", "comment", "attached", "other"
_UNNAMED = (_IMPORT, _COMMENT, "")
_WEIGHT = {_COMMENT: 0, _ATTACHED: 1, _OTHER: 2, _IMPORT: 3}
"""Whose role two units on the same lines take; a definition outweighs them all."""


@dataclass(slots=True)
class _Unit:
    """Neighbouring lines that belong together, `last` included, counted from 0."""

    first: int
    last: int
    role: str
    """`import`, `comment`, `attached`, `other`, or a definition's kind."""
    name: str = ""
    """How it is called in a path: `class Reader`, `import`, `comment`, or nothing."""
    node: "Node | None" = None


def cut(text: str, language: str) -> list[Cut]:
    """The segments of source code."""
    groups = join_small(_pieces(text, language))
    return [Cut(group.span.start, group.span.end, _title(text, group)) for group in groups]


def title(text: str, language: str) -> str:
    """The title of a whole file: what its first comment says, else what it defines."""
    head = text.partition("\n")[2] if text.startswith("#!") else text
    said = _SAID.match(head.lstrip())
    if said and not _NOTICE.match(said[1]):
        return said[1].strip(_MARKS)
    return _title(text, Group(_pieces(text, language), (), Span(0, len(text), 0.0), ""))


def _pieces(text: str, language: str) -> list[Piece]:
    tree = _tree(text, language)
    source = _Source(text)
    return source.pieces(_units(tree.children), (), Range(0, len(text))) if tree else list(source.blocks())


def _tree(text: str, language: str) -> "Node | None":
    """The root of the syntax tree; None where there is no grammar, or most of it would be a guess."""
    parser = parser_of(language)
    if parser is None:
        return None
    root = parser.parse(text.encode()).root_node
    broken = sum(node.end_byte - node.start_byte for node in root.children if node.type == "ERROR")
    return None if root.type == "ERROR" or broken > _LARGEST_ERROR_SHARE * root.end_byte else root


# --- units: which lines belong together -------------------------------------------------------------------------


def _units(nodes: Sequence["Node"]) -> list[_Unit]:
    """Sibling nodes as runs of whole lines: comments with what follows them, imports with imports."""
    found: list[_Unit] = []
    for node in nodes:
        unit = _unit(node)
        before = found[-1] if found else None
        if before is not None and (unit.first <= before.last or _belong_together(before, unit)):
            _take_in(before, unit)
        else:
            found.append(unit)
    return found


def _unit(node: "Node") -> _Unit:
    first, last = node.start_point[0], node.end_point[0]
    if node.end_point[1] == 0 and last > first:  # the node ends with its line's end
        last -= 1
    if "comment" in node.type or _is_docstring(node):
        return _Unit(first, last, _COMMENT, _COMMENT)
    if node.type in ATTACHED:
        return _Unit(first, last, _ATTACHED)
    if node.type in IMPORTS or _REQUIRE.match((node.text or b"")[:200].decode("utf-8", "replace")):
        return _Unit(first, last, _IMPORT, _IMPORT)
    definition = definition_of(node)
    if definition:
        return _Unit(first, last, definition.kind, f"{definition.kind} {definition.name}", node)
    return _Unit(first, last, _OTHER, "", node)


def _is_docstring(node: "Node") -> bool:
    inner = node.named_children
    return node.type == "expression_statement" and len(inner) == 1 and inner[0].type == "string"


def _belong_together(before: _Unit, unit: _Unit) -> bool:
    if before.role == _COMMENT:
        return unit.first == before.last + 1
    return before.role == _ATTACHED or before.role == unit.role == _IMPORT


def _take_in(unit: _Unit, following: _Unit) -> None:
    unit.last = max(unit.last, following.last)
    ours, theirs = (_WEIGHT.get(role, 9) for role in (unit.role, following.role))
    if theirs > ours:
        unit.role, unit.name, unit.node = following.role, following.name, following.node
    elif theirs == ours:  # two statements on a line: neither is opened alone
        unit.node = None


# --- pieces: how large they are ---------------------------------------------------------------------------------


class Range(NamedTuple):
    """Characters of the text, `end` not included."""

    start: int
    end: int


class _Source:
    """Source code by lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = text.split("\n")
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def pieces(self, units: Sequence[_Unit], path: tuple[str, ...], within: Range, depth: int = 0) -> list[Piece]:
        """The units as pieces that tile the range; what is too large is opened, what is between is grouped."""
        found: list[Piece] = []
        between = False
        for number, unit in enumerate(units):
            start = self._starts[unit.first] if number else within.start
            end = self._starts[units[number + 1].first] if number + 1 < len(units) else within.end
            span = span_of(self.text, start, end)
            if span.size > LARGE:
                found += self._opened(unit, path, span, depth)
            elif between and unit.role == _OTHER and fit(found[-1].span, span, WHOLE):
                found[-1] = found[-1]._replace(span=joined((found[-1].span, span)))
            else:
                is_unnamed = bool(path) and unit.role in _WEIGHT
                found.append(Piece(span, path, False) if is_unnamed else Piece(span, (*path, unit.name)))
            between = unit.role == _OTHER and span.size <= LARGE
        return found

    def _opened(self, unit: _Unit, path: tuple[str, ...], span: Span, depth: int) -> Iterator[Piece]:
        """A unit that is too large, at its members; as plain lines where it has none."""
        path = (*path, unit.name) if unit.name else path
        units = _members(unit.node) if unit.node is not None and depth < _DEEPEST else []
        head_end = max(span.start, self._starts[units[0].first]) if units else span.end
        for number, part in enumerate(self._apart(Range(span.start, head_end))):
            yield Piece(part, path, number == 0)
        yield from self.pieces(units, path, Range(head_end, span.end), depth + 1)

    def _apart(self, lines: Range) -> list[Span]:
        """Lines that hold nothing to open: as one span, or as several where that is too large."""
        span = span_of(self.text, *lines)
        return pieces_of(self.text, span) if span.size > LARGE else [span] if lines.end > lines.start else []

    def blocks(self) -> Iterator[Piece]:
        """Blocks between blank lines; one that begins with a blank or a closing bracket goes on with the last."""
        borders = [0]
        for number, line in enumerate(self._lines[1:], 1):
            if line and not self._lines[number - 1].strip() and line[0] not in " \t)]}":
                borders.append(self._starts[number])
        borders.append(len(self.text))
        for start, end in pairwise(borders):
            yield from (Piece(part, ("",)) for part in self._apart(Range(start, end)))


def _members(node: "Node") -> list[_Unit]:
    """What a node is made of, as two units or more on lines of their own; empty where it cannot be opened."""
    node = unwrapped(node)
    for _ in range(_DEEPEST):
        members = (node.child_by_field_name("body") or node).named_children
        units = _units(members)
        if len(units) > 1 or not members:
            return units if len(units) > 1 else []
        node = unwrapped(max(members, key=lambda member: member.end_byte - member.start_byte))
    return []


# --- titles -----------------------------------------------------------------------------------------------------


def _title(text: str, group: Group) -> str:
    """What a group defines: `function load`, `functions load, dump`, `class Reader: read, close`."""
    first = group.pieces[0]
    owners = [name for name in group.path if name not in _UNNAMED]
    if first.path == group.path and owners:
        own = owners[-1] if len(owners) == 1 else f"{owners[-2]}: {_bare(owners[-1])}"
        return own if first.leads else f"{own} (continued)"
    names = list(dict.fromkeys(_names(group)))
    if not names:
        begins_with_imports = first.path[-1:] == (_IMPORT,)
        return "imports" if begins_with_imports else _first_words(text[first.span.start : group.span.end])
    return f"{owners[-1]}: " + ", ".join(map(_bare, names)) if owners else _listed(names)


def _names(group: Group) -> Iterator[str]:
    """What the pieces define: the outermost of which the group has the beginning, else the innermost."""
    begun = {piece.path for piece in group.pieces if piece.leads}
    depth = len(group.path) + 1
    for piece in group.pieces:
        named = [name for name in piece.path if name not in _UNNAMED]
        if len(named) > 1 and piece.path[:depth] not in begun and not group.path:
            yield f"{named[-2]}: {_bare(named[-1])}"
        elif len(piece.path) >= depth and piece.path[-1] not in _UNNAMED:
            yield piece.path[depth - 1] if piece.path[:depth] in begun else named[-1]


def _bare(name: str) -> str:
    """`load` of `function load`."""
    return name.partition(" ")[2]


def _listed(names: Sequence[str]) -> str:
    """`function load`, `functions load, dump`, or each with its kind where they differ."""
    kinds = {name.partition(" ")[0] for name in names}
    if len(names) == 1 or len(kinds) > 1:
        return ", ".join(names)
    kind = kinds.pop()
    plural = kind + ("es" if kind.endswith("s") else "s")
    return f"{plural} " + ", ".join(map(_bare, names))


def summary(text: str) -> str:
    """The first line of a doc string or comment, else the first line of the code."""
    found = _SAID.search(text, 0, _LOOKED_THROUGH)
    return found[1].strip(_MARKS) if found else _first_words(text)


def _first_words(text: str) -> str:
    """The first line that says something, without comment marks."""
    said = _SAID.match(text.lstrip())
    bare = (line.strip(_MARKS) for line in ([said[1]] if said else text.split("\n")))
    return next((line for line in bare if line), "")
