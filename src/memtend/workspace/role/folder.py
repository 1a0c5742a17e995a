"""One role's folder: reading it whole, and changing it in turn with others.

A change reads the role, decides, and lets the store apply it under the role's lock, which compares what was read
with what is there; where somebody else was quicker, the action decides again on what is there now.
"""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from memtend.change import Change, ChangeSet, Verb, applied
from memtend.errors import ChangedOnDisk, NotFound, SecretFound, SelfCheckFailed, StaleDecision, UnknownMemory
from memtend.layouts.role.decode import CONSOLIDATED, LEGACY, PENDING
from memtend.layouts.role.ids import Kind, key_of, role_name
from memtend.memory import Digest, Memory, MemoryId
from memtend.workspace.clock import Clock, now_of
from memtend.workspace.place import OWN_FOLDER, has_open_write
from memtend.workspace.role.state import RoleState

if TYPE_CHECKING:
    from memtend.layouts.role import RoleLayout
    from memtend.store.apply import Store
    from memtend.store.receipt import Receipt
    from memtend.workspace.role.edits import Drafter
    from memtend.workspace.role.sessions import Sessions

Model = Callable[[str], str]
"""A language model: a prompt in, its answer out."""
Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""An embedder: a query and texts in, a similarity from 0 to 1 for each text out."""

ATTEMPTS = 200
"""How often an action decides anew when others write at the same time."""
SHORTEST_SECRET = 16
"""Characters of a key or token that stands alone; a password that is shorter stands behind its name."""

A = TypeVar("A")
Decide = Callable[[RoleState], tuple[A, ChangeSet]]


class RoleFolder:
    """One role on the disk.

    `clock` says what time it is. With `plain` what is written has no metadata comments. `session` names the agent's
    session: a search reinforces each entry once a session. With `commit` every write is committed alone, where the
    role lies in a git repository. With `dry_run` actions answer what they would do, and write nothing. What looks
    like a key or password is refused but with `allow_secrets`. An action does nothing where an entry of `relies_on`
    does not say what it said when the action was decided. `similarity` and `model` are used where they are given;
    nothing needs them. `notice` gets every receipt, with its warnings and how its commit ended.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        clock: Clock = now_of,
        plain: bool = False,
        session: str = "",
        commit: bool = False,
        dry_run: bool = False,
        allow_secrets: bool = False,
        relies_on: Mapping[MemoryId, Digest] | None = None,
        similarity: Similarity | None = None,
        model: Model | None = None,
        notice: "Callable[[Receipt], None] | None" = None,
    ) -> None:
        self.root = Path(root)
        self.name = role_name(self.root.name)
        self.session = session
        self.plain = plain
        self.commit = commit
        self.dry_run = dry_run
        self.allow_secrets = allow_secrets
        self.relies_on = relies_on or {}
        self.similarity = similarity
        self.model = model
        self.notice = notice
        self._clock = clock
        self._aliases: dict[str, str] = {}
        self._is_whole = False

    @property
    def now(self) -> datetime:
        """The present, in UTC."""
        return self._clock().astimezone(UTC)

    @property
    def today(self) -> str:
        """The UTC day, `2026-06-30`."""
        return f"{self.now:%Y-%m-%d}"

    @cached_property
    def sessions(self) -> "Sessions":
        """What this session has reinforced already."""
        from memtend.workspace.role.sessions import FILE, Sessions

        return Sessions(self.root / OWN_FOLDER / FILE, self.session, only_look=self.dry_run)

    def elsewhere(self, root: Path) -> Self:
        """The same caller with another folder, where it writes but neither commits nor tells anybody."""
        return type(self)(
            root,
            clock=self._clock,
            plain=self.plain,
            session=self.session,
            allow_secrets=self.allow_secrets,
            similarity=self.similarity,
            model=self.model,
        )

    @cached_property
    def layout(self) -> "RoleLayout":
        """How the role's memories lie on disk."""
        from memtend.layouts.role import RoleLayout

        return RoleLayout(self.name, plain=self.plain)

    @property
    def store(self) -> "Store":
        """The only thing that writes the role's files."""
        return self.store_with(self.layout)

    def store_with(self, layout: "RoleLayout") -> "Store":
        """The role's store, with more or less of a layout."""
        from memtend.store.apply import Store

        return Store(self.root, layout)

    def read_files(self, *paths: str) -> dict[str, bytes]:
        """The bytes of those files that are there. Raises OutsideStore, UnreadableStore, NotFound without a folder."""
        from memtend.store.files import Files

        if not self.root.is_dir():
            raise NotFound(f"There is no role at {self.root}", hint="`memtend role roles` lists them.")
        self._make_whole()
        files = Files(self.root)
        found = {path: files.read(path) for path in paths}
        return {path: data for path, data in found.items() if data is not None}

    def _make_whole(self) -> None:
        """Take back what an interrupted writer left, once, where that can be; else no store is loaded."""
        if not self._is_whole and has_open_write(str(self.root / OWN_FOLDER)):
            from memtend.workspace import interrupted

            interrupted.take_back(self.store, self.now)
        self._is_whole = True

    def paths(self) -> tuple[str, ...]:
        """Every plain file of the folder, sorted."""
        from memtend.store.files import Files

        return Files(self.root).find().paths

    def state(self, *more: str, focus: Collection[str] | None = None) -> RoleState:
        """The role as it is now, with more files where they are asked for by path; see `RoleState` for the focus."""
        files = self.read_files(CONSOLIDATED, PENDING, *more)
        if CONSOLIDATED not in files:
            files |= self.read_files(LEGACY)
        return RoleState(files, self._aliases, focus)

    def require_no_secret(self, text: str) -> None:
        """Raise SecretFound where a text looks like it holds a key or password; its value is not told (O-PV-01)."""
        if self.allow_secrets or not _may_hold_secret(text):
            return
        from memtend.learn import secrets

        found = secrets.find(text)
        if found:
            raise SecretFound(
                f"line {found[0].line} looks like it holds a secret ({found[0].kind})",
                hint="Leave it out, or say that it may be stored (--allow-secrets). Nothing was written.",
            )

    def drafter(self, state: RoleState) -> "Drafter":
        """Who drafts changes to a state."""
        from memtend.workspace.role.edits import Drafter

        return Drafter(state, self.now, self.plain)

    def change(
        self,
        decide: Decide[A],
        more: Sequence[str] = (),
        *,
        journal: bool = False,
        focus: Collection[str] | None = None,
    ) -> tuple[A, str]:
        """Decide on the role as it is and apply it; again where somebody else was quicker.

        Returns the answer and the receipt's id, empty where nothing was to be written. With `journal`, what is
        created is written into the raw journal too. A role of an older layout is migrated first.

        Raises StaleDecision where what the action relies on has changed.
        """
        for attempt in range(ATTEMPTS):
            state = self.state(*more, focus=focus)
            state.require(self.relies_on)
            answer, change_set = decide(state)
            if not change_set.changes and not change_set.edits:
                return answer, ""
            if state.is_legacy and not self.dry_run:
                self.migrate_first()
                continue
            try:
                return answer, self.apply(self._fitting(state, change_set), state, journal=journal)
            except (StaleDecision, ChangedOnDisk, UnknownMemory):
                if attempt == ATTEMPTS - 1:
                    raise
        raise StaleDecision("the role changes faster than it can be read", hint="Try again.")

    def apply(self, change_set: ChangeSet, state: RoleState | None = None, *, journal: bool = False) -> str:
        """Apply a change set, decided on `state`; the receipt's id.

        The guards against large changes are the actions' own.
        """
        if self.dry_run:
            return ""
        from memtend.layouts.role import RoleLayout

        focus = frozenset(_key(change, state) for change in change_set.changes)
        layout = RoleLayout(self.name, plain=self.plain, journal=journal, focus=focus)
        receipt = self.store_with(layout).apply(
            change_set, now=self.now, session=self.session, allow_large=True, commit=self.commit
        )
        if self.notice is not None:
            self.notice(receipt)
        return receipt.id

    def _fitting(self, state: RoleState, change_set: ChangeSet) -> ChangeSet:
        """The change set as the store can apply it.

        The store never lowers usage by a change (a plain line loses its date), and knows memories by ids, which of
        several copies go by their order in the file. Such changes come to it as an edit of the whole file, and are
        checked here: every memory but the changed ones must be there as it was, whatever its id.
        """
        if change_set.edits or not any(_needs_whole_file(state, change) for change in change_set.changes):
            return change_set
        edits = self.layout.encode(change_set, state.files, self.now)
        files = {**state.files, **{edit.path: edit.after for edit in edits if edit.after is not None}}
        before = {memory.id: memory for memory in self._decoded(state.files)}
        wanted = Counter(map(_said, applied(before, change_set.changes).values()))
        if wanted != Counter(map(_said, self._decoded(files))):
            raise SelfCheckFailed(
                "what would be written is not what was decided",
                hint="Nothing was written. Please report this with the file concerned.",
            )
        return ChangeSet(change_set.changes, edits, change_set.note)

    def _decoded(self, files: Mapping[str, bytes]) -> Iterator[Memory]:
        for path in (CONSOLIDATED, PENDING):
            if path in files:
                yield from self.layout.decode(path, files[path]).memories

    def migrate_first(self) -> None:
        """Bring an older layout up to date, so that a write finds its files."""
        raise NotFound("there is no consolidated.md", hint="`memtend role migrate` makes it.")

    def follow(self, ids: Mapping[str, str]) -> None:
        """Let ids that were handed out earlier go on meaning the same items: old id to new one."""
        for old, new in ids.items():
            if old != new:
                self._aliases[old] = new
                self._aliases.pop(new, None)


def _may_hold_secret(text: str) -> bool:
    """Whether it is worth loading the detectors: a secret is assigned, or a long word."""
    return ":" in text or "=" in text or any(len(word) >= SHORTEST_SECRET for word in text.split())


def _key(change: Change, state: RoleState | None) -> str:
    """What the memory says that a change is about."""
    if change.verb is Verb.CREATE or state is None:
        return key_of(change.fields["title"])
    return key_of(state.by_id[change.memory_id].text)


def _needs_whole_file(state: RoleState, change: Change) -> bool:
    entry = state.by_id.get(change.memory_id) if change.verb is not Verb.CREATE else None
    if entry is None or entry.kind is Kind.PENDING:
        return False
    count, last = change.fields.get("retrieval_count", entry.times), change.fields.get("last_retrieved", entry.date)
    is_copy = "-" in entry.id or f"{entry.id}-2" in state.by_id
    return is_copy or bool(count < entry.times or last < entry.date)


def _said(memory: Memory) -> tuple[object, ...]:
    """What a memory says, whatever its id and place."""
    values = (memory.title, memory.content, memory.category, memory.tags, memory.source, memory.created)
    return (*values, memory.retrieval_count, memory.last_retrieved, tuple(sorted(memory.extra.items())))
