"""The files of a new vault (vault spec, the tree at its head)."""

import json
from datetime import datetime

from memtend.change import FileEdit
from memtend.layouts.vault.pages import reindex
from memtend.layouts.vault.paths import LOG, TEMPLATE
from memtend.layouts.vault.template import BUILT_IN

_README = """\
# Memory vault

What the agents working in this project have learned, one Markdown file a memory. People, agents and Obsidian may
read and edit every file; the indexes follow from the files and can be rebuilt at any time with `memtend index`.

| Folder | What it holds |
|---|---|
| `00-Inbox/` | text that waits to be learned |
| `10-Memories/` | the memories, `MEM-*.md` |
| `20-Indices/` | the index page |
| `30-Templates/` | how a new memory is laid out |

- `memtend learn FILE` proposes memories from a text and asks before it writes.
- `memtend search WORDS` finds them, `memtend distill` tends them, `memtend undo` takes the last change back.

A memory's id is its file's name. Link memories as `[[MEM-name]]` under `## Connections`.
"""
_INBOX = """\
# Inbox

Drop notes and files here; `memtend learn 00-Inbox/` turns them into memories. Nothing here is searched.
"""
_INDICES = """\
# Indices

[index.md](index.md) is rebuilt from the memories. Text that you write between its sections stays.
"""
_TEMPLATES = """\
# Templates

`memory-template.md` lays out every new memory. Change it freely: keys and sections of your own are kept, and
`{{title}}`, `{{date}}`, `{{tags}}`, `{{topic}}`, `{{source}}`, `{{last_updated}}` and `{{content}}` are filled in.
"""
_LOG = {
    "version": "1.0.0",
    "operations": [],
    "summary": {
        "total_operations": 0,
        "total_purged": 0,
        "total_merged": 0,
        "total_compressed": 0,
        "total_refined": 0,
        "total_gc_deleted": 0,
        "last_operation": None,
    },
}
_OBSIDIAN = {
    "app.json": {"alwaysUpdateLinks": True, "newFileLocation": "folder", "newFileFolderPath": "00-Inbox"},
    "appearance.json": {},
    "core-plugins.json": {
        "backlink": True,
        "command-palette": True,
        "file-explorer": True,
        "file-recovery": True,
        "global-search": True,
        "graph": True,
        "outgoing-link": True,
        "outline": True,
        "page-preview": True,
        "properties": True,
        "switcher": True,
        "tag-pane": True,
        "templates": True,
    },
    "graph.json": {"search": "path:10-Memories", "showOrphans": True, "showTags": False},
    "templates.json": {"folder": "30-Templates"},
}


def skeleton(now: datetime, folder: str) -> tuple[FileEdit, ...]:
    """The files of a new, empty vault; reindexing it plans nothing."""
    texts = {
        "README.md": _README,
        "00-Inbox/README.md": _INBOX,
        "20-Indices/README.md": _INDICES,
        "30-Templates/README.md": _TEMPLATES,
        LOG: _json(_LOG),
    }
    texts |= {f".obsidian/{name}": _json(settings) for name, settings in _OBSIDIAN.items()}
    files = {path: text.encode() for path, text in texts.items()} | {TEMPLATE: BUILT_IN}
    edits = tuple(FileEdit(path, None, data) for path, data in files.items())
    return edits + reindex((), {}, now, folder)


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
