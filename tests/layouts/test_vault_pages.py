"""The vault layout: the three derived pages, and what they know of usage."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from contract import LATER, NOW
from vault_case import LAYOUT, NEW, TEMPLATED, changed

from memtend.change import Verb
from memtend.errors import NewerFormat
from memtend.layouts import Usage
from memtend.memory import Memory, MemoryId, Place, Status


def _pages(memories: list[Memory], pages: dict[str, bytes] | None = None, now: datetime = NOW) -> dict[str, str]:
    drawn = dict(pages or {})
    drawn |= {edit.path: edit.after or b"" for edit in LAYOUT.reindex(memories, drawn, now)}
    return {path: data.decode() for path, data in drawn.items()}


def _listed(number: int, **fields: Any) -> Memory:
    id = f"MEM-{number:02d}"
    memory = replace(
        NEW,
        id=MemoryId(id),
        place=Place(f"10-Memories/{id}.md"),
        title=f"Title {number}",
        modified=f"2026-05-{number:02d}",
    )
    return replace(memory, **fields)


def test_memory_index_json_has_every_field_and_every_memory() -> None:
    gone = _listed(2, status=Status.RETIRED, retired_at="2026-06-01", retired_reason="purge")
    document = json.loads(_pages([gone, _listed(1, token_count=7)])["memory-index.json"])
    assert list(document) == ["version", "generated_at", "entry_count", "total_tokens", "entries"]
    assert (document["version"], document["generated_at"], document["entry_count"]) == ("1.0.0", "2026-06-30", 2)
    assert document["total_tokens"] == 7
    assert document["entries"][0] == {
        "id": "MEM-01",
        "path": ".memory/10-Memories/MEM-01.md",
        "title": "Title 1",
        "summary": "Closes bug #42",
        "topic": "a/b",
        "category": "INSIGHT",
        "keywords": ["no", "C++"],
        "token_count": 7,
        "created": "2026-06-30",
        "modified": "2026-05-01",
        "last_retrieved": None,
        "retrieval_count": 0,
        "status": "active",
    }
    assert list(document["entries"][1].items())[-3:] == [
        ("status", "tombstoned"),
        ("tombstoned_at", "2026-06-01"),
        ("tombstone_reason", "purge"),
    ]


def test_the_index_page_has_its_five_sections_and_no_retired_memory() -> None:
    memories = [_listed(number) for number in range(1, 13)]
    memories += [
        _listed(13, status=Status.RETIRED),
        _listed(14, topic="a", category=""),
        _listed(15, topic="", modified="", created=""),
    ]
    page = _pages(memories)["20-Indices/index.md"]
    headings = [line for line in page.split("\n") if line.startswith("## ")]
    assert headings == ["## Quick Navigation", "## Recent Memories", "## By Category", "## By Topic", "## Statistics"]
    recent = page[page.index("## Recent") : page.index("## By Category")]
    assert recent.count("\n- [") == 10
    assert recent.index("MEM-14") < recent.index("MEM-12") < recent.index("MEM-11")
    assert "- [MEM-14](../10-Memories/MEM-14.md) - Title 14 (2026-05-14)\n" in recent
    assert "MEM-13" not in page
    assert "### a (13)\n\n- [MEM-14](../10-Memories/MEM-14.md) - Title 14\n- b (12)\n  - [MEM-01]" in page
    assert "### uncategorized\n\n- [MEM-14]" in page
    assert "### uncategorized (1)\n\n- [MEM-15]" in page
    assert page.endswith("## Statistics\n\n- Total memories: 14\n- Total tokens: 0\n- Last updated: 2026-06-30\n")


def test_the_list_has_an_entry_for_each_memory_and_navigation_last() -> None:
    page = _pages([_listed(2), _listed(1), _listed(3, status=Status.RETIRED)])["10-Memories/README.md"]
    entry = "### [MEM-01](MEM-01.md)\n**Title**: Title 1\n**Topic**: a/b\n**Tags**: INSIGHT, 1.10\n"
    entry += "**Created**: 2026-06-30\n"
    assert f"Total memories: 2\n\n{entry}\n### [MEM-02](MEM-02.md)\n" in page
    assert page.rindex("## ") == page.index("## Navigation")


def test_a_title_with_any_sign_stays_one_row_and_one_link() -> None:
    title = "a | b [c](d) `e` <!-- f\n\ng ]] \\ \u2028 \x07"
    pages = _pages([_listed(1, title=title, tags=("INSIGHT", "x\ny"))])
    for path in ("20-Indices/index.md", "10-Memories/README.md"):
        rows = [line for line in pages[path].splitlines() if "a \\| b" in line]
        assert all(
            row.endswith("a \\| b \\[c\\](d) \\`e\\` \\<!-- f g \\]\\] \\\\") or row.endswith("(2026-05-01)")
            for row in rows
        )
        assert len(rows) == (3 if path.startswith("20") else 1)


def test_a_file_with_an_odd_name_is_linked_as_markdown_needs_it() -> None:
    memory = replace(_listed(1), id=MemoryId("My note (1)"), place=Place("10-Memories/sub/My note (1).md"))
    pages = _pages([memory])
    assert "- [My note (1)](../10-Memories/sub/My%20note%20%281%29.md) - Title 1" in pages["20-Indices/index.md"]
    assert "### [My note (1)](sub/My%20note%20%281%29.md)\n" in pages["10-Memories/README.md"]


@pytest.mark.parametrize("name", ["two\nlines", 'tab\tand "quotes"', "line\u2028end", "caf\udce9", "c\r\x07", "é ü#?"])
def test_o_fs_08_a_name_with_a_line_break_or_a_stray_byte_stays_one_row_and_is_up_to_date_at_once(name: str) -> None:
    memories = [replace(_listed(1), id=MemoryId(name), place=Place(f"10-Memories/{name}.md")), _listed(2)]
    pages = {edit.path: edit.after or b"" for edit in LAYOUT.reindex(memories, {}, NOW)}
    assert LAYOUT.reindex(memories, pages, NOW) == ()
    assert LAYOUT.compare(memories, pages) == ()
    assert pages["10-Memories/README.md"].count(b"\n### [") == 2


def test_pages_that_were_just_drawn_differ_in_nothing() -> None:
    odd = replace(_listed(1), id=MemoryId("My [note] (1)"), place=Place("10-Memories/sub/My [note] (1).md"))
    memories = [odd, _listed(2), _listed(3, status=Status.RETIRED)]
    pages = {path: text.encode() for path, text in _pages(memories).items()}
    assert LAYOUT.compare(memories, pages) == ()
    found = {(problem.code, problem.path) for problem in LAYOUT.compare([*memories[1:], _listed(4)], pages)}
    assert found == {(code, path) for code in ("page-incomplete", "dead-row") for path in LAYOUT.derived_paths}
    assert [problem.code for problem in LAYOUT.compare(memories, {})] == ["page-missing"] * 3
    renamed = LAYOUT.compare([replace(memories[0], title="Other"), *memories[1:]], pages)
    assert {(problem.code, problem.path) for problem in renamed} == {
        ("index-differs", "memory-index.json"),
        ("stale-page", "memory-index.json"),
        ("page-stale", "20-Indices/index.md"),
        ("page-stale", "10-Memories/README.md"),
    }


def test_o_va_02_text_of_people_in_the_pages_stays_and_ours_is_renewed() -> None:
    index = b"""\
# Our memory

Written by hand, about [MEM-01](../10-Memories/MEM-01.md).

## Quick Navigation
- [The wiki](https://example.org)

## By Category

Categories are agreed in the weekly meeting.

### OLD
- [MEM-gone](../10-Memories/MEM-gone.md) - Gone

## House rules

- no secrets

## Statistics
- Total memories: 3
"""
    listing = b"# Memories\n\nOurs.\n\n### [MEM-gone](MEM-gone.md)\n**Title**: Gone\n\n"
    listing += b"## Navigation\n\n- [up](../README.md)\n\n## Notes\n\nkeep\n"
    pages = {"20-Indices/index.md": index, "10-Memories/README.md": listing}
    drawn = _pages([_listed(1), _listed(2)], pages)
    page = drawn["20-Indices/index.md"]
    assert "MEM-gone" not in page + drawn["10-Memories/README.md"]
    for kept in (
        index[: index.index(b"## By Category")],
        b"Categories are agreed in the weekly meeting.\n",
        b"## House rules\n\n- no secrets\n",
    ):
        assert kept.decode() in page
    order = [
        "# Our memory",
        "## Quick",
        "## Recent",
        "## By Category",
        "## By Topic",
        "## House rules",
        "## Statistics",
    ]
    assert [page.index(heading) for heading in order] == sorted(page.index(heading) for heading in order)
    assert drawn["10-Memories/README.md"].startswith("# Memories\n\nOurs.\n\nTotal memories: 2\n\n### [MEM-01]")
    assert drawn["10-Memories/README.md"].endswith("## Navigation\n\n- [up](../README.md)\n\n## Notes\n\nkeep\n")
    again = LAYOUT.reindex([_listed(2), _listed(1)], {path: text.encode() for path, text in drawn.items()}, LATER)
    assert again == ()


def test_the_day_alone_is_no_reason_to_write() -> None:
    pages = {path: text.encode() for path, text in _pages([_listed(1)]).items()}
    assert LAYOUT.reindex([_listed(1)], pages, LATER) == ()
    changed = LAYOUT.reindex([_listed(1, summary="Other")], pages, LATER)
    assert [edit.path for edit in changed] == ["memory-index.json"]
    assert json.loads(changed[0].after or b"")["generated_at"] == "2027-01-02"


def test_pages_with_windows_line_ends_keep_them() -> None:
    pages = {
        path: text.replace("\n", "\r\n").encode() for path, text in _pages([_listed(1)]).items() if path.endswith(".md")
    }
    assert [edit.path for edit in LAYOUT.reindex([_listed(1)], pages, NOW)] == ["memory-index.json"]
    for edit in LAYOUT.reindex([_listed(1), _listed(2)], pages, NOW)[1:]:
        assert (edit.after or b"").count(b"\n") == (edit.after or b"").count(b"\r\n")


def _index(**fields: Any) -> bytes:
    entry = {"id": "MEM-a", "retrieval_count": 39, "last_retrieved": "2026-06-22"} | fields
    return json.dumps({"version": "1.0.0", "entries": [entry, {"id": "MEM-b", "retrieval_count": 2}]}).encode()


def test_o_va_01_counts_that_only_the_index_knows_survive_a_rebuild() -> None:
    pages = {"memory-index.json": _index()}
    assert LAYOUT.usage(pages) == {"MEM-a": Usage(39, "2026-06-22"), "MEM-b": Usage(2, "")}
    memory = replace(_listed(1), id=MemoryId("MEM-a"), retrieval_count=0)
    entry = json.loads(_pages([memory], pages)["memory-index.json"])["entries"][0]
    assert (entry["retrieval_count"], entry["last_retrieved"]) == (39, "2026-06-22")
    more = replace(memory, retrieval_count=40, last_retrieved="2026-06-01")
    entry = json.loads(_pages([more], pages)["memory-index.json"])["entries"][0]
    assert (entry["retrieval_count"], entry["last_retrieved"]) == (40, "2026-06-22")


def test_usage_is_carried_onto_an_older_image_and_nothing_else() -> None:
    image = TEMPLATED.replace(b"Ten seconds", b"Five seconds")
    current = changed(TEMPLATED, Verb.REINFORCE, retrieval_count=9, last_retrieved="2026-06-29")
    expected = image.replace(b"retrieval_count: 2", b"retrieval_count: 9").replace(b"2026-06-01", b"2026-06-29")
    assert LAYOUT.carry_usage(current, image) == expected
    assert LAYOUT.carry_usage(image, current) == current
    broken = b'---\ntitle: "a "b"\n---\n'
    assert LAYOUT.carry_usage(current, broken) == broken


def test_o_cc_04_a_damaged_index_loses_only_what_is_damaged() -> None:
    whole = _index()
    assert LAYOUT.usage({"memory-index.json": whole[:-20]}) == {"MEM-a": Usage(39, "2026-06-22")}
    odd = b'{"entries": [{"retrieval_count": 3}, null, 7, {"id": "MEM-c", "retrieval_count": "4"}, {"id": 5}]}'
    assert LAYOUT.usage({"memory-index.json": odd}) == {"MEM-c": Usage(4, "")}
    for damaged in (b'{"entries": null}', b"[]", b"7", b"{", b"\xff", b"[" * 100_000):
        assert LAYOUT.usage({"memory-index.json": damaged}) == {}
        (problem, *_) = [p for p in LAYOUT.compare([], {"memory-index.json": damaged}) if p.path == "memory-index.json"]
        assert problem.code == "index-damaged"


@pytest.mark.parametrize("version", [99, "2.0.0", "10"])
def test_o_cc_04_an_index_of_a_newer_version_is_not_written(version: object) -> None:
    pages = {"memory-index.json": json.dumps({"version": version, "entries": []}).encode()}
    assert LAYOUT.usage(pages) == {}
    with pytest.raises(NewerFormat, match=str(version)):
        LAYOUT.reindex([], pages, NOW)
    assert "newer-format" in [problem.code for problem in LAYOUT.compare([], pages)]


def test_keys_of_others_at_the_top_of_the_index_stay() -> None:
    pages = {"memory-index.json": b'{"version": "1.0.0", "entries": [], "x": {"deep": [1, "\xc3\xa9"]}}'}
    assert json.loads(_pages([_listed(1)], pages)["memory-index.json"])["x"] == {"deep": [1, "é"]}


def test_memory_index_json_looks_like_any_json_of_that_indent() -> None:
    text = _pages([_listed(1, title='"\\ é 日本 \u2028'), _listed(2, keywords=())])["memory-index.json"]
    assert text == json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"


def test_time_zones_do_not_move_the_day_of_a_page() -> None:
    now = datetime(2026, 7, 1, 0, 30, tzinfo=timezone(timedelta(hours=14)))
    page = _pages([], now=now)["memory-index.json"]
    assert json.loads(page)["generated_at"] == now.astimezone(UTC).date().isoformat() == "2026-06-30"


def test_a_topic_of_thousands_of_levels_keeps_nobody_from_writing() -> None:
    deep = _listed(1, topic="/".join(["deep"] * 5_000))
    index = _pages([deep, _listed(2)])["20-Indices/index.md"]
    assert "MEM-01.md" in index
    assert "MEM-02.md" in index
    assert max(len(line) - len(line.lstrip()) for line in index.split("\n")) < 50
