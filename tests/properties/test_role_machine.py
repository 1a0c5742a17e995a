"""Whatever is done to a role, in whatever order, by us, by another hand or by a crash: nothing is lost.

The model stands in `machine`. The short form runs with all tests; `make machines` runs the long one.
"""

from collections.abc import Callable, Sequence, Set
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from machine import DEATH, NOTHING, Machine, dies_at, run, run_long

from memtend.layouts import Layout
from memtend.layouts.role.ids import Kind
from memtend.layouts.role.plan import Addition, Deletion, Rewrite, TidyPlan
from memtend.store.apply import Store
from memtend.store.receipt import Receipt
from memtend.workspace.role.answers import Entry
from memtend.workspace.role.reports import Extracted, Organized
from memtend.workspace.role.roles import Roles, RoleWorkspace

CONSOLIDATED, PENDING = "memory/consolidated.md", "memory/pending.md"
LEARNED = (
    "Check the boiler of hall {} before the shift {}",
    "Never print labels for hall {} on the old printer, said {}",
    "Use guard clauses in module {} ({})",
    "The export of week {} takes two hours, so start it early, see {} for the reason and for the list of what it holds",
    "测温仪 {} 每周校准 {}",
)
CATEGORIES = ("", "Code", "tools", "Review Style")
SOURCES = ("", "review", "auto")
FOREIGN: dict[str, Callable[[bytes, str], bytes]] = {
    "a bullet": lambda data, mark: data + f"- [2x] by hand {mark}\n".encode(),
    "an odd bullet": lambda data, mark: data + f"* [x3] by hand {mark}\n  - more of it\n".encode(),
    "a copy": lambda data, mark: data + next((line + b"\n" for line in data.split(b"\n") if line[:2] == b"- "), b""),
    "prose": lambda data, mark: data + f"\nSomebody wrote {mark}\nover two lines.\n".encode(),
    "a section": lambda data, mark: data + f"\n# Mine\n\n- one {mark}\n".encode(),
    "on top": lambda data, mark: f"Before all: {mark}\n".encode() + data,
    "windows": lambda data, mark: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") + f"- {mark}\r\n".encode(),
    "other bytes": lambda data, mark: data + b"- [0x] caf\xe9 \xff " + mark.encode() + b"\n",
    "an open fence": lambda data, mark: data + f"```\n{mark}\n".encode(),
    "a candidate": lambda data, mark: data + f"- [ ] waiting by hand {mark}\n".encode(),
    "half of it gone": lambda data, mark: data[: len(data) // 2] + mark.encode() + b"\n",
}
UPKEEP = ("repair", "expire")


class Clock:
    now = datetime(2026, 6, 30, 10, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class Crashing(RoleWorkspace):
    """A role whose store dies at a step."""

    step: Callable[[str], None]

    def store_with(self, layout: Layout) -> Store:
        return Store(self.root, layout, step=self.step)


class RoleMachine(Machine):
    """A persona, its user, other editors and crashes in one role."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.plans: list[TidyPlan] = []

    # What users do

    @initialize(
        texts=st.lists(st.tuples(st.sampled_from(LEARNED), st.sampled_from(SOURCES)), max_size=6),
        days=st.sampled_from([0, 8, 40]),
    )
    def a_small_role(self, texts: list[tuple[str, str]], days: int) -> None:
        self.role = Roles(self.folder).create("zero", clock=self.clock)[0]
        self.root = self.role.root
        for number, (text, source) in enumerate(texts):
            self.learn(text, number, source, None)
        self.time_passes(days)

    @rule(text=st.sampled_from(LEARNED), number=st.integers(1, 3), source=st.sampled_from(SOURCES), death=DEATH)
    def learn(self, text: str, number: int, source: str, death: int | None) -> None:
        mark = self.mark()
        self.do(lambda role: role.add_learning(text.format(number, mark), source=source), death, brings={mark})

    @rule(
        text=st.sampled_from(LEARNED),
        category=st.sampled_from(CATEGORIES),
        source=st.sampled_from(SOURCES),
        death=DEATH,
    )
    def prefer(self, text: str, category: str, source: str, death: int | None) -> None:
        mark = self.mark()
        self.do(lambda role: role.add_preference(text.format(1, mark), category, source=source), death, brings={mark})

    @rule(data=st.data(), stop=st.sampled_from(["", ".", "。"]))
    def learn_again(self, data: st.DataObject, stop: str) -> None:
        """What is there already is not stored a second time."""
        entry = self.drawn(data, Kind.LEARNING)
        if entry and not entry.text.endswith((".", "。")):
            before = self.files()
            assert self.role.add_learning(f" {entry.text.upper()}{stop}").status == "duplicate"
            assert self.files() == before

    @rule(data=st.data(), death=DEATH)
    def reinforce(self, data: st.DataObject, death: int | None) -> None:
        entry = self.drawn(data, Kind.LEARNING)
        if entry:
            self.do(lambda role: role.reinforce(entry.id), death)

    @rule(data=st.data(), kind=st.sampled_from([Kind.LEARNING, Kind.PREFERENCE]), death=DEATH)
    def update(self, data: st.DataObject, kind: Kind, death: int | None) -> None:
        entry, mark = self.drawn(data, kind), self.mark()
        if entry:
            update = "update_learning" if kind is Kind.LEARNING else "update_preference"
            text = f"Another text {mark}"
            self.do(lambda role: getattr(role, update)(entry.id, text), death, {mark}, self.marks_of(entry))

    @rule(data=st.data(), kind=st.sampled_from([Kind.LEARNING, Kind.PREFERENCE]), death=DEATH)
    def delete(self, data: st.DataObject, kind: Kind, death: int | None) -> None:
        entry = self.drawn(data, kind)
        if entry and kind is Kind.LEARNING:
            self.do(lambda role: role.delete_learning(entry.id), death, may_take=self.marks_of(entry))
        elif entry:
            self.do(lambda role: role.delete_preference(entry.id, confirmed=True), death, may_take=self.marks_of(entry))

    @rule(data=st.data(), resolve=st.sampled_from(["promote", "discard"]), death=DEATH)
    def resolve(self, data: st.DataObject, resolve: str, death: int | None) -> None:
        entry = self.drawn(data, Kind.PENDING)
        if entry:
            self.do(lambda role: getattr(role, resolve)(entry.id), death)

    @rule(how=st.sampled_from(UPKEEP), death=DEATH)
    def upkeep(self, how: str, death: int | None) -> None:
        self.do(lambda role: getattr(role, how)(), death)

    @rule(death=DEATH)
    def consolidate(self, death: int | None) -> None:
        """What goes has a copy that stays."""
        groups = self.copies()
        self.do(lambda role: role.consolidate(), death, may_take={mark for group in groups for mark in group})
        left = self.live_in_files()
        assert all(group & left for group in groups)

    @precondition(lambda self: not self.copies())
    @rule(how=st.sampled_from(["organize", "organize_due"]), death=DEATH)
    def organize(self, how: str, death: int | None) -> None:
        self.do(lambda role: getattr(role, how)(), death)

    @rule(data=st.data(), is_ours=st.booleans())
    def plan_tidy(self, data: st.DataObject, is_ours: bool) -> None:
        """A plan by rule, or one from elsewhere: some entries shorter, some gone, one that joins two."""
        ours = self.role.tidy()
        if is_ours and not ours.is_empty:
            self.plans.append(ours)
            return
        entries = [one for one in self.role.list().entries if one.kind in (Kind.LEARNING, Kind.PREFERENCE)]
        if not entries:
            return
        shorter, gone, joined = (data.draw(st.lists(st.sampled_from(entries), min_size=1, max_size=2)) for _ in "abc")
        plan = TidyPlan(
            ours.role,
            ours.made,
            "model",
            rewrites=tuple(Rewrite(one.id, one.text, f"In short {self.words(one)}") for one in shorter),
            deletions=tuple(
                Deletion(one.id, one.text, "noise", into=data.draw(st.sampled_from(["", joined[0].id]))) for one in gone
            ),
            additions=(Addition(f"Both: {' '.join(map(self.words, joined))}", tuple(one.id for one in joined)),),
        )
        self.plans.append(self.role.tidy_marked(plan))

    @precondition(lambda self: self.plans)
    @rule(data=st.data(), force=st.booleans(), death=DEATH)
    def apply_tidy(self, data: st.DataObject, force: bool, death: int | None) -> None:
        """A plan of now or of earlier, all of it or a part."""
        plan = self.plans.pop()
        ids = sorted({*(one.id for one in plan.rewrites), *(one.id for one in plan.deletions)})
        only = data.draw(st.none() | st.sets(st.sampled_from(ids), min_size=1)) if ids else None
        may_take = {mark for one in plan.deletions for mark in self.live if mark in one.old}
        given: dict[str, Any] = {"accepted": True, "named": ids, "only": only, "force": force}
        self.do(lambda role: role.apply_tidy(plan, **given), death, may_take=may_take)

    @rule(number=st.integers(1, 9), death=DEATH)
    def extract(self, number: int, death: int | None) -> None:
        mark = self.mark()
        said = f"user: Remember: always close valve {number} of {mark} at night.\nassistant: I will."
        self.do(lambda role: role.extract(said), death, brings={mark})

    @rule(
        query=st.sampled_from(["boiler of the hall before the shift", "guard clauses in a module", "valve", "测温仪"])
    )
    def search(self, query: str) -> None:
        self.carry_out(lambda: ids_of(self.role.search(query)))
        self.role.inject(query=query)

    @rule(days=st.sampled_from([1, 8, 40]))
    def time_passes(self, days: int) -> None:
        self.clock.now += timedelta(days)

    # What others do

    @rule(how=st.sampled_from(sorted(FOREIGN)), path=st.sampled_from([CONSOLIDATED, CONSOLIDATED, PENDING]))
    def a_foreign_edit(self, how: str, path: str) -> None:
        file, mark = self.root / path, self.mark()
        if file.exists():
            old = file.read_bytes()
            file.write_bytes(FOREIGN[how](old, mark))
            self.planted.add(path)
            self.live |= {mark} if mark.encode() in file.read_bytes() else set()
            self.taken_by_hand(old)

    @rule(path=st.sampled_from([CONSOLIDATED, PENDING]))
    def a_foreign_delete(self, path: str) -> None:
        file = self.root / path
        if file.exists():
            old = file.read_bytes()
            file.unlink()
            self.planted.add(path)
            self.taken_by_hand(old)

    # What always holds

    @invariant()
    def issues_are_what_others_planted_and_nothing_else(self) -> None:
        listed = self.role.list()
        assert [issue for issue in listed.issues if issue.path not in self.planted] == []

    @invariant()
    def every_entry_has_an_id_of_its_own(self) -> None:
        ids = [entry.id for entry in self.role.list().entries]
        assert len(set(ids)) == len(ids)

    # How

    def open(self) -> None:
        self.role = Roles(self.folder).role("zero", clock=self.clock)
        self.role.list()

    def log(self) -> Sequence[Receipt]:
        return self.role.log()

    def take_back_one(self, receipt_id: str, death: int | None) -> Receipt:
        return (self.role if death is None else self.mortal(death)).undo(receipt_id)

    def mortal(self, death: int) -> RoleWorkspace:
        role = Crashing(self.root, clock=self.clock)
        role.step = dies_at(death)
        return role

    def do(
        self,
        act: Callable[[RoleWorkspace], Any],
        death: int | None,
        brings: Set[str] = NOTHING,
        may_take: Set[str] = NOTHING,
    ) -> None:
        """An act, and maybe the death of its process at a step."""
        if death is None:
            self.carry_out(lambda: ids_of(act(self.role)), brings, may_take)
            return
        mortal = self.mortal(death)
        self.die_in(lambda: ids_of(act(mortal)), brings, may_take)

    def files(self) -> dict[str, bytes]:
        """What the role remembers. The raw journal is no memory, but a record of what was learned."""
        paths = [path for path in self.role.paths() if path.startswith("memory/") and "/daily/" not in path]
        return {path: (self.root / path).read_bytes() for path in paths}

    def drawn(self, data: st.DataObject, kind: Kind) -> Entry | None:
        entries = [entry for entry in self.role.list().entries if entry.kind is kind]
        return data.draw(st.sampled_from(entries)) if entries else None

    def copies(self) -> list[set[str]]:
        """The marks of entries that say the same but for them."""
        groups: dict[str, set[str]] = {}
        for entry in self.role.list().entries:
            for mark in self.marks_of(entry):
                groups.setdefault(f"{entry.kind} {entry.category} {entry.text.replace(mark, '')}", set()).add(mark)
        return [group for group in groups.values() if len(group) > 1]

    def words(self, entry: Entry) -> str:
        return " ".join(sorted(self.marks_of(entry)))

    def marks_of(self, entry: Entry) -> set[str]:
        return {mark for mark in self.live if mark in f"{entry.text}\n{entry.detail}"}

    def everything_can_be_taken_back(self) -> None:
        """Where nobody else wrote, nothing is left."""
        super().everything_can_be_taken_back()
        if not self.planted:
            assert self.role.list().entries == ()


def ids_of(answer: Any) -> Sequence[str]:
    """The receipts of an answer."""
    if isinstance(answer, Extracted):
        return [one.receipt for one in answer.added if one.receipt]
    return answer.receipts if isinstance(answer, Organized) else [answer.receipt] if answer.receipt else []


def test_whatever_happens_to_a_role_nothing_is_lost() -> None:
    run(RoleMachine, examples=25, steps=20)


@pytest.mark.slow
def test_whatever_happens_to_a_role_for_long_nothing_is_lost() -> None:
    run_long(RoleMachine)
