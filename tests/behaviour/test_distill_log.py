"""distill-log.json and specs/state.json: what is kept, what is added, what is left as it was."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from distill_case import TODAY, reopened, run, small
from hypothesis import given, settings
from hypothesis import strategies as st

from memtend.distill.log import Kind, Operation, appended, damage, operations, remembered, text_hash, without_memory
from memtend.distill.state import Health, health_value, with_health, with_value
from memtend.errors import NewerFormat, UnusableInput
from memtend.memory import MemoryId
from memtend.workspace.distill_plan import Mode

AT = datetime(2026, 8, 30, 12, tzinfo=UTC)
METRICS = {"total_memories": 2, "total_tokens": 9, "health_score": 97, "purge_candidates": 1, "merge_candidates": 0,
           "compress_candidates": 0}  # fmt: skip
PURGE = Operation(
    kind=Kind.PURGE,
    at=AT,
    session="s-1",
    pre_metrics=METRICS,
    post_metrics=METRICS,
    affected=["MEM-a", "MEM-b"],
    notes="Tombstoned 2 memories",
)


# --- the log --------------------------------------------------------------------------------------------------


def test_an_entry_has_the_keys_of_the_format_and_the_summary_counts() -> None:
    log = json.loads(appended(None, PURGE))
    assert log["version"] == "1.0.0"
    (entry,) = log["operations"]
    assert list(entry) == [
        "id",
        "timestamp",
        "type",
        "session_id",
        "pre_metrics",
        "post_metrics",
        "affected_memories",
        "notes",
    ]
    assert entry["id"] == "distill_20260830T120000Z"
    assert entry["timestamp"] == "2026-08-30T12:00:00Z"
    assert entry["affected_memories"] == ["MEM-a", "MEM-b"]
    assert log["summary"] == {
        "total_operations": 1, "total_purged": 2, "total_merged": 0, "total_compressed": 0, "total_refined": 0,
        "total_gc_deleted": 0, "last_operation": "2026-08-30T12:00:00Z",
    }  # fmt: skip


def test_two_operations_of_one_second_have_ids_of_their_own() -> None:
    log = json.loads(appended(appended(None, PURGE), PURGE))
    assert [entry["id"] for entry in log["operations"]] == ["distill_20260830T120000Z", "distill_20260830T120000Z_2"]
    assert (log["summary"]["total_operations"], log["summary"]["total_purged"]) == (2, 4)


def test_what_others_wrote_stays() -> None:
    theirs = {
        "version": "1.0.0",
        "team": "ops",
        "operations": [{"id": "x", "extra": [1]}],
        "summary": {"total_purged": 5, "mood": "good"},
    }
    log = json.loads(appended(json.dumps(theirs).encode(), PURGE))
    assert (log["team"], log["operations"][0]) == ("ops", {"id": "x", "extra": [1]})
    assert (log["summary"]["total_purged"], log["summary"]["mood"]) == (7, "good")


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b'{"operations": [{"id": "a"}, "garbage", {"id": "b"}]}', "has 1 damaged operation(s)"),
        (b'{"operations": null}', "has no list of operations"),
        (b'{"operations": {"id": "a"}, "summary": [1]}', "has no list of operations"),
        (b'{"operations": [{"id": "a"}', "is no JSON object"),
        (b"not json at all \xff", "is no JSON object"),
        (b"[1, 2]", "is no JSON object"),
        (b"", "is no JSON object"),
        (b"\xef\xbb\xbf{}", ""),
        (b'{"version": null, "operations": [], "summary": {"total_purged": "many"}}', ""),
    ],
)
def test_o_cc_04_a_damaged_log_is_passed_over_and_kept(data: bytes, fault: str) -> None:
    assert isinstance(operations(data), list)
    log = json.loads(appended(data, PURGE))
    assert log["operations"][-1]["type"] == "purge"
    assert log["summary"]["total_purged"] == 2
    for piece in ("garbage", '"a"', '"b"', "not json at all"):
        if piece.encode() in data:
            assert piece.strip('"') in json.dumps(log), "what was there can still be read"
    assert damage(data).partition(",")[0].partition(";")[0] == fault


def test_o_cc_04_a_log_of_a_later_version_is_not_written() -> None:
    with pytest.raises(NewerFormat):
        appended(b'{"version": "99.1", "operations": []}', PURGE)
    assert json.loads(appended(b'{"version": "1.7.0"}', PURGE))["version"] == "1.7.0"


def test_o_cc_04_distill_and_undo_go_on_beside_a_damaged_log(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"created": "2026-01-01"}, b={})
    log = tmp_path / ".memory" / "distill-log.json"
    log.write_bytes(b'{"operations": [{"id": "a"}, "garbage"')
    assert "is no JSON object" in {fault.code: fault.message for fault in workspace.check()}["distill-log"]
    assert workspace.report()[1] == ()
    assert "distill-log" not in {fault.code for fault in workspace.check()}
    before = log.read_bytes()
    run(workspace, Mode.PURGE)
    assert len(json.loads(log.read_bytes())["operations"]) == 2
    workspace.undo()
    assert log.read_bytes() == before
    log.write_bytes(b'{"version": "99"}')
    assert reopened(tmp_path, "2026-08-31").report()[1] == (
        "distill-log.json was left as it is: distill-log.json has version 99, and this memtend writes 1.0.0",
    )


def test_line_ends_of_the_file_are_kept() -> None:
    assert b"\r\n" in appended(b'{\r\n "operations": []\r\n}', PURGE)
    assert b"\r\n" not in appended(b'{"operations": []}', PURGE)


def test_texts_are_remembered_by_their_words_alone_and_can_be_forgotten() -> None:
    operation = Operation(kind=Kind.GC, at=AT, remembered={MemoryId("MEM-a"): text_hash("One  two,\nTHREE")})
    data = appended(None, operation)
    assert remembered(data) == {text_hash("one two three"): "MEM-a"}
    assert b"One" not in data
    assert remembered(without_memory(data, "MEM-a")) == {}
    assert without_memory(data, "MEM-b") == data
    assert len(operations(without_memory(data, "MEM-a"))) == 1
    assert remembered(None) == remembered(b"{") == remembered(b'{"retired_texts": [1]}') == {}


def test_an_entry_is_in_the_log_while_its_change_stands_whatever_was_logged_since(tmp_path: Path) -> None:
    gone = {"status": "tombstoned", "tombstoned_at": "2026-08-01", "tombstone_reason": "purge"}
    workspace = small(tmp_path, a={"created": "2026-01-01"}, b={"topic": "A/B"}, c=gone, d={}, e={}, f={})
    path = tmp_path / ".memory" / "distill-log.json"

    def noted() -> tuple[list[str], int, int]:
        log = json.loads(path.read_text())
        return (
            [entry["type"] for entry in log["operations"]],
            log["summary"]["total_purged"] + log["summary"]["total_gc_deleted"],
            len(log.get("retired_texts", {})),
        )

    purged, erased = run(workspace, Mode.PURGE).receipt, run(workspace, Mode.GC).receipt
    run(workspace, Mode.AUTO)
    workspace.report()
    assert noted() == (["purge", "gc", "refine", "report"], 2, 1)
    assert purged is not None
    assert erased is not None
    back = workspace.undo(purged.id)
    assert noted() == (["gc", "refine", "report"], 1, 1)
    workspace.undo(erased.id)
    assert noted() == (["refine", "report"], 0, 0)
    workspace.undo(back.id)
    assert noted() == (["refine", "report", "purge"], 1, 0)
    assert json.loads(path.read_text())["summary"]["total_operations"] == 3
    again = workspace.log()[-2]
    assert again.undoes == erased.id
    workspace.undo(again.id)
    assert noted() == (["refine", "report", "purge", "gc"], 2, 1)
    assert [problem for problem in workspace.check() if problem.severity == "error"] == []


def test_the_latest_that_undo_takes_back_is_never_a_report(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"created": "2026-01-01"}, b={})
    done = run(workspace, Mode.PURGE).receipt
    workspace.report()
    assert workspace.undo().undoes == (done.id if done else "")


# --- the project's state ----------------------------------------------------------------------------------------

HEALTH = Health(AT, 12, 3, 85, "healthy")
EXPECTED = {"last_distilled": "2026-08-30T12:00:00Z", "distill_count": 1, "total_memories": 12, "never_retrieved": 3,
            "health_score": 85, "status": "healthy"}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "next": 3,\n  "memory_health": {"distill_count": 0},\n  "tasks": [1,  2]\n}',
        '{\n\t"memory_health": null,\n\t"a": {"memory_health": 1}\n}\n',
        '{"a": 1.10, "b": "\\u00e9 é", "memory_health": 3}',
        '{ }',
        '{"tasks":[ {"x":1} ] }',
        '{\r\n  "a": 1\r\n}\r\n',
        '\ufeff{\n    "a": {\n        "b": 1\n    }\n}\n',
    ],
)  # fmt: skip
def test_only_memory_health_of_the_state_changes(text: str) -> None:
    data = text.encode()
    after = with_health(data, HEALTH)
    assert health_value(after) == EXPECTED
    before, now = json.loads(text.removeprefix("\ufeff")), json.loads(after.decode("utf-8-sig"))
    assert {k: v for k, v in now.items() if k != "memory_health"} == {
        k: v for k, v in before.items() if k != "memory_health"
    }
    if health_value(data) is None and before:
        assert with_value(after, None) == data
    for piece in ("1.10", "\\u00e9 é", "[1,  2]", '[ {"x":1} ]', "\ufeff", '"a": {"memory_health": 1}'):
        assert (piece.encode() in after) == (piece.encode() in data)


def test_a_report_does_not_raise_the_count_and_other_keys_of_the_health_stay() -> None:
    data = b'{"memory_health": {"distill_count": 4, "note": "x"}}'
    report = with_health(data, Health(AT, 1, 0, 100, "healthy", is_report=True))
    counts = {"distill_count": 4, "total_memories": 1, "never_retrieved": 0, "health_score": 100}
    assert health_value(report) == {"note": "x", **EXPECTED, **counts}
    assert (health_value(with_health(data, HEALTH)) or {})["distill_count"] == 5


@pytest.mark.parametrize("data", [b"", b"[1]", b"{", b'{"a": 1} x', b"\xff", b'"text"'])
def test_a_state_that_is_no_object_is_left_alone(data: bytes) -> None:
    with pytest.raises(UnusableInput):
        with_health(data, HEALTH)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(st.text(max_size=6) | st.just("memory_health"), values, max_size=4),
    st.sampled_from([None, 1, 4, "\t"]),
)
def test_writing_and_taking_back_restores_every_byte(state: dict[str, Any], indent: int | str | None) -> None:
    data = json.dumps(state, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    after = with_health(data, HEALTH)
    assert json.loads(after)["memory_health"]["health_score"] == 85
    if "memory_health" not in state:
        assert json.loads(with_value(after, None)) == state


def project(tmp_path: Path, text: str) -> Path:
    state = tmp_path / "specs" / "state.json"
    state.parent.mkdir()
    state.write_text(text)
    return state


def test_every_mode_keeps_the_state_and_an_undo_takes_it_back_to_the_byte(tmp_path: Path) -> None:
    text = '{ "next": 3,\n "memory_health": {"distill_count": 7},\n "tasks": [ 1 ] }'
    workspace = small(tmp_path, a={"created": "2026-01-01"}, b={"topic": "A"})
    state = project(tmp_path, text)
    run(workspace, Mode.PURGE)
    purged = state.read_text()
    assert json.loads(purged)["memory_health"] == {
        "distill_count": 8, "last_distilled": f"{TODAY}T00:00:00Z", "total_memories": 1, "never_retrieved": 1,
        "health_score": 100, "status": "healthy",
    }  # fmt: skip
    run(workspace, Mode.AUTO)
    assert json.loads(state.read_text())["memory_health"]["distill_count"] == 9
    workspace.undo()
    assert state.read_text() == purged
    undone = workspace.undo()
    assert state.read_text() == text
    workspace.undo(undone.id)
    assert state.read_text() == purged, "an undo that is undone brings it back"


def test_a_state_that_others_changed_since_loses_nothing_of_theirs(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"created": "2026-01-01"}, b={})
    state = project(tmp_path, '{"next": 3, "memory_health": {"distill_count": 7}}')
    run(workspace, Mode.PURGE)
    state.write_text(state.read_text().replace('"next": 3', '"next": 4'))
    workspace.undo()
    assert json.loads(state.read_text()) == {"next": 4, "memory_health": {"distill_count": 7}}


def test_a_state_that_cannot_be_used_is_named_and_the_memories_are_written(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"created": "2026-01-01"}, b={})
    state = project(tmp_path, "{ broken")
    done = run(workspace, Mode.PURGE)
    assert [memory.id for memory in workspace.memories()] == ["MEM-b"]
    assert any("specs/state.json was left as it is" in warning for warning in done.warnings)
    assert state.read_text() == "{ broken"


def test_without_a_state_none_is_made(tmp_path: Path) -> None:
    run(small(tmp_path, a={"created": "2026-01-01"}, b={}), Mode.PURGE)
    assert not (tmp_path / "specs").exists()


def test_a_report_keeps_the_state_up_to_date_without_raising_the_count(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={}, b={})
    state = project(tmp_path, '{"memory_health": {"distill_count": 7}}')
    workspace.report()
    found = json.loads(state.read_text())["memory_health"]
    assert (found["distill_count"], found["total_memories"]) == (7, 2)
