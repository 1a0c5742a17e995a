"""Which test stands for which known kind of fault: `python tools/cases.py` writes the table in tests/README.md.

`tests/cases.txt` lists the kinds. A test names the ones it stands for in its name, a scenario in its text.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
README = TESTS / "README.md"
BEGIN, END = "<!-- cases: made by tools/cases.py -->\n", "<!-- /cases -->\n"

_TEST = re.compile(r"^(?:async )?def (test_\w*?o_[a-z]{2}_\d\d\w*)", re.MULTILINE)
_NAMED = re.compile(r"o_([a-z]{2})_(\d\d)((?:_(?:and_)?(?:\d\d)(?=_|$))*)")
_IN_TEXT = re.compile(r"\bO-[A-Z]{2}-\d\d\b")


def kinds() -> dict[str, str]:
    """Every known kind of fault by id, with a few words."""
    lines = (TESTS / "cases.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(" ", 1) for line in lines if line.startswith("O-"))


def ids_in(name: str) -> set[str]:
    """The ids that a test's name carries: `test_o_fs_02_and_03_…` has two."""
    found = set()
    for area, number, more in _NAMED.findall(name):
        found |= {f"O-{area.upper()}-{each}" for each in (number, *re.findall(r"\d\d", more))}
    return found


def tests() -> dict[str, list[tuple[str, str]]]:
    """The tests of each id, as (file from tests/, name)."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for id, file, name in sorted(_named()):
        found[id].append((file, name))
    return dict(found)


def _named() -> Iterator[tuple[str, str, str]]:
    for file in TESTS.rglob("test_*.py"):
        for name in _TEST.findall(file.read_text(encoding="utf-8")):
            yield from ((id, file.relative_to(TESTS).as_posix(), name) for id in ids_in(name))
    for file in (TESTS / "scenarios").glob("*.md"):
        for id in set(_IN_TEXT.findall(file.read_text(encoding="utf-8"))):
            yield id, file.relative_to(TESTS).as_posix(), ""


def table() -> str:
    """The table of tests/README.md."""
    have = tests()
    rows = [f"| {id} | {words} | {_cell(have.get(id, []))} |" for id, words in kinds().items()]
    return "\n".join(["| id | what goes wrong | tests in |", "|---|---|---|", *rows]) + "\n"


def _cell(found: list[tuple[str, str]]) -> str:
    """The tests of a kind, those of a file in one line; the ids are left out of the names."""
    lines: dict[str, list[str]] = defaultdict(list)
    for file, name in found:
        lines[file] += [f"`{_sentence(name)}`"] if name else []
    return "<br>".join(f"[{Path(file).name}]({file}) {', '.join(names)}".rstrip() for file, names in lines.items())


def _sentence(name: str) -> str:
    return _NAMED.sub("", name).removeprefix("test").replace("_and__", "_").strip("_")


def page() -> str:
    """The README with the table of now."""
    text = README.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    if not begin:
        raise SystemExit(f"{README} has lost the line {BEGIN.strip()}")
    return before + BEGIN + "\n" + table() + "\n" + END + rest.partition(END)[2]


def main() -> int:
    """Write the table, with `--check` say whether it is stale, with an id list its tests."""
    if "--check" in sys.argv[1:]:
        return int(page() != README.read_text(encoding="utf-8"))
    for id in sys.argv[1:]:
        print(id, kinds()[id], *(f"  {file}::{name}" for file, name in tests().get(id, [])), sep="\n")
    if not sys.argv[1:]:
        README.write_text(page(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
