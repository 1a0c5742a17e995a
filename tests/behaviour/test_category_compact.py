"""Compaction of a category memory: what is archived, what stays, the nine checks, and the way back."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from small_memory import FILES, INDEX, LOG, NOW, changed, lay, opened, small, tree_of

from memtend.errors import (
    ChangedOnDisk,
    Integrity,
    LaterChange,
    NeedsConfirmation,
    NotFound,
    OutsideStore,
    Refused,
    SelfCheckFailed,
    StaleDecision,
    UnusableInput,
)
from memtend.layouts.category import archive
from memtend.layouts.category.compact import Candidate, Compaction, Options, plan
from memtend.layouts.category.condense import condense
from memtend.layouts.category.folder import Folder
from memtend.layouts.category.verify import CHECKS
from memtend.review import Action, Decision, Proposal
from memtend.workspace.category.answers import load_plan, plan_from_json
from memtend.workspace.category.categories import CategoryWorkspace, accept_all

SAMPLES = Path(__file__).parents[2].parent / "shared/samples/category"


def sample(tmp_path: Path, name: str) -> Path:
    if not (SAMPLES / name).is_dir():
        pytest.skip(f"the sample {name} is not here")
    root = tmp_path / "memory"
    shutil.copytree(SAMPLES / name, root)
    for path in [root, *root.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return root


def wrong(workspace: CategoryWorkspace) -> set[str]:
    """What check finds, but for the heading of the small memory that says RETRACTED."""
    return {problem.code for problem in workspace.check()} - {"loose-marker"}


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


# --- the archive -----------------------------------------------------------------------------------------


def test_the_second_archive_of_a_day_has_a_number_and_the_first_is_not_touched(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    first = (tmp_path / "archive/sessions-2026-06-30.archive.md").read_bytes()
    for number in ("02", "03"):
        (tmp_path / "sessions/2026-06-20.md").write_text(f"# Later {number}\n\nOnly Ada may push.\n")
        (report,) = workspace.compact("sessions", accepted=True).done
        assert report["archive"] == f"archive/sessions-2026-06-30-{number}.archive.md"
    assert (tmp_path / "archive/sessions-2026-06-30.archive.md").read_bytes() == first
    assert "ARCHIVE-SESSIONS-2026-06-30-03" in (tmp_path / "index.md").read_text()
    assert wrong(workspace) == set()
    summary = (tmp_path / "summaries/sessions.summary.md").read_text()
    assert "Keys must be rotated every 90 days. (sessions/2026-06-01.md)" in summary


@pytest.mark.parametrize("hours", [14, -11])
def test_o_tm_03_an_archive_is_named_by_the_utc_day_wherever_the_machine_stands(tmp_path: Path, hours: int) -> None:
    there = datetime(2026, 7, 1, 0, 30, tzinfo=timezone(timedelta(hours=hours)))
    opened(lay(tmp_path), there).compact("sessions", accepted=True)
    day = f"{there.astimezone(UTC):%Y-%m-%d}"
    assert (tmp_path / f"archive/sessions-{day}.archive.md").exists()
    assert f"on {day}\n" in (tmp_path / "summaries/sessions.summary.md").read_text()


def test_an_archive_holds_bytes_whatever_they_are(tmp_path: Path) -> None:
    odd = b"\xff\xfe no text\r\n<!-- memtend:end -->\n<!-- memtend:entry {} -->\n--> \x00"
    workspace = opened(lay(tmp_path, {"index.md": INDEX, "sessions/odd.md": odd}))
    before = tree_of(tmp_path)
    workspace.compact(accepted=True)
    data = (tmp_path / "archive/sessions-2026-06-30.archive.md").read_bytes()
    (item,) = archive.parse("a", data).items
    assert item.data == odd
    workspace.restore("sessions-2026-06-30")
    assert tree_of(tmp_path) == before


def test_a_damaged_archive_is_told_and_never_restored(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    path = tmp_path / "archive/sessions-2026-06-30.archive.md"
    path.write_bytes(path.read_bytes().replace(b"90 days", b"91 days"))
    with pytest.raises(Integrity, match="not those that were archived"):
        workspace.restore("sessions-2026-06-30")
    assert [problem.code for problem in workspace.check() if problem.severity == "error"] == ["damaged-archive"]
    assert [held.is_damaged for held in workspace.list().archives] == [True]
    with pytest.raises(Integrity, match="not those that were archived"):
        workspace.forget(text="Ada", accepted=True)


def test_one_damaged_archive_does_not_keep_the_rest_from_working(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    path = tmp_path / "archive/sessions-2026-06-30.archive.md"
    path.write_bytes(path.read_bytes().replace(b"90 days", b"91 days"))
    damaged = path.read_bytes()
    workspace.compact("decisions", accepted=True)
    workspace.add("ideas", "Later", "A thought.")
    assert path.read_bytes() == damaged
    assert wrong(workspace) == {"damaged-archive"}


def test_an_archive_whose_line_ends_git_has_changed_still_gives_its_entries_back(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    workspace.compact("sessions", accepted=True)
    path = tmp_path / "archive/sessions-2026-06-30.archive.md"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    workspace.restore("sessions-2026-06-30")
    assert tree_of(tmp_path) == before


# --- the nine checks -------------------------------------------------------------------------------------


def without_an_entry(before: Folder, made: Compaction) -> Compaction:
    held = replace(made.archive, items=made.archive.items[1:])
    return replace(made, edits={**made.edits, made.archive_path: archive.render(held)})


def with_another_line_changed(before: Folder, made: Compaction) -> Compaction:
    log = (made.edits["decisions/_log.md"] or b"").replace(b"> Append-only.", b"> Append.")
    return replace(made, edits={**made.edits, "decisions/_log.md": log})


def with_a_read_me_changed(before: Folder, made: Compaction) -> Compaction:
    return replace(made, edits={**made.edits, "README.memory.md": b"changed"})


def without_a_constraint(before: Folder, made: Compaction) -> Compaction:
    path = "summaries/sessions.summary.md"
    lines = [line for line in (made.edits[path] or b"").split(b"\n") if b"rotated" not in line]
    return replace(made, edits={**made.edits, path: b"\n".join(lines)})


def without_a_row(before: Folder, made: Compaction) -> Compaction:
    lines = [line for line in (made.edits["index.md"] or b"").split(b"\n") if b"archive.md" not in line]
    return replace(made, edits={**made.edits, "index.md": b"\n".join(lines)})


def with_a_dead_row(before: Folder, made: Compaction) -> Compaction:
    row = b"| `sessions/2026-06-01.md` | sessions | \xe2\x80\x94 | 2026-06-01 | |\n"
    index = (made.edits["index.md"] or b"").replace(b"\n## Active Artefacts", row + b"\n## Active Artefacts")
    return replace(made, edits={**made.edits, "index.md": index})


def without_a_way_back(before: Folder, made: Compaction) -> Compaction:
    files = {path: touched._replace(hunks=()) for path, touched in made.archive.files.items()}
    held = replace(made.archive, files=files)
    return replace(made, edits={**made.edits, made.archive_path: archive.render(held)})


def over_an_earlier_archive(before: Folder, made: Compaction) -> Compaction:
    return replace(made, edits={**made.edits, "archive/patterns-2026-01-01.archive.md": made.edits[made.archive_path]})


def as_planned(before: Folder, made: Compaction) -> Compaction:
    return made


Damage = Callable[[Folder, Compaction], Compaction]
DAMAGES: dict[str, tuple[str, str, Damage]] = {
    "entries-kept": ("sessions", "lost", without_an_entry),
    "only-marked-left": ("decisions", "carries no marker", as_planned),
    "rest-untouched": ("decisions", "would change elsewhere", with_another_line_changed),
    "constraints-kept": ("sessions", "lost: Keys must be rotated", without_a_constraint),
    "index-complete": ("sessions", "has no row", without_a_row),
    "index-true": ("sessions", "a row names sessions/2026-06-01.md", with_a_dead_row),
    "nothing-left": ("sessions", "would be archived by a second run", as_planned),
    "restorable": ("sessions", "would not come back|does not give back", without_a_way_back),
    "archives-untouched": ("sessions", "would be changed", over_an_earlier_archive),
}


def planner(name: str) -> Callable[..., Compaction]:
    """A planner that plans well and then goes wrong in one way."""

    def planned(folder: Folder, candidate: Candidate, options: Options, now: datetime, by: object) -> Compaction:
        entries = candidate.entries
        if name == "only-marked-left":
            entries = folder.document("decisions/_log.md").entries
        if name == "nothing-left":
            entries = candidate.entries[1:]
        made = plan(folder, replace(candidate, entries=entries), options, now, condense)
        return DAMAGES[name][2](folder, made)

    return planned


def test_there_are_nine_checks_and_each_is_made_to_fail() -> None:
    assert len(CHECKS) == 9
    assert set(CHECKS) == set(DAMAGES)


@pytest.mark.parametrize("name", DAMAGES)
def test_a_compaction_that_fails_a_check_is_refused_and_the_tree_is_as_it_was(tmp_path: Path, name: str) -> None:
    opened(
        lay(tmp_path, {**FILES, "patterns/b.md": "# B\n\n> RETRACTED\n\n## C\n\nc\n"}), datetime(2026, 1, 1, tzinfo=UTC)
    ).compact("patterns", accepted=True)
    before = tree_of(tmp_path)
    category, reason, _ = DAMAGES[name]
    workspace = opened(tmp_path, planner=planner(name))
    with pytest.raises(SelfCheckFailed, match=rf"{name}: [^;]*({reason})"):
        workspace.compact(category, accepted=True)
    assert tree_of(tmp_path) == before
    assert len(workspace.log()) == 1
    opened(tmp_path).compact(category, accepted=True)


def test_a_file_that_is_no_memory_may_not_be_changed_either(tmp_path: Path) -> None:
    def planned(folder: Folder, candidate: Candidate, options: Options, now: datetime, by: object) -> Compaction:
        return with_a_read_me_changed(folder, plan(folder, candidate, options, now, condense))

    with pytest.raises(SelfCheckFailed, match=r"rest-untouched: README\.memory\.md would be changed"):
        opened(lay(tmp_path), planner=planned).compact("sessions", accepted=True)


# --- restoring in a memory that has changed --------------------------------------------------------------


def test_restoring_where_the_index_has_changed_gives_every_file_back_and_the_rows(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    workspace.compact(accepted=True)
    index = (tmp_path / "index.md").read_text() + "\nA line of somebody's.\n"
    (tmp_path / "index.md").write_text(index)
    for name in ("decisions", "patterns", "sessions"):
        (report,) = workspace.restore(f"{name}-2026-06-30").done
        assert report["exact"] is False
    after = tree_of(tmp_path)
    assert changed(before, after) == {"index.md"}
    text = after["index.md"].decode()
    assert text.endswith("\nA line of somebody's.\n")
    assert "archive.md" not in text
    assert wrong(workspace) == set()


def test_a_section_goes_back_among_its_neighbours_where_its_file_has_grown(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("decisions", accepted=True)
    log = tmp_path / "decisions/_log.md"
    grown = log.read_text().replace("### DEC-4", "### DEC-5 — New\n\nNew.\n\n---\n\n### DEC-4")
    log.write_text(grown)
    done = workspace.restore("decisions-2026-06-30")
    assert done.left == ()
    assert log.read_text() == LOG.replace("### DEC-4", "### DEC-5 — New\n\nNew.\n\n---\n\n### DEC-4")
    assert not (tmp_path / "archive/decisions-2026-06-30.archive.md").exists()


def test_a_file_that_has_taken_the_place_of_an_archived_one_is_not_written_over(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    (tmp_path / "sessions").mkdir(exist_ok=True)
    (tmp_path / "sessions/2026-06-01.md").write_text("Somebody else's.\n")
    before = tree_of(tmp_path)
    with pytest.raises(ChangedOnDisk, match=r"sessions/2026-06-01\.md is there already"):
        workspace.restore("sessions-2026-06-30")
    assert tree_of(tmp_path) == before


def test_a_summary_that_has_changed_since_stays_and_so_does_the_archive(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    (tmp_path / "sessions/2026-06-20.md").write_text("# Later\n\nOnly Ada may push.\n")
    workspace.compact("sessions", accepted=True)
    done = workspace.restore("sessions-2026-06-30")
    assert done.left == ("summaries/sessions.summary.md has changed since, so it and the archive stay",)
    assert (tmp_path / "sessions/2026-06-01.md").read_text() == FILES["sessions/2026-06-01.md"]
    assert (tmp_path / "archive/sessions-2026-06-30.archive.md").exists()
    assert wrong(workspace) == set()


def test_with_keep_archive_and_summary_stay(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    workspace.restore("sessions-2026-06-30", keep=True)
    assert (tmp_path / "archive/sessions-2026-06-30.archive.md").exists()
    assert (tmp_path / "summaries/sessions.summary.md").exists()
    assert (tmp_path / "sessions/2026-06-01.md").exists()
    assert wrong(workspace) == set()


def test_an_edited_pointer_loses_its_keys_and_keeps_its_edit(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("decisions", accepted=True)
    path = tmp_path / "decisions/DEC-7.md"
    path.write_text(path.read_text() + "\nA note.\n")
    workspace.restore("decisions-2026-06-30")
    assert path.read_text() == FILES["decisions/DEC-7.md"] + "\nA note.\n"


@pytest.mark.parametrize("name", ["../x", "a/../../x", "..\\x", "/etc/x", "~/x", "", ".", "x\0y", ".git/config"])
def test_o_fs_04_names_that_leave_the_memory_are_refused_before_anything_is_touched(tmp_path: Path, name: str) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    with pytest.raises(OutsideStore):
        workspace.restore(name)
    if name:
        with pytest.raises(OutsideStore):
            workspace.compact(name, accepted=True)
        with pytest.raises(OutsideStore):
            workspace.list(name)
        with pytest.raises(OutsideStore):
            workspace.plan_split(f"{name}/x.md")
    with pytest.raises(OutsideStore):
        workspace.add(name, "Title", "Text")
    with pytest.raises(OutsideStore):
        workspace.add("ideas", "Title", "Text", to=f"ideas/{name}/x.md")
    assert tree_of(tmp_path) == before


def test_an_archive_or_category_that_is_not_there_is_told(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    with pytest.raises(NotFound, match=r"There is no archive archive/nothing\.archive\.md"):
        workspace.restore("nothing")
    with pytest.raises(NotFound, match="There is no category ops with a file in it"):
        workspace.compact("ops", accepted=True)


# --- one path --------------------------------------------------------------------------------------------


def test_nothing_is_written_before_a_yes(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    with pytest.raises(NeedsConfirmation):
        workspace.compact()
    plan = workspace.plan_compact()
    assert [proposal.kind for proposal in plan.proposals] == ["compact"] * 3
    assert workspace.apply(plan, ()).receipt == ""
    assert workspace.apply(plan, [Decision(plan.proposals[0].id, Action.SKIP)]).receipt == ""
    assert tree_of(tmp_path) == before


class OnlySessions:
    def review(self, proposals: list[Proposal]) -> list[Decision]:
        return [Decision(one.id, Action.ACCEPT) for one in proposals if one.payload["category"] == "sessions"]


def test_a_reviewer_decides_on_each_category(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    done = workspace.compact(reviewer=OnlySessions())  # type: ignore[arg-type]
    assert [report["category"] for report in done.done] == ["sessions"]
    assert (tmp_path / "decisions/_log.md").read_text() == LOG


def test_a_plan_is_saved_answered_later_and_says_the_same(tmp_path: Path) -> None:
    workspace = small(tmp_path / "memory")
    plan = workspace.plan_compact()
    plan.save(tmp_path / "plan.json")
    loaded = load_plan(tmp_path / "plan.json")
    assert json.dumps(loaded.to_json()) == json.dumps(plan.to_json())
    other = opened(tmp_path / "memory")
    assert [report["entries"] for report in other.apply(loaded, accept_all(loaded)).done] == [
        proposal.payload["report"]["entries"] for proposal in plan.proposals
    ]


def test_what_is_no_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput):
        plan_from_json({"status": "done"})
    with pytest.raises(UnusableInput):
        plan_from_json({"status": "planned", "kind": "compact", "proposals": [{"id": 1}]})
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(UnusableInput):
        load_plan(tmp_path / "plan.json")
    with pytest.raises(NotFound):
        load_plan(tmp_path / "nothing.json")
    workspace = small(tmp_path / "memory")
    with pytest.raises(UnusableInput, match="the plan has no compact-x"):
        workspace.apply(workspace.plan_compact(), [Decision("compact-x", Action.ACCEPT)])
    with pytest.raises(UnusableInput, match="purge cannot be done here"):
        workspace.apply(workspace.plan_compact(), [Decision("compact-sessions", Action.PURGE)])


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("sessions/2026-06-01.md", "Edited since.\n"),
        ("sessions/2026-06-03.md", "New since.\n"),
        ("sessions/2026-06-01.md", None),
    ],
)
def test_o_cc_02_a_plan_decided_on_other_files_is_refused(tmp_path: Path, path: str, text: str | None) -> None:
    workspace = small(tmp_path)
    plan = workspace.plan_compact("sessions")
    if text is None:
        (tmp_path / path).unlink()
    else:
        (tmp_path / path).write_text(text)
    before = tree_of(tmp_path)
    with pytest.raises(StaleDecision, match="sessions has changed since this was decided"):
        workspace.apply(plan, accept_all(plan))
    assert tree_of(tmp_path) == before


def test_o_cc_02_what_others_write_between_the_plan_and_the_yes_is_kept(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    plan = workspace.plan_compact("sessions")
    (tmp_path / "index.md").write_text(INDEX + "\nBy somebody else.\n")
    workspace.apply(plan, accept_all(plan))
    text = (tmp_path / "index.md").read_text()
    assert text.endswith("\nBy somebody else.\n")
    assert "archive/sessions-2026-06-30.archive.md" in text


def test_undo_takes_a_compaction_back_though_the_index_has_changed_since(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    workspace.compact(accepted=True)
    (tmp_path / "index.md").write_text((tmp_path / "index.md").read_text() + "\nBy somebody else.\n")
    workspace.undo()
    after = tree_of(tmp_path)
    assert changed(before, after) == {"index.md"}
    assert after["index.md"].endswith(b"\nBy somebody else.\n")
    assert wrong(workspace) == set()


def test_an_undo_that_is_undone_registers_the_archives_again_though_the_index_has_changed(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.compact("sessions", accepted=True)
    undone = workspace.undo()
    (tmp_path / "index.md").write_text((tmp_path / "index.md").read_text() + "\nBy somebody else.\n")
    workspace.undo(undone.id)
    assert "archive/sessions-2026-06-30.archive.md" in (tmp_path / "index.md").read_text()
    assert wrong(workspace) == set()


def test_an_undo_that_is_undone_registers_an_entry_again_though_the_index_has_changed(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    workspace.add("patterns", "Locks", "The lock is taken before the file is read.", to="patterns/locks.md")
    (tmp_path / "index.md").write_text((tmp_path / "index.md").read_text() + "\nBy somebody else.\n")
    undone = workspace.undo()
    (tmp_path / "index.md").write_text((tmp_path / "index.md").read_text() + "\nAnd again.\n")
    workspace.undo(undone.id)
    assert "patterns/locks.md" in (tmp_path / "index.md").read_text()
    assert wrong(workspace) == set()


def test_mending_the_index_after_an_undo_is_no_step_of_its_own(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    first = workspace.add("patterns", "Locks", "The lock is taken before the file is read.")
    workspace.add("patterns", "Retries", "A call is tried three times.", to="patterns/retries.md")
    (tmp_path / "index.md").write_text((tmp_path / "index.md").read_text() + "\nBy somebody else.\n")
    workspace.undo()
    workspace.undo()
    assert [receipt.undoes for receipt in workspace.log()][-1] == first.receipt
    assert wrong(workspace) == set()


def test_an_undo_that_would_take_a_later_change_away_is_refused(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    first = workspace.compact("sessions", accepted=True)
    (tmp_path / "sessions/2026-06-20.md").write_text("# Later\n\nOnly Ada may push.\n")
    workspace.compact("sessions", accepted=True)
    with pytest.raises(LaterChange):
        workspace.undo(first.receipt)


def test_compacting_several_categories_is_one_change(tmp_path: Path) -> None:
    workspace = small(tmp_path)
    before = tree_of(tmp_path)
    workspace.compact(accepted=True)
    assert len(workspace.log()) == 1
    for name in ("patterns", "sessions", "decisions"):
        assert workspace.restore(f"{name}-2026-06-30").done[0]["exact"] is True
    assert tree_of(tmp_path) == before


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


def test_dates_come_from_git_where_the_file_has_none(tmp_path: Path) -> None:
    import os
    import subprocess

    from memtend.workspace.category.folder import times_of

    lay(tmp_path, {"index.md": INDEX, "sessions/a.md": "a\n", "sessions/b.md": "b\n"})
    stamp = "2026-03-04T05:06:07+00:00"
    environment = os.environ | {"GIT_COMMITTER_DATE": stamp, "GIT_AUTHOR_DATE": stamp, "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*words: str) -> None:
        name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", str(tmp_path), *name, *words], check=True, env=environment, capture_output=True)

    git("init")
    git("add", "sessions/a.md", "sessions/b.md")
    git("commit", "-m", "first")
    (tmp_path / "sessions/b.md").write_text("edited\n")
    os.utime(tmp_path / "sessions/b.md", (1_780_000_000, 1_780_000_000))
    found = times_of(tmp_path, ["sessions/a.md", "sessions/b.md"])
    assert found["sessions/a.md"].startswith("2026-03-04T05:06:07")
    assert found["sessions/b.md"] == "2026-05-28T20:26:40Z"


def test_the_clock_of_a_compaction_is_the_callers(tmp_path: Path) -> None:
    opened(lay(tmp_path), NOW + timedelta(days=3)).compact("sessions", accepted=True)
    assert (tmp_path / "archive/sessions-2026-07-03.archive.md").exists()
