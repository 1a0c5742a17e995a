"""The command line killed at its writes: a few of them here, all of them with `make kills`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KILLS = Path(__file__).with_name("kills.py")
STORIES = ("learn", "extend", "update", "undo", "index", "rebuild", "recall", "init", "commit")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")


def killed(*words: str) -> list[dict[str, object]]:
    """The results of the stories, as JSON."""
    done = subprocess.run([sys.executable, str(KILLS), *words], check=False, capture_output=True, text=True)
    assert done.stdout, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_o_cc_03_killed_at_a_write_the_command_line_leaves_the_old_or_the_new() -> None:
    for result in killed("--every", "31"):
        assert result["bad"] == {}, result
        assert result["kills"], result


@pytest.mark.slow
@pytest.mark.parametrize("story", STORIES)
def test_o_cc_03_killed_at_every_write_the_command_line_leaves_the_old_or_the_new(story: str) -> None:
    (result,) = killed(story)
    assert result["bad"] == {}
    assert result["kills"] == result["touches"]
