"""What every layout owes the store: one suite, which each layout's test file runs over its own case.

    @pytest.mark.parametrize("law", LAWS, ids=name_of)
    def test_the_vault_keeps_the_contract(law: Law) -> None:
        law(CASE)

A case is a made-up store and what may be done to it. A law that does not apply (a layout that retires nothing)
returns early because the case says so, never because something failed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memtend.body import tidy
from memtend.change import Change, ChangeSet, FileEdit, Verb, applied, created, differences, restored, retired
from memtend.errors import Conflict, Refused, UnknownMemory
from memtend.layouts import Layout, Tree
from memtend.memory import Memory, MemoryId, digest_of

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)
LATER = datetime(2027, 1, 2, tzinfo=UTC)
UNSAFE_IDS = (
    "../../x",
    "a/../../x",
    "..\\..\\x",
    "/etc/x",
    "~/x",
    "MEM-a/../../../x",
    "MEM-a\x00",
    ".git/config",
    "",
    ".",
)


@dataclass(frozen=True, kw_only=True)
class LayoutCase:
    """One layout with a store to try it on."""

    layout: Layout
    tree: Mapping[str, bytes]
    """A store as people have it: several memories, odd but legal forms, no derived pages."""
    new: Memory
    """A memory that is not in the store and could be."""
    edits: Mapping[str, Any]
    """New values that any memory of the store can take, by field; each is set alone, and set back."""
    can_retire: bool = True
    can_erase: bool = True
    has_unsafe_ids: bool = True
    """Whether an id names a file."""
    exceptions: Mapping[MemoryId, frozenset[str]] = field(default_factory=dict)
    """Memories with fields that cannot be set back to the same bytes, because the file has them in another form."""

    def memories(self, tree: Tree | None = None) -> dict[MemoryId, Memory]:
        """All memories of a tree by id."""
        files = self.tree if tree is None else tree
        found = [
            memory
            for path, data in files.items()
            if self.layout.claims(path)
            for memory in self.layout.decode(path, data).memories
        ]
        by_id = {memory.id: memory for memory in found}
        assert len(by_id) == len(found), "two memories with one id"
        return by_id

    def encode(self, *changes: Change, tree: Tree | None = None) -> tuple[FileEdit, ...]:
        """The edits to a tree that some changes come to."""
        return self.layout.encode(ChangeSet(changes), self.tree if tree is None else tree, NOW)

    def after(self, *changes: Change, tree: Tree | None = None) -> dict[str, bytes]:
        """A tree as some changes leave it; checks what every edit must say."""
        files = dict(self.tree if tree is None else tree)
        for edit in self.encode(*changes, tree=files):
            before = files.get(edit.path)
            assert edit.before == (None if before is None else digest_of(before)), edit.path
            assert edit.after != before, f"{edit.path}: an edit that changes nothing"
            if edit.after is None:
                del files[edit.path]
            else:
                files[edit.path] = edit.after
        return files


Law = Callable[[LayoutCase], None]


def name_of(law: Law) -> str:
    """A law as a test's name."""
    return law.__name__


def _set(memory: Memory, **fields: Any) -> Change:
    return Change(Verb.REFINE, memory.id, memory.digest, fields)


def what_is_read_says_where_it_was_read(case: LayoutCase) -> None:
    """Place and digest are those of the file."""
    assert case.memories(), "a case without memories"
    for path, data in case.tree.items():
        if case.layout.claims(path):
            for memory in case.layout.decode(path, data).memories:
                assert memory.place.path == path
                assert memory.digest == digest_of(data)


def texts_have_plain_line_ends_and_no_blank_lines_around(case: LayoutCase) -> None:
    """Whatever the file has (Memory)."""
    for memory in case.memories().values():
        for text in (memory.content, memory.trailing, memory.history, memory.connections):
            assert text == tidy(text)


def encoding_nothing_plans_nothing(case: LayoutCase) -> None:
    """Neither no changes nor changes to what is there already."""
    assert case.encode() == ()
    for memory in case.memories().values():
        same = {name: getattr(memory, name) for name in case.edits}
        assert case.encode(_set(memory, **same)) == ()


def a_changed_field_reads_back_and_nothing_else_moves(case: LayoutCase) -> None:
    """Every field of every memory, one by one."""
    memories = case.memories()
    for memory in memories.values():
        for name, value in case.edits.items():
            change = _set(memory, **{name: value})
            files = case.after(change)
            assert differences(applied(memories, [change]), case.memories(files)) == [], (memory.id, name)
            kept = {path for path in files if files[path] == case.tree.get(path)}
            assert kept >= set(case.tree) - {memory.place.path}, "another file was touched"


def a_field_set_back_leaves_the_same_bytes(case: LayoutCase) -> None:
    """Unless the case says that the file has it in a form of its own."""
    for memory in case.memories().values():
        for name, value in case.edits.items():
            if name in case.exceptions.get(memory.id, ()):
                continue
            files = case.after(_set(memory, **{name: value}))
            there = case.memories(files)[memory.id]
            back = case.after(_set(there, **{name: getattr(memory, name)}), tree=files)
            assert back[memory.place.path] == case.tree[memory.place.path], (memory.id, name)


def all_fields_at_once_read_back(case: LayoutCase) -> None:
    """Changes of one memory may come in several pieces."""
    memories = case.memories()
    for memory in memories.values():
        changes = [_set(memory, **{name: value}) for name, value in case.edits.items()]
        assert differences(applied(memories, changes), case.memories(case.after(*changes))) == []


def what_is_created_reads_back(case: LayoutCase) -> None:
    """And leaves every other memory as it was."""
    memories = case.memories()
    change = created(case.new)
    assert differences(applied(memories, [change]), case.memories(case.after(change))) == []


def what_is_created_can_be_changed_and_created_no_second_time(case: LayoutCase) -> None:
    """The file of a new memory is a file like any other."""
    files = case.after(created(case.new))
    there = case.memories(files)[case.new.id]
    for name, value in case.edits.items():
        assert getattr(case.memories(case.after(_set(there, **{name: value}), tree=files))[there.id], name) == value
    with pytest.raises((Conflict, Refused)):
        case.encode(created(case.new), tree=files)


def what_is_erased_is_gone_and_the_rest_is_there(case: LayoutCase) -> None:
    """For each memory alone, and for all."""
    if not case.can_erase:
        return
    memories = case.memories()
    erasures = [Change(Verb.ERASE, memory.id, memory.digest) for memory in memories.values()]
    for erasure in erasures:
        assert differences(applied(memories, [erasure]), case.memories(case.after(erasure))) == []
    assert case.memories(case.after(*erasures)) == {}


def retiring_and_restoring_leaves_the_same_bytes(case: LayoutCase) -> None:
    """A retired memory keeps its file and says when and why."""
    if not case.can_retire:
        return
    for memory in case.memories().values():
        if not memory.is_active:
            continue
        files = case.after(retired(memory, at="2026-06-30", reason="purge"))
        there = case.memories(files)[memory.id]
        assert (there.is_active, there.retired_at, there.retired_reason) == (False, "2026-06-30", "purge")
        assert case.after(restored(there), tree=files) == case.tree


def a_change_to_what_is_not_there_is_refused(case: LayoutCase) -> None:
    """Before anything is planned."""
    with pytest.raises((UnknownMemory, Conflict)):
        case.encode(Change(Verb.REFINE, MemoryId("MEM-nobody-knows"), None, dict(case.edits)))


def a_change_decided_on_other_bytes_is_refused(case: LayoutCase) -> None:
    """With the digest of a file that was different (O-CC-02)."""
    memory = next(iter(case.memories().values()))
    name, value = next(iter(case.edits.items()))
    with pytest.raises(Conflict):
        case.encode(Change(Verb.REFINE, memory.id, digest_of(b"another"), {name: value}))


def o_fs_04_an_id_that_is_no_file_name_is_refused(case: LayoutCase) -> None:
    """By the law while planning, and by the encoder while writing."""
    if not case.has_unsafe_ids:
        return
    for id in UNSAFE_IDS:
        change = created(replace(case.new, id=MemoryId(id)))
        assert case.layout.admits(ChangeSet((change,)), case.memories()), id
        with pytest.raises(Refused):
            case.encode(change)


def the_law_lets_plain_changes_pass(case: LayoutCase) -> None:
    """A creation and one change to each memory."""
    memories = case.memories()
    name, value = next(iter(case.edits.items()))
    changes = (created(case.new), *(_set(memory, **{name: value}) for memory in memories.values()))
    assert list(case.layout.admits(ChangeSet(changes), memories)) == []


def pages_are_drawn_once_and_stay_whatever_the_day(case: LayoutCase) -> None:
    """Reindexing what was reindexed plans nothing; neither does the order of the memories."""
    memories = list(case.memories().values())
    edits = case.layout.reindex(memories, {}, NOW)
    pages = {edit.path: edit.after for edit in edits if edit.after is not None}
    assert set(pages) <= set(case.layout.derived_paths)
    assert all(edit.derived and edit.before is None for edit in edits)
    assert case.layout.reindex(memories, pages, LATER) == ()
    assert case.layout.reindex(memories[::-1], pages, LATER) == ()
    lean = [replace(memory, content="", history="", trailing="", connections="") for memory in memories]
    assert case.layout.reindex(lean, pages, LATER) == ()


def usage_in_the_pages_is_never_lowered(case: LayoutCase) -> None:
    """What the pages know comes back, and drawing them anew with less keeps it."""
    used = [replace(memory, retrieval_count=7, last_retrieved="2026-06-20") for memory in case.memories().values()]
    pages = {edit.path: edit.after or b"" for edit in case.layout.reindex(used, {}, NOW)}
    known = case.layout.usage(pages)
    fewer = [replace(memory, retrieval_count=1, last_retrieved="2026-06-01") for memory in used]
    again = pages | {edit.path: edit.after or b"" for edit in case.layout.reindex(fewer, pages, LATER)}
    assert dict(case.layout.usage(again)) == dict(known)


def damaged_pages_stop_neither_reading_nor_drawing(case: LayoutCase) -> None:
    """O-CC-04."""
    memories = list(case.memories().values())
    whole = {edit.path: edit.after or b"" for edit in case.layout.reindex(memories, {}, NOW)}
    for path, data in whole.items():
        for damaged in (b"", b"\xff\xfe\x00", data[:-20], b"null", b"[]", b"{" * 5000):
            pages = whole | {path: damaged}
            case.layout.usage(pages)
            drawn = pages | {edit.path: edit.after or b"" for edit in case.layout.reindex(memories, pages, NOW)}
            assert case.layout.reindex(memories, drawn, LATER) == ()


def usage_carried_over_touches_nothing_else(case: LayoutCase) -> None:
    """Onto an older image; never down, and not at all where there is nothing to carry."""
    for path, data in case.tree.items():
        if not case.layout.claims(path):
            continue
        assert case.layout.carry_usage(data, data) == data
        before = {memory.id: memory for memory in case.layout.decode(path, data).memories}
        raised = [_set(memory, retrieval_count=memory.retrieval_count + 3) for memory in before.values()]
        if "retrieval_count" not in case.edits or not raised:
            continue
        more = case.after(*raised)[path]
        assert case.layout.carry_usage(data, more) == more
        carried = case.layout.decode(path, case.layout.carry_usage(more, data)).memories
        meant = {id: replace(memory, retrieval_count=memory.retrieval_count + 3) for id, memory in before.items()}
        assert differences(meant, {memory.id: memory for memory in carried}) == []


def no_bytes_stop_the_reading(case: LayoutCase) -> None:
    """Binary, cut, in another encoding, with line ends of another system."""
    for path, data in case.tree.items():
        if case.layout.claims(path):
            for odd in (
                b"",
                b"\x00",
                b"\xff\xfe",
                data[: len(data) // 2],
                data.replace(b"\n", b"\r"),
                b"---\n",
                b"\xe9" * 9,
            ):
                case.layout.decode(path, odd)


def a_new_store_is_empty_and_needs_no_upkeep(case: LayoutCase) -> None:
    """Its files are new, inside the store, read without a problem, and its pages are up to date."""
    edits = list(case.layout.skeleton(NOW))
    files = {edit.path: edit.after or b"" for edit in edits}
    assert len(files) == len(edits)
    assert all(edit.before is None for edit in edits)
    assert not [path for path in files if path.startswith("/") or ".." in path.split("/")]
    assert case.memories(files) == {}
    assert not [
        p for path, data in files.items() if case.layout.claims(path) for p in case.layout.decode(path, data).problems
    ]
    pages = {path: data for path, data in files.items() if path in case.layout.derived_paths}
    assert case.layout.reindex([], pages, LATER) == ()


LAWS: tuple[Law, ...] = (
    what_is_read_says_where_it_was_read,
    texts_have_plain_line_ends_and_no_blank_lines_around,
    encoding_nothing_plans_nothing,
    a_changed_field_reads_back_and_nothing_else_moves,
    a_field_set_back_leaves_the_same_bytes,
    all_fields_at_once_read_back,
    what_is_created_reads_back,
    what_is_created_can_be_changed_and_created_no_second_time,
    what_is_erased_is_gone_and_the_rest_is_there,
    retiring_and_restoring_leaves_the_same_bytes,
    a_change_to_what_is_not_there_is_refused,
    a_change_decided_on_other_bytes_is_refused,
    o_fs_04_an_id_that_is_no_file_name_is_refused,
    the_law_lets_plain_changes_pass,
    pages_are_drawn_once_and_stay_whatever_the_day,
    usage_in_the_pages_is_never_lowered,
    damaged_pages_stop_neither_reading_nor_drawing,
    usage_carried_over_touches_nothing_else,
    no_bytes_stop_the_reading,
    a_new_store_is_empty_and_needs_no_upkeep,
)
"""Every law, in the order of a store's life."""
