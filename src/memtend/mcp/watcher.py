"""Whether a vault's files have changed since somebody last asked, as the operating system tells it.

On Linux the kernel's own notices (inotify) are read at each question, without waiting and without a thread: a change
that was made before the question is never missed. Elsewhere a thread of watchfiles tells of it some milliseconds
later. Both see nothing of what another machine does to a shared disk.
"""

import ctypes
import os
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from memtend.workspace.place import MEMORIES_FOLDER

_GATHER_MS, _STEP_MS, _WAIT_MS = 50, 5, 500
_EVENT = struct.Struct("iIII")
_CHANGED = 0x2 | 0x4 | 0x8 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
"""Modified, attributes, closed after writing, moved away or here, created, deleted, itself deleted or moved."""
_TREE_CHANGED = 0x40000000 | 0x400 | 0x800 | 0x2000 | 0x4000 | 0x8000
"""Of a folder; itself deleted or moved; unmounted; notices were lost; watched no longer."""
_READ_BYTES = 1 << 16


class Notices:
    """The kernel's notices of some folders. Raises OSError where there are none to be had. Linux alone."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._handle = -1
        self._renew()

    def _renew(self) -> None:
        """Watch every folder that is there now: first watched, then listed, so that none slips through."""
        libc = ctypes.CDLL(None, use_errno=True)
        handle = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if handle < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self.close()
        self._handle = handle
        try:
            self._watch(libc, self._root)
            for folder in self._folders():
                self._watch(libc, folder)
        except OSError:
            self.close()
            raise

    def _watch(self, libc: ctypes.CDLL, folder: str) -> None:
        if libc.inotify_add_watch(self._handle, os.fsencode(folder), _CHANGED) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch", folder)

    def _folders(self) -> Iterator[str]:
        waiting = [str(Path(self._root, MEMORIES_FOLDER))]
        while waiting:
            folder = waiting.pop()
            yield folder
            with os.scandir(folder) as entries:
                waiting += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]

    def any(self) -> bool:
        """Whether something has changed since the last question. Raises OSError where nobody watches any more."""
        masks = list(self._masks())
        if any(mask & _TREE_CHANGED for mask in masks):
            self._renew()
        return bool(masks)

    def _masks(self) -> Iterator[int]:
        while True:
            try:
                data = os.read(self._handle, _READ_BYTES)
            except BlockingIOError:
                return
            at = 0
            while at < len(data):
                _, mask, _, length = _EVENT.unpack_from(data, at)
                yield mask
                at += _EVENT.size + length

    def close(self) -> None:
        """Watch no longer."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __del__(self) -> None:
        """Whoever forgot to close gives the handle back: a person has some hundred of them for all programs."""
        self.close()


class Watcher:
    """Counts the changes of a vault's memories; safe for several threads."""

    def __init__(self, *, by_kernel: bool = sys.platform == "linux") -> None:
        self.is_watching = False
        """Whether the count can be believed. Where nobody can watch, it cannot."""
        self._by_kernel = by_kernel
        self._changes = 0
        self._notices: Notices | None = None
        self._stop = threading.Event()
        self._is_started = False
        self._lock = threading.Lock()

    def changed(self) -> None:
        """Something may have changed: the next look is a real one."""
        with self._lock:
            self._changes += 1

    def count(self) -> int:
        """How often something has changed until now."""
        with self._lock:
            if self._notices is not None:
                try:
                    self._changes += self._notices.any()
                except OSError:
                    self._give_up()
            return self._changes

    def start(self, root: str) -> None:
        """Watch a vault from now on, where nobody does yet."""
        with self._lock:
            if self._stop.is_set() or self._is_started:
                return
            self._is_started = True
            if not self._by_kernel:
                threading.Thread(target=self._watch, args=(root,), name="memtend watcher", daemon=True).start()
                return
            try:
                self._notices = Notices(root)
            except OSError:
                self._give_up()  # no more watches to be had, or a folder has just gone
                return
            self._changes += 1
            self.is_watching = True

    def stop(self) -> None:
        """Watch no longer."""
        with self._lock:
            self._stop.set()
            self._give_up()

    def _give_up(self) -> None:
        """Every look is a real one, until a watch can be started again."""
        self.is_watching = self._is_started = False
        if self._notices is not None:
            self._notices.close()
            self._notices = None

    def _watch(self, root: str) -> None:
        from watchfiles import watch

        paths = [path for name in (MEMORIES_FOLDER, "memory-index.json") if (path := Path(root, name)).exists()]
        try:
            for changes in watch(
                *paths,
                watch_filter=None,
                debounce=_GATHER_MS,
                step=_STEP_MS,
                rust_timeout=_WAIT_MS,
                yield_on_timeout=True,
                stop_event=self._stop,
                raise_interrupt=False,
            ):
                if changes or not self.is_watching:
                    self.changed()
                self.is_watching = True
        except (OSError, RuntimeError):
            return  # too many watches, or none here: every look is a real one
        finally:
            self.is_watching = False
