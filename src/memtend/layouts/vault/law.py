"""What a vault does not admit, and the usage that never goes down (vault spec, 1)."""

from collections.abc import Iterable, Mapping, Sequence

from memtend import frontmatter
from memtend.change import Change, ChangeSet, Verb
from memtend.errors import OutsideStore, Refused
from memtend.layouts import Usage
from memtend.layouts.vault.decode import read_file
from memtend.layouts.vault.encode import path_of
from memtend.layouts.vault.json_index import most
from memtend.layouts.vault.keys import ORDER
from memtend.memory import Memory, MemoryId


def admits(change_set: ChangeSet, memories: Mapping[MemoryId, Memory]) -> Sequence[str]:
    """One sentence for each reason that forbids the set.

    An id must be a file name on every system and not differ from another in letter case alone; a memory that is
    made or changed must have a title and say something.
    """
    names = {id.casefold(): id for id in memories}
    reasons: list[str] = []
    for change in change_set.changes:
        reasons += _about_text(change, memories)
        if change.verb is Verb.CREATE:
            reasons += _about_name(change.memory_id, names)
            names[change.memory_id.casefold()] = change.memory_id
    return reasons


def _about_name(id: MemoryId, names: Mapping[str, MemoryId]) -> Iterable[str]:
    try:
        path_of(id)
    except OutsideStore as fault:
        yield f"{fault.message}."
    if id.casefold() in names:
        yield f"{names[id.casefold()]} exists, and {id} would be the same file on many systems."


def _about_text(change: Change, memories: Mapping[MemoryId, Memory]) -> Iterable[str]:
    fields = change.fields
    if "title" in fields and not str(fields["title"]).strip():
        yield f"{change.memory_id} would have no title."
    old = memories.get(change.memory_id)
    if "content" not in fields and "trailing" not in fields and change.verb is not Verb.CREATE:
        return
    texts = [str(fields.get(name, getattr(old, name, ""))) for name in ("content", "trailing")]
    if not any(text.strip() for text in texts):
        yield f"{change.memory_id} would say nothing."


def carry_usage(current: bytes, image: bytes) -> bytes:
    """The memory file `image` with the retrievals of `current` where they are more; every other byte stays.

    A file that cannot be edited is left as it is.
    """
    here, there = read_file("", current).memory, read_file("", image)
    old = Usage(there.memory.retrieval_count, there.memory.last_retrieved)
    new = most(old, Usage(here.retrieval_count, here.last_retrieved))
    if new == old or there.encoding != "UTF-8":
        return image
    keys: dict[str, frontmatter.Value] = {"retrieval_count": str(new.times), "last_retrieved": new.last or None}
    try:
        return frontmatter.edit(image, keys, after=ORDER)
    except Refused:
        return image
