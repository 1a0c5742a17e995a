"""Hooks, signatures and an index that somebody holds: reported in git's words, and never waited for too long."""

import os
import sys
import threading
from pathlib import Path

import pytest
from own_git import git, needs_git
from plain_layout import INDEX
from store_in_git import committed_paths, hook, learn, opened, outcome

from memtend.store.receipt import CommitStatus

pytestmark = [
    needs_git,
    pytest.mark.skipif(sys.platform == "win32", reason="hooks and permissions are those of Unix"),
]


def test_o_gt_03_a_held_index_is_waited_for_and_then_named(repository: Path) -> None:
    lock = repository / ".git/index.lock"
    lock.touch()
    store = opened(repository / "memory", lock_seconds=0.1)
    result = outcome(learn(store, "a"))
    assert result.status is CommitStatus.FAILED
    assert str(lock) in result.reason
    assert lock.exists()
    lock.unlink()
    assert outcome(learn(store, "b")).status is CommitStatus.COMMITTED
    assert committed_paths(repository) == ["memory/a.md", "memory/b.md", f"memory/{INDEX}"]
    assert git(repository, "status", "--porcelain") == ""


def test_o_gt_03_an_index_that_is_let_go_in_time_is_no_fault(repository: Path) -> None:
    lock = repository / ".git/index.lock"
    lock.touch()
    timer = threading.Timer(0.3, lock.unlink)
    timer.start()
    assert outcome(learn(opened(repository / "memory", lock_seconds=20), "a")).status is CommitStatus.COMMITTED
    timer.join()


def test_o_gt_03_a_hook_that_refuses_is_reported_in_its_own_words(repository: Path) -> None:
    hook(repository, "pre-commit", "echo 'no trailing spaces, please' >&2; exit 1")
    store = opened(repository / "memory")
    result = outcome(learn(store, "a"))
    assert (result.status, result.reason) == (CommitStatus.FAILED, "not committed: no trailing spaces, please")
    assert (repository / "memory/a.md").exists()
    assert git(repository, "status", "--porcelain", "--untracked-files=all").splitlines() == [
        "?? memory/a.md",
        f"?? memory/{INDEX}",
    ]
    hook(repository, "pre-commit", "exit 0")
    assert outcome(learn(store, "b")).status is CommitStatus.COMMITTED
    assert committed_paths(repository) == ["memory/a.md", "memory/b.md", f"memory/{INDEX}"]


def test_o_gt_03_a_hook_that_refuses_in_silence_is_reported_as_that(repository: Path) -> None:
    hook(repository, "pre-commit", "exit 3")
    assert "a hook may have refused it" in outcome(learn(opened(repository / "memory"), "a")).reason


def test_o_gt_03_a_hook_that_hangs_is_ended_with_what_it_started(repository: Path, git_folder: Path) -> None:
    hook(repository, "pre-commit", f"trap '' TERM; sleep 600 & echo $! > {git_folder}/child; sleep 600")
    result = outcome(learn(opened(repository / "memory", hook_seconds=1.0), "a"))
    assert result.status is CommitStatus.FAILED
    assert "a hook was stopped after 1 s" in result.reason
    assert not (repository / ".git/index.lock").exists()
    with pytest.raises(ProcessLookupError):
        wait_until_gone(int((git_folder / "child").read_text()))


def wait_until_gone(pid: int) -> None:
    """Raises ProcessLookupError once the process is gone (or only a zombie), TimeoutError if it stays."""
    for _ in range(100):
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
            raise ProcessLookupError
        threading.Event().wait(0.02)
    raise TimeoutError


def test_o_gt_03_a_hook_that_hangs_after_the_commit_does_not_unmake_it(repository: Path) -> None:
    hook(repository, "post-commit", "sleep 600")
    result = outcome(learn(opened(repository / "memory", hook_seconds=1.0), "a"))
    assert (result.status, result.reason) == (CommitStatus.COMMITTED, "a hook was stopped after 1 s")
    assert git(repository, "status", "--porcelain") == ""


def test_o_gt_03_hooks_find_nothing_to_read_and_print_nowhere(
    repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    hook(repository, "pre-commit", "cat; read line; echo out; echo err >&2; exit 0")
    hook(repository, "commit-msg", "cat >/dev/null; echo from-message-hook")
    assert outcome(learn(opened(repository / "memory"), "a")).status is CommitStatus.COMMITTED
    assert capfd.readouterr() == ("", "")


def test_hooks_run_on_the_files_of_this_commit_alone(repository: Path, git_folder: Path) -> None:
    (repository / "code.py").write_text("staged = True\n")
    git(repository, "add", "code.py")
    hook(repository, "pre-commit", f"git diff --cached --name-only -- '*' > {git_folder}/seen; git status >/dev/null")
    learn(opened(repository / "memory"), "a")
    assert (git_folder / "seen").read_text().split() == ["memory/a.md", f"memory/{INDEX}"]
    assert git(repository, "diff", "--cached", "--name-only").split() == ["code.py"]


def test_a_commit_message_hook_may_change_the_message(repository: Path) -> None:
    hook(repository, "commit-msg", "echo 'Reviewed-by: hook' >> \"$1\"")
    learn(opened(repository / "memory"), "a")
    assert "Reviewed-by: hook" in git(repository, "log", "-1", "--format=%B")


def test_no_name_for_the_author_is_what_git_says_it_is(repository: Path, git_folder: Path) -> None:
    (git_folder / "gitconfig").write_text("[user]\n useConfigOnly = true\n")
    result = outcome(learn(opened(repository / "memory"), "a"))
    assert result.status is CommitStatus.FAILED
    assert "no email was given" in result.reason or "user.useConfigOnly" in result.reason
    assert git(repository, "diff", "--cached", "--name-only") == ""


def test_o_gt_03_a_signature_that_cannot_be_made_is_reported_and_asks_nobody(
    repository: Path, git_folder: Path
) -> None:
    with (git_folder / "gitconfig").open("a") as config:
        config.write("[commit]\n gpgSign = true\n[gpg]\n program = false\n")
    result = outcome(learn(opened(repository / "memory", hook_seconds=20), "a"))
    assert result.status is CommitStatus.FAILED
    assert "gpg failed to sign" in result.reason
