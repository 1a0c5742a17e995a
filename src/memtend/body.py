"""What may stand in the text of a memory, so that its parts can be told apart again.

A memory's text lies between headings (its History, its Connections, an extension). Text from outside may hold
anything: a heading that says History, a code fence or a comment that is never closed and would swallow what
follows it. Whoever decides on new text brings it into the form that reading gives back, here and nowhere else, so
that a change says exactly what will be in the file. Nothing is dropped: a heading becomes a level deeper, a fence
gets its end.
"""

from collections.abc import Iterable, Sequence

from memtend.errors import UnusableInput
from memtend.markdown import blocks, sections, shift_headings

SECTIONS = ("history", "connections")
"""The names of the two sections that are not content, in lower case; their headings are at level 2."""
ENTRY_LEVEL = 3
"""The level of the heading of an earlier version within History."""

_PROBE = "\n\n## probe\n"
_ENDS = (">", "-->", "?>", "]]>", "</script>", "</pre>", "</style>", "</textarea>")


def tidy(text: str) -> str:
    """The text with plain line feeds and without blank lines or a BOM around it. Tidying twice changes nothing."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.rstrip(" \t\n")
    blank = len(text) - len(text.lstrip(" \t\n\ufeff"))
    return text[max(text.rfind("\n", 0, blank), text.rfind("\ufeff", 0, blank)) + 1 :] if blank else text


def fit(text: str) -> str:
    """The text as it can stand in a memory: tidy, all it opens is closed, no heading of it says History or Connections.

    Such a section moves one level deeper, with everything below it. Fitting twice changes nothing. Raises
    UnusableInput where what is left open cannot be closed, or for half of a character.
    """
    text = closed(tidy(text))
    while (demoted := _demoted(text)) != text:
        text = demoted
    return text


def _demoted(text: str) -> str:
    """The text with its sections of a reserved name a level deeper. That can make another heading of a line below."""
    data = _bytes(text)
    pieces: list[str] = []
    at = 0
    for section in sections(data):
        if section.start >= at and section.level == 2 and section.title.strip().lower() in SECTIONS:
            pieces += (data[at : section.start].decode(), shift_headings(data[section.start : section.end].decode(), 1))
            at = section.end
    return "".join((*pieces, data[at:].decode()))


def closed(text: str) -> str:
    """The text with an end for a code fence, a comment or another HTML block that would run on behind it."""
    if not any(mark in text for mark in ("```", "~~~", "<")) or _is_closed(text):
        return text
    for end in _possible_ends(text):
        if _is_closed(f"{text}\n{end}"):
            return f"{text}\n{end}"
    raise UnusableInput("the text opens a block that cannot be closed", hint="Close the code fence or HTML in it.")


def _bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as fault:
        hint = "Remove or replace the broken character."
        raise UnusableInput("the text holds half of a character, which no file can", hint=hint) from fault


def _is_closed(text: str) -> bool:
    data = _bytes(text + _PROBE)
    headings = sections(data)
    return bool(headings) and headings[-1].start == len(data) - len(_PROBE) + 2


def _possible_ends(text: str) -> Iterable[str]:
    data = _bytes(text)
    last = blocks(data)[-1]
    mark = data[last.span.start : last.span.end].decode().lstrip(" ")
    fence = mark[: len(mark) - len(mark.lstrip(mark[:1]))]
    return (fence,) if fence.startswith(("```", "~~~")) else _ENDS


def below(text: str, level: int) -> str:
    """The text with its headings moved down together, so that none is above `level` (1 to 6)."""
    while (highest := _highest(text, level)) < level:
        text = shift_headings(text, level - highest)
    return text


def _highest(text: str, otherwise: int) -> int:
    return min((section.level for section in sections(_bytes(text))), default=otherwise)


def earlier_version(label: str, text: str, notes: Sequence[str] = ()) -> str:
    """One entry of a History: a heading with the label, a line for each note, and the text below it."""
    parts = (f"{'#' * ENTRY_LEVEL} {label}", "\n".join(notes), below(closed(tidy(text)), ENTRY_LEVEL + 1))
    return "\n\n".join(filter(None, parts))


def newest_first(entry: str, history: str) -> str:
    """A History with one more entry; what it held before follows unchanged."""
    return f"{entry}\n\n{history}" if history else entry
