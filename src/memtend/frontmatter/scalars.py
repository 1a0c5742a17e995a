"""One value as YAML text, and back."""

import re
from typing import NamedTuple

from memtend.errors import Refused
from memtend.frontmatter.block import Style, before_newline, line_end, lines_within

NULLS = frozenset(("", "~", "null", "Null", "NULL"))
"""Plain texts that mean no value."""

# --- reading ---------------------------------------------------------------------------------------------

_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*|(.))", re.DOTALL
)
_NAMED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
DOUBLE = re.compile(r'"([^"\\]*+(?>(?:\\.[^"\\]*+)*))"', re.DOTALL)
SINGLE = re.compile(r"'([^']*+(?>(?:''[^']*+)*))'")


def quoted_at(text: str, at: int, end: int) -> tuple[str, Style, int] | None:
    """The quoted scalar that opens at `at`: its value, its style and where it closes; None where it does not."""
    is_double = text[at] == '"'
    match = (DOUBLE if is_double else SINGLE).match(text, at, end)
    if match is None:
        return None
    value = unquote_double(match.group(1)) if is_double else unquote_single(match.group(1))
    return value, Style.DOUBLE if is_double else Style.SINGLE, match.end()


def unquote_double(text: str) -> str:
    """What stands between two double quotes, as a value. An escape that YAML does not know is kept as written."""
    if "\\" not in text:
        return fold(text)
    if "\n" not in text:
        return _ESCAPE.sub(_unescaped, text)
    pieces = _split_at_escaped_breaks(text)
    return "".join(_ESCAPE.sub(_unescaped, fold(piece)) for piece in pieces)


_ESCAPED_BREAK = re.compile(r"((?:^|[^\\])(?>(?:\\\\)*))\\[ \t]*\r?\n[ \t]*")


def _split_at_escaped_breaks(text: str) -> list[str]:
    """The pieces between line ends that a backslash takes away (YAML 1.2, 7.3.1)."""
    pieces: list[str] = []
    at = 0
    for match in _ESCAPED_BREAK.finditer(text):
        pieces.append(text[at : match.end(1)])
        at = match.end()
    return [*pieces, text[at:]]


def _unescaped(match: re.Match[str]) -> str:
    digits = match.group(1) or match.group(2) or match.group(3)
    if digits:
        code = int(digits, 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match.group()
    letter = match.group(4)
    return "" if letter is None else _NAMED.get(letter, match.group())


def unquote_single(text: str) -> str:
    """What stands between two single quotes, as a value."""
    return fold(text).replace("''", "'")


def fold(text: str) -> str:
    """Lines as one text: a line end becomes a blank, n blank lines become n line ends (YAML 1.2, 6.5)."""
    if "\n" not in text:
        return text
    first, *lines = text.split("\n")
    pieces = [first.rstrip(" \t\r")]
    blank = 0
    for i, line in enumerate(lines):
        stripped = line.lstrip(" \t\r") if i == len(lines) - 1 else line.strip(" \t\r")
        if stripped or i == len(lines) - 1:
            pieces += ("\n" * blank or " ", stripped)
            blank = 0
        else:
            blank += 1
    return "".join(pieces)


HEADER = re.compile(r"[|>](?:([1-9])([+-]?)|([+-])([1-9]?))?[ \t]*+(?:(?<=[ \t])#[^\r\n]*+)?(?=\r?\n|\Z)")
"""The first line of a block scalar: its sign, an indentation, what becomes of its last line ends, a comment."""


class BlockScalar(NamedTuple):
    """A text on indented lines of its own."""

    value: str
    style: Style
    value_end: int
    end: int
    odd_at: int
    """A line that is indented less than the first; 0 without one."""


def read_block_scalar(text: str, at: int) -> BlockScalar:
    """The block scalar whose `HEADER` begins at `at`."""
    header = HEADER.match(text, at)
    digit, chomp = (header.group(1) or header.group(4), header.group(2) or header.group(3)) if header else ("", "")
    lines: list[tuple[int, str]] = []
    indent = int(digit or 0)
    end = below = line_end(text, at)
    odd_at = 0
    for start, stop in lines_within(text, below, len(text)):
        row = text[start:stop].rstrip("\r\n")
        depth = len(row) - len(row.lstrip(" "))
        if text[start] not in " \t\r\n" or (row.lstrip().startswith("#") and 0 < depth < indent):
            break
        if row.strip(" "):
            indent = indent or depth
            odd_at = odd_at or (start if depth < max(1, indent) else 0)
        lines.append((stop, row))
    rows = [row[indent:] if indent else "" for _, row in lines]
    body = len(rows)
    while body and not rows[body - 1]:
        body -= 1
    last = len(rows) if chomp == "+" else body
    end = lines[last - 1][0] if last else below
    value = _folded(rows[:body]) if text[at] == ">" else "\n".join(rows[:body])
    value += {"-": "", "+": "\n" * (len(rows) - body + (body > 0))}.get(chomp or "", "\n" if body else "")
    return BlockScalar(
        value, Style.FOLDED if text[at] == ">" else Style.LITERAL, before_newline(text, end), end, odd_at
    )


def _folded(rows: list[str]) -> str:
    """Rows joined by blanks, except around rows that are indented further (YAML 1.2, 8.1.3)."""
    pieces: list[str] = []
    blank = 0
    was_deeper = True
    for row in rows:
        if not row:
            blank += 1
            continue
        is_deeper = row[0] in " \t"
        if not pieces:
            pieces.append("\n" * blank)
        elif was_deeper or is_deeper:
            pieces.append("\n" * (blank + 1))
        else:
            pieces.append("\n" * blank or " ")
        pieces.append(row)
        was_deeper, blank = is_deeper, 0
    return "".join(pieces)


# --- writing ---------------------------------------------------------------------------------------------

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_MUST_ESCAPE = re.compile('[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff"\\\\]')
_SURROGATE = re.compile("[\ud800-\udfff]")
_BY_VALUE = {value: name for name, value in _NAMED.items() if name in '0abtnvfre"\\'}

_SAME_EVERYWHERE = re.compile(r"0|-?[1-9][0-9]{0,17}|[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}")
"""Whole numbers and days: whichever type a YAML reader makes of them, it prints the same text."""
_TYPED = re.compile(
    r"""[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)? | [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
    | [-+]?0[xob][0-9A-Fa-f_]+ | [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN) | [=~] | <<
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9:.]+[ \t]*(?:Z|[-+][0-9:]+)?)?
    | (?i:null|true|false|yes|no|on|off|y|n)""",
    re.VERBOSE,
)
"""What some reader, of YAML 1.1 or 1.2, takes for something other than text."""
_TOKEN = re.compile(r"[^\W_][\w./+-]*(?<!-)")
"""One word that no reader can misread, wherever it stands."""
_NO_START = frozenset("-?:,[]{}#&*!|>'\"%@`")


def is_typed(text: str) -> bool:
    """Whether some YAML reader takes the plain text for a number, a date, a truth value or nothing."""
    return _TYPED.fullmatch(text) is not None


def can_be_plain(text: str, *, in_list: bool = False) -> bool:
    """Whether the text may stand without quotes and is read as the same text, types aside."""
    if _SAME_EVERYWHERE.fullmatch(text):
        return True
    if text in NULLS or text != text.strip() or text[0] in _NO_START or _UNPRINTABLE.search(text):
        return False
    if ": " in text or " #" in text or text.endswith(":") or text.startswith("..."):
        return False
    return not in_list or not any(mark in text for mark in ",[]{}:")


def written(text: str, style: Style | None = None, *, old: str = "", in_list: bool = False) -> str:
    """A text as a YAML scalar on one line, in `style` where that can hold it.

    Without a style only plain words, whole numbers and days go without quotes. `old` is the plain text that is
    replaced: where it is a number, a date or a truth value, another one may follow it without quotes.
    Raises Refused for half of a surrogate pair, which no file in UTF-8 can hold.
    """
    require_writable(text)
    if style is Style.SINGLE and not _UNPRINTABLE.search(text):
        return "'" + text.replace("'", "''") + "'"
    is_short = style is None and (_TOKEN.fullmatch(text) or _SAME_EVERYWHERE.fullmatch(text))
    if (is_short or style is Style.PLAIN) and _stays(text, old) and can_be_plain(text, in_list=in_list):
        return text
    return '"' + _MUST_ESCAPE.sub(_escaped, text) + '"'


def _stays(text: str, old: str) -> bool:
    """Whether a plain text means to every reader what it should mean."""
    return not is_typed(text) or _SAME_EVERYWHERE.fullmatch(text) is not None or (old != "" and is_typed(old))


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    if char in _BY_VALUE:
        return "\\" + _BY_VALUE[char]
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


def block_written(value: str, style: Style, newline: str) -> str | None:
    """A text as a block scalar from its sign to its last line; None where that cannot hold it simply."""
    require_writable(value)
    body = value.removesuffix("\n")
    rows = body.split("\n")
    is_odd = not body or body[0] in " \t\n" or body.endswith("\n") or any(row.isspace() for row in rows)
    if is_odd or _UNPRINTABLE.search(body.replace("\n", "")):
        return None
    sign = ">" if style is Style.FOLDED and len(rows) == 1 else "|"
    chomp = "" if value.endswith("\n") else "-"
    return newline.join((sign + chomp, *("  " + row if row else "" for row in rows)))


def require_writable(text: str) -> None:
    """Raise Refused for text that holds half of a surrogate pair."""
    if _SURROGATE.search(text):
        raise Refused(
            f"{text[:40]!r} holds half of a character and cannot be stored as UTF-8",
            hint="Remove or replace the broken character.",
        )
