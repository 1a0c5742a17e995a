"""The tree of topics on the index page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memtend.memory import UNCATEGORIZED

_DEEPEST = 20
"""Levels of the tree; what lies deeper stands as one name."""


@dataclass(slots=True)
class _Branch:
    """A topic: the rows of its own memories, and the topics below it."""

    rows: list[str] = field(default_factory=list)
    below: "dict[str, _Branch]" = field(default_factory=dict)

    def count(self) -> int:
        """How many memories lie in it and below it."""
        return len(self.rows) + sum(branch.count() for branch in self.below.values())


def topic_rows(memories: Sequence[tuple[str, str]], plain: Callable[[str], str]) -> Iterator[str]:
    """The sections of the tree, one for each first segment: a heading with the count, then rows, nested.

    `memories` are pairs of topic path and row (`- …`, one line). `plain` makes a name safe for a line of Markdown.
    """
    root = _Branch()
    for topic, row in memories:
        branch = root
        for name in _segments(topic):
            branch = branch.below.setdefault(name, _Branch())
        branch.rows.append(row)
    for name, branch in sorted(root.below.items()):
        lines = "".join(f"{line}\n" for line in _lines(branch, "", plain))
        yield f"### {plain(name)} ({branch.count()})\n\n{lines}"


def _segments(topic: str) -> list[str]:
    """The names on a topic's path; letter case and blanks do not part topics."""
    names = (" ".join(name.split()).lower() for name in topic.split("/"))
    path = [name for name in names if name] or [UNCATEGORIZED]
    return path if len(path) <= _DEEPEST else [*path[: _DEEPEST - 1], "/".join(path[_DEEPEST - 1 :])]


def _lines(branch: _Branch, indent: str, plain: Callable[[str], str]) -> Iterable[str]:
    for row in branch.rows:
        yield indent + row
    for name, below in sorted(branch.below.items()):
        yield f"{indent}- {plain(name)} ({below.count()})"
        yield from _lines(below, indent + "  ", plain)
