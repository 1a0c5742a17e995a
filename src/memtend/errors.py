"""Every error memtend raises on purpose, as one small tree.

    MemtendError
    ├── Usage (2)              the command, an argument or an input is wrong
    │   ├── NotFound           a file, folder, vault or receipt that is named does not exist
    │   ├── UnknownMemory      no memory, or more than one, goes by that name
    │   └── UnusableInput      it exists but cannot be used: binary, empty, malformed
    ├── NeedsConfirmation (3)  a person has to say yes first; nothing was written
    │   └── Cancelled          a person said stop; nothing was written
    ├── Conflict (4)           the files are not what the decision relied on
    │   ├── ChangedOnDisk      somebody else wrote since we read
    │   ├── StaleDecision      a proposal was answered after its memory changed
    │   ├── LaterChange        an undo would take away a later change
    │   └── Locked             another process holds the store
    ├── Refused (5)            a law of the layout or a guard says no
    │   ├── OutsideStore       a path leaves the store, or its name is not one
    │   ├── GuardTripped       too much would go at once
    │   └── SecretFound        text looks like a key or password
    └── Integrity (6)          the store, the journal or memtend itself is damaged
        ├── UnreadableStore    a folder or file cannot be read: never taken for an empty one
        ├── DamagedJournal     the journal does not say what it should
        ├── NewerFormat        written by a newer memtend
        └── SelfCheckFailed    what would be written is not what was decided: a bug of ours

A caller that may act on a failure catches the class; a person reads `error[code]: message` and `hint: …`.
The number in brackets is the exit status of the command line (design: contracts).
The hot path loads this module, so it imports nothing.
"""


class MemtendError(Exception):
    """The root. `message` says what happened, `hint` what to do about it."""

    code: str = "error"
    exit_status: int = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Usage(MemtendError):
    """The command, an argument or an input is wrong."""

    code = "usage"
    exit_status = 2


class NotFound(Usage):
    """A file, folder, vault or receipt that was named does not exist."""

    code = "not-found"


class UnknownMemory(Usage):
    """No memory goes by that name, or more than one does."""

    code = "unknown-memory"


class UnusableInput(Usage):
    """The input exists but cannot be used."""

    code = "unusable-input"


class NeedsConfirmation(MemtendError):
    """A person has to say yes first, and nobody could be asked."""

    code = "needs-confirmation"
    exit_status = 3


class Cancelled(NeedsConfirmation):
    """A person said stop. Nothing was written."""

    code = "cancelled"


class Conflict(MemtendError):
    """The files are not what the decision relied on."""

    code = "conflict"
    exit_status = 4


class ChangedOnDisk(Conflict):
    """A file is not the one that was read."""

    code = "changed-on-disk"


class StaleDecision(Conflict):
    """A proposal was answered after the memory it is about had changed."""

    code = "stale-decision"


class LaterChange(Conflict):
    """An undo would take away a later change."""

    code = "later-change"


class Locked(Conflict):
    """Another process holds the store's lock."""

    code = "locked"


class Refused(MemtendError):
    """A law of the layout or a guard says no."""

    code = "refused"
    exit_status = 5


class OutsideStore(Refused):
    """A path leaves the store, or a name cannot be a memory's."""

    code = "outside-store"


class GuardTripped(Refused):
    """Too much would be retired or erased at once."""

    code = "guard"


class SecretFound(Refused):
    """Text that looks like a key or a password would be stored."""

    code = "secret"


class Integrity(MemtendError):
    """The store, the journal or memtend itself is damaged."""

    code = "integrity"
    exit_status = 6


class UnreadableStore(Integrity):
    """A folder or file of the store cannot be read. Never taken for an empty one."""

    code = "unreadable"


class DamagedJournal(Integrity):
    """A record of the journal does not say what it should."""

    code = "damaged-journal"


class NewerFormat(Integrity):
    """Written by a newer memtend."""

    code = "newer-format"


class SelfCheckFailed(Integrity):
    """What would be written is not what was decided. Nothing was written; it is a bug of ours."""

    code = "self-check"


def of_system(fault: Exception, place: str = "") -> str:
    """What the system said, behind the file that it is about, else `place`: `notes/a.md: Permission denied`."""
    if not isinstance(fault, OSError):
        return str(fault)
    about = fault.filename or place
    return f"{about}: {fault.strerror or fault}" if about else str(fault.strerror or fault)
