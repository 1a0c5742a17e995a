"""Tidying a role: the plan, what it would change, and applying what of it was accepted."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from difflib import unified_diff

from memtend.change import Change, ChangeSet
from memtend.errors import GuardTripped, NeedsConfirmation, StaleDecision, UnknownMemory, UnusableInput
from memtend.layouts.role import daily, grammar
from memtend.layouts.role.decode import CONSOLIDATED, decode_consolidated
from memtend.layouts.role.ids import Kind, category_name
from memtend.layouts.role.plan import Addition, Deletion, Rewrite, TidyPlan
from memtend.layouts.role.schema import plan_schema
from memtend.layouts.role.tidy import (
    LARGE_SHARE,
    PROTECTED_COUNT,
    Entry,
    entries_of,
    plan_by_model,
    plan_by_rules,
    prompt,
)
from memtend.memory import digest_of
from memtend.workspace.role.answers import Entry as Known
from memtend.workspace.role.edits import Drafter, New
from memtend.workspace.role.folder import RoleFolder
from memtend.workspace.role.reports import Tidied
from memtend.workspace.role.state import RoleState


def plan(role: RoleFolder, by_model: bool) -> TidyPlan:
    """What could be tidied now. Raises UnusableInput where the model's answer is no plan."""
    entries = _entries(role)
    if role.model is not None and by_model:
        answer = role.model(prompt(entries, plan_schema()))
        return plan_by_model(answer, entries, role.name, role.now)
    return plan_by_rules(entries, role.name, role.now)


def _entries(role: RoleFolder) -> list[Entry]:
    journals = [path for path in role.paths() if path.startswith(f"{daily.FOLDER}/")]
    files = role.state(*journals).files
    born = daily.first_days({path.rpartition("/")[2]: files[path] for path in journals if path in files})
    return entries_of(decode_consolidated(files.get(CONSOLIDATED, b"")).memories, born)


def marked(role: RoleFolder, plan: TidyPlan) -> TidyPlan:
    """A plan from elsewhere with what the entries themselves say: their texts, and whether they must be named.

    Raises UnusableInput for a plan that is of another role.
    """
    if plan.role not in ("", role.name):
        raise UnusableInput(
            f"the plan is of the role {plan.role}, not of {role.name}", hint=f"--role {plan.role} applies it there."
        )
    known = role.state().by_id
    deletions = []
    for deletion in plan.deletions:
        entry = known.get(deletion.id)
        if entry is None:
            deletions.append(deletion)
        else:
            deletions.append(replace(deletion, old=entry.text, must_be_named=_is_protected(entry)))
    return replace(plan, deletions=tuple(deletions))


def diff(role: RoleFolder, plan: TidyPlan, *, named: Collection[str], only: Collection[str] | None) -> str:
    """What applying the plan would change in consolidated.md, as a unified diff; empty where nothing."""
    state = role.state()
    _require_parts(plan, state, named, only)
    _, change_set = _draft(role.drafter(state), plan, named, only)
    edits = role.layout.encode(change_set, state.files, role.now) if change_set.changes else ()
    before = _lines(state.consolidated)
    after = next((_lines(edit.after) for edit in edits if edit.path == CONSOLIDATED), before)
    return "\n".join(unified_diff(before, after, CONSOLIDATED, f"{CONSOLIDATED} (tidied)", lineterm="", n=0))


def _lines(data: bytes | None) -> list[str]:
    return grammar.lines_of(data or b"")


def apply(
    role: RoleFolder,
    plan: TidyPlan,
    *,
    accepted: bool,
    named: Collection[str],
    only: Collection[str] | None,
    force: bool,
) -> Tidied:
    """Apply what of a plan was accepted. See `RoleWorkspace.apply_tidy`."""
    if not accepted:
        raise NeedsConfirmation(
            "a tidy plan is applied when a person has seen and accepted it (nothing written)",
            hint="Look at it first: `memtend role tidy` shows it as a diff.",
        )

    for text in (*(rewrite.text for rewrite in plan.rewrites), *(addition.text for addition in plan.additions)):
        role.require_no_secret(text)

    def decide(state: RoleState) -> tuple[tuple[Tidied, Mapping[str, str]], ChangeSet]:
        _require_parts(plan, state, named, only)
        if not force:
            _require_moderate(plan, state, named, only)
        return _draft(role.drafter(state), plan, named, only)

    (answer, ids), receipt = role.change(decide)
    role.follow(ids)
    return answer.with_receipt(receipt)


def _require_parts(plan: TidyPlan, state: RoleState, named: Collection[str], only: Collection[str] | None) -> None:
    """Raise where a person named what the plan does nothing about: that must not be nothing, in silence."""
    going = {deletion.id for deletion in plan.deletions}
    sources = {source for addition in plan.additions for source in addition.sources}
    parts = going | sources | {rewrite.id for rewrite in plan.rewrites}
    for id in (*named, *(only or ())):
        if id not in parts and id not in state.by_id:
            raise UnknownMemory(f"no entry has the id {id!r}", hint="`memtend role list` shows the ids.")
    strangers = [id for id in named if id not in going or not _is_wanted(id, only)]
    strangers += [id for id in only or () if id not in parts]
    if strangers:
        what = "delete" if strangers[0] in named else "do"
        raise UnusableInput(
            f"{', '.join(strangers)}: nothing to {what} there in this plan",
            hint="`memtend role tidy --dry-run` shows the plan. Nothing was written.",
        )


def _require_moderate(plan: TidyPlan, state: RoleState, named: Collection[str], only: Collection[str] | None) -> None:
    going = [
        deletion
        for deletion in plan.deletions
        if _is_wanted(deletion.id, only) and not _is_held_back(deletion, state, named)
    ]
    total = len(state.of(Kind.LEARNING, Kind.PREFERENCE))
    if len(going) > LARGE_SHARE * total:
        raise GuardTripped(
            f"{len(going)} of {total} entries would be deleted; the limit is {LARGE_SHARE:.0%}",
            hint="Choose fewer with --only, or say that so many are meant (--force). Nothing was written.",
        )


def _is_wanted(id: str, only: Collection[str] | None) -> bool:
    return only is None or id in only


def _is_held_back(deletion: Deletion, state: RoleState, named: Collection[str]) -> bool:
    """Whether an entry goes only when it is named, and was not: whatever the plan says, the entry decides."""
    entry = state.by_id.get(deletion.id)
    is_protected = deletion.must_be_named or (entry is not None and _is_protected(entry))
    return is_protected and deletion.id not in named


def _is_protected(entry: Known) -> bool:
    return entry.kind is Kind.PREFERENCE or entry.times >= PROTECTED_COUNT


class _Pending:
    """Changes as they come together, each on what the ones before left."""

    def __init__(self, drafter: Drafter) -> None:
        self.drafter = drafter
        self.changes: list[Change] = []
        self.ids: dict[str, str] = {}
        self.skipped: list[dict[str, str]] = []
        self.touched: set[str] = set()
        self.made: set[str] = set()
        """The ids of what rewrites and additions say: none of them is said twice."""

    def entry(self, id: str, digest: str) -> Known | None:
        """The entry that a plan means, if it is there and not taken by another part of the plan.

        Raises StaleDecision where it says something else now.
        """
        entry = self.drafter.state.by_id.get(id)
        if entry is None or id in self.touched:
            why = "another part of the plan changes it already" if entry else "there is no such entry any more"
            self.skipped.append({"id": id, "reason": why})
            return None
        if digest and _stamp(entry) != digest:
            raise StaleDecision(f"{id} has changed since the plan was made", hint="Make the plan again.")
        return entry

    def take(self, entry: Known, changes: tuple[Change, ...]) -> None:
        self.touched |= {entry.id, *(change.memory_id for change in changes)}
        self.changes += changes


def _stamp(entry: Known) -> str:
    return digest_of(f"{entry.times}x {entry.content}".encode("utf-8", "surrogateescape"))


def _draft(
    drafter: Drafter, plan: TidyPlan, named: Collection[str], only: Collection[str] | None
) -> tuple[tuple[Tidied, Mapping[str, str]], ChangeSet]:
    work = _Pending(drafter)
    deleted = sum(_delete(work, deletion, named) for deletion in plan.deletions if _is_wanted(deletion.id, only))
    rewrote = sum(_rewrite(work, rewrite) for rewrite in plan.rewrites if _is_wanted(rewrite.id, only))
    added = sum(
        _add(work, addition)
        for addition in plan.additions
        if only is None or any(source in only for source in addition.sources)
    )
    answer = Tidied(rewrote, deleted, added, tuple(work.skipped))
    note = f"tidy: rewrote {rewrote}, deleted {deleted}, added {added}" if work.changes else ""
    return (answer, work.ids), ChangeSet(tuple(work.changes), note=note)


def _delete(work: _Pending, deletion: Deletion, named: Collection[str]) -> int:
    if _is_held_back(deletion, work.drafter.state, named):
        reason = "a preference or often used: it goes only when it is named"
        work.skipped.append({"id": deletion.id, "reason": reason})
        return 0
    entry = work.entry(deletion.id, deletion.digest)
    if entry is None:
        return 0
    heir = work.drafter.state.by_id.get(deletion.into) if deletion.into not in work.touched else None
    work.take(entry, work.drafter.erased(entry))
    if heir is not None:
        work.ids[entry.id] = heir.id
        inherited = work.drafter.inherited(heir, entry)
        if inherited is not None:
            work.take(heir, (inherited,))
    return 1


def _rewrite(work: _Pending, rewrite: Rewrite) -> int:
    entry = work.entry(rewrite.id, rewrite.digest)
    if entry is None:
        return 0
    twin = work.drafter.state.twin(entry.kind, rewrite.text, entry.category)
    if twin is not None and twin.id != entry.id:
        work.skipped.append({"id": entry.id, "reason": f"{twin.id} says that already"})
        return 0
    changes = work.drafter.rewritten(entry, rewrite.text, entry.category)
    new = changes[-1].memory_id
    if new in work.made:
        work.skipped.append({"id": entry.id, "reason": f"another part of the plan says that: {rewrite.text}"})
        return 0
    work.made.add(new)
    work.take(entry, changes)
    work.ids[entry.id] = new
    return 1


def _add(work: _Pending, addition: Addition) -> int:
    missing = [source for source in addition.sources if source not in work.drafter.state.by_id]
    if missing:
        work.skipped.append({"id": missing[0], "reason": f"not added, its source is gone: {addition.text}"})
        return 0
    category = category_name(addition.category) if addition.kind is Kind.PREFERENCE else ""
    stored, change_set = work.drafter.added(New(addition.kind, addition.text, category))
    if stored.status != "created" or stored.id in work.made:
        work.skipped.append({"id": stored.id, "reason": f"it is there already: {addition.text}"})
        return 0
    work.made.add(stored.id)
    work.changes += change_set.changes
    return 1
