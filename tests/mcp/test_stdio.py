"""The server as a process of its own: what goes over its streams, and how it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from agents_client import PARCELS, Person, environment, files_of
from mcp.client.stdio import StdioServerParameters

from mcp import Client
from memtend.workspace import Workspace
from memtend.workspace.role.roles import Roles

SERVER = [sys.executable, "-m", "memtend", "mcp"]


class Server:
    """A running server and the raw lines that go to and fro."""

    def __init__(self, project: Path, **more: str) -> None:
        self.process = subprocess.Popen(
            SERVER,
            cwd=project,
            env=environment(**more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.lines: list[bytes] = []
        self.number = 0

    def send(self, method: str, params: dict[str, Any] | None = None, *, is_request: bool = True, raw: str = "") -> int:
        """Send one message; gives the request's number."""
        self.number += is_request
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        message |= {"id": self.number} if is_request else {}
        assert self.process.stdin
        self.process.stdin.write((raw or json.dumps(message)).encode() + b"\n")
        self.process.stdin.flush()
        return self.number

    def answer(self, number: int) -> dict[str, Any]:
        """The answer to a request, however many other messages come before it."""
        assert self.process.stdout
        while True:
            line = self.process.stdout.readline()
            assert line, "the server has gone"
            self.lines.append(line)
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0"
            if message.get("id") == number and "method" not in message:
                return dict(message)

    def start(self) -> "Server":
        """Shake hands as a client that cannot ask its person."""
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        assert "result" in self.answer(self.send("initialize", hello))
        self.send("notifications/initialized", is_request=False)
        return self

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        """The document that a tool answers."""
        answer = self.answer(self.send("tools/call", {"name": tool, "arguments": given}))
        return dict(answer["result"]["structuredContent"])

    def end(self, seconds: float = 10) -> int:
        """Close its stdin and wait for its end."""
        assert self.process.stdin
        self.process.stdin.close()
        return self.process.wait(seconds)


@pytest.fixture
def server(project: Path) -> Iterator[Server]:
    """A server that has shaken hands."""
    running = Server(project).start()
    yield running
    close(running)


def close(server: Server) -> None:
    """End a server whatever it is doing."""
    server.process.kill()
    server.process.wait()
    for stream in (server.process.stdin, server.process.stdout, server.process.stderr):
        assert stream
        stream.close()


def git(project: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)


def accepted(server: Server, plan: dict[str, Any]) -> dict[str, Any]:
    """What the call answers that a plan names for a yes."""
    call = plan["next"].partition("call apply ")[2].removesuffix(".")
    return server.call("apply", **json.loads(call))


def test_who_cannot_be_asked_adds_changes_and_takes_back_in_two_calls_each(project: Path) -> None:
    file = Roles.open(str(project / "roles"), {}).create("reviewer")[0].root / "memory" / "consolidated.md"
    server = Server(project, MEMTEND_ROLES=str(project / "roles")).start()
    added = server.call("memory", action="add_learning", content="Run the linter before a push.")
    assert len(json.dumps(added)) < 700
    done = accepted(server, added)
    assert done["status"] == "created"
    first = file.read_bytes()
    longer = server.call("memory", action="update_learning", id=done["id"], content="Run the linter, then push.")
    assert longer["proposals"][0]["summary"] == (
        "update learning: Run the linter before a push. → Run the linter, then push."
    )
    assert accepted(server, longer)["old_id"] == done["id"]
    assert b"then push" in file.read_bytes()
    back = server.call("memory", action="undo")
    assert back["proposals"][0]["summary"] == "take back: update learning: Run the linter, then push."
    assert accepted(server, back)["status"] == "completed"
    assert file.read_bytes() == first
    close(server)


def test_o_mc_01_stdout_carries_the_protocol_alone_whatever_git_and_its_hooks_print(project: Path) -> None:
    git(project, "init", "-q")
    git(project, "config", "user.email", "a@example.org")
    git(project, "config", "user.name", "A")
    hook = project / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho noise from a hook\necho more noise >&2\n")
    hook.chmod(0o755)
    (project / ".memory" / "10-Memories" / "MEM-broken.md").write_text("---\ntitle: [\n---\nText.")
    server = Server(project, MEMTEND_COMMIT="1", PYTHONWARNINGS="always", PYTHONUNBUFFERED="1").start()
    plan = server.call("learn", text=PARCELS)
    decisions = {p["segment_id"]: {"action": "create", "digest": p["digest"]} for p in plan["proposals"]}
    assert server.call("apply", plan=plan["plan"], decisions=decisions)["status"] == "completed"
    assert server.call("check")["total"] >= 1
    assert server.end() == 0
    assert server.process.stdout
    rest = server.process.stdout.read().splitlines()
    for line in [*server.lines, *rest]:
        assert json.loads(line)["jsonrpc"] == "2.0"
    close(server)


def test_o_mc_02_titles_survive_a_locale_that_is_not_utf_8(project: Path, workspace: Workspace) -> None:
    server = Server(project, LC_ALL="C", PYTHONIOENCODING="cp1252", PYTHONUTF8="0").start()
    title = "Messgerät 測定 🚀"
    for escaped in (True, False):
        number = server.number + 1
        message = {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": "learn", "arguments": {"text": f"# {title}\n\nText of it number {number}."}},
        }
        server.send("tools/call", raw=json.dumps(message, ensure_ascii=escaped))
        plan = server.answer(number)["result"]["structuredContent"]
        decisions = {p["segment_id"]: {"action": "create", "digest": p["digest"]} for p in plan["proposals"]}
        assert server.call("apply", plan=plan["plan"], decisions=decisions)["status"] == "completed"
    assert [memory.title for memory in workspace.memories()] == [title, title]
    assert title in [hit["title"] for hit in server.call("search", query="測定")["hits"]]
    assert server.end() == 0
    close(server)


@pytest.mark.parametrize(("name", "given"), [("distill", {"mode": "merge"}), ("distill", {}), ("check", {})])
def test_long_work_says_what_it_is_doing(server: Server, name: str, given: dict[str, str]) -> None:
    server.send("tools/call", {"name": name, "arguments": given, "_meta": {"progressToken": "p"}})
    first = json.loads(server.process.stdout.readline())  # type: ignore[union-attr]
    assert first["method"] == "notifications/progress"
    assert first["params"]["message"].startswith("looking at every ")


def test_o_mc_03_a_cancelled_call_ends_and_the_next_ones_are_answered(server: Server, project: Path) -> None:
    folder = project / "notes"
    folder.mkdir()
    for number in range(190):
        text = f"# Subject {number}\n\n" + f"Thing{number} is number{number} of many in a long text. " * 40
        (folder / f"n{number}.md").write_text(text)
    before = files_of(project)
    long = server.send(
        "tools/call", {"name": "learn", "arguments": {"paths": ["notes"]}, "_meta": {"progressToken": 7}}
    )
    first = json.loads(server.process.stdout.readline())  # type: ignore[union-attr]
    assert first["method"] == "notifications/progress"
    server.send("notifications/cancelled", {"requestId": long}, is_request=False)
    server.send("notifications/cancelled", {"requestId": 99}, is_request=False)
    started = time.monotonic()
    assert "result" in server.answer(server.send("tools/list"))
    assert server.call("search", query="anything")["hits"] == []
    assert time.monotonic() - started < 5
    assert files_of(project) == before
    plan = server.call("learn", text=PARCELS)
    decisions = {p["segment_id"]: {"action": "create", "digest": p["digest"]} for p in plan["proposals"]}
    assert server.call("apply", plan=plan["plan"], decisions=decisions)["status"] == "completed"
    assert not any(json.loads(line).get("id") == long for line in server.lines)
    server.send("notifications/cancelled", {"requestId": server.number}, is_request=False)
    assert server.call("list")["total"] == 1


BROKEN = [
    ("not json", None, -32700),
    ("[1, 2]", None, -32600),
    ('{"jsonrpc": "2.0", "id": 71, "method": "tools/call", "params": []}', 71, -32600),
    ('{"jsonrpc": "2.0", "id": "a-b", "method": "ping", "params": {"v": "\\ud800"}}', "a-b", -32700),
    ('{"jsonrpc": "2.0", "id": 72, "method": "ping", "params": {"v": ' + "[" * 900 + "]" * 900 + "}}", 72, -32700),
    ('{"a": ' * 5_000, None, -32700),
    ('{"jsonrpc": "1.0", "id": 73, "method": "ping"}', 73, -32600),
    ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', None, -32600),
    ('{"jsonrpc": "2.0", "id": null, "method": "tools/list"}', None, -32600),
    (
        '{"jsonrpc": "2.0", "id": 74, "method": "resources/list", "params": {"cursor": "' + "9" * 5_000 + '"}}',
        74,
        -32602,
    ),
    ('{"jsonrpc": "2.0", "id": 75, "method": "tools/call", "params": {"name": "' + "x" * 90_000 + '"}}', 75, -32602),
]


def test_a_line_that_is_no_request_is_answered_and_ends_nothing(server: Server) -> None:
    for raw, id, code in BROKEN:
        server.send("", raw="\n" + raw)
        server.send("", raw='{"jsonrpc": "2.0", "id": 99, "result": 7}')
        assert server.process.stdout
        line = server.process.stdout.readline()
        answer = json.loads(line)
        assert (answer["id"], answer["error"]["code"]) == (id, code), raw[:80]
        assert len(line) < 2_000
    assert server.call("search", query="x" * 4_000_001)["error"]["code"] == "usage"
    assert server.call("search", query="parcel")["hits"] == []
    assert server.end() == 0
    assert server.process.stderr
    assert b"Traceback" not in server.process.stderr.read()


def test_o_mc_06_the_server_ends_with_its_client(server: Server) -> None:
    server.call("list")
    started = time.monotonic()
    assert server.end() == 0
    assert time.monotonic() - started < 2


def test_o_mc_06_the_server_ends_while_a_long_call_runs(server: Server, project: Path) -> None:
    folder = project / "notes"
    folder.mkdir()
    for number in range(190):
        (folder / f"n{number}.md").write_text(f"# Subject {number}\n\n" + f"Thing{number} is a thing of many. " * 90)
    server.send("tools/call", {"name": "learn", "arguments": {"paths": ["notes"]}})
    server.answer(server.send("ping"))
    started = time.monotonic()
    server.end()
    assert time.monotonic() - started < 3


@pytest.mark.skipif(os.name == "nt", reason="a hook of a POSIX shell")
def test_o_mc_06_the_server_ends_while_it_writes_and_leaves_no_child_and_no_lock(project: Path) -> None:
    git(project, "init", "-q")
    git(project, "config", "user.email", "a@example.org")
    git(project, "config", "user.name", "A")
    hook = project / ".git" / "hooks" / "pre-commit"
    hook.write_text(
        f"#!/bin/sh\necho $$ > {project}/hook.tmp\nmv {project}/hook.tmp {project}/hook.pid\nexec sleep 60\n"
    )
    hook.chmod(0o755)
    server = Server(project, MEMTEND_COMMIT="1").start()
    plan = server.call("learn", text=PARCELS)
    decisions = {p["segment_id"]: {"action": "create", "digest": p["digest"]} for p in plan["proposals"]}
    server.send("tools/call", {"name": "apply", "arguments": {"plan": plan["plan"], "decisions": decisions}})
    until((project / "hook.pid").exists)
    started = time.monotonic()
    server.end()
    assert time.monotonic() - started < 4
    child = int((project / "hook.pid").read_text())
    assert until(lambda: not is_alive(child), 5)
    close(server)
    hook.unlink()
    again = Server(project, MEMTEND_COMMIT="1").start()
    assert again.call("list")["total"] == 1
    plan = again.call("learn", text="# Customs\n\nForms need the tariff number.")
    decisions = {p["segment_id"]: {"action": "create", "digest": p["digest"]} for p in plan["proposals"]}
    assert again.call("apply", plan=plan["plan"], decisions=decisions)["status"] == "completed"
    assert again.call("check")["findings"] == []
    close(again)


def until(is_so: Callable[[], bool], seconds: float = 15) -> bool:
    """Whether it becomes so within a time."""
    deadline = time.monotonic() + seconds
    while not is_so() and time.monotonic() < deadline:
        os.sched_yield()
    return is_so()


def test_o_mc_06_a_server_whose_stdin_is_at_its_end_does_not_stay(project: Path) -> None:
    run = subprocess.run(
        SERVER, cwd=project, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False
    )
    assert run.returncode == 0
    assert run.stdout == b""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_o_mc_06_the_server_ends_when_its_client_is_killed(project: Path) -> None:
    code = (
        "import subprocess, sys\n"
        f"server = subprocess.Popen({SERVER!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "print(server.pid, flush=True)\n"
        "server.wait()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=project, env=environment(), stdout=subprocess.PIPE)
    assert parent.stdout
    child = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert until(lambda: not is_alive(child))


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_client_learns_and_searches_over_stdio(project: Path, workspace: Workspace, mode: str) -> None:
    async def run() -> list[str]:
        parameters = StdioServerParameters(command=SERVER[0], args=SERVER[1:], cwd=project, env=environment())
        async with Client(parameters, mode=mode, elicitation_callback=Person()) as client:
            await client.call_tool("learn", {"text": PARCELS})
            found = await client.call_tool("search", {"query": "full jitter"})
            assert found.structured_content
            return [hit["id"] for hit in found.structured_content["hits"]]

    assert anyio.run(run) == ["MEM-parcel-retries"]
    assert len(workspace.memories()) == 1


def test_two_servers_on_one_vault_see_what_the_other_wrote(server: Server, project: Path, workspace: Workspace) -> None:
    other = Server(project).start()
    for index, each in enumerate((server, other)):
        plan = each.call("learn", text=f"# Note of {index}\n\nThe shelf number{index} holds parcels{index}.")
        decisions = {p["segment_id"]: {"action": "create", "digest": p["digest"]} for p in plan["proposals"]}
        assert each.call("apply", plan=plan["plan"], decisions=decisions)["status"] == "completed"
    assert server.call("list")["total"] == other.call("list")["total"] == 2
    assert other.end() == 0
    close(other)


def test_only_the_groups_that_were_asked_for_are_offered(project: Path) -> None:
    run = subprocess.run(
        [*SERVER, "--tools", "vault,cellar"], cwd=project, env=environment(), capture_output=True, check=False
    )
    assert run.returncode == 2
    assert b"cellar" in run.stderr
