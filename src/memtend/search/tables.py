"""The tables of the index, and how a file's memories are put into them and taken out.

Loaded only when something has to be written.
"""

import os
from time import sleep
from zlib import compress

import apsw

from memtend.search.pieces import about, bodies
from memtend.search.words import Entries, fold, key, title_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, Protocol

    from memtend.memory import Memory
    from memtend.search.wordtable import WordTable

    class Problem(Protocol):
        """What a layout found wrong with a file."""

        @property
        def code(self) -> str:
            """Which kind of fault."""

        @property
        def severity(self) -> str:
            """`error` or `warning`."""

        @property
        def line(self) -> int:
            """From 1; 0 where there is none."""

        @property
        def message(self) -> str:
            """What a person reads."""

    class Decoded(Protocol):
        """What a layout found in a file."""

        @property
        def memories(self) -> Sequence[Memory]:
            """What is remembered there."""

        @property
        def problems(self) -> Sequence[Problem]:
            """What is wrong there."""


SEPARATOR = "\x1f"
"""Between the items of a list in one column."""

_SWITCH_ATTEMPTS = 1000
_PAGE_BYTES = 8_192
"""Rows of some hundred bytes, and pieces of the full-text table, leave little of such a page empty; and a small vault
has a page for each of its tables."""
_LEVEL, _RAW = 6, -15
"""How hard texts are packed, and that they are without a head: see `index`, which unpacks them."""

SCHEMA = """
create table about (name text primary key, value text not null) without rowid;

create table files (
    n integer primary key, path text not null, path_key integer not null, stamp text not null,
    settled integer not null, digest blob not null
);
create index files_by_path on files (path_key);

create table entries (
    n integer primary key, id text not null, file integer not null, part text not null, digest text not null,
    title text not null, summary text not null, topic text not null, category text not null,
    tags text not null, keywords text not null, source text not null, created text not null,
    modified text not null, retrieval_count integer not null, last_retrieved text not null,
    status text not null, retired_at text not null, retired_reason text not null,
    token_count integer not null, links text not null, extra text not null,
    id_key integer not null, title_key integer
);
create view memories as select
    n, id, (select path from files where files.n = file) as path, part,
    iif(digest = '', (select lower(hex(files.digest)) from files where files.n = file), digest) as digest,
    title, summary, topic, category, tags, keywords, source, created, modified, retrieval_count, last_retrieved,
    status, retired_at, retired_reason, token_count, links, extra, id_key, title_key
from entries;

create table packed (n integer primary key, text blob not null);
create view texts as select n, unpacked(text) as text from packed;
create table links (target text, n integer, primary key (target, n)) without rowid;
create table problems (path text, code text, severity text, line integer, message text);
create index problems_by_path on problems (path);
create index problems_by_code on problems (code);

create table pages (path text primary key, stamp text not null) without rowid;
create table usage_floor (id text primary key, times integer not null, last text not null) without rowid;

create table vectors (n integer primary key, pieces blob not null);
create table other_vectors (
    n integer primary key, pieces blob not null, embedder text not null, numbers integer not null
);

create virtual table words using fts5 (
    title, keywords, topic, summary, body,
    content = '', contentless_delete = 1, tokenize = "porter ascii tokenchars '+#.'"
);
create virtual table vocabulary using fts5vocab (words, row);
"""
_INDEXES = """
create index if not exists entries_by_file on entries (file);
create index if not exists entries_by_id on entries (id_key);
create index if not exists entries_by_title on entries (title_key);
create index if not exists entries_retired on entries (status) where status != 'active';
"""
"""Made when the first files are in: of many rows at once they come out smaller and sooner."""
_BY_NUMBER = ("packed", "vectors", "other_vectors", "entries")
_MOST_WAITING = 256
"""Memories whose vectors are made at once."""
_COLUMNS = (
    "id, file, part, digest, title, summary, topic, category, tags, keywords, source, created, modified, "
    "retrieval_count, last_retrieved, status, retired_at, retired_reason, token_count, links, extra, "
    "id_key, title_key"
)
_INSERT_MEMORY = f"insert into entries ({_COLUMNS}) values ({', '.join('?' * (_COLUMNS.count(',') + 1))})"


def set_up(db: apsw.Connection, made_by: str) -> None:
    """Make the tables, in place of any that another version made. Another process may do the same."""
    db.execute(f"pragma page_size = {_PAGE_BYTES}")  # counts for a new file only
    _use_wal(db)
    db.execute("begin immediate")
    try:
        tables = {str(name): str(sql).lower() for name, sql in db.execute("select name, sql from sqlite_master")}
        if "about" not in tables or db.execute("select value from about").fetchall() != [(made_by,)]:
            for name in sorted(tables, key=lambda name: not tables[name].startswith("create virtual")):
                if tables[name].startswith(("create table", "create virtual")):
                    db.execute(f'drop table if exists "{name}"')
                elif tables[name].startswith("create view"):
                    db.execute(f'drop view if exists "{name}"')
            db.execute(SCHEMA)
            db.execute("insert into about values ('made by', ?)", (made_by,))
        db.execute("commit")
    finally:
        if db.in_transaction:
            db.execute("rollback")


def _use_wal(db: apsw.Connection) -> None:
    """Readers and a writer at once. SQLite does not wait for its turn to switch, so we do."""
    for attempt in range(_SWITCH_ATTEMPTS):
        try:
            db.execute("pragma journal_mode = wal")
        except apsw.BusyError:
            if attempt == _SWITCH_ATTEMPTS - 1:
                raise
            sleep(0.01)
        else:
            return


def make_folder(folder: str) -> None:
    """The folder of the index. git is told to leave all of it alone."""
    try:
        os.mkdir(folder)
        with open(os.path.join(folder, ".gitignore"), "x", encoding="ascii") as file:
            file.write("*\n")
    except FileExistsError:
        return
    except OSError as fault:
        raise apsw.CantOpenError(str(fault)) from fault


class Look:
    """A look at a file: its stamp, the digest of what it held, and whether a later edit would show."""

    __slots__ = ("digest", "is_settled", "stamp")

    def __init__(self, stamp: str, digest: bytes, is_settled: bool) -> None:
        self.stamp = stamp
        self.digest = digest
        self.is_settled = is_settled


class Desk:
    """Writes what files hold into the tables of one open transaction."""

    __slots__ = ("_db", "_entries", "_waiting", "table")

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self.table: WordTable | None = None
        self._entries = Entries()
        self._waiting: list[tuple[int, list[str]]] = []

    def known(self, path: str) -> tuple[int, str, bytes] | None:
        """A file's number, its stamp, and the digest of what it held when it was read; None for a new one."""
        found: list[tuple[int, str, bytes]]
        found = self._db.execute(  # type: ignore[assignment]
            "select n, stamp, digest from files where path_key = ? and path = ?", (key(path), path)
        ).fetchall()
        return found[0] if found else None

    def put(self, path: str, look: Look, decoded: "Decoded") -> None:
        """A file's memories and problems, in place of what it held before."""
        self.take_out(path)
        file = self._note(path, look)
        for memory in decoded.memories:
            self._put_memory(memory, file, look.digest)
        for problem in decoded.problems:
            self._put_problem(path, problem.code, problem.severity, problem.line, problem.message)

    def put_fault(self, path: str, look: Look, code: str, message: str) -> None:
        """Something that is not read at all, such as a link: a problem and no memories."""
        self.take_out(path)
        self._note(path, look)
        self._put_problem(path, code, "warning", 0, message)

    def confirm(self, path: str, look: Look) -> bool:
        """Whether a file that was looked at again holds what is known. Its stamp is kept up."""
        known = self.known(path)
        if known is None or known[-1] != look.digest:
            return False
        self._db.execute("update files set stamp = ?, settled = ? where n = ?", (look.stamp, look.is_settled, known[0]))
        self._db.execute("delete from problems where path = ? and code = 'unreadable'", (path,))
        return True

    def leave_unread(self, path: str, look: Look, reason: str) -> None:
        """A file that cannot be read now: what is known of it stays, marked as not checked."""
        known = self.known(path)
        number = known[0] if known else self._note(path, look)
        self._db.execute("update files set stamp = '', settled = 0 where n = ?", (number,))
        self._db.execute("delete from problems where path = ? and code = 'unreadable'", (path,))
        self._put_problem(path, "unreadable", "error", 0, f"cannot be read: {reason}")

    def take_out(self, path: str) -> None:
        """Everything that came from a file."""
        known = self.known(path)
        if known is None:
            return
        gone = self._db.execute("select n, links from entries where file = ?", known[:1]).fetchall()
        linked = [(target, n) for n, listed_links in gone for target in _targets(str(listed_links))]
        self._db.executemany("delete from links where target = ? and n = ?", linked)
        numbers = [(n,) for n, _ in gone]
        for table in _BY_NUMBER:
            self._db.executemany(f"delete from {table} where n = ?", numbers)
        self._db.executemany("delete from words where rowid = ?", numbers)
        self._db.execute("delete from problems where path = ?", (path,))
        self._db.execute("delete from files where n = ?", known[:1])

    def put_floor(self, page: str, stamp: str, usage: "Mapping[str, tuple[int, str]]") -> None:
        """Usage that a derived page knows."""
        self._db.execute("insert or replace into pages values (?, ?)", (page, stamp))
        self._db.executemany(
            "insert into usage_floor values (?, ?, ?) on conflict (id) do update"
            " set times = max(times, excluded.times), last = max(last, excluded.last)",
            [(bindable(id), times, bindable(last)) for id, (times, last) in usage.items()],
        )

    def _note(self, path: str, look: Look) -> int:
        """Write a file down; gives its number."""
        self._db.execute(
            "insert into files (path, path_key, stamp, settled, digest) values (?, ?, ?, ?, ?)",
            (path, key(path), look.stamp, look.is_settled, look.digest),
        )
        return self._db.last_insert_rowid()

    def _put_problem(self, path: str, code: str, severity: str, line: int, message: str) -> None:
        self._db.execute("insert into problems values (?, ?, ?, ?, ?)", (path, code, severity, line, bindable(message)))

    def _put_memory(self, memory: "Memory", file: int, digest: bytes) -> None:
        values = [bindable(value) if isinstance(value, str) else value for value in _values(memory, file, digest)]
        self._db.execute(_INSERT_MEMORY, values)
        n = self._db.last_insert_rowid()
        text = bindable(memory.text)
        self._db.execute("insert into packed values (?, ?)", (n, compress(text.encode(), _LEVEL, _RAW)))
        linked = [(target, n) for target in _targets(bindable(listed(memory.links)))]
        self._db.executemany("insert or ignore into links values (?, ?)", linked)
        words = self._entries.words
        named = f"{words(' '.join((*memory.keywords, *memory.tags, memory.category)))} {_telling(words(memory.id))}"
        entry = (words(memory.title), named, words(memory.topic), words(memory.summary), words(text))
        self._db.execute(
            "insert into words (rowid, title, keywords, topic, summary, body) values (?, ?, ?, ?, ?, ?)",
            (n, *(map(bindable, entry))),
        )
        self._waiting.append((n, [about(memory.title, memory.keywords, memory.topic), *bodies(memory.text)]))
        if len(self._waiting) >= _MOST_WAITING:
            self.finish()

    def finish(self) -> None:
        """Make the vectors that are still to be made."""
        if self.table is not None:
            made = self.table.packed([texts for _, texts in self._waiting])
            rows = [(n, packed) for (n, _), packed in zip(self._waiting, made, strict=True) if packed]
            self._db.executemany("insert into vectors values (?, ?)", rows)
        self._waiting.clear()

    def index(self) -> None:
        """Make the indexes that a first filling does without."""
        self._db.execute(_INDEXES)


def _values(memory: "Memory", file: int, digest: bytes) -> "tuple[Any, ...]":
    """A memory as a row of `entries`, in the order of its columns. Its digest stands there if it is not the file's."""
    return (
        memory.id,
        file,
        memory.place.part,
        "" if memory.digest == digest.hex() else memory.digest,
        memory.title,
        memory.summary,
        memory.topic,
        memory.category,
        listed(memory.tags),
        listed(memory.keywords),
        memory.source,
        memory.created,
        memory.modified,
        min(memory.retrieval_count, 2**62),
        memory.last_retrieved,
        memory.status.value,
        memory.retired_at,
        memory.retired_reason,
        memory.token_count,
        listed(memory.links),
        listed(part for pair in memory.extra.items() for part in pair),
        key(fold(bindable(memory.id))),
        title_key(bindable(memory.title)),
    )


def _telling(id_words: str) -> str:
    """The words of an id without the first, which most ids of a store share."""
    first, _, rest = id_words.partition(" ")
    return rest or first


def _targets(listed_links: str) -> list[str]:
    """The ids that listed links mean, whether they give paths or ids."""
    return [link.rpartition("/")[2].removesuffix(".md") for link in listed_links.split(SEPARATOR) if link]


def listed(items: "Iterable[str]") -> str:
    """Some texts as one column. Control characters that no name has would part them; they are dropped."""
    return SEPARATOR.join(item.replace(SEPARATOR, "") for item in items)


def bindable(text: str) -> str:
    """The same text; what SQLite cannot hold, since it is no UTF-8, becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
