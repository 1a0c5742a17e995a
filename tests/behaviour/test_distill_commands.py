"""distill on the command line as programs see it: documents, statuses, and nothing written without a yes."""

import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from distill_case import TODAY, small
from grown_vault import tree

from memtend.cli import main

MODES = ("purge", "merge", "compress", "refine", "gc")
ALIKE = {"topic": "t", "keywords": "[k, l, m, n]", "summary": "s"}


class Ran(NamedTuple):
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs memtend in a project whose vault has something for every mode."""
    filler: dict[str, dict[str, Any]] = {
        f"plain{n}": {"keywords": f"[p{n}, q{n}, r{n}, s{n}]", "summary": "s", "topic": f"x/{n}"} for n in range(12)
    }
    small(
        tmp_path,
        stale={"created": "2026-01-01", "keywords": "[a, b, c, d]", "summary": "s", "topic": "old"},
        one={**ALIKE, "text": "Alpha beta gamma."},
        two={**ALIKE, "text": "Delta epsilon zeta."},
        long={"text": "\n\n".join(f"Sentence {word} has words enough for all of us, {word} says. " * 3
                                  for word in (f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(60))),
              "keywords": "[e, f, g, h]", "summary": "s", "topic": "big"},
        rough={"keywords": "[i, I, j]", "topic": "A/B"},
        gone={"status": "tombstoned", "tombstoned_at": "2026-08-01", "tombstone_reason": "purge"},
        **filler,
    )  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMTEND_NOW", TODAY)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.setattr("sys.stdin", io.StringIO(""))

    def run(*words: str) -> Ran:
        status = main(["distill", *words])
        said = capsys.readouterr()
        return Ran(status, said.out, said.err)

    return run


@pytest.mark.parametrize("mode", MODES)
def test_a_dry_run_prints_the_candidates_and_writes_nothing_outside_its_own_folder(
    command: Run, tmp_path: Path, mode: str
) -> None:
    before = tree(tmp_path)
    ran = command(mode, "--dry-run", "--json")
    assert ran.status == 0
    assert {"mode", "dry_run", "candidates", "affected", "receipt"} <= ran.document.keys()
    assert (ran.document["mode"], ran.document["dry_run"], ran.document["affected"]) == (mode, True, [])
    assert ran.document["candidates"]
    assert command(mode, "--dry-run").out.strip()
    assert tree(tmp_path) == before


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "refine"])
def test_without_a_yes_nothing_is_written_and_the_status_is_three(command: Run, tmp_path: Path, mode: str) -> None:
    before = tree(tmp_path)
    ran = command(mode, "--json")
    assert ran.status == 3
    assert ran.document["candidates"]
    assert ran.document["receipt"] is None
    assert "needs-confirmation" in ran.err
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("mode", "affected"),
    [
        ("purge", ["MEM-stale"]),
        ("gc", ["MEM-gone"]),
        ("merge", [("MEM-one", "MEM-two", "merged")]),
        ("compress", [("MEM-long", "compressed")]),
        ("refine", [("MEM-rough", "refined")]),
        ("auto", [("MEM-rough", "refined")]),
    ],
)
def test_yes_does_what_is_recommended_and_says_what_it_did(command: Run, mode: str, affected: list[Any]) -> None:
    ran = command(mode, "--yes", "--json")
    assert ran.status == 0, ran.err
    assert ran.document["receipt"]["id"]
    keys = ("primary", "secondary", "id", "action")
    entries = ran.document["affected"]
    shown = [entry if isinstance(entry, str) else tuple(entry[k] for k in keys if k in entry) for entry in entries]
    assert shown == affected
    assert ran.document["dry_run"] is False


def test_a_mode_that_finds_nothing_says_so_with_status_one(command: Run) -> None:
    assert command("gc", "--yes").status == 0
    ran = command("gc")
    assert (ran.status, ran.out) == (1, "")
    assert "No tombstoned memories past the 7-day grace period." in ran.err
    assert command("gc", "--json").document["candidates"] == []


def test_verbose_adds_the_components_of_every_memory_to_any_mode(command: Run) -> None:
    scores = command("purge", "--dry-run", "--verbose", "--json").document["scores"]
    assert len(scores) == 17
    assert {"id", "staleness", "zero_retrieval", "size_penalty", "duplicate", "composite", "class"} == scores[0].keys()
    assert "MEM-plain0" in command("gc", "--dry-run", "--verbose").err


def test_only_takes_ids_in_one_list_or_in_several(command: Run) -> None:
    for words in (("--only", "MEM-one,MEM-two"), ("--only", "MEM-one", "--only", "two")):
        assert len(command("merge", "--dry-run", "--json", *words).document["candidates"]) == 1
    assert command("merge", "--dry-run", "--only", "MEM-one,MEM-stale").status == 2


def test_the_page_is_written_where_it_was_asked_for_and_nowhere_else(command: Run, tmp_path: Path) -> None:
    before = set(tree(tmp_path))
    ran = command("--html", "out.html", "--dry-run", "--json")
    assert ran.document["health_score"] <= 100
    assert set(tree(tmp_path)) - before == {"out.html"}
    refused = command("--html", "no/such/folder/out.html")
    assert refused.status == 2
    assert "cannot be written" in refused.err


def test_report_is_the_default_and_markdown_can_be_asked_for(command: Run) -> None:
    assert command("--dry-run").out == command("report", "--markdown", "--dry-run").out
    assert command("--dry-run").out.startswith("## Memory Vault Health Report")


def test_one_commit_is_made_of_what_a_mode_wrote(command: Run, tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "init", "-q"], check=True)
    for name, value in (("user.name", "t"), ("user.email", "t@example.org")):
        subprocess.run([*git, "config", name, value], check=True)
    (tmp_path / "other.txt").write_text("mine")
    subprocess.run([*git, "add", "other.txt"], check=True)
    assert command("purge", "--yes").status == 0
    listed = subprocess.run([*git, "show", "--stat", "--format=%s"], check=True, capture_output=True, text=True).stdout
    assert listed.startswith("memory: retire 1 memories\n")
    assert "distill-log.json" in listed
    assert "other.txt" not in listed
    command("report")
    count = subprocess.run([*git, "rev-list", "--count", "HEAD"], check=True, capture_output=True, text=True).stdout
    assert count.strip() == "1", "a report makes no commit"


def test_a_merge_that_is_recommended_beside_a_doubtful_one_is_done_and_the_other_named(
    command: Run, tmp_path: Path
) -> None:
    feud: dict[str, Any] = {"topic": "feud", "keywords": "[x, y, z, zz]", "summary": "s"}
    small(tmp_path, yes={**feud, "text": "The port is 8080."}, no={**feud, "text": "The port is 8081."})
    ran = command("merge", "--yes", "--json")
    assert ran.status == 1
    assert [entry["secondary"] for entry in ran.document["affected"]] == ["MEM-two"]
    assert ran.document["left_out"] == ["MEM-no+MEM-yes"]
    assert "conflict: number" in ran.err
    allowed = command("merge", "--yes", "--allow-conflicts", "--json")
    assert [entry["secondary"] for entry in allowed.document["affected"]] == ["MEM-yes"]
