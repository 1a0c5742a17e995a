"""Distilling, joined: columns from the index → report → proposals → decisions → one change set, with the log."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memtend.change import ChangeSet, Verb
from memtend.distill import log
from memtend.distill.alike import alike
from memtend.distill.columns import Columns
from memtend.distill.compress import compress_proposals, draft_compress
from memtend.distill.draft import Draft
from memtend.distill.merge import draft_merge, merge_proposals
from memtend.distill.refine import draft_refine, plain_fixes, refine_proposals
from memtend.distill.report import Report, retired_rows
from memtend.distill.retire import draft_gc, draft_purge, gc_proposals, purge_proposals
from memtend.distill.score import Scores, health_status, scores
from memtend.distill.state import Health
from memtend.errors import ChangedOnDisk, Refused, UnusableInput
from memtend.learn import secrets
from memtend.memory import Memory, MemoryId, Status
from memtend.review import Action, Decision
from memtend.search import catalogue as table
from memtend.search import usage
from memtend.store.receipt import Receipt
from memtend.workspace.distill_log import DistillLog
from memtend.workspace.distill_plan import Distilled, DistillPlan, Mode, narrowed, without
from memtend.workspace.health import ProjectHealth
from memtend.workspace.likenesses import Likenesses
from memtend.workspace.naming import find
from memtend.workspace.preview import Preview
from memtend.workspace.upkeep import Upkeep, catalogue

if TYPE_CHECKING:
    from memtend.search.index import Index
    from memtend.workspace import Workspace

_COMPARED = 2000
"""Pairs of a report whose texts are compared, the most alike first; merging compares all."""
_PAIRS_A_MEMORY = 20
"""Pairs a report looks at, for each memory, before it names each one's best alone."""
_FEW = 100
"""Texts that are asked for by name; more are read in one go."""
_ATTEMPTS = 3


class Distilling:
    """Distilling one vault: one plan, or one apply. What the index knows is read once."""

    def __init__(self, workspace: "Workspace") -> None:
        self.workspace = workspace

    # Looking

    def report(self, *, keep: bool = True) -> tuple[Report, tuple[str, ...]]:
        """The health of the vault, and what stood in the way of noting it down in the log and in the project's state.

        A report that says what the last one of the day said is not noted again.
        """
        found = self._report(_COMPARED, self._limit)
        if not keep or not len(found.columns):
            return found, ()
        metrics = found.scores.metrics()
        operation = log.Operation(
            kind=log.Kind.REPORT,
            at=self.workspace.now,
            session=self.workspace.session,
            pre_metrics=metrics,
            post_metrics=metrics,
            notes=f"Health {found.health}/100 ({found.status})",
        )
        return found, tuple(
            filter(None, (DistillLog(self.workspace).jot(operation), self._keep_health(found.scores, is_report=True)))
        )

    def plan(self, mode: Mode, only: Sequence[str] = ()) -> DistillPlan:
        """What a mode would do, or what it would do to some memories. Writes nothing.

        Raises UnknownMemory for a name that is none, UnusableInput for a memory that the mode has nothing to do with.
        """
        ids = tuple(dict.fromkeys(find(self._memories, name).id for name in only))
        twice = {id for id, count in Counter(memory.id for memory in self._memories).items() if count > 1}
        found = without(self._plan(mode), twice, "stands in more than one file; `memtend check` names them")
        return narrowed(found, ids) if ids else found

    def _plan(self, mode: Mode) -> DistillPlan:
        if mode is Mode.GC:
            return DistillPlan(mode, gc_proposals(self._memories, self.workspace.now.date()))
        if mode in (Mode.REFINE, Mode.AUTO):
            return self._refine_plan(mode)
        if mode is Mode.MERGE:
            found = self._report(None, None)
            return DistillPlan(mode, merge_proposals(found.columns, found.alike.pairs), report=found)
        found = self._report(_COMPARED, self._limit)
        if mode is Mode.PURGE:
            return DistillPlan(mode, purge_proposals(found), report=found)
        if mode is Mode.COMPRESS:
            return DistillPlan(mode, compress_proposals(found, lambda id: self._texts([id]).get(id, "")), report=found)
        raise UnusableInput(f"{mode} decides nothing", hint="`memtend distill report` prints it.")

    def _refine_plan(self, mode: Mode) -> DistillPlan:
        plain = plain_fixes(self._memories, self._texts)
        if mode is Mode.AUTO:
            return DistillPlan(mode, plain=tuple(plain))
        columns = self._columns
        return DistillPlan(mode, refine_proposals(columns, plain, self._texts(columns.ids)), tuple(plain))

    def preview(self, plan: DistillPlan, decisions: Sequence[Decision]) -> str:
        """What decisions would change, as a unified diff."""
        return self._previewed.diff(self._drafted(plan, decisions).change_set)

    # Doing

    def apply(
        self,
        plan: DistillPlan,
        decisions: Sequence[Decision],
        *,
        allow_large: bool = False,
        commit: bool | None = None,
    ) -> Distilled:
        """Do what was decided, in one change set, with its entry in the log.

        Raises StaleDecision and what the store raises; then nothing is done.
        """
        draft = self._drafted(plan, decisions)
        if not draft.change_set.changes:
            return self._without_changes(plan, draft, commit)
        before = self._scores
        after = scores(self._columns_after(draft.change_set), self.workspace.now.date())
        operation = log.Operation(
            kind=log.Kind.REFINE if plan.mode is Mode.AUTO else log.Kind(plan.mode),
            at=self.workspace.now,
            session=self.workspace.session,
            pre_metrics=before.metrics(),
            post_metrics=after.metrics(),
            affected=draft.affected,
            notes=draft.notes,
            remembered=draft.remembered,
        )
        receipt = self._applied(draft.change_set, operation, allow_large, commit)
        left = self._keep_health(after, receipt_id=receipt.id)
        return Distilled(
            plan,
            draft.affected,
            receipt,
            draft.refused,
            tuple(filter(None, (*draft.warnings, *receipt.warnings, left))),
            draft.notes,
            (before.health, after.health),
        )

    def _without_changes(self, plan: DistillPlan, draft: Draft, commit: bool | None) -> Distilled:
        """Nothing was chosen, or nothing is to be done; `auto` still brings the derived pages up to date."""
        if plan.mode is not Mode.AUTO:
            return Distilled(plan, refused=draft.refused, warnings=draft.warnings)
        receipt = Upkeep(self.workspace).apply(ChangeSet(note="update indexes"), commit=commit)
        left = self._keep_health(self._scores, is_report=True)
        return Distilled(
            plan, receipt=receipt if receipt.id else None, warnings=(left,) if left else (), notes=draft.notes
        )

    def _applied(
        self, change_set: ChangeSet, operation: log.Operation, allow_large: bool, commit: bool | None
    ) -> Receipt:
        """Apply with the log's entry; where somebody else has just written into the log, behind theirs."""
        noted = DistillLog(self.workspace)
        for attempt in range(_ATTEMPTS):
            edit = noted.edit(operation)
            try:
                return Upkeep(self.workspace).apply(
                    replace(change_set, edits=(edit,)), allow_large=allow_large, commit=commit
                )
            except ChangedOnDisk:
                if attempt == _ATTEMPTS - 1 or noted.edit(operation) == edit:
                    raise
        raise AssertionError("not reached")

    def _drafted(self, plan: DistillPlan, decisions: Sequence[Decision]) -> Draft:
        """The change set that decisions on a plan come to; a file that cannot be changed does not stop the others."""
        draft = self._draft(plan, decisions)
        refused = self._refused(draft.change_set)
        if not refused:
            return draft
        proposals = tuple(proposal for proposal in plan.proposals if not refused.keys() & proposal.digests.keys())
        plain = tuple(fix for fix in plan.plain if fix.id not in refused)
        asked = {proposal.id for proposal in proposals}
        rest = [decision for decision in decisions if decision.proposal_id in asked]
        draft = self._draft(replace(plan, proposals=proposals, plain=plain), rest)
        return replace(draft, refused=(*draft.refused, *refused.values()))

    def _refused(self, change_set: ChangeSet) -> dict[MemoryId, str]:
        """Why some of the changes cannot be made."""
        found: dict[MemoryId, str] = {}
        for change in change_set.changes:
            try:
                if change.verb is not Verb.ERASE:
                    self._previewed.told(change)
            except Refused as fault:
                found[change.memory_id] = fault.message
        return found

    def _draft(self, plan: DistillPlan, decisions: Sequence[Decision]) -> Draft:
        today = self.workspace.now.date().isoformat()
        whole = self._whole(plan, decisions)
        told = self._previewed.told
        if plan.mode is Mode.PURGE:
            draft = draft_purge(plan.proposals, decisions, whole, self._linked_from, today)
            return _with_secrets_named(draft, whole)
        if plan.mode is Mode.MERGE:
            sources = {source for id in _decided(plan, decisions) for source in self._linked_from(id)}
            linking = self._whole_of(map(MemoryId, sources))
            return draft_merge(plan.proposals, decisions, whole, linking.values(), told=told, today=today)
        if plan.mode is Mode.COMPRESS:
            return draft_compress(plan.proposals, decisions, whole, told, today)
        if plan.mode is Mode.GC:
            return _with_secrets_named(draft_gc(plan.proposals, decisions, whole, log.text_hash), whole)
        is_auto = plan.mode is Mode.AUTO
        return draft_refine(plan.plain, plan.proposals, decisions, whole, today, auto=is_auto)

    def _whole(self, plan: DistillPlan, decisions: Sequence[Decision]) -> dict[MemoryId, Memory]:
        """The memories that are decided on, whole."""
        return self._whole_of(_decided(plan, decisions) | {fix.id for fix in plan.plain})

    def _whole_of(self, ids: Iterable[MemoryId]) -> dict[MemoryId, Memory]:
        """Memories with their content, and with all their usage; those that are not there are left out."""
        known = {memory.id: memory for memory in self._memories}
        return {
            id: replace(
                self._previewed.memory(id),
                retrieval_count=known[id].retrieval_count,
                last_retrieved=known[id].last_retrieved,
            )
            for id in ids
            if id in known
        }

    def _columns_after(self, change_set: ChangeSet) -> Columns:
        """The columns as they would be, usage never lower than it is."""
        known = {memory.id: memory for memory in self._memories}
        after = {
            id: memory
            and replace(
                memory,
                retrieval_count=max(memory.retrieval_count, known[id].retrieval_count),
                last_retrieved=memory.last_retrieved or known[id].last_retrieved,
            )
            for id, memory in self._previewed.after(change_set).items()
        }
        return self._columns.after(after)

    # What is known, worked out once

    @cached_property
    def _index(self) -> "Index":
        return self.workspace.index()

    @cached_property
    def _memories(self) -> list[Memory]:
        return sorted(catalogue(self.workspace, self._index), key=lambda memory: memory.id)

    @cached_property
    def _previewed(self) -> Preview:
        return Preview(self.workspace, self._memories)

    @cached_property
    def _table(self) -> dict[str, list[Any]]:
        return table.columns(self._index)

    @cached_property
    def _columns(self) -> Columns:
        known = usage.totals(self.workspace.own_folder, table.usage(self._index), self.workspace.now.isoformat())
        return Columns.of_table(self._table, known)

    @cached_property
    def _scores(self) -> Scores:
        return scores(self._columns, self.workspace.now.date())

    @property
    def _limit(self) -> int:
        return _PAIRS_A_MEMORY * len(self._columns) + 10_000

    def _report(self, compared: int | None, limit: int | None) -> Report:
        today, columns = self.workspace.now.date(), self._columns
        likenesses = Likenesses(self._index, columns)
        found = alike(columns, today, likenesses.near(), likenesses.compare, compared=compared, limit=limit)
        likenesses.keep()
        rows = zip(*(self._table[name] for name in ("id", "retired_at", "retired_reason", "status")), strict=True)
        retired = [(id, at, reason) for id, at, reason, status in rows if status == Status.RETIRED]
        vault = self.workspace.layout.folder + "/"
        return Report(today, vault, self._scores, found, retired_rows(retired, today))

    def _texts(self, ids: Sequence[str]) -> Mapping[str, str]:
        if len(ids) <= _FEW:
            return table.texts(self._index, ids)
        wanted = set(ids)
        rows = self._index.rows("select m.id, t.text from memories m join texts t on t.n = m.n")
        return {id: text for id, text in rows if id in wanted}

    def _linked_from(self, id: MemoryId) -> Sequence[str]:
        return [source for source in table.links_to(self._index, id) if source != id]

    # The project's state

    def _keep_health(self, found: Scores, receipt_id: str = "", *, is_report: bool = False) -> str:
        health = Health(
            last_distilled=self.workspace.now,
            total_memories=len(found.columns),
            never_retrieved=sum(count == 0 for count in found.columns.retrieval_counts),
            health_score=found.health,
            status=health_status(found.health),
            is_report=is_report,
        )
        return ProjectHealth(self.workspace).keep(health, receipt_id)


def _decided(plan: DistillPlan, decisions: Sequence[Decision]) -> set[MemoryId]:
    """The memories that something is to be done with."""
    chosen = {decision.proposal_id for decision in decisions if decision.action is not Action.SKIP}
    return {id for proposal in plan.proposals if proposal.id in chosen for id in proposal.digests}


def _with_secrets_named(draft: Draft, memories: Mapping[MemoryId, Memory]) -> Draft:
    """The draft with a word on memories that look like they hold a secret: retiring is not forgetting (O-PV-01)."""
    found = {id: secrets.find(memories[id].text) for id in draft.change_set.memory_ids}
    left = "its file, the journal" if draft.change_set.of(Verb.RETIRE) else "the journal"
    warnings = tuple(
        f"{id} looks like it holds a {places[0].kind} (line {places[0].line}): it stays in {left} and git's history; "
        f"`memtend forget {id}` erases it"
        for id, places in found.items()
        if places
    )
    return replace(draft, warnings=(*draft.warnings, *warnings))
