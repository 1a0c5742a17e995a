"""What git is asked to do, and that its troubles are ours to report and nobody else's."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from own_git import git, needs_git, own_git
from plain_layout import INDEX, PlainLayout, memory
from store_in_git import NOW, a_project, committed_paths, hook, learn, opened, outcome

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


@pytest.fixture
def tmp_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of its own, and a git that knows only what the test tells it."""
    with own_git(monkeypatch) as folder:
        yield folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit and a store in `memory/`."""
    return a_project(tmp_path / "project")


def test_a_commit_holds_what_was_written_and_says_so(project: Path) -> None:
    receipt = learn(opened(project / "memory"), "a", "b")
    result = outcome(receipt)
    assert (result.status, result.reason) == (CommitStatus.COMMITTED, "")
    assert result.commit == git(project, "rev-parse", "HEAD").strip()
    assert committed_paths(project) == ["memory/a.md", "memory/b.md", f"memory/{INDEX}"]
    assert git(project, "log", "-1", "--format=%B").strip() == "memory: add/update 2 memories\n\nSession: s-1"
    assert git(project, "log", "-1", "--format=%(trailers:key=Session,valueonly)").strip() == "s-1"
    assert git(project, "status", "--porcelain") == ""


def test_o_gt_01_what_is_staged_half_staged_changed_or_new_stays_as_it_was(project: Path) -> None:
    code = project / "code.py"
    code.write_text("one = 10\n\n\n\n\n\n\n\ntwo = 2\n")
    git(project, "add", "code.py")
    code.write_text("one = 10\n\n\n\n\n\n\n\ntwo = 20\n")
    (project / "README.md").write_text("Changed\n")
    (project / "notes.txt").write_text("New\n")
    (project / "memory/draft.txt").write_text("In the store, but not ours\n")
    before = [git(project, *command) for command in (("diff", "--cached"), ("diff",), ("stash", "list"))]
    assert outcome(learn(opened(project / "memory"), "a")).status is CommitStatus.COMMITTED
    assert committed_paths(project) == ["memory/a.md", f"memory/{INDEX}"]
    assert [git(project, *command) for command in (("diff", "--cached"), ("diff",), ("stash", "list"))] == before
    status = git(project, "status", "--porcelain").splitlines()
    assert status == [" M README.md", "MM code.py", "?? memory/draft.txt", "?? notes.txt"]


def test_names_that_look_like_patterns_name_only_themselves(project: Path) -> None:
    (project / "memory/ab.md").write_text("By hand\n")
    (project / "memory/x.md").write_text("By hand\n")
    names = ["a*", "[x]", ":(top)y", "*", "-q", "ü ñ", 'quo"te']
    learn(opened(project / "memory"), *names)
    listed = git(project, "-c", "core.quotePath=false", "show", "--name-only", "--format=", "-z").split("\0")
    assert {path for path in listed if path} == {f"memory/{name}.md" for name in names} | {f"memory/{INDEX}"}


def test_erased_files_and_undone_ones_are_committed_too(project: Path) -> None:
    store = opened(project / "memory")
    learn(store, *"abcdef")
    old = store.read().memories[MemoryId("a")]
    store.apply(ChangeSet((Change(Verb.ERASE, old.id, old.digest),)), now=NOW)
    assert "memory/a.md" in committed_paths(project)
    assert git(project, "log", "-1", "--format=%s").strip() == "memory: erase 1 memories"
    undo = store.undo(now=NOW)
    assert git(project, "log", "-1", "--format=%s").strip() == f"memory: undo {undo.undoes}"
    assert git(project, "status", "--porcelain") == ""


def test_a_memory_that_a_person_had_staged_is_committed_as_it_is_now(project: Path) -> None:
    store = opened(project / "memory")
    learn(store, "a")
    (project / "memory/a.md").write_text("a\nBy hand.\n")
    git(project, "add", "memory/a.md")
    old = store.read().memories[MemoryId("a")]
    store.apply(ChangeSet((Change(Verb.UPDATE, old.id, old.digest, {"content": "New."}),)), now=NOW)
    assert git(project, "show", "HEAD:memory/a.md") == "a\nNew.\n"
    assert git(project, "status", "--porcelain") == ""


def test_the_first_commit_of_a_repository_can_be_ours(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "new")
    (tmp_path / "new/other.txt").write_text("staged\n")
    git(tmp_path / "new", "add", "other.txt")
    hook(tmp_path / "new", "pre-commit", "exit 1")
    assert outcome(learn(opened(tmp_path / "new"), "a")).status is CommitStatus.FAILED
    assert git(tmp_path / "new", "diff", "--cached", "--name-only").split() == ["other.txt"]
    hook(tmp_path / "new", "pre-commit", "exit 0")
    assert outcome(learn(opened(tmp_path / "new"), "b")).status is CommitStatus.COMMITTED
    assert committed_paths(tmp_path / "new") == ["a.md", "b.md", INDEX]
    assert git(tmp_path / "new", "diff", "--cached", "--name-only").split() == ["other.txt"]


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
def test_o_gt_01_nothing_is_committed_while_something_else_is_under_way(project: Path, name: str, what: str) -> None:
    head = git(project, "rev-parse", "HEAD")
    marker = project / ".git" / name
    marker.mkdir() if name.endswith("/") else marker.write_text(head)
    store = opened(project / "memory")
    result = outcome(learn(store, "a"))
    assert (result.status, result.is_pending) == (CommitStatus.SKIPPED, True)
    assert what in result.reason
    assert git(project, "rev-parse", "HEAD") == head
    marker.rmdir() if name.endswith("/") else marker.unlink()
    assert outcome(learn(store, "b")).status is CommitStatus.COMMITTED
    assert committed_paths(project) == ["memory/a.md", "memory/b.md", f"memory/{INDEX}"]


def test_o_gt_01_a_real_merge_with_a_conflict_is_left_alone(project: Path) -> None:
    git(project, "checkout", "--quiet", "-b", "other")
    (project / "README.md").write_text("Theirs\n")
    git(project, "commit", "--quiet", "--all", "--message=theirs")
    git(project, "checkout", "--quiet", "main")
    (project / "README.md").write_text("Ours\n")
    git(project, "commit", "--quiet", "--all", "--message=ours")
    git(project, "merge", "other", check=False)
    before = git(project, "status", "--porcelain", "README.md")
    assert outcome(learn(opened(project / "memory"), "a")).status is CommitStatus.SKIPPED
    assert git(project, "status", "--porcelain", "README.md") == before == "UU README.md\n"
    assert (project / "memory/a.md").exists()


def test_a_detached_head_is_committed_on_and_named(project: Path) -> None:
    git(project, "checkout", "--quiet", "--detach")
    result = outcome(learn(opened(project / "memory"), "a"))
    assert result.status is CommitStatus.COMMITTED
    assert "detached" in result.reason
    assert git(project, "rev-parse", "HEAD").strip() == result.commit


@pytest.mark.parametrize("rule", ["memory/", "*.md\n*.txt"])
def test_o_gt_02_a_store_that_is_ignored_is_skipped_with_the_reason(project: Path, rule: str) -> None:
    (project / ".gitignore").write_text(f"{rule}\n")
    head = git(project, "rev-parse", "HEAD")
    result = outcome(learn(opened(project / "memory"), "a"))
    assert (result.status, result.is_pending) == (CommitStatus.SKIPPED, False)
    assert result.reason == "2 of 2 files are ignored by git (a.md)"
    assert git(project, "rev-parse", "HEAD") == head
    assert (project / "memory/a.md").exists()


def test_o_gt_02_one_ignored_file_does_not_keep_the_others_out(project: Path) -> None:
    (project / ".gitignore").write_text("pages/\n")
    result = outcome(learn(opened(project / "memory"), "a"))
    assert result.status is CommitStatus.COMMITTED
    assert result.reason == f"1 of 2 files are ignored by git ({INDEX})"
    assert committed_paths(project) == ["memory/a.md"]


def test_o_gt_02_a_file_that_git_knows_is_committed_although_a_rule_ignores_it(project: Path) -> None:
    store = opened(project / "memory")
    learn(store, "a")
    (project / ".gitignore").write_text("*.md\n")
    old = store.read().memories[MemoryId("a")]
    change_set = ChangeSet((Change(Verb.UPDATE, old.id, old.digest, {"content": "New."}), created(memory("b"))))
    result = outcome(store.apply(change_set, now=NOW))
    assert result.status is CommitStatus.COMMITTED
    assert committed_paths(project) == ["memory/a.md", f"memory/{INDEX}"]
    assert "1 of 3 files are ignored by git (b.md)" in result.reason


def test_o_gt_04_a_worktree_gets_its_own_commit(project: Path, tmp_path: Path) -> None:
    git(project, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "wt"))
    main = git(project, "rev-parse", "main")
    (tmp_path / "wt/memory").mkdir(exist_ok=True)
    store = opened(tmp_path / "wt/memory")
    assert outcome(learn(store, "a")).status is CommitStatus.COMMITTED
    assert git(tmp_path / "wt", "log", "-1", "--format=%s", "side").strip() == "memory: add/update 1 memories"
    assert git(project, "rev-parse", "main") == main
    (project / ".git/worktrees/wt/MERGE_HEAD").write_text(main)
    assert outcome(learn(store, "b")).status is CommitStatus.SKIPPED
    assert outcome(learn(opened(project / "memory"), "c")).status is CommitStatus.COMMITTED


def test_o_gt_04_a_submodule_gets_its_own_commit(project: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "inner")
    git(tmp_path / "inner", "commit", "--quiet", "--allow-empty", "--message=inner")
    git(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "inner"), "sub")
    git(project, "commit", "--quiet", "--message=submodule")
    outer = git(project, "rev-parse", "HEAD")
    assert outcome(learn(opened(project / "sub"), "a")).status is CommitStatus.COMMITTED
    assert git(project / "sub", "log", "-1", "--format=%s").strip() == "memory: add/update 1 memories"
    assert git(project, "rev-parse", "HEAD") == outer


def test_o_gt_04_a_repository_inside_the_store_gets_what_lies_in_it(project: Path) -> None:
    inner = project / "memory/inner"
    git(project / "memory", "init", "--quiet", "inner")
    edits = (FileEdit("inner/sub/x.txt", None, b"x"), FileEdit("y.txt", None, b"y"))
    result = outcome(opened(project / "memory").apply(ChangeSet(edits=edits), now=NOW))
    assert result.status is CommitStatus.COMMITTED
    assert committed_paths(inner) == ["sub/x.txt"]
    assert committed_paths(project) == [f"memory/{INDEX}", "memory/y.txt"]


def test_o_gt_04_a_bare_repository_and_none_at_all_are_no_fault(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "bare")
    (tmp_path / "bare/memory").mkdir()
    assert outcome(learn(opened(tmp_path / "bare/memory"), "a")) == CommitResult(
        CommitStatus.OFF, "the repository has no working tree here"
    )
    (tmp_path / "none").mkdir()
    assert outcome(learn(opened(tmp_path / "none"), "a")) == CommitResult(CommitStatus.OFF, "not in a git repository")
    assert not list((tmp_path / "none/.memtend/pending").iterdir())


def test_o_gt_04_a_repository_in_the_environment_is_not_the_one_that_holds_the_files(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "other/.git/strange-index"))
    result = outcome(learn(opened(project / "memory"), "a"))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    assert result.commit == git(project, "rev-parse", "HEAD").strip()
    assert not (tmp_path / "other/.git/strange-index").exists()


def test_no_git_at_all_is_no_fault(project: Path) -> None:
    store = Store(project / "memory", PlainLayout(), git=Git(program="no-such-git"))
    assert outcome(learn(store, "a")) == CommitResult(CommitStatus.OFF, "git is not installed")


def test_a_git_that_cannot_be_started_is_a_failure_with_its_reason(project: Path, tmp_path: Path) -> None:
    broken = tmp_path / "git"
    broken.write_text("#!/nowhere\n")
    store = Store(project / "memory", PlainLayout(), git=Git(program=str(tmp_path)))
    result = outcome(learn(store, "a"))
    assert (result.status, result.reason) == (CommitStatus.FAILED, "not committed: Permission denied")


def test_a_broken_repository_is_a_failure_with_gits_reason(project: Path) -> None:
    (project / ".git/index").write_bytes(b"garbage")
    result = outcome(learn(opened(project / "memory"), "a"))
    assert result.status is CommitStatus.FAILED
    assert "index file" in result.reason
    assert (project / "memory/a.md").exists()


def test_a_commit_that_is_not_wanted_is_not_made_later_either(project: Path) -> None:
    store = opened(project / "memory")
    assert outcome(store.apply(ChangeSet((created(memory("a")),)), now=NOW, commit=False)).reason == "switched off"
    learn(store, "b")
    assert committed_paths(project) == ["memory/b.md", f"memory/{INDEX}"]


def test_files_that_wait_survive_a_crash_between_the_write_and_the_commit(project: Path) -> None:
    class Killed(BaseException):
        pass

    class Dying(Git):
        def commit(self, *_: object) -> CommitResult:
            raise Killed

    with pytest.raises(Killed):
        learn(Store(project / "memory", PlainLayout(), git=Dying()), "a")
    assert outcome(learn(opened(project / "memory"), "b")).status is CommitStatus.COMMITTED
    assert committed_paths(project) == ["memory/a.md", "memory/b.md", f"memory/{INDEX}"]


def test_a_damaged_list_of_waiting_files_hinders_nobody(project: Path) -> None:
    store = opened(project / "memory")
    learn(store, "a")
    (project / "memory/.memtend/pending").mkdir(exist_ok=True)
    for number, data in enumerate((b"{", b"", b"[1]", b'["../../etc/passwd"]', b"3")):
        (project / f"memory/.memtend/pending/{number}.json").write_bytes(data)
    assert outcome(learn(store, "b")).status is CommitStatus.COMMITTED
    assert not list((project / "memory/.memtend/pending").iterdir())


def test_what_was_refused_is_not_committed(project: Path) -> None:
    store = opened(project / "memory")
    learn(store, "a")
    head = git(project, "rev-parse", "HEAD")
    old = store.read().memories[MemoryId("a")]
    with pytest.raises(GuardTripped):
        store.apply(ChangeSet((Change(Verb.ERASE, old.id, old.digest),)), now=NOW)
    assert git(project, "rev-parse", "HEAD") == head


def test_many_files_are_one_commit(project: Path) -> None:
    edits = tuple(FileEdit(f"n/{n:04}-{'x' * 180}.txt", None, b"x") for n in range(700))
    result = outcome(opened(project / "memory").apply(ChangeSet(edits=edits, note="import"), now=NOW))
    assert result.status is CommitStatus.COMMITTED
    assert len(committed_paths(project)) == 701
    assert git(project, "log", "-1", "--format=%s").strip() == "memory: import"
    assert git(project, "status", "--porcelain") == ""


def test_a_session_name_of_several_lines_stays_one_trailer(project: Path) -> None:
    learn(opened(project / "memory"), "a", session="one\nFake: two\0")
    assert git(project, "log", "-1", "--format=%(trailers)").strip() == "Session: one Fake: two"
