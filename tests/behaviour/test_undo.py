"""Taking back what was applied: to the byte, and never what came later."""

import stat

import pytest
from a_store import NOW, changed, learn, purge, tree_of, update
from plain_layout import INDEX, memory

from memtend.change import ChangeSet, FileEdit, Verb, created, restored
from memtend.errors import ChangedOnDisk, LaterChange, NotFound
from memtend.memory import MemoryId
from memtend.store.apply import Store


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
