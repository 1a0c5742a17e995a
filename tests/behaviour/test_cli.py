"""The command line as programs and shells see it: streams, statuses, flags, names. Stories are in scenarios/."""

import gc
import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memtend.cli import app, main
from memtend.cli.call import unbroken
from memtend.cli.commands.find import wanted_tags
from memtend.cli.faults import tell
from memtend.errors import Usage

NOTE = "# Connection pool\n\nThe connection pool holds twenty connections for each web node.\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a vault that holds one memory."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "pool.md").write_text(NOTE)
    with pytest.MonkeyPatch.context() as patch:
        _work_in(folder, patch)
        assert main(["init"]) == 0
        assert main(["learn", "pool.md", "--topic", "postgres/pool", "--yes", "--no-commit"]) == 0
    gc.collect()  # whoever still holds the index open lets go, before its side files vanish while they are copied
    return folder


@pytest.fixture
def vault(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, which this process works in."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    _work_in(tmp_path, monkeypatch)
    return tmp_path


def _work_in(folder: Path, patch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("MEMTEND_")]:
        patch.delenv(name)
    patch.setenv("MEMTEND_NOW", "2026-06-30T10:00:00Z")
    patch.chdir(folder)


ID = "MEM-pool-connection-pool"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["list"], 0),
        (["status"], 0),
        (["show", ID], 0),
        (["links", ID], 0),
        (["log"], 0),
        (["check"], 0),
        (["index"], 0),
        (["search", "connection"], 0),
        (["search", "zebra"], 1),
        (["search", "connection", "--mode", "lexical"], 0),
        (["search", "connection", "--mode", "semantic"], 0),
        (["recall", "connection pool"], 0),
        (["recall", "zebra"], 1),
        (["learn", "pool.md", "--dry-run"], 0),
        (["learn", "-t", "Invoices are numbered without gaps."], 3),
        (["learn", "-t", "Invoices are numbered without gaps.", "--content-map"], 0),
        (["learn", "-t", "Invoices are numbered without gaps.", "--yes"], 0),
        (["undo"], 0),
        (["undo", "--dry-run"], 0),
        (["init", "other"], 0),
        (["show", "nothing"], 2),
        (["frob"], 2),
        (["list", "--frob"], 2),
        (["learn", "missing.md"], 2),
        (["list", "--vault", "nowhere"], 2),
    ],
)
def test_with_json_stdout_holds_one_document_and_nothing_else(
    vault: Path, capsys: pytest.CaptureFixture[str], words: list[str], status: int
):
    assert main([*words, "--json"]) == status
    assert isinstance(json.loads(capsys.readouterr().out), dict)


@pytest.mark.parametrize("words", [["--json", "list"], ["list", "--json"]])
def test_flags_stand_before_or_after_the_command(vault: Path, capsys: pytest.CaptureFixture[str], words: list[str]):
    assert main(words) == 0
    assert [memory["id"] for memory in json.loads(capsys.readouterr().out)["memories"]] == [ID]


@pytest.mark.parametrize("flags", [["--vault", "v/.memory"], ["--vault=v/.memory"], ["--vault", "v"]])
def test_the_vault_is_named_before_or_after_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], flags: list[str]
):
    monkeypatch.chdir(tmp_path)
    main(["init", "v/.memory"])
    assert main([*flags, "status"]) == main(["status", *flags]) == 0
    assert capsys.readouterr().err == ""


def test_a_flag_that_is_the_value_of_an_option_gives_no_consent(vault: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["learn", "-t", "--yes"]) == 3
    assert [m["id"] for m in _json(capsys, "list")["memories"]] == [ID]


def test_every_command_has_help_with_examples(capsys: pytest.CaptureFixture[str]):
    for command in app.commands():
        assert main([*filter(None, (command.group, command.name)), "--help"]) == 0
        shown = capsys.readouterr().out
        assert "Examples:" in shown
        for flag in ("--vault", "--yes", "--dry-run", "--json", "--debug"):
            assert flag in shown


def test_an_error_is_one_line_and_one_hint(vault: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["show", "nothing"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    first, second = shown.err.splitlines()
    assert first.startswith("error[unknown-memory]: ")
    assert second.startswith("hint: ")


def test_debug_shows_where_an_error_comes_from(vault: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["show", "nothing", "--debug"]) == 2
    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert "error[unknown-memory]" in shown


@pytest.mark.parametrize(
    ("fault", "status", "said"),
    [
        (PermissionError(13, "Permission denied", "x.md"), 6, "error[io]: x.md: Permission denied"),
        (ValueError("two\nlines"), 6, "error[internal]: ValueError: two lines"),
        (KeyboardInterrupt(), 3, "Cancelled. Nothing was written."),
    ],
)
def test_any_fault_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], fault: BaseException, status: int, said: str
):
    assert tell(fault, ["list"], 0) == status
    shown = capsys.readouterr().err
    assert shown.splitlines()[0] == said
    assert "Traceback" not in shown


class Interrupting(io.StringIO):
    """Somebody presses Ctrl-C where an answer is waited for."""

    def readline(self, size: int | None = -1, /) -> str:
        raise KeyboardInterrupt


def test_ctrl_c_at_a_question_writes_nothing(
    vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(sys, "stdin", Interrupting())
    assert main(["learn", "-t", "Invoices are numbered without gaps.", "--interactive"]) == 3
    assert capsys.readouterr().err == "Cancelled. Nothing was written.\n"
    assert [m["id"] for m in _json(capsys, "list")["memories"]] == [ID]


def test_ctrl_c_waits_until_a_write_is_whole(capsys: pytest.CaptureFixture[str]):
    done = []
    with unbroken():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("written")
    assert done == ["written"]
    assert "finished before stopping" in capsys.readouterr().err


def test_no_terminal_means_nothing_is_asked(vault: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", Interrupting())
    assert main(["learn", "-t", "Invoices are numbered without gaps."]) == 3


# O-MC-02, O-SE-01, O-FM-08: text in, text out


def run(vault: Path, *words: str, feed: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-m", "memtend", *words],
        cwd=vault,
        env=kept | {"MEMTEND_NOW": "2026-06-30"} | environment,
        input=feed,
        capture_output=True,
        check=False,
    )


FOREIGN = "Messgerät 測定 🚀"


@pytest.mark.parametrize(
    "environment",
    [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONIOENCODING": "ascii:strict"}],
    ids=" ".join,
)
def test_o_mc_02_text_is_utf_8_whatever_the_locale(vault: Path, environment: dict[str, str]):
    text = f"# {FOREIGN}\n\nDas Messgerät misst alle zehn Minuten und meldet sich danach ab.\n"
    learned = run(vault, "learn", "-", "--yes", "--json", feed=text.encode(), **environment)
    assert learned.returncode == 0, learned.stderr
    made = json.loads(learned.stdout)["operations"][0]["memory_id"]
    for words in (["show", made], ["search", "Messgerät"], ["recall", "-"], ["list", "--json"]):
        shown = run(vault, *words, feed="Messgerät 測定".encode(), **environment)
        assert shown.returncode == 0, shown.stderr
        assert FOREIGN in shown.stdout.decode()


def test_o_mc_02_a_text_typed_as_an_argument_is_stored_as_typed(vault: Path):
    assert run(vault, "learn", "-t", f"# {FOREIGN}\n\nEin Messgerät.", "--yes", LC_ALL="C").returncode == 0
    assert FOREIGN in run(vault, "list", LC_ALL="C").stdout.decode()


def test_output_that_nobody_reads_on_is_no_crash(vault: Path):
    read, write = os.pipe()
    os.close(read)
    for words in (["list"], ["search", "connection"], ["list", "--json"], ["learn", "--help"], ["show", "nothing"]):
        done = subprocess.run(
            [sys.executable, "-m", "memtend", *words], cwd=vault, stdout=write, stderr=subprocess.PIPE, check=False
        )
        assert b"Traceback" not in done.stderr
        assert b"BrokenPipe" not in done.stderr
        assert done.returncode == (2 if words == ["show", "nothing"] else 0)
    os.close(write)


MARKS = [
    "multi-agent",
    "foo.bar_baz()",
    "@example",
    "don't",
    "C++",
    "c#",
    "50%",
    '"',
    "*",
    "^x",
    "{a}",
    "a,b",
    "why?",
    'x"y',
    "title:x",
    "AND",
    "OR",
    "NOT",
    "NEAR(",
    "20.04",
    "[br]",
    "a=b",
    "x\\y",
    "<x>",
]


@pytest.mark.parametrize("query", [*MARKS, "a OR", "NOT agents"])
@pytest.mark.parametrize("lane", [[], ["--mode", "lexical"]], ids=["fast", "full"])
def test_o_se_01_no_mark_in_a_query_is_syntax(
    vault: Path, capsys: pytest.CaptureFixture[str], query: str, lane: list[str]
):
    assert main(["search", "--json", *lane, "--", query]) in (0, 1)
    shown = capsys.readouterr()
    assert json.loads(shown.out)["query"] == query
    assert "error" not in shown.err


@pytest.mark.parametrize("most", ["1000000000000", str(2**63), "9" * 5000])
def test_a_count_beyond_all_numbers_is_all_or_is_refused(vault: Path, capsys: pytest.CaptureFixture[str], most: str):
    for option in ("--limit", "-n"):
        assert main(["search", "agents", option, most]) in (0, 1, 2)
        assert "internal" not in capsys.readouterr().err
    assert main(["recall", "agents", "--max", most, "--budget", most]) in (0, 1, 2)
    assert "internal" not in capsys.readouterr().err


@pytest.mark.parametrize("query", ["", " ", "\n"])
def test_o_se_01_an_empty_query_is_said_to_be_empty(vault: Path, capsys: pytest.CaptureFixture[str], query: str):
    assert main(["search", query]) == 2
    assert capsys.readouterr().err.startswith("error[usage]: ")


@pytest.mark.parametrize(
    "given", [["a,b"], ["a", "b"], ["#a", " b "], ["[a, b]"], ["A", "B"], ["a,b", "a"]], ids=" ".join
)
def test_o_fm_08_tags_are_names_however_they_are_given(given: list[str]):
    assert wanted_tags(given) == {"a", "b"}


@pytest.mark.parametrize("given", [",", "#", "[]", " , "])
def test_a_tag_that_names_nothing_is_refused(given: str):
    with pytest.raises(Usage, match="names no tag"):
        wanted_tags(["a", given])


def test_a_search_that_only_its_filters_leave_empty_says_so(vault: Path, capsys: pytest.CaptureFixture[str]):
    (vault / ".memory" / "10-Memories" / "MEM-kiln.md").write_text(
        "---\ntitle: Kiln\ntopic: pots\n---\n# Kiln\n\nIt is heated slowly.\n"
    )
    assert main(["search", "heated", "--topic", "pot", "--tag", "x"]) == 1
    assert capsys.readouterr().err.endswith("hint: Something answers without --topic, --tag.\n")
    assert main(["search", "zebra", "--topic", "pots"]) == 1
    assert "--mode lexical" in capsys.readouterr().err
    assert main(["search", "zebra", "--mode", "lexical"]) == 1
    assert "hint" not in capsys.readouterr().err


# O-FS-04: names are names, never paths out of the vault

OUTSIDE = [
    "../../x",
    "a/../../x",
    "..\\..\\x",
    "/etc/passwd",
    "~/x",
    "MEM-a/../../../x",
    ".git/config",
    "",
    ".",
    "MEM-a\0",
]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("command", ["show", "links", "undo"])
def test_o_fs_04_no_name_leaves_the_vault(vault: Path, capsys: pytest.CaptureFixture[str], command: str, name: str):
    before = _tree(vault)
    assert main([command, name]) == 2
    assert _tree(vault) == before
    assert capsys.readouterr().err.startswith(("error[unknown-memory]", "error[not-found]", "error[usage]"))


@pytest.mark.parametrize("name", OUTSIDE)
def test_o_fs_04_no_decision_aims_outside_the_vault(vault: Path, capsys: pytest.CaptureFixture[str], name: str):
    main(["learn", "-t", "Invoices are numbered without gaps.", "--plan", "plan.json"])
    before = _tree(vault)
    for action in ("update", "extend"):
        decisions = {"seg-001": {"action": action, "target": name}}
        assert main(["apply", "plan.json", "--decisions", json.dumps(decisions)]) in (2, 4, 5)
    assert _tree(vault) == before


@pytest.mark.parametrize("name", [name for name in OUTSIDE if "\0" not in name])
@pytest.mark.parametrize("option", ["--topic", "--category"])
def test_o_fs_04_no_topic_or_category_leaves_the_vault(vault: Path, option: str, name: str):
    before = _tree(vault)
    assert main(["learn", "-t", "Invoices are numbered without gaps.", f"{option}={name}", "--yes"]) in (0, 2, 5)
    made = {Path(path) for path in _tree(vault).keys() - before.keys()}
    assert all(path.parent == vault / ".memory" / "10-Memories" for path in made)


# The two lanes


@pytest.mark.parametrize("words", [["search", "connection"], ["recall", "connection pool"], ["search", "zebra"]])
def test_both_lanes_give_the_same_answer(vault: Path, capsys: pytest.CaptureFixture[str], words: list[str]):
    answers = []
    for flags in ([], ["--debug"]):
        answers.append((main([*words, *flags]), capsys.readouterr()))
        answers.append((main([*words, "--json", *flags]), capsys.readouterr()))
    assert answers[0] == answers[2]
    assert answers[1] == answers[3]


def test_the_fast_lane_loads_no_command_line_library(vault: Path):
    assert _loaded("import memtend.cli, memtend.cli.fast", vault).isdisjoint(
        {"typer", "rich", "questionary", "json", "numpy", "pathlib", "dataclasses", "typing", "re"}
    )
    recalled = _loaded("from memtend.cli import main; main(['recall', 'connection pool'])", vault)
    assert recalled.isdisjoint({"typer", "rich", "questionary", "numpy", "memtend.cli.app", "memtend.cli.prompt"})


def _loaded(code: str, vault: Path) -> set[str]:
    """The modules that some code loads."""
    script = f"import sys; {code}; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], cwd=vault, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_a_dry_run_of_recall_counts_nothing(vault: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["recall", "connection pool", "--dry-run"]) == 0
    assert ID in capsys.readouterr().out
    assert _json(capsys, "list")["memories"][0]["retrieval_count"] == 0


def test_words_that_the_fast_lane_does_not_know_are_left_to_the_whole_command_line(
    vault: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["recall", "--help"]) == 0
    assert main(["recall", "pool", "--budget"]) == 2
    assert main(["recall", "pool", "--max", "-1"]) == 2
    assert main(["search"]) == 2
    assert main(["search", "pool", "--json=yes"]) == 2


def test_ids_complete_in_the_shell(vault: Path):
    done = run(vault, _MEMTEND_COMPLETE="complete_bash", COMP_WORDS="memtend show MEM-p", COMP_CWORD="2")
    assert done.stdout.decode().split() == [ID]


def _json(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, list[dict[str, object]]]:
    capsys.readouterr()
    main([*words, "--json"])
    return json.loads(capsys.readouterr().out)


def _tree(folder: Path) -> dict[str, bytes]:
    own = folder / ".memory" / ".memtend"
    return {
        str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and own not in path.parents
    }
