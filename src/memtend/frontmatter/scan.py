"""From the text between the fences to entries and faults.

A YAML parser answers with typed values: `1.10` becomes 1.1, `no` becomes False, a day becomes a date, and one
bad line loses the whole block. This scanner keeps each text as it is written and knows the shapes that people
and tools write: plain and quoted scalars, block scalars, comma strings, lists in brackets and one a line, over
several lines, with comments. What is nested deeper is kept raw, and a YAML parser judges whether it is sound.
"""

import re

from memtend.frontmatter.block import (
    ESCAPED,
    Entry,
    Extent,
    Fault,
    Raw,
    Style,
    Value,
    before_newline,
    content_end,
    first_content,
    is_content,
    line_end,
    lines_within,
    readable,
)
from memtend.frontmatter.judge import yaml_type
from memtend.frontmatter.lists import (
    COMMENT,
    Item,
    is_dash,
    is_finished,
    item_faults,
    read_block_list,
    read_flow,
)
from memtend.frontmatter.scalars import (
    HEADER,
    NULLS,
    fold,
    quoted_at,
    read_block_scalar,
    unquote_double,
    unquote_single,
)

KEY = re.compile(
    r"""(?: "(?P<double>[^"\\\r\n]*+(?>(?:\\.[^"\\\r\n]*+)*))" [ \t]*+
    | '(?P<single>[^'\r\n]*+(?>(?:''[^'\r\n]*+)*))' [ \t]*+
    | (?P<plain>(?:[^\s#\-?:,\[\]{}&*!|>'"%@`]|[-?:](?=\S))[^:\r\n]*+(?>(?::(?=\S)[^:\r\n]*+)*)) )
    :(?=\s|\Z)""",
    re.VERBOSE,
)
"""The head of an entry, up to and with its colon."""

_SIMPLE = re.compile(
    r"""([A-Za-z_][\w-]*+)(?P<colon>:)
    (?: [ ]++ (?:
        "(?P<double>[^"\\\r\n]*+)"
      | '(?P<single>[^'\r\n]*+)'
      | \[(?P<flow>[^\[\]{}"'\r\n\#&*!|>%@`:]*+)\]
      | (?P<plain>[A-Za-z0-9_./][^\s:\#]*+(?>(?:[ ][^\s:\#]++)*))
    ) )?
    [ \t]*+(?:(?<=[ \t])\#(?=[ \t])[^\r\n]*+)?\r?(?:\n|\Z)""",
    re.VERBOSE,
)
"""A key with its value on one line, in a common form."""
_SIMPLE_LIST = re.compile(
    r"([ ]*+)-[ ]++[A-Za-z0-9_./][^\s:#]*+(?>(?:[ ][^\s:#]++)*)\r?(?:\n|\Z)"
    r"(?>(?:\1-[ ]++[A-Za-z0-9_./][^\s:#]*+(?>(?:[ ][^\s:#]++)*)\r?(?:\n|\Z))*)"
)
_SIMPLE_ITEM = re.compile(r"-[ ]+([^\r\n]+)")
"""For the lines of a `_SIMPLE_LIST` alone."""

_COLON = re.compile(r":(?=\s|\Z)")
_CONFLICT = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?:\s|\Z)")
_LONE_SIGN = re.compile(r"[-?](?:\s|\Z)")
_MOST_FAULTS = 100
"""Nobody reads on after so many, and a hostile block has one a line."""
_ODD_START = "`@%*&!|>,]}"


class Scan:
    """What a block holds: its entries in order, its faults, and whether an edit of it would be a guess."""

    def __init__(self, text: str, first_line: int = 2) -> None:
        """Scan a block's text, which begins in line `first_line` of the file."""
        self.text = text
        self.entries: list[Entry] = []
        self.faults: list[Fault] = []
        self.is_broken = False
        self.stray_lines = 0
        """Lines that are neither keys nor anything that belongs to one, the marks of a merge aside."""
        self._found: list[tuple[int, str, str]] = []
        self._line, self._line_at = first_line, 0
        self._is_valid: bool | None = None
        self._is_utf8 = text.isascii() or not ESCAPED.search(text)
        at = 0
        while at < len(text):
            at = self._simple(at) or self._any(at)
        self._finish(first_line)

    # --- the common forms ---

    def _simple(self, at: int) -> int:
        """Take an entry in a common form and say where the next line begins; 0 where it is in none."""
        match = _SIMPLE.match(self.text, at)
        if match is None:
            return 0
        end, kind = match.end(), match.lastgroup or ""
        below = self.text[end : end + 1]
        colon = match.end("colon")
        if kind == "colon" and below in (" ", "-"):
            return self._simple_list(match, colon)
        if below in (" ", "\t", "\r", "\n") or (kind == "colon" and below == "#"):
            return 0
        if kind == "colon":
            return self._add(match.group(1), None, Style.NULL, Extent(at, colon, colon, colon, end))
        text = match.group(kind)
        start, stop = match.span(kind)
        if kind == "plain":
            value, style = (None, Style.NULL) if text in NULLS else (text, Style.PLAIN)
            return self._add(match.group(1), value, style, Extent(at, colon, start, stop, end))
        if kind == "flow":
            return self._simple_flow(match, Extent(at, colon, start - 1, stop + 1, end))
        return self._add(match.group(1), text, Style(kind), Extent(at, colon, start - 1, stop + 1, end))

    def _simple_flow(self, match: re.Match[str], extent: Extent) -> int:
        names = [name.strip() for name in match.group("flow").split(",")]
        if not names[-1]:
            names.pop()
        if not NULLS.isdisjoint(names):
            return 0
        return self._add(match.group(1), tuple(names), Style.FLOW, extent)

    def _simple_list(self, head: re.Match[str], colon: int) -> int:
        text, at = self.text, head.end()
        match = _SIMPLE_LIST.match(text, at)
        if match is None or text[match.end() : match.end() + 1] in (" ", "\t", "\r", "\n", "-", "#"):
            return 0
        names = tuple(_SIMPLE_ITEM.findall(match.group()))
        if not NULLS.isdisjoint(names):
            return 0
        end = match.end()
        return self._add(head.group(1), names, Style.BLOCK, Extent(head.start(), colon, at, end, end))

    # --- every form ---

    def _any(self, at: int) -> int:
        """Take whatever begins at `at`, the start of a line, and say where the next line begins."""
        text = self.text
        head = KEY.match(text, at)
        if head is not None:
            end = content_end(text, at)
            return self._value(head, head.end() + len(text[head.end() : end]) - len(text[head.end() : end].lstrip()))
        end = line_end(text, at)
        if is_content(text[at:end]):
            is_conflict = _CONFLICT.match(text, at) is not None
            self.stray_lines += not is_conflict
            message = "a conflict of a merge" if is_conflict else "neither a key, a list entry nor a comment"
            self._break("conflict" if is_conflict else "not-a-key", message, at)
        return end

    def _value(self, head: re.Match[str], at: int) -> int:
        """Take the entry whose value begins at `at`."""
        text = self.text
        sign = text[at : at + 1]
        if at == content_end(text, at) or (sign == "#" and self._is_comment(at)):
            return self._below(head, at)
        if sign in "\"'":
            return self._quoted(head, at)
        if sign in "[{":
            return self._flow(head, at)
        if sign in "|>" and HEADER.match(text, at):
            return self._block_scalar(head, at)
        if sign in "&*!":
            return self._unfamiliar(head, at)
        return self._plain(head, at)

    def _is_comment(self, at: int) -> bool:
        """Whether a hash sign behind a colon begins a comment and not, as in `tags: #one, #two`, the value."""
        is_spaced = not self.text[at + 1 : at + 2].strip(" \t\r\n#!")
        below = line_end(self.text, at)
        return is_spaced or self._continued(below, dashes=True) > below

    def _below(self, head: re.Match[str], at: int) -> int:
        """A key with nothing behind it: no value, a list one a line, or something nested."""
        text, below = self.text, line_end(self.text, at)
        end = self._continued(below, dashes=True)
        if end == below:
            return self._take(head, None, Style.NULL, (head.end(), head.end(), end))
        first = first_content(text, below, end)
        if is_dash(text, first):
            return self._block_list(head, below, end)
        if KEY.match(text, first) or text[first] in "?&*!" or HEADER.match(text, first):
            return self._raw(head, head.end(), end)
        return self._value(head, first)

    def _plain(self, head: re.Match[str], at: int) -> int:
        text, key = self.text, _key(head)
        comment = None
        if text[at] == "#":
            self._fault("cut-at-hash", f"{key}: YAML takes the value for a comment; quote it", at)
        else:
            comment = COMMENT.search(text, at, content_end(text, at))
        stop = comment.start() if comment else content_end(text, at)
        if comment and text[comment.end() : comment.end() + 1].strip():
            self._fault("cut-at-hash", f"{key}: the value may be cut at #; quote it", comment.end() - 1)
        below = line_end(text, at)
        end = below if comment else self._continued(below, dashes=False)
        if end > below:
            stop = self._last_end(key, below, end)
        stop = at + len(text[at:stop].rstrip())
        value = fold(text[at:stop])
        self._check_plain(key, text[at:stop], at)
        if value in NULLS:
            return self._take(head, None, Style.NULL, (at, stop, end))
        return self._take(head, value, Style.PLAIN, (at, stop, end))

    def _last_end(self, key: str, below: int, end: int) -> int:
        """Where a plain text over several lines ends. It must not hold what would be a key or a comment."""
        stop = below
        for start, behind in lines_within(self.text, below, end):
            line = self.text[start:behind].rstrip()
            comment = COMMENT.search(line)
            stop = start + (comment.start() if comment else len(line))
            if (comment or not is_content(line)) and line and behind < end:
                self._break("comment-in-text", f"{key}: a comment within a text of several lines", start)
            elif _COLON.search(line, 0, stop - start):
                self._break("unexpected-indent", f"{key}: an indented key below a value", start)
        return stop

    def _check_plain(self, key: str, value: str, at: int) -> None:
        found = _COLON.search(value)
        if found:
            message = f"{key}: a colon and a blank in a value without quotes; other readers refuse the block"
            self._fault("unquoted-colon", message, at + found.start())
        if value[:1] in _ODD_START and value:
            self._fault("unquoted-sign", f"{key}: a value without quotes cannot begin with {value[0]}", at)
        elif _LONE_SIGN.match(value):
            self._fault("unquoted-sign", f"{key}: a value without quotes cannot begin with {value[0]} and a blank", at)

    def _quoted(self, head: re.Match[str], at: int) -> int:
        text, key, below = self.text, _key(head), line_end(self.text, at)
        end = self._continued(below, dashes=False)
        quoted = quoted_at(text, at, end)
        if quoted is None or not is_finished(text, quoted[2], end):
            return self._misquoted(head, at, end)
        value, style, close = quoted
        if line_end(text, close) < end:
            self._break("unexpected-indent", f"{key}: text below a finished value", line_end(text, close))
        return self._take(head, value, style, (at, close, end))

    def _misquoted(self, head: re.Match[str], at: int, end: int) -> int:
        self._break("broken-quotes", f"{_key(head)}: the quotes do not close where the value ends", at)
        stop = content_end(self.text, at)
        value = self.text[at + 1 : stop].rstrip().removesuffix(self.text[at])
        return self._take(head, value, Style.PLAIN, (at, stop, end))

    def _flow(self, head: re.Match[str], at: int) -> int:
        text, key, below = self.text, _key(head), line_end(self.text, at)
        end = self._continued(below, dashes=False, closing=True)
        flow = read_flow(text, at, end)
        if not flow.end or not is_finished(text, flow.end, end):
            return self._odd_flow(head, at, flow.end, end)
        if flow.odd_at:
            self._break("broken-quotes", f"{key}: text behind a quoted entry", flow.odd_at)
        if line_end(text, flow.end) < end:
            self._break("unexpected-indent", f"{key}: text below a finished value", line_end(text, flow.end))
        if flow.is_nested or text[at] == "{":
            return self._raw(head, at, end, flow.end)
        return self._take(head, self._names(key, flow.items), Style.FLOW, (at, flow.end, end))

    def _odd_flow(self, head: re.Match[str], at: int, close: int, end: int) -> int:
        """A bracket with text behind it, or one that does not close: the line as it is written."""
        text, key, stop = self.text, _key(head), content_end(self.text, at)
        if close and close <= stop and end == line_end(text, at):
            self._fault("text-after-list", f"{key}: text behind a bracket; quote the value", close)
        else:
            self._break("unclosed-list", f"{key}: the bracket does not close where the value ends", at)
        value = text[at:stop].rstrip()
        return self._take(head, value, Style.PLAIN, (at, at + len(value), end))

    def _block_list(self, head: re.Match[str], below: int, end: int) -> int:
        key = _key(head)
        found = read_block_list(self.text, below, end)
        for at, message in found.faults:
            self._break("broken-list", f"{key}: {message}", at)
        if found.is_nested:
            return self._raw(head, head.end(), end)
        for item in found.items:
            for at, code, message in item_faults(self.text, item):
                self._fault(code, f"{key}: {message}", at)
        return self._take(head, self._names(key, found.items), Style.BLOCK, (below, end, end))

    def _names(self, key: str, items: list[Item]) -> tuple[str, ...]:
        for item in items:
            if item.value is None:
                self._fault("null-in-list", f"{key}: an empty entry of the list is left out", item.start)
        return tuple(item.value for item in items if item.value is not None)

    def _block_scalar(self, head: re.Match[str], at: int) -> int:
        found = read_block_scalar(self.text, at)
        if found.odd_at:
            self._break("broken-indent", f"{_key(head)}: this line of the text is indented less", found.odd_at)
        return self._take(head, found.value, found.style, (at, found.value_end, found.end))

    def _unfamiliar(self, head: re.Match[str], at: int) -> int:
        """A tag, an anchor or an alias, or Markdown that looks like one."""
        end = self._continued(line_end(self.text, at), dashes=True)
        if not self._is_sound(head.start(), end):
            return self._plain(head, at)
        return self._raw(head, at if end == line_end(self.text, at) else head.end(), end)

    def _raw(self, head: re.Match[str], at: int, end: int, stop: int = 0) -> int:
        if not self._is_sound(head.start(), end):
            self._break("not-yaml", f"{_key(head)}: the nested value is not valid YAML", head.start())
        stop = stop or before_newline(self.text, end)
        return self._take(head, Raw(self.text[at:stop]), Style.RAW, (at, stop, end))

    def _is_sound(self, start: int, end: int) -> bool:
        """Whether a YAML parser accepts the entry, by itself or in its block."""
        if yaml_type(self.text[start:end]) is not None:
            return True
        if self._is_valid is None:
            self._is_valid = yaml_type(self.text) is not None
        return self._is_valid

    # --- lines, entries, faults ---

    def _continued(self, at: int, *, dashes: bool, closing: bool = False) -> int:
        """Behind the last line from `at` on that belongs to an entry begun above it."""
        end, text = at, self.text
        for start, stop in lines_within(text, at, len(text)):
            line = text[start:stop]
            if not is_content(line):
                continue
            is_part = line[0] in " \t" or (dashes and is_dash(text, start)) or (closing and line[0] in "]}")
            if not is_part:
                break
            end = stop
        return end

    def _take(self, head: re.Match[str], value: Value, style: Style, where: tuple[int, int, int]) -> int:
        """Take an entry whose value begins and ends at, and which ends at, the three places of `where`."""
        return self._add(_key(head), value, style, Extent(head.start(), head.end(), *where))

    def _add(self, key: str, value: Value, style: Style, extent: Extent) -> int:
        self._line += self.text.count("\n", self._line_at, extent.start)
        self._line_at = extent.start
        if not self._is_utf8:
            value = readable(value)
        self.entries.append(Entry(key, value, style, extent, self._line))
        return extent.end

    def _fault(self, code: str, message: str, at: int) -> None:
        if len(self._found) < _MOST_FAULTS:
            self._found.append((at, code, message))

    def _break(self, code: str, message: str, at: int) -> None:
        self.is_broken = True
        self._fault(code, message, at)

    def _finish(self, first_line: int) -> None:
        seen: dict[str, int] = {}
        for entry in self.entries:
            if seen.setdefault(entry.key, entry.line) != entry.line:
                message = f"{entry.key} stands twice, first in line {seen[entry.key]}"
                self._fault("duplicate-key", message, entry.extent.start)
        if "\r" in self.text and self.text.count("\r") != self.text.count("\r\n"):
            self._break("lone-return", "a carriage return without a line feed", self.text.index("\r"))
        if "\n\t" in self.text or self.text.startswith("\t"):
            self._fault(
                "tab-indent",
                "a line that begins with a tab; other readers refuse the block",
                self.text.find("\n\t") + 1,
            )
        if not self._is_utf8:
            self._fault("not-utf8", "a character that is not UTF-8", next(ESCAPED.finditer(self.text)).start())
        line, at = first_line, 0
        for place, code, message in sorted(self._found):
            line += self.text.count("\n", at, place)
            at = place
            self.faults.append(Fault(code, message, line, place - self.text.rfind("\n", 0, place)))


def _key(head: re.Match[str]) -> str:
    if head.group("double") is not None:
        return unquote_double(head.group("double"))
    if head.group("single") is not None:
        return unquote_single(head.group("single"))
    return head.group("plain").rstrip()
