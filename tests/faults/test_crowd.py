"""Many files in one folder: every command is right there, and none takes more than its share."""

import importlib.util
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "crowd.py"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs wait4")


def in_a_crowd(root: Path, count: int, *, most_cpu_ms: float, most_mb: int) -> None:
    """`most_cpu_ms` is that of a command by file, beside the second that any may take."""
    spec = importlib.util.spec_from_file_location("crowd", BENCHMARK)
    assert spec is not None and spec.loader is not None
    crowd = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(crowd)
    commands = 0
    for ran, is_right in crowd.crowd(root, count):
        print(ran)
        assert is_right, ran
        assert ran.cpu_seconds < 1 + count * most_cpu_ms / 1000, ran
        assert ran.peak_mb < most_mb, ran
        commands += 1
    assert commands == 12


def test_two_thousand_files_in_one_folder(tmp_path: Path) -> None:
    in_a_crowd(tmp_path, 2_000, most_cpu_ms=3, most_mb=200)


@pytest.mark.slow
def test_a_hundred_thousand_files_in_one_folder(tmp_path: Path) -> None:
    in_a_crowd(tmp_path, 100_000, most_cpu_ms=3, most_mb=1_500)
