"""`memtend serve` as a process: MCP and REST over HTTP, who may call, and what the log says."""

import http.client
import json
import logging
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from agents_client import ENVIRON, LABELS, PARCELS, Person, decided, environment, files_of, remember
from mcp.client.streamable_http import streamable_http_client
from starlette.routing import Route

from mcp import Client
from memtend.cli import main
from memtend.errors import Refused, Usage
from memtend.mcp import rest
from memtend.mcp.answers import Answer
from memtend.mcp.desk import Desk
from memtend.mcp.guard import LARGEST_BODY_BYTES, MOST_REQUESTS, Guard, require_token
from memtend.mcp.http import Served, _Noted, application
from memtend.mcp.tool import Tool
from memtend.workspace import Workspace


class Serving:
    """A running server; `lines` is what it has logged."""

    def __init__(self, project: Path, *words: str, **more: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memtend", "serve", "--port", "0", *words],
            cwd=project,
            env=environment(**more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stderr
        first = self.process.stderr.readline()
        assert "Serving at http://127.0.0.1:" in first, first + self.process.stderr.read()
        self.port = int(first.partition("127.0.0.1:")[2].partition("/")[0])
        self.lines: list[str] = []
        self.reader = threading.Thread(target=self.lines.extend, args=(self.process.stderr,))
        self.reader.start()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """One request: status and document."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        data = json.dumps(body).encode() if body is not None and not isinstance(body, bytes) else body
        given = {"Content-Type": "application/json", **{name.replace("_", "-"): one for name, one in headers.items()}}
        connection.request(method, path, data, given)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, json.loads(text) if text.startswith((b"{", b"[")) else text

    def close(self) -> None:
        """End it as Ctrl-C does; an ended one stays so."""
        if self.process.returncode is not None:
            return
        self.process.send_signal(signal.SIGINT)
        self.process.wait(15)
        self.reader.join(15)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream
            stream.close()


@pytest.fixture
def serving(project: Path, workspace: Workspace) -> Iterator[Serving]:
    """One vault, without a token, on this machine."""
    remember(workspace, PARCELS, LABELS)
    running = Serving(project)
    yield running
    running.close()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_client_searches_and_learns_over_http(serving: Serving, workspace: Workspace, mode: str) -> None:
    async def run() -> Any:
        person = Person()
        url = f"http://127.0.0.1:{serving.port}/mcp"
        async with Client(url, mode=mode, elicitation_callback=person) as client:
            found = await client.call_tool("search", {"query": "font cache"})
            done = await client.call_tool("learn", {"text": "# Customs\n\nForms need the tariff number."})
            return found.structured_content, done.structured_content, len(person.asked)

    found, done, asked = anyio.run(run)
    assert [hit["id"] for hit in found["hits"]] == ["MEM-label-worker"]
    assert (done["status"], asked) == ("completed", 1)
    assert len(workspace.memories()) == 3


def test_rest_reads_plans_applies_and_undoes(serving: Serving, workspace: Workspace, project: Path) -> None:
    status, found = serving.ask("GET", "/api/search?query=full%20jitter&limit=1")
    assert (status, found["hits"][0]["id"]) == (200, "MEM-parcel-retries")
    assert serving.ask("GET", "/api/memories?limit=1")[1]["total"] == 2
    assert "full jitter" in serving.ask("GET", "/api/memories/MEM-parcel-retries")[1]["text"]
    assert serving.ask("POST", "/api/recall", {"text": "font cache"})[1]["memories"][0]["id"] == "MEM-label-worker"
    before = files_of(project)
    status, plan = serving.ask("POST", "/api/learn", {"text": "# Customs\n\nForms need the tariff number."})
    assert (status, plan["status"]) == (200, "planned")
    assert files_of(project) == before
    digest = plan["proposals"][0]["digest"]
    body = {"plan": plan["plan"], "decisions": {"seg-001": {"action": "create", "digest": digest}}}
    assert serving.ask("POST", "/api/apply", body)[1]["status"] == "completed"
    undo = serving.ask("POST", "/api/undo", {})[1]
    assert len(workspace.memories()) == 3
    body = {"plan": undo["plan"], "decisions": decided(undo, "accept")}
    assert serving.ask("POST", "/api/apply", body)[1]["undone"] == undo["undone"]
    assert len(workspace.memories()) == 2


def test_over_rest_a_role_and_a_category_memory_change_by_apply_alone(everything: Desk, project: Path) -> None:
    running = Serving(project, MEMTEND_ROLES=str(project / "roles"))
    before = files_of(project)
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("PUT", "/api/roles/file", {"path": "core/identity.md", "content": "# Identity\n"}),
        ("POST", "/api/memory", {"action": "add_learning", "content": "Run the linter before a push."}),
        ("POST", "/api/category", {"action": "add", "category": "patterns", "title": "Locks", "content": "Shut."}),
    ]
    try:
        plans = [running.ask(method, path, body) for method, path, body in calls]
        assert [(status, plan["status"]) for status, plan in plans] == [(200, "planned")] * 3
        assert files_of(project) == before
        wrong = {"plan": plans[0][1]["plan"], "decisions": decided(plans[1][1], "accept")}
        assert running.ask("POST", "/api/apply", wrong)[0] == 400
        bodies = [{"plan": plan["plan"], "decisions": decided(plan, "accept")} for _, plan in plans]
        assert [running.ask("POST", "/api/apply", body)[0] for body in bodies] == [200] * 3
        after = files_of(project)
        assert after.keys() - before.keys() >= {
            "roles/reviewer/core/identity.md",
            "contexts/memory/patterns/locks.md",
        }
    finally:
        running.close()


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/api/memories/MEM-none", None, 404),
        ("GET", "/api/search", None, 400),
        ("GET", "/api/search?query=a&limit=many", None, 400),
        ("GET", "/api/search?query=a&colour=red", None, 400),
        ("POST", "/api/recall", {"text": 5}, 400),
        ("POST", "/api/recall", {"text": "a", "budget": "5"}, 400),
        ("POST", "/api/recall", b"{", 400),
        ("POST", "/api/apply", {"plan": "plan-0", "decisions": {}}, 404),
        ("POST", "/api/learn", {"paths": ["/etc/hostname"]}, 422),
        ("DELETE", "/api/search", None, 405),
        ("GET", "/api/nothing", None, 404),
        ("GET", "/", None, 404),
    ],
)
def test_what_is_wrong_is_told_by_status_and_code(
    serving: Serving, method: str, path: str, body: Any, status: int
) -> None:
    found, answer = serving.ask(method, path, body)
    assert (found, answer["status"]) == (status, "error")
    assert answer["error"]["message"]
    assert answer["error"]["hint"] or status not in (400, 422)


def test_pages_of_elsewhere_and_other_names_are_turned_away(serving: Serving) -> None:
    assert serving.ask("GET", "/api/memories", Origin="https://evil.example")[0] == 403
    assert serving.ask("GET", "/api/memories", Origin="null")[0] == 403
    assert serving.ask("GET", "/api/memories", Origin=f"http://localhost:{serving.port}")[0] == 200
    assert serving.ask("GET", "/api/memories", Host="evil.example")[0] == 421
    assert serving.ask("POST", "/mcp", {}, Host="127.0.0.1.evil.example")[0] == 421
    assert serving.ask("POST", "/mcp", {}, Origin="https://evil.example")[0] == 403


def test_bodies_have_a_limit(serving: Serving) -> None:
    huge = b'{"text": "' + b"a" * LARGEST_BODY_BYTES + b'"}'
    for path in ("/api/learn", "/mcp"):
        with suppress(BrokenPipeError, ConnectionResetError):  # refused before all of it was sent
            assert serving.ask("POST", path, huge)[0] == 413
    assert serving.ask("GET", "/api/memories")[0] == 200


def test_the_log_holds_no_word_of_a_memory_or_a_query(serving: Serving) -> None:
    serving.ask("GET", "/api/search?query=secret+jitter")
    serving.ask("GET", "/api/memories/MEM-parcel-retries")
    serving.ask("POST", "/api/recall", {"text": "font cache"})
    serving.close()
    noted = [json.loads(line) for line in serving.lines if line.startswith("{")]
    assert [(one["method"], one["route"], one["status"]) for one in noted] == [
        ("GET", "/api/search", 200),
        ("GET", "/api/memories/{id:path}", 200),
        ("POST", "/api/recall", 200),
    ]
    assert not any(word in "".join(serving.lines) for word in ("jitter", "parcel", "font"))


def test_another_address_needs_a_token() -> None:
    require_token("127.0.0.1", {"shop": ""})
    require_token("0.0.0.0", {"shop": "t"})
    with pytest.raises(Refused, match="b has no token"):
        require_token("0.0.0.0", {"a": "t", "b": ""})


def test_two_vaults_of_one_name_are_refused(desk: Desk) -> None:
    with pytest.raises(Usage):
        application([Served("a", desk), Served("a", desk)])


@pytest.mark.parametrize("token", ["", " ", "NAME="])
def test_an_empty_token_is_no_wish_for_none(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str
) -> None:
    monkeypatch.chdir(project)
    assert main(["serve", "--host", "256.0.0.1", "--token", token.replace("NAME", project.name)]) == 2
    assert "--token is empty" in capsys.readouterr().err


def test_a_disk_that_refuses_is_told_over_rest_as_over_mcp(desk: Desk) -> None:
    def refused(*_: object) -> Answer:
        raise PermissionError(13, "Permission denied", "10-Memories")

    tool = Tool(name="x", title="X", about="X.", parameters=(), run=refused, answer={})
    route = rest.routes(desk, {"x": tool}, "/api")[1]
    assert isinstance(route, Route)
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "POST", "path": "/api/x", "headers": [], "query_string": b""}
    anyio.run(route.handle, scope, receive, send)
    assert sent[0]["status"] == 500
    assert json.loads(sent[1]["body"])["error"]["message"] == "10-Memories: Permission denied"


def test_a_fault_of_ours_is_an_answer_and_a_line_of_the_log_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    class Broken(Desk):
        def reader(self) -> Any:
            raise RuntimeError("full jitter")

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "GET", "path": "/api/memories", "query_string": b"", "root_path": ""}
    app = application([Served("a", Broken())])
    with pytest.raises(RuntimeError) as raised:
        anyio.run(app, scope | {"headers": [(b"host", b"localhost")]}, receive, send)
    assert sent[0]["status"] == 500
    assert json.loads(sent[1]["body"])["error"]["code"] == "internal"
    lines: list[str] = []
    fault = (raised.type, raised.value, raised.tb)
    _Noted(lines.append).handle(logging.LogRecord("x", logging.ERROR, "x.py", 1, "Exception in %s", ("a",), fault))
    said = json.loads(lines[0])
    assert (said["error"], said["where"].partition(":")[0]) == ("RuntimeError", "test_http.py")
    assert "jitter" not in lines[0] + capsys.readouterr().err


def test_serving_others_without_a_token_does_not_start(project: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "memtend", "serve", "--host", "0.0.0.0", "--port", "0"],
        cwd=project,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )
    assert run.returncode == 5
    assert "has no token" in run.stderr


def test_several_vaults_each_have_their_own_token(project: Path, workspace: Workspace, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    second, _ = Workspace.create(start=str(other), environ=ENVIRON)
    remember(workspace, PARCELS)
    remember(second, LABELS)
    name = project.name
    running = Serving(project, "--add", f"shop={other}", "--token", f"{name}=first", "--token", "shop=second")
    try:
        path = "/vaults/shop/api/memories"
        assert running.ask("GET", path)[0] == 401
        assert running.ask("GET", path, Authorization="Bearer first")[0] == 401
        assert running.ask("GET", path, Authorization="Bearer second")[1]["memories"][0]["id"] == "MEM-label-worker"
        assert running.ask("GET", "/api/memories", Authorization="Bearer second")[0] == 401
        assert running.ask("GET", "/api/memories", Authorization="Bearer first")[1]["total"] == 1
        assert running.ask("GET", f"/vaults/{name}/api/memories", Authorization="bearer first")[1]["total"] == 1
        assert running.ask("GET", "/vaults/none/api/memories", Authorization="Bearer first")[0] == 404
        assert running.ask("POST", "/vaults/shop/mcp", {}, Authorization="Bearer first")[0] == 401

        async def run() -> Any:
            headers = {"Authorization": "Bearer second"}
            async with httpx2.AsyncClient(headers=headers) as plain:
                url = f"http://127.0.0.1:{running.port}/vaults/shop/mcp"
                async with Client(streamable_http_client(url, http_client=plain)) as client:
                    return (await client.call_tool("list", {})).structured_content

        assert anyio.run(run)["memories"][0]["id"] == "MEM-label-worker"
    finally:
        running.close()


def test_many_clients_at_once_are_all_answered(serving: Serving) -> None:
    async def one(url: str, results: list[int]) -> None:
        async with Client(url) as client:
            for _ in range(5):
                found = await client.call_tool("search", {"query": "font cache"})
                results.append(len((found.structured_content or {})["hits"]))

    async def run() -> list[int]:
        results: list[int] = []
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(one, f"http://127.0.0.1:{serving.port}/mcp", results)
        return results

    assert anyio.run(run) == [1] * 40


def guarded(receive: Callable[[], Awaitable[Any]], *, path: str = "/api", crowd: int = 0) -> tuple[int, list[str]]:
    """The status that a guard answers which may let nothing through, and its log."""

    async def never(*_: Any) -> None:
        raise AssertionError("it was let through")

    sent: list[Any] = []
    log: list[str] = []

    async def send(message: Any) -> None:
        sent.append(message)

    guard = Guard(never, ("127.0.0.1",), {"shop": ""}, lambda path: "shop", log=log.append, seconds=0.05)
    guard._open.extend([None] * crowd)
    scope = {"type": "http", "method": "POST", "path": path, "headers": [(b"host", b"127.0.0.1")]}
    anyio.run(guard, scope, receive, send)
    assert len(guard._open) == crowd
    return sent[0]["status"], log


def test_too_many_requests_at_once_are_turned_away() -> None:
    async def receive() -> Any:
        return {"type": "http.request"}

    assert guarded(receive, crowd=MOST_REQUESTS)[0] == 503


@pytest.mark.parametrize("path", ["/api/recall", "/mcp", "/vaults/shop/mcp"])
def test_a_body_that_does_not_come_or_is_cut_holds_no_place(path: str) -> None:
    async def slow() -> Any:
        await anyio.sleep_forever()

    async def gone() -> Any:
        return {"type": "http.disconnect"}

    started = iter([{"type": "http.request", "body": b"{", "more_body": True}])

    async def half() -> Any:
        return next(started, {"type": "http.disconnect"})

    endless = {"type": "http.request", "body": b"a" * (LARGEST_BODY_BYTES // 2 + 1), "more_body": True}

    async def large() -> Any:
        return endless

    assert [guarded(receive, path=path)[0] for receive in (slow, gone, half, large)] == [408, 400, 400, 413]
    assert json.loads(guarded(slow, path=path)[1][0])["status"] == 408


def test_what_libraries_have_to_say_is_a_line_of_the_log_without_what_they_say_it_of(serving: Serving) -> None:
    with socket.create_connection(("127.0.0.1", serving.port)) as raw:
        raw.sendall(b"jitter\r\n\r\n")
        assert raw.recv(1000).startswith(b"HTTP/1.1 400")
    said = logging.LogRecord("x", logging.ERROR, "x.py", 1, "failed: %s", ("full jitter",), None)
    lines: list[str] = []
    handler = _Noted(lines.append)
    handler.handle(said)
    said.exc_info = (ValueError, ValueError("full jitter"), None)
    handler.handle(said)
    serving.close()
    assert [json.loads(line)["message"] for line in lines] == ["failed: %s", "failed: %s"]
    assert json.loads(lines[1])["error"] == "ValueError"
    noted = [json.loads(line) for line in serving.lines]
    assert ("warning", "Invalid HTTP request received.") in [(one.get("level"), one.get("message")) for one in noted]
    assert "jitter" not in "".join(serving.lines)
    assert serving.process.returncode == 0
