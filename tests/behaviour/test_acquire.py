"""From what a person named to documents (vault spec, 2 and 2.4)."""

import os
import subprocess
import sys

import pytest
from outside_files import lay, paths, reasons

from memtend.errors import NotFound, UnusableInput
from memtend.learn.acquire import USER_INPUT, acquire

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


def test_what_tells_people_of_the_inbox_is_no_note_unless_it_is_named(project):
    lay(project, {".memory/00-Inbox/README.md": "# Inbox", ".memory/00-Inbox/idea.md": "An idea."})
    vault = project / ".memory"
    assert paths(acquire([".memory/00-Inbox"], project=project, vault=vault)) == [".memory/00-Inbox/idea.md"]
    assert paths(acquire([".memory/00-Inbox/README.md"], project=project, vault=vault)) == [
        ".memory/00-Inbox/README.md"
    ]


def test_of_an_endless_tree_no_more_is_looked_at_than_it_takes_to_refuse_it(project):
    lay(project, {f"many/{number:03}/{name}.md": "x" for number in range(60) for name in "abcd"})
    with pytest.raises(UnusableInput, match=r"Too many files \(more than 50\)\. Maximum is 1\."):
        acquire(["many"], project=project, max_files=1)
    with pytest.raises(UnusableInput, match=r"Too many files \(240\)\. Maximum is 5\."):
        acquire(["many"], project=project, max_files=5)
