"""Around compaction: list, search, check, sync, add, refresh, split, forget, and finding the memory."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_memory import FILES, INDEX, LOG, NOW, changed, lay, opened, small, tree_of

from memtend.errors import (
    NeedsConfirmation,
    NotFound,
    OutsideStore,
    Refused,
    SecretFound,
    StaleDecision,
    UnknownMemory,
    UnusableInput,
    Usage,
)
from memtend.layouts.category.registry import categories
from memtend.review import Action, Decision
from memtend.workspace.category.categories import CategoryWorkspace, accept_all
from memtend.workspace.category.folder import find_root


def codes(workspace: CategoryWorkspace) -> list[str]:
    return [problem.code for problem in workspace.check()]


# --- where the memory is ---------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["contexts/memory", ".gaai/contexts/memory", ".gaai/project/contexts/memory"])
def test_the_memory_is_found_upwards_in_its_usual_places(tmp_path: Path, place: str) -> None:
    lay(tmp_path / place, {"index.md": INDEX})
    deep = tmp_path / "src/deep"
    deep.mkdir(parents=True)
    assert find_root(None, deep) == tmp_path / place
    assert find_root(None, tmp_path / place) == tmp_path / place
    assert find_root(str(tmp_path), deep) == tmp_path / place
    assert find_root("../..", deep) == deep / "../.." / place


def test_an_index_of_another_kind_is_no_memory(tmp_path: Path) -> None:
    lay(tmp_path / "contexts/memory", {"index.md": "---\ntype: other\n---\n"})
    with pytest.raises(NotFound):
        find_root(None, tmp_path)
    assert find_root("contexts/memory", tmp_path) == tmp_path / "contexts/memory"
    with pytest.raises(NotFound):
        find_root("nothing", tmp_path)


def test_a_folder_that_is_gone_is_an_error_and_never_an_empty_memory(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        opened(tmp_path / "gone").list()


def test_a_new_memory_is_laid_down_once_and_is_as_it_should_be(tmp_path: Path) -> None:
    workspace, receipt = CategoryWorkspace.create(tmp_path / "contexts/memory", clock=lambda: NOW)
    assert "index.md" in receipt.paths
    assert workspace.check() == ()
    assert workspace.list().categories == ()
    before = tree_of(workspace.root)
    CategoryWorkspace.create(tmp_path / "contexts/memory", clock=lambda: NOW)
    assert tree_of(workspace.root) == before
    assert CategoryWorkspace.open(None, tmp_path).root == workspace.root


# --- list and search -------------------------------------------------------------------------------------


def test_the_list_says_what_there_is_and_what_could_be_compacted(tmp_path: Path) -> None:
    found = {each.category: each for each in small(tmp_path).list().categories}
    assert list(found) == ["decisions", "patterns", "sessions"]
    decisions = found["decisions"]
    assert (decisions.durability, decisions.files, decisions.entries) == ("durable", 2, 5)
    assert (decisions.compactable_files, decisions.compactable_entries) == (2, 2)
    assert (found["sessions"].oldest, found["sessions"].newest) == ("2026-06-01", "2026-06-02")
    assert found["sessions"].durability == "ephemeral"
    assert found["sessions"].compactable_tokens > 0


def test_the_list_of_a_category_has_its_files_and_the_archives_are_named(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    answer = workspace.list("decisions")
    assert [(file["path"], file["entries"], file["marked"]) for file in answer.files] == [
        ("decisions/DEC-7.md", 1, 1),
        ("decisions/_log.md", 4, 1),
    ]
    assert [(held.path, held.entries) for held in answer.archives] == [("archive/sessions-2026-06-30.archive.md", 2)]


def addresses(workspace: CategoryWorkspace, query: str = "", **how: object) -> list[str]:
    return [hit.address for hit in workspace.search(query, **how).hits]  # type: ignore[arg-type]


def test_entries_are_found_by_their_text(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    assert set(addresses(workspace, "port of mail")[:2]) == {"sessions/2026-06-01.md", "sessions/2026-06-02.md"}
    assert addresses(workspace, "queue for each kind of mail")[0] == "decisions/_log.md#dec-3"
    assert addresses(workspace, "DEC-4")[0] == "decisions/_log.md#dec-4"
    assert addresses(workspace, "nowhere-to-be-found") == []


def test_entries_are_found_by_their_metadata(tmp_path: Path) -> None:
    tagged = "---\ntags: [storage, Mail]\nupdated_at: 2026-06-20\n---\n# Ops\n\n## Disks\n\na\n"
    workspace = opened(lay(tmp_path, {**FILES, "ops/disks.md": tagged}))
    assert addresses(workspace, tags=("mail",)) == ["ops/disks.md#disks"]
    assert addresses(workspace, category="sessions") == ["sessions/2026-06-02.md", "sessions/2026-06-01.md"]
    (tmp_path / "patterns/conventions.md").unlink()  # it has no date of its own
    assert addresses(workspace, since="2026-06-02") == ["ops/disks.md#disks", "sessions/2026-06-02.md"]
    assert addresses(workspace, "mail", category="decisions", limit=1)[0].startswith("decisions/")
    with pytest.raises(Usage):
        workspace.search()


def test_an_entry_that_is_marked_is_found_and_told_as_not_in_force(tmp_path: Path) -> None:
    found = {hit.address: hit.is_active for hit in small(tmp_path).search("queue").hits}
    assert found["decisions/_log.md#dec-3"] is False
    assert found["decisions/_log.md#dec-4"] is True


def test_archived_entries_are_found_on_request(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("decisions", accepted=True)
    assert "decisions/_log.md#dec-3" not in addresses(workspace, "own queue")
    hits = [hit for hit in workspace.search("own queue", archived=True).hits if hit.archive]
    assert [(hit.address, hit.archive) for hit in hits] == [
        ("decisions/_log.md#dec-3", "archive/decisions-2026-06-30.archive.md")
    ]


def test_the_neighbours_of_an_id_are_what_it_names_and_what_names_it(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    found = {hit.address: hit.reasons for hit in workspace.search(neighbours="DEC-4").hits}
    assert found["decisions/_log.md#dec-3"] == ("superseded by DEC-4",)
    assert found["decisions/DEC-7.md"] == ("superseded by DEC-4",)
    back = {hit.address: hit.reasons for hit in workspace.search(neighbours="DEC-3").hits}
    assert back["decisions/_log.md#dec-4"][0] == "supersedes DEC-3"
    with pytest.raises(UnknownMemory):
        workspace.search(neighbours="DEC-44")


def test_ten_hits_are_given_unless_more_are_asked_for(tmp_path: Path) -> None:
    files = {f"sessions/s{n:02}.md": f"# S{n}\n\nThe kettle number {n} boils.\n" for n in range(14)}
    workspace = opened(lay(tmp_path, {"index.md": INDEX, **files}))
    assert len(addresses(workspace, "kettle")) == 10
    assert len(addresses(workspace, "kettle", limit=14)) == 14


# --- check and sync --------------------------------------------------------------------------------------


def test_a_healthy_memory_has_no_findings(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {**FILES, "decisions/_log.md": LOG.replace("RETRACTED: a", "A")}))
    assert workspace.check() == ()


@pytest.mark.parametrize(
    ("path", "text", "code"),
    [
        ("ops/new.md", "# N\n\n## A\n\na\n", "unregistered"),
        ("sessions/2026-06-01.md", None, "dead-row"),
        (
            "decisions/DEC-7.md",
            "---\nstatus: superseded\nsuperseded_by: DEC-99\n---\n# DEC-7\n\na\n",
            "successor-missing",
        ),
        ("decisions/DEC-7.md", "---\ntitle: [a\n---\n# DEC-7\n\na\n", "frontmatter"),
        ("patterns/conventions.md", "# P\n\n## A\n\n[x](../nothing.md)\n", "dead-link"),
        ("patterns/conventions.md", "# P\n\n## A\n\n[[decisions/DEC-99|that]]\n", "dead-link"),
        ("patterns/conventions.md", "# P\n\n" + "## A\n\na\n" * 140, "too-long"),
        ("archive/hand-made.md", "x\n", "strange-archive"),
        ("archive/x-2026-01-01.archive.md", "broken\n", "damaged-archive"),
        ("ideas/x.md", "# X\n\na\n", "unknown-category"),
        ("index.md", None, "no-index"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, path: str, text: str | None, code: str) -> None:
    workspace = small(tmp_path)
    assert code not in codes(workspace)
    if text is None:
        (tmp_path / path).unlink()
    else:
        lay(tmp_path, {path: text})
    assert code in codes(workspace)


def test_links_to_files_that_are_there_or_elsewhere_are_no_findings(tmp_path: Path) -> None:
    text = "# P\n\n## A\n\n[a](../decisions/_log.md#dec-1) [b](https://x.org/a.md) [c](../../outside.md) [d](/abs.md)\n"
    text += "[[decisions/DEC-7|that]] [[DEC-7]] [[Anywhere]] `[[a/b]]` [e](decisions/_log.md)\n"
    workspace = opened(lay(tmp_path, {**FILES, "patterns/conventions.md": text}))
    assert "dead-link" not in codes(workspace)


def test_o_va_02_sync_adds_what_is_missing_and_names_dead_rows_without_deleting_them(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {**FILES, "ops/new.md": "# New\n\n## A\n\na\n"}))
    (tmp_path / "sessions/2026-06-01.md").unlink()
    before = (tmp_path / "index.md").read_text()
    done = workspace.sync()
    after = (tmp_path / "index.md").read_text()
    assert [row["path"] for row in done.done] == ["ops/new.md"]
    assert done.left == ("index.md:27: a row names sessions/2026-06-01.md, which is not there",)
    assert set(before.splitlines()) - set(after.splitlines()) == {"updated_at: 2026-02-22"}
    assert workspace.sync().receipt == ""
    assert workspace.sync().left == done.left
    workspace.undo()
    assert (tmp_path / "index.md").read_text() == before


def test_sync_shows_what_it_would_do(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {**FILES, "ops/new.md": "# New\n\n## A\n\na\n"}))
    before = tree_of(tmp_path)
    assert workspace.sync(dry_run=True).to_json()["status"] == "planned"
    assert tree_of(tmp_path) == before


def test_sync_makes_an_index_where_there_is_none(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"patterns/p.md": "# P\n\n## A\n\na\n"}))
    workspace.sync()
    assert workspace.check() == ()
    assert find_root(str(tmp_path)) == tmp_path


def test_an_index_that_needs_no_change_is_the_same_bytes_after_every_action(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    index = (tmp_path / "index.md").read_bytes()
    workspace.list()
    workspace.search("mail")
    workspace.check()
    workspace.sync()
    workspace.refresh(accepted=False) if workspace.plan_refresh().is_empty else None
    workspace.plan_compact()
    workspace.split(accepted=True)
    workspace.compact("sessions", accepted=True)
    workspace.undo()
    workspace.add("ideas", "Later", "A thought.")
    workspace.undo()
    assert (tmp_path / "index.md").read_bytes() == index


# --- add -------------------------------------------------------------------------------------------------


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


# --- refresh ---------------------------------------------------------------------------------------------


def test_refresh_takes_sessions_that_are_certainly_older_than_48_hours(tmp_path: Path) -> None:
    files = {
        "index.md": INDEX,
        "sessions/2026-06-26.md": "# A\n\na b c\n",
        "sessions/2026-06-28.md": "# B\n\na b c\n",
        "sessions/timed.md": "---\nupdated_at: 2026-06-28T09:00:00Z\n---\n# C\n\na b c\n",
        "sessions/late.md": "---\nupdated_at: 2026-06-28T11:00:00Z\n---\n# D\n\na b c\n",
        "sessions/unknown.md": "---\nupdated_at: YYYY-MM-DD\n---\n# E\n\na b c\n",
        "decisions/DEC-1.md": "# DEC-1\n\n> RETRACTED\n\na\n",
    }
    workspace = opened(lay(tmp_path, files))
    (proposal,) = workspace.plan_refresh().proposals
    assert proposal.payload["report"]["entries"] == ["sessions/2026-06-26.md", "sessions/timed.md"]
    workspace.refresh(accepted=True)
    assert workspace.plan_refresh().is_empty
    assert (tmp_path / "sessions/2026-06-28.md").exists()
    later = opened(tmp_path, datetime(2026, 7, 9, tzinfo=UTC))
    assert len(later.plan_refresh().proposals[0].payload["report"]["entries"]) == 2


# --- split -----------------------------------------------------------------------------------------------


def long_log(count: int = 60, *, domain: bool = False) -> str:
    parts = ["# Decision Log\n\n---\n\n"]
    for n in range(count, 0, -1):
        month = 1 + (n - 1) * 5 // count
        said = f"Domain: {'auth' if n % 3 else 'mail'}\n\n" if domain else ""
        lines = "\n".join(f"Line {i} of {n}." for i in range(6))
        parts.append(f"### DEC-{n} — Title {n}\n\n{said}{lines}\n\n**Date:** 2026-{month:02}-11\n\n---\n\n")
    return "".join(parts) + "<!-- newest first -->\n"


def test_a_file_that_is_too_long_is_split_by_month_and_no_text_changes(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "decisions/_log.md": long_log()}))
    before = tree_of(tmp_path)
    entries = Counter(entry.sha256 for entry in workspace.folder().entries)
    done = workspace.split(accepted=True)
    (report,) = done.done
    assert [part["path"] for part in report["parts"]] == [
        "decisions/log-2026-01.md",
        "decisions/log-2026-02.md",
        "decisions/log-2026-03.md",
    ]
    folder = workspace.folder()
    assert Counter(entry.sha256 for entry in folder.entries) == entries
    assert all(document.line_count <= 400 for document in folder.documents.values())
    assert (tmp_path / "decisions/_log.md").read_text().endswith("<!-- newest first -->\n")
    assert (
        "| `decisions/log-2026-01.md` | decisions | LOG-2026-01 | 2026-06-30 | — |"
        in (tmp_path / "index.md").read_text()
    )
    assert not [path for path in changed(before, tree_of(tmp_path)) if path.startswith("archive/")]
    assert workspace.split(accepted=True).receipt == ""
    workspace.undo()
    assert tree_of(tmp_path) == before


def test_entries_that_name_their_domain_are_split_by_it(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "decisions/_log.md": long_log(domain=True)}))
    (report,) = workspace.split(accepted=True).done
    assert [(part["path"], part["entries"]) for part in report["parts"]] == [
        ("decisions/log-auth.md", 25),
        ("decisions/log-auth-2.md", 15),
    ]
    assert all(document.line_count <= 400 for document in workspace.folder().documents.values())


def test_sections_move_with_all_that_lies_below_them(tmp_path: Path) -> None:
    text = "# Patterns\n\nIntro.\n\n" + "".join(
        f"## Part {n}\n\n### One {n}\n\n" + "a\n" * 60 + f"\n### Two {n}\n\n" + "b\n" * 60 + "\n" for n in range(4)
    )
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "patterns/conventions.md": text}))
    entries = Counter(entry.sha256 for entry in workspace.folder().entries)
    (report,) = workspace.split(accepted=True).done
    assert [part["path"] for part in report["parts"]] == ["patterns/conventions-part-3.md"]
    made = (tmp_path / "patterns/conventions-part-3.md").read_text()
    assert made.partition("---\n\n")[2].startswith("# Part 3\n\n## Part 3\n\n### One 3\n\na\n")
    assert Counter(entry.sha256 for entry in workspace.folder().entries) == entries


def test_a_file_of_one_section_cannot_be_split_and_is_named(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "patterns/p.md": "# P\n\n## A\n\n" + "a\n" * 500}))
    plan = workspace.plan_split()
    assert plan.is_empty
    assert plan.skipped == ({"path": "patterns/p.md", "lines": 504, "reason": "it is a single section"},)


def test_a_file_that_is_marked_as_a_whole_is_not_split_since_its_parts_would_lose_the_mark(tmp_path: Path) -> None:
    parts = "".join(f"## Part {number}\n\n" + "a\n" * 100 for number in range(5))
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "patterns/p.md": f"# P\n\n> RETRACTED\n\n{parts}"}))
    plan = workspace.plan_split()
    assert plan.is_empty
    assert "marked as a whole" in plan.skipped[0]["reason"]


def test_sessions_are_never_split(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "sessions/s.md": "## A\n\na\n\n" * 200}))
    assert workspace.plan_split() == workspace.plan_split()
    assert workspace.plan_split().skipped == ()


def test_a_split_decided_on_another_file_is_refused(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "decisions/_log.md": long_log()}))
    plan = workspace.plan_split("decisions/_log.md")
    (tmp_path / "decisions/_log.md").write_text(long_log(61))
    with pytest.raises(StaleDecision):
        workspace.apply(plan, accept_all(plan))
    with pytest.raises(NotFound):
        workspace.plan_split("decisions/other.md")


# --- forget ----------------------------------------------------------------------------------------------

ADA = "Ada Example lives in Sample Street 5."


def with_ada(root: Path) -> CategoryWorkspace:
    files = {
        **FILES,
        "contacts/leads.md": f"# Leads\n\n## Ada Example\n\n{ADA}\n\n## Bob\n\nBob stays.\n",
        "sessions/2026-06-03.md": f"# Call\n\nWe must call her: {ADA}\n\nThe kettle was hot.\n",
        "sessions/2026-06-04.md": "# Other\n\nBob must be asked first.\n",
    }
    workspace = opened(lay(root, files))
    workspace.sync()
    workspace.compact("sessions", accepted=True)
    return workspace


def places_with(root: Path, text: str) -> list[str]:
    """Every file, memtend's own too, that holds a text; images of the journal are unpacked."""
    import zlib

    found = []
    for file in root.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            if ".memtend/journal/objects" in file.as_posix():
                data = zlib.decompress(data)
            if text.encode() in data:
                found.append(file.relative_to(root).as_posix())
    return sorted(found)


def test_what_a_person_asks_to_be_forgotten_is_in_no_file_archive_summary_or_journal(tmp_path: Path) -> None:
    workspace = with_ada(tmp_path)
    workspace.search("Sample Street")
    assert len(places_with(tmp_path, ADA)) > 3
    plan = workspace.plan_forget(text="Ada Example")
    assert [proposal.payload["report"]["where"] for proposal in plan.proposals] == ["active", "archived", "summary"]
    workspace.apply(plan, accept_all(plan))
    assert places_with(tmp_path, ADA) == []
    assert places_with(tmp_path, "Ada Example") == []
    assert (tmp_path / "contacts/leads.md").read_text() == "# Leads\n\n## Bob\n\nBob stays.\n"
    assert "Bob must be asked first." in (tmp_path / "summaries/sessions.summary.md").read_text()


def test_a_record_without_content_stays_and_the_rest_of_the_archive_can_be_restored(tmp_path: Path) -> None:
    workspace = with_ada(tmp_path)
    workspace.forget("sessions/2026-06-03.md", accepted=True)
    data = (tmp_path / "archive/sessions-2026-06-30.archive.md").read_bytes()
    assert b'<!-- memtend:entry {"forgotten_at": "2026-06-30", "bytes": 0} -->\n\n<!-- memtend:end -->' in data
    assert workspace.list().archives[0].forgotten == 1
    assert ADA not in (tmp_path / "summaries/sessions.summary.md").read_text()
    workspace.restore("sessions-2026-06-30")
    assert (tmp_path / "sessions/2026-06-04.md").read_text() == "# Other\n\nBob must be asked first.\n"
    assert not (tmp_path / "sessions/2026-06-03.md").exists()
    assert "damaged-archive" not in codes(workspace)


def test_an_entry_is_forgotten_by_address_id_or_the_start_of_its_hash(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    by_hash = {entry.address: entry.sha256 for entry in workspace.folder().entries}
    for target in ("DEC-1", "decisions/_log.md#dec-1", by_hash["decisions/_log.md#dec-1"][:12]):
        (proposal,) = workspace.plan_forget(target).proposals
        assert proposal.payload["report"]["address"] == "decisions/_log.md#dec-1"
    assert len(workspace.plan_forget("DEC-4").proposals) == 1
    with pytest.raises(UnknownMemory):
        workspace.plan_forget("DEC-44")
    with pytest.raises(UnusableInput):
        workspace.plan_forget()


def test_only_what_was_accepted_is_forgotten_and_a_yes_is_needed(tmp_path: Path) -> None:
    workspace = with_ada(tmp_path)
    with pytest.raises(NeedsConfirmation):
        workspace.forget(text="Ada Example")
    plan = workspace.plan_forget(text="Ada Example")
    workspace.apply(plan, [Decision(plan.proposals[0].id, Action.ACCEPT)])
    assert ADA not in (tmp_path / "contacts/leads.md").read_text()
    assert ADA in (tmp_path / "archive/sessions-2026-06-30.archive.md").read_text()


def test_what_was_forgotten_cannot_be_brought_back(tmp_path: Path) -> None:
    workspace = with_ada(tmp_path)
    done = workspace.forget(text="Ada Example", accepted=True)
    assert done.warnings == ("what git has committed stays in its history; rewrite that yourself where it must go",)
    with pytest.raises(Refused, match="erased from the journal on request"):
        workspace.undo()


def test_a_note_of_a_bullet_that_quotes_what_was_forgotten_goes_too(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    assert "disagrees with sessions/2026-06-01.md" in (tmp_path / "summaries/sessions.summary.md").read_text()
    workspace.forget("sessions/2026-06-01.md", accepted=True)
    text = (tmp_path / "summaries/sessions.summary.md").read_text()
    assert "- The port of mail is 26. (sessions/2026-06-02.md)\n" in text
    assert "2026-06-01" not in text


# --- git -------------------------------------------------------------------------------------------------


def test_a_change_is_committed_alone_where_that_is_asked_for(tmp_path: Path) -> None:
    import os
    import subprocess

    lay(tmp_path / "memory")
    (tmp_path / "other.txt").write_text("not ours\n")
    names = {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def git(*words: str) -> str:
        environment = os.environ | names | {"GIT_CONFIG_GLOBAL": os.devnull}
        command = ["git", "-C", str(tmp_path), *words]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    git("init", "-q")
    git("config", "user.name", "a")
    git("config", "user.email", "a@example.org")
    git("add", "memory")
    git("commit", "-qm", "first")
    opened(tmp_path / "memory", commit=True).compact("sessions", accepted=True)
    assert sorted(git("show", "--name-status", "--format=", "--no-renames", "HEAD").splitlines()) == [
        "A\tmemory/archive/sessions-2026-06-30.archive.md",
        "A\tmemory/summaries/sessions.summary.md",
        "D\tmemory/sessions/2026-06-01.md",
        "D\tmemory/sessions/2026-06-02.md",
        "M\tmemory/index.md",
    ]
    assert git("status", "--porcelain").splitlines() == ["?? other.txt"]
