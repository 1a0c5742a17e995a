"""Faults that users of such systems reported, through the server: names, files and texts as they come in."""

import json
from pathlib import Path

import pytest
from agents_client import PARCELS, applied, call, files_of, put, talk, written

from mcp import Client, MCPError
from memtend.mcp.desk import Desk
from memtend.workspace import Workspace

CLIMBING = [
    "../../x",
    "a/../../x",
    "..\\..\\x",
    "/etc/hostname",
    "~/x",
    "MEM-a/../../../x",
    "MEM-a\0.md",
    ".git/config",
]


@pytest.mark.parametrize("name", [*CLIMBING, "", "."])
def test_o_fs_04_no_name_that_a_client_gives_leads_out(everything: Desk, project: Path, name: str) -> None:
    (project.parent / "x").write_text("a secret of the neighbour")
    before, around = files_of(project), files_of(project.parent)
    calls: list[tuple[str, dict[str, object]]] = [
        ("read", {"id": name}),
        ("role_read", {"path": name}),
        ("role_write", {"path": name, "content": "mine"}),
        ("role_list", {"role": name or "../x"}),
        ("memory", {"action": "list", "role": name or "../x"}),
        ("category", {"action": "restore", "target": name}),
        ("category", {"action": "split", "target": name or "../x"}),
        ("category", {"action": "add", "category": name, "title": "T", "content": "X"}),
        ("apply", {"plan": name or "x", "decisions": {}}),
        ("undo", {"receipt": name or "x"}),
        ("execute", {"command": "read", "args": {"path": name or ".."}}),
    ]

    async def run(client: Client) -> None:
        for tool, given in calls:
            answer = await client.call_tool(tool, given)
            assert answer.is_error, (tool, given, answer.structured_content)
            assert "neighbour" not in str(answer.structured_content)
        for uri in (f"memory://{name}", "memory://..%2F..%2Fx", "file:///etc/hostname"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)

    talk(everything, run)
    assert files_of(project) == before
    assert files_of(project.parent) == around


@pytest.mark.parametrize("topic", ["/abs", ".git", "CON", "a:b*c?"])
def test_o_fs_04_o_fs_08_a_topic_is_a_topic_and_no_path(desk: Desk, project: Path, topic: str) -> None:
    around = set(files_of(project.parent))
    done = written(desk, PARCELS, topic=topic)
    new = {Path(path) for path in set(files_of(project.parent)) - around if path.endswith(".md")}
    home = Path(project.name, ".memory")
    assert all(path.is_relative_to(home) for path in new)
    assert done["status"] == "completed"


@pytest.mark.parametrize("name", ["../../x", "..\\x", "a/../../x", "a\x00b"])
@pytest.mark.parametrize("what", ["topic", "category"])
def test_o_fs_04_what_leads_elsewhere_names_neither_topic_nor_category(
    desk: Desk, project: Path, what: str, name: str
) -> None:
    before = files_of(project.parent)
    assert call(desk, "learn", {"text": PARCELS, what: name})["error"]["code"] == "unusable-input"
    assert files_of(project.parent) == before


@pytest.mark.parametrize("title", ["測定", "CON", "a/b:c*?", "…", "x" * 400, "trailing. ", "Ünï cödé 🚀", ".hidden"])
def test_o_fs_07_o_fs_08_any_title_becomes_a_name_that_every_system_takes(
    desk: Desk, project: Path, title: str
) -> None:
    done = written(desk, f"# {title}\n\nWhat the note of this title says about parcels.")
    assert done["status"] == "completed"
    (path,) = (project / ".memory" / "10-Memories").glob("MEM-*.md")
    assert path.name.isascii()
    assert not set(path.name) & set('<>:"/\\|?*')
    assert len(path.name) < 130
    id = done["operations"][0]["memory_id"]
    read = call(desk, "read", {"id": id})["title"].strip()
    assert read == title.strip() or (len(title) > 100 and read.endswith("x…"))


def test_o_fs_06_titles_that_differ_in_case_alone_are_two_files(desk: Desk, project: Path) -> None:
    written(desk, "# Parcel Note\n\nShelf seven holds the grey boxes.")
    written(desk, "# parcel note\n\nThe customs form wants a tariff number.")
    names = [path.name.casefold() for path in (project / ".memory" / "10-Memories").glob("MEM-*.md")]
    assert len(set(names)) == 2


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig", "cp1252"])
def test_o_fs_01_a_file_of_another_encoding_is_learned_as_what_it_says(
    desk: Desk, project: Path, encoding: str
) -> None:
    text = "# Messgerät\n\nDas Messgerät für Öl prüft täglich über fünfzig Fässer, außer sonntags.\n" * 2
    (project / "note.md").write_bytes(text.encode(encoding))
    plan = call(desk, "learn", {"paths": "note.md"})
    assert "Messgerät" in json.dumps(plan["proposals"], ensure_ascii=False)


def test_o_fs_02_o_fs_03_links_that_loop_or_lead_out_are_not_followed(desk: Desk, project: Path) -> None:
    notes = project / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(PARCELS)
    (notes / "loop").symlink_to(notes, target_is_directory=True)
    (project.parent / "outside.md").write_text("# Outside\n\nThe neighbour keeps this to himself.")
    (notes / "b.md").symlink_to(project.parent / "outside.md")
    plan = call(desk, "learn", {"paths": ["notes"]})
    assert len(plan["proposals"]) == 1
    assert "neighbour" not in json.dumps(plan)


@pytest.mark.parametrize(
    "title", ["Deploy: the second attempt", "# not a comment", "C# and F#", "- [x] done", "'quoted' \"too\"", "1.10"]
)
def test_o_fm_01_o_fm_11_a_title_reads_back_as_it_was_given(desk: Desk, title: str) -> None:
    done = written(desk, f"# {title}\n\nWhat was learned from it about parcels.")
    read = call(desk, "read", {"id": done["operations"][0]["memory_id"]})
    assert read["title"] == title
    assert call(desk, "search", {"query": title})["hits"][0]["title"] == title


@pytest.mark.parametrize("value", ["shop\nstatus: purged\ntags: [x]", "a\u2028b", "x\r\n---\n# Fake", "\u202eevil"])
def test_o_fm_09_a_line_break_in_a_value_injects_nothing(desk: Desk, workspace: Workspace, value: str) -> None:
    for name in ("topic", "category"):
        done = written(desk, f"# Note of {name}\n\nShelf{len(name)} holds the {name} boxes.", **{name: value})
        if "error" not in done:
            read = call(desk, "read", {"id": done["operations"][0]["memory_id"]})
            assert read["status"] == "active"
            assert "x" not in read["tags"]
            assert "Fake" not in read["text"]
    assert all(memory.is_active for memory in workspace.memories(include_retired=True))


def test_o_fm_05_a_memory_whose_block_is_broken_is_never_rewritten(desk: Desk, project: Path) -> None:
    path = put(project, "MEM-broken", "---\ntitle: [unclosed\ntags: {\n---\n# Broken\n\nThe pool holds twenty.\n")
    before = path.read_bytes()
    for action in ("update", "extend"):
        done = written(desk, "# Broken\n\nThe pool holds twenty connections.", action, "MEM-broken")
        assert "error" in done
        assert path.read_bytes() == before
    assert any(finding["path"].endswith("MEM-broken.md") for finding in call(desk, "check")["findings"])


@pytest.mark.parametrize("action", ["update", "extend"])
def test_o_fm_04_o_fm_06_o_dm_09_what_was_not_given_stays_line_ends_and_keys_too(
    desk: Desk, project: Path, action: str
) -> None:
    head = "\ufeff---\r\n# owner: platform team\r\ntitle: Pool\r\ntopic: shop/db\r\ntags: [CONFIG]\r\n"
    head += "custom: 'kept as it is'\r\ncreated: 2025-01-02\r\nretrieval_count: 7\r\n---\r\n"
    path = put(project, "MEM-pool", f"{head}# Pool\r\n\r\nThe pool holds twenty connections.\r\n")
    done = written(desk, "# Pool\n\nThe pool holds thirty connections since the move.", action, "MEM-pool")
    assert done["status"] == "completed"
    data = path.read_bytes()
    assert data.startswith("\ufeff---\r\n# owner: platform team\r\n".encode())
    assert data.count(b"\n") == data.count(b"\r\n")
    for line in (b"topic: shop/db", b"custom: 'kept as it is'", b"created: 2025-01-02", b"retrieval_count: 7"):
        assert line in data
    applied(desk, "undo", {"receipt": done["receipt"]})
    assert path.read_bytes() == f"{head}# Pool\r\n\r\nThe pool holds twenty connections.\r\n".encode()


@pytest.mark.parametrize("tags", ["api, shop", '["api", "shop"]', ["#API", "shop"], "[api,shop]"])
def test_o_fm_08_o_mc_05_tags_are_names_however_they_are_given(desk: Desk, project: Path, tags: object) -> None:
    put(project, "MEM-a", "---\ntitle: A\ntags: [api, shop]\n---\n# A\n\nParcel text.\n")
    put(project, "MEM-b", "---\ntitle: B\ntags: api\n---\n# B\n\nParcel text too.\n")
    for tool, listed in (("search", "hits"), ("list", "memories")):
        given = {"tags": tags, **({"query": "parcel"} if tool == "search" else {})}
        assert [each["id"] for each in call(desk, tool, given)[listed]] == ["MEM-a"]


def test_o_md_01_o_md_02_a_fence_is_one_piece_whatever_stands_in_it(desk: Desk) -> None:
    text = (
        "# Install\n\n````sh\n# get the tool\n```\n## not a heading\n```\ncurl x\n````\n\nThen run it on the parcels.\n"
    )
    plan = call(desk, "learn", {"text": text})
    assert len(plan["proposals"]) == 1
    done = written(desk, text)
    assert "````sh\n# get the tool\n```\n## not a heading" in call(
        desk, "read", {"id": done["operations"][0]["memory_id"]}
    )["text"].replace("## get", "# get")


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "[" * 100_000, "> " * 50_000, "`" * 99_999, "# \n" * 5_000, "\n" * 9]
)
def test_o_md_05_o_md_06_a_text_of_one_sign_is_answered(desk: Desk, project: Path, text: str) -> None:
    before = files_of(project)
    answer = call(desk, "learn", {"text": text})
    assert answer["status"] in ("planned", "error")
    assert len(json.dumps(answer)) < 30_000
    assert files_of(project) == before


@pytest.mark.parametrize("text", [r"Use \1 and \g<0> and $1 and $& here.", r"C:\new\table $(rm -rf x) `id` {0} %s"])
def test_o_md_08_signs_of_templates_are_text(desk: Desk, text: str) -> None:
    done = written(desk, f"# Signs\n\n{text}")
    id = done["operations"][0]["memory_id"]
    assert text in call(desk, "read", {"id": id})["text"]
    written(desk, f"# Signs\n\nAnd then: {text}", "extend", id)
    assert f"And then: {text}" in call(desk, "read", {"id": id})["text"]
