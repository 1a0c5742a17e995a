"""What went wrong, told in one line with a hint, and the exit status that goes with it.

    error[code]: what happened
    hint: what to do about it

With `--json` the same stands on stdout as `{"status": "error", "error": {…}}`, so that stdout always holds one
document. A traceback appears only with `--debug`.
"""

import json
import os
import sys
import traceback
from contextlib import suppress
from typing import TextIO

from memtend.cli.parameter import command_at
from memtend.cli.screen import err, harmless, out
from memtend.errors import Cancelled, MemtendError, NeedsConfirmation, of_system

INTERRUPTED = 3
"""Exit status after Ctrl-C: nobody confirmed, nothing was written."""
_MOST = 1000
"""Characters of a message at most: an argument that is quoted in it may be of any length."""


class Answered(Exception):
    """The answer stands on stdout already; `fault` is what stderr has to say about it."""

    def __init__(self, fault: MemtendError) -> None:
        super().__init__(fault.message)
        self.fault = fault


def tell(fault: BaseException, words: list[str], status: int) -> int:
    """Say what happened and return the exit status. `status` is what the run had come to so far."""
    if isinstance(fault, BrokenPipeError):
        return _reader_left(status)
    is_answered = isinstance(fault, Answered)
    if isinstance(fault, Answered):
        fault = fault.fault
    flags = words[: words.index("--")] if "--" in words else words
    if "--debug" in flags:
        traceback.print_exception(fault)
    code, message, hint, status = _understood(fault)
    hint = _at_home(hint, words)
    _say(code, message, hint)
    if "--json" in flags and not is_answered:
        error = {"code": code, "message": message, "hint": hint}
        with suppress(OSError):
            out(json.dumps({"status": "error", "error": error}, ensure_ascii=False, indent=2))
    _let_go_of_broken_streams()
    return status


def _understood(fault: BaseException) -> tuple[str, str, str, int]:
    if isinstance(fault, MemtendError):
        return fault.code, _one_line(fault.message), _one_line(fault.hint), fault.exit_status
    if isinstance(fault, KeyboardInterrupt):
        return Cancelled.code, "Cancelled. Nothing was written.", "", INTERRUPTED
    if isinstance(fault, OSError):
        return "io", of_system(fault), "Mend that and run the command again.", 6
    said = _one_line(f"{type(fault).__name__}: {fault}")
    return "internal", said, "This is a fault of memtend; --debug shows where. Please report it.", 6


def _at_home(hint: str, words: list[str]) -> str:
    """The hint with the commands of the group that was called: a store names `memtend undo` and `log` of a vault."""
    group = "".join(words[command_at(words) :][:1])
    for name in ("undo", "log") if group in ("role", "category") else ():
        hint = hint.replace(f"`memtend {name}", f"`memtend {group} {name}")
    return hint


def _say(code: str, message: str, hint: str) -> None:
    plain = code == Cancelled.code
    err(message if plain else f"error[{code}]: {message}")
    if hint:
        err(f"hint: {hint}")


def _one_line(text: str) -> str:
    """The text without line breaks and control characters; of an endless one, what tells which it is."""
    line = harmless(" ".join(text.split()))
    return line if len(line) <= _MOST else f"{line[: _MOST // 2]} … {line[-_MOST // 4 :]}"


def _reader_left(status: int) -> int:
    """Whoever read our output has seen enough: no complaint, and none from the interpreter's last flush."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            let_go(stream)
    return status


def _let_go_of_broken_streams() -> None:
    """A stream that takes nothing more (a full disk) must not bring the interpreter's last flush to complain."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            let_go(stream)


def let_go(stream: TextIO) -> None:
    """Send whatever else is written there nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def unconfirmed(what: str, hint: str) -> NeedsConfirmation:
    """The error of a run that nobody could be asked about."""
    return NeedsConfirmation(f"{what}: confirmation needed and not given (nothing written)", hint=hint)
