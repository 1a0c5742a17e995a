"""Usage is counted by an append-only log: nothing is lost, nothing counts twice, no count ever falls."""

import subprocess
import sys
from pathlib import Path

import pytest

from memtend.search import usage
from memtend.search.usage import append, fold, forget, later, totals

NOON, ONE = "2026-06-30T12:00:00Z", "2026-06-30T13:00:00Z"


def test_every_hand_out_counts_on_top_of_what_the_file_knows(tmp_path: Path) -> None:
    assert append(str(tmp_path), ["MEM-a", "MEM-b"], NOON)
    assert append(str(tmp_path), ["MEM-a"], ONE)
    known = {"MEM-a": (3, "2026-06-01"), "MEM-c": (5, "")}
    assert totals(str(tmp_path), known) == {"MEM-a": (5, ONE), "MEM-b": (1, NOON), "MEM-c": (5, "")}


def test_without_a_log_the_files_are_all_that_is_known(tmp_path: Path) -> None:
    assert totals(str(tmp_path), {"MEM-a": (3, "2026-06-01")}) == {"MEM-a": (3, "2026-06-01")}
    assert fold(str(tmp_path), {"MEM-a": (3, "2026-06-01")}) == {}
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_counts_nothing_and_stops_nobody(tmp_path: Path) -> None:
    assert not append(str(tmp_path / "missing"), ["MEM-a"], NOON)


def test_the_log_is_lines_of_time_and_id_below_a_heading_of_its_own(tmp_path: Path) -> None:
    append(str(tmp_path), ["MEM-a"], NOON)
    append(str(tmp_path), ["MEM-a", "MEM-b"], ONE)
    heading, rest = (tmp_path / usage.LOG).read_text().split("\n", 1)
    assert heading.startswith("# ")
    assert rest == f"\n{NOON}\tMEM-a\n\n{ONE}\tMEM-a\n{ONE}\tMEM-b\n"


@pytest.mark.parametrize(
    "rest", ["2026-06-30T12:0", f"{NOON}\tMEM-", "\x00\x00\x00", "garbage\tMEM-a\n", f"{NOON}\t\n"]
)
def test_o_cc_04_a_half_last_line_costs_no_other_line(tmp_path: Path, rest: str) -> None:
    append(str(tmp_path), ["MEM-a"], NOON)
    with (tmp_path / usage.LOG).open("a") as log:
        log.write(rest)
    assert totals(str(tmp_path), {})["MEM-a"] == (1, NOON)
    append(str(tmp_path), ["MEM-a"], ONE)
    assert totals(str(tmp_path), {})["MEM-a"] == (2, ONE)


@pytest.mark.parametrize("id", ["MEM a b", "MEM-\n", "MEM-\\n", "MEM-\\\r\\", "MEM-\ttab", "日本語", "MEM-\udcff"])
def test_any_name_can_be_counted(tmp_path: Path, id: str) -> None:
    append(str(tmp_path), [id, "MEM-z"], NOON)
    assert totals(str(tmp_path), {}) == {id: (1, NOON), "MEM-z": (1, NOON)}
    fold(str(tmp_path), {id: (0, "")})
    append(str(tmp_path), [id], ONE)
    assert totals(str(tmp_path), {})[id] == (2, ONE)


def test_o_cc_01_two_processes_at_once_both_count(tmp_path: Path) -> None:
    code = (
        "import sys; from memtend.search.usage import append\n"
        "for _ in range(200): append(sys.argv[1], ['MEM-a', 'MEM-b'], '2026-06-30T12:00:00Z')"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(3)]
    for _ in range(30):
        fold(str(tmp_path), {})
    assert [process.wait(timeout=60) for process in processes] == [0, 0, 0]
    assert totals(str(tmp_path), {}) == {"MEM-a": (600, NOON), "MEM-b": (600, NOON)}


# Folding


def test_folding_gives_what_the_memories_do_not_know_and_counts_it_once(tmp_path: Path) -> None:
    append(str(tmp_path), ["MEM-a", "MEM-a"], NOON)
    known = {"MEM-a": (1, "2026-06-01"), "MEM-b": (4, "")}
    assert fold(str(tmp_path), known) == {"MEM-a": (3, NOON)}
    assert fold(str(tmp_path), known) == {"MEM-a": (3, NOON)}, "the memories were not written yet"
    assert fold(str(tmp_path), {"MEM-a": (3, NOON)}) == {}
    append(str(tmp_path), ["MEM-a"], ONE)
    assert totals(str(tmp_path), {"MEM-a": (3, NOON)}) == {"MEM-a": (4, ONE)}


def test_what_is_appended_during_a_fold_is_counted_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append(str(tmp_path), ["MEM-a"], NOON)
    replace = usage.os.replace

    def replace_after_another_recall(source: str, target: str) -> None:
        append(str(tmp_path), ["MEM-a"], ONE)
        replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(usage.os, "replace", replace_after_another_recall)
        assert fold(str(tmp_path), {"MEM-a": (0, "")}) == {"MEM-a": (1, NOON)}
    assert fold(str(tmp_path), {"MEM-a": (1, NOON)}) == {"MEM-a": (2, ONE)}


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_fold_that_is_interrupted_has_counted_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    append(str(tmp_path), ["MEM-a"], NOON)

    def stopped(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(usage.os, step, stopped)
        with pytest.raises(OSError, match="No space"):
            fold(str(tmp_path), {"MEM-a": (0, "")})
    assert totals(str(tmp_path), {"MEM-a": (0, "")}) == {"MEM-a": (1, NOON)}
    assert fold(str(tmp_path), {"MEM-a": (0, "")}) == {"MEM-a": (1, NOON)}


def test_a_long_log_is_set_aside_and_still_counts_every_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "_LONG_BYTES", 200)
    late = usage.os.open(tmp_path / usage.LOG, usage.os.O_WRONLY | usage.os.O_APPEND | usage.os.O_CREAT)
    for number in range(1, 41):
        append(str(tmp_path), ["MEM-a"], NOON)
        if number % 5 == 0:
            fold(str(tmp_path), {})
        if number == 10:
            usage.os.write(late, f"\n{ONE}\tMEM-late\n".encode())
        assert totals(str(tmp_path), {})["MEM-a"] == (number, NOON)
    usage.os.close(late)
    assert totals(str(tmp_path), {})["MEM-late"] == (1, ONE)
    names = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert set(names) <= {"usage.aside.log", "usage.counts", "usage.log"}
    assert max(names.values()) < 500


@pytest.mark.parametrize("damage", ["", "garbage\n", "#x\ty\n3\n", "\x00\xff"])
def test_damaged_counts_are_counted_again_from_the_log(tmp_path: Path, damage: str) -> None:
    append(str(tmp_path), ["MEM-a"], NOON)
    fold(str(tmp_path), {})
    (tmp_path / usage.COUNTS).write_text(damage)
    assert totals(str(tmp_path), {}) == {"MEM-a": (1, NOON)}


def test_a_log_that_was_cut_by_hand_never_lowers_a_count(tmp_path: Path) -> None:
    for _ in range(5):
        append(str(tmp_path), ["MEM-a"], NOON)
    fold(str(tmp_path), {})
    (tmp_path / usage.LOG).write_bytes((tmp_path / usage.LOG).read_bytes()[:60])
    assert totals(str(tmp_path), {}) == {"MEM-a": (5, NOON)}


def test_a_memory_that_was_erased_is_forgotten(tmp_path: Path) -> None:
    append(str(tmp_path), ["MEM-a", "MEM-b"], NOON)
    forget(str(tmp_path), ["MEM-a"])
    assert totals(str(tmp_path), {}) == {"MEM-b": (1, NOON)}
    append(str(tmp_path), ["MEM-a"], ONE)
    assert totals(str(tmp_path), {})["MEM-a"] == (1, ONE)


# Dates


@pytest.mark.parametrize(
    ("one", "other", "latest"),
    [
        ("2026-06-08", "2026-06-09", "2026-06-09"),
        ("2026-06-08", "2026-06-08T00:00:01", "2026-06-08T00:00:01"),
        ("2026-06-08T10:00:00Z", "2026-06-08 11:00", "2026-06-08 11:00"),
        ("2026-06-08T10:00:00Z", "2026-06-08T11:30:00+02:00", "2026-06-08T10:00:00Z"),
        ("2026-06-08", "2026-06-08T00:00:00Z", "2026-06-08"),
        ("", "2026-06-08", "2026-06-08"),
        ("soon", "2026-06-08", "2026-06-08"),
        ("2026-06-08", "soon", "2026-06-08"),
        ("0001-01-01T00:00:00+02:00", "1970-01-01", "1970-01-01"),
        ("", "", ""),
        ("soon", "", "soon"),
        ("", "soon", "soon"),
    ],
)
def test_o_tm_02_dates_and_times_of_any_form_have_one_order(one: str, other: str, latest: str) -> None:
    assert later(one, other) == latest


@pytest.mark.parametrize("future", ["2026-07-01", "9999-12-31", "2026-06-30T12:00:01Z"])
def test_o_tm_01_a_date_in_the_future_is_not_taken_over_one_that_may_be_true(future: str) -> None:
    for one, other in ((future, "2026-01-01"), ("2026-01-01", future)):
        assert later(one, other, NOON) == "2026-01-01"
    assert later(future, "", NOON) == later("", future, NOON) == future
    assert later("2026-06-30", NOON, NOON) == NOON


def test_a_count_that_a_file_knows_better_than_the_log_is_kept(tmp_path: Path) -> None:
    append(str(tmp_path), ["MEM-a"], NOON)
    fold(str(tmp_path), {"MEM-a": (0, "")})
    assert totals(str(tmp_path), {"MEM-a": (9, ONE)}) == {"MEM-a": (9, ONE)}
