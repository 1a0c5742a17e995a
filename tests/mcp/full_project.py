"""A project in which every tool that writes has something to do: a vault, a role and a category memory."""

from collections.abc import Mapping
from pathlib import Path

from agents_client import ENVIRON, PARCELS, remember

from memtend.mcp.desk import Desk
from memtend.workspace import Workspace
from memtend.workspace.category.categories import CategoryWorkspace
from memtend.workspace.role.roles import Roles

MEMORIES, ROLE, CATEGORY = ".memory/10-Memories", "roles/reviewer", "contexts/memory"
_USED = "created: 2026-06-20\nretrieval_count: 1\nlast_retrieved: 2026-06-28\n"
_FIT = "keywords: [{0}a, {0}b, {0}c, {0}d]\nsummary: s\ntopic: x/{0}\n"
_ALIKE = f"topic: shop\nkeywords: [basket, redis, expiry, shop]\nsummary: s\n{_USED}"
_WORDS = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(60)]
_VAULT: Mapping[str, tuple[str, str]] = {
    **{f"plain{n}": (_FIT.format(f"p{n}") + _USED, f"What plain{n} says.") for n in range(12)},
    "stale": (_FIT.format("st") + "created: 2025-11-01\nretrieval_count: 0\n", "What nobody asks for."),
    "one": (_ALIKE, "Alpha beta gamma."),
    "two": (_ALIKE, "Delta epsilon zeta."),
    "long": (
        _FIT.format("lo") + _USED,
        "\n\n".join(f"Sentence {word} has words enough for all of us, {word} says. " * 3 for word in _WORDS),
    ),
    "rough": (f"keywords: [i, I, j]\ntopic: A/B\n{_USED}", "What is rough."),
    "gone": ('status: tombstoned\ntombstoned_at: 2026-06-01\ntombstone_reason: "purge"\n', "What was retired."),
}
LONG = (
    "The parcel client retries a failed request three times before it gives up on the whole batch. "
    "The label worker waits for the font cache, since two of them at once spoil it."
)
_CONSOLIDATED = f"""\
# Memory: reviewer
# Learnings (New)
- [0x] Run the linter before a push.
- [0x] Boxes are grey.
- [0x] BOXES are grey.
- [3x] A used line in the wrong place.
- [0x] {LONG}
# Preferences: Code
- Prefer tabs.
"""
_PENDING = """\
# Pending Memories

- [○] [auto] Shelves are numbered from the door.
  id: f20191b7e5
  created: 2026-06-29
- [○] [auto] Mondays are slow.
  id: a20191b7e5
  created: 2026-05-01
"""
_DECISION = "---\nid: DEC-{0}\nstatus: superseded\nsuperseded_by: DEC-60\n---\n\n# DEC-{0} — Old\n\nGone.\n"
_LOG = "".join(
    f"### DEC-{n} — Title {n}\n\n" + "".join(f"Line {line} of {n}.\n" for line in range(7)) + "\n---\n\n"
    for n in range(60, 0, -1)
)
_CATEGORY = {
    "decisions/_log.md": f"# Decision Log\n\n---\n\n{_LOG}",
    "decisions/DEC-99.md": _DECISION.format(99),
    "sessions/2026-06-01.md": "# Planning\n\nKeys must be rotated every 90 days.\n",
    "patterns/retry.md": "# Retries\n\nAda Example retries three times.\n",
}


def lay(project: Path) -> None:
    """Lay the project down: something was written into each memory already, and may be taken back."""
    workspace, _ = Workspace.create(start=str(project), environ=ENVIRON)
    pages = {f"MEM-{id}.md": f"---\ntitle: {id}\n{head}---\n# {id}\n\n{text}\n" for id, (head, text) in _VAULT.items()}
    _write(project / MEMORIES, pages)
    remember(workspace, PARCELS)
    role, _ = Roles.open(str(project / "roles"), ENVIRON).create("reviewer")
    role.write("core/notes.md", "# Notes\n")
    files = {"memory/consolidated.md": _CONSOLIDATED, "memory/pending.md": _PENDING, "core/identity.md": "# Identity\n"}
    _write(project / ROLE, files)
    memory, _ = CategoryWorkspace.create(project / CATEGORY)
    _write(memory.root, _CATEGORY)
    memory.sync()
    memory.compact("decisions", accepted=True)
    _write(memory.root, {"decisions/DEC-98.md": _DECISION.format(98), "patterns/unlisted.md": "# Unlisted\n\nHere.\n"})


def _write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())


def served(project: Path) -> Desk:
    """What a server of the project serves."""
    environ = {**ENVIRON, "MEMTEND_ROLES": str(project / "roles")}
    return Desk(start=str(project), environ=environ, category_root=str(project / CATEGORY))
