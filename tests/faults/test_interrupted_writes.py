"""A write that is stopped anywhere leaves the old store or the new one, and the next writer puts it right."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from plain_layout import INDEX
from stories import NOW, STORIES, at, grown, leftovers, mixed, opened, tree_of, without_usage

from memtend.change import ChangeSet
from memtend.errors import Integrity
from memtend.memory import digest_of
from memtend.store.apply import Store
from memtend.store.check import findings


class Crash(BaseException):
    """The process dies here: nothing after it runs."""


class Stop:
    """A step that counts what is written (or read too), and at one count raises."""

    def __init__(self, at: int | None, fault: Callable[[], BaseException], *, reads: bool = True) -> None:
        self.count = 0
        self.at = at
        self.fault = fault
        self.reads = reads

    def __call__(self, what: str) -> None:
        if self.reads or not what.startswith(("read", "list")):
            self.count += 1
            if self.count == self.at:
                raise self.fault()


def steps_of(root: Path, story: str, *, reads: bool = True) -> int:
    """How many steps a story takes."""
    grown(root)
    counter = Stop(None, Crash, reads=reads)
    STORIES[story](opened(root, counter))
    return counter.count


def is_old_or_new(tree: dict[str, bytes], old: dict[str, bytes], new: dict[str, bytes]) -> bool:
    """Everything is all or nothing; the usage of d beside `mixed` is a write of its own, before the rest."""
    used = {"d.md": new.get("d.md", b""), INDEX: old[INDEX].replace(b"d\td\t0\t", b"d\td\t3\t2026-06-29")}
    return tree in (old, new, old | used)


@pytest.mark.parametrize("story", STORIES)
def test_o_cc_03_a_crash_at_any_step_leaves_all_old_or_all_new(tmp_path: Path, story: str) -> None:
    total = steps_of(tmp_path / "new", story)
    new = tree_of(tmp_path / "new")
    old = tree_of(grown(tmp_path / "old").root)
    assert total > 15
    for n in range(1, total + 1):
        root = tmp_path / f"at-{n}"
        grown(root)
        with pytest.raises(Crash):
            STORIES[story](opened(root, Stop(n, Crash)))
        store = opened(root)
        recovered = store.recover(now=NOW)
        assert is_old_or_new(tree_of(root), old, new), n
        assert all("taken back" in line for line in recovered.warnings), n
        store.apply(ChangeSet((at(store, "g"),)), now=NOW, commit=False)
        assert leftovers(root) == [], n
        assert findings(store, NOW) == (), n


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EACCES], ids=["full", "forbidden"])
@pytest.mark.parametrize("story", STORIES)
def test_o_cc_03_a_disk_that_refuses_at_any_step_leaves_the_old_and_says_so_once(
    tmp_path: Path, story: str, code: int
) -> None:
    total = steps_of(tmp_path / "new", story, reads=False)
    old = tree_of(grown(tmp_path / "old").root)
    new = tree_of(tmp_path / "new")
    assert total > 7
    for n in range(1, total + 1):
        root = tmp_path / f"at-{n}"
        grown(root)
        with pytest.raises(Integrity) as fault:
            STORIES[story](opened(root, Stop(n, lambda: OSError(code, os.strerror(code)), reads=False)))
        assert os.strerror(code) in fault.value.message, n
        assert is_old_or_new(tree_of(root), old, new), n
        assert not [name for name in leftovers(root) if name.endswith(".intent.json")], n
        store = opened(root)
        store.apply(ChangeSet((at(store, "g"),)), now=NOW, commit=False)
        assert leftovers(root) == [], n


def test_o_cc_03_a_disk_that_stays_full_is_put_right_when_there_is_room(tmp_path: Path) -> None:
    old = tree_of(grown(tmp_path).root)

    class Full:
        def __init__(self) -> None:
            self.is_full = False

        def __call__(self, what: str) -> None:
            self.is_full = self.is_full or what == "place b.md"
            if self.is_full and what.startswith(("stage", "place", "sync")):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(Integrity) as fault:
        mixed(opened(tmp_path, Full()))
    assert "taken back before the next write" in fault.value.hint
    assert [finding.code for finding in findings(opened(tmp_path), NOW) if finding.code == "interrupted"]
    opened(tmp_path).recover(now=NOW)
    assert without_usage(tree_of(tmp_path)) == without_usage(old)
    assert leftovers(tmp_path) == []


def test_what_somebody_else_wrote_after_the_crash_is_theirs(tmp_path: Path) -> None:
    grown(tmp_path)
    with pytest.raises(Crash):
        mixed(opened(tmp_path, crash_before("remove c.md")))
    (tmp_path / "a.md").write_bytes(b"a\nSaved in an editor.\n")
    recovered = opened(tmp_path).recover(now=NOW)
    tree = tree_of(tmp_path)
    assert tree["a.md"] == b"a\nSaved in an editor.\n"
    assert tree["b.md"] == b"b\nText of b.\n"
    assert "new.md" not in tree
    assert [line for line in recovered.warnings if "a.md was changed by somebody else" in line]


def test_recovery_goes_on_past_a_file_that_it_cannot_restore(tmp_path: Path) -> None:
    grown(tmp_path)
    with pytest.raises(Crash):
        mixed(opened(tmp_path, crash_before("remove c.md")))
    digest = digest_of(b"a\nText of a.\n")
    (tmp_path / ".memtend/journal/objects" / digest[:2] / digest).unlink()
    (tmp_path / "new.md").unlink()
    (tmp_path / "new.md").symlink_to("b.md")
    recovered = opened(tmp_path).recover(now=NOW)
    assert [line for line in recovered.warnings if line.startswith("a.md was left as it is: the journal no longer has")]
    assert [line for line in recovered.warnings if line.startswith("new.md was left as it is: 'new.md' is refused")]
    assert (tmp_path / "a.md").read_bytes() == b"a\nChanged.\n"
    assert (tmp_path / "b.md").read_bytes() == b"b\nText of b.\n"
    assert opened(tmp_path).recover(now=NOW).warnings == ()


def test_recovery_comes_back_to_a_file_that_could_not_be_read(tmp_path: Path) -> None:
    old = tree_of(grown(tmp_path).root)
    with pytest.raises(Crash):
        mixed(opened(tmp_path, crash_before("remove c.md")))

    def deny(what: str) -> None:
        if what == "read b.md":
            raise PermissionError(errno.EACCES, "Permission denied")

    recovered = opened(tmp_path, deny).recover(now=NOW)
    assert recovered.taken_back == ()
    assert [line for line in recovered.warnings if line.startswith("b.md will be looked at again")]
    assert len(opened(tmp_path).recover(now=NOW).taken_back) == 1
    assert without_usage(tree_of(tmp_path)) == without_usage(old)


def test_recovery_that_is_interrupted_itself_is_done_again(tmp_path: Path) -> None:
    old = tree_of(grown(tmp_path).root)
    with pytest.raises(Crash):
        mixed(opened(tmp_path, crash_before("remove c.md")))
    crashes = 0
    while crashes_at(tmp_path, crashes + 1):
        crashes += 1
    assert crashes > 5
    assert without_usage(tree_of(tmp_path)) == without_usage(old)


def test_a_keyboard_interrupt_takes_back_what_was_begun(tmp_path: Path) -> None:
    old = tree_of(grown(tmp_path).root)

    def interrupt(what: str) -> None:
        if what == "place b.md":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mixed(opened(tmp_path, interrupt))
    assert without_usage(tree_of(tmp_path)) == without_usage(old)
    assert leftovers(tmp_path) == []


def test_an_interrupted_apply_is_not_in_the_log_and_cannot_be_undone(tmp_path: Path) -> None:
    store = grown(tmp_path)
    with pytest.raises(Crash):
        mixed(opened(tmp_path, crash_before("remove c.md")))
    store.recover(now=NOW)
    assert len(store.log()) == 1


def crashes_at(root: Path, step: int) -> bool:
    """Whether a recovery was stopped at this step; False once it has fewer."""
    try:
        opened(root, Stop(step, Crash)).recover(now=NOW)
    except Crash:
        return True
    return False


def crash_before(what: str) -> Callable[[str], None]:
    def step(touched: str) -> None:
        if touched == what:
            raise Crash

    return step


KILLED = """
import os, signal, sys
from pathlib import Path
from stories import STORIES, opened

seen = 0

def step(what):
    global seen
    seen += 1
    if seen == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

STORIES["mixed"](opened(Path(sys.argv[1]), step))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("share", [0.35, 0.6, 0.75, 0.85, 0.95])
def test_o_cc_03_and_o_cc_05_a_killed_process_leaves_neither_half_a_store_nor_a_lock(
    tmp_path: Path, share: float
) -> None:
    total = steps_of(tmp_path / "new", "mixed")
    old, new = tree_of(grown(tmp_path / "old").root), tree_of(tmp_path / "new")
    here = Path(__file__).parent
    folders = [here, here.parent / "behaviour", here.parents[1] / "src"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(str(folder) for folder in folders)}
    command = [sys.executable, "-c", KILLED, str(tmp_path / "old"), str(int(total * share))]
    assert subprocess.run(command, env=environment, check=False).returncode == -signal.SIGKILL
    store = Store(tmp_path / "old", opened(tmp_path).layout, wait_seconds=1)
    store.recover(now=NOW)
    assert is_old_or_new(tree_of(store.root), old, new)
    store.apply(ChangeSet((at(store, "g"),)), now=NOW, commit=False)
    assert leftovers(store.root) == []
