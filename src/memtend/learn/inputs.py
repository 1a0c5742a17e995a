"""What the words are that a person gave to `learn`: texts, files, directories.

First match wins: a directory (ends with `/`, or is one); a file; otherwise text. What looks like a path and is missing
is an error, never text to store (vault spec, 2).
"""

import os
import re
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from memtend.errors import NotFound, UnusableInput
from memtend.learn.encoding import decode
from memtend.learn.kinds import nature_of_name

_USE_TEXT = "Check the path. To store the words themselves, use `-t`."
_PATH_STARTS = ("/", "./", "../", "~/", ".\\", "..\\", "\\\\")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SENTENCE_MARKS = re.compile(r"[\s。、，；：！？]")


class Named(NamedTuple):
    """What was named, sorted by what it is; paths as they were given."""

    texts: list[str]
    files: list[Path]
    directories: list[Path]


def sort_out(
    inputs: Iterable[str], *, text: str | None = None, files: Sequence[str] = (), directory: str | None = None
) -> Named:
    """Sort `inputs` by what they are; the others say it. Raises NotFound, UnusableInput also where nothing is named."""
    folders = [directory] if directory is not None else []
    if any(not name.strip() for name in (*files, *folders)):
        raise UnusableInput("An empty name is no file and no directory", hint="Say what to learn.")
    named = _sorted(inputs)
    named.texts.extend([text] if text is not None and text.strip() else [])
    named.texts[:] = map(_typed, named.texts)
    named.files.extend(_existing_file(_as_path(name), name) for name in files)
    named.directories.extend(_existing_directory(_as_path(name), name) for name in folders)
    if not any(named):
        raise UnusableInput(
            "Usage: memtend learn TEXT or FILE or DIRECTORY …, or memtend learn --task N",
            hint="Say what to learn; nothing was given.",
        )
    return named


def _sorted(inputs: Iterable[str]) -> Named:
    named = Named([], [], [])
    for given in inputs:
        if not given.strip():
            continue
        path = _as_path(given)
        if given.endswith(("/", os.sep)) and _looks_like_a_path(given):
            named.directories.append(_existing_directory(path, given))
        elif _what_lies_at(path) == "directory":
            named.directories.append(path)
        elif os.path.lexists(path) or _looks_like_a_path(given):
            named.files.append(_existing_file(path, given))
        else:
            named.texts.append(given)
    if named.texts and not any(re.search(r"\s", text) for text in named.texts):
        named.texts[:] = [" ".join(named.texts)]  # a sentence typed without quotes
    return named


def _typed(text: str) -> str:
    """A text as it was meant: bytes that the terminal's encoding did not know come as surrogates (LANG=C)."""
    try:
        return decode(text.encode("utf-8", "surrogateescape")).text
    except UnicodeEncodeError as fault:
        raise UnusableInput("The text holds half a character (a lone surrogate)", hint="Remove it.") from fault


def _as_path(given: str) -> Path:
    if "\0" in given:
        raise UnusableInput("A NUL character cannot be in a text or a path", hint="Remove it.")
    return Path(os.path.expanduser(given)) if given.startswith("~") else Path(given)  # noqa: PTH111 - never raises


def _looks_like_a_path(given: str) -> bool:
    """Whether a person who typed this meant a path: better an error than a path stored as a memory."""
    if "\n" in given:
        return False
    if given.startswith(_PATH_STARTS) or _DRIVE.match(given):
        return True
    if _SENTENCE_MARKS.search(given):
        return False
    return "/" in given or os.sep in given or ("." in given and nature_of_name(given) is not None)


def _what_lies_at(path: Path) -> str:
    """`file`, `directory`, `other`, or nothing. Raises UnusableInput where we may not look."""
    try:
        mode = path.stat().st_mode
    except PermissionError as fault:
        raise UnusableInput(f"Cannot read: {path} (permission denied)", hint="Check its permissions.") from fault
    except (OSError, RuntimeError):  # missing, a name that is too long, or a link that leads back to itself
        return ""
    return "file" if stat.S_ISREG(mode) else "directory" if stat.S_ISDIR(mode) else "other"


def _existing_file(path: Path, given: str) -> Path:
    found = _what_lies_at(path)
    if found == "file":
        return path
    if found == "directory":
        raise UnusableInput(f"{given} is a directory", hint=f"Use `-d {given}`.")
    if found:
        raise UnusableInput(f"{given} is not a regular file", hint="Give a file that holds text; - reads stdin.")
    hint = _USE_TEXT
    if "://" in given:
        hint = "memtend reads nothing from the network: save the page, then give the file."
    raise NotFound(f"File not found: {given}", hint=hint)


def _existing_directory(path: Path, given: str) -> Path:
    found = _what_lies_at(path)
    if found == "directory":
        return path
    if found:
        raise UnusableInput(f"{given} is not a directory", hint=f"Use `-f {given.rstrip('/')}`.")
    raise NotFound(f"Directory not found: {given}", hint=_USE_TEXT)
