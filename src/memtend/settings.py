"""Every setting, where its value comes from, and in which order: defaults, files, environment, flags.

The hot path loads this, so a file is parsed only when it mentions memtend, and nothing here imports more than `os`.

    defaults  ←  [tool.memtend] in pyproject.toml, then memtend.toml  ←  MEMTEND_* variables  ←  flags

Both files are looked for from the start folder upwards; the nearest folder that has one of them counts.
"""

import os

from memtend.errors import UnusableInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Value = str | int | bool

DEFAULTS: "Mapping[str, Value]" = {
    "vault": "",
    "commit": True,
    "embedder": "",
    "git_timeout_seconds": 30,
    "lock_timeout_seconds": 10,
    "recall_budget": 2000,
    "recall_max": 5,
    "search_limit": 5,
    "max_files": 200,
}
"""Every setting with its default. The type of the default is the type of the setting."""

_FILES = ("memtend.toml", "pyproject.toml")
_MOST = 1_000_000
"""The largest number that a setting may have: more is a slip, and some mean seconds."""
_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


class Settings:
    """Values by name, each with its origin: `default`, a file's path, a variable's name, or `flag`."""

    __slots__ = ("_origins", "_values")

    def __init__(self) -> None:
        self._values: dict[str, Value] = dict(DEFAULTS)
        self._origins: dict[str, str] = dict.fromkeys(DEFAULTS, "default")

    def put(self, name: str, value: object, origin: str) -> None:
        """Set one value. Raises UnusableInput for an unknown name or a value of another type."""
        if name not in DEFAULTS:
            raise UnusableInput(f"{origin}: no setting is called {name!r}", hint="Settings: " + ", ".join(DEFAULTS))
        self._values[name] = _of_type(name, value, origin)
        self._origins[name] = origin

    def text(self, name: str) -> str:
        """A setting that is a text."""
        return str(self._values[name])

    def number(self, name: str) -> int:
        """A setting that is a whole number."""
        return int(self._values[name])

    def switch(self, name: str) -> bool:
        """A setting that is on or off."""
        return bool(self._values[name])

    def origin(self, name: str) -> str:
        """Where the value of a setting comes from."""
        return self._origins[name]


def load(start: str, environ: "Mapping[str, str]", flags: "Mapping[str, Value | None] | None" = None) -> Settings:
    """Read the settings as they stand for somebody who works in the folder `start`.

    Raises UnusableInput, naming the place, for a file that is no TOML and for a value that does not fit.
    """
    settings = Settings()
    for path in reversed(_files_upwards(start)):
        for name, value in _read_file(path).items():
            settings.put(name, value, path)
    for name in DEFAULTS:
        variable = "MEMTEND_" + name.upper()
        if environ.get(variable):
            settings.put(name, environ[variable], variable)
    for name, given in (flags or {}).items():
        if given is not None:
            settings.put(name, given, "flag")
    return settings


def _files_upwards(start: str) -> list[str]:
    folder = os.path.abspath(start)
    while True:
        found = [path for name in _FILES if os.path.isfile(path := os.path.join(folder, name)) and _mentions_us(path)]
        parent = os.path.dirname(folder)
        if found or parent == folder:
            return found
        folder = parent


def _mentions_us(path: str) -> bool:
    if path.endswith("memtend.toml"):
        return True
    try:
        with open(path, "rb") as file:
            return b"tool.memtend" in file.read()
    except OSError:
        return False


def _read_file(path: str) -> "dict[str, object]":
    import tomllib

    try:
        with open(path, "rb") as file:
            data = tomllib.load(file)
    except (OSError, ValueError, RecursionError) as fault:
        raise UnusableInput(f"{path}: {fault}", hint="Mend the file or remove it.") from fault
    if path.endswith("pyproject.toml"):
        tools = data.get("tool")
        data = tools.get("memtend", {}) if isinstance(tools, dict) else {}
        if not isinstance(data, dict):
            raise UnusableInput(f"{path}: tool.memtend is no table", hint="Mend the file or remove it.")
    return data


def _of_type(name: str, value: object, origin: str) -> "Value":
    wanted = type(DEFAULTS[name])
    if isinstance(value, str) and wanted is bool and value.lower() in _TRUE + _FALSE:
        return value.lower() in _TRUE
    if isinstance(value, str) and wanted is int and value.strip().isdecimal():
        value = int(value[:20])
    least = 0 if name.endswith("_seconds") else 1
    if type(value) is wanted and (type(value) is not int or least <= value <= _MOST):
        return value
    kind = {str: "a text", int: f"a whole number from {least} to {_MOST}", bool: "true or false"}[wanted]
    raise UnusableInput(f"{origin}: {name} is {kind}, not {value!r}", hint=f"The default is {DEFAULTS[name]!r}.")
