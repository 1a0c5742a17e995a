"""A person decides what distill may do.

What is recommended can be ticked, each doubtful one is asked about, and then one yes is needed for all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memtend.cli import distill_render
from memtend.cli.prompt import Choice, Prompter
from memtend.cli.reviewer import RELIABLE
from memtend.errors import Cancelled
from memtend.review import Action, Decision, Proposal

PAGE = 10
NOTHING = "Nothing was selected. Nothing was written."
STOPPED = "Distill cancelled. Nothing was written."

_QUESTIONS = {
    "purge": "Select memories to retire (their files stay)",
    "merge": "Select pairs to merge",
    "compress": "Select memories to compress (the whole text goes to their History)",
    "refine": "Select what to mend",
    "gc": "Select retired memories whose files to delete",
}


@dataclass(frozen=True, slots=True)
class DistillReviewer:
    """Asks about proposals of one mode."""

    prompter: Prompter
    show: Callable[[str], object]
    """Prints a block of text."""
    preview: Callable[[Sequence[Decision]], str]
    """The unified diff of what decisions would change."""

    def review(self, proposals: Sequence[Proposal]) -> list[Decision]:
        """The decisions to do something; none where nothing is chosen. Raises Cancelled where the person stops."""
        able = [proposal for proposal in proposals if proposal.actions != (Action.SKIP,)]
        for proposal in proposals:
            if proposal not in able:
                self.show(f"{proposal.id}: {'; '.join(proposal.recommendation.reasons)}")
        chosen = [proposal for group in _groups(able) for proposal in self._ticked(group)]
        chosen += [proposal for proposal in able if not _is_reliable(proposal) and self._wanted(proposal)]
        if not chosen:
            return []
        decisions = [_decision(proposal) for proposal in chosen]
        self._confirm(decisions, chosen[0].kind)
        return decisions

    def _ticked(self, group: tuple[str, list[Proposal]]) -> Iterator[Proposal]:
        title, proposals = group
        for start in range(0, len(proposals), PAGE):
            page = proposals[start : start + PAGE]
            where = f" ({start + 1}-{start + len(page)} of {len(proposals)})" if len(proposals) > PAGE else ""
            choices = [Choice(proposal.id, distill_render.choice(proposal)) for proposal in page]
            keys = self.prompter.checkbox(f"{title}{where}", choices)
            yield from (proposal for proposal in page if proposal.id in keys)

    def _wanted(self, proposal: Proposal) -> bool:
        self.show(distill_render.choice(proposal))
        for reason in proposal.recommendation.reasons:
            self.show(f"  - {reason}")
        return self.prompter.confirm(f"{proposal.recommendation.action.capitalize()} all the same?", default=False)

    def _confirm(self, decisions: Sequence[Decision], kind: str) -> None:
        choices = (Choice("y", f"{kind} {len(decisions)}"), Choice("d", "see the diff"), Choice("n", "cancel"))
        while (key := self.prompter.select(f"{kind.capitalize()} {len(decisions)}?", choices, "n")) != "y":
            if key == "n":
                raise Cancelled(STOPPED)
            self.show(self.preview(decisions).rstrip("\n"))


def _groups(proposals: Sequence[Proposal]) -> list[tuple[str, list[Proposal]]]:
    """The recommended ones, those of merge by cluster."""
    groups: dict[str, list[Proposal]] = {}
    for proposal in filter(_is_reliable, proposals):
        cluster = f" in cluster {proposal.payload['cluster']!r}" if proposal.kind == "merge" else ""
        groups.setdefault(_QUESTIONS[proposal.kind] + cluster, []).append(proposal)
    return list(groups.items())


def _is_reliable(proposal: Proposal) -> bool:
    return proposal.recommendation.strength in RELIABLE


def _decision(proposal: Proposal) -> Decision:
    return Decision(proposal.id, proposal.recommendation.action, proposal.recommendation.target)
