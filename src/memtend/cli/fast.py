"""The fast lane: `recall` and plain `search`, which hooks start at every prompt.

No command line library is loaded, and nothing that costs milliseconds. Whatever is not understood here (another
option, `--help`, a value that is missing) is left to the whole command line, which says what is wrong.
"""

from memtend.cli.screen import err, out, typed
from memtend.cli.words import parted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtend.search.rank import Answer, Hit
    from memtend.search.recall import Recalled

    Values = dict[str, str]

_RECALL = {"--budget": True, "--max": True, "--vault": True, "--json": False}
_SEARCH = {"-n": True, "--limit": True, "--vault": True, "--json": False}
"""Options by name, and whether a value follows."""

_MOST_DIGITS = 9
WIDER = "`--mode lexical` also shows what only shares words with it."
NOTHING = 1
"""Exit status where nothing was found."""


def run(words: "list[str]") -> "int | None":
    """Run the command line if it is for this lane, and return its status; else None."""
    command = words[0] if words else ""
    if words == ["hook", "prompt"]:
        from memtend.agents.recall_hook import run as run_hook

        return run_hook()
    if words == ["mcp"]:
        return _serve()
    if command == "role":
        from memtend.cli import role_lane

        return role_lane.run(words[1:])
    if command not in ("recall", "search"):
        return None
    parsed = _parse(words[1:], _RECALL if command == "recall" else _SEARCH)
    if parsed is None:
        return None
    return _ask(command, *parsed)


def _ask(command: str, values: "Values", texts: "list[str]") -> int:
    """Ask the vault, and print what it answers."""
    from memtend.workspace import Vault

    text = typed() if texts == ["-"] else " ".join(texts)
    vault = Vault.open(values.get("--vault"))
    as_json = "--json" in values
    try:
        if command == "recall":
            recalled = vault.recall(text, _number(values, "--budget"), _number(values, "--max"))
            return tell_recalled(recalled, as_json)
        limit = _number(values, "-n") or _number(values, "--limit")
        return tell_found(vault.search(text, limit), as_json)
    finally:
        vault.close()


def _serve() -> int:
    """`memtend mcp` as agents start it: without the command line library, which would cost a tenth of a second."""
    import os

    from memtend.mcp.desk import Desk
    from memtend.mcp.server import serve_stdio

    serve_stdio(Desk(start=os.getcwd()))
    return 0


def _parse(words: "list[str]", known: "dict[str, bool]") -> "tuple[Values, list[str]] | None":
    """Options with their values, and the other words; None where anything is not plainly understood."""
    found = parted(words, known)
    if found is None or not found[1]:
        return None
    values = dict(found[0])
    return (values, found[1]) if _are_sound(values) else None


def _are_sound(values: "Values") -> bool:
    numbers = [value for name, value in values.items() if name not in ("--vault", "--json")]
    return values.get("--vault", ".").strip() != "" and all(map(_is_count, numbers))


def _is_count(value: str) -> bool:
    return value.isdecimal() and len(value) <= _MOST_DIGITS and int(value) > 0


def _number(values: "Values", name: str) -> "int | None":
    return int(values[name]) if name in values else None


def tell_recalled(recalled: "Recalled", as_json: bool) -> int:
    """Print what was recalled; nothing at all where nothing is relevant."""
    if as_json:
        memories = [_hit_to_json(hit) for hit in recalled.hits]
        _out_json({"memories": memories, "context": recalled.context})
    elif recalled.hits:
        out(recalled.context.rstrip("\n"))
    return 0 if recalled.hits else NOTHING


def instead_of_spelling(looked_for: str) -> str:
    """What is said where something else was looked for than was asked."""
    return f"note: no memory has that as it is spelled; this is for {looked_for!r}"


def tell_found(answer: "Answer", as_json: bool, explain: bool = False, *, hint: str = WIDER) -> int:
    """Print the hits of a search; what is amiss with the answer goes to stderr, the hint where there are none."""
    if answer.note:
        err(f"note: {answer.note}")
    if answer.looked_for:
        err(instead_of_spelling(answer.looked_for))
    if as_json:
        hits = [_hit_to_json(hit, with_snippet=True, with_parts=explain) for hit in answer.hits]
        instead = {"looked_for": answer.looked_for} if answer.looked_for else {}
        _out_json({"query": answer.query, **instead, "hits": hits})
    elif answer.hits:
        out("\n".join(_hit_to_text(number, hit, explain) for number, hit in enumerate(answer.hits, 1)))
    else:
        err("No memory answers that.")
        if hint:
            err(f"hint: {hint}")
    return 0 if answer.hits else NOTHING


def _hit_to_json(hit: "Hit", with_snippet: bool = False, with_parts: bool = False) -> "dict[str, object]":
    shown: dict[str, object] = {name: getattr(hit, name) for name in ("id", "path", "title", "topic", "category")}
    shown["score"] = round(hit.score, 4)
    if with_snippet:
        shown["snippet"] = hit.snippet
    if with_parts:
        shown["mode"] = hit.mode
        shown["parts"] = [
            {"name": name, "value": round(value, 4), "weight": round(weight, 4)} for name, value, weight in hit.parts
        ]
        shown["related"] = list(hit.related)
    return shown


def _hit_to_text(number: int, hit: "Hit", explain: bool) -> str:
    about = " · ".join(part for part in (hit.topic, hit.category) if part)
    lines = [f"{number}. {hit.id}  {hit.title}"]
    lines += [f"   {about}"] if about else []
    lines += ["   " + line for line in hit.snippet.splitlines()]
    if explain:
        parts = " + ".join(f"{name} {value:.2f} × {weight:.2f}" for name, value, weight in hit.parts)
        lines.append(f"   score {hit.score:.2f} ({hit.mode}) = {parts}")
        lines += [f"   related: {', '.join(hit.related)}"] if hit.related else []
    return "\n".join(lines)


def _out_json(document: "dict[str, object]") -> None:
    import json

    out(json.dumps(document, ensure_ascii=False, indent=2))
