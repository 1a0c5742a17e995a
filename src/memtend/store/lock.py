"""One writer at a time, whichever process it is.

The lock is the operating system's and vanishes with its process, so a dead holder never keeps anybody out and
nothing in a file has to be believed. A second file says who holds it, for people; it may be empty, cut, old or
a lie without harm. The lock is not reentrant: whoever holds it and asks again waits in vain.

There are two locks in a row. Whoever waits for the second holds the first, so a writer that comes straight back
has to queue behind it, and no one starves.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtend.errors import Integrity, Locked

if TYPE_CHECKING:
    from filelock import FileLock

WAIT_SECONDS = 10.0
"""How long a writer waits for another before it gives up: longer than any apply, shorter than patience."""


class StoreLock:
    """The lock of one store, in its own folder, which must exist."""

    def __init__(self, folder: Path, wait_seconds: float = WAIT_SECONDS) -> None:
        self._file = folder / "lock"
        self._queue = folder / "lock-queue"
        self._holder = folder / "lock-holder.json"
        self._wait_seconds = wait_seconds

    @contextmanager
    def hold(self, now: datetime) -> Iterator[None]:
        """Hold the lock within a `with`. Raises Locked after the wait, Integrity where no lock can be had."""
        with self._acquired():
            try:
                self._sign(now)
                yield
            finally:
                with suppress(OSError):
                    self._holder.unlink(missing_ok=True)

    @contextmanager
    def _acquired(self) -> Iterator[None]:
        from filelock import Timeout

        deadline = time.monotonic() + self._wait_seconds
        lock, queue = _os_lock(self._file), _os_lock(self._queue)
        try:
            with queue.acquire(self._wait_seconds):
                lock.acquire(max(0.0, deadline - time.monotonic()))
        except Timeout as fault:
            raise self._locked() from fault
        except OSError as fault:
            raise Integrity(
                f"{self._file} cannot be locked: {fault.strerror or fault}",
                hint="The store must lie on a disk that you may write to and that has file locks.",
            ) from fault
        try:
            yield
        finally:
            lock.release()

    def is_held(self) -> bool:
        """Whether somebody holds it at this moment. A store that cannot be locked is held by nobody."""
        from filelock import Timeout

        if not self._file.exists():
            return False
        try:
            with _os_lock(self._file).acquire(0):
                return False
        except Timeout:
            return True
        except OSError:
            return False

    def _sign(self, now: datetime) -> None:
        """Say who holds it. A disk without room for that is found out by the write itself."""
        import socket

        since = now.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:2]]) if sys.argv else "python"
        signature = {"pid": os.getpid(), "host": socket.gethostname(), "command": command, "since": since}
        with suppress(OSError):
            self._holder.write_text(json.dumps(signature), encoding="utf-8")

    def _locked(self) -> Locked:
        holder = self._read_holder()
        who = "another process"
        if holder:
            who = f"process {holder.get('pid', '?')} ({holder.get('command', '?')}) on {holder.get('host', '?')}"
            who += f", since {holder.get('since', '?')},"
        return Locked(
            f"{who} holds the store's lock ({self._wait_seconds:g} s waited)",
            hint="Try again when it is done. If it hangs, end that process: the lock goes with it.",
        )

    def _read_holder(self) -> dict[str, Any]:
        with suppress(OSError, ValueError, RecursionError):
            holder = json.loads(self._holder.read_text(encoding="utf-8"))
            if isinstance(holder, dict):
                return holder
        return {}


def _os_lock(file: Path) -> "FileLock":
    """A lock of the operating system's, never one that is only a file's presence."""
    from filelock import FileLock

    return FileLock(file, poll_interval=0.005, fallback_to_soft=False, preserve_lock_file=True)
