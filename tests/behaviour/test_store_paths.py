"""Paths, links and files that cannot be read, and what check finds of them."""

import os
from pathlib import Path

import pytest
from a_store import NOW, denying, learn, refused, tree_of
from plain_layout import INDEX, PlainLayout, memory

from memtend.change import ChangeSet, FileEdit, created
from memtend.errors import NotFound, OutsideStore, UnreadableStore
from memtend.store.apply import Store
from memtend.store.check import findings
from memtend.store.files import inside
from memtend.store.receipt import CommitStatus
from memtend.store.snapshot import keyed

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
