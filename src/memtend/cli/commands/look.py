"""list, show, links: what is in the vault."""

from typing import Annotated, Any

from memtend.cli import render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, Command
from memtend.cli.commands.find import Category, Tags, Topic, wanted_tags
from memtend.cli.parameter import Argument, Option
from memtend.memory import Memory
from memtend.workspace.listing import is_of, listed

EMPTY = "No memories in vault. Use learn to add memories first."


def complete_id(ctx: Any, incomplete: str) -> list[str]:
    """Ids that begin like this, for the shell."""
    from memtend.errors import MemtendError

    try:
        memories = Call(vault=ctx.params.get("vault")).workspace().memories(include_retired=True)
    except (MemtendError, OSError):
        return []
    return [memory.id for memory in memories if memory.id.startswith(incomplete)]


Id = Annotated[
    str,
    Argument(metavar="ID", help="A memory's id, such as MEM-http-retry-policy.", autocompletion=complete_id),
]


def list_(
    call: Call,
    *,
    topic: Topic = "",
    category: Category = "",
    tags: Tags = None,
    all_: Annotated[bool, Option("--all", help="Retired memories too.")] = False,
) -> int:
    """List the memories with their topics and use."""
    memories = call.workspace().memories(include_retired=all_)
    wanted = wanted_tags(tags)
    chosen = [memory for memory in memories if is_of(memory, topic=topic, category=category, tags=wanted)]
    call.answer({"memories": [listed(memory) for memory in chosen]}, _as_table(chosen, call.columns), paged=True)
    if not chosen:
        call.say(EMPTY if not memories else "No memory is like that.")
    return DONE if chosen else FOUND_SOMETHING


def _as_table(memories: list[Memory], width: int) -> str:
    if not memories:
        return ""
    rows = [
        (
            memory.id if memory.is_active else f"{memory.id} (retired)",
            memory.topic,
            memory.category,
            str(memory.token_count),
            str(memory.retrieval_count),
            memory.title,
        )
        for memory in memories
    ]
    return render.table(rows, ("id", "topic", "category", "tokens", "used", "title"), width)


def show(
    call: Call,
    *,
    memory_id: Id,
    history: Annotated[bool, Option("--history", help="Its earlier versions too.")] = False,
) -> int:
    """Print one memory."""
    memory = call.workspace().read(memory_id)
    document = listed(memory) | {
        "tags": list(memory.tags),
        "keywords": list(memory.keywords),
        "summary": memory.summary,
        "source": memory.source,
        "links": list(memory.links),
        "text": memory.text,
    }
    if history:
        document["history"] = memory.history
    call.answer(document, _as_page(memory, history), paged=True)
    return DONE


def _as_page(memory: Memory, history: bool) -> str:
    used = render.counted(memory.retrieval_count, "time") + (
        f", last {memory.last_retrieved[:10]}" if memory.last_retrieved else ""
    )
    facts = (
        ("id", memory.id),
        ("file", memory.place.path),
        ("topic", memory.topic),
        ("category", memory.category),
        ("tags", ", ".join(memory.tags)),
        ("keywords", ", ".join(memory.keywords)),
        ("source", memory.source),
        ("created", memory.created),
        ("modified", memory.modified),
        ("used", used),
        ("retired", " ".join(filter(None, (memory.retired_at, memory.retired_reason)))),
    )
    lines = [f"{name:<10}{value}" for name, value in facts if value]
    parts = [f"# {memory.title}", memory.text, memory.history if history else "", memory.connections]
    return "\n\n".join(["\n".join(lines), *(part for part in parts if part)])


def links(call: Call, memory_id: Id) -> int:
    """Show the links of a memory, both ways.

    Links that lead nowhere: exit status 1.
    """
    linked = call.workspace().links(memory_id)
    parts = (
        ("links to", [f"{id} (retired)" if id in linked.retired else id for id in linked.outgoing]),
        ("linked from", linked.incoming),
        ("leads nowhere", linked.broken),
    )
    text = "\n".join(f"{name:<15}{id}" for name, ids in parts for id in ids)
    document = {
        "id": linked.id,
        "outgoing": list(linked.outgoing),
        "backlinks": list(linked.incoming),
        "broken": list(linked.broken),
        "retired": list(linked.retired),
    }
    call.answer(document, text)
    if not text:
        call.say("It links to nothing, and nothing links to it.")
    return FOUND_SOMETHING if linked.broken else DONE


COMMANDS = (
    Command("list", list_, ("memtend list", "memtend list --topic python --tag api", "memtend list --all --json")),
    Command("show", show, ("memtend show MEM-http-retry-policy", "memtend show MEM-http-retry-policy --history")),
    Command("links", links, ("memtend links MEM-http-retry-policy",)),
)
