"""The pages about the insides: what another tool is told to do works as it is shown."""

import re
import sqlite3
import zlib
from pathlib import Path

import pytest

from memtend.cli import main
from memtend.workspace import Workspace

INTERNALS = Path(__file__).parents[2] / "docs" / "internals"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose vault has one memory and an index."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MEMTEND_VAULT", raising=False)
    main(["init"])
    main(["learn", "-t", "The pool holds ten connections.", "--yes"])
    main(["search", "pool"])
    return tmp_path


def _shown(page: str, pattern: str) -> str:
    (found,) = re.findall(pattern, (INTERNALS / page).read_text(encoding="utf-8"), re.DOTALL)
    assert isinstance(found, str)
    return found


def test_the_index_answers_the_query_of_its_page_to_a_tool_that_knows_nothing_of_memtend(project: Path) -> None:
    with sqlite3.connect(f"{(project / '.memory/.memtend/index.db').as_uri()}?mode=ro", uri=True) as index:
        asked = index.execute(_shown("index.md", r'index\.db "(select [^"]+)"')).fetchall()
        packed = index.execute("select text from packed").fetchall()
    index.close()
    assert asked == [("MEM-the-pool-holds", "The pool holds ten connections.", 0)]
    unpack = eval("lambda text: " + _shown("index.md", r"`(zlib\.decompress[^`]+)`"), {"zlib": zlib})
    assert [unpack(text) for (text,) in packed] == ["The pool holds ten connections."]


def test_every_table_of_the_index_is_on_its_page(project: Path) -> None:
    Workspace.open().report()
    with sqlite3.connect(f"{(project / '.memory/.memtend/index.db').as_uri()}?mode=ro", uri=True) as index:
        tables = {name for (name,) in index.execute("select name from sqlite_master where type in ('table', 'view')")}
    index.close()
    told = set(re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`.+?) \|", _table(), re.MULTILINE))))
    assert {name for name in tables if not name.startswith("words_")} == told


def _table() -> str:
    return (INTERNALS / "index.md").read_text(encoding="utf-8").partition("## Tables")[2].partition("## Usage")[0]


def test_the_python_of_the_journal_takes_a_change_back(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in (project / ".memory").glob("*0-*/*.md")}
    capsys.readouterr()
    main(["learn", "-t", "Retries of the parcel client wait for 200 ms.", "--yes"])
    (receipt,) = re.findall(r"Receipt (r-[\w-]+)", capsys.readouterr().out)
    code = _shown("journal.md", r"```python\n(.*?)```")
    assert "r-20260630-101500-4f2a" in code
    exec(code.replace("r-20260630-101500-4f2a", receipt), {})
    assert {path: path.read_bytes() for path in (project / ".memory").glob("*0-*/*.md")} == before
