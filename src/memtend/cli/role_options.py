"""Options and arguments that several `role` commands share."""

from typing import TYPE_CHECKING, Annotated, TypedDict, Unpack

from memtend.cli import role_actions as actions
from memtend.cli.call import Call
from memtend.cli.parameter import Argument, Option
from memtend.cli.screen import typed

if TYPE_CHECKING:
    from memtend.workspace.role.roles import RoleWorkspace

Role = Annotated[str | None, Option("--role", metavar="NAME", help="The role; else MEMTEND_ROLE, else the only one.")]
RolesDir = Annotated[
    str | None,
    Option("--roles", metavar="DIR", help="Where the roles are; else MEMTEND_ROLES, PI_ROLES_DIR, ~/.pi/roles."),
]
Commit = Annotated[bool, Option("--commit", help="Commit the change alone, where the role is in a git repository.")]
AllowSecrets = Annotated[bool, Option("--allow-secrets", help="Store what looks like a key or password all the same.")]

Texts = Annotated[list[str], Argument(metavar="TEXT", help="The text; - reads it from stdin.")]
Needle = Annotated[str, Argument(metavar="ID|TEXT", help="An id, or a text that means exactly one entry.")]
Words = Annotated[list[str], Argument(metavar="TEXT", help="The new text; - reads it from stdin.")]
Source = Annotated[
    str, Option("--source", metavar="NAME", help="Where it comes from; `auto` lets it wait for proof of use.")
]
Tags = Annotated[list[str] | None, Option("--tags", metavar="NAME", help="Tags, parted by commas; may be given again.")]
Category = Annotated[
    str, Option("--category", metavar="NAME", help="Communication, Code, Tools, Workflow, General or your own.")
]


class Looking(TypedDict, total=False):
    """What every command about one role takes. These classes are for `**chosen: Unpack[…]`."""

    role: Role
    roles: RolesDir


class Changing(Looking, total=False):
    """What a command takes that writes no line of its own."""

    commit: Commit


class Writing(Looking, total=False):
    """What a command takes that writes lines."""

    plain: Annotated[bool, Option("--plain", help="Write no metadata comments behind the lines.")]
    commit: Commit


class Storing(Writing, total=False):
    """What a command takes that stores a text from outside."""

    allow_secrets: AllowSecrets


class Proving(Writing, total=False):
    """What a command takes that counts uses, once a session."""

    session: Annotated[str | None, Option("--session", metavar="ID", help="The agent's session; else MEMTEND_SESSION.")]


class Chosen(Storing, Proving, total=False):
    """All that a role may be opened with."""


def opened(call: Call, **chosen: Unpack[Chosen]) -> "RoleWorkspace":
    """The role a call is about. Raises Usage, NotFound, OutsideStore."""
    if call.dry_run:
        call.say("Dry run: nothing is written.")
    return actions.open_role(dry_run=call.dry_run, **chosen)


def text_of(words: list[str]) -> str:
    """A text given as words, or on stdin."""
    return typed() if words == ["-"] else " ".join(words)


def tags_of(given: list[str] | None) -> tuple[str, ...]:
    """Tags as they are written, without repeats."""
    from memtend.layouts.role.bullet import tag_names

    return tag_names(",".join(given or ()))
