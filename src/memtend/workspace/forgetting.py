"""Bringing a memory back, and making the vault forget one for good.

Forgetting is the one act that cannot be undone. It goes wherever the vault has the memory's words: its file, parts of
other memories that came from it, derived pages, the index, the usage counts and the journal's images. Then it looks
once more, and names what still has them and what it cannot reach.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtend.change import Change, ChangeSet, FileEdit, Verb
from memtend.distill import log
from memtend.distill.retire import MERGED_INTO, draft_restore
from memtend.errors import DamagedJournal, NotFound, Refused, UnknownMemory
from memtend.markdown import sections
from memtend.memory import Digest, Memory, MemoryId, digest_of
from memtend.search import usage
from memtend.store.git import Git
from memtend.store.journal import Pruned
from memtend.store.receipt import Receipt
from memtend.workspace.health import ProjectHealth
from memtend.workspace.naming import PREFIX, find
from memtend.workspace.preview import Preview
from memtend.workspace.upkeep import Upkeep

if TYPE_CHECKING:
    from memtend.workspace import Workspace

_TELLING = 8
"""Letters of a line from which it tells something."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A memory that is back in use."""

    id: MemoryId
    receipt: Receipt
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values."""
        return {"id": self.id, "receipt": self.receipt.to_json(), "warnings": list(self.warnings)}


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What forgetting did, or would do."""

    id: MemoryId
    path: str
    changed: tuple[str, ...] = ()
    """Other memories that had parts of it."""
    receipt: Receipt | None = None
    erased_images: tuple[str, ...] = ()
    """Receipts whose contents went from the journal with it."""
    remains: tuple[str, ...] = ()
    """What still has its words, and what cannot be reached, one sentence each."""

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values. Nothing of the memory's text is in it."""
        return {
            "id": self.id,
            "path": self.path,
            "changed": list(self.changed),
            "receipt": self.receipt.id if self.receipt else None,
            "journal": list(self.erased_images),
            "remains": list(self.remains),
        }


def retired(workspace: "Workspace", name: str) -> Memory:
    """The retired memory that goes by a name, without its content. Raises UnknownMemory, Refused for an active one."""
    known = find(workspace.memories(include_retired=True), name)
    if known.is_active:
        raise Refused(f"{known.id} is in use already", hint="`memtend list --all` shows which memories are retired.")
    return known


def restore(workspace: "Workspace", name: str, *, commit: bool | None = None) -> Restored:
    """Bring a retired memory back into use, also out of a merge. Raises UnknownMemory, Refused for an active one."""
    known = retired(workspace, name)
    memories = workspace.memories(include_retired=True)
    preview = Preview(workspace, memories)
    into = MemoryId(known.retired_reason.removeprefix(MERGED_INTO))
    is_there = known.retired_reason.startswith(MERGED_INTO) and any(memory.id == into for memory in memories)
    primary = preview.memory(into) if is_there else None
    draft = draft_restore(preview.memory(known.id), primary, workspace.now.date().isoformat())
    receipt = Upkeep(workspace).apply(draft.change_set, commit=commit)
    return Restored(known.id, receipt, (*draft.warnings, *receipt.warnings))


def prune(workspace: "Workspace", before: datetime | None = None) -> Pruned:
    """Erase what the journal knows of the time before, or all of it: that can then no longer be undone."""
    limit = before if before is not None else max(workspace.now, datetime.now(UTC)) + timedelta(seconds=1)
    pruned = workspace.store.prune(limit, now=workspace.now)
    ProjectHealth(workspace).forget({receipt.id for receipt in workspace.log(with_bookkeeping=True)})
    return pruned


def plan_forget(workspace: "Workspace", name: str) -> Forgotten:
    """What forgetting a memory would touch. Writes nothing. Raises UnknownMemory."""
    forgetting = _Forgetting(workspace, name)
    return Forgotten(forgetting.id, forgetting.path, tuple(change.memory_id for change in forgetting.copies()))


def forget(workspace: "Workspace", name: str, *, commit: bool | None = None) -> Forgotten:
    """Erase a memory everywhere in the vault. Raises UnknownMemory; what stood in the way is named in the answer.

    May be run again after an interruption, also when the file is gone already.
    """
    return _Forgetting(workspace, name).carry_out(commit)


class _Forgetting:
    """One memory, every version of it that the vault knows, and where its words stand."""

    def __init__(self, workspace: "Workspace", name: str) -> None:
        self._workspace = workspace
        self._memories = workspace.memories(include_retired=True)
        self.id, self.path = self._found(name)
        self._preview = Preview(workspace, self._memories)
        self._is_there = any(memory.id == self.id for memory in self._memories)
        self._versions = self._known_versions()

    def _found(self, name: str) -> tuple[MemoryId, str]:
        """The memory that a name means, or one that is gone and of which the vault still knows."""
        try:
            memory = find(self._memories, name)
        except UnknownMemory:
            for id in (name.strip().removesuffix(".md"), PREFIX + name.strip()):
                for path in self._touched_paths():
                    if path.rpartition("/")[2] == f"{id}.md":
                        return MemoryId(id), path
            raise
        return memory.id, memory.place.path

    def _touched_paths(self) -> set[str]:
        claims = self._workspace.layout.claims
        return {
            edit.path
            for record in self._workspace.store.journal.history().records
            for edit in record.edits
            if claims(edit.path)
        }

    def _known_versions(self) -> dict[Digest, bytes]:
        """The bytes of the file as it is, and as the journal knows it was."""
        found: dict[Digest, bytes] = {}
        if self._is_there:
            data = self._preview.file(self.path)
            found[digest_of(data)] = data
        journal = self._workspace.store.journal
        for record in journal.history().records:
            for edit in record.edits:
                for digest in (edit.before, edit.after):
                    if edit.path == self.path and digest is not None and digest not in found:
                        with suppress(DamagedJournal):
                            found[digest] = journal.image(digest)
        return found

    def copies(self) -> list[Change]:
        """The changes that take parts of the memory out of other memories."""
        return [change for memory in self._others() if (change := self._without(memory)) is not None]

    def _others(self) -> Iterator[Memory]:
        marks = (f"Merged From {self.id}".encode(), f"# {self.id}: ".encode())
        for known in self._memories:
            if known.id != self.id and any(mark in self._preview.file(known.place.path) for mark in marks):
                yield self._preview.memory(known.id)

    def _without(self, memory: Memory) -> Change | None:
        texts = {name: getattr(memory, name) for name in ("content", "trailing", "history")}
        new = {name: without_parts(text, self.id) for name, text in texts.items()}
        changed: dict[str, Any] = {name: text for name, text in new.items() if text != texts[name]}
        if not (new["content"] or new["trailing"]):
            changed["content"] = f"A part that came from {self.id} was erased on request."
        return Change(Verb.UPDATE, memory.id, memory.digest, changed) if changed else None

    def carry_out(self, commit: bool | None) -> Forgotten:
        """Erase it, then look what is left."""
        copies = self.copies()
        held = self._holds(self._fragments(copies))
        receipt = self._erase(copies, commit)
        workspace = self._workspace
        erased = workspace.store.scrub(held, now=workspace.now)
        workspace.forget_index()
        with suppress(OSError):
            usage.forget(workspace.own_folder, [self.id], workspace.now.isoformat())
        return Forgotten(
            self.id,
            self.path,
            tuple(change.memory_id for change in copies),
            receipt,
            erased,
            tuple(self._remains(held, copies)),
        )

    def _erase(self, copies: list[Change], commit: bool | None) -> Receipt | None:
        changes = list(copies)
        if self._is_there:
            changes.append(Change(Verb.ERASE, self.id, self._preview.memory(self.id).digest))
        edits = tuple(self._log_edit())
        if not changes and not edits:
            return None
        change_set = ChangeSet(tuple(changes), edits, note=f"forget {self.id}")
        return Upkeep(self._workspace).apply(change_set, allow_large=True, commit=commit)

    def _log_edit(self) -> Iterator[FileEdit]:
        with suppress(NotFound):
            data = self._workspace.store.read_file(log.LOG)
            after = log.without_memory(data, self.id)
            if after != data:
                yield FileEdit(log.LOG, digest_of(data), after, derived=True)

    def _fragments(self, copies: Iterable[Change]) -> set[bytes]:
        """The lines that the memory alone says, and how derived pages name it."""
        told = {line for data in self._versions.values() for line in _lines(data)}
        changed = {change.memory_id: change.fields for change in copies}
        for memory in self._memories:
            if memory.id != self.id:
                told -= set(_lines(self._after(memory, changed)))
        name = self.id.encode()
        rows = {b'"id": "' + name + b'"', b"/" + name + b".md)", b"](" + name + b".md)"}
        return told | rows

    def _after(self, memory: Memory, changed: Mapping[MemoryId, Mapping[str, Any]]) -> bytes:
        """Another memory's file, without the parts that are to go."""
        fields = changed.get(memory.id)
        if fields is None:
            return self._preview.file(memory.place.path)
        whole = self._preview.memory(memory.id)
        texts = [str(fields.get(name, getattr(whole, name))) for name in ("content", "trailing", "history")]
        return "\n".join((whole.title, whole.summary, whole.connections, *texts)).encode()

    def _holds(self, fragments: set[bytes]) -> "_Holds":
        return _Holds(set(self._versions), fragments)

    def _remains(self, held: "_Holds", copies: Iterable[Change]) -> Iterator[str]:
        """What still has its words, and what cannot be reached."""
        workspace = self._workspace
        for path in _files(workspace.root):
            with suppress(OSError), open(os.path.join(workspace.root, path), "rb") as file:
                if held.says(file.read()):
                    yield f"{path} still has words of it: edit it, or forget that too"
        for data in list(self._versions.values())[:1]:
            source = workspace.layout.decode(self.path, data).memories[0].source
            if source and os.path.exists(os.path.join(workspace.project, source)):
                yield f"its source {source} still says it"
        for change in copies:
            yield f"{change.memory_id} keeps the keywords and tags that it got from it"
        for source in (memory.id for memory in workspace.memories() if self.id in memory.links):
            yield f"{source} still links to it"
        if Git().remembers(Path(workspace.root), self.path):
            yield "git's history still has it; `git filter-repo` or a new repository takes it out"
        yield "other vaults, clones, backups and what agents have read are out of reach"


class _Holds:
    """Whether some bytes have words of a memory."""

    def __init__(self, digests: set[Digest], fragments: set[bytes]) -> None:
        self._digests = digests
        ordered = sorted(fragments, key=lambda fragment: (-len(fragment), fragment))
        self._pattern = re.compile(b"|".join(map(re.escape, ordered))) if ordered else None

    def __call__(self, data: bytes) -> bool:
        return digest_of(data) in self._digests or self.says(data)

    def says(self, data: bytes) -> bool:
        """Whether a line of the memory stands in there."""
        return self._pattern is not None and self._pattern.search(data) is not None


def _lines(data: bytes) -> Iterator[bytes]:
    """The lines of a file that tell something: those of its body, and the values of title and summary."""
    for line in data.splitlines():
        told = line.strip().lstrip(b"#>*+- \t").strip()
        for key in (b"title:", b"summary:"):
            if told.startswith(key):
                told = told.removeprefix(key).strip().strip(b"\"'")
        if len(told) >= _TELLING and not _KEY.match(told) and any(byte > 64 for byte in told):
            yield told


_KEY = re.compile(
    rb"(?:created|modified|tags|topic|source|keywords|category|status|tombstoned_at|tombstone_reason|retrieval_count"
    rb"|last_retrieved|token_count):|\*\*(?:Source|Merged|Overlap Score)\*\*:|(?:Previous Version|Extension) \("
)
"""Lines that many memories have."""


def without_parts(text: str, id: MemoryId) -> str:
    """A text without the sections and History entries that came from a memory."""
    data = text.encode()
    gone = [
        (section.start, section.end)
        for section in sections(data)
        if section.title.strip() == f"Merged From {id}" or section.title.startswith(f"{id}: ")
    ]
    for start, end in reversed(_outermost(gone)):
        data = (
            data[:start].rstrip(b"\n") + (b"\n\n" if data[:start].strip() and data[end:].strip() else b"") + data[end:]
        )
    return data.decode().strip("\n") if gone else text


def _outermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def _files(root: str) -> Iterator[str]:
    """Every file below the vault but git's own and what was put aside for a write."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in (".git", "tmp", "objects"))
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
