"""Compaction of a category memory: what is archived, what stays, and in which order."""

import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from own_git import git, needs_git, own_git
from small_memory import FILES, INDEX, LOG, NOW, changed, lay, opened, small, tree_of, wrong

from memtend.errors import Refused
from memtend.layouts.category import archive
from memtend.workspace.category.categories import CategoryWorkspace
from memtend.workspace.category.folder import times_of

SAMPLES = Path(__file__).parents[2].parent / "shared/samples/category"


def sample(tmp_path: Path, name: str) -> Path:
    if not (SAMPLES / name).is_dir():
        pytest.skip(f"the sample {name} is not here")
    root = tmp_path / "memory"
    shutil.copytree(SAMPLES / name, root)
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return root


# --- a real memory ---------------------------------------------------------------------------------------


def test_of_a_real_log_of_seventy_entries_exactly_the_two_marked_ones_are_archived(tmp_path: Path) -> None:
    root = sample(tmp_path, "before-1")
    workspace = opened(root)
    before, log = tree_of(root), (root / "decisions/_log.md").read_bytes()
    assert len(workspace.folder().document("decisions/_log.md").entries) == 70
    done = workspace.compact(accepted=True)
    (report,) = done.done
    assert report["entries"] == ["decisions/_log.md#dec-2026-02-19-10", "decisions/_log.md#dec-2026-02-20-34"]
    after = tree_of(root)
    assert changed(before, after) == {
        "decisions/_log.md",
        "index.md",
        "summaries/decisions.summary.md",
        "archive/decisions-2026-06-30.archive.md",
    }
    held = archive.parse("a", after["archive/decisions-2026-06-30.archive.md"])
    assert [item.marker[:44] for item in held.items] == [
        "⚠️ **SUPERSEDED by DEC-2026-02-20-41** — Cal",
        "⚠️ **SUPERSEDED by DEC-2026-02-20-41** — E06",
    ]
    for item in held.items:
        assert item.data in log
        log = log.replace(item.data + item.tail, b"")
    assert after["decisions/_log.md"] == log
    assert workspace.plan_compact().is_empty
    assert {problem.code for problem in workspace.check()} == {"too-long"}


def test_a_real_memory_is_restored_byte_for_byte_by_its_archive_and_by_undo(tmp_path: Path) -> None:
    root = sample(tmp_path, "before-1")
    before = tree_of(root)
    workspace = opened(root)
    done = workspace.compact(accepted=True)
    compacted = tree_of(root)
    assert workspace.restore("decisions-2026-06-30").done[0]["exact"] is True
    assert tree_of(root) == before
    workspace.undo()
    assert tree_of(root) == compacted
    workspace.undo(done.receipt)
    assert tree_of(root) == before


def test_heading_markers_archive_no_more_of_it_since_no_heading_there_says_retracted(tmp_path: Path) -> None:
    workspace = opened(sample(tmp_path, "before-1"))
    (proposal,) = workspace.plan_compact(heading_markers=True).proposals
    assert len(proposal.payload["report"]["entries"]) == 2


@pytest.mark.parametrize("name", ["one-file-per-decision/memory", "template"])
def test_real_memories_without_a_marker_are_left_as_they_are_by_every_action(tmp_path: Path, name: str) -> None:
    root = sample(tmp_path, name)
    before = tree_of(root)
    workspace = opened(root)
    assert workspace.compact(accepted=True).receipt == ""
    assert workspace.refresh(accepted=True).receipt == ""
    assert workspace.sync().receipt == ""
    assert wrong(workspace) == set()
    workspace.list()
    workspace.search("decision")
    assert tree_of(root) == before


# --- what is archived ------------------------------------------------------------------------------------


def test_sessions_and_marked_entries_are_archived_and_nothing_else(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    done = workspace.compact(accepted=True)
    assert [report["category"] for report in done.done] == ["decisions", "sessions", "patterns"]
    assert [report["entries"] for report in done.done] == [
        ["decisions/DEC-7.md", "decisions/_log.md#dec-3"],
        ["sessions/2026-06-01.md", "sessions/2026-06-02.md"],
        ["patterns/conventions.md#retries"],
    ]
    assert (tmp_path / "decisions/_log.md").read_text() == LOG.replace(
        "### DEC-3 — Two queues\n\n> ⚠️ **SUPERSEDED by DEC-4** — one is enough\n\n"
        "**Decision:** Each kind of mail has its own queue.\n\n---\n\n",
        "",
    )
    assert (tmp_path / "patterns/conventions.md").read_text().endswith("## Errors\n\nOne line, one hint.\n\n")
    assert not (tmp_path / "sessions/2026-06-01.md").exists()
    assert workspace.plan_compact().is_empty
    assert wrong(workspace) == set()


def test_a_decision_file_stays_as_a_pointer_and_its_row_moves(tmp_path: Path) -> None:
    small(tmp_path).compact("decisions", accepted=True)
    text = (tmp_path / "decisions/DEC-7.md").read_text()
    assert text == FILES["decisions/DEC-7.md"].replace(
        "created_at: 2026-03-01\n",
        "created_at: 2026-03-01\narchived_at: 2026-06-30\narchived_to: archive/decisions-2026-06-30.archive.md\n",
    )
    index = (tmp_path / "index.md").read_text()
    assert index.index("| `decisions/DEC-7.md` |") > index.index("### Superseded (archived)")
    held = archive.parse("a", (tmp_path / "archive/decisions-2026-06-30.archive.md").read_bytes())
    assert held.items[0].data.decode() == FILES["decisions/DEC-7.md"]


def test_with_move_it_goes_and_so_does_its_row(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    workspace.compact("decisions", move=True, accepted=True)
    assert not (tmp_path / "decisions/DEC-7.md").exists()
    assert "decisions/DEC-7.md" not in (tmp_path / "index.md").read_text()
    assert wrong(workspace) == set()
    workspace.restore("decisions-2026-06-30")
    assert tree_of(tmp_path) == before


def test_a_file_that_is_marked_as_a_whole_is_archived_as_a_whole(tmp_path: Path) -> None:
    text = FILES["patterns/conventions.md"].replace("# Patterns\n", "# Patterns\n\n> OBSOLETE — see ops\n")
    workspace = opened(lay(tmp_path, {**FILES, "patterns/conventions.md": text}))
    before = tree_of(tmp_path)
    done = workspace.compact("patterns", accepted=True)
    assert done.done[0]["entries"] == ["patterns/conventions.md"]
    assert not (tmp_path / "patterns/conventions.md").exists()
    assert "patterns/conventions.md" not in (tmp_path / "index.md").read_text().replace("summary.md", "")
    workspace.restore("patterns-2026-06-30")
    assert tree_of(tmp_path) == before


def test_a_retracted_that_stands_only_in_a_heading_is_archived_for_those_who_ask(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    plain = workspace.plan_compact("decisions").proposals[0].payload["report"]["entries"]
    asked = workspace.plan_compact("decisions", heading_markers=True).proposals[0].payload["report"]["entries"]
    assert set(asked) - set(plain) == {"decisions/_log.md#dec-2"}


def test_nothing_of_a_category_that_is_not_known_is_ever_archived(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {**FILES, "ideas/later.md": "# Later\n\n> RETRACTED\n\na\n"}))
    skipped = {each["category"]: each["reason"] for each in workspace.plan_compact().skipped}
    assert skipped["ideas"] == "not a category of this layout, so nothing of it is archived"
    workspace.compact(accepted=True)
    assert (tmp_path / "ideas/later.md").read_text() == "# Later\n\n> RETRACTED\n\na\n"


def test_contacts_are_archived_and_never_summarised(tmp_path: Path) -> None:
    ada = "## Ada Example\n\n> OBSOLETE — left the company\n\nada@example.org must be called at 9."
    contacts = f"# Leads\n\n{ada}\n\n## Bob\n\nb\n"
    workspace = opened(lay(tmp_path, {**FILES, "contacts/leads.md": contacts}))
    done = workspace.compact("contacts", accepted=True)
    assert done.done[0]["summary"] is None
    assert not (tmp_path / "summaries").exists()
    texts = {path: data for path, data in tree_of(tmp_path).items() if not path.startswith("archive/")}
    assert not [path for path, data in texts.items() if b"ada@example.org" in data]
    assert wrong(workspace) == {"unregistered"}


def test_o_dm_05_a_decision_whose_keys_cannot_be_edited_stops_the_whole_compaction(tmp_path: Path) -> None:
    broken = FILES["decisions/DEC-7.md"].replace("created_at", "tags: [a\ncreated_at")
    broken = broken.replace("---\n\n# DEC-7", "---\n\n# DEC-7")
    workspace = opened(lay(tmp_path, {**FILES, "decisions/DEC-7.md": broken}))
    before = tree_of(tmp_path)
    with pytest.raises(Refused, match=r"decisions/DEC-7\.md: the frontmatter cannot be edited safely"):
        workspace.compact("decisions", accepted=True)
    assert tree_of(tmp_path) == before


# --- which categories, in which order --------------------------------------------------------------------


def many(tmp_path: Path) -> CategoryWorkspace:
    files = {"index.md": INDEX}
    for n in range(3):
        files[f"sessions/2026-05-0{n + 1}.md"] = "# S\n\na b c\n"
    for n in range(2):
        text = f"---\nid: DEC-{n}\nupdated_at: 2026-0{n + 1}-01\ntags: [storage]\n---\n# DEC-{n}\n\n> RETRACTED\n\na\n"
        files[f"decisions/DEC-{n}.md"] = text
    for category, day in (("ops", "2026-03-01"), ("patterns", "2026-02-01"), ("project", "2026-03-01")):
        files[f"{category}/a.md"] = f"---\nupdated_at: {day}\n---\n# A\n\n> RETRACTED\n\n## B\n\nb\n"
    return opened(lay(tmp_path, files))


def order_of(workspace: CategoryWorkspace, **how: object) -> list[str]:
    return [proposal.payload["category"] for proposal in workspace.plan_compact(**how).proposals]  # type: ignore[arg-type]


def test_most_files_first_then_the_oldest_then_what_the_task_mentions(tmp_path: Path) -> None:
    workspace = many(tmp_path)
    assert order_of(workspace) == ["sessions", "decisions", "patterns", "ops", "project"]
    assert order_of(workspace, task="Write the project plan") == ["sessions", "decisions", "patterns", "project", "ops"]
    assert order_of(workspace, pressure=True) == ["sessions"]
    assert order_of(workspace, category="ops") == ["ops"]
    assert order_of(workspace, tags=("Storage",)) == ["decisions"]
    assert order_of(workspace, tags=("nothing",)) == []


def test_what_counts_is_what_may_be_compacted_and_the_raw_count_stands_beside_it(tmp_path: Path) -> None:
    files = {f"patterns/p{n}.md": "# P\n\n## A\n\na\n" for n in range(9)}
    workspace = opened(lay(tmp_path, {**FILES, **files}))
    plan = workspace.plan_compact()
    assert order_of(workspace)[0] == "decisions"
    reports = {p.payload["category"]: p.payload["report"] for p in plan.proposals}
    assert (reports["patterns"]["files"], reports["patterns"]["raw_files"]) == (1, 10)
    assert (reports["decisions"]["files"], reports["decisions"]["raw_files"]) == (2, 2)


def test_a_category_that_yields_nothing_is_skipped_and_named(tmp_path: Path) -> None:
    workspace = opened(lay(tmp_path, {**FILES, "ops/platform.md": "# Ops\n\n## A\n\na\n"}))
    assert {
        "category": "ops",
        "files": 1,
        "reason": "durable, and nothing in it is marked",
    } in workspace.plan_compact().skipped


def test_a_placeholder_date_is_unknown_and_sorts_last(tmp_path: Path) -> None:
    files = {
        "index.md": INDEX,
        "ops/a.md": "---\nupdated_at: YYYY-MM-DD\n---\n# A\n\n> RETRACTED\n\n## B\n\nb\n",
        "patterns/a.md": "---\nupdated_at: YYYY-MM-DD\ncreated_at: 2026-06-01\n---\n# A\n\n> RETRACTED\n\n## B\n\nb\n",
    }
    workspace = opened(lay(tmp_path, files))
    assert order_of(workspace) == ["patterns", "ops"]
    oldest = {p.payload["category"]: p.payload["report"]["oldest"] for p in workspace.plan_compact().proposals}
    assert oldest == {"patterns": "2026-06-01", "ops": ""}


def test_a_memory_without_an_index_gets_one(tmp_path: Path) -> None:
    files = {path: text for path, text in FILES.items() if path != "index.md"}
    workspace = opened(lay(tmp_path, files))
    before = tree_of(tmp_path)
    workspace.compact("sessions", accepted=True)
    assert "type: memory_index" in (tmp_path / "index.md").read_text()
    workspace.restore("sessions-2026-06-30")
    assert tree_of(tmp_path) == before


def test_a_model_that_loses_a_constraint_is_told_and_not_used(tmp_path: Path) -> None:
    workspace = small(tmp_path, model=lambda _: "## Current State\n- All is well.\n")
    (report,) = workspace.compact("sessions", accepted=True).done
    assert report["maker"] == "extract"
    assert report["model_refused"].startswith("the model's summary")
    assert "Keys must be rotated every 90 days." in (tmp_path / "summaries/sessions.summary.md").read_text()


def test_a_models_summary_that_keeps_all_is_used(tmp_path: Path) -> None:
    text = (
        "## Key Decisions\n- We decided to use SQLite.\n## Active Constraints\n- Keys must be rotated every 90 days.\n"
        "## Current State\n- The port of mail is 25.\n- The port of mail is 26.\n"
    )
    (report,) = small(tmp_path, model=lambda _: text).compact("sessions", accepted=True).done
    assert report["maker"] == "model"


@needs_git
def test_dates_come_from_git_where_the_file_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with own_git(monkeypatch) as folder:
        root = lay(folder / "memory", {"index.md": INDEX, "sessions/a.md": "a\n", "sessions/b.md": "b\n"})
        for who in ("COMMITTER", "AUTHOR"):
            monkeypatch.setenv(f"GIT_{who}_DATE", "2026-03-04T05:06:07+00:00")
        git(root, "init")
        git(root, "add", "sessions/a.md", "sessions/b.md")
        git(root, "commit", "-m", "first")
        (root / "sessions/b.md").write_text("edited\n")
        os.utime(root / "sessions/b.md", (1_780_000_000, 1_780_000_000))
        found = times_of(root, ["sessions/a.md", "sessions/b.md"])
    assert found["sessions/a.md"].startswith("2026-03-04T05:06:07")
    assert found["sessions/b.md"] == "2026-05-28T20:26:40Z"


def test_the_clock_of_a_compaction_is_the_callers(tmp_path: Path) -> None:
    opened(lay(tmp_path), NOW + timedelta(days=3)).compact("sessions", accepted=True)
    assert (tmp_path / "archive/sessions-2026-07-03.archive.md").exists()
