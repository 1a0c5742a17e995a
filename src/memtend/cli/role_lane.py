"""The fast lane of `memtend role`: what hooks and agents call often, without a command line library.

Whatever is not understood here (another option, `--help`, a value that is missing) is left to the whole command
line, which says what is wrong.
"""

from memtend.cli.screen import typed
from memtend.cli.words import parted

TYPE_CHECKING = False
if TYPE_CHECKING:
    Values = dict[str, str]

_COMMON = {"--role": True, "--roles": True, "--session": True, "--plain": False, "--commit": False, "--json": False}
_NEW = {**_COMMON, "--source": True, "--tags": True, "--allow-secrets": False}
_OPTIONS: "dict[str, dict[str, bool]]" = {
    "list": _COMMON,
    "search": {**_COMMON, "-n": True, "--limit": True, "--no-reinforce": False},
    "add_learning": _NEW,
    "add_preference": {**_NEW, "--category": True},
    "reinforce": _COMMON,
    "inject": {**_COMMON, "--budget": True, "--query": True},
}
"""Options of each action, and whether a value follows."""

_ALIASES = {"llm_tidy": "tidy", "role_read": "read", "role_write": "write", "role_list": "files"}
_NUMBERS = ("-n", "--limit", "--budget")
_OF_ONE_WORD = ("inject", "reinforce")


def run(words: "list[str]") -> "int | None":
    """Run `role` with these words, and return its status; None where they are for the whole command line.

    Actions go by their own names, with dashes, and by the names of the agents' tools.
    """
    given = words[0] if words else ""
    action = _ALIASES.get(given, given if given.startswith("-") else given.replace("-", "_"))
    parsed = _parse(words[1:], _OPTIONS[action]) if action in _OPTIONS else None
    if parsed is not None and _fits(action, *parsed):
        return _run(action, *parsed)
    if action == given:
        return None
    from memtend.cli.plain import run as run_all

    return run_all(["role", action, *words[1:]])


def _run(action: str, values: "Values", texts: "list[str]") -> int:
    from memtend.cli import role_actions as actions

    name = values.get("--role", texts[0] if action == "inject" and texts else None)
    role = actions.open_role(
        name,
        values.get("--roles"),
        plain="--plain" in values,
        session=values.get("--session", ""),
        commit="--commit" in values,
        allow_secrets="--allow-secrets" in values,
    )
    as_json = "--json" in values
    if action == "list":
        return actions.list_(role, as_json)
    if action == "inject":
        return actions.inject(role, as_json, int(values.get("--budget", "2000")), values.get("--query", ""))
    text = typed() if texts == ["-"] else " ".join(texts)
    if action == "search":
        limit = int(values.get("-n") or values.get("--limit") or "10")
        return actions.search(role, as_json, text, limit, "--no-reinforce" not in values)
    if action == "reinforce":
        return actions.reinforce(role, as_json, text)
    return _add(action, role, as_json, text, values)


def _add(action: str, role: "object", as_json: bool, text: str, values: "Values") -> int:
    from memtend.cli import role_actions as actions
    from memtend.layouts.role.bullet import tag_names

    source, tags = values.get("--source", ""), tag_names(values.get("--tags", ""))
    if action == "add_learning":
        return actions.add_learning(role, as_json, text, source=source, tags=tags)  # type: ignore[arg-type]
    return actions.add_preference(role, as_json, text, values.get("--category", ""), source=source, tags=tags)  # type: ignore[arg-type]


def _fits(action: str, values: "Values", texts: "list[str]") -> bool:
    """Whether the action has the words it needs, no value is empty, and its numbers are such."""
    if not all(value.strip() for name, value in values.items() if _OPTIONS[action][name]):
        return False
    if not all(values[name].isdecimal() and int(values[name]) > 0 for name in _NUMBERS if name in values):
        return False
    if action == "list":
        return not texts
    if action in _OF_ONE_WORD:
        return len(texts) <= 1 and all(map(str.strip, texts)) and (bool(texts) or action == "inject")
    return bool(texts)


def _parse(words: "list[str]", known: "dict[str, bool]") -> "tuple[Values, list[str]] | None":
    """Options with their values, and the texts; None where anything is not plain, or given twice."""
    found = parted(words, known)
    if found is None:
        return None
    values = dict(found[0])
    return (values, found[1]) if len(values) == len(found[0]) else None
