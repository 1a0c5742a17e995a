"""Asks for known faults of every installed library: `python tools/audit.py`.

`pip-audit` calls a library that its source does not answer for "skipped" and goes on to say that nothing was found.
So what was skipped is counted here, a second source (OSV) is asked where PyPI does not answer, and nothing looked up
is never taken for nothing wrong. Exit status: 0 only where all were looked up, 1 known faults, 2 not looked up.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SOURCES = ("pypi", "osv")
TIMEOUT_SECONDS = 15
CLEAN, FAULTS, NOT_LOOKED_UP = 0, 1, 2


def ask(source: str) -> dict[str, Any] | None:
    """What a source says of the installed libraries; None where it does not answer."""
    program = str(Path(sys.executable).with_name("pip-audit"))
    options = ["--skip-editable", "--format", "json", "--progress-spinner", "off", "--vulnerability-service", source]
    try:
        done = subprocess.run(
            [program, *options, "--timeout", str(TIMEOUT_SECONDS)],
            check=False,
            capture_output=True,
            text=True,
            timeout=40 * TIMEOUT_SECONDS,
        )
        report = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return report if isinstance(report, dict) and report.get("dependencies") else None


def verdict(reports: Sequence[tuple[str, Mapping[str, Any] | None]]) -> tuple[int, str]:
    """The exit status and what to say, from what each source answered. A library counts where any source knew it."""
    known: dict[str, list[str]] = {}
    open_ones: set[str] = set()
    for source, report in reports:
        for library in (report or {}).get("dependencies", ()):
            open_ones.add(library["name"])
            if "skip_reason" not in library:
                found = [f"{library['name']} {library['version']}: {one['id']} ({source})" for one in library["vulns"]]
                known[library["name"]] = known.get(library["name"], []) + found
    open_ones -= {*known, "memtend"}
    silent = ", ".join(source for source, report in reports if report is None)
    lines = [line for found in known.values() for line in found]
    if open_ones or not known:
        which = ", ".join(sorted(open_ones)) if known else "all of them"
        reason = f"; no answer from {silent}" if silent else ""
        lines.append(f"NOT LOOKED UP: {which}{reason}. Run it again where pypi.org or api.osv.dev can be reached.")
    if any(known.values()):
        return FAULTS, "\n".join(lines)
    return (NOT_LOOKED_UP, "\n".join(lines)) if lines else (CLEAN, f"{len(known)} libraries, no known faults")


def main() -> int:
    """Ask one source, and the next where something is left open; say what was found."""
    reports: list[tuple[str, Mapping[str, Any] | None]] = []
    status, said = NOT_LOOKED_UP, ""
    for source in SOURCES:
        reports.append((source, ask(source)))
        status, said = verdict(reports)
        if status != NOT_LOOKED_UP:
            break
    print(said)
    return status


if __name__ == "__main__":
    sys.exit(main())
