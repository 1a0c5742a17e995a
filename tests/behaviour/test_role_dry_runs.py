"""With `dry_run` every action answers as it would, and not a byte changes, memtend's own files included."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from a_role import ARole, a_role, opened

from memtend.errors import LaterChange, NotFound
from memtend.workspace.role.reports import Organized
from memtend.workspace.role.roles import Roles

PAGE = """\
# Learnings (High Priority)
- [1x] wrong tier
# Learnings (Normal)
- [2x] Guard clauses first
- [1x] guard clauses first.
# Learnings (New)
- [0x] never used <!-- seen: 2026-01-01 -->
# Preferences: Code
- use tabs
"""
PENDING = """\
- [○] [auto] old
  id: 1
  created: 2026-06-01

- [○] [auto] cache the answers
  id: 2
  created: 2026-06-29
"""
TRANSCRIPT = "user: Remember: always sign the commits.\nuser: Remember: always sign the commits.\n"

ACTIONS: dict[str, Callable[[ARole], Any]] = {
    "search": lambda role: role.search("guard clauses"),
    "search that promotes": lambda role: role.search("cache the answers"),
    "add_learning": lambda role: role.add_learning("b", source="review", tags=("t",)),
    "add_preference": lambda role: role.add_preference("b", "Code", source="auto"),
    "update_learning": lambda role: role.update_learning("never used", "seldom used"),
    "update_preference": lambda role: role.update_preference("use tabs", "use spaces", category="Tools"),
    "delete_learning": lambda role: role.delete_learning("never used"),
    "delete_preference": lambda role: role.delete_preference("use tabs", confirmed=True),
    "reinforce": lambda role: role.reinforce("never used"),
    "promote": lambda role: role.promote("cache the answers"),
    "discard": lambda role: role.discard("cache the answers"),
    "expire": lambda role: role.expire(),
    "consolidate": lambda role: role.consolidate(),
    "repair": lambda role: role.repair(),
    "tidy": lambda role: role.apply_tidy(role.tidy(), accepted=True, force=True),
    "extract": lambda role: role.extract(TRANSCRIPT),
    "organize": lambda role: role.organize(tidy=True, query="cache the answers"),
    "organize_due": lambda role: role.organize_due(TRANSCRIPT),
    "migrate": lambda role: role.migrate(),
    "write": lambda role: role.write("core/identity.md", "You are zero.\n"),
    "undo": lambda role: role.undo(),
}


def everything(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def laid_out(role: ARole) -> None:
    role.write("core/old.md", "Something to undo.\n")
    role.put(PAGE)
    role.put(PENDING, "memory/pending.md")
    role.put("# 2026-01-02\n\n- a day of an older layout\n", "memory/2026-01-02.md")


@pytest.mark.parametrize("name", ACTIONS)
def test_a_dry_run_writes_nothing_whatever_the_action(name: str) -> None:
    with a_role() as role:
        laid_out(role)
        before = everything(role.root)
        answer = ACTIONS[name](role.again(dry_run=True, session="s-1"))
        assert everything(role.root) == before
        assert '"receipt": "r-' not in str(answer.to_json()).replace("'", '"')


@pytest.mark.parametrize("name", ACTIONS)
def test_a_dry_run_answers_what_the_action_then_answers(name: str) -> None:
    with a_role() as role:
        laid_out(role)
        foreseen = ACTIONS[name](role.again(dry_run=True, session="s-1")).to_json()
        done = ACTIONS[name](role.again(session="s-1")).to_json()
        for answer in (foreseen, done):
            for own in ("receipt", "receipts", "id", "at", "note", "session", "git", "verbs", "memory_ids"):
                answer.pop(own, None)
            for added in answer.get("added", ()) if isinstance(answer.get("added"), list) else ():
                added.pop("receipt")
        assert foreseen == done


def test_a_dry_run_of_a_session_knows_what_the_session_has_counted() -> None:
    with a_role() as role:
        laid_out(role)
        role.again(session="s-1").search("guard clauses")
        assert role.again(session="s-1", dry_run=True).search("guard clauses").reinforced == ()
        assert role.again(session="s-2", dry_run=True).search("guard clauses").reinforced != ()


def test_the_steps_of_a_procedure_see_what_the_steps_before_would_have_left() -> None:
    with a_role() as role:
        laid_out(role)
        foreseen: Organized = role.again(dry_run=True).organize()
        assert (foreseen.before["learnings"], foreseen.after["learnings"], foreseen.removed) == (4, 3, 1)
        assert foreseen.report == role.organize().report


def test_a_dry_run_of_an_undo_names_what_would_be_taken_back() -> None:
    with a_role() as role:
        with pytest.raises(NotFound):
            role.again(dry_run=True).undo()
        first = role.add_learning("a").receipt
        second = role.add_learning("b").receipt
        look = role.again(dry_run=True)
        assert look.undo().undoes == second
        for asked in (look, role):
            with pytest.raises(LaterChange):
                asked.undo(first)
        role.undo()
        assert look.undo().undoes == look.undo(first).undoes == first
        for asked in (look, role):
            with pytest.raises(LaterChange):
                asked.undo(second)


def test_a_dry_run_makes_no_role(tmp_path: Path) -> None:
    role, receipt = Roles(tmp_path).create("zero", dry_run=True)
    assert "memory/consolidated.md" in receipt.paths
    assert not role.root.exists()
    Roles(tmp_path).create("zero")
    assert Roles(tmp_path).create("zero", dry_run=True)[1].paths == ()
    assert opened(tmp_path / "zero").list().learnings["total"] == 0
