"""The one joint: a store with its layout, its index, settings and clock, and every ability on it.

Front ends stand on `Workspace` and on nothing below it. What one ability needs of another is handed over here as
a plain function. The hot path loads this module, so each verb loads what it needs when it is called.
"""

import os

from memtend.settings import Settings, load
from memtend.workspace.place import (
    MEMORIES_FOLDER,
    VAULT_FOLDER,
    Found,
    find_vault,
    is_unfinished,
    is_vault,
    require_room,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from memtend.distill.report import Report
    from memtend.layouts import Decoded, Problem
    from memtend.layouts.vault import VaultLayout
    from memtend.memory import Memory
    from memtend.review import Decision
    from memtend.search.index import Index
    from memtend.search.rank import Answer
    from memtend.search.recall import Recalled
    from memtend.settings import Value
    from memtend.store.apply import Store
    from memtend.store.journal import Pruned
    from memtend.store.receipt import Receipt
    from memtend.workspace.distill_plan import Distilled, DistillPlan, Mode
    from memtend.workspace.distilling import Distilling
    from memtend.workspace.forgetting import Forgotten, Restored
    from memtend.workspace.learning import Learned, Learning, Step
    from memtend.workspace.naming import Linked
    from memtend.workspace.plan import LearnRequest, Listed, Plan
    from memtend.workspace.upkeep import Upkeep

__all__ = ["LearnRequest", "Plan", "Workspace"]

_LAZY = {"LearnRequest": "memtend.workspace.plan", "Plan": "memtend.workspace.plan"}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


class Workspace:
    """A vault and everything that can be done with it.

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
    ) -> "Workspace":
        """The vault for somebody who works in `start` (the working directory). Raises NotFound, UnusableInput."""
        environ = os.environ if environ is None else environ
        start = start or os.getcwd()
        settings = load(start, environ, {**(flags or {}), "vault": vault})
        return cls(find_vault(start, settings), settings, environ)

    @classmethod
    def create(
        cls, folder: str | None = None, *, start: str | None = None, environ: "Mapping[str, str] | None" = None
    ) -> "tuple[Workspace, Receipt]":
        """Make a vault at `folder` (`.memory`), and open it. One that is there is opened and not touched at all.

        Raises UnusableInput where a file is in the way, Refused inside another vault.
        """
        environ = os.environ if environ is None else environ
        start = start or os.getcwd()
        root = os.path.normpath(os.path.join(start, os.path.expanduser(folder or VAULT_FOLDER)))
        workspace = cls(Found(root, "named just now"), load(start, environ), environ)
        if is_vault(root) and not is_unfinished(root):
            from memtend.store.receipt import Receipt

            return workspace, Receipt(id="", at=workspace.now.isoformat())
        require_room(root)
        return workspace, workspace.store.create(now=workspace.now)

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

    @property
    def store(self) -> "Store":
        """The only thing that writes memory files."""
        from memtend.workspace.upkeep import store_of

        return store_of(self)

    # Questions: the hot path

    def index(self) -> "Index":
        """The index, brought up to date with the disk. Raises UnreadableStore."""
        from memtend.search.disk import scan
        from memtend.search.index import Index

        self._take_back_interrupted()
        if self._index is None:
            self._index = Index(os.path.join(self.own_folder, "index.db"), self.root)
        self._index.refresh(lambda: scan(self.root, [MEMORIES_FOLDER]), self._decode)
        self._index.refresh_floor("memory-index.json", self._usage_of_page)
        if self.settings.text("embedder"):
            from memtend.workspace.embedding import choose

            choose(self._index, self.settings.text("embedder"), self.settings.origin("embedder"), self._environ)
        return self._index

    def embed(self) -> int:
        """Make the vectors that the embedder of the settings still owes; how many memories it were."""
        from memtend.workspace.embedding import embed

        return embed(self.index(), self.own_folder)

    def close(self) -> None:
        """Let go of the index; it opens again by itself."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def _take_back_interrupted(self) -> None:
        """Take back a write that its writer did not live to finish; one that is under way is left alone."""
        try:
            names = os.listdir(os.path.join(self.own_folder, "journal"))
        except OSError:
            return
        if any(name.endswith(".intent.json") for name in names):
            from memtend.workspace.upkeep import take_back_interrupted

            take_back_interrupted(self)

    def forget_index(self) -> None:
        """Delete the index; it is made anew from the files when it is next needed."""
        from memtend.workspace.upkeep import remove_index

        self.close()
        remove_index(os.path.join(self.own_folder, "index.db"))

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

        `since` and `before` are days (`2026-06-30`) of the last change. `mode` is hybrid, lexical or semantic.
        """
        from memtend.search.rank import search
        from memtend.search.scope import Scope

        limit = self.settings.number("search_limit") if limit is None else limit
        scope = Scope(topic, category, include_retired, tags, since=since, before=before)
        index = self.index()
        answer = search(index, query, limit, scope, mode)
        if answer.note and index.embedder is not None:
            from memtend.workspace.embedding import embed_in_background, news

            embed_in_background(index, self.root, self.own_folder)
            answer.note = news(answer.note, self.own_folder)
        return answer

    def recall(self, text: str, budget_tokens: int | None = None, max_count: int | None = None) -> "Recalled":
        """What an agent should know for a text, within a budget; the memories handed out are counted."""
        from memtend.search.recall import recall
        from memtend.search.usage import append

        budget = self.settings.number("recall_budget") if budget_tokens is None else budget_tokens
        most = self.settings.number("recall_max") if max_count is None else max_count
        recalled = recall(self.index(), text, budget, most)
        if recalled.hits:
            append(self.own_folder, [hit.id for hit in recalled.hits], self._timestamp())
        return recalled

    @property
    def own_folder(self) -> str:
        """Where memtend keeps what is no memory: index, journal, usage log. Ignored by git."""
        return os.path.join(self.root, ".memtend")

    def _timestamp(self) -> str:
        if self._environ.get("MEMTEND_NOW"):
            return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")
        from time import gmtime, strftime

        return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())

    # Values

    def memories(self, *, include_retired: bool = False) -> "list[Memory]":
        """Every memory without its content, by id; usage from file, index page and log together."""
        from memtend.workspace.upkeep import catalogue

        found = sorted(catalogue(self), key=lambda memory: memory.id)
        return [memory for memory in found if include_retired or memory.is_active]

    def _on_file(self, index: "Index") -> "Sequence[Memory]":
        """Every memory as its file says it, without its content and without what the log knows of its use."""
        from memtend.search.catalogue import catalogue

        return catalogue(index)

    def read(self, memory_id: str) -> "Memory":
        """One memory, whole. Raises UnknownMemory where no or more than one memory goes by the name."""
        from memtend.workspace.naming import read

        return read(self, memory_id)

    def links(self, memory_id: str) -> "Linked":
        """What a memory links to, what links to it, and which of its links lead nowhere. Raises UnknownMemory."""
        from memtend.workspace.naming import links

        return links(self, memory_id)

    # Learning

    @property
    def _learning(self) -> "Learning":
        from memtend.workspace.learning import Learning

        return Learning(self)

    def list_documents(self, request: "LearnRequest") -> "tuple[Listed, ...]":
        """What a request would read, for a person to choose from."""
        return self._learning.documents(request)

    def plan_learn(self, request: "LearnRequest", *, step: "Step | None" = None) -> "Plan":
        """Cut what is named into segments and propose what to do with each. Writes nothing.

        `step` hears how far the work is; what it raises ends it.
        """
        from memtend.workspace.learning import unwatched

        return self._learning.plan(request, step or unwatched)

    def harvest(self, task: int) -> "Plan":
        """Propose the memory candidates that a task left in `specs/state.json`. Writes nothing."""
        return self._learning.harvest(task)

    def capture(self, transcript: str, *, session: str = "") -> tuple[str, ...]:
        """Put what a transcript says is worth remembering into the inbox, as candidates; gives the new lines."""
        from memtend.workspace.capturing import capture

        return capture(self, transcript, session)

    def preview(self, plan: "Plan", decision: "Decision") -> str:
        """What one decision would change, as a unified diff."""
        return self._learning.preview(plan, decision)

    def apply(
        self,
        plan: "Plan",
        decisions: "Sequence[Decision]",
        *,
        allow_secrets: bool = False,
        allow_large: bool = False,
        commit: bool | None = None,
    ) -> "Learned":
        """Do what was decided. Raises StaleDecision, SecretFound and what the store raises; then nothing is done."""
        return self._learning.apply(plan, decisions, allow_secrets, allow_large, commit)

    # Distilling

    @property
    def _distilling(self) -> "Distilling":
        from memtend.workspace.distilling import Distilling

        return Distilling(self)

    def report(self, *, keep: bool = True) -> "tuple[Report, tuple[str, ...]]":
        """The health of the vault, and warnings; with `keep` it is noted in distill-log.json and specs/state.json."""
        return self._distilling.report(keep=keep)

    def plan_distill(self, mode: "Mode", only: "Sequence[str]" = ()) -> "DistillPlan":
        """What a mode of distill would do. Writes nothing. Raises UnknownMemory, UnusableInput for `only`."""
        return self._distilling.plan(mode, only)

    def preview_distill(self, plan: "DistillPlan", decisions: "Sequence[Decision]") -> str:
        """What decisions on a plan would change, as a unified diff."""
        return self._distilling.preview(plan, decisions)

    def apply_distill(
        self,
        plan: "DistillPlan",
        decisions: "Sequence[Decision]",
        *,
        allow_large: bool = False,
        commit: bool | None = None,
    ) -> "Distilled":
        """Do what was decided. Raises StaleDecision and what the store raises; then nothing is done."""
        return self._distilling.apply(plan, decisions, allow_large=allow_large, commit=commit)

    def restore(self, memory_id: str, *, commit: bool | None = None) -> "Restored":
        """Bring a retired memory back into use. Raises UnknownMemory, Refused for one that is in use."""
        from memtend.workspace.forgetting import restore

        return restore(self, memory_id, commit=commit)

    def plan_restore(self, memory_id: str) -> "Memory":
        """The retired memory that would be brought back. Raises UnknownMemory, Refused for one that is in use."""
        from memtend.workspace.forgetting import retired

        return retired(self, memory_id)

    def plan_forget(self, memory_id: str) -> "Forgotten":
        """What forgetting a memory would touch. Writes nothing. Raises UnknownMemory."""
        from memtend.workspace.forgetting import plan_forget

        return plan_forget(self, memory_id)

    def forget(self, memory_id: str, *, commit: bool | None = None) -> "Forgotten":
        """Erase a memory everywhere in the vault, for good. Raises UnknownMemory."""
        from memtend.workspace.forgetting import forget

        return forget(self, memory_id, commit=commit)

    # Upkeep

    @property
    def _upkeep(self) -> "Upkeep":
        from memtend.workspace.upkeep import Upkeep

        return Upkeep(self)

    def log(self, *, with_bookkeeping: bool = False) -> "tuple[Receipt, ...]":
        """What was done, newest last."""
        return self.store.log(with_bookkeeping=with_bookkeeping)

    def undo(self, receipt_id: str | None = None, *, commit: bool | None = None) -> "Receipt":
        """Take back a receipt, or the latest that stands. Raises NotFound, LaterChange, ChangedOnDisk, Refused."""
        return self._upkeep.undo(receipt_id, commit)

    def plan_undo(self, receipt_id: str | None = None) -> "Receipt":
        """The receipt that would be taken back. Raises NotFound, LaterChange, Refused."""
        return self.store.plan_undo(receipt_id)

    def prune(self, before: "datetime | None" = None) -> "Pruned":
        """Erase what the journal knows of the time before, or all of it; that can no longer be undone."""
        from memtend.workspace.forgetting import prune

        return prune(self, before)

    def reindex(self, *, rebuild: bool = False, commit: bool | None = None) -> "Receipt":
        """Bring usage and the derived pages up to date; with `rebuild` the private index is made anew first."""
        return self._upkeep.reindex(rebuild, commit)

    def check(self) -> "tuple[Problem, ...]":
        """What is wrong with the vault, errors first. Changes nothing."""
        return self._upkeep.check()
