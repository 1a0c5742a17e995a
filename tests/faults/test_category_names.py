"""Files of a category memory whose names no index can hold as text (Linux allows any bytes)."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memtend.cli import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names themselves")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A category memory with a session whose name is not UTF-8, which this process works in."""
    for name in [name for name in os.environ if name.startswith("MEMTEND_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MEMTEND_NOW", datetime(2026, 6, 30, tzinfo=UTC).isoformat())
    monkeypatch.chdir(tmp_path)
    assert main(["category", "create", "memory"]) == 0
    folder = tmp_path / "memory" / "sessions"
    folder.mkdir(exist_ok=True)
    text = b"# Session\n\n## 2026-05-01 A day\n\n- The build takes nine minutes.\n\n- It is slow.\n"
    (folder / os.fsdecode(b"2026-05-01-\xff.md")).write_bytes(text)
    (folder / "2026-05-02-b.md").write_bytes(text)
    return tmp_path / "memory"


@pytest.mark.parametrize("action", ["list", "check", "sync", "compact --yes", "refresh --yes", "compact --plan p.json"])
def test_a_name_that_is_no_text_is_no_fault_of_ours(
    root: Path, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main(["category", *action.split(), "--root", str(root)])
    told = capsys.readouterr().err
    assert "internal" not in told
    assert status in (0, 1, 5)


def test_a_device_is_no_plan_and_is_not_waited_for(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["category", "compact", "--apply", os.devnull, "--root", str(root)]) == 2
    assert "no regular file" in capsys.readouterr().err
