"""Fuzzes what foreign text reaches: `python tests/fuzz/fuzz.py [--seconds 600] [TARGET ...]`.

With atheris, which is led by what each input makes the code do; without it, by chance alone. What breaks a law is
kept in tests/fuzz/corpus/TARGET/, where it is a test from then on. Exit status 1 where anything was found.
"""

import argparse
import hashlib
import os
import random
import subprocess
import sys
import time
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

if sys.argv[1:2] == ["--inside"]:
    import atheris

    with atheris.instrument_imports(include=["memtend"]):
        from targets import TARGETS

        # Much is loaded only when it is needed; what is loaded later than here would not lead atheris.
        TARGETS[sys.argv[2]](b"---\ntitle: A\n---\n# A boiler\n\n- [1x] one [[MEM-a|b]]\n")
else:
    from targets import TARGETS

SEEDS = [
    b"",
    b"---\ntitle: A\ntags: [a, 'b', \"c\"]\n---\n# A\n\n- one\n\n```sh\n# no\n```\n[[MEM-a|b]]\n",
    b"---\r\nx: |\r\n  y\r\n---\r\n",
    b"# Learnings\n- [3x] Prefer small commits\n  - nested\n* [1x] star\n## Other\n- [ ] task\n",
    b"### DEC-2 (REVISED)\n\nT.\n\n### DEC-2\n\n> SUPERSEDED by DEC-2 (REVISED)\n\n| a |\n|---|\n| [[x\\|y]] |\n",
    b"---\nname: zero\n---\n# Learnings (New)\n* [2X] a <!-- tags: b -->\n  - c\n# Events\n- 2026-02-01 d\n",
    b"# Pending Memories\n\n- [\xe2\x97\x8b] [auto] a\n  category: Code\n  id: t-1\n  created: 2026-06-25\n",
    b'{"status": "planned", "format": 1, "proposals": [{"segment_id": "s", "kind": "learn", "summary": ""}]}',
    'why? C++ "a b" 効果 foo_bar NEAR( * -x'.encode(),
]
PIECES = [b"---\n", b"\n", b"\r\n", b"# ", b"- ", b"```", b"[[", b"]]", b"<!--", b"-->", b": ", b'"', b"'", b"|", b"\t"]
PIECES += [
    b"\xff",
    b"\xc3\xa9",
    b"\xe2\x80\xa8",
    b"\x00",
    b"&a",
    b"*a",
    b"!!",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"#",
    b"\\",
]

WORDS = {
    "query": [b" AND ", b" OR ", b" NOT ", b"NEAR(", b"title:", b"tag:", b"*", b"^", b"-"],
    "frontmatter": [b"title", b"tags", b"summary", b"|\n  ", b">-\n  ", b"? ", b"%YAML 1.2\n", b"...\n", b"<<: "],
    "memory": [b"title", b"tags", b"status", b"## History\n", b"## Superseded\n", b"created: 2026-06-01\n"],
    "role": [b"- [3x] ", b"# Learnings (New)\n", b"# Events\n", b"[auto] ", b" <!-- tags: a -->", b"# Learnings\n"],
    "pending": [b"- [\xe2\x97\x8b] [auto] ", b"# Pending Memories\n", b"  category: ", b"  id: t-1\n", b"  created: "],
    "category": [
        b"> SUPERSEDED by DEC-1\n",
        b"> OBSOLETE \xe2\x80\x94 old\n",
        b"### DEC-1 ",
        b"| a | b |\n|---|---|\n",
    ],
}
"""What a target's texts are made of, beside what all are."""

LONGEST = {"query": 400, "role": 1000, "pending": 1000}
"""Bytes of an input at most, where a longer one is only dearer: a query is short, and a page repeats its items."""


def seeds(name: str) -> list[bytes]:
    """What to begin with: the corpus of a target, and a little of everything."""
    return [*SEEDS, *(file.read_bytes() for file in sorted((HERE / "corpus" / name).glob("*")) if file.is_file())]


def keep(name: str, data: bytes) -> Path:
    """Put an input that broke a law among the tests."""
    path = HERE / "corpus" / name / hashlib.sha256(data).hexdigest()[:16]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def escaped(data: bytes) -> str:
    """Bytes as a dictionary of libFuzzer writes them."""
    return "".join(f"\\x{byte:02x}" for byte in data)


def by_chance(name: str, seconds: float, rand: random.Random) -> bool:
    """Change seeds at random until the time is over; whether nothing broke."""
    until, pool, runs, found = time.monotonic() + seconds, seeds(name), 0, 0
    while time.monotonic() < until and found < 10:
        data = bytearray(rand.choice(pool))
        for _ in range(rand.randint(1, 8)):
            at = rand.randint(0, len(data))
            data[at : at + rand.choice([0, 0, 1, 4])] = rand.choice([*PIECES, bytes(data[at : at + 9])])
        runs += 1
        try:
            TARGETS[name](bytes(data))
        except Exception:  # noqa: BLE001 - whatever it is, it is what we look for
            found += 1
            print(traceback.format_exc(), f"kept as {keep(name, bytes(data))}", sep="\n")
        if runs % 7 == 0 and len(data) < 2000:
            pool.append(bytes(data))
    print(f"{name}: {runs} runs by chance, {found} found")
    return found == 0


def by_coverage(name: str, seconds: float) -> bool:
    """Let atheris lead, in a process of its own; whether nothing broke."""
    folder = HERE / ".work" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder.parent / ".gitignore").write_text("*\n")
    for number, data in enumerate(seeds(name)):
        (folder / f"seed-{number}").write_bytes(data)
    words = HERE / ".work" / f"{name}-words.dict"
    words.write_text("".join(f'"{escaped(piece)}"\n' for piece in [*PIECES, *WORDS.get(name, [])]))
    command = [sys.executable, __file__, "--inside", name, str(folder), f"-max_total_time={int(seconds)}"]
    limits = [f"-max_len={LONGEST.get(name, 4096)}", "-timeout=20", "-print_final_stats=1"]
    memory_disk = Path("/dev/shm")  # a slow disk is no fault of an input
    with TemporaryDirectory(dir=memory_disk if memory_disk.is_dir() else None) as room:
        done = subprocess.run(
            [*command, *limits, f"-dict={words}", f"-artifact_prefix={HERE}/.work/{name}."],
            check=False,
            env=os.environ | {"TMPDIR": room},  # that process ends without cleaning up
        )
    for crash in (HERE / ".work").glob(f"{name}.*"):
        print(f"kept as {keep(name, crash.read_bytes())}")
        crash.unlink()
    return done.returncode == 0


def inside(name: str, arguments: list[str]) -> None:
    """What runs in atheris' process; it does not return. The input is kept here: not every libFuzzer writes it."""

    def kept_where_it_fails(data: bytes) -> None:
        try:
            TARGETS[name](data)
        except BaseException:
            print(f"kept as {keep(name, data)}", flush=True)
            raise

    atheris.Setup([sys.argv[0], *arguments], kept_where_it_fails)
    atheris.Fuzz()


def has_atheris() -> bool:
    """Whether fuzzing can be led by coverage here."""
    from importlib.util import find_spec

    return find_spec("atheris") is not None


def main() -> int:
    """Fuzz the named targets, or all."""
    if sys.argv[1:2] == ["--inside"]:
        inside(sys.argv[2], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--by-chance", action="store_true", help="without atheris")
    parser.add_argument("targets", nargs="*", default=list(TARGETS))
    given = parser.parse_args()
    led = has_atheris() and not given.by_chance
    good = [
        by_coverage(name, given.seconds) if led else by_chance(name, given.seconds, random.Random())
        for name in given.targets
    ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
