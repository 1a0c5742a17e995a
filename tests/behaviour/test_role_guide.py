"""The guide to roles shows what the program does: its sessions are those of a scenario."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def sessions(path: str) -> list[str]:
    """The console blocks of a page."""
    return re.findall(r"```console\n(.*?)```", (ROOT / path).read_text(encoding="utf-8"), re.DOTALL)


def test_every_session_of_the_guide_is_run_as_a_scenario() -> None:
    shown = sessions("docs/guides/role.md")
    assert shown
    assert shown == sessions("tests/scenarios/role-guide.md")


def test_the_python_of_the_guide_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memtend.workspace.role.roles import Roles

    Roles(tmp_path).create("zero")
    monkeypatch.setenv("MEMTEND_ROLES", str(tmp_path))
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guides/role.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(code, {})
    assert [entry.times for entry in Roles(tmp_path).role("zero").list().entries] == [1]


def test_the_reference_page_is_read_by_the_layout_as_it_says() -> None:
    from memtend.layouts.role.decode import decode_consolidated, decode_pending

    page = (ROOT / "docs/reference/layouts/role.md").read_text(encoding="utf-8")
    consolidated, waiting = re.findall(r"```md\n(.*?)```", page, re.DOTALL)
    found = decode_consolidated(consolidated.encode())
    assert not found.problems
    assert [(m.extra["kind"], m.retrieval_count, m.title) for m in found.memories] == [
        ("learning", 6, "Run the check before you say done"),
        ("learning", 2, "Caches keep a version in their key"),
        ("preference", 0, "Answer in English"),
        ("preference", 0, "Conclusion first, then findings by severity"),
        ("event", 0, "Moved to the new cluster"),
    ]
    assert [m.id for m in decode_pending(waiting.encode()).memories] == ["64925f2c02"]
