"""The vault: one memory a Markdown file with frontmatter, and three derived pages (vault spec, 1 and 3).

`parts` cuts a file into head, content, History and Connections; `decode` makes a memory of it, `encode` makes edits
of changes (`regions` the body, `keys` the frontmatter, `template` new files). `pages`, `json_index` and `topics`
draw the derived pages, `compare` says where they differ from the files, `skeleton` is a new vault.
Each part is loaded when it is first needed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memtend.change import ChangeSet, FileEdit
from memtend.layouts import Decoded, Problem, Tree, Usage
from memtend.layouts.vault import paths
from memtend.memory import Memory, MemoryId

__all__ = ["VaultLayout"]


@dataclass(frozen=True, slots=True)
class VaultLayout:
    """The vault layout (see `Layout` for what each method owes)."""

    folder: str = ".memory"
    """The vault's folder from the project's root, for the paths in memory-index.json; empty if it is the root."""

    @property
    def name(self) -> str:
        """`vault`."""
        return "vault"

    @property
    def derived_paths(self) -> tuple[str, ...]:
        """memory-index.json, the index page and the list beside the memories."""
        return paths.DERIVED

    @property
    def template_path(self) -> str:
        """The file that new memories are laid out by: `encode` and `framed` look for it in the tree."""
        return paths.TEMPLATE

    def claims(self, path: str) -> bool:
        """Whether a file at this path is a memory."""
        return paths.claims(path)

    def decode(self, path: str, data: bytes) -> Decoded:
        """The memory in a file, and its problems."""
        from memtend.layouts.vault.decode import decode

        return decode(path, data)

    def framed(self, memory: Memory, tree: Tree) -> Memory:
        """A memory to be created with what the vault's template says around it; for drafting the change."""
        from memtend.layouts.vault.template import framed

        return framed(memory, tree.get(paths.TEMPLATE))

    def encode(self, change_set: ChangeSet, tree: Tree, now: datetime) -> tuple[FileEdit, ...]:
        """The file edits that make the changes (`edits` of the set are not among them)."""
        from memtend.layouts.vault.encode import encode

        del now  # every date is in the changes
        return encode(change_set, tree)

    def reindex(self, memories: Sequence[Memory], pages: Tree, now: datetime) -> tuple[FileEdit, ...]:
        """The edits that bring the three pages up to date."""
        from memtend.layouts.vault.pages import reindex

        return reindex(memories, pages, now, self.folder)

    def compare(self, memories: Sequence[Memory], pages: Tree) -> tuple[Problem, ...]:
        """Where the pages differ from the memories as decoded from their files."""
        from memtend.layouts.vault.compare import compare

        return compare(memories, pages, self.folder)

    def admits(self, change_set: ChangeSet, memories: Mapping[MemoryId, Memory]) -> Sequence[str]:
        """Why the set is forbidden: names that clash, memories that would say nothing."""
        from memtend.layouts.vault.law import admits

        return admits(change_set, memories)

    def usage(self, pages: Tree) -> Mapping[MemoryId, Usage]:
        """Usage that memory-index.json knows."""
        from memtend.layouts.vault import json_index

        return json_index.usage(json_index.read(pages.get(paths.JSON_INDEX)))

    def carry_usage(self, current: bytes, image: bytes) -> bytes:
        """`image` with the usage of `current` where that is higher."""
        from memtend.layouts.vault.law import carry_usage

        return carry_usage(current, image)

    def skeleton(self, now: datetime) -> tuple[FileEdit, ...]:
        """The files of a new vault."""
        from memtend.layouts.vault.skeleton import skeleton

        return skeleton(now, self.folder)
