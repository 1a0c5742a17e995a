"""What a store does with a change set, and what it refuses."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from plain_layout import INDEX, PlainLayout, memory, quick_folder

from memtend.change import Change, ChangeSet, FileEdit, Verb, created, restored, retired
from memtend.errors import (
    ChangedOnDisk,
    GuardTripped,
    Integrity,
    LaterChange,
    NotFound,
    OutsideStore,
    Refused,
    SelfCheckFailed,
    StaleDecision,
    UnknownMemory,
    UnreadableStore,
    UnusableInput,
)
from memtend.layouts import Tree, Usage
from memtend.memory import Memory, MemoryId, digest_of
from memtend.store.apply import Store
from memtend.store.check import findings
from memtend.store.files import inside
from memtend.store.receipt import CommitStatus, Receipt
from memtend.store.snapshot import keyed

NOW = datetime(2026, 6, 30, 10, 15, tzinfo=UTC)


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    with quick_folder() as folder:
        yield folder


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store that commits nothing."""
    (tmp_path / "store").mkdir()
    return Store(tmp_path / "store", PlainLayout())


def learn(store: Store, *names: str, **more: object) -> Receipt:
    changes = tuple(created(memory(name, **more)) for name in names)  # type: ignore[arg-type]
    return store.apply(ChangeSet(changes, note=f"learn {' '.join(names)}"), now=NOW, session="s-1", commit=False)


def update(store: Store, name: str, content: str) -> Receipt:
    return store.apply(ChangeSet((changed(store, name, content=content),)), now=NOW, commit=False)


def changed(store: Store, name: str, verb: Verb = Verb.UPDATE, **values: object) -> Change:
    old = store.read().memories[MemoryId(name)]
    return Change(verb, old.id, old.digest, values)


def purge(store: Store, *names: str, allow_large: bool = False) -> Receipt:
    memories = store.read().memories
    changes = tuple(retired(memories[MemoryId(name)], at="2026-06-30", reason="purge") for name in names)
    return store.apply(ChangeSet(changes), now=NOW, commit=False, allow_large=allow_large)


def tree_of(store: Store) -> dict[str, bytes]:
    """Every file outside the store's own folder."""
    files = (file for file in sorted(store.root.rglob("*")) if file.is_file() and ".memtend" not in file.parts)
    return {str(file.relative_to(store.root)): file.read_bytes() for file in files}


# Doing


def test_what_was_decided_is_what_is_there(store: Store) -> None:
    learn(store, "a", "b")
    update(store, "a", "New text.")
    assert tree_of(store) == {
        "a.md": b"a\nNew text.\n",
        "b.md": b"b\nText of b.\n",
        INDEX: b"a\ta\t0\t\nb\tb\t0\t\n",
    }


def test_a_receipt_says_what_was_done_when_and_for_whom(store: Store) -> None:
    receipt = learn(store, "a", "b")
    assert receipt.id.startswith("r-20260630-101500-")
    assert (receipt.at, receipt.session, receipt.note) == ("2026-06-30T10:15:00Z", "s-1", "learn a b")
    assert (receipt.verbs, receipt.memory_ids, receipt.paths) == ({"create": 2}, ("a", "b"), ("a.md", "b.md", INDEX))
    assert receipt.to_json()["git"] == {
        "status": "off",
        "reason": "switched off",
        "commit": "",
        "is_pending": False,
    }
    assert store.log() == (replace(receipt, git=None),)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_o_tm_03_receipts_are_stamped_in_utc_wherever_the_clock_stands(
    store: Store, zone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", zone)
    hours = 14 if zone.endswith("Kiritimati") else -11
    there = NOW.astimezone(timezone(timedelta(hours=hours)))
    receipt = store.apply(ChangeSet((created(memory("a")),)), now=there, commit=False)
    assert receipt.at == "2026-06-30T10:15:00Z"
    assert receipt.id.startswith("r-20260630-101500-")


def test_a_time_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(UnusableInput):
        store.apply(ChangeSet((created(memory("a")),)), now=datetime(2026, 6, 30), commit=False)


def test_a_set_that_changes_nothing_leaves_no_receipt(store: Store) -> None:
    learn(store, "a")
    old = store.read().memories[MemoryId("a")]
    receipt = store.apply(ChangeSet((Change(Verb.REFINE, old.id, old.digest, {"title": "a"}),)), now=NOW)
    assert (receipt.id, receipt.paths, len(store.log())) == ("", (), 1)


def test_an_empty_set_brings_the_derived_pages_up_to_date(store: Store) -> None:
    learn(store, "a")
    (store.root / "b.md").write_bytes(b"By hand\nText.\n")
    receipt = store.apply(ChangeSet(), now=NOW, commit=False)
    assert (store.root / INDEX).read_bytes() == b"a\ta\t0\t\nb\tBy hand\t0\t\n"
    assert receipt.is_bookkeeping
    assert receipt.paths == (INDEX,)
    assert len(store.log()) == 1
    assert len(store.log(with_bookkeeping=True)) == 2


def test_a_catalogue_spares_reading_the_other_files(tmp_path: Path) -> None:
    reads: list[str] = []
    plain = Store(tmp_path, PlainLayout())
    learn(plain, "a", "b", "c")

    def catalogue() -> Iterable[Memory]:
        return [replace(m, content="") for m in plain.read().memories.values()]

    store = Store(tmp_path, PlainLayout(), catalogue=catalogue, step=reads.append)
    store.apply(ChangeSet((changed(plain, "a", content="New."),)), now=NOW, commit=False)
    assert {step.removeprefix("read ") for step in reads if step.startswith("read ")} == {"a.md", INDEX}
    assert tree_of(store)[INDEX] == b"a\ta\t0\t\nb\tb\t0\t\nc\tc\t0\t\n"


def test_several_changes_of_one_memory_follow_one_another(store: Store) -> None:
    learn(store, "a")
    first, second = changed(store, "a", title="New"), changed(store, "a", Verb.REFINE, topic="x")
    store.apply(ChangeSet((first, second)), now=NOW, commit=False)
    assert tree_of(store)["a.md"] == b"New\n@topic x\nText of a.\n"


def test_an_erased_memory_is_gone_from_files_and_pages(store: Store) -> None:
    learn(store, *"abcdef")
    store.apply(ChangeSet((changed(store, "a", Verb.ERASE),)), now=NOW, commit=False)
    assert "a.md" not in tree_of(store)
    assert not tree_of(store)[INDEX].startswith(b"a\t")


def test_a_set_may_bring_file_edits_of_its_own(store: Store) -> None:
    learn(store, "a")
    edit = FileEdit("logs/distill.json", None, b"{}", derived=True)
    store.apply(ChangeSet((changed(store, "a", content="New."),), (edit,)), now=NOW, commit=False)
    assert tree_of(store)["logs/distill.json"] == b"{}"


def test_a_file_keeps_its_permissions_and_a_new_one_gets_those_of_any_file(store: Store) -> None:
    learn(store, "a")
    file = store.root / "a.md"
    plain = store.root / "plain"
    plain.touch()
    assert stat.S_IMODE(file.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    file.chmod(0o640)
    update(store, "a", "New.")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_names_that_are_not_utf_8_survive(store: Store) -> None:
    learn(store, "a")
    name = os.fsdecode(b"caf\xe9")
    (store.root / f"{name}.md").write_bytes(b"Caf\xe9\nText.\n")
    receipt = update(store, name, "New.")
    assert (store.root / f"{name}.md").read_bytes() == b"Caf\xe9\nNew.\n"
    store.undo(receipt.id, now=NOW, commit=False)
    assert (store.root / f"{name}.md").read_bytes() == b"Caf\xe9\nText.\n"


def test_making_a_store_lays_down_what_is_missing_and_no_more(tmp_path: Path) -> None:
    store = Store(tmp_path / "new" / "store", PlainLayout())
    store.create(now=NOW)
    assert tree_of(store) == {INDEX: b""}
    (store.root / INDEX).write_bytes(b"mine")
    assert store.create(now=NOW).id == ""
    assert tree_of(store) == {INDEX: b"mine"}
    with pytest.raises(NotFound):
        store.undo(now=NOW)


def test_the_folder_of_a_store_is_ignored_by_git_and_never_read(store: Store) -> None:
    learn(store, "a")
    assert (store.root / ".memtend/.gitignore").read_text() == "*\n"
    for folder in (".memtend", ".git", ".obsidian", "sub/.obsidian"):
        (store.root / folder).mkdir(parents=True, exist_ok=True)
        (store.root / folder / "x.md").write_bytes(b"X\n")
    assert store.paths() == ("a.md",)


# Refusing


def refused(store: Store, change_set: ChangeSet, error: type[Exception], *words: str, **options: bool) -> None:
    """The set is refused in these words, and not a byte changes."""
    before, log = tree_of(store), store.log(with_bookkeeping=True)
    with pytest.raises(error) as fault:
        store.apply(change_set, now=NOW, commit=False, **options)  # type: ignore[arg-type]
    assert all(word in str(fault.value) for word in words), fault.value
    assert tree_of(store) == before
    assert store.log(with_bookkeeping=True) == log


def test_o_cc_02_a_change_decided_on_an_old_reading_is_refused(store: Store) -> None:
    learn(store, "a", "b")
    mine, theirs = changed(store, "a", content="Mine."), changed(store, "a", content="Theirs.")
    store.apply(ChangeSet((theirs,)), now=NOW, commit=False)
    digest = store.read().memories[MemoryId("a")].digest
    refused(store, ChangeSet((mine, changed(store, "b", content="x"))), StaleDecision, "a.md", digest[:12])


def test_o_cc_02_a_file_that_a_person_saved_since_is_not_replaced(store: Store) -> None:
    learn(store, "a")
    mine = changed(store, "a", content="Mine.")
    (store.root / "a.md").write_bytes(b"a\nSaved in an editor.\n")
    refused(store, ChangeSet((mine,)), StaleDecision, "a.md")
    (store.root / "a.md").unlink()
    refused(store, ChangeSet((mine,)), UnknownMemory, "a")


def test_o_cc_02_an_editor_that_saves_while_we_write_wins(tmp_path: Path) -> None:
    learn(Store(tmp_path, PlainLayout()), "a", "b")

    def editor(step: str) -> None:
        if step == "place a.md":
            (tmp_path / "b.md").write_bytes(b"b\nSaved at the last moment.\n")

    store = Store(tmp_path, PlainLayout(), step=editor)
    both = ChangeSet((changed(store, "a", content="1"), changed(store, "b", content="2")))
    with pytest.raises(ChangedOnDisk, match=r"b\.md"):
        store.apply(both, now=NOW, commit=False)
    assert tree_of(store)["a.md"] == b"a\nText of a.\n"
    assert tree_of(store)["b.md"] == b"b\nSaved at the last moment.\n"


def test_a_change_without_a_digest_is_made_on_what_is_there(store: Store) -> None:
    learn(store, "a")
    (store.root / "a.md").write_bytes(b"a\nSaved in an editor.\n")
    store.apply(ChangeSet((Change(Verb.REFINE, MemoryId("a"), None, {"topic": "t"}),)), now=NOW, commit=False)
    assert tree_of(store)["a.md"] == b"a\n@topic t\nSaved in an editor.\n"


def test_a_file_edit_made_for_other_bytes_is_refused(store: Store) -> None:
    learn(store, "a")
    wrong = digest_of(b"else")
    refused(store, ChangeSet(edits=(FileEdit("a.md", wrong, b"x"),)), ChangedOnDisk, "a.md")
    refused(store, ChangeSet(edits=(FileEdit("a.md", None, b"x"),)), ChangedOnDisk, "a.md is already there")
    refused(store, ChangeSet(edits=(FileEdit("b.md", wrong, b"x"),)), ChangedOnDisk, "b.md is gone")


def test_a_memory_is_never_created_over_another(store: Store) -> None:
    learn(store, "a")
    refused(store, ChangeSet((created(memory("a", "Other")),)), StaleDecision, "a.md", "exists already")
    (store.root / "b.md").write_bytes(b"Made by hand\n")
    refused(store, ChangeSet((created(memory("b")),)), StaleDecision, "b.md")


@pytest.mark.parametrize(("there", "new"), [("Config", "config"), ("stra\u00dfe", "STRASSE"), ("e\u0301", "\u00e9")])
def test_o_fs_06_a_name_that_is_another_on_many_disks_is_refused(store: Store, there: str, new: str) -> None:
    learn(store, there)
    refused(store, ChangeSet((created(memory(new)),)), Refused, "differ only in case")


def test_o_fs_06_two_new_names_that_are_one_are_refused(store: Store) -> None:
    refused(store, ChangeSet((created(memory("a")), created(memory("A")))), Refused, "differ only in case")


def test_o_fs_06_a_file_is_renamed_to_another_case(store: Store) -> None:
    learn(store, "config")
    data = tree_of(store)["config.md"]
    rename = (FileEdit("config.md", digest_of(data), None), FileEdit("Config.md", None, data))
    store.apply(ChangeSet(edits=rename), now=NOW, commit=False)
    assert set(tree_of(store)) == {"Config.md", INDEX}
    store.undo(now=NOW, commit=False)
    assert set(tree_of(store)) == {"config.md", INDEX}


def test_the_law_of_the_layout_is_asked(store: Store) -> None:
    refused(store, ChangeSet((created(memory("a", "forbidden")),)), Refused, "a is forbidden")


def test_edits_that_are_not_the_changes_are_never_written(store: Store) -> None:
    class Lossy(PlainLayout):
        def encode(self, change_set: ChangeSet, tree: Tree, now: datetime) -> tuple[FileEdit, ...]:
            edits = super().encode(change_set, tree, now)
            return tuple(replace(edit, after=(edit.after or b"")[:-5]) for edit in edits)

    learn(store, "a")
    lossy = Store(store.root, Lossy())
    refused(lossy, ChangeSet((changed(store, "a", content="A long text."),)), SelfCheckFailed, "a: content")
    refused(lossy, ChangeSet((created(memory("b")),)), SelfCheckFailed, "b: content")


def test_edits_that_touch_another_memory_are_never_written(store: Store) -> None:
    class Careless(PlainLayout):
        def encode(self, change_set: ChangeSet, tree: Tree, now: datetime) -> tuple[FileEdit, ...]:
            stray = FileEdit("b.md", digest_of(tree["b.md"]), b"b\nSmudged.\n")
            return (*super().encode(change_set, tree, now), stray)

    learn(store, "a", "b")
    careless = Store(store.root, Careless())
    refused(careless, ChangeSet((changed(store, "a", content="New."),)), SelfCheckFailed, "b: content")


def test_a_memory_that_stands_in_two_files_is_not_changed(store: Store) -> None:
    learn(store, "a")
    (store.root / "sub").mkdir()
    (store.root / "sub/a.md").write_bytes(b"Another a\n")
    refused(store, ChangeSet((changed(store, "a", content="New."),)), Refused, "a.md", "sub/a.md")
    learn(store, "b")
    assert b"Another a" in tree_of(store)[INDEX]


@pytest.mark.parametrize("verb", [Verb.RETIRE, Verb.ERASE])
def test_o_dm_08_a_purge_that_the_disk_refuses_is_an_error_and_changes_nothing(store: Store, verb: Verb) -> None:
    learn(store, *"abcdef")
    change = retired(store.read().memories[MemoryId("a")], at="2026-06-30", reason="purge")
    change = change if verb is Verb.RETIRE else changed(store, "a", Verb.ERASE)
    what = "place a.md" if verb is Verb.RETIRE else "remove a.md"
    refused(Store(store.root, PlainLayout(), step=denying(what)), ChangeSet((change,)), Integrity, "Permission denied")
    assert findings(store, NOW) == ()


def test_a_read_only_file_is_changed_and_stays_read_only(store: Store) -> None:
    """A copy from a read-only disk is read-only; the folder decides who may replace what."""
    learn(store, "a")
    for path in ("a.md", INDEX):
        (store.root / path).chmod(0o444)
    update(store, "a", "New.")
    learn(store, "b")
    assert {stat.S_IMODE((store.root / path).stat().st_mode) for path in ("a.md", INDEX)} == {0o444}
    store.undo(now=NOW, commit=False)
    store.undo(now=NOW, commit=False)
    assert tree_of(store)["a.md"] == b"a\nText of a.\n"


def test_one_file_is_not_written_in_two_ways(store: Store) -> None:
    learn(store, "a")
    edit = FileEdit("a.md", digest_of(b"a\nText of a.\n"), b"a\nBy the set.\n")
    change_set = ChangeSet((changed(store, "a", content="By the layout."),), (edit,))
    refused(store, change_set, SelfCheckFailed, "a.md would be written twice")


def test_a_catalogue_that_lags_behind_the_files_is_found_out(store: Store) -> None:
    learn(store, "a", "b")
    old = list(store.read().memories.values())
    change = changed(store, "a", content="New.")
    (store.root / "a.md").unlink()
    lagging = Store(store.root, PlainLayout(), catalogue=lambda: old)
    refused(lagging, ChangeSet((change,)), StaleDecision, "a.md: a is no longer there")
    refused(lagging, ChangeSet((created(memory("b")),)), StaleDecision, "b.md")
    (store.root / "c.md").write_bytes(b"By hand\n")
    refused(lagging, ChangeSet((created(memory("c")),)), ChangedOnDisk, "c.md is already there")


# Guards


def test_more_than_a_fifth_needs_its_own_yes(store: Store) -> None:
    learn(store, *"abcdefghij")
    with pytest.raises(GuardTripped, match=r"3 of 10 active memories would go: that is 30%"):
        purge(store, *"abc")
    purge(store, *"ab")
    with pytest.raises(GuardTripped):
        purge(store, *"cd")
    purge(store, *"cd", allow_large=True)


def test_emptying_a_category_needs_its_own_yes(store: Store) -> None:
    learn(store, *"abcdefghi", category="CONFIG")
    learn(store, "z", category="INSIGHT")
    with pytest.raises(GuardTripped, match="no INSIGHT would be left"):
        purge(store, "z")


def test_a_small_store_is_guarded_only_against_losing_everything(store: Store) -> None:
    learn(store, *"abcd", category="CONFIG")
    purge(store, "a", "b")
    with pytest.raises(GuardTripped, match="none would be left"):
        purge(store, "c", "d")


def test_what_is_already_retired_or_merges_into_another_does_not_count(store: Store) -> None:
    learn(store, *"abcdefghij")
    merge = [changed(store, name, Verb.MERGE, status="tombstoned", retired_reason="merged_into:j") for name in "abcd"]
    merge = [replace(change, fields={**change.fields, "status": _retired()}) for change in merge]
    store.apply(ChangeSet(tuple(merge)), now=NOW, commit=False)
    erase = tuple(changed(store, name, Verb.ERASE) for name in "abcd")
    store.apply(ChangeSet(erase), now=NOW, commit=False)
    assert len(store.read().memories) == 6


def _retired() -> object:
    return retired(memory("x"), at="", reason="").fields["status"]


# Undoing


def test_apply_then_undo_restores_every_byte(store: Store) -> None:
    learn(store, "a", "b")
    before = tree_of(store)
    change_set = ChangeSet((changed(store, "a", content="New."), changed(store, "b", Verb.ERASE), created(memory("c"))))
    receipt = store.apply(change_set, now=NOW, commit=False)
    undo = store.undo(receipt.id, now=NOW, commit=False)
    assert tree_of(store) == before
    assert (undo.undoes, undo.verbs, undo.paths) == (receipt.id, {"undo": 3}, ("a.md", "b.md", "c.md", INDEX))
    assert store.log()[1].undone_by == undo.id


def test_undoing_twice_goes_back_two_steps(store: Store) -> None:
    first = tree_of(store)
    learn(store, "a")
    second = tree_of(store)
    update(store, "a", "New.")
    store.undo(now=NOW, commit=False)
    assert tree_of(store) == second
    store.undo(now=NOW, commit=False)
    assert tree_of(store) == first
    with pytest.raises(NotFound):
        store.undo(now=NOW, commit=False)


def test_an_undo_can_be_undone_and_undone_again(store: Store) -> None:
    learn(store, "a")
    old = tree_of(store)
    change = update(store, "a", "New.")
    new = tree_of(store)
    undo = store.undo(change.id, now=NOW, commit=False)
    redo = store.undo(undo.id, now=NOW, commit=False)
    assert tree_of(store) == new
    assert [receipt.undone_by for receipt in store.log()] == [None, None, redo.id, None]
    store.undo(change.id, now=NOW, commit=False)
    assert tree_of(store) == old


def test_an_undo_never_takes_away_a_later_change(store: Store) -> None:
    first = learn(store, "a")
    second = update(store, "a", "New.")
    with pytest.raises(LaterChange) as fault:
        store.undo(first.id, now=NOW, commit=False)
    assert second.id in str(fault.value)
    assert "a.md" in str(fault.value)
    store.undo(second.id, now=NOW, commit=False)
    store.undo(first.id, now=NOW, commit=False)
    assert "a.md" not in tree_of(store)


def test_a_later_change_counts_even_when_it_brought_the_same_bytes_back(store: Store) -> None:
    learn(store, "a")
    second = update(store, "a", "New.")
    update(store, "a", "Other.")
    third = update(store, "a", "New.")
    with pytest.raises(LaterChange, match=third.id):
        store.undo(second.id, now=NOW, commit=False)


def test_an_older_change_can_be_undone_while_later_ones_of_other_files_stay(store: Store) -> None:
    first = learn(store, "a")
    learn(store, "b")
    store.undo(first.id, now=NOW, commit=False)
    assert tree_of(store) == {"b.md": b"b\nText of b.\n", INDEX: b"b\tb\t0\t\n"}


def test_undoing_what_a_person_edited_is_refused(store: Store) -> None:
    receipt = learn(store, "a", "b")
    (store.root / "a.md").write_bytes(b"a\nEdited.\n")
    before = tree_of(store)
    with pytest.raises(ChangedOnDisk, match=r"a\.md"):
        store.undo(receipt.id, now=NOW, commit=False)
    assert tree_of(store) == before


def test_undoing_an_erase_does_not_overwrite_what_came_in_its_place(store: Store) -> None:
    learn(store, *"abcdef")
    receipt = store.apply(ChangeSet((changed(store, "a", Verb.ERASE),)), now=NOW, commit=False)
    (store.root / "a.md").write_bytes(b"Another\n")
    with pytest.raises(ChangedOnDisk, match=r"a\.md is already there"):
        store.undo(receipt.id, now=NOW, commit=False)


def test_undoing_an_erase_brings_the_permissions_back(store: Store) -> None:
    learn(store, *"abcdef")
    (store.root / "a.md").chmod(0o600)
    store.apply(ChangeSet((changed(store, "a", Verb.ERASE),)), now=NOW, commit=False)
    store.undo(now=NOW, commit=False)
    assert stat.S_IMODE((store.root / "a.md").stat().st_mode) == 0o600


def test_the_same_receipt_is_not_undone_twice(store: Store) -> None:
    receipt = learn(store, "a")
    undo = store.undo(receipt.id, now=NOW, commit=False)
    with pytest.raises(LaterChange, match=undo.id):
        store.undo(receipt.id, now=NOW, commit=False)
    with pytest.raises(NotFound):
        store.undo("r-20200101-000000-0000", now=NOW, commit=False)


def test_o_dm_08_after_the_undo_of_a_purge_the_pages_show_the_memory_again(store: Store) -> None:
    learn(store, *"abcdef")
    receipt = purge(store, "a")
    assert b"a\ta" not in tree_of(store)[INDEX]
    learn(store, "g")
    store.undo(receipt.id, now=NOW, commit=False)
    assert tree_of(store)[INDEX].splitlines()[0] == b"a\ta\t0\t"
    assert tree_of(store)[INDEX].splitlines()[-1] == b"g\tg\t0\t"


def test_a_page_that_is_only_an_appendix_is_left_when_others_wrote_in_it_since(store: Store) -> None:
    learn(store, "a")
    edit = FileEdit("log.json", None, b"1", derived=True)
    receipt = store.apply(ChangeSet((changed(store, "a", content="New."),), (edit,)), now=NOW, commit=False)
    (store.root / "log.json").write_bytes(b"12")
    store.undo(receipt.id, now=NOW, commit=False)
    assert tree_of(store)["log.json"] == b"12"
    assert tree_of(store)["a.md"] == b"a\nText of a.\n"


def test_a_restored_memory_is_back(store: Store) -> None:
    learn(store, *"abcdef")
    before = tree_of(store)
    purge(store, "a")
    old = store.read().memories[MemoryId("a")]
    store.apply(ChangeSet((restored(old),)), now=NOW, commit=False)
    assert tree_of(store) == before


# Usage


def use(times: int, last: str = "2026-06-29") -> dict[MemoryId, Usage]:
    return {MemoryId("a"): Usage(times, last)}


def test_usage_is_written_down_beside_a_change(store: Store) -> None:
    learn(store, "a", "b")
    store.apply(ChangeSet((changed(store, "b", content="New."),)), now=NOW, commit=False, usage=use(3))
    assert tree_of(store)["a.md"] == b"a\n@used 3 2026-06-29\nText of a.\n"
    assert tree_of(store)[INDEX].startswith(b"a\ta\t3\t2026-06-29\n")
    assert [receipt.is_bookkeeping for receipt in store.log(with_bookkeeping=True)] == [False, True, False]


def test_usage_of_the_memory_that_changes_does_not_make_the_decision_stale(store: Store) -> None:
    learn(store, "a")
    store.apply(ChangeSet((changed(store, "a", content="New."),)), now=NOW, commit=False, usage=use(3))
    assert tree_of(store)["a.md"] == b"a\n@used 3 2026-06-29\nNew.\n"
    store.undo(now=NOW, commit=False)
    assert tree_of(store)["a.md"] == b"a\n@used 3 2026-06-29\nText of a.\n"


def test_usage_never_goes_down(store: Store) -> None:
    learn(store, "a", retrieval_count=5, last_retrieved="2026-06-30")
    assert store.apply(ChangeSet(), now=NOW, usage=use(3)).id == ""
    change = changed(store, "a", retrieval_count=2, last_retrieved="2026-01-01", content="New.")
    store.apply(ChangeSet((change,)), now=NOW, commit=False)
    assert tree_of(store)["a.md"] == b"a\n@used 5 2026-06-30\nNew.\n"


def test_usage_does_not_stand_in_the_way_of_an_undo_and_survives_it(store: Store) -> None:
    learn(store, "a")
    receipt = update(store, "a", "New.")
    store.apply(ChangeSet(), now=NOW, commit=False, usage=use(7))
    store.undo(receipt.id, now=NOW, commit=False)
    assert tree_of(store)["a.md"] == b"a\n@used 7 2026-06-29\nText of a.\n"
    assert tree_of(store)[INDEX] == b"a\ta\t7\t2026-06-29\n"


def test_a_create_can_be_undone_after_the_memory_was_used(store: Store) -> None:
    receipt = learn(store, "a")
    store.apply(ChangeSet(), now=NOW, commit=False, usage=use(7))
    store.undo(receipt.id, now=NOW, commit=False)
    assert tree_of(store) == {INDEX: b""}


def test_usage_known_only_at_the_undo_is_kept(store: Store) -> None:
    learn(store, "a")
    receipt = update(store, "a", "New.")
    store.undo(receipt.id, now=NOW, commit=False, usage=use(7))
    assert tree_of(store)["a.md"] == b"a\n@used 7 2026-06-29\nText of a.\n"
    assert tree_of(store)[INDEX] == b"a\ta\t7\t2026-06-29\n"


def test_usage_that_only_the_pages_know_reaches_the_file_that_changes(store: Store) -> None:
    learn(store, "a", "b")
    (store.root / INDEX).write_bytes(b"a\ta\t39\t2026-05-01\nb\tb\t2\t2026-05-01\n")
    update(store, "a", "New.")
    assert tree_of(store)["a.md"] == b"a\n@used 39 2026-05-01\nNew.\n"
    assert tree_of(store)["b.md"] == b"b\nText of b.\n"
    assert tree_of(store)[INDEX] == b"a\ta\t39\t2026-05-01\nb\tb\t2\t2026-05-01\n"


def test_usage_that_cannot_be_written_down_hinders_nothing_and_is_named(store: Store) -> None:
    learn(store, "a", "b", "c")
    (store.root / "a.md").write_bytes(b"a\n@locked\n")
    (store.root / "b.md").write_bytes(b"b\n@locked\n")
    usage = {MemoryId(name): Usage(2, "2026-06-29") for name in ("a", "b", "c", "gone")}
    receipt = store.apply(ChangeSet((created(memory("d")),)), now=NOW, commit=False, usage=usage)
    assert receipt.usage_left == ("a", "b")
    assert b"@used 2" in tree_of(store)["c.md"]
    assert "d.md" in tree_of(store)


def test_usage_and_a_file_edit_of_the_same_memory_go_together(store: Store) -> None:
    learn(store, "a")
    edit = FileEdit("a.md", digest_of(b"a\nText of a.\n"), b"a\nEdited.\n")
    store.apply(ChangeSet(edits=(edit,)), now=NOW, commit=False, usage=use(3))
    assert tree_of(store)["a.md"] == b"a\n@used 3 2026-06-29\nEdited.\n"
    gone = FileEdit("a.md", digest_of(tree_of(store)["a.md"]), None)
    store.apply(ChangeSet(edits=(gone,)), now=NOW, commit=False, usage=use(4))
    assert tree_of(store) == {INDEX: b""}


def test_usage_of_a_memory_that_stands_in_two_files_is_left(store: Store) -> None:
    learn(store, "a")
    (store.root / "sub").mkdir()
    (store.root / "sub/a.md").write_bytes(b"Another a\n")
    assert store.apply(ChangeSet(), now=NOW, commit=False, usage=use(3)).usage_left == ("a",)


def test_a_refused_set_leaves_usage_unwritten_too(store: Store) -> None:
    learn(store, "a")
    before = tree_of(store)
    with pytest.raises(Refused):
        store.apply(ChangeSet((created(memory("b", "forbidden")),)), now=NOW, usage=use(3))
    assert tree_of(store) == before


def test_bookkeeping_is_not_undone(store: Store) -> None:
    learn(store, "a")
    receipt = store.apply(ChangeSet(), now=NOW, commit=False, usage=use(7))
    with pytest.raises(Refused, match="only wrote down usage"):
        store.undo(receipt.id, now=NOW)


# Paths and links

OUTSIDE = [
    "../../x",
    "a/../../x",
    "..\\..\\x",
    "/etc/passwd",
    "~/x",
    "MEM-a/../../../x",
    "MEM-a\0.md",
    ".git/config",
    "sub/.GIT/config",
    "git~1/config",
    ".memtend/lock",
    "",
    ".",
    "a//b",
    "C:/x",
    "c:x",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_o_fs_04_a_path_that_is_none_is_refused_before_any_file_is_touched(store: Store, path: str) -> None:
    with pytest.raises(OutsideStore):
        inside(store.root, path)
    with pytest.raises(OutsideStore):
        store.read_file(path)
    refused(store, ChangeSet(edits=(FileEdit(path, None, b"x"),)), OutsideStore)


def test_o_fs_02_links_that_lead_nowhere_are_named_and_the_walk_ends(store: Store) -> None:
    notes = store.root / "notes"
    notes.mkdir()
    (notes / "a.md").write_bytes(b"A\n")
    (notes / "loop").symlink_to("../notes")
    (notes / "self.md").symlink_to("self.md")
    (notes / "dangling.md").symlink_to("missing.md")
    (notes / "other.md").symlink_to("a.md")
    contents = store.read()
    assert list(contents.tree) == ["notes/a.md"]
    assert {problem.path: problem.code for problem in contents.problems} == {
        "notes/loop": "link-loop",
        "notes/self.md": "link-loop",
        "notes/dangling.md": "link-dangling",
        "notes/other.md": "link-inside",
    }


def test_o_fs_03_what_lies_behind_a_link_out_of_the_store_is_neither_read_nor_written(
    store: Store, tmp_path: Path
) -> None:
    secret = tmp_path / "outside.md"
    secret.write_bytes(b"Secret\n")
    (tmp_path / "outside").mkdir()
    (store.root / "leak.md").symlink_to(secret)
    (store.root / "sub").symlink_to(tmp_path / "outside")
    assert {problem.code for problem in store.read().problems} == {"link-outside"}
    assert store.paths() == ()
    for path in ("leak.md", "sub/new.md", "sub/deep/new.md"):
        with pytest.raises(OutsideStore):
            store.read_file(path)
        with pytest.raises(OutsideStore):
            store.apply(ChangeSet(edits=(FileEdit(path, None, b"x"),)), now=NOW)
    assert secret.read_bytes() == b"Secret\n"
    assert list((tmp_path / "outside").iterdir()) == []


def test_o_fs_03_a_store_may_itself_be_reached_through_a_link(store: Store, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(store.root)
    linked = Store(tmp_path / "link", PlainLayout())
    learn(linked, "a")
    assert store.paths() == linked.paths() == ("a.md",)


def test_a_store_whose_own_folder_is_a_link_is_not_written(store: Store, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (store.root / ".memtend").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutsideStore):
        learn(store, "a")


def test_things_that_are_no_files_are_named_and_not_waited_for(store: Store) -> None:
    os.mkfifo(store.root / "pipe.md")
    assert [(problem.path, problem.code) for problem in store.read().problems] == [("pipe.md", "not-a-file")]
    with pytest.raises(UnreadableStore):
        store.read_file("pipe.md")


def denying(what: str) -> Callable[[str], None]:
    def step(touched: str) -> None:
        if touched == what:
            raise PermissionError(13, "Permission denied")

    return step


def test_o_fs_05_a_folder_that_cannot_be_read_is_never_an_empty_one(store: Store) -> None:
    learn(store, "a")
    (store.root / "sub").mkdir()
    (store.root / "sub/b.md").write_bytes(b"B\n")
    before = tree_of(store)
    blind = Store(store.root, PlainLayout(), step=denying("list sub"))
    for look in (blind.read, blind.paths, lambda: learn(blind, "c")):
        with pytest.raises(UnreadableStore, match="sub cannot be read"):
            look()
    assert tree_of(store) == before


def test_o_fs_05_a_folder_of_memories_replaced_by_a_link_is_never_an_empty_one(store: Store) -> None:
    learn(store, "a")
    (store.root / INDEX).unlink()
    (store.root / "pages").rmdir()
    (store.root / "pages").symlink_to("unmounted")
    with pytest.raises(UnreadableStore, match="pages holds memories but is a link"):
        store.read()


def test_o_fs_05_one_unreadable_file_is_named_and_stays_in_the_pages(store: Store) -> None:
    learn(store, "a", "b")
    blind = Store(store.root, PlainLayout(), step=denying("read a.md"))
    contents = blind.read()
    assert set(contents.memories) == {"b"}
    assert [(problem.path, problem.code) for problem in contents.problems] == [("a.md", "unreadable-file")]
    receipt = learn(blind, "c")
    assert len(receipt.warnings) == 1
    assert tree_of(store)[INDEX] == b"a\ta\t0\t\nb\tb\t0\t\n"
    learn(store, "d")
    assert tree_of(store)[INDEX].count(b"\n") == 4


def test_a_store_that_is_not_there_is_not_an_empty_one(tmp_path: Path) -> None:
    store = Store(tmp_path / "nowhere", PlainLayout())
    for look in (store.read, store.paths, lambda: learn(store, "a")):
        with pytest.raises(NotFound):
            look()


def test_a_file_that_is_not_there_is_named(store: Store) -> None:
    with pytest.raises(NotFound, match=r"no file x/y\.md"):
        store.read_file("x/y.md")


# Findings


def test_a_file_that_cannot_be_read_does_not_make_the_pages_stale(store: Store) -> None:
    learn(store, "a", "b")
    blind = Store(store.root, PlainLayout(), step=denying("read a.md"))
    assert [finding.code for finding in findings(blind, NOW)] == ["unreadable-file"]


def test_two_memories_with_one_id_in_a_file_are_both_kept_in_sight() -> None:
    first, second = memory("a"), memory("a", "Other")
    assert keyed([first, second, first]) == {"a": first, "a (2)": second, "a (3)": first}


def test_a_healthy_store_has_no_findings(store: Store) -> None:
    learn(store, "a", "b")
    assert findings(store, NOW) == ()


def test_findings_name_what_is_wrong(store: Store) -> None:
    learn(store, "a", "b")
    (store.root / "B.md").write_bytes(b"\n")
    (store.root / "nul.md").write_bytes(b"Device\n")
    (store.root / "what?.md").write_bytes(b"Question\n")
    (store.root / "sub").mkdir()
    (store.root / "sub/a.md").write_bytes(b"Another a\n")
    (store.root / "gone.md").symlink_to("missing")
    (store.root / ".memtend/journal/half.json").write_bytes(b"{")
    found = {(finding.code, finding.path) for finding in findings(store, NOW)}
    assert found == {
        ("damaged-journal", ".memtend/journal/half.json"),
        ("double-id", "a.md"),
        ("id-clash", ""),
        ("link-dangling", "gone.md"),
        ("name-clash", "B.md"),
        ("no-title", "B.md"),
        ("stale-page", INDEX),
        ("unportable-name", "nul.md"),
        ("unportable-name", "what?.md"),
    }


def test_a_commit_outside_a_repository_is_no_fault(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(store.root.parent))
    receipt = store.apply(ChangeSet((created(memory("a")),)), now=NOW)
    assert receipt.git is not None
    assert receipt.git.status is CommitStatus.OFF
