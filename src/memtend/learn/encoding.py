"""Bytes to text: which encoding a file is in, and which files are no text at all.

UTF-8 and every file with a byte order mark are read strictly. Only what is not UTF-8 is guessed, the guess is
named, and what cannot be read without damage is refused: no replacement character ever gets into a memory.
"""

import codecs
from typing import NamedTuple

from memtend.errors import UnusableInput

SNIFFED_BYTES = 8192
"""How much of a file tells whether it is text."""

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BINARY_STARTS = (
    b"%PDF-",
    b"PK\x03\x04",
    b"\x89PNG",
    b"GIF8",
    b"\xff\xd8\xff",
    b"\x1f\x8b",
    b"\x7fELF",
    b"SQLite format 3",
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\b\x1b")) + b"\x7f"
_GREATEST_CONTROL_SHARE = 0.01
_GREATEST_FOREIGN_SHARE = 0.3
"""Of the letters of a text in a Western European language that ASCII does not have, by far."""


class Decoded(NamedTuple):
    """A file's text, its line ends made one newline, without byte order mark; and the encoding it was in."""

    text: str
    encoding: str


def decode(data: bytes) -> Decoded:
    """The text of a file. Raises UnusableInput, with the reason, where there is none."""
    marked = _marked_encoding(data)
    if marked:
        text = _strict(data, marked)
    else:
        if is_binary(data):
            raise UnusableInput("binary, not text", hint="Give a text file.")
        text, marked = _unmarked(data)
    if "\0" in text:
        raise UnusableInput("binary, not text", hint="Give a text file.")
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), marked)


def is_binary(head: bytes) -> bool:
    """Whether the first bytes of a file show that it is no text."""
    if _marked_encoding(head):
        return False
    if b"\0" in head or head.startswith(_BINARY_STARTS):
        return True
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls > _GREATEST_CONTROL_SHARE * len(head)


def _marked_encoding(data: bytes) -> str:
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "")


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as fault:
        raise UnusableInput(
            f"damaged {encoding.removesuffix('-sig').upper()} at byte {fault.start}",
            hint="Repair the file, or save it as UTF-8.",
        ) from fault


def _unmarked(data: bytes) -> Decoded:
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        lenient = data.decode("utf-8", "surrogateescape")
    strange = sum("\udc80" <= char <= "\udcff" for char in lenient)
    foreign = sum(char > "\x7f" for char in lenient) - strange
    if foreign > strange:  # UTF-8 with a few bad bytes: any other reading would spoil the rest
        _strict(data, "utf-8")
    return _guessed(data)


def _guessed(data: bytes) -> Decoded:
    """What is not UTF-8: cp1252 (which holds Latin-1's letters) unless the bytes speak for something else.

    Raises UnusableInput where nothing speaks for any encoding: a wrong guess would be stored as nonsense.
    """
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    is_sure = best is not None and best.coherence > 0
    try:
        western = data.decode("cp1252")
    except UnicodeDecodeError:
        western = ""
    if best is not None and is_sure and (text := data.decode(best.encoding)) != western:
        return Decoded(text, best.encoding)
    strange = sum(char > "\x7f" for char in western)
    if not western or (strange > _GREATEST_FOREIGN_SHARE * len(western) and not is_sure):
        raise UnusableInput("binary, or text in an unknown encoding", hint="Save it as UTF-8.")
    return Decoded(western, "cp1252")
