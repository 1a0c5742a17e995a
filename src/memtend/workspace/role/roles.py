"""Roles: folders that remember for one persona each, and everything that can be done with one (role spec).

`Roles` is the folder that holds them, `RoleWorkspace` one of them; its methods are the actions of the command line
and of the `memory` tool. What an action answers can be written as JSON.
"""

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memtend.errors import Integrity, Locked, MemtendError, NotFound, Usage
from memtend.layouts.role.decode import LEGACY
from memtend.layouts.role.ids import Kind, copy_keys, is_role_name, role_name
from memtend.workspace.role import reading
from memtend.workspace.role.answers import Entry, Listed
from memtend.workspace.role.folder import RoleFolder
from memtend.workspace.role.state import named_root

if TYPE_CHECKING:
    from memtend.layouts.role.plan import TidyPlan
    from memtend.store.receipt import Receipt
    from memtend.workspace.role.outcomes import Edited, Found, Prompt, Reinforced, Resolved, RoleFile, Stored, Written
    from memtend.workspace.role.rehearsal import Rehearsed
    from memtend.workspace.role.reports import (
        Consolidated,
        Expired,
        Extracted,
        Migrated,
        Organized,
        Repaired,
        Tidied,
    )

A = TypeVar("A")

SEARCH_LIMIT = 10
INJECT_BUDGET_TOKENS = 2000
JOURNAL_DAYS = 7
"""How far back the recent journal goes."""


class Roles:
    """The folder that holds the roles."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root)

    @classmethod
    def open(cls, given: str | None = None, environ: Mapping[str, str] = os.environ) -> "Roles":
        """The roles root that was named, else MEMTEND_ROLES, else PI_ROLES_DIR, else ~/.pi/roles."""
        return cls(named_root(given, environ))

    def names(self) -> tuple[str, ...]:
        """The roles, by name: folders whose name does not begin with a dot or an underscore. Raises NotFound."""
        if not self.root.is_dir():
            raise NotFound(f"There is no roles folder at {self.root}", hint="--roles DIR or MEMTEND_ROLES names one.")
        with os.scandir(self.root) as entries:
            return tuple(sorted(entry.name for entry in entries if is_role_name(entry.name) and entry.is_dir()))

    def only(self) -> str:
        """The name of the only role. Raises Usage where there are more, NotFound where there is none."""
        names = self.names()
        if len(names) == 1:
            return names[0]
        if not names:
            raise NotFound(f"There is no role in {self.root}", hint="`memtend role create NAME` makes one.")
        raise Usage(f"which role? There are {', '.join(names)}", hint="Name one with --role or MEMTEND_ROLE.")

    def path(self, name: str) -> Path:
        """Where a role lies. Raises OutsideStore for what is no role's name, NotFound where there is none."""
        folder = self.root / role_name(name)
        if not folder.is_dir():
            known = ", ".join(self.names()) if self.root.is_dir() else ""
            hint = f"Roles: {known}." if known else f"`memtend role create {name}` makes it."
            raise NotFound(f"There is no role {name} in {self.root}", hint=hint)
        return folder

    def role(self, name: str, **options: Any) -> "RoleWorkspace":
        """One role, with the options of `RoleFolder`. Raises OutsideStore, NotFound."""
        return RoleWorkspace(self.path(name), **options)

    def create(self, name: str, **options: Any) -> "tuple[RoleWorkspace, Receipt]":
        """Make a role that remembers nothing yet; what is there stays as it is. Raises OutsideStore, UnusableInput."""
        from memtend.workspace.role import past

        workspace = RoleWorkspace(self.root / role_name(name), **options)
        return workspace, past.create(workspace)


class RoleWorkspace(RoleFolder):
    """One role and its actions. See `RoleFolder` for its options."""

    # Questions

    def list(self) -> Listed:
        """What the role remembers, with ids, and what is the matter with its files."""
        from memtend.layouts.role import daily

        leftovers = [path for path in self.paths() if path == LEGACY or daily.is_older(path)]
        return reading.listed(self.state(), self.name, leftovers)

    def search(self, query: str, limit: int = SEARCH_LIMIT, *, reinforce: bool = True) -> "Found":
        """The entries that answer a query. Those it proves useful then count one more, or are promoted.

        Where that cannot be written, on a read-only disk say, they are found all the same, and `note` says why.
        Raises Usage for an empty one.
        """
        if not query.strip():
            raise Usage("the query is empty", hint="Say what to look for; `memtend role list` shows every entry.")
        from memtend.workspace.role.outcomes import Found

        found = Found(query, reading.searched(self.state(), query, limit, self.similarity))
        if not reinforce:
            return found
        try:
            return self.use(found)
        except (Integrity, Locked) as fault:
            return found._replace(note=f"not counted: {fault.message}")

    def use(self, found: "Found") -> "Found":
        """Let the hits of a search count: the second step, on the returned hits alone, once an entry and session."""
        proved = {hit.id for hit in found.hits if hit.is_proof and hit.kind in (Kind.LEARNING, Kind.PENDING)}
        if not proved:
            return found
        claimed = self.sessions.claim(proved, self.today)
        hits = [hit for hit in found.hits if hit.id in claimed]
        try:
            focus = frozenset().union(*(copy_keys(hit.text) for hit in hits))
            used, receipt = self.change(lambda state: self.drafter(state).used(hits), focus=focus)
        except MemtendError:
            self.sessions.release(claimed)
            raise
        new_ids = {resolved.id: resolved.new_id for resolved in used.promoted}
        self.sessions.claim(new_ids.values(), self.today)
        self.follow(new_ids)
        return found._replace(reinforced=used.reinforced, promoted=used.promoted, receipt=receipt)

    def inject(self, budget_tokens: int = INJECT_BUDGET_TOKENS, query: str = "") -> "Prompt":
        """What an agent's prompt gets of the role, within a budget. Changes nothing."""
        from memtend.layouts.role import daily, inject
        from memtend.workspace.role.outcomes import Prompt

        days = [f"{daily.FOLDER}/{day}.md" for day in daily.days_before(self.now, JOURNAL_DAYS)]
        state = self.state(*days)
        journals = {path.rpartition("/")[2]: state.files[path] for path in days if path in state.files}
        hits = reading.searched(state, query, SEARCH_LIMIT, self.similarity) if query.strip() else ()
        given = inject.injected(self.name, reading.groups(state, hits, journals, query), budget_tokens)
        return Prompt(self.name, *given)

    # One entry

    def add_learning(self, text: str, *, source: str = "", tags: Collection[str] = ()) -> "Stored":
        """Remember a learning at [0x]; from the source `auto` as a candidate. A copy is not stored again.

        A copy is what differs in case, blanks or a final full stop alone.
        Raises Refused for a text that says nothing, SecretFound for one that holds a key or password.
        """
        return self._add(Kind.LEARNING, text, "", source, tags)

    def add_preference(
        self, text: str, category: str = "", *, source: str = "", tags: Collection[str] = ()
    ) -> "Stored":
        """Remember a preference in a category (`General`); from the source `auto` as a candidate.

        Raises UnusableInput for what names no category, and what `add_learning` raises.
        """
        _require_category(category)
        return self._add(Kind.PREFERENCE, text, category, source, tags)

    def _add(self, kind: Kind, text: str, category: str, source: str, tags: Collection[str]) -> "Stored":
        from memtend.workspace.role.edits import New

        self.require_no_secret(text)
        new = New(kind, text, category, source, tuple(tags))
        focus = copy_keys(new.text)
        answer, receipt = self.change(lambda state: self.drafter(state).added(new), journal=True, focus=focus)
        return answer._replace(receipt=receipt)

    def update_learning(self, needle: str, text: str) -> "Edited":
        """Another text for the learning that an id or a text means. Raises UnknownMemory, Refused for a copy."""
        return self._update(Kind.LEARNING, needle, text, "")

    def update_preference(self, needle: str, text: str, category: str = "") -> "Edited":
        """Another text, or category, for a preference. Raises UnknownMemory, UnusableInput, Refused for a copy."""
        _require_category(category)
        return self._update(Kind.PREFERENCE, needle, text, category)

    def _update(self, kind: Kind, needle: str, text: str, category: str) -> "Edited":
        self.require_no_secret(text)
        answer, receipt = self.change(lambda state: self.drafter(state).updated(kind, needle, text, category))
        self.follow({answer.old_id: answer.id})
        return answer._replace(receipt=receipt)

    def delete_learning(self, needle: str) -> "Edited":
        """Take out the learning that an id or a text means. Raises UnknownMemory."""
        return self._delete(Kind.LEARNING, needle, is_confirmed=True)

    def preference(self, needle: str) -> Entry:
        """The preference that an id or a text means. Raises UnknownMemory."""
        return self.state().find(needle, Kind.PREFERENCE)

    def delete_preference(self, needle: str, *, confirmed: bool = False) -> "Edited":
        """Take out a preference, once a person has said so. Raises UnknownMemory, NeedsConfirmation."""
        return self._delete(Kind.PREFERENCE, needle, is_confirmed=confirmed)

    def _delete(self, kind: Kind, needle: str, *, is_confirmed: bool) -> "Edited":
        answer, receipt = self.change(
            lambda state: self.drafter(state).deleted(kind, needle, is_confirmed=is_confirmed)
        )
        return answer._replace(receipt=receipt)

    def reinforce(self, needle: str) -> "Reinforced":
        """One use more for a learning, and `seen` today. Raises UnknownMemory."""
        answer, receipt = self.change(lambda state: self.drafter(state).reinforcing(needle))
        return answer._replace(receipt=receipt)

    # Candidates

    def promote(self, needle: str) -> "Resolved":
        """Make a candidate a learning at [0x], or a preference where it has a category. Raises UnknownMemory."""
        answer, receipt = self.change(lambda state: self.drafter(state).promoting(needle))
        self.follow({answer.id: answer.new_id})
        return answer._replace(receipt=receipt)

    def discard(self, needle: str) -> "Resolved":
        """Mark a candidate as not worth keeping. Raises UnknownMemory, Refused."""
        answer, receipt = self.change(lambda state: self.drafter(state).discarding(needle))
        return answer._replace(receipt=receipt)

    # The rest stands in modules of its own, loaded when it is asked for

    def expire(self) -> "Expired":
        """The life cycle of candidates: old ones discarded, hand-written ones completed, resolved ones archived."""
        from memtend.workspace.role import procedure

        return procedure.expire(self)

    def consolidate(self, threshold: float | None = None) -> "Consolidated":
        """Merge copies by rule and lay the file out. Never removes a unique entry; reports each merge.

        `threshold` is the share of words in common (0.9) from which two lines are copies.
        """
        from memtend.workspace.role import procedure

        return procedure.consolidate(self, threshold)

    def repair(self) -> "Repaired":
        """Mend what is malformed. A file with nothing to mend is not touched."""
        from memtend.workspace.role import procedure

        return procedure.repair(self)

    def tidy(self, *, by_model: bool = True) -> "TidyPlan":
        """A plan of what could be tidied, by the model where there is one, else by rules. Changes nothing."""
        from memtend.workspace.role import tidy

        return tidy.plan(self, by_model)

    def tidy_marked(self, plan: "TidyPlan") -> "TidyPlan":
        """A plan from elsewhere, with what the entries themselves say: their texts, and whether they must be named."""
        from memtend.workspace.role import tidy

        return tidy.marked(self, plan)

    def tidy_diff(self, plan: "TidyPlan", *, named: Collection[str] = (), only: Collection[str] | None = None) -> str:
        """What applying a plan would change, as a unified diff. Raises as `apply_tidy` for what was named."""
        from memtend.workspace.role import tidy

        return tidy.diff(self, plan, named=named, only=only)

    def apply_tidy(
        self,
        plan: "TidyPlan",
        *,
        accepted: bool,
        named: Collection[str] = (),
        only: Collection[str] | None = None,
        force: bool = False,
    ) -> "Tidied":
        """Apply a plan that a person has seen and accepted.

        `named` are the protected entries whose deletion was named one by one, `only` the ids to apply at all;
        `force` allows more than 20 % deletions. Raises NeedsConfirmation, GuardTripped, StaleDecision; UnknownMemory
        and UnusableInput where something is named that the plan does nothing about.
        """
        from memtend.workspace.role import tidy

        return tidy.apply(self, plan, accepted=accepted, named=named, only=only, force=force)

    def extract(self, transcript: str, *, by_model: bool = True) -> "Extracted":
        """Propose at most three lines of a transcript as candidates."""
        from memtend.workspace.role import procedure, rehearsal

        if self.dry_run:
            return rehearsal.extract(self, transcript, by_model=by_model)
        return procedure.extract(self, transcript, by_model=by_model)

    def organize(self, *, tidy: bool = False, query: str = "") -> "Organized":
        """The whole procedure: assess, repair, consolidate, tidy plan (asked for), pending, report."""
        from memtend.workspace.role import procedure, rehearsal

        if self.dry_run:
            return rehearsal.organize(self, tidy=tidy, query=query)
        return procedure.organize(self, tidy=tidy, query=query)

    def organize_due(self, transcript: str | None = None) -> "Organized":
        """What is due of the procedure and nothing else; says what ran and why."""
        from memtend.workspace.role import procedure, rehearsal

        if self.dry_run:
            return rehearsal.organize_due(self, transcript)
        return procedure.organize_due(self, transcript)

    def rehearse(self, action: "Callable[[RoleWorkspace], A]", journals: Collection[str] = ()) -> "Rehearsed[A]":
        """What an action would answer and change, worked out on a copy; `apply` of its change set does just that.

        `journals` are the files of the raw journal that it is about, by path.
        """
        from memtend.workspace.role import rehearsal

        return rehearsal.rehearse(self, action, journals)

    def migrate(self) -> "Migrated":
        """Take over what an older layout left; what was there is kept in memory/archive."""
        from memtend.workspace.role import procedure

        return procedure.migrate(self)

    def migrate_first(self) -> None:
        """Bring an older layout up to date, so that a write finds its files."""
        self.migrate()

    # Files

    def files(self) -> tuple[dict[str, object], ...]:
        """The files of the role's folder with their sizes."""
        return tuple({"path": path, "size_bytes": (self.root / path).stat().st_size} for path in self.paths())

    def read(self, path: str) -> "RoleFile":
        """A file of the role's folder. Raises OutsideStore, NotFound."""
        from memtend.workspace.role import files

        return files.read(self, path)

    def write(self, path: str, text: str, *, expected: str | None = None, force: bool = False) -> "Written":
        """Write a file of the role's folder; memory files go through the parser.

        `expected` is the digest that the file had when it was read. Raises OutsideStore, StaleDecision, Refused,
        GuardTripped where too many entries would go and `force` is not given.
        """
        from memtend.workspace.role import files

        return files.write(self, path, text, expected=expected, force=force)

    def log(self) -> "tuple[Receipt, ...]":
        """What was done, newest last."""
        return self.store.log()

    def undo(self, receipt_id: str | None = None) -> "Receipt":
        """Take back a receipt, or the latest that stands. Raises NotFound, LaterChange, ChangedOnDisk.

        A dry run answers with a receipt without an id, as far as the log tells.
        """
        from memtend.workspace.role import past

        return past.undo(self, receipt_id)


def _require_category(name: str) -> None:
    from memtend.text import require_name

    require_name("category", name)
