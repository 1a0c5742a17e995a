"""memtend tends what AI agents remember: Markdown memories, learned, found, merged and retired safely.

Importing this package loads nothing else; every public name is loaded when it is first used, so that a hook at
every prompt stays cheap.
"""

__version__ = "0.1.0"

_PUBLIC = {
    "Memory": "memtend.memory",
    "MemoryId": "memtend.memory",
    "Place": "memtend.memory",
    "Status": "memtend.memory",
    "Change": "memtend.change",
    "ChangeSet": "memtend.change",
    "Verb": "memtend.change",
    "Action": "memtend.review",
    "Decision": "memtend.review",
    "Proposal": "memtend.review",
    "Recommendation": "memtend.review",
    "Reviewer": "memtend.review",
    "MemtendError": "memtend.errors",
    "Workspace": "memtend.workspace",
}

__all__ = [
    "Action",
    "Change",
    "ChangeSet",
    "Decision",
    "Memory",
    "MemoryId",
    "MemtendError",
    "Place",
    "Proposal",
    "Recommendation",
    "Reviewer",
    "Status",
    "Verb",
    "Workspace",
    "__version__",
]


def __getattr__(name: str) -> object:
    module = _PUBLIC.get(name)
    if module is None:
        raise AttributeError(f"module 'memtend' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return list(__all__)
