"""Ids of decisions, found whole or not at all, and the slugs that address a part of a file (category spec, 1)."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_ID = r"[A-Z][A-Z0-9]{1,9}-(?=[A-Za-z0-9-]*\d)[A-Za-z0-9]+(?:-[A-Za-z0-9]+|\.\d+)*(?![^\W_]|-)"
ID = re.compile(_ID)
"""`DEC-9`, `DEC-2026-02-20-41`, `DEC-E08S05-01`, `DEC-49-delta-E63S06`; only to be matched where a word begins."""
_WITHIN = re.compile(r"(?<![^\W_])(?<!-)" + _ID)
_QUALIFIER = re.compile(r"\s*\(([\w][\w .-]{0,19})\)")
KEYWORDS = ("SUPERSEDED", "RETRACTED", "OBSOLETE")
"""The words of a marker (category spec, 2)."""


class HeadingId(NamedTuple):
    """The id that a heading begins with."""

    whole: str
    """With what stands in brackets behind it: `DEC-60 (REVISED)` is not `DEC-60`."""
    base: str
    rest: str
    """The heading behind the id, without the dash or colon between them."""


def heading_id(title: str) -> HeadingId | None:
    """The id at the start of a heading, symbols before it aside; None where there is none."""
    start = len(title) - len(title.lstrip(" \t[~*_"))
    found = ID.match(title, start)
    if found is None:
        return None
    qualifier = _QUALIFIER.match(title, found.end())
    is_part = qualifier is not None and not any(word in qualifier[1].upper() for word in KEYWORDS)
    whole = f"{found[0]} ({qualifier[1]})" if qualifier is not None and is_part else found[0]
    end = qualifier.end() if qualifier is not None and is_part else found.end()
    return HeadingId(whole, found[0], title[end:].strip(" \t:—–-~*_]"))


def ids_in(text: str) -> Iterator[str]:
    """Every id in a text, in order; `DEC-1` is never found inside `DEC-13`."""
    return (found[0] for found in _WITHIN.finditer(text))


def id_at(text: str, at: int) -> tuple[str, int] | None:
    """The id that begins at a place, with what is in brackets behind it, and where it ends."""
    found = ID.match(text, at)
    if found is None:
        return None
    qualifier = _QUALIFIER.match(text, found.end())
    if qualifier is None:
        return found[0], found.end()
    return f"{found[0]} ({qualifier[1]})", qualifier.end()


def base_of(id: str) -> str:
    """The id without what stands in brackets behind it."""
    return id.partition(" (")[0]


def slug_of(title: str) -> str:
    """A heading as the address of its section: lower case, letters and digits of any script, dashes between words."""
    words = re.findall(r"\w+", title.replace("'", "").replace("’", "").casefold())
    return "-".join(words)[:80].strip("-") or "section"


def distinct(slug: str, seen: dict[str, int]) -> str:
    """The slug, with `-2`, `-3` … behind it where it has been given out before. `seen` is added to."""
    seen[slug] = seen.get(slug, 0) + 1
    name = slug if seen[slug] == 1 else f"{slug}-{seen[slug]}"
    return name if name == slug or name not in seen else distinct(slug, seen)
