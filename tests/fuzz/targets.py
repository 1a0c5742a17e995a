"""What foreign text reaches first, each with the law that holds for any bytes. A target raises where it does not."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memtend import frontmatter, markdown
from memtend.change import Change, ChangeSet, Verb
from memtend.errors import MemtendError, Usage
from memtend.layouts import Layout
from memtend.layouts.category import CategoryLayout
from memtend.layouts.role import RoleLayout
from memtend.layouts.role.decode import CONSOLIDATED, PENDING
from memtend.layouts.vault import VaultLayout
from memtend.search.index import Index
from memtend.search.rank import search
from memtend.workspace import Workspace
from memtend.workspace.plan import decisions_from_json, from_json

NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)


def read_frontmatter(data: bytes) -> None:
    """Reading never raises; an edit and its opposite give the file back; what is written reads back."""
    matter = frontmatter.read(data)
    assert 0 <= matter.body_start <= len(data)
    try:
        edited = frontmatter.edit(data, {"summary": "a: b # c"})
    except MemtendError:
        return
    after = frontmatter.read(edited)
    assert after.values["summary"] == "a: b # c"
    assert {k: v for k, v in after.values.items() if k != "summary"} == {
        k: v for k, v in matter.values.items() if k != "summary"
    }
    assert edited[after.body_start :] == data[matter.body_start :] or not matter.is_present


def cut_markdown(data: bytes) -> None:
    """Sections and blocks stand in order inside the text, and a link never turns into something else."""
    start = frontmatter.read(data).body_start
    last = start
    for section in markdown.sections(data, start):
        assert last <= section.start <= section.text_start <= section.own_end <= section.end <= len(data)
        last = section.start
    for block in markdown.blocks(data, start):
        assert start <= block.span.start <= block.span.end <= len(data)
    links = markdown.wiki_links(data, start)
    assert all(data[link.span.start : link.span.end].find(b"[[") >= 0 for link in links)
    if not any("no-such-name" in link.target for link in links):
        assert markdown.relink(data, "no-such-name", "other", start) == data


def read_plan(data: bytes) -> None:
    """A plan is read or refused by name, and so are decisions.

    Bytes that are no JSON are a list of places in a good plan and of what stands there instead: chance alone
    would hardly ever write a plan.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = _spoilt(json.loads(PLAN), data)
    with suppress(MemtendError):
        plan = from_json(value)
        written = json.dumps(plan.to_json())
        assert json.dumps(from_json(json.loads(written)).to_json()) == written
        with suppress(MemtendError):
            decisions_from_json(value.get("decisions"), plan.proposals)


PLAN = """
{"status": "planned", "format": 1, "mode": "text", "content_map": {"segments": 1},
 "proposals": [{"segment_id": "seg-001", "summary": "s", "topic": "a/b", "key_terms": ["k"], "kind": "learn",
   "candidates": [{"id": "MEM-a", "title": "A", "digest": "d", "overlap": 0.5, "similarity": 0.25,
     "conflict": "number", "evidence": {"parts": [{"name": "n", "value": 0.5, "weight": 1.0, "reason": "r"}],
     "caps": ["c"], "total": 0.5}}],
   "recommendation": {"action": "update", "target": "MEM-a", "strength": "weak", "conflict": null, "reasons": ["r"]},
   "actions": ["update", "extend", "create", "skip"], "digests": {"MEM-a": "d"}, "payload": {"text": "t"}}],
 "warnings": ["w"], "skipped": [{"path": "p", "reason": "r"}],
 "secrets": [{"segment_id": "seg-001", "path": "p", "line": 1, "kind": "key"}],
 "decisions": {"seg-001": {"action": "extend", "target": "MEM-a", "topic": "t"}}}
"""
INSTEAD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    float("inf"),
    float("nan"),
    "",
    "x",
    "\ud800",
    [],
    {},
    [[]],
    {"": 0},
)


def _spoilt(value: Any, data: bytes) -> Any:
    """A plan with other values at some places: three bytes an edit."""
    for at in range(0, min(len(data), 30) - 2, 3):
        places = list(_places(value))
        holder, key = places[data[at] % len(places)]
        kind = data[at + 1]
        if kind >= 250:
            del holder[key]
        elif kind >= 200:
            other, name = places[data[at + 2] % len(places)]
            holder[key] = deepcopy(other[name])
        elif kind >= 150:
            holder[key] = data[at + 2 :].decode("utf-8", "replace")
        else:
            holder[key] = deepcopy(INSTEAD[kind % len(INSTEAD)])
        if not value:
            break
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in JSON values: what holds it, and its key or number there."""
    for key, inner in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


@cache
def _small_vault() -> Workspace:
    """A vault with two memories, made once."""
    folder = TemporaryDirectory()
    vault = Workspace.create(start=folder.name, environ={"MEMTEND_NOW": "2026-06-30", "MEMTEND_COMMIT": "0"})[0]
    for number, text in enumerate(("The boiler leaks, C++ and foo.bar_baz() too.", "効果 Größe [[MEM-x]] 20.04 @a")):
        path = f"{vault.root}/10-Memories/MEM-{number}.md"
        Path(path).write_text(f"---\ntitle: T{number}\n---\n# T{number}\n\n{text}\n", encoding="utf-8")
    vault.index()
    _kept.append(folder)
    return vault


@cache
def _small_index() -> Index:
    """The index of that vault, looked up once: the look at the disk is no part of a query."""
    return _small_vault().index()


_kept: list[object] = []


def ask(data: bytes) -> None:
    """Any text is a query: an answer, or an error that says it is empty; none comes twice."""
    text = data.decode("utf-8", "replace")
    with suppress(Usage):
        hits = search(_small_index(), text, 5).hits
        assert len({hit.id for hit in hits}) == len(hits)
        assert all(0 <= hit.score <= 1 for hit in hits)


def _layout(make: Callable[[], Layout], path: str, data: bytes) -> None:
    """Reading never raises and says the same twice; writing gives edits or a refusal."""
    layout = make()
    decoded = layout.decode(path, data)
    assert [memory.id for memory in decoded.memories] == [memory.id for memory in make().decode(path, data).memories]
    assert all(problem.message for problem in decoded.problems)
    for memory in decoded.memories[:2]:
        for fields in ({"content": "New.\n\n- text"}, {"tags": ("a", "b: c")}):
            with suppress(MemtendError):
                change = Change(Verb.REFINE, memory.id, memory.digest, fields)
                for edit in layout.encode(ChangeSet((change,)), {path: data}, NOW):
                    layout.decode(edit.path, edit.after or b"")


def read_memory(data: bytes) -> None:
    """A vault's file is a memory whatever it holds."""
    _layout(VaultLayout, "10-Memories/MEM-x.md", data)


def read_role(data: bytes) -> None:
    """A role's page is read whatever it holds."""
    _layout(lambda: RoleLayout("zero"), CONSOLIDATED, data)


def read_pending(data: bytes) -> None:
    """What waits for a person in a role is read whatever it holds."""
    _layout(lambda: RoleLayout("zero"), PENDING, data)


def read_category(data: bytes) -> None:
    """A category's file is read whatever it holds."""
    _layout(CategoryLayout, "decisions/2026.md", data)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "frontmatter": read_frontmatter,
    "markdown": cut_markdown,
    "plan": read_plan,
    "query": ask,
    "memory": read_memory,
    "role": read_role,
    "pending": read_pending,
    "category": read_category,
}
