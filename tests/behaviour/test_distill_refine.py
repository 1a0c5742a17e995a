"""Refining: what is mended without asking, what is suggested, and what is left alone."""

from pathlib import Path

import pytest
from distill_case import TODAY, read, run, small
from grown_vault import tree

from memtend.distill.refine import category_of, keywords_once
from memtend.errors import StaleDecision, UnknownMemory
from memtend.review import Action, Decision
from memtend.text import topic_path
from memtend.workspace.distill_plan import Mode

FINE = {"keywords": "[one, two, three, four]", "summary": "Fine", "topic": "a/b"}


def test_tier_one_mends_keywords_summary_and_topic_without_a_question(tmp_path: Path) -> None:
    long = "The first line says what it is about, at such a length that it has to be cut somewhere near its end, see."
    workspace = small(
        tmp_path,
        a={**FINE, "keywords": "[API, api, two, Two, three, four]"},
        b={**FINE, "summary": '""', "text": f"## Part\n\n{long}\n\nMore."},
        c={**FINE, "topic": '"/Python//HTTP/"'},
        d={**FINE},
    )
    done = run(workspace, Mode.AUTO)
    assert read(workspace, "a").keywords == ("API", "two", "three", "four")
    assert read(workspace, "b").summary == "Part"
    assert read(workspace, "c").topic == "python/http"
    assert {entry["id"]: entry["fixes_applied"] for entry in done.affected} == {
        "MEM-a": ["keyword_dedup"], "MEM-b": ["summary_gen"], "MEM-c": ["topic_normalize"]
    }  # fmt: skip
    assert all(entry["action"] == "refined" for entry in done.affected)
    assert read(workspace, "a").modified == TODAY
    assert read(workspace, "d").modified == "", "what is fine is not touched"
    assert done.notes.startswith("auto mode")


def test_a_missing_summary_is_the_first_line_of_at_most_a_hundred_characters(tmp_path: Path) -> None:
    long = "The first line says what it is about, at such a length that it has to be cut somewhere near its end, see."
    workspace = small(tmp_path, a={**FINE, "summary": None, "text": long})
    run(workspace, Mode.AUTO)
    summary = read(workspace, "a").summary
    assert len(summary) <= 100
    assert long.startswith(summary.removesuffix("…"))
    assert summary.endswith("…")


def test_auto_run_twice_changes_nothing_the_second_time(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={**FINE, "topic": "A/B/"})
    run(workspace, Mode.AUTO)
    before = tree(tmp_path)
    again = run(workspace, Mode.AUTO)
    assert again.affected == ()
    assert tree(tmp_path) == before


def test_auto_brings_the_derived_pages_up_to_date(tmp_path: Path) -> None:
    workspace = small(tmp_path, a=FINE)
    run(workspace, Mode.AUTO)
    assert "MEM-a" in (tmp_path / ".memory" / "memory-index.json").read_text()


def test_few_keywords_get_suggestions_from_the_text(tmp_path: Path) -> None:
    text = "The connection pool of Postgres is limited. Each connection pool needs a `pool_timeout`, says pgbouncer."
    workspace = small(tmp_path, a={"keywords": "[Postgres]", "summary": "x", "topic": "db", "text": text})
    (proposal,) = workspace.plan_distill(Mode.REFINE).proposals
    assert proposal.payload["fix"] == "keyword_enrich"
    assert proposal.recommendation.strength == "medium"
    done = run(workspace, Mode.REFINE)
    keywords = read(workspace, "a").keywords
    assert keywords[0] == "Postgres"
    assert len(keywords) > 3
    assert len({word.casefold() for word in keywords}) == len(keywords)
    assert done.affected[0]["fixes_applied"] == ["keyword_enrich"]


def test_a_category_that_does_not_fit_is_suggested_and_weak(tmp_path: Path) -> None:
    text = "Set the environment variable in the config. The default setting enables the option; the flag disables it."
    workspace = small(tmp_path, a={**FINE, "tags": "[INSIGHT, pool]", "text": text})
    (proposal,) = workspace.plan_distill(Mode.REFINE).proposals
    assert (proposal.payload["fix"], proposal.payload["value"]) == ("category_reclassify", "CONFIG")
    assert proposal.recommendation.strength == "weak"
    run(workspace, Mode.REFINE)
    assert (read(workspace, "a").category, read(workspace, "a").tags) == ("CONFIG", ("CONFIG", "pool"))


def test_a_category_of_ones_own_is_left_alone() -> None:
    text = "Set the environment variable in the config. The default setting enables the option; the flag disables it."
    assert category_of(text, "enforcement") == ""
    assert category_of(text, "CONFIG") in ("", "CONFIG")
    assert category_of("Nothing telling.", "INSIGHT") == ""


def test_a_topic_alone_in_its_cluster_is_led_to_its_neighbours(tmp_path: Path) -> None:
    workspace = small(
        tmp_path,
        a={**FINE, "topic": "python/http"}, b={**FINE, "topic": "python/http", "keywords": "[p, q, r, s]"},
        c={**FINE, "topic": "pythons/cli", "keywords": "[t, u, v, w]"},
        d={**FINE, "topic": "http/retries", "keywords": "[x, y, z, x1]"},
        e={**FINE, "topic": "garden", "keywords": "[e, f, g, h]"},
    )  # fmt: skip
    found = {p.payload["id"]: p.payload["value"] for p in workspace.plan_distill(Mode.REFINE).proposals}
    assert found == {"MEM-c": "python/cli", "MEM-d": "python/http/retries"}


def test_tier_two_waits_while_tier_one_is_done(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={**FINE, "topic": "A/B"}, b={**FINE, "keywords": "[x]"})
    plan = workspace.plan_distill(Mode.REFINE)
    done = workspace.apply_distill(plan, [])
    assert [entry["id"] for entry in done.affected] == ["MEM-a"]
    assert read(workspace, "b").keywords == ("x",)


def test_both_tiers_of_one_memory_are_one_change(tmp_path: Path) -> None:
    workspace = small(
        tmp_path, a={"keywords": "[x, X]", "summary": "s", "topic": "T", "text": "Alpha beta gamma delta."}
    )
    plan = workspace.plan_distill(Mode.REFINE)
    done = workspace.apply_distill(plan, [Decision(p.id, Action.REFINE) for p in plan.proposals])
    assert done.affected[0]["fixes_applied"] == ["keyword_dedup", "topic_normalize", "keyword_enrich"]
    assert read(workspace, "a").keywords[0] == "x"
    assert read(workspace, "a").topic == "t"


def test_o_dm_09_a_refined_memory_keeps_all_that_was_not_mended(tmp_path: Path) -> None:
    workspace = small(
        tmp_path,
        a={**FINE, "topic": "A", "custom": '"key: kept"', "retrieval_count": 7, "last_retrieved": "2026-08-02"},
    )
    path = tmp_path / ".memory" / "10-Memories" / "MEM-a.md"
    before = path.read_text().splitlines()
    run(workspace, Mode.AUTO)
    after = path.read_text().splitlines()
    changed = [line for line in after if line not in before]
    assert changed == ["topic: a", f"modified: {TODAY}"]
    assert len(after) == len(before) + 1


def test_a_memory_that_changed_since_is_not_refined(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={**FINE, "topic": "A"})
    plan = workspace.plan_distill(Mode.AUTO)
    path = tmp_path / ".memory" / "10-Memories" / "MEM-a.md"
    path.write_text(path.read_text() + "\nMore.\n")
    with pytest.raises(StaleDecision):
        workspace.apply_distill(plan, [])


def test_a_memory_that_is_gone_since_is_named(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={**FINE, "topic": "A"}, b={**FINE, "topic": "B"})
    plan = workspace.plan_distill(Mode.AUTO)
    memories = tmp_path / ".memory" / "10-Memories"
    (memories / "MEM-a.md").rename(memories / "MEM-other.md")
    before = tree(tmp_path)
    with pytest.raises(UnknownMemory, match="MEM-a"):
        workspace.apply_distill(plan, [])
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    ("given", "plain"),
    [("/A//B/ c /", "a/b/c"), ("a\\b", "a/b"), ("", ""), ("///", ""), ("ÄÖ/x  y", "äö/x y"), ("../A/*/b", "a/b")],
)
def test_topics_are_plain(given: str, plain: str) -> None:
    assert topic_path(given) == plain
    assert topic_path(plain) == plain


def test_keywords_once_keeps_the_first_spelling() -> None:
    assert keywords_once(("Straße", "STRASSE", "b", "B", "a")) == ("Straße", "b", "a")
