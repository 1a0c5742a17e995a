"""The one joint: a store with its layout, its index, settings and clock, and every ability on it.

Front ends stand on `Workspace` and on nothing below it. What one ability needs of another is handed over here as
a plain function. `Vault` is the part of it that a prompt needs; the hot path loads this module, so each verb loads
what it needs when it is called.
"""

import os

from memtend.settings import Settings, load
from memtend.workspace.place import MEMORIES_FOLDER, OWN_FOLDER, Found, find_vault, has_open_write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Self

    from memtend.layouts import Decoded
    from memtend.layouts.vault import VaultLayout
    from memtend.memory import Memory
    from memtend.search.index import Index
    from memtend.search.rank import Answer
    from memtend.search.recall import Recalled
    from memtend.settings import Value
    from memtend.workspace.plan import LearnRequest, Plan
    from memtend.workspace.verbs import Workspace

__all__ = ["LearnRequest", "Plan", "Vault", "Workspace"]

_LAZY = {
    "LearnRequest": "memtend.workspace.plan",
    "Plan": "memtend.workspace.plan",
    "Workspace": "memtend.workspace.verbs",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


_MOST_HITS = 1_000_000
"""Whoever asks for more means all of them."""


def require_mode(mode: str) -> None:
    """Raise Usage for what is no way to search: by words and meaning, by words alone, by meaning alone."""
    from memtend.search.candidates import MODES

    if mode not in MODES:
        from memtend.errors import Usage

        raise Usage(f"no search mode is called {mode!r}", hint=f"Modes: {', '.join(MODES)}.")


class Vault:
    """A vault that was found, and what it answers at a prompt; `Workspace` has everything else.

    `root` is the vault's folder, `project` the folder around it, `rule` says how it was found. Cheap to make: the
    index is opened and the disk is looked at when a verb needs it.
    """

    def __init__(self, found: Found, settings: Settings, environ: "Mapping[str, str]", session: str = "") -> None:
        self.root = found.root
        self.rule = found.rule
        self.settings = settings
        self.session = session or environ.get("MEMTEND_SESSION", "")
        self._environ = environ
        self._index: Index | None = None

    @classmethod
    def open(
        cls,
        vault: str | None = None,
        *,
        start: str | None = None,
        environ: "Mapping[str, str] | None" = None,
        flags: "Mapping[str, Value | None] | None" = None,
    ) -> "Self":
        """The vault for somebody who works in `start` (the working directory). Raises NotFound, UnusableInput."""
        environ = os.environ if environ is None else environ
        start = start or os.getcwd()
        settings = load(start, environ, {**(flags or {}), "vault": vault})
        return cls(find_vault(start, settings), settings, environ)

    @property
    def project(self) -> str:
        """The folder that the vault is in: what relative paths in memories count from."""
        return os.path.dirname(os.path.abspath(self.root))

    @property
    def now(self) -> "datetime":
        """The present, in UTC; `MEMTEND_NOW` sets it."""
        from memtend.workspace.clock import now_of

        return now_of(self._environ)

    @property
    def layout(self) -> "VaultLayout":
        """How memories lie on disk here."""
        from memtend.layouts.vault import VaultLayout

        return VaultLayout(folder=os.path.basename(os.path.abspath(self.root)))

    # Questions: the hot path

    def index(self) -> "Index":
        """The index, brought up to date with the disk. Raises UnreadableStore."""
        from memtend.search.index import Index

        self._take_back_interrupted()
        if self._index is None:
            self._index = Index(os.path.join(self.own_folder, "index.db"), self.root)
        self._index.refresh(self._look, self._decode)
        self._index.refresh_floor("memory-index.json", self._usage_of_page)
        if self.settings.text("embedder"):
            from memtend.workspace.embedding import choose

            setting, origin = self.settings.text("embedder"), self.settings.origin("embedder")
            choose(self._index, setting, origin, self._environ, self.own_folder)
        return self._index

    def _index_as_seen(self) -> "Index":
        """The index as it was at the last look at the disk: for what has just looked, or looks under a lock."""
        return self.index() if self._index is None else self._index

    def _look(self) -> dict[str, str]:
        """What lies on the disk, with stamps: every file is looked at, of which there may be 100,000."""
        from memtend.search.disk import scan

        return scan(self.root, [MEMORIES_FOLDER])

    def close(self) -> None:
        """Let go of the index; it opens again by itself."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _take_back_interrupted(self) -> None:
        """Take back a write that its writer did not live to finish; one that is under way is left alone."""
        if has_open_write(self.own_folder):
            from memtend.workspace.upkeep import take_back_interrupted

            take_back_interrupted(self)

    def _decode(self, path: str, data: bytes) -> "Decoded":
        return self.layout.decode(path, data)

    def _usage_of_page(self, data: bytes) -> "dict[str, tuple[int, str]]":
        usage = self.layout.usage({"memory-index.json": data})
        return {str(id): (found.times, found.last) for id, found in usage.items()}

    def search(
        self,
        query: str,
        limit: int | None = None,
        *,
        topic: str = "",
        category: str = "",
        include_retired: bool = False,
        tags: "Sequence[str]" = (),
        since: str = "",
        before: str = "",
        mode: str = "hybrid",
    ) -> "Answer":
        """The memories that answer a query in plain words, best first. Raises Usage for an empty one.

        `since` and `before` are days (`2026-06-30`) of the last change. `mode` is hybrid, lexical or semantic. Raises
        Usage for what is no day and no mode.
        """
        from memtend.search.rank import search
        from memtend.search.scope import Scope

        require_mode(mode)
        if since or before:
            from memtend.workspace.listing import day_of

            since, before = day_of(since), day_of(before)
        limit = min(self.settings.number("search_limit") if limit is None else limit, _MOST_HITS)
        scope = Scope(topic, category, include_retired, tags, since=since, before=before)
        index = self.index()
        answer = search(index, query, limit, scope, mode, today=self._timestamp())
        self._make_vectors(index)
        if answer.note and index.embedder is not None:
            from memtend.workspace.embedding import news

            answer.note = news(answer.note, self.own_folder)
        return answer

    def _make_vectors(self, index: "Index") -> None:
        """Have the vectors that another embedder still owes made, by another process."""
        if index.embedder is not None:
            from memtend.workspace.embedding import embed_in_background

            embed_in_background(index, self.root, self.own_folder)

    def recall(
        self,
        text: str,
        budget_tokens: int | None = None,
        max_count: int | None = None,
        *,
        most_bytes: int | None = None,
        is_counted: bool = True,
    ) -> "Recalled":
        """What an agent should know for a text, within a budget; the memories handed out are counted, if at all.

        `most_bytes` is for whoever cuts a longer context: a budget counts words, and those of addresses, of code and
        of some languages are long. Where not even the beginning of one memory is that short nothing is handed out.
        """
        from memtend.search.recall import recall
        from memtend.search.usage import append

        budget = self.settings.number("recall_budget") if budget_tokens is None else budget_tokens
        most = self.settings.number("recall_max") if max_count is None else max_count
        today = self._timestamp()
        index = self.index()
        recalled = recall(index, text, budget, most, today=today, most_bytes=most_bytes)
        self._make_vectors(index)
        if recalled.hits and is_counted:
            append(self.own_folder, [hit.id for hit in recalled.hits], today)
        return recalled

    @property
    def own_folder(self) -> str:
        """Where memtend keeps what is no memory: index, journal, usage log. Ignored by git."""
        return os.path.join(self.root, OWN_FOLDER)

    def _timestamp(self) -> str:
        if self._environ.get("MEMTEND_NOW"):
            return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")
        from time import gmtime, strftime

        return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())

    def _on_file(self, index: "Index") -> "Sequence[Memory]":
        """Every memory as its file says it, without its content and without what the log knows of its use."""
        from memtend.search.catalogue import catalogue

        return catalogue(index)
