"""Which headings of consolidated.md are sections, which are titles, and which only look like sections.

A section has an exact name at level 1, in any case. A heading that means one but is not written so is malformed:
what stands under it is kept and not read until `repair` has mended it. Older files have four headings of their own.
"""

import re
from typing import NamedTuple

from memtend.layouts.role.ids import STANDARD_CATEGORIES, category_name, collapsed


class Name(NamedTuple):
    """What a heading stands for."""

    kind: str
    """`high`, `normal`, `new`, `learnings`, `preferences`, `events`; of older files `lessons`, `boundaries`,
    `notes`; `preamble` before the first; `malformed` and `unknown` for the rest."""
    category: str = ""
    """Of preferences; of a malformed heading the kind that is meant."""


PREAMBLE = Name("preamble")
UNKNOWN = Name("unknown")
EVENTS = Name("events")
HIGH, NORMAL, NEW = Name("high"), Name("normal"), Name("new")

DEFAULT_COUNTS = {"high": 3, "normal": 1, "new": 0, "learnings": 1, "lessons": 1}
"""The count of a line that has none, by section. These sections hold learnings."""

PREFERENCE_KINDS = ("preferences", "boundaries")
EVENT_KINDS = ("events", "notes")
LEGACY_KINDS = ("lessons", "boundaries", "notes")
TITLES = ("memory:", "last consolidated:", "auto-extracted:")
"""How the lines begin that stand above the sections as headings of level 1."""

_EXACT = {
    "learnings (high priority)": HIGH,
    "learnings (normal)": NORMAL,
    "learnings (new)": NEW,
    "learnings": Name("learnings"),
    "preferences": Name("preferences", "General"),
    "events": EVENTS,
}
_LEGACY = {
    "significant events": Name("notes"),
    "running notes": Name("notes"),
    "lessons learned": Name("lessons"),
    "preferences & boundaries": Name("boundaries", "General"),
    "preferences and boundaries": Name("boundaries", "General"),
}
_TEXT = {
    "high": "Learnings (High Priority)",
    "normal": "Learnings (Normal)",
    "new": "Learnings (New)",
    "events": "Events",
    "learnings": "Learnings",
}
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*$")
_LIKE_HEADING = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]*(?P<hash>[^#\s].*?)[ \t#]*|\*\*(?P<bold>[^*]+)\*\*:?|__(?P<line>[^_]+)__:?)[ \t]*$"
)
_WORD = re.compile(r"[^\W\d_]+")
_PREFERENCE_LIKE = re.compile(
    r"(?:preferences?|prefs?)\s*(?:[:(/–—-]\s*(?P<category>[^()]*?)\)?)?:?\s*$", re.IGNORECASE
)
_TIER_WORDS = {"high": HIGH, "normal": NORMAL, "new": NEW}
_ORDER = ["high", "learnings", "normal", "new"]


def level_and_title(line: str) -> tuple[int, str]:
    """Level and text of an ATX heading, (0, "") for any other line."""
    found = _HEADING.match(line)
    return (len(found[1]), found[2] or "") if found else (0, "")


def exact(title: str) -> Name | None:
    """The section that a level-1 heading with this text opens, if any."""
    name = collapsed(title)
    lower = name.lower()
    if lower.startswith("preferences:"):
        return Name("preferences", category_name(name.partition(":")[2]))
    return _EXACT.get(lower)


def legacy(title: str) -> Name | None:
    """The section of older files that a heading with this text opens, if any."""
    return _LEGACY.get(collapsed(title).lower())


def is_title(title: str) -> bool:
    """Whether a level-1 heading is one of the lines above the sections."""
    return collapsed(title).lower().startswith(TITLES)


def meant(line: str) -> Name | None:
    """The section that a line names without writing its heading rightly, if any."""
    like = _LIKE_HEADING.match(line)
    if like is None:
        return None
    title = collapsed(like["hash"] or like["bold"] or like["line"])
    if preference := _PREFERENCE_LIKE.match(title):
        return Name("preferences", category_name(preference["category"] or ""))
    words = [word.lower() for word in _WORD.findall(title)]
    if words in (["event"], ["events"]):
        return EVENTS
    rest = {word for word in words if word not in ("learning", "learnings", "priority")}
    if len(rest) > 1 or not {"learning", "learnings"} & set(words):
        return None
    return _TIER_WORDS.get(rest.pop()) if rest else _EXACT["learnings"]


def heading(name: Name) -> str:
    """The heading line of a section as it should be."""
    if name.kind == "preferences":
        return f"# Preferences: {name.category}"
    return f"# {_TEXT[name.kind]}"


def rank(name: Name) -> tuple[int, str] | None:
    """Where a section stands among the others; None for one that is not ours to place."""
    if name.kind in _ORDER:
        return _ORDER.index(name.kind), ""
    if name.kind == "preferences":
        if name.category in STANDARD_CATEGORIES:
            return 10 + STANDARD_CATEGORIES.index(name.category), ""
        return 20, name.category
    return (30, "") if name.kind == "events" else None


def standard_names() -> list[Name]:
    """The sections that a whole file has, in order."""
    return [HIGH, NORMAL, NEW, *(Name("preferences", category) for category in STANDARD_CATEGORIES), EVENTS]
