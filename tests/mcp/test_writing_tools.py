"""Every tool that writes: what a person has not said yes to is not written, however the client can ask.

Each row is a call with something to do in a full project. It is answered in forms (yes, no, closed), and by a client
that has none: with proposals, and `apply`.
"""

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from agents_client import ENVIRON, Person, call, decided, files_of
from full_project import CATEGORY, LONG, MEMORIES, ROLE, lay, served

from memtend.mcp.desk import Desk
from memtend.mcp.tools import tools
from memtend.store.lock import StoreLock

Change = Callable[[Path], object]


@dataclass(frozen=True)
class Row:
    """One call. `meanwhile` changes what its proposals stand on; None where they stand on nothing."""

    tool: str
    given: Mapping[str, Any] = field(default_factory=dict)
    meanwhile: Change | None = None
    code: str = "stale-decision"
    """Of the error where that has changed."""

    @property
    def name(self) -> str:
        return " ".join((self.tool, *(str(self.given[key]) for key in CHOOSING if key in self.given)))


CHOOSING = ("action", "mode", "command")
"""The parameters that say what a tool does."""


def said(path: str, old: str, new: str) -> Change:
    """Somebody writes something else into a file."""

    def change(project: Path) -> None:
        file = project / path
        text = file.read_bytes().decode()
        assert old in text
        file.write_bytes(text.replace(old, new).encode())

    return change


def wrote(path: str, text: str = "# Mine\n") -> Change:
    """Somebody writes a file."""

    def change(project: Path) -> None:
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_bytes(text.encode())

    return change


def did(tool: str, **given: object) -> Change:
    """Somebody says yes to another call."""
    return lambda project: call(served(project), tool, given, person=Willing())


CURATED, PENDING = f"{ROLE}/memory/consolidated.md", f"{ROLE}/memory/pending.md"
LINTER = "Run the linter before a push."


def of_role(action: str, meanwhile: Change | None = None, code: str = "stale-decision", **given: object) -> Row:
    return Row("memory", {"action": action, **given}, meanwhile, code)


def of_category(action: str, meanwhile: Change | None = None, code: str = "stale-decision", **given: object) -> Row:
    return Row("category", {"action": action, **given}, meanwhile, code)


def of_vault(mode: str, memory: str) -> Row:
    return Row("distill", {"mode": mode}, said(f"{MEMORIES}/MEM-{memory}.md", "---\n# ", "---\nNew.\n\n# "))


ROWS = [
    Row("learn", {"text": "# Customs\n\nForms need the tariff number."}),
    Row("execute", {"command": "write", "args": {"content": "# Customs\n\nForms need the tariff number."}}),
    Row("undo", {}, did("learn", text="# Customs\n\nForms need the tariff number.")),
    of_vault("purge", "stale"),
    of_vault("merge", "one"),
    of_vault("compress", "long"),
    of_vault("refine", "rough"),
    of_vault("gc", "gone"),
    of_vault("auto", "rough"),
    of_role("add_learning", content="Labels are printed twice."),
    of_role("add_preference", content="Answer in short sentences.", category="Communication"),
    of_role("update_learning", said(CURATED, LINTER, "Run it."), id=LINTER, content="Run the linter and the types."),
    of_role("update_preference", said(CURATED, "tabs", "blanks"), id="Prefer tabs.", content="Use tabs."),
    of_role("delete_learning", said(CURATED, LINTER, f"{LINTER}\n  Not on Mondays."), id=LINTER),
    of_role("delete_preference", said(CURATED, "tabs", "blanks"), content="Prefer tabs."),
    of_role("promote", said(PENDING, "the door", "the wall"), id="f20191b7e5"),
    of_role("discard", said(PENDING, "the door", "the wall"), id="f20191b7e5"),
    of_role("expire", said(PENDING, "Mondays", "Tuesdays"), "changed-on-disk"),
    of_role("consolidate", did("memory", action="add_learning", content="Labels stick."), "changed-on-disk"),
    of_role("repair", said(CURATED, "[3x]", "[4x]"), "changed-on-disk"),
    of_role("organize", said(CURATED, "grey", "brown"), "changed-on-disk"),
    of_role("tidy", said(CURATED, f"[0x] {LONG}", f"[1x] {LONG}")),
    of_role("undo", did("role_write", path="core/more.md", content="# More\n")),
    Row(
        "role_write",
        {"path": "core/identity.md", "content": "# Identity\n\nI review.\n"},
        wrote(f"{ROLE}/core/identity.md"),
        "changed-on-disk",
    ),
    Row("role_write", {"path": "core/new.md", "content": "# New\n"}, wrote(f"{ROLE}/core/new.md"), "changed-on-disk"),
    of_category("add", wrote(f"{CATEGORY}/patterns/locks.md"), category="patterns", title="Locks", content="Shut."),
    of_category("sync", wrote(f"{CATEGORY}/patterns/third.md", "# Third\n\nHere.\n")),
    of_category("compact", said(f"{CATEGORY}/decisions/DEC-98.md", "Gone.", "Gone, really.")),
    of_category("refresh", said(f"{CATEGORY}/sessions/2026-06-01.md", "90", "91")),
    of_category("split", said(f"{CATEGORY}/decisions/_log.md", "Line 1 of 9.", "Line one of 9.")),
    of_category("restore", said(f"{CATEGORY}/archive/decisions-2026-06-30.archive.md", "Gone.", "Gone!"),
                target="decisions-2026-06-30"),
    of_category("forget", said(f"{CATEGORY}/patterns/retry.md", "three", "four"), content="Ada Example"),
    of_category("undo", did("category", action="sync")),
]  # fmt: skip
AT_ONCE = {
    "memory extract": ({"content": "Remember: labels stick."}, {"memory/pending.md", "memory/daily/2026-06-30.md"}),
    "memory reinforce": ({"id": LINTER}, {"memory/consolidated.md"}),
    "memory search": ({"query": "run the linter"}, {"memory/consolidated.md"}),
}  # fmt: skip
"""What writes candidates and counts without a question, and the files of the role that it may touch."""
LOOKS = {
    *(f"memory {action}" for action in ("list", "inject")),
    *(f"category {action}" for action in ("list", "search", "check")),
    *(f"execute {command}" for command in ("search", "read", "list")),
}
ALIASES = {"memory llm_tidy", "apply"}
"""The same as another row, and what every row calls."""


class Willing(Person):
    """A person who says yes to everything that is proposed."""

    async def __call__(self, context: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        fields = params.requested_schema["properties"]
        self.chosen = {name.replace("-", "_"): _willing(one) for name, one in fields.items()}
        return await super().__call__(context, params)


def _willing(one: Mapping[str, Any]) -> object:
    return next((choice for choice in one["enum"] if choice != "skip"), "skip") if "enum" in one else True


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The full project, laid down once."""
    project = tmp_path_factory.mktemp("full") / "project"
    project.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMTEND_NOW", ENVIRON["MEMTEND_NOW"])
        lay(project)
        yield project


@pytest.fixture
def full(original: Path, tmp_path: Path) -> Path:
    """A copy of the full project."""
    shutil.copytree(original, tmp_path / "project")
    return tmp_path / "project"


def yes_to(plan: Mapping[str, Any]) -> dict[str, Any]:
    """A yes to every proposal."""
    return {p["segment_id"]: {"action": _yes(p), "digest": p["digest"]} for p in plan["proposals"]}


def _yes(proposal: Mapping[str, Any]) -> str:
    return next(action for action in proposal["actions"] if action not in ("skip", "update", "extend"))


def applied(desk: Desk, plan: Mapping[str, Any], decisions: Mapping[str, Any]) -> Any:
    return call(desk, "apply", {"plan": plan["plan"], "decisions": dict(decisions)})


BY_ROW = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])


@BY_ROW
def test_in_a_form_only_a_yes_writes(full: Path, row: Row) -> None:
    desk, before = served(full), files_of(full)
    for mode, answer, status in (("auto", "decline", "declined"), ("legacy", "cancel", "cancelled")):
        person = Person(answer)
        assert call(desk, row.tool, row.given, mode=mode, person=person)["status"] == status
        assert len(person.asked) == 1
        assert "Nothing is written before you accept." in person.asked[0].message
        assert files_of(full) == before
    done = call(desk, row.tool, row.given, mode="legacy", person=Willing())
    assert done["status"] not in ("planned", "declined", "error"), done
    assert files_of(full) != before


@BY_ROW
def test_without_forms_only_apply_with_the_digests_writes(full: Path, row: Row) -> None:
    desk, before = served(full), files_of(full)
    plan = call(desk, row.tool, row.given)
    assert plan["status"] == "planned", plan
    assert plan["proposals"]
    yes = yes_to(plan)
    wrong = {id: {**decision, "digest": "0" * 12} for id, decision in yes.items()}
    assert applied(desk, plan, wrong)["error"]["code"] == "stale-decision"
    assert applied(desk, plan, {id: {"action": one["action"]} for id, one in yes.items()})["error"]["code"] == "usage"
    skipped = call(desk, row.tool, row.given)
    assert "error" not in applied(desk, skipped, decided(skipped, "skip"))
    assert files_of(full) == before
    done = applied(desk, plan, yes)
    assert "error" not in done, done
    assert files_of(full) != before
    assert applied(desk, plan, yes)["error"]["code"] == "not-found"


@pytest.mark.parametrize("row", [row for row in ROWS if row.meanwhile], ids=[row.name for row in ROWS if row.meanwhile])
def test_a_decision_on_what_has_changed_meanwhile_writes_nothing(full: Path, row: Row) -> None:
    desk = served(full)
    plan = call(desk, row.tool, row.given)
    assert row.meanwhile
    row.meanwhile(full)
    changed = files_of(full)
    late = applied(desk, plan, yes_to(plan))
    assert late.get("error", {}).get("code") == row.code, late
    assert late["error"]["hint"]
    assert files_of(full) == changed


CHANGING = [row for row in ROWS if row.meanwhile and "undo" not in row.name]
"""An undo is of the receipt that was shown, whatever comes after it."""


@pytest.mark.parametrize("row", CHANGING, ids=[row.name for row in CHANGING])
def test_a_decision_on_what_changes_in_the_last_moment_writes_nothing(
    full: Path, row: Row, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, changed, lock = served(full), {}, StoreLock.hold
    plan = call(desk, row.tool, row.given)

    def hold(asked: StoreLock, now: datetime) -> AbstractContextManager[None]:
        """Somebody is quicker, just before the lock is had."""
        monkeypatch.undo()
        assert row.meanwhile
        row.meanwhile(full)
        changed.update(files_of(full))
        return lock(asked, now)

    monkeypatch.setattr(StoreLock, "hold", hold)
    late = applied(desk, plan, yes_to(plan))
    assert late.get("error", {}).get("code") in (row.code, "changed-on-disk"), late
    assert files_of(full) == changed


def test_a_plan_that_is_applied_twice_at_once_is_written_once(full: Path) -> None:
    desk = served(full)
    plan = call(desk, "learn", {"text": "# Customs\n\nForms need the tariff number."})
    answers: list[Any] = []
    threads = [threading.Thread(target=lambda: answers.append(applied(desk, plan, yes_to(plan)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer["status"] for answer in answers].count("completed") == 1
    assert {answer["error"]["code"] for answer in answers if "error" in answer} <= {"conflict", "not-found"}
    assert len(list((full / MEMORIES).glob("MEM-customs*.md"))) == 1


def test_a_plan_that_failed_can_be_applied_still(full: Path) -> None:
    desk = served(full)
    plan = call(desk, "memory", {"action": "update_learning", "id": LINTER, "content": "Run the linter and the types."})
    said(CURATED, LINTER, "Run it.")(full)
    assert applied(desk, plan, yes_to(plan))["error"]["code"] == "stale-decision"
    said(CURATED, "Run it.", LINTER)(full)
    assert applied(desk, plan, yes_to(plan))["status"] == "updated"


def test_the_digest_of_one_proposal_fits_no_other(full: Path) -> None:
    desk = served(full)
    rows = [row for row in ROWS if row.tool in ("memory", "role_write", "category", "undo")]
    digests = [p["digest"] for row in rows for p in call(desk, row.tool, row.given)["proposals"]]
    assert len(set(digests)) == len(digests)


@pytest.mark.parametrize("name", AT_ONCE)
def test_candidates_and_counts_are_written_at_once_and_nothing_else(full: Path, name: str) -> None:
    tool, _, action = name.partition(" ")
    given, may_touch = AT_ONCE[name]
    before = files_of(full)
    answer = call(served(full), tool, {"action": action, **given}, person=Person("decline"))
    assert "error" not in answer, answer
    after = files_of(full)
    touched = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert touched == {f"{ROLE}/{path}" for path in may_touch}


@pytest.mark.parametrize("action", ["add_learning", "add_preference"])
def test_what_an_agent_adds_by_itself_is_a_candidate_at_once(full: Path, action: str) -> None:
    before = files_of(full)
    given = {"action": action, "content": "Labels are printed twice.", "source": "auto"}
    assert call(served(full), "memory", given)["status"] == "pending"
    after = files_of(full)
    assert {path for path in after if before.get(path) != after[path]} == {
        PENDING,
        f"{ROLE}/memory/daily/2026-06-30.md",
    }


def test_a_report_changes_no_memory(full: Path) -> None:
    before = files_of(full)
    assert call(served(full), "distill", {"mode": "report"})["status"] == "completed"
    after = files_of(full)
    assert {path for path in after if before.get(path) != after[path]} <= {
        ".memory/distill-log.json",
        "specs/state.json",
    }


def test_every_tool_that_writes_stands_in_this_table() -> None:
    known = {row.name for row in ROWS} | set(AT_ONCE) | LOOKS | ALIASES | {"distill report"}
    for tool in tools().values():
        if tool.writes:
            choices = next((one.choices for one in tool.parameters if one.name in CHOOSING), ())
            assert {f"{tool.name} {choice}" for choice in choices} or {tool.name} <= known, tool.name
            assert {f"{tool.name} {choice}" for choice in choices} <= known, tool.name


@pytest.mark.parametrize("name", sorted(LOOKS))
def test_what_only_looks_writes_nothing(full: Path, name: str) -> None:
    before = files_of(full)
    tool, _, choice = name.partition(" ")
    given: dict[str, Any] = {"query": "linter"} if choice == "search" else {}
    if tool == "execute":
        given = {"args": {"query": "parcel"} if choice == "search" else {"path": "MEM-one"} if choice == "read" else {}}
    answer = call(served(full), tool, {"command" if tool == "execute" else "action": choice, **given})
    assert "error" not in answer, answer
    assert files_of(full) == before
