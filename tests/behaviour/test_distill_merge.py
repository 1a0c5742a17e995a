"""Merging: who stays, what goes along, what is refused, where links lead afterwards."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from distill_case import TODAY, read, reopened, run, small
from grown_vault import tree

from memtend.change import Change
from memtend.distill.draft import Draft
from memtend.distill.merge import draft_merge, labelled, relinked, united_lines
from memtend.errors import Refused, StaleDecision, UnknownMemory, UnusableInput
from memtend.memory import Digest, Memory, MemoryId, Place
from memtend.review import Action, Decision, Proposal, Recommendation
from memtend.workspace.distill_plan import Mode

ALIKE: dict[str, Any] = {"topic": "shop/basket", "keywords": "[basket, redis, expiry]"}


def pair(tmp_path: Path, a: dict[str, Any], b: dict[str, Any], **others: dict[str, Any]) -> Any:
    return small(tmp_path, a={**ALIKE, **a}, b={**ALIKE, **b}, **others)


@pytest.mark.parametrize(
    ("a", "b", "primary"),
    [
        ({"retrieval_count": 1}, {"retrieval_count": 2}, "MEM-b"),
        ({"created": "2026-05-01"}, {"created": "2026-04-01"}, "MEM-b"),
        ({"created": "2026-05-01T10:00:00+02:00"}, {"created": "2026-05-01"}, "MEM-a"),
        ({}, {}, "MEM-a"),
        ({"created": "unknown"}, {"created": "2026-08-29"}, "MEM-b"),
    ],
)
def test_more_retrievals_then_older_then_the_first_id_stays(
    tmp_path: Path, a: dict[str, Any], b: dict[str, Any], primary: str
) -> None:
    (proposal,) = pair(tmp_path, a, b).plan_distill(Mode.MERGE).proposals
    assert proposal.recommendation.target == primary
    assert proposal.payload["primary"] == primary


def test_everything_of_the_secondary_goes_along(tmp_path: Path) -> None:
    workspace = pair(
        tmp_path,
        {
            "created": "2026-05-01", "tags": "[CONFIG, redis]", "retrieval_count": 3, "last_retrieved": "2026-07-01",
            "keywords": "[zebra, basket, redis, expiry]", "summary": "Mine", "source": "a.md",
            "text": "The basket is kept.\n\n## History\n\n### Previous Version (2026-04-01)\n\nOld a.\n\n"
                    "## Connections\n\n- [[MEM-x]]\n- [[MEM-b]]",
        },
        {
            "created": "2026-03-01", "tags": "[INSIGHT, redis]", "retrieval_count": 2, "last_retrieved": "2026-08-01",
            "text": "It expires.\n\n## Detail\n\nAfter a fortnight.\n\n## History\n\n"
                    "### Previous Version (2026-02-01)\n\nOld b.\n\n"
                    "## Connections\n\n- [[MEM-x]]\n- [[MEM-y|why]]\n- [[MEM-a]]",
        },
        x={}, y={},
    )  # fmt: skip
    done = run(workspace, Mode.MERGE)
    merged, gone = read(workspace, "a"), read(workspace, "b")
    assert merged.created == "2026-03-01"
    assert merged.modified == TODAY
    assert merged.tags == ("CONFIG", "redis", "INSIGHT")
    assert merged.category == "CONFIG"
    assert merged.keywords == ("basket", "expiry", "redis", "zebra")
    assert (merged.summary, merged.source, merged.topic) == ("Mine", "a.md", "shop/basket")
    assert (merged.retrieval_count, merged.last_retrieved) == (5, "2026-08-01")
    assert merged.content == (
        "The basket is kept.\n\n## Merged From MEM-b\n\n**Original Title**: b\n**Merged**: 2026-08-30\n"
        "**Overlap Score**: 100%\n\nIt expires.\n\n### Detail\n\nAfter a fortnight."
    )
    assert merged.connections == "- [[MEM-x]]\n- [[MEM-y|why]]"
    assert merged.history == (
        "### Previous Version (2026-04-01)\n\nOld a.\n\n### MEM-b: Previous Version (2026-02-01)\n\nOld b."
    )
    assert (gone.status, gone.retired_at, gone.retired_reason) == ("tombstoned", TODAY, "merged_into:MEM-a")
    assert gone.content.startswith("It expires.")
    assert done.affected == (
        {
            "primary": "MEM-a", "secondary": "MEM-b", "overlap_score": 1.0, "keywords_before": [4, 3],
            "keywords_after": 4, "keyword_superset_verified": True, "action": "merged",
        },
    )  # fmt: skip


def test_a_primary_without_tags_gets_the_tags_and_the_category_of_the_other(tmp_path: Path) -> None:
    workspace = pair(tmp_path, {"retrieval_count": 9}, {"tags": "[CONFIG, redis]"})
    assert run(workspace, Mode.MERGE).refused == ()
    assert (read(workspace, "a").tags, read(workspace, "a").category) == (("CONFIG", "redis"), "CONFIG")


def test_o_lk_05_links_of_every_form_follow_and_code_and_other_names_stay(tmp_path: Path) -> None:
    links = (
        "[[MEM-b]] [[MEM-b|alias]] [[MEM-b#Part]] ![[MEM-b]] [[10-Memories/MEM-b.md#Part|two]]\n\n"
        "| [[MEM-b\\|t]] | x |\n|---|---|\n| y | [[MEM-b]] |\n\n"
        "[[MEM-b-2]] `[[MEM-b]]`\n\n```\n[[MEM-b]]\n```\n\n## History\n\n### Previous Version (2026-01-01)\n\n[[MEM-b]]"
    )
    workspace = pair(
        tmp_path, {"text": "See [[MEM-b#Detail]]."}, {"text": "See [[MEM-b]] and [[MEM-a]]."}, x={"text": links}
    )
    workspace.reindex()
    before = tree(tmp_path)
    done = run(workspace, Mode.MERGE)
    assert read(workspace, "x").content == (
        "[[MEM-a]] [[MEM-a|alias]] [[MEM-a#Part]] ![[MEM-a]] [[10-Memories/MEM-a.md#Part|two]]\n\n"
        "| [[MEM-a\\|t]] | x |\n|---|---|\n| y | [[MEM-a]] |\n\n"
        "[[MEM-b-2]] `[[MEM-b]]`\n\n```\n[[MEM-b]]\n```"
    )
    assert read(workspace, "x").history.endswith("[[MEM-b]]"), "an earlier version stays as it was"
    assert read(workspace, "a").content.startswith("See [[MEM-a#Detail]].")
    assert "Relinked: MEM-x" in done.notes
    assert set(done.receipt.paths) >= {"10-Memories/MEM-x.md", "10-Memories/MEM-a.md"}  # type: ignore[union-attr]
    workspace.undo()
    assert tree(tmp_path) == before


def test_o_dm_04_a_chain_becomes_one_group_with_one_primary(tmp_path: Path) -> None:
    workspace = small(
        tmp_path,
        a={"topic": "t", "keywords": "[one, two, three]", "text": "Text a."},
        b={"topic": "t", "keywords": "[one, two, three, four, five, six]", "text": "Text b."},
        c={"topic": "t", "keywords": "[four, five, six]", "text": "Text c.", "retrieval_count": 1},
    )
    done = run(workspace, Mode.MERGE)
    assert {(entry["primary"], entry["secondary"]) for entry in done.affected} == {
        ("MEM-c", "MEM-a"),
        ("MEM-c", "MEM-b"),
    }
    merged = read(workspace, "c")
    assert all(f"Text {name}." in merged.content for name in "abc")
    assert merged.keywords == ("five", "four", "one", "six", "three", "two")
    assert [memory.id for memory in workspace.memories()] == ["MEM-c"]


def test_o_dm_04_of_three_copies_and_two_near_copies_one_of_each_group_stays(tmp_path: Path) -> None:
    copy = {**ALIKE, "text": "The basket is kept in Redis for two weeks and then it is gone.", "retrieval_count": 1}
    near = {"topic": "ops", "keywords": "[deploy, night]"}
    workspace = small(
        tmp_path, a=copy, b=copy, c=copy,
        d={**near, "text": "We deploy at night after the backup has been made and checked."},
        e={**near, "text": "We deploy at night after the backup was made and checked."},
    )  # fmt: skip
    run(workspace, Mode.MERGE)
    assert [memory.id for memory in workspace.memories()] == ["MEM-a", "MEM-d"]
    assert read(workspace, "a").retrieval_count == 3


def test_near_texts_without_shared_keywords_are_offered_as_such(tmp_path: Path) -> None:
    text = "We deploy at night after the backup has been made and checked by the person on call for the shop."
    workspace = small(tmp_path, a={"text": text, "topic": "x"}, b={"text": text.replace("made", "taken"), "topic": "y"})
    (proposal,) = workspace.plan_distill(Mode.MERGE).proposals
    assert proposal.payload["basis"] == "text"
    assert proposal.recommendation.strength == "weak", "the keyword rule alone recommends"
    assert workspace.report(keep=False)[0].scores.merge == []


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("The timeout of the pool is 30 s.", "The timeout of the pool is 30 min.", "number"),
        ("The build needs Python 3.11.", "The build needs Python 3.12.", "version"),
        ("We allow force-push on main.", "We do not allow force-push on main.", "negation"),
        ("Feature flags default to on.", "Feature flags default to off.", "opposite"),
    ],
)
def test_o_dm_01_02_03_contradictions_are_conflicts_and_wait_for_a_person(
    tmp_path: Path, a: str, b: str, kind: str
) -> None:
    workspace = pair(tmp_path, {"text": a}, {"text": b})
    (proposal,) = workspace.plan_distill(Mode.MERGE).proposals
    assert proposal.recommendation.conflict == kind
    assert proposal.recommendation.strength == "none"
    assert [found.conflict for found in workspace.report(keep=False)[0].conflicts] == [kind]
    merged = run(workspace, Mode.MERGE, action=Action.MERGE)
    assert merged.affected
    assert all(text in read(workspace, "a").content for text in (a, b)), "both are kept: a person said so"


def test_o_dm_01_an_additive_note_is_no_contradiction(tmp_path: Path) -> None:
    workspace = pair(
        tmp_path,
        {"text": "Use the async runtime for the worker pool."},
        {"text": "Do not forget to configure the async runtime for the worker pool."},
    )
    assert workspace.plan_distill(Mode.MERGE).proposals[0].recommendation.conflict is None


def test_memories_of_other_clusters_or_without_keywords_are_no_candidates(tmp_path: Path) -> None:
    workspace = small(
        tmp_path, a={"topic": "x/a", "keywords": "[k, l]"}, b={"topic": "y/b", "keywords": "[k, l]"}, c={}, d={}
    )
    assert workspace.plan_distill(Mode.MERGE).proposals == ()
    assert len(workspace.report(keep=False)[0].flagged_elsewhere) == 2


# --- what is refused ------------------------------------------------------------------------------------------


def whole(id: str, **fields: Any) -> Memory:
    place = Place(f"10-Memories/{id}.md")
    return Memory(id=MemoryId(id), place=place, digest=Digest(f"d-{id}"), title=id, content=f"Text {id}.", **fields)


def question(one: Memory, other: Memory) -> Proposal:
    digests = {one.id: one.digest, other.id: other.digest}
    about = Recommendation(Action.MERGE, one.id)
    return Proposal(
        f"{one.id}+{other.id}", "merge", "", (Action.MERGE, Action.SKIP), about, (), digests, {"overlap": 0.8}
    )


def drafted(told: Callable[[Change], Memory], *memories: Memory) -> Draft:
    first, *others = memories
    questions = [question(first, other) for other in others]
    answers = [Decision(each.id, Action.MERGE) for each in questions]
    return draft_merge(questions, answers, {m.id: m for m in memories}, (), told=told, today=TODAY)


def as_written(*memories: Memory, without: str = "") -> Callable[[Change], Memory]:
    """What reading back gives; one keyword gets lost on the way."""
    from dataclasses import replace

    known = {memory.id: memory for memory in memories}

    def told(change: Change) -> Memory:
        found = replace(known[change.memory_id], **change.fields)
        return replace(found, keywords=tuple(word for word in found.keywords if word != without))

    return told


def test_a_pair_whose_keywords_would_not_all_be_there_is_left_alone_and_the_rest_goes_on() -> None:
    a, b, c = (
        whole("MEM-a", keywords=("k",)),
        whole("MEM-b", keywords=("k", "lost")),
        whole("MEM-c", keywords=("k", "m")),
    )
    draft = drafted(as_written(a, b, c, without="lost"), a, b, c)
    assert [(entry["primary"], entry["secondary"]) for entry in draft.affected] == [("MEM-a", "MEM-c")]
    assert "keywords would be missing: lost" in draft.refused[0]
    touched = {change.memory_id for change in draft.change_set.changes}
    assert touched == {"MEM-a", "MEM-c"}


def test_o_dm_05_a_file_that_cannot_be_written_leaves_both_as_they_were() -> None:
    a, b = whole("MEM-a"), whole("MEM-b")

    def refusing(change: Change) -> Memory:
        raise Refused(f"{change.memory_id} cannot be changed safely")

    draft = drafted(refusing, a, b)
    assert draft.change_set.changes == ()
    assert "MEM-a cannot be changed safely" in draft.refused[0]


def test_o_dm_05_a_memory_that_vanished_or_changed_stops_the_merge_before_any_write(tmp_path: Path) -> None:
    workspace = pair(tmp_path, {}, {})
    plan = workspace.plan_distill(Mode.MERGE)
    yes = [Decision(plan.proposals[0].id, Action.MERGE)]
    path = tmp_path / ".memory" / "10-Memories" / "MEM-b.md"
    text = path.read_text()
    path.write_text(text + "\nSomebody wrote this.\n")
    before = tree(tmp_path)
    with pytest.raises(StaleDecision):
        reopened(tmp_path).apply_distill(plan, yes)
    assert tree(tmp_path) == before
    path.unlink()
    with pytest.raises(UnknownMemory):
        reopened(tmp_path).apply_distill(plan, yes)
    assert list(tree(tmp_path)) == [".memory/10-Memories/MEM-a.md"]


def test_o_dm_05_unknown_and_ambiguous_names_are_errors_and_a_name_twice_is_one(tmp_path: Path) -> None:
    workspace = pair(tmp_path, {}, {}, other={})
    for names in (("MEM-a", "MEM-nobody"), ("MEM",), ("MEM-",)):
        with pytest.raises(UnknownMemory):
            workspace.plan_distill(Mode.MERGE, names)
    with pytest.raises(UnusableInput, match="MEM-other"):
        workspace.plan_distill(Mode.MERGE, ("MEM-other",))
    assert len(workspace.plan_distill(Mode.MERGE, ("MEM-a", "MEM-a")).proposals) == 1
    assert len(workspace.plan_distill(Mode.MERGE, ("MEM-a", "b")).proposals) == 1


def test_only_pairs_of_the_named_ones_are_merged(tmp_path: Path) -> None:
    workspace = pair(tmp_path, {}, {}, c=dict(ALIKE))
    plan = workspace.plan_distill(Mode.MERGE, ("MEM-a", "MEM-c"))
    assert [proposal.id for proposal in plan.proposals] == ["MEM-a+MEM-c"]


def test_a_person_may_say_who_stays(tmp_path: Path) -> None:
    workspace = pair(tmp_path, {"retrieval_count": 5}, {})
    plan = workspace.plan_distill(Mode.MERGE)
    workspace.apply_distill(plan, [Decision(plan.proposals[0].id, Action.MERGE, MemoryId("MEM-b"))])
    assert [memory.id for memory in workspace.memories()] == ["MEM-b"]


def test_a_fence_that_is_never_closed_swallows_nothing(tmp_path: Path) -> None:
    workspace = pair(tmp_path, {"text": "Run:\n\n```sh\nmake"}, {"text": "And:\n\n~~~\nmake check"})
    run(workspace, Mode.MERGE)
    assert read(workspace, "a").content.count("## Merged From MEM-b") == 1
    assert "make check\n~~~" in read(workspace, "a").content
    assert [problem for problem in workspace.check() if problem.severity == "error"] == []


# --- small parts -----------------------------------------------------------------------------------------------


def test_history_that_moves_says_whose_it_was() -> None:
    id = MemoryId("MEM-b")
    assert labelled("", id) == ""
    two = "### One (2026-02-01)\n\nText.\n\n### Two\n\n```\n### no heading\n```"
    assert labelled(two, id) == ("### MEM-b: One (2026-02-01)\n\nText.\n\n### MEM-b: Two\n\n```\n### no heading\n```")
    assert labelled("Loose text.\n\n### One\n\nMore.", id).startswith("### MEM-b: History\n\nLoose text.")


def test_connections_are_united_line_by_line() -> None:
    assert united_lines("- [[a]]\n- [[b]]", "- [[b]]\n\nSee also:\n- [[c]]") == "- [[a]]\n- [[b]]\nSee also:\n- [[c]]"
    assert united_lines("", "- [[a]]") == "- [[a]]"


def test_links_that_differ_in_case_follow_and_several_targets_at_once() -> None:
    led = {MemoryId("MEM-b"): MemoryId("MEM-a"), MemoryId("MEM-c"): MemoryId("MEM-a")}
    assert relinked("[[mem-B]] [[MEM-c|x]] [[MEM-d]]", led) == "[[MEM-a]] [[MEM-a|x]] [[MEM-d]]"
    assert relinked("no links", led) == "no links"
