"""A plan of any kind in a file: JSON that a person saves, looks at, and gives back."""

import json
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtend.errors import NotFound, UnusableInput

_HANDED_OVER = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""Where a shell hands over what another command prints, `<(…)`: a pipe whose writer is there."""


def read_text(name: str, *, hint: str) -> str:
    """The text of a file in UTF-8. Raises NotFound, UnusableInput; never waits for a device or for a pipe's writer."""
    try:
        mode = os.stat(name).st_mode
        if not (stat.S_ISREG(mode) or (stat.S_ISFIFO(mode) and name.startswith(_HANDED_OVER))):
            kind = "a directory" if stat.S_ISDIR(mode) else "no regular file"
            raise UnusableInput(f"{name} is {kind}", hint=hint)
        return Path(name).read_text(encoding="utf-8")
    except FileNotFoundError as fault:
        raise NotFound(f"File not found: {name or '(no name)'}", hint=hint) from fault
    except UnicodeDecodeError as fault:
        raise UnusableInput(f"{name} is not UTF-8", hint=hint) from fault
    except (OSError, ValueError) as fault:
        raise UnusableInput(f"{name} cannot be read: {getattr(fault, 'strerror', '') or fault}", hint=hint) from fault


def save(path: Path, document: Mapping[str, Any]) -> None:
    """Write a plan to a file. Raises UnusableInput where that fails."""
    text = _lines(document)
    try:
        path.write_bytes(text.encode("utf-8", "backslashreplace"))  # half a character stays JSON: "\\udcff"
    except OSError as fault:
        raise UnusableInput(f"{path} cannot be written: {fault.strerror}", hint="Name another file.") from fault


def _lines(document: Mapping[str, Any]) -> str:
    """A document as JSON, a line for each entry of its lists: quicker to make, and to compare, than all spread out."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    members = []
    for name, value in document.items():
        is_long = isinstance(value, list) and value
        told = "[\n    " + ",\n    ".join(map(line, value)) + "\n  ]" if is_long else line(value)
        members.append(f"  {line(name)}: {told}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def load(path: Path, *, hint: str) -> Any:
    """What was saved, as JSON values; `hint` says how to make one. Raises NotFound, UnusableInput."""
    text = read_text(str(path), hint=hint)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise UnusableInput(f"{path} is no plan: {fault}", hint="Make it again with --plan.") from fault
