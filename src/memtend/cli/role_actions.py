"""What the everyday role commands do and print; the fast lane and the whole command line share it."""

import os

from memtend.cli import role_render as render
from memtend.cli.screen import err, out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memtend.store.receipt import Receipt
    from memtend.workspace.role.outcomes import Stored
    from memtend.workspace.role.roles import RoleWorkspace

DONE, NOTHING = 0, 1
LONG_LIST = 200
"""Entries from which a listing in JSON is not indented."""


def open_role(
    role: "str | None" = None,
    roles: "str | None" = None,
    *,
    plain: bool = False,
    session: "str | None" = None,
    commit: bool = False,
    dry_run: bool = False,
    allow_secrets: bool = False,
) -> "RoleWorkspace":
    """The role that was named, else MEMTEND_ROLE, else the only one. Raises Usage, NotFound, OutsideStore."""
    from memtend.workspace.role.roles import Roles

    root = Roles.open(roles, os.environ)
    chosen = role or os.environ.get("MEMTEND_ROLE") or root.only()
    session = session or os.environ.get("MEMTEND_SESSION", "")
    options = {"plain": plain, "session": session, "commit": commit, "dry_run": dry_run}
    return root.role(chosen, allow_secrets=allow_secrets, notice=tell_receipt, **options)


def tell_receipt(receipt: "Receipt") -> None:
    """What a person should know of a write beside its answer: warnings, and a commit that could not be made."""
    if receipt.warnings or (receipt.git is not None and receipt.git.status != "off"):
        from memtend.cli.call import Call

        Call().tell_receipt(receipt)


def tell(as_json: bool, document: "object", text: str) -> None:
    """Print an answer: the document with `--json`, else the text."""
    if as_json:
        import json

        # Indenting is slow, and nobody reads thousands of lines.
        is_long = isinstance(document, dict) and len(document.get("entries", ())) > LONG_LIST
        out(json.dumps(document, ensure_ascii=False, indent=None if is_long else 2))
    elif text:
        out(text)


def list_(role: "RoleWorkspace", as_json: bool) -> int:
    """Print what a role remembers. Status 1 where part of a file cannot be read."""
    answer = role.list()
    tell(as_json, answer.to_json() if as_json else None, "" if as_json else render.listed(answer))
    return NOTHING if any(issue.code == "malformed-heading" for issue in answer.issues) else DONE


def search(role: "RoleWorkspace", as_json: bool, query: str, limit: int, reinforce: bool) -> int:
    """Print the hits of a query and what they proved. Status 1 where nothing answers it."""
    answer = role.search(query, limit, reinforce=reinforce)
    tell(as_json, answer.to_json() if as_json else None, "" if as_json else render.found(answer))
    if not answer.hits:
        err("Nothing answers that.")
    if answer.note:
        err(f"note: {answer.note}")
    return DONE if answer.hits else NOTHING


def add_learning(role: "RoleWorkspace", as_json: bool, text: str, *, source: str, tags: "Sequence[str]") -> int:
    """Remember a learning and say what became of it."""
    return _stored(role.add_learning(text, source=source, tags=tags), as_json)


def add_preference(
    role: "RoleWorkspace", as_json: bool, text: str, category: str, *, source: str, tags: "Sequence[str]"
) -> int:
    """Remember a preference and say what became of it."""
    return _stored(role.add_preference(text, category, source=source, tags=tags), as_json)


def _stored(answer: "Stored", as_json: bool) -> int:
    if answer.status != "duplicate":
        tell(as_json, answer.to_json(), render.stored(answer))
        return DONE
    from memtend.cli.faults import Answered
    from memtend.errors import Refused

    tell(as_json, answer.to_json(), "")
    fault = Refused(f"{answer.kind} {answer.id} says that already: {answer.text}", hint="`reinforce` counts its use.")
    raise Answered(fault) if as_json else fault


def reinforce(role: "RoleWorkspace", as_json: bool, needle: str) -> int:
    """Count one use of a learning."""
    answer = role.reinforce(needle)
    tell(as_json, answer.to_json(), render.reinforced(answer))
    return DONE


def inject(role: "RoleWorkspace", as_json: bool, budget: int, query: str) -> int:
    """Print what an agent's prompt gets. Status 1 and no text where there is nothing."""
    answer = role.inject(budget, query)
    tell(as_json, answer.to_json() if as_json else None, answer.text)
    return DONE if answer.text else NOTHING
