"""The archives of a category memory: what they hold, and how it comes back."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from small_memory import FILES, INDEX, LOG, changed, lay, opened, small, tree_of, wrong

from memtend.errors import ChangedOnDisk, Integrity, NotFound, OutsideStore
from memtend.layouts.category import archive

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
