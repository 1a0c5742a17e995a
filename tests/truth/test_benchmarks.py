"""Benchmarks that are asked wrongly say so in one line, and say what they measure."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def _run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, BENCHMARKS / name, *arguments], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["key_terms.py", "matching.py", "near_duplicates.py", "segmentation.py"])
def test_a_benchmark_without_its_set_says_which_file_is_not_there(tmp_path: Path, name: str) -> None:
    ran = _run(name, str(tmp_path / "none"))
    assert ran.returncode != 0
    assert ran.stderr.startswith(str(tmp_path / "none") + " has no ")
    assert ran.stderr.count("\n") == 1


def test_a_benchmark_of_what_is_not_measured_names_what_is() -> None:
    ran = _run("mcp_server.py", "nothing")
    assert ran.returncode == 2
    assert "nothing: not among tools, start, warm, crowd" in ran.stderr


@pytest.mark.parametrize(
    ("name", "measures"),
    [
        ("key_terms.py", ["P@k", "R@k", "F1@k"]),
        ("matching.py", ["`action`", "`target`", "`conflicts_caught`", "`conflicts_skipped`", "`false_alarms`"]),
        ("near_duplicates.py", ["precision", "recall", "F1"]),
        ("segmentation.py", ["Pk", "WindowDiff"]),
    ],
)
def test_help_of_a_benchmark_defines_its_measures(name: str, measures: list[str]) -> None:
    shown = _run(name, "--help").stdout
    assert [measure for measure in measures if measure not in shown] == []
