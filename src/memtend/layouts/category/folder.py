"""A whole memory as it lies on the disk, or as planned edits would leave it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from memtend.errors import Integrity
from memtend.layouts import Tree
from memtend.layouts.category import archive, paths
from memtend.layouts.category.cues import Cues, parse_cues
from memtend.layouts.category.dates import Times, date_of
from memtend.layouts.category.diagnose import resolve
from memtend.layouts.category.entries import Document, Entry, read
from memtend.layouts.category.registry import Counts, Registration
from memtend.memory import Digest, digest_of
from memtend.text import estimate_tokens

Edits = Mapping[str, bytes | None]
"""New bytes by path; None where the file goes."""


@dataclass(frozen=True)
class Folder:
    """The Markdown files of a memory, read once each. `times` are dates known from outside."""

    tree: Tree
    times: Times = field(default_factory=dict)
    _known: dict[str, Document] = field(default_factory=dict, repr=False)

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """The files of memory by path, in order."""
        return {path: self.document(path) for path in sorted(self.tree) if paths.claims(path)}

    def document(self, path: str) -> Document:
        """One file."""
        known = self._known.get(path)
        if known is None or known.data is not self.tree[path]:
            known = self._known[path] = read(path, self.tree[path])
        return known

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every entry, by file."""
        return tuple(entry for document in self.documents.values() for entry in document.entries)

    @cached_property
    def pages(self) -> Mapping[str, bytes]:
        """The registries."""
        return {path: data for path, data in self.tree.items() if paths.is_registry(path)}

    @cached_property
    def _archives(self) -> tuple[dict[str, archive.Archive], dict[str, str]]:
        sound: dict[str, archive.Archive] = {}
        damaged: dict[str, str] = {}
        for path in sorted(path for path in self.tree if paths.is_archive(path)):
            try:
                sound[path] = archive.parse(path, self.tree[path])
            except Integrity as fault:
                damaged[path] = fault.message
        return sound, damaged

    @property
    def archives(self) -> Mapping[str, archive.Archive]:
        """The archives by path, those that are damaged aside."""
        return self._archives[0]

    @property
    def damaged(self) -> Mapping[str, str]:
        """The archives that cannot be read, with the reason. Nothing ever writes them."""
        return self._archives[1]

    @cached_property
    def cues(self) -> Cues:
        """The words of constraints and decisions, with those that this memory adds."""
        data = self.tree.get(paths.CUES)
        return parse_cues(data.decode("utf-8", "replace")) if data is not None else Cues()

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The folders that hold memory."""
        return tuple(dict.fromkeys(paths.category_of(path) for path in self.documents))

    def of_category(self, category: str) -> Iterator[Document]:
        """The files of a category."""
        return (document for path, document in self.documents.items() if paths.category_of(path) == category)

    def named(self, target: str) -> tuple[Entry, ...]:
        """The entries that an address or a whole id means; none where nothing does."""
        exact = tuple(entry for entry in self.entries if entry.address == target)
        by_id: dict[str, list[Entry]] = {}
        for entry in self.entries:
            if entry.id:
                by_id.setdefault(entry.id, []).append(entry)
        return exact or resolve(target, by_id)

    def date_of(self, path: str) -> str:
        """When a file was last changed; empty where that is not known."""
        return date_of(self.document(path), self.times)

    def dated(self, times: Times) -> "Folder":
        """The same memory, with dates known from outside."""
        return Folder(self.tree, times, self._known)

    def after(self, edits: Edits) -> "Folder":
        """The memory as edits would leave it."""
        tree = {path: data for path, data in self.tree.items() if path not in edits}
        tree |= {path: data for path, data in edits.items() if data is not None}
        return Folder(tree, self.times, {path: known for path, known in self._known.items() if path not in edits})

    def hashes(self) -> Counter[str]:
        """Every entry by its hash, archived ones too; one left behind as a pointer counts in its archive."""
        found = Counter(entry.sha256 for entry in self.entries if not entry.archived_to)
        for held in self.archives.values():
            found.update(sha for item in held.items for sha in item.hashes)
        return found

    def registrable(self) -> dict[str, str]:
        """Every file that a registry should list, with its id."""
        files = {path: id_of(document) for path, document in self.documents.items()}
        return files | dict.fromkeys(self.damaged, "") | {path: held.id for path, held in self.archives.items()}

    def ids(self) -> set[str]:
        """Every id that a row may name, archived ones too."""
        archived = {item.id for held in self.archives.values() for item in held.items}
        return {entry.id for entry in self.entries} | archived

    def registration(self, path: str) -> Registration:
        """What a registry says of a file."""
        if path in self.damaged:
            return Registration(path, paths.ARCHIVE)
        if path in self.archives:
            held = self.archives[path]
            title = f"{len(held.items)} archived"
            return Registration(path, paths.ARCHIVE, held.id, title, held.day, len(held.items), self.tokens(path))
        document = self.document(path)
        date = self.date_of(path)[:10]
        category = paths.category_of(path)
        return Registration(
            path, category, id_of(document), document.title, date, len(document.entries), self.tokens(path)
        )

    def tokens(self, path: str) -> int:
        """About how many tokens a file has."""
        return estimate_tokens(self.tree[path].decode("utf-8", "replace"))

    def counts(self, category: str) -> Counts:
        """How much a category holds; the archives for `archive`."""
        if category == paths.ARCHIVE:
            held = self.archives
            return Counts(len(held), sum(len(a.items) for a in held.values()), sum(map(self.tokens, held)))
        found = list(self.of_category(category))
        entries = sum(len(document.entries) for document in found)
        return Counts(len(found), entries, sum(self.tokens(document.path) for document in found))

    def digest(self, path: str) -> Digest | None:
        """The SHA-256 of a file, None where there is none."""
        data = self.tree.get(path)
        return None if data is None else digest_of(data)


def id_of(document: Document) -> str:
    """The id by which a registry may name a file: that of its frontmatter, or of the decision that it is."""
    own = document.key("id")
    if own or document.kind is not paths.Kind.FILE:
        return own
    return document.entries[0].id
