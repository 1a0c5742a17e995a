"""From an agent to the edits of its files, and back.

`edits` only looks: it gives each file with its text before and after. `write` does it and keeps a record of what was
put in and in whose place, by file, so that `without` gives back what was there, to the byte; where a person has
rewritten the place since, the entry of ours is taken out by its name instead.
"""

import difflib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from memtend.agents import jsonc, plugin, toml
from memtend.agents.jsonc import Splice, spliced
from memtend.agents.table import SERVER, TOML, Agent, Hooks, command_line
from memtend.errors import UnusableInput

PROJECT, USER = "project", "user"
_NOT_OURS = "is there already and is not ours: left as it is"
_CHANGED_SINCE = "was changed since: left as it is"


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command: `text` has `{argument}` where the person's words go."""

    name: str
    about: str
    text: str


@dataclass(frozen=True, slots=True)
class Swap:
    """A piece of text that took another's place; undone by putting the other back."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Edit:
    """One file before and after; None where it is not there."""

    path: Path
    before: str | None
    after: str | None
    swaps: tuple[Swap, ...] = ()
    remark: str = ""
    """Why the file stays as it is, where a person should know."""

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after

    def diff(self, shown: str) -> str:
        """The change as a unified diff under the name that a person knows the file by."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        names = ("/dev/null" if self.before is None else shown, "/dev/null" if self.after is None else shown)
        lines = difflib.unified_diff(old, new, *names)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent is set up: in a project or for a user, with the command that starts memtend."""

    project: Path
    home: Path
    scope: str = PROJECT
    command: str = "memtend"

    def file(self, of_project: str, of_user: str) -> Path:
        """A file of the scope."""
        return self.home / of_user if self.scope == USER else self.project / of_project


@dataclass(slots=True)
class _Draft:
    """A file's text while edits are put on it."""

    path: Path
    before: str | None
    text: str
    swaps: list[Swap] = field(default_factory=list)

    def take(self, splices: Sequence[Splice]) -> None:
        """Put edits on the text and remember how to take them back."""
        for splice in splices:
            self.swaps.append(Swap(self.text[splice.start : splice.end], splice.text))
            self.text = spliced(self.text, [splice])

    def edit(self) -> Edit:
        """What it has come to."""
        after = self.before if self.before is None and not self.swaps else self.text
        return Edit(self.path, self.before, after, tuple(self.swaps))


def edits(agent: Agent, place: Place, commands: Sequence[Command], *, hooks: bool = True) -> list[Edit]:
    """What setting an agent up would change, file by file. Raises UnusableInput, naming the file."""
    drafts: dict[Path, _Draft] = {}
    _register(agent, place, drafts)
    if hooks and agent.hooks is not None:
        _add_hooks(agent.hooks, place, drafts)
    own = [*(_plugin_file(agent, place) if hooks else ()), *_command_files(agent, place, commands)]
    return [*(draft.edit() for draft in drafts.values()), *own]


def _add_hooks(hooks: Hooks, place: Place, drafts: dict[Path, _Draft]) -> None:
    path = place.file(hooks.project, hooks.user)
    draft = drafts.setdefault(path, _read(path))
    with _named(path):
        for name, event in hooks.events.items():
            if _is_run_anyway(hooks, place, name, event):
                continue
            if hooks.version is not None and jsonc.at(draft.text, ("version",)) is None:
                draft.take(jsonc.put(draft.text, ("version",), hooks.version))
            entry = hooks.entry(place.command, name)
            draft.take(jsonc.append(draft.text, ("hooks", event), entry, partial(_runs, place, name)))


def _is_run_anyway(hooks: Hooks, place: Place, name: str, event: str) -> bool:
    """Whether the agent runs the hook already, since it stands in another agent's file that it reads too."""
    if not hooks.also_read:
        return False
    try:
        node = jsonc.at(_text_of(place.file(hooks.also_read, hooks.also_read)) or "", ("hooks", event))
    except UnusableInput:
        return False
    return node is not None and node.kind == "array" and any(_runs(place, name, item) for item in node.plain())


def _plugin_file(agent: Agent, place: Place) -> Iterator[Edit]:
    if agent.plugin is None:
        return
    path = place.file(agent.plugin.project, agent.plugin.user)
    before, wanted = _text_of(path), plugin.rendered(agent.name, place.command)
    if before is not None and not plugin.is_ours(before):
        yield Edit(path, before, before, remark=_NOT_OURS)
    else:
        yield Edit(path, before, wanted, (Swap(before or "", wanted),) if before != wanted else ())


def _plugin_taken_out(agent: Agent, place: Place, records: "Records") -> Iterator[Edit]:
    if agent.plugin is None:
        return
    path = place.file(agent.plugin.project, agent.plugin.user)
    before = _text_of(path)
    if before is not None and plugin.is_ours(before):
        yield Edit(path, before, None)
    elif before is not None and records.swaps(path):
        yield Edit(path, before, before, remark=_CHANGED_SINCE)


def _register(agent: Agent, place: Place, drafts: dict[Path, _Draft]) -> None:
    path = settings_file(agent, place)
    draft = drafts.setdefault(path, _read(path))
    where = (*agent.keys, SERVER)
    with _named(path):
        draft.take(_form(agent, place, path).put(draft.text, where, agent.server(place.command)))


def settings_file(agent: Agent, place: Place) -> Path:
    """The file that names the servers: one that is there already before the usual one."""
    usual = place.file(agent.project, agent.user)
    others = [place.file(other, other) for other in agent.also]
    return next((path for path in (usual, *others) if path.parent == usual.parent and path.exists()), usual)


def _command_files(agent: Agent, place: Place, commands: Sequence[Command]) -> Iterator[Edit]:
    for path, command in _command_paths(agent, place, commands):
        assert agent.commands is not None
        wanted = agent.commands.render(command.about, command.text, agent.commands.argument)
        before = _text_of(path)
        if before is not None and before != wanted:
            yield Edit(path, before, before, remark=_NOT_OURS)
        else:
            yield Edit(path, before, wanted, (Swap("", wanted),) if before is None else ())


def _command_paths(agent: Agent, place: Place, commands: Sequence[Command]) -> Iterator[tuple[Path, Command]]:
    if agent.commands is None or not (agent.commands.user if place.scope == USER else agent.commands.project):
        return
    folder = place.file(agent.commands.project, agent.commands.user)
    for command in commands:
        yield folder / f"{command.name}{agent.commands.suffix}", command


def without(agent: Agent, place: Place, commands: Sequence[Command], records: "Records") -> list[Edit]:
    """What taking memtend out of an agent would change. Raises UnusableInput, naming the file."""
    paths = [settings_file(agent, place)]
    if agent.hooks is not None:
        paths.append(place.file(agent.hooks.project, agent.hooks.user))
    found = [_restored(agent, place, path, records) for path in dict.fromkeys(paths)]
    found += _plugin_taken_out(agent, place, records)
    for path, command in _command_paths(agent, place, commands):
        assert agent.commands is not None
        before = _text_of(path)
        ours = agent.commands.render(command.about, command.text, agent.commands.argument)
        recorded = [swap.new for swap in records.swaps(path)]
        if before is not None and before in (ours, *recorded):
            found.append(Edit(path, before, None))
        elif before is not None and recorded:
            found.append(Edit(path, before, before, remark=_CHANGED_SINCE))
    return found


def _restored(agent: Agent, place: Place, path: Path, records: "Records") -> Edit:
    before = _text_of(path)
    if before is None:
        return Edit(path, None, None)
    restored = _taken_back(before, records.swaps(path))
    with _named(path):
        text = _taken_out(agent, place, path, restored if _says(agent, place, path, restored) is not None else before)
    is_left = not records.is_new(path) or set(_says(agent, place, path, text) or ()) - {"version"}
    return Edit(path, before, text if is_left else None)


def _says(agent: Agent, place: Place, path: Path, text: str) -> Mapping[str, Any] | None:
    """What a file of the agent says; None where it is no file that the agent could read."""
    if not text.strip("\ufeff \t\r\n"):
        return {}
    try:
        values = toml.parse(text) if _form(agent, place, path) is toml else jsonc.parse(text).plain()
    except UnusableInput:
        return None
    return values if isinstance(values, dict) else None


def _form(agent: Agent, place: Place, path: Path) -> ModuleType:
    """What reads and edits a file of the agent: its settings may be TOML, its hooks are JSON."""
    return toml if agent.form == TOML and path == settings_file(agent, place) else jsonc


def _taken_back(text: str, swaps: Sequence[Swap]) -> str:
    """The text before all that was put in; the text as it is where a person has changed one of the places since."""
    restored = text
    for swap in reversed(swaps):
        if not swap.new:
            continue
        if restored.count(swap.new) != 1:
            return text
        restored = restored.replace(swap.new, swap.old)
    return restored


def _taken_out(agent: Agent, place: Place, path: Path, text: str) -> str:
    """The text without what of ours still stands in it, found by its name."""
    if path == settings_file(agent, place):
        text = spliced(text, _form(agent, place, path).removed(text, (*agent.keys, SERVER)))
    if agent.hooks is not None and path == place.file(agent.hooks.project, agent.hooks.user):
        for name, event in agent.hooks.events.items():
            node = jsonc.at(text, ("hooks", event))
            items = node.plain() if node is not None and node.kind == "array" else []
            for item in filter(partial(_runs, place, name), items):
                text = spliced(text, jsonc.items_removed(text, ("hooks", event), [item]))
    return text


def _runs(place: Place, name: str, item: Any) -> bool:
    """Whether an entry runs a hook of ours, by whatever path memtend was started."""
    listed = item.get("hooks", (item,)) if isinstance(item, dict) else ()
    commands = [str(hook.get("command", "")) for hook in listed if isinstance(hook, dict)]
    ours = command_line(place.command, name)
    return bool(commands) and all(
        one == ours or ("memtend" in one and one.endswith(f" hook {name}")) for one in commands
    )


def _is_record(value: Any) -> bool:
    """Whether it is what `Records.add` keeps of a file; what somebody else made of it is nothing we know."""
    if not isinstance(value, dict) or not isinstance(value.get("folders"), list):
        return False
    swaps = value.get("swaps")
    return isinstance(swaps, list) and all(isinstance(swap, list) and len(swap) == 2 for swap in swaps)


class Records:
    """What was put into which file, kept in the user's state folder; no file's other text is kept there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[str, dict[str, Any]] = {}
        with suppress(OSError, ValueError, RecursionError):
            kept = json.loads(path.read_text(encoding="utf-8"))
            listed = kept.items() if isinstance(kept, dict) else ()
            self._kept = {name: one for name, one in listed if _is_record(one)}

    @classmethod
    def of(cls, environ: Mapping[str, str], home: Path) -> "Records":
        """The records of a user."""
        given = environ.get("XDG_STATE_HOME") or environ.get("LOCALAPPDATA")
        return cls((Path(given) if given else home / ".local" / "state") / "memtend" / "setup.json")

    def swaps(self, path: Path) -> list[Swap]:
        """What was put into a file, in order."""
        listed = self._kept.get(str(path), {}).get("swaps", [])
        return [Swap(str(old), str(new)) for old, new in listed]

    def is_new(self, path: Path) -> bool:
        """Whether the file was made by us."""
        return bool(self._kept.get(str(path), {}).get("new"))

    def add(self, edit: Edit, folders: Sequence[Path]) -> None:
        """Remember an edit and the folders that were made for it."""
        kept = self._kept.setdefault(str(edit.path), {"new": edit.before is None, "folders": [], "swaps": []})
        kept["swaps"] += [[swap.old, swap.new] for swap in edit.swaps]
        kept["folders"] += map(str, folders)

    def forget(self, paths: Iterable[Path]) -> set[Path]:
        """Remember files no longer; gives the folders that were made for them."""
        gone = [self._kept.pop(str(path), {}) for path in paths]
        return {Path(folder) for kept in gone for folder in kept.get("folders", [])}

    def save(self) -> None:
        """Write the records. Raises OSError."""
        if not self._kept:
            self._path.unlink(missing_ok=True)
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        _replace(self._path, json.dumps(self._kept, ensure_ascii=False, indent=1))


def write(found: Sequence[Edit], records: Records, *, removing: bool = False) -> None:
    """Write the edits: each file whole or not at all. Raises OSError."""
    for edit in found:
        if edit.changes and edit.after is None:
            edit.path.unlink(missing_ok=True)
        elif edit.changes and edit.after is not None:
            missing = [folder for folder in edit.path.parents if not folder.exists()]
            edit.path.parent.mkdir(parents=True, exist_ok=True)
            _replace(edit.path, edit.after)
            if not removing:
                records.add(edit, missing)
    if removing:
        _remove_empty(records.forget(edit.path for edit in found))
    records.save()


def _remove_empty(folders: Iterable[Path]) -> None:
    """Folders that were made for our files and hold nothing now."""
    for folder in sorted(folders, key=lambda folder: len(folder.parts), reverse=True):
        with suppress(OSError):  # something else lies in it
            folder.rmdir()


def _replace(path: Path, text: str) -> None:
    """The new text in one step, with the rights of the old file; a link is followed."""
    target = path.resolve()
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with fresh.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
        with suppress(FileNotFoundError):
            fresh.chmod(target.stat().st_mode)
        fresh.replace(target)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def _read(path: Path) -> _Draft:
    text = _text_of(path)
    return _Draft(path, text, text or "")


def _text_of(path: Path) -> str | None:
    """A file's text with its line ends as they are, None where there is none. Raises UnusableInput."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as fault:
        raise UnusableInput(f"{path} cannot be read: {fault}", hint="Mend that and run the command again.") from fault


class _named:  # noqa: N801 - reads as a sentence in a with
    """Puts the file's name before what is wrong in it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if isinstance(fault, UnusableInput):
            raise UnusableInput(f"{self._path}: {fault.message}", hint=fault.hint) from fault
