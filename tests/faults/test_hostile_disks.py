"""Disks and clocks that do what they can: full, read-only, case-insensitive, gone back in time, crowded, huge.

What can be had for real is real: a limit on file sizes, a user without rights. Two file systems are simulated.
"""

import os
import resource
import shutil
import sys
import time
import traceback
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memtend.change import ChangeSet, FileEdit
from memtend.cli import main
from memtend.errors import Integrity, MemtendError, OutsideStore, Refused
from memtend.layouts import Layout
from memtend.layouts.category.layout import CategoryLayout
from memtend.memory import digest_of
from memtend.review import Action, Decision
from memtend.store.apply import Store
from memtend.workspace import LearnRequest, Workspace
from memtend.workspace.category.categories import CategoryWorkspace
from memtend.workspace.place import OWN_FOLDER, has_open_write
from memtend.workspace.role.roles import Roles

ENVIRON = {"MEMTEND_NOW": "2026-06-30T10:00:00Z", "MEMTEND_COMMIT": "0"}
NOBODY = 65534
NOW = datetime(2026, 6, 30, 10, tzinfo=UTC)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rights, limits and fork are those of Unix")


@pytest.fixture
def vault(tmp_path: Path) -> Workspace:
    """A vault with three memories, one of them used."""
    made = Workspace.create(start=str(tmp_path), environ=ENVIRON)[0]
    for text in ("The boiler of hall two leaks.", "Invoices are numbered by hand.", "The gate is painted green."):
        learn(made, text)
    made.recall("which boiler leaks in hall two")
    return Workspace.open(start=str(tmp_path), environ=ENVIRON)


def learn(vault: Workspace, text: str, title: str | None = None) -> str:
    plan = vault.plan_learn(LearnRequest(text=text))
    done = vault.apply(plan, [Decision("seg-001", Action.CREATE, title=title)])
    return str(done.operations[0].memory_id)


def memories(vault: Workspace) -> dict[str, bytes]:
    """The files of the vault, without usage, which is written beside a change."""
    found = {}
    for path in sorted(Path(vault.root).glob("10-Memories/MEM-*.md")):
        lines = path.read_bytes().splitlines(keepends=True)
        found[path.name] = b"".join(x for x in lines if not x.startswith((b"retrieval_count:", b"last_retrieved:")))
    return found


def in_a_child(work: Callable[[], None], *, user: int | None = None) -> None:
    """Run in a process of its own, as another user where that is asked for; its failure is ours."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            if user is not None:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
            work()
            status = 0
        except BaseException:  # noqa: BLE001 - a child must end here, whatever happened, and say why
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0, "see what the child printed above"


def refused(work: Callable[[], object], *kinds: type[BaseException]) -> BaseException:
    with pytest.raises(kinds or (MemtendError,)) as fault:
        work()
    return fault.value


# --- full ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 100, 700, 1500, 3000])
def test_o_cc_03_a_disk_that_takes_no_more_bytes_changes_nothing_and_says_so(vault: Workspace, limit: int) -> None:
    before = memories(vault)
    root = Path(vault.root)

    def work() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        own = Workspace.open(start=vault.project, environ=ENVIRON)
        plan = own.plan_learn(LearnRequest(text="Badges are printed in the porter's lodge, " * 80))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        fault = refused(lambda: own.apply(plan, [Decision("seg-001", Action.CREATE)]), Integrity)
        assert "the disk refuses" in str(fault) or "index" in str(fault), fault
        assert memories(own) == before

    in_a_child(work)
    assert memories(vault) == before
    assert learn(vault, "Badges are printed in the porter's lodge.")
    assert vault.check() == ()
    assert [path.name for path in root.rglob("*.tmp")] == []


# --- no rights ----------------------------------------------------------------------------------------------

needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be nobody")


@pytest.fixture
def open_to_all(vault: Workspace) -> Workspace:
    """The vault with rights for everybody, from the root of the disk down to it."""
    for path in (Path(vault.project), *Path(vault.project).rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    return vault


@needs_root
def test_o_fs_05_a_read_only_vault_is_read_and_not_written(open_to_all: Workspace) -> None:
    root = Path(open_to_all.root)
    before = memories(open_to_all)
    for folder in (root, *(path for path in root.rglob("*") if path.is_dir())):
        folder.chmod(0o555)

    def work() -> None:
        own = Workspace.open(start=open_to_all.project, environ=ENVIRON)
        assert len(own.memories()) == 3
        assert own.search("boiler").hits
        assert own.recall("which boiler leaks in hall two").hits
        fault = refused(lambda: learn(own, "Badges are printed in the lodge."), Integrity)
        assert getattr(fault, "hint", "")
        assert memories(own) == before

    in_a_child(work, user=NOBODY)
    assert memories(open_to_all) == before


@needs_root
def test_o_fs_05_rights_that_are_lost_in_mid_run_change_nothing(open_to_all: Workspace) -> None:
    before = memories(open_to_all)

    def work() -> None:
        own = Workspace.open(start=open_to_all.project, environ=ENVIRON)
        plan = own.plan_learn(LearnRequest(text="Badges are printed in the porter's lodge."))
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
        fault = refused(lambda: own.apply(plan, [Decision("seg-001", Action.CREATE)]), Integrity)
        assert fault.exit_status == 6  # type: ignore[attr-defined]

    root = Path(open_to_all.root)
    for folder in (root / "10-Memories", root / ".memtend"):
        folder.chmod(0o555)
    in_a_child(work)
    (root / "10-Memories").chmod(0o000)

    def blind() -> None:
        own = Workspace.open(start=open_to_all.project, environ=ENVIRON)
        for ask in (own.memories, own.check, own.reindex, lambda: own.search("boiler")):
            refused(ask, Integrity)

    in_a_child(blind, user=NOBODY)
    for folder in (root / "10-Memories", root / ".memtend"):
        folder.chmod(0o777)
    assert memories(open_to_all) == before
    assert len(open_to_all.memories()) == 3


class Crash(BaseException):
    """The process is gone: nothing catches this."""


def interrupted(root: Path, layout: Layout, path: str) -> None:
    """Write to a file, and die when it is in its place."""
    done: list[str] = []

    def die(what: str) -> None:
        if f"place {Path(path).name}" in done:
            raise Crash
        done.append(what)

    data = (root / path).read_bytes()
    edit = FileEdit(path, digest_of(data), data + b"\nhalf done\n")
    with pytest.raises(Crash):
        Store(root, layout, step=die).apply(ChangeSet(edits=(edit,)), now=NOW, commit=False)
    assert has_open_write(str(root / OWN_FOLDER))


def vault_to_read(root: Path) -> tuple[str, Layout, list[str]]:
    """Lay down a vault; a file of it, its layout, and commands that only read."""
    vault = Workspace.create(start=str(root), environ=ENVIRON)[0]
    id = learn(vault, "The boiler leaks.")
    memory = vault.read(id)
    reads = ["list", f"show {id}", "search boiler", "recall boiler", f"links {id}", "status"]
    return f".memory/{memory.place.path}", vault.layout, [f"{read} --vault .memory" for read in reads]


def role_to_read(root: Path) -> tuple[str, Layout, list[str]]:
    """The same for a role."""
    role = Roles(root).create("zero")[0]
    role.add_learning("The boiler leaks.")
    reads = ["list", "search boiler", "search boiler --session one", "search boiler --no-reinforce", "inject"]
    reads += ["read memory/consolidated.md", "files", "tidy --dry-run", "consolidate --dry-run", "log"]
    return "zero/memory/consolidated.md", role.layout, [f"role {read} --roles ." for read in reads]


def category_to_read(root: Path) -> tuple[str, Layout, list[str]]:
    """The same for a category memory."""
    memory = CategoryWorkspace.create(root / "memory")[0]
    memory.add("decisions", "Boilers", "The boiler leaks.")
    reads = ["list", "list decisions", "search boiler", "compact --dry-run", "sync --dry-run", "log"]
    reads += ["add text --category decisions --title Other --dry-run"]
    return "memory/decisions/DEC-1.md", CategoryLayout(), [f"category {read} --root memory" for read in reads]


@needs_root
@pytest.mark.parametrize("lay", [vault_to_read, role_to_read, category_to_read])
def test_o_fs_05_what_an_interrupted_write_left_on_a_read_only_disk_is_read_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lay: Callable[[Path], tuple[str, Layout, list[str]]]
) -> None:
    monkeypatch.chdir(tmp_path)
    path, layout, reads = lay(tmp_path)
    root = tmp_path / path.partition("/")[0]
    before = (tmp_path / path).read_bytes()
    interrupted(root, layout, path.partition("/")[2])
    for each in (tmp_path, *tmp_path.rglob("*")):
        each.chmod(0o555 if each.is_dir() else 0o444)

    def work() -> None:
        for words in reads:
            assert main(words.split()) == 0, words

    in_a_child(work, user=NOBODY)
    assert has_open_write(str(root / OWN_FOLDER))
    for each in (tmp_path, *tmp_path.rglob("*")):
        each.chmod(0o777 if each.is_dir() else 0o666)
    assert main(reads[0].split()) == 0
    assert not has_open_write(str(root / OWN_FOLDER))
    assert (tmp_path / path).read_bytes() == before


# --- the clock ----------------------------------------------------------------------------------------------


def at(vault: Workspace, now: str) -> Workspace:
    return Workspace.open(start=vault.project, environ={**ENVIRON, "MEMTEND_NOW": now})


def test_o_tm_01_a_clock_that_goes_back_neither_hides_nor_reorders_what_was_done(vault: Workspace) -> None:
    late = learn(at(vault, "2031-01-01T00:00:00Z"), "The valve of hall nine sticks.")
    early = learn(at(vault, "2020-01-01T00:00:00Z"), "The crane is greased in May.")
    back = at(vault, "2019-06-30T00:00:00Z")
    assert [receipt.memory_ids for receipt in back.log()[-2:]] == [(late,), (early,)]
    assert back.undo().memory_ids == (early,)
    assert back.undo().memory_ids == (late,)
    assert back.recall("which boiler leaks in hall two").hits
    back.reindex()
    assert len(back.memories()) == 3
    assert [problem for problem in back.check() if problem.severity == "error"] == []
    count = next(memory.retrieval_count for memory in back.memories() if "boiler" in memory.title.lower())
    assert count == 2


# --- file systems that fold names ---------------------------------------------------------------------------


@contextmanager
def folding(patch: pytest.MonkeyPatch, fold: Callable[[str], str]) -> Iterator[None]:
    """A file system on which names that fold alike are one file: the spelling first made is the one that is kept."""

    def spelled(path: Any) -> Any:
        """The path with each name as it lies on the disk."""
        if not isinstance(path, str | os.PathLike) or isinstance(path, bytes):
            return path
        text = os.fspath(path)
        head, name = os.path.split(text)
        if not name or "10-Memories" not in text:
            return text
        folder = spelled(head)
        try:
            names = listdir(folder or ".")
        except OSError:
            names = []
        known = next((other for other in names if fold(other) == fold(name)), name)
        return f"{folder}/{known}"

    listdir = os.listdir
    for function in ("open", "stat", "lstat", "remove", "unlink", "mkdir", "rmdir", "scandir"):
        real = getattr(os, function)
        patch.setattr(os, function, lambda path=".", *rest, real=real, **more: real(spelled(path), *rest, **more))
    real_rename, real_replace = os.rename, os.replace
    patch.setattr(os, "rename", lambda a, b: _renamed(real_rename, spelled, fold, a, b))
    patch.setattr(os, "replace", lambda a, b: _renamed(real_replace, spelled, fold, a, b))
    yield


def _renamed(
    real: Callable[..., None], spelled: Callable[[Any], str], fold: Callable[[str], str], a: Any, b: Any
) -> None:
    """Renaming over a twin replaces it; renaming a file to another spelling of itself changes the spelling."""
    source, target = spelled(a), spelled(b)
    wanted = f"{Path(target).parent}/{Path(b).name}"
    real(source, target if source != target else wanted)


FOLDS: dict[str, tuple[Callable[[str], str], str, str]] = {
    "case": (str.casefold, "Größe der Halle", "GRÖSSE der halle"),
    "composed": (
        lambda name: unicodedata.normalize("NFD", name),
        "Café au lait",
        unicodedata.normalize("NFD", "Café au lait"),
    ),
}


@pytest.mark.parametrize("kind", FOLDS)
def test_o_fs_06_on_a_disk_that_folds_names_no_memory_replaces_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    fold, first, second = FOLDS[kind]
    with monkeypatch.context() as patch, folding(patch, fold):
        vault = Workspace.create(start=str(tmp_path), environ=ENVIRON)[0]
        a = learn(vault, "The first text says that the hall is large.", title=first)
        b = learn(vault, "Another text has nothing to do with it: gaskets are red.", title=second)
        assert fold(a) != fold(b)
        texts = b"".join(memories(vault).values())
        assert b"hall is large" in texts
        assert b"gaskets are red" in texts
        assert len(vault.memories()) == 2
        vault.undo()
        assert [memory.id for memory in vault.memories()] == [a]
        vault.reindex(rebuild=True)
        assert vault.check() == ()


@pytest.mark.parametrize(("made", "wanted"), [("MEM-Config", "MEM-config"), ("MEM-Caf\u00e9", "MEM-Cafe\u0301")])
def test_o_fs_06_a_foreign_file_that_folds_alike_is_never_taken_over(
    vault: Workspace, monkeypatch: pytest.MonkeyPatch, made: str, wanted: str
) -> None:
    path = Path(vault.root) / f"10-Memories/{made}.md"
    path.write_text("# By hand\n\nMine.\n", encoding="utf-8")
    edit = FileEdit(f"10-Memories/{wanted}.md", None, b"# Ours\n")
    store = Store(Path(vault.root), vault.layout)
    refused(
        lambda: store.apply(ChangeSet(edits=(edit,)), now=NOW, commit=False),
        Refused,
        OutsideStore,
        MemtendError,
    )
    assert path.read_text(encoding="utf-8") == "# By hand\n\nMine.\n"


# --- much ---------------------------------------------------------------------------------------------------


def with_a_huge_memory(vault: Workspace, lines: int) -> None:
    """It is found, extended and given back byte for byte."""
    path = Path(vault.root) / "10-Memories/MEM-huge.md"
    text = "".join(f"Line {number}: the gasket of pump {number % 97} is red.\n\n" for number in range(lines))
    path.write_text(f"---\ntitle: Huge\ncreated: 2026-06-01\ntags: [INSIGHT]\n---\n# Huge\n\nwombat\n\n{text}")
    before = path.read_bytes()
    assert [hit.id for hit in vault.search("wombat").hits] == ["MEM-huge"]
    plan = vault.plan_learn(LearnRequest(text="The wombat of pump nine has a blue gasket."))
    vault.apply(plan, [Decision("seg-001", Action.EXTEND, vault.read("MEM-huge").id)])
    assert b"blue gasket" in path.read_bytes()
    vault.undo()
    assert path.read_bytes() == before


def test_o_md_05_a_memory_of_five_thousand_lines_is_found_extended_and_given_back(vault: Workspace) -> None:
    started = time.process_time()
    with_a_huge_memory(vault, 5_000)
    assert time.process_time() - started < 10


@pytest.mark.slow
def test_o_md_05_a_memory_of_ten_megabytes_is_found_extended_and_given_back(vault: Workspace) -> None:
    started = time.process_time()
    with_a_huge_memory(vault, 230_000)
    assert time.process_time() - started < 60


def test_o_fs_02_a_vault_that_holds_a_link_to_itself_and_out_is_walked_once(
    vault: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Outside\n\nA secret echidna.\n")
    folder = Path(vault.root) / "10-Memories"
    (folder / "sub").symlink_to(outside, target_is_directory=True)
    (folder / "again").symlink_to(Path(vault.root), target_is_directory=True)
    for name in ("a", "b"):
        (folder / f"{name}.md").symlink_to(folder / f"{'b' if name == 'a' else 'a'}.md")
    assert len(vault.memories()) == 3
    assert not vault.search("echidna").hits
    found = {problem.code for problem in vault.check()}
    assert {"link-outside", "link-loop"} <= found
    monkeypatch.chdir(tmp_path)
    assert main(["learn", "-d", ".memory/10-Memories/sub", "--yes", "--no-commit"]) in {0, 1, 2, 5}
    assert (outside / "secret.md").read_text() == "# Outside\n\nA secret echidna.\n"
    assert sorted(path.name for path in outside.iterdir()) == ["secret.md"]
    shutil.rmtree(outside)
