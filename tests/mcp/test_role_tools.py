"""A role's memory through the `memory` tool, and its files."""

from pathlib import Path

import pytest
from agents_client import ENVIRON, Person, call

from memtend.mcp.desk import Desk
from memtend.workspace.role.roles import Roles


@pytest.fixture
def roled(desk: Desk, project: Path) -> Desk:
    """A desk with one role."""
    Roles.open(str(project / "roles"), ENVIRON).create("reviewer")
    return desk


def test_a_learning_is_added_found_reinforced_and_taken_out_after_a_yes(roled: Desk) -> None:
    added = call(roled, "memory", {"action": "add_learning", "content": "Run the linter before a push."})
    assert added["status"] == "created"
    found = call(roled, "memory", {"action": "search", "query": "run the linter"})
    assert [hit["id"] for hit in found["hits"]] == [added["id"]]
    assert call(roled, "memory", {"action": "reinforce", "id": added["id"]})["count"] >= 1
    asked = Person("decline")
    delete = {"action": "delete_learning", "id": added["id"]}
    assert call(roled, "memory", delete, person=asked)["status"] == "declined"
    assert added["id"] in asked.asked[0].message
    assert call(roled, "memory", delete)["status"] == "planned"
    assert call(roled, "memory", {**delete, "confirmed": "true"})["status"] == "deleted"


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
    written = call(roled, "role_write", {"path": "core/identity.md", "content": "# Identity\n"})
    assert written["status"] == "created"
    read = call(roled, "role_read", {"path": "core/identity.md"})
    assert read["text"] == "# Identity\n"
    refused = call(roled, "role_write", {"path": "core/identity.md", "content": "x", "digest": "0" * 64})
    assert refused["error"]["code"] in ("stale-decision", "changed-on-disk")
    assert call(roled, "role_read", {"path": "../../secret.md"})["error"]["code"] == "outside-store"
    assert any("identity.md" in file["path"] for file in call(roled, "role_list", {"role": "reviewer"})["files"])
