"""watch: keeps the derived pages up to date while files change, and sleeps while they do not."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from time import sleep
from typing import TYPE_CHECKING, Annotated

from memtend.cli import render
from memtend.cli.call import DONE, Call, Command, unbroken
from memtend.cli.parameter import Option
from memtend.errors import Conflict, UnreadableStore
from memtend.search.disk import scan
from memtend.workspace.place import MEMORIES_FOLDER

if TYPE_CHECKING:
    from memtend.store.receipt import Receipt

_DAY = 86_400
PATIENCE_TICKS = 5
"""How long a burst of changes may go on before it is taken up in the middle."""

Stamps = Mapping[str, str]
"""What lies on the disk: path to a stamp that every change changes."""


def watch(
    call: Call,
    *,
    every: Annotated[float, Option("--every", min=0.1, max=_DAY, metavar="SECONDS", help="Between two looks.")] = 1.0,
    no_commit: Annotated[bool, Option("--no-commit", help="Make no git commits.")] = False,
) -> int:
    """Keep the derived pages up to date.

    Looks at the names, sizes and times of the memory files; nothing is read or written while they stay the same.
    """
    workspace = call.workspace()

    def stamps() -> Stamps:
        return scan(workspace.root, [MEMORIES_FOLDER])

    def reindex() -> "Receipt":
        with unbroken():
            return workspace.reindex(commit=False if no_commit else None)

    call.say(f"Watching {workspace.root}; Ctrl-C ends it.")
    try:
        for told in watching(stamps, reindex, _ticks(every)):
            call.say(told)
    except KeyboardInterrupt:
        call.say("Stopped watching.")
    return DONE


def _ticks(seconds: float) -> Iterator[None]:
    while True:
        yield
        sleep(seconds)


def watching(stamps: Callable[[], Stamps], reindex: Callable[[], "Receipt"], ticks: Iterable[None]) -> Iterator[str]:
    """Reindex at the start and whenever the files have changed and then kept still for a tick.

    Yields one line a run. What `reindex` writes itself never counts as a change; a store that is locked or cannot
    be read is tried again at the next tick.
    """
    settled: Stamps | None = None
    seen: Stamps | None = None
    waited = 0
    for _ in ticks:
        try:
            now = stamps()
            if now == settled:
                continue
            is_still = settled is None or now == seen
            seen, waited = now, waited + 1
            if not is_still and waited < PATIENCE_TICKS:
                continue
            receipt = reindex()
            settled, waited = _after(now, stamps(), receipt.paths), 0
        except (Conflict, UnreadableStore) as fault:
            yield f"{fault.message}; trying again"
            continue
        yield f"Brought up to date: {render.counted(len(receipt.paths), 'file')}"


def _after(before: Stamps, after: Stamps, ours: Iterable[str]) -> Stamps:
    """What counts as settled after a run: our own writes as they are now, everything else as it was looked at."""
    return dict(before) | {path: after[path] for path in ours if path in after}


COMMANDS = (Command("watch", watch, ("memtend watch", "memtend watch --every 5")),)
