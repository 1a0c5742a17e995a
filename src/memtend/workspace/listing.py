"""How a memory stands in a list, and which memories a list is asked for; the same for every front end."""

from collections.abc import Collection
from datetime import date
from typing import Any

from memtend.errors import Usage
from memtend.memory import Memory


def listed(memory: Memory) -> dict[str, Any]:
    """A memory as lists show it, as JSON values."""
    return {
        "id": memory.id,
        "path": memory.place.path,
        "title": memory.title,
        "topic": memory.topic,
        "category": memory.category,
        "status": memory.status,
        "token_count": memory.token_count,
        "retrieval_count": memory.retrieval_count,
        "last_retrieved": memory.last_retrieved,
        "created": memory.created,
        "modified": memory.modified,
    }


def is_of(memory: Memory, *, topic: str = "", category: str = "", tags: Collection[str] = ()) -> bool:
    """Whether a memory is of a topic or below it, of a category, and has all of some tags; case does not matter."""
    above = topic.strip("/ ").casefold()
    wanted = {tag.lstrip("#").casefold() for tag in tags}
    return (
        (not above or f"{memory.topic.casefold()}/".startswith(f"{above}/"))
        and (not category or memory.category.casefold() == category.casefold())
        and wanted <= {tag.casefold() for tag in memory.tags}
    )


def day_of(given: str) -> str:
    """A day as files write it; empty for none. Raises Usage for anything else."""
    try:
        return date.fromisoformat(given).isoformat() if given else ""
    except ValueError as fault:
        raise Usage(f"{given!r} is no day", hint="Write it as 2026-06-30.") from fault
