"""The recall hook: an agent's JSON in, the memories that matter for the prompt out, at every prompt.

    {"hook_event_name": "UserPromptSubmit", "cwd": …, "prompt": …}
    → {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "<memory-context>…"}}

VS Code writes `hookEventName` and `sessionId`. Cursor writes `workspace_roots` for the folder, `conversation_id` for
the session, and is answered `{"continue": true, "additional_context": …}`.

An agent's prompt is never held up: whatever is wrong is told on stderr, and the status is 0. SQLite reads and writes
the JSON, since it is loaded anyway and the standard library's reader costs more than the answer.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtend.workspace import Vault

LONGEST = 8_000
"""Characters of a prompt that are looked at: its beginning says what it is about."""
LARGEST_BYTES = 10_000
"""Of what is handed over: Claude Code and Codex cut what is longer, and show a beginning of it."""
_READ = (
    "select cast(s ->> '$.prompt' as blob), cast(coalesce(s ->> '$.cwd', s ->> '$.workspace_roots[0]') as blob),"
    " cast(coalesce(s ->> '$.hook_event_name', s ->> '$.hookEventName') as blob),"
    " cast(coalesce(s ->> '$.session_id', s ->> '$.sessionId', s ->> '$.conversation_id') as blob)"
    " from (select ? as s)"
)
"""As bytes, since an agent that cuts a prompt may leave half a character of it."""
_WRITE = "select json_object('hookSpecificOutput', json_object('hookEventName', ?, 'additionalContext', ?))"
_OF_AGENTS = ("<task-notification", "<teammate-message", "<system-reminder", "<local-command")
_OF_CURSOR = "beforeSubmitPrompt"
_WRITE_FOR_CURSOR = "select json_object('continue', json('true'), 'additional_context', ?)"


def run(vault: "str | None" = None) -> int:
    """Read the agent's JSON from stdin and write what it may add to the prompt. Always 0."""
    import apsw

    from memtend.errors import MemtendError, of_system

    try:
        answer = answered(sys.stdin.read() if sys.stdin else "", vault)
    except MemtendError as fault:
        answer = ""
        sys.stderr.write(f"memtend: {fault.message}\n")
    except (apsw.Error, OSError) as fault:
        answer = ""
        sys.stderr.write(f"memtend: {of_system(fault)}\n")
    if answer:
        sys.stdout.write(answer + "\n")
    return 0


def answered(given: str, vault: "str | None" = None) -> str:
    """What the hook answers to an agent's JSON; empty where there is nothing to add. Raises MemtendError."""
    import apsw

    database = apsw.Connection(":memory:")
    try:
        parts = next(database.execute(_READ, (given,)))
        prompt, folder, event, session = [str(part or b"", "utf-8", "replace") for part in parts]
        context = recalled(prompt, folder, session, vault)
        if not context:
            return ""
        if event == _OF_CURSOR:
            return str(next(database.execute(_WRITE_FOR_CURSOR, (context,)))[0])
        return str(next(database.execute(_WRITE, (event or "UserPromptSubmit", context)))[0])
    finally:
        database.close()


def recalled(prompt: str, folder: str, session: str, vault: "str | None") -> str:
    """The memories for a prompt, framed as data; none for what no person asks, an empty prompt, or without a vault.

    Raises NotFound where a vault was named that is not there.
    """
    from memtend.errors import NotFound
    from memtend.workspace import Vault
    from memtend.workspace.place import is_named

    text = prompt.strip()[:LONGEST]
    if not text or _is_no_question(text):
        return ""
    try:
        found = Vault.open(vault, start=folder or None)
    except NotFound:
        if is_named(folder or ".", os.environ, vault):
            raise
        return ""
    found.session = found.session or session
    return _context(found, text)


def _is_no_question(text: str) -> bool:
    """Whether a prompt is a slash command (a path is none), or what an agent tells itself of its own tasks."""
    return text.startswith(_OF_AGENTS) or (text.startswith("/") and "/" not in text.split(None, 1)[0][1:])


def _context(vault: "Vault", text: str) -> str:
    """The context with the one budget of all recalls, in a size that agents take whole."""
    from memtend.errors import Usage

    try:
        return vault.recall(text, most_bytes=LARGEST_BYTES).context
    except Usage:
        return ""  # a prompt without a word in it
