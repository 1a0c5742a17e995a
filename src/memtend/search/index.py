"""The private index: one SQLite file beside the memories, derived from them and never trusted without a look.

`refresh` compares what lies on the disk with what was indexed and reads again only what changed, in one
transaction. The file may be deleted at any moment. Damaged, or made by another version of memtend, it is made
anew; where it cannot be written, the same index is built in memory. So its answers depend on the memories alone.

A file counts as unchanged while its size, times and inode are those that were indexed. An edit may keep all of
them when it falls into the same tick of the file system's clock, so a file that was indexed within two seconds
of its last change is not settled: it is compared by content next time.

A hook opens this at every prompt: no import here but SQLite and what Python has loaded anyway.
"""

import os

import apsw

from memtend import __version__
from memtend.search.disk import Refreshed, stamp_of
from memtend.search.phrases import Weights
from memtend.search.words import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from memtend.search.embedders import Embedder
    from memtend.search.tables import Decoded

    T = TypeVar("T")

    Scan = Callable[[], dict[str, str]]
    Decode = Callable[[str, bytes], Decoded]
    Row = tuple[Any, ...]

FORMAT = 13
"""Raised whenever the tables, or what is put into them, change."""
_MADE_BY = f"memtend {__version__}, format {FORMAT}"
_WAIT_MS = 30_000
TOKENIZER = ["ascii", "tokenchars", "+#."]
"""What the stemmer of the full-text table is given words by."""
_OPTIMIZE_SHARE = 20
"""A twentieth of the memories changed: worth merging the pieces of the full-text table."""
_FEW_FILES = 2_000
"""So few that it is always worth that: some ten milliseconds, and a fifth of every search."""
_KEYS_AT_ONCE = 512
_MOST_STEMS = 20_000
"""Words whose stems are kept."""
_MOST_TEXTS, _LONG_TEXT = 250, 10_000
"""Texts that are kept from one question to the next, and how many characters are too many to keep."""
_DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.SQLError, apsw.SchemaChangeError)
_UNUSABLE = (apsw.CantOpenError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError, apsw.PermissionsError)


class Index:
    """The index of one store. `path` is its file, `root` the store's folder.

    `is_private` says that it lives in memory, since its file could not be written.
    """

    def __init__(self, path: str, root: str) -> None:
        self.path = path
        self.root = root
        self.is_private = False
        self._scan: Scan | None = None
        self._decode: Decode | None = None
        self._db: apsw.Connection | None = None
        self.memo: dict[str, Any] = {}  # what does not depend on the memories
        self.embedder: Embedder | None = None  # other than the built-in one
        self.weights = Weights()
        self._kept: dict[str, tuple[object, Any]] = {}
        self._is_guarded = False

    def refresh(self, scan: "Scan", decode: "Decode") -> Refreshed:
        """Bring the index up to date with the disk.

        `scan` gives the stamps, `decode` what a changed file holds. A file that cannot be read keeps its entry
        and is reported. Raises UnreadableStore (from `scan`) with the index unchanged, Locked when another
        process keeps the index busy for half a minute.
        """
        self._scan, self._decode = scan, decode
        return self._safely(self._refresh)

    def rows(self, sql: str, bindings: "Sequence[Any]" = ()) -> "list[Row]":
        """What a query gives."""
        return self._safely(lambda: self._ready().execute(sql, bindings).fetchall())

    def made_of(self, sql: str, make: "Callable[[Iterable[Row]], T]") -> "T":
        """What is made of the rows of a query, one after the other, where there may be too many to hold."""
        return self._safely(lambda: make(self._ready().execute(sql)))

    def steadily(self, action: "Callable[[], T]") -> "T":
        """What several questions give, all of the index as it is now, whoever writes to it meanwhile."""
        return self._safely(lambda: self._in_reading(action))

    def first_rows(self, sql: str, bindings: "Sequence[Any]", count: int) -> "list[Row]":
        """The first rows of an ordered query: `count`, and those whose last column equals the last one's.

        So it does not depend on the order in which the files came into the index.
        """
        return self._safely(lambda: _first_rows(self._ready().execute(sql, bindings), count))

    def rows_of(self, sql: str, keys: "Sequence[Any]", bindings: "Sequence[Any]" = ()) -> "list[Row]":
        """What a query gives for some keys, many at a time; they stand for `{keys}` in it, before other bindings."""
        found: list[Row] = []
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            some = _padded(keys[start : start + _KEYS_AT_ONCE])
            found += self.rows(sql.replace("{keys}", ", ".join("?" * len(some))), [*some, *bindings])
        return found

    def texts(self, numbers: "Sequence[int]") -> dict[int, str]:
        """The texts of some memories by number. The last ones are kept until something is written."""
        kept = self.remembered("texts", dict[int, str])
        known = {n: kept[n] for n in numbers if n in kept}
        missing = [n for n in numbers if n not in known]
        new: dict[int, str] = dict(self.rows_of("select n, text from texts where n in ({keys})", missing))
        if len(kept) > _MOST_TEXTS:
            kept.clear()
        kept.update({n: text for n, text in new.items() if len(text) < _LONG_TEXT})
        return known | new

    def retired(self) -> frozenset[int]:
        """The numbers of the memories that are not in use."""
        sql = "select n from memories where status != 'active'"
        return self.remembered("retired", lambda: frozenset([n for (n,) in self.rows(sql)]))

    def write(self, sql: str, rows: "Sequence[Sequence[Any]]") -> None:
        """Keep something derived, such as vectors, in one transaction."""
        self._safely(lambda: self._change(lambda db: db.executemany(sql, rows)))

    def remembered(self, name: str, make: "Callable[[], T]") -> "T":
        """What was made of the index, kept until something is written to it by anyone."""
        db = self._ready()
        state = id(db), db.data_version(), db.total_changes()
        if name not in self._kept or self._kept[name][0] != state:
            self._kept[name] = (state, make())
        return self._kept[name][1]  # type: ignore[no-any-return]

    def stems(self, words: "Sequence[str]") -> list[str]:
        """The words as the full-text table has them, endings cut."""
        known: dict[str, str] = self.memo.setdefault("stems", {})
        unknown = [word for word in words if word not in known]
        if unknown:
            if len(known) > _MOST_STEMS:
                known.clear()
                unknown = list(words)
            found = self._tokens(" ".join(unknown))
            if len(found) != len(unknown):  # a sign such as ℅ stands for letters with a mark between them
                found = [" ".join(self._tokens(word)) for word in unknown]
            known.update(zip(unknown, found, strict=True))
        return [known[word] for word in words]

    def _tokens(self, text: str) -> list[str]:
        tokenizer = self._ready().fts5_tokenizer("porter", TOKENIZER)
        found = tokenizer(text.encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False)
        return [str(token[0]) for token in found]

    def count(self) -> int:
        """How many memories there are, retired ones too."""
        return self.remembered("count", lambda: int(self.rows("select count(*) from memories")[0][0]))

    def counts(self, stems: "Sequence[str]") -> dict[str, int]:
        """How many memories have each word."""
        known = self.remembered("counts", dict[str, int])
        unknown = [stem for stem in stems if stem not in known]
        found: dict[str, int] = dict(self.rows_of("select term, doc from vocabulary where term in ({keys})", unknown))
        known.update((stem, found.get(stem, 0)) for stem in unknown)
        return {stem: known[stem] for stem in stems}

    def count_starts(self, start: str) -> int:
        """How many memories have words with this start, at most."""
        bounds = (start, start + chr(0x10FFFF))
        return int(self.rows("select coalesce(sum(doc), 0) from vocabulary where term >= ? and term < ?", bounds)[0][0])

    def has_phrase(self, words: "Sequence[str]") -> bool:
        """Whether some memory has these words one after the other, fillers left out."""
        phrase = '"' + " ".join(words) + '"'
        return bool(self.rows("select 1 from words where words match ? limit 1", (phrase,)))

    def holds(self, path: str) -> bool:
        """Whether the file is on the disk at this moment."""
        return os.path.lexists(f"{self.root}/{path}")

    def refresh_floor(self, page: str, read: "Callable[[bytes], Mapping[str, tuple[int, str]]]") -> None:
        """Take in the usage that only a derived page knows, when that page has changed.

        `read` gives `id: (times, last)`. Usage never goes down, so a page that is gone takes nothing away.
        """
        try:
            stamp = stamp_of(os.stat(os.path.join(self.root, page)))
        except OSError:
            return
        if not self.rows("select 1 from pages where path = ? and stamp = ?", (page, stamp)):
            from memtend.search.intake import take_floor

            self._safely(lambda: self._change(lambda db: take_floor(db, self.root, (page, stamp), read)))

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    # Opening, and what to do when that fails.

    def _ready(self) -> apsw.Connection:
        """The open index. One that had to be opened again is brought up to date first."""
        if self._db is None and self._decode is not None:
            self._refresh()
        return self._connected()

    def _connected(self) -> apsw.Connection:
        if self._db is None:
            self._db = _connect(":memory:" if self.is_private else self.path)
            self._db.register_fts5_function("weights", self.weights)
        return self._db

    def _safely(self, action: "Callable[[], T]") -> "T":
        """What the action gives, if need be on an index that is made anew, or else on one in memory.

        Of several questions that belong together all are asked again: made anew, it has other numbers.
        """
        if self._is_guarded:
            return action()
        remedies = [self._move_to_memory, self._start_again]
        while True:
            try:
                return self._guarded(action)
            except (*_DAMAGED, *_UNUSABLE) as fault:
                if not remedies:
                    raise
                remedies.pop()(fault)
            except (apsw.BusyError, apsw.LockedError) as fault:
                from memtend.errors import Locked

                raise Locked(
                    "another process keeps the index busy",
                    hint=f"Try again when it is done, or delete {self.path}: it is made anew.",
                ) from fault

    def _guarded(self, action: "Callable[[], T]") -> "T":
        self._is_guarded = True
        try:
            return action()
        finally:
            self._is_guarded = False

    def _start_again(self, fault: apsw.Error) -> None:
        """Open the file again; a damaged one goes first, with the two that SQLite keeps beside it."""
        self._drop()
        if isinstance(fault, _DAMAGED):
            for path in (self.path, f"{self.path}-wal", f"{self.path}-shm"):
                _remove(path)

    def _move_to_memory(self, _fault: apsw.Error) -> None:
        self._drop()
        self.is_private = True

    def _drop(self) -> None:
        if self._db is not None:
            self._db.close(True)  # whatever it has to say about the damage is known
            self._db = None

    def _change(self, action: "Callable[[apsw.Connection], object]") -> None:
        db = self._ready()
        self._in_transaction(lambda: action(db))

    def _in_transaction(self, action: "Callable[[], T]") -> "T":
        db = self._connected()
        db.execute("begin immediate")
        try:
            result = action()
            db.execute("commit")
        finally:
            if db.in_transaction:
                db.execute("rollback")
        return result

    def _in_reading(self, action: "Callable[[], T]") -> "T":
        db = self._ready()
        if not db.get_autocommit():
            return action()
        db.execute("begin")
        try:
            return action()
        finally:
            if self._db is db and db.in_transaction:  # else it was opened anew on the way
                db.execute("rollback")

    # Keeping up with the disk.

    def _refresh(self) -> Refreshed:
        found, known = self._disk(), self._known()
        is_current = self._is_current(found, known)
        refreshed = Refreshed() if is_current else self._in_transaction(lambda: self._take_in(found, known))
        unread = "select path, message from problems where code = 'unreadable' order by path"
        found_unread: list[Row] = self._connected().execute(unread).fetchall()
        refreshed.unreadable = tuple((path, message) for path, message in found_unread)
        return refreshed

    def _is_current(self, found: dict[str, str], known: dict[str, str]) -> bool:
        """Whether there is nothing to be written."""
        if found == known:
            return True
        stale = [path for path, stamp in found.items() if known.get(path) != stamp]
        return known.keys() <= found.keys() and self._are_same(stale, found)

    def _disk(self) -> dict[str, str]:
        return self._scan() if self._scan is not None else {}

    def _known(self) -> dict[str, str]:
        """The stamps that were indexed; a file that has to be looked at again has none that could be equal."""
        files: Iterable[tuple[str, str]] = self._connected().execute("select path, iif(settled, stamp, '') from files")
        return dict(files)

    def _are_same(self, paths: "Sequence[str]", found: dict[str, str]) -> bool:
        """Whether files that are not settled hold what they held, so that nothing is to be written."""
        from memtend.search.intake import Intake

        intake = Intake(self._connected(), self.root, self._decode)
        return all(intake.is_same(path, found[path]) for path in paths)

    def _take_in(self, found: dict[str, str], before: dict[str, str]) -> Refreshed:
        """Write what changed. The disk is looked at again where another process has been here since `before`."""
        from memtend.search.intake import Intake

        known = self._known()
        if known != before:
            found = self._disk()
        gone = sorted(known.keys() - found.keys())
        intake = Intake(self._connected(), self.root, self._decode)
        for path in gone:
            intake.take_out(path)
        stale = sorted(path for path, stamp in found.items() if known.get(path) != stamp)
        intake.expect(len(stale))
        taken = [path for path in stale if intake.take(path, found[path])]
        intake.finish()
        if len(found) <= _FEW_FILES or (len(taken) + len(gone)) * _OPTIMIZE_SHARE > len(found):
            intake.optimize()
        return Refreshed([p for p in taken if p not in known], [p for p in taken if p in known], gone)


def _padded(keys: "Sequence[T]") -> "list[T]":
    """Some keys, the last said again until they are a power of two: so a few prepared statements serve any count."""
    size = 1 << (len(keys) - 1).bit_length()
    return [*keys, *[keys[-1]] * (size - len(keys))]


def _connect(path: str) -> apsw.Connection:
    """The database at a path, with our tables in it."""
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        from memtend.search.tables import make_folder

        make_folder(folder)
    db = apsw.Connection(path)
    db.set_busy_timeout(_WAIT_MS)
    about = db.execute("select 1 from sqlite_master where name = 'about'").fetchall()
    if not about or db.execute("select value from about").fetchall() != [(_MADE_BY,)]:
        from memtend.search.tables import set_up

        set_up(db, _MADE_BY)
    db.execute("pragma synchronous = normal")
    db.create_scalar_function("fold", _folded, 1, deterministic=True)
    db.create_scalar_function("unpacked", _unpacked, 1, deterministic=True)
    return db


def _folded(*texts: "Any") -> str:
    return fold(str(texts[0]))


def _unpacked(*packed: "Any") -> str:
    from zlib import decompress, error

    try:
        return decompress(packed[0], -15).decode()
    except (error, ValueError, TypeError) as fault:
        raise apsw.CorruptError(f"a text cannot be unpacked: {fault}") from fault


def _remove(path: str) -> None:
    """Delete a file. One that is not there, or that cannot go, is left: the next remedy does without it."""
    try:
        os.remove(path)
    except OSError:
        return


def _first_rows(cursor: "Iterable[Row]", count: int) -> "list[Row]":
    rows: list[Row] = []
    for row in cursor:
        if len(rows) >= count and row[-1] != rows[-1][-1]:
            break
        rows.append(row)
    return rows
