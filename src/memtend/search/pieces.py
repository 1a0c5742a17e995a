"""Cuts a memory into the pieces that get vectors: one vector for a long text would lose a third of it.

Pieces are of much the same length, and end where a paragraph ends if one does nearby. What the memory is about, its
title, keywords and topic, counts in each. Loaded only when something has to be written.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

COARSE, FINE = 80, 60
"""Words of a piece for the built-in embedding, and for a transformer, which tells more of fewer."""
_SLACK = 0.375
"""How far from its ideal end the end of a paragraph may be, as a share of the piece."""
_STRETCH = 4
"""Pieces that a transformer reads at once: more than that is beyond the longest text that the smaller ones take."""
_MOST_PIECES = 400
"""Of one memory; what comes after is found by its words alone."""


def views(title: str, keywords: "Sequence[str]", text: str) -> "Iterator[tuple[str, str, str]]":
    """Each piece of a memory with what it is about before it, the stretch of text around it, and what it is about."""
    head = about(title, keywords)
    own = list(bodies(text, FINE))
    for number, body in enumerate(own):
        piece = f"{head}\n{body}"
        stretch = own[number - number % _STRETCH :][:_STRETCH]
        yield piece, f"{title}. {' '.join(stretch)}" if len(stretch) > 1 else piece, head


def about(title: str, keywords: "Sequence[str]", topic: str = "") -> str:
    """What a memory is about. Of its topic the narrowest part, which many others do not share.

    A transformer is better off without: it tells by itself what a text is about, and takes the topic too seriously.
    """
    narrowest = topic.rpartition("/")[2].replace("-", " ").replace("_", " ")
    return f"{title}. {', '.join(filter(None, (*keywords, narrowest)))}"


def bodies(text: str, size: int = COARSE) -> "Iterator[str]":
    """The pieces of a text, of so many words; one, if empty, of an empty text."""
    words: list[str] = []
    ends: list[int] = []
    for paragraph in text.split("\n\n"):
        words += paragraph.split()
        ends.append(len(words))
    start = 0
    for end in _ends(len(words), ends, size):
        yield " ".join(words[start:end])
        start = end


def _ends(total: int, paragraphs: "Sequence[int]", size: int) -> "Iterator[int]":
    """Where each piece of some words ends; `paragraphs` are the ends of these, ascending."""
    count = min(_MOST_PIECES, -(-total // size)) or 1
    last, at = 0, 0
    for number in range(1, count):
        ideal = number * total // count if count < _MOST_PIECES else number * size
        while paragraphs[at] < ideal:
            at += 1
        near = [end for end in paragraphs[max(0, at - 1) : at + 1] if abs(end - ideal) <= _SLACK * size and last < end]
        last = min(near, key=lambda end: abs(end - ideal)) if near else ideal
        yield last
    yield total if count < _MOST_PIECES else min(total, count * size)
