"""Lossless edits of JSON and JSONC (comments, trailing commas): text is put in or taken out, nothing is rewritten.

An edit is `Splice(start, end, text)`. What stands around it keeps its bytes, order, comments and indentation.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memtend.errors import UnusableInput

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_WORD = re.compile(r"[-+.\w]+")
_DEEPEST = 200


class Splice(NamedTuple):
    """Text in the place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Node:
    """A value with its place in the text. `members` are those of an object, `items` those of an array."""

    start: int
    end: int = 0
    kind: str = "value"
    members: "dict[str, Node]" = field(default_factory=dict)
    items: "list[Node]" = field(default_factory=list)
    comma: int = 0
    """Behind the comma that follows the last member or item; 0 where there is none."""
    value: Any = None

    @property
    def last_end(self) -> int:
        """Where the last member or item ends, its comma included; behind the bracket where there is none."""
        children = list(self.members.values()) or self.items
        return max(self.comma, children[-1].end) if children else self.start + 1

    def plain(self) -> Any:
        """The value without places."""
        if self.kind == "object":
            return {key: node.plain() for key, node in self.members.items()}
        return [node.plain() for node in self.items] if self.kind == "array" else self.value


def parse(text: str) -> Node:
    """The value that a text holds. Raises UnusableInput with the line of what is not understood."""
    node = _value(text, _skip(text, 0), 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise _fault(text, end, "something stands behind the value")
    return node


def _value(text: str, at: int, depth: int) -> Node:
    sign = text[at : at + 1]
    if depth > _DEEPEST:
        raise _fault(text, at, "too deep")
    if sign == "{":
        return _container(text, at, depth, "object", "}")
    if sign == "[":
        return _container(text, at, depth, "array", "]")
    found = _STRING.match(text, at) if sign == '"' else _WORD.match(text, at)
    if not found:
        raise _fault(text, at, "a value is missing")
    return Node(at, found.end(), value=_loaded(text, at, found[0]))


def _container(text: str, start: int, depth: int, kind: str, closing: str) -> Node:
    node = Node(start, kind=kind)
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing:
        if node.members or node.items:
            if not node.comma:
                raise _fault(text, at, "a comma is missing")
            node.comma = 0
        key, at = _key(text, at) if kind == "object" else ("", at)
        child = _value(text, at, depth + 1)
        if kind == "object":
            if key in node.members:
                raise _fault(text, at, f"{key!r} stands there twice")
            node.members[key] = child
        else:
            node.items.append(child)
        at = _skip(text, child.end)
        if text[at : at + 1] == ",":
            node.comma = at + 1
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _fault(text, at, "a comma or a closing bracket is missing")
    node.end = at + 1
    return node


def _key(text: str, at: int) -> tuple[str, int]:
    found = _STRING.match(text, at)
    if not found:
        raise _fault(text, at, "a key is missing")
    colon = _skip(text, found.end())
    if text[colon : colon + 1] != ":":
        raise _fault(text, colon, "a colon is missing")
    return _loaded(text, at, found[0]), _skip(text, colon + 1)


def _loaded(text: str, at: int, written: str) -> Any:
    """A value that holds no other."""
    try:
        return json.loads(written)
    except ValueError as fault:
        raise _fault(text, at, f"{written[:20]} is no value") from fault


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _fault(text: str, at: int, what: str) -> UnusableInput:
    line = text.count("\n", 0, at) + 1
    return UnusableInput(f"line {line}: {what}", hint="Mend the file, then run the command again.")


def put(text: str, path: Sequence[str], value: Any) -> list[Splice]:
    """The edit that sets a value at a path of keys; none where it is so already. Raises UnusableInput."""
    if not text.strip("\ufeff \t\r\n"):
        return [Splice(0, len(text), _render(_nested(path, value), 0, "  ") + "\n")]
    node = parse(text)
    for depth, key in enumerate(path):
        if node.kind != "object":
            raise UnusableInput(f"{'.'.join(path[:depth]) or 'the file'} is no object", hint="Mend it by hand.")
        if key not in node.members:
            member = f"{json.dumps(key)}: {{}}"
            return [_added(text, node, member, _nested(path[depth + 1 :], value), depth + 1)]
        node = node.members[key]
    if node.plain() == value:
        return []
    return [Splice(node.start, node.end, _render(value, len(path), _indent(text), _newline(text)))]


def append(
    text: str, path: Sequence[str], value: Any, instead: Callable[[Any], bool] = lambda _: False
) -> list[Splice]:
    """The edit that adds a value to the array at a path; none where it stands there.

    An item that `instead` names is replaced. Raises UnusableInput.
    """
    node = at(text, path)
    if node is None:
        return put(text, path, [value])
    if node.kind != "array":
        raise UnusableInput(f"{'.'.join(path)} is no list", hint="Mend it by hand.")
    depth = len(path) + 1
    for item in node.items:
        if item.plain() == value:
            return []
        if instead(item.plain()):
            return [Splice(item.start, item.end, _render(value, depth, _indent(text), _newline(text)))]
    return [_added(text, node, "{}", value, depth)]


def at(text: str, path: Sequence[str]) -> Node | None:
    """The value at a path, where there is one. Raises UnusableInput."""
    if not text.strip("\ufeff \t\r\n"):
        return None
    node = parse(text)
    for key in path:
        if key not in node.members:
            return None
        node = node.members[key]
    return node


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _added(text: str, node: Node, shape: str, value: Any, depth: int) -> Splice:
    """A new last member or item, on a line of its own."""
    unit, newline = _indent(text), _newline(text)
    rendered = shape.replace("{}", _render(value, depth, unit, newline), 1)
    is_empty = not (node.members or node.items)
    start = node.last_end
    comma = "" if is_empty or node.comma else ","
    rest = text[start : node.end - 1]
    closing = newline + unit * (depth - 1) if "\n" not in rest else ""
    return Splice(start, start, f"{comma}{newline}{unit * depth}{rendered}{closing}")


def _render(value: Any, depth: int, unit: str, newline: str = "\n") -> str:
    rendered = json.dumps(value, ensure_ascii=False, indent=unit)
    return rendered.replace("\n", newline + unit * depth)


def _indent(text: str) -> str:
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def removed(text: str, path: Sequence[str]) -> list[Splice]:
    """The edit that takes a key out, and each object above it that is empty then. Raises UnusableInput."""
    for length in range(len(path), 0, -1):
        above = at(text, path[: length - 1])
        if above is None or path[length - 1] not in above.members:
            return []
        if len(above.members) > 1 or length == 1:
            return [_without(text, above, list(above.members.values()).index(above.members[path[length - 1]]))]
    return []


def items_removed(text: str, path: Sequence[str], values: Sequence[Any]) -> list[Splice]:
    """The edit that takes values out of an array; an array with nothing else goes as a whole."""
    node = at(text, path)
    if node is None or node.kind != "array":
        return []
    places = [place for place, item in enumerate(node.items) if item.plain() in values]
    if not places:
        return []
    if len(places) == len(node.items):
        return removed(text, path)
    return [_without(text, node, places[0])]


def _without(text: str, node: Node, place: int) -> Splice:
    """A child out, with the comma that parted it from its neighbour and the blank space before it."""
    children = list(node.members.values()) or node.items
    begins = list(_begins(text, node))
    if place + 1 < len(children):
        return Splice(begins[place], begins[place + 1], "")
    start = children[place - 1].end if place else node.start + 1
    end = max(node.comma, children[place].end)
    if not place:
        end = node.end - 1 if not text[end : node.end - 1].strip() else end
    return Splice(start, end, "," if node.comma and place else "")


def _begins(text: str, node: Node) -> Iterator[int]:
    """Where each child begins, its key included."""
    at = node.start + 1
    for child in list(node.members.values()) or node.items:
        at = _skip(text, at)
        yield at
        at = _skip(text, child.end)
        at += text[at : at + 1] == ","


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """The text after edits that do not overlap."""
    for splice in sorted(splices, reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    return text
