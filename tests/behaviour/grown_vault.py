"""A vault that has grown for a year: healthy memories, and among them planted ones that each mode must find.

Everything follows from the seed. `Grown` names what was planted.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

NOW = "2026-08-30T12:00:00Z"
_CONSONANTS = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z"]
_VOWELS = ["a", "e", "i", "o", "u"]


@dataclass
class Grown:
    """What lies in the vault, by id."""

    stale: set[str] = field(default_factory=set)
    """Never retrieved for half a year."""
    pairs: set[frozenset[str]] = field(default_factory=set)
    """Duplicates by keywords, within a cluster."""
    conflicts: dict[frozenset[str], str] = field(default_factory=dict)
    """Of the pairs, those whose texts contradict each other, and in what."""
    texts: set[frozenset[str]] = field(default_factory=set)
    """Near-duplicate texts without keywords in common."""
    long: set[str] = field(default_factory=set)
    unrefined: dict[str, set[str]] = field(default_factory=dict)
    """By id: what tier 1 mends."""
    due: set[str] = field(default_factory=set)
    """Retired long enough for gc."""
    resting: set[str] = field(default_factory=set)
    """Retired, but not long enough."""
    total: int = 0


class Planter:
    """Writes memories into a vault's folder."""

    def __init__(self, root: Path, seed: int = 7) -> None:
        self._folder = root / "10-Memories"
        self._folder.mkdir(parents=True)
        self._random = random.Random(seed)
        self._number = 0
        self.grown = Grown()

    def word(self) -> str:
        """A word that no other memory has."""
        self._number += 1
        number, letters = self._number, ""
        while number:
            number, digit = divmod(number, len(_CONSONANTS) * len(_VOWELS))
            letters += _CONSONANTS[digit % len(_CONSONANTS)] + _VOWELS[digit // len(_CONSONANTS)]
        return letters + self._random.choice(_CONSONANTS)

    def words(self, count: int) -> list[str]:
        """Some words that no other memory has."""
        return [self.word() for _ in range(count)]

    def sentence(self, words: list[str]) -> str:
        """A sentence about some words, in words of its own."""
        return f"The {words[0]} of {words[1]} goes through {' '.join(words[2:])} before {self.word()}."

    def text(self, sentences: int, size: int = 8) -> str:
        """Paragraphs of sentences."""
        said = [self.sentence(self.words(size)) for _ in range(sentences)]
        return "\n\n".join(" ".join(said[at : at + 4]) for at in range(0, len(said), 4))

    def memory(self, id: str, text: str | None = None, **fields: object) -> str:
        """Write one memory; healthy unless the fields say otherwise."""
        keywords = self.words(5)
        values: dict[str, object] = {
            "title": " ".join(self.words(3)).capitalize(),
            "created": "2026-03-01",
            "tags": "[TECHNIQUE]",
            "topic": f"area{self._random.randrange(20)}/{self.word()}",
            "source": "made up",
            "modified": "2026-03-01",
            "keywords": f"[{', '.join(keywords)}]",
            "summary": " ".join(self.words(6)).capitalize(),
            "retrieval_count": 3,
            "last_retrieved": "2026-08-20",
            **fields,
        }
        head = "\n".join(f"{key}: {value}" for key, value in values.items() if value is not None)
        body = text if text is not None else self.text(self._random.randrange(2, 6))
        path = self._folder / f"{id}.md"
        path.write_text(f"---\n{head}\n---\n# {values['title']}\n\n{body}\n", encoding="utf-8", newline="\n")
        self.grown.total += 1
        return id


def grow(root: Path, total: int = 2000) -> Grown:
    """Make the vault."""
    planter = Planter(root)
    _plant_stale(planter)
    _plant_pairs(planter)
    _plant_conflicts(planter)
    _plant_near_texts(planter)
    _plant_long(planter)
    _plant_unrefined(planter)
    _plant_retired(planter)
    while planter.grown.total < total:
        links = f"\n\n## Connections\n\n- [[MEM-plain-{planter.grown.total // 2}]]"
        planter.memory(f"MEM-plain-{planter.grown.total}", planter.text(3) + links)
    return planter.grown


def _plant_stale(planter: Planter) -> None:
    for number in range(40):
        planter.grown.stale.add(
            planter.memory(f"MEM-stale-{number}", created="2026-01-10", retrieval_count=0, last_retrieved=None)
        )
    for number in range(10):  # used once, long ago, and too young to count as proven
        planter.grown.stale.add(
            planter.memory(f"MEM-idle-{number}", created="2026-07-10", retrieval_count=1, last_retrieved="2025-10-01")
        )


def _plant_pairs(planter: Planter) -> None:
    for number in range(30):
        shared, topic = planter.words(3 if number % 2 else 4), f"twin{number % 6}/{planter.word()}"
        ids = [f"MEM-twin-{number}-{letter}" for letter in "ab"]
        for id in ids:
            own = planter.words(2 if number % 2 else 1)
            planter.memory(id, topic=topic, keywords=f"[{', '.join(shared + own)}]")
        planter.grown.pairs.add(frozenset(ids))
    for number in range(5):  # chains: a is like b, b is like c
        one, other = planter.words(3), planter.words(3)
        topic = f"chain{number}"
        planter.memory(f"MEM-chain-{number}-a", topic=topic, keywords=f"[{', '.join(one)}]")
        planter.memory(f"MEM-chain-{number}-b", topic=topic, keywords=f"[{', '.join(one + other)}]")
        planter.memory(f"MEM-chain-{number}-c", topic=topic, keywords=f"[{', '.join(other)}]")
        planter.grown.pairs |= {
            frozenset((f"MEM-chain-{number}-{x}", f"MEM-chain-{number}-{y}")) for x, y in ("ab", "bc")
        }


_CONTRASTS = {
    "number": ("The timeout of {0} is 30 seconds.", "The timeout of {0} is 45 seconds."),
    "version": ("The {0} worker needs Python 3.11.", "The {0} worker needs Python 3.12."),
    "negation": ("We allow force-push on the {0} branch.", "We do not allow force-push on the {0} branch."),
    "opposite": ("The {0} flag is enabled by default.", "The {0} flag is disabled by default."),
}


def _plant_conflicts(planter: Planter) -> None:
    for number, (kind, contrast) in enumerate(list(_CONTRASTS.items()) * 3):
        keywords, topic = ", ".join(planter.words(4)), f"feud{number}"
        name, rest = planter.word(), planter.text(4)
        ids = [f"MEM-feud-{number}-{letter}" for letter in "ab"]
        for id, sentence in zip(ids, contrast, strict=True):
            planter.memory(id, f"{sentence.format(name)} {rest}", topic=topic, keywords=f"[{keywords}]")
        planter.grown.pairs.add(frozenset(ids))
        planter.grown.conflicts[frozenset(ids)] = kind


def _plant_near_texts(planter: Planter) -> None:
    for number in range(12):
        words = planter.text(8).split(" ")
        ids = [f"MEM-echo-{number}-{letter}" for letter in "ab"]
        for id in ids:
            changed = list(words)
            for place in range(7, len(changed), 30):
                changed[place] = planter.word()
            planter.memory(id, " ".join(changed))
        planter.grown.texts.add(frozenset(ids))


def _plant_long(planter: Planter) -> None:
    code = "\n\n```python\ndef keep(me):\n    return me\n```\n\n"
    for number in range(15):
        text = planter.text(45, 12) + code + planter.text(15, 12)
        planter.grown.long.add(planter.memory(f"MEM-long-{number}", text))


def _plant_unrefined(planter: Planter) -> None:
    for number in range(10):
        word, rest = planter.word(), ", ".join(planter.words(4))
        id = planter.memory(f"MEM-double-{number}", keywords=f"[{word}, {rest}, {word.upper()}]")
        planter.grown.unrefined[id] = {"keyword_dedup"}
        id = planter.memory(f"MEM-silent-{number}", summary='""')
        planter.grown.unrefined[id] = {"summary_gen"}
        id = planter.memory(f"MEM-shouting-{number}", topic=f"/Area{number}//{planter.word().upper()}/")
        planter.grown.unrefined[id] = {"topic_normalize"}


def _plant_retired(planter: Planter) -> None:
    for number in range(8):
        for name, day, ids in (
            ("due", "2026-08-20", planter.grown.due),
            ("resting", "2026-08-28", planter.grown.resting),
        ):
            ids.add(
                planter.memory(f"MEM-{name}-{number}", status="tombstoned", tombstoned_at=day, tombstone_reason="purge")
            )


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but memtend's own."""
    return dict(_files(folder))


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".memtend" not in path.parts:
            yield path.relative_to(folder).as_posix(), path.read_bytes()
