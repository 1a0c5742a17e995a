"""New memories from the vault's template, which is the user's to change (vault spec, 2.4).

A placeholder is `{{name}}`. In the frontmatter every key that is ours gets the memory's value, whatever the
template says there; keys of the user's stay, with their placeholders filled in. In the body, content, History and
Connections become the memory's. What the user wrote around `{{content}}` reaches new memories through `framed`, so
that the change that a person confirms already says what the file will.

Placeholders are filled in one pass and literally: text that looks like a placeholder stays text.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from memtend import frontmatter
from memtend.body import fit
from memtend.errors import Refused
from memtend.frontmatter import Frontmatter, Raw, Value
from memtend.layouts.vault.decode import as_utf8, count_tokens, texts_of
from memtend.layouts.vault.keys import ORDER, Keys, all_keys, in_order
from memtend.layouts.vault.parts import Texts, split, unbroken
from memtend.layouts.vault.paths import TEMPLATE
from memtend.layouts.vault.regions import retold
from memtend.markdown import newline_of
from memtend.memory import Memory

BUILT_IN = b"""\
---
title: "{{title}}"
created: {{date}}
tags: {{tags}}
topic: "{{topic}}"
source: "{{source}}"
modified: {{last_updated}}
keywords: []
summary: ""
retrieval_count: 0
last_retrieved: null
token_count: 0
---

# {{title}}

{{content}}

## Connections
<!-- Links to related memories, one a line: - [[file-name]] -->
"""
"""The template of a new vault, and of one that has none."""

_PLACEHOLDER = re.compile(r"\{\{[^{}\r\n]*\}\}")
_LIST_KEY = re.compile(r"^((?:tags|keywords):[ \t]+)(x+\d+z)(?=[ \t]*\r?$)", re.MULTILINE)
"""A list's key with a placeholder for all of it: a list on one line unless the template says otherwise."""


class _Draft(NamedTuple):
    """A template with its body filled in; in its block every placeholder is a plain word."""

    data: bytes
    stand_ins: Mapping[str, str]
    """What each of those words stands for."""
    matter: Frontmatter
    texts: Texts
    """What the parts of the body say."""


def filled(memory: Memory, template: bytes | None) -> bytes:
    """The file of a new memory. Raises Refused where the template's frontmatter cannot be used."""
    draft = _draft(memory, template)
    new = Texts(memory.content, memory.history, memory.connections, memory.trailing)
    parts = split(draft.data, draft.matter.body_start, memory.title)
    data = retold(draft.data, parts, draft.texts, new, memory.title)
    keys: Keys = {**in_order(all_keys(memory, draft.matter)), **_own_keys(draft)}
    data = frontmatter.edit(data, keys, after=ORDER)
    matter = frontmatter.read(data)
    front, body = data[: matter.body_start].decode(), data[matter.body_start :]
    front = _filled(front, {word: unbroken(text) for word, text in draft.stand_ins.items()})
    return _counted(front.encode() + body, memory.title)


def framed(memory: Memory, template: bytes | None) -> Memory:
    """A memory to be created, with what the template says around its content and in its other parts.

    The built-in template adds nothing; neither does one that has no place for the content.
    """
    texts = _draft(memory, template).texts
    if memory.content not in texts.content:
        return memory
    return replace(
        memory,
        content=fit(texts.content),
        history=_both(memory.history, texts.history),
        connections=_both(texts.connections, memory.connections),
        trailing=_both(texts.trailing, memory.trailing),
    )


def _both(one: str, other: str) -> str:
    return "\n\n".join(filter(None, (one, other)))


def _draft(memory: Memory, template: bytes | None) -> _Draft:
    data, text, _ = as_utf8(template if template and template.strip() else BUILT_IN)
    newline = newline_of(data).decode()
    text, words = _with_words(text)
    values = _values(memory)
    stand_ins = {word: values.get(mark.strip("{} \t"), mark) for word, mark in words.items()}
    data = _LIST_KEY.sub(r"\1[\2]", text, count=2).encode()
    matter = frontmatter.read(data)
    if matter.is_broken:
        fault = matter.problems[0]
        raise Refused(
            f"the template cannot be used: line {fault.line}: {fault.message}",
            hint=f"Mend {TEMPLATE}, or delete it to use the built-in one.",
        )
    front, body = data[: matter.body_start], data[matter.body_start :].decode()
    lines = {word: unbroken(text) for word, text in stand_ins.items()}
    lines |= {word: memory.content.replace("\n", newline) for word, mark in words.items() if "content" in mark}
    data = front + _filled(body, lines).encode()
    return _Draft(data, stand_ins, matter, texts_of(data, split(data, matter.body_start, memory.title)))


def _values(memory: Memory) -> dict[str, str]:
    """The text for each placeholder (vault spec, 2.4)."""
    return {
        "title": memory.title,
        "date": memory.created,
        "tags": ", ".join(memory.tags),
        "topic": memory.topic,
        "source": memory.source,
        "last_updated": memory.modified,
        "content": memory.content,
    }


def _with_words(text: str) -> tuple[str, dict[str, str]]:
    """The template with a plain word for each placeholder, so that its block is YAML, and what each stands for."""
    prefix = "x"
    while prefix in text:
        prefix += "x"
    words: dict[str, str] = {}

    def word(found: re.Match[str]) -> str:
        return words.setdefault(found[0], f"{prefix}{len(words)}z")

    text = _PLACEHOLDER.sub(word, text)
    return text, {word: mark for mark, word in words.items()}


def _filled(text: str, stand_ins: Mapping[str, str]) -> str:
    """The text with each word replaced by what it stands for, in one pass."""
    if not stand_ins:
        return text
    return re.sub("|".join(stand_ins), lambda found: stand_ins[found[0]], text)


def _own_keys(draft: _Draft) -> Keys:
    """The user's own keys that have placeholders, filled in."""
    keys: Keys = {}
    for key, value in draft.matter.values.items():
        new = _with_texts(value, draft.stand_ins)
        if key not in ORDER and new != value:
            keys[key] = new
    return keys


def _with_texts(value: Value, stand_ins: Mapping[str, str]) -> Value:
    if isinstance(value, tuple):
        return tuple(_filled(item, stand_ins) for item in value)
    return value if value is None or isinstance(value, Raw) else _filled(value, stand_ins)


def _counted(data: bytes, title: str) -> bytes:
    parts = split(data, frontmatter.read(data).body_start, title)
    return frontmatter.edit(data, {"token_count": str(count_tokens(data, data.decode(), parts))}, after=ORDER)
