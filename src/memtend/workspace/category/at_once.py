"""What is done without a plan: an entry that is added, and the rows that the index lacks.

Both are drafted under the store's lock, on the files as they are then. Who was shown a draft before says which; where
another one would be done by now, nothing is.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from memtend.errors import StaleDecision
from memtend.layouts.category import additions
from memtend.layouts.category.folder import Edits, Folder
from memtend.workspace.category import reading
from memtend.workspace.category.answers import Done
from memtend.workspace.category.work import added


class Draft(NamedTuple):
    """What an action comes to on the files as they are."""

    edits: Edits
    done: tuple[Mapping[str, Any], ...]
    """What a person is told of it."""
    note: str
    left: tuple[str, ...] = ()

    def require(self, shown: Done | None) -> None:
        """Raise StaleDecision where something else was shown."""
        if shown is not None and shown.done != self.done:
            raise StaleDecision(
                f"what was shown ({shown.kind}) is not what it comes to any more",
                hint="Nothing was written. Run it again to decide on what is there now.",
            )


def addition(folder: Folder, new: additions.New, now: datetime, *, force: bool) -> Draft:
    """A new entry. Raises OutsideStore, UnusableInput, SelfCheckFailed, and Refused for a copy unless it is forced."""
    found = added(folder, new, now, force=force)
    report = {
        "address": found.address,
        "id": found.id,
        "alike": [each._asdict() for each in found.alike],
        "new_category": found.is_new_category,
        "paths": sorted(found.edits),
    }
    return Draft(found.edits, (report,), f"add {found.address}")


def missing_rows(folder: Folder, now: datetime) -> Draft:
    """The rows that the index lacks. Those without a file are left, and named."""
    edits = reading.synced(folder, now)
    rows = tuple({"path": path} for path in reading.unregistered(folder))
    left = tuple(f"{each.path}:{each.line}: {each.message}" for each in reading.dead_rows(folder))
    return Draft(edits, rows if edits else (), f"sync: {len(rows)} rows added", left)
