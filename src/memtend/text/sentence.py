"""Sentences and first lines of a text that may be Markdown."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_MARKER = re.compile(r"\s*(?:(#{1,6}\s+|\|)|(?:>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)+)")
_RULE = re.compile(r"(?:[-=*_]\s*){3,}$|[|:\s-]+$")
_STOP = re.compile(r"(?<=[.!?…؟।])(?:[\"'”’»)\]*_`]*)\s+(?=[^a-z\s])|(?<=[。！？])")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|z\.\s?B|d\.\s?h|bzw|ca|Dr|Mr|Mrs|Ms|Prof|Nr|Fig|\w)\.$")


def sentences(text: str) -> list[str]:
    """The sentences of a text, Markdown markers left out; list items, table rows and code lines stand alone."""
    return [sentence for paragraph in _paragraphs(text) if paragraph for sentence in _split(paragraph)]


def _paragraphs(text: str) -> Iterator[str]:
    """Lines that belong together, joined, without their markers."""
    held: list[str] = []
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        is_plain = not (fence or mark or _RULE.match(line.strip()) or not line.strip())
        marker = _MARKER.match(line) if is_plain else None
        if held and (marker or not is_plain):
            yield " ".join(held)
            held.clear()
        if marker and marker[1]:
            yield line[marker.end() :].strip("|# \t").strip()
        elif is_plain:
            held.append(line[marker.end() if marker else 0 :].strip())
        elif fence and not line.strip().startswith(fence):
            yield line.strip()
        elif fence or mark:
            fence = "" if fence else (mark[1] if mark else "")
    if held:
        yield " ".join(held)


def _split(paragraph: str) -> Iterator[str]:
    start = 0
    for stop in _STOP.finditer(paragraph):
        if not _ABBREVIATION.search(paragraph[max(start, stop.start() - 12) : stop.start()]):
            yield paragraph[start : stop.end()].strip()
            start = stop.end()
    if rest := paragraph[start:].strip():
        yield rest


def first_line(text: str) -> str:
    """The first line that says something, without Markdown markers; empty where none does."""
    return next((paragraph for line in text.splitlines() for paragraph in _paragraphs(line) if paragraph), "")
