"""Cuts a memory into the pieces that get vectors: one vector for a long text would lose a third of it.

A piece is some paragraphs of about 60 words. Each starts with the title and the keywords, which say what it is about.
Loaded only when something has to be written.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORDS = 60
_MOST_PIECES = 400
"""Of one memory; what comes after is found by its words alone."""

_BITS = bytes(ord("1") if byte > 127 else ord("0") for byte in range(256))
_SQUARES = [min(byte, 256 - byte) ** 2 for byte in range(256)]
"""Of each byte, read as a number with a sign."""


def pieces(title: str, keywords: "Sequence[str]", text: str) -> "Iterator[str]":
    """The pieces of a memory, at least one."""
    head = f"{title}. {', '.join(keywords)}\n"
    found = 0
    for piece in _cut(text):
        yield head + piece
        found += 1
        if found == _MOST_PIECES:
            return
    if not found:
        yield head


def _cut(text: str) -> "Iterator[str]":
    """Neighbouring paragraphs together, up to the size; longer ones by words."""
    waiting: list[str] = []
    size = 0
    for paragraph in text.split("\n\n"):
        words = paragraph.split()
        if size and size + len(words) > _WORDS:
            yield " ".join(waiting)
            waiting, size = [], 0
        waiting += words
        size += len(words)
        while size > 2 * _WORDS:
            yield " ".join(waiting[:_WORDS])
            waiting, size = waiting[_WORDS:], size - _WORDS
    if waiting:
        yield " ".join(waiting)


def signs(vector: bytes) -> bytes:
    """Which numbers of a vector are negative, a bit each: enough to find the likely ones among many.

    They fill whole words of eight bytes, as numpy compares them.
    """
    bits = int(vector.translate(_BITS) or b"0", 2)
    return bits.to_bytes((len(vector) + 63) // 64 * 8, "big")


def square(vector: bytes) -> int:
    """The sum of the squares of a vector's numbers."""
    return sum(map(_SQUARES.__getitem__, vector))
