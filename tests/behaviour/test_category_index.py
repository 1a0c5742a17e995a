"""The registries of a category memory, edited cell by cell."""

import pytest
from small_memory import INDEX

from memtend.layouts.category.registry import (
    Counts,
    IndexChange,
    Registration,
    categories,
    faults,
    registered,
    updated,
)
from memtend.layouts.category.tables import escaped, paths_in, read_page, unescaped

DAY = "2026-06-30"


def edited(text: str = INDEX, page: str = "index.md", **change: object) -> str:
    before = {page: text.encode()}
    return updated(before, IndexChange(day=DAY, **change)).get(page, text.encode()).decode()  # type: ignore[arg-type]


def lines_of(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that went and those that came."""
    ours, theirs = before.splitlines(), after.splitlines()
    return [line for line in ours if line not in theirs], [line for line in theirs if line not in ours]


def new(path: str, category: str, id: str = "", **more: object) -> Registration:
    return Registration(path, category, id, updated=DAY, **more)  # type: ignore[arg-type]


SUMMARY = new("summaries/sessions.summary.md", "summaries", "SESSIONS-SUMMARY")


def test_an_index_that_needs_no_change_is_the_same_bytes() -> None:
    pages = {"index.md": INDEX.encode()}
    assert updated(pages, IndexChange(day=DAY)) == {}
    there = new("decisions/_log.md", "decisions", "DECISIONS-LOG")
    assert updated(pages, IndexChange(day=DAY, added=[there], gone={"decisions/other.md": ""})) == {}


def test_a_row_is_added_below_its_category_and_nothing_else_moves() -> None:
    after = edited(added=[new("decisions/DEC-9.md", "decisions", "DEC-9")])
    gone, came = lines_of(INDEX, after)
    assert gone == ["updated_at: 2026-02-22"]
    assert came == ["updated_at: 2026-06-30", "| `decisions/DEC-9.md` | decisions | DEC-9 | 2026-06-30 | — |"]
    rows = after.splitlines()
    assert rows.index("| `decisions/DEC-9.md` | decisions | DEC-9 | 2026-06-30 | — |") == 1 + rows.index(
        "| `decisions/DEC-7.md` | decisions | DEC-7 | 2026-03-01 | Ada \\| Bob |"
    )


def test_rows_of_files_that_are_gone_go_and_those_of_others_stay() -> None:
    after = edited(gone={"sessions/2026-06-01.md": ""}, counts={"sessions": Counts(1, 1, 9)})
    gone, came = lines_of(INDEX, after)
    assert "| `sessions/2026-06-01.md` | sessions | — | 2026-06-01 | |" in gone
    assert "| `sessions/` | `sessions/2026-06-02.md` | Working notes | Never |" in came
    assert len(gone) == 3


def test_a_file_is_known_by_its_whole_path_never_by_a_part_of_it() -> None:
    longer = INDEX.replace("`decisions/DEC-7.md`", "`old/decisions/DEC-7.md`")
    assert edited(longer, gone={"decisions/DEC-7.md": "DEC-7"}) == longer
    assert "DEC-71" in edited(INDEX.replace("DEC-7.md", "DEC-71.md"), gone={"decisions/DEC-7.md": ""})


def test_in_a_table_without_paths_a_row_is_known_by_its_whole_id() -> None:
    page = "| ID | Title | Status |\n|---|---|---|\n| DEC-1 | One | active |\n| DEC-13 | Thirteen | active |\n"
    after = edited(page, "index-decisions.md", gone={"decisions/DEC-1.md": "DEC-1"})
    assert after == "| ID | Title | Status |\n|---|---|---|\n| DEC-13 | Thirteen | active |\n"
    assert edited(page, "index-decisions.md", gone={"decisions/DEC-3.md": "DEC-3"}) == page


def test_the_row_of_a_decision_left_as_a_pointer_moves_as_it_is() -> None:
    after = edited(superseded={"decisions/DEC-7.md": "DEC-7"})
    assert (
        "| `sessions/2026-06-02.md` | sessions | — | 2026-06-02 | |\n"
        "\n"
        "### Superseded (archived)\n"
        "\n"
        "| File | Category | ID | Last updated | Owner |\n"
        "|---|---|---|---|---|\n"
        "| `decisions/DEC-7.md` | decisions | DEC-7 | 2026-03-01 | Ada \\| Bob |\n"
        "\n"
        "## Active Artefacts"
    ) in after
    again = edited(after, superseded={"decisions/_log.md": "DECISIONS-LOG"})
    assert again.count("### Superseded (archived)") == 1
    assert again.index("DECISIONS-LOG") > again.index("### Superseded")
    assert edited(again, superseded={"decisions/DEC-7.md": "DEC-7"}) == again


def test_a_row_that_moves_into_a_table_of_other_columns_is_fitted() -> None:
    page = INDEX + "\n### Superseded (archived)\n\n| ID | File | Why |\n|---|---|---|\n"
    after = edited(page, superseded={"decisions/DEC-7.md": "DEC-7"})
    assert after.endswith("| ID | File | Why |\n|---|---|---|\n| DEC-7 | `decisions/DEC-7.md` | — |\n")


def test_dates_and_counts_change_and_what_stands_behind_them_stays() -> None:
    page = INDEX.replace("Owner |\n|---", "Entries |\n|---", 1).replace("(4 decisions) | Ada", "(4 decisions) | 4")
    after = edited(page, touched=[new("decisions/_log.md", "decisions", entries=3)])
    assert "| `decisions/_log.md` | decisions | DECISIONS-LOG | 2026-06-30 (4 decisions) | 3 |" in after
    after = edited(touched=[new("patterns/conventions.md", "patterns")])
    assert "| `patterns/conventions.md` | patterns | PATTERNS-001 | 2026-06-30 | |" in after
    odd = INDEX.replace("| 2026-03-01 |", "| last spring |")
    assert edited(odd, touched=[new("decisions/DEC-7.md", "decisions", "DEC-7")]) == odd


def test_a_category_that_was_empty_gets_its_folder_and_one_that_empties_says_so() -> None:
    after = edited(
        gone={"sessions/2026-06-01.md": "", "sessions/2026-06-02.md": ""},
        counts={"sessions": Counts(0, 0, 0), "summaries": Counts(1, 1, 9)},
    )
    assert "| `summaries/` | `summaries/` | Compacted | Selective |" in after
    assert "| `sessions/` | *(empty)* | Working notes | Never |" in after


def test_a_new_category_gets_a_row_or_a_table() -> None:
    after = edited(new_categories={"ideas": "Thoughts | more"})
    assert (
        "| `archive/` | *(empty)* | Historical | Rarely |\n| `ideas/` | `ideas/` | Thoughts \\| more | — |\n" in after
    )
    assert list(categories({"index.md": after.encode()})) == ["decisions", "sessions", "summaries", "archive", "ideas"]
    bare = edited("# Map\n", new_categories={"ideas": "Thoughts"})
    table = "| Category | Path | Purpose |\n|---|---|---|\n| `ideas/` | `ideas/` | Thoughts |\n"
    assert bare == f"# Map\n\n## Categories\n\n{table}"


def test_without_a_table_of_files_one_is_made() -> None:
    after = edited("# Map\n", added=[SUMMARY])
    assert after == (
        "# Map\n\n## Active Files\n\n| File | Category | ID | Last updated |\n|---|---|---|---|\n"
        "| `summaries/sessions.summary.md` | summaries | SESSIONS-SUMMARY | 2026-06-30 |\n"
    )


def test_a_table_of_other_files_is_no_registry() -> None:
    assert "artefacts/prd.md" not in {path for row in registered({"index.md": INDEX.encode()}) for path in row.paths}
    fenced = "```\n| File | ID |\n|---|---|\n| `a/b.md` | X |\n```\n"
    assert list(registered({"index.md": fenced.encode()})) == []


def test_a_new_row_goes_to_the_registry_that_has_its_category() -> None:
    pages = {
        "index.md": INDEX.encode(),
        "index-ops.md": b"| File | Category | ID |\n|---|---|---|\n| `ops/a.md` | ops | A |\n",
    }
    after = updated(pages, IndexChange(day=DAY, added=[new("ops/b.md", "ops", "B"), SUMMARY]))
    assert after["index-ops.md"].endswith(b"| `ops/b.md` | ops | B |\n")
    assert b"summaries/sessions.summary.md" in after["index.md"]


@pytest.mark.parametrize(
    "text", [INDEX.replace("\n", "\r\n"), INDEX.rstrip("\n"), INDEX.rstrip("\n").replace("\n", "\r\n")]
)
def test_line_ends_stay_what_they_are(text: str) -> None:
    after = edited(text, added=[SUMMARY], gone={"sessions/2026-06-01.md": ""})
    assert after.count("\r\n") == (after.count("\n") if "\r\n" in text else 0)
    assert after.endswith(text[-9:])


def test_a_row_is_added_behind_a_last_line_without_an_end() -> None:
    page = "| File | Category | ID |\n|---|---|---|\n| `a/b.md` | a | X |"
    assert edited(page, added=[new("a/c.md", "a", "Y")]) == page + "\n| `a/c.md` | a | Y |"


@pytest.mark.parametrize(
    "text",
    [
        "C:\\new\\table",
        "\\1 \\g<0>",
        "C:\\",
        "$1,699 a$'b $&",
        "a | b",
        "a \\| b",
        "a \\\\| b\\",
        "`x|y`",
        "[[MEM-alpha|Alpha]]",
        "日志 🙂",
    ],
)
def test_o_md_08_and_o_lk_02_any_text_goes_into_a_cell_and_comes_back(text: str) -> None:
    assert unescaped(escaped(text)) == text
    page = "| File | Category | ID | Title |\n|---|---|---|---|\n| `a/b.md` | a | X | y |\n"
    after = edited(page, added=[new("a/c.md", "a", "Y", title=text)])
    found = read_page(after.encode())
    assert [found.text(row, 3) for row in found.tables[0].rows] == ["y", text]
    purposes = categories({"index.md": edited(new_categories={"ideas": text}).encode()})
    assert purposes["ideas"] == text


def test_o_lk_02_a_wiki_link_with_an_alias_in_a_cell_names_its_file() -> None:
    page = "| File | Category | ID |\n|---|---|---|\n| [[patterns/errors.md\\|Errors]] | patterns | P |\n"
    (row,) = registered({"index.md": page.encode()})
    assert row.paths == ("patterns/errors.md",)
    assert edited(page, added=[new("patterns/other.md", "patterns")]).startswith(page)


@pytest.mark.parametrize(
    ("cell", "paths"),
    [
        ("`a/b.md`", ("a/b.md",)),
        ("a/b.md", ("a/b.md",)),
        ("[B](a/b.md#part)", ("a/b.md",)),
        ("[[a/b.md#part|B]]", ("a/b.md",)),
        ("`contexts/memory/a/b.md`", ("a/b.md",)),
        ("`./a/b.md`, `a/c.md`", ("a/b.md", "a/c.md")),
        ("*(empty)*", ()),
        ("PRD", ()),
        ("—", ()),
    ],
)
def test_a_cell_names_its_files_in_any_form(cell: str, paths: tuple[str, ...]) -> None:
    assert paths_in(cell) == paths


def test_o_va_02_missing_and_dead_rows_are_told() -> None:
    pages = {"index.md": INDEX.encode()}
    files = {
        "decisions/_log.md": "DECISIONS-LOG",
        "decisions/DEC-7.md": "DEC-7",
        "sessions/2026-06-01.md": "",
        "patterns/conventions.md": "PATTERNS-001",
        "ops/platform.md": "OPS-001",
    }
    found = [(fault.code, fault.path, fault.message.partition(",")[0]) for fault in faults(pages, files, [])]
    assert found == [
        ("unregistered", "ops/platform.md", "has no row in the index; `memtend category sync` adds one"),
        ("dead-row", "index.md", "a row names sessions/2026-06-02.md"),
    ]


def test_a_row_with_an_id_alone_is_dead_where_no_entry_has_that_id() -> None:
    pages = {"index.md": b"| ID | Title |\n|---|---|\n| DEC-1 | a |\n| DEC-2 | b |\n"}
    found = [fault.message for fault in faults(pages, {"decisions/DEC-1.md": "DEC-1"}, ["DEC-3"])]
    assert found == ["a row names DEC-2, which is not there"]


def test_a_frontmatter_that_cannot_be_edited_is_left_alone() -> None:
    broken = "---\nupdated_at: [1\n---\n" + INDEX.partition("---\n\n")[2]
    after = edited(broken, added=[SUMMARY])
    assert after.startswith("---\nupdated_at: [1\n---\n")
    assert "SESSIONS-SUMMARY" in after
