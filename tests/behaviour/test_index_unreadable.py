"""Files and folders that the index cannot read: named, and never taken for gone."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from small_vault import FOLDER, Vault, decode, ids

from memtend.errors import UnreadableStore
from memtend.search import intake
from memtend.search.catalogue import catalogue, problems
from memtend.search.disk import scan
from memtend.search.index import Index


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "vault")


@contextmanager
def unreadable(monkeypatch: pytest.MonkeyPatch, name: str) -> Iterator[None]:
    """Meanwhile nobody may read the files of that name."""
    read = intake.Intake._read

    def refused(self: intake.Intake, path: str) -> bytes:
        if name in path:
            raise PermissionError(13, "Permission denied")
        return read(self, path)

    with monkeypatch.context() as patched:
        patched.setattr(intake.Intake, "_read", refused)
        yield


def test_o_fs_05_a_folder_that_cannot_be_read_is_an_error_and_the_index_is_unchanged(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        vault.note(f"MEM-{number:02}", "shared word")
    index = vault.index()

    def refused(_path: str) -> object:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refused)
        with pytest.raises(UnreadableStore, match="10-Memories cannot be read: Permission denied"):
            vault.refresh(index)
    assert len(ids(index, "shared")) == 50


@pytest.mark.parametrize("instead", ["nothing", "a dangling link", "a file", "a link to another folder"])
def test_o_fs_05_a_folder_that_is_gone_or_no_folder_is_never_taken_for_an_empty_one(
    vault: Vault, tmp_path: Path, instead: str
) -> None:
    vault.note("MEM-a", "alpha")
    index = vault.index()
    vault.folder.rename(tmp_path / "aside")
    if instead == "a file":
        vault.folder.write_text("no folder")
    elif instead != "nothing":
        vault.folder.symlink_to(tmp_path / ("aside" if "another" in instead else "missing"))
    with pytest.raises(UnreadableStore) as caught:
        vault.refresh(index)
    assert FOLDER in caught.value.message and caught.value.hint
    assert index.count() == 1


def test_o_fs_05_a_deeper_folder_that_cannot_be_read_is_an_error_too(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    (vault.folder / "deep").mkdir()
    listed = os.scandir

    def refused(path: str) -> object:
        if path.endswith("deep"):
            raise PermissionError(13, "Permission denied")
        return listed(path)

    monkeypatch.setattr(os, "scandir", refused)
    with pytest.raises(UnreadableStore, match="10-Memories/deep"):
        vault.index()


def test_o_fs_05_one_unreadable_file_keeps_its_entry_and_is_named_until_it_can_be_read(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        vault.note(f"MEM-{number:02}", "shared word")
    index = vault.index()
    path = vault.note("MEM-07", "other words")
    with unreadable(monkeypatch, "MEM-07"):
        for _ in range(2):
            seen = vault.refresh(index)
            assert seen.unreadable == ((f"{FOLDER}/MEM-07.md", "cannot be read: Permission denied"),)
        assert "MEM-07" in ids(index, "shared")
        assert problems(index)[0][:3] == (f"{FOLDER}/MEM-07.md", "unreadable", "error")
    assert vault.refresh(index).changed == (f"{FOLDER}/MEM-07.md",)
    assert (ids(index, "other"), problems(index), path.exists()) == (["MEM-07"], [], True)


def test_o_fs_05_a_new_file_that_cannot_be_read_is_named_and_the_rest_works(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.note("MEM-a", "alpha")
    vault.note("MEM-b", "beta")
    with unreadable(monkeypatch, "MEM-b"):
        index = vault.open()
        assert [path for path, _ in vault.refresh(index).unreadable] == [f"{FOLDER}/MEM-b.md"]
        assert ids(index, "alpha") == ["MEM-a"]
    assert vault.refresh(index).unreadable == ()
    assert ids(index, "beta") == ["MEM-b"]


def test_many_files_truly_deleted_at_once_leave_the_index(vault: Vault) -> None:
    for number in range(30):
        vault.note(f"MEM-{number:02}", "shared word")
    index = vault.index()
    for number in range(25):
        (vault.folder / f"MEM-{number:02}.md").unlink()
    assert len(vault.refresh(index).gone) == 25
    assert len(ids(index, "shared")) == 5


def test_o_fs_02_and_03_links_are_named_and_not_followed(vault: Vault, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("title: Leak\n\nzebra\n")
    vault.note("MEM-a", "alpha")
    (vault.folder / "MEM-leak.md").symlink_to(tmp_path / "outside.md")
    (vault.folder / "MEM-self.md").symlink_to("MEM-self.md")
    (vault.folder / "loop").symlink_to("..")
    index = vault.index()
    assert ids(index, "zebra") == []
    assert [(path, code) for path, code, *_ in problems(index)] == [
        (f"{FOLDER}/MEM-leak.md", "link"),
        (f"{FOLDER}/MEM-self.md", "link"),
    ]
    assert not vault.refresh(index)


def test_o_fs_03_a_memory_that_becomes_a_link_is_no_memory_any_more(vault: Vault, tmp_path: Path) -> None:
    path = vault.note("MEM-a", "zebra")
    index = vault.index()
    path.rename(tmp_path / "moved.md")
    path.symlink_to(tmp_path / "moved.md")
    vault.refresh(index)
    assert ids(index, "zebra") == []


def test_o_fs_03_a_vault_that_is_reached_through_a_link_works(vault: Vault, tmp_path: Path) -> None:
    vault.note("MEM-a", "zebra")
    (tmp_path / "linked").symlink_to(vault.root)
    index = Index(str(tmp_path / "linked/.memtend/index.db"), str(tmp_path / "linked"))
    index.refresh(lambda: scan(str(tmp_path / "linked"), [FOLDER]), decode)
    assert ids(index, "zebra") == ["MEM-a"]


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux only")
def test_a_name_that_is_no_text_is_named_and_the_rest_works(vault: Vault) -> None:
    vault.note("MEM-a", "zebra")
    (vault.folder / os.fsdecode(b"MEM-\xff.md")).write_text("zebra")
    index = vault.index()
    assert ids(index, "zebra") == ["MEM-a"]
    assert problems(index) == [(f"{FOLDER}/MEM-\\udcff.md", "name", "warning", 0, "its name is not valid UTF-8")]
    assert not vault.refresh(index)


def test_bytes_that_are_no_text_are_indexed_around(vault: Vault) -> None:
    (vault.folder / "MEM-a.md").write_bytes(b"title: caf\xe9 \x00\nkeywords: \xff\n\nzebra \xfe stripes \x00 end\n")
    index = vault.index()
    assert ids(index, "stripes") == ids(index, "end") == ["MEM-a"]
    assert catalogue(index)[0].title == "caf? \x00"
