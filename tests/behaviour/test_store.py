"""What a store does with a change set, and what it refuses."""

import os
import stat
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from a_store import NOW, changed, denying, learn, purge, refused, tree_of, update
from plain_layout import INDEX, PlainLayout, memory

from memtend.change import Change, ChangeSet, FileEdit, Verb, created, retired
from memtend.errors import (
    ChangedOnDisk,
    GuardTripped,
    Integrity,
    NotFound,
    Refused,
    SelfCheckFailed,
    StaleDecision,
    UnknownMemory,
    UnusableInput,
)
from memtend.layouts import Tree
from memtend.memory import Memory, MemoryId, digest_of
from memtend.store.apply import Store
from memtend.store.check import findings

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
