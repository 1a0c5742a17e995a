"""Searching a role: the score, what is found, and what a search proves."""

import pytest
from a_role import ARole, a_role

from memtend.layouts.role.score import Query

FIRST = """\
# Learnings (High Priority)
- [4x] Use guard clauses early

# Learnings (Normal)
- [1x] Caches need a version in their key
- [1x] A guardian watches the queue

# Learnings (New)
- [0x] 使用缓存优先，再查数据库

# Preferences: Code
- Use guard clauses, no nested ifs

# Events
## [2026-04-17] Guard clauses were adopted
"""
WAITING = """\
- [○] [auto] guard clauses read better
  id: aaaaaaaaaa
  created: 2026-06-29

- [✗] [auto] guard clauses are slow
  id: bbbbbbbbbb
  created: 2026-06-29
"""


def filled(role: ARole) -> ARole:
    role.put(FIRST)
    role.put(WAITING, "memory/pending.md")
    return role


@pytest.mark.parametrize(
    ("query", "text", "value"),
    [
        ("guard clauses", "guard clauses", 1.0),
        ("guard clauses", "Use guard clauses", 0.5 + 0.3 * 2 / 3 + 0.2),
        ("Guard  Clauses", "use GUARD clauses", 0.5 + 0.3 * 2 / 3 + 0.2),
        ("clauses guard", "guard clauses", 0.3 + 0.2),
        ("guard clauses", "guard the clauses", 0.3 * 2 / 3 + 0.2),
        ("guard rails", "guard clauses", 0.3 / 3 + 0.2 / 2),
        ("guard", "guardian", 0.0),
        ("ard", "guard", 0.0),
        ("缓存", "使用缓存", 0.5 + 0.3 / 3 + 0.2),
        ("C++", "Use C++ here", 0.5 + 0.3 / 3 + 0.2),
        ("", "anything", 0.0),
        ("   ", "anything", 0.0),
        ("!!!", "wow !!! there", 0.5),
    ],
)
def test_the_score_is_phrase_and_words_in_common(query: str, text: str, value: float) -> None:
    assert Query(query).score(text).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("query", "text"), [("the", "in the house"), ("a", "plan a"), ("!!!", "wow !!!"), ("use", "use it")]
)
def test_a_word_that_says_nothing_proves_nothing(query: str, text: str) -> None:
    assert Query(query).score(text).value >= 0.5
    assert not Query(query).score(text).is_proof


def test_meaning_lifts_a_hit_but_proves_nothing() -> None:
    assert Query("car").score("automobile", 0.97) == (0.49, False)
    assert Query("guard clauses").score("Use guard clauses", 0.97).is_proof
    assert Query("guard rails").score("guard clauses", 0.4) == (0.4, False)


def test_hits_have_id_kind_score_count_and_text_best_first() -> None:
    with a_role() as role:
        found = filled(role).search("guard clauses", reinforce=False)
        assert [(hit.kind, hit.times, hit.text) for hit in found.hits] == [
            ("learning", 4, "Use guard clauses early"),
            ("pending", 0, "guard clauses read better"),
            ("event", 0, "Guard clauses were adopted"),
            ("preference", 0, "Use guard clauses, no nested ifs"),
        ]
        assert found.to_json()["hits"][0] == {
            "id": "a3448e3ee9",
            "kind": "learning",
            "score": 0.85,
            "count": 4,
            "text": "Use guard clauses early",
            "category": "",
            "state": "",
        }
        assert [hit.text for hit in role.search("guard clauses", 1, reinforce=False).hits] == [
            "Use guard clauses early"
        ]


def test_a_search_that_only_looks_writes_nothing() -> None:
    with a_role() as role:
        before = filled(role).tree()
        role.search("guard clauses", reinforce=False)
        role.search("nothing like that")
        assert role.tree() == before
        assert not role.log()


def test_the_hits_alone_are_reinforced_and_promoted() -> None:
    with a_role() as role:
        found = filled(role).search("guard clauses", limit=2)
        assert [(one.text, one.times) for one in found.reinforced] == [("Use guard clauses early", 5)]
        assert [(one.text, one.kind) for one in found.promoted] == [("guard clauses read better", "learning")]
        assert role.lines() == [
            "- [5x] Use guard clauses early <!-- seen: 2026-06-30 -->",
            "- [1x] Caches need a version in their key",
            "- [1x] A guardian watches the queue",
            "- [0x] guard clauses read better <!-- src: auto | seen: 2026-06-30 -->",
            "- [0x] 使用缓存优先，再查数据库",
            "- Use guard clauses, no nested ifs",
        ]
        assert "- [✓] [auto] guard clauses read better\n  id: aaaaaaaaaa\n" in role.text("memory/pending.md")
        assert len(role.log()) == 1


def test_a_hit_that_the_limit_cut_off_is_not_reinforced() -> None:
    with a_role() as role:
        found = filled(role).search("guard clauses", limit=1)
        assert (len(found.reinforced), len(found.promoted)) == (1, 0)
        assert "- [○] [auto] guard clauses read better" in role.lines("memory/pending.md")


def test_weak_hits_prove_nothing() -> None:
    with a_role() as role:
        before = filled(role).tree()
        assert role.search("guard the version of a thing").hits
        assert role.tree() == before


def test_an_entry_counts_once_a_session() -> None:
    with a_role(session="s1") as role:
        filled(role).search("guard clauses")
        assert not role.search("Use guard clauses early").reinforced
        assert not role.again(session="s1").search("guard clauses").reinforced
        assert [one.times for one in role.again(session="s2").search("guard clauses early").reinforced] == [6]


def test_what_was_promoted_does_not_count_in_the_same_session() -> None:
    with a_role(session="s1") as role:
        filled(role).search("guard clauses")
        assert not role.search("guard clauses read better").reinforced
        assert role.again(session="s2").search("guard clauses read better").reinforced


def test_a_caller_without_a_session_is_one_session() -> None:
    with a_role() as role:
        filled(role).search("guard clauses")
        assert not role.search("guard clauses").reinforced
        assert role.again().search("guard clauses").reinforced


def test_a_search_in_two_steps_counts_in_the_second() -> None:
    with a_role() as role:
        found = filled(role).search("guard clauses", reinforce=False)
        assert role.use(found).reinforced
        assert not role.use(found).reinforced


def test_an_embedder_finds_but_does_not_reinforce() -> None:
    with a_role(similarity=lambda query, texts: [0.9 if "queue" in text else 0.0 for text in texts]) as role:
        found = filled(role).search("sentinel")
        assert [(hit.text, hit.score) for hit in found.hits] == [("A guardian watches the queue", 0.49)]
        assert not found.reinforced


def test_han_is_found_by_its_pairs() -> None:
    with a_role() as role:
        assert [one.times for one in filled(role).search("缓存优先").reinforced] == [1]
