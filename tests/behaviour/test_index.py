"""The private index: always what the files say, whatever happened to it or to them."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import time_ns

import apsw
import pytest
from small_vault import FOLDER, Vault, decode, keep_times

from memtend.errors import Locked, UnreadableStore
from memtend.layouts import Decoded
from memtend.memory import Digest, digest_of
from memtend.search import intake
from memtend.search.catalogue import catalogue, columns, links_to, neighbours, problems, terms, text_of, texts, usage
from memtend.search.disk import scan
from memtend.search.index import Index
from memtend.search.rank import EXACT, search
from memtend.search.words import key

HOUR_NS = 3_600_000_000_000


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "vault")


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as written long before they are indexed."""
    monkeypatch.setattr(intake, "time_ns", lambda: time_ns() + HOUR_NS)


def ids(index: Index, query: str) -> list[str]:
    return [hit.id for hit in search(index, query, 50).hits]


def everything(index: Index) -> list[tuple[object, ...]]:
    """All that the index knows and a person could see, in an order that does not depend on how it came there."""
    memories = [(memory, texts(index, [memory.id])[memory.id]) for memory in catalogue(index)]
    words = index.rows("select term, doc, cnt from vocabulary order by term")
    links = index.rows("select m.id, l.target from links l join memories m on m.n = l.n order by m.id, l.target")
    return [*memories, *words, *links, *problems(index)]


# Keeping up with the disk


def test_the_first_look_takes_in_every_memory_and_the_second_finds_nothing_new(vault: Vault) -> None:
    vault.note("MEM-a", "alpha")
    vault.note("MEM-b", "beta")
    index = vault.open()
    assert vault.refresh(index).added == (f"{FOLDER}/MEM-a.md", f"{FOLDER}/MEM-b.md")
    assert not vault.refresh(index)


def test_o_cc_07_what_other_hands_added_edited_and_deleted_is_seen_before_the_next_answer(vault: Vault) -> None:
    for name in ("a", "b", "c"):
        vault.note(f"MEM-{name}", f"text {name}")
    running = vault.index()
    vault.note("MEM-new", "zebra")
    vault.note("MEM-a", "giraffe")
    (vault.folder / "MEM-c.md").unlink()
    for index in (running, vault.open()):
        seen = vault.refresh(index)
        assert (ids(index, "zebra"), ids(index, "giraffe")) == (["MEM-new"], ["MEM-a"])
        assert "MEM-c" not in ids(index, "MEM-c") + ids(index, "text")
        if index is running:
            assert (seen.added, seen.changed, seen.gone) == (
                (f"{FOLDER}/MEM-new.md",),
                (f"{FOLDER}/MEM-a.md",),
                (f"{FOLDER}/MEM-c.md",),
            )


def test_o_cc_07_an_edit_of_the_same_size_within_the_same_tick_is_seen(vault: Vault) -> None:
    path = vault.note("MEM-a", "zebra")
    index = vault.index()
    keep_times(path, "title: MEM-a\n\nhinge\n")
    vault.refresh(index)
    assert (ids(index, "zebra"), ids(index, "hinge")) == ([], ["MEM-a"])


@pytest.mark.usefixtures("settled")
def test_o_cc_07_a_settled_file_that_is_replaced_by_a_twin_is_seen(vault: Vault, tmp_path: Path) -> None:
    path = vault.note("MEM-a", "zebra")
    index = vault.index()
    twin = tmp_path / "twin"
    twin.write_bytes(path.read_bytes().replace(b"zebra", b"hinge"))
    os.utime(twin, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    twin.replace(path)
    vault.refresh(index)
    assert (ids(index, "zebra"), ids(index, "hinge")) == ([], ["MEM-a"])


@pytest.mark.usefixtures("settled")
def test_only_what_changed_is_read_again(vault: Vault) -> None:
    for number in range(20):
        vault.note(f"MEM-{number}", f"text {number}")
    vault.index()
    vault.read.clear()
    vault.note("MEM-7", "another text")
    vault.index()
    assert vault.read == [f"{FOLDER}/MEM-7.md"]


@pytest.mark.usefixtures("settled")
def test_a_file_that_is_only_touched_is_not_decoded_and_not_reported(vault: Vault) -> None:
    path = vault.note("MEM-a", "alpha")
    vault.index()
    vault.read.clear()
    path.touch()
    index = vault.open()
    assert not vault.refresh(index)
    assert vault.read == []
    assert index.rows("select settled from files") == [(1,)]


def test_names_that_are_no_memories_are_passed_over(vault: Vault) -> None:
    for name in ("README.md", "readme.MD", ".hidden.md", "~$MEM-lock.md", "MEM-a.txt", "MEM-a.md.tmp"):
        (vault.folder / name).write_text("zebra")
    (vault.folder / ".trash").mkdir()
    (vault.folder / ".trash" / "MEM-old.md").write_text("zebra")
    (vault.folder / "deep" / "er").mkdir(parents=True)
    (vault.folder / "deep" / "er" / "MEM-deep.md").write_text("title: Deep\n\nzebra\n")
    assert ids(vault.index(), "zebra") == ["MEM-deep"]


def test_a_store_may_keep_its_memories_at_the_root_and_in_several_folders(tmp_path: Path) -> None:
    for name in ("a.md", "one/b.md", "two/c.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert sorted(scan(str(tmp_path), [""])) == ["a.md", "one/b.md", "two/c.md"]
    assert sorted(scan(str(tmp_path), ["one", "two"])) == ["one/b.md", "two/c.md"]


def test_a_file_with_many_memories_is_taken_in_and_out_as_a_whole(vault: Vault) -> None:
    path = vault.note("log", "first entry\n=====\ntitle: Second\n\nsecond entry")
    index = vault.index()
    assert sorted(ids(index, "entry")) == ["log", "log-1"]
    path.write_text("title: Only\n\nonly entry\n")
    vault.refresh(index)
    assert ids(index, "entry") == ["log"]
    assert index.rows("select count(*) from words") == [(1,)]


def test_names_that_share_the_number_by_which_they_are_found_are_told_apart(vault: Vault) -> None:
    assert key("MEM-plumless") == key("MEM-buckeroo")
    for name in ("plumless", "buckeroo"):
        vault.note(f"MEM-{name}", f"the text of {name}", {"title": name})
    index = vault.index()
    for query in ("plumless", "mem-plumless", "[[MEM-plumless]]"):
        assert [hit.id for hit in search(index, query).hits if hit.mode == EXACT] == ["MEM-plumless"]
    vault.note("MEM-plumless", "zebra", {"title": "another"})
    (vault.folder / "MEM-buckeroo.md").unlink()
    seen = vault.refresh(index)
    assert (seen.changed, seen.gone) == ((f"{FOLDER}/MEM-plumless.md",), (f"{FOLDER}/MEM-buckeroo.md",))
    assert (ids(index, "zebra"), ids(index, "buckeroo")) == (["MEM-plumless"], [])


def test_links_of_a_memory_that_no_longer_has_them_are_gone(vault: Vault) -> None:
    vault.note("MEM-a", "alpha", links="deep/MEM-b.md, MEM-c, MEM-b")
    index = vault.index()
    vault.note("MEM-a", "alpha", links="MEM-c")
    vault.refresh(index)
    assert index.rows("select target from links") == [("MEM-c",)]


def test_a_memory_keeps_a_digest_that_is_not_its_files(vault: Vault) -> None:
    path = vault.note("log", "first entry\n=====\ntitle: Second\n\nsecond entry")

    def with_own_digests(path: str, data: bytes) -> Decoded:
        first, second = decode(path, data).memories
        return Decoded((first, replace(second, digest=Digest("its own"))), ())

    index = vault.open()
    index.refresh(lambda: scan(str(vault.root), [FOLDER]), with_own_digests)
    assert [memory.digest for memory in catalogue(index)] == [digest_of(path.read_bytes()), "its own"]


# What cannot be read


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
    read = intake.Intake._read

    def refused(self: intake.Intake, path: str) -> bytes:
        if "MEM-07" in path:
            raise PermissionError(13, "Permission denied")
        return read(self, path)

    with monkeypatch.context() as patched:
        patched.setattr(intake.Intake, "_read", refused)
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
    read = intake.Intake._read

    def refused(self: intake.Intake, path: str) -> bytes:
        if "MEM-b" in path:
            raise PermissionError(13, "Permission denied")
        return read(self, path)

    with monkeypatch.context() as patched:
        patched.setattr(intake.Intake, "_read", refused)
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


# What may happen to the index itself


def _garbage(path: Path) -> None:
    path.write_bytes(b"this is no database at all" * 400)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:9000])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _scribbled(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for place in range(4096, len(data), 4096):
        data[place : place + 64] = b"\xa5" * 64
    path.write_bytes(data)


def _other_version(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("update about set value = 'memtend 0.0.0, format 0'; delete from entries; drop table links")
    db.close()


def _foreign(path: Path) -> None:
    path.unlink()
    db = apsw.Connection(str(path))
    db.execute("create table memories (whatever); create table about (other); insert into about values (1)")
    db.close()


def _deleted(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("damage", [_garbage, _cut, _empty, _scribbled, _other_version, _foreign, _deleted])
def test_o_cc_03_a_damaged_index_is_made_anew_and_never_read_as_empty(
    vault: Vault, damage: Callable[[Path], None]
) -> None:
    for number in range(40):
        vault.note(f"MEM-{number:02}", f"shared word and number {number}", links="MEM-01")
    first = vault.index()
    before = everything(first)
    first.close()
    damage(vault.index_path)
    again = vault.index()
    assert everything(again) == before
    assert not again.is_private


def test_an_index_found_damaged_in_the_middle_of_a_question_still_answers(vault: Vault) -> None:
    for number in range(40):
        vault.note(f"MEM-{number:02}", f"shared word {number}")
    vault.index().close()
    index = vault.index()
    index.close()
    db = apsw.Connection(str(vault.index_path))
    db.execute("delete from words_data where id > 10")
    db.close()
    assert len(ids(index, "shared")) == 40


def test_an_index_deleted_while_it_is_open_goes_on_answering(vault: Vault) -> None:
    vault.note("MEM-a", "zebra")
    index = vault.index()
    for suffix in ("", "-wal", "-shm"):
        Path(f"{vault.index_path}{suffix}").unlink(missing_ok=True)
    assert ids(index, "zebra") == ["MEM-a"]
    vault.note("MEM-b", "zebra too")
    vault.refresh(index)
    assert sorted(ids(index, "zebra")) == ["MEM-a", "MEM-b"]
    assert sorted(ids(vault.index(), "zebra")) == ["MEM-a", "MEM-b"]


@pytest.mark.parametrize("obstacle", ["a file where its folder should be", "a folder where it should be", "no folder"])
def test_where_nothing_can_be_written_the_answers_are_the_same(vault: Vault, tmp_path: Path, obstacle: str) -> None:
    for number in range(30):
        vault.note(f"MEM-{number:02}", f"shared word {number}", links="MEM-01, MEM-02")
    before = everything(vault.index())
    path = tmp_path / "elsewhere" / "index.db"
    if obstacle.startswith("a file"):
        path.parent.write_text("")
    elif obstacle.startswith("a folder"):
        path.mkdir(parents=True)
    else:
        path = tmp_path / "not" / "there" / "index.db"
    index = Index(str(path), str(vault.root))
    vault.refresh(index)
    assert index.is_private
    assert everything(index) == before
    assert ids(index, "shared 7")[0] == "MEM-07"


def test_the_folder_of_the_index_tells_git_to_leave_it_alone(vault: Vault) -> None:
    vault.index()
    assert (vault.index_path.parent / ".gitignore").read_text() == "*\n"


def test_another_process_that_keeps_the_index_busy_is_an_error_that_says_so(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.note("MEM-a", "alpha")
    vault.index()
    monkeypatch.setattr("memtend.search.index._WAIT_MS", 10)
    other = apsw.Connection(str(vault.index_path))
    other.execute("begin immediate")
    vault.note("MEM-b", "beta")
    with pytest.raises(Locked) as caught:
        vault.index()
    assert caught.value.hint
    other.execute("rollback")
    assert ids(vault.index(), "beta") == ["MEM-b"]


def test_an_index_kept_up_step_by_step_equals_one_made_at_once(vault: Vault) -> None:
    index = vault.index()
    for number in range(12):
        vault.note(f"MEM-{number:02}", f"shared word {number}", links=f"MEM-{number - 1:02}", tags="a, b")
        vault.refresh(index)
    vault.note("MEM-03", "rewritten", status="tombstoned")
    vault.note("MEM-05", "no title here", {"title": ""})
    (vault.folder / "MEM-04.md").unlink()
    vault.refresh(index)
    stepwise = everything(index), [(h.id, h.score) for h in search(index, "shared word", 50).hits]
    for suffix in ("", "-wal", "-shm"):
        Path(f"{vault.index_path}{suffix}").unlink(missing_ok=True)
    fresh = vault.index()
    assert (everything(fresh), [(h.id, h.score) for h in search(fresh, "shared word", 50).hits]) == stepwise


def test_the_full_text_of_a_small_vault_is_in_one_piece_however_it_grew(vault: Vault) -> None:
    index = vault.index()
    for number in range(5):
        vault.note(f"MEM-{number}", f"shared word {number}")
        vault.refresh(index)
        assert index.rows("select count(distinct segid) from words_idx") == [(1,)]


# Many processes

_READER = """
import sys
sys.path[:0] = [{tests!r}]
from pathlib import Path
from small_vault import FOLDER, decode
from memtend.search.disk import scan
from memtend.search.index import Index
from memtend.search.rank import search
root = sys.argv[1]
for _ in range(int(sys.argv[2])):
    index = Index(root + "/.memtend/index.db", root)
    index.refresh(lambda: scan(root, [FOLDER]), decode)
    hits = search(index, "shared", 100).hits
    assert len(hits) >= 20, len(hits)
    assert not index.is_private
    index.close()
print(len(hits))
"""


def _readers(vault: Vault, count: int, rounds: int) -> list[subprocess.Popen[str]]:
    code = _READER.format(tests=str(Path(__file__).parent))
    command = [sys.executable, "-c", code, str(vault.root), str(rounds)]
    return [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(count)]


def test_o_cc_01_many_processes_may_make_the_same_index_at_once(vault: Vault) -> None:
    for number in range(60):
        vault.note(f"MEM-{number:02}", "shared word")
    answers = [(*process.communicate(timeout=60), process.returncode) for process in _readers(vault, 6, 1)]
    assert answers == [("60\n", "", 0)] * 6


def test_o_cc_01_readers_are_never_in_the_way_of_a_writer_nor_it_of_them(vault: Vault) -> None:
    for number in range(20):
        vault.note(f"MEM-{number:02}", "shared word")
    readers = _readers(vault, 4, 12)
    index = vault.index()
    for number in range(20, 60):
        vault.note(f"MEM-{number:02}", "shared word")
        vault.refresh(index)
    answers = [(*process.communicate(timeout=60), process.returncode) for process in readers]
    assert [(error, status) for _, error, status in answers] == [("", 0)] * 4
    assert len(ids(index, "shared")) == 50


# What else it tells


def test_the_catalogue_is_every_memory_without_its_content(vault: Vault) -> None:
    fields = {
        "title": "A: title", "summary": "s", "topic": "python/db", "category": "CONFIG", "tags": "x, y",
        "keywords": "k, l m", "source": "src", "created": "2026-01-02", "modified": "2026-01-03T04:05:06Z",
        "retrieval_count": "3", "last_retrieved": "2026-02-03", "retired_at": "2026-03-04", "retired_reason": "purge",
        "links": "MEM-b, sub/MEM-c.md", "status": "tombstoned",
    }  # fmt: skip
    path = vault.note("MEM-a", "content here", fields)
    memory = decode(f"{FOLDER}/MEM-a.md", path.read_bytes()).memories[0]
    index = vault.index()
    assert catalogue(index) == [replace(memory, content="")]
    assert texts(index, ["MEM-a", "MEM-none"]) == {"MEM-a": "content here"}


def test_columns_are_the_same_facts_one_list_a_field(vault: Vault) -> None:
    vault.note("MEM-b", "beta", keywords="k, l", tags="t", retrieval_count="2")
    vault.note("MEM-a", "alpha", topic="x/y")
    table = columns(vault.index())
    assert table["id"] == ["MEM-a", "MEM-b"]
    assert table["keywords"] == [(), ("k", "l")]
    assert table["retrieval_count"] == [0, 2]
    assert {len(column) for column in table.values()} == {2}


def test_links_are_found_from_their_other_end_by_id_and_by_path(vault: Vault) -> None:
    vault.note("MEM-a", "alpha", links="MEM-b")
    vault.note("MEM-c", "gamma", links="deep/MEM-b.md")
    vault.note("MEM-d", "delta", links="MEM-b", status="tombstoned")
    assert links_to(vault.index(), "MEM-b") == ["MEM-a", "MEM-c"]


def test_neighbours_of_a_text_are_those_in_use_that_share_its_rarest_words(vault: Vault) -> None:
    for number in range(60):
        vault.note(f"MEM-{number:02}", f"common words in every note, number{number}", keywords="common")
    vault.note("MEM-pool", "The pool of connections is small.", {"title": "Pool size", "topic": "db"}, keywords="pool")
    vault.note("MEM-old", "The pool of connections is small.", status="tombstoned")
    found = neighbours(vault.index(), "common note: how large is the connection pool?", limit=5)
    assert [neighbour.id for neighbour in found] == ["MEM-pool"]
    assert (found[0].title, found[0].topic, found[0].keywords) == ("Pool size", "db", ("pool",))
    assert text_of(vault.index(), found[0]) == "The pool of connections is small."
    assert neighbours(vault.index(), "zebra") == neighbours(vault.index(), "the of and") == []


def test_terms_of_texts_are_found_once_and_forgotten_with_the_text(vault: Vault) -> None:
    vault.note("MEM-a", "Gunicorn workers time out behind nginx.")
    index = vault.index()
    [number] = [n for (n,) in index.rows("select n from memories")]
    found = terms(index, [number])
    assert any("gunicorn" in term.lower() for term in found[number])
    assert index.rows("select n from terms") == [(number,)]
    assert terms(index, [number]) == found
    vault.note("MEM-a", "Postgres.")
    vault.refresh(index)
    assert index.rows("select count(*) from terms") == [(0,)]


def test_o_va_01_usage_that_only_a_page_knows_is_a_floor_and_never_sinks(vault: Vault) -> None:
    vault.note("MEM-a", "alpha", retrieval_count="1", last_retrieved="2026-06-01")
    vault.note("MEM-b", "beta", retrieval_count="9", last_retrieved="2026-06-30")
    page = vault.root / "page.json"
    page.write_text("39")
    index = vault.index()
    index.refresh_floor("page.json", lambda data: {"MEM-a": (int(data), "2026-06-22"), "MEM-b": (2, "2026-01-01")})
    assert usage(index) == {"MEM-a": (39, "2026-06-22"), "MEM-b": (9, "2026-06-30")}
    page.write_text("7")
    index.refresh_floor("page.json", lambda data: {"MEM-a": (int(data), "2026-06-02"), "MEM-gone": (4, "")})
    page.unlink()
    index.refresh_floor("page.json", lambda _data: {})
    assert usage(index) == {"MEM-a": (39, "2026-06-22"), "MEM-b": (9, "2026-06-30")}


@pytest.mark.usefixtures("settled")
def test_a_page_of_usage_is_read_only_when_it_changed(vault: Vault) -> None:
    (vault.root / "page.json").write_text("1")
    reads: list[bytes] = []

    def read(data: bytes) -> dict[str, tuple[int, str]]:
        reads.append(data)
        return {}

    index = vault.index()
    for _ in range(3):
        index.refresh_floor("page.json", read)
    assert reads == [b"1"]


def test_what_belongs_together_is_read_together_whoever_writes_meanwhile(vault: Vault) -> None:
    vault.note("MEM-a", "first")
    index = vault.index()
    other = vault.index()

    def counted() -> tuple[int, int]:
        before = index.rows("select count(*) from memories")[0][0]
        vault.note("MEM-b", "second")
        vault.refresh(other)
        return before, index.rows("select count(*) from memories")[0][0]

    assert index.steadily(counted) == (1, 1)
    assert other.rows("select count(*) from memories") == [(2,)]
    assert index.rows("select count(*) from memories") == [(2,)]


@pytest.mark.parametrize("is_same", [True, False], ids=["by itself", "by another process"])
def test_what_is_kept_from_question_to_question_goes_when_something_is_written(vault: Vault, is_same: bool) -> None:
    vault.note("MEM-a", "first pump")
    index = vault.index()
    [(n,)] = index.rows("select n from memories")

    def kept() -> list[object]:
        return [index.texts([n]), index.retired(), index.counts(["pump", "second"]), index.count()]

    for _ in range(2):
        assert kept() == [{n: "first pump"}, frozenset(), {"pump": 1, "second": 0}, 1]
    vault.note("MEM-a", "second pump", status="tombstoned")
    vault.note("MEM-b", "another pump")
    vault.refresh(index if is_same else vault.open())
    [(n,)] = index.rows("select n from memories where id = 'MEM-a'")
    assert kept() == [{n: "second pump"}, frozenset([n]), {"pump": 2, "second": 1}, 2]


def test_a_steady_reading_survives_an_index_that_breaks_under_it(vault: Vault) -> None:
    vault.note("MEM-a", "first")
    index = vault.index()

    def broken() -> list[tuple[object, ...]]:
        index.rows("select nothing from nowhere")
        return index.rows("select id from memories")

    with pytest.raises(apsw.SQLError):
        index.steadily(broken)
    assert ids(index, "first") == ["MEM-a"]
