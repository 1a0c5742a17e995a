"""An interrupted apply is taken back, before anybody writes again.

What the interrupted apply had written gets its old bytes back; what it had not reached is left; what somebody
else has written since is theirs, and named.
"""

from pathlib import PurePosixPath
from typing import NamedTuple

from memtend.errors import DamagedJournal, OutsideStore, UnreadableStore
from memtend.memory import digest_of
from memtend.store.atomic import Disk, New
from memtend.store.files import Files
from memtend.store.journal import Journal, State
from memtend.store.record import Edit, Record


class Recovered(NamedTuple):
    """What recovery did: the receipts it took back, and what a person should know of it."""

    taken_back: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def recover(files: Files, disk: Disk, journal: Journal) -> Recovered:
    """Take back every interrupted apply, newest first, and remove temporary files. The store's lock must be held.

    Raises NewerFormat where the interrupted writer was a newer memtend, OSError where the disk fails.
    """
    journal.require_known_format()
    intents = journal.history(State.INTENT)
    warnings = [problem.message for problem in intents.problems]
    taken_back = []
    for record in reversed(intents.records):
        left, is_closed = _take_back(record, files, disk, journal)
        warnings += [f"{record.id} was interrupted and has been taken back", *left]
        if is_closed:
            journal.void(record)
            taken_back.append(record.id)
    folders = {str(PurePosixPath(edit.path).parent) for record in intents.records for edit in record.edits}
    disk.sweep(files.root / folder for folder in folders)
    return Recovered(tuple(taken_back), tuple(warnings))


def _take_back(record: Record, files: Files, disk: Disk, journal: Journal) -> tuple[list[str], bool]:
    """Give the files their old bytes.

    A sentence for each file that keeps what it has, and whether all of them could be looked at.
    """
    left, is_closed = [], True
    for edit in reversed(record.edits):
        try:
            data = files.read(edit.path)
            current = None if data is None else digest_of(data)
            if current == edit.after != edit.before:
                _restore(edit, files, disk, journal)
            elif current != edit.before:
                left.append(f"{edit.path} was changed by somebody else since and was left as it is")
        except (DamagedJournal, OutsideStore) as fault:
            left.append(f"{edit.path} was left as it is: {fault.message}")
        except UnreadableStore as fault:
            left.append(f"{edit.path} will be looked at again: {fault.message}")
            is_closed = False
    return left, is_closed


def _restore(edit: Edit, files: Files, disk: Disk, journal: Journal) -> None:
    target = files.at(edit.path)
    if edit.before is None:
        disk.remove(target)
    else:
        data = journal.image(edit.before)
        disk.make_folders([target.parent])
        (temporary,) = disk.stage([New(target, data, edit.mode)])
        disk.place(temporary, target)
    disk.settle([target.parent])
