"""A person decides at the terminal: every choice, and that stopping anywhere decides nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from memtend.cli.prompt import Choice, LinePrompter
from memtend.cli.reviewer import FollowingReviewer, TerminalReviewer, choose_files
from memtend.errors import Cancelled, Refused, UnknownMemory
from memtend.memory import Digest, MemoryId
from memtend.review import Action, Candidate, ConflictKind, Decision, Proposal, Recommendation, Strength

RETRY, POOL = MemoryId("MEM-retry-policy"), MemoryId("MEM-pool-size")


def segment(number: int, action: Action, target: MemoryId | None = None, strength: Strength = Strength.STRONG):
    """A proposal about one segment, with two memories that it may belong to."""
    candidates = (
        Candidate(RETRY, "Retry policy", Digest("a"), 0.75, 0.4),
        Candidate(POOL, "Pool size", Digest("b"), 0.25, 0.1),
    )
    payload = {
        "topic": "python/http",
        "title": f"Part {number}",
        "source_file": "notes/http.md",
        "source_lines": f"{number}-9",
        "key_terms": ["retry", "backoff"],
        "text": f"Text {number}.",
    }
    actions = (Action.UPDATE, Action.EXTEND, Action.CREATE, Action.SKIP)
    reasons = ("3 of 4 terms are in it",)
    recommendation = Recommendation(action, target, strength, None, reasons)
    return Proposal(f"seg-{number:03d}", "learn", f"Summary {number}", actions, recommendation, candidates, {}, payload)


UPDATE = segment(1, Action.UPDATE, RETRY)
CREATE = segment(2, Action.CREATE)
SKIP = segment(3, Action.SKIP)
WEAK = replace(
    segment(4, Action.UPDATE, RETRY, Strength.WEAK),
    recommendation=Recommendation(Action.UPDATE, RETRY, Strength.WEAK, ConflictKind.NUMBER, ("3 became 5",)),
)


@dataclass
class Script:
    """Answers questions from a list, and keeps what was shown."""

    answers: list[str]
    shown: list[str] = field(default_factory=list)

    def read(self) -> str:
        return self.answers.pop(0) + "\n" if self.answers else ""

    def reviewer(self, **settings: object) -> TerminalReviewer:
        prompter = LinePrompter(self.read, self.shown.append)
        preview = lambda decision: f"+++ {decision.action} {decision.target or ''}\n+text"  # noqa: E731
        return TerminalReviewer(prompter, self.shown.append, preview, **settings)  # type: ignore[arg-type]

    @property
    def screen(self) -> str:
        return "\n".join(self.shown)


def decide(proposals: Sequence[Proposal], *answers: str, **settings: object) -> list[Decision]:
    script = Script(list(answers))
    decisions = script.reviewer(**settings).review(proposals)
    assert script.answers == [], "every typed answer was asked for"
    return decisions


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("u1", Decision("seg-001", Action.UPDATE, RETRY)),
        ("u2", Decision("seg-001", Action.UPDATE, POOL)),
        ("e1", Decision("seg-001", Action.EXTEND, RETRY)),
        ("e2", Decision("seg-001", Action.EXTEND, POOL)),
        ("c", Decision("seg-001", Action.CREATE)),
        ("s", Decision("seg-001", Action.SKIP)),
        ("", Decision("seg-001", Action.UPDATE, RETRY)),
        ("A", Decision("seg-001", Action.UPDATE, RETRY)),
    ],
)
def test_each_key_is_one_decision_and_enter_takes_the_recommendation(typed: str, expected: Decision):
    assert decide([UPDATE], typed) == [expected]


def test_enter_on_a_recommendation_to_create_creates():
    assert decide([CREATE], "") == [Decision("seg-002", Action.CREATE)]


def test_the_person_sees_what_the_decision_rests_on():
    script = Script(["s"])
    script.reviewer().review([UPDATE])
    for expected in (
        "notes/http.md:1-9",
        "Summary 1",
        "python/http",
        "retry, backoff",
        "MEM-retry-policy",
        "75 % overlap",
        "update MEM-retry-policy (strong)",
        "3 of 4 terms are in it",
        "+++ update MEM-retry-policy",
    ):
        assert expected in script.screen


def test_memories_that_nothing_speaks_for_are_neither_shown_nor_offered():
    strange = Candidate(MemoryId("MEM-strange"), "Strange", Digest("c"), 0.0, 0.01)
    script = Script(["c"])
    script.reviewer().review([replace(CREATE, candidates=(strange, *CREATE.candidates))])
    assert "strange" not in script.screen.lower()
    assert "update MEM-retry-policy" in script.screen
    assert decide([replace(UPDATE, candidates=(strange, *UPDATE.candidates))], "e2") == [
        Decision("seg-001", Action.EXTEND, RETRY)
    ]


@pytest.mark.parametrize("name", ["MEM-far-away", "far-away"])
@pytest.mark.parametrize(("way", "action"), [("u", Action.UPDATE), ("e", Action.EXTEND), ("", Action.EXTEND)])
def test_another_memory_can_be_named(name: str, way: str, action: Action):
    assert decide([CREATE], "o", name, way, "y") == [Decision("seg-002", action, MemoryId("MEM-far-away"))]


def test_another_memory_that_is_not_there_is_said_to_be_missing_and_asked_about_again():
    script = Script(["o", "nowhere", "u", "s"])
    reviewer = script.reviewer()

    def preview(decision: Decision) -> str:
        if decision.target == "MEM-nowhere":
            raise UnknownMemory("No memory MEM-nowhere", hint="`memtend list` shows the ids.")
        return ""

    reviewer.preview = preview
    assert reviewer.review([CREATE]) == [Decision("seg-002", Action.SKIP)]
    assert "No memory MEM-nowhere. `memtend list` shows the ids." in script.screen


def test_a_change_that_cannot_be_made_is_said_so_and_something_else_can_be_decided():
    script = Script(["c"])
    reviewer = script.reviewer()

    def preview(decision: Decision) -> str:
        raise Refused("the frontmatter cannot be edited safely", hint="Mend that line by hand.")

    reviewer.preview = preview
    assert reviewer.review([UPDATE]) == [Decision("seg-001", Action.CREATE)]
    assert "cannot be done: the frontmatter cannot be edited safely. Mend that line by hand." in script.screen


def test_a_conflict_is_named():
    candidate = replace(WEAK.candidates[0], conflict=ConflictKind.NUMBER)
    script = Script(["s"])
    script.reviewer().review([replace(WEAK, candidates=(candidate,))])
    assert "conflict: number" in script.screen


def test_what_is_not_understood_is_asked_again():
    assert decide([CREATE], "u9", "what?", "c") == [Decision("seg-002", Action.CREATE)]


def test_the_diff_of_another_option_can_be_seen_before_deciding():
    script = Script(["d", "e2", "s"])
    script.reviewer().review([UPDATE])
    assert "+++ extend MEM-pool-size" in script.screen


def test_a_long_diff_is_shortened_until_asked_for():
    long = "\n".join(f"+line {number}" for number in range(100))
    script = Script(["d", "c", "s"])
    reviewer = TerminalReviewer(LinePrompter(script.read, script.shown.append), script.shown.append, lambda _: long)
    reviewer.review([CREATE])
    assert "… 70 more lines" in script.screen
    assert script.screen.count("+line 99") == 1


def test_topic_category_and_text_can_be_edited_before_deciding():
    typed = ("t", "python/retries", "g", "p", "x", "New text.", "More.", ".", "c")
    expected = Decision("seg-002", Action.CREATE, topic="python/retries", category="PATTERN", text="New text.\nMore.")
    assert decide([CREATE], *typed) == [expected]


def test_a_topic_that_names_nothing_is_asked_for_again():
    script = Script(["t", "../..", "t", "python/retries", "c"])
    assert script.reviewer().review([CREATE]) == [Decision("seg-002", Action.CREATE, topic="python/retries")]
    assert "'../..' names no topic. Names have letters or digits" in script.screen


def test_a_segment_joins_another():
    assert decide([UPDATE, CREATE], "m", "1", "c") == [
        Decision("seg-001", Action.CREATE, merge_into="seg-002"),
        Decision("seg-002", Action.CREATE),
    ]


def test_a_segment_cannot_join_one_that_was_skipped_or_has_joined_another():
    script = Script(["m", "2", "s", "m", "1"])
    with pytest.raises(Cancelled):
        script.reviewer().review([UPDATE, CREATE, SKIP])
    assert script.shown.count("Merge with which segment? [1]\n") == 1
    assert "'m' is not one of" in script.screen


def test_skipping_a_segment_that_others_joined_asks_and_skips_them_too():
    assert decide([UPDATE, CREATE], "m", "1", "s", "n", "s", "y") == [
        Decision("seg-001", Action.SKIP),
        Decision("seg-002", Action.SKIP),
    ]


def test_accept_all_follows_the_rest_but_still_asks_about_a_weak_one():
    decisions = decide([UPDATE, CREATE, WEAK, SKIP], "a", "e1")
    assert decisions == [
        Decision("seg-001", Action.UPDATE, RETRY),
        Decision("seg-002", Action.CREATE),
        Decision("seg-004", Action.EXTEND, RETRY),
        Decision("seg-003", Action.SKIP),
    ]


def test_accept_all_on_a_weak_one_asks_about_it_again():
    assert decide([WEAK, CREATE], "a", "s") == [Decision("seg-004", Action.SKIP), Decision("seg-002", Action.CREATE)]


@pytest.mark.parametrize("answers", [["q"], ["c", "q"], [], ["c"], ["t"], ["m"], ["d"], ["x", "half a text"]])
def test_stopping_at_any_question_decides_nothing(answers: list[str]):
    with pytest.raises(Cancelled) as stopped:
        Script(answers).reviewer().review([UPDATE, CREATE, SKIP])
    assert stopped.value.message == "Memory operation cancelled. No files created."
    assert stopped.value.exit_status == 3


def test_a_task_asks_a_category_for_every_segment():
    assert decide([UPDATE, CREATE], "c", "", "w", "", asks_category=True) == [
        Decision("seg-001", Action.UPDATE, RETRY, category="CONFIG"),
        Decision("seg-002", Action.CREATE, category="WORKFLOW"),
    ]


def test_accept_all_leaves_the_category_of_a_task_to_the_person():
    decisions = decide([CREATE, SKIP], "t", "a", "i", "s", asks_category=True)
    assert [decision.category for decision in decisions] == ["TECHNIQUE", "INSIGHT"]


def test_o_pv_01_a_secret_is_pointed_out_and_stored_only_after_a_second_yes():
    where = {"seg-002": ("notes/http.md:4: looks like an AWS key",)}
    script = Script(["c", "n", "s"])
    reviewer = script.reviewer(secrets=where)
    assert reviewer.review([CREATE]) == [Decision("seg-002", Action.SKIP)]
    assert "notes/http.md:4: looks like an AWS key" in script.screen
    assert not reviewer.accepted_secrets

    script = Script(["c", "y"])
    reviewer = script.reviewer(secrets=where)
    assert reviewer.review([CREATE]) == [Decision("seg-002", Action.CREATE)]
    assert reviewer.accepted_secrets


def test_o_pv_01_accept_all_still_asks_about_a_secret():
    script = Script(["a", "s"])
    decisions = script.reviewer(secrets={"seg-002": ("line 1",)}).review([UPDATE, CREATE])
    assert decisions == [Decision("seg-001", Action.UPDATE, RETRY), Decision("seg-002", Action.SKIP)]


def test_yes_follows_what_is_reliable_and_names_what_it_left_out():
    reviewer = FollowingReviewer()
    assert reviewer.review([UPDATE, WEAK, CREATE]) == [
        Decision("seg-001", Action.UPDATE, RETRY),
        Decision("seg-002", Action.CREATE),
    ]
    assert reviewer.left_out == [WEAK]


FILES = [(f"notes/{number:02d}.md", number * 1000) for number in range(1, 24)]


def chosen(*answers: str) -> Iterable[str]:
    script = Script(list(answers))
    return choose_files(LinePrompter(script.read, script.shown.append), FILES)


def test_files_are_chosen_in_pages_of_ten():
    assert chosen("1,3-4", "none", "all") == ("notes/01.md", "notes/03.md", "notes/04.md", *(p for p, _ in FILES[20:]))


def test_a_page_shows_ten_files_with_sizes():
    script = Script(["", "", ""])
    assert choose_files(LinePrompter(script.read, script.shown.append), FILES) == tuple(path for path, _ in FILES)
    assert "   10  notes/10.md  9.8 KB\n" in script.shown
    assert script.shown[10].startswith("Files 1-10 of 23")


def test_choosing_no_file_cancels():
    with pytest.raises(Cancelled):
        chosen("none", "none", "none")


@pytest.mark.parametrize("typed", ["0", "11", "x", "1-", "-", "3-1", "1,,99"])
def test_numbers_that_name_no_file_are_asked_again(typed: str):
    assert chosen(typed, "1", "none", "none") == ("notes/01.md",)


def test_choices_keep_their_keys_in_the_order_given():
    asked: list[str] = []
    prompter = LinePrompter(lambda: "b\n", asked.append)
    assert prompter.select("Which?", [Choice("a", "first"), Choice("b", "second")], "a") == "b"
    assert asked == ["    a  first\n", "    b  second\n", "Which? [a]\n"]
