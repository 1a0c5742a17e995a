"""What may happen to the index itself, and many processes at it: it is made anew, and never read as empty."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from small_vault import Vault, everything, ids

from memtend.errors import Locked
from memtend.search.index import Index
from memtend.search.rank import search


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "vault")


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


@pytest.mark.parametrize(
    "packed", [b"\x00\x11", b"\xcb\xff\xff", b"", "text"], ids=["no stream", "cut", "empty", "text"]
)
def test_a_text_that_cannot_be_unpacked_is_read_again_from_its_file(vault: Vault, packed: bytes | str) -> None:
    vault.note("MEM-a", "The kiln is heated slowly.")
    vault.index().close()
    db = apsw.Connection(str(vault.index_path))
    db.execute("update packed set text = ?", (packed,))
    db.close()
    index = vault.index()
    [hit] = search(index, "kiln").hits
    assert hit.snippet == "The kiln is heated slowly."
    assert not index.is_private


def test_a_question_in_which_damage_is_found_is_asked_again_as_a_whole(vault: Vault) -> None:
    vault.note("MEM-b", "The kiln is heated slowly.")
    index = vault.index()
    vault.note("MEM-a", "The parcel is weighed twice.")
    vault.refresh(index)
    index.close()
    db = apsw.Connection(str(vault.index_path))
    db.execute("update packed set text = x'00'")
    db.close()
    again = vault.index()
    assert again.rows("select id from memories order by n") == [("MEM-b",), ("MEM-a",)]
    assert [(hit.id, hit.snippet) for hit in search(again, "kiln").hits] == [("MEM-b", "The kiln is heated slowly.")]
    assert again.rows("select id from memories order by n") == [("MEM-a",), ("MEM-b",)]  # numbered anew
