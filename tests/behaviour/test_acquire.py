"""From what a person named to documents (vault spec, 2 and 2.4)."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtend.errors import NotFound, UnusableInput
from memtend.learn.acquire import USER_INPUT, Acquired, acquire, harvest


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project that is the working directory."""
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    return root


def lay(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def paths(acquired: Acquired) -> list[str]:
    return [document.path for document in acquired.documents]


def reasons(acquired: Acquired) -> dict[str, str]:
    return {item.path: item.reason for item in acquired.skipped}


# --- modes ------------------------------------------------------------------------------------------------------


def test_a_task_comes_before_everything_else_that_is_named(project):
    lay(project, {"specs/007_cache/report.md": "# Report\n", "notes/a.md": "a"})
    acquired = acquire(["notes/", "some words"], task=7, project=project)
    assert (acquired.mode, paths(acquired)) == ("task", ["specs/007_cache/report.md"])


def test_an_existing_directory_file_or_word_is_recognised_as_what_it_is(project):
    lay(project, {"notes/a.md": "# A\n", "plain words.md": "b"})
    assert acquire(["notes"], project=project).mode == "directory"
    assert acquire(["notes/"], project=project).mode == "directory"
    assert acquire(["plain words.md"], project=project).mode == "file"
    assert acquire(["notes about nothing"], project=project).mode == "text"


@pytest.mark.parametrize(
    "given",
    ["notes/gone.md", "gone.md", "./gone", "../gone", "~/gone.txt", "/gone/away", "a/b", "C:\\gone.md", "..\\gone"],
)
def test_what_looks_like_a_path_and_is_missing_is_an_error_and_never_text(project, given):
    with pytest.raises(NotFound, match=r"^File not found: ") as fault:
        acquire([given], project=project)
    assert fault.value.message == f"File not found: {given}"


def test_a_missing_directory_is_named_as_one(project):
    with pytest.raises(NotFound) as fault:
        acquire(["gone/"], project=project)
    assert fault.value.message == "Directory not found: gone/"
    with pytest.raises(NotFound) as fault:
        acquire(directory="gone", project=project)
    assert fault.value.message == "Directory not found: gone"


@pytest.mark.parametrize(
    "given",
    [
        "read and/or write",
        "README.md is missing",
        "1.10 is not 1.1",
        "see e.g. nothing",
        "手順/設定を先に読む。",
        "./run.sh starts it\nand stops it",
        "word",
    ],
)
def test_words_stay_words_even_with_a_slash_or_a_dot_in_them(project, given):
    (document,) = acquire([given], project=project).documents
    assert (document.path, document.text) == (USER_INPUT, given)


def test_a_flag_says_what_an_argument_is(project):
    lay(project, {"a.md": "# A\n", "notes/b.md": "b"})
    assert acquire(text="a.md", project=project).documents[0].text == "a.md"
    assert acquire(files=["a.md"], project=project).mode == "file"
    assert acquire(directory="notes", project=project).mode == "directory"
    with pytest.raises(UnusableInput, match="is a directory"):
        acquire(files=["notes"], project=project)
    with pytest.raises(UnusableInput, match="is not a directory"):
        acquire(directory="a.md", project=project)


def test_several_inputs_of_several_kinds_are_all_read_once(project):
    lay(project, {"a.md": "a", "notes/b.md": "b"})
    acquired = acquire(["a.md", "notes", "notes/b.md", "a sentence of words"], project=project)
    assert sorted(paths(acquired)) == ["a.md", "notes/b.md", USER_INPUT]
    assert acquired.path == "notes/; a.md; notes/b.md; user input"


def test_a_sentence_typed_without_quotes_is_one_text(project):
    (document,) = acquire(["always", "use", "tabs"], project=project).documents
    assert document.text == "always use tabs"


@pytest.mark.parametrize("inputs", [[], [""], ["  ", "\n"]])
def test_nothing_at_all_is_answered_with_the_usage(project, inputs):
    with pytest.raises(UnusableInput, match=r"^Usage"):
        acquire(inputs, project=project)


def test_a_nul_character_is_refused_and_not_a_crash(project):
    for call in ({"inputs": ["MEM-a\0.md"]}, {"files": ["a\0b"]}, {"directory": "a\0b"}):
        with pytest.raises(UnusableInput):
            acquire(**call, project=project)


def test_a_text_too_long_for_a_file_name_is_a_text(project):
    long = "word" * 5000
    assert acquire([long], project=project).documents[0].text == long


def test_an_address_of_the_web_is_refused_with_advice(project):
    with pytest.raises(NotFound) as fault:
        acquire(["https://example.org/page"], project=project)
    assert "network" in fault.value.hint


def test_only_the_chosen_documents_are_kept(project):
    lay(project, {"notes/a.md": "a", "notes/b.md": "b"})
    assert paths(acquire(["notes"], project=project).only({"notes/b.md"})) == ["notes/b.md"]


# --- files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "nature"),
    [
        ("a.md", "# A\n", ("markdown", "markdown")),
        ("a.txt", "# not a heading\n", ("prose", "")),
        ("a.py", "x = 1\n", ("code", "python")),
        ("a.tsx", "x\n", ("code", "tsx")),
        ("Makefile", "all:\n", ("code", "make")),
        ("run", "#!/usr/bin/env python3\n", ("code", "python")),
        ("start", "#!/bin/zsh\n", ("code", "bash")),
        ("plain", "Only words.\n", ("prose", "")),
        ("marked", "# Heading\n\nWords.\n", ("markdown", "markdown")),
    ],
)
def test_a_file_is_what_its_name_says_and_else_what_its_text_says(project, name, content, nature):
    lay(project, {name: content})
    (document,) = acquire(files=[name], project=project).documents
    assert (document.kind, document.language) == nature


def test_typed_text_with_headings_or_fences_is_markdown(project):
    assert acquire(text="# Head\n\nWords.", project=project).documents[0].kind == "markdown"
    assert acquire(text="Run:\n```\nmake\n```", project=project).documents[0].kind == "markdown"
    assert acquire(text="Issue #12 is fixed.", project=project).documents[0].kind == "prose"


def test_a_path_is_given_from_the_project_and_real(project, tmp_path):
    lay(project, {"notes/a.md": "a"})
    lay(tmp_path, {"elsewhere/b.md": "b"})
    (project / "link.md").symlink_to("notes/a.md")
    assert paths(acquire(files=["link.md"], project=project)) == ["notes/a.md"]
    assert paths(acquire(files=["../elsewhere/b.md"], project=project)) == [
        (tmp_path.resolve() / "elsewhere/b.md").as_posix()
    ]


def test_a_document_knows_its_size_and_a_digest_of_its_text_alone(project):
    lay(project, {"a.md": "one\ntwo é\n", "b.md": "one\r\ntwo é\r\n", "c.md": "one\ntwo e\n"})
    lay(project, {"d.md": "\ufeffone\ntwo é\n"})
    first, second, third, fourth = acquire(files=["a.md", "b.md", "c.md", "d.md"], project=project).documents
    assert first.digest == second.digest == fourth.digest != third.digest
    assert (first.size_bytes, second.size_bytes) == (11, 13)
    assert second.text == "one\ntwo é\n"


def test_o_dm_07_a_renamed_file_keeps_its_digest(project):
    lay(project, {"guide.md": "# Guide\n\nRead it.\n"})
    before = acquire(files=["guide.md"], project=project).documents[0]
    (project / "guide.md").rename(project / "manual.md")
    after = acquire(files=["manual.md"], project=project).documents[0]
    assert (before.path, after.path) == ("guide.md", "manual.md")
    assert before.digest == after.digest


@pytest.mark.parametrize(("content", "reason"), [(b"\x89PNG\r\n\0\0", "binary"), (b"  \n\n", "empty"), (b"", "empty")])
def test_a_named_file_without_text_is_an_error_that_names_it(project, content, reason):
    lay(project, {"notes/odd.md": content})
    with pytest.raises(UnusableInput, match=reason) as fault:
        acquire(files=["notes/odd.md"], project=project)
    assert fault.value.message.startswith("notes/odd.md: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_what_is_no_regular_file_is_refused_instead_of_waited_for(project):
    os.mkfifo(project / "pipe.md")
    with pytest.raises(UnusableInput, match="not a regular file"):
        acquire(["pipe.md"], project=project)


# --- encodings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "encoding", "named"),
    [
        ("Plain é\n", "utf-8", "utf-8"),
        ("\ufeffMarked é\n", "utf-8", "utf-8-sig"),
        ("Café in Kraków\n", "cp1252", "cp1252"),
        ("Größe, Maß und Straße. " * 20, "latin-1", "cp1252"),
        ("“Quoted” – it’s fine…\n", "cp1252", "cp1252"),
        ("Безопасность системы зависит от настроек. " * 5, "cp1251", "cp1251"),
        ("これは日本語で書かれた手順の説明です。" * 5, "shift_jis", "cp932"),
        ("Notes in sixteen bits: é, 日本\n", "utf-16", "utf-16"),
        ("Notes in thirty-two bits: é, 日本\n", "utf-32", "utf-32"),
    ],
)
def test_o_fs_01_a_file_in_another_encoding_is_read_and_the_encoding_said(project, text, encoding, named):
    lay(project, {"a.md": text.encode(encoding)})
    acquired = acquire(files=["a.md"], project=project)
    assert (acquired.documents[0].text, acquired.documents[0].encoding) == (text.lstrip("\ufeff"), named)
    assert acquired.warnings == (() if named.startswith("utf-8") else (f"a.md was read as {named}",))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Ünïcödé téxt ".encode() * 20 + b"\xff\xfe" + b"end", "damaged UTF-8 at byte 360"),
        (b"\xff\xfea", "damaged UTF-16"),
        (b"\x81\x8d\x8f\x90\x9d" * 30, "binary"),
        (b"%PDF-1.7 text follows", "binary"),
        (b"ab\x01\x02\x03\x04" * 10, "binary"),
    ],
)
def test_o_fs_01_what_cannot_be_read_without_damage_is_left_out_with_a_reason(project, content, reason):
    lay(project, {"notes/bad.md": content, "notes/good.md": "good\n"})
    acquired = acquire(["notes"], project=project)
    assert paths(acquired) == ["notes/good.md"]
    assert reason in reasons(acquired)["notes/bad.md"]


def test_o_fs_01_one_odd_file_stops_nothing_under_a_plain_c_locale(project):
    lay(project, {"notes/latin.md": "Café in Kraków\n".encode("cp1252"), "notes/utf16.md": "wide é\n".encode("utf-16")})
    lay(project, {"notes/good.md": "good\n", "notes/größe.md": "Größe\n"})
    script = """
import sys
from pathlib import Path
from memtend.learn.acquire import acquire
acquired = acquire(["notes", *sys.argv[1:]], project=Path.cwd())
for document in acquired.documents:
    print(ascii((document.path, document.text, document.encoding)))
"""
    environment = {**os.environ, "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-c", script, "größer als nichts"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=project)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "('notes/good.md', 'good\\n', 'utf-8')",
        "('notes/gr\\xf6\\xdfe.md', 'Gr\\xf6\\xdfe\\n', 'utf-8')",
        "('notes/latin.md', 'Caf\\xe9 in Krak\\xf3w\\n', 'cp1252')",
        "('notes/utf16.md', 'wide \\xe9\\n', 'utf-16')",
        "('user input', 'gr\\xf6\\xdfer als nichts', 'utf-8')",
    ]


# --- directories ------------------------------------------------------------------------------------------------


def test_a_directory_gives_its_text_files_in_order_and_the_same_every_time(project):
    lay(project, {"n/b.md": "b", "n/a/z.txt": "z", "n/a.md": "a", "n/picture.png": b"\x89PNG\0", "n/words": "w"})
    acquired = acquire(["n"], project=project)
    assert paths(acquired) == ["n/a/z.txt", "n/a.md", "n/b.md", "n/words"]
    assert reasons(acquired) == {"n/picture.png": "binary, not text"}
    assert acquire(["n"], project=project) == acquired


def test_what_is_not_for_reading_stays_out(project):
    kept_out = [".git/a.md", "node_modules/a.md", "__pycache__/a.md", ".obsidian/a.md", ".memtend/a.md"]
    lay(project, dict.fromkeys([*kept_out, "venv/lib/a.md"], "x") | {"venv/pyvenv.cfg": "home = /", "a.md": "a"})
    lay(project, {".memory/10-Memories/MEM-a.md": "known already"})
    acquired = acquire(["."], project=project, vault=project / ".memory")
    assert paths(acquired) == ["a.md"]
    assert acquired.skipped == ()


def test_the_vault_is_not_learned_into_itself_but_its_inbox_is_read_when_named(project):
    lay(project, {".memory/10-Memories/MEM-a.md": "known", ".memory/00-Inbox/new.md": "new"})
    vault = project / ".memory"
    with pytest.raises(UnusableInput, match=r"No text files found in: \.memory/") as fault:
        acquire([".memory"], project=project, vault=vault)
    assert "vault" in fault.value.hint
    assert paths(acquire([".memory/00-Inbox"], project=project, vault=vault)) == [".memory/00-Inbox/new.md"]


def test_what_git_ignores_stays_out_by_every_ignore_file_on_the_way(project):
    (project / ".git").mkdir()
    lay(project, {".gitignore": "*.log\n/build/\n!keep.log\n", ".git/info/exclude": "private.md\n"})
    lay(project, {"docs/.gitignore": "draft-*\n!draft-good.md\n", "docs/deep/.gitignore": "*.md\n!only.md\n"})
    names = ["a.md", "a.log", "keep.log", "build/a.md", "docs/build/a.md", "docs/draft-a.md", "docs/draft-good.md"]
    names += ["docs/deep/a.md", "docs/deep/only.md", "docs/private.md", "docs/x.log", "draft-root.md"]
    lay(project, dict.fromkeys(names, "text"))
    expected = ["a.md", "docs/build/a.md", "docs/deep/only.md", "docs/draft-good.md", "draft-root.md", "keep.log"]
    assert [path for path in paths(acquire(["."], project=project)) if ".gitignore" not in path] == expected
    from_docs = ["docs/build/a.md", "docs/deep/only.md", "docs/draft-good.md"]
    assert [path for path in paths(acquire(["docs"], project=project)) if ".gitignore" not in path] == from_docs


def test_an_ignored_directory_that_is_named_itself_is_read(project):
    (project / ".git").mkdir()
    lay(project, {".gitignore": "build/\n", "build/a.md": "a", "build/.gitignore": "b.md\n", "build/b.md": "b"})
    assert "build/a.md" in paths(acquire(["build"], project=project))
    assert "build/b.md" not in paths(acquire(["build"], project=project))


def test_a_large_file_is_left_out_of_a_directory_and_named_but_read_when_named_itself(project):
    lay(project, {"n/just.md": "x" * 102_400, "n/large.md": "x" * 102_401})
    acquired = acquire(["n"], project=project)
    assert paths(acquired) == ["n/just.md"]
    assert reasons(acquired) == {"n/large.md": "larger than 100 KB (102,401 bytes)"}
    assert paths(acquire(["n/large.md"], project=project)) == ["n/large.md"]


def test_many_files_are_warned_of_and_too_many_refused_with_a_way_out(project):
    lay(
        project,
        {f"n/{folder}/{number}.md": "x" for folder, count in (("a", 151), ("b", 49)) for number in range(count)},
    )
    acquired = acquire(["n"], project=project)
    assert len(acquired.documents) == 200
    assert acquired.warnings[0].startswith("200 files found.")
    lay(project, {"n/one-more.md": "x"})
    with pytest.raises(UnusableInput) as fault:
        acquire(["n"], project=project)
    assert fault.value.message == "Too many files (201). Maximum is 200."
    assert "--max-files" in fault.value.hint
    assert "n/a/ (151)" in fault.value.hint
    assert len(acquire(["n"], project=project, max_files=201).documents) == 201


def test_fifty_files_are_no_warning(project):
    lay(project, {f"n/{number}.md": "x" for number in range(50)})
    assert acquire(["n"], project=project).warnings == ()


def test_a_directory_without_text_says_so_and_why(project):
    lay(project, {"n/picture.png": b"\x89PNG\0"})
    with pytest.raises(UnusableInput) as fault:
        acquire(["n/"], project=project)
    assert fault.value.message == "No text files found in: n/"
    assert "n/picture.png (binary, not text)" in fault.value.hint


def test_o_fs_02_links_that_lead_nowhere_or_round_are_named_and_every_file_comes_once(project):
    lay(project, {"notes/a.md": "a", "outside/b.md": "b"})
    notes = project / "notes"
    (notes / "loop").symlink_to("../notes")
    (notes / "self.md").symlink_to("self.md")
    (notes / "dangling.md").symlink_to("missing.md")
    (notes / "again.md").symlink_to("a.md")
    (notes / "out").symlink_to("../outside")
    acquired = acquire(["notes"], project=project)
    assert paths(acquired) == ["notes/a.md"]
    assert reasons(acquired) == {
        "notes/again.md": "a link to a.md, which is read where it lies",
        "notes/dangling.md": "a link to missing.md, which does not exist",
        "notes/loop": "a link to a folder above it (a loop)",
        "notes/out": "a link out of the folder; name ../outside itself to learn it",
        "notes/self.md": "a link that leads back to itself",
    }


def test_o_dm_07_a_directory_given_through_a_link_has_the_same_documents(project):
    lay(project, {"notes/a.md": "a", "notes/deep/b.md": "b"})
    (project / "linked").symlink_to("notes")
    assert acquire(["linked"], project=project) == acquire(["notes"], project=project)


posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions and pipes are POSIX's")


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder in which permissions count, also where the tests run as root."""
    is_root = os.geteuid() == 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o777)
        if is_root:
            os.seteuid(65534)
        try:
            yield folder
        finally:
            if is_root:
                os.seteuid(0)
            for path in folder.rglob("*"):
                path.chmod(0o777)


@posix
def test_an_unreadable_file_or_folder_is_named_and_the_rest_is_read(unprivileged):
    lay(unprivileged, {"n/a.md": "a", "n/closed.md": "b", "n/odd": "c", "n/shut/c.md": "d"})
    for name in ("n/closed.md", "n/odd", "n/shut"):
        (unprivileged / name).chmod(0)
    acquired = acquire([str(unprivileged / "n")], project=unprivileged)
    assert paths(acquired) == ["n/a.md"]
    assert reasons(acquired) == dict.fromkeys(("n/closed.md", "n/odd", "n/shut"), "cannot be read: permission denied")


@posix
def test_an_unreadable_directory_is_an_error_and_not_an_empty_one(unprivileged):
    lay(unprivileged, {"n/a.md": "a"})
    (unprivileged / "n").chmod(0)
    with pytest.raises(UnusableInput, match="Cannot read the directory"):
        acquire([str(unprivileged / "n")], project=unprivileged)


# --- tasks and harvest ------------------------------------------------------------------------------------------


def test_a_task_gives_every_markdown_file_of_its_padded_and_unpadded_folder(project):
    lay(
        project,
        {"specs/012_cache/plan.md": "plan", "specs/012_cache/reports/r.md": "r", "specs/012_cache/log.txt": "x"},
    )
    lay(project, {"specs/12_more/s.md": "s", "specs/120_other/o.md": "o", "specs/012_cache/empty.md": "\n"})
    acquired = acquire(task=12, project=project)
    assert acquired.mode == "task"
    assert acquired.path == "specs/012_cache/; specs/12_more/"
    assert paths(acquired) == ["specs/012_cache/plan.md", "specs/012_cache/reports/r.md", "specs/12_more/s.md"]
    assert reasons(acquired) == {"specs/012_cache/empty.md": "empty"}


def test_a_task_without_folder_or_artifacts_is_said_to_be_so(project):
    with pytest.raises(NotFound) as fault:
        acquire(task=7, project=project)
    assert fault.value.message == "Task directory not found: specs/007_*"
    (project / "specs/007_empty").mkdir(parents=True)
    with pytest.raises(NotFound) as fault:
        acquire(task=7, project=project)
    assert fault.value.message == "No artifacts found for task 7"


CANDIDATE = {
    "content": "Retry idempotent calls only.",
    "category": "[pattern]",
    "source_artifact": "specs/012_cache/reports/r.md",
    "confidence": 0.7,
    "suggested_keywords": ["retry", "idempotent"],
}


def state(project: Path, content: object) -> None:
    lay(project, {"specs/state.json": json.dumps(content)})


def test_harvest_takes_the_tasks_candidates_that_are_sure_enough_with_their_hints(project):
    poor = CANDIDATE | {"confidence": 0.69}
    entry = {
        "project_number": 12,
        "memory_candidates": [CANDIDATE, poor, {"confidence": 1}, CANDIDATE | {"confidence": None}],
    }
    state(project, {"next_project_number": 13, "active_projects": [{"project_number": 1}, entry]})
    acquired = harvest(12, project=project)
    (document,) = acquired.documents
    assert (document.path, document.text) == ("specs/012_cache/reports/r.md", "Retry idempotent calls only.")
    assert dict(document.hints) == {"category": "PATTERN", "confidence": "0.7", "keywords": ("retry", "idempotent")}
    assert [item.reason for item in acquired.skipped] == [
        "candidate 2 of task 12: confidence 0.69 is below 0.7",
        "candidate 3 of task 12: no content",
        "candidate 4 of task 12: no confidence is given",
    ]


@pytest.mark.parametrize(
    "content",
    [
        {"tasks": [{"task_number": "012", "memory_candidates": [CANDIDATE]}]},
        {"tasks": {"12": {"memory_candidates": [CANDIDATE]}}},
        {"completed_projects": [{"number": 12, "memory_candidates": [CANDIDATE]}]},
        {"archive": {"projects": [{"id": 12, "memory_candidates": [CANDIDATE | {"confidence": "85%"}]}]}},
        [{"project_number": 12, "memory_candidates": [CANDIDATE | {"confidence": "0.9"}]}],
    ],
)
def test_harvest_finds_the_task_in_every_shape_such_files_have(project, content):
    state(project, content)
    assert len(harvest(12, project=project).documents) == 1


def test_harvest_says_what_is_missing(project):
    with pytest.raises(NotFound, match=r"File not found: specs/state.json"):
        harvest(12, project=project)
    for broken in ("{ not json", "[" * 100_000):
        lay(project, {"specs/state.json": broken})
        with pytest.raises(UnusableInput, match="is not JSON"):
            harvest(12, project=project)
    state(project, {"active_projects": [{"project_number": 1}]})
    with pytest.raises(NotFound, match="Task 12 is not in"):
        harvest(12, project=project)
    state(project, {"active_projects": [{"project_number": 12}]})
    assert harvest(12, project=project).warnings == ("Task 12 has no memory candidates to learn.",)


# --- what must not be learned by a slip ---------------------------------------------------------------------------


@pytest.mark.parametrize("named", [{"files": [""]}, {"files": ["a.md", " "]}, {"directory": ""}])
def test_an_empty_name_is_refused_and_never_means_the_working_directory(project, named):
    lay(project, {"a.md": "a"})
    with pytest.raises(UnusableInput, match="An empty name is no file"):
        acquire(project=project, **named)


@pytest.mark.parametrize(
    "given", [".memory/10-Memories", ".memory/10-Memories/MEM-a.md", ".memory/memory-index.json", ".memory/.memtend"]
)
def test_what_was_learned_already_is_not_learned_again(project, given):
    lay(
        project,
        {
            ".memory/10-Memories/MEM-a.md": "# A\n\nOne.\n",
            ".memory/memory-index.json": "{}",
            ".memory/.memtend/usage.txt": "x",
        },
    )
    with pytest.raises(UnusableInput, match="lies in the vault"):
        acquire([given], project=project, vault=project / ".memory")


def test_the_inbox_of_the_vault_and_another_vault_are_learned(project):
    lay(project, {".memory/00-Inbox/idea.md": "An idea.", "old/10-Memories/MEM-a.md": "# A\n\nOne.\n"})
    acquired = acquire([".memory/00-Inbox", "old"], project=project, vault=project / ".memory")
    assert paths(acquired) == [".memory/00-Inbox/idea.md", "old/10-Memories/MEM-a.md"]


def test_of_an_endless_tree_no_more_is_looked_at_than_it_takes_to_refuse_it(project):
    lay(project, {f"many/{number:03}/{name}.md": "x" for number in range(60) for name in "abcd"})
    with pytest.raises(UnusableInput, match=r"Too many files \(more than 50\)\. Maximum is 1\."):
        acquire(["many"], project=project, max_files=1)
    with pytest.raises(UnusableInput, match=r"Too many files \(240\)\. Maximum is 5\."):
        acquire(["many"], project=project, max_files=5)
