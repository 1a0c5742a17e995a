"""Memories that say nearly the same in nearly the same words: found by MinHash, then verified.

Two texts are alike where they share runs of three words. A text's MinHash signature is cut into bands; texts that
agree in a band are looked at. What that finds is only a candidate: `verified` compares the texts themselves, and
says in what they contradict each other, since texts that differ in a number or a "not" are near-duplicates by any
measure and must never be taken for one.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from memtend.review import ConflictKind
from memtend.text import conflict, similarity, words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Hashes = npt.NDArray[np.uint64]

NEAR = 0.85
"""Text similarity from which two texts say nearly the same: up to about a word in ten differs."""
SAME = 0.999
"""Text similarity of copies: they differ at most in case, spacing and punctuation."""

SHINGLE_WORDS = 3
BANDS = 42
ROWS = 3
"""Hashes a band. With 42 bands of 3, texts of which half the runs agree (a word in ten differs) are found in 99.6
of 100 cases, those of which one in a hundred does in 4 of 100,000."""
_SEED = 20
METHOD = f"minhash {SHINGLE_WORDS} {BANDS} {ROWS} {_SEED}"
"""What a kept signature depends on."""

_CROWD = 16
"""Texts in one band up to which each is compared with each; of more, with the first and its neighbours."""


class Likeness(NamedTuple):
    """How two texts compare."""

    similarity: float
    """0 to 1."""
    conflict: ConflictKind | None
    """In what they contradict each other, where they are otherwise alike."""


def likeness(one: str, other: str) -> Likeness:
    """How two texts compare. Milliseconds for long ones: for candidates, not for everyone."""
    difference = conflict(one, other)
    return Likeness(similarity(one, other), ConflictKind(difference.kind) if difference else None)


def signatures(texts: Iterable[str]) -> list[bytes]:
    """What near texts agree in parts of; empty for a text without words.

    Eight bytes that are the same for texts of the same words only, then four a band.
    """
    import numpy as np

    listed = [words(text) for text in texts]
    counts = [max(0, len(found) - SHINGLE_WORDS) + 1 if found else 0 for found in listed]
    if not any(counts):
        return [b""] * len(listed)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.uint64)
    bands = _bands(np.concatenate([_shingles(found) for found in listed if found]), offsets)
    whole = [blake2b("\x1f".join(found).encode("utf-8", "replace"), digest_size=8).digest() for found in listed]
    return [own + band.tobytes() if count else b"" for own, band, count in zip(whole, bands, counts, strict=True)]


def _shingles(found: list[str]) -> "Hashes":
    """A hash for every run of three words; one for all of a shorter text."""
    import numpy as np

    hashes = np.array([_hash(word) for word in found], dtype=np.uint64)
    size = min(SHINGLE_WORDS, len(hashes))
    mixed = np.zeros(len(hashes) - size + 1, dtype=np.uint64)
    for place in range(size):
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + hashes[place : len(hashes) - size + 1 + place]
        mixed ^= mixed >> np.uint64(29)
    return mixed


@lru_cache(maxsize=65536)
def _hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def _bands(shingles: "Hashes", offsets: "Hashes") -> "npt.NDArray[np.uint32]":
    """The bands of every text: BANDS numbers of 32 bits."""
    import numpy as np
    from rensa import RMinHash  # type: ignore[import-untyped]

    matrix = RMinHash.digest_matrix_from_flat_token_hashes(shingles, offsets, BANDS * ROWS, _SEED)
    digests = np.array(matrix.to_rows(), dtype=np.uint64).reshape(-1, BANDS, ROWS)
    mixed = np.zeros(digests.shape[:2], dtype=np.uint64)
    for place in range(ROWS):
        mixed = (mixed ^ digests[:, :, place]) * np.uint64(0xC2B2AE3D27D4EB4F)
        mixed ^= mixed >> np.uint64(31)
    return (mixed & np.uint64(0xFFFFFFFF)).astype(np.uint32)


def candidates(found: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pairs of texts (by their place, the smaller first) that agree in a band, for verification.

    Texts of the same words are paired with the first of them alone, so many copies of one text stay few pairs.
    """
    first: dict[bytes, int] = {}
    copies: set[tuple[int, int]] = set()
    for place, signature in enumerate(found):
        if signature and (other := first.setdefault(signature[:8], place)) != place:
            copies.add((other, place))
    return sorted(copies.union(_meeting(found, sorted(first.values()))))


def _meeting(found: Sequence[bytes], places: Sequence[int]) -> set[tuple[int, int]]:
    """The pairs of those texts that agree in at least one band."""
    import numpy as np

    if len(places) < 2:
        return set()
    bands = np.frombuffer(b"".join(found[place][8:] for place in places), dtype=np.uint32).reshape(-1, BANDS)
    pairs: set[tuple[int, int]] = set()
    own = np.arange(len(places), dtype=np.uint64)
    for band in range(BANDS):
        keyed = np.sort((bands[:, band].astype(np.uint64) << np.uint64(32)) | own)
        keys = keyed >> np.uint64(32)
        same = np.flatnonzero(keys[1:] == keys[:-1])
        order = (keyed & np.uint64(0xFFFFFFFF)).astype(np.int64)
        for members in _runs(order, same):
            pairs.update((places[one], places[other]) for one, other in _within(members))
    return pairs


def _runs(order: "Ints", same: "Ints") -> Iterable[list[int]]:
    """Neighbours in an order that are the same, as lists; `same` are the places whose next one is."""
    members: list[int] = []
    last = -2
    for place in same.tolist():
        if place != last + 1 and members:
            yield members
            members = []
        members = members or [int(order[place])]
        members.append(int(order[place + 1]))
        last = place
    if members:
        yield members


def _within(members: list[int]) -> Iterable[tuple[int, int]]:
    """Pairs within one band, the smaller first."""
    members = sorted(members)
    for at, one in enumerate(members):
        others = members[at + 1 :] if len(members) <= _CROWD else members[at + 1 : at + 4]
        yield from ((one, other) for other in others)
        if len(members) > _CROWD and at:
            yield members[0], one


class Near(NamedTuple):
    """Two texts that say nearly the same, by their places, and how they compare."""

    first: int
    second: int
    likeness: Likeness


def verified(pairs: Iterable[tuple[int, int]], compare: Callable[[int, int], Likeness]) -> list[Near]:
    """Those candidates whose texts are really near, contradictions among them; `compare` looks at two texts."""
    found = (Near(one, other, compare(one, other)) for one, other in pairs)
    return [near for near in found if near.likeness.similarity >= NEAR]
