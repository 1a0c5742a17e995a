"""The case files of this folder: what is there before, what is done, what is there after.

A case is a heading with three fences of four tildes: `before`, `do`, and `after` or `refused`. The words behind
`do` are the verbs of `DOING`, one a line; each takes the bytes of the one before it.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memtend.errors import Refused
from memtend.frontmatter import REMOVE, Remove, Value, edit, names, read
from memtend.markdown import blocks, list_items, relink, sections, shift_headings, wiki_links

NEWLINE = b"\n"
HERE = Path(__file__).parent
FENCE = "~~~~"


def cases() -> list[tuple[str, dict[str, str]]]:
    """Every case with the texts of its fences by name."""
    return [case for path in sorted(HERE.glob("*.md")) for case in cases_in(path)]


def cases_in(path: Path) -> list[tuple[str, dict[str, str]]]:
    found: list[tuple[str, dict[str, str]]] = []
    name = ""
    for line in path.read_text("utf-8").splitlines(keepends=True):
        if line.startswith(FENCE):
            name = line.removeprefix(FENCE).strip()
            if name:
                found[-1][1][name] = ""
        elif name:
            found[-1][1][name] += line
        elif line.startswith("## "):
            found.append((f"{path.stem}: {line[3:].strip()}", {}))
    return found


CASES = cases()


def value_of(text: str) -> Value:
    value = json.loads(text)
    return tuple(value) if isinstance(value, list) else value


def set_key(data: bytes, words: str) -> bytes:
    key, _, text = words.partition(" = ")
    return edit(data, {key: value_of(text)})


def remove_key(data: bytes, words: str) -> bytes:
    gone: dict[str, Value | Remove] = dict.fromkeys(words.split(), REMOVE)
    return edit(data, gone)


def relink_to(data: bytes, words: str) -> bytes:
    old, new = words.split()
    return relink(data, old, new, read(data).body_start)


def shift(data: bytes, words: str) -> bytes:
    return shift_headings(data.decode(), int(words)).encode()


def show_values(data: bytes, _: str) -> bytes:
    front = read(data)
    lines = [f"{front.lines[key]}: {key} = {json.dumps(value)}" for key, value in front.values.items()]
    lines += [f"{fault.line}:{fault.column}: {fault.code}" for fault in front.problems]
    return "".join(f"{line}\n" for line in lines).encode()


def show_names(data: bytes, key: str) -> bytes:
    return "".join(f"{name}\n" for name in names(read(data).values[key])).encode()


def show_sections(data: bytes, _: str) -> bytes:
    found = sections(data, read(data).body_start)
    lines = [f"{s.line}-{data[: s.end].rstrip().count(NEWLINE) + 1}: {'#' * s.level} {s.title}" for s in found]
    return "".join(f"{line.rstrip()}\n" for line in lines).encode()


def show_blocks(data: bytes, _: str) -> bytes:
    found = blocks(data, read(data).body_start)
    return "".join(f"{block.line}: {block.kind} {block.language}".rstrip() + "\n" for block in found).encode()


def show_links(data: bytes, _: str) -> bytes:
    found = wiki_links(data, read(data).body_start)
    return "".join(f"{'!' * link.embed}{link.target} | {link.part} | {link.alias}\n" for link in found).encode()


def show_items(data: bytes, _: str) -> bytes:
    lines = [f"{'  ' * i.depth}{i.marker} {data[slice(*i.text_span)].decode()!r}" for i in list_items(data)]
    return "".join(f"{line}\n" for line in lines).encode()


DOING: dict[str, Callable[[bytes, str], bytes]] = {
    "set": set_key,
    "remove": remove_key,
    "relink": relink_to,
    "shift": shift,
    "values": show_values,
    "names": show_names,
    "sections": show_sections,
    "blocks": show_blocks,
    "links": show_links,
    "items": show_items,
}


def done(data: bytes, steps: str) -> bytes:
    for step in steps.splitlines():
        verb, _, words = step.partition(" ")
        data = DOING[verb](data, words)
    return data


@pytest.mark.parametrize("fences", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_case(fences: dict[str, str]) -> None:
    before = fences["before"].encode()
    if "refused" not in fences:
        assert done(before, fences["do"]).decode() == fences["after"]
        return
    with pytest.raises(Refused) as refusal:
        done(before, fences["do"])
    assert refusal.value.message == fences["refused"].strip()


def test_every_verb_has_a_case() -> None:
    used = {line.split(" ")[0] for _, fences in CASES for line in fences["do"].splitlines()}
    assert used == set(DOING)
