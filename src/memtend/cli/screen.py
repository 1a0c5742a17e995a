"""Where text goes: answers to stdout, messages to stderr, and nowhere when that is closed. Light: hooks load it."""

import sys


def out(text: str) -> None:
    """One block of the answer."""
    if sys.stdout is not None:
        sys.stdout.write(text + "\n")


def err(text: str) -> None:
    """One message for people."""
    if sys.stderr is not None:
        sys.stderr.write(text + "\n")
