"""Where the files of a vault lie, from its root (vault spec, the tree at its head). Loads nothing."""

MEMORIES = "10-Memories/"
TEMPLATE = "30-Templates/memory-template.md"
JSON_INDEX = "memory-index.json"
INDEX = "20-Indices/index.md"
LIST = "10-Memories/README.md"
LOG = "distill-log.json"

DERIVED = (JSON_INDEX, INDEX, LIST)


def claims(path: str) -> bool:
    """Whether a file at this path is a memory: a Markdown file below `10-Memories`, no README, nothing hidden."""
    if not (path.startswith(MEMORIES) and path.endswith(".md")):
        return False
    names = path.split("/")
    return names[-1].lower() != "readme.md" and not any(name.startswith((".", "~$")) for name in names)
