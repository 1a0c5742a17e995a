"""Answers to proposals: what may be answered, and what an answer comes to."""

import pytest

from memtend.errors import UnusableInput
from memtend.memory import MemoryId
from memtend.review import Action, Decision, Proposal, Recommendation, answered, answered_pairs


def _asked(id: str) -> Proposal:
    recommendation = Recommendation(Action.PURGE, MemoryId(id))
    return Proposal(id, "purge", f"Retire {id}", (Action.PURGE, Action.SKIP), recommendation)


ASKED = (_asked("MEM-a"), _asked("MEM-b"), _asked("MEM-c"))


def test_to_accept_is_to_follow_the_recommendation() -> None:
    decisions = [Decision("MEM-c", Action.ACCEPT), Decision("MEM-b", Action.SKIP), Decision("MEM-a", Action.PURGE)]
    assert [proposal.id for proposal in answered(ASKED, decisions, Action.PURGE)] == ["MEM-a", "MEM-c"]
    assert answered_pairs(ASKED, decisions, Action.SKIP) == [(ASKED[1], decisions[1])]


@pytest.mark.parametrize(
    ("decisions", "told", "hint"),
    [
        ([("MEM-x", Action.PURGE)], "the plan has no MEM-x", "It has MEM-a, MEM-b, MEM-c"),
        ([("MEM-a", Action.PURGE), ("MEM-a", Action.SKIP)], "MEM-a is decided twice", "one decision for each"),
        ([("MEM-a", Action.MERGE)], "MEM-a: merge cannot be done here", "It can be: purge, skip."),
    ],
    ids=["never asked", "said twice", "not to be done"],
)
def test_an_answer_that_does_not_fit_stops_them_all(decisions: list[tuple[str, Action]], told: str, hint: str) -> None:
    given = [Decision("MEM-b", Action.PURGE), *(Decision(*decision) for decision in decisions)]
    with pytest.raises(UnusableInput, match=told) as fault:
        answered(ASKED, given, Action.PURGE)
    assert hint in fault.value.hint
