"""The files of a role's folder by path: confined, compared with what was read, memory files parsed."""

import pytest
from a_role import a_role
from plain_layout import quick_folder

from memtend.errors import GuardTripped, NotFound, OutsideStore, Refused, SecretFound, StaleDecision
from memtend.workspace.role.roles import Roles


def test_role_prompts_can_be_written_read_and_listed() -> None:
    with a_role() as role:
        made = role.write("core/identity.md", "You are zero.\n")
        assert (made.status, made.path) == ("created", "core/identity.md")
        read = role.read("core/identity.md")
        assert (read.text, read.digest) == ("You are zero.\n", made.digest)
        assert role.write("core/identity.md", "You are zero.\n").status == "unchanged"
        assert role.write("core/identity.md", "You are one.\n").status == "updated"
        assert {"path": "core/identity.md", "size_bytes": 13} in role.files()
        role.undo()
        assert role.read("core/identity.md").text == "You are zero.\n"


@pytest.mark.parametrize(
    "path",
    [
        "../x.md",
        "a/../../x",
        "..\\..\\x",
        "/etc/passwd",
        "~/x",
        "core/../../../x",
        "a\0.md",
        ".git/config",
        "",
        ".",
        ".memtend/x",
    ],
)
def test_o_fs_04_paths_that_leave_the_role_are_refused(path: str) -> None:
    with a_role() as role:
        before = role.tree()
        for action in (role.read, lambda path: role.write(path, "x")):
            with pytest.raises(OutsideStore):
                action(path)
        assert role.tree() == before


def test_o_fs_03_a_link_out_of_the_role_is_refused() -> None:
    with a_role() as role:
        (role.root / "out").symlink_to("/etc")
        for action in (lambda: role.read("out/hostname"), lambda: role.write("out/x", "x")):
            with pytest.raises(OutsideStore):
                action()


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "", ".git", "_x", "a\0"])
def test_o_fs_04_names_that_are_none_are_refused(name: str) -> None:
    with quick_folder() as folder:
        roles = Roles(folder)
        for action in (roles.role, roles.create, roles.path):
            with pytest.raises(OutsideStore):
                action(name)
        assert list(folder.iterdir()) == []


def test_a_file_that_is_not_there_is_not_found() -> None:
    with a_role() as role, pytest.raises(NotFound):
        role.read("core/none.md")


def test_o_cc_02_a_write_against_an_old_reading_is_refused_with_the_digest_of_now() -> None:
    with a_role() as role:
        read = role.read("memory/consolidated.md")
        role.add_learning("by another agent")
        before = role.tree()
        with pytest.raises(StaleDecision) as fault:
            role.write("memory/consolidated.md", read.text, expected=read.digest)
        assert role.read("memory/consolidated.md").digest in fault.value.message
        assert role.tree() == before


def test_memory_files_go_through_the_parser() -> None:
    with a_role() as role:
        answer = role.write("memory/consolidated.md", "\ufeff# Learnings (New)\r\n- [0x] a\r\nstray")
        assert role.text() == "# Learnings (New)\n- [0x] a\nstray\n"
        assert [(issue.code, issue.line) for issue in answer.issues] == [("stray-line", 3)]


def test_a_memory_file_does_not_lose_many_entries_by_accident() -> None:
    with a_role() as role:
        for text in ("a", "b", "c", "d", "e"):
            role.add_learning(text)
        role.add_preference("p", "Code")
        text = role.text()
        for less in (text.replace("- [0x] a\n", "").replace("- [0x] b\n", ""), text.replace("- p\n", "")):
            with pytest.raises(GuardTripped):
                role.write("memory/consolidated.md", less)
        assert role.write("memory/consolidated.md", text.replace("- [0x] a\n", "")).status == "updated"
        assert role.write("memory/consolidated.md", "", force=True).status == "updated"


def test_the_raw_journal_can_only_be_added_to() -> None:
    with a_role() as role:
        role.add_learning("a")
        path = "memory/daily/2026-06-30.md"
        with pytest.raises(Refused):
            role.write(path, "rewritten\n")
        assert role.write(path, role.text(path) + "## [11:00] EVENT\n\nb\n").status == "updated"


KEY = "AKIA" + "Q3EGRIVTWYJK" + "4ZPM"
SAFE = [
    "risk-based-approach-for-task-lists",
    "token_count: 182",
    "no API key in the build",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "apiKey: process.env.API_KEY",
]


def test_o_pv_01_keys_and_passwords_are_refused_and_not_told() -> None:
    with a_role() as role:
        role.add_learning("a")
        before = role.tree()
        for action in (
            lambda: role.add_learning(f"the key is {KEY}"),
            lambda: role.add_preference("password: hunter2hunter2", "Code"),
            lambda: role.update_learning("a", f"use {KEY}"),
            lambda: role.write("core/keys.md", f"line one\nkey {KEY}\n"),
        ):
            with pytest.raises(SecretFound) as fault:
                action()
            assert KEY not in fault.value.message + fault.value.hint
        assert role.tree() == before
        assert not role.extract(f"user: always use {KEY}\n").added
        assert role.again(allow_secrets=True).add_learning(f"the key is {KEY}").status == "created"


@pytest.mark.parametrize("text", SAFE)
def test_o_pv_01_what_only_looks_long_passes(text: str) -> None:
    with a_role() as role:
        assert role.add_learning(text).status == "created"


def test_a_secret_that_is_there_already_does_not_stop_a_write() -> None:
    with a_role() as role:
        role.again(allow_secrets=True).write("core/keys.md", f"key {KEY}\n")
        assert role.write("core/keys.md", f"key {KEY}\nand a word\n").status == "updated"
