"""Short names made from long texts: titles cut at a word, file names that every system takes."""

import re
import unicodedata
from collections.abc import Callable

from memtend.errors import UnusableInput
from memtend.text.tokens import fold
from memtend.text.unspaced import is_unspaced

LONGEST_NAME = 120
"""Characters of a topic or a category at most: lists have a column for each."""
SLUG_LIMIT = 50
"""Characters of a slug, the number of a collision included (vault spec, 2.4)."""
_DEVICES = frozenset({"con", "prn", "aux", "nul", "conin", "conout"}) | {
    f"{port}{number}" for port in ("com", "lpt") for number in range(10)
}
_UNIT = re.compile(r"(?<!`)(`++)(?:(?!\1).)+?\1(?!`)|\[\[[^\]]*\]\]|!?\[[^\]]*\]\([^)]*\)")
_LOOK_AHEAD = 400
"""Characters behind the limit in which a code span or link that starts before it may end."""


def shorten(text: str, limit: int) -> str:
    """The text on one line of at most `limit` characters, cut at a word, with an ellipsis where cut (O-VA-04).

    Never cuts inside a code span or link, nor between a letter and its marks. A code span that is too long to
    keep and stands first loses its backticks.
    """
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    if limit < 2:
        return "…"[: max(0, limit)]
    cut = _border(line, limit - 1)
    for unit in _UNIT.finditer(line[: limit + _LOOK_AHEAD]):
        if unit.start() < cut < unit.end():
            if not line[: unit.start()].strip() and "`" in line:
                return shorten(line.replace("`", ""), limit)
            cut = unit.start() or cut
    kept = line[:cut].rstrip(" ,;:–—-(/")
    return (kept or line[: _grapheme_border(line, limit - 1)]) + "…"


def _border(line: str, limit: int) -> int:
    """The last place up to the limit where a word ends; in scripts without spaces, where a character does."""
    if is_unspaced(line[limit - 1]) and is_unspaced(line[limit]):
        return _grapheme_border(line, limit)
    space = line.rfind(" ", 0, limit + 1)
    return space if space > 0 else _grapheme_border(line, limit)


def _grapheme_border(line: str, limit: int) -> int:
    cut = limit
    while cut > 0 and cut < len(line) and _joins(line[cut - 1], line[cut]):
        cut -= 1
    return cut or limit


def _joins(before: str, after: str) -> bool:
    """Whether two characters belong to one that a reader sees."""
    return (
        unicodedata.category(after) in ("Mn", "Mc", "Me")
        or after in "\u200d\u0e33\u0eb3"
        or before == "\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or ("\U0001f1e6" <= before <= "\U0001f1ff" and "\U0001f1e6" <= after <= "\U0001f1ff")
        or ("\u1100" <= before <= "\u11ff" and "\u1160" <= after <= "\u11ff")
        or "\u0e40" <= before <= "\u0e44"
    )


def topic_path(text: str) -> str:
    """A topic as it is stored: lower case, `/` between its names, one blank between words. What is no name goes."""
    return "/".join(filter(_is_name, _parts(text)))


def names_something(given: str) -> bool:
    """Whether a text can be a topic or a category: each part of it is a name, and there is one."""
    parts = _parts(given)
    return bool(parts) and all(map(_is_name, parts))


def require_name(what: str, given: str | None) -> None:
    """Raise UnusableInput where what is given names no `what`, a topic or a category. Nothing given is no fault."""
    if given is None or not given.strip():
        return
    if len(given) > LONGEST_NAME:
        raise UnusableInput(
            f"the {what} has {len(given)} characters; it may have {LONGEST_NAME}", hint="Give it a short name."
        )
    if not names_something(given):
        raise UnusableInput(
            f"{given!r} names no {what}", hint="Names have letters or digits, such as python/http or CONFIG."
        )


def _parts(text: str) -> list[str]:
    parts = (" ".join(part.split()).lower() for part in text.replace("\\", "/").split("/"))
    return [part for part in parts if part]


def _is_name(part: str) -> bool:
    """Whether a part has a letter, a digit or a pictograph (`..`, `~` and `*` do not), and nothing steers a screen."""
    kinds = {unicodedata.category(char) for char in part}
    return "Cc" not in kinds and ("So" in kinds or any(map(str.isalnum, part)))


def slug(topic: str, title: str, taken: Callable[[str], bool]) -> str:
    """A file name's middle: the topic's last segment and the title's first three words (vault spec, 2.4).

    `[a-z0-9-]`, never empty, at most 50 characters, never a device name of Windows; other scripts are
    transliterated. `taken` is asked for each candidate until it says no, `-2`, `-3` … behind the name. Candidates
    are lower case and ASCII, so `taken` must fold what it compares them with (O-FS-06).
    """
    last = topic.replace("\\", "/").strip("/ ").rpartition("/")[2]
    stem = _cut("-".join(filter(None, [_ascii(last), *_title_words(title)])), SLUG_LIMIT) or "memory"
    if stem in _DEVICES or stem[0] == "-":
        stem = f"memory-{stem}".rstrip("-")
    candidate, number = stem, 1
    while taken(candidate):
        number += 1
        suffix = f"-{number}"
        candidate = _cut(stem, SLUG_LIMIT - len(suffix)) + suffix
    return candidate


def _title_words(title: str) -> list[str]:
    found: list[str] = []
    for word in title.split():
        found.extend(_ascii(word).split("-"))
        found = [word for word in found if word]
        if len(found) >= 3:
            break
    return found[:3]


def _ascii(text: str) -> str:
    if not text.isascii():
        from anyascii import anyascii

        text = anyascii(unicodedata.normalize("NFKC", text))
    return re.sub(r"[^a-z0-9]+", "-", fold(text).replace("'", "")).strip("-")


def _cut(name: str, limit: int) -> str:
    if len(name) <= limit:
        return name
    border = name.rfind("-", 0, limit + 1)
    return name[: border if border > 0 else limit].strip("-")
