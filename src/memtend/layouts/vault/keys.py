"""Fields of a memory as frontmatter keys (vault spec, 1): which key, in which order, in which form."""

from collections.abc import Mapping

from memtend.frontmatter import REMOVE, Frontmatter, Remove, Value
from memtend.layouts.vault.decode import category_of
from memtend.memory import Memory, Status

ORDER = (
    "title",
    "created",
    "tags",
    "topic",
    "source",
    "modified",
    "keywords",
    "summary",
    "category",
    "status",
    "tombstoned_at",
    "tombstone_reason",
    "retrieval_count",
    "last_retrieved",
    "token_count",
)
"""Every key that is ours, as it is written in a new file."""

USAGE_KEYS = frozenset({"status", "tombstoned_at", "tombstone_reason", "retrieval_count", "last_retrieved"})
"""Keys that change while the memory says the same."""

_FIELDS = {
    "title": "title",
    "created": "created",
    "tags": "tags",
    "topic": "topic",
    "source": "source",
    "modified": "modified",
    "keywords": "keywords",
    "summary": "summary",
    "status": "status",
    "tombstoned_at": "retired_at",
    "tombstone_reason": "retired_reason",
    "retrieval_count": "retrieval_count",
    "last_retrieved": "last_retrieved",
}
_OPTIONAL = frozenset({"category", "status", "tombstoned_at", "tombstone_reason"})
"""Keys that a file has only while they say something."""

Keys = dict[str, Value | Remove]


def changed_keys(old: Memory, new: Memory, matter: Frontmatter) -> Keys:
    """The keys to write so that a file that says `old` says `new`."""
    keys = {key: _value(key, new) for key, field in _FIELDS.items() if getattr(old, field) != getattr(new, field)}
    return keys | _category(new, matter)


def all_keys(memory: Memory, template: Frontmatter) -> Keys:
    """Every key of a new file; the optional ones where they say something or the template has them."""
    keys = {key: _value(key, memory) for key in _FIELDS}
    keys = {key: value for key, value in keys.items() if key in template.values or not isinstance(value, Remove)}
    token_count = {"token_count": str(memory.token_count)}
    return keys | _category(memory, template) | token_count


def _value(key: str, memory: Memory) -> Value | Remove:
    value = getattr(memory, _FIELDS[key])
    if key == "status":
        return str(value) if value is Status.RETIRED else REMOVE
    if isinstance(value, tuple):
        return value
    if value == "":
        return REMOVE if key in _OPTIONAL else None if key in ("created", "modified", "last_retrieved") else ""
    return str(value)


def _category(memory: Memory, matter: Frontmatter) -> Keys:
    """The category key where the tags alone would say another category, or where the file has one."""
    written = matter.values.get("category")
    is_written = isinstance(written, str) and bool(written.strip())
    found = category_of(written if isinstance(written, str) else "", memory.tags)
    if found == memory.category or not (memory.category or is_written):
        return {}
    return {"category": memory.category or REMOVE}


def in_order(keys: Mapping[str, Value | Remove]) -> Keys:
    """The keys in the order of a new file."""
    return {key: keys[key] for key in ORDER if key in keys}
