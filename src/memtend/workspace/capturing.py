"""What an agent's session leaves in the inbox: lines of the person that are worth remembering, as candidates.

Nothing is learned here, and no memory, index or derived page is touched. `memtend learn .memory/00-Inbox/` turns
the lines into memories when a person says so.
"""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from memtend.layouts.role import extract
from memtend.layouts.role.ids import key_of
from memtend.learn import secrets
from memtend.store.atomic import Disk, disk_refusals
from memtend.store.files import Files
from memtend.store.lock import StoreLock

if TYPE_CHECKING:
    from memtend.workspace import Workspace

INBOX = "00-Inbox"
MOST = 3
"""New lines of one call."""
CONSIDERED = 50


def capture(workspace: "Workspace", transcript: str, session: str) -> tuple[str, ...]:
    """Add lines of a transcript to the session's file in the inbox; gives those that are new. Raises Locked."""
    if not extract.candidates(transcript, limit=1):
        return ()
    own = Path(workspace.own_folder)
    (own / "tmp").mkdir(parents=True, exist_ok=True)
    with disk_refusals(), StoreLock(own, workspace.settings.number("lock_timeout_seconds")).hold(workspace.now):
        files = Files(Path(workspace.root))
        found = [one.text for one in extract.candidates(transcript, _known(files), CONSIDERED)]
        new = tuple(text for text in found if not list(secrets.find(text)))[:MOST]
        if new:
            _add(
                files,
                Disk(own / "tmp"),
                f"{INBOX}/captured-{workspace.now:%Y-%m-%d}{_suffix(session)}.md",
                new,
                workspace,
            )
    return new


def _add(files: Files, disk: Disk, path: str, lines: tuple[str, ...], workspace: "Workspace") -> None:
    before = files.read(path)
    head = f"---\ncaptured: {workspace.now:%Y-%m-%d}\ncandidates: lines\n---\n\n".encode() if before is None else before
    joint = b"" if head.endswith(b"\n") else b"\n"
    target = files.at(path)
    target.parent.mkdir(exist_ok=True)
    disk.write(target, head + joint + "".join(f"- {line}\n" for line in lines).encode("utf-8", "replace"))


def _known(files: Files) -> frozenset[str]:
    """Keys of everything that was captured before and still waits."""
    names = [name for name in files.names(INBOX) if name.startswith("captured-") and name.endswith(".md")]
    texts = [(files.read(f"{INBOX}/{name}") or b"").decode("utf-8", "replace") for name in names]
    return frozenset(key_of(line[2:]) for text in texts for line in text.splitlines() if line.startswith("- "))


def _suffix(session: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9]+", "", session)[:8]
    return f"-{plain}" if plain else ""
