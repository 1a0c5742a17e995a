"""One value as YAML text and back."""

import re

from memtend.errors import Refused
from memtend.frontmatter.block import NULLS, Style

_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[ \t]*\r?\n[ \t]*|(.))", re.DOTALL)
_FOLD = re.compile(r"[ \t]*(\r?\n)[ \t]*((?:\r?\n[ \t]*)*)")
_NAMED = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


def unquote_double(text: str) -> str:
    """What stands between two double quotes, as a value. An escape that YAML does not know is kept as written."""
    if "\n" in text:
        text = _folded_double(text)
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def unquote_single(text: str) -> str:
    """What stands between two single quotes, as a value."""
    return fold(text).replace("''", "'")


def fold(text: str) -> str:
    """A line break becomes a blank; n blank lines become n line breaks (YAML 1.2, 6.5)."""
    if "\n" not in text:
        return text
    return _FOLD.sub(lambda match: "\n" * match.group(2).count("\n") or " ", text)


def _folded_double(text: str) -> str:
    """Folding that leaves a line end behind a backslash to the escapes."""
    lines = text.split("\n")
    joined = lines[0]
    for line in lines[1:]:
        backslashes = len(joined.rstrip("\r")) - len(joined.rstrip("\r").rstrip("\\"))
        joined = joined + "\n" + line.lstrip(" \t") if backslashes % 2 else joined.rstrip(" \t\r") + "\x00" + line
    return fold(joined.replace("\x00", "\n")) if "\\\n" not in joined else joined.replace("\x00", " ")


def _unescaped(match: re.Match[str]) -> str:
    digits = match.group(1) or match.group(2) or match.group(3)
    if digits:
        code = int(digits, 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else match.group()
    letter = match.group(4)
    return "" if letter is None else _NAMED.get(letter, match.group())


# --- writing ---------------------------------------------------------------------------------------------

_MUST_ESCAPE = re.compile('[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff"\\\\]')
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BY_VALUE = {value: name for name, value in _NAMED.items() if name in '0abtnvfre"\\'}

_SAME_EVERYWHERE = re.compile(r"0|-?[1-9][0-9]{0,17}|[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}")
"""Whole numbers and days: whichever type a YAML reader makes of them, it prints the same text."""
_TYPED = re.compile(
    r"""[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)? | [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
    | 0[xob][0-9A-Fa-f_]+ | [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN) | [=~]|<<
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9:.]+[ \t]*(?:Z|[-+][0-9:]+)?)?
    | (?i:null|true|false|yes|no|on|off|y|n)""",
    re.VERBOSE,
)
"""What some reader, YAML 1.1 or 1.2, takes for something other than text."""
_TOKEN = re.compile(r"[^\W_][\w./+-]*(?<!-)")
"""One word that no reader of YAML can misread, anywhere."""
_NO_START = frozenset("-?:,[]{}#&*!|>'\"%@`")


def is_typed(text: str) -> bool:
    """Whether some YAML reader takes the plain text for a number, a date, a truth value or nothing."""
    return _TYPED.fullmatch(text) is not None


def can_be_plain(text: str, *, in_list: bool = False) -> bool:
    """Whether the text may stand without quotes and be read as the same text, types aside."""
    if text in NULLS or text != text.strip() or text[0] in _NO_START or _UNPRINTABLE.search(text):
        return False
    if ": " in text or " #" in text or text.endswith(":") or text.startswith(("---", "...")):
        return False
    return not in_list or not any(mark in text for mark in ",[]{}:")


def plain_by_default(text: str, *, in_list: bool = False) -> bool:
    """Whether a new value is written without quotes: one plain word, a whole number or a day."""
    if _SAME_EVERYWHERE.fullmatch(text):
        return True
    return _TOKEN.fullmatch(text) is not None and not is_typed(text) and can_be_plain(text, in_list=in_list)


def written(text: str, style: Style | None = None, *, old: str = "", in_list: bool = False) -> str:
    """A text as a YAML scalar on one line, in `style` where it can be.

    `old` is the plain value it replaces: a plain number, date or truth value may be followed by another.
    Raises Refused for half a surrogate pair, which no file in UTF-8 can hold.
    """
    require_writable(text)
    if style is Style.SINGLE and not _UNPRINTABLE.search(text):
        return "'" + text.replace("'", "''") + "'"
    if style is Style.PLAIN and can_be_plain(text, in_list=in_list):
        if not is_typed(text) or _SAME_EVERYWHERE.fullmatch(text) or is_typed(old):
            return text
    elif style is None and plain_by_default(text, in_list=in_list):
        return text
    return '"' + _MUST_ESCAPE.sub(_escaped, text) + '"'


def require_writable(text: str) -> None:
    """Raise Refused for text that has half of a surrogate pair."""
    if _SURROGATE.search(text):
        raise Refused(
            f"{text[:40]!r} holds half of a character and cannot be stored as UTF-8",
            hint="Remove or replace the broken character.",
        )


def _escaped(match: re.Match[str]) -> str:
    char = match.group()
    if char in _BY_VALUE:
        return "\\" + _BY_VALUE[char]
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"
