"""The embedder that the settings name, and how the vectors that it still owes are made while others serve.

Loaded only where the setting `embedder` is not empty.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from memtend.search.embedders import Unasked, backlog, catch_up, embedder_of

if TYPE_CHECKING:
    from memtend.search.index import Index

_KEY = "MEMTEND_EMBEDDER_KEY"
_STARTED = "embedding.started"
_SAID = "embedding.said"
_AGAIN_AFTER_SECONDS, _SAY_AGAIN_AFTER_SECONDS = 600, 86_400
_MAKE = "import sys; from memtend.workspace import Workspace; Workspace.open(sys.argv[1]).embed()"


def choose(index: "Index", setting: str, origin: str, environ: Mapping[str, str]) -> None:
    """Give the index the embedder of the settings, which stands at `origin`. Raises UnusableInput for an unknown one.

    A server gets to know every memory, so that a project's own file names one is not enough.
    """
    if index.embedder is None or index.embedder.name != setting:
        is_theirs = origin.endswith(".toml") and setting.startswith(("http://", "https://"))
        index.embedder = Unasked(setting, origin) if is_theirs else embedder_of(setting, environ.get(_KEY, ""))


def embed(index: "Index", own_folder: str) -> int:
    """Make all vectors that are missing, and give how many memories it were. Raises UnusableInput."""
    if index.embedder is None:
        return 0
    try:
        return catch_up(index, index.embedder)
    finally:
        _forget_start(os.path.join(own_folder, _STARTED))


def embed_in_background(index: "Index", root: str, own_folder: str) -> bool:
    """Start a process that makes them, unless one was started a short while ago or none is missing."""
    mark = os.path.join(own_folder, _STARTED)
    if (
        index.embedder is None
        or isinstance(index.embedder, Unasked)
        or index.is_private
        or _is_fresh(mark)
        or not backlog(index, index.embedder)
    ):
        return False
    with open(mark, "w", encoding="ascii") as file:
        file.write("")
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-c", _MAKE, os.path.abspath(root)]
    subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    return True


def news(note: str, own_folder: str) -> str:
    """The note, unless it was said within a day: that another embedder serves is said once, not at every search."""
    path = os.path.join(own_folder, _SAID)
    if _is_fresh(path, _SAY_AGAIN_AFTER_SECONDS) and _text(path) == note:
        return ""
    with suppress(OSError), open(path, "w", encoding="utf-8") as file:
        file.write(note)
    return note


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _is_fresh(mark: str, seconds: float = _AGAIN_AFTER_SECONDS) -> bool:
    try:
        return time.time() - os.stat(mark).st_mtime < seconds
    except OSError:
        return False


def _forget_start(mark: str) -> None:
    try:
        os.remove(mark)
    except OSError:
        return
