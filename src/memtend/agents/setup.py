"""From an agent to the edits of its files, and back.

`edits` only looks: it gives each file with its text before and after. `write` does it and keeps a record, by which
`without` gives back what was there, to the byte; where a person has rewritten the place since, the entry of ours is
taken out by its name instead. What a person adds to our entry, such as an environment or a time limit, stays when
memtend is set up again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from memtend.agents import jsonc, plugin, toml
from memtend.agents.files import Edit, Records, Swap, taken_back, text_of, writable, write
from memtend.agents.jsonc import Splice, spliced
from memtend.agents.table import AGENTS, SERVER, TOML, Agent, Command, Hooks, command_line
from memtend.errors import UnusableInput

__all__ = [
    "PROJECT",
    "USER",
    "Command",
    "Edit",
    "Place",
    "Records",
    "edits",
    "run_twice",
    "settings_file",
    "without",
    "write",
]

PROJECT, USER = "project", "user"
_NOT_OURS = "is there already and is not ours: left as it is"
_CHANGED_SINCE = "was changed since: left as it is"
_AS_BEFORE = "names memtend again as it did before it was set up"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent is set up: in a project or for a user, with the command that starts memtend."""

    project: Path
    home: Path
    scope: str = PROJECT
    command: str = "memtend"
    moved: Mapping[str, Path] = field(default_factory=dict)
    """Folders of the home that lie elsewhere, by the name that they have there."""

    def file(self, of_project: str, of_user: str) -> Path:
        """A file of the scope."""
        if self.scope != USER:
            return self.project / of_project
        for folder, elsewhere in self.moved.items():
            if of_user.startswith((f"{folder}/", f"{folder}.")):
                return elsewhere / of_user.removeprefix(f"{folder}/")
        return self.home / of_user


@dataclass(slots=True)
class _Draft:
    """A file's text while edits are put on it."""

    path: Path
    before: str | None
    text: str
    swaps: list[Swap] = field(default_factory=list)
    was_there: bool = False
    is_empty: bool = False

    def take(self, splices: Sequence[Splice]) -> None:
        """Put edits on the text and remember how to take them back: each by a piece that stands there once."""
        for splice in splices:
            after, start, end = spliced(self.text, [splice]), splice.start, splice.start + len(splice.text)
            while start and after.count(after[start:end]) > 1:
                start -= 1
            self.swaps.append(Swap(self.text[start : splice.end], after[start:end]))
            self.text = after

    def edit(self) -> Edit:
        """What it has come to."""
        after = None if self.is_empty or (self.before is None and not self.swaps) else self.text
        return Edit(self.path, self.before, after, tuple(self.swaps), was_there=self.was_there)


def edits(agent: Agent, place: Place, commands: Sequence[Command], *, hooks: bool = True) -> list[Edit]:
    """What setting an agent up would change, file by file. Raises UnusableInput, naming the file.

    A file that may not be written is refused too, so that nothing is written of what cannot be written whole.
    """
    drafts: dict[Path, _Draft] = {}
    _register(agent, place, drafts)
    if hooks and agent.hooks is not None:
        _add_hooks(agent.hooks, place, drafts)
    own = [*(_plugin_file(agent, place) if hooks else ()), *_command_files(agent, place, commands)]
    return writable([*(draft.edit() for draft in drafts.values()), *own])


def _add_hooks(hooks: Hooks, place: Place, drafts: dict[Path, _Draft]) -> None:
    path = place.file(hooks.project, hooks.user)
    draft = drafts.setdefault(path, _read(path))
    with _named(path):
        for name, event in hooks.events.items():
            is_ours = partial(_runs, place, name)
            there = list(filter(is_ours, _listed(draft.text, event)))
            draft.was_there |= bool(there)
            if _is_run_anyway(hooks, place, name, event):
                _drop(draft, event, there)
                continue
            if hooks.version is not None and jsonc.at(draft.text, ("version",)) is None:
                draft.take(jsonc.put(draft.text, ("version",), hooks.version))
            if not any(set(_commands(item)) == {command_line(place.command, name)} for item in there):
                entry = hooks.entry(place.command, name)
                draft.take(jsonc.append(draft.text, ("hooks", event), entry, is_ours))


def _drop(draft: _Draft, event: str, items: Sequence[Any]) -> None:
    """Hooks of ours out of a file, since another one has them by now; a file without anything else goes."""
    for item in items:
        draft.take(jsonc.items_removed(draft.text, ("hooks", event), [item]))
    draft.is_empty = bool(items) and not jsonc.parse(draft.text).plain()


def run_twice(agent: Agent, place: Place) -> list[str]:
    """Which agents have hooks of ours and run those of this agent too, until they are set up again."""
    return [
        other.name
        for other in AGENTS.values()
        if other.hooks is not None and agent.hooks is not None and other.hooks.also_read == agent.hooks.project
        if any(
            _stands_in(place.file(other.hooks.project, other.hooks.user), place, name, event)
            for name, event in other.hooks.events.items()
        )
    ]


def _stands_in(path: Path, place: Place, name: str, event: str) -> bool:
    """Whether a file has a hook of ours; one that cannot be read has none."""
    try:
        return any(_runs(place, name, item) for item in _listed(text_of(path) or "", event))
    except UnusableInput:
        return False


def _listed(text: str, event: str) -> list[Any]:
    """The hooks of an event."""
    node = jsonc.at(text, ("hooks", event))
    return list(node.plain()) if node is not None and node.kind == "array" else []


def _is_run_anyway(hooks: Hooks, place: Place, name: str, event: str) -> bool:
    """Whether the agent runs the hook already, since it stands in another agent's file that it reads too."""
    return bool(hooks.also_read) and _stands_in(place.file(hooks.also_read, hooks.also_read), place, name, event)


def _plugin_file(agent: Agent, place: Place) -> Iterator[Edit]:
    if agent.plugin is None:
        return
    path = place.file(agent.plugin.project, agent.plugin.user)
    before, wanted = text_of(path), plugin.rendered(agent.name, place.command)
    if before is not None and not plugin.is_ours(before):
        yield Edit(path, before, before, remark=_NOT_OURS)
    else:
        yield Edit(path, before, wanted, (Swap(before or "", wanted),) if before != wanted else ())


def _plugin_taken_out(agent: Agent, place: Place, records: Records) -> Iterator[Edit]:
    if agent.plugin is None:
        return
    path = place.file(agent.plugin.project, agent.plugin.user)
    before = text_of(path)
    if before is not None and plugin.is_ours(before):
        yield Edit(path, before, None)
    elif before is not None and records.swaps(path):
        yield Edit(path, before, before, remark=_CHANGED_SINCE)


def _register(agent: Agent, place: Place, drafts: dict[Path, _Draft]) -> None:
    path = settings_file(agent, place)
    draft = drafts.setdefault(path, _read(path))
    where, entry = (*agent.keys, SERVER), agent.server(place.command)
    with _named(path):
        form = _form(agent, place, path)
        found = form.at(draft.text, where)
        draft.was_there = found is not None
        there = found.plain() if isinstance(found, jsonc.Node) else found
        if not isinstance(there, dict) or "command" not in there:
            draft.take(form.put(draft.text, where, entry))
            return
        for key in (key for key, value in entry.items() if not _begins(there.get(key), value)):
            draft.take(form.put(draft.text, (*where, key), entry[key]))


def _begins(there: Any, wanted: Any) -> bool:
    """Whether a value is what we want; words that a person put behind ours, such as `--tools vault`, are theirs."""
    return bool(there == wanted or (isinstance(there, list) and there[: len(wanted)] == wanted))


def settings_file(agent: Agent, place: Place) -> Path:
    """The file that names the servers: one that is there already before the usual one."""
    usual = place.file(agent.project, agent.user)
    others = [place.file(other, other) for other in agent.also]
    return next((path for path in (usual, *others) if path.parent == usual.parent and path.exists()), usual)


def _command_files(agent: Agent, place: Place, commands: Sequence[Command]) -> Iterator[Edit]:
    for path, command in _command_paths(agent, place, commands):
        assert agent.commands is not None
        wanted = agent.commands.rendered(command)
        before = text_of(path)
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


def without(agent: Agent, place: Place, commands: Sequence[Command], records: Records) -> list[Edit]:
    """What taking memtend out of an agent would change. Raises UnusableInput, naming the file."""
    paths = [settings_file(agent, place)]
    if agent.hooks is not None:
        paths.append(place.file(agent.hooks.project, agent.hooks.user))
    found = [_restored(agent, place, path, records) for path in dict.fromkeys(paths)]
    found += _plugin_taken_out(agent, place, records)
    found += _commands_taken_out(agent, place, commands, records)
    return writable(found)


def _commands_taken_out(agent: Agent, place: Place, commands: Sequence[Command], records: Records) -> Iterator[Edit]:
    for path, command in _command_paths(agent, place, commands):
        assert agent.commands is not None
        before = text_of(path)
        recorded = [swap.new for swap in records.swaps(path)]
        if before is not None and before in (agent.commands.rendered(command), *recorded):
            yield Edit(path, before, None)
        elif before is not None and recorded:
            yield Edit(path, before, before, remark=_CHANGED_SINCE)


def _restored(agent: Agent, place: Place, path: Path, records: Records) -> Edit:
    before = text_of(path)
    if before is None:
        return Edit(path, None, None)
    with _named(path):
        restored = taken_back(before, records.swaps(path))
        if restored is None or _says(agent, place, path, restored) is None:
            text, remark = _taken_out(agent, place, path, before), ""
        elif records.was_there(path):
            text, remark = restored, _AS_BEFORE
        else:
            text, remark = _taken_out(agent, place, path, restored), ""
    is_left = not records.is_new(path) or set(_says(agent, place, path, text) or ()) - {"version"}
    return Edit(path, before, text if is_left else None, remark=remark)


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


def _taken_out(agent: Agent, place: Place, path: Path, text: str) -> str:
    """The text without what of ours still stands in it, found by its name."""
    if path == settings_file(agent, place):
        text = spliced(text, _form(agent, place, path).removed(text, (*agent.keys, SERVER)))
    if agent.hooks is not None and path == place.file(agent.hooks.project, agent.hooks.user):
        for name, event in agent.hooks.events.items():
            for item in filter(partial(_runs, place, name), _listed(text, event)):
                text = spliced(text, jsonc.items_removed(text, ("hooks", event), [item]))
    return text


def _commands(item: Any) -> list[str]:
    """What an entry of an event runs."""
    listed = item.get("hooks", [item]) if isinstance(item, dict) else []
    hooks = listed if isinstance(listed, list) else []
    return [str(hook.get("command", "")) for hook in hooks if isinstance(hook, dict)]


def _runs(place: Place, name: str, item: Any) -> bool:
    """Whether an entry runs a hook of ours and nothing else, by whatever path memtend was started."""
    commands, ours = _commands(item), command_line(place.command, name)
    return bool(commands) and all(
        one == ours or ("memtend" in one and one.endswith(f" hook {name}")) for one in commands
    )


def _read(path: Path) -> _Draft:
    text = text_of(path)
    return _Draft(path, text, text or "")


class _named:  # noqa: N801 - reads as a sentence in a with
    """Puts the file's name before what is wrong in it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if isinstance(fault, UnusableInput):
            raise UnusableInput(f"{self._path}: {fault.message}", hint=fault.hint) from fault
