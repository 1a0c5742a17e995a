"""One learning or preference as a line: its count, its text, its trailing metadata comment.

    - [6x] text <!-- tags: a, b | src: auto | seen: 2026-04-17 -->

`[0x]`, `[003x]`, `[3X]` in front and `(used 3x)` behind are counts; `(2)` behind is text. A comment behind the
text is metadata when its fields are `key: value`, one of them known; any other comment belongs to the text.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from memtend.errors import Refused
from memtend.layouts.role.ids import collapsed

PLACEHOLDERS = frozenset(("(none)", "(none yet)", "none", "-"))
"""What stands in a section without memories."""
_LONGEST_PLACEHOLDER = max(map(len, PLACEHOLDERS))

LONGEST = 120
"""Characters of an entry; a longer one is worth fewer words."""

KNOWN_FIELDS = frozenset(("tags", "src", "seen"))
BULLET = re.compile(r"([ \t]*[-*+][ \t]+)(?:\[([0-9]{1,9})[xX]\][ \t]*)?(.*)", re.DOTALL)
_USED = re.compile(r"\s*\(used:?\s*([0-9]{1,9})\s*x?\)$", re.IGNORECASE)
_ODD_COUNT = re.compile(r"\[\s*(?:[xX×]\s*([0-9]{1,9})|([0-9]{1,9})\s*[xX×])\s*\](?=\s)")
_ODD_BULLET = re.compile(r"(\d{1,9}[.)]|[•·‣–—])[ \t]+")


class Meta(NamedTuple):
    """What the trailing comment says."""

    tags: tuple[str, ...] = ()
    source: str = ""
    seen: str = ""
    other: tuple[tuple[str, str], ...] = ()
    """Fields that memtend does not know, kept."""


NO_META = Meta()


class Item(NamedTuple):
    """One learning or preference.

    `raw` holds its lines as they stand in the file, `()` for one that is new or changed. `times` is None where the
    line has none. `detail` is what is nested under it: lines without the first indentation.
    """

    text: str
    times: int | None = None
    meta: Meta = NO_META
    detail: str = ""
    raw: tuple[str, ...] = ()
    is_stray: bool = False
    """A line of text without a bullet."""
    is_wrapped: bool = False
    """Its text runs over several lines."""
    indent: int = 0
    """Blanks before its bullet when it is written anew."""

    def changed(self, **values: object) -> "Item":
        """The item with other values, to be written anew."""
        return self._replace(raw=(), **values)  # type: ignore[arg-type]

    @property
    def full_text(self) -> str:
        """The text with what is nested under it."""
        return f"{self.text}\n{self.detail}" if self.detail else self.text


@lru_cache(maxsize=1 << 14)  # a store reads a file before and after a change, and most lines stay
def parse(line: str, counted: bool) -> Item | None:
    """The item that a line is; None for a placeholder or a bullet without text. `counted`: learnings have counts."""
    digits: str | None
    is_stray = False
    close = line.find("x] ", 4, 16) if counted and line.startswith("- [") else -1
    if close > 0 and line[3:close].isdigit() and line.isascii():  # nearly every line; the pattern says the same
        digits, text = line[3:close], line[close + 3 :]
    else:
        digits, text, is_stray = _taken_apart(line, counted)
    if text.endswith(("-->", " ", "\t")):
        text, meta = _split_meta(text)
    else:
        meta = NO_META
    count = int(digits) if digits else None
    if counted and count is None and text.rstrip().endswith(")") and (used := _USED.search(text.rstrip())):
        text, count = text[: used.start()], int(used[1])
    if "  " in text or not text.isprintable() or text[:1] == " " or text[-1:] == " ":
        text = collapsed(text)
    if len(text) <= _LONGEST_PLACEHOLDER and (not text or text.lower() in PLACEHOLDERS):
        return None
    return _new(Item, (text, count, meta, "", (line,), is_stray, False, 0))


_new = tuple.__new__


def _taken_apart(line: str, counted: bool) -> tuple[str | None, str, bool]:
    """The digits of a count, the text, and whether the line is a stray one, without a bullet."""
    found = BULLET.match(line)
    if found is None:
        return None, line, True
    if counted:
        return found[2], found[3], False
    return None, line[found.end(1) :], False


def _split_meta(text: str) -> tuple[str, Meta]:
    """The text and its metadata."""
    if "-->" not in text[-8:]:
        return text, NO_META
    before, _, inner = text.rstrip().rpartition("<!--")
    meta = _meta(inner[:-3]) if inner.endswith("-->") else None
    return (text, NO_META) if meta is None else (before.rstrip(), meta)


@lru_cache(maxsize=1 << 12)
def _meta(inner: str) -> Meta | None:
    """The fields of a comment; None where it is no metadata."""
    if not inner.strip():
        return NO_META
    fields: dict[str, str] = {}
    for part in inner.split("|"):
        key, colon, value = part.partition(":")
        key = key.strip().lower()
        if not colon or not key.replace("-", "_").isidentifier():
            return None
        fields[key] = collapsed(value)
    if fields.keys().isdisjoint(KNOWN_FIELDS):
        return None
    tags, source, seen = fields.pop("tags", ""), fields.pop("src", ""), fields.pop("seen", "")
    return Meta(tag_names(tags) if tags else (), source, seen, tuple(fields.items()))


def tag_names(value: str) -> tuple[str, ...]:
    """Tags from one text: parted by commas, without brackets, quotes and `#`, each once."""
    found = (collapsed(part).strip("[]\"'").lstrip("#").strip() for part in value.split(","))
    return tuple(dict.fromkeys(tag for tag in found if tag))


def render(item: Item, counted: bool, plain: bool = False) -> tuple[str, ...]:
    """The lines of an item: its own ones while it is unchanged, else one line in canonical form and the nested ones."""
    if item.raw:
        return item.raw
    count = f"[{item.times or 0}x] " if counted else ""
    margin = " " * item.indent
    first = f"{margin}- {count}{item.text}"
    comment = "" if plain else _rendered_meta(item.meta)
    if not comment and (item.text.endswith("-->") and _split_meta(item.text)[0] != item.text):
        if plain:
            raise Refused("the text ends like a metadata comment", hint="Write it without the comment at its end.")
        comment = "<!-- -->"  # ends the text, so that what looks like metadata is read as text
    nested = tuple(f"{margin}  {line}".rstrip() for line in item.detail.split("\n")) if item.detail else ()
    return (f"{first} {comment}" if comment else first, *nested)


def indent_of(line: str) -> int:
    """The blanks that a line begins with; a tab goes to the next multiple of four."""
    if line[:1] not in " \t":
        return 0
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip(" "))


def indented(item: Item, indent: int) -> Item:
    """The item with another indentation."""
    if not item.raw:
        return item._replace(indent=indent)
    old = indent_of(item.raw[0])
    if old == indent:
        return item
    return item._replace(
        raw=tuple(" " * indent + line.expandtabs(4)[old:] if line.strip() else line for line in item.raw)
    )


def _rendered_meta(meta: Meta) -> str:
    fields = [("tags", ", ".join(meta.tags)), ("src", meta.source), ("seen", meta.seen), *meta.other]
    inner = " | ".join(f"{key}: {value}" for key, value in fields if value)
    return f"<!-- {inner} -->" if inner else ""


def checked_meta(meta: Meta) -> Meta:
    """The metadata in the form in which it can be read back. Raises Refused for what would break the comment."""
    values = [*meta.tags, meta.source, meta.seen, *(value for _, value in meta.other)]
    bad = [
        value for value in values if any(sign in value for sign in ("|", "-->", "<!--")) or collapsed(value) != value
    ]
    bad += [tag for tag in meta.tags if tag_names(tag) != (tag,)]
    if bad:
        raise Refused(
            f"{bad[0]!r} cannot stand in a metadata comment",
            hint="Tags have no comma, '|', brackets, quotes or '#'.",
        )
    return meta


def odd_count(text: str) -> tuple[int, str] | None:
    """The count that a text begins with in another spelling (`[ 2x ]`, `[x3]`), with the rest; None where none does."""
    found = _ODD_COUNT.match(text)
    if found is None:
        return None
    return int(found[1] or found[2]), text[found.end() :].strip()


def without_odd_bullet(text: str) -> str:
    """A stray line's text without the sign that was meant as a bullet (`1.`, `•`)."""
    return _ODD_BULLET.sub("", text, count=1) if _ODD_BULLET.match(text) else text
