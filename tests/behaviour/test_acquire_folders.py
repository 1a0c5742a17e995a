"""Which files of a directory are read, and which are left out with a reason."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from outside_files import lay, paths, reasons

from memtend.errors import UnusableInput
from memtend.learn.acquire import acquire


def test_a_directory_gives_its_text_files_in_order_and_the_same_every_time(project):
    lay(project, {"n/b.md": "b", "n/a/z.txt": "z", "n/a.md": "a", "n/picture.png": b"\x89PNG\0", "n/words": "w"})
    acquired = acquire(["n"], project=project)
    assert paths(acquired) == ["n/a/z.txt", "n/a.md", "n/b.md", "n/words"]
    assert reasons(acquired) == {"n/picture.png": "binary, not text"}
    assert acquire(["n"], project=project) == acquired


def test_what_is_not_for_reading_stays_out(project):
    kept_out = [".git/a.md", "node_modules/a.md", "__pycache__/a.md", ".obsidian/a.md", ".memtend/a.md"]
    lay(project, dict.fromkeys([*kept_out, "venv/lib/a.md"], "x") | {"venv/pyvenv.cfg": "home = /", "a.md": "a"})
    lay(project, {".memory/10-Memories/MEM-a.md": "known already"})
    acquired = acquire(["."], project=project, vault=project / ".memory")
    assert paths(acquired) == ["a.md"]
    assert acquired.skipped == ()


def test_the_vault_is_not_learned_into_itself_but_its_inbox_is_read_when_named(project):
    lay(project, {".memory/10-Memories/MEM-a.md": "known", ".memory/00-Inbox/new.md": "new"})
    vault = project / ".memory"
    with pytest.raises(UnusableInput, match=r"No text files found in: \.memory/") as fault:
        acquire([".memory"], project=project, vault=vault)
    assert "vault" in fault.value.hint
    assert paths(acquire([".memory/00-Inbox"], project=project, vault=vault)) == [".memory/00-Inbox/new.md"]


def test_what_git_ignores_stays_out_by_every_ignore_file_on_the_way(project):
    (project / ".git").mkdir()
    lay(project, {".gitignore": "*.log\n/build/\n!keep.log\n", ".git/info/exclude": "private.md\n"})
    lay(project, {"docs/.gitignore": "draft-*\n!draft-good.md\n", "docs/deep/.gitignore": "*.md\n!only.md\n"})
    names = ["a.md", "a.log", "keep.log", "build/a.md", "docs/build/a.md", "docs/draft-a.md", "docs/draft-good.md"]
    names += ["docs/deep/a.md", "docs/deep/only.md", "docs/private.md", "docs/x.log", "draft-root.md"]
    lay(project, dict.fromkeys(names, "text"))
    expected = ["a.md", "docs/build/a.md", "docs/deep/only.md", "docs/draft-good.md", "draft-root.md", "keep.log"]
    assert [path for path in paths(acquire(["."], project=project)) if ".gitignore" not in path] == expected
    from_docs = ["docs/build/a.md", "docs/deep/only.md", "docs/draft-good.md"]
    assert [path for path in paths(acquire(["docs"], project=project)) if ".gitignore" not in path] == from_docs


def test_an_ignored_directory_that_is_named_itself_is_read(project):
    (project / ".git").mkdir()
    lay(project, {".gitignore": "build/\n", "build/a.md": "a", "build/.gitignore": "b.md\n", "build/b.md": "b"})
    assert "build/a.md" in paths(acquire(["build"], project=project))
    assert "build/b.md" not in paths(acquire(["build"], project=project))


def test_a_large_file_is_left_out_of_a_directory_and_named_but_read_when_named_itself(project):
    lay(project, {"n/just.md": "x" * 102_400, "n/large.md": "x" * 102_401})
    acquired = acquire(["n"], project=project)
    assert paths(acquired) == ["n/just.md"]
    assert reasons(acquired) == {"n/large.md": "larger than 100 KB (102,401 bytes)"}
    assert paths(acquire(["n/large.md"], project=project)) == ["n/large.md"]


def test_many_files_are_warned_of_and_too_many_refused_with_a_way_out(project):
    lay(
        project,
        {f"n/{folder}/{number}.md": "x" for folder, count in (("a", 151), ("b", 49)) for number in range(count)},
    )
    acquired = acquire(["n"], project=project)
    assert len(acquired.documents) == 200
    assert acquired.warnings[0].startswith("200 files found.")
    lay(project, {"n/one-more.md": "x"})
    with pytest.raises(UnusableInput) as fault:
        acquire(["n"], project=project)
    assert fault.value.message == "Too many files (201). Maximum is 200."
    assert "--max-files" in fault.value.hint
    assert "n/a/ (151)" in fault.value.hint
    assert len(acquire(["n"], project=project, max_files=201).documents) == 201


def test_fifty_files_are_no_warning(project):
    lay(project, {f"n/{number}.md": "x" for number in range(50)})
    assert acquire(["n"], project=project).warnings == ()


def test_a_directory_without_text_says_so_and_why(project):
    lay(project, {"n/picture.png": b"\x89PNG\0"})
    with pytest.raises(UnusableInput) as fault:
        acquire(["n/"], project=project)
    assert fault.value.message == "No text files found in: n/"
    assert "n/picture.png (binary, not text)" in fault.value.hint


def test_o_fs_02_links_that_lead_nowhere_or_round_are_named_and_every_file_comes_once(project):
    lay(project, {"notes/a.md": "a", "outside/b.md": "b"})
    notes = project / "notes"
    (notes / "loop").symlink_to("../notes")
    (notes / "self.md").symlink_to("self.md")
    (notes / "dangling.md").symlink_to("missing.md")
    (notes / "again.md").symlink_to("a.md")
    (notes / "out").symlink_to("../outside")
    acquired = acquire(["notes"], project=project)
    assert paths(acquired) == ["notes/a.md"]
    assert reasons(acquired) == {
        "notes/again.md": "a link to a.md, which is read where it lies",
        "notes/dangling.md": "a link to missing.md, which does not exist",
        "notes/loop": "a link to a folder above it (a loop)",
        "notes/out": "a link out of the folder; name ../outside itself to learn it",
        "notes/self.md": "a link that leads back to itself",
    }


def test_o_dm_07_a_directory_given_through_a_link_has_the_same_documents(project):
    lay(project, {"notes/a.md": "a", "notes/deep/b.md": "b"})
    (project / "linked").symlink_to("notes")
    assert acquire(["linked"], project=project) == acquire(["notes"], project=project)


posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions and pipes are POSIX's")


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder in which permissions count, also where the tests run as root."""
    is_root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o777)
        if is_root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if is_root:
                os.seteuid(0)
            for path in folder.rglob("*"):
                path.chmod(0o777)


@posix
def test_an_unreadable_file_or_folder_is_named_and_the_rest_is_read(unprivileged):
    lay(unprivileged, {"n/a.md": "a", "n/closed.md": "b", "n/odd": "c", "n/shut/c.md": "d"})
    for name in ("n/closed.md", "n/odd", "n/shut"):
        (unprivileged / name).chmod(0)
    acquired = acquire([str(unprivileged / "n")], project=unprivileged)
    assert paths(acquired) == ["n/a.md"]
    assert reasons(acquired) == dict.fromkeys(("n/closed.md", "n/odd", "n/shut"), "cannot be read: permission denied")


@posix
def test_an_unreadable_directory_is_an_error_and_not_an_empty_one(unprivileged):
    lay(unprivileged, {"n/a.md": "a"})
    (unprivileged / "n").chmod(0)
    with pytest.raises(UnusableInput, match="Cannot read the directory"):
        acquire([str(unprivileged / "n")], project=unprivileged)
