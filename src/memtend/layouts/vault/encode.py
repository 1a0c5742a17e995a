"""From changes to file edits, byte-precise: only what a change touches differs (vault spec, 1 and 2.4)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from memtend import frontmatter
from memtend.change import Change, ChangeSet, FileEdit, Verb, differences
from memtend.errors import OutsideStore, Refused, StaleDecision, UnknownMemory
from memtend.layouts import Tree
from memtend.layouts.vault.decode import Read, id_of, read_file
from memtend.layouts.vault.keys import ORDER, USAGE_KEYS, changed_keys, in_order
from memtend.layouts.vault.parts import Texts
from memtend.layouts.vault.paths import MEMORIES, TEMPLATE, claims
from memtend.layouts.vault.regions import retold
from memtend.layouts.vault.template import filled
from memtend.memory import Digest, Memory, MemoryId, Place, digest_of


def encode(change_set: ChangeSet, tree: Tree) -> tuple[FileEdit, ...]:
    """The edits that make the changes, one for each file; see `Layout.encode`.

    Changes of one memory follow one another. Raises OutsideStore for an id that is no file name, UnknownMemory,
    StaleDecision, and Refused where a file cannot be edited safely.
    """
    by_memory: dict[MemoryId, list[Change]] = {}
    for change in change_set.changes:
        by_memory.setdefault(change.memory_id, []).append(change)
    return tuple(edit for id, changes in by_memory.items() for edit in _edits(id, changes, tree))


def _edits(id: MemoryId, changes: list[Change], tree: Tree) -> Iterable[FileEdit]:
    if changes[0].verb is Verb.CREATE:
        yield _creation(id, changes, tree)
        return
    path, data = _located(id, changes[0].digest, tree)
    if changes[-1].verb is Verb.ERASE:
        yield FileEdit(path, digest_of(data), None)
        return
    after = edited(path, data, _all_fields(changes))
    if after != data:
        yield FileEdit(path, digest_of(data), after)


def _all_fields(changes: Iterable[Change]) -> dict[str, Any]:
    """What changes of one memory come to, the last word counting."""
    return {name: value for change in changes for name, value in change.fields.items()}


def _located(id: MemoryId, digest: Digest | None, tree: Tree) -> tuple[str, bytes]:
    """Path and bytes of the file of a memory."""
    found = [(path, data) for path, data in tree.items() if claims(path) and id_of(path) == id]
    if not found:
        raise UnknownMemory(f"No memory {id}", hint="`memtend list` shows the ids.")
    same = [(path, data) for path, data in found if digest in (None, digest_of(data))]
    if not same:
        raise StaleDecision(
            f"{id} has changed since this was decided",
            hint="Run the command again to decide on what is there now.",
        )
    if len(same) > 1:
        raise Refused(
            f"{id} stands in {len(same)} files: {', '.join(path for path, _ in same)}",
            hint="Rename one of them; a memory's id is its file's name.",
        )
    return same[0]


# --- a new file -------------------------------------------------------------------------------------------


def _creation(id: MemoryId, changes: list[Change], tree: Tree) -> FileEdit:
    path = path_of(id)
    if path in tree:
        raise StaleDecision(f"{path} exists already", hint="Run the command again: a free name will be chosen.")
    memory = Memory(id=id, place=Place(path), digest=Digest(""), **_all_fields(changes))
    after = filled(memory, tree.get(TEMPLATE))
    _require_told(memory, read_file(path, after).memory)
    return FileEdit(path, None, after)


_UNSAFE = frozenset('/\\<>:"|?*')


def path_of(id: MemoryId) -> str:
    """The path of a new memory. Raises OutsideStore for an id that cannot be a file's name on every system."""
    is_name = bool(id) and id.isprintable() and _UNSAFE.isdisjoint(id) and id == id.strip(" .")
    if not is_name or id.startswith("~") or id.lower() == "readme" or len(id.encode()) > 200:
        raise OutsideStore(f"{id!r} cannot be a memory's id", hint="Ids look like MEM-requests-retry-patterns.")
    return f"{MEMORIES}{id}.md"


# --- an existing file -------------------------------------------------------------------------------------


def edited(path: str, data: bytes, fields: Mapping[str, Any]) -> bytes:
    """The file with new values for some fields of its memory; see `encode`."""
    read = read_file(path, data)
    if read.encoding != "UTF-8":
        raise Refused(f"{path} is {read.encoding}, not UTF-8", hint="Save it as UTF-8, then try again.")
    new = replace(read.memory, **fields)
    for text in (new.title, *_texts(new)):
        frontmatter.require_writable(text)
    return rewritten(read, new) if new != read.memory else data


def rewritten(read: Read, new: Memory) -> bytes:
    """The file so that it says `new`. Raises Refused where it cannot."""
    data = retold(read.data, read.parts, _texts(read.memory), _texts(new), new.title)
    is_retold = data != read.data
    keys = changed_keys(read.memory, new, read.matter)
    data = frontmatter.edit(data, in_order(keys), after=ORDER) if keys else data
    found = read_file(new.place.path, data)
    if found.memory.title != new.title and "title" not in keys:
        data = frontmatter.edit(data, {"title": new.title}, after=ORDER)
        found = read_file(new.place.path, data)
    _require_told(new, found.memory)
    return data if keys.keys() <= USAGE_KEYS and not is_retold else _counted(data, read, found)


def _counted(data: bytes, before: Read, after: Read) -> bytes:
    """The file with its `token_count`, where it has that key and the count is another than before."""
    count = after.memory.token_count
    if count == before.memory.token_count or "token_count" not in after.matter.values:
        return data
    return frontmatter.edit(data, {"token_count": str(count)})


def _texts(memory: Memory) -> Texts:
    return Texts(memory.content, memory.history, memory.connections, memory.trailing)


def _require_told(meant: Memory, found: Memory) -> None:
    """Raise Refused unless a file says what was meant: its own text stands in the way of telling its parts apart."""
    lines = differences({meant.id: meant}, {meant.id: found})
    if lines:
        fields = ", ".join(line.rpartition(" ")[2] for line in lines)
        raise Refused(
            f"{meant.id} cannot be changed safely: {fields} would not read back as written",
            hint="Look for a code fence or comment in it that is never closed, or text no file can hold.",
        )
