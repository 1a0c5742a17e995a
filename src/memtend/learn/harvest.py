"""Memory candidates that a task left in `specs/state.json`, read leniently.

The file belongs to other tools. Its tasks lie in arrays of objects (`active_projects`, `completed_projects`,
`tasks` …), each with its number under one of several names; any such array counts, wherever it is in the file's
first two levels.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from memtend.errors import NotFound, UnusableInput
from memtend.text.halves import without_halves

STATE_PATH = "specs/state.json"
LEAST_CONFIDENCE = 0.7
_NUMBERS = ("project_number", "task_number", "number", "task", "id")


class Harvested(NamedTuple):
    """One candidate: its text, the artifact it came from (may be empty), and what its author says about it."""

    content: str
    source: str
    hints: Mapping[str, str | tuple[str, ...]]


def read(data: bytes, task: int) -> tuple[list[Harvested], list[str]]:
    """The task's candidates with confidence ≥ 0.7, and for each other one a sentence why not.

    Raises UnusableInput where the file is not JSON, NotFound where it does not know the task.
    """
    try:
        state = without_halves(json.loads(data.decode("utf-8-sig")))
    except (ValueError, RecursionError) as fault:
        raise UnusableInput(f"{STATE_PATH} is not JSON ({fault})", hint="Repair the file.") from fault
    entries = [entry for entry in _entries(state) if _is_task(entry, task)]
    if not entries:
        raise NotFound(f"Task {task} is not in {STATE_PATH}", hint="Give the number of a task it lists.")
    taken: list[Harvested] = []
    passed: list[str] = []
    for entry in entries:
        for number, candidate in enumerate(_list(entry.get("memory_candidates")), 1):
            reason = _unfit(candidate)
            if reason:
                passed.append(f"candidate {number} of task {task}: {reason}")
            else:
                taken.append(_harvested(candidate))
    return taken, passed


def _entries(state: Any) -> Iterator[Mapping[str, Any]]:
    """The objects in the arrays of the first two levels; `{"12": {…}}` counts as an entry with that id."""
    for key, value in state.items() if isinstance(state, dict) else [("", state)]:
        if isinstance(value, list):
            yield from (item for item in value if isinstance(item, dict))
        elif isinstance(value, dict):
            for inner, item in value.items():
                if isinstance(item, list):
                    yield from (entry for entry in item if isinstance(entry, dict))
                elif isinstance(item, dict) and key in ("tasks", "projects", "active_projects"):
                    yield {"id": inner} | item


def _is_task(entry: Mapping[str, Any], task: int) -> bool:
    number = next((entry[name] for name in _NUMBERS if name in entry), None)
    return isinstance(number, int | str) and str(number).strip().lstrip("0") == str(task).lstrip("0")


def _unfit(candidate: Any) -> str:
    if not isinstance(candidate, dict) or not str(candidate.get("content") or "").strip():
        return "no content"
    confidence = _confidence(candidate)
    if confidence is None:
        return "no confidence is given"
    return f"confidence {confidence:g} is below {LEAST_CONFIDENCE}" if confidence < LEAST_CONFIDENCE else ""


def _confidence(candidate: Mapping[str, Any]) -> float | None:
    """From 0 to 1; a number in a string counts, and so does a percentage."""
    given = str(candidate.get("confidence", "")).strip()
    try:
        return float(given[:-1]) / 100 if given.endswith("%") else float(given)
    except ValueError:
        return None


def _harvested(candidate: Mapping[str, Any]) -> Harvested:
    hints: dict[str, str | tuple[str, ...]] = {"confidence": f"{_confidence(candidate):g}"}
    keywords = tuple(str(word).strip() for word in _list(candidate.get("suggested_keywords")) if str(word).strip())
    category = str(candidate.get("category") or "").strip(" []").upper()
    if keywords:
        hints["keywords"] = keywords
    if category:
        hints["category"] = category
    return Harvested(str(candidate["content"]).strip(), str(candidate.get("source_artifact") or ""), hints)


def _list(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    return list(value) if isinstance(value, list | tuple) else []
