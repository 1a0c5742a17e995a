"""Where the vault is: one rule, shared by everything that reads or writes, and shown by `memtend status`.

The hot path loads this module.
"""

import os

from memtend.errors import NotFound, Refused, UnusableInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memtend.settings import Settings

VAULT_FOLDER = ".memory"
MEMORIES_FOLDER = "10-Memories"
"""What makes a folder a vault."""
OWN_FOLDER = ".memtend"
"""Where memtend keeps what is no memory, in a vault, a role and a category memory: `memtend.store.files` writes it."""
_OPEN = ".intent.json"
"""How the record of a write ends that was begun (docs/internals/journal.md)."""


class Found:
    """A vault's root and the rule that found it."""

    __slots__ = ("root", "rule")

    def __init__(self, root: str, rule: str) -> None:
        self.root = root
        self.rule = rule


def find_vault(start: str, settings: "Settings") -> Found:
    """The vault for somebody who works in the folder `start`.

    A vault that is named (flag, MEMTEND_VAULT, settings file) wins; else the nearest `.memory` upwards, or the
    vault that `start` itself lies in. Raises NotFound.
    """
    named = settings.text("vault")
    if named:
        return Found(_named_vault(start, named, settings.origin("vault")), settings.origin("vault"))
    folder = os.path.abspath(start)
    while True:
        for root in (folder, os.path.join(folder, VAULT_FOLDER)):
            if is_vault(root):
                return Found(root, f"nearest vault upwards from {start}")
        parent = os.path.dirname(folder)
        if parent == folder:
            raise NotFound(
                f"No vault here: no {VAULT_FOLDER} folder in {os.path.abspath(start)} or above it",
                hint="`memtend init` makes one; --vault DIR names one elsewhere.",
            )
        folder = parent


def is_named(start: str, environ: "Mapping[str, str]", vault: str | None = None) -> bool:
    """Whether somebody who works in `start` has named a vault: by a flag, by MEMTEND_VAULT, or in a settings file.

    A vault that was named is missed when it is not there; without one there may be none yet.
    """
    from memtend.settings import load

    return bool(load(start, environ, {"vault": vault}).text("vault"))


def is_vault(root: str) -> bool:
    """Whether a folder is laid out as a vault."""
    return os.path.lexists(os.path.join(root, MEMORIES_FOLDER))


def vault_around(root: str) -> str:
    """The vault that a folder lies in, empty where it lies in none. A `.memory` beside it is no vault around it."""
    folder = os.path.dirname(os.path.abspath(root))
    while not is_vault(folder):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent
    return folder


def require_folder(root: str) -> None:
    """Raise UnusableInput where a file stands at the place of a folder that is to be, or above it."""
    there = root
    while not os.path.lexists(there) and there != os.path.dirname(there):
        there = os.path.dirname(there)
    if there and not os.path.isdir(there):
        raise UnusableInput(f"{there} is no folder", hint="Name a folder, or one that is not there yet.")


def require_room(root: str) -> None:
    """Raise UnusableInput where a file is in the way of a new vault, Refused where it would lie in another one."""
    require_folder(root)
    around = vault_around(root)
    if around:
        raise Refused(
            f"{root} lies in the vault {around}",
            hint="A vault in a vault would be taken for memories: make it elsewhere.",
        )


def is_unfinished(root: str) -> bool:
    """Whether a vault is what an `init` leaves that was interrupted: a first write half done, or folders alone."""
    own = os.path.join(root, OWN_FOLDER)
    records = [name for name in _journal(own) if name.endswith(".json")]
    if records:
        return all(name.endswith(_OPEN) for name in records)
    return not any(files for folder, _, files in os.walk(root) if not f"{folder}/".startswith(f"{own}/"))


def has_open_write(own_folder: str) -> bool:
    """Whether a write was begun and not ended: its writer is at work, or did not live to finish."""
    return any(name.endswith(_OPEN) for name in _journal(own_folder))


def _journal(own_folder: str) -> "Sequence[str]":
    """The names of the journal's files; none where there is no journal, or none that can be read."""
    try:
        return os.listdir(os.path.join(own_folder, "journal"))
    except OSError:
        return ()


def _named_vault(start: str, named: str, origin: str) -> str:
    base = os.path.dirname(origin) if os.path.isabs(origin) else start
    root = os.path.normpath(os.path.join(base, os.path.expanduser(named)))
    inner = os.path.join(root, VAULT_FOLDER)
    if not is_vault(root) and is_vault(inner):
        return inner
    if not is_vault(root):
        import shlex

        given = shlex.quote(f"./{named}" if named.startswith("-") else named)
        raise NotFound(f"No vault at {root}", hint=f"`memtend init {given}` makes one.")
    return root
