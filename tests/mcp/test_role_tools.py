"""A role's memory through the `memory` tool, and its files."""

from pathlib import Path

import pytest
from agents_client import ENVIRON, Person, applied, call, decided, files_of

from memtend.mcp.desk import Desk
from memtend.workspace.role.roles import Roles


@pytest.fixture
def roled(desk: Desk, project: Path) -> Desk:
    """A desk with one role."""
    Roles.open(str(project / "roles"), ENVIRON).create("reviewer")
    return desk


def test_a_learning_is_added_found_reinforced_and_taken_out_after_a_yes(roled: Desk) -> None:
    added = applied(roled, "memory", {"action": "add_learning", "content": "Run the linter before a push."})
    assert added["status"] == "created"
    found = call(roled, "memory", {"action": "search", "query": "run the linter"})
    assert [hit["id"] for hit in found["hits"]] == [added["id"]]
    assert call(roled, "memory", {"action": "reinforce", "id": added["id"]})["count"] >= 1
    asked = Person("decline")
    delete = {"action": "delete_learning", "id": added["id"]}
    assert call(roled, "memory", delete, person=asked)["status"] == "declined"
    assert "delete learning: Run the linter before a push." in asked.asked[0].message
    assert applied(roled, "memory", delete)["status"] == "deleted"


def test_what_an_agent_thinks_of_by_itself_waits_as_a_candidate(roled: Desk) -> None:
    added = call(roled, "memory", {"action": "add_preference", "content": "Prefer tabs.", "source": "auto"})
    assert added["status"] == "pending"
    listed = call(roled, "memory", {"action": "list"})
    assert listed["role"] == "reviewer"


def test_an_action_that_lacks_something_says_what(roled: Desk) -> None:
    assert "needs content" in call(roled, "memory", {"action": "add_learning"})["error"]["message"]
    assert "is none of" in call(roled, "memory", {"action": "burn"})["error"]["message"]


def test_files_of_a_role_are_read_and_written_within_its_folder(roled: Desk) -> None:
    assert call(roled, "role_list")["roles"] == ["reviewer"]
    written = applied(roled, "role_write", {"path": "core/identity.md", "content": "# Identity\n"})
    assert written["status"] == "created"
    read = call(roled, "role_read", {"path": "core/identity.md"})
    assert read["text"] == "# Identity\n"
    refused = call(roled, "role_write", {"path": "core/identity.md", "content": "x", "digest": "0" * 64})
    assert refused["error"]["code"] in ("stale-decision", "changed-on-disk")
    assert call(roled, "role_read", {"path": "../../secret.md"})["error"]["code"] == "outside-store"
    assert any("identity.md" in file["path"] for file in call(roled, "role_list", {"role": "reviewer"})["files"])


def test_a_journal_is_added_to_after_a_yes_and_never_rewritten(roled: Desk, project: Path) -> None:
    path = "memory/daily/2026-06-30.md"
    assert applied(roled, "role_write", {"path": path, "content": "# Today\n"})["status"] == "created"
    more = {"path": path, "content": "# Today\n\nMore.\n"}
    assert applied(roled, "role_write", more)["status"] == "updated"
    assert call(roled, "role_write", {"path": path, "content": "# Other\n"})["error"]["code"] == "refused"
    assert (project / "roles" / "reviewer" / path).read_text() == "# Today\n\nMore.\n"
    for odd in ("memory/daily/../daily/2026-06-30.md", "memory//daily/2026-06-30.md", "./memory/daily/2026-06-30.md"):
        assert call(roled, "role_write", {"path": odd, "content": "# Today\n\nAgain.\n"})["status"] == "error", odd


OLDER = {
    "add_learning": {"content": "Labels are printed twice.", "source": "auto"},
    "update_learning": {"id": "Boxes are grey.", "content": "Boxes are brown."},
    "reinforce": {"id": "Boxes are grey."},
    "extract": {"content": "Remember: labels are printed twice."},
}


@pytest.mark.parametrize("action", OLDER)
def test_an_older_layout_is_taken_over_after_a_yes(roled: Desk, project: Path, action: str) -> None:
    folder = project / "roles" / "reviewer"
    (folder / "memory" / "consolidated.md").unlink()
    (folder / "MEMORY.md").write_text("# Memory\n\n# Learnings (New)\n- [0x] Boxes are grey.\n")
    before = files_of(folder)
    found = call(roled, "memory", {"action": "search", "query": "boxes are grey"})
    assert [hit["text"] for hit in found["hits"]] == ["Boxes are grey."]
    plan = call(roled, "memory", {"action": action, **OLDER[action]})
    assert plan["proposals"][0]["summary"] == f"{action}, and take the files of an older layout over"
    assert "-- [0x] Boxes are grey." in plan["proposals"][0]["diff"]
    assert call(roled, "memory", {"action": action, **OLDER[action]}, person=Person("decline"))["status"] == "declined"
    assert files_of(folder) == before
    done = call(roled, "apply", {"plan": plan["plan"], "decisions": decided(plan, "accept")})
    assert "error" not in done, done
    assert "MEMORY.md" not in files_of(folder)
    texts = [entry["text"] for entry in call(roled, "memory", {"action": "list"})["entries"]]
    assert {"Boxes are grey.", "Boxes are brown.", "Labels are printed twice."} & set(texts)


LONG = (
    "The parcel client retries a failed request three times before it gives up on the whole batch. "
    "The label worker waits for the font cache, since two of them at once spoil it."
)


@pytest.fixture
def untidy(roled: Desk) -> Desk:
    """A role with a line that is too long, among short ones."""
    for text in (LONG, "Run the linter before a push.", "Shelves are numbered from the door.", "Mondays are slow."):
        applied(roled, "memory", {"action": "add_learning", "content": text})
    return roled


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_tidy_asks_about_each_part_and_does_what_was_chosen(untidy: Desk, project: Path, mode: str) -> None:
    before = files_of(project / "roles")
    for answer in ("decline", "cancel"):
        ended = call(untidy, "memory", {"action": "tidy"}, mode=mode, person=Person(answer))
        assert ended["status"] == {"decline": "declined", "cancel": "cancelled"}[answer]
        assert files_of(project / "roles") == before
    person = Person()
    done = call(untidy, "memory", {"action": "llm_tidy"}, mode=mode, person=person)
    assert (done["status"], done["rewrote"], done["added"], done["deleted"]) == ("completed", 1, 1, 0)
    (field,) = person.asked[0].requested_schema["properties"].values()
    assert (field["enum"], field["default"]) == (["accept", "skip"], "accept")
    assert "+- [0x] The label worker waits" in person.asked[0].message
    texts = [entry["text"] for entry in call(untidy, "memory", {"action": "list"})["entries"]]
    assert LONG not in texts
    assert "The label worker waits for the font cache, since two of them at once spoil it." in texts


def test_who_cannot_be_asked_answers_tidy_with_apply(untidy: Desk, project: Path) -> None:
    before = files_of(project / "roles")
    plan = call(untidy, "memory", {"action": "tidy"})
    assert (plan["status"], plan["action"], plan["role"]) == ("planned", "tidy", "reviewer")
    assert files_of(project / "roles") == before
    (proposal,) = plan["proposals"]
    stale = {proposal["segment_id"]: {"action": "accept", "digest": "0" * 12}}
    refused = call(untidy, "apply", {"plan": plan["plan"], "decisions": stale})
    assert refused["error"]["code"] == "stale-decision"
    assert files_of(project / "roles") == before
    decisions = {proposal["segment_id"]: {"action": "accept", "digest": proposal["digest"]}}
    assert call(untidy, "apply", {"plan": plan["plan"], "decisions": decisions})["rewrote"] == 1


def test_an_entry_that_changed_since_the_plan_is_not_tidied(untidy: Desk, project: Path) -> None:
    plan = call(untidy, "memory", {"action": "tidy"})
    (proposal,) = plan["proposals"]
    call(untidy, "memory", {"action": "reinforce", "id": proposal["segment_id"]})
    before = files_of(project / "roles")
    decisions = {proposal["segment_id"]: {"action": "accept", "digest": proposal["digest"]}}
    refused = call(untidy, "apply", {"plan": plan["plan"], "decisions": decisions})
    assert refused["error"]["code"] == "stale-decision"
    assert files_of(project / "roles") == before


def test_a_preference_goes_by_tidy_only_where_its_own_proposal_is_accepted(roled: Desk, project: Path) -> None:
    for text in ("Run the linter before a push to main.", "Label shelves.", "Mondays are slow.", "Boxes are grey."):
        applied(roled, "memory", {"action": "add_learning", "content": text})
    for text in ("Keep the answers short and plain please.", "Keep answers short and plain please."):
        applied(roled, "memory", {"action": "add_preference", "content": text, "category": "Communication"})
    plan = call(roled, "memory", {"action": "tidy"})
    (proposal,) = plan["proposals"]
    assert proposal["summary"].startswith("delete: Keep")
    assert proposal["recommendation"]["strength"] == "weak"
    person = Person()
    done = call(roled, "memory", {"action": "tidy"}, person=person)
    assert (done["deleted"], done["skipped"]) == (0, [])
    (field,) = person.asked[0].requested_schema["properties"].values()
    assert field["default"] == "skip"
    person.chosen = {proposal["segment_id"].replace("-", "_"): "accept"}
    assert call(roled, "memory", {"action": "tidy"}, person=person)["deleted"] == 1


def test_a_tidy_role_has_nothing_to_decide(roled: Desk) -> None:
    applied(roled, "memory", {"action": "add_learning", "content": "Run the linter before a push."})
    assert call(roled, "memory", {"action": "tidy"}, person=Person())["next"] == "There is nothing to decide."


def test_the_whole_procedure_is_shown_as_a_diff_and_is_one_change(untidy: Desk, project: Path) -> None:
    file = project / "roles" / "reviewer" / "memory" / "consolidated.md"
    file.write_text(file.read_text().replace("- [0x] Mondays", "- [0x] MONDAYS are slow.\n- [0x] Mondays"))
    before = files_of(project / "roles")
    plan = call(untidy, "memory", {"action": "organize"})
    (proposal,) = plan["proposals"]
    assert proposal["summary"] == "the whole upkeep (repaired no, merged 1, expired 0)"
    assert "memory/consolidated.md\n" in proposal["diff"]
    assert call(untidy, "memory", {"action": "organize"}, person=Person("decline"))["status"] == "declined"
    assert files_of(project / "roles") == before
    done = call(untidy, "apply", {"plan": plan["plan"], "decisions": decided(plan, "accept")})
    assert "Consolidate: removed 1 duplicates" in done["report"]
    (receipt,) = done["receipts"]
    assert applied(untidy, "memory", {"action": "undo", "id": receipt})["undone"] == receipt
    assert files_of(project / "roles") == before
