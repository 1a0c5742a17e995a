"""Names of things in a role: kinds, ids that follow from the text, categories, tiers and role names."""

import re
from enum import StrEnum
from hashlib import sha1

from memtend.errors import OutsideStore


class Kind(StrEnum):
    """What a memory of a role is."""

    LEARNING = "learning"
    PREFERENCE = "preference"
    EVENT = "event"
    PENDING = "pending"


STANDARD_CATEGORIES = ("Communication", "Code", "Tools", "Workflow", "General")
"""Categories of preferences in the order in which the file has them; custom ones follow by name."""

LONGEST_NAME = 255
"""Bytes of a role's name: what a file system takes for the name of a folder."""
TIERS = ("high", "normal", "new")
"""The lists of learnings, by how often these were of use."""
HIGH_FROM = 3
NORMAL_FROM = 1

_STANDARD_BY_KEY = {name.lower(): name for name in STANDARD_CATEGORIES}
_WIDE_BLANK = re.compile(r"[\ufeff\s]+")
_ROLE_NAME = re.compile(r"[^\W_][\w.-]*", re.UNICODE)
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def collapsed(text: str) -> str:
    """A text on one line, runs of white space as one blank, none at its ends."""
    if "\ufeff" in text:
        return _WIDE_BLANK.sub(" ", text).strip()
    return " ".join(text.split())


def key_of(text: str) -> str:
    """What two exact copies of a text share: white space collapsed, lower case."""
    return collapsed(text).lower()


_FULL_STOPS = (".", "。")


def copy_keys(text: str) -> frozenset[str]:
    """The keys of the texts that are copies of this one: as it is, and with or without one full stop at its end."""
    key = key_of(text)
    ends_once = key.endswith(_FULL_STOPS) and len(key) > 1 and not key[:-1].endswith(_FULL_STOPS)
    bare = key[:-1].rstrip() if ends_once else key
    more = () if bare.endswith(_FULL_STOPS) else (bare + stop for stop in _FULL_STOPS)
    return frozenset((key, bare, *more))


def id_of(kind: str, text: str, category: str = "") -> str:
    """The id that follows from a text: ten hex digits of `kind:text:category`, all lower case (role spec, 1)."""
    return id_of_key(kind, key_of(text), category)


def id_of_key(kind: str, key: str, category: str = "") -> str:
    """As `id_of`, of a text whose key is known."""
    data = f"{kind}:{key}:{category.lower()}"
    return sha1(data.encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()[:10]


def category_name(given: str) -> str:
    """A category as the file writes it: standard ones in their own spelling, `General` where none is given."""
    name = collapsed(given)
    return _STANDARD_BY_KEY.get(name.lower(), name) if name else "General"


def tier_of(count: int) -> str:
    """The tier that a count decides: `high` from 3, `normal` from 1, `new` at 0."""
    return "high" if count >= HIGH_FROM else "normal" if count >= NORMAL_FROM else "new"


def is_role_name(name: str) -> bool:
    """Whether a folder name is a role's: letters, digits, `.`, `_`, `-`, not beginning with `.` or `_`."""
    usable = _ROLE_NAME.fullmatch(name) is not None and not name.endswith(".")
    return usable and len(name.encode()) <= LONGEST_NAME and _RESERVED.fullmatch(name) is None


def role_name(name: str) -> str:
    """The name, checked. Raises OutsideStore for anything that is no role's name."""
    if not is_role_name(name):
        raise OutsideStore(
            f"{name!r} is no name of a role",
            hint="Names are at most 255 letters, digits, '.', '_' and '-', and begin with a letter or digit.",
        )
    return name
