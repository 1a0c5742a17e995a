"""A text cut into passages: sentences, bullets, and what stays as it is (code, tables, steps)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memtend.distill.facts import Facts, facts
from memtend.markdown import Block, ListItem, blocks, list_items
from memtend.text import count_words, sentences

_VERBATIM = ("code", "table", "html")
_LONG_SENTENCE = 60
"""Words from which a sentence is cut at its clauses, and of one that has none every half of that."""


@dataclass(slots=True)
class Passage:
    """A piece of the text that is kept or dropped as a whole."""

    text: str
    """As it will stand."""
    words: int
    facts: Facts
    is_fixed: bool
    """Kept whatever happens."""
    is_heading: bool = False
    level: int = 0
    """Of a heading."""
    is_prose: bool = False
    """A sentence or bullet, of which some are chosen."""
    rank: float = 0.0
    stems: frozenset[str] = frozenset()
    kept: bool = False


def passages(text: str) -> list[Passage]:
    """The passages of a text in order. Every word of it is in one of them, page rules aside."""
    data = text.encode("utf-8", "surrogatepass")
    found: list[Passage] = []
    listed = blocks(data)
    items = [item for item in list_items(data) if item.depth == 0]
    for place, block in enumerate(listed):
        told = data[block.span.start : block.span.end].decode("utf-8", "surrogatepass").rstrip("\n")
        follows = listed[place + 1].kind if place + 1 < len(listed) else ""
        found.extend(_passages_of(block, told, [item for item in items if _is_in(item, block)], data, follows))
    return found


def _is_in(item: ListItem, block: Block) -> bool:
    return block.kind == "list" and block.span.start <= item.span.start < block.span.end


def _passages_of(block: Block, told: str, items: list[ListItem], data: bytes, follows: str) -> Iterable[Passage]:
    if block.kind == "rule":
        return []
    if block.kind == "heading":
        level = len(told) - len(told.lstrip("#")) or (1 if told.rstrip().endswith("=") else 2)
        return [_passage(told, is_heading=True, level=level)]
    if block.kind in _VERBATIM or _is_definition(told):
        return [_passage(told, is_fixed=True)]
    if block.kind == "list":
        return _items(items, told, data)
    if block.kind == "quote":
        return [_passage(told)]
    return _prose(told, leads=follows in (*_VERBATIM, "list"))


def _items(items: list[ListItem], told: str, data: bytes) -> list[Passage]:
    """The bullets of a list, each with what stands below it; steps in an order stay together."""
    if not items or items[0].marker[0].isdigit():
        return [_passage(told, is_fixed=True)]
    texts = (data[item.span.start : item.span.end].decode("utf-8", "surrogatepass") for item in items)
    return [_passage(text.rstrip()) for text in texts]


def _prose(told: str, *, leads: bool) -> list[Passage]:
    """The sentences of a paragraph as bullets; the one that leads to a code block or a table stays with it."""
    if told.startswith("**") and "**: " in told.partition("\n")[0] and count_words(told) < 30:
        return [_passage(told, is_fixed=True)]
    said = [piece for line in _lines(told) for sentence in _whole(sentences(line)) for piece in _pieces(sentence)]
    return [
        _passage(f"- {_plain_start(sentence)}", is_fixed=leads and place == len(said) - 1 and sentence.endswith(":"))
        for place, sentence in enumerate(said)
    ]


def _lines(told: str) -> list[str]:
    """A paragraph; one that is a list written with dots, as its lines."""
    if "• " not in told:
        return [told]
    return [line.strip().removeprefix("•").strip() for line in told.replace("•", "\n•").split("\n") if line.strip("• ")]


def _whole(said: list[str]) -> Iterator[str]:
    """The sentences, those joined between which a code span or a link would be torn."""
    held = ""
    for sentence in said:
        held = f"{held} {sentence}" if held else sentence
        if held.count("`") % 2 == 0 and held.count("[") == held.count("]"):
            yield held
            held = ""
    if held:
        yield held


def _pieces(sentence: str) -> list[str]:
    """A sentence that does not end in a bearable time, cut at its clauses, else by words."""
    if count_words(sentence) <= _LONG_SENTENCE or "`" in sentence or "[" in sentence:
        return [sentence]
    clauses = [clause.strip() for clause in _CLAUSE.split(sentence) if clause.strip()]
    half = _LONG_SENTENCE // 2
    return [
        " ".join(words[at : at + half])
        for words in (clause.split() for clause in clauses)
        for at in range(0, len(words), half)
    ]


_CLAUSE = re.compile(r"(?<=[,;:])\s+|\s+[–—]\s+")


def _plain_start(sentence: str) -> str:
    """The sentence so that its first characters are no mark of a heading or another list."""
    head = sentence.split(" ", 1)[0]
    is_mark = set(head) <= {"#"} or head in ("-", "*", "+", ">")
    return f"\\{sentence}" if head and is_mark else sentence


def _is_definition(told: str) -> bool:
    return told.startswith("[") and "]: " in told.partition("\n")[0]


def _passage(told: str, *, is_fixed: bool = False, is_heading: bool = False, level: int = 0) -> Passage:
    is_prose = not (is_fixed or is_heading)
    return Passage(told, count_words(told), facts(told), is_fixed, is_heading, level, is_prose)
