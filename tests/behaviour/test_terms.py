"""Key terms and overlap (vault spec, 2.1 and 2.2)."""

import pytest

from memtend.text import key_terms, overlap, terms
from memtend.text.keyterms import had, shared_terms

NOTE = """Retries of the Stripe client

Stripe answers 429 when we import too fast. The Stripe client retries by itself, so `max_network_retries` stays at 2.
The queue worker must not retry on top: with Celery's `autoretry_for` a job was charged twice. Set `--concurrency 4`
in settings.py. Error card_declined is never retried.
"""


def test_a_text_has_three_to_five_key_terms() -> None:
    assert 3 <= len(key_terms(NOTE)) <= 5


def test_names_and_identifiers_come_first_in_a_technical_note() -> None:
    assert key_terms(NOTE)[0] == "Stripe"
    assert {"max_network_retries", "Stripe client"} & set(key_terms(NOTE))


@pytest.mark.parametrize(
    "identifier",
    ["foo.bar_baz()", "camelCase", "--dry-run", "main.py", "E0277", "C++", "c#", "std::vector", "src/lib.rs", ".env"],
)
def test_an_identifier_is_a_term_by_itself(identifier: str) -> None:
    found = terms(f"The build broke because {identifier} was changed by somebody last week.")

    assert identifier in found


def test_short_words_are_terms_only_where_they_are_technical() -> None:
    found = terms("The API and git need SQL for a cat on the mat, and a jar of jam.")

    assert {"API", "git", "SQL"} <= set(found)
    assert not {"cat", "mat", "jam"} & set(found)


def test_terms_are_unique_whatever_their_case() -> None:
    found = terms("Redis keeps sessions. The redis cluster is small. REDIS is fast, and redis it stays.")

    assert [term.lower() for term in found].count("redis") == 1


def test_the_more_frequent_of_two_common_words_comes_first() -> None:
    found = terms("The parser reads. A lexer and the parser; the parser, the lexer, one parser.")

    assert found.index("parser") < found.index("lexer")


def test_of_equally_frequent_words_the_proper_noun_comes_first_then_the_technical_one() -> None:
    text = "first line\n\nIt runs with gravel, on HTTP, under Grafana: gravel, HTTP, Grafana."

    found = [term for term in terms(text) if term in ("Grafana", "HTTP", "gravel")]
    assert found == ["Grafana", "HTTP", "gravel"]


def test_numbers_quantities_and_stop_words_are_no_terms() -> None:
    found = terms("In 2024 the 30s timeout of 15 seconds and 3.12 was 10.5 % of the whole, which is why it is.")

    assert not [term for term in found if term[0].isdigit()]
    assert not {"the", "which", "whole"} & set(found)


def test_a_word_is_shown_as_the_text_writes_it_inside_a_sentence() -> None:
    assert "caching" in terms("Caching helps. With caching the page loads at once, without caching it does not.")


def test_in_prose_a_phrase_says_more_than_its_words() -> None:
    abstract = (
        "We describe a greedy algorithm for graph colouring. Graph colouring of sparse networks is hard in the worst "
        "case; our greedy algorithm finds a colouring with few colours, and its running time is linear."
    )

    assert {"greedy algorithm", "graph colouring"} <= {term.lower() for term in key_terms(abstract)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("缓存服务器每晚清空。依赖缓存保留。", "缓存"),
        ("サーバーのキャッシュを毎晩消去する。キャッシュは残る。", "キャッシュ"),
        ("캐시 서버는 매일 밤 캐시를 비웁니다.", "캐시"),
        ("Сервер очищает кэш. Кэш зависимостей остаётся.", "кэш"),
        ("Der Verbindungspool ist leer; der Verbindungspool wartet nicht.", "Verbindungspool"),
        ("Le cache est vide. Sans le cache, les tests durent.", "cache"),
        ("يتم مسح الذاكرة كل ليلة. الذاكرة تبقى.", "الذاكرة"),
    ],
)
def test_terms_are_found_in_any_script_and_language(text: str, expected: str) -> None:
    assert expected.lower() in [term.lower() for term in key_terms(text)]


def test_code_in_a_fence_gives_its_names_and_not_its_keywords() -> None:
    found = terms(
        "Open the pool once.\n\n```python\nasync def startup():\n    pool = create_pool(DSN)\n    return pool\n```\n"
    )

    assert {"create_pool", "DSN"} <= set(found)
    assert not {"def", "return", "async def startup", "```python"} & set(found)


@pytest.mark.parametrize(
    ("text", "expected"), [("", ()), (" \n\t", ()), ("Prefer tabs.", ("prefer", "tabs")), ("🎉", ("🎉",))]
)
def test_a_text_with_hardly_any_words_gives_what_it_has(text: str, expected: tuple[str, ...]) -> None:
    assert key_terms(text) == expected


def test_the_limit_is_kept() -> None:
    assert len(terms(NOTE, 2)) == 2
    assert terms(NOTE, 3) == key_terms(NOTE)[:3]


def test_overlap_is_the_share_of_the_segments_terms() -> None:
    assert overlap(["Redis", "TTL", "cache", "eviction"], ["redis", "ttl"]) == 0.5
    assert overlap([], ["redis"]) == 0.0
    assert overlap(["redis"], []) == 0.0


def test_overlap_ignores_case_and_repeated_terms() -> None:
    assert overlap(["REDIS", "redis", "Kafka"], ["Redis"]) == 0.5


def test_a_phrase_matches_where_all_its_words_are_terms_and_a_word_where_a_phrase_has_it() -> None:
    assert overlap(["pool size"], ["pool", "size"]) == 1.0
    assert overlap(["pool size"], ["pool"]) == 0.0
    assert overlap(["pool"], ["connection pool"]) == 1.0
    assert overlap(["connection_pool"], ["connection pool"]) == 1.0


def test_part_of_a_word_is_no_match() -> None:
    assert overlap(["cat"], ["category"]) == 0.0
    assert overlap(["E027"], ["E0277"]) == 0.0


def test_chinese_terms_match_by_their_pairs() -> None:
    assert overlap(["缓存失效"], ["缓存", "存失", "失效"]) == 1.0
    assert overlap(["缓存失效"], ["缓存"]) == 0.0


def test_shared_terms_are_named_as_the_segment_writes_them() -> None:
    assert shared_terms(["Redis", "Kafka"], had(["kafka", "redis cluster"])) == ["Redis", "Kafka"]
