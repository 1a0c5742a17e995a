"""role: the roles there are, their files, what an agent's prompt gets of them, and their past."""

import os
from typing import Annotated, Unpack

from memtend.cli import role_actions as actions
from memtend.cli import role_render as render
from memtend.cli.call import DONE, FOUND_SOMETHING, Call, Command, unbroken
from memtend.cli.parameter import Argument, Option
from memtend.cli.role_options import AllowSecrets, Changing, Looking, Role, RolesDir, opened
from memtend.cli.screen import typed


def inject(
    call: Call,
    name: Annotated[str | None, Argument(metavar="NAME", help="The role.")] = None,
    *,
    budget: Annotated[int, Option("--budget", metavar="TOKENS", min=1, help="At most about so many tokens.")] = 2000,
    query: Annotated[
        str, Option("--query", metavar="TEXT", help="What the work is about: hits for it come second.")
    ] = "",
    role: Role = None,
    roles: RolesDir = None,
) -> int:
    """Print what an agent's prompt gets of a role, within a budget, framed as data."""
    return actions.inject(opened(call, role=name or role, roles=roles), call.json, budget, query)


def roles_(call: Call, *, roles: RolesDir = None) -> int:
    """List the roles."""
    from memtend.workspace.role.roles import Roles

    found = Roles.open(roles, os.environ)
    names = found.names()
    call.answer({"root": str(found.root), "roles": list(names)}, "\n".join(names))
    return DONE if names else FOUND_SOMETHING


def create(
    call: Call,
    name: Annotated[str, Argument(metavar="NAME", help="Letters, digits, '.', '_' and '-'.")],
    *,
    roles: RolesDir = None,
) -> int:
    """Make a role that remembers nothing yet. What is there stays as it is."""
    from memtend.workspace.role.roles import Roles

    workspace, receipt = Roles.open(roles, os.environ).create(name, dry_run=call.dry_run)
    document = {
        "role": workspace.name,
        "root": str(workspace.root),
        "paths": list(receipt.paths),
        "receipt": receipt.id,
    }
    made = "Would make" if call.dry_run else "Made"
    text = f"{made} the role {workspace.name} at {workspace.root}." if receipt.paths else f"{name} is there already."
    call.answer(document, text)
    return DONE


def files(call: Call, **chosen: Unpack[Looking]) -> int:
    """List the files of a role's folder."""
    found = opened(call, **chosen).files()
    call.answer({"files": list(found)}, "\n".join(f"{file['size_bytes']:>8}  {file['path']}" for file in found))
    return DONE if found else FOUND_SOMETHING


def read(
    call: Call,
    path: Annotated[str, Argument(metavar="PATH", help="From the role's folder: core/identity.md.")],
    **chosen: Unpack[Looking],
) -> int:
    """Print a file of a role's folder. With --json its digest too, to write it back against."""
    answer = opened(call, **chosen).read(path)
    call.answer(answer.to_json(), answer.text.removesuffix("\n"))
    return DONE


def write(
    call: Call,
    path: Annotated[str, Argument(metavar="PATH", help="From the role's folder: core/identity.md.")],
    *,
    text: Annotated[str, Option("--text", "-t", metavar="TEXT", help="The whole text; - reads it from stdin.")] = "-",
    expected: Annotated[
        str | None, Option("--expected", metavar="DIGEST", help="Refuse unless the file is as it was read.")
    ] = None,
    force: Annotated[bool, Option("--force", help="Allow a memory file to lose many entries.")] = False,
    allow_secrets: AllowSecrets = False,
    **chosen: Unpack[Changing],
) -> int:
    """Write a whole file of a role's folder. Memory files go through the parser."""
    given = typed() if text == "-" else text
    workspace = opened(call, allow_secrets=allow_secrets, **chosen)
    answer = workspace.write(path, given, expected=expected, force=force)
    call.answer(answer.to_json(), render.written(answer))
    return FOUND_SOMETHING if answer.issues else DONE


def log(call: Call, **chosen: Unpack[Looking]) -> int:
    """Show what was done in a role, oldest first."""
    return call.tell_log(opened(call, **chosen).log())


def undo(
    call: Call,
    receipt_id: Annotated[str | None, Argument(metavar="RECEIPT", help="From `role log`; the latest.")] = None,
    **chosen: Unpack[Changing],
) -> int:
    """Take back what was done in a role, to the byte."""
    with unbroken():
        receipt = opened(call, **chosen).undo(receipt_id)
    document = {"receipt": receipt.id, "undone": receipt.undoes, "paths": list(receipt.paths)}
    what = f"{receipt.undoes}: {', '.join(receipt.paths)}."
    call.answer(document, f"Took back {what} Receipt {receipt.id}." if receipt.id else f"Would take back {what}")
    return DONE


COMMANDS = (
    Command("inject", inject, ('memtend role inject zero --budget 800 --query "caching"',), "role"),
    Command("roles", roles_, ("memtend role roles",), "role"),
    Command("create", create, ("memtend role create zero",), "role"),
    Command("files", files, ("memtend role files --role zero",), "role"),
    Command("read", read, ("memtend role read core/identity.md --role zero",), "role"),
    Command("write", write, ("memtend role write core/identity.md --role zero < identity.md",), "role"),
    Command("log", log, ("memtend role log",), "role"),
    Command("undo", undo, ("memtend role undo",), "role"),
)
