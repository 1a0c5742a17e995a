"""What holds for every action of a role: its answer, its date, its dry run, its undo."""

import json

import pytest
from a_role import ARole, a_role

from memtend.layouts.role.ids import id_of


def test_plain_roles_get_and_keep_no_comments() -> None:
    with a_role(plain=True) as role:
        role.add_learning("a", source="review", tags=("t",))
        role.put(role.text().replace("- (none)", "- [1x] b <!-- tags: t | seen: 2026-01-01 -->", 1))
        role.reinforce("a")
        role.reinforce("b")
        assert role.lines() == ["- [2x] b", "- [1x] a"]


def test_a_dry_run_answers_and_writes_nothing() -> None:
    with a_role(dry_run=True) as role:
        before = role.tree()
        assert role.add_learning("a").status == "created"
        assert role.tree() == before
        assert role.log() == ()


def test_listing_counts_and_names_what_is_the_matter() -> None:
    with a_role() as role:
        long = "Write " + "very " * 24 + "briefly"
        role.put(
            "# Memory: zero\n# Last Consolidated: 2026-06-01\n\n"
            "# Learnings (High Priority)\n- [3x] a\n- [1x] wrong tier\n"
            f"stray\n\n# Learnings (New)\n- [0x] {long}\n- [0x] b\n\n# Preferences: Code\n- c\n\n## Events\n"
        )
        role.add_learning("d", source="auto")
        found = role.list()
        assert found.learnings == {"total": 5, "high": 2, "normal": 1, "new": 2}
        assert found.preferences == {"total": 1, "Code": 1}
        assert found.pending == {"waiting": 1, "promoted": 0, "discarded": 0, "unknown": 0}
        assert (found.noise, found.last_consolidated) == (0.4, "2026-06-01")
        assert found.long == (id_of("learning", long),)
        assert [(issue.code, issue.line) for issue in found.issues] == [
            ("wrong-tier", 6),
            ("stray-line", 7),
            ("malformed-heading", 16),
        ]
        document = json.loads(json.dumps(found.to_json()))
        assert document["entries"][0] == {
            "id": id_of("learning", "a"),
            "kind": "learning",
            "text": "a",
            "count": 3,
            "tier": "high",
        }
        assert document["entries"][-1] == {
            "id": id_of("pending", "d"),
            "kind": "pending",
            "text": "d",
            "state": "waiting",
            "source": "auto",
            "created": "2026-06-30",
        }


def test_o_tm_03_date_and_time_are_utc_both(monkeypatch: pytest.MonkeyPatch) -> None:
    import time
    from datetime import datetime

    for zone, moment in (
        ("Pacific/Kiritimati", "2026-06-30T00:30+14:00"),
        ("Pacific/Pago_Pago", "2026-06-30T23:30-11:00"),
    ):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        with a_role() as role:
            role.clock.now = datetime.fromisoformat(moment)
            role.add_learning("a")
            role.reinforce("a")
            day = {"Pacific/Kiritimati": "2026-06-29", "Pacific/Pago_Pago": "2026-07-01"}[zone]
            assert role.lines() == [f"- [1x] a <!-- seen: {day} -->"]
            assert role.text(f"memory/daily/{day}.md").startswith(f"# Memory: {day}\n\n## [10:30] LESSON\n")
    monkeypatch.undo()
    time.tzset()


def _use(role: ARole) -> None:
    role.add_learning("a", source="auto")
    role.add_learning("b")
    role.add_preference("c", "Code")
    role.search("a b")
    role.update_learning("b", "bb")
    role.reinforce("bb")
    role.expire()


def test_every_answer_can_be_written_as_json() -> None:
    with a_role() as role:
        _use(role)
        answers = [role.list(), role.search("bb"), role.add_learning("z"), role.reinforce("z"), role.consolidate()]
        answers += [role.repair(), role.expire(), role.organize(tidy=True), role.inject(), role.migrate(), role.tidy()]
        for answer in answers:
            values = json.loads(json.dumps(answer.to_json(), allow_nan=False))
            assert values.keys() == answer.to_json().keys()
            assert values


def test_undo_takes_every_action_back_to_the_byte() -> None:
    with a_role() as role:
        trees = [role.tree()]
        for step in (
            lambda: role.add_learning("a", source="auto"),
            lambda: role.add_learning("b"),
            lambda: role.add_preference("c", "Code"),
            lambda: role.promote("a"),
            lambda: role.update_learning("b", "bb"),
            lambda: role.reinforce("bb"),
            lambda: role.delete_preference("c", confirmed=True),
            lambda: role.add_learning("BB!"),
            role.consolidate,
        ):
            step()
            trees.append(role.tree())
        for tree in reversed(trees[:-1]):
            role.undo()
            assert role.tree() == tree
