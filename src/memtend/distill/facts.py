"""What of a text must not get lost when it is shortened: names, numbers, paths, links."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtend.markdown import wiki_links
from memtend.text import fold
from memtend.text.tokens import tokens

_CODE = re.compile(
    r"(?<!`)`(?!`)((?:[^`\n]|\n(?!\s*\n)){1,200}?)`(?!`)"
    r"|(?<!`)``(?!`)((?:(?![.!?]\s)[^\n]|\n(?!\s*\n)){1,120}?)(?<!`)``(?!`)"
)
"""Code within a sentence. Between two pairs of accents with the end of a sentence in it, it is a quotation."""
_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s<>\"'`]+", re.IGNORECASE)
_TARGET = re.compile(r"\]\(\s*<?([^)\s>]+)")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]{2}")
_NAME = re.compile(r"[_\\@#$~+:]|\(\)|^--?\w|^[/.]")
_DOTTED = re.compile(r"\w{2}\.\w|\w\.\w{2}")


class Facts(NamedTuple):
    """What a text names, folded so that the same thing written twice is one."""

    numbers: frozenset[str]
    """Words with a digit in them: they need the sentence around them."""
    links: frozenset[str]
    """Where links and addresses lead."""
    names: frozenset[str]
    """Identifiers, paths, flags and what stands as code: they can stand in a list."""

    def __or__(self, other: "Facts") -> "Facts":
        return Facts(self.numbers | other.numbers, self.links | other.links, self.names | other.names)

    def __sub__(self, other: "Facts") -> "Facts":
        return Facts(self.numbers - other.numbers, self.links - other.links, self.names - other.names)

    def __bool__(self) -> bool:
        return any(self[place] for place in range(3))

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.numbers) + len(self.links) + len(self.names)


NONE = Facts(frozenset(), frozenset(), frozenset())


def facts(text: str) -> Facts:
    """What a text names."""
    links = {fold(link) for link in _links(text)}
    code = {_one_line(single or double) for single, double in _CODE.findall(text)}
    numbers: set[str] = set()
    names = {fold(span) for span in code}
    for token in tokens(_URL.sub(" ", text)):
        if any(char.isdigit() for char in token):
            numbers.add(fold(token))
        elif is_name(token):
            names.add(fold(token))
    return Facts(frozenset(numbers), frozenset(links), frozenset(names - links))


def is_name(token: str) -> bool:
    """Whether a word is an identifier, a path or a flag rather than a word of the language."""
    if _NAME.search(token) or _HUMP.search(token) or _DOTTED.search(token):
        return True
    return token.count("/") > 1 or (len(token) > 1 and token.isascii() and token.isupper() and token.isalpha())


def _links(text: str) -> Iterator[str]:
    for link in wiki_links(text.encode("utf-8", "replace")):
        yield f"{link.target}#{link.part}" if link.part else link.target
    for url in _URL.findall(text):
        yield url.rstrip(".,;:!?)]*_")
    yield from _TARGET.findall(text)


def _one_line(text: str) -> str:
    return " ".join(text.split())
