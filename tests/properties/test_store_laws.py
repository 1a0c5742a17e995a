"""What holds for every history of a store: nothing is lost, everything can be taken back, pages follow."""

import sys
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

sys.path.insert(0, str(Path(__file__).parents[1] / "behaviour"))

from plain_layout import INDEX, PlainLayout, memory, quick_folder, read, write

from memtend.change import Change, ChangeSet, Verb, created, retired
from memtend.errors import ChangedOnDisk, DamagedJournal, NewerFormat, NotFound, OutsideStore
from memtend.layouts import Usage
from memtend.memory import Memory, MemoryId, digest_of
from memtend.store.apply import Store
from memtend.store.check import findings
from memtend.store.files import inside
from memtend.store.plan import folded
from memtend.store.record import Edit, Record, parse_record, render_record

NOW = datetime(2026, 6, 30, 10, 15, tzinfo=UTC)
NAMES = st.sampled_from(["a", "b", "c", "dé", "日本"])
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12).map(lambda text: f"x{text}")


class Crash(BaseException):
    """The process dies here."""


class Step:
    """Dies at one step."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, _what: str) -> None:
        self.left -= 1
        if self.left == 0:
            raise Crash


class History(RuleBasedStateMachine):
    """A store and, beside it, what each file should hold and what each receipt changed."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.root = self.stack.enter_context(quick_folder())
        self.store = Store(self.root, PlainLayout())
        self.files: dict[str, bytes] = {}
        self.done: list[tuple[str, dict[str, tuple[bytes | None, bytes | None]]]] = []
        self.is_foreign = False

    def teardown(self) -> None:
        self.stack.close()

    @initialize()
    def start(self) -> None:
        self.store.create(now=NOW)

    @rule(name=NAMES, text=TEXTS)
    def create(self, name: str, text: str) -> None:
        if f"{name}.md" not in self.files:
            self.apply(created(memory(name, content=text)))

    @rule(name=NAMES, text=TEXTS)
    def update(self, name: str, text: str) -> None:
        if f"{name}.md" in self.files:
            self.apply(self.change(Verb.UPDATE, name, content=text))

    @rule(name=NAMES)
    def retire(self, name: str) -> None:
        if f"{name}.md" in self.files and self.memory(name).is_active:
            self.apply(retired(self.memory(name), at="2026-06-30", reason="purge"))

    @rule(names=st.sets(NAMES, min_size=1))
    def erase(self, names: set[str]) -> None:
        self.apply(*(self.change(Verb.ERASE, name) for name in sorted(names) if f"{name}.md" in self.files))

    @rule(name=NAMES, times=st.integers(0, 9))
    def use(self, name: str, times: int) -> None:
        self.store.apply(ChangeSet(), now=NOW, commit=False, usage={MemoryId(name): Usage(times, "2026-06-29")})
        if f"{name}.md" in self.files:
            old = self.memory(name)
            used = replace(old, retrieval_count=max(times, old.retrieval_count), last_retrieved="2026-06-29")
            self.files[f"{name}.md"] = write(used) if used != old else self.files[f"{name}.md"]
        self.is_foreign = False

    @rule(name=NAMES, text=TEXTS)
    def edit_by_hand(self, name: str, text: str) -> None:
        image = f"By hand\n{text}\n".encode()
        self.files[f"{name}.md"] = PlainLayout().carry_usage(self.files.get(f"{name}.md", image), image)
        (self.root / f"{name}.md").write_bytes(self.files[f"{name}.md"])
        self.is_foreign = True

    @precondition(lambda self: self.done)
    @rule()
    def undo(self) -> None:
        receipt, changed = self.done[-1]
        if any(not self.is_as_left(path, after) for path, (_, after) in changed.items()):
            try:
                self.store.undo(now=NOW, commit=False)
            except ChangedOnDisk:
                return
            raise AssertionError("an edit by hand was taken away")
        assert self.store.undo(now=NOW, commit=False).undoes == receipt
        self.done.pop()
        for path, (before, after) in changed.items():
            current = self.files.get(path)
            is_used = current is not None and before is not None and current != after
            self.put(path, PlainLayout().carry_usage(current, before) if is_used else before)
        self.is_foreign = not self.are_pages_right()  # pages get their old bytes, which edits by hand may have aged

    @rule(name=NAMES, text=TEXTS, step=st.integers(1, 60))
    def crash(self, name: str, text: str, step: int) -> None:
        """All old or all new, and the history goes on either way."""
        store = Store(self.root, PlainLayout(), step=Step(step))
        path = f"{name}.md"
        change = self.change(Verb.UPDATE, name, content=text) if path in self.files else created(memory(name))
        try:
            receipt = store.apply(ChangeSet((change,)), now=NOW, commit=False)
        except Crash:
            self.store.recover(now=NOW)
            return
        self.remember(receipt.id, change)
        self.is_foreign = False

    @invariant()
    def files_are_what_they_should_be(self) -> None:
        found = {file.name: file.read_bytes() for file in self.root.glob("*.md")}
        assert found == self.files

    @invariant()
    def nothing_is_wrong_but_pages_after_an_edit_by_hand(self) -> None:
        codes = {finding.code for finding in findings(self.store, NOW)}
        assert codes <= ({"stale-page"} if self.is_foreign else set())

    @invariant()
    def every_receipt_is_in_the_log(self) -> None:
        standing = [r.id for r in self.store.log() if r.undoes is None and r.undone_by is None]
        assert standing == [receipt for receipt, _ in self.done]

    def memory(self, name: str) -> Memory:
        return read(f"{name}.md", self.files[f"{name}.md"])

    def change(self, verb: Verb, name: str, **values: object) -> Change:
        return Change(verb, MemoryId(name), digest_of(self.files[f"{name}.md"]), values)

    def apply(self, *changes: Change) -> None:
        receipt = self.store.apply(ChangeSet(changes), now=NOW, commit=False, allow_large=True)
        self.remember(receipt.id, *changes)
        self.is_foreign = False

    def remember(self, receipt: str, *changes: Change) -> None:
        before = dict(self.files)
        for change in changes:
            path = f"{change.memory_id}.md"
            old = read(path, before[path]) if path in before else memory(change.memory_id)
            self.put(path, None if change.verb is Verb.ERASE else write(replace(old, **change.fields)))
        paths = {f"{change.memory_id}.md" for change in changes}
        changed = {path: (before.get(path), self.files.get(path)) for path in paths}
        changed = {path: pair for path, pair in changed.items() if pair[0] != pair[1]}
        if changed:
            self.done.append((receipt, changed))

    def put(self, path: str, data: bytes | None) -> None:
        self.files.pop(path, None)
        if data is not None:
            self.files[path] = data

    def is_as_left(self, path: str, after: bytes | None) -> bool:
        current = self.files.get(path)
        if current == after:
            return True
        return current is not None and after is not None and PlainLayout().carry_usage(current, after) == current

    def are_pages_right(self) -> bool:
        memories = [read(path, data) for path, data in self.files.items()]
        pages = {INDEX: (self.root / INDEX).read_bytes()} if (self.root / INDEX).exists() else {}
        return not PlainLayout().reindex(memories, pages, NOW)


TestHistory = History.TestCase
TestHistory.settings = settings(
    max_examples=30, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)

QUICK = settings(max_examples=300, deadline=None)
ANY_TEXT = st.text(max_size=20)
DIGESTS = st.one_of(st.none(), st.binary(max_size=3).map(digest_of))
EDITS = st.builds(Edit, ANY_TEXT, DIGESTS, DIGESTS, st.booleans(), st.one_of(st.none(), st.integers(0, 0o7777)))
RECORDS = st.builds(
    Record,
    id=ANY_TEXT,
    seq=st.integers(1, 10**9),
    at=st.datetimes().map(lambda at: at.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")),
    session=ANY_TEXT,
    note=ANY_TEXT,
    verbs=st.dictionaries(ANY_TEXT, st.integers(0, 99), max_size=2),
    memories=st.lists(ANY_TEXT, max_size=3).map(tuple),
    edits=st.lists(EDITS, max_size=3).map(tuple),
    undoes=st.one_of(st.none(), ANY_TEXT),
    is_bookkeeping=st.booleans(),
)


@QUICK
@given(RECORDS)
def test_every_record_reads_back_as_it_was_written(record: Record) -> None:
    assert parse_record("name", render_record(record)) == record


@QUICK
@given(RECORDS, st.data())
def test_o_cc_04_a_record_with_flipped_bits_is_read_or_named_and_nothing_else(
    record: Record, data: st.DataObject
) -> None:
    raw = bytearray(render_record(record))
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        parse_record("name", bytes(raw))
    except (DamagedJournal, NewerFormat) as fault:
        assert fault.message.startswith("name")


@QUICK
@given(
    st.lists(st.sampled_from(["..", ".", "", "a", "~", ".git", "b.md", "C:", "\\", "\0", "/"]), max_size=6).map(
        "/".join
    )
)
def test_o_fs_04_whatever_a_path_says_it_stays_inside_or_is_refused(path: str) -> None:
    root = Path("/nowhere/store")
    try:
        target = inside(root, path)
    except OutsideStore:
        return
    assert target.is_relative_to(root)
    assert target != root
    assert ".." not in target.parts


@QUICK
@given(st.text(max_size=12))
def test_o_fs_06_folding_a_name_twice_changes_nothing_more(name: str) -> None:
    assert folded(folded(name)) == folded(name)
    assert folded(name.upper().lower()) == folded(name.upper())


def test_the_undo_of_nothing_is_not_found() -> None:
    with quick_folder() as root, pytest.raises(NotFound):
        Store(root, PlainLayout()).undo(now=NOW)
