"""Plug-ins for agents whose hooks are code: a file of ours that calls `memtend hook`, with a mark in its first line.

The mark holds a digest of all that follows, so a file that a person has changed is theirs, and is left alone.
"""

import hashlib
import json
from importlib.resources import files

_MARK = "// memtend plug-in {digest}. Made by `memtend setup`, which leaves it alone once you have changed it.\n"
_COMMAND_LINE = 'const COMMAND = "memtend";\n'


def rendered(name: str, command: str) -> str:
    """The text of an agent's plug-in that starts memtend by this command."""
    folder = files("memtend.agents") / "plugins"
    call, body = ((folder / f"{part}.js").read_text(encoding="utf-8") for part in ("call", name))
    call = call.replace(_COMMAND_LINE, f"const COMMAND = {json.dumps(command)};\n")
    return _marked(f"{call}\n{body}")


def is_ours(text: str) -> bool:
    """Whether a file is a plug-in of ours, of any version, as we wrote it."""
    _, _, rest = text.partition("\n")
    return text == _marked(rest)


def _marked(rest: str) -> str:
    return _MARK.format(digest=hashlib.sha256(rest.encode()).hexdigest()[:16]) + rest
