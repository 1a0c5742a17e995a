"""Asking a person: the port, and its two ways, with arrow keys in a terminal or line by line.

Every question can be answered with a key, so that a transcript or a pipe can answer it too.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from memtend.errors import Cancelled, UnusableInput

CANCELLED = "Memory operation cancelled. No files created."


class Choice(NamedTuple):
    """One thing to choose: what is typed for it, and what it says."""

    key: str
    label: str


class Prompter(Protocol):
    """Asks a person. Raises Cancelled where the person stops or the input ends."""

    def select(self, question: str, choices: Sequence[Choice], default: str) -> str:
        """The key of the one that was chosen."""
        ...

    def checkbox(self, question: str, choices: Sequence[Choice]) -> tuple[str, ...]:
        """The keys of those that were chosen; all are ticked at first."""
        ...

    def text(self, question: str, default: str) -> str:
        """One line of text."""
        ...

    def confirm(self, question: str, default: bool) -> bool:
        """Yes or no."""
        ...

    def edit(self, text: str) -> str:
        """A longer text, edited."""
        ...


class LinePrompter:
    """Questions as lines, answers as lines: for pipes, transcripts and screen readers."""

    def __init__(self, read: Callable[[], str], write: Callable[[str], object]) -> None:
        self._read = read
        self._write = write
        self._listed: tuple[Choice, ...] = ()

    def select(self, question: str, choices: Sequence[Choice], default: str) -> str:
        """Ask until one of the keys is typed; an empty line takes the default, `?` lists the choices again."""
        if tuple(choices) != self._listed:
            self._list(choices)
        keys = [choice.key for choice in choices]
        while True:
            answer = self._ask(f"{question} [{default}]").strip().lower() or default
            if answer in keys:
                return answer
            if answer == "?":
                self._list(choices)
            else:
                self._say(f"{answer!r} is not one of: {', '.join(keys)}")

    def _list(self, choices: Sequence[Choice]) -> None:
        self._listed = tuple(choices)
        for choice in choices:
            self._say(f"  {choice.key:>3}  {choice.label}")

    def checkbox(self, question: str, choices: Sequence[Choice]) -> tuple[str, ...]:
        """Numbers such as `1,3-5`; `none`, or an empty line for all."""
        for number, choice in enumerate(choices, 1):
            self._say(f"  {number:>3}  {choice.label}")
        while True:
            picked = _numbers(self._ask(f"{question} (such as 1,3-5; none) [all]"), len(choices))
            if picked is not None:
                return tuple(choices[number - 1].key for number in picked)
            self._say(f"Give numbers from 1 to {len(choices)}, `all` or `none`.")

    def text(self, question: str, default: str) -> str:
        """An empty line takes the default."""
        return self._ask(f"{question} [{default}]" if default else question).strip() or default

    def confirm(self, question: str, default: bool) -> bool:
        """`y` or `n`."""
        answers = {"y": True, "yes": True, "n": False, "no": False, "": default}
        while True:
            answer = self._ask(f"{question} [{'Y/n' if default else 'y/N'}]").strip().lower()
            if answer in answers:
                return answers[answer]
            self._say("Answer y or n.")

    def edit(self, text: str) -> str:
        """Lines up to one that is a single dot; nothing but the dot keeps the text."""
        self._say("Type the new text; a line with a single dot ends it.")
        lines: list[str] = []
        while (line := self._line()) != ".":
            lines.append(line)
        return "\n".join(lines) if lines else text

    def _ask(self, question: str) -> str:
        self._say(question)
        return self._line()

    def _line(self) -> str:
        line = self._read()
        if not line:
            raise Cancelled(CANCELLED)
        return line.rstrip("\r\n")

    def _say(self, line: str) -> None:
        self._write(line + "\n")


def _numbers(answer: str, count: int) -> list[int] | None:
    """The numbers that `1,3-5` names, in order and each once; None where it is not understood."""
    wanted = answer.strip().lower()
    if wanted in ("", "all", "a"):
        return list(range(1, count + 1))
    if wanted in ("none", "n"):
        return []
    picked: set[int] = set()
    for part in wanted.replace(" ", ",").split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if part and not (first.isdecimal() and last.isdecimal()):
            return None
        if part:
            picked.update(range(int(first), int(last) + 1))
    return sorted(picked) if picked and min(picked) >= 1 and max(picked) <= count else None


class TerminalPrompter:
    """Arrow keys, ticks and the person's own editor."""

    def select(self, question: str, choices: Sequence[Choice], default: str) -> str:
        """A list to move in; the keys work as shortcuts where they are single characters."""
        import questionary

        offered = [questionary.Choice(choice.label, value=choice.key) for choice in choices]
        return str(_answer(questionary.select(question, offered, default=default)))

    def checkbox(self, question: str, choices: Sequence[Choice]) -> tuple[str, ...]:
        """A list to tick in."""
        import questionary

        offered = [questionary.Choice(choice.label, value=choice.key, checked=True) for choice in choices]
        picked = _answer(questionary.checkbox(question, offered))
        return tuple(str(key) for key in picked) if isinstance(picked, list) else ()

    def text(self, question: str, default: str) -> str:
        """A line to edit."""
        import questionary

        return str(_answer(questionary.text(question, default=default)))

    def confirm(self, question: str, default: bool) -> bool:
        """Yes or no."""
        import questionary

        return bool(_answer(questionary.confirm(question, default=default)))

    def edit(self, text: str) -> str:
        """The text in the person's own editor, or in a small one where none is set."""
        import os

        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if editor:
            return _edited(editor, text)
        import questionary

        return str(_answer(questionary.text("Edit, then Esc and Enter:", default=text, multiline=True)))


class _Question(Protocol):
    def unsafe_ask(self) -> object: ...


def _answer(question: _Question) -> object:
    """What was answered; Ctrl-C and Ctrl-D cancel."""
    try:
        return question.unsafe_ask()
    except (KeyboardInterrupt, EOFError) as fault:
        raise Cancelled(CANCELLED) from fault


def _edited(editor: str, text: str) -> str:
    import shlex
    import subprocess
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory(prefix="memtend-") as folder:
        path = Path(folder) / "memory.md"
        path.write_text(text, encoding="utf-8", newline="\n")
        try:
            subprocess.run([*shlex.split(editor), str(path)], check=True)
        except (OSError, subprocess.CalledProcessError) as fault:
            raise UnusableInput(
                f"the editor {editor!r} failed: {fault}", hint="Set EDITOR to one that works."
            ) from fault
        return path.read_text(encoding="utf-8").strip("\n")
