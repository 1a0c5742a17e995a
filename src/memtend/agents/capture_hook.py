"""The capture hook: at the end of a turn and before a compaction, what the person said that is worth remembering.

It goes into the vault's inbox as candidates and nowhere else: nothing becomes a memory before a person says so.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from memtend.errors import MemtendError, NotFound, of_system
from memtend.workspace import Workspace
from memtend.workspace.place import is_named

LARGEST_BYTES = 64_000_000
"""Of a transcript; the end of a longer one is looked at."""
_OPENING = re.compile(r"<([a-z]+(?:[-_][a-z]+)+|instructions|skill)\b[^<>]*>", re.IGNORECASE)
"""What agents put into a person's messages stands between tags like these: memories of ours, files, what a command
printed, what a task of theirs has done."""
_ASKED = re.compile(r"<(user_query|command-args)>(.*?)</\1>", re.DOTALL)
"""Around what the person said; then nothing else of the message is theirs."""
_BEHIND, _CUT = (
    "## My request for Codex:",
    re.compile(
        r"^# AGENTS\.md instructions\b.*|^--- Content from referenced files ---$.*?(?:^--- End of content ---$|\Z)",
        re.DOTALL | re.MULTILINE,
    ),
)
"""What Codex and Gemini put in without tags."""
_NOT_THEIRS = ("isMeta", "isCompactSummary", "isSidechain", "isVisibleInTranscriptOnly")
"""Marks of Claude Code on a message in a person's name that no person wrote."""
_PERSON = ("user", "human", "user.message")


def run(vault: str | None = None) -> int:
    """Read the agent's JSON from stdin and capture. Always 0: an agent is never held up."""
    try:
        sent = sys.stdin.read().removeprefix("\ufeff") if sys.stdin else ""
        given = json.loads(sent or "{}")
        capture(given if isinstance(given, dict) else {}, vault)
    except MemtendError as fault:
        sys.stderr.write(f"memtend: {fault.message}\n")
    except (OSError, ValueError, RecursionError) as fault:
        sys.stderr.write(f"memtend: {of_system(fault)}\n")
    return 0


def capture(given: dict[str, Any], vault: str | None = None) -> tuple[str, ...]:
    """Put what the agent's session holds into the inbox; without a vault nowhere. Raises MemtendError, OSError.

    Gives the new lines.
    """
    start = _folder(given) or str(Path.cwd())
    try:
        workspace = Workspace.open(vault, start=start)
    except NotFound:
        if is_named(start, os.environ, vault):
            raise
        return ()
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
    if role.lower() not in _PERSON or _is_of_agent(message):
        return {"role": "other"}
    content = message.get("content", message.get("text", ""))
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    plain = "\n".join(text for text in texts if isinstance(text, str))
    return {"role": "user", "content": _of_person(plain)}


def _is_of_agent(message: dict[str, Any]) -> bool:
    """Whether an agent wrote a message in the person's name: a summary, a subagent's task, news of its own work."""
    origin = message.get("origin")
    kind = origin.get("kind") if isinstance(origin, dict) else None
    return any(message.get(mark) for mark in _NOT_THEIRS) or kind not in (None, "human")


def _of_person(text: str) -> str:
    """What of a message the person said, without what an agent put before, around and behind it."""
    asked = [found[2] for found in _ASKED.finditer(text)]
    text = "\n".join(asked) if asked else text.rpartition(_BEHIND)[2]
    return _CUT.sub("\n", _without_blocks(text))


def _without_blocks(text: str) -> str:
    """The text without what stands between an agent's tags; a tag that is not closed stands for itself."""
    kept, at, unclosed = [], 0, set()
    for opening in _OPENING.finditer(text):
        closing = f"</{opening[1]}>"
        if opening.start() < at or closing in unclosed:
            continue
        end = text.find(closing, opening.end())
        if end < 0:
            unclosed.add(closing)
            continue
        kept.append(text[at : opening.start()])
        at = end + len(closing)
    return "\n".join([*kept, text[at:]])
