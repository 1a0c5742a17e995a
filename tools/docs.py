"""Makes the reference pages from the program itself: `python tools/docs.py` writes them, `--check` compares.

A page that says something else than the program fails `tests/truth/test_reference.py`.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from typer.main import get_command

from memtend import errors, settings
from memtend.cli import app

if TYPE_CHECKING:
    from memtend.mcp.arguments import Parameter
    from memtend.mcp.tool import Tool

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
_MADE = "<!-- Made by tools/docs.py from the program; edit that, then run `make docs`. -->\n"
_WIDTH = 100


def cli_page() -> str:
    """Every command with its help."""
    root = get_command(app.build())
    parts = [
        "# The command line\n",
        _MADE,
        "Flags listed under every command may stand before it as well.\n",
        "## memtend\n",
        _help(root, "memtend"),
        _EXIT_STATUSES,
    ]
    for command in app.commands():
        words = [*filter(None, (command.group, command.name))]
        parsed = root
        for word in words:
            parsed = parsed.commands[word]  # type: ignore[attr-defined]
        name = " ".join(["memtend", *words])
        parts += [f"## {name}\n", _help(parsed, name)]
    return "\n".join(parts)


_EXIT_STATUSES = """\
## Exit status

| status | meaning |
|---|---|
| 0 | done |
| 1 | done, with findings; or nothing was found |
| 2 | the command, an argument or an input is wrong |
| 3 | a person has to say yes and nobody did, or somebody stopped it (Ctrl-C too); nothing was written |
| 4 | the files are not what the decision relied on |
| 5 | refused by a law of the layout or by a guard |
| 6 | the store, the disk or memtend itself is damaged |

An error is one line `error[code]: what happened` and one line `hint: what to do`, both on stderr.
With `--json` stdout then holds `{"status": "error", "error": {"code": …, "message": …, "hint": …}}`.
Where the reader of the output goes away early (`memtend list | head -1`), the command ends quietly.
"""


def _help(command: object, name: str) -> str:
    context = command.make_context(name, [], resilient_parsing=True, terminal_width=_WIDTH)  # type: ignore[attr-defined]
    lines = [line.rstrip() for line in command.get_help(context).splitlines()]  # type: ignore[attr-defined]
    return "```text\n" + "\n".join(lines) + "\n```\n"


def errors_page() -> str:
    """Every error with its code and exit status."""
    rows = "\n".join(
        f"| `{fault.code}` | {fault.exit_status} | {_first_line(fault)} |" for fault in _tree(errors.MemtendError)
    )
    return (
        f"# Errors\n\n{_MADE}\n"
        "What stands in brackets after `error` names the kind of the error; a program may rely on it.\n\n"
        f"| code | exit status | what it means |\n|---|---|---|\n{rows}\n"
        "| `io` | 6 | The operating system refused to read or write. |\n"
        "| `internal` | 6 | A fault of memtend itself; please report it. |\n"
    )


def _tree(root: type[errors.MemtendError]) -> Iterator[type[errors.MemtendError]]:
    for kind in root.__subclasses__():
        yield kind
        yield from _tree(kind)


def _first_line(fault: type[errors.MemtendError]) -> str:
    return (fault.__doc__ or "").strip().splitlines()[0]


def settings_page() -> str:
    """Every setting with its default."""
    rows = "\n".join(
        f"| `{name}` | `MEMTEND_{name.upper()}` | {_written(value)} | {_SETTINGS[name]} |"
        for name, value in settings.DEFAULTS.items()
    )
    return (
        f"# Settings\n\n{_MADE}\n"
        "A value comes from, the later the stronger: the default, `[tool.memtend]` in the nearest `pyproject.toml` or\n"
        "`memtend.toml` upwards, the environment, a flag of the command. `memtend status` says what was set where.\n\n"
        f"| setting | variable | default | what it is |\n|---|---|---|---|\n{rows}\n\n"
        f"## Variables alone\n\n{_VARIABLES}"
    )


def _written(value: object) -> str:
    """A default as a settings file says it."""
    return f"`{str(value).lower()}`" if value != "" else "none"


_SETTINGS = {
    "vault": "the vault; else the nearest `.memory` upwards",
    "commit": "whether a vault in a git repository is committed after each change",
    "embedder": "what makes vectors of texts: none or `built-in` for the table inside, `minilm`, `onnx:FOLDER`,"
    " or a URL, which is asked only where the variable names it",
    "git_timeout_seconds": "how long git and its hooks may take",
    "lock_timeout_seconds": "how long to wait while somebody else writes",
    "recall_budget": "tokens that `recall` hands out at most",
    "recall_max": "memories that `recall` hands out at most",
    "search_limit": "hits of a search at most",
    "max_files": "files that are learned of a directory at most",
}

_VARIABLES = """\
| variable | what it is |
|---|---|
| `MEMTEND_NOW` | the clock: a date, or a timestamp in ISO 8601 |
| `MEMTEND_PROMPT` | `plain` asks line by line, which screen readers and pipes can answer |
| `MEMTEND_ROLES`, `MEMTEND_ROLE` | where the roles are, and which one is meant |
| `MEMTEND_SESSION` | the agent's session: a use counts once in it |
| `MEMTEND_TOKEN` | what callers of `memtend serve` must show |
| `MEMTEND_EMBEDDER_KEY` | the key for an embedder that is a URL |
"""


def mcp_page() -> str:
    """Every tool with its parameters, the resources, the prompts, and where REST has them."""
    from memtend.mcp.answers import LIMIT_BYTES
    from memtend.mcp.pages import HEALTH, INDEX, PROMPTS, TEMPLATE
    from memtend.mcp.tools import tools

    parts = [
        "# MCP and REST\n",
        _MADE,
        f"No answer is larger than {LIMIT_BYTES:,} bytes of JSON. Lists and long texts come with `total`, `returned`,\n"
        "`next_offset` and `truncated`; `next_offset` is the `offset` of the next call.\n",
        "What a person wrote, and what will be believed as knowledge, changes only after a person's yes: in a form,\n"
        "or through `apply` with the digest of each proposal that a tool answered (status `planned`). Only candidates\n"
        "and counts are written at once ([who decides](../guides/agents.md#who-decides)).\n",
    ]
    parts += [_tool(tool) for tool in tools().values()]
    parts += ["## Resources\n", f"`{TEMPLATE}` (one memory, fenced as data), `{INDEX}`, `{HEALTH}`\n", "## Prompts\n"]
    parts += [f"- `{one.name}` ({', '.join(one.arguments)}): {one.about}" for one in PROMPTS]
    return "\n".join(parts) + "\n"


def _tool(tool: "Tool") -> str:
    from memtend.mcp.rest import place_of

    place = place_of(tool)
    rows = "\n".join(
        f"| `{one.name}` | {one.kind}{', required' if one.required else ''} | {_one_line(one)} |"
        for one in tool.parameters
    )
    return (
        f"## {tool.name}\n\n{tool.about}\n\nREST: `{place.method} /api{place.path}`\n\n"
        f"| parameter | kind | what it is |\n|---|---|---|\n{rows}\n"
    )


def _one_line(parameter: "Parameter") -> str:
    choices = f" One of {', '.join(parameter.choices)}." if parameter.choices else ""
    return f"{parameter.about}{choices}".replace("|", "\\|")


PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "errors.md": errors_page,
    "settings.md": settings_page,
    "mcp.md": mcp_page,
}


def stale() -> list[str]:
    """The pages that say something else than the program."""
    return [
        name
        for name, make in PAGES.items()
        if not (path := REFERENCE / name).exists() or path.read_text(encoding="utf-8") != make()
    ]


def main() -> int:
    """Write the pages, or with `--check` name those that are stale."""
    if "--check" in sys.argv[1:]:
        for name in stale():
            print(f"docs/reference/{name} is stale: run `make docs`")
        return 1 if stale() else 0
    REFERENCE.mkdir(parents=True, exist_ok=True)
    for name, make in PAGES.items():
        (REFERENCE / name).write_text(make(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
