"""What another tool reads from the same files: memtend agrees, but for the differences listed here one by one."""

import json
from pathlib import Path
from typing import Any

import pytest

from memtend.layouts.role import grammar, header, pending, repair
from memtend.layouts.role.decode import decode_consolidated, decode_pending, identified
from memtend.layouts.role.ids import Kind, id_of
from memtend.layouts.role.page import Event

SAMPLES = Path(__file__).parents[3] / "shared" / "samples" / "role"
ORACLE = SAMPLES / "oracle-1.0.6.json"

pytestmark = pytest.mark.skipif(not ORACLE.exists(), reason=f"no samples at {SAMPLES}")

COMMENT = "a trailing metadata comment is not part of the text, so the id is that of the text alone"
NEVER_MERGES = "reading never merges: each line is an entry, in the order of the file"
NO_NAME = "the file names no role; the caller knows the folder"
EVENT = "an event is one entry with its body, not lines; headings and notices that are none stay where they are"
MENDS_LESS = "a file that lacks nothing needs no repair"
MORE_ISSUES = "a repeated section is reported too"

DIFFERENCES: dict[str, dict[str, str]] = {
    "01-template-consolidated.md": {"repaired": MENDS_LESS},
    "02-legacy-g0-MEMORY.md": {"roleName": NO_NAME, "eventLines": EVENT},
    "03-readme-g4-consolidated-with-meta.md": {
        "learnings": COMMENT,
        "preferences": COMMENT,
        "eventLines": EVENT,
    },
    "05-test-corrupted-consolidated.md": {"learnings": NEVER_MERGES, "issues": MORE_ISSUES},
    "06-test-meta-dedupe-consolidated.md": {"learnings": COMMENT},
}
"""Every field in which memtend differs, with the reason."""


def read_by_memtend(data: bytes) -> dict[str, Any]:
    """What memtend reads, in the other tool's words."""
    page = grammar.parse(data)
    memories = decode_consolidated(data).memories
    kinds = {kind: [memory for memory in memories if memory.extra["kind"] == kind] for kind in Kind}
    return {
        "roleName": header.value(page.header, "name") or page.title("memory"),
        "lastConsolidated": page.title("last consolidated") or None,
        "learnings": [{"id": m.id, "text": m.title, "used": m.retrieval_count} for m in kinds[Kind.LEARNING]],
        "preferences": [{"id": m.id, "category": m.category, "text": m.title} for m in kinds[Kind.PREFERENCE]],
        "eventLines": sum(len(part.raw) for _, _, part in identified(page) if isinstance(part, Event)),
        "issues": sum(fault.code in repair.REPORTED for fault in repair.faults(page)),
        "repaired": bool(repair.repaired(page)[1]),
    }


def oracle() -> dict[str, dict[str, Any]]:
    answers: dict[str, dict[str, Any]] = json.loads(ORACLE.read_text(encoding="utf-8"))
    return {name: answer for name, answer in answers.items() if (SAMPLES / name).exists()}


@pytest.mark.parametrize("name", sorted(DIFFERENCES))
def test_memtend_agrees_but_for_the_listed_differences(name: str) -> None:
    theirs, ours = oracle()[name], read_by_memtend((SAMPLES / name).read_bytes())
    differing = {field for field in theirs if theirs[field] != ours[field]}
    assert differing == set(DIFFERENCES[name])


def test_no_sample_is_left_out() -> None:
    assert set(oracle()) == set(DIFFERENCES)


@pytest.mark.parametrize("name", sorted(DIFFERENCES))
def test_where_a_comment_makes_the_difference_text_and_id_follow_from_it(name: str) -> None:
    """The other tool's text is ours with the comment behind it, its id the one of that."""
    if COMMENT not in DIFFERENCES[name].values():
        return
    theirs, ours = oracle()[name], read_by_memtend((SAMPLES / name).read_bytes())
    for kind, entries in (("learning", "learnings"), ("preference", "preferences")):
        for their, our in zip(theirs[entries], ours[entries], strict=True):
            without = their["text"].partition(" <!--")[0]
            category = their.get("category", "")
            assert (our["text"], our["id"].partition("-")[0]) == (without, id_of(kind, without, category))
            assert their["id"] == id_of(kind, their["text"], category)
            assert their.get("used") == our.get("used")


def test_two_copies_with_other_comments_are_one_text_twice() -> None:
    ours = read_by_memtend((SAMPLES / "06-test-meta-dedupe-consolidated.md").read_bytes())
    id = id_of("learning", "one truth")
    assert [(one["id"], one["used"]) for one in ours["learnings"]] == [(id, 5), (f"{id}-2", 0)]


def test_a_stray_line_is_read_as_the_other_tool_reads_it() -> None:
    theirs = oracle()["05-test-corrupted-consolidated.md"]["learnings"]
    ours = read_by_memtend((SAMPLES / "05-test-corrupted-consolidated.md").read_bytes())["learnings"]
    assert {(one["id"], one["used"]) for one in theirs} == {
        (one["id"], one["used"]) for one in ours if "-" not in one["id"]
    }
    assert [one["text"] for one in ours].count("lesson one") == 2


def test_what_the_other_tool_wrote_is_read_whole() -> None:
    written = SAMPLES / "generated-1.0.6"
    ours = read_by_memtend((written / "consolidated.md").read_bytes())
    assert [(one["used"], one["text"]) for one in ours["learnings"]] == [
        (3, "Declare a task done only after running the check and reading its output"),
        (1, "Prefer soft delete over hard delete"),
        (0, "session trust must be re-checked after compaction"),
        (0, "禁止 rm，优先 trash"),
    ]
    assert [(one["category"], one["text"]) for one in ours["preferences"]] == [
        ("Communication", "偏好中文沟通"),
        ("Review Style", "Conclusion first, then findings by severity"),
    ]
    assert (ours["issues"], ours["repaired"]) == (0, False)
    states = [(m.extra["mark"], m.source, m.id) for m in decode_pending((written / "pending.md").read_bytes()).memories]
    assert states == [("✓", "compaction", "080e88fb73"), ("○", "auto", "64925f2c02"), ("✗", "auto", "14868502b1")]
    assert not decode_pending((written / "pending.md").read_bytes()).problems


def test_ids_that_are_no_hashes_are_kept() -> None:
    items = pending.parse((SAMPLES / "04-digital-twin-pending.md").read_bytes()).items
    assert [item.id for item in items] == [f"twin-{number:03}" for number in range(1, 11)]
    assert {item.state for item in items} == {"promoted"}


@pytest.mark.parametrize("file", sorted(SAMPLES.rglob("*.md")) if SAMPLES.exists() else [], ids=lambda file: file.name)
def test_every_sample_is_written_back_to_the_byte(file: Path) -> None:
    data = file.read_bytes()
    assert grammar.render(grammar.parse(data)) == data
    assert pending.render(pending.parse(data)) == data
