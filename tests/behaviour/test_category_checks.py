"""The nine checks of a compaction: each is made to fail."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_memory import FILES, lay, opened, tree_of

from memtend.errors import SelfCheckFailed
from memtend.layouts.category import archive
from memtend.layouts.category.compact import Candidate, Compaction, Options, plan
from memtend.layouts.category.condense import condense
from memtend.layouts.category.folder import Folder
from memtend.layouts.category.verify import CHECKS


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
