"""The store over the vault layout: what the two promise together."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from plain_layout import quick_folder

from memtend.change import Change, ChangeSet, Verb, created, retired
from memtend.errors import GuardTripped, Refused, StaleDecision
from memtend.layouts import Usage
from memtend.layouts.vault import VaultLayout
from memtend.memory import Digest, Memory, MemoryId, Place
from memtend.store.apply import Store
from memtend.store.check import findings

NOW = datetime(2026, 6, 30, 10, 15, tzinfo=UTC)
SAMPLE = Path(__file__).parents[2].parent / "shared" / "samples" / "vault" / "dot-memory"


@pytest.fixture
def vault() -> Iterator[Store]:
    """A new vault with eight memories."""
    with quick_folder() as folder:
        store = Store(folder / ".memory", VaultLayout())
        store.create(now=NOW)
        store.apply(ChangeSet(tuple(learned(store, f"MEM-{n}") for n in range(8))), now=NOW, commit=False)
        yield store


@pytest.fixture
def sample() -> Iterator[Store]:
    """A vault that people and other tools made."""
    if not SAMPLE.is_dir():
        pytest.skip(f"the sample vault is missing: {SAMPLE}")
    with quick_folder() as folder:
        shutil.copytree(SAMPLE, folder / ".memory")
        yield Store(folder / ".memory", VaultLayout())


def learned(store: Store, name: str) -> Change:
    memory = Memory(
        id=MemoryId(name),
        place=Place(""),
        digest=Digest(""),
        title=f"About {name}",
        content=f"What {name} says.\n\nAnd more of it.",
        topic="python/testing",
        category="PATTERN",
        tags=("PATTERN",),
        keywords=("fixture", "assert"),
        summary="In short",
        created="2026-06-30",
        modified="2026-06-30",
    )
    layout = VaultLayout()
    return created(layout.framed(memory, {layout.template_path: store.read_file(layout.template_path)}))


def tree_of(store: Store) -> dict[str, bytes]:
    files = (file for file in sorted(store.root.rglob("*")) if file.is_file() and ".memtend" not in file.parts)
    return {str(file.relative_to(store.root)): file.read_bytes() for file in files}


def test_a_vault_that_was_made_and_filled_has_no_findings(vault: Store) -> None:
    assert len(vault.read().memories) == 8
    assert findings(vault, NOW) == ()


def test_changes_and_their_undo_come_out_to_the_byte(vault: Store) -> None:
    before = tree_of(vault)
    memories = vault.read().memories
    first, second = memories[MemoryId("MEM-0")], memories[MemoryId("MEM-1")]
    change_set = ChangeSet(
        (
            Change(Verb.EXTEND, first.id, first.digest, {"content": f"{first.content}\n\n## Extension\n\nMore."}),
            retired(second, at="2026-06-30", reason="purge"),
            learned(vault, "MEM-new"),
        )
    )
    vault.apply(change_set, now=NOW, commit=False)
    assert findings(vault, NOW) == ()
    assert set(vault.read().memories) == {*memories, "MEM-new"}
    vault.undo(now=NOW, commit=False)
    assert tree_of(vault) == before


def test_the_catalogue_and_a_full_reading_give_the_same_pages(vault: Store) -> None:
    with quick_folder() as folder:
        shutil.copytree(vault.root, folder / ".memory")
        slim = [replace(memory, content="", history="") for memory in vault.read().memories.values()]
        quick = Store(folder / ".memory", VaultLayout(), catalogue=lambda: slim)
        for store in (vault, quick):
            store.apply(ChangeSet((learned(store, "MEM-new"),)), now=NOW, commit=False)
        assert tree_of(quick) == tree_of(vault)


def test_usage_reaches_the_frontmatter_and_survives_the_undo(vault: Store) -> None:
    usage = {MemoryId("MEM-3"): Usage(4, "2026-06-29")}
    vault.apply(ChangeSet((learned(vault, "MEM-new"),)), now=NOW, commit=False, usage=usage)
    vault.undo(now=NOW, commit=False)
    memory = vault.read().memories[MemoryId("MEM-3")]
    assert (memory.retrieval_count, memory.last_retrieved) == (4, "2026-06-29")
    assert findings(vault, NOW) == ()


def test_o_fs_06_a_name_that_differs_only_in_case_is_not_made(vault: Store) -> None:
    before = tree_of(vault)
    vault.apply(ChangeSet((learned(vault, "MEM-Config"),)), now=NOW, commit=False)
    with pytest.raises((StaleDecision, Refused), match="MEM-config"):
        vault.apply(ChangeSet((learned(vault, "MEM-config"),)), now=NOW, commit=False)
    vault.undo(now=NOW, commit=False)
    assert tree_of(vault) == before


def test_a_purge_of_a_third_is_guarded(vault: Store) -> None:
    chosen = list(vault.read().memories.values())[:3]
    change_set = ChangeSet(tuple(retired(memory, at="2026-06-30", reason="purge") for memory in chosen))
    with pytest.raises(GuardTripped):
        vault.apply(change_set, now=NOW, commit=False)


def test_learning_into_a_grown_vault_and_taking_it_back_leaves_every_byte(sample: Store) -> None:
    before = tree_of(sample)
    sample.apply(ChangeSet((learned(sample, "MEM-new"),)), now=NOW, commit=False)
    assert {path for path, data in tree_of(sample).items() if before.get(path) != data} == {
        "10-Memories/MEM-new.md",
        "10-Memories/README.md",
        "20-Indices/index.md",
        "memory-index.json",
    }
    sample.undo(now=NOW, commit=False)
    assert tree_of(sample) == before


def test_o_va_01_usage_that_only_the_index_of_a_grown_vault_knows_is_never_lost(sample: Store) -> None:
    layout = VaultLayout()
    known = layout.usage({"memory-index.json": sample.read_file("memory-index.json")})
    assert sum(usage.times for usage in known.values()) >= 39
    sample.apply(ChangeSet((learned(sample, "MEM-new"),)), now=NOW, commit=False)
    assert layout.usage({"memory-index.json": sample.read_file("memory-index.json")}) == known
    used = max(known, key=lambda id: known[id].times)
    memory = sample.read().memories[used]
    change = Change(Verb.REFINE, used, memory.digest, {"summary": "Told anew"})
    sample.apply(ChangeSet((change,)), now=NOW, commit=False)
    assert sample.read().memories[used].retrieval_count == known[used].times
