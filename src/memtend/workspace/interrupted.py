"""A write that its writer did not live to finish, met by somebody who only reads."""

from contextlib import suppress
from datetime import datetime

from memtend.errors import Integrity, Locked
from memtend.store.apply import Store


def take_back(store: Store, now: datetime) -> None:
    """Take back what an interrupted writer left, unless somebody holds the lock.

    Where that fails (a read-only disk) reading goes on: `check` names what is left, and the next write mends it.
    """
    if not store.is_being_written:
        with suppress(Integrity, Locked):
            store.recover(now=now)
