"""Whatever is done to a vault, in whatever order, by us, by another hand or by a crash: nothing is lost.

The model stands in `machine`. The short form runs with all tests; `make machines` runs the long one.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from machine import DEATH, NOTHING, Machine, dies_at, run, run_long

from memtend.errors import MemtendError
from memtend.layouts.vault.paths import DERIVED, claims
from memtend.review import Action, Decision
from memtend.store.apply import Store
from memtend.store.receipt import Receipt
from memtend.workspace import LearnRequest, Plan, Workspace
from memtend.workspace.distill_plan import DistillPlan, Mode
from memtend.workspace.place import find_vault

PAGE_FINDINGS = {"stale-page", "page-stale", "page-incomplete", "page-missing", "index-differs", "dead-row"}
SUBJECTS = ("boiler", "invoice", "parcel gate", "night export", "测温仪", "label printer")
MODES = (Mode.PURGE, Mode.MERGE, Mode.COMPRESS, Mode.REFINE, Mode.AUTO, Mode.GC)
LONG = "".join(
    f"Valve {n} of the northern hall is opened in week {n} and closed again a month later.\n\n" for n in range(80)
)
FOREIGN = {
    "appended": lambda data, mark: data + f"\nBy hand: {mark}.\n".encode(),
    "windows": lambda data, mark: data.replace(b"\n", b"\r\n") + f"By hand: {mark}.\r\n".encode(),
    "other bytes": lambda data, mark: data + b"\nCaf\xe9 \xff\xfe " + mark.encode() + b"\n",
    "broken header": lambda data, mark: b'---\ntitle: "a "b" c"\n' + data.removeprefix(b"---\n") + mark.encode(),
    "no header": lambda data, mark: data[max(0, data.find(b"\n---\n")) :] + mark.encode() + b"\n",
    "a rule on top": lambda data, mark: b"---\n\n" + mark.encode() + b"\n\n---\n" + data,
    "retired": lambda data, mark: data.replace(b"status: active", b"status: tombstoned") + mark.encode() + b"\n",
    "grown": lambda data, mark: data + f"\n{LONG}{mark}\n".encode(),
}


class Crashing(Workspace):
    """A workspace whose store dies at a step."""

    step: Callable[[str], None]

    @property
    def store(self) -> Store:
        store = super().store
        return Store(store.root, store.layout, catalogue=store._catalogue, step=self.step)


class VaultMachine(Machine):
    """Users, editors, agents and crashes in one vault."""

    def __init__(self) -> None:
        super().__init__()
        self.environ = {"MEMTEND_NOW": "2026-06-30T10:00:00Z", "MEMTEND_COMMIT": "0"}
        self.day = date(2026, 6, 30)
        self.is_dirty = False
        self.plans: list[tuple[Plan, str]] = []
        self.distillings: list[DistillPlan] = []
        self.stood: dict[str, set[str]] = {}

    # What users do

    @initialize(subjects=st.lists(st.sampled_from(SUBJECTS), max_size=5), days=st.sampled_from([0, 8, 400]))
    def a_small_vault(self, subjects: list[str], days: int) -> None:
        self.vault = Workspace.create(start=str(self.folder), environ=self.environ)[0]
        self.root = Path(self.vault.root)
        for hour, subject in enumerate(subjects, 1):
            plan, mark = self.planned(subject, hour)
            self.carry_out(partial(made, self.vault, plan), brings={mark})
        self.time_passes(days)

    @rule(data=st.data(), subject=st.sampled_from(SUBJECTS), hour=st.integers(1, 12), waits=st.booleans(), death=DEATH)
    def learn(self, data: st.DataObject, subject: str, hour: int, waits: bool, death: int | None) -> None:
        """A plan that is decided on at once, or one that waits."""
        self.plans.append(self.planned(subject, hour))
        if not waits:
            self.decide_on(data, *self.plans.pop(), death)

    @precondition(lambda self: self.plans)
    @rule(data=st.data(), death=DEATH)
    def decide(self, data: st.DataObject, death: int | None) -> None:
        self.decide_on(data, *self.plans.pop(0), death)

    def decide_on(self, data: st.DataObject, plan: Plan, mark: str, death: int | None) -> None:
        decision = self.decision(data, plan)
        self.do(lambda vault: ids_of(vault.apply(plan, [decision]).receipt), death, brings={mark})

    @precondition(lambda self: self.memories())
    @rule(data=st.data(), mode=st.sampled_from(MODES), waits=st.booleans(), death=DEATH)
    def distill(self, data: st.DataObject, mode: Mode, waits: bool, death: int | None) -> None:
        plan = self.distilling(mode)
        if waits:
            self.distillings.append(plan)
        else:
            self.distill_as(data, plan, death)

    @precondition(lambda self: self.distillings)
    @rule(data=st.data(), death=DEATH)
    def distill_late(self, data: st.DataObject, death: int | None) -> None:
        self.distill_as(data, self.distillings.pop(0), death)

    def distilling(self, wanted: Mode) -> DistillPlan:
        """The plan of a mode, or of the first one after it that has something to do."""
        at = MODES.index(wanted)
        plans = map(self.vault.plan_distill, (*MODES[at:], *MODES[:at]))
        return next((plan for plan in plans if plan.proposals or plan.plain), self.vault.plan_distill(wanted))

    def distill_as(self, data: st.DataObject, plan: DistillPlan, death: int | None) -> None:
        """Only gc may take something, and that from the files that were chosen."""
        decisions = [Decision(one.id, data.draw(st.sampled_from(one.actions))) for one in plan.proposals]
        chosen = {one.proposal_id for one in decisions if one.action is Action.GC}
        may_take = self.marks_in(path for path in self.memories() if Path(path).stem in chosen)
        self.do(
            lambda vault: ids_of(vault.apply_distill(plan, decisions, allow_large=True).receipt),
            death,
            may_take=may_take,
        )

    @rule(data=st.data(), death=DEATH)
    def restore(self, data: st.DataObject, death: int | None) -> None:
        retired = [memory.id for memory in self.vault.memories(include_retired=True) if not memory.is_active]
        if retired:
            id = data.draw(st.sampled_from(retired))
            self.do(lambda vault: ids_of(vault.restore(id).receipt), death)

    @precondition(lambda self: len(self.memories()) > 2)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        """What is forgotten is nowhere any more, but where the answer says so."""
        path = data.draw(st.sampled_from(sorted(self.stood)))
        may_take = {mark for known, marks in self.stood.items() if folded(known) == folded(path) for mark in marks}
        remains: list[str] = []

        def act() -> Sequence[str]:
            done = self.vault.forget(Path(path).stem)
            remains.extend(done.remains)
            return ids_of(done.receipt)

        count = len(self.log())
        self.carry_out(act, may_take=may_take)
        if remains or len(self.log()) != count:
            everything = self.everything()
            gone = {mark for mark in may_take if mark.encode() not in everything}
            self.forgotten |= gone
            told = {text.partition(" still has words")[0] for text in remains}
            assert {file for file in self.every_file_with(gone) if file not in told} == set()

    @rule(days=st.sampled_from([1, 8, 40, 200]))
    def time_passes(self, days: int) -> None:
        self.day += timedelta(days)
        self.environ["MEMTEND_NOW"] = f"{self.day}T10:00:00Z"

    @rule()
    def recall(self) -> None:
        self.vault.recall("when is the boiler of the hall checked, and by whom")
        self.vault.search("label printer invoice")

    @rule()
    def report(self) -> None:
        self.vault.report()

    @rule(rebuild=st.booleans())
    def index(self, rebuild: bool) -> None:
        self.vault.reindex(rebuild=rebuild)
        self.is_dirty = False
        assert self.vault.reindex().id == ""
        assert list(self.root.rglob("*.tmp")) == []

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
    def remember_where_texts_stood(self) -> None:
        for path, text in self.files().items():
            self.stood.setdefault(path, set()).update(mark for mark in self.live if mark.encode() in text)

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

    def open(self) -> None:
        self.vault = Workspace.open(start=str(self.folder), environ=self.environ)
        self.vault.index()

    def log(self) -> Sequence[Receipt]:
        return self.vault.log()

    def take_back_one(self, receipt_id: str, death: int | None) -> Receipt:
        return (self.vault if death is None else self.mortal(death)).undo(receipt_id)

    def mortal(self, death: int) -> Workspace:
        workspace = Crashing(find_vault(str(self.folder), self.vault.settings), self.vault.settings, self.environ)
        workspace.step = dies_at(death)
        return workspace

    def after_write(self, *, is_undo: bool) -> None:
        """An undo gives pages their exact bytes back, also those that were stale then."""
        self.is_dirty = is_undo and bool(self.planted)

    def do(
        self,
        act: Callable[[Workspace], Sequence[str]],
        death: int | None,
        *,
        brings: Set[str] = NOTHING,
        may_take: Set[str] = NOTHING,
    ) -> None:
        """An act, and maybe the death of its process at a step."""
        if death is None:
            self.carry_out(lambda: act(self.vault), brings, may_take)
            return
        mortal = self.mortal(death)
        self.die_in(lambda: act(mortal), brings, may_take)

    def files(self) -> dict[str, bytes]:
        """Every memory file; what recall counts in them is no memory."""
        return {path: without_usage((self.root / path).read_bytes()) for path in self.memories()}

    def marks_in(self, paths: Iterable[str]) -> set[str]:
        text = b"\n".join((self.root / path).read_bytes() for path in paths)
        return {mark for mark in self.live if mark.encode() in text}

    def every_file_with(self, marks: Set[str]) -> Iterator[str]:
        """Every file of the vault, its own included, that has one of the marks."""
        for file in self.root.rglob("*"):
            if file.is_file() and any(mark.encode() in file.read_bytes() for mark in marks):
                yield file.relative_to(self.root).as_posix()

    def planned(self, subject: str, hour: int) -> tuple[Plan, str]:
        mark = self.mark()
        text = f"The {subject} of hall {hour} is checked at {hour} by the one called {mark}, before the shift begins."
        return self.vault.plan_learn(LearnRequest(text=text)), mark

    def memories(self) -> list[str]:
        found = (path.relative_to(self.root).as_posix() for path in self.root.rglob("*.md") if path.is_file())
        return sorted(path for path in found if claims(path))

    def plant(self, path: Path) -> None:
        self.planted.add(path.relative_to(self.root).as_posix())
        self.is_dirty = True

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

    def everything_can_be_taken_back(self) -> None:
        """Where nobody else wrote and nothing was forgotten, nothing is left."""
        super().everything_can_be_taken_back()
        if not self.planted and not self.forgotten:
            assert self.memories() == []
            with suppress(MemtendError):
                self.vault.reindex()
            assert self.vault.check() == ()


def made(vault: Workspace, plan: Plan) -> Sequence[str]:
    """A new memory for every segment of a plan."""
    return ids_of(vault.apply(plan, [Decision(proposal.id, Action.CREATE) for proposal in plan.proposals]).receipt)


def ids_of(receipt: Receipt | None) -> Sequence[str]:
    return (receipt.id,) if receipt and receipt.id else ()


def without_usage(data: bytes) -> bytes:
    """A file without the lines that count its uses, and without the header that was made for them alone."""
    lines = data.splitlines()
    kept = b"\n".join(line for line in lines if not line.startswith((b"retrieval_count:", b"last_retrieved:")))
    return kept.removeprefix(b"---\n---\n").lstrip(b"\n")


def folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def test_whatever_happens_to_a_vault_nothing_is_lost() -> None:
    run(VaultMachine, examples=12, steps=14)


@pytest.mark.slow
def test_whatever_happens_to_a_vault_for_long_nothing_is_lost() -> None:
    run_long(VaultMachine)
