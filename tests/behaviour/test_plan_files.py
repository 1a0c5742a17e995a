"""A saved plan that a person edited, or what is no plan at all, is refused in one line and waits for nothing."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from memtend.cli import main
from memtend.errors import NotFound, UnusableInput
from memtend.workspace.plan import load
from memtend.workspace.plan_file import read_text

NOTE = "# Connection pool\n\nThe connection pool holds twenty connections for each web node.\n"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A plan over one note, made in a folder with a vault, which this process works in."""
    for name in [name for name in os.environ if name.startswith("MEMTEND_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MEMTEND_NOW", "2026-06-30T10:00:00Z")
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    Path("pool.md").write_text(NOTE)
    assert main(["learn", "pool.md", "--plan", "plan.json"]) == 0
    found: dict[str, Any] = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    return found


def places(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value inside."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for key, inner in inside for way in ((*above, key), *places(inner, (*above, key)))]


def edited(plan: dict[str, Any], way: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A copy of the plan with another value in one place."""
    copy: Any = json.loads(json.dumps(plan))
    inner = copy
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = value
    return dict(copy)


def test_a_plan_of_another_memory_is_told_from_one_of_learn(
    plan: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["category", "create", "memory"]) == 0
    assert main(["category", "add", "We met.", "--category", "sessions", "--title", "Met", "--root", "memory"]) == 0
    assert main(["category", "compact", "--root", "memory", "--plan", "compact.json"]) == 0
    odd = plan | {"skipped": [{"category": "decisions", "reason": "durable"}]}
    Path("odd.json").write_text(json.dumps(odd), encoding="utf-8")
    capsys.readouterr()
    for name, told in (("compact.json", "compact.json is a plan of compact, not of learn"), ("odd.json", "is damaged")):
        assert main(["apply", name, "--dry-run"]) == 2
        assert told in capsys.readouterr().err


@pytest.mark.parametrize("value", [None, [], {}, "", -1, [None], {"a": 1}, "../../x", "a\nb: c"], ids=repr)
def test_no_edit_of_a_plan_is_a_fault_of_ours_or_leaves_the_vault(
    plan: dict[str, Any], value: object, capsys: pytest.CaptureFixture[str]
) -> None:
    for way in places(plan):
        Path("edited.json").write_text(json.dumps(edited(plan, way, value)), encoding="utf-8")
        status = main(["apply", "edited.json", "--yes", "--dry-run"])
        told = capsys.readouterr().err
        assert status in (0, 1, 2, 4, 5) or "newer memtend" in told, way
        assert "internal" not in told, (way, told)


@pytest.mark.parametrize("target", [[None], {"a": 1}, 7, "../../x"])
def test_a_recommendation_that_aims_at_nothing_is_named_as_such(plan: dict[str, Any], target: object) -> None:
    way = ("proposals", 0, "recommendation")
    aimed = {"action": "update", "target": target, "strength": "strong", "conflict": None, "reasons": []}
    Path("edited.json").write_text(json.dumps(edited(plan, way, aimed)), encoding="utf-8")
    assert main(["apply", "edited.json", "--yes"]) in (2, 4)
    assert list(Path(".memory/10-Memories").glob("MEM-*")) == []


@pytest.mark.parametrize("content", [b"", b"[" * 200_000, b"\xff\xfe{}", b"null", b'{"proposals": NaN}'])
def test_what_is_no_plan_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    with pytest.raises(UnusableInput):
        load(path)


@pytest.mark.parametrize("command", [["role", "tidy", "--role", "r", "--roles", "roles"], ["category", "compact"]])
@pytest.mark.parametrize("content", [b"", b"[" * 200_000, b"\xff\xfe{}", b"null", None])
def test_what_is_no_plan_of_a_role_or_category_is_said_to_be_none(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    content: bytes | None,
) -> None:
    monkeypatch.chdir(tmp_path)
    main(["role", "create", "r", "--roles", "roles"])
    main(["category", "create"])
    name = "/dev/zero" if content is None and Path("/dev/zero").exists() else "plan.json"
    Path("plan.json").write_bytes(content or b"")
    capsys.readouterr()
    assert main([*command, "--apply", name, "--yes"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 2, told
    assert "Traceback" not in told


def test_neither_a_device_nor_a_pipe_without_a_writer_is_waited_for(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "pipe")
    for name in (str(tmp_path / "pipe"), "/dev/zero", str(tmp_path)):
        with pytest.raises(UnusableInput, match=r"is (no regular file|a directory)"):
            read_text(name, hint="A hint.")


@pytest.mark.skipif(sys.platform != "linux", reason="the shell hands over pipes by this name on Linux")
def test_what_a_shell_hands_over_is_read() -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, b"{}")
    os.close(write_end)
    assert read_text(f"/dev/fd/{read_end}", hint="A hint.") == "{}"
    os.close(read_end)


def test_a_plan_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no name"):
        read_text("", hint="A hint.")
    with pytest.raises(NotFound):
        load(tmp_path / "gone.json")


@pytest.mark.parametrize("option", ["--topic", "--category"])
def test_a_text_is_no_name_of_a_topic_or_category(
    plan: dict[str, Any], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", "pool.md", option, "a" * 5000, "--yes"]) == 2
    assert "has 5000 characters; it may have 120" in capsys.readouterr().err
    decisions = {"seg-001": {"action": "create", option.removeprefix("--"): "a" * 5000}}
    assert main(["apply", "plan.json", "--decisions", json.dumps(decisions)]) == 2
    assert list(Path(".memory/10-Memories").glob("MEM-*")) == []


def test_a_line_break_in_a_category_does_not_break_the_list(
    plan: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", "pool.md", "--category", "shop\nrules", "--yes"]) == 0
    capsys.readouterr()
    assert main(["list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize("action", ["create", "extend", "update"])
@pytest.mark.parametrize("field", ["text", "title", "topic", "category"])
def test_half_of_a_character_in_a_decision_is_refused_and_nothing_is_written(
    plan: dict[str, Any], capsys: pytest.CaptureFixture[str], field: str, action: str
) -> None:
    pool = Path(".memory", "10-Memories", "MEM-pool.md")
    pool.write_text("# Connection pool\n\nThe connection pool holds nine connections.\n")
    before = {path: path.read_bytes() for path in Path(".memory").glob("*/*.md")}
    decision = {"action": action, "target": "MEM-pool", field: "a \ud800 b"}
    assert main(["apply", "plan.json", "--decisions", json.dumps({"seg-001": decision})]) in (2, 5)
    assert "half of a character" in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in Path(".memory").glob("*/*.md")}
