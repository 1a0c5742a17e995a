"""Files to be learned from, and what became of them."""

from pathlib import Path

from memtend.learn.acquire import Acquired


def lay(root: Path, files: dict[str, str | bytes]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def paths(acquired: Acquired) -> list[str]:
    """The documents that were read."""
    return [document.path for document in acquired.documents]


def reasons(acquired: Acquired) -> dict[str, str]:
    """What was left out, and why."""
    return {item.path: item.reason for item in acquired.skipped}
