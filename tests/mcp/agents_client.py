"""A project with a vault in it, and a client of the official SDK in front of the server of that vault."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types

from mcp import Client
from memtend.mcp.desk import Desk
from memtend.mcp.server import build
from memtend.workspace import LearnRequest, Workspace

ENVIRON = {"MEMTEND_NOW": "2026-06-30T10:00:00Z", "MEMTEND_COMMIT": "0"}
PARCELS = "# Parcel retries\n\nThe parcel client retries a failed request three times, with backoff and full jitter."
LABELS = "# Label worker\n\nLabels are rendered by two processes, since the font cache is not thread safe."


class Person:
    """Whoever sits before the client: gives the same answer to every form, and remembers what was asked."""

    def __init__(self, action: str = "accept", **chosen: object) -> None:
        self.action = action
        self.chosen = chosen
        self.asked: list[types.ElicitRequestFormParams] = []

    async def __call__(self, _: object, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        self.asked.append(params)
        if self.action != "accept":
            return types.ElicitResult(action=self.action)  # type: ignore[arg-type]
        fields = params.requested_schema["properties"]
        content = {
            name: self.chosen.get(name.replace("-", "_"), field.get("default")) for name, field in fields.items()
        }
        return types.ElicitResult(action="accept", content=content)


def remember(workspace: Workspace, *texts: str, topic: str = "") -> list[str]:
    """Create a memory of each text."""
    from memtend.review import Action, Decision

    made = []
    for text in texts:
        plan = workspace.plan_learn(LearnRequest(text=text, topic=topic))
        done = workspace.apply(plan, [Decision(p.id, Action.CREATE) for p in plan.proposals])
        made += [str(operation.memory_id) for operation in done.operations]
    return made


@asynccontextmanager
async def client(desk: Desk, mode: str = "auto", person: Person | None = None, **more: Any) -> AsyncIterator[Client]:
    """A client in this process."""
    async with Client(build(desk), mode=mode, elicitation_callback=person, **more) as connected:
        yield connected


def talk(desk: Desk, what: Callable[[Client], Awaitable[Any]], mode: str = "auto", person: Person | None = None) -> Any:
    """Connect, do something, and give what it gave."""

    async def run() -> Any:
        async with client(desk, mode, person) as connected:
            return await what(connected)

    return anyio.run(run)


def call(
    desk: Desk, tool: str, given: Mapping[str, Any] | None = None, *, mode: str = "auto", person: Person | None = None
) -> Any:
    """What one tool call answers: its document."""

    async def run(connected: Client) -> Any:
        return await connected.call_tool(tool, dict(given or {}))

    return talk(desk, run, mode, person).structured_content


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder but memtend's own, which readers may change too."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".memtend" not in path.parts
    }


def environment(**more: str) -> dict[str, str]:
    """The environment of a server in a process of its own."""
    return {**os.environ, **ENVIRON, **more}


def decided(plan: Mapping[str, Any], action: str = "create", **more: str) -> dict[str, Any]:
    """The same decision on every proposal of a plan, with its digest."""
    return {p["segment_id"]: {"action": action, "digest": p["digest"], **more} for p in plan["proposals"]}


def applied(desk: Desk, tool: str, given: Mapping[str, Any] | None = None, action: str = "accept", **more: str) -> Any:
    """Call a tool as a client that cannot ask, and decide the same on all that it proposes."""
    plan = call(desk, tool, given)
    assert plan["status"] == "planned", plan
    return call(desk, "apply", {"plan": plan["plan"], "decisions": decided(plan, action, **more)})


def written(desk: Desk, text: str, action: str = "create", target: str = "", **more: object) -> Any:
    """Learn a text as a client that cannot ask, and decide the same on every proposal."""
    return applied(desk, "learn", {"text": text, **more}, action, **({"target": target} if target else {}))


def put(project: Path, id: str, data: bytes | str) -> Path:
    """A memory file as somebody else wrote it."""
    path = project / ".memory" / "10-Memories" / f"{id}.md"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path
