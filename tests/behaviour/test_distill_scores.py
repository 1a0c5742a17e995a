"""Scores, health and the report's figures, checked against a second calculation that shares no code."""

import json
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from distill_case import small

from memtend.distill.alike import primary_first
from memtend.distill.columns import Columns, ages, day_of
from memtend.distill.report import retired_rows
from memtend.distill.score import class_of, health, health_status, scores
from memtend.memory import Digest, Memory, MemoryId, Place, Status
from memtend.workspace import Workspace

SAMPLE = Path(__file__).parents[2].parent / "shared" / "samples" / "vault" / "dot-memory"
TODAY = date(2026, 8, 30)


def memory(id: str, **fields: Any) -> Memory:
    return Memory(id=MemoryId(id), place=Place(f"{id}.md"), digest=Digest(id), title=id, **fields)


# --- the real vault, calculated a second time -----------------------------------------------------------------


@pytest.fixture
def sample(tmp_path: Path) -> Workspace:
    if not SAMPLE.is_dir():
        pytest.skip(f"the sample vault is missing: {SAMPLE}")
    shutil.copytree(SAMPLE, tmp_path / ".memory")
    return Workspace.open(start=str(tmp_path), environ={"MEMTEND_NOW": "2026-08-30", "MEMTEND_COMMIT": "0"})


def _files(root: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each memory of a vault, read with nothing but string operations; usage from the JSON index where it is more."""
    listed = {entry["id"]: entry for entry in json.loads((root / "memory-index.json").read_text())["entries"]}
    for path in sorted((root / "10-Memories").glob("MEM-*.md")):
        text = path.read_text(encoding="utf-8")
        head = text.split("---\n")[1]
        value = {line.split(":")[0]: line.partition(":")[2].strip() for line in head.split("\n") if line[:1].isalpha()}
        block = re.search(r"^keywords:\n((?:\s+- .*\n)+)", head, re.MULTILINE)
        inline = re.search(r"^keywords: \[(.*)\]$", head, re.MULTILINE)
        words = re.findall(r"- (.*)", block[1]) if block else inline[1].split(", ") if inline else []
        entry = listed.get(path.stem, {})
        last = max(
            entry.get("last_retrieved") or "", "" if value["last_retrieved"] == "null" else value["last_retrieved"]
        )
        empty_connections = re.sub(r"## Connections\s*(<!--[^>]*-->)?\s*$", "", text)
        yield (
            path.stem,
            {
                "created": value["created"].strip('"'),
                "last": last,
                "count": max(int(entry.get("retrieval_count", 0)), int(value["retrieval_count"])),
                "keywords": {word.strip().strip("\"'").lower() for word in words},
                "tokens": int(len(empty_connections.split()) * 1.3),
            },
        )


def _score(own: dict[str, Any], others: list[dict[str, Any]]) -> tuple[float, float, float, float, float]:
    age = (TODAY - date.fromisoformat(own["created"])).days
    idle = (TODAY - date.fromisoformat(own["last"] or own["created"])).days
    stale = min(1.0, idle / 90)
    if own["count"] > 0 and age > 60:
        stale = max(0.0, stale - 0.3)
    never = 1.0 if own["count"] == 0 and age > 30 else 0.0
    size = max(0.0, (own["tokens"] - 600) / 600)
    same = max(len(own["keywords"] & other["keywords"]) for other in others) / len(own["keywords"])
    return stale, never, size, same, min(1.0, 0.3 * stale + 0.25 * never + 0.2 * size + 0.25 * same)


def test_o_va_01_the_report_on_the_real_vault_agrees_memory_by_memory(sample: Workspace) -> None:
    known = dict(_files(Path(sample.root)))
    report, warnings = sample.report()
    assert warnings == ()
    found = {row.id: row for row in report.rows()}
    assert found.keys() == known.keys()
    assert len(found) == 18
    expected = {id: _score(own, [other for name, other in known.items() if name != id]) for id, own in known.items()}
    for id, values in expected.items():
        assert tuple(found[MemoryId(id)][1:6]) == pytest.approx(values, abs=1e-12), id
    totals = [sum(values[4] >= 0.7 for values in expected.values()), sum(v[3] > 0.6 for v in expected.values())]
    assert report.health == 100 - 3 * totals[0] - 5 * totals[1]
    assert report.total_tokens == sum(own["tokens"] for own in known.values())
    assert report.retrieval().most_count == max(own["count"] for own in known.values()) == 39
    assert report.retrieval().never == sum(own["count"] == 0 for own in known.values())


def test_o_va_01_usage_that_only_the_json_index_knows_is_not_lost_to_the_scores(sample: Workspace) -> None:
    report, _ = sample.report()
    row = next(row for row in report.rows() if row.id == "MEM-plan-delegation-required")
    assert (row.zero_retrieval, row.staleness) == (0.0, pytest.approx(69 / 90 - 0.3))


# --- single formulas ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("days", "count", "expected"),
    [(0, 0, 0.0), (45, 0, 0.5), (90, 0, 1.0), (400, 0, 1.0), (90, 1, 0.7), (60, 1, 60 / 90), (61, 1, 61 / 90 - 0.3)],
)
def test_staleness_grows_over_ninety_days_and_is_eased_for_old_ones_that_were_used(
    days: int, count: int, expected: float
) -> None:
    old = memory("a", created=str(TODAY - timedelta(days)), retrieval_count=count)
    assert scores(Columns.of([old]), TODAY).staleness.tolist() == [pytest.approx(expected)]


@pytest.mark.parametrize(("days", "count", "expected"), [(30, 0, 0.0), (31, 0, 1.0), (31, 1, 0.0)])
def test_never_retrieved_counts_after_a_month(days: int, count: int, expected: float) -> None:
    found = scores(Columns.of([memory("a", created=str(TODAY - timedelta(days)), retrieval_count=count)]), TODAY)
    assert found.zero_retrieval.tolist() == [expected]


@pytest.mark.parametrize(("tokens", "expected"), [(0, 0.0), (600, 0.0), (900, 0.5), (1200, 1.0), (3600, 5.0)])
def test_size_is_penalised_without_bound(tokens: int, expected: float) -> None:
    found = scores(Columns.of([memory("a", created=str(TODAY), token_count=tokens)]), TODAY)
    assert found.size_penalty.tolist() == [expected]
    assert found.composite.tolist() == [min(1.0, 0.2 * expected)]
    assert found.compress == ([0] if expected > 0.5 else [])


def test_duplicate_is_the_share_of_ones_own_keywords_whatever_their_case() -> None:
    found = scores(
        Columns.of(
            [
                memory("a", keywords=("One", "two", "three", "four")),
                memory("b", keywords=("one", "TWO", "three", "five", "six")),
                memory("c"),
            ]
        ),
        TODAY,
    )
    assert found.duplicate.tolist() == [0.75, 0.6, 0.0]
    assert found.merge == [0], "exactly 0.6 is not more than 0.6"


def test_a_retired_memory_is_nobodys_duplicate() -> None:
    gone = memory("b", keywords=("x",), status=Status.RETIRED)
    assert scores(Columns.of([memory("a", keywords=("x",)), gone]), TODAY).duplicate.tolist() == [0.0]


@pytest.mark.parametrize(
    ("counts", "score", "status"),
    [((0, 0, 0), 100, "healthy"), ((2, 2, 2), 80, "healthy"), ((7, 0, 0), 79, "manageable"),
     ((0, 8, 1), 58, "concerning"), ((0, 13, 0), 35, "critical"), ((99, 0, 0), 0, "critical")],
)  # fmt: skip
def test_health_is_counted_and_clamped(counts: tuple[int, int, int], score: int, status: str) -> None:
    assert (health(*counts), health_status(score)) == (score, status)


def test_classes_follow_the_composite() -> None:
    classes = [class_of(value) for value in (0.0, 0.29, 0.3, 0.5, 0.69, 0.7, 1.0)]
    assert classes == ["healthy", "healthy", "review", "merge_or_compress", "merge_or_compress", "purge", "purge"]


# --- dates ----------------------------------------------------------------------------------------------------


def test_o_tm_01_a_missing_invalid_or_future_date_counts_as_today_and_is_named() -> None:
    odd = {"a": "2026-08-31", "b": "9999-12-31", "c": "someday", "d": "", "e": "1970-01-01", "f": "0001-01-01"}
    columns = Columns.of([memory(id, created=created) for id, created in odd.items()])
    found = ages(columns, TODAY)
    assert found.age_days == [0, 0, 0, 0, (TODAY - date(1970, 1, 1)).days, (TODAY - date(1, 1, 1)).days]
    assert [(p.id, p.reason) for p in found.problems] == [
        ("a", "future"),
        ("b", "future"),
        ("c", "invalid"),
        ("d", "missing"),
    ]
    rows = scores(columns, TODAY)
    assert rows.stale == [4, 5], "no memory is picked for a date that cannot be"


def test_o_tm_01_a_last_retrieval_in_the_future_counts_as_today() -> None:
    columns = Columns.of([memory("a", created="2026-01-01", last_retrieved="2031-01-01", retrieval_count=1)])
    assert ages(columns, TODAY).idle_days == [0]
    assert ages(columns, TODAY).problems[0].field == "last_retrieved"


@pytest.mark.parametrize(
    ("text", "day"),
    [("2026-06-08", 8), ("2026-06-08T10:00:00", 8), ("2026-06-08T23:30:00-02:00", 9), ("2026-06-08T10:00:00Z", 8),
     ("2026-06-08 10:00", 8), ("2026-06-08T01:00:00+02:00", 7)],
)  # fmt: skip
def test_o_tm_02_naive_and_aware_times_are_days_in_utc_and_mix(text: str, day: int) -> None:
    assert day_of(text) == date(2026, 6, day)
    mixed = Columns.of([memory("a", created=text), memory("b", created="2026-06-07")])
    assert primary_first(mixed, [0, 1], TODAY)[-1] == (0 if day > 7 else 1)


def test_retired_memories_wait_seven_days_and_one_with_a_wrong_date_waits_on() -> None:
    rows = retired_rows([("a", "2026-08-23", "purge"), ("b", "2026-08-24", "purge"), ("c", "never", "x")], TODAY)
    assert [(row.id, row.days_until_gc) for row in rows] == [("a", 0), ("b", 1), ("c", 7)]


# --- the report -------------------------------------------------------------------------------------------------


def test_an_empty_vault_is_healthy_and_nothing_is_logged(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    report, _ = workspace.report()
    assert (report.total_memories, report.health, report.extremes(), report.growth()) == (0, 100, None, [])
    assert report.to_json()["scores"] == []
    assert not (tmp_path / ".memory" / "distill-log.json").exists()


def test_a_report_is_logged_once_a_day_unless_something_changed(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={}, b={})
    log = tmp_path / ".memory" / "distill-log.json"
    workspace.report()
    first = log.read_bytes()
    workspace.report()
    assert log.read_bytes() == first
    tomorrow = Workspace.open(start=str(tmp_path), environ={"MEMTEND_NOW": "2026-08-31"})
    tomorrow.report()
    entries = json.loads(log.read_text())["operations"]
    assert [entry["timestamp"][:10] for entry in entries] == ["2026-08-30", "2026-08-31"]
    assert entries[0]["pre_metrics"] == entries[0]["post_metrics"]


def test_a_report_writes_no_memory_no_page_and_nothing_to_undo(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={}, b={})
    workspace.recall("what a says")
    before = {path: path.read_bytes() for path in (tmp_path / ".memory").rglob("*.md")}
    workspace.report()
    assert {path: path.read_bytes() for path in (tmp_path / ".memory").rglob("*.md")} == before
    assert workspace.log() == ()


def test_the_growth_ends_with_all_memories_and_starts_with_the_first(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"created": "2026-05-02"}, b={"created": "2026-08-01"}, c={"created": "2030-01-01"})
    report, _ = workspace.report(keep=False)
    assert report.growth() == [("2026-05", 1), ("2026-06", 1), ("2026-07", 1), ("2026-08", 2)]
    assert report.extremes() == (("MEM-a", "2026-05-02"), ("MEM-b", "2026-08-01"))


def test_categories_and_clusters_add_up(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"topic": "x/y", "tags": "[CONFIG]"}, b={"topic": "x"}, c={})
    report, _ = workspace.report(keep=False)
    assert [(row.name, row.count) for row in report.clusters()] == [("x", 2), ("uncategorized", 1)]
    assert [(row.name, row.count) for row in report.categories()] == [("uncategorized", 2), ("CONFIG", 1)]
    assert sum(row.tokens for row in report.categories()) == report.total_tokens


def test_the_json_of_a_report_is_plain(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"keywords": "[k, l]"}, b={"keywords": "[k, l]"})
    found = json.loads(json.dumps(workspace.report(keep=False)[0].to_json()))
    assert {"generated", "total_memories", "total_tokens", "health_score", "status", "scores", "candidates",
            "categories", "clusters", "retrieval", "tombstoned", "actions"} <= found.keys()  # fmt: skip
    assert found["scores"][0].keys() == {
        "id", "staleness", "zero_retrieval", "size_penalty", "duplicate", "composite", "class"
    }  # fmt: skip
    assert found["candidates"].keys() == {"purge", "merge", "compress", "review"}
    assert {"primary", "secondary", "overlap"} <= found["candidates"]["merge"][0].keys()


def test_ages_are_counted_in_utc_days_whatever_the_clock(tmp_path: Path) -> None:
    late = small(tmp_path, now="2026-08-31T01:00:00+02:00", a={"created": "2026-08-01"})
    assert late.now == datetime(2026, 8, 30, 23, tzinfo=UTC)
    assert late.report(keep=False)[0].scores.ages.age_days == [29]
