"""One call of the command line: its flags, where its answer goes, and whom it may ask."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtend.cli.prompt import LinePrompter, Prompter, TerminalPrompter
from memtend.cli.screen import err, harmless, out, put, styled
from memtend.errors import Usage

if TYPE_CHECKING:
    from memtend.store.receipt import Receipt
    from memtend.workspace import Workspace

DONE = 0
FOUND_SOMETHING = 1
"""Done, with findings; or nothing was found."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its function, whose docstring is its help, and examples of its use."""

    name: str
    run: Callable[..., int]
    examples: tuple[str, ...]
    group: str = ""
    """The word before it, for commands such as `role read`."""


@dataclass(frozen=True, slots=True)
class Call:
    """The flags that every command knows."""

    vault: str | None = None
    yes: bool = False
    dry_run: bool = False
    json: bool = False
    debug: bool = False

    def workspace(self) -> "Workspace":
        """The vault this call is about. Raises NotFound."""
        from memtend.workspace import Workspace

        return Workspace.open(named("--vault", self.vault), start=str(Path.cwd()), environ=os.environ)

    def answer(self, document: Mapping[str, Any], text: str, *, paged: bool = False, has_colours: bool = False) -> None:
        """Print the answer: the document with `--json`, else the text."""
        if self.json:
            out(json.dumps(document, ensure_ascii=False, indent=2))
        elif has_colours and text and not paged:
            styled(text)
        elif paged and is_terminal(sys.stdout) and text.count("\n") > shutil.get_terminal_size().lines:
            import pydoc

            pydoc.pager(harmless(text))
        elif text:
            out(text)

    @property
    def columns(self) -> int:
        """How wide an answer may be: the terminal's width, 0 where nobody sees it."""
        return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else 0

    def say(self, message: str) -> None:
        """A message for people, on stderr."""
        err(message)

    def tell_log(self, receipts: "Sequence[Receipt]") -> int:
        """What was done in a role or a category memory; the status says whether anything was."""
        from memtend.cli.render import log_of

        self.answer({"receipts": [one.to_json() for one in receipts]}, log_of(receipts), paged=True)
        if not receipts:
            self.say("Nothing was done yet.")
        return DONE if receipts else FOUND_SOMETHING

    def tell_receipt(self, receipt: "Receipt") -> None:
        """What a person should know of a write beside its answer: warnings, and how its commit ended."""
        for warning in receipt.warnings:
            self.say(f"warning: {warning}")
        self.tell_commit(receipt)

    def tell_commit(self, receipt: "Receipt | None") -> None:
        """How the commit of a write ended, where a person should know."""
        if receipt is None or receipt.git is None or not receipt.git.reason:
            return
        if receipt.git.status in ("committed", "failed", "skipped"):
            self.say(f"commit {receipt.git.status}: {receipt.git.reason}")

    def prompter(self, interactive: bool = False) -> Prompter | None:
        """Who asks the person; None where nobody can be asked."""
        if self.json or self.yes or sys.stdin is None:
            return None
        if interactive or os.environ.get("MEMTEND_PROMPT") == "plain":
            return LinePrompter(sys.stdin.readline, put)
        return TerminalPrompter() if is_terminal(sys.stdin) and is_terminal(sys.stdout) else None

    @contextmanager
    def busy(self, what: str) -> Iterator[None]:
        """Show on stderr that something takes a while, where that is a terminal."""
        if not is_terminal(sys.stderr):
            yield
            return
        from rich.console import Console

        with Console(stderr=True).status(what):
            yield


def named(option: str, given: str | None) -> str | None:
    """The value of an option that names a place. Raises Usage for an empty one: no unset variable may choose one."""
    if given is not None and not given.strip():
        raise Usage(f"{option} is empty", hint="Name a folder, or leave it out.")
    return given


@contextmanager
def though_unread(is_decided: bool) -> Iterator[None]:
    """Around what is shown before something is done: whoever has decided need not read it (`… --yes | head -1`)."""
    try:
        yield
        if is_decided and sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        if not is_decided:
            raise
        from memtend.cli.faults import let_go

        let_go(sys.stdout)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on stderr for long work, where that is a terminal; gives the function that moves it.

    It takes how much is done, how much there is (0: not known yet), and what is being done.
    """
    if not is_terminal(sys.stderr):
        yield lambda _done, _total, _what: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total, now: bar.update(task, completed=done, total=total or None, description=now)


def is_terminal(stream: Any) -> bool:
    """Whether a person is at the other end."""
    return stream is not None and stream.isatty()


@contextmanager
def unbroken() -> Iterator[None]:
    """Finish a write that has begun: Ctrl-C waits until it is whole."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed: list[object] = []
    before = signal.signal(signal.SIGINT, lambda *received: pressed.append(received))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        err("The write was finished before stopping; `memtend undo` takes it back.")
