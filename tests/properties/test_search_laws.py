"""Laws of search, recall and usage, tried on random texts of many scripts."""

import math
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtend.errors import Usage
from memtend.layouts import Decoded
from memtend.memory import Memory, MemoryId, Place, digest_of
from memtend.search import usage
from memtend.search.candidates import LEXICAL
from memtend.search.disk import scan
from memtend.search.index import Index
from memtend.search.rank import ALL_WORDS, EXACT, find
from memtend.search.recall import recall
from memtend.search.words import Entries, fold, plain, units

FEW = settings(max_examples=60, deadline=None)

_SPELLINGS = (
    "the of not pool Pool worker workers café naïve e-mail foo.bar_baz() atomicWriteJson HTTPServer C++ c# 20.04 v1.2"
    ' don\'t x"y @a #b 50% a=b <x> [br] -agents AND NEAR( " * \\ _ ¼ ﬁx 中文关键词 召回 词 アイウ ｱｲｳ 서울에서 ไทย'
    " हिन्दी 🚀 👩\u200d💻 …"
)
_WORDS = st.sampled_from(_SPELLINGS.split(" "))
_ANY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\x1f"), max_size=12)
TEXTS = st.lists(st.one_of(_WORDS, _WORDS, _ANY), min_size=1, max_size=14).map(" ".join)


def _decode(path: str, data: bytes) -> Decoded:
    title, _, text = data.decode().partition("\n")
    id = MemoryId(path.removeprefix("m/").removesuffix(".md"))
    return Decoded((Memory(id=id, place=Place(path), digest=digest_of(data), title=title, content=text),))


@contextmanager
def _store() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "m").mkdir()
        yield Path(root)


def _write(root: Path, texts: Mapping[str, str]) -> None:
    for id, text in texts.items():
        (root / "m" / f"{id}.md").write_text(f"{id} by name\n{text}", encoding="utf-8", newline="\n")


def _refreshed(root: Path, index: Index | None = None) -> Index:
    index = index or Index(str(root / "index.db"), str(root))
    index.refresh(lambda: scan(str(root), ["m"]), _decode)
    return index


def _named(texts: list[str]) -> dict[str, str]:
    return {f"note{number}": text for number, text in enumerate(texts)}


@FEW
@given(st.lists(TEXTS, min_size=1, max_size=6))
@example(["call atomic_write_json before exit", "the json writer must be atomic"])
@example(["\x00 the", "a\x00b", "\u0301# \u0301++ \uff9e \u3164"])
@example(["* * *", "ﬁx ¼ e\u0301 \u0301 \u200d", "ǰΐ İ ß ſ K Å", "ﷺ ㍿ ㌔"])
def test_o_se_02_every_token_of_every_document_finds_it(texts: list[str]) -> None:
    with _store() as root:
        _write(root, _named(texts))
        index = _refreshed(root)
        for id, text in _named(texts).items():
            for token in dict.fromkeys(text.split()):
                assert id in [hit.id for hit in find(index, token, 100).hits], token
        index.close()


@FEW
@given(st.lists(TEXTS, max_size=4), st.text(max_size=60))
@example([], "\udcff \x00 \" OR NEAR( ) * : ^ { } - ' words MATCH")
def test_o_se_01_any_text_is_a_query(texts: list[str], query: str) -> None:
    with _store() as root:
        _write(root, _named(texts))
        index = _refreshed(root)
        try:
            hits = find(index, query, 100, least_odds=-math.inf).hits
        except Usage:
            assert not query.strip()
        else:
            assert all(0.0 <= hit.score <= 1.0 for hit in hits)
            assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        index.close()


@FEW
@given(st.lists(st.tuples(st.integers(0, 4), st.none() | TEXTS), min_size=1, max_size=8), TEXTS.filter(str.strip))
def test_the_way_to_a_state_does_not_change_the_answer(steps: list[tuple[int, str | None]], query: str) -> None:
    with _store() as root:
        index = _refreshed(root)
        for number, text in steps:
            if text is None:
                (root / "m" / f"note{number}.md").unlink(missing_ok=True)
            else:
                _write(root, {f"note{number}": text})
            _refreshed(root, index)
        at_once = Index(str(root / "other.db"), str(root))
        _refreshed(root, at_once)
        answers = [
            [(hit.id, hit.score, hit.mode, hit.parts) for hit in find(each, query, 20, least_odds=-math.inf).hits]
            for each in (index, at_once)
        ]
        assert answers[0] == answers[1]
        index.close()
        at_once.close()


@FEW
@given(
    st.lists(TEXTS, min_size=1, max_size=5), st.lists(_WORDS, min_size=1, max_size=3).map(" ".join), st.integers(1, 9)
)
def test_an_unrelated_memory_never_removes_an_answer(texts: list[str], query: str, count: int) -> None:
    with _store() as root:
        _write(root, _named(texts))
        index = _refreshed(root)
        before = [hit.id for hit in find(index, query, 100, method=LEXICAL).hits if hit.mode in (ALL_WORDS, EXACT)]
        _write(root, {f"zzz{number}": f"qqq{number} jjj" for number in range(count)})
        after = [hit.id for hit in find(_refreshed(root, index), query, 100, method=LEXICAL).hits]
        assert set(before) <= set(after)
        assert not any(id.startswith("zzz") for id in after if before)
        index.close()


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_words_are_folded_and_hold_nothing_that_full_text_search_takes_for_syntax(text: str) -> None:
    words = Entries().words(text).split(" ")
    assert all(not set(word) & set('"*()^:- \t\n\0') for word in words)
    assert all(not ("A" <= letter <= "Z") for word in words for letter in word)
    asked = {word for unit in units(text) for word in (*unit.words, unit.whole) if word}
    starts = {word for word in asked if len(word) == 1}
    assert asked - starts <= set(words)
    assert all(any(word.startswith(start) for word in words) for start in starts)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40))
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert plain(plain(text)) == plain(text)


_ORDERS = st.sampled_from(
    ["</memory-context>", "<memory-context>", "~~~~", "~~~~~~~", "< / Memory\u200b-Context>", "[2] x"]
)


@FEW
@given(
    st.lists(st.one_of(_ORDERS, _WORDS, _ANY), max_size=12), st.sampled_from([" ", "\n", "\n\n"]), st.integers(1, 200)
)
def test_o_pv_02_no_text_leaves_its_frame(pieces: list[str], border: str, budget: int) -> None:
    text = border.join(["zebra crossing", *pieces])
    with _store() as root:
        _write(root, {"note": text, "other": "something else"})
        index = _refreshed(root)
        context = recall(index, "zebra crossing", budget_tokens=budget).context
        index.close()
    assert context.startswith("<memory-context>\n") and context.endswith("\n</memory-context>\n")
    assert context.casefold().count("memory-context>") - context.casefold().count("&lt;memory-context>") == 2 + (
        context.casefold().count("&lt;/memory-context>")
    )
    lines = context.split("\n")
    fence = lines[5]
    assert len(fence) >= 4 and set(fence) == {"~"}
    assert sum(fence in line for line in lines) == 2


@FEW
@given(st.lists(st.one_of(st.just("fold"), st.lists(st.sampled_from("abc"), max_size=3)), max_size=12))
def test_usage_is_what_was_handed_out_whenever_it_is_folded(steps: list[str | list[str]]) -> None:
    files: dict[str, tuple[int, str]] = {"a": (2, ""), "b": (0, "2026-01-01")}
    expected = {"a": 2, "b": 0}
    with tempfile.TemporaryDirectory() as folder:
        for number, step in enumerate(steps):
            if isinstance(step, str):
                files.update(usage.fold(folder, files))
            else:
                usage.append(folder, step, f"2026-06-30T12:00:{number:02}Z")
                for id in step:
                    expected[id] = expected.get(id, 0) + 1
            found = usage.totals(folder, files)
            assert {id: times for id, (times, _) in found.items() if times or id in files} == expected
