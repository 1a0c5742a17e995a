"""What the journal keeps, what it does when it is damaged, and how it forgets."""

import json
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from plain_layout import INDEX, PlainLayout, memory, quick_folder

from memtend.change import Change, ChangeSet, Verb, created
from memtend.errors import DamagedJournal, NewerFormat, NotFound, Refused, UnreadableStore
from memtend.layouts import Usage
from memtend.memory import Digest, MemoryId, digest_of
from memtend.store.apply import Store
from memtend.store.check import findings
from memtend.store.journal import State
from memtend.store.receipt import Receipt
from memtend.store.record import FORMAT, Record, parse_record, render_record

NOW = datetime(2026, 6, 30, 10, 15, tzinfo=UTC)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with quick_folder() as folder:
        yield folder


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, PlainLayout())


def learn(store: Store, name: str, content: str = "", day: int = 0) -> Receipt:
    change_set = ChangeSet((created(memory(name, content=content)),), note=f"learn {name}")
    return store.apply(change_set, now=NOW + timedelta(days=day), session="s", commit=False)


def update(store: Store, name: str, content: str, day: int = 0) -> Receipt:
    old = store.read().memories[MemoryId(name)]
    change_set = ChangeSet((Change(Verb.UPDATE, old.id, old.digest, {"content": content}),))
    return store.apply(change_set, now=NOW + timedelta(days=day), commit=False)


def journal_of(store: Store) -> Path:
    return store.root / ".memtend/journal"


def record_of(store: Store, receipt: Receipt) -> Path:
    return next(journal_of(store).glob(f"*.{receipt.id}.json"))


def images_of(store: Store) -> set[str]:
    return {file.name for file in (journal_of(store) / "objects").glob("??/*")}


def test_a_record_says_everything_that_another_tool_needs(store: Store) -> None:
    learn(store, "a")
    receipt = update(store, "a", "New.")
    file = record_of(store, receipt)
    assert file.name == f"000002.{receipt.id}.json"
    assert json.loads(file.read_bytes()) == {
        "format": FORMAT,
        "id": receipt.id,
        "seq": 2,
        "at": "2026-06-30T10:15:00Z",
        "session": "",
        "note": "",
        "verbs": {"update": 1},
        "memories": ["a"],
        "edits": [
            {
                "path": "a.md",
                "before": digest_of(b"a\nText of a.\n"),
                "after": digest_of(b"a\nNew.\n"),
                "derived": False,
                "mode": (store.root / "a.md").stat().st_mode & 0o7777,
                "is_forgotten": False,
            }
        ],
        "undoes": None,
        "is_bookkeeping": False,
    }


def test_another_tool_can_undo_by_the_documented_format(store: Store) -> None:
    learn(store, "a")
    before = {path: (store.root / path).read_bytes() for path in ("a.md", INDEX)}
    update(store, "a", "New.")
    learn(store, "b")
    records = sorted(journal_of(store).glob("??????.r-*.json"), reverse=True)
    for record in [json.loads(file.read_bytes()) for file in records if file.name.count(".") == 2][:2]:
        for edit in record["edits"]:
            file = store.root / edit["path"]
            assert digest_of(file.read_bytes()) == edit["after"]
            if edit["before"] is None:
                file.unlink()
            else:
                image = journal_of(store) / "objects" / edit["before"][:2] / edit["before"]
                file.write_bytes(zlib.decompress(image.read_bytes()))
    assert {path: (store.root / path).read_bytes() for path in ("a.md", INDEX)} == before
    assert not (store.root / "b.md").exists()


def test_receipts_of_one_second_have_different_ids_and_keep_their_order(store: Store) -> None:
    receipts = [learn(store, f"m{n}") for n in range(30)]
    assert [receipt.id for receipt in store.log()] == [receipt.id for receipt in receipts]
    assert len({receipt.id for receipt in receipts}) == 30


def test_order_does_not_depend_on_the_clock(store: Store) -> None:
    learn(store, "a", day=5)
    late = update(store, "a", "New.", day=1)
    assert store.undo(now=NOW, commit=False).undoes == late.id


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "half": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "garbage": lambda data: b"\0\xff\xfe{",
    "a list": lambda data: b"[1, 2]",
    "no id": lambda data: data.replace(b'"id"', b'"di"'),
    "edits null": lambda data: json.dumps({**json.loads(data), "edits": None}).encode(),
    "edits garbage": lambda data: json.dumps({**json.loads(data), "edits": ["garbage"]}).encode(),
    "digest no digest": lambda data: data.replace(b'"after": "', b'"after": "../../'),
    "format text": lambda data: data.replace(b'"format": 1', b'"format": "one"'),
    "another record": lambda data: data.replace(b'"seq": 2', b'"seq": 3'),
    "no time": lambda data: data.replace(b"2026-06-30T", b"sometime T"),
    "deep": lambda data: b"[" * 100_000,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_o_cc_04_a_damaged_record_is_named_and_the_rest_works(store: Store, damage: str) -> None:
    first = learn(store, "a")
    second = learn(store, "b")
    third = learn(store, "c")
    file = record_of(store, second)
    file.write_bytes(DAMAGE[damage](file.read_bytes()))
    assert [receipt.id for receipt in store.log()] == [first.id, third.id]
    assert [(finding.code, finding.path) for finding in findings(store, NOW)] == [
        ("damaged-journal", f".memtend/journal/{file.name}")
    ]
    store.undo(third.id, now=NOW, commit=False)
    store.undo(first.id, now=NOW, commit=False)
    with pytest.raises(NotFound):
        store.undo(second.id, now=NOW, commit=False)
    assert learn(store, "d").id == store.log()[-1].id
    assert store.paths() == ("b.md", "d.md")


def test_o_cc_04_a_damaged_intent_is_named_and_hinders_nobody(store: Store) -> None:
    learn(store, "a")
    (journal_of(store) / "000002.r-20260630-101500-abcd.intent.json").write_bytes(b'{"form')
    assert [finding.code for finding in findings(store, NOW)] == ["damaged-journal"]
    receipt = learn(store, "b")
    assert any("abcd.intent.json in the journal is damaged" in line for line in receipt.warnings)
    assert record_of(store, receipt).name.startswith("000003.")


def test_o_cc_04_what_a_newer_memtend_wrote_is_read_around_and_not_written_on(store: Store) -> None:
    first = learn(store, "a")
    second = learn(store, "b")
    file = record_of(store, second)
    file.write_bytes(file.read_bytes().replace(b'"format": 1', b'"format": 2'))
    assert set(store.read().memories) == {"a", "b"}
    assert [receipt.id for receipt in store.log()] == [first.id]
    assert [finding.code for finding in findings(store, NOW)] == ["newer-format"]
    for write in (lambda: learn(store, "c"), lambda: store.undo(first.id, now=NOW), lambda: store.prune(NOW, now=NOW)):
        with pytest.raises(NewerFormat, match="newer memtend"):
            write()
    assert store.paths() == ("a.md", "b.md")


def test_an_image_that_is_gone_or_bent_refuses_its_undo_alone(store: Store) -> None:
    learn(store, "a")
    change = update(store, "a", "New.")
    other = learn(store, "b")
    digest = digest_of(b"a\nText of a.\n")
    image = journal_of(store) / "objects" / digest[:2] / digest
    for data in (b"bent", zlib.compress(b"other"), None):
        image.unlink() if data is None else image.write_bytes(data)
        with pytest.raises(DamagedJournal, match=digest[:12]):
            store.undo(change.id, now=NOW, commit=False)
    store.undo(other.id, now=NOW, commit=False)
    assert store.paths() == ("a.md",)


def test_a_lost_image_of_a_derived_page_does_not_stand_in_the_way(store: Store) -> None:
    learn(store, "a")
    receipt = learn(store, "b")
    digest = digest_of(b"a\ta\t0\t\n")
    (journal_of(store) / "objects" / digest[:2] / digest).unlink()
    store.undo(receipt.id, now=NOW, commit=False)
    assert (store.root / INDEX).read_bytes() == b"a\ta\t0\t\n"


def test_pruning_erases_what_is_old_and_keeps_what_is_not(store: Store) -> None:
    learn(store, "a")
    update(store, "a", "Second.", day=1)
    young = update(store, "a", "Third.", day=2)
    pruned = store.prune(NOW + timedelta(days=2), now=NOW)
    assert pruned.records == 2
    assert [receipt.id for receipt in store.log()] == [young.id]
    assert images_of(store) == {digest_of(b"a\nSecond.\n"), digest_of(b"a\nThird.\n")}
    store.undo(now=NOW, commit=False)
    assert (store.root / "a.md").read_bytes() == b"a\nSecond.\n"
    with pytest.raises(NotFound):
        store.undo(now=NOW, commit=False)


def test_pruning_takes_images_that_no_record_knows(store: Store) -> None:
    learn(store, "a")
    stray = journal_of(store) / "objects" / "ab"
    stray.mkdir(exist_ok=True)
    (stray / ("ab" * 32)).write_bytes(b"left by a write that never began")
    assert store.prune(NOW, now=NOW).images == 1
    store.undo(now=NOW, commit=False)


def test_pruning_keeps_what_a_damaged_record_may_need(store: Store) -> None:
    old = learn(store, "a")
    damaged = update(store, "a", "Second.", day=1)
    update(store, "a", "Third.", day=2)
    file = record_of(store, damaged)
    whole = file.read_bytes()
    file.write_bytes(b"{")
    images = images_of(store)
    store.prune(NOW + timedelta(hours=1), now=NOW)
    assert not list(journal_of(store).glob(f"*{old.id}*"))
    assert images - images_of(store) <= {digest_of(b"a\nText of a.\n"), digest_of(b"a\ta\t0\t\n")}
    file.write_bytes(whole)
    assert store.log()[0].id == damaged.id


def test_numbers_go_on_after_pruning(store: Store) -> None:
    learn(store, "a")
    learn(store, "b", day=2)
    store.prune(NOW + timedelta(days=1), now=NOW)
    assert record_of(store, learn(store, "c", day=2)).name.startswith("000003.")


def test_scrubbing_takes_a_text_out_of_the_journal(store: Store) -> None:
    first = learn(store, "a", "The door code is 4711.")
    second = update(store, "a", "No code here.")
    third = learn(store, "b")
    touched = store.scrub(lambda data: b"4711" in data, now=NOW)
    assert touched == (first.id, second.id)
    raw = b"".join(file.read_bytes() for file in (store.root / ".memtend").rglob("*") if file.is_file())
    texts = [zlib.decompress(file.read_bytes()) for file in (journal_of(store) / "objects").glob("??/*")]
    assert not any(b"4711" in text for text in (raw, *texts))
    assert [receipt.id for receipt in store.log()] == [first.id, second.id, third.id]
    with pytest.raises(Refused, match=r"what a\.md held was erased"):
        store.undo(second.id, now=NOW, commit=False)
    store.undo(third.id, now=NOW, commit=False)
    assert findings(store, NOW) == ()
    assert store.scrub(lambda data: b"4711" in data, now=NOW) == ()


def test_scrubbing_takes_the_text_out_of_notes_and_damaged_files_too(store: Store) -> None:
    change_set = ChangeSet((created(memory("a", content="Plain.")),), note="learn code 4711")
    receipt = store.apply(change_set, now=NOW, commit=False)
    (journal_of(store) / "000002.r-20260630-101500-abcd.json").write_bytes(b'{"note": "4711')
    image = journal_of(store) / "objects" / "ab" / ("ab" * 32)
    image.parent.mkdir(exist_ok=True)
    image.write_bytes(b"4711 not compressed")
    assert store.scrub(lambda data: b"4711" in data, now=NOW) == (receipt.id,)
    raw = b"".join(file.read_bytes() for file in (store.root / ".memtend").rglob("*") if file.is_file())
    assert b"4711" not in raw
    store.undo(receipt.id, now=NOW, commit=False)


def test_usage_written_down_has_a_record_of_its_own(store: Store) -> None:
    learn(store, "a")
    usage = {MemoryId("a"): Usage(2, "2026-06-29")}
    store.apply(ChangeSet((created(memory("b")),)), now=NOW, commit=False, usage=usage)
    records = store.journal.history().records
    assert [record.is_bookkeeping for record in records] == [False, True, False]
    assert [edit.path for edit in records[1].edits] == ["a.md", INDEX]
    assert records[1].verbs == {"reinforce": 1}


def test_a_record_reads_back_as_it_was_written() -> None:
    record = Record(id="r-20260630-101500-abcd", seq=7, at="2026-06-30T10:15:00Z", note="caf\udce9 \u2028", undoes="r")
    assert parse_record("x", render_record(record)) == record


def test_two_receipts_alike_to_the_last_byte_have_different_ids(store: Store) -> None:
    learn(store, "a")
    record = store.journal.history().records[0]
    number = store.journal.numbered(record)
    (journal_of(store) / f"000001.{number.id}.json").touch()
    assert store.journal.numbered(record).id not in {record.id, number.id}


def test_a_journal_that_cannot_be_listed_is_not_an_empty_one(store: Store) -> None:
    learn(store, "a")
    journal_of(store).rename(store.root / ".memtend/elsewhere")
    journal_of(store).write_bytes(b"")
    with pytest.raises(UnreadableStore, match="journal cannot be read"):
        store.log()
    with pytest.raises(UnreadableStore):
        learn(store, "b")
    assert not (store.root / "b.md").exists()


def test_no_store_no_journal(tmp_path: Path) -> None:
    store = Store(tmp_path, PlainLayout())
    assert store.log() == ()
    assert store.journal.history(State.INTENT).records == ()
    with pytest.raises(DamagedJournal):
        store.journal.image(Digest("0" * 64))
    assert not (tmp_path / ".memtend").exists()
