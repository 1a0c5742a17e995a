"""What the state machines over the three layouts share: marked texts, crashes, receipts, other hands.

The model is small. Every text that goes in carries a mark, a word of its own. `live` are the marks that must stand in
the memory's files; `added` and `taken` say which of them a receipt brought and took, `planted` which files another
hand has touched, which alone may have something wrong, and `forgotten` what was erased for good.
"""

import shutil
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from memtend.errors import MemtendError, SelfCheckFailed
from memtend.store.receipt import Receipt

Act = Callable[[], Sequence[str]]
"""Something that is done; it answers with the ids of its receipts, none where nothing was written."""
NOTHING: Set[str] = frozenset()
DEATH = st.one_of(st.none(), st.none(), st.integers(1, 60))
"""At which step of the store the process dies, if it does."""


class Crash(BaseException):
    """The process dies here."""


def dies_at(step: int) -> Callable[[str], None]:
    """A step of a store that ends the process when it is taken for the n-th time."""
    seen = 0

    def count(_what: str) -> None:
        nonlocal seen
        seen += 1
        if seen == step:
            raise Crash

    return count


class Machine(RuleBasedStateMachine):
    """One memory, its users, other editors and crashes. A layout's machine says what can be done with it."""

    root: Path

    def __init__(self) -> None:
        super().__init__()
        memory_disk = Path("/dev/shm")
        self.folder = Path(mkdtemp(dir=memory_disk if memory_disk.is_dir() else None))
        self.count = 0
        self.live: set[str] = set()
        self.added: dict[str, Set[str]] = {}
        self.taken: dict[str, Set[str]] = {}
        self.forgotten: set[str] = set()
        self.planted: set[str] = set()

    def teardown(self) -> None:
        try:
            if self.is_begun:
                self.everything_can_be_taken_back()
        finally:
            shutil.rmtree(self.folder)

    @property
    def is_begun(self) -> bool:
        return hasattr(self, "root")

    # What a layout's machine says

    @abstractmethod
    def files(self) -> dict[str, bytes]:
        """The files that hold the memory, without what changes by reading."""

    @abstractmethod
    def log(self) -> Sequence[Receipt]:
        """What was done, newest last."""

    @abstractmethod
    def take_back_one(self, receipt_id: str, death: int | None) -> Receipt:
        """Undo one receipt, and maybe die at a step."""

    @abstractmethod
    def open(self) -> None:
        """Open the memory as a new process does."""

    def after_write(self, *, is_undo: bool) -> None:
        """Called when something was written."""

    def after_death_in_undo(self) -> None:
        """Called when an undo was done, but maybe not what follows it."""

    # What users do with every memory

    @rule()
    def reopen(self) -> None:
        self.open()

    @rule(data=st.data(), death=DEATH)
    def undo(self, data: st.DataObject, death: int | None) -> None:
        receipts = self.log()
        if receipts:
            self.take_back(data.draw(st.sampled_from(receipts)), death)

    @rule(death=DEATH)
    def undo_the_latest(self, death: int | None) -> None:
        standing = [receipt for receipt in self.log() if receipt.undone_by is None and receipt.undoes is None]
        if standing:
            self.take_back(standing[-1], death)

    @rule(death=DEATH)
    def redo(self, death: int | None) -> None:
        undos = [receipt for receipt in self.log() if receipt.undoes and receipt.undone_by is None]
        if undos:
            self.take_back(undos[-1], death)

    # What always holds

    @invariant()
    def every_live_text_is_in_the_memory(self) -> None:
        everything = self.everything()
        assert {mark for mark in self.live if mark.encode() not in everything} == set()

    @invariant()
    def nothing_forgotten_comes_back(self) -> None:
        everything = self.everything()
        assert {mark for mark in self.forgotten if mark.encode() in everything} == set()

    # How

    def mark(self) -> str:
        """A word that stands nowhere else."""
        self.count += 1
        return f"zq{self.count:04d}x"

    def everything(self) -> bytes:
        return b"\n".join(self.files().values())

    def live_in_files(self) -> set[str]:
        everything = self.everything()
        return {mark for mark in self.live if mark.encode() in everything}

    def carry_out(self, act: Act, brings: Set[str] = NOTHING, may_take: Set[str] = NOTHING) -> None:
        """One act: it is refused by name and changes nothing, or brings its marks and takes no other than it may."""
        before = self.live_in_files()
        with self.all_or_nothing():
            self.note(act(), before, brings, may_take)

    def note(self, receipts: Sequence[str], before: set[str], brings: Set[str], may_take: Set[str]) -> None:
        """Remember what receipts brought and took: the last of them all of it."""
        gone = before - self.live_in_files()
        assert gone <= (may_take if receipts else NOTHING), "more went than was asked for"
        if receipts:
            self.added |= dict.fromkeys(receipts[:-1], NOTHING) | {receipts[-1]: brings}
            self.taken[receipts[-1]] = gone
            self.live = (self.live - gone) | brings
            self.after_write(is_undo=False)

    def die_in(self, act: Act, brings: Set[str] = NOTHING, may_take: Set[str] = NOTHING) -> None:
        """An act whose process dies at some step: what it did is done as a whole, or not at all."""
        known = {receipt.id for receipt in self.log()}
        before, marks = self.files(), self.live_in_files()
        try:
            self.carry_out(act, brings, may_take)
        except Crash:
            self.open()
            done = [receipt.id for receipt in self.log() if receipt.id not in known]
            self.note(done, marks, brings, may_take)
            assert done or self.files() == before

    def take_back(self, receipt: Receipt, death: int | None = None) -> None:
        """Undo, of an undo too: what the record brought goes, what it took is there again. Or its process dies."""
        before, marks = self.files(), self.live_in_files()
        with self.all_or_nothing():
            try:
                self.note_undo(receipt.id, self.take_back_one(receipt.id, death).id, marks)
            except Crash:
                self.open()
                done = [one.id for one in self.log() if one.undoes == receipt.id and one.undone_by is None]
                assert done or self.files() == before
                if done:
                    self.note_undo(receipt.id, done[-1], marks)
                    self.after_death_in_undo()

    def note_undo(self, receipt: str, undone: str, before: set[str]) -> None:
        """Remember what an undo brought back and took."""
        gone = before - self.live_in_files()
        assert gone <= self.added.get(receipt, NOTHING), "an undo took more than its receipt brought"
        self.added[undone], self.taken[undone] = self.taken.get(receipt, NOTHING), gone
        self.live = (self.live - gone) | self.added[undone]
        self.after_write(is_undo=True)

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """A refusal has a name and changes no memory. That a self-check failed is a fault of ours, and no refusal."""
        before = self.files()
        try:
            yield
        except SelfCheckFailed:
            raise
        except MemtendError as fault:
            assert fault.message
            assert self.files() == before

    def taken_by_hand(self, old: bytes) -> None:
        """What another hand took out of a file is not ours to answer for, unless it stands elsewhere."""
        everything = self.everything()
        self.live -= {mark for mark in self.live if mark.encode() in old and mark.encode() not in everything}

    def everything_can_be_taken_back(self) -> None:
        """From the end to the beginning."""
        for receipt in reversed(self.log()):
            if receipt.undone_by is None and receipt.undoes is None:
                self.take_back(receipt)
                self.every_live_text_is_in_the_memory()


def run(machine: type[Machine], *, examples: int, steps: int) -> None:
    """The short form: always the same runs, so that it says the same today and tomorrow."""
    _run(machine, examples, steps, derandomize=True, phases=[Phase.generate])


def run_long(machine: type[Machine], *, examples: int = 400, steps: int = 40) -> None:
    """The long form: other runs each time."""
    _run(machine, examples, steps, phases=[Phase.reuse, Phase.generate], report_multiple_bugs=False)


def _run(machine: type[Machine], examples: int, steps: int, **more: Any) -> None:
    slow = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=slow,
            **more,
        ),
    )
