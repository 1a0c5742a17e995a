"""What an agent's session leaves in the inbox: lines of the person that are worth remembering, as candidates.

Nothing is learned here, and no memory, index or derived page is touched. `memtend learn .memory/00-Inbox/` turns
the lines into memories when a person says so. An agent hands over its whole transcript at every turn, so a line that
was captured is known by its hash for a month: whoever learns it or throws it away does not meet it again.
"""

import re
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from memtend.layouts.role import extract
from memtend.layouts.role.ids import key_of
from memtend.learn import secrets
from memtend.memory import digest_of
from memtend.store.atomic import Disk, disk_refusals
from memtend.store.files import Files
from memtend.store.lock import StoreLock

if TYPE_CHECKING:
    from memtend.workspace import Workspace

INBOX = "00-Inbox"
MOST = 3
"""New lines of one call."""
CONSIDERED = 50
CAPTURED = "captured"
"""In `.memtend/`: the day and the hash of every line that was captured."""
_KEPT_DAYS = 30
_HASH_LETTERS = 20


def capture(workspace: "Workspace", transcript: str, session: str) -> tuple[str, ...]:
    """Add lines of a transcript to the session's file in the inbox; gives those that are new. Raises Locked."""
    if not extract.candidates(transcript, limit=1):
        return ()
    own = Path(workspace.own_folder)
    (own / "tmp").mkdir(parents=True, exist_ok=True)
    with disk_refusals(), StoreLock(own, workspace.settings.number("lock_timeout_seconds")).hold(workspace.now):
        files = Files(Path(workspace.root))
        disk, captured = Disk(own / "tmp"), _captured(own, workspace)
        most = CONSIDERED + len(captured)  # a long session's are all captured, but for the last
        found = [one.text for one in extract.candidates(transcript, _known(files), most)]
        wanted = (text for text in found if _hash(text) not in captured and not list(secrets.find(text)))
        new = tuple(islice(wanted, MOST))
        if new:
            path = f"{INBOX}/captured-{workspace.now:%Y-%m-%d}{_suffix(session)}.md"
            _add(files, disk, path, new, workspace)
            captured |= {_hash(text): f"{workspace.now:%Y-%m-%d}" for text in new}
            lines = "".join(f"{day}\t{known}\n" for known, day in captured.items())
            disk.write(own / CAPTURED, lines.encode())
    return new


def _captured(own: Path, workspace: "Workspace") -> dict[str, str]:
    """The hashes of what was captured in the last month, and when."""
    path = own / CAPTURED
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    oldest = f"{workspace.now - timedelta(days=_KEPT_DAYS):%Y-%m-%d}"
    return {known: day for day, tab, known in (line.partition("\t") for line in lines) if tab and day >= oldest}


def _hash(line: str) -> str:
    return digest_of(key_of(line).encode("utf-8", "replace"))[:_HASH_LETTERS]


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
