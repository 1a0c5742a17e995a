"""A question to the person, over the real transports: said yes, said no, closed, and nobody to ask."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio
import pytest
from agents_client import Person, environment, files_of
from mcp.client.stdio import StdioServerParameters
from test_http import Serving
from test_stdio import SERVER

from mcp import Client
from memtend.mcp.desk import Desk
from memtend.workspace import Workspace

NOTE = "# Customs\n\nForms need the tariff number."
OUTCOMES = {"accept": "completed", "decline": "declined", "cancel": "cancelled", "unsupported": "planned"}


def connected(target: Any, mode: str, outcome: str) -> AbstractAsyncContextManager[Client]:
    """A client whose person answers so; none to ask where it is unsupported."""
    person = Person(outcome) if outcome != "unsupported" else None
    return Client(target, mode=mode, elicitation_callback=person)


async def learned(target: Any, mode: str, outcome: str) -> Any:
    """What learning a note answers."""
    async with connected(target, mode, outcome) as client:
        return (await client.call_tool("learn", {"text": NOTE})).structured_content


@pytest.mark.parametrize("outcome", list(OUTCOMES))
def test_over_stdio_only_a_yes_writes(project: Path, workspace: Workspace, outcome: str) -> None:
    parameters = StdioServerParameters(command=SERVER[0], args=SERVER[1:], cwd=project, env=environment())
    before = files_of(project)
    for mode in ("legacy", "auto") if outcome != "accept" else ("legacy",):
        assert anyio.run(learned, parameters, mode, outcome)["status"] == OUTCOMES[outcome]
        assert (files_of(project) != before) == (outcome == "accept")
    assert len(workspace.memories()) == (outcome == "accept")


@pytest.mark.parametrize("outcome", list(OUTCOMES))
def test_over_stdio_a_role_changes_only_after_a_yes(everything: Desk, project: Path, outcome: str) -> None:
    parameters = StdioServerParameters(
        command=SERVER[0], args=SERVER[1:], cwd=project, env=environment(MEMTEND_ROLES=str(project / "roles"))
    )
    before = files_of(project)

    async def write() -> list[str]:
        async with connected(parameters, "legacy", outcome) as client:
            answers = [
                await client.call_tool("memory", {"action": "add_preference", "content": "Prefer tabs."}),
                await client.call_tool("role_write", {"path": "core/identity.md", "content": "# Identity\n"}),
            ]
        return [str((answer.structured_content or {})["status"]) for answer in answers]

    expected = "created" if outcome == "accept" else OUTCOMES[outcome]
    assert anyio.run(write) == [expected, expected]
    assert (files_of(project) != before) == (outcome == "accept")


def test_over_http_only_a_yes_writes(project: Path, workspace: Workspace) -> None:
    running = Serving(project)
    before = files_of(project)
    try:
        url = f"http://127.0.0.1:{running.port}/mcp"
        for mode in ("legacy", "auto"):
            for outcome in ("decline", "cancel", "unsupported"):
                assert anyio.run(learned, url, mode, outcome)["status"] == OUTCOMES[outcome]
                assert files_of(project) == before
        assert anyio.run(learned, url, "auto", "accept")["status"] == "completed"
        assert len(workspace.memories()) == 1
    finally:
        running.close()


def test_of_two_clients_each_person_is_asked_their_own_question(project: Path, workspace: Workspace) -> None:
    running = Serving(project)
    people = {"Shelf": Person(seg_001="create"), "Crane": Person("decline")}

    async def learn(url: str, word: str) -> None:
        async with Client(url, mode="legacy", elicitation_callback=people[word]) as client:
            for number in range(3):
                text = f"# {word} {number}\n\nThe {word.lower()}{number} holds box{number} of the {word.lower()}."
                await client.call_tool("learn", {"text": text})

    async def both(url: str) -> None:
        async with anyio.create_task_group() as group:
            for word in people:
                group.start_soon(learn, url, word)

    try:
        anyio.run(both, f"http://127.0.0.1:{running.port}/mcp")
    finally:
        running.close()
    for word, person in people.items():
        assert len(person.asked) == 3
        assert all(word.lower() in form.message for form in person.asked)
    assert sorted(memory.title for memory in workspace.memories()) == ["Shelf 0", "Shelf 1", "Shelf 2"]
