"""What git is asked to do, and that its troubles are ours to report and nobody else's."""

import sys
from pathlib import Path

import pytest
from own_git import git, needs_git
from plain_layout import INDEX, PlainLayout, memory
from store_in_git import NOW, committed_paths, hook, learn, opened, outcome

from memtend.change import Change, ChangeSet, FileEdit, Verb, created
from memtend.errors import GuardTripped
from memtend.memory import MemoryId
from memtend.store.apply import Store
from memtend.store.git import Git
from memtend.store.receipt import CommitResult, CommitStatus

pytestmark = [
    needs_git,
    pytest.mark.skipif(sys.platform == "win32", reason="hooks and permissions are those of Unix"),
]


def test_a_commit_holds_what_was_written_and_says_so(repository: Path) -> None:
    receipt = learn(opened(repository / "memory"), "a", "b")
    result = outcome(receipt)
    assert (result.status, result.reason) == (CommitStatus.COMMITTED, "")
    assert result.commit == git(repository, "rev-parse", "HEAD").strip()
    assert committed_paths(repository) == ["memory/a.md", "memory/b.md", f"memory/{INDEX}"]
    assert git(repository, "log", "-1", "--format=%B").strip() == "memory: add/update 2 memories\n\nSession: s-1"
    assert git(repository, "log", "-1", "--format=%(trailers:key=Session,valueonly)").strip() == "s-1"
    assert git(repository, "status", "--porcelain") == ""


def test_o_gt_01_what_is_staged_half_staged_changed_or_new_stays_as_it_was(repository: Path) -> None:
    code = repository / "code.py"
    code.write_text("one = 10\n\n\n\n\n\n\n\ntwo = 2\n")
    git(repository, "add", "code.py")
    code.write_text("one = 10\n\n\n\n\n\n\n\ntwo = 20\n")
    (repository / "README.md").write_text("Changed\n")
    (repository / "notes.txt").write_text("New\n")
    (repository / "memory/draft.txt").write_text("In the store, but not ours\n")
    before = [git(repository, *command) for command in (("diff", "--cached"), ("diff",), ("stash", "list"))]
    assert outcome(learn(opened(repository / "memory"), "a")).status is CommitStatus.COMMITTED
    assert committed_paths(repository) == ["memory/a.md", f"memory/{INDEX}"]
    assert [git(repository, *command) for command in (("diff", "--cached"), ("diff",), ("stash", "list"))] == before
    status = git(repository, "status", "--porcelain").splitlines()
    assert status == [" M README.md", "MM code.py", "?? memory/draft.txt", "?? notes.txt"]


def test_names_that_look_like_patterns_name_only_themselves(repository: Path) -> None:
    (repository / "memory/ab.md").write_text("By hand\n")
    (repository / "memory/x.md").write_text("By hand\n")
    names = ["a*", "[x]", ":(top)y", "*", "-q", "ü ñ", 'quo"te']
    learn(opened(repository / "memory"), *names)
    listed = git(repository, "-c", "core.quotePath=false", "show", "--name-only", "--format=", "-z").split("\0")
    assert {path for path in listed if path} == {f"memory/{name}.md" for name in names} | {f"memory/{INDEX}"}


def test_erased_files_and_undone_ones_are_committed_too(repository: Path) -> None:
    store = opened(repository / "memory")
    learn(store, *"abcdef")
    old = store.read().memories[MemoryId("a")]
    store.apply(ChangeSet((Change(Verb.ERASE, old.id, old.digest),)), now=NOW)
    assert "memory/a.md" in committed_paths(repository)
    assert git(repository, "log", "-1", "--format=%s").strip() == "memory: erase 1 memories"
    undo = store.undo(now=NOW)
    assert git(repository, "log", "-1", "--format=%s").strip() == f"memory: undo {undo.undoes}"
    assert git(repository, "status", "--porcelain") == ""


def test_a_memory_that_a_person_had_staged_is_committed_as_it_is_now(repository: Path) -> None:
    store = opened(repository / "memory")
    learn(store, "a")
    (repository / "memory/a.md").write_text("a\nBy hand.\n")
    git(repository, "add", "memory/a.md")
    old = store.read().memories[MemoryId("a")]
    store.apply(ChangeSet((Change(Verb.UPDATE, old.id, old.digest, {"content": "New."}),)), now=NOW)
    assert git(repository, "show", "HEAD:memory/a.md") == "a\nNew.\n"
    assert git(repository, "status", "--porcelain") == ""


def test_the_first_commit_of_a_repository_can_be_ours(git_folder: Path) -> None:
    git(git_folder, "init", "--quiet", "new")
    (git_folder / "new/other.txt").write_text("staged\n")
    git(git_folder / "new", "add", "other.txt")
    hook(git_folder / "new", "pre-commit", "exit 1")
    assert outcome(learn(opened(git_folder / "new"), "a")).status is CommitStatus.FAILED
    assert git(git_folder / "new", "diff", "--cached", "--name-only").split() == ["other.txt"]
    hook(git_folder / "new", "pre-commit", "exit 0")
    assert outcome(learn(opened(git_folder / "new"), "b")).status is CommitStatus.COMMITTED
    assert committed_paths(git_folder / "new") == ["a.md", "b.md", INDEX]
    assert git(git_folder / "new", "diff", "--cached", "--name-only").split() == ["other.txt"]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("MERGE_HEAD", "a merge"),
        ("CHERRY_PICK_HEAD", "a cherry-pick"),
        ("REVERT_HEAD", "a revert"),
        ("BISECT_LOG", "a bisect"),
        ("rebase-merge/", "a rebase"),
        ("rebase-apply/", "a rebase"),
    ],
)
def test_o_gt_01_nothing_is_committed_while_something_else_is_under_way(repository: Path, name: str, what: str) -> None:
    head = git(repository, "rev-parse", "HEAD")
    marker = repository / ".git" / name
    marker.mkdir() if name.endswith("/") else marker.write_text(head)
    store = opened(repository / "memory")
    result = outcome(learn(store, "a"))
    assert (result.status, result.is_pending) == (CommitStatus.SKIPPED, True)
    assert what in result.reason
    assert git(repository, "rev-parse", "HEAD") == head
    marker.rmdir() if name.endswith("/") else marker.unlink()
    assert outcome(learn(store, "b")).status is CommitStatus.COMMITTED
    assert committed_paths(repository) == ["memory/a.md", "memory/b.md", f"memory/{INDEX}"]


def test_o_gt_01_a_real_merge_with_a_conflict_is_left_alone(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "-b", "other")
    (repository / "README.md").write_text("Theirs\n")
    git(repository, "commit", "--quiet", "--all", "--message=theirs")
    git(repository, "checkout", "--quiet", "main")
    (repository / "README.md").write_text("Ours\n")
    git(repository, "commit", "--quiet", "--all", "--message=ours")
    git(repository, "merge", "other", check=False)
    before = git(repository, "status", "--porcelain", "README.md")
    assert outcome(learn(opened(repository / "memory"), "a")).status is CommitStatus.SKIPPED
    assert git(repository, "status", "--porcelain", "README.md") == before == "UU README.md\n"
    assert (repository / "memory/a.md").exists()


def test_a_detached_head_is_committed_on_and_named(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "--detach")
    result = outcome(learn(opened(repository / "memory"), "a"))
    assert result.status is CommitStatus.COMMITTED
    assert "detached" in result.reason
    assert git(repository, "rev-parse", "HEAD").strip() == result.commit


@pytest.mark.parametrize("rule", ["memory/", "*.md\n*.txt"])
def test_o_gt_02_a_store_that_is_ignored_is_skipped_with_the_reason(repository: Path, rule: str) -> None:
    (repository / ".gitignore").write_text(f"{rule}\n")
    head = git(repository, "rev-parse", "HEAD")
    result = outcome(learn(opened(repository / "memory"), "a"))
    assert (result.status, result.is_pending) == (CommitStatus.SKIPPED, False)
    assert result.reason == "2 of 2 files are ignored by git (a.md)"
    assert git(repository, "rev-parse", "HEAD") == head
    assert (repository / "memory/a.md").exists()


def test_o_gt_02_one_ignored_file_does_not_keep_the_others_out(repository: Path) -> None:
    (repository / ".gitignore").write_text("pages/\n")
    result = outcome(learn(opened(repository / "memory"), "a"))
    assert result.status is CommitStatus.COMMITTED
    assert result.reason == f"1 of 2 files are ignored by git ({INDEX})"
    assert committed_paths(repository) == ["memory/a.md"]


def test_o_gt_02_a_file_that_git_knows_is_committed_although_a_rule_ignores_it(repository: Path) -> None:
    store = opened(repository / "memory")
    learn(store, "a")
    (repository / ".gitignore").write_text("*.md\n")
    old = store.read().memories[MemoryId("a")]
    change_set = ChangeSet((Change(Verb.UPDATE, old.id, old.digest, {"content": "New."}), created(memory("b"))))
    result = outcome(store.apply(change_set, now=NOW))
    assert result.status is CommitStatus.COMMITTED
    assert committed_paths(repository) == ["memory/a.md", f"memory/{INDEX}"]
    assert "1 of 3 files are ignored by git (b.md)" in result.reason


def test_o_gt_04_a_worktree_gets_its_own_commit(repository: Path, git_folder: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "-b", "side", str(git_folder / "wt"))
    main = git(repository, "rev-parse", "main")
    (git_folder / "wt/memory").mkdir(exist_ok=True)
    store = opened(git_folder / "wt/memory")
    assert outcome(learn(store, "a")).status is CommitStatus.COMMITTED
    assert git(git_folder / "wt", "log", "-1", "--format=%s", "side").strip() == "memory: add/update 1 memories"
    assert git(repository, "rev-parse", "main") == main
    (repository / ".git/worktrees/wt/MERGE_HEAD").write_text(main)
    assert outcome(learn(store, "b")).status is CommitStatus.SKIPPED
    assert outcome(learn(opened(repository / "memory"), "c")).status is CommitStatus.COMMITTED


def test_o_gt_04_a_submodule_gets_its_own_commit(repository: Path, git_folder: Path) -> None:
    git(git_folder, "init", "--quiet", "inner")
    git(git_folder / "inner", "commit", "--quiet", "--allow-empty", "--message=inner")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(git_folder / "inner"), "sub")
    git(repository, "commit", "--quiet", "--message=submodule")
    outer = git(repository, "rev-parse", "HEAD")
    assert outcome(learn(opened(repository / "sub"), "a")).status is CommitStatus.COMMITTED
    assert git(repository / "sub", "log", "-1", "--format=%s").strip() == "memory: add/update 1 memories"
    assert git(repository, "rev-parse", "HEAD") == outer


def test_o_gt_04_a_repository_inside_the_store_gets_what_lies_in_it(repository: Path) -> None:
    inner = repository / "memory/inner"
    git(repository / "memory", "init", "--quiet", "inner")
    edits = (FileEdit("inner/sub/x.txt", None, b"x"), FileEdit("y.txt", None, b"y"))
    result = outcome(opened(repository / "memory").apply(ChangeSet(edits=edits), now=NOW))
    assert result.status is CommitStatus.COMMITTED
    assert committed_paths(inner) == ["sub/x.txt"]
    assert committed_paths(repository) == [f"memory/{INDEX}", "memory/y.txt"]


def test_o_gt_04_a_bare_repository_and_none_at_all_are_no_fault(git_folder: Path) -> None:
    git(git_folder, "init", "--quiet", "--bare", "bare")
    (git_folder / "bare/memory").mkdir()
    assert outcome(learn(opened(git_folder / "bare/memory"), "a")) == CommitResult(
        CommitStatus.OFF, "the repository has no working tree here"
    )
    (git_folder / "none").mkdir()
    assert outcome(learn(opened(git_folder / "none"), "a")) == CommitResult(CommitStatus.OFF, "not in a git repository")
    assert not list((git_folder / "none/.memtend/pending").iterdir())


def test_o_gt_04_a_repository_in_the_environment_is_not_the_one_that_holds_the_files(
    repository: Path, git_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(git_folder, "init", "--quiet", "other")
    monkeypatch.setenv("GIT_DIR", str(git_folder / "other/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(git_folder / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(git_folder / "other/.git/strange-index"))
    result = outcome(learn(opened(repository / "memory"), "a"))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    assert result.commit == git(repository, "rev-parse", "HEAD").strip()
    assert not (git_folder / "other/.git/strange-index").exists()


def test_no_git_at_all_is_no_fault(repository: Path) -> None:
    store = Store(repository / "memory", PlainLayout(), git=Git(program="no-such-git"))
    assert outcome(learn(store, "a")) == CommitResult(CommitStatus.OFF, "git is not installed")


def test_a_git_that_cannot_be_started_is_a_failure_with_its_reason(repository: Path, git_folder: Path) -> None:
    broken = git_folder / "git"
    broken.write_text("#!/nowhere\n")
    store = Store(repository / "memory", PlainLayout(), git=Git(program=str(git_folder)))
    result = outcome(learn(store, "a"))
    assert (result.status, result.reason) == (CommitStatus.FAILED, "not committed: Permission denied")


def test_a_broken_repository_is_a_failure_with_gits_reason(repository: Path) -> None:
    (repository / ".git/index").write_bytes(b"garbage")
    result = outcome(learn(opened(repository / "memory"), "a"))
    assert result.status is CommitStatus.FAILED
    assert "index file" in result.reason
    assert (repository / "memory/a.md").exists()


def test_a_commit_that_is_not_wanted_is_not_made_later_either(repository: Path) -> None:
    store = opened(repository / "memory")
    assert outcome(store.apply(ChangeSet((created(memory("a")),)), now=NOW, commit=False)).reason == "switched off"
    learn(store, "b")
    assert committed_paths(repository) == ["memory/b.md", f"memory/{INDEX}"]


def test_files_that_wait_survive_a_crash_between_the_write_and_the_commit(repository: Path) -> None:
    class Killed(BaseException):
        pass

    class Dying(Git):
        def commit(self, *_: object) -> CommitResult:
            raise Killed

    with pytest.raises(Killed):
        learn(Store(repository / "memory", PlainLayout(), git=Dying()), "a")
    assert outcome(learn(opened(repository / "memory"), "b")).status is CommitStatus.COMMITTED
    assert committed_paths(repository) == ["memory/a.md", "memory/b.md", f"memory/{INDEX}"]


def test_a_damaged_list_of_waiting_files_hinders_nobody(repository: Path) -> None:
    store = opened(repository / "memory")
    learn(store, "a")
    (repository / "memory/.memtend/pending").mkdir(exist_ok=True)
    for number, data in enumerate((b"{", b"", b"[1]", b'["../../etc/passwd"]', b"3")):
        (repository / f"memory/.memtend/pending/{number}.json").write_bytes(data)
    assert outcome(learn(store, "b")).status is CommitStatus.COMMITTED
    assert not list((repository / "memory/.memtend/pending").iterdir())


def test_what_was_refused_is_not_committed(repository: Path) -> None:
    store = opened(repository / "memory")
    learn(store, "a")
    head = git(repository, "rev-parse", "HEAD")
    old = store.read().memories[MemoryId("a")]
    with pytest.raises(GuardTripped):
        store.apply(ChangeSet((Change(Verb.ERASE, old.id, old.digest),)), now=NOW)
    assert git(repository, "rev-parse", "HEAD") == head


def test_many_files_are_one_commit(repository: Path) -> None:
    edits = tuple(FileEdit(f"n/{n:04}-{'x' * 180}.txt", None, b"x") for n in range(700))
    result = outcome(opened(repository / "memory").apply(ChangeSet(edits=edits, note="import"), now=NOW))
    assert result.status is CommitStatus.COMMITTED
    assert len(committed_paths(repository)) == 701
    assert git(repository, "log", "-1", "--format=%s").strip() == "memory: import"
    assert git(repository, "status", "--porcelain") == ""


def test_a_session_name_of_several_lines_stays_one_trailer(repository: Path) -> None:
    learn(opened(repository / "memory"), "a", session="one\nFake: two\0")
    assert git(repository, "log", "-1", "--format=%(trailers)").strip() == "Session: one Fake: two"
