"""The private index: always what the files say, whatever happened to it or to them."""

import os
from dataclasses import replace
from pathlib import Path
from time import time_ns

import apsw
import pytest
from small_vault import FOLDER, Vault, decode, ids, keep_times

from memtend.layouts import Decoded
from memtend.memory import Digest, digest_of
from memtend.search import intake
from memtend.search.catalogue import catalogue, columns, links_to, neighbours, text_of, texts, usage
from memtend.search.disk import scan
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


def test_a_neighbour_that_became_another_memory_has_no_text(vault: Vault) -> None:
    vault.note("MEM-pool", "The pool of connections is small.")
    index = vault.index()
    [near] = neighbours(index, "connection pool")
    vault.note("MEM-pool", "The pool of connections is large.")
    vault.refresh(index)
    assert index.rows("select n from memories") == [(near.n,)]  # its number is another's
    assert text_of(index, near) is None
    [again] = neighbours(index, "connection pool")
    assert text_of(index, again) == "The pool of connections is large."


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


def test_a_file_is_settled_when_its_last_change_is_longer_ago_than_a_clocks_tick(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = vault.note("MEM-a", "alpha")
    os.utime(path, (0, 0))  # its text may be older than the change that says so
    index = vault.index()
    assert index.rows("select settled from files") == [(0,)]
    monkeypatch.setattr("memtend.search.intake.time_ns", lambda: path.stat().st_ctime_ns + 1_900_000_000)
    vault.refresh(index)
    assert index.rows("select settled from files") == [(0,)]
    monkeypatch.setattr("memtend.search.intake.time_ns", lambda: path.stat().st_ctime_ns + 2_100_000_000)
    vault.refresh(index)
    assert index.rows("select settled from files") == [(1,)]
