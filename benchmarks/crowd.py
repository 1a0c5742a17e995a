"""Many files in one folder, through the command line: what each command costs, and whether it is right.

    python benchmarks/crowd.py [--files 100000] [--folder DIR]

Makes a vault of so many small memories, a hundredth of them retired long ago, and runs index, check, search, recall,
learn, undo and gc on it, each in a process of its own. One line a command: CPU and wall seconds, peak memory in MB.
Exit status 1 where anything was wrong. For the costs of a disk in memory give a folder there.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

ENVIRON = {"MEMTEND_NOW": "2026-06-30T10:00:00Z", "MEMTEND_COMMIT": "0"}
_LAUNCH = """
import os, sys
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(pid, 0)
with open(sys.argv[1], "w", encoding="ascii") as file:
    print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss, file=file)
"""
"""Between us and the command stands something small: a process begins with the peak memory of the one that made it."""
RETIRED = "status: tombstoned\ntombstoned_at: 2026-05-01\ntombstone_reason: purge\n"


class Ran(NamedTuple):
    """One command: how it ended, what it said as JSON, and what it cost."""

    words: tuple[str, ...]
    status: int
    said: dict[str, Any]
    cpu_seconds: float
    wall_seconds: float
    peak_mb: int

    def __str__(self) -> str:
        cost = f"cpu {self.cpu_seconds:7.2f} s  wall {self.wall_seconds:7.2f} s  peak {self.peak_mb:5} MB"
        return f"{' '.join(self.words):44}{cost}  exit {self.status}"


def run(root: Path, *words: str) -> Ran:
    """Run the command line on the vault of a folder."""
    started = time.monotonic()
    command = [sys.executable, "-m", "memtend", *words, "--json"]
    with TemporaryDirectory() as folder, Path(folder, "out").open("w+") as out:
        launch = [sys.executable, "-S", "-c", _LAUNCH, str(Path(folder, "used")), *command]
        subprocess.run(launch, cwd=root, env=os.environ | ENVIRON, stdout=out, stderr=subprocess.DEVNULL, check=True)
        out.seek(0)
        said = out.read()
        status, cpu_seconds, peak_kb = map(float, Path(folder, "used").read_text(encoding="ascii").split())
    peak = int(peak_kb) // (1024 * 1024 if sys.platform == "darwin" else 1024)
    document = json.loads(said) if said.startswith("{") else {}
    wall = time.monotonic() - started
    return Ran(words, int(status), document, cpu_seconds, wall, peak)


def fill(folder: Path, count: int) -> None:
    """So many small memories; every hundredth is retired."""
    for number in range(count):
        retired = RETIRED if number % 100 == 99 else ""
        (folder / f"MEM-n{number:06d}.md").write_text(
            f"---\ntitle: Note {number}\ncreated: 2026-04-01\ntags: [INSIGHT]\ntopic: crowd/{number % 50}\n"
            f"{retired}---\n"
            f"# Note {number}\n\nNote {number} is about pump {number % 997} and valve v{number}x.\n"
        )


def files(root: Path) -> dict[str, bytes]:
    """The memories of the vault, by name."""
    return {path.name: path.read_bytes() for path in (root / ".memory" / "10-Memories").glob("MEM-*.md")}


def crowd(root: Path, count: int) -> Iterator[tuple[Ran, bool]]:
    """Every command on a vault of so many files, and whether it did what it should."""
    yield (ran := run(root, "init")), ran.status == 0
    fill(root / ".memory" / "10-Memories", count)
    before, gone = files(root), count // 100
    wanted = f"MEM-n{count - 7:06d}"
    entries = root / ".memory" / "memory-index.json"
    ran = run(root, "index")
    yield ran, ran.status == 0 and len(json.loads(entries.read_bytes())["entries"]) == count
    yield (ran := run(root, "index")), ran.said.get("paths") == []
    yield (ran := run(root, "check")), ran.said.get("findings") == []
    yield (ran := run(root, "search", f"v{count - 7}x")), [hit["id"] for hit in ran.said["hits"]][:1] == [wanted]
    yield (ran := run(root, "recall", f"what is at valve v{count - 7}x")), ran.status == 0
    ran = run(root, "learn", "-t", "The wombat lives behind hall two.", "--yes")
    yield ran, ran.said.get("memories_affected") == 1
    yield (ran := run(root, "search", "wombat")), len(ran.said["hits"]) == 1
    ran = run(root, "undo")
    yield ran, ran.status == 0 and files(root).keys() == before.keys()
    ran = run(root, "distill", "gc", "--yes", "--allow-large")
    yield ran, ran.status == 0 and len(files(root)) == count - gone
    yield (ran := run(root, "check")), ran.said.get("findings") == []
    ran = run(root, "undo")
    yield ran, ran.status == 0 and files(root).keys() == before.keys()


def main() -> int:
    """Print what each command cost; whether all were right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="where to make the vault; a folder of its own otherwise")
    given = parser.parse_args()
    is_good = True
    with TemporaryDirectory(dir=given.folder) as folder:
        for ran, is_right in crowd(Path(folder), given.files):
            print(ran, "" if is_right else "WRONG", flush=True)
            is_good = is_good and is_right
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
