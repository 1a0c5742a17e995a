"""Vectors in four bits a number: as near to each other as they were, and the same with numpy and without."""

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtend.search import vectors
from memtend.search.vectors import Asked, Pool, pack, pack_all

SIZE = 256
seeds = st.integers(0, 2**32)


def some(count: int, seed: int, spread: float = 500) -> list[list[float]]:
    """Vectors as they come from sums of many words: whole numbers, normally distributed."""
    chance = random.Random(seed)
    return [[round(chance.gauss(0, spread)) for _ in range(SIZE)] for _ in range(count)]


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*one) / math.hypot(*other)


@given(seeds, st.sampled_from([0.2, 1, 40, 500, 9000]))
def test_packing_is_the_same_with_numpy_and_without(seed: int, spread: float) -> None:
    numpy = pytest.importorskip("numpy")
    whole = [*some(3, seed, spread), [0] * SIZE]
    assert pack_all(numpy.array(whole, numpy.float64)) == list(map(pack, whole))


@given(seeds)
def test_a_cosine_is_the_same_with_numpy_and_without(seed: int) -> None:
    pytest.importorskip("numpy")
    ours, *others = some(4, seed)
    packed = list(map(pack, others))
    assert Asked(ours).cosines(b"".join(packed)) == pytest.approx(list(map(Asked(ours).cosine, packed)), abs=1e-6)


@given(seeds)
def test_a_cosine_is_nearly_that_of_the_vectors_themselves(seed: int) -> None:
    ours, theirs = some(2, seed)
    mixed = [a + b for a, b in zip(ours, theirs, strict=True)]
    for other in (theirs, mixed, ours):
        assert Asked(ours).cosine(pack(other)) == pytest.approx(cosine(ours, other), abs=0.08)


@given(seeds)
def test_the_likely_ones_are_the_same_with_numpy_and_without_and_hold_the_nearest(seed: int) -> None:
    pytest.importorskip("numpy")
    own = some(12, seed)
    target = [a + b / 2 for a, b in zip(own[9], own[2], strict=True)]
    rows = [(n, pack(own[2 * n]) + pack(own[2 * n + 1])) for n in range(6)]
    slow, fast = (Pool(rows, SIZE // 2, is_large) for is_large in (False, True))
    asked = Asked(target)
    for count in (1, 5, 100):
        assert slow.nearest(asked, count) == fast.nearest(asked, count)
    assert slow.nearest(asked, 1) == [(4, SIZE // 2)]


@given(st.dictionaries(st.integers(-3, 40), st.integers(0, 4), max_size=20), st.lists(st.integers(-5, 45), max_size=12))
def test_a_pool_gives_the_pieces_it_was_made_of_while_it_keeps_them(counts: dict[int, int], asked: list[int]) -> None:
    pytest.importorskip("numpy")
    made = {n: bytes((n + 3, piece) * 4) * piece for n, piece in sorted(counts.items())}
    pool = Pool(made.items(), 8, True)
    found = pool.rows(asked)
    assert found is not None
    assert [row for row in found if row[1]] == [(n, made[n]) for n in asked if made.get(n)]
    assert Pool(made.items(), 8, False).rows(asked) is None


def test_a_pool_of_very_many_pieces_keeps_their_signs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setattr(vectors, "_AT_ONCE", 100)
    monkeypatch.setattr(vectors, "_MOST_KEPT", 500)
    rows = [(n, bytes(range(n, n + 64))) for n in range(30)]
    assert Pool(rows, 8, True).rows([1]) is None
    assert Pool(rows[:6], 8, True).rows([1, 5]) == [rows[1], rows[5]]
    own = Asked([1.0] * 16)
    assert Pool(rows, 8, True).nearest(own, 40) == Pool(rows, 8, False).nearest(own, 40)


def test_an_odd_count_of_numbers_is_packed_too() -> None:
    packed = pack([3.0, -1.0, 2.0])
    assert len(packed) == 2
    assert Asked([3.0, -1.0, 2.0]).cosine(packed) == pytest.approx(1.0, abs=0.2)
    assert Pool([(5, packed)], 2, False).nearest(Asked([1.0, 0.0, 0.0]), 3) == [(5, 0)]


def test_no_direction_gives_no_vector() -> None:
    assert pack([0, 0]) == b""
    assert Asked([0, 0]).cosine(pack([1, 2])) == 0.0
