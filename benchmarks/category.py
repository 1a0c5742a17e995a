"""How long a compaction of many sessions takes, and what its summary keeps.

    python benchmarks/category.py [--sessions 1000] [--words 300] [--seed 1] [--json]

Sessions are made up: each states a constraint, tells a decision, counts something, and talks for the rest. The memory
lies in a temporary folder; what is measured is the whole action, from reading the files to the receipt.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from memtend.workspace.category.categories import CategoryWorkspace

NOW = datetime(2026, 6, 30, 10, tzinfo=UTC)
WORDS = """
river stone market garden window letter bridge engine carpet ladder pencil lantern harbor meadow thunder valley copper
silver velvet marble orchard pepper saddle timber walnut anchor basket candle dragon falcon glacier hammer island
jacket kettle lemon mirror needle ocean pillow quarry ribbon shadow temple violin wagon yellow zephyr
"""
LIMIT_SECONDS = 10


def sentences(random: Random, words: int) -> list[str]:
    """Talk of about so many words."""
    pool, found, count = WORDS.split(), [], 0
    while count < words:
        length = random.randint(8, 14)
        found.append(" ".join(random.choice(pool) for _ in range(length)).capitalize() + ".")
        count += length
    return found


def session(random: Random, number: int, words: int) -> str:
    """One session file."""
    pool = WORDS.split()
    one, other = random.sample(pool, 2)
    said = sentences(random, words - 40)
    for text in (
        f"The {one}{number % 97} service must never hold more than {random.randint(2, 900)} {other} handles.",
        f"We decided to use {one} for the {other}{number % 89} queue.",
        f"The `{one}_{other}` job of run {number} took {random.randint(2, 99)} minutes.",
    ):
        said.insert(random.randrange(len(said)), text)
    body = "\n\n".join(" ".join(said[i : i + 5]) for i in range(0, len(said), 5))
    day = f"2026-{1 + number // 28 % 6:02}-{1 + number % 28:02}"
    head = f"---\ntype: memory\ncategory: sessions\nid: S-{number}\ncreated_at: {day}\n---\n"
    return f"{head}\n# Session {number}\n\n{body}\n"


def lay(root: Path, count: int, words: int, seed: int) -> None:
    """A memory of so many sessions, all in its index."""
    random = Random(seed)
    (root / "sessions").mkdir()
    rows = []
    for number in range(count):
        path = f"sessions/session-{number:05}.md"
        (root / path).write_text(session(random, number, words), encoding="utf-8")
        rows.append(f"| `{path}` | sessions | S-{number} | 2026-01-01 |\n")
    head = (
        "---\ntype: memory_index\nid: MEMORY-INDEX\nupdated_at: 2026-02-22\n---\n\n# Memory Map\n\n## Active Files\n\n"
    )
    table = "| File | Category | ID | Last updated |\n|---|---|---|---|\n"
    (root / "index.md").write_text(head + table + "".join(rows), encoding="utf-8")


def measured(count: int, words: int, seed: int) -> dict[str, Any]:
    """Compact such a memory once; times in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        lay(root, count, words, seed)
        workspace = CategoryWorkspace(root, clock=lambda: NOW)
        cpu, wall = time.process_time(), time.perf_counter()
        done = workspace.compact(accepted=True)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        (report,) = done.done
        again = workspace.plan_compact().is_empty
        start = time.process_time()
        restored = workspace.restore(report["archive"])
        return {
            "sessions": count,
            "words": words,
            "cpu_seconds": cpu,
            "wall_seconds": wall,
            "restore_cpu_seconds": time.process_time() - start,
            "restored_exactly": restored.done[0]["exact"],
            "second_run_is_empty": again,
            "share": report["share"],
            "over_share": report["over_share"],
            "contradictions": report["contradictions"],
            **{name: report[name] for name in ("constraints", "decisions", "identifiers", "numbers")},
        }


def main(arguments: Sequence[str]) -> int:
    """Print the figures; status 1 where it takes longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    found = measured(given.sessions, given.words, given.seed)
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        for name, value in found.items():
            print(f"{name:22}{value:.3f}" if isinstance(value, float) else f"{name:22}{value}")
    return int(found["cpu_seconds"] > LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
