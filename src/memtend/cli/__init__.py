"""The command line. `script` is what the `memtend` command calls, `main` what it does.

`recall` and plain `search` run in the fast lane; everything else loads the whole command line. Nothing here
imports more than `sys`, since a hook pays for it at every prompt.
"""

import sys

_STOPS = 2
"""The status by which a hook has an agent throw a prompt away; a wrong command line must not."""


def main(argv: "list[str] | None" = None) -> int:
    """Run one command line and return its exit status. Whatever goes wrong is told, not raised."""
    words = sys.argv[1:] if argv is None else list(argv)
    _speak_utf8()
    attempt = Attempt(words)
    with attempt:
        attempt.status = _run(words)
    with attempt:
        if sys.stdout is not None:
            sys.stdout.flush()
    return 1 if attempt.status == _STOPS and words[:1] == ["hook"] else attempt.status


def script() -> None:
    """Run the command line of this process and end it.

    After the fast lane without the interpreter's own tidying up: everything is flushed and closed by then, and
    taking modules apart one by one costs a hook a tenth of its time. Nor does it look for garbage on the way, which
    such a short life does not leave.
    """
    if sys.argv[1:2] in (["recall"], ["search"]) or sys.argv[1:3] == ["hook", "prompt"]:
        import gc

        gc.disable()
    status = main()
    if "memtend.cli.plain" in sys.modules or "memtend.cli.faults" in sys.modules:
        sys.exit(status)
    import os

    os._exit(status)


def _run(words: "list[str]") -> int:
    from memtend.cli import fast

    status = fast.run(words)
    if status is None:
        from memtend.cli.plain import run

        status = run(words)
    return status


class Attempt:
    """A run that ends in a status whatever happens inside it."""

    __slots__ = ("status", "words")

    def __init__(self, words: "list[str]") -> None:
        self.words = words
        self.status = 0

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, fault: "BaseException | None", trace: object) -> bool:
        if fault is None or isinstance(fault, SystemExit):
            return False
        from memtend.cli.faults import tell

        self.status = tell(fault, self.words, self.status)
        return True


def _speak_utf8() -> None:
    """Text goes out as UTF-8 whatever the locale says, and no character stops it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    reconfigure = getattr(sys.stdin, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="replace")
