"""The embedder that the settings name, and how the vectors that it still owes are made while others serve.

Loaded only where the setting `embedder` is not empty.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from memtend.errors import UnusableInput
from memtend.search.embedders import (
    BUILT_IN,
    Embedder,
    Unasked,
    backlog,
    catch_up,
    embedder_of,
    is_server,
    onnx_folder,
)

if TYPE_CHECKING:
    from memtend.search.index import Index

_KEY = "MEMTEND_EMBEDDER_KEY"
_STARTED = "embedding.started"
_SAID = "embedding.said"
_FAILED = "embedding.failed"
_AGAIN_AFTER_SECONDS, _SAY_AGAIN_AFTER_SECONDS = 600, 86_400
_MAKE = "import sys; from memtend.workspace import Workspace; Workspace.open(sys.argv[1]).embed()"


class _Watched:
    """An embedder whose failures are kept: it is then left alone for a while, so that nobody waits twice."""

    def __init__(self, inner: Embedder, own_folder: str) -> None:
        self.name = inner.name
        self._inner = inner
        self._own_folder = own_folder

    def embed(self, texts: Sequence[str], seconds: float) -> list[Sequence[float]]:
        """As the embedder does. Raises UnusableInput."""
        try:
            return self._inner.embed(texts, seconds)
        except UnusableInput as fault:
            _keep_failure(self._own_folder, self.name, fault)
            raise


def choose(index: "Index", setting: str, origin: str, environ: Mapping[str, str], own_folder: str) -> None:
    """Give the index the embedder of the settings, which stands at `origin`. Raises UnusableInput for an unknown one.

    A server gets to know every memory, so that a project's own file names one is not enough.
    """
    if setting == BUILT_IN:
        return
    name = _named(setting, origin)
    if is_server(name) and origin.endswith(".toml"):
        index.embedder = Unasked(
            name,
            f"{origin} names a server as embedder, and no text is sent to one for that",
            f"MEMTEND_EMBEDDER={name} sends it what memories and questions say.",
        )
    elif failure := _failure(own_folder, name):
        index.embedder = Unasked(name, *failure)
    elif not isinstance(index.embedder, _Watched) or index.embedder.name != name:
        index.embedder = _Watched(embedder_of(name, environ.get(_KEY, "")), own_folder)


def _named(setting: str, origin: str) -> str:
    """The setting; a folder that it names counts from the file that names it, else from here."""
    folder = onnx_folder(setting)
    base = os.path.dirname(origin) if origin.endswith(".toml") else os.getcwd()
    return f"onnx:{os.path.normpath(os.path.join(base, os.path.expanduser(folder)))}" if folder else setting


def _keep_failure(own_folder: str, name: str, fault: UnusableInput) -> None:
    _keep(own_folder, _FAILED, "\n".join((name, str(fault), fault.hint)))


def _failure(own_folder: str, name: str) -> tuple[str, str] | None:
    """How the embedder failed a short while ago, and the hint; None where it did not."""
    mark = os.path.join(own_folder, _FAILED)
    if not _is_fresh(mark):
        return None
    failed, _, rest = _text(mark).partition("\n")
    why, _, hint = rest.partition("\n")
    return (why, hint) if failed == name else None


def ask_again(own_folder: str) -> None:
    """Forget that an embedder failed: somebody wants to know whether it still does."""
    _forget(os.path.join(own_folder, _FAILED))


def embed(index: "Index", own_folder: str) -> int:
    """Make all vectors that are missing, and give how many memories it were. Raises UnusableInput."""
    if index.embedder is None:
        return 0
    try:
        return catch_up(index, index.embedder)
    except UnusableInput as fault:
        _keep_failure(own_folder, index.embedder.name, fault)
        raise
    finally:
        _forget(os.path.join(own_folder, _STARTED))


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
    if not _keep(own_folder, _STARTED, ""):
        return False
    quiet = subprocess.DEVNULL
    command = [sys.executable, "-c", _MAKE, os.path.abspath(root)]
    subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    return True


def news(note: str, own_folder: str) -> str:
    """The note, unless it was said within a day: that another embedder serves is said once, not at every search."""
    path = os.path.join(own_folder, _SAID)
    if _is_fresh(path, _SAY_AGAIN_AFTER_SECONDS) and _text(path) == note:
        return ""
    _keep(own_folder, _SAID, note)
    return note


def _keep(own_folder: str, name: str, text: str) -> bool:
    """Write a text down; False where nothing can be written."""
    try:
        with open(os.path.join(own_folder, name), "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        return False
    return True


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


def _forget(mark: str) -> None:
    with suppress(OSError):
        os.remove(mark)
