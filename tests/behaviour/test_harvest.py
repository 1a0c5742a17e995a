"""What a task left: its artifacts, and its candidates for memory."""

import json
from pathlib import Path

import pytest
from outside_files import lay, paths, reasons

from memtend.errors import NotFound, UnusableInput
from memtend.learn.acquire import acquire, harvest


def test_a_task_gives_every_markdown_file_of_its_padded_and_unpadded_folder(project):
    lay(
        project,
        {"specs/012_cache/plan.md": "plan", "specs/012_cache/reports/r.md": "r", "specs/012_cache/log.txt": "x"},
    )
    lay(project, {"specs/12_more/s.md": "s", "specs/120_other/o.md": "o", "specs/012_cache/empty.md": "\n"})
    acquired = acquire(task=12, project=project)
    assert acquired.mode == "task"
    assert acquired.path == "specs/012_cache/; specs/12_more/"
    assert paths(acquired) == ["specs/012_cache/plan.md", "specs/012_cache/reports/r.md", "specs/12_more/s.md"]
    assert reasons(acquired) == {"specs/012_cache/empty.md": "empty"}


def test_a_task_without_folder_or_artifacts_is_said_to_be_so(project):
    with pytest.raises(NotFound) as fault:
        acquire(task=7, project=project)
    assert fault.value.message == "Task directory not found: specs/007_*"
    (project / "specs/007_empty").mkdir(parents=True)
    with pytest.raises(NotFound) as fault:
        acquire(task=7, project=project)
    assert fault.value.message == "No artifacts found for task 7"


CANDIDATE = {
    "content": "Retry idempotent calls only.",
    "category": "[pattern]",
    "source_artifact": "specs/012_cache/reports/r.md",
    "confidence": 0.7,
    "suggested_keywords": ["retry", "idempotent"],
}


def state(project: Path, content: object) -> None:
    lay(project, {"specs/state.json": json.dumps(content)})


def test_harvest_takes_the_tasks_candidates_that_are_sure_enough_with_their_hints(project):
    poor = CANDIDATE | {"confidence": 0.69}
    entry = {
        "project_number": 12,
        "memory_candidates": [CANDIDATE, poor, {"confidence": 1}, CANDIDATE | {"confidence": None}],
    }
    state(project, {"next_project_number": 13, "active_projects": [{"project_number": 1}, entry]})
    acquired = harvest(12, project=project)
    (document,) = acquired.documents
    assert (document.path, document.text) == ("specs/012_cache/reports/r.md", "Retry idempotent calls only.")
    assert dict(document.hints) == {"category": "PATTERN", "confidence": "0.7", "keywords": ("retry", "idempotent")}
    assert [item.reason for item in acquired.skipped] == [
        "candidate 2 of task 12: confidence 0.69 is below 0.7",
        "candidate 3 of task 12: no content",
        "candidate 4 of task 12: no confidence is given",
    ]


@pytest.mark.parametrize(
    "content",
    [
        {"tasks": [{"task_number": "012", "memory_candidates": [CANDIDATE]}]},
        {"tasks": {"12": {"memory_candidates": [CANDIDATE]}}},
        {"completed_projects": [{"number": 12, "memory_candidates": [CANDIDATE]}]},
        {"archive": {"projects": [{"id": 12, "memory_candidates": [CANDIDATE | {"confidence": "85%"}]}]}},
        [{"project_number": 12, "memory_candidates": [CANDIDATE | {"confidence": "0.9"}]}],
    ],
)
def test_harvest_finds_the_task_in_every_shape_such_files_have(project, content):
    state(project, content)
    assert len(harvest(12, project=project).documents) == 1


def test_harvest_says_what_is_missing(project):
    with pytest.raises(NotFound, match=r"File not found: specs/state.json"):
        harvest(12, project=project)
    for broken in ("{ not json", "[" * 100_000):
        lay(project, {"specs/state.json": broken})
        with pytest.raises(UnusableInput, match="is not JSON"):
            harvest(12, project=project)
    state(project, {"active_projects": [{"project_number": 1}]})
    with pytest.raises(NotFound, match="Task 12 is not in"):
        harvest(12, project=project)
    state(project, {"active_projects": [{"project_number": 12}]})
    assert harvest(12, project=project).warnings == ("Task 12 has no memory candidates to learn.",)


def test_half_of_a_character_that_its_author_cut_is_one_that_is_missing(project):
    cut = {"content": "Retry \ud83d calls only.", "source_artifact": "a\ud83d.md", "suggested_keywords": ["x\ud83d"]}
    state(project, {"active_projects": [{"project_number": 12, "memory_candidates": [CANDIDATE | cut]}]})
    (document,) = harvest(12, project=project).documents
    assert (document.path, document.text) == ("a\ufffd.md", "Retry \ufffd calls only.")
    assert document.hints["keywords"] == ("x\ufffd",)
