"""What a server serves: one vault for several threads at once, the roles beside it, and plans that wait for an answer.

A `Workspace` may be used by one thread at a time, so each call takes one out of a pool and puts it back; what it
has open (the index) stays open for the next call.
"""

import os
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from memtend.errors import Cancelled, NotFound, OutsideStore
from memtend.mcp.resident import Resident
from memtend.mcp.watcher import Watcher

if TYPE_CHECKING:
    from memtend.mcp.asking import Waiting
    from memtend.workspace import Workspace
    from memtend.workspace.category.categories import CategoryWorkspace
    from memtend.workspace.role.roles import RoleWorkspace

T = TypeVar("T")

KEPT = 64
"""How many plans and questions wait for their answers; the oldest are forgotten."""


class Kept(Generic[T]):
    """Things that wait for an answer, by a name that cannot be guessed; safe for several threads."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._kept: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, thing: T) -> str:
        """Keep a thing and give its name."""
        name = f"{self._prefix}-{secrets.token_hex(8)}"
        with self._lock:
            self._kept[name] = thing
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return name

    def get(self, name: str) -> T | None:
        """What goes by a name, where it is still kept."""
        with self._lock:
            return self._kept.get(name)

    def take(self, name: str) -> T | None:
        """The same, and it is kept no longer."""
        with self._lock:
            return self._kept.pop(name, None)


class Watch:
    """Whether somebody still waits for a long piece of work, and how they hear how far it is."""

    def __init__(self) -> None:
        self._is_cancelled = threading.Event()

    def cancel(self) -> None:
        """Nobody waits any more: the next step ends the work."""
        self._is_cancelled.set()

    def step(self, done: int, of: int, what: str) -> None:
        """One step of the work is done. Raises Cancelled where nobody waits any more."""
        if self._is_cancelled.is_set():
            raise Cancelled("Cancelled. Nothing was written.")
        self.tell(done, of, what)

    def tell(self, done: int, of: int, what: str) -> None:
        """Say how far the work is; nobody listens here."""


@dataclass(slots=True)
class Desk:
    """One vault being served. `confined` reads nothing outside the vault's project, whatever a client names."""

    vault: str | None = None
    start: str = ""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    roles_root: str | None = None
    category_root: str | None = None
    confined: bool = False
    plans: "Kept[Waiting]" = field(default_factory=lambda: Kept("plan"))
    watcher: Watcher = field(default_factory=Watcher)
    _idle: list[Resident] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def require_places(self) -> None:
        """Raise NotFound where the vault or the folder of roles that was named is not there.

        Where none was named one may come later: an agent's server starts in every project, and each call looks anew.
        """
        from memtend.workspace import Vault
        from memtend.workspace.place import is_named
        from memtend.workspace.role.roles import Roles

        start = self.start or str(Path.cwd())
        if is_named(start, self.environ, self.vault):
            Vault.open(self.vault, start=start, environ=self.environ)
        if self.roles_root is not None:
            Roles.open(self.roles_root, self.environ).names()

    @contextmanager
    def workspace(self) -> "Iterator[Workspace]":
        """A workspace for one thread that may write. Raises NotFound where there is no vault."""
        with self._taken(trusts=False) as workspace:
            try:
                yield workspace
            finally:
                self.watcher.changed()

    @contextmanager
    def reader(self) -> "Iterator[Workspace]":
        """A workspace for one thread that only reads, and believes the watcher. Raises NotFound."""
        with self._taken(trusts=True) as workspace:
            yield workspace

    @contextmanager
    def _taken(self, *, trusts: bool) -> Iterator[Resident]:
        with self._lock:
            workspace = self._idle.pop() if self._idle else None
        workspace = workspace or self._opened()
        workspace.trusts = trusts
        try:
            yield workspace
        finally:
            with self._lock:
                self._idle.append(workspace)

    def _opened(self) -> Resident:
        workspace = Resident.open(self.vault, start=self.start or str(Path.cwd()), environ=self.environ)
        assert isinstance(workspace, Resident)
        workspace.watcher = self.watcher
        return workspace

    def role(self, name: str | None, **options: Any) -> "RoleWorkspace":
        """A role by name, else MEMTEND_ROLE, else the only one, with the options of `RoleFolder`.

        Raises Usage, NotFound, OutsideStore.
        """
        from memtend.workspace.role.roles import Roles

        roles = Roles.open(self.roles_root, self.environ)
        session = self.environ.get("MEMTEND_SESSION", "")
        return roles.role(name or self.environ.get("MEMTEND_ROLE") or roles.only(), session=session, **options)

    def category(self) -> "CategoryWorkspace":
        """The category memory: the one that was named, else the nearest upwards. Raises NotFound."""
        from memtend.workspace.category.categories import CategoryWorkspace

        session = self.environ.get("MEMTEND_SESSION", "")
        return CategoryWorkspace.open(self.category_root, self.start or Path.cwd(), session=session)

    def path(self, given: str, project: str) -> str:
        """A file or folder that a client named, from the project's folder. Raises NotFound, OutsideStore."""
        path = Path(project, given).expanduser() if not given.startswith("~") else Path(given).expanduser()
        if self.confined and not path.resolve().is_relative_to(Path(project).resolve()):
            raise OutsideStore(
                f"{given} lies outside the project", hint="Over HTTP only files of the vault's project are read."
            )
        if not path.exists():
            raise NotFound(f"File not found: {given}", hint=f"Paths count from {project}.")
        return str(path)

    def close(self) -> None:
        """Watch no longer, and let go of what idle workspaces hold open."""
        self.watcher.stop()
        with self._lock:
            self._idle.clear()
