"""From the text between the fences to entries and faults."""

import re
from typing import NamedTuple

from memtend.frontmatter.block import (
    KEY,
    NULLS,
    Entry,
    Fault,
    Raw,
    Style,
    Value,
    content_end,
    line_end,
    lines_from,
)
from memtend.frontmatter.scalars import fold, unquote_double, unquote_single

_SIMPLE = re.compile(
    r"""([A-Za-z_][\w-]*):
    (?: [ ]+ (?:
        "(?P<double>[^"\\\r\n]*)"
      | '(?P<single>[^'\r\n]*)'
      | \[(?P<flow>[^\[\]{}"'\r\n\#&*!|>%@`:]*)\]
      | (?P<plain>[A-Za-z0-9_./][^\s:\#]*(?:[ ][^\s:\#]+)*)
    ) )?
    [ \t]*(?:[ \t]\#[^\r\n]*)?\r?(?:\n|\Z)""",
    re.VERBOSE,
)
"""One key on one line in a common form."""
_SIMPLE_LIST = re.compile(
    r"([ ]*)-[ ]+[A-Za-z0-9_./][^\s:#]*(?:[ ][^\s:#]+)*\r?(?:\n|\Z)"
    r"(?:\1-[ ]+[A-Za-z0-9_./][^\s:#]*(?:[ ][^\s:#]+)*\r?(?:\n|\Z))*"
)
_SIMPLE_ITEM = re.compile(r"-[ ]+([^\r\n]+)")

_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_AFTER_VALUE = re.compile(r"[ \t]*(?:[ \t]#[^\n]*)?\r?(?:\n|\Z)")
_COMMENT = re.compile(r"[ \t]+#")
_HEADER = re.compile(r"[|>](?:([1-9])([+-]?)|([+-])([1-9]?))?[ \t]*(?:[ \t]#[^\r\n]*)?(?=\r?\n|\Z)")
_FLOW = re.compile(r"""\s+|"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\#[^\n]*|[\[\]{},]|[^\s\[\]{},][^\[\]{},\n]*""", re.DOTALL)


class Item(NamedTuple):
    """One item of a list and where its text lies."""

    value: str | None
    style: Style
    start: int
    end: int


class Scan:
    """What a block holds: entries in order, faults, and whether an edit would be a guess."""

    def __init__(self, text: str, first_line: int) -> None:
        self.text = text
        self.entries: list[Entry] = []
        self.faults: list[Fault] = []
        self.is_broken = False
        self._line = first_line
        self._line_at = 0
        at = 0
        while at < len(text):
            at = self._simple(at) or self._entry(at)
        self._check_whole()

    # --- the common forms ---

    def _simple(self, at: int) -> int:
        """Take an entry in a common form; 0 where it is not in one."""
        match = _SIMPLE.match(self.text, at)
        if match is None:
            return 0
        text, end, kind = self.text, match.end(), match.lastgroup
        following = text[end : end + 1]
        if following in (" ", "\t") or (following == "-" and kind is None):
            return self._simple_list(match) if kind is None else 0
        if kind is None:
            colon = match.end(1) + 1
            self._add(match.group(1), None, Style.NULL, at, colon, colon, end)
            return end
        value: Value = match.group(kind)
        start, stop = match.span(kind)
        if kind == "flow":
            names = [name.strip() for name in match.group(kind).split(",")]
            if names and not names[-1]:
                names.pop()
            if not NULLS.isdisjoint(names):
                return 0
            value = tuple(names)
        elif kind == "plain" and value in NULLS:
            value, kind = None, "null"
        if kind in ("double", "single", "flow"):
            start, stop = start - 1, stop + 1
        self._add(match.group(1), value, Style(kind), at, start, stop, end)
        return end

    def _simple_list(self, head: re.Match[str]) -> int:
        text, at = self.text, head.end()
        match = _SIMPLE_LIST.match(text, at)
        if match is None or text[match.end() : match.end() + 1] in (" ", "\t", "-"):
            return 0
        names: tuple[str, ...] = tuple(_SIMPLE_ITEM.findall(match.group()))
        if not NULLS.isdisjoint(names):
            return 0
        self._add(head.group(1), names, Style.BLOCK, head.start(), at, match.end(), match.end())
        return match.end()

    # --- every form ---

    def _entry(self, at: int) -> int:
        """Take whatever begins at `at`, which is the start of a line; the start of the next."""
        text = self.text
        head = KEY.match(text, at)
        if head is not None:
            return self._value(head, head.end())
        end = line_end(text, at)
        line = text[at:end].strip()
        if line and not line.startswith("#"):
            self._break("not-a-key", "this line is neither a key, a list item nor a comment", at)
        return end

    def _value(self, head: re.Match[str], at: int) -> int:
        sign = self.text[at : at + 1]
        if sign in ("", "\n", "\r") or self.text.startswith("\r\n", at):
            return self._children(head, at)
        if sign == "#":
            return self._hash(head, at)
        if sign in "\"'":
            return self._quoted(head, at)
        if sign in "[{":
            return self._flow(head, at)
        if sign in "|>" and _HEADER.match(self.text, at):
            return self._block_scalar(head, at)
        if sign in "&*!":
            return self._unfamiliar(head, at)
        return self._plain(head, at)

    def _hash(self, head: re.Match[str], at: int) -> int:
        if self.text[at + 1 : at + 2] in ("", " ", "\t", "\r", "\n", "#", "!"):
            return self._children(head, at)
        self._fault("cut-at-hash", f"{_key(head)}: YAML takes the value for a comment; quote it", at)
        end = content_end(self.text, at)
        value = self.text[at:end].rstrip()
        return self._add(_key(head), value, Style.PLAIN, head.start(), at, at + len(value), line_end(self.text, at))

    def _children(self, head: re.Match[str], at: int) -> int:
        """A key with nothing on its line: an empty value, a block list, or something nested."""
        text, below = self.text, line_end(self.text, at)
        end = self._continued(below, dashes=True)
        colon = text.rindex(":", head.start(), head.end()) + 1
        if end == below:
            return self._add(_key(head), None, Style.NULL, head.start(), colon, colon, end)
        first = _first_content(text, below, end)
        if text.startswith(("- ", "-\n", "-\r", "-\t"), first) or text[first:end] == "-":
            return self._block_list(head, below, end)
        if KEY.match(text, first):
            return self._raw(head, end)
        return self._value(head, first)

    def _plain(self, head: re.Match[str], at: int) -> int:
        text, key, stop = self.text, _key(head), content_end(self.text, at)
        comment = _COMMENT.search(text, at, stop)
        if comment:
            stop = comment.start()
            if text[comment.end() : comment.end() + 1].strip():
                self._fault("cut-at-hash", f"{key}: the value may be cut at #; quote it", comment.end() - 1)
        below = line_end(text, at)
        end = below if comment else self._continued(below, dashes=False)
        if end > below:
            stop = content_end(text, end - 1)
            if any(KEY.match(text, _first_content(text, s, e)) for s, e in lines_from(text[:end], below)):
                self._break("unexpected-indent", f"{key}: an indented key below a value", below)
        value = fold(text[at:stop].rstrip())
        stop = at + len(text[at:stop].rstrip())
        self._check_plain(key, text[at:stop], at)
        if value in NULLS:
            return self._add(key, None, Style.NULL, head.start(), at, stop, end)
        return self._add(key, value, Style.PLAIN, head.start(), at, stop, end)

    def _check_plain(self, key: str, value: str, at: int) -> None:
        found = re.search(r":(?=\s|\Z)", value)
        if found:
            message = f"{key}: a colon and a blank in a value without quotes; YAML readers refuse the block"
            self._fault("unquoted-colon", message, at + found.start())
        if value[0] in "`@%*&!|>,]}{[" or value.startswith(("- ", "? ")) or value in ("-", "?"):
            self._fault("unquoted-sign", f"{key}: a value without quotes cannot begin with {value[0]}", at)

    def _quoted(self, head: re.Match[str], at: int) -> int:
        text, key, below = self.text, _key(head), line_end(self.text, at)
        is_double = text[at] == '"'
        pattern = _DOUBLE if is_double else _SINGLE
        match = pattern.match(text, at, below)
        end = self._continued(below, dashes=False)
        if match is None and end > below:
            match = pattern.match(text, at, end)
        style = Style.DOUBLE if is_double else Style.SINGLE
        if match is None or not _AFTER_VALUE.match(text, match.end()):
            return self._misquoted(head, at, style)
        value = unquote_double(match.group(1)) if is_double else unquote_single(match.group(1))
        close = line_end(text, match.end())
        if end > close:
            self._break("unexpected-indent", f"{key}: text below a finished value", close)
        return self._add(key, value, style, head.start(), at, match.end(), max(end, close))

    def _misquoted(self, head: re.Match[str], at: int, style: Style) -> int:
        key, stop = _key(head), content_end(self.text, at)
        self._break("broken-quotes", f"{key}: the quotes do not close where the value ends", at)
        value = self.text[at + 1 : stop].rstrip().removesuffix(self.text[at])
        end = self._continued(line_end(self.text, at), dashes=False)
        return self._add(key, value, style, head.start(), at, stop, end)

    def _flow(self, head: re.Match[str], at: int) -> int:
        text, key, below = self.text, _key(head), line_end(self.text, at)
        end = self._continued(below, dashes=False, closing=True)
        items, close, is_nested = flow_items(text, at, end)
        if close and not _AFTER_VALUE.match(text, close):
            if close <= below and end == below:
                self._fault("text-after-list", f"{key}: text behind a bracket; quote the value", close)
                stop = content_end(text, at)
                value = text[at:stop].rstrip()
                return self._add(key, value, Style.PLAIN, head.start(), at, at + len(value), end)
            close = 0
        if not close:
            self._break("unclosed-list", f"{key}: the bracket does not close", at)
            stop = content_end(text, at)
            return self._add(key, text[at:stop], Style.PLAIN, head.start(), at, stop, below)
        if line_end(text, close - 1) < end:
            self._break("unexpected-indent", f"{key}: text below a finished value", line_end(text, close - 1))
        if is_nested or text[at] == "{":
            return self._raw(head, end)
        value_ = self._list_value(key, items)
        return self._add(key, value_, Style.FLOW, head.start(), at, close, end)

    def _list_value(self, key: str, items: list[Item]) -> tuple[str, ...]:
        for item in items:
            if item.value is None:
                self._fault("null-in-list", f"{key}: an empty entry of the list was left out", item.start)
        return tuple(item.value for item in items if item.value is not None)

    def _block_list(self, head: re.Match[str], below: int, end: int) -> int:
        key = _key(head)
        items, fault = block_items(self.text, below, end)
        if fault:
            self._break("broken-list", f"{key}: {fault[1]}", fault[0])
        if items is None:
            return self._raw(head, end)
        for item in items:
            self._check_item(key, item)
        return self._add(key, self._list_value(key, items), Style.BLOCK, head.start(), below, end, end)

    def _check_item(self, key: str, item: Item) -> None:
        if item.style is Style.PLAIN and item.value and item.value[0] in "`@%*&!|>,]}":
            self._fault(
                "unquoted-sign", f"{key}: an entry without quotes cannot begin with {item.value[0]}", item.start
            )
        if item.style is Style.PLAIN and item.value and item.value[0] in "[{":
            _, close, _ = flow_items(self.text, item.start, item.end)
            if close != item.end:
                self._fault("text-after-list", f"{key}: text behind a bracket; quote the entry", item.start)

    def _block_scalar(self, head: re.Match[str], at: int) -> int:
        text, key = self.text, _key(head)
        header = _HEADER.match(text, at)
        below = line_end(text, at)
        end = below
        for start, stop in lines_from(text, below):
            if text[start] not in " \t\r\n":
                break
            end = stop
        if header is None:  # pragma: no cover - the caller has matched it
            return self._plain(head, at)
        digit = header.group(1) or header.group(4)
        chomp = header.group(2) or header.group(3) or ""
        lines = text[below:end].replace("\r\n", "\n")
        indent = int(digit) if digit else _indent_of(lines)
        if any(line.strip(" ") and not line.startswith(" " * indent) for line in lines.split("\n")):
            self._break("broken-indent", f"{key}: the lines of the text are not indented alike", below)
        value = _block_value(lines, indent, chomp, is_folded=text[at] == ">")
        style = Style.FOLDED if text[at] == ">" else Style.LITERAL
        if chomp != "+":
            end = below + len(text[below:end].rstrip()) if text[below:end].strip() else below
            end = line_end(text, end - 1) if end > below else below
        return self._add(key, value, style, head.start(), at, content_end(text, max(at, end - 1)), end)

    def _unfamiliar(self, head: re.Match[str], at: int) -> int:
        """A tag, an anchor or an alias, or Markdown that looks like one."""
        below = line_end(self.text, at)
        end = self._continued(below, dashes=True)
        if accepts(self.text[head.start() : end]) or accepts(self.text):
            return self._raw(head, end)
        return self._plain(head, at)

    def _raw(self, head: re.Match[str], end: int) -> int:
        colon = self.text.rindex(":", head.start(), head.end()) + 1
        if not accepts(self.text[head.start() : end]) and not accepts(self.text):
            self._break("not-yaml", f"{_key(head)}: the nested value is not valid YAML", head.start())
        stop = content_end(self.text, end - 1)
        return self._add(_key(head), Raw(self.text[colon:stop]), Style.RAW, head.start(), colon, stop, end)

    # --- lines ---

    def _continued(self, at: int, *, dashes: bool, closing: bool = False) -> int:
        """Behind the last line from `at` on that belongs to an entry begun above it."""
        end, text = at, self.text
        for start, stop in lines_from(text, at):
            stripped = text[start:stop].strip()
            if not stripped or stripped.startswith("#"):
                continue
            is_item = dashes and (stripped == "-" or text.startswith(("- ", "-\t"), start))
            if not (text[start] in " \t" or is_item or (closing and stripped[0] in "]}")):
                break
            end = stop
        return end

    def _add(self, key: str, value: Value, style: Style, start: int, value_start: int, value_end: int, end: int) -> int:
        line = self._line_of(start)
        self.entries.append(Entry(key, value, style, line, start, value_start, value_end, end))
        return end

    def _line_of(self, at: int) -> int:
        self._line += self.text.count("\n", self._line_at, at)
        self._line_at = at
        return self._line

    def _fault(self, code: str, message: str, at: int) -> None:
        line = self._line + self.text.count("\n", self._line_at, at)
        column = at - (self.text.rfind("\n", 0, at) + 1) + 1
        self.faults.append(Fault(code, message, line, column))

    def _break(self, code: str, message: str, at: int) -> None:
        self.is_broken = True
        self._fault(code, message, at)

    def _check_whole(self) -> None:
        seen: dict[str, int] = {}
        for entry in self.entries:
            if entry.key in seen:
                message = f"{entry.key} stands twice (first in line {seen[entry.key]})"
                self.faults.append(Fault("duplicate-key", message, entry.line, 1))
            seen.setdefault(entry.key, entry.line)
        if "\r" in self.text and self.text.count("\r") != self.text.count("\r\n"):
            self._break("lone-return", "a carriage return without a line feed", self.text.index("\r"))


def _key(head: re.Match[str]) -> str:
    double, single = head.group("double"), head.group("single")
    if double is not None:
        return unquote_double(double)
    return str(head.group("plain")).rstrip() if single is None else unquote_single(single)


def _first_content(text: str, at: int, end: int) -> int:
    """The first character from `at` on that is neither blank nor in a comment line."""
    for start, stop in lines_from(text[:end], at):
        stripped = text[start:stop].lstrip()
        if stripped and not stripped.startswith("#"):
            return stop - len(stripped)
    return end


def flow_items(text: str, at: int, end: int) -> tuple[list[Item], int, bool]:
    """The items of the list that opens at `at`; behind its bracket (0: it does not close); whether it is nested."""
    items: list[Item] = []
    depth, is_nested, fresh = 0, False, True
    for token in _FLOW.finditer(text, at, end):
        sign = token.group()[0]
        if sign in "[{":
            depth += 1
            is_nested = is_nested or depth > 1
        elif sign in "]}":
            depth -= 1
            if depth == 0:
                return items, token.end(), is_nested
        elif sign == ",":
            if fresh and depth == 1:
                items.append(Item(None, Style.NULL, token.start(), token.start()))
            fresh = True
        elif not sign.isspace() and not (sign == "#" and text[token.start() - 1].isspace()):
            items.append(_flow_item(token)) if fresh else items.append(_joined(text, items.pop(), token))
            fresh = False
    return items, 0, is_nested


def _flow_item(token: re.Match[str]) -> Item:
    text = token.group()
    if text[0] == '"' and len(text) > 1 and text.endswith('"'):
        return Item(unquote_double(text[1:-1]), Style.DOUBLE, *token.span())
    if text[0] == "'" and len(text) > 1 and text.endswith("'"):
        return Item(unquote_single(text[1:-1]), Style.SINGLE, *token.span())
    comment = _COMMENT.search(text)
    text = (text[: comment.start()] if comment else text).rstrip()
    value = None if text in NULLS else text
    return Item(value, Style.PLAIN if value else Style.NULL, token.start(), token.start() + len(text))


def _joined(text: str, item: Item, token: re.Match[str]) -> Item:
    end = token.start() + len(token.group().rstrip())
    return Item(fold(text[item.start : end]), Style.PLAIN, item.start, end)


def block_items(text: str, at: int, end: int) -> tuple[list[Item] | None, tuple[int, str] | None]:
    """The items of a block list (None: some are nested) and the first fault with its place."""
    items: list[Item] = []
    indent = -1
    fault: tuple[int, str] | None = None
    for start, stop in lines_from(text[:end], at):
        stripped = text[start:stop].strip()
        if not stripped or stripped.startswith("#"):
            continue
        depth = len(text[start:stop]) - len(text[start:stop].lstrip(" \t"))
        indent = depth if indent < 0 else indent
        if depth > indent and items:
            if items[-1].style is not Style.PLAIN or KEY.match(text, items[-1].start):
                return None, fault
            items[-1] = _longer(text, items[-1], stop)
        elif depth == indent and (stripped == "-" or stripped.startswith(("- ", "-\t"))):
            item, problem = _block_item(text, start + depth + 1, content_end(text, start))
            items.append(item)
            fault = fault or problem
        else:
            fault = fault or (start, "this line is no entry of the list")
    return items, fault


def _longer(text: str, item: Item, stop: int) -> Item:
    end = item.start + len(text[item.start : stop].rstrip())
    return Item(fold(text[item.start : end]), Style.PLAIN, item.start, end)


def _block_item(text: str, at: int, end: int) -> tuple[Item, tuple[int, str] | None]:
    start = at + len(text[at:end]) - len(text[at:end].lstrip())
    if text[start : start + 1] in ("'", '"') and start < end:
        is_double = text[start] == '"'
        match = (_DOUBLE if is_double else _SINGLE).match(text, start, end)
        if match is None or not _AFTER_VALUE.match(text, match.end(), end):
            return Item(text[start:end].rstrip(), Style.PLAIN, start, end), (start, "the quotes do not close")
        value = unquote_double(match.group(1)) if is_double else unquote_single(match.group(1))
        return Item(value, Style.DOUBLE if is_double else Style.SINGLE, *match.span()), None
    comment = _COMMENT.search(text, at, end)
    content = text[start : comment.start() if comment and comment.start() >= start else end].rstrip()
    if comment and comment.start() < start:
        content = ""
    value_ = None if content in NULLS else content
    return Item(value_, Style.PLAIN if value_ else Style.NULL, start, start + len(content)), None


def _indent_of(lines: str) -> int:
    for line in lines.split("\n"):
        if line.strip(" "):
            return max(1, len(line) - len(line.lstrip(" ")))
    return 1


def _block_value(lines: str, indent: int, chomp: str, *, is_folded: bool) -> str:
    """The value of a block scalar (YAML 1.2, 8.1): indentation off, folded for `>`, end as chomping says."""
    rows = [line[indent:] for line in lines.split("\n")]
    if lines.endswith("\n"):
        rows.pop()
    body = len(rows)
    while body and not rows[body - 1]:
        body -= 1
    tail = len(rows) - body
    text = _folded(rows[:body]) if is_folded else "\n".join(rows[:body])
    if chomp == "-":
        return text
    if chomp == "+":
        return text + "\n" * (tail + 1 if body else tail)
    return text + "\n" if body else ""


def _folded(rows: list[str]) -> str:
    text = ""
    breaks = 0
    previous = ""
    for i, row in enumerate(rows):
        if not row:
            breaks += 1
            continue
        if i == breaks and not text:
            text = "\n" * breaks + row
        elif previous[:1] in " \t" or row[0] in " \t":
            text += "\n" * (breaks + 1) + row
        else:
            text += ("\n" * breaks or " ") + row
        previous, breaks = row, 0
    return text


def accepts(text: str) -> bool:
    """Whether a YAML parser takes the text for valid."""
    import ryaml

    try:
        ryaml.loads(text.encode("utf-8", "replace").decode())
    except ryaml.InvalidYamlError:
        return False
    return True
