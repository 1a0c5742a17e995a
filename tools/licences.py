"""Writes docs/licences.md: every library that memtend needs at run time, with version and licence.

Taken from the metadata of what is installed, along the requirements of memtend itself; nothing is typed by hand.
"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "licences.md"
ALLOWED = (
    "MIT",
    "BSD",
    "Apache",
    "ISC",
    "PSF",
    "Python Software Foundation",
    "Unlicense",
    "Zlib",
    "any-OSI",
)
"""What a licence may be called: permissive, or one of WEAK."""
WEAK = ("MPL", "Mozilla Public License 2.0")
"""Licences that ask for changes to the library's own files alone to be published; memtend changes none."""
_HEAD = """# Licences of what memtend stands on

<!-- Made by tools/licences.py from the metadata of what is installed; run `make licences`. -->

memtend itself is under the Apache License 2.0.
These are the libraries that an installation brings along, as their own metadata has them.

| library | licence | what for | home |
|---|---|---|---|
"""


def names() -> list[str]:
    """Every library that memtend needs, directly or through another, without extras; sorted."""
    found: dict[str, None] = {}
    waiting = ["memtend"]
    while waiting:
        for needed in _needs(waiting.pop()):
            if needed not in found:
                found[needed] = None
                waiting.append(needed)
    return sorted(found)


def _needs(name: str) -> Iterator[str]:
    for requirement in distribution(name).requires or ():
        bare, _, marker = requirement.partition(";")
        if "extra ==" in marker:
            continue
        needed = _canonical(re.match(r"[\w.-]+", bare)[0])  # type: ignore[index]
        if _installed(needed) is not None:
            yield needed


def _installed(name: str) -> Distribution | None:
    """The library, None where this system does not need it."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def licence(name: str) -> str:
    """The licence as the library's metadata names it, on one line; empty where they say nothing."""
    metadata = distribution(name).metadata
    said = metadata.get("License-Expression") or ""
    classified = [
        line.rpartition("::")[2].strip()
        for line in metadata.get_all("Classifier") or ()
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    first = (metadata.get("License") or "").strip().partition("\n")[0].strip()
    return said or ", ".join(classified) or (first if len(first) < 60 else "") or _in_file(name)


def _in_file(name: str) -> str:
    """The heading of the library's own licence file, where its metadata say nothing."""
    for file in distribution(name).files or ():
        if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")):
            return Path(str(file.locate())).read_text(encoding="utf-8").strip().partition("\n")[0].strip("# ")
    return ""


def is_allowed(name: str) -> bool:
    """Whether memtend may stand on this library."""
    return any(word in licence(name) for word in (*ALLOWED, *WEAK))


def _home(name: str) -> str:
    metadata = distribution(name).metadata
    urls = dict(line.split(", ", 1) for line in metadata.get_all("Project-URL") or () if ", " in line)
    by_name = {label.lower(): url for label, url in urls.items()}
    for label in ("homepage", "home", "repository", "source", "source code", "github"):
        if label in by_name:
            return by_name[label]
    return metadata.get("Home-page") or next(iter(urls.values()), f"https://pypi.org/project/{name}/")


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(_row(name) for name in names())


def _row(name: str) -> str:
    summary = (distribution(name).metadata.get("Summary") or "").replace("|", "/").strip()
    return f"| {name} | {licence(name)} | {summary} | {_home(name)} |\n"


def main() -> int:
    """Write the page; name what may not be used."""
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    bad = [f"{name}: {licence(name) or 'no licence named'}" for name in names() if not is_allowed(name)]
    print(*bad, sep="\n", end="\n" if bad else "")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
