"""Purging is remembered, restoring brings back, forgetting leaves no word; pruning erases what undo needs."""

import json
import subprocess
import zlib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from distill_case import read, reopened, run, small
from grown_vault import tree

from memtend.errors import Integrity, NotFound, Refused, UnknownMemory
from memtend.review import Action, Decision
from memtend.workspace import LearnRequest, Workspace
from memtend.workspace.distill_plan import Mode

OLD = {"created": "2026-01-01", "keywords": "[k1, k2]", "topic": "ops"}
SECRET = "The vault door of the north cellar opens with a copper spoon and a polite knock."


def everything(root: Path) -> bytes:
    """Every byte below the vault, what is compressed in the journal too."""
    found = b""
    for path in sorted(root.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            found += zlib.decompress(data) if "objects" in path.parts else data
    return found


# --- purge --------------------------------------------------------------------------------------------------------


def test_those_past_their_categorys_time_come_first_then_by_score(tmp_path: Path) -> None:
    workspace = small(
        tmp_path,
        insight={"created": "2020-01-01", "tags": "[INSIGHT]", "keywords": "[a]"},
        config={"created": "2026-02-20", "tags": "[CONFIG]"},
        workflow={"created": "2025-08-01", "tags": "[WORKFLOW]"},
        own={"created": "2020-01-01", "tags": "[enforcement]"},
        fresh={"tags": "[CONFIG]"},
    )
    plan = workspace.plan_distill(Mode.PURGE)
    assert plan.candidates == ["MEM-workflow", "MEM-config", "MEM-insight", "MEM-own"]
    assert [proposal.payload["days_over"] for proposal in plan.proposals] == [29, 11, 0, 0]


def test_a_purged_memory_keeps_its_file_and_those_that_link_to_it_are_named(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={**OLD, "text": "Old."}, b={"text": "See [[MEM-a]]."}, c={}, d={}, e={}, f={})
    path = tmp_path / ".memory/10-Memories/MEM-a.md"
    before = path.read_text().splitlines()
    done = run(workspace, Mode.PURGE)
    assert [line for line in path.read_text().splitlines() if line not in before] == [
        "status: tombstoned", "tombstoned_at: 2026-08-30", "tombstone_reason: purge"
    ]  # fmt: skip
    assert done.affected == ("MEM-a",)
    assert done.warnings == ("MEM-b links to MEM-a, which is retired now",)
    assert done.notes == "Tombstoned 1 memory. Link-scan warnings: MEM-b->MEM-a"
    assert not workspace.search("old").hits


def test_files_that_cannot_be_changed_do_not_stop_the_others(tmp_path: Path) -> None:
    workspace = small(tmp_path, a=OLD, b={**OLD, "title": "caf\xe9", "keywords": "[x]"}, c={**OLD, "keywords": "[y]"})
    folder = tmp_path / ".memory/10-Memories"
    (folder / "MEM-b.md").write_bytes((folder / "MEM-b.md").read_text().encode("cp1252"))
    (folder / "deeper").mkdir()
    (folder / "deeper" / "MEM-c.md").write_bytes((folder / "MEM-c.md").read_bytes() + b"Twice.\n")
    before = {path: path.read_bytes() for path in folder.rglob("MEM-[bc].md")}
    plan = workspace.plan_distill(Mode.PURGE)
    assert plan.candidates == ["MEM-a", "MEM-b"]
    assert plan.warnings == ("MEM-c stands in more than one file; `memtend check` names them",)
    done = workspace.apply_distill(plan, [Decision(p.id, Action.PURGE) for p in plan.proposals])
    assert done.affected == ("MEM-a",)
    assert done.notes.startswith("Tombstoned 1 memory")
    assert ["not UTF-8" in reason for reason in done.refused] == [True]
    assert {path: path.read_bytes() for path in before} == before


def test_o_dm_04_purging_copies_leaves_one_of_them_to_a_person(tmp_path: Path) -> None:
    copy = {**OLD, "text": SECRET}
    workspace = small(tmp_path, a=copy, b=copy, c=copy, d={}, e={})
    strengths = {p.id: p.recommendation.strength for p in workspace.plan_distill(Mode.PURGE).proposals}
    assert strengths == {"MEM-a": "weak", "MEM-b": "medium", "MEM-c": "medium"}


def test_o_dm_08_what_was_purged_is_not_learned_again_unasked_even_after_gc(tmp_path: Path) -> None:
    source = tmp_path / "cellar.md"
    source.write_text(f"# Cellar\n\n{SECRET}\n")
    workspace = reopened_empty(tmp_path, "2026-03-01")
    learn(workspace, "cellar.md", tmp_path)
    (memory,) = workspace.memories()
    small(tmp_path, now="2026-08-20", other={}, another={})
    run(reopened(tmp_path, "2026-08-20"), Mode.PURGE, memory.id)
    assert "purged earlier" in why_skipped(reopened(tmp_path, "2026-08-21"), tmp_path)
    later = reopened(tmp_path, "2026-08-30")
    later.reindex(rebuild=True)
    done = run(later, Mode.GC)
    assert done.affected == (memory.id,)
    assert not (tmp_path / ".memory" / memory.place.path).exists()
    assert "purged earlier" in why_skipped(later, tmp_path)
    plan = later.plan_learn(LearnRequest(inputs=(str(source),)))
    later.apply(plan, [Decision(plan.proposals[0].id, Action.CREATE)])
    assert [found.title for found in later.memories()] == ["another", "Cellar", "other"]


def test_o_dm_08_after_an_undo_the_search_finds_it_and_learning_knows_nothing_of_a_purge(tmp_path: Path) -> None:
    source = tmp_path / "cellar.md"
    source.write_text(f"# Cellar\n\n{SECRET}\n")
    workspace = small(tmp_path, cellar={**OLD, "title": "Cellar", "text": SECRET, "status": "tombstoned",
                                        "tombstoned_at": "2026-08-01", "tombstone_reason": "purge"}, b={})  # fmt: skip
    run(workspace, Mode.GC)
    workspace.undo()
    workspace.restore("MEM-cellar")
    assert workspace.search("copper spoon").hits[0].id == "MEM-cellar"
    assert "purged" not in why_skipped(workspace, tmp_path)


def test_o_dm_08_a_purge_that_cannot_be_written_is_an_error_and_changes_nothing(tmp_path: Path) -> None:
    workspace = small(tmp_path, a=OLD, b={})
    before = tree(tmp_path)
    obstacle = tmp_path / ".memory/.memtend/tmp"
    obstacle.parent.mkdir(exist_ok=True)
    obstacle.write_bytes(b"")  # no folder for what is under way, whoever asks for one
    with pytest.raises(Integrity, match="the disk refuses"):
        run(workspace, Mode.PURGE)
    obstacle.unlink()
    assert tree(tmp_path) == before


def test_o_pv_01_purging_a_secret_says_what_remains_and_never_the_value(tmp_path: Path) -> None:
    value = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    workspace = small(tmp_path, a={**OLD, "text": f"The token is {value}."}, b={}, c={}, d={}, e={}, f={})
    done = run(workspace, Mode.PURGE)
    (warning,) = done.warnings
    assert "MEM-a looks like it holds a" in warning
    assert "memtend forget MEM-a" in warning
    assert "git" in warning
    assert value not in warning


def reopened_empty(tmp_path: Path, now: str) -> Workspace:
    (tmp_path / ".memory" / "10-Memories").mkdir(parents=True)
    return reopened(tmp_path, now)


def learn(workspace: Workspace, name: str, folder: Path) -> None:
    plan = workspace.plan_learn(LearnRequest(inputs=(str(folder / name),)))
    workspace.apply(plan, [Decision(proposal.id, Action.ACCEPT) for proposal in plan.proposals])


def why_skipped(workspace: Workspace, folder: Path) -> str:
    (proposal,) = workspace.plan_learn(LearnRequest(inputs=(str(folder / "cellar.md"),))).proposals
    assert proposal.recommendation.action is Action.SKIP
    return " ".join(proposal.recommendation.reasons)


# --- gc ---------------------------------------------------------------------------------------------------------


def test_o_se_06_what_is_erased_is_in_no_index_and_the_journal_still_has_it(tmp_path: Path) -> None:
    gone = {"status": "tombstoned", "tombstoned_at": "2026-08-23", "tombstone_reason": "purge", "text": SECRET}
    workspace = small(tmp_path, a=gone, b={"status": "tombstoned", "tombstoned_at": "2026-08-24"}, c={"text": SECRET})
    workspace.reindex()
    before = tree(tmp_path)
    done = run(workspace, Mode.GC)
    assert done.affected == ("MEM-a",)
    assert "MEM-a" not in (tmp_path / ".memory/memory-index.json").read_text()
    assert [hit.id for hit in workspace.search("copper spoon", include_retired=True).hits] == ["MEM-c"]
    workspace.undo()
    assert tree(tmp_path) == before


# --- restore ------------------------------------------------------------------------------------------------------


def test_restore_brings_a_purged_memory_back(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={**OLD, "text": SECRET}, b={}, c={}, d={}, e={}, f={})
    before = (tmp_path / ".memory/10-Memories/MEM-a.md").read_bytes()
    run(workspace, Mode.PURGE)
    workspace.restore("a")
    assert (tmp_path / ".memory/10-Memories/MEM-a.md").read_bytes() == before
    assert workspace.search("copper spoon").hits[0].id == "MEM-a"
    with pytest.raises(Refused, match="in use already"):
        workspace.restore("MEM-a")
    with pytest.raises(UnknownMemory):
        workspace.restore("MEM-nobody")


def test_a_memory_restored_out_of_a_merge_is_back_and_the_primary_says_so(tmp_path: Path) -> None:
    alike = {"topic": "t", "keywords": "[k, l, m]"}
    workspace = small(tmp_path, a={**alike, "text": "Text a."}, b={**alike, "text": "Text b."})
    run(workspace, Mode.MERGE)
    restored = workspace.restore("MEM-b")
    assert read(workspace, "b").content == "Text b."
    assert (read(workspace, "b").is_active, read(workspace, "b").retired_reason) == (True, "")
    assert (
        "## Merged From MEM-b\n\n**Restored**: 2026-08-30 as [[MEM-b]]\n\n**Original Title**"
        in read(workspace, "a").content
    )
    assert any("still has its text" in warning for warning in restored.warnings)
    workspace.undo()
    workspace.undo()
    assert read(workspace, "a").content == "Text a."


def test_a_memory_whose_primary_is_gone_is_restored_all_the_same(tmp_path: Path) -> None:
    merged = {"status": "tombstoned", "tombstoned_at": "2026-08-01", "tombstone_reason": '"merged_into:MEM-x"'}
    workspace = small(tmp_path, b=merged, a={})
    workspace.restore("MEM-b")
    assert read(workspace, "b").is_active


# --- forget -------------------------------------------------------------------------------------------------------


def test_forgetting_erases_every_word_everywhere_in_the_vault(tmp_path: Path) -> None:
    text = (
        f"{SECRET} More about it.\n\n## History\n\n### Previous Version (2026-01-01)\n\nBefore: a silver fork did it."
    )
    workspace = small(
        tmp_path,
        a={
            "title": "North cellar door",
            "summary": "Copper spoons open it.",
            "text": text,
            "topic": "t",
            "keywords": "[k, l, m]",
        },
        b={"topic": "t", "keywords": "[k, l, m]", "text": "Other doors are locked.", "retrieval_count": 9},
        c={"text": "See [[MEM-a]]."},
    )
    workspace.reindex()
    workspace.recall("copper spoon north cellar")
    run(workspace, Mode.MERGE)
    assert SECRET in read(workspace, "b").content
    run(workspace, Mode.REFINE, "MEM-c:keyword_enrich")
    forgotten = workspace.forget("MEM-a")
    found = everything(tmp_path / ".memory")
    for word in (b"copper spoon", b"silver fork", b"North cellar door", b"Copper spoons open"):
        assert word not in found, word
    assert forgotten.changed == ("MEM-b",)
    assert read(workspace, "b").content == "Other doors are locked."
    assert [memory.id for memory in workspace.memories(include_retired=True)] == ["MEM-b", "MEM-c"]
    assert [problem for problem in workspace.check() if problem.severity == "error"] == []


def test_a_forgotten_memory_leaves_a_record_without_content_and_cannot_be_brought_back(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"text": SECRET}, b={}, c={}, d={}, e={})
    forgotten = workspace.forget("MEM-a")
    (receipt,) = workspace.log()
    assert forgotten.receipt is not None
    assert (receipt.id, receipt.memory_ids, receipt.note) == (forgotten.receipt.id, ("MEM-a",), "forget MEM-a")
    with pytest.raises(Refused, match="erased"):
        workspace.undo(receipt.id)
    assert SECRET.encode() not in everything(tmp_path / ".memory")


def test_what_others_say_and_do_is_left_alone_and_named(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(SECRET)
    shared = "The night watch makes its round at two and at four."
    workspace = small(
        tmp_path,
        a={"text": f"{SECRET}\n\n{shared}", "source": "notes.md"},
        b={"text": f"{shared} [[MEM-a]]"},
        d={"text": f"Somebody copied this.\n\n{SECRET}", "created": "2026-01-01"},
        c={}, e={}, f={},
    )  # fmt: skip
    purged = run(workspace, Mode.PURGE, "MEM-d").receipt
    forgotten = workspace.forget("MEM-a")
    assert shared in read(workspace, "b").content
    assert SECRET in read(workspace, "d").content
    told = "\n".join(forgotten.remains)
    assert "its source notes.md still says it" in told
    assert "MEM-b still links to it" in told
    assert "other vaults" in told
    assert SECRET not in json.dumps(forgotten.to_json())
    assert purged is not None
    workspace.undo(purged.id)
    assert read(workspace, "d").is_active, "what happened to others can still be undone"


def test_a_line_that_only_a_copy_still_says_is_named_by_its_file(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"text": SECRET}, b={})
    inbox = tmp_path / ".memory" / "00-Inbox"
    inbox.mkdir()
    (inbox / "quick.md").write_text(f"Remember: {SECRET}\n")
    forgotten = workspace.forget("MEM-a")
    assert any(line.startswith("00-Inbox/quick.md still has words of it") for line in forgotten.remains)


def test_gits_history_is_named(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"text": SECRET}, b={})
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    forgotten = workspace.forget("MEM-a")
    assert any("git's history still has it" in line for line in forgotten.remains)


def test_forgetting_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={**OLD, "text": SECRET}, b={}, c={}, d={}, e={}, f={})
    run(workspace, Mode.PURGE)
    (tmp_path / ".memory/10-Memories/MEM-a.md").unlink()
    assert SECRET.encode() in everything(tmp_path / ".memory")
    again = reopened(tmp_path)
    again.forget("MEM-a")
    assert SECRET.encode() not in everything(tmp_path / ".memory")
    with pytest.raises(UnknownMemory):
        again.forget("MEM-never-was")


def test_planning_to_forget_writes_nothing(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"text": SECRET}, b={})
    before = tree(tmp_path)
    planned = workspace.plan_forget("a")
    assert (planned.id, planned.path) == ("MEM-a", "10-Memories/MEM-a.md")
    assert tree(tmp_path) == before


def test_o_dm_08_what_was_forgotten_leaves_no_hash_to_guess_it_from(tmp_path: Path) -> None:
    gone = {"status": "tombstoned", "tombstoned_at": "2026-08-01", "tombstone_reason": "purge", "text": SECRET}
    workspace = small(tmp_path, a=gone, b={})
    run(workspace, Mode.GC)
    log = tmp_path / ".memory/distill-log.json"
    assert "retired_texts" in json.loads(log.read_text())
    workspace.forget("MEM-a")
    assert "retired_texts" not in json.loads(log.read_text())
    assert SECRET.encode() not in everything(tmp_path / ".memory")


# --- prune --------------------------------------------------------------------------------------------------------


def test_pruning_erases_what_undo_needs_and_no_memory(tmp_path: Path) -> None:
    gone = {"status": "tombstoned", "tombstoned_at": "2026-08-01", "tombstone_reason": "purge", "text": SECRET}
    workspace = small(tmp_path, a=gone, b={"topic": "A"})
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs/state.json").write_text("{}")
    run(workspace, Mode.GC)
    run(workspace, Mode.AUTO)
    before = tree(tmp_path)
    pruned = workspace.prune()
    assert pruned.records >= 2
    assert workspace.log(with_bookkeeping=True) == ()
    assert SECRET.encode() not in everything(tmp_path / ".memory/.memtend/journal")
    assert list((tmp_path / ".memory/.memtend/health").iterdir()) == []
    assert tree(tmp_path) == before
    with pytest.raises(NotFound):
        workspace.undo()


def test_pruning_up_to_a_day_keeps_what_is_younger(tmp_path: Path) -> None:
    workspace = small(tmp_path, now="2026-08-01", a={"topic": "A"}, b={"topic": "b"})
    run(workspace, Mode.AUTO)
    later = small(tmp_path, now="2026-08-30", c={"topic": "C"})
    run(later, Mode.AUTO)
    later.prune(datetime(2026, 8, 15, tzinfo=UTC))
    assert [receipt.at[:10] for receipt in later.log()] == ["2026-08-30"]
    later.undo()
