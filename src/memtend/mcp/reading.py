"""Tools that only look: search, recall, read, list, check."""

from typing import Any

from memtend.errors import Usage
from memtend.mcp.answers import LIMIT_BYTES, NOTICE, Answer, brief, page, piece, size_bytes
from memtend.mcp.arguments import SWITCH, TEXT, TEXTS, WHOLE, Arguments, Parameter
from memtend.mcp.desk import Desk, Watch
from memtend.mcp.tool import Tool
from memtend.search.candidates import MODES
from memtend.workspace.listing import is_of, listed

LARGEST_CONTEXT_BYTES = LIMIT_BYTES * 3 // 4
"""Of what `recall` hands out, as text; the rest is for its list and for what JSON writes as two characters."""
LARGEST_HEAD_BYTES = LIMIT_BYTES // 4
"""Of what stands before a memory's text: of a longer one, twenty tags and links are named."""
TOPIC = Parameter(name="topic", kind=TEXT, about="Only this topic and those below it.", example="python/http")
CATEGORY = Parameter(
    name="category", kind=TEXT, about="Only this category, such as TECHNIQUE or CONFIG.", example="CONFIG"
)
TAGS = Parameter(name="tags", kind=TEXTS, about="Only with all of these tags.", example=["api"], splits=True)
RETIRED = Parameter(name="include_retired", kind=SWITCH, about="Retired memories too.", example=False, default=False)
OFFSET = Parameter(
    name="offset",
    kind=WHOLE,
    about="Where to start; `next_offset` of the answer before.",
    example=0,
    default=0,
    minimum=0,
)


def limit(default: int, most: int) -> Parameter:
    """The parameter that says how much is answered at most."""
    return Parameter(
        name="limit", kind=WHOLE, about="At most so many.", example=default, default=default, minimum=1, maximum=most
    )


def _search(desk: Desk, given: Arguments, _: Watch) -> Answer:
    offset, most = given["offset"], given["limit"]
    looked_at = offset + most + 1
    with desk.reader() as workspace:
        answer = workspace.search(
            given["query"],
            looked_at,
            topic=given["topic"] or "",
            category=given["category"] or "",
            include_retired=given["include_retired"],
            tags=[tag.lstrip("#") for tag in given["tags"]],
            since=given["since"] or "",
            before=given["before"] or "",
            mode=given["mode"],
        )
    found = page("hits", [_hit(hit) for hit in answer.hits], offset=offset, limit=most)
    is_cut = len(answer.hits) == looked_at
    said = {"looked_for": answer.looked_for, "note": answer.note}
    asked = {"query": answer.query} | {name: text for name, text in said.items() if text}
    return Answer({"notice": NOTICE, **asked, **found, "total_is_at_least": is_cut})


def _hit(hit: Any) -> dict[str, Any]:
    return {
        "id": hit.id,
        "title": hit.title,
        "topic": hit.topic,
        "category": hit.category,
        "path": hit.path,
        "score": round(hit.score, 3),
        "snippet": hit.snippet,
    }


def _recall(desk: Desk, given: Arguments, _: Watch) -> Answer:
    with desk.reader() as workspace:
        recalled = workspace.recall(given["text"], given["budget"], given["max"], most_bytes=LARGEST_CONTEXT_BYTES)
    memories = [
        {"id": hit.id, "title": hit.title, "path": hit.path, "score": round(hit.score, 3)} for hit in recalled.hits
    ]
    return Answer(
        {"memories": memories, "context": recalled.context}, recalled.context or "Nothing relevant is stored."
    )


def _read(desk: Desk, given: Arguments, _: Watch) -> Answer:
    with desk.reader() as workspace:
        memory = workspace.read(given["id"])
        linked = workspace.links(memory.place.path)
    text = memory.text + (f"\n\n## History\n\n{memory.history}" if given["history"] and memory.history else "")
    if given["offset"] > len(text):
        raise Usage(f"{memory.id} has {len(text)} characters; there is nothing at {given['offset']}")
    about = {
        "notice": NOTICE,
        **listed(memory),
        "tags": list(memory.tags),
        "source": memory.source,
        "links": list(linked.outgoing),
        "linked_from": list(linked.incoming)[:20],
    }
    about = about if size_bytes(about) <= LARGEST_HEAD_BYTES else brief(about, 20)
    part, following = piece(text, given["offset"], LIMIT_BYTES - size_bytes(about) - 500)
    counted = {
        "total": len(text),
        "returned": len(part),
        "next_offset": following,
        "truncated": following is not None,
    }
    return Answer({**about, "text": part, **counted})


def _list(desk: Desk, given: Arguments, _: Watch) -> Answer:
    with desk.reader() as workspace:
        memories = workspace.memories(include_retired=given["include_retired"])
    topic, category = given["topic"] or "", given["category"] or ""
    wanted = [memory for memory in memories if is_of(memory, topic=topic, category=category, tags=given["tags"])]
    chosen = [listed(memory) for memory in wanted]
    return Answer({"notice": NOTICE, **page("memories", chosen, offset=given["offset"], limit=given["limit"])})


def _check(desk: Desk, given: Arguments, watch: Watch) -> Answer:
    with desk.workspace() as workspace:
        watch.step(0, 0, "looking at every file")
        problems = workspace.check()
    findings = [
        {"code": p.code, "severity": p.severity, "path": p.path, "line": p.line, "message": p.message} for p in problems
    ]
    return Answer(page("findings", findings, offset=given["offset"], limit=given["limit"]))


PAGED = {
    "total": {"type": "integer"},
    "returned": {"type": "integer"},
    "next_offset": {"type": ["integer", "null"]},
    "truncated": {"type": "boolean"},
}
_ENTRIES = {"type": "array", "items": {"type": "object"}}
_NOTICE = {"notice": {"type": "string"}}

TOOLS = (
    Tool(
        name="search",
        title="Search memories",
        about=(
            "Find stored memories by plain words, best first, with snippets. No character of the query is syntax; "
            "days count (`last week`, `on 9 May`). `looked_for` says where a slip of spelling was seen through. "
            "Use it before you answer from memory or learn something new; `read` gives a whole memory."
        ),
        parameters=(
            Parameter(name="query", kind=TEXT, about="Plain words, or an id.", example="retry policy", required=True),
            limit(5, 50),
            OFFSET,
            TOPIC,
            CATEGORY,
            TAGS,
            RETIRED,
            Parameter(name="since", kind=TEXT, about="Only changed on that day or later.", example="2026-06-30"),
            Parameter(name="before", kind=TEXT, about="Only changed before that day.", example="2026-06-30"),
            Parameter(
                name="mode",
                kind=TEXT,
                about="By words, by meaning, or both.",
                example="hybrid",
                default="hybrid",
                choices=MODES,
            ),
        ),
        run=_search,
        answer=_NOTICE
        | {
            "query": {"type": "string"},
            "looked_for": {"type": "string"},
            "note": {"type": "string"},
            "hits": _ENTRIES,
            "total_is_at_least": {"type": "boolean"},
        }
        | PAGED,
    ),
    Tool(
        name="recall",
        title="Recall what matters",
        about=(
            "The memories that matter for a task, whole, within a budget of tokens, fenced as data. Counts that they "
            "were used. Call it with what you are about to do."
        ),
        parameters=(
            Parameter(
                name="text",
                kind=TEXT,
                about="What is being done, in words.",
                example="add retries to the parcel client",
                required=True,
            ),
            Parameter(
                name="budget",
                kind=WHOLE,
                about="Tokens to hand out; 2000 unless set.",
                example=2000,
                minimum=1,
                maximum=6000,
            ),
            Parameter(
                name="max", kind=WHOLE, about="The most memories; 5 unless set.", example=5, minimum=1, maximum=50
            ),
        ),
        run=_recall,
        answer={"memories": _ENTRIES, "context": {"type": "string"}},
    ),
    Tool(
        name="read",
        title="Read one memory",
        about="One whole memory by id, with its links. A long one comes in pieces: go on with `next_offset`.",
        parameters=(
            Parameter(name="id", kind=TEXT, about="The memory's id or path.", example="MEM-http-retry", required=True),
            OFFSET,
            Parameter(name="history", kind=SWITCH, about="Its earlier versions too.", example=False, default=False),
        ),
        run=_read,
        answer=_NOTICE
        | {
            name: {"type": "string"}
            for name in ("id", "path", "title", "topic", "category", "status", "text", "source")
        }
        | {name: {"type": "array", "items": {"type": "string"}} for name in ("tags", "links", "linked_from")}
        | PAGED,
    ),
    Tool(
        name="list",
        title="List memories",
        about="All memories with topic, category, size and use, a page at a time. To find something, use `search`.",
        parameters=(limit(50, 200), OFFSET, TOPIC, CATEGORY, TAGS, RETIRED),
        run=_list,
        answer=_NOTICE | {"memories": _ENTRIES} | PAGED,
    ),
    Tool(
        name="check",
        title="Check the vault",
        about="What is wrong with the vault's files and derived pages, errors first. Changes nothing.",
        parameters=(limit(50, 200), OFFSET),
        run=_check,
        answer={"findings": _ENTRIES} | PAGED,
        is_long=True,
    ),
)
