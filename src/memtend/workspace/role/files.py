"""The files of a role's folder, read and written by path. Memory files go through the parser."""

from memtend.change import ChangeSet, FileEdit
from memtend.errors import GuardTripped, NotFound, Refused, StaleDecision, UnreadableStore, UnusableInput
from memtend.layouts.role import daily, grammar, pending
from memtend.layouts.role.decode import CONSOLIDATED, PENDING
from memtend.layouts.role.ids import Kind
from memtend.memory import digest_of
from memtend.workspace.role.folder import RoleFolder
from memtend.workspace.role.outcomes import RoleFile, Written
from memtend.workspace.role.reading import issues
from memtend.workspace.role.state import RoleState

LARGE_SHARE = 0.20
"""More entries than this share missing from a rewritten memory file need to be forced."""


def read(role: RoleFolder, path: str) -> RoleFile:
    """A file as text, with the digest to write it back against. Raises OutsideStore, NotFound, UnusableInput."""
    data = _bytes_of(role, path)
    if data is None:
        raise NotFound(f"There is no file {path} in the role {role.name}", hint="`memtend role files` lists them.")
    return RoleFile(path, data.decode("utf-8", "replace"), digest_of(data))


def _bytes_of(role: RoleFolder, path: str) -> bytes | None:
    """The bytes of a file, None where there is none. Raises OutsideStore, UnusableInput for a folder."""
    try:
        return role.read_files(path).get(path)
    except UnreadableStore as fault:
        if not (role.root / path).is_dir():
            raise
        raise UnusableInput(f"{path} is a folder", hint="`memtend role files` lists the files.") from fault


def write(role: RoleFolder, path: str, text: str, *, expected: str | None, force: bool) -> Written:
    """Write a whole file. See `RoleWorkspace.write`."""
    before = _bytes_of(role, path)
    current = None if before is None else digest_of(before)
    if expected is not None and expected != current:
        raise StaleDecision(
            f"{path} has changed since it was read (its digest is {current or 'none: it is gone'})",
            hint="Read it again and make the change on what is there now. Nothing was written.",
        )
    role.require_no_secret("\n".join(_new_lines(before, text)))
    after = _parsed(path, text)
    _require_additive(path, before, after)
    if not force:
        _require_moderate(path, before, after)
    found = issues(RoleState({path: after}, {})) if path in (CONSOLIDATED, PENDING) else ()
    mine = tuple(issue for issue in found if issue.path == path)
    if before == after:
        return Written("unchanged", path, digest_of(after), mine)
    receipt = role.apply(ChangeSet((), (FileEdit(path, current, after),), f"write {path}"))
    return Written("created" if before is None else "updated", path, digest_of(after), mine, receipt=receipt)


def _new_lines(before: bytes | None, text: str) -> list[str]:
    """The lines that are not in the file yet: what is there already is not this write's doing."""
    known = set(grammar.lines_of(before or b""))
    return [line for line in text.split("\n") if line.removesuffix("\r") not in known]


def _parsed(path: str, text: str) -> bytes:
    """The bytes to write. A memory file is what its parser makes of it: no mark, LF, a newline at its end."""
    data = text.encode("utf-8", "surrogatepass")
    if path == CONSOLIDATED:
        page = grammar.parse(data)
        page.ends_with_newline = True
        return grammar.render(page)
    return pending.render(pending.parse(data)) if path == PENDING else data


def _require_additive(path: str, before: bytes | None, after: bytes) -> None:
    """The raw journal is only ever added to. Raises Refused."""
    if path.startswith(f"{daily.FOLDER}/") and before is not None and not after.startswith(before.rstrip()):
        raise Refused(f"{path} is a journal: it can be added to, not rewritten", hint="Write it with more at its end.")


def _require_moderate(path: str, before: bytes | None, after: bytes) -> None:
    """Raise GuardTripped where a rewritten memory file would lose many entries, or any preference."""
    if path not in (CONSOLIDATED, PENDING) or before is None:
        return
    old, new = RoleState({path: before}, {}).by_id, RoleState({path: after}, {}).by_id
    gone = [entry for id, entry in old.items() if id not in new]
    preferences = [entry for entry in gone if entry.kind is Kind.PREFERENCE]
    if len(gone) > LARGE_SHARE * len(old) or preferences:
        what = f"{len(gone)} of {len(old)} entries" + (
            f", {len(preferences)} of them preferences," if preferences else ""
        )
        raise GuardTripped(f"{what} would go from {path}", hint="Say that it is meant (--force). Nothing was written.")
