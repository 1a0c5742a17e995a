"""The vault layout on a vault that grew by hand and by other tools; skipped where it is not at hand."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from contract import LATER, NOW
from vault_case import LAYOUT, NEW, lines, made, read

from memtend.change import Change, ChangeSet, Verb
from memtend.layouts import Usage
from memtend.memory import Memory, MemoryId

SAMPLE = Path(__file__).parents[2].parent / "shared" / "samples" / "vault" / "dot-memory"


@pytest.fixture
def sample() -> Iterator[dict[str, bytes]]:
    if not SAMPLE.is_dir():
        pytest.skip(f"the sample vault is missing: {SAMPLE}")
    yield {
        path.relative_to(SAMPLE).as_posix(): path.read_bytes()
        for path in sorted(SAMPLE.rglob("*"))
        if path.is_file() and ".obsidian" not in path.parts
    }


def _sample_memories(tree: dict[str, bytes]) -> list[Memory]:
    decoded = [LAYOUT.decode(path, data) for path, data in tree.items() if LAYOUT.claims(path)]
    assert [problem for each in decoded for problem in each.problems] == []
    return [memory for each in decoded for memory in each.memories]


def test_every_file_of_the_real_vault_is_read_and_set_back_byte_for_byte(sample: dict[str, bytes]) -> None:
    memories = _sample_memories(sample)
    assert len(memories) == 18
    for memory in memories:
        data = sample[memory.place.path]
        tree = {memory.place.path: data}
        for name in ("content", "history", "title", "summary", "retrieval_count", "last_retrieved", "tags"):
            value = {"retrieval_count": 5, "tags": (*memory.tags, "x")}.get(name, "2026-01-01")
            (edit,) = LAYOUT.encode(
                ChangeSet((Change(Verb.REFINE, memory.id, memory.digest, {name: value}),)), tree, NOW
            )
            there = LAYOUT.decode(memory.place.path, edit.after or b"").memories[0]
            back = Change(Verb.REFINE, memory.id, None, {name: getattr(memory, name)})
            (edit,) = LAYOUT.encode(ChangeSet((back,)), {memory.place.path: edit.after or b""}, NOW)
            found = LAYOUT.decode(memory.place.path, edit.after or b"").memories[0]
            assert (getattr(there, name), found.text) == (value, memory.text)
            counts = [
                b"\n".join(line for line in lines(d) if not line.startswith(b"token_count"))
                for d in (data, edit.after or b"")
            ]
            assert counts[0] == counts[1], (memory.id, name)


def test_o_va_01_o_va_02_the_real_vault_is_compared_with_its_pages(sample: dict[str, bytes]) -> None:
    memories = _sample_memories(sample)
    found = LAYOUT.compare(memories, {path: sample[path] for path in LAYOUT.derived_paths})
    said = [f"{problem.path}: {problem.message}" for problem in found]
    assert [line for line in said if "39 retrievals, last 2026-06-22; the file has 0" in line]
    assert [line for line in said if line.startswith("20-Indices/index.md: lists 1 of 18 memories")]
    assert [line for line in said if line.startswith("10-Memories/README.md: lists 0 of 18 memories")]
    codes = [problem.code for problem in found]
    assert codes.count("usage-only-in-index") == 8
    assert len([p for p in found if p.code == "index-differs" and "topic" in p.message]) == 14


def test_the_real_vault_keeps_its_usage_and_its_prose_when_its_pages_are_rebuilt(sample: dict[str, bytes]) -> None:
    memories = _sample_memories(sample)
    pages = {path: sample[path] for path in LAYOUT.derived_paths}
    usage = LAYOUT.usage(pages)
    assert usage[MemoryId("MEM-plan-delegation-required")] == Usage(39, "2026-06-22")
    drawn = pages | {edit.path: edit.after or b"" for edit in LAYOUT.reindex(memories, pages, NOW)}
    assert LAYOUT.usage(drawn) == usage
    old = sample["20-Indices/index.md"]
    assert old[old.index(b"## JSON Index") : old.index(b"## Statistics")].strip() in drawn["20-Indices/index.md"]
    assert drawn["20-Indices/index.md"].startswith(old[: old.index(b"## Recent")])
    assert LAYOUT.reindex(memories, drawn, LATER) == ()
    assert [p.code for p in LAYOUT.compare(memories, drawn)] == ["usage-only-in-index"] * 8


def test_the_template_of_the_real_vault_makes_memories(sample: dict[str, bytes]) -> None:
    text = made(NEW, {LAYOUT.template_path: sample[LAYOUT.template_path]})
    assert read(text.encode()).content == NEW.content
    keys = [line.partition(":")[0] for line in text.split("\n---\n")[0].split("\n")[1:12]]
    assert keys[:6] == ["title", "created", "tags", "topic", "source", "modified"]
    assert keys[6:] == ["retrieval_count", "last_retrieved", "keywords", "summary", "token_count"]
