"""Which memories a list is asked for."""

import pytest

from memtend.memory import Digest, Memory, MemoryId, Place
from memtend.workspace.listing import is_of


def memory(**more: object) -> Memory:
    values = {"topic": "Python/HTTP", "category": "TECHNIQUE", "tags": ("b", "A", "c"), **more}
    return Memory(id=MemoryId("MEM-x"), place=Place("10-Memories/MEM-x.md"), digest=Digest("0"), title="X", **values)  # type: ignore[arg-type]


@pytest.mark.parametrize("topic", ["", "python", "python/http", "/Python/", " PYTHON/http/ "])
def test_a_topic_is_asked_for_by_itself_or_by_one_above_it(topic: str) -> None:
    assert is_of(memory(), topic=topic)


@pytest.mark.parametrize("topic", ["pyth", "python/htt", "python/http/retry", "http"])
def test_a_part_of_a_name_is_no_topic(topic: str) -> None:
    assert not is_of(memory(), topic=topic)


@pytest.mark.parametrize("tags", [(), ("a",), ("#B", "a"), ("C", "b", "A")])
def test_o_fm_08_tags_are_names_without_regard_to_case_or_sign(tags: tuple[str, ...]) -> None:
    assert is_of(memory(), tags=tags, category="technique")


@pytest.mark.parametrize("tags", [("ab",), ("a", "d"), ("",)])
def test_o_fm_08_all_tags_that_are_asked_for_must_be_there(tags: tuple[str, ...]) -> None:
    assert not is_of(memory(), tags=tags)
    assert not is_of(memory(), category="CONFIG")
