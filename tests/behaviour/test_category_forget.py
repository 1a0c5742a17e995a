"""Forgetting in a category memory: out of files, archives, summaries, journal and search."""

from pathlib import Path

import pytest
from small_memory import FILES, codes, lay, opened, small

from memtend.errors import NeedsConfirmation, Refused, UnknownMemory, UnusableInput
from memtend.review import Action, Decision
from memtend.workspace.category.categories import CategoryWorkspace, accept_all

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
