"""Which entries a session has reinforced already, so that each counts once a session.

A file of one line a claim, `session TAB id TAB date TAB nonce`, to which every process only appends. Whoever's line
for a session and id comes first has it; that needs no lock, and two searches at once cannot both win.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

FILE = "role-sessions"
"""In memtend's own folder of the role."""
KEPT_LINES = 20_000
"""Beyond this many the older half is dropped."""


class Sessions:
    """The claims of one role. A session without a name lives in this value alone.

    With `only_look` nothing is claimed for anybody else to see.
    """

    def __init__(self, file: Path, session: str, *, only_look: bool = False) -> None:
        self._file = file
        self._session = " ".join(session.split())
        self._only_look = only_look
        self._mine: set[str] = set()

    def claim(self, ids: Iterable[str], today: str) -> set[str]:
        """Those of the ids that this session has not claimed before; from now on it has. Raises Integrity."""
        wanted = {id for id in ids if id not in self._mine}
        won = self._won(wanted, today) if wanted and self._session else wanted
        self._mine |= wanted
        return won

    def _won(self, wanted: set[str], today: str) -> set[str]:
        """Those that no other process of the session was first to claim."""
        if self._only_look:
            return wanted - self._firsts().keys()
        from memtend.store.atomic import disk_refusals

        nonce = os.urandom(8).hex()
        lines = "".join(f"{self._session}\t{id}\t{today}\t{nonce}\n" for id in sorted(wanted))
        with disk_refusals("Nothing was counted."):
            self._file.parent.mkdir(exist_ok=True)
            with open(self._file, "ab") as file:
                file.write(lines.encode())
        firsts = self._firsts()
        return {id for id in wanted if firsts.get(id) == nonce}

    def release(self, ids: Iterable[str]) -> None:
        """Take claims of this value back: what they were for did not happen."""
        self._mine -= set(ids)

    def _firsts(self) -> dict[str, str]:
        """Who claimed each id first in this session."""
        found: dict[str, str] = {}
        lines = []
        with suppress(FileNotFoundError):
            lines = self._file.read_text(encoding="utf-8", errors="replace").splitlines()
        for line in lines:
            fields = line.split("\t")
            if len(fields) == 4 and fields[0] == self._session:
                found.setdefault(fields[1], fields[3])
        if len(lines) > KEPT_LINES and not self._only_look:
            self._drop_older(lines[len(lines) // 2 :])
        return found

    def _drop_older(self, kept: list[str]) -> None:
        fresh = self._file.with_suffix(f".{os.getpid()}.tmp")
        with suppress(OSError):
            fresh.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
            fresh.replace(self._file)
