"""Queries are plain text: what is there is found, what is not is not, and the answer says how it was found."""

import math
import random
from pathlib import Path
from unicodedata import normalize

import pytest
from small_vault import Vault

from memtend.errors import Usage
from memtend.search import question
from memtend.search.candidates import LEXICAL
from memtend.search.rank import ALL_WORDS, ANY_WORD, EXACT, LITERAL, NOTHING, find, search
from memtend.search.scope import Scope
from memtend.search.snippet import snippet
from memtend.search.words import Entries, count_tokens, units


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    return Vault(tmp_path / "vault")


def ids(vault: Vault, query: str, limit: int = 5) -> list[str]:
    return [hit.id for hit in search(vault.index(), query, limit).hits]


_PLAIN = [
    "multi-agent", "foo.bar_baz()", "@example", "don't", "C++", "c#", "50%", '"', "*", "^x", "{a}", "a,b", "why?",
    'x"y', "title:x", "-agents", "AND", "NOT agents", "a OR", "NEAR(", '""', '"   "', "20.04", "[br]", "a=b", "x\\y",
    "<x>", "\u0000", "''", ";", "--", "(", "a\tb", "x'y", "%", "_", "\\", "/", "words : *", "café", "🚀", "…", "«x»",
    "℅", "⩴", "a ℀ b", "㏂",
]  # fmt: skip


@pytest.mark.parametrize("query", _PLAIN)
def test_o_se_01_no_character_is_syntax_and_the_text_that_holds_it_is_found(vault: Vault, query: str) -> None:
    for number in range(15):
        vault.note(f"MEM-{number:02}", f"Nothing of that kind stands here, entry number{number}")
    vault.note("MEM-it", f"In this one stands {query} between others")
    assert "MEM-it" in ids(vault, query)


def test_o_se_01_every_character_can_be_asked_for_whatever_it_stands_for(vault: Vault) -> None:
    vault.note("MEM-it", "The pump leaks.")
    index = vault.index()
    written = ((chr(code), normalize("NFKC", chr(code))) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    odd = [character for character, meant in written if len(meant) > 1 and not meant.isalnum()]
    assert len(odd) > 300
    for at in range(0, len(odd), 20):
        search(index, "pump " + " ".join(odd[at : at + 20]))
        search(index, "".join(odd[at : at + 20]))


@pytest.mark.parametrize("query", ["", " ", "\n\t  "])
def test_o_se_01_an_empty_query_is_an_error_with_a_hint(vault: Vault, query: str) -> None:
    with pytest.raises(Usage, match="the query is empty") as caught:
        search(vault.index(), query)
    assert "memtend list" in caught.value.hint


def test_o_se_02_a_name_is_found_whole_in_part_and_in_any_spelling(vault: Vault) -> None:
    vault.note("MEM-2", "the json writer must be atomic")
    vault.note("MEM-1", "call atomic_write_json before exit")
    for query in ("atomic_write_json", "atomic_write", "write_json", "ATOMIC_WRITE_JSON", "atomicWriteJson"):
        assert ids(vault, query)[0] == "MEM-1", query
    assert ids(vault, "atomic write json") == ["MEM-1", "MEM-2"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("the HTTPServer class", "http server"), ("the HTTPServer class", "httpserver"), ("our e-mail rules", "email"),
        ("our email rules", "e-mail"), ("PostgreSQL 15", "postgresql"), ("python3 only", "python"),
        ("two URLs are", "url"), ("see src/app/main.py", "main.py"), ("it quarantined files", "quarantining"),
        ("std::vector is", "std::vector"), ("the worker's budget", "worker"), ("node.js there", "nodejs"),
    ],
)  # fmt: skip
def test_spellings_of_one_word_find_each_other(vault: Vault, text: str, query: str) -> None:
    vault.note("MEM-other", "something else entirely")
    vault.note("MEM-it", text)
    assert ids(vault, query) == ["MEM-it"]


def test_c_plus_plus_is_not_c_and_a_version_is_not_a_year(vault: Vault) -> None:
    vault.note("MEM-c", "Extensions in C for speed, since 2004.")
    vault.note("MEM-cpp", "Extensions in C++ for speed, on 20.04.")
    assert ids(vault, "C++") == ["MEM-cpp"]
    assert ids(vault, "2004") == ["MEM-c"]
    assert ids(vault, "20.04")[0] == "MEM-cpp"


@pytest.mark.parametrize("query", ["召回", "关键词", "效果", "词", "好", "BBTool", "说明"])
def test_o_se_03_words_inside_running_text_are_found(vault: Vault, query: str) -> None:
    vault.note("MEM-other", "数据库连接池的大小")
    vault.note("MEM-it", "中文关键词召回效果不好。BBTool 下载说明")
    assert ids(vault, query) == ["MEM-it"]


def test_o_se_03_a_run_that_occurs_nowhere_does_not_void_a_mixed_query(vault: Vault) -> None:
    vault.note("MEM-it", "中文关键词召回效果不好。BBTool 下载说明")
    whole = search(vault.index(), "BBTool 下载").hits[0]
    mixed = search(vault.index(), "BBTool 视频下载").hits[0]
    assert (mixed.id, mixed.mode) == ("MEM-it", ANY_WORD)
    assert mixed.score < whole.score


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("アイウの手順", "ｱｲｳ"), ("ｱｲｳの手順", "アイウ"), ("ガイド", "ｶﾞｲﾄﾞ"),
        ("서울에서 배포했다", "서울"), ("ภาษาไทยเขียนติดกัน", "ไทย"), ("naïve", "NAÏVE"), ("İstanbul", "istanbul"),
        ("ＡＰＩ の設定", "api"), ("café résumé", "cafe resume"), ("cafe", "café"), ("Straße", "STRASSE"),
        ("ЁЛКА в лесу", "елка"), ("हिन्दी में लिखा", "हिन्दी"), ("ship it 🚀", "🚀"),
    ],
)  # fmt: skip
def test_o_se_03_width_case_and_accents_make_no_difference(vault: Vault, text: str, query: str) -> None:
    vault.note("MEM-other", "something else entirely")
    vault.note("MEM-it", text)
    assert ids(vault, query) == ["MEM-it"]


_WORKER = "Retry budget of the ingest worker is 3 attempts; then the file is quarantined."


_NOUNS = "server table index worker budget log cache queue place report option page user branch review"
_VERBS = "holds keeps needs uses reads checks changes starts stops sends takes gives"


def _filled(vault: Vault, count: int = 200) -> Vault:
    """A vault of short English memories."""
    rng = random.Random(7)
    nouns = _NOUNS.split()
    verbs = _VERBS.split()
    for number in range(count):
        first, second, third = rng.sample(nouns, 3)
        text = f"The {first} {rng.choice(verbs)} the {second} in it, or on the {third}; do not use it for that."
        vault.note(f"MEM-{number:03}", text, {"title": f"The {first} and the {third}"})
    return vault


@pytest.mark.parametrize("filled", [0, 200])
@pytest.mark.parametrize(
    ("query", "mode"),
    [
        ("why does the ingest worker give up on a file?", ANY_WORD),
        ("ingest worker quarantine", ALL_WORDS),
        ("how many times do we try again before quarantining", ANY_WORD),
    ],
)
def test_o_se_04_a_plain_question_finds_and_the_answer_says_how(
    vault: Vault, filled: int, query: str, mode: str
) -> None:
    _filled(vault, filled).note("MEM-worker", _WORKER, {"title": "Ingest retries"})
    answer = search(vault.index(), query, 3)
    assert "MEM-worker" in [hit.id for hit in answer.hits]
    assert [hit.mode for hit in answer.hits if hit.id == "MEM-worker"] == [mode]


def test_o_se_05_nothing_relevant_is_an_empty_answer_that_says_so(vault: Vault) -> None:
    answer = search(_filled(vault).index(), "favourite diving places in Antarctica")
    assert (answer.hits, answer.mode) == ((), NOTHING)


@pytest.mark.parametrize("query", ["to be or not to be", "do not use it", "the", "in", "or on the"])
def test_o_se_05_fillers_that_stand_everywhere_find_nothing(vault: Vault, query: str) -> None:
    assert search(_filled(vault).index(), query, 500).hits == ()


def test_o_se_05_a_title_of_fillers_is_found_by_it(vault: Vault) -> None:
    _filled(vault).note("MEM-hamlet", "A question of names.", {"title": "To be, or not to be"})
    index = vault.index()
    answer = search(index, "to be or not to be")
    assert ([hit.id for hit in answer.hits], answer.mode) == (["MEM-hamlet"], EXACT)
    assert [(hit.id, hit.mode) for hit in search(index, "or not to").hits] == [("MEM-hamlet", LITERAL)]


def test_o_se_05_rare_fillers_in_a_text_are_found_as_they_are_written(vault: Vault) -> None:
    _filled(vault).note("MEM-yours", "That is up to you, as before.")
    answer = search(vault.index(), "Up to you")
    assert [(hit.id, hit.mode) for hit in answer.hits] == [("MEM-yours", LITERAL)]


def test_o_se_06_retired_memories_never_appear_and_the_limit_counts_live_ones(vault: Vault) -> None:
    for number in range(5):
        vault.note(f"MEM-{number}", "shared word", status="active" if number > 2 else "tombstoned")
    index = vault.index()
    assert [hit.id for hit in search(index, "shared", 2).hits] == ["MEM-3", "MEM-4"]
    assert "MEM-1" not in [hit.id for hit in search(index, "MEM-1").hits]
    every = search(index, "shared", 9, Scope(include_retired=True)).hits
    assert {hit.id: hit.status for hit in every}["MEM-1"] == "tombstoned"
    assert len(every) == 5


def test_o_se_06_a_hit_whose_file_went_since_the_last_look_is_dropped(vault: Vault) -> None:
    for number in range(3):
        vault.note(f"MEM-{number}", "shared word", {"title": "Shared"})
    index = vault.index()
    (vault.folder / "MEM-0.md").unlink()
    assert [hit.id for hit in search(index, "shared", 2).hits] == ["MEM-1", "MEM-2"]


def test_what_is_named_exactly_comes_first(vault: Vault) -> None:
    vault.note("MEM-pool", "The pool size is 30.", {"title": "Pool size"})
    vault.note("MEM-many", "pool size pool size pool size", {"title": "Pool size, pool size and MEM-pool"})
    index = vault.index()
    for query in ("MEM-pool", "mem-pool", "[[MEM-pool]]", "MEM-pool.md", "pool size", "Pool size?"):
        first = search(index, query).hits[0]
        assert (first.id, first.mode, first.score) == ("MEM-pool", EXACT, 1.0), query


def test_title_and_keywords_weigh_more_than_a_word_in_passing(vault: Vault) -> None:
    vault.note("MEM-passing", "Deploys wait for the vacuum to end, among other things that take long.")
    vault.note("MEM-title", "How tables are kept small.", {"title": "Vacuum settings"})
    vault.note("MEM-keyword", "How tables are kept small.", keywords="vacuum, bloat")
    assert ids(vault, "vacuum")[-1] == "MEM-passing"


def test_a_word_in_most_memories_does_not_hide_a_rare_one(vault: Vault) -> None:
    for number in range(300):
        vault.note(f"MEM-{number:03}", "postgres postgres postgres settings", {"title": "Postgres settings"})
    vault.note(
        "MEM-rare", "A long note about many things, of which one is the autovacuum of postgres. " + "More. " * 80
    )
    assert ids(vault, "postgres autovacuum")[0] == "MEM-rare"
    assert len(ids(vault, "postgres")) == 5


def test_scores_are_shares_that_their_parts_add_up_to(vault: Vault) -> None:
    _filled(vault).note("MEM-worker", _WORKER)
    for query in ("ingest worker", "worker budget report", "queue", "MEM-worker", _WORKER, "quarantined"):
        for hit in find(vault.index(), query, 20, least_odds=-math.inf).hits:
            assert 0.0 <= hit.score <= 1.0
            assert hit.score == pytest.approx(min(1.0, sum(value * weight for _, value, weight in hit.parts)))
        assert search(vault.index(), query, 20).hits


def test_equal_memories_come_in_the_order_of_their_ids_however_many_there_are(vault: Vault) -> None:
    for number in sorted(range(60), key=lambda number: number * 7 % 60):
        vault.note(f"MEM-{number:02}", "just the same text", {"title": "Same"})
        if number % 13 == 0:
            vault.index()
    assert ids(vault, "same text", 4) == ["MEM-00", "MEM-01", "MEM-02", "MEM-03"]


def test_a_high_limit_gives_every_hit(vault: Vault) -> None:
    for number in range(700):
        vault.note(f"MEM-{number:03}", "shared word")
    assert len(ids(vault, "shared word", 100_000)) == 700


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        (Scope(topic="python"), ["MEM-a", "MEM-b"]),
        (Scope(topic="PYTHON/libs/"), ["MEM-b"]),
        (Scope(topic="pyth"), []),
        (Scope(topic="%"), []),
        (Scope(category="config"), ["MEM-a", "MEM-c"]),
        (Scope(tags=["X"]), ["MEM-a", "MEM-b"]),
        (Scope(tags=["x", "ÿ z"]), ["MEM-b"]),
        (Scope(topic="python", category="CONFIG", tags=["x"]), ["MEM-a"]),
    ],
)
def test_a_scope_keeps_to_a_topic_a_category_and_tags(vault: Vault, scope: Scope, found: list[str]) -> None:
    vault.note("MEM-a", "shared", topic="Python", category="CONFIG", tags="x, y")
    vault.note("MEM-b", "shared", topic="python/libs", category="INSIGHT", tags="x, Ÿ z")
    vault.note("MEM-c", "shared", topic="pythonic", category="Config", tags="xy")
    assert sorted(hit.id for hit in search(vault.index(), "shared", 5, scope).hits) == found


def test_a_query_from_broken_bytes_is_a_query(vault: Vault) -> None:
    vault.note("MEM-a", "zebra")
    assert ids(vault, "zebra \udcff") == ["MEM-a"]


def test_a_whole_document_is_a_query(vault: Vault) -> None:
    _filled(vault).note("MEM-worker", _WORKER, {"title": "Ingest retries"})
    text = f"{_WORKER} " * 300 + " ".join(f"unknown{number}" for number in range(3000))
    assert ids(vault, text)[0] == "MEM-worker"


# Snippets


def test_a_snippet_shows_the_place_that_answers_as_it_was_written(vault: Vault) -> None:
    filler = "Nothing to see in this sentence. " * 30
    vault.note("MEM-a", f"{filler}\n\nThe RetryBudget is\n3 attempts, Café hours only. {filler}")
    [hit] = search(vault.index(), "retry budget attempts").hits
    assert "The RetryBudget is 3 attempts, Café hours only." in hit.snippet
    assert hit.snippet.startswith("…") and hit.snippet.endswith("…")
    assert len(hit.snippet) <= 202


@pytest.mark.parametrize("text", ["", "short", "word " * 100, "x" * 500, "词" * 500, "e\u0301" * 400, "a b" * 200])
def test_a_snippet_is_one_line_of_the_text_and_never_too_long(text: str) -> None:
    shown = snippet(text, ["word", "词"])
    assert len(shown) <= 202 and "\n" not in shown
    assert shown.strip("…") in " ".join(text.split())


def test_a_snippet_of_a_text_in_another_script_shows_the_word(vault: Vault) -> None:
    vault.note("MEM-a", "数据库" * 200 + "召回效果" + "连接池" * 200)
    assert "召回" in search(vault.index(), "召回").hits[0].snippet


# The tokeniser


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The APIs of HTTPServer", "apis http server httpserver"),
        ("it's don't I'd worker's", "worker workers"),
        ("v1.2.3", "v1 2 3 v1.2.3 v1.2 2.3"),
        ("C++, C# and F#", "c c++ c c# f f#"),
        ("中文 a 词", "中文 文 词 词"),
        ("საბაზო გეგმა", "საბაზო გეგმა"),
        ("① ½ ㎏", "1 1 2 1.2 kg"),
        ("", ""),
        ("!?", ""),
    ],
)
def test_the_words_of_a_text(text: str, words: str) -> None:
    assert Entries().words(text) == words


def test_a_question_asks_for_each_unit_once() -> None:
    assert [unit.key for unit in units("the Pool, pool and `pool_size`")] == [
        (("pool",), ""),
        (("pool", "size"), "poolsize"),
    ]


def test_an_estimate_counts_words_and_characters_of_unspaced_scripts() -> None:
    assert count_tokens("ten words " * 5) == 13
    assert count_tokens("中文关键词召回") >= 7
    assert count_tokens("") == 0


def test_words_that_stand_close_count_more_than_the_same_far_apart(vault: Vault) -> None:
    apart = " ".join(f"filler{number}" for number in range(80))
    vault.note("MEM-apart", f"The relay is old. {apart} A timeout is short.")
    vault.note("MEM-close", f"{apart} The relay has a timeout. It is old and short.")
    assert ids(vault, "relay timeout") == ["MEM-close", "MEM-apart"]


@pytest.mark.parametrize(
    ("query", "is_answered"),
    [
        ("How long do backups of the primary stay?", True),
        ("how old may a saved copy get", True),
        ("primary backups", True),
        ("How are backups copied to Azure with Velero?", False),
        ("Which Helm chart holds the primary?", False),
        ("pg_upgrade --link of the primary", False),
    ],
)
def test_what_is_named_and_nowhere_told_is_answered_with_nothing(vault: Vault, query: str, is_answered: bool) -> None:
    vault.note("MEM-backup", "Backups of the primary are kept for thirty days.", {"title": "Backups"})
    for number, text in enumerate(("The kitchen serves soup.", "Letters leave through the relay.", "Logs go to disk.")):
        vault.note(f"MEM-{number}", text)
    assert bool(ids(vault, query)) == is_answered


def test_of_words_that_thousands_have_each_still_counts(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question, "_MOST_WEIGHED", 30)
    for number in range(120):
        word = ("lamp", "door", "roof")[number % 3]
        vault.note(f"MEM-{number:03}x", f"The {word} is old. " + f"Said {word} and no more. " * 3)
    vault.note("MEM-two", "The lamp at the door is old.")
    assert ids(vault, "lamp door")[0] == "MEM-two"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("logout everywhere", "A person may log out on all devices at once."),
        ("healthcheck", "The health check of the gateway takes a second."),
        ("setup", "What it takes to set up a relay."),
    ],
)
def test_a_compound_that_no_memory_has_finds_the_two_words_it_is_made_of(vault: Vault, query: str, text: str) -> None:
    vault.note("MEM-two", text)
    vault.note("MEM-other", "The car stands before the house, and the pet sleeps.")
    assert [hit.id for hit in search(vault.index(), query, 5, method=LEXICAL).hits] == ["MEM-two"]


def test_two_words_that_never_stand_together_make_no_compound(vault: Vault) -> None:
    vault.note("MEM-other", "The car stands before the house, and the pet sleeps.")
    assert search(vault.index(), "carpet", 5, method=LEXICAL).hits == ()


@pytest.mark.parametrize("word", ["測定", "измерение", "μέτρηση", "Messung", "ölçüm"])
def test_a_word_of_another_tongue_is_no_name_that_is_missing(vault: Vault, word: str) -> None:
    vault.note("MEM-retry", "The parcel client retries with full jitter.", {"title": "Parcel retries"})
    assert ids(vault, f"How does the parcel client retry? Say why and {word.lower()}") == ["MEM-retry"]
