"""What only reads, and what is refused, leaves nothing behind, in whatever folder it is called.

A vault's search index is no trace: the first question of a vault makes it.
"""

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memtend.cli import app, main
from memtend.cli.signature import NEEDED, parameters

Lay = Callable[[Path], object]


def note(folder: Path) -> None:
    """A folder with something else in it."""
    (folder / "note.md").write_text("# A note\n\nOf somebody else.\n")


def bare_roles(folder: Path) -> None:
    """Two roles that nobody has written to."""
    (folder / "roles" / "one").mkdir(parents=True)
    (folder / "roles" / "two").mkdir()


def bare_category(folder: Path) -> None:
    """A category memory that another tool has begun."""
    (folder / "memory" / "decisions").mkdir(parents=True)
    (folder / "memory" / "index.md").write_text("---\ntype: memory_index\n---\n# Memory\n")


def bare_vault(folder: Path) -> None:
    """A vault that another tool has begun."""
    (folder / ".memory" / "10-Memories").mkdir(parents=True)


FOLDERS: dict[str, Lay] = {
    "empty": lambda _: None,
    "note": note,
    "roles": bare_roles,
    "category": bare_category,
    "vault": bare_vault,
}
WRITES = {"init", "create", "add", "add_learning", "add_preference", "write", "harvest", "index", "auto"}
"""Commands that make something where they succeed."""
SERVES = {"mcp", "serve", "watch"}
PLACE = {"role": ["--roles", "roles"], "category": ["--root", "memory"]}
MORE = [
    "log --prune --yes", "log --prune --before 2020-01-01 --yes", "forget nothing --yes", "apply note.md --yes",
    "setup nobody", "learn missing.md --yes", "distill purge --only nothing --yes", "distill report --html x/y.html",
    "role write ../x text --roles roles --role one", "role undo nothing --roles roles --role one",
    "role promote nothing --roles roles --role one", "role add_learning  --roles roles --role one",
    "role log --roles roles --role one", "role tidy --delete nothing --roles roles --role one --yes",
    "role undo --roles roles --role one", "role reinforce nothing --roles roles --role one",
    "role search nothing --roles roles --role one", "role organize --roles roles --role one --yes",
    "role undo --roles missing", "role list --roles note.md", "category undo nothing --root memory",
    "category add text --category ../x --title T --root memory", "category sync --root memory --yes",
    "category forget nothing --root memory --yes", "category restore ../x --root memory",
    "category undo --root missing", "category list --root note.md", "list --vault note.md", "init note.md",
    "category create note.md",
]  # fmt: skip


def lines() -> Iterator[str]:
    """A command line for each command, as bare as can be, with its place named and not; and some that are refused."""
    for command in app.commands():
        taken = parameters(command)
        words = [*filter(None, (command.group, command.name))]
        words += [word for each in taken if each.default is NEEDED for word in (*each.options()[:1], "1")]
        if command.name in SERVES:
            continue
        option, place = PLACE.get(command.group, ("--vault", ".memory"))
        modes = ["purge", "merge", "refine", "gc"] if command.name == "distill" else [""]
        for mode in modes:
            bare = " ".join([*words, *filter(None, [mode])])
            yield bare
            if option in {name for each in taken for name in each.options()}:
                yield f"{bare} {option} {place}"
    yield from MORE


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every folder and file but a search index and what it stands in."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    index = {f".memory/.memtend{name}" for name in ("", "/.gitignore")}
    made = {name: path for name, path in found.items() if name not in index and not path.name.startswith("index.db")}
    return {name: path.read_bytes() if path.is_file() else None for name, path in made.items()}


@pytest.mark.parametrize("how", ["", "--yes", "--dry-run"])
@pytest.mark.parametrize("kind", FOLDERS)
def test_what_reads_or_is_refused_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, how: str
) -> None:
    for name in [name for name in os.environ if name.startswith(("MEMTEND_", "PI_"))]:
        monkeypatch.delenv(name)
    for number, line in enumerate(lines()):
        home, folder = tmp_path / f"{number}-home", tmp_path / f"{number}"
        for made in (home, folder):
            made.mkdir()
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setattr("sys.stdin", io.StringIO("A text on stdin.\n"))
        monkeypatch.chdir(folder)
        FOLDERS[kind](folder)
        before = tree(folder)
        words = line.split(" ")
        status = main([*words, *([how] if how and how not in words else [])])
        if status or how == "--dry-run" or WRITES.isdisjoint(words):
            assert tree(folder) == before, line
            assert tree(home) == {}, line
