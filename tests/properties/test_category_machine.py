"""Whatever is done to a category memory, in whatever order, by us, by another hand or by a crash: nothing is lost.

The model stands in `machine`. The short form runs with all tests; `make machines` runs the long one.
"""

from collections.abc import Callable, Sequence, Set
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from machine import DEATH, NOTHING, Machine, dies_at, run, run_long

from memtend.layouts.category import paths
from memtend.review import Decision
from memtend.store.receipt import Receipt
from memtend.workspace.category.answers import CategoryPlan, Done
from memtend.workspace.category.categories import CategoryWorkspace, accept_all

CATEGORIES = ("decisions", "decisions", "patterns", "project", "sessions", "sessions", "contacts", "recipes")
MARKERS = ("RETRACTED", "SUPERSEDED by DEC-1", "OBSOLETE — nobody uses it")
PLANS = ("compact", "compact", "compact", "refresh", "split")
LONG = "".join(f"## Part {number}\n\nValve {number} is opened at night.\n\n" for number in range(150))
FOREIGN: dict[str, Callable[[bytes, str], bytes]] = {
    "a section": lambda data, mark: data + f"\n## By hand {mark}\n\nSaid {mark}.\n".encode(),
    "a retracted one": lambda data, mark: data + f"\n### DEC-7 — by hand\n\n> RETRACTED\n\nSaid {mark}.\n".encode(),
    "a copy": lambda data, mark: data + data + mark.encode() + b"\n",
    "windows": lambda data, mark: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") + f"{mark}\r\n".encode(),
    "other bytes": lambda data, mark: data + b"\nCaf\xe9 \xff\xfe " + mark.encode() + b"\n",
    "an open fence": lambda data, mark: data + f"\n```\n{mark}\n".encode(),
    "a broken header": lambda data, mark: b'---\ntitle: "a "b" c"\n' + data.removeprefix(b"---\n") + mark.encode(),
    "grown": lambda data, mark: data + f"\n{LONG}{mark}\n".encode(),
    "half of it gone": lambda data, mark: data[: len(data) // 2] + mark.encode() + b"\n",
}
INDEX_FINDINGS = {"unregistered", "dead-row", "no-index", "unknown-category"}


class Clock:
    now = datetime(2026, 6, 30, 10, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class CategoryMachine(Machine):
    """A project's memory, its users, other editors and crashes."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.plans: list[CategoryPlan] = []

    # What users do

    @initialize(
        entries=st.lists(
            st.tuples(st.sampled_from(CATEGORIES), st.sampled_from(["", *MARKERS])), min_size=1, max_size=5
        )
    )
    def a_small_memory(self, entries: list[tuple[str, str]]) -> None:
        self.memory = CategoryWorkspace.create(self.folder / "memory", clock=self.clock)[0]
        self.root = self.memory.root
        for category, marker in entries:
            self.add(category, False, None)
            if marker:
                self.put_marker(marker, max(self.live))

    @rule(category=st.sampled_from(CATEGORIES), force=st.booleans(), death=DEATH)
    def add(self, category: str, force: bool, death: int | None) -> None:
        mark = self.mark()
        title, text = (
            f"Valve {self.count}",
            f"The valve that {mark} knows is opened at night.\n\n- And closed by {mark}.",
        )
        self.do(
            lambda memory: memory.add(category, title, text, purpose="How it is made", force=force),
            death,
            brings={mark},
        )

    @precondition(lambda self: self.live)
    @rule(data=st.data(), marker=st.sampled_from(MARKERS))
    def retract(self, data: st.DataObject, marker: str) -> None:
        """A user marks an entry with their editor."""
        self.put_marker(marker, data.draw(st.sampled_from(sorted(self.live))))

    def put_marker(self, marker: str, mark: str) -> None:
        for path, text in self.files().items():
            if not path.startswith(paths.ARCHIVE):
                line = f"\nThe valve that {mark}".encode()
                after = text.replace(line, f"\n> {marker}\n".encode() + line)
                if after != text:
                    (self.root / path).write_bytes(after)
                    self.planted.add(path)

    @rule(kind=st.sampled_from(PLANS), move=st.booleans())
    def plan(self, kind: str, move: bool) -> None:
        self.plans.append(self.planned(kind, move))

    @rule(data=st.data(), kind=st.sampled_from(PLANS), move=st.booleans(), is_late=st.booleans(), death=DEATH)
    def compact(self, data: st.DataObject, kind: str, move: bool, is_late: bool, death: int | None) -> None:
        """A plan of now or of earlier, all of it or a part: what goes is in an archive."""
        plan = self.plans.pop() if is_late and self.plans else self.planned(kind, move)
        decisions = self.decisions(data, plan)
        self.do(lambda memory: memory.apply(plan, decisions), death)

    @rule(data=st.data(), keep=st.booleans(), death=DEATH)
    def restore(self, data: st.DataObject, keep: bool, death: int | None) -> None:
        archives = [path for path in self.files() if paths.is_archive(path)]
        if archives:
            path = data.draw(st.sampled_from(archives))
            held = {mark for mark in self.live if mark.encode() in self.files()[path]}
            self.do(lambda memory: memory.restore(path, keep=keep), death, brings=held)

    @precondition(lambda self: len(self.live) > 1)
    @rule(data=st.data(), is_whole=st.booleans(), is_text=st.booleans(), death=DEATH)
    def forget(self, data: st.DataObject, is_whole: bool, is_text: bool, death: int | None) -> None:
        """What is forgotten is nowhere any more; what was left out of it stays. A dead process may have left traces."""
        addresses = sorted({entry.address for entry in self.memory.folder().entries})
        mark, address = data.draw(st.sampled_from(sorted(self.live))), ""
        if addresses and not is_text:
            address = data.draw(st.sampled_from(addresses))

        def act(memory: CategoryWorkspace) -> Done:
            plan = memory.plan_forget(address) if address else memory.plan_forget(text=mark)
            return memory.apply(plan, accept_all(plan) if is_whole else self.decisions(data, plan))

        count, before = len(self.log()), self.live_in_files()
        self.do(act, death, may_take=before if address else self.beside(mark))
        if death is None and len(self.log()) > count:
            gone = before - self.live_in_files()
            self.forgotten |= gone
            assert not is_whole or address or (mark in gone and self.every_file_with(mark) == [])

    @rule(death=DEATH)
    def sync(self, death: int | None) -> None:
        self.do(lambda memory: memory.sync(), death)

    @rule()
    def look(self) -> None:
        self.memory.list()
        self.memory.search("valve at night", archived=True)

    @rule(days=st.sampled_from([1, 8, 40]))
    def time_passes(self, days: int) -> None:
        self.clock.now += timedelta(days)

    # What others do

    @precondition(lambda self: self.memories())
    @rule(data=st.data(), how=st.sampled_from(sorted(FOREIGN)))
    def a_foreign_edit(self, data: st.DataObject, how: str) -> None:
        path, mark = data.draw(st.sampled_from(self.memories())), self.mark()
        file = self.root / path
        old = file.read_bytes()
        file.write_bytes(FOREIGN[how](old, mark))
        self.live.add(mark)
        self.planted.add(path)
        self.taken_by_hand(old)

    @precondition(lambda self: self.memories())
    @rule(data=st.data())
    def a_foreign_delete(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.memories()))
        old = (self.root / path).read_bytes()
        (self.root / path).unlink()
        self.planted.add(path)
        self.taken_by_hand(old)

    @precondition(lambda self: self.memories())
    @rule(data=st.data())
    def a_foreign_rename(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.memories()))
        target = Path(path).with_name(f"moved-{self.mark()}.md").as_posix()
        (self.root / path).rename(self.root / target)
        self.planted |= {path, target}

    @rule(name=st.sampled_from(["patterns/mine.md", "sessions/2026-01-02-mine.md", "decisions/DEC-9.md", "new/a.md"]))
    def a_foreign_file(self, name: str) -> None:
        file = self.root / name
        if not file.exists():
            mark = self.mark()
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"# By hand\n\nA note that says {mark}.\n", encoding="utf-8")
            self.live.add(mark)
            self.planted.add(name)

    @rule(garbage=st.sampled_from([b"", b"# Mine\n", b"\xff\xfe", b"| a | b |\n|---|---|\n| x | y |\n"]))
    def a_foreign_index(self, garbage: bytes) -> None:
        (self.root / paths.INDEX).write_bytes(garbage)
        self.planted.add(paths.INDEX)

    # What always holds

    @invariant()
    def check_finds_what_others_planted_and_nothing_else(self) -> None:
        found = [one for one in self.memory.check() if not self.is_planted(one.path, one.message)]
        assert [one for one in found if not (paths.INDEX in self.planted and one.code in INDEX_FINDINGS)] == []

    # How

    def open(self) -> None:
        self.memory = CategoryWorkspace(self.root, clock=self.clock)
        self.memory.folder()

    def log(self) -> Sequence[Receipt]:
        return self.memory.log()

    def take_back_one(self, receipt_id: str, death: int | None) -> Receipt:
        return (self.memory if death is None else self.mortal(death)).undo(receipt_id)

    def after_death_in_undo(self) -> None:
        """Its rows in the index may be owed."""
        self.planted.add(paths.INDEX)

    def mortal(self, death: int) -> CategoryWorkspace:
        return CategoryWorkspace(self.root, clock=self.clock, step=dies_at(death))

    def do(
        self,
        act: Callable[[CategoryWorkspace], Done],
        death: int | None,
        *,
        brings: Set[str] = NOTHING,
        may_take: Set[str] = NOTHING,
    ) -> None:
        """An act, and maybe the death of its process at a step."""
        if death is None:
            self.carry_out(lambda: ids_of(act(self.memory)), brings, may_take)
            return
        mortal = self.mortal(death)
        self.die_in(lambda: ids_of(act(mortal)), brings, may_take)

    def planned(self, kind: str, move: bool) -> CategoryPlan:
        if kind == "compact":
            return self.memory.plan_compact(move=move)
        return self.memory.plan_refresh() if kind == "refresh" else self.memory.plan_split()

    def decisions(self, data: st.DataObject, plan: CategoryPlan) -> list[Decision]:
        return [Decision(one.id, data.draw(st.sampled_from(one.actions))) for one in plan.proposals]

    def files(self) -> dict[str, bytes]:
        """Entries, summaries and archives; the index only says where they are."""
        found = (path.relative_to(self.root).as_posix() for path in self.root.rglob("*.md") if path.is_file())
        return {path: (self.root / path).read_bytes() for path in sorted(found) if is_kept(path)}

    def memories(self) -> list[str]:
        """The files that another hand may touch."""
        return [path for path in self.files() if paths.claims(path) or paths.is_archive(path)]

    def beside(self, mark: str) -> set[str]:
        """The marks in files that have this one."""
        text = b"\n".join(text for text in self.files().values() if mark.encode() in text)
        return {each for each in self.live if each.encode() in text}

    def every_file_with(self, mark: str) -> list[str]:
        found = (path for path in self.root.rglob("*") if path.is_file() and mark.encode() in path.read_bytes())
        return [path.relative_to(self.root).as_posix() for path in found]

    def is_planted(self, path: str, message: str) -> bool:
        """Whether a finding is about a file that another hand touched, or about a folder that it made."""
        made = {planted.partition("/")[0] for planted in self.planted} - set(paths.KNOWN)
        return path in self.planted | made or any(planted in message for planted in self.planted)


def is_kept(path: str) -> bool:
    return not path.startswith(".") and not paths.is_registry(path)


def ids_of(done: Done) -> Sequence[str]:
    return (done.receipt,) if done.receipt else ()


def test_whatever_happens_to_a_category_memory_nothing_is_lost() -> None:
    run(CategoryMachine, examples=12, steps=16)


@pytest.mark.slow
def test_whatever_happens_to_a_category_memory_for_long_nothing_is_lost() -> None:
    run_long(CategoryMachine)
