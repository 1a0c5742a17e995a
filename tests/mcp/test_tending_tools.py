"""distill and category through their tools: proposals, a person's yes, and what cannot be asked."""

from pathlib import Path
from typing import Any

import pytest
from agents_client import PARCELS, Person, call, decided, files_of, remember, talk

from memtend.mcp.answers import LIMIT_BYTES, as_text
from memtend.mcp.desk import Desk
from memtend.workspace import Workspace
from memtend.workspace.category.categories import CategoryWorkspace


@pytest.fixture
def stale(project: Path) -> Path:
    """A vault with an old memory that nobody used, and one that is used."""
    folder = project / ".memory" / "10-Memories"
    head = "tags: [CONFIG]\ntopic: shop\nkeywords: [parcel]\n"
    for id, dates in (
        ("MEM-old", "created: 2025-01-01\nretrieval_count: 0\nlast_retrieved:\n"),
        ("MEM-used", "created: 2026-06-01\nretrieval_count: 9\nlast_retrieved: 2026-06-29\n"),
        ("MEM-fresh", "created: 2026-06-20\nretrieval_count: 1\nlast_retrieved: 2026-06-28\n"),
        ("MEM-also", "created: 2026-06-21\nretrieval_count: 1\nlast_retrieved: 2026-06-28\n"),
        ("MEM-more", "created: 2026-06-22\nretrieval_count: 1\nlast_retrieved: 2026-06-28\n"),
    ):
        text = f"---\ntitle: {id}\n{head.replace('parcel', id)}{dates}---\n# {id}\n\nText about {id} alone.\n"
        (folder / f"{id}.md").write_text(text)
    return folder


def test_the_report_is_short_and_says_how_the_vault_is(desk: Desk, stale: Path) -> None:
    found = call(desk, "distill")
    assert found["status"] == "completed"
    assert found["total_memories"] == 5
    assert (found["health_score"], found["health_status"]) == (100, "healthy")
    assert set(found["candidate_counts"]) == set(found["candidates"]) == {"purge", "merge", "compress", "review"}
    assert "scores" not in found
    assert len(as_text(found).encode()) < LIMIT_BYTES


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_purge_asks_and_retires_what_was_chosen(desk: Desk, stale: Path, workspace: Workspace, mode: str) -> None:
    before = files_of(stale)
    assert call(desk, "distill", {"mode": "purge"}, mode=mode, person=Person("decline"))["status"] == "declined"
    assert files_of(stale) == before
    person = Person(MEM_old="purge")
    done = call(desk, "distill", {"mode": "purge"}, mode=mode, person=person)
    assert done["status"] == "completed"
    assert set(person.asked[0].requested_schema["properties"]["MEM-old"]["enum"]) == {"purge", "skip"}
    assert not workspace.read("MEM-old").is_active


def test_who_cannot_be_asked_answers_purge_with_apply(desk: Desk, stale: Path, workspace: Workspace) -> None:
    plan = call(desk, "distill", {"mode": "purge"})
    assert (plan["status"], plan["mode"]) == ("planned", "purge")
    assert workspace.read("MEM-old").is_active
    (proposal,) = plan["proposals"]
    decisions = {proposal["segment_id"]: {"action": "purge", "digest": proposal["digest"]}}
    assert call(desk, "apply", {"plan": plan["plan"], "decisions": decisions})["status"] == "completed"
    assert not workspace.read("MEM-old").is_active


def test_what_needs_no_judgement_is_one_question(desk: Desk, stale: Path, workspace: Workspace) -> None:
    before = files_of(stale)
    person = Person("decline")
    assert call(desk, "distill", {"mode": "auto"}, person=person)["status"] == "declined"
    assert files_of(stale) == before
    assert "plain: mend keywords, summary or topic of 5 memories" in person.asked[0].message
    assert call(desk, "distill", {"mode": "auto"}, person=Person(plain="skip"))["status"] == "declined"
    assert files_of(stale) == before
    plan = call(desk, "distill", {"mode": "auto"})
    assert "MEM-old: summary → " in plan["proposals"][0]["diff"]
    decisions = decided(plan, "accept")
    assert call(desk, "apply", {"plan": plan["plan"], "decisions": decisions})["affected_count"] == 5
    assert workspace.read("MEM-old").summary


def test_of_refine_each_part_is_written_only_where_it_was_chosen(desk: Desk, stale: Path, workspace: Workspace) -> None:
    plan = call(desk, "distill", {"mode": "refine"})
    of_old = next(p for p in plan["proposals"] if p["segment_id"].startswith("MEM-old:"))
    decisions = {of_old["segment_id"]: {"action": "refine", "digest": of_old["digest"]}}
    done = call(desk, "apply", {"plan": plan["plan"], "decisions": decisions})
    assert (done["status"], done["affected_count"]) == ("completed", 1)
    assert workspace.read("MEM-old").summary == ""
    person = Person()
    assert call(desk, "distill", {"mode": "refine"}, mode="legacy", person=person)["status"] == "completed"
    assert "plain" in person.asked[0].requested_schema["properties"]
    assert workspace.read("MEM-old").summary


def test_the_health_resource_is_the_report(desk: Desk, stale: Path) -> None:
    async def look(client: Any) -> str:
        return str((await client.read_resource("memory://health")).contents[0].text)

    assert '"health_score":' in talk(desk, look)


@pytest.fixture
def categories(project: Path, desk: Desk) -> CategoryWorkspace:
    """An empty category memory in the project."""
    memory, _ = CategoryWorkspace.create(project / "contexts" / "memory")
    desk.category_root = str(memory.root)
    return memory


def test_an_entry_is_added_after_a_yes_and_found(desk: Desk, categories: CategoryWorkspace) -> None:
    given = {"action": "add", "category": "patterns", "title": "Retry", "content": "Retry at most three times."}
    before = files_of(categories.root)
    assert call(desk, "category", given)["status"] == "planned"
    assert call(desk, "category", given, person=Person("cancel"))["status"] == "cancelled"
    assert files_of(categories.root) == before
    person = Person()
    assert call(desk, "category", given, person=person)["status"] == "done"
    assert "Retry at most three times." in person.asked[0].message
    found = call(desk, "category", {"action": "search", "query": "retry"})
    assert found["returned"] == 1
    assert call(desk, "category", {"action": "list"})["notice"]
    assert call(desk, "category", {"action": "check"})["returned"] == 0


def test_what_yields_nothing_says_so(desk: Desk, categories: CategoryWorkspace) -> None:
    assert call(desk, "category", {"action": "compact"}, person=Person())["next"] == "There is nothing to decide."
    assert call(desk, "category", {"action": "restore"})["error"]["code"] == "usage"


def test_without_a_category_memory_the_tool_says_so(desk: Desk, workspace: Workspace) -> None:
    remember(workspace, PARCELS)
    assert call(desk, "category", {"action": "list"})["error"]["code"] == "not-found"
