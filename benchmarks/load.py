"""Many writers and many readers on one vault: every acknowledged write is there afterwards, nobody reads half a file.

    python benchmarks/load.py [--seconds 60] [--writers 8] [--readers 8]

Each is a process of its own, as agents are. A writer learns new texts and extends a memory that all share, deciding
on what it read a moment ago; a refusal (somebody else was faster) is counted and the text is not expected. A reader
parses the JSON index, reads files whole, searches and recalls. The last line is JSON; the exit status is 1 where
anything was lost or torn.
"""

import argparse
import json
import multiprocessing
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty
from tempfile import TemporaryDirectory
from time import monotonic, perf_counter
from typing import Any

from memtend.errors import Conflict, NotFound, UnknownMemory
from memtend.review import Action, Decision
from memtend.workspace import LearnRequest, Workspace

ENVIRON = {"MEMTEND_COMMIT": "0", "MEMTEND_LOCK_TIMEOUT_SECONDS": "30"}
SHARED = "MEM-shared"
WORDS = (
    *("boiler", "invoice", "parcel", "export", "printer", "gasket"),
    *("ledger", "valve", "shift", "porter", "lodge", "auditor"),
)


def opened(folder: str) -> Workspace:
    """The vault as a process of its own opens it."""
    return Workspace.open(start=folder, environ=ENVIRON)


def write(folder: str, who: int, seconds: float) -> dict[str, Any]:
    """Learn until the time is over; what was acknowledged, and how often what was done."""
    rand, counts, acknowledged = random.Random(who), Counter[str](), []
    workspace, until, number = opened(folder), monotonic() + seconds, 0
    while monotonic() < until:
        number += 1
        mark = f"w{who}n{number}z"
        text = f"Fact {mark}: the {rand.choice(WORDS)} of hall {rand.randrange(99)} waits for the {rand.choice(WORDS)}."
        action = rand.choice([Action.CREATE, Action.CREATE, Action.EXTEND])
        try:
            plan = workspace.plan_learn(LearnRequest(text=text))
            target = workspace.read(SHARED).id if action is Action.EXTEND else None
            done = workspace.apply(plan, [Decision("seg-001", action, target)])
        except Conflict as fault:
            counts[f"refused: {fault.code}"] += 1
            continue
        if done.receipt is not None:
            counts[action] += 1
            acknowledged.append(mark)
    return {"counts": counts, "acknowledged": acknowledged}


def read(folder: str, who: int, seconds: float) -> dict[str, Any]:
    """Read in every way until the time is over; how often, and what was torn."""
    rand, counts, torn = random.Random(100 + who), Counter[str](), []
    workspace, until = opened(folder), monotonic() + seconds
    root = Path(workspace.root)
    ways: Sequence[Callable[[], str | None]] = (
        lambda: _parse_index(root),
        lambda: _read_any(root, rand),
        lambda: _search(workspace, rand),
        lambda: _recall(workspace, rand),
    )
    while monotonic() < until:
        way = rand.randrange(len(ways))
        if (problem := ways[way]()) is not None:
            torn.append(problem)
        counts["read"] += 1
    return {"counts": counts, "torn": torn}


def _parse_index(root: Path) -> str | None:
    try:
        entries = json.loads((root / "memory-index.json").read_bytes())["entries"]
    except (ValueError, KeyError) as fault:
        return f"memory-index.json: {fault}"
    return None if all(entry["id"] for entry in entries) else "memory-index.json: an entry without id"


def _read_any(root: Path, rand: random.Random) -> str | None:
    """A file is whole where its header is closed and it ends as a memory ends: in Connections."""
    path = rand.choice(sorted((root / "10-Memories").glob("MEM-*.md")))
    data = path.read_bytes()
    is_whole = data.startswith(b"---\n") and b"\n---\n" in data and b"## Connections" in data and data.endswith(b"\n")
    return None if is_whole else f"{path.name}: {data[-80:]!r}"


def _search(workspace: Workspace, rand: random.Random) -> str | None:
    word = rand.choice(WORDS)
    try:
        hits = workspace.search(word).hits
        memory = workspace.read(hits[0].id) if hits else None
    except (NotFound, UnknownMemory) as fault:
        return f"search {word}: {fault}"
    return None if memory is None or memory.text else f"{memory.id} is empty"


def _recall(workspace: Workspace, rand: random.Random) -> str | None:
    recalled = workspace.recall(f"what does the {rand.choice(WORDS)} wait for")
    return None if recalled.context.count("<memory-context>") == bool(recalled.hits) else "a torn frame"


def _work(kind: str, folder: str, who: int, seconds: float, results: Any) -> None:
    work = write if kind == "writer" else read
    results.put((kind, work(folder, who, seconds)))


def load(folder: str, seconds: float, writers: int, readers: int) -> dict[str, Any]:
    """Let them all loose on a new vault, and count afterwards."""
    workspace = Workspace.create(start=folder, environ=ENVIRON)[0]
    plan = workspace.plan_learn(LearnRequest(text="What all of them know about the halls."))
    workspace.apply(plan, [Decision("seg-001", Action.CREATE, title="Shared")])
    made = workspace.memories()[0]
    (Path(workspace.root) / made.place.path).rename(Path(workspace.root) / f"10-Memories/{SHARED}.md")
    workspace.reindex()
    context = multiprocessing.get_context("spawn")
    results: Any = context.Queue()
    kinds = ["writer"] * writers + ["reader"] * readers
    started = perf_counter()
    processes = [
        context.Process(target=_work, args=(kind, folder, who, seconds, results)) for who, kind in enumerate(kinds)
    ]
    for process in processes:
        process.start()
    answers = _collected(results, processes)
    for process in processes:
        process.join(30)
    return _figures(folder, answers, perf_counter() - started)


def _collected(results: Any, processes: Sequence[Any]) -> list[tuple[str, dict[str, Any]]]:
    """What each process has to say; one that failed ends it all."""
    answers: list[tuple[str, dict[str, Any]]] = []
    while len(answers) < len(processes):
        with suppress(Empty):
            answers.append(results.get(timeout=1))
        if any(process.exitcode for process in processes):
            for process in processes:
                process.terminate()
            raise RuntimeError("a reader or writer failed; what it said stands above")
    return answers


def _figures(folder: str, answers: Sequence[tuple[str, dict[str, Any]]], seconds: float) -> dict[str, Any]:
    workspace = opened(folder)
    workspace.reindex()  # recalls went on behind the last write; their counts are written down now
    root = Path(workspace.root)
    kept = b"\n".join(path.read_bytes() for path in root.glob("10-Memories/MEM-*.md"))
    counts = sum((answer["counts"] for _, answer in answers), Counter[str]())
    acknowledged = [mark for _, answer in answers for mark in answer.get("acknowledged", ())]
    listed = {entry["id"] for entry in json.loads((root / "memory-index.json").read_bytes())["entries"]}
    files = {path.stem for path in root.glob("10-Memories/MEM-*.md")}
    return {
        "seconds": round(seconds, 1),
        "operations": counts.total(),
        "by_kind": dict(sorted(counts.items())),
        "acknowledged": len(acknowledged),
        "refused": sum(count for kind, count in counts.items() if kind.startswith("refused")),
        "lost": sum(f"{mark}:".encode() not in kept for mark in acknowledged),
        "torn": [problem for _, answer in answers for problem in answer.get("torn", ())],
        "not_listed": sorted(files ^ listed),
        "check": [str(problem) for problem in workspace.check()],
        "left_over": [path.name for path in root.rglob("*") if path.name.endswith((".tmp", ".intent.json"))],
        "receipts": len(workspace.log()),
    }


def is_good(figures: dict[str, Any]) -> bool:
    """Whether nothing was lost, torn, unlisted, wrong or left over."""
    return not any(figures[name] for name in ("lost", "torn", "not_listed", "check", "left_over"))


def main() -> int:
    """Run it and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--readers", type=int, default=8)
    given = parser.parse_args()
    memory_disk = Path("/dev/shm")
    with TemporaryDirectory(dir=memory_disk if memory_disk.is_dir() else None) as folder:
        figures = load(folder, given.seconds, given.writers, given.readers)
    print(json.dumps(figures, ensure_ascii=False))
    return 0 if is_good(figures) else 1


if __name__ == "__main__":
    sys.exit(main())
