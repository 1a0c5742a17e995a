"""What becomes of the command line where a stream is closed, full, endless or a terminal that could be steered."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from memtend.cli import main
from memtend.cli.screen import harmless, styled

needs_full_device = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
needs_shell = pytest.mark.skipif(os.name == "nt", reason="streams are closed by a POSIX shell")


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a vault that holds one memory, which this process works in."""
    for name in [name for name in os.environ if name.startswith("MEMTEND_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MEMTEND_NOW", "2026-06-30T10:00:00Z")
    monkeypatch.chdir(tmp_path)
    assert main(["init"]) == 0
    (tmp_path / ".memory/10-Memories/MEM-pool.md").write_text("# Pool\n\nThe pool holds twenty connections.\n")
    return tmp_path


def run(folder: Path, command: str) -> "subprocess.CompletedProcess[str]":
    """A command line of `sh` in which `memtend` is this one."""
    program = f'memtend() {{ "{sys.executable}" -m memtend "$@"; }}; '
    return subprocess.run(["sh", "-c", program + command], cwd=folder, capture_output=True, text=True, check=False)


@needs_shell
@pytest.mark.parametrize("command", ["learn -", "recall -", "search -", "apply plan.json --decisions -"])
def test_a_closed_stdin_is_one_clear_line(vault: Path, command: str):
    (vault / "plan.json").write_text('{"status": "planned", "proposals": []}')
    done = run(vault, f"memtend {command} <&-")
    assert done.returncode == 2
    assert done.stderr.startswith("error[unusable-input]: stdin is closed\nhint: ")


@needs_full_device
@pytest.mark.parametrize(
    ("command", "status"), [("list", 6), ("list --json", 6), ("bogus --json", 2), ("recall pool", 6), ("--help", 6)]
)
def test_a_full_disk_behind_stdout_is_told_once_and_without_a_traceback(vault: Path, command: str, status: int):
    done = run(vault, f"memtend {command} >/dev/full")
    assert done.returncode == status
    assert [line.partition("[")[0] for line in done.stderr.splitlines() if line.startswith("error")] == ["error"]
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@needs_full_device
@pytest.mark.parametrize(("command", "status"), [("bogus", 2), ("recall zebra", 1), ("check", 1), ("status", 0)])
def test_messages_that_cannot_be_told_change_no_status(vault: Path, command: str, status: int):
    assert run(vault, f"memtend {command} 2>/dev/full").returncode == status


def test_an_endless_stdin_is_refused(vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    class Endless(io.StringIO):
        def read(self, size: int | None = -1, /) -> str:
            assert size is not None and size > 0, "an endless text must not be read to its end"
            return "x" * size

    monkeypatch.setattr(sys, "stdin", Endless())
    assert main(["recall", "-"]) == 2
    assert "stdin has more than 32 million characters" in capsys.readouterr().err


def test_a_message_does_not_repeat_an_argument_of_any_length(vault: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["show", "a" * 100_000 + "z"]) == 2
    told = capsys.readouterr().err
    assert len(told) < 1500
    assert "z'" in told


def test_no_message_steers_a_terminal(vault: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["--vault", "x\x1b[31m", "list"]) == 2
    assert "\x1b" not in capsys.readouterr().err


class Terminal(io.StringIO):
    """What looks like a terminal to whoever writes."""

    def isatty(self) -> bool:
        return True


def test_a_memory_cannot_steer_a_terminal(vault: Path, monkeypatch: pytest.MonkeyPatch):
    path = vault / ".memory/10-Memories/MEM-odd.md"
    path.write_text("# T\x1b]0;other\x07itle\n\nGrün\tand \x1b[8mhidden\x1b[0m, \x9b31m.\n", encoding="utf-8")
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("LINES", "1000")
    for words in (["show", "MEM-odd"], ["list"], ["search", "Grün"]):
        assert main(words) == 0
    shown = screen.getvalue()
    assert not {"\x1b", "\x07", "\x9b"} & set(shown)
    assert "T\\x1b]0;other\\x07itle" in shown
    assert "Grün\tand" in shown


def test_what_is_piped_stays_as_it_is(vault: Path, capsys: pytest.CaptureFixture[str]):
    (vault / ".memory/10-Memories/MEM-odd.md").write_text("# Odd\n\nBody \x1b[31m red.\n", encoding="utf-8")
    assert main(["show", "MEM-odd"]) == 0
    assert "\x1b[31m" in capsys.readouterr().out


def test_colours_of_our_own_pass_and_nothing_else(monkeypatch: pytest.MonkeyPatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    styled("\x1b[1;32mgood\x1b[0m \x1b[2J\x1b]0;x\x07")
    assert screen.getvalue() == "\x1b[1;32mgood\x1b[0m \\x1b[2J\\x1b]0;x\\x07\n"


def test_text_of_any_script_is_harmless():
    assert harmless("Größe 日本 😀\n\tx") == "Größe 日本 😀\n\tx"


def test_in_a_terminal_a_long_title_is_cut_to_the_line(vault: Path, monkeypatch: pytest.MonkeyPatch):
    title = "日本語 " + "how the pool of connections behaves " * 5
    (vault / ".memory/10-Memories/MEM-long.md").write_text(f"# {title}\n\nText.\n", encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "1000")
    seen = []
    for screen in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stdout", screen)
        assert main(["list"]) == 0
        seen.append(next(line for line in screen.getvalue().splitlines() if line.startswith("MEM-long")))
    assert seen[0].endswith("…")
    assert cell_len(seen[0]) <= 80
    assert seen[1].endswith(title.strip())


def test_a_question_cannot_be_steered_by_what_it_names(vault: Path, monkeypatch: pytest.MonkeyPatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert main(["learn", "-i", "-t", "Der Pool \x1b[2J hat zwanzig Verbindungen."]) in (2, 3)
    assert "\x1b[2J" not in screen.getvalue()


def test_questions_with_a_closed_stdout_are_no_fault(vault: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert main(["learn", "-i", "-t", "The lamp in the yard blinks at night."]) == 3


@pytest.mark.parametrize(
    ("words", "head"),
    [
        ([], "Usage: memtend [OPTIONS] COMMAND"),
        (["help"], "Usage: memtend [OPTIONS] COMMAND"),
        (["help", "list"], "Usage: memtend list [OPTIONS]"),
        (["help", "role", "create"], "Usage: memtend role create [OPTIONS] NAME"),
        (["role"], "Usage: memtend role [OPTIONS] COMMAND"),
    ],
)
def test_help_is_given_however_it_is_asked_for(words: list[str], head: str, capsys: pytest.CaptureFixture[str]):
    assert main(words) == 0
    assert capsys.readouterr().out.startswith(head)


def test_a_bar_moves_on_stderr_where_that_is_a_terminal_and_nowhere_else(monkeypatch: pytest.MonkeyPatch):
    from memtend.cli.call import progress

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen, pipe = Terminal(), io.StringIO()
    monkeypatch.setenv("TERM", "xterm")
    for stream in (screen, pipe):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress("reading") as step:
            step(1, 2, "comparing")
    assert "comparing" in screen.getvalue()
    assert pipe.getvalue() == ""


def test_what_was_said_yes_to_is_done_although_nobody_reads_what_is_shown_before(vault: Path):
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "memtend", "setup", "opencode", "--yes"],
        cwd=vault,
        env=os.environ | {"HOME": str(vault), "XDG_STATE_HOME": str(vault / "state")},
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, b"rror" in done.stderr) == (0, False)
    assert (vault / "opencode.json").exists()
