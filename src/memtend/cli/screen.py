"""Where text goes: answers to stdout, messages to stderr, and nowhere when that is closed. Light: hooks load it."""

import os
import sys

_COLOURS = {"+": "\033[32m", "-": "\033[31m", "@": "\033[36m"}


def out(text: str) -> None:
    """One block of the answer."""
    if sys.stdout is not None:
        sys.stdout.write(text + "\n")


def err(text: str) -> None:
    """One message for people."""
    if sys.stderr is not None:
        sys.stderr.write(text + "\n")


def show(text: str) -> None:
    """A block for somebody who decides; lines of a diff are coloured where that is a terminal (not with NO_COLOR)."""
    if sys.stdout is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        text = "\n".join(_coloured(line) for line in text.split("\n"))
    out(text)


def _coloured(line: str) -> str:
    colour = _COLOURS.get(line[:1])
    return f"{colour}{line}\033[0m" if colour else line
