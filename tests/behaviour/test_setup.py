"""Setting memtend up in an agent: what is written, what stays, and that taking it out gives back what was there."""

import json
import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import ryaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonc_texts import texts
from setup_case import COMMANDS, EVERY, SCOPES, add, place, records, remove, server_of, state

from memtend.agents import files, setup
from memtend.agents.jsonc import parse
from memtend.agents.setup import Command, Records
from memtend.agents.table import AGENTS
from memtend.errors import UnusableInput

posix = pytest.mark.skipif(os.name == "nt", reason="Links and rights are others on Windows")


@EVERY
@SCOPES
@pytest.mark.parametrize("full", [False, True], ids=["empty", "full"])
def test_removing_gives_back_every_byte(tmp_path: Path, name: str, scope: str, full: bool) -> None:
    here = place(tmp_path, scope, full=full)
    before = state(here)
    add(name, here)
    assert state(here) != before
    remove(name, here)
    assert state(here) == before


@EVERY
@SCOPES
def test_twice_is_the_same_as_once(tmp_path: Path, name: str, scope: str) -> None:
    here = place(tmp_path, scope, full=True)
    add(name, here)
    once = state(here)
    assert not any(edit.changes for edit in add(name, here))
    assert state(here) == once
    remove(name, here)
    assert not any(edit.changes for edit in remove(name, here))


@EVERY
def test_the_scope_that_was_not_asked_for_is_not_touched(tmp_path: Path, name: str) -> None:
    here = place(tmp_path, setup.PROJECT, full=True)
    before = {path: data for path, data in state(here).items() if path.startswith(str(here.home))}
    add(name, here)
    assert {path: data for path, data in state(here).items() if path.startswith(str(here.home))} == before


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        ("claude-code", {"command": "memtend", "args": ["mcp"]}),
        ("opencode", {"type": "local", "command": ["memtend", "mcp"], "enabled": True}),
        ("codex", {"command": "memtend", "args": ["mcp"]}),
        ("gemini", {"command": "memtend", "args": ["mcp"]}),
        ("cursor", {"command": "memtend", "args": ["mcp"]}),
        ("vscode", {"type": "stdio", "command": "memtend", "args": ["mcp"]}),
        ("pi", {"command": "memtend", "args": ["mcp"]}),
    ],
)
def test_each_agent_gets_the_server_in_its_own_form(tmp_path: Path, name: str, entry: dict[str, Any]) -> None:
    here = place(tmp_path)
    add(name, here)
    assert server_of(name, here) == entry


def test_claude_code_gets_hooks_at_prompt_stop_and_compaction(tmp_path: Path) -> None:
    here = place(tmp_path, full=True)
    add("claude-code", here)
    hooks = json.loads((here.project / ".claude/settings.json").read_text())["hooks"]
    commands = {
        event: [hook["command"] for entry in listed for hook in entry["hooks"]] for event, listed in hooks.items()
    }
    assert commands == {
        "Stop": ["say done", "memtend hook stop"],
        "UserPromptSubmit": ["memtend hook prompt"],
        "PreCompact": ["memtend hook compact"],
    }
    assert (here.project / ".claude/commands/learn.md").read_text().endswith("Learn $ARGUMENTS.\n")


def test_cursor_gets_hooks_without_groups_and_the_version_of_the_file(tmp_path: Path) -> None:
    here = place(tmp_path)
    add("cursor", here)
    assert json.loads((here.project / ".cursor/hooks.json").read_text()) == {
        "version": 1,
        "hooks": {
            "beforeSubmitPrompt": [{"type": "command", "command": "memtend hook prompt", "timeout": 10}],
            "stop": [{"type": "command", "command": "memtend hook stop", "timeout": 30}],
            "preCompact": [{"type": "command", "command": "memtend hook compact", "timeout": 30}],
        },
    }


def test_a_persons_hooks_and_comments_of_cursor_stay(tmp_path: Path) -> None:
    here = place(tmp_path, full=True)
    add("cursor", here)
    text = (here.project / ".cursor/hooks.json").read_text()
    assert "// mine" in text
    assert "// keep" in text
    assert [hook["command"] for hook in parse(text).plain()["hooks"]["stop"]] == ["say done", "memtend hook stop"]
    settings = here.project / ".cursor/hooks.json"
    settings.write_text(text.replace('"timeout": 30', '"timeout": 5'))
    remove("cursor", here)
    assert "memtend" not in settings.read_text()
    assert "// keep" in settings.read_text()


def test_vs_code_runs_the_hooks_of_claude_code_and_gets_no_second_ones(tmp_path: Path) -> None:
    here = place(tmp_path)
    add("vscode", here)
    hooks = json.loads((here.project / ".github/hooks/memtend.json").read_text())["hooks"]
    assert [entry["command"] for event in ("UserPromptSubmit", "Stop", "PreCompact") for entry in hooks[event]] == [
        "memtend hook prompt",
        "memtend hook stop",
        "memtend hook compact",
    ]
    remove("vscode", here)
    assert not (here.project / ".github").exists()
    add("claude-code", here)
    add("vscode", here)
    assert not (here.project / ".github/hooks").exists()
    assert (here.project / ".vscode/mcp.json").exists()


@SCOPES
def test_vs_code_set_up_again_leaves_its_hooks_to_claude_code(tmp_path: Path, scope: str) -> None:
    here = place(tmp_path, scope)
    path = here.file(".github/hooks/memtend.json", ".copilot/hooks/memtend.json")
    add("vscode", here)
    assert setup.run_twice(AGENTS["claude-code"], here) == ["vscode"]
    add("claude-code", here)
    add("vscode", here)
    assert not path.exists()
    assert setup.run_twice(AGENTS["claude-code"], here) == []
    assert setup.run_twice(AGENTS["vscode"], here) == []
    assert not any(edit.changes for edit in add("vscode", here))
    remove("claude-code", here)
    add("vscode", here)
    assert "memtend hook prompt" in path.read_text()
    remove("vscode", here)
    assert state(here) == {}


def test_vs_code_keeps_a_persons_hooks_when_ours_stand_elsewhere(tmp_path: Path) -> None:
    here = place(tmp_path)
    path = here.project / ".github/hooks/memtend.json"
    path.parent.mkdir(parents=True)
    path.write_text("{ broken")
    assert setup.run_twice(AGENTS["claude-code"], here) == []
    path.unlink()
    add("vscode", here)
    hooks = json.loads(path.read_text())
    hooks["hooks"]["Stop"].append({"type": "command", "command": "say done"})
    path.write_text(json.dumps(hooks))
    add("claude-code", here)
    add("vscode", here)
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"type": "command", "command": "say done"}]}}


@pytest.mark.parametrize("name", ["opencode", "pi"])
@SCOPES
def test_a_plug_in_is_ours_until_a_person_changes_it(tmp_path: Path, name: str, scope: str) -> None:
    plug = AGENTS[name].plugin
    assert plug is not None
    here = place(tmp_path, scope)
    path = here.file(plug.project, plug.user)
    add(name, here)
    assert 'const COMMAND = "memtend";' in path.read_text()
    add(name, place(tmp_path, scope, command='C:\\"x"\\memtend.exe'))
    assert json.dumps('C:\\"x"\\memtend.exe') in path.read_text()
    path.write_text(path.read_text() + "// mine\n")
    mine = path.read_text()
    (again,) = (edit for edit in add(name, here) if edit.path == path)
    assert again.remark == "is there already and is not ours: left as it is"
    (found,) = (edit for edit in remove(name, here) if edit.path == path)
    assert found.remark == "was changed since: left as it is"
    assert path.read_text() == mine


@pytest.mark.parametrize("name", ["opencode", "pi"])
def test_without_hooks_there_is_no_plug_in(tmp_path: Path, name: str) -> None:
    here = place(tmp_path)
    add(name, here, hooks=False)
    assert not list(here.project.rglob("memtend.js"))


def test_gemini_counts_milliseconds_and_has_commands_in_toml(tmp_path: Path) -> None:
    here = place(tmp_path)
    add("gemini", here)
    settings = json.loads((here.project / ".gemini/settings.json").read_text())
    assert settings["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"] == 10_000
    assert set(settings["hooks"]) == {"BeforeAgent", "AfterAgent", "PreCompress"}
    command = tomllib.loads((here.project / ".gemini/commands/learn.toml").read_text())
    assert command == {"description": "Learn.", "prompt": "Learn {{args}}.\n"}


def test_a_description_with_a_colon_is_still_one(tmp_path: Path) -> None:
    commands = [Command("look", 'Look: what is "stale"', "Look at {argument}.")]
    here = place(tmp_path)
    setup.write(setup.edits(AGENTS["claude-code"], here, commands), records(here))
    head = (here.project / ".claude/commands/look.md").read_text().split("---\n")[1]
    assert ryaml.loads(head) == {"description": 'Look: what is "stale"'}


def test_a_settings_file_under_its_other_name_is_the_one(tmp_path: Path) -> None:
    here = place(tmp_path)
    (here.project / "opencode.jsonc").write_text("{\n  // mine\n}\n")
    add("opencode", here)
    assert "memtend" in (here.project / "opencode.jsonc").read_text()
    assert not (here.project / "opencode.json").exists()


def test_without_hooks_there_are_none(tmp_path: Path) -> None:
    here = place(tmp_path)
    add("claude-code", here, hooks=False)
    assert not (here.project / ".claude/settings.json").exists()


def test_another_command_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    here = place(tmp_path, full=True)
    before = state(here)
    add("claude-code", here)
    add("claude-code", place(tmp_path, command="/opt/memtend/bin/memtend"))
    text = (here.project / ".claude/settings.json").read_text()
    assert text.count("hook prompt") == 1
    assert "/opt/memtend/bin/memtend hook prompt" in text
    remove("claude-code", here)
    assert state(here) == before


@pytest.mark.parametrize("name", ["claude-code", "cursor", "gemini"])
def test_a_path_with_a_blank_is_quoted_where_a_shell_reads_it(tmp_path: Path, name: str) -> None:
    here = place(tmp_path, command="/opt/my tools/mt")
    hooks = AGENTS[name].hooks
    assert hooks is not None
    for _ in range(2):
        add(name, here)
    listed = parse((here.project / hooks.project).read_text()).plain()["hooks"]
    for event in hooks.events.values():
        (entry,) = listed[event]
        (hook,) = entry.get("hooks", [entry])
        assert shlex.split(hook["command"])[:2] == ["/opt/my tools/mt", "hook"]
    assert server_of(name, here)["command"] == "/opt/my tools/mt"


def test_a_command_of_any_name_is_known_again(tmp_path: Path) -> None:
    here = place(tmp_path, command="/opt/mt")
    add("claude-code", here)
    add("vscode", here)
    assert not (here.project / ".github/hooks").exists()
    settings = here.project / ".claude/settings.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "mine": 1}, indent=4))
    remove("claude-code", here)
    assert json.loads(settings.read_text()) == {"mine": 1}


def test_what_a_person_changed_since_stays(tmp_path: Path) -> None:
    here = place(tmp_path, full=True)
    add("claude-code", here)
    add("codex", here)
    settings = here.project / ".claude/settings.json"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "mine": 1}))
    config = here.project / ".codex/config.toml"
    config.write_text(
        config.read_text().replace('args = ["mcp"]', 'args = ["mcp"]\nenabled = true') + "[mine]\nx = 1\n"
    )
    command = here.project / ".claude/commands/learn.md"
    command.write_text("My own words.")
    found = remove("claude-code", here)
    remove("codex", here)
    assert [edit.remark for edit in found if edit.path == command] == ["was changed since: left as it is"]
    assert command.read_text() == "My own words."
    left = json.loads(settings.read_text())
    assert left["mine"] == 1
    assert "memtend" not in settings.read_text() + config.read_text()
    assert left["hooks"] == {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}
    assert tomllib.loads(config.read_text())["mine"] == {"x": 1}


@pytest.mark.parametrize("name", [name for name, agent in AGENTS.items() if agent.hooks or agent.form == "jsonc"])
@pytest.mark.parametrize("full", [False, True], ids=["empty", "full"])
def test_a_persons_additions_behind_ours_stay_in_a_file_that_can_still_be_read(
    tmp_path: Path, name: str, full: bool
) -> None:
    here = place(tmp_path, full=full)
    add(name, here)
    touched = [path for path in here.project.rglob("*.json*") if "memtend" in path.read_text()]
    assert touched
    for path in touched:
        text = path.read_text().rstrip()
        assert text.endswith("}")
        joint = "" if text[:-1].rstrip().endswith(",") else ","
        path.write_text(f'{text[:-1]}{joint} "mine": {{"x": 1}}, // me\n}}\n')
    remove(name, here)
    for path in touched:
        text = path.read_text()
        assert parse(text).plain()["mine"] == {"x": 1}
        assert "memtend hook" not in text
        assert "memtend" not in parse(text).plain().get("mcpServers", {})
        assert "// me" in text


def test_a_command_of_the_same_name_is_left_alone(tmp_path: Path) -> None:
    here = place(tmp_path)
    path = here.project / ".claude/commands/learn.md"
    path.parent.mkdir(parents=True)
    path.write_text("Mine.")
    found = add("claude-code", here)
    assert path.read_text() == "Mine."
    assert [edit.remark for edit in found if edit.path == path] == ["is there already and is not ours: left as it is"]
    remove("claude-code", here)
    assert path.read_text() == "Mine."


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=texts(), name=st.sampled_from([name for name, agent in AGENTS.items() if agent.form == "jsonc"]))
def test_a_file_written_in_any_way_is_as_it_was(tmp_path: Path, case: tuple[str, Any], name: str) -> None:
    with TemporaryDirectory(dir=tmp_path) as folder:
        here = place(Path(folder))
        path = here.project / AGENTS[name].project
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(case[0].encode())
        before = state(here)
        try:
            add(name, here)
        except UnusableInput:
            assert state(here) == before
            return
        assert not any(edit.changes for edit in add(name, here))
        ours = {AGENTS[name].keys[0], "hooks", "version"}
        after = parse(path.read_text(encoding="utf-8")).plain()
        assert {key: one for key, one in after.items() if key not in ours} == {
            key: one for key, one in case[1].items() if key not in ours
        }
        remove(name, here)
        assert state(here) == before


def test_hooks_that_are_none_stay(tmp_path: Path) -> None:
    here = place(tmp_path)
    settings = here.project / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text('{"hooks": {"Stop": [true, null, {"hooks": true}, {"hooks": [1]}, {"matcher": "x"}]}}')
    before = state(here)
    add("claude-code", here)
    assert len(json.loads(settings.read_text())["hooks"]["Stop"]) == 6
    remove("claude-code", here)
    assert state(here) == before


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        ("claude-code", ".mcp.json", "{ broken"),
        ("claude-code", ".mcp.json", '{"\\q": 1}'),
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": "no list"}}'),
        ("codex", ".codex/config.toml", "= broken"),
        ("codex", ".codex/config.toml", f"deep = {'[' * 5000}{']' * 5000}"),
        ("codex", ".codex/config.toml", 'mcp_servers = {other = {command = "x"}}\n'),
    ],
    ids=["json", "escape", "no list", "toml", "deep toml", "in one line"],
)
def test_a_file_that_is_not_understood_is_refused_by_name_and_nothing_is_written(
    tmp_path: Path, name: str, path: str, text: str
) -> None:
    here = place(tmp_path)
    (here.project / path).parent.mkdir(exist_ok=True)
    (here.project / path).write_text(text)
    before = state(here)
    with pytest.raises(UnusableInput, match=path.replace(".", r"\.")):
        add(name, here)
    assert state(here) == before


def test_records_hold_nothing_of_a_persons_own_text(tmp_path: Path) -> None:
    here = place(tmp_path, full=True)
    for name in AGENTS:
        add(name, here)
    assert "made-up" not in (tmp_path / "state.json").read_text()
    assert os.name == "nt" or (tmp_path / "state.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("name", "path", "added", "there"),
    [
        (
            "claude-code",
            ".mcp.json",
            ('"args": [', '"env": {"MEMTEND_ROLE": "x"}, // mine\n      "args": ['),
            {"env": {"MEMTEND_ROLE": "x"}},
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            ('"mcp"\n', '"mcp", "--tools", "vault"\n'),
            {"args": ["mcp", "--tools", "vault"]},
        ),
        ("opencode", "opencode.json", ('"enabled": true', '"enabled": true, "timeout": 9'), {"timeout": 9}),
        ("codex", ".codex/config.toml", ('args = ["mcp"]', 'args = ["mcp"] # so\nenabled = true'), {"enabled": True}),
        (
            "codex",
            ".codex/config.toml",
            (
                'args = ["mcp"]',
                'args = [\n  "mcp", # so\n]\n\n[mcp_servers.memtend.tools.apply]\napproval_mode = "approve"',
            ),
            {"tools": {"apply": {"approval_mode": "approve"}}},
        ),
    ],
    ids=["env", "args", "timeout", "toml key", "toml table"],
)
def test_what_a_person_adds_to_our_entry_stays_when_it_is_set_up_again(
    tmp_path: Path, name: str, path: str, added: tuple[str, str], there: dict[str, Any]
) -> None:
    here = place(tmp_path)
    add(name, here)
    settings = here.project / path
    text = settings.read_text().replace(*added)
    settings.write_text(text)
    assert not any(edit.changes for edit in add(name, here))
    assert settings.read_text() == text
    add(name, place(tmp_path, command="/opt/memtend"))
    assert server_of(name, here) | there == server_of(name, here)
    assert "/opt/memtend" in str(server_of(name, here)["command"])
    remove(name, here)
    assert not settings.exists() or "memtend" not in settings.read_text()


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("claude-code", ('"timeout": 10', '"timeout": 3, "statusMessage": "Looking"')),
        ("cursor", ('"timeout": 10', '"timeout": 3')),
        ("codex", ('"hooks": [\n          {', '"matcher": "",\n        "hooks": [\n          {')),
    ],
)
def test_what_a_person_changed_of_our_hook_stays_when_it_is_set_up_again(
    tmp_path: Path, name: str, changed: tuple[str, str]
) -> None:
    here = place(tmp_path)
    add(name, here)
    hooks = AGENTS[name].hooks
    assert hooks is not None
    path = here.project / hooks.project
    text = path.read_text().replace(*changed)
    assert text != path.read_text()
    path.write_text(text)
    assert not any(edit.changes for edit in add(name, here))
    assert path.read_text() == text
    remove(name, here)
    assert not path.exists()


@pytest.mark.parametrize(
    ("name", "path", "text"),
    [
        (
            "claude-code",
            ".mcp.json",
            '{"mcpServers": {"memtend": {"command": "uvx", "args": ["memtend", "mcp"], "x": 1}}}',
        ),
        (
            "claude-code",
            ".mcp.json",
            '{"mcpServers": {"memtend": {"type": "http", "url": "http://127.0.0.1:8765/mcp"}}}',
        ),
        (
            "claude-code",
            ".claude/settings.json",
            '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/my/memtend hook stop"}]}]}}',
        ),
        (
            "codex",
            ".codex/config.toml",
            '[mcp_servers.memtend]\r\ncommand = "uvx"\r\nargs = [\r\n  "memtend",\r\n]\r\n# end',
        ),
        ("opencode", "opencode.json", '{"mcp": {"memtend": {"type": "remote", "url": "http://x"}}}'),
    ],
    ids=["command", "url", "hook", "toml", "remote"],
)
def test_what_a_person_called_memtend_before_is_given_back(tmp_path: Path, name: str, path: str, text: str) -> None:
    here = place(tmp_path)
    (here.project / path).parent.mkdir(exist_ok=True)
    (here.project / path).write_bytes(text.encode())
    before = state(here)
    add(name, here)
    assert server_of(name, here)["command"] in ("memtend", ["memtend", "mcp"])
    found = remove(name, here)
    assert state(here) == before
    assert [edit.remark for edit in found if edit.path == here.project / path] == [
        "names memtend again as it did before it was set up"
    ]
    remove(name, here)
    assert "memtend" not in "".join(file.read_text() for file in here.project.rglob("*.*") if file.is_file())


def test_line_ends_of_a_toml_file_are_kept_and_its_first_line_may_have_a_mark(tmp_path: Path) -> None:
    here = place(tmp_path)
    config = here.project / ".codex/config.toml"
    config.parent.mkdir()
    for text in ('model = "x"\r\n', '\ufeff[mcp_servers.memtend]\r\ncommand = "y"\r\n'):
        config.write_bytes(text.encode())
        add("codex", here)
        assert config.read_bytes().count(b"\n") == config.read_bytes().count(b"\r\n")
        assert server_of("codex", here)["command"] == "memtend" if not text.startswith("\ufeff") else True
        remove("codex", here)
        assert config.read_bytes() == text.encode()


def test_what_was_set_up_is_taken_out_to_the_byte_also_after_the_file_was_put_back_meanwhile(tmp_path: Path) -> None:
    here = place(tmp_path, full=True)
    before = state(here)
    for _ in range(2):
        for path, data in before.items():
            if data != b"folder":
                Path(path).write_bytes(data)
        add("claude-code", here)
    remove("claude-code", here)
    assert state(here) == before


@posix
@pytest.mark.parametrize("folder", ["there", "missing"])
@pytest.mark.parametrize("content", ["{ }", None], ids=["file", "nothing"])
def test_a_link_stays_a_link_whether_or_not_it_leads_somewhere(
    tmp_path: Path, folder: str, content: str | None
) -> None:
    here = place(tmp_path)
    target = tmp_path / "dotfiles" / folder / "mcp.json"
    if folder == "there" or content is not None:
        target.parent.mkdir(parents=True)
    if content is not None:
        target.write_text(content)
    link = here.project / ".mcp.json"
    link.symlink_to(target)
    add("claude-code", here)
    assert link.is_symlink()
    assert "memtend" in target.read_text()
    remove("claude-code", here)
    assert link.is_symlink()
    assert (target.read_text() if target.exists() else None) == content
    assert target.parent.exists() == (folder == "there" or content is not None)


@posix
@EVERY
def test_a_file_that_may_not_be_written_is_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    here = place(tmp_path, full=True)
    settings = setup.settings_file(AGENTS[name], here)
    settings.chmod(0o444)
    before = state(here)
    with pytest.raises(UnusableInput, match="may not be written"):
        add(name, here)
    assert state(here) == before
    settings.chmod(0o644)
    add(name, here)
    settings.chmod(0o444)
    with pytest.raises(UnusableInput, match="may not be written"):
        remove(name, here)
    settings.chmod(0o644)
    remove(name, here)
    assert state(here) == before


def test_what_was_written_before_the_disk_failed_is_taken_out_to_the_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = place(tmp_path, full=True)
    before = state(here)
    found = setup.edits(AGENTS["claude-code"], here, COMMANDS)
    replace = files._replace
    left = iter(range(2))

    def full_disk(target: Path, text: str) -> None:
        if next(left, None) is None and target.suffix == ".md":
            raise OSError(28, "No space left on device", str(target))
        replace(target, text)

    monkeypatch.setattr(files, "_replace", full_disk)
    with pytest.raises(OSError, match="No space"):
        setup.write(found, records(here))
    assert state(here) != before
    remove("claude-code", here)
    assert state(here) == before


@pytest.mark.parametrize(
    ("name", "variable", "path"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("claude-code", "CLAUDE_CONFIG_DIR", "settings.json"),
        ("claude-code", "CLAUDE_CONFIG_DIR", "commands/learn.md"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
        ("pi", "PI_CODING_AGENT_DIR", "mcp.json"),
        ("pi", "PI_CODING_AGENT_DIR", "extensions/memtend.js"),
    ],
)
def test_a_home_that_the_agent_has_elsewhere_is_the_one(tmp_path: Path, name: str, variable: str, path: str) -> None:
    moved = AGENTS[name].elsewhere({variable: str(tmp_path / "moved")})
    here = place(tmp_path, setup.USER, moved=moved)
    add(name, here)
    assert (tmp_path / "moved" / path).exists()
    assert not list(here.home.glob(".c*"))
    remove(name, here)
    assert not (tmp_path / "moved").exists()
    assert AGENTS[name].elsewhere({}) == {}


@SCOPES
def test_codex_has_its_commands_as_skills(tmp_path: Path, scope: str) -> None:
    here = place(tmp_path, scope)
    add("codex", here)
    skill = here.file(".agents/skills/learn/SKILL.md", ".agents/skills/learn/SKILL.md").read_text()
    head, text = skill.removeprefix("---\n").split("---\n")
    assert ryaml.loads(head) == {"name": "learn", "description": "Learn."}
    assert text.strip() == "Learn what I name."


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`memtend setup` as a person's script runs it."""
    home = tmp_path / "home"
    environ = {"HOME": str(home), "USERPROFILE": str(home), "PATH": "/usr/bin:/bin", "MEMTEND_PROMPT": ""}
    command = [sys.executable, "-c", "import sys; from memtend.cli import main; sys.exit(main(sys.argv[1:]))"]
    return subprocess.run(
        [*command, "setup", *words],
        cwd=tmp_path / "project",
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_command_shows_the_diff_first_and_writes_after_a_yes(tmp_path: Path) -> None:
    here = place(tmp_path, full=True)
    before = state(here)
    asked = run(tmp_path, "claude-code")
    assert asked.returncode == 3
    assert "+++ .mcp.json" in asked.stdout
    assert '"memtend": {' in asked.stdout
    assert run(tmp_path, "claude-code", "--dry-run").returncode == 0
    assert state(here) == before
    assert run(tmp_path, "claude", "--yes").returncode == 0
    assert run(tmp_path, "claude-code", "--yes").stdout == "Claude Code is set up already.\n"
    done = run(tmp_path, "claude-code", "--remove", "--yes", "--json")
    assert json.loads(done.stdout)["written"] is True
    left = {path: data for path, data in state(here).items() if ".local" not in path}
    assert left == before
    assert not (tmp_path / "home/.local/state/memtend").exists()
    assert run(tmp_path, "emacs").returncode == 2


@pytest.mark.parametrize(
    "kept",
    ["[]", "{", "[" * 100_000, '{"FILE": 7}', '{"FILE": {"swaps": 3}}', '{"FILE": {"swaps": [[1]], "folders": []}}'],
    ids=len,
)
def test_records_that_somebody_damaged_are_none(tmp_path: Path, kept: str) -> None:
    here = place(tmp_path, full=True)
    path = here.project / ".mcp.json"
    records = tmp_path / "setup.json"
    records.write_text(kept.replace("FILE", path.as_posix()), encoding="utf-8")
    found = Records(records)
    assert (found.swaps(path), found.is_new(path), found.forget([path])) == ([], False, set())
