"""Resources and prompts: what a person attaches to a conversation, and how they start one. Plain values.

`memory://ID` is one memory, `memory://index` the list, `memory://health` how the vault is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from memtend.errors import NotFound, Usage
from memtend.mcp.answers import NOTICE, as_text, brief, page, piece
from memtend.mcp.desk import Desk
from memtend.workspace.listing import listed

SCHEME = "memory://"
INDEX, HEALTH = f"{SCHEME}index", f"{SCHEME}health"
TEMPLATE = SCHEME + "{id}"
MARKDOWN, JSON = "text/markdown", "application/json"
AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Listed:
    """A resource in a list."""

    uri: str
    name: str
    about: str
    kind: str


def resources(desk: Desk, offset: int) -> tuple[list[Listed], int | None]:
    """A page of the resources: index and health first, then every memory; and where the next page starts."""
    with desk.reader() as workspace:
        memories = workspace.memories()
    first = [
        Listed(INDEX, "index", "Every memory with topic, category and use.", JSON),
        Listed(HEALTH, "health", "How many memories there are, what is never used, what is wrong.", JSON),
    ]
    chosen = memories[offset:][:AT_ONCE]
    some = [Listed(uri_of(memory.id), memory.id, brief(memory.title), MARKDOWN) for memory in chosen]
    following = offset + len(some)
    return [*(first if offset == 0 else ()), *some], following if following < len(memories) else None


def uri_of(id: str) -> str:
    """The URI of a memory."""
    return SCHEME + quote(id.encode("utf-8", "surrogateescape"), safe="")


def read(desk: Desk, uri: str) -> tuple[str, str]:
    """A resource's media type and text. Raises NotFound, UnknownMemory."""
    if uri == INDEX:
        with desk.reader() as workspace:
            memories = [listed(memory) for memory in workspace.memories()]
        return JSON, as_text({"notice": NOTICE, **page("memories", memories, limit=len(memories) or 1)})
    if uri == HEALTH:
        return JSON, as_text(health(desk))
    if not uri.startswith(SCHEME):
        raise NotFound(f"No resource {uri}", hint=f"There are {INDEX}, {HEALTH} and {TEMPLATE}.")
    return MARKDOWN, _memory(desk, unquote(uri.removeprefix(SCHEME)))


def _memory(desk: Desk, id: str) -> str:
    from memtend.search.recall import quoted

    with desk.reader() as workspace:
        memory = workspace.read(id)
    part, following = piece(memory.text)
    rest = f"\n[cut here; the tool read goes on at offset {following}]\n" if following is not None else ""
    return quoted(memory.id, memory.title, memory.place.path, part) + rest


def health(desk: Desk) -> dict[str, object]:
    """How the vault is: the report of distill in short, and what check finds."""
    from memtend.mcp.tending import report_in_short

    with desk.reader() as workspace:
        found, _ = workspace.report(keep=False)
        problems = workspace.check()
    return {**report_in_short(found), "findings": dict(Counter(problem.code for problem in problems))}


def completions(desk: Desk, begun: str) -> list[str]:
    """Ids that begin like this."""
    with desk.reader() as workspace:
        memories = workspace.memories()
    return beginning([memory.id for memory in memories], begun)


def beginning(words: Sequence[str], begun: str) -> list[str]:
    """The words that begin like this, whatever their case."""
    return [word for word in words if word.casefold().startswith(begun.casefold())]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A way to start a conversation. `text` has its arguments in braces; `needs` says which must be given."""

    name: str
    about: str
    arguments: Mapping[str, str]
    text: str
    needs: tuple[str, ...] = ()
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What an argument may be, where that can be counted."""

    def filled(self, given: Mapping[str, str]) -> str:
        """The text with its arguments. Raises Usage where one is missing."""
        missing = [name for name in self.needs if not given.get(name, "").strip()]
        if missing:
            raise Usage(f"the prompt {self.name} needs {', '.join(missing)}", hint=self.arguments[missing[0]])
        text = self.text
        for name in self.arguments:
            text = text.replace("{" + name + "}", given.get(name, "").strip() or "(not given)")
        return text


PROMPTS = (
    Prompt(
        "learn",
        "Learn from a text, files or a task, and decide on each proposal.",
        {"source": "A text, a path, or a task's number."},
        "Learn this into the project's memory with the memtend tools: {source}\n\n"
        "Call `learn` with `text`, `paths` or `task`, whichever it is. If the answer has status `planned`, show me "
        "each proposal in one line (what it says, what is near it, any conflict, what is recommended) and ask me what "
        "to do; then call `apply` with my decisions and the proposals' digests. Decide nothing for me. At the end, "
        "name what was written and the receipt.",
        ("source",),
    ),
    Prompt(
        "distill",
        "Look after the memories: what is stale, double or too long.",
        {"mode": "report, purge, merge, compress, refine, gc or auto; report unless given."},
        "Look after the project's memory with the memtend tools (mode: {mode}).\n\n"
        "Call `check` and, where it is there, `distill`; begin with the report if no mode is given. Show me what it "
        "finds, and ask me before anything is changed. Apply only what I chose, and name the receipt: `undo` takes it "
        "back.",
        choices={"mode": ("report", "purge", "merge", "compress", "refine", "gc", "auto")},
    ),
    Prompt(
        "organize",
        "Organize what a role remembers.",
        {"role": "The role; the only one unless given."},
        "Organize the memory of the role {role} with the memtend tool `memory`: list, then organize. Show me what it "
        "would change and, once I have said yes, apply it; then what waits to be promoted or discarded, and ask me "
        "about each. Do not reword my preferences.",
    ),
)


def choices(name: str, argument: str, begun: str) -> list[str]:
    """What the argument of a prompt may be, as far as it has been begun."""
    found = next((one.choices for one in PROMPTS if one.name == name), {})
    return beginning(found.get(argument, ()), begun)


def prompt(name: str, given: Mapping[str, str]) -> str:
    """The text of a prompt. Raises NotFound, Usage."""
    for one in PROMPTS:
        if one.name == name:
            return one.filled(given)
    raise NotFound(f"No prompt {name}", hint="Prompts: " + ", ".join(one.name for one in PROMPTS))
