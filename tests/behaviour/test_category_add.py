"""Adding an entry: its id, its place, its row, and what is there already."""

from pathlib import Path

import pytest
from small_memory import FILES, INDEX, LOG, codes, lay, opened, small, tree_of

from memtend.errors import OutsideStore, Refused, SecretFound, UnusableInput
from memtend.layouts.category.registry import categories


def test_a_decision_gets_the_next_id_a_file_of_its_own_and_a_row(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    done = workspace.add(
        "decisions", "SQLite for the index", "Use SQLite.\n\n## Why\n\nIt is there.", tags=("storage",)
    )
    assert done.done[0]["address"] == "decisions/DEC-8.md"
    assert (tmp_path / "decisions/DEC-8.md").read_text() == (
        "---\ntype: memory\ncategory: decisions\nid: DEC-8\ntags: [storage]\ncreated_at: 2026-06-30\n"
        "updated_at: 2026-06-30\n---\n\n# DEC-8 — SQLite for the index\n\nUse SQLite.\n\n## Why\n\nIt is there.\n"
    )
    assert "| `decisions/DEC-8.md` | decisions | DEC-8 | 2026-06-30 | — |" in (tmp_path / "index.md").read_text()
    assert set(codes(workspace)) == {"loose-marker"}
    workspace.undo()
    assert tree_of(tmp_path) == before


@pytest.mark.parametrize(
    ("ids", "following"),
    [
        (("DEC-9", "DEC-13"), "DEC-14"),
        (("DEC-009",), "DEC-010"),
        (("DEC-2026-02-20-41", "DEC-2026-02-22-69"), "DEC-2026-06-30-70"),
        (("DEC-60 (REVISED)",), "DEC-61"),
        ((), "DEC-1"),
    ],
)
def test_the_next_id_follows_the_manner_of_those_that_are_there(
    tmp_path: Path, ids: tuple[str, ...], following: str
) -> None:
    log = "# Log\n\n" + "".join(f"### {id} — x{n}\n\nAbout {n}.\n\n" for n, id in enumerate(ids))
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "decisions/_log.md": log}))
    assert workspace.add("decisions", "T", "Something quite different.", dry_run=True).done[0]["id"] == following


def test_an_id_that_is_only_in_an_archive_is_not_given_out_again(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("decisions", move=True, accepted=True)
    assert workspace.add("decisions", "T", "Something else.", dry_run=True).done[0]["id"] == "DEC-8"


def test_a_log_that_counts_ids_and_points_to_files_is_kept_up_to_date(tmp_path: Path) -> None:
    pointers = "".join(f"### DEC-{n} — T\nFile: `decisions/DEC-{n}.md`\n\n" for n in (2, 1))
    log = f"# Log\n\nNext available ID: 3\n\n---\n\n{pointers}"
    files = {f"decisions/DEC-{n}.md": f"---\nid: DEC-{n}\n---\n# DEC-{n} — T{n}\n\nAbout {n}.\n" for n in (1, 2)}
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "decisions/_log.md": log, **files}))
    workspace.add("decisions", "Three", "Something else.")
    after = (tmp_path / "decisions/_log.md").read_text()
    assert after == log.replace("ID: 3", "ID: 4").replace(
        "### DEC-2", "### DEC-3 — Three\nFile: `decisions/DEC-3.md`\nDate: 2026-06-30\n\n### DEC-2"
    )


def test_an_entry_goes_into_a_log_where_the_newest_stand(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    done = workspace.add("decisions", "Words", "Codes are words.", to="decisions/_log.md")
    assert done.done[0]["address"] == "decisions/_log.md#dec-8"
    assert (tmp_path / "decisions/_log.md").read_text() == LOG.replace(
        "### DEC-4", "### DEC-8 — Words\n\nCodes are words.\n\n**Date:** 2026-06-30\n\n---\n\n### DEC-4"
    )


def test_an_entry_goes_to_the_end_of_a_file_of_sections(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    done = workspace.add("patterns", "Names", "# Short\n\nSay what it is.", to="patterns/conventions.md")
    assert done.done[0]["address"] == "patterns/conventions.md#names"
    text = (tmp_path / "patterns/conventions.md").read_text()
    assert text == FILES["patterns/conventions.md"] + "\n## Names\n\n#### Short\n\nSay what it is.\n"


@pytest.mark.parametrize("text", ["C:\\new\\table", "\\1 \\g<0>", "$1,699 a$'b $&", "日志 🙂", "a | b"])
def test_o_md_08_any_text_is_added_as_it_is(tmp_path: Path, text: str) -> None:
    workspace = small(tmp_path)
    workspace.add("ideas", text, f"About: {text}", purpose=text)
    workspace.add("patterns", f"T {text}", f"More: {text}", to="patterns/conventions.md")
    folder = workspace.folder()
    (entry,) = [one for one in folder.entries if one.category == "ideas"]
    assert entry.title == text
    assert folder.document(entry.path).text(entry.span).endswith(f"About: {text}")
    assert categories(folder.pages)["ideas"] == text
    assert f"## T {text}\n\nMore: {text}\n" in (tmp_path / "patterns/conventions.md").read_text()


def test_a_new_category_is_registered_with_its_first_file(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    done = workspace.add("ideas", "Later", "A thought.", purpose="Thoughts that can wait")
    assert done.done[0]["new_category"] is True
    assert "| `ideas/` | `ideas/` | Thoughts that can wait | — |" in (tmp_path / "index.md").read_text()
    assert "unknown-category" not in codes(workspace)
    assert workspace.add("ideas", "Sooner", "Another one.").done[0]["new_category"] is False


def test_what_is_there_is_read_first(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    done = workspace.add("decisions", "A queue", "All mail goes through two queues.", dry_run=True)
    (alike,) = [one for one in done.done[0]["alike"] if one["address"] == "decisions/_log.md#dec-4"]
    assert alike["similarity"] > 0.3
    with pytest.raises(Refused, match=r"patterns/conventions\.md#errors says that already"):
        workspace.add("patterns", "Errors", "One line, one hint.")
    assert workspace.add("patterns", "Errors", "One line, one hint.", force=True).receipt


def test_what_contradicts_an_entry_that_is_there_is_told(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "ops/a.md": "# A\n\n## Logs\n\nLogs are kept for 30 days.\n"}))
    done = workspace.add("ops", "Logs", "Logs are kept for 90 days.")
    assert done.done[0]["alike"][0]["conflict"] == "number: 90 days / 30 days"


def test_what_cannot_be_added_is_refused(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    with pytest.raises(UnusableInput):
        workspace.add("ideas", " ", "Text")
    with pytest.raises(UnusableInput):
        workspace.add("ideas", "Title", " \n")
    with pytest.raises(OutsideStore):
        workspace.add("summaries", "Title", "Text")
    with pytest.raises(OutsideStore):
        workspace.add("ideas", "Title", "Text", to="patterns/x.md")
    with pytest.raises(Refused, match="is one entry and there already"):
        workspace.add("sessions", "Title", "Text", to="sessions/2026-06-01.md")
    with pytest.raises(SecretFound):
        workspace.add("ideas", "Title", "token ghp_" + "a1B2" * 9)
    assert tree_of(tmp_path) == before


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    first = workspace.add("ideas", "日志", "One.")
    second = workspace.add("ideas", "日志", "Quite another thing.")
    assert first.done[0]["address"] != second.done[0]["address"]
    assert str(first.done[0]["address"]).isascii()
