"""Usage beside changes: written down on the way, never lower, and never undone."""

import pytest
from a_store import NOW, changed, learn, tree_of, update
from plain_layout import INDEX, memory

from memtend.change import ChangeSet, FileEdit, created
from memtend.errors import Refused
from memtend.layouts import Usage
from memtend.memory import MemoryId, digest_of
from memtend.store.apply import Store


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
