"""A role of its own for a test, with a clock that can be set."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from plain_layout import quick_folder

from memtend.workspace.role.roles import Roles, RoleWorkspace

START = datetime(2026, 6, 30, 10, 0, tzinfo=UTC)


class Clock:
    """A time that only a test moves."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> None:
        self.now += timedelta(**by)


class ARole(RoleWorkspace):
    """A role whose files a test may look at and lay down."""

    clock: Clock

    def text(self, path: str = "memory/consolidated.md") -> str:
        return (self.root / path).read_bytes().decode()

    def put(self, text: str, path: str = "memory/consolidated.md") -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def lines(self, path: str = "memory/consolidated.md") -> list[str]:
        """The bullets of a file."""
        return [line for line in self.text(path).split("\n") if line.startswith("- ") and line != "- (none)"]

    def tree(self) -> dict[str, bytes]:
        """Every file but memtend's own."""
        return {path: (self.root / path).read_bytes() for path in self.paths()}

    def again(self, **options: Any) -> "ARole":
        """The same role for another caller."""
        return opened(self.root, self.clock, **options)


def opened(root: Path, clock: Clock | None = None, **options: Any) -> ARole:
    clock = clock or Clock()
    role = ARole(root, clock=clock, **options)
    role.clock = clock
    return role


@contextmanager
def a_role(**options: Any) -> Iterator[ARole]:
    """A new role `zero` that remembers nothing."""
    with quick_folder() as folder:
        Roles(folder).create("zero", clock=lambda: START)
        yield opened(folder / "zero", **options)
