"""From changes to file edits (see `memtend.layouts.Layout.encode`): new files, new texts, what is erased.

What only upkeep does (moves, pointers, summaries, the index) comes as edits of its own and is not touched here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memtend import frontmatter
from memtend.body import tidy
from memtend.change import Change, ChangeSet, FileEdit, Verb
from memtend.errors import OutsideStore, Refused, StaleDecision, UnknownMemory
from memtend.layouts import Tree
from memtend.layouts.category.decode import content_span, decode
from memtend.layouts.category.entries import Document, Entry, read
from memtend.layouts.category.paths import Kind, category_of, claims, kind_of, require_path
from memtend.markdown import Span, newline_of, splice
from memtend.memory import Memory, MemoryId, digest_of

_KEYS = {"tags": "tags", "created": "created_at", "modified": "updated_at", "summary": "summary", "source": "source"}
"""Fields that are keys of a file's frontmatter."""
KEY_ORDER = ("type", "category", "id", "title", "tags", "created_at", "updated_at", "summary", "source")


def encode(change_set: ChangeSet, tree: Tree) -> tuple[FileEdit, ...]:
    """The edits that make the changes. Files that the set edits itself are left to it.

    Raises OutsideStore, UnknownMemory, StaleDecision, and Refused for what this layout cannot keep.
    """
    given = {edit.path for edit in change_set.edits}
    by_path: dict[str, list[Change]] = {}
    for change in change_set.changes:
        path = change.memory_id.partition("#")[0]
        if path not in given:
            by_path.setdefault(path, []).append(change)
    return tuple(edit for path, changes in by_path.items() for edit in _edits(path, changes, tree))


def _edits(path: str, changes: Sequence[Change], tree: Tree) -> Iterator[FileEdit]:
    before = tree.get(path)
    if changes[0].verb is Verb.CREATE:
        if before is not None:
            raise StaleDecision(f"{path} exists already", hint="Run the command again: a free name will be chosen.")
        yield FileEdit(path, None, _created(changes))
        return
    if before is None or not claims(path):
        raise UnknownMemory(f"No memory {changes[0].memory_id}", hint="`memtend category list` shows what there is.")
    after = _changed(path, before, changes)
    if after != before:
        yield FileEdit(path, digest_of(before), after)


def _created(changes: Sequence[Change]) -> bytes:
    id = changes[0].memory_id
    path = require_path(id)
    if kind_of(path) is not Kind.FILE:
        raise Refused(f"{path} holds several entries", hint="`memtend category add` puts an entry into it.")
    fields: dict[str, Any] = {}
    for change in changes:
        fields |= change.fields
    after = new_file(path, fields)
    _require_read_back(path, after, id, fields)
    return after


def new_file(path: str, fields: Mapping[str, Any]) -> bytes:
    """The bytes of a new file that is one entry: keys, title, text."""
    keys: dict[str, frontmatter.Value] = {"type": "memory", "category": category_of(path)}
    names = tuple(fields.get("keywords", ()))
    keys["id"] = names[0] if names else None
    for field, key in _KEYS.items():
        value = fields.get(field)
        keys[key] = tuple(value) if field == "tags" and value else value or None
    title = " ".join(str(fields["title"]).split())
    if read(path, f"# {title}\n".encode()).title != title:
        keys["title"] = title
    present = {key: keys[key] for key in KEY_ORDER if keys.get(key)}
    text = tidy(str(fields.get("content", "")))
    return f"{frontmatter.render(present)}\n# {title}\n{f'{chr(10)}{text}{chr(10)}' if text else ''}".encode()


def _changed(path: str, before: bytes, changes: Sequence[Change]) -> bytes | None:
    """The file with the changes made, the last entry first so that places stay right."""
    document = read(path, before)
    by_address = {entry.address: entry for entry in document.entries}
    wanted: dict[MemoryId, list[Change]] = {}
    for change in changes:
        wanted.setdefault(change.memory_id, []).append(change)
    _require_current(document, by_address, changes)
    erased = {id for id, own in wanted.items() if own[-1].verb is Verb.ERASE}
    if erased and (document.kind is Kind.FILE or len(erased) == len(by_address)):
        return None
    cuts = [(by_address[id].cut, b"") for id in erased]
    texts = [edit for id, own in wanted.items() if id not in erased for edit in _texts(document, by_address[id], own)]
    return _with_keys(splice(before, [*cuts, *texts]), document, wanted)


def _require_current(document: Document, entries: Mapping[str, Entry], changes: Sequence[Change]) -> None:
    digest = digest_of(document.data)
    for change in changes:
        if change.memory_id not in entries:
            raise UnknownMemory(f"No memory {change.memory_id}", hint="`memtend category list` shows what there is.")
        if change.digest is not None and change.digest != digest:
            raise StaleDecision(f"{change.memory_id} has changed since this was decided", hint="Decide again.")


def _texts(document: Document, entry: Entry, changes: Sequence[Change]) -> Iterator[tuple[Span, bytes]]:
    fields: dict[str, Any] = {}
    for change in changes:
        fields |= change.fields
    memory = _memory(document.path, document.data, MemoryId(entry.address))
    for name, value in fields.items():
        if value != getattr(memory, name) and not _can_keep(document, name):
            raise Refused(f"{entry.address}: {name} cannot be kept here", hint="An entry is retired by a marker.")
    text = fields.get("content")
    if text is None or text == memory.content:
        return
    yield _text_edit(document, entry, str(text))


def _can_keep(document: Document, field: str) -> bool:
    return field == "content" or (document.kind is Kind.FILE and field in _KEYS)


def _text_edit(document: Document, entry: Entry, text: str) -> tuple[Span, bytes]:
    """The new text where the old one stood, with the blank lines that stood around it."""
    newline = newline_of(document.data)
    span = content_span(document, entry)
    old = document.data[span.start : span.end]
    start = span.start + len(old) - len(old.lstrip())
    end = max(start, span.start + len(old.rstrip()))
    new = text.encode("utf-8", "surrogateescape").replace(b"\n", newline)
    if not old.strip():
        return Span(span.start, span.end), (newline + new + newline)
    return Span(start, end), new


def _with_keys(data: bytes, document: Document, wanted: Mapping[MemoryId, Sequence[Change]]) -> bytes:
    if document.kind is not Kind.FILE:
        for id, changes in wanted.items():
            if changes[-1].verb is not Verb.ERASE:
                _require_read_back(document.path, data, id, {k: v for c in changes for k, v in c.fields.items()})
        return data
    fields = {name: value for changes in wanted.values() for change in changes for name, value in change.fields.items()}
    memory = _memory(document.path, document.data, MemoryId(document.path))
    changed = {name: value for name, value in fields.items() if value != getattr(memory, name)}
    keys: dict[str, frontmatter.Value | frontmatter.Remove] = {}
    for name in changed.keys() & _KEYS.keys():
        value = changed[name]
        keys[_KEYS[name]] = (tuple(value) if name == "tags" else value) or frontmatter.REMOVE
    data = frontmatter.edit(data, keys, after=KEY_ORDER)
    _require_read_back(document.path, data, MemoryId(document.path), fields)
    return data


def _memory(path: str, data: bytes, id: MemoryId) -> Memory:
    return next(memory for memory in decode(path, data).memories if memory.id == id)


def _require_read_back(path: str, data: bytes, id: MemoryId, fields: Mapping[str, Any]) -> None:
    """Raise Refused where the file would not say what was decided."""
    found = {memory.id: memory for memory in decode(path, data).memories}.get(id)
    wrong = [name for name, value in fields.items() if found is None or getattr(found, name) != value]
    if wrong:
        raise Refused(
            f"{id}: {', '.join(wrong)} would not read back as decided",
            hint="A heading as high as the entry's own would end it. Nothing was changed.",
        )


def refusals(change_set: ChangeSet) -> Iterator[str]:
    """Why the layout's law forbids a set: names that no file can have, texts that say nothing."""
    for change in change_set.changes:
        if change.verb is Verb.CREATE:
            try:
                require_path(change.memory_id.partition("#")[0])
            except OutsideStore as fault:
                yield f"{fault.message}."
        if "title" in change.fields and not str(change.fields["title"]).strip():
            yield f"{change.memory_id} would have no title."
