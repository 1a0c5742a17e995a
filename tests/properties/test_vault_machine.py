"""Whatever is done to a vault, in whatever order, by us, by another hand or by a crash: nothing is lost.

The model is small. Every text that goes in carries a mark of its own; `live` are the marks that must be found in
the vault's files, `planted` the files that a foreign hand has touched, which alone may have something wrong.
The short form runs with all tests; `make machine` runs the long one.
"""

import shutil
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memtend.errors import MemtendError
from memtend.layouts.vault.paths import DERIVED, claims
from memtend.review import Action, Decision
from memtend.store.apply import Store
from memtend.store.files import Step
from memtend.store.receipt import Receipt
from memtend.workspace import LearnRequest, Plan, Workspace
from memtend.workspace.place import find_vault

ENVIRON = {"MEMTEND_NOW": "2026-06-30T10:00:00Z", "MEMTEND_COMMIT": "0"}
PAGE_FINDINGS = {"stale-page", "page-stale", "page-incomplete", "page-missing", "index-differs", "dead-row"}
SUBJECTS = ("boiler", "invoice", "parcel gate", "night export", "测温仪", "label printer")
FOREIGN = {
    "appended": lambda data, mark: data + f"\nBy hand: {mark}.\n".encode(),
    "windows": lambda data, mark: data.replace(b"\n", b"\r\n") + f"By hand: {mark}.\r\n".encode(),
    "other bytes": lambda data, mark: data + b"\nCaf\xe9 \xff\xfe " + mark.encode() + b"\n",
    "broken header": lambda data, mark: b'---\ntitle: "a "b" c"\n' + data.removeprefix(b"---\n") + mark.encode(),
    "no header": lambda data, mark: data[max(0, data.find(b"\n---\n")) :] + mark.encode() + b"\n",
    "a rule on top": lambda data, mark: b"---\n\n" + mark.encode() + b"\n\n---\n" + data,
    "retired": lambda data, mark: data.replace(b"status: active", b"status: tombstoned") + mark.encode() + b"\n",
}


class Crash(BaseException):
    """The process dies here."""


class Crashing(Workspace):
    """A workspace whose store dies at a step."""

    step: Step

    @property
    def store(self) -> Store:
        store = super().store
        return Store(store.root, store.layout, catalogue=store._catalogue, step=self.step)


class VaultMachine(RuleBasedStateMachine):
    """Users, editors, agents and crashes in one vault."""

    def __init__(self) -> None:
        super().__init__()
        memory_disk = Path("/dev/shm")
        self.folder = Path(mkdtemp(dir=memory_disk if memory_disk.is_dir() else None))
        self.count = 0
        self.live: set[str] = set()
        self.added: dict[str, set[str]] = {}
        self.taken: dict[str, set[str]] = {}
        self.planted: set[str] = set()
        self.is_dirty = False
        self.plans: list[tuple[Plan, str]] = []

    def teardown(self) -> None:
        try:
            self.everything_can_be_taken_back()
        finally:
            shutil.rmtree(self.folder)

    # What users do

    @initialize()
    def an_empty_vault(self) -> None:
        self.vault = Workspace.create(start=str(self.folder), environ=ENVIRON)[0]
        self.root = Path(self.vault.root)

    @rule(subject=st.sampled_from(SUBJECTS), hour=st.integers(1, 12))
    def plan(self, subject: str, hour: int) -> None:
        mark = self.mark()
        text = f"The {subject} of hall {hour} is checked at {hour} by the one called {mark}, before the shift begins."
        self.plans.append((self.vault.plan_learn(LearnRequest(text=text)), mark))

    @precondition(lambda self: self.plans)
    @rule(data=st.data())
    def decide(self, data: st.DataObject) -> None:
        plan, mark = self.plans.pop(data.draw(st.integers(0, len(self.plans) - 1)))
        self.carry_out(self.vault, plan, self.decision(data, plan), mark)

    @precondition(lambda self: self.plans)
    @rule(data=st.data(), at=st.integers(1, 60))
    def crash(self, data: st.DataObject, at: int) -> None:
        plan, mark = self.plans.pop()
        before = {path: without_usage(data) for path, data in self.files().items()}
        mortal = Crashing(find_vault(str(self.folder), self.vault.settings), self.vault.settings, ENVIRON)
        mortal.step = dies_at(at)
        try:
            self.carry_out(mortal, plan, self.decision(data, plan), mark)
        except Crash:
            self.vault = Workspace.open(start=str(self.folder), environ=ENVIRON)
            self.vault.index()
            done = self.vault.log()[-1:]
            if done and done[0].id not in self.added and done[0].undoes is None:
                self.added[done[0].id] = {mark}
                self.live.add(mark)
            else:
                assert {path: without_usage(data) for path, data in self.files().items()} == before

    @rule()
    def recall(self) -> None:
        self.vault.recall("when is the boiler of the hall checked, and by whom")
        self.vault.search("label printer invoice")

    @rule(rebuild=st.booleans())
    def index(self, rebuild: bool) -> None:
        self.vault.reindex(rebuild=rebuild)
        self.is_dirty = False
        assert self.vault.reindex().id == ""
        assert list(self.root.rglob("*.tmp")) == []

    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        receipts = self.vault.log()
        if receipts:
            self.take_back(data.draw(st.sampled_from(receipts)))

    @rule()
    def undo_the_latest(self) -> None:
        standing = [receipt for receipt in self.vault.log() if receipt.undone_by is None and receipt.undoes is None]
        if standing:
            self.take_back(standing[-1])

    @rule()
    def redo(self) -> None:
        undos = [receipt for receipt in self.vault.log() if receipt.undoes and receipt.undone_by is None]
        if undos:
            self.take_back(undos[-1])

    @rule()
    def reopen(self) -> None:
        self.vault = Workspace.open(start=str(self.folder), environ=ENVIRON)

    # What others do

    @precondition(lambda self: self.memories())
    @rule(data=st.data(), how=st.sampled_from(sorted(FOREIGN)))
    def a_foreign_edit(self, data: st.DataObject, how: str) -> None:
        path = self.root / data.draw(st.sampled_from(self.memories()))
        mark = self.mark()
        old = path.read_bytes()
        path.write_bytes(FOREIGN[how](old, mark))
        self.live.add(mark)
        self.plant(path)
        self.taken_by_hand(old)

    @rule(name=st.sampled_from(["MEM-new", "note", "MEM-Größe", "mem-NEW", "sub/MEM-deep", "MEM-two\nlines"]))
    def a_foreign_file(self, name: str) -> None:
        path = self.root / "10-Memories" / f"{name}.md"
        if not path.exists():
            mark = self.mark()
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"# By hand\n\nA note that says {mark}.\n", encoding="utf-8")
            self.live.add(mark)
            self.plant(path)

    @precondition(lambda self: self.memories())
    @rule(data=st.data())
    def a_foreign_delete(self, data: st.DataObject) -> None:
        path = self.root / data.draw(st.sampled_from(self.memories()))
        old = path.read_bytes()
        path.unlink()
        self.plant(path)
        self.taken_by_hand(old)

    @precondition(lambda self: self.memories())
    @rule(data=st.data(), case_only=st.booleans())
    def a_foreign_rename(self, data: st.DataObject, case_only: bool) -> None:
        path = self.root / data.draw(st.sampled_from(self.memories()))
        target = path.with_name(f"MEM-{path.stem[4:].swapcase()}.md" if case_only else f"MEM-moved-{self.mark()}.md")
        if not target.exists():
            path.rename(target)
            self.plant(path)
            self.plant(target)

    @rule(page=st.sampled_from(DERIVED), garbage=st.sampled_from([b"", b"{", b"\xff\xfe", b"# Mine\n"]))
    def a_foreign_page(self, page: str, garbage: bytes) -> None:
        (self.root / page).write_bytes(garbage)
        self.planted.add(page)
        self.is_dirty = True

    # What always holds

    @invariant()
    def every_live_text_is_in_the_vault(self) -> None:
        everything = b"\n".join(self.files().values())
        assert {mark for mark in self.live if mark.encode() not in everything} == set()

    @invariant()
    def check_finds_what_others_planted_and_nothing_else(self) -> None:
        found = [problem for problem in self.vault.check() if not self.is_planted(problem.path, problem.message)]
        left = [problem for problem in found if not (self.is_dirty and problem.code in PAGE_FINDINGS)]
        assert left == []

    @invariant()
    def every_memory_is_listed(self) -> None:
        listed = {memory.place.path for memory in self.vault.memories(include_retired=True)}
        assert listed == set(self.memories())

    # How

    def mark(self) -> str:
        self.count += 1
        return f"zq{self.count:04d}x"

    def files(self) -> dict[str, bytes]:
        """Every memory file."""
        return {path: (self.root / path).read_bytes() for path in self.memories()}

    def memories(self) -> list[str]:
        found = (path.relative_to(self.root).as_posix() for path in self.root.rglob("*.md") if path.is_file())
        return sorted(path for path in found if claims(path))

    def plant(self, path: Path) -> None:
        self.planted.add(path.relative_to(self.root).as_posix())
        self.is_dirty = True

    def taken_by_hand(self, old: bytes) -> None:
        """What another hand took out of a file is not ours to answer for, unless it stands elsewhere."""
        everything = b"\n".join(self.files().values())
        self.live -= {mark for mark in self.live if mark.encode() in old and mark.encode() not in everything}

    def is_planted(self, path: str, message: str) -> bool:
        """Whether a finding is about a file that another hand touched; one without a path names its ids."""
        names = {Path(planted).stem for planted in self.planted}
        if not path:
            return any(folded(name) in folded(message) for name in names)
        return path in self.planted or folded(path) in map(folded, self.planted) or any(n in message for n in names)

    def decision(self, data: st.DataObject, plan: Plan) -> Decision:
        (proposal,) = plan.proposals
        action = data.draw(st.sampled_from([*proposal.actions, Action.CREATE]))
        ids = [memory.id for memory in self.vault.memories()]
        needs_target = action in {Action.UPDATE, Action.EXTEND} and ids
        return Decision(proposal.id, action, data.draw(st.sampled_from(ids)) if needs_target else None)

    def carry_out(self, vault: Workspace, plan: Plan, decision: Decision, mark: str) -> None:
        with self.all_or_nothing():
            done = vault.apply(plan, [decision])
            if done.receipt is not None and done.receipt.id:
                self.added[done.receipt.id] = {mark}
                self.live.add(mark)
                self.is_dirty = False

    def take_back(self, receipt: Receipt) -> None:
        """Undo, of an undo too: what the record brought goes, what it took is there again."""
        with self.all_or_nothing():
            before = self.live_in_files()
            undone = self.vault.undo(receipt.id)
            gone = before - self.live_in_files()
            assert gone <= self.added.get(receipt.id, set()), "an undo took more than its receipt brought"
            self.added[undone.id] = self.taken.get(receipt.id, set())
            self.taken[undone.id] = gone
            self.live = (self.live - gone) | self.added[undone.id]
            self.is_dirty = bool(self.planted)  # pages get their exact bytes back, also those that were stale then

    def live_in_files(self) -> set[str]:
        everything = b"\n".join(self.files().values())
        return {mark for mark in self.live if mark.encode() in everything}

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """A refusal has a name and changes no memory (usage may have been written beside it)."""
        before = {path: without_usage(data) for path, data in self.files().items()}
        try:
            yield
        except MemtendError as fault:
            assert fault.message
            assert {path: without_usage(data) for path, data in self.files().items()} == before

    def everything_can_be_taken_back(self) -> None:
        """From the end to the beginning; where nobody else wrote, nothing is left."""
        if not hasattr(self, "vault"):
            return
        for receipt in reversed(self.vault.log()):
            if receipt.undone_by is None and receipt.undoes is None:
                self.take_back(receipt)
                self.every_live_text_is_in_the_vault()
        if not self.planted:
            assert self.memories() == []
            with suppress(MemtendError):
                self.vault.reindex()
            assert self.vault.check() == ()


def without_usage(data: bytes) -> bytes:
    lines = data.splitlines()
    return b"\n".join(line for line in lines if not line.startswith((b"retrieval_count:", b"last_retrieved:")))


def folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def dies_at(step: int) -> Callable[[str], None]:
    seen = 0

    def count(_what: str) -> None:
        nonlocal seen
        seen += 1
        if seen == step:
            raise Crash

    return count


CHECKS = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


def test_whatever_happens_to_a_vault_nothing_is_lost() -> None:
    run_state_machine_as_test(
        VaultMachine,
        settings=settings(
            max_examples=12, stateful_step_count=14, deadline=None, suppress_health_check=CHECKS, derandomize=True
        ),
    )


@pytest.mark.slow
def test_whatever_happens_to_a_vault_for_long_nothing_is_lost() -> None:
    run_state_machine_as_test(
        VaultMachine,
        settings=settings(
            max_examples=400,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=CHECKS,
            phases=[Phase.reuse, Phase.generate],
            report_multiple_bugs=False,
        ),
    )
