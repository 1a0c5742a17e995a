"""Where text goes and comes from: answers to stdout, messages to stderr, and nowhere when that is closed.

Light: hooks load it.
"""

import os
import sys

_MOST_CHARACTERS = 32_000_000
"""Of a text on stdin: more than any that a person wrote."""
_COLOURS = {"+": "\033[32m", "-": "\033[31m", "@": "\033[36m"}


def out(text: str) -> None:
    """One block of the answer; in a terminal without the control characters that would steer it."""
    put(text + "\n")


def put(text: str) -> None:
    """A part of the answer as it is, without an end of line of our own."""
    if sys.stdout is not None:
        sys.stdout.write(harmless(text) if sys.stdout.isatty() else text)


def harmless(text: str) -> str:
    """The text with control characters written out, so that a memory cannot move the cursor or set a title."""
    if text.isprintable():
        return text
    return "".join([_shown(character) for character in text])


def styled(text: str) -> None:
    """One block of the answer that comes with colours, and with nothing else that steers a terminal."""
    import re

    if sys.stdout is not None:
        parts = re.split(r"(\x1b\[[0-9;]*m)", text)
        sys.stdout.write("".join([part if i % 2 else harmless(part) for i, part in enumerate(parts)]) + "\n")


def _shown(character: str) -> str:
    is_control = (character < " " and character not in "\n\t") or "\x7f" <= character <= "\x9f"
    return f"\\x{ord(character):02x}" if is_control else character


def err(text: str) -> None:
    """One message for people. Where it cannot be told, what was done counts all the same."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text + "\n")
    except OSError:
        sys.stderr = None


def typed() -> str:
    """All that comes on stdin. Raises UnusableInput where it is closed, or has no end that is in sight."""
    from memtend.errors import UnusableInput

    if sys.stdin is None:
        raise UnusableInput("stdin is closed", hint="- reads a text from stdin: pipe one in.")
    text = sys.stdin.read(_MOST_CHARACTERS + 1)
    if len(text) > _MOST_CHARACTERS:
        raise UnusableInput("stdin has more than 32 million characters", hint="Give the part of it that matters.")
    return text


def show(text: str) -> None:
    """A block for somebody who decides; lines of a diff are coloured where that is a terminal (not with NO_COLOR)."""
    if sys.stdout is None or not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        out(text)
    else:
        sys.stdout.write("\n".join([_coloured(harmless(line)) for line in text.split("\n")]) + "\n")


def _coloured(line: str) -> str:
    colour = _COLOURS.get(line[:1])
    return f"{colour}{line}\033[0m" if colour else line
