"""The capture hook: at the end of a turn and before a compaction, what the person said that is worth remembering.

It goes into the vault's inbox as candidates and nowhere else: nothing becomes a memory before a person says so.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from memtend.errors import MemtendError, NotFound
from memtend.workspace import Workspace

LARGEST_BYTES = 64_000_000
"""Of a transcript; the end of a longer one is looked at."""
_NOT_SAID = re.compile(
    r"<(memory-context|system-reminder|local-command-stdout|command-message)\b.*?</\1>|</?user_query>",
    re.DOTALL | re.IGNORECASE,
)
"""What agents put into a person's messages, memories of ours among it, and around them."""
_PERSON = ("user", "human", "user.message")


def run(vault: str | None = None) -> int:
    """Read the agent's JSON from stdin and capture. Always 0: an agent is never held up."""
    try:
        given = json.loads(sys.stdin.read() or "{}")
        capture(given if isinstance(given, dict) else {}, vault)
    except NotFound:
        return 0  # no vault here, or the transcript has gone
    except MemtendError as fault:
        sys.stderr.write(f"memtend: {fault.message}\n")
    except (OSError, ValueError, RecursionError) as fault:
        sys.stderr.write(f"memtend: {fault}\n")
    return 0


def capture(given: dict[str, Any], vault: str | None = None) -> tuple[str, ...]:
    """Put what the agent's session holds into the inbox. Gives the new lines. Raises MemtendError, OSError."""
    workspace = Workspace.open(vault, start=_folder(given) or None)
    session = given.get("session_id") or given.get("sessionId") or given.get("conversation_id")
    return workspace.capture(said(given), session=str(session or ""))


def _folder(given: dict[str, Any]) -> str:
    """Where the agent works; Cursor has a list of folders, of which the first counts."""
    roots = given.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else ""
    return str(given.get("cwd") or first)


def said(given: dict[str, Any]) -> str:
    """What the person said, as JSON lines: in the messages given, the transcript that is named, or the prompt."""
    path = given.get("transcript_path")
    if isinstance(given.get("messages"), list):
        text = json.dumps({"messages": given["messages"]})
    elif isinstance(path, str) and path:
        text = _end_of(Path(path).expanduser())
    else:
        text = json.dumps({"role": "user", "content": str(given.get("prompt") or "")})
    return "\n".join(json.dumps(message, ensure_ascii=False) for message in _messages(text))


def _end_of(path: Path) -> str:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - LARGEST_BYTES))
        return file.read().decode("utf-8", "replace")


def _messages(text: str) -> list[dict[str, Any]]:
    """The messages of a transcript: JSON lines, or one document with a list of them."""
    whole = _parsed(text)
    listed = whole.get("messages", whole.get("history")) if whole else None
    found = listed if isinstance(listed, list) else [_parsed(line) for line in text.splitlines()]
    return [_plain(message) for message in found if isinstance(message, dict)]


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """A message as `{role, content}`, without what an agent put into it; `{}` for one that is no person's."""
    for inner in ("payload", "message", "data"):
        if isinstance(message.get(inner), dict):
            message = {**message, **message[inner]}
    role = str(message.get("role") or message.get("type") or "")
    if role.lower() not in _PERSON or message.get("isMeta"):
        return {"role": "other"}
    content = message.get("content", message.get("text", ""))
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    plain = "\n".join(text for text in texts if isinstance(text, str))
    return {"role": "user", "content": _NOT_SAID.sub("\n", plain)}
