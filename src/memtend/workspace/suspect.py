"""Memories that read like orders to the agent that is handed them, for `check` (O-PV-02)."""

from collections.abc import Iterator, Mapping

from memtend.layouts import Problem


def orders(files: Mapping[str, bytes]) -> Iterator[Problem]:
    """Where a file gives orders or hides something. The text is never said: agents read the findings too."""
    from memtend.text.orders import suspicions

    for path, data in files.items():
        for found in suspicions(data.decode("utf-8", "replace")):
            message = f"look at it before an agent does: it {found.kind}"
            yield Problem("suspicious", "warning", path, message, found.line)
