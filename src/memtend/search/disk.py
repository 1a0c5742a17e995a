"""What lies on the disk: files with their stamps, by which a changed one is known without reading it."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_KIND, _PLAIN_FILE = 0o170000, 0o100000  # of `st_mode`


class Refreshed:
    """What a refresh found: paths read for the first time, read again, gone; and `(path, reason)` not readable."""

    __slots__ = ("added", "changed", "gone", "unreadable")

    def __init__(self, added: "Sequence[str]" = (), changed: "Sequence[str]" = (), gone: "Sequence[str]" = ()) -> None:
        self.added = tuple(added)
        self.changed = tuple(changed)
        self.gone = tuple(gone)
        self.unreadable: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        """Whether anything was different."""
        return bool(self.added or self.changed or self.gone)


def scan(
    root: str, folders: "Iterable[str]", suffix: str = ".md", without: "Sequence[str]" = ("readme.md",)
) -> dict[str, str]:
    """What lies in some folders of a store and below: path from the root to a stamp that every change changes.

    Names that start with `.` or `~$`, and those in `without` (lower case), are passed over. Links are named, not
    followed: a stamp that starts with `!` is a fault. Raises UnreadableStore for a folder that cannot be read or
    is missing: it is never taken for an empty one.
    """
    found: dict[str, str] = {}
    waiting = list(folders)
    for folder in waiting:
        _require_folder(root, folder)
    while waiting:
        folder = waiting.pop()
        try:
            waiting += _list(root, folder, suffix, without, found)
        except OSError as fault:
            raise _unreadable(folder or root, fault) from fault
    return _with_plain_names(found)


def _list(root: str, folder: str, suffix: str, without: "Sequence[str]", found: dict[str, str]) -> list[str]:
    """Put the files of one folder into `found`; gives the folders in it. Raises OSError."""
    below: list[str] = []
    prefix = f"{folder}/" if folder else ""
    with os.scandir(os.path.join(root, folder)) as entries:
        for entry in entries:
            name = entry.name
            if name.endswith(suffix) and not name.startswith((".", "~$")) and name.lower() not in without:
                state = entry.stat(follow_symlinks=False)
                if state.st_mode & _KIND == _PLAIN_FILE:
                    found[prefix + name] = stamp_of(state)
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    found[prefix + name] = "!link" if entry.is_symlink() else "!special"
            if entry.is_dir(follow_symlinks=False) and not name.startswith((".", "~$")):
                below.append(prefix + name)
    return below


def _require_folder(root: str, folder: str) -> None:
    if folder and os.path.islink(os.path.join(root, folder)):
        raise _unreadable(folder, "it is a link, and links inside a store are not followed")


def stamp_of(state: os.stat_result) -> str:
    """Size, times and inode in one text, as hexadecimal numbers; the second time as what lies between them."""
    modified_ns, changed_ns = state.st_mtime_ns, state.st_ctime_ns
    return "%x %x %x %x" % (state.st_size, modified_ns, changed_ns - modified_ns, state.st_ino)  # noqa: UP031


def _with_plain_names(found: dict[str, str]) -> dict[str, str]:
    """The same; a name that is no UTF-8 is written with escapes and is a fault."""
    if "".join(found).isascii():
        return found
    written = {path: path.encode("utf-8", "backslashreplace").decode() for path in found}
    return {written[path]: stamp if written[path] == path else "!name" for path, stamp in found.items()}


def _unreadable(path: str, reason: object) -> Exception:
    from memtend.errors import UnreadableStore

    why = reason.strerror or str(reason) if isinstance(reason, OSError) else str(reason)
    return UnreadableStore(
        f"{path} cannot be read: {why}",
        hint="Give yourself the right to read it, or mount its disk. Nothing was changed.",
    )
