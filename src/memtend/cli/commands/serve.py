"""serve: vaults over HTTP, for agents and programs."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memtend.cli.call import DONE, Call, Command
from memtend.cli.commands.mcp import EVERY_GROUP, Groups, RolesDir, wanted_groups
from memtend.cli.parameter import Option
from memtend.errors import Integrity, Usage

if TYPE_CHECKING:
    from memtend.mcp.http import Served

Host = Annotated[
    str, Option("--host", metavar="ADDRESS", help="Where to listen; others than this machine need a token.")
]
Port = Annotated[int, Option("--port", metavar="N", min=0, max=65535, help="0 takes a free one.")]
Token = Annotated[
    list[str] | None,
    Option("--token", metavar="[NAME=]TOKEN", help="What callers must show; else MEMTEND_TOKEN. Once a vault."),
]
Also = Annotated[
    list[str] | None, Option("--allow-host", metavar="NAME", help="Another name that this server is reached by.")
]
More = Annotated[list[str] | None, Option("--add", metavar="NAME=DIR", help="Serve one more vault, at /vaults/NAME/.")]


def serve(
    call: Call,
    *,
    host: Host = "127.0.0.1",
    port: Port = 8765,
    token: Token = None,
    allow_host: Also = None,
    add: More = None,
    tools: Groups = EVERY_GROUP,
    roles: RolesDir = None,
) -> int:
    """Serve the vault over HTTP: MCP at /mcp, REST at /api.

    /api itself is the OpenAPI document. Listens on this machine alone unless --host says otherwise, and then needs a
    token. Log lines on stderr hold no word of a memory. Ends with Ctrl-C.
    """
    from memtend.mcp.http import application
    from memtend.mcp.http import serve as listen

    app = application(
        _vaults(call, token or [], add or [], roles), host=host, also=allow_host or (), groups=wanted_groups(tools)
    )
    try:
        listen(app, host, port, lambda port: call.say(f"Serving at http://{_shown(host)}:{port}/mcp and /api"))
    except OSError as fault:
        raise Integrity(
            f"{host}:{port} cannot be served: {fault.strerror}", hint="Name another --host or --port."
        ) from fault
    return DONE


def _vaults(call: Call, given: list[str], more: list[str], roles: str | None) -> "list[Served]":
    """The vaults with their tokens: the one of this call first, under its project's name. Raises NotFound, Usage."""
    from memtend.mcp.desk import Desk
    from memtend.mcp.http import Served

    first = call.workspace()
    folders = {_plain(Path(first.project).name): first.root}
    for named in more:
        name, is_named, folder = named.partition("=")
        if not is_named or _plain(name) != name or name in folders or not folder.strip():
            raise Usage(f"--add {named} is not NAME=DIR with a new name", hint="For instance --add shop=../shop.")
        folders[name] = Call(vault=folder).workspace().root
    tokens = _tokens(given, list(folders))
    return [
        Served(name, Desk(root, str(Path.cwd()), os.environ, roles, confined=True), tokens.get(name, ""))
        for name, root in folders.items()
    ]


def _tokens(given: list[str], names: list[str]) -> dict[str, str]:
    """Tokens by vault; one without a name is for every vault that has none of its own."""
    tokens: dict[str, str] = {}
    common = os.environ.get("MEMTEND_TOKEN", "")
    for one in given:
        name, is_named, token = one.partition("=")
        if not one.strip() or (is_named and name in names and not token.strip()):
            raise Usage("--token is empty", hint="Give one, or leave it out: then none is asked for on this machine.")
        if is_named and name in names:
            tokens[name] = token
        else:
            common = one
    return {name: tokens.get(name, common) for name in names}


def _plain(name: str) -> str:
    """A name as it can stand in a path."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name) or "vault"


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host


COMMANDS = (
    Command(
        "serve",
        serve,
        (
            "memtend serve",
            "memtend serve --host 0.0.0.0 --token $TOKEN --allow-host memory.example.org",
            "memtend serve --add shop=../shop --token shop=$SHOP_TOKEN",
        ),
    ),
)
