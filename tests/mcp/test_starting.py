"""A server that was told of a place which is not there says so and does not start."""

import subprocess
import sys
from pathlib import Path

import pytest
from agents_client import environment

from memtend.cli import main

WRONG = {
    "--vault WRONG": "No vault at {}",
    "--vault file.txt": "No vault at {}",
    "--roles WRONG": "There is no roles folder at {}",
    "--roles file.txt": "There is no roles folder at {}",
}


@pytest.fixture
def here(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a vault and a file, which this process works in."""
    monkeypatch.chdir(project)
    for name in ("MEMTEND_VAULT", "MEMTEND_ROLES", "PI_ROLES_DIR"):
        monkeypatch.delenv(name, raising=False)
    (project / "file.txt").write_text("a file\n")
    return project


@pytest.mark.parametrize("server", ["mcp", "mcp --tools role", "serve --host 256.0.0.1 --token t"])
@pytest.mark.parametrize(("words", "told"), WRONG.items())
def test_a_named_place_that_is_not_there_is_told_at_the_start(
    here: Path, capsys: pytest.CaptureFixture[str], server: str, words: str, told: str
) -> None:
    option, name = words.split()
    assert main([*server.split(), option, name]) == 2
    printed = capsys.readouterr()
    error, hint = printed.err.splitlines()
    assert error == f"error[not-found]: {told.format(here / name)}"
    assert hint.startswith("hint: ") and printed.out == ""


@pytest.mark.parametrize("server", ["mcp", "serve --host 256.0.0.1 --token t"])
def test_a_vault_that_the_environment_names_is_there_as_well(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], server: str
) -> None:
    monkeypatch.setenv("MEMTEND_VAULT", "WRONG")
    assert main(server.split()) == 2
    assert f"No vault at {here / 'WRONG'}" in capsys.readouterr().err


@pytest.mark.parametrize("added", ["shop=WRONG", "shop=", "shop", "=WRONG"])
def test_a_vault_that_is_added_is_there_as_well(here: Path, capsys: pytest.CaptureFixture[str], added: str) -> None:
    assert main(["serve", "--host", "256.0.0.1", "--add", added]) == 2
    error, _ = capsys.readouterr().err.splitlines()
    assert "--add" in error or "No vault at" in error


def test_without_any_vault_a_server_of_an_agent_starts_and_each_call_says_what_is_missing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memtend", "mcp"],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(tmp_path.iterdir()) == []
