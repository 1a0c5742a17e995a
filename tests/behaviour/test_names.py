"""What names no topic and no category is refused by the command line, the tools and the library alike."""

import json
import os
from pathlib import Path

import pytest

from memtend.cli import main
from memtend.errors import UnusableInput
from memtend.mcp.desk import Desk
from memtend.mcp.tools import tools
from memtend.review import Action, Decision
from memtend.text import names_something
from memtend.workspace import LearnRequest, Workspace
from memtend.workspace.role.roles import Roles

NO_NAMES = ["../x", "a/../b", "..", ".", "/", "//", "*", "~/notes", "\x1b[31mred", "a\0b", "-", "a" * 121]
NAMES = ["python/http", "/a/b/", "a//b", "c++", ".net", "日本/語", "a b", "a\\b", "🚀", "v1.2", "R&D"]
NOTE = "Retry at most three times, with a wait of two seconds."


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a vault and a role, which this process works in."""
    for name in [name for name in os.environ if name.startswith("MEMTEND_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MEMTEND_ROLES", str(tmp_path / "roles"))
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    assert main(["role", "create", "one"]) == 0
    return tmp_path


def _memories(project: Path) -> list[str]:
    files = [*project.glob(".memory/10-Memories/MEM-*"), *project.glob("roles/one/memory/consolidated.md")]
    return [file.read_text(encoding="utf-8") for file in files]


@pytest.mark.parametrize("name", NO_NAMES)
@pytest.mark.parametrize("what", ["topic", "category"])
def test_what_names_nothing_is_refused(project: Path, what: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", "-t", NOTE, "--plan", "plan.json"]) == 0
    before = _memories(project)
    capsys.readouterr()
    if "\0" not in name:
        assert main(["learn", "-t", NOTE, f"--{what}", name, "--yes"]) == 2
        error, hint = capsys.readouterr().err.splitlines()
        assert error.startswith("error[unusable-input]: ") and what in error
        assert hint.startswith("hint: ")
    decisions = {"seg-001": {"action": "create", what: name}}
    assert main(["apply", "plan.json", "--decisions", json.dumps(decisions)]) == 2
    with pytest.raises(UnusableInput):
        LearnRequest(text=NOTE, **{what: name})  # type: ignore[arg-type]
    with pytest.raises(UnusableInput):
        Decision("seg-001", Action.CREATE, **{what: name})  # type: ignore[arg-type]
    with pytest.raises(UnusableInput):
        tools(("vault",))["learn"].call(Desk(start=str(project), environ={}), {"text": NOTE, what: name})
    assert _memories(project) == before


@pytest.mark.parametrize("name", [name for name in NO_NAMES if len(name) < 100])
def test_what_a_plan_was_made_to_say_is_stored_as_a_name(project: Path, name: str) -> None:
    assert main(["learn", "-t", NOTE, "--plan", "plan.json"]) == 0
    plan = json.loads(Path("plan.json").read_text(encoding="utf-8"))
    plan["proposals"][0]["payload"] |= {"topic": name, "category": name}
    Path("plan.json").write_text(json.dumps(plan), encoding="utf-8")
    assert main(["apply", "plan.json", "--yes"]) == 0
    (memory,) = Workspace.open(start=str(project), environ={}).memories()
    assert all(not given or names_something(given) for given in (memory.topic, memory.category, *memory.tags))


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_preference_has_a_category_that_is_a_name(project: Path, name: str) -> None:
    role = Roles.open(str(project / "roles"), {}).role("one")
    before = _memories(project)
    with pytest.raises(UnusableInput):
        role.add_preference("Short answers.", name)
    assert _memories(project) == before
    kept = role.add_preference("Short answers.", "Tone")
    with pytest.raises(UnusableInput):
        role.update_preference(kept.id, "Short answers.", name)


@pytest.mark.parametrize("name", NAMES)
def test_what_names_something_is_taken(project: Path, name: str) -> None:
    assert main(["learn", "-t", NOTE, "--topic", name, "--category", name, "--yes"]) == 0
    memory = Workspace.open(start=str(project), environ={}).memories()[0]
    assert memory.topic and memory.category
    assert main(["role", "add_preference", "Short answers.", "--category", name]) == 0


def test_what_a_source_calls_its_topic_is_passed_over_where_it_names_none(project: Path) -> None:
    Path("notes").mkdir()
    Path("notes/pool.md").write_text(f"---\ntopic: ../../etc\ncategory: '*'\n---\n# Retries\n\n{NOTE}\n")
    Path("notes/size.md").write_text("---\ntopic: shop\n---\n# Pool\n\nThe pool of the shop holds ten connections.\n")
    assert main(["learn", "notes/pool.md", "notes/size.md", "--yes"]) == 0
    found = {memory.title: memory for memory in Workspace.open(start=str(project), environ={}).memories()}
    assert ".." not in found["Retries"].topic and found["Retries"].category != "*"
    assert found["Pool"].topic == "shop"
