"""Where the derived pages differ from the memories: what `check` shows of a vault (vault spec, 3)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from urllib.parse import unquote

from memtend.errors import NewerFormat
from memtend.layouts import Problem, Tree, Usage
from memtend.layouts.vault import json_index
from memtend.layouts.vault.pages import reindex
from memtend.layouts.vault.paths import DERIVED, INDEX, JSON_INDEX, LIST, MEMORIES
from memtend.memory import Memory

_ROWS = {
    INDEX: re.compile(r"\]\(\.\./10-Memories/([^()\s]+)\.md\)"),
    LIST: re.compile(r"^### \[.*\]\(([^()\s]+)\.md\)\s*$", re.MULTILINE),
}


def compare(memories: Sequence[Memory], pages: Tree, folder: str) -> tuple[Problem, ...]:
    """What is missing, dead, different or out of date in the pages. `memories` are as their files say."""
    problems = [_problem("page-missing", path, "is missing; `memtend index` writes it") for path in _missing(pages)]
    listing = json_index.read(pages.get(JSON_INDEX))
    if listing.is_damaged:
        problems.append(_problem("index-damaged", JSON_INDEX, "is damaged; what it still holds is used"))
    if JSON_INDEX in pages:
        problems += _of_json(memories, listing)
    active = [memory for memory in memories if memory.is_active]
    for path in (INDEX, LIST):
        if path in pages:
            problems += _of_page(path, pages[path], active)
    return (*problems, *_stale(memories, pages, folder, problems))


def _problem(code: str, path: str, message: str) -> Problem:
    return Problem(code, "warning", path, message)


def _missing(pages: Tree) -> list[str]:
    return [path for path in DERIVED if path not in pages]


def _stale(memories: Sequence[Memory], pages: Tree, folder: str, problems: Sequence[Problem]) -> Iterator[Problem]:
    """Pages that would be drawn otherwise, beside the problems that are known; some of those say as much already."""
    try:
        edits = reindex(memories, pages, _NEVER, folder)
    except NewerFormat as fault:
        if all(problem.path != JSON_INDEX for problem in problems):
            yield Problem("newer-format", "error", JSON_INDEX, fault.message)
        return
    for path in [edit.path for edit in edits if edit.path in pages]:
        codes = [problem.code for problem in problems if problem.path == path]
        if not codes:
            yield _problem("page-stale", path, "is not up to date; `memtend index` brings it up to date")
        elif not any(code.startswith("page-") for code in codes):
            yield _problem("stale-page", path, "is not what the memories say; `memtend index` brings it up to date")


_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""The clock where no date is kept."""


def _of_json(memories: Sequence[Memory], listing: json_index.Listing) -> Iterator[Problem]:
    entries: Mapping[str, json_index.Entry] = {entry["id"]: entry for entry in listing.entries}
    ids = {memory.id for memory in memories}
    unlisted = [memory.id for memory in memories if memory.id not in entries]
    dead = [id for id in entries if id not in ids]
    yield from _of_rows(JSON_INDEX, len(memories), unlisted, dead)
    used = json_index.usage(listing)
    for memory in memories:
        if memory.id in entries:
            yield from _of_usage(memory, used.get(memory.id, Usage(0, "")))
            yield from _of_entry(memory, entries[memory.id])


def _of_usage(memory: Memory, listed: Usage) -> Iterator[Problem]:
    written = Usage(memory.retrieval_count, memory.last_retrieved)
    if json_index.most(written, listed) != written:
        message = (
            f"{memory.id}: {listed.times} retrievals, last {listed.last or 'never'}; the file has {written.times}, "
            f"last {written.last or 'never'}. The larger count and the later date hold"
        )
        yield _problem("usage-only-in-index", JSON_INDEX, message)


def _of_entry(memory: Memory, entry: json_index.Entry) -> Iterator[Problem]:
    fields = ("title", "summary", "topic", "category", "created", "modified", "status")
    different = [name for name in fields if name in entry and (entry[name] or "") != str(getattr(memory, name))]
    if list(memory.keywords) != entry.get("keywords", list(memory.keywords)):
        different.append("keywords")
    if different:
        yield _problem("index-differs", JSON_INDEX, f"{memory.id}: not as in its file: {', '.join(different)}")


def _of_page(path: str, page: bytes, active: Sequence[Memory]) -> Iterator[Problem]:
    rows = {unquote(name, errors="surrogateescape") for name in _ROWS[path].findall(page.decode("utf-8", "replace"))}
    there = {memory.place.path.removeprefix(MEMORIES).removesuffix(".md"): memory.id for memory in active}
    unlisted = [id for name, id in there.items() if name not in rows]
    dead = sorted(rows - there.keys() - {"README"})
    yield from _of_rows(path, len(active), unlisted, dead)


def _of_rows(path: str, total: int, unlisted: Sequence[str], dead: Sequence[str]) -> Iterator[Problem]:
    if unlisted:
        message = f"lists {total - len(unlisted)} of {total} memories; missing: {_named(unlisted)}"
        yield _problem("page-incomplete", path, message)
    if dead:
        yield _problem("dead-row", path, f"lists what is not there: {_named(dead)}")


def _named(ids: Sequence[str]) -> str:
    more = len(ids) - 5
    return ", ".join(ids[:5]) + (f" and {more} more" if more > 0 else "")
