"""Drafting: from decisions on segments to the change set that carries them out."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from drafting import LAYOUT, MEMORIES, NOW, OLD, a_proposal, drafted, made, the_change

from memtend.change import ChangeSet, Verb, applied, differences
from memtend.errors import Refused, StaleDecision, UnknownMemory, UnusableInput
from memtend.learn.draft import draft
from memtend.learn.payload import LearnPayload, names_of, summary_of, title_of, united, without_title
from memtend.memory import Digest, Memory, MemoryId, Place, Status
from memtend.review import Action, Decision, Recommendation
from memtend.text import topic_path

# --- create -------------------------------------------------------------------------------------------------


def test_a_new_memory_has_all_its_fields() -> None:
    change = the_change(a_proposal(category="config"), Action.CREATE)
    assert (change.verb, change.memory_id, change.digest) == (Verb.CREATE, "MEM-probes-probe-timeouts", None)
    memory = applied({}, [change])[change.memory_id]
    assert memory == Memory(
        id=MemoryId("MEM-probes-probe-timeouts"),
        place=Place(""),
        digest=Digest(""),
        title="Probe timeouts",
        content="Ten seconds are enough. Measured in May.",
        topic="ops/probes",
        category="CONFIG",
        tags=("CONFIG",),
        keywords=("timeout", "probe"),
        summary="Ten seconds are enough.",
        source="notes/new.md",
        created="2026-06-30",
        modified="2026-06-30",
    )


def test_what_nobody_said_gets_a_default() -> None:
    memory = made("Just one thing.", title="", topic="", key_terms=(), source_file="")
    assert (memory.title, memory.category, memory.source) == ("Just one thing.", "INSIGHT", "user input")
    assert memory.keywords
    change = drafted((a_proposal(), Decision("seg-001", Action.CREATE)), category="WORKFLOW").changes[0]
    assert change.fields["tags"] == ("WORKFLOW",)


def test_the_day_is_that_of_utc() -> None:
    east = datetime(2026, 7, 1, 0, 30, tzinfo=timezone(timedelta(hours=14)))
    assert the_change(a_proposal(), Action.CREATE, now=east).fields["created"] == "2026-06-30"


def test_a_heading_that_says_the_title_is_not_doubled() -> None:
    assert made("# Probe timeouts\n\nTen seconds.").content == "Ten seconds."
    assert made("Probe  *timeouts*\n===\n\nTen seconds.").content == "Ten seconds."
    assert made("# Other\n\nTen seconds.").content == "# Other\n\nTen seconds."
    assert without_title("## Probe timeouts\n", "Probe timeouts") == "## Probe timeouts\n"


def test_headings_of_our_own_sections_move_a_level_down() -> None:
    content = made("Intro.\n\n## History\n\n### Early\n\nOld.\n\n## Use\n\n## connections\n\n- x").content
    assert content == "Intro.\n\n### History\n\n#### Early\n\nOld.\n\n## Use\n\n### connections\n\n- x"


def test_what_becomes_a_heading_when_the_title_above_it_goes_is_no_section_of_ours() -> None:
    assert made("#history\n---\nhistory\n---\n", title="").content == "### history"
    assert made("history\n---\n\ufeff## History", title="").content == "### History"
    assert made("history\n---\n\u2028", title="").content == "### history\n\u2028"


def test_what_a_text_leaves_open_is_closed() -> None:
    assert made("Run:\n\n```sh\nmake").content.endswith("make\n```")
    assert made("Note <!-- never\n\n<!-- closed").content.endswith("<!-- closed\n-->")


def test_two_new_memories_never_share_a_name() -> None:
    proposals = [a_proposal(number) for number in (1, 2, 3)]
    pairs = [(proposal, Decision(proposal.id, Action.CREATE)) for proposal in proposals]
    ids = drafted(*pairs, taken=("mem-probes-probe-timeouts-2",)).memory_ids
    assert ids == ("MEM-probes-probe-timeouts", "MEM-probes-probe-timeouts-3", "MEM-probes-probe-timeouts-4")


@pytest.mark.parametrize("title", ["日本語の手順", "Безопасность", "🎉🎊", "!!!", "..", "../../x", "CON"])
def test_o_fs_04_a_title_never_makes_a_path(title: str) -> None:
    id = the_change(a_proposal(title=title, topic="../.."), Action.CREATE).memory_id
    assert id.startswith("MEM-")
    assert set(id[4:]) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


LONG = (
    "The deployment controller restarts every probe that does not answer within `ten seconds: or less` and it then "
    "waits for the next window. A second sentence tells why."
)


def test_o_va_04_title_summary_and_text_do_not_say_the_same() -> None:
    memory = made(LONG, title="")
    assert len(memory.title) <= 80
    assert memory.title.endswith("…")
    assert memory.title.count("`") % 2 == 0
    assert memory.summary == "A second sentence tells why."
    assert memory.content == LONG


def test_o_va_04_a_single_sentence_is_not_repeated_in_the_summary() -> None:
    memory = made("Roll back with the blue slot.", title="", key_terms=("blue slot",))
    assert (memory.title, memory.summary) == ("Roll back with the blue slot.", "blue slot")
    assert summary_of("# Part\n\n```\ncode\n```\n\nFirst. Second.", "First.", ()) == "Second."


def test_o_va_04_no_letter_loses_its_marks() -> None:
    title = title_of(LearnPayload(text="ก้" * 60))
    assert len(title) <= 80
    assert title.rstrip("…").endswith("ก้")


def test_a_layout_can_frame_what_is_created() -> None:
    pair = (a_proposal(), Decision("seg-001", Action.CREATE))
    change = drafted(pair, frame=lambda memory: replace(memory, content=f"Context\n\n{memory.content}")).changes[0]
    assert change.fields["content"].startswith("Context\n\nTen seconds")


# --- update -------------------------------------------------------------------------------------------------


def test_an_update_keeps_what_it_replaces_and_resets_nothing() -> None:
    change = the_change(a_proposal(tags=("Slow",)), Action.UPDATE)
    assert (change.verb, change.memory_id, change.digest) == (Verb.UPDATE, OLD.id, OLD.digest)
    assert change.fields == {
        "title": "Probe timeouts",
        "content": "Ten seconds are enough. Measured in May.",
        "history": (
            "### Previous Version (2026-04-01)\n\n**Title**: Probes\n**Source**: notes/old.md\n\n"
            "Probes may take long.\n\n#### Why\n\nNobody said.\n\n"
            "### Previous Version (2026-01-01)\n\nNo probes."
        ),
        "tags": ("PATTERN", "http", "Slow"),
        "keywords": ("timeout", "probe", "rollout"),
        "summary": "Ten seconds are enough.",
        "source": "notes/new.md",
        "modified": "2026-06-30",
    }


def test_what_stood_below_the_sections_goes_to_history_too() -> None:
    memories = {OLD.id: replace(OLD, trailing="## Also\n\nMore.")}
    (change,) = drafted((a_proposal(), Decision("seg-001", Action.UPDATE)), memories=memories).changes
    assert change.fields["trailing"] == ""
    assert "#### Also\n\nMore.\n\n### Previous Version (2026-01-01)" in change.fields["history"]


def test_two_updates_give_two_versions_newest_first_and_never_nested() -> None:
    first, second = a_proposal(1, "First text."), a_proposal(2, "Second text.", title="Later")
    (change,) = drafted(
        (first, Decision(first.id, Action.UPDATE)), (second, Decision(second.id, Action.UPDATE))
    ).changes
    headings = [line for line in change.fields["history"].split("\n") if line.startswith("### ")]
    assert headings == [
        "### Previous Version (2026-06-30)",
        "### Previous Version (2026-04-01)",
        "### Previous Version (2026-01-01)",
    ]
    assert (change.fields["title"], change.fields["content"]) == ("Later", "Second text.")


def test_the_same_text_again_changes_nothing() -> None:
    same = a_proposal(text=OLD.content)
    assert drafted((same, Decision(same.id, Action.UPDATE))) == ChangeSet()


# --- extend -------------------------------------------------------------------------------------------------


def test_an_extension_comes_below_with_its_day_and_source() -> None:
    change = the_change(a_proposal(text="# Timeouts\n\nTen seconds.\n\n## Detail\n\nMore."), Action.EXTEND)
    assert change.verb is Verb.EXTEND
    assert change.fields == {
        "content": OLD.content
        + "\n\n## Extension (2026-06-30)\n\n**Source**: notes/new.md\n\n"
        + "### Timeouts\n\nTen seconds.\n\n#### Detail\n\nMore.",
        "keywords": ("probe", "rollout", "timeout"),
        "modified": "2026-06-30",
    }


def test_two_extensions_of_one_day_both_stay() -> None:
    first, second = a_proposal(1, "One."), a_proposal(2, "Two.")
    (change,) = drafted(
        (first, Decision(first.id, Action.EXTEND)), (second, Decision(second.id, Action.EXTEND))
    ).changes
    assert change.fields["content"].count("## Extension (2026-06-30)") == 2
    assert change.fields["content"].index("One.") < change.fields["content"].index("Two.")


def test_an_extension_of_an_updated_memory_is_one_update() -> None:
    first, second = a_proposal(1, "One."), a_proposal(2, "Two.")
    (change,) = drafted(
        (first, Decision(first.id, Action.UPDATE)), (second, Decision(second.id, Action.EXTEND))
    ).changes
    assert change.verb is Verb.UPDATE
    assert change.fields["content"].startswith("One.\n\n## Extension (2026-06-30)")


@pytest.mark.parametrize("actions", ["eee", "eue", "eeu", "uee"])
def test_what_several_segments_do_is_what_each_does_in_turn(actions: str) -> None:
    answers = {"e": Action.EXTEND, "u": Action.UPDATE}
    pairs = []
    for number, letter in enumerate(actions, 1):
        segment = a_proposal(number, f"Text {number}.\n\n```sh\nopen", key_terms=(f"k{number}",), tags=(f"t{number}",))
        pairs.append((segment, Decision(segment.id, answers[letter], category=f"C{number}")))
    memories = dict(MEMORIES)
    for pair in pairs:
        (change,) = drafted(pair, memories=memories).changes
        memories = {OLD.id: replace(applied(memories, [change])[OLD.id], digest=OLD.digest)}
    assert replace(applied(MEMORIES, drafted(*pairs).changes)[OLD.id], digest=OLD.digest) == memories[OLD.id]


def names_looked_at(monkeypatch: pytest.MonkeyPatch, actions: str, times: int) -> int:
    """How many names are joined where so many segments, each with names of its own, change one memory in turn."""
    looked_at = 0

    def counted(*groups: Sequence[str]) -> tuple[str, ...]:
        nonlocal looked_at
        looked_at += sum(map(len, groups))
        return united(*groups)

    kinds = {"u": Action.UPDATE, "e": Action.EXTEND}
    proposals = [
        a_proposal(n, f"Pump {n} is red.", tags=(f"t{n}",), key_terms=(f"a{n}", f"b{n}")) for n in range(1, times + 1)
    ]
    pairs = [(each, Decision(each.id, kinds[actions[n % len(actions)]])) for n, each in enumerate(proposals)]
    with monkeypatch.context() as patch:
        patch.setattr("memtend.learn.draft.united", counted)
        (change,) = drafted(*pairs).changes
    assert {f"b{n}" for n in range(1, times + 1)} < set(change.fields["keywords"])
    assert {f"t{n}" for n in range(1, times + 1)} < set(change.fields["tags"])
    return looked_at


@pytest.mark.parametrize("actions", ["u", "e", "ue"])
def test_twice_as_many_changes_of_one_memory_join_twice_as_many_names(
    monkeypatch: pytest.MonkeyPatch, actions: str
) -> None:
    few, many = (names_looked_at(monkeypatch, actions, times) for times in (100, 200))
    assert many < 2.5 * few


def test_an_extension_does_not_land_in_a_code_block_left_open() -> None:
    memories = {OLD.id: replace(OLD, content="```\nopen")}
    (change,) = drafted((a_proposal(), Decision("seg-001", Action.EXTEND)), memories=memories).changes
    assert change.fields["content"].startswith("```\nopen\n```\n\n## Extension")


# --- what a person may change -------------------------------------------------------------------------------


def test_topic_title_text_and_category_can_be_given() -> None:
    given: dict[str, Any] = {"topic": "/Net / HTTP/", "title": "Mine", "text": "My own text.", "category": "[workflow]"}
    change = the_change(a_proposal(), Action.CREATE, **given)
    fields = change.fields
    assert (fields["topic"], fields["title"], fields["content"]) == ("net/http", "Mine", "My own text.")
    assert (fields["category"], fields["tags"]) == ("WORKFLOW", ("WORKFLOW",))
    assert "timeout" not in fields["keywords"]


def test_an_update_moves_topic_and_category_only_when_told() -> None:
    change = the_change(a_proposal(), Action.UPDATE, topic="net", category="CONFIG")
    assert (change.fields["topic"], change.fields["category"]) == ("net", "CONFIG")
    assert change.fields["tags"] == ("CONFIG", "PATTERN", "http")
    assert "topic" not in the_change(a_proposal(topic="elsewhere"), Action.UPDATE).fields


def test_accepting_follows_the_recommendation() -> None:
    assert the_change(a_proposal(), Action.ACCEPT).verb is Verb.UPDATE


def test_merged_segments_become_one_memory_in_order() -> None:
    first, second, third = (a_proposal(n, f"Text {n}.", source_file=f"{n}.md", key_terms=(f"t{n}",)) for n in (1, 2, 3))
    (change,) = drafted(
        (first, Decision(first.id, Action.CREATE, merge_into=second.id)),
        (second, Decision(second.id, Action.CREATE, merge_into=third.id)),
        (third, Decision(third.id, Action.CREATE)),
    ).changes
    assert change.fields["content"] == "Text 1.\n\nText 2.\n\nText 3."
    assert change.fields["source"] == "1.md; 2.md; 3.md"
    assert change.fields["keywords"] == ("t3", "t1", "t2")


def test_what_is_skipped_or_not_decided_changes_nothing() -> None:
    proposals = [a_proposal(1), a_proposal(2)]
    assert draft(proposals, [Decision("seg-001", Action.SKIP)], MEMORIES, now=NOW, taken=lambda _: False) == ChangeSet()
    assert drafted((a_proposal(), Decision("seg-001", Action.CREATE))).note == "memory: add/update 1 memories"


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "decisions",
    [
        [Decision("seg-009", Action.CREATE)],
        [Decision("seg-001", Action.CREATE), Decision("seg-001", Action.SKIP)],
        [Decision("seg-001", Action.PURGE)],
        [Decision("seg-001", Action.CREATE, merge_into="seg-001")],
        [
            Decision("seg-001", Action.CREATE, merge_into="seg-002"),
            Decision("seg-002", Action.CREATE, merge_into="seg-001"),
        ],
        [Decision("seg-001", Action.CREATE, merge_into="seg-002")],
        [Decision("seg-001", Action.CREATE, merge_into="seg-002"), Decision("seg-002", Action.SKIP)],
        [Decision("seg-001", Action.CREATE, text=" \n ")],
        [Decision("seg-001", Action.CREATE, text="half a \ud83d")],
    ],
)
def test_o_dm_09_decisions_that_make_no_sense_are_refused(decisions: list[Decision]) -> None:
    with pytest.raises(UnusableInput):
        draft([a_proposal(1), a_proposal(2)], decisions, MEMORIES, now=NOW, taken=lambda _: False)


def test_a_memory_that_changed_since_is_not_touched() -> None:
    with pytest.raises(StaleDecision, match="has changed"):
        drafted(
            (a_proposal(), Decision("seg-001", Action.UPDATE)), memories={OLD.id: replace(OLD, digest=Digest("d2"))}
        )
    with pytest.raises(StaleDecision, match="is gone"):
        drafted((a_proposal(), Decision("seg-001", Action.EXTEND)), memories={})
    with pytest.raises(UnknownMemory):
        drafted((a_proposal(), Decision("seg-001", Action.EXTEND, MemoryId("MEM-other"))))


def test_a_retired_memory_is_restored_first() -> None:
    memories = {OLD.id: replace(OLD, status=Status.RETIRED, retired_reason="purge")}
    with pytest.raises(Refused, match="retired"):
        drafted((a_proposal(), Decision("seg-001", Action.UPDATE)), memories=memories)


def test_an_update_needs_a_target() -> None:
    proposal = replace(a_proposal(), recommendation=Recommendation(Action.CREATE))
    with pytest.raises(UnusableInput, match="which memory"):
        drafted((proposal, Decision(proposal.id, Action.UPDATE)))


# --- forms --------------------------------------------------------------------------------------------------


def test_a_payload_survives_json_and_damage_is_named() -> None:
    payload = LearnPayload(text="x", tags=("a",), key_terms=("b", "c"), source_file="a.md", source_lines="1-2")
    assert LearnPayload.from_json(payload.to_json() | {"of another": 1}) == payload
    for damaged in ({}, {"text": None}, {"text": 7}):
        with pytest.raises(UnusableInput):
            LearnPayload.from_json(damaged)


def test_o_fm_08_names_and_topics_have_one_form() -> None:
    assert names_of(["a,b", "#c", "[PATTERN]", " "]) == ("a", "b", "c", "PATTERN")
    assert names_of("a, b") == ("a", "b")
    assert topic_path(" /Net//HTTP Retry / ") == "net/http retry"


@pytest.mark.parametrize("action", [Action.CREATE, Action.UPDATE, Action.EXTEND])
@pytest.mark.parametrize(
    "text",
    [
        "## History\n\n- [[MEM-x]]\n\n## Connections",
        "```\n## not a heading",
        "<pre>\n\n# x",
        "# A\n\n# B\n\ntext",
        "C:\\new\\1 $& {{title}}",
        "- item\n\n      code",
        "---\n\nrule first",
    ],
)
def test_what_is_drafted_is_what_the_vault_reads_back(action: Action, text: str) -> None:
    start = LAYOUT.encode(drafted((a_proposal(text="Start."), Decision("seg-001", Action.CREATE))), {}, NOW)[0]
    tree = {start.path: start.after or b""}
    memory = LAYOUT.decode(start.path, tree[start.path]).memories[0]
    proposal = replace(a_proposal(text=text), digests={memory.id: memory.digest})
    changes = drafted(
        (proposal, Decision(proposal.id, action, memory.id)),
        memories={memory.id: memory},
        taken=(memory.id.lower(),),
    )
    for edit in LAYOUT.encode(changes, tree, NOW):
        tree[edit.path] = edit.after or b""
    found = {
        LAYOUT.decode(path, data).memories[0].id: LAYOUT.decode(path, data).memories[0] for path, data in tree.items()
    }
    assert differences(applied({memory.id: memory}, changes.changes), found) == []


def test_code_stands_in_a_fence_where_its_comments_are_no_headings() -> None:
    code = "# Reads the box.\ndef read(box):\n    # one at a time\n    return box.pop()"
    new = a_proposal(text=code, title="function read", language="python", summary="Reads the box.")
    made = drafted((new, Decision(new.id, Action.CREATE))).changes[0]
    assert made.fields["content"] == f"```python\n{code}\n```"
    assert made.fields["summary"] == "Reads the box."
    quoting = a_proposal(text='s = """\n```\nx\n```\n"""', title="a string", language="python")
    held = drafted((quoting, Decision(quoting.id, Action.CREATE))).changes[0].fields["content"]
    assert held.startswith("````python\n")
    assert held.endswith("\n````")
