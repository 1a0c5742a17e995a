"""A role's folder as memories: what the store asks of a layout (`memtend.layouts.Layout`).

Learnings, preferences and events lie in memory/consolidated.md, candidates in memory/pending.md. A memory's
digest is that of its whole file; who decides on an older one decides again. Ids follow from the text: a new text is a
new memory, so an edit is an erase and a create in one set.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from memtend.change import ChangeSet, FileEdit, Verb
from memtend.errors import Refused, SelfCheckFailed
from memtend.layouts import Decoded, Tree, Usage
from memtend.layouts.role import bullet, grammar
from memtend.layouts.role.decode import (
    CONSOLIDATED,
    PENDING,
    decode_consolidated,
    decode_focused,
    decode_pending,
    key_of_part,
)
from memtend.layouts.role.headings import Name
from memtend.layouts.role.ids import collapsed
from memtend.layouts.role.page import Loose, Page, Part
from memtend.memory import Memory, MemoryId, digest_of


class RoleLayout:
    """One role. `role` names it in files that are made; with `plain` no metadata comments are written.

    With `journal`, what a set creates is also written into the day's raw journal: a page beside the memories, so
    that an undo takes the entry back only while nothing stands behind it.

    With a `focus` (keys of texts, see `ids.key_of`) memories with other texts are not made, which for a large role
    is most of the work of a small change; that they stay as they are is checked while encoding.
    """

    name = "role"
    derived_paths: tuple[str, ...] = ()

    def __init__(
        self, role: str = "", *, plain: bool = False, journal: bool = False, focus: Collection[str] | None = None
    ) -> None:
        self._role = role
        self._plain = plain
        self._journal = journal
        self._focus = focus
        self._decoded: dict[tuple[str, bytes], Decoded] = {}

    def claims(self, path: str) -> bool:
        """Whether a file holds memories."""
        return path in (CONSOLIDATED, PENDING)

    def decode(self, path: str, data: bytes) -> Decoded:
        """The memories and problems of one file."""
        key = (path, data)
        if key not in self._decoded:
            while len(self._decoded) > 3:  # the store looks at a file before and after; older ones are not needed
                del self._decoded[next(iter(self._decoded))]
            self._decoded[key] = self._read(path, data)
        return self._decoded[key]

    def _read(self, path: str, data: bytes) -> Decoded:
        if self._focus is not None:
            return decode_focused(path, data, self._focus)
        return decode_pending(data) if path == PENDING else decode_consolidated(data)

    def encode(self, change_set: ChangeSet, tree: Tree, now: datetime) -> tuple[FileEdit, ...]:
        """The file edits that make the changes. Files that the set edits itself are left to it.

        Raises StaleDecision, UnknownMemory, Refused.
        """
        from memtend.layouts.role.draft import Draft

        today = f"{now.astimezone(UTC):%Y-%m-%d}"
        given = {edit.path for edit in change_set.edits}
        draft = Draft(tree, self._role, today, plain=self._plain, given=given)
        for change in change_set.changes:
            draft.make(change)
        edits = draft.edits()
        if self._focus is not None:
            _require_rest_untouched(tree, edits, self._focus)
        if self._journal and draft.entries:
            from memtend.layouts.role import daily

            path = daily.path_of(now)
            before = tree.get(path)
            digest = None if before is None else digest_of(before)
            edits.append(FileEdit(path, digest, daily.appended(before, draft.entries, now), derived=True))
        return tuple(edits)

    def reindex(self, memories: Sequence[Memory], pages: Tree, now: datetime) -> tuple[FileEdit, ...]:  # noqa: ARG002
        """A role has no derived pages."""
        return ()

    def admits(self, change_set: ChangeSet, memories: Mapping[MemoryId, Memory]) -> Sequence[str]:
        """Counts never fall, and a text says something."""
        return tuple(_refusals(change_set, memories))

    def usage(self, pages: Tree) -> Mapping[MemoryId, Usage]:  # noqa: ARG002
        """All usage stands in the files themselves."""
        return {}

    def carry_usage(self, current: bytes, image: bytes) -> bytes:
        """`image` with the counts and dates of use of `current` where those are higher."""
        from memtend.layouts.role.draft import carried

        return carried(current, image, self._plain)

    def skeleton(self, now: datetime) -> Iterable[FileEdit]:
        """The files of a role that remembers nothing yet."""
        from memtend.layouts.role import header, pending

        today = f"{now.astimezone(UTC):%Y-%m-%d}"
        yield FileEdit(CONSOLIDATED, None, grammar.render(header.new_page(self._role, today)))
        yield FileEdit(PENDING, None, pending.render(pending.new_page(self._role, today)))


def _require_rest_untouched(tree: Tree, edits: Sequence[FileEdit], focus: Collection[str]) -> None:
    """Every line without the focus must be what it was, in its section and order. Raises SelfCheckFailed."""
    for edit in edits:
        if edit.path != CONSOLIDATED or edit.before is None or edit.after is None:
            continue
        before, after = (_rest(grammar.parsed(data), focus) for data in (tree[edit.path], edit.after))
        if before != after:
            raise SelfCheckFailed(
                f"{edit.path}: lines that the change is not about would change",
                hint="Nothing was written. Please report this with the file concerned.",
            )


def _rest(page: Page, focus: Collection[str]) -> list[tuple[Name, Part]]:
    return [
        (section.name, part)
        for section in page.sections
        for part in section.parts
        if key_of_part(part) not in focus and not (isinstance(part, Loose) and part.kind in ("blank", "none"))
    ]


def _refusals(change_set: ChangeSet, memories: Mapping[MemoryId, Memory]) -> Iterator[str]:
    for change in change_set.changes:
        memory = memories.get(change.memory_id)
        count = change.fields.get("retrieval_count")
        if (
            memory is not None
            and change.verb is not Verb.CREATE
            and count is not None
            and count < memory.retrieval_count
        ):
            yield f"{change.memory_id} has been used {memory.retrieval_count} times; a count never falls to {count}"
        if change.verb is Verb.CREATE and not says_something(str(change.fields.get("title", ""))):
            yield "a memory without a text is none"


def says_something(text: str) -> bool:
    """Whether a text can stand as a memory: it is neither empty nor a placeholder."""
    return bool(collapsed(text)) and collapsed(text).lower() not in bullet.PLACEHOLDERS


def require_text(text: str) -> str:
    """The text on one line. Raises Refused where it says nothing."""
    if not says_something(text):
        raise Refused("there is no text to remember", hint="Give the learning or preference as one sentence.")
    return collapsed(text)
