"""How files on the disk come into the index. Loaded only when something changed."""

import hashlib
import os
from time import time_ns

import apsw

from memtend.search.tables import Desk, Look

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memtend.search.tables import Decoded

    Decode = Callable[[str, bytes], Decoded]

_SETTLED_AFTER_NS = 2_000_000_000
_MANY_FILES = 200
"""From so many on, loading numpy pays."""
_COLLECTED_BYTES, _USUALLY_COLLECTED_BYTES = 32_000_000, 1_048_576
_FAULTS = {
    "link": "a link; links inside a store are not followed",
    "name": "its name is not valid UTF-8",
    "special": "neither a file nor a folder; left alone",
}


class Intake:
    """Takes the files of one store into the tables of one connection."""

    __slots__ = ("_db", "_decode", "_desk", "_root")

    def __init__(self, db: apsw.Connection, root: str, decode: "Decode | None") -> None:
        self._db = db
        self._root = root
        self._decode = decode
        self._desk = Desk(db)

    def is_same(self, path: str, stamp: str) -> bool:
        """Whether nothing is to be written about a file that was not settled: it holds what it held."""
        known = self._desk.known(path)
        if known is None or stamp.startswith("!"):
            return False
        now_ns = time_ns()
        try:
            data = self._read(path)
        except OSError:
            return known[1] == ""
        return known[1:] == (stamp, _digest_of(data)) and not _is_settled(stamp, now_ns)

    def take(self, path: str, stamp: str) -> bool:
        """Read a file. Gives whether the index knows something else about it now."""
        now_ns = time_ns()
        if stamp.startswith("!"):
            self._desk.put_fault(path, Look(stamp, b"", True), stamp[1:], _FAULTS[stamp[1:]])
            return True
        try:
            data = self._read(path)
        except OSError as fault:
            self._desk.leave_unread(path, Look("", b"", False), fault.strerror or str(fault))
            return False
        look = Look(stamp, _digest_of(data), _is_settled(stamp, now_ns))
        if self._decode is None or self._desk.confirm(path, look):
            return False
        self._desk.put(path, look, self._decode(path, data))
        return True

    def take_out(self, path: str) -> None:
        """Forget a file that is gone."""
        self._desk.take_out(path)

    def expect(self, files: int) -> None:
        """Prepare for taking in so many files. Without the table of words they get no vectors.

        For many, the full-text table collects more before it writes: fewer pieces to merge, and no room left behind.
        """
        from memtend.search.wordtable import WordTable

        try:
            self._desk.table = WordTable(is_bulk=files >= _MANY_FILES)
        except (OSError, ValueError):
            self._desk.table = None
        if files >= _MANY_FILES:
            self._collect(_COLLECTED_BYTES)

    def finish(self) -> None:
        """What was put off until everything is taken in."""
        self._desk.finish()
        self._desk.index()

    def optimize(self) -> None:
        """Merge the full-text table's pieces after large changes: counting words takes a fifth of the time then."""
        self._db.execute("insert into words (words) values ('optimize')")
        self._collect(_USUALLY_COLLECTED_BYTES)

    def _collect(self, size_bytes: int) -> None:
        self._db.execute("insert into words (words, rank) values ('hashsize', ?)", (size_bytes,))

    def _read(self, path: str) -> bytes:
        return _bytes(self._root, path)


def take_floor(
    db: apsw.Connection, root: str, page: tuple[str, str], read: "Callable[[bytes], Mapping[str, tuple[int, str]]]"
) -> None:
    """Read the usage that a derived page (its path and stamp) knows; see `Index.refresh_floor`."""
    path, stamp = page
    is_settled = _is_settled(stamp, time_ns())
    try:
        data = _bytes(root, path)
    except OSError:
        return
    Desk(db).put_floor(path, stamp if is_settled else "", read(data))


def _bytes(root: str, path: str) -> bytes:
    with open(os.path.join(root, path), "rb") as file:
        return file.read()


def _is_settled(stamp: str, now_ns: int) -> bool:
    """Whether a later edit would show in the stamp: the last change is longer ago than any clock's tick."""
    _size, modified_ns, later_ns, _inode = [int(number, 16) for number in stamp.split()]
    latest_ns = modified_ns if os.name == "nt" else modified_ns + later_ns  # there, the other is the time of creation
    return latest_ns < now_ns - _SETTLED_AFTER_NS


def _digest_of(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
