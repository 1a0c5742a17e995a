"""mcp: serve the vault to an agent over stdin and stdout."""

import os
from pathlib import Path
from typing import Annotated

from memtend.cli.call import DONE, Call, Command
from memtend.cli.parameter import Option
from memtend.errors import Usage

Groups = Annotated[
    str,
    Option("--tools", metavar="GROUPS", help="Tools to offer, parted by commas: vault, role, category, execute."),
]
RolesDir = Annotated[
    str | None, Option("--roles", metavar="DIR", help="Where the roles are; else as for `memtend role`.")
]
EVERY_GROUP = "vault,role,category,execute"


def mcp(call: Call, *, tools: Groups = EVERY_GROUP, roles: RolesDir = None) -> int:
    """Serve the vault to an agent: Model Context Protocol over stdin and stdout.

    An agent starts this itself; `memtend setup` registers it. stdout carries the protocol alone. Ends when stdin is
    closed.
    """
    from memtend.mcp.desk import Desk
    from memtend.mcp.server import serve_stdio

    serve_stdio(Desk(call.vault, str(Path.cwd()), os.environ, roles), wanted_groups(tools))
    return DONE


def wanted_groups(given: str) -> tuple[str, ...]:
    """The groups that were named. Raises Usage for one that is not there."""
    from memtend.mcp.tools import GROUPS

    groups = tuple(name.strip() for name in given.split(",") if name.strip())
    unknown = [name for name in groups if name not in GROUPS]
    if unknown or not groups:
        raise Usage(
            f"no group of tools is called {', '.join(unknown) or 'nothing'}", hint="Groups: " + ", ".join(GROUPS)
        )
    return groups


COMMANDS = (Command("mcp", mcp, ("memtend mcp", "memtend --vault .memory mcp --tools vault")),)
