"""Cuts a memory into the pieces that get vectors: one vector for a long text would lose a third of it.

Pieces are of much the same length, about 80 words, and end where a paragraph ends if one does nearby. What the memory
is about, its title and keywords, counts in each. Loaded only when something has to be written.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORDS, _SLACK = 80, 30
"""Of a piece, and how far from its ideal end the end of a paragraph may be."""
_STRETCH = 2
"""Pieces that a transformer reads at once: more than that is beyond the longest text that the smaller ones take."""
_MOST_PIECES = 400
"""Of one memory; what comes after is found by its words alone."""


def views(title: str, keywords: "Sequence[str]", text: str) -> "Iterator[tuple[str, str, str]]":
    """Each piece of a memory with what it is about before it, the stretch of text around it, and what it is about."""
    head = about(title, keywords)
    own = list(bodies(text))
    for number, body in enumerate(own):
        piece = f"{head}\n{body}"
        stretch = own[number - number % _STRETCH :][:_STRETCH]
        yield piece, f"{title}. {' '.join(stretch)}" if len(stretch) > 1 else piece, head


def about(title: str, keywords: "Sequence[str]") -> str:
    """What a memory is about."""
    return f"{title}. {', '.join(keywords)}"


def bodies(text: str) -> "Iterator[str]":
    """The pieces of a text; one, if empty, of an empty text."""
    words: list[str] = []
    ends: list[int] = []
    for paragraph in text.split("\n\n"):
        words += paragraph.split()
        ends.append(len(words))
    start = 0
    for end in _ends(len(words), ends):
        yield " ".join(words[start:end])
        start = end


def _ends(size: int, paragraphs: "Sequence[int]") -> "Iterator[int]":
    """Where each piece of so many words ends; `paragraphs` are the ends of these, ascending."""
    count = min(_MOST_PIECES, -(-size // _WORDS)) or 1
    last, at = 0, 0
    for number in range(1, count):
        ideal = number * size // count if count < _MOST_PIECES else number * _WORDS
        while paragraphs[at] < ideal:
            at += 1
        near = [end for end in paragraphs[max(0, at - 1) : at + 1] if abs(end - ideal) <= _SLACK and last < end]
        last = min(near, key=lambda end: abs(end - ideal)) if near else ideal
        yield last
    yield size if count < _MOST_PIECES else min(size, count * _WORDS)
