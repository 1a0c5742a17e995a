"""How fast the server answers: `python benchmarks/mcp_server.py` (start, warm calls, many clients, size of tools).

    start   initialize and one search over stdio, from the start of the process; 1,000 memories, indexed before
    warm    one search call over stdio, p50 and p95, and what of it is the search itself; 10,000 memories
    crowd   32 clients × 100 search calls over HTTP; errors and calls a second; 1,000 memories
    tools   what the list of tools weighs in a model's context

Asked for: start at most 1.0 s, warm p50 at most 10 ms, a crowd without an error.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import anyio
from mcp.client.stdio import StdioServerParameters

from generate import Notes
from mcp import Client
from memtend.mcp.answers import as_text
from memtend.mcp.desk import Desk
from memtend.mcp.tools import tools
from memtend.workspace import Workspace

SERVER = [sys.executable, "-m", "memtend"]


def vault(folder: Path, count: int) -> list[str]:
    """A vault with so many notes, indexed; gives questions about them."""
    workspace, _ = Workspace.create(start=str(folder))
    notes = Notes(seed=1)
    for path, text in notes.texts(count):
        (Path(workspace.root) / path).write_text(text, encoding="utf-8", newline="\n")
    time.sleep(2.1)  # so that no file is too young to be settled
    workspace.index()
    return [notes.question() for _ in range(200)]


def parameters(folder: Path) -> StdioServerParameters:
    """The server over stdio."""
    return StdioServerParameters(command=SERVER[0], args=[*SERVER[1:], "mcp"], cwd=folder, env=dict(os.environ))


async def first_answer(folder: Path, question: str) -> float:
    """Seconds from the start of the process to the answer to a search."""
    started = time.perf_counter()
    async with Client(parameters(folder), mode="legacy") as client:
        await client.call_tool("search", {"query": question})
        return time.perf_counter() - started


async def warm(folder: Path, questions: Sequence[str]) -> list[float]:
    """Milliseconds of each of many calls."""
    spent = []
    async with Client(parameters(folder), mode="legacy") as client:
        for question in [*questions[:20], *questions]:
            started = time.perf_counter()
            await client.call_tool("search", {"query": question})
            spent.append((time.perf_counter() - started) * 1000)
    return spent[20:]


def searched(folder: Path, questions: Sequence[str]) -> list[float]:
    """Milliseconds of the same searches in this process, without a server and without looks at the disk."""
    spent = []
    with Desk(start=str(folder)).reader() as workspace:
        for question in [*questions[:20], *questions]:
            started = time.perf_counter()
            workspace.search(question, 6)
            spent.append((time.perf_counter() - started) * 1000)
    return spent[20:]


async def crowd(url: str, questions: Sequence[str], clients: int, calls: int) -> tuple[int, int, float]:
    """Answers, errors and seconds of many clients at once."""
    answered = errors = 0

    async def one(number: int) -> None:
        nonlocal answered, errors
        async with Client(url) as client:
            for call in range(calls):
                found = await client.call_tool("search", {"query": questions[(number * calls + call) % len(questions)]})
                errors += bool(found.is_error)
                answered += 1

    started = time.perf_counter()
    async with anyio.create_task_group() as group:
        for number in range(clients):
            group.start_soon(one, number)
    return answered, errors, time.perf_counter() - started


def measure_start(rounds: int) -> None:
    """The first answer."""
    with tempfile.TemporaryDirectory() as name:
        questions = vault(Path(name), 1_000)
        spent = [anyio.run(first_answer, Path(name), questions[0]) for _ in range(rounds)]
    print(f"start  {min(spent):.2f} s best, {statistics.median(spent):.2f} s median of {rounds}")


def measure_warm() -> None:
    """Warm calls."""
    with tempfile.TemporaryDirectory() as name:
        questions = vault(Path(name), 10_000)
        spent = sorted(anyio.run(warm, Path(name), questions))
        alone = statistics.median(searched(Path(name), questions))
    print(
        f"warm   {statistics.median(spent):.1f} ms p50, {spent[len(spent) * 95 // 100]:.1f} ms p95 of {len(spent)};"
        f" the search alone {alone:.1f} ms p50"
    )


def measure_crowd(clients: int, calls: int) -> None:
    """Many clients."""
    with tempfile.TemporaryDirectory() as name:
        questions = vault(Path(name), 1_000)
        with subprocess.Popen(
            [*SERVER, "serve", "--port", "0"], cwd=name, stderr=subprocess.PIPE, encoding="utf-8"
        ) as server:
            assert server.stderr
            port = server.stderr.readline().partition("127.0.0.1:")[2].partition("/")[0]
            log = subprocess.Popen(["cat"], stdin=server.stderr, stdout=subprocess.DEVNULL)
            answered, errors, seconds = anyio.run(crowd, f"http://127.0.0.1:{port}/mcp", questions, clients, calls)
            server.terminate()
            log.wait()
    print(f"crowd  {clients} clients × {calls}: {answered} answers, {errors} errors, {answered / seconds:.0f} a second")


def measure_tools() -> None:
    """What the tools cost before anything is called."""
    for groups in (("vault",), ("vault", "role", "category", "execute")):
        offered = tools(groups)
        text = as_text([[tool.name, tool.about, tool.input_schema()] for tool in offered.values()])
        print(f"tools  {len(offered)} of {', '.join(groups)}: {len(text)} characters, ~{len(text) // 4} tokens")


def main() -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", default=["tools", "start", "warm", "crowd"])
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    measures = {
        "tools": measure_tools,
        "start": lambda: measure_start(given.rounds),
        "warm": measure_warm,
        "crowd": lambda: measure_crowd(32, 100),
    }
    if unknown := sorted(set(given.what) - measures.keys()):
        parser.error(f"{', '.join(unknown)}: not among {', '.join(measures)}")
    for name in given.what:
        measures[name]()


if __name__ == "__main__":
    main()
