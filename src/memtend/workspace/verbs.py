"""Everything that can be done with a vault: reading, learning, distilling, upkeep, each verb from its own module."""

import os

from memtend.settings import load
from memtend.workspace import Vault
from memtend.workspace.place import VAULT_FOLDER, Found, is_unfinished, is_vault, require_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from memtend.distill.report import Report
    from memtend.layouts import Problem
    from memtend.memory import Memory
    from memtend.review import Decision
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


class Workspace(Vault):
    """A vault and everything that can be done with it. See `Vault` for how it is opened, asked and closed."""

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
    def store(self) -> "Store":
        """The only thing that writes memory files."""
        from memtend.workspace.upkeep import store_of

        return store_of(self)

    # Values

    def memories(self, *, include_retired: bool = False) -> "list[Memory]":
        """Every memory without its content, by id; usage from file, index page and log together."""
        from memtend.workspace.upkeep import catalogue

        found = sorted(catalogue(self), key=lambda memory: memory.id)
        return [memory for memory in found if include_retired or memory.is_active]

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

    def embed(self) -> int:
        """Make the vectors that the embedder of the settings still owes; how many memories it were."""
        from memtend.workspace.embedding import ask_again, embed

        ask_again(self.own_folder)
        return embed(self.index(), self.own_folder)

    def forget_index(self) -> None:
        """Delete the index; it is made anew from the files when it is next needed."""
        from memtend.workspace.upkeep import remove_index

        self.close()
        remove_index(os.path.join(self.own_folder, "index.db"))
