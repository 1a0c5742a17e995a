"""What fuzzing found stays found, and a moment of fuzzing by chance finds nothing new."""

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from targets import TARGETS

from fuzz import SEEDS, by_chance

CORPUS = sorted(file for file in (Path(__file__).parent / "corpus").glob("*/*") if file.is_file())


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: f"{file.parent.name}-{file.name}")
def test_what_was_found_once_is_mended(file: Path) -> None:
    TARGETS[file.parent.name](file.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_the_laws_hold_for_the_seeds_and_for_a_moment_of_chance(name: str) -> None:
    for data in SEEDS:
        TARGETS[name](data)
    assert by_chance(name, 0.7, random.Random(7))
