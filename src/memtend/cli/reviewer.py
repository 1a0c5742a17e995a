"""Who decides on the command line: a person at the terminal, or the recommendations with `--yes`.

Both are `Reviewer`s. Neither writes anything; a person may stop at any question, and then nothing happens.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from memtend.cli import render
from memtend.cli.prompt import CANCELLED, Choice, Prompter
from memtend.errors import Cancelled, Refused, UnknownMemory, UnusableInput
from memtend.memory import STANDARD_CATEGORIES, MemoryId
from memtend.review import Action, Decision, Proposal, Strength
from memtend.workspace.naming import PREFIX

RELIABLE = (Strength.MEDIUM, Strength.STRONG)
"""What `--yes` and `accept all` follow; a weak recommendation (a contradiction, a close runner-up) waits."""

_SHORT_DIFF_LINES = 30


def followed(proposal: Proposal) -> Decision | None:
    """The decision that takes a recommendation as it is; None where it is too weak to follow unseen."""
    recommended = proposal.recommendation
    if recommended.strength not in RELIABLE:
        return None
    return Decision(proposal.id, recommended.action, recommended.target)


@dataclass(slots=True)
class FollowingReviewer:
    """`--yes`: takes the reliable recommendations and remembers what it left out."""

    left_out: list[Proposal] = field(default_factory=list)

    def review(self, proposals: Sequence[Proposal]) -> list[Decision]:
        """The recommendations as decisions, weak ones left out."""
        decided = [(proposal, followed(proposal)) for proposal in proposals]
        self.left_out = [proposal for proposal, decision in decided if decision is None]
        return [decision for _, decision in decided if decision is not None]


@dataclass(slots=True)
class TerminalReviewer:
    """Shows each proposal with its reasons and a diff, and asks what should happen."""

    prompter: Prompter
    show: Callable[[str], object]
    """Prints a block of text."""
    preview: Callable[[Decision], str]
    """The unified diff of what one decision would change."""
    secrets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By proposal: where something looks like a key or password, never its value."""
    asks_category: bool = False
    accepted_secrets: bool = False
    """Whether the person wants to store at least one of them all the same."""
    _decisions: dict[str, Decision] = field(default_factory=dict)
    _takes_rest: bool = False

    def review(self, proposals: Sequence[Proposal]) -> list[Decision]:
        """One decision a proposal. Raises Cancelled."""
        for number, proposal in enumerate(proposals, 1):
            decision = self._followed(proposal)
            if decision is None:
                self.show(render.proposal(proposal, number, len(proposals), self.secrets.get(proposal.id, ())))
                decision = self._decide(proposal, proposals)
            self._decisions[proposal.id] = decision
        return list(self._decisions.values())

    def _followed(self, proposal: Proposal) -> Decision | None:
        """What `accept all` decides; whatever holds a secret or needs an answer is asked about all the same."""
        if not self._takes_rest or self.asks_category or proposal.id in self.secrets:
            return None
        return followed(proposal)

    def _decide(self, proposal: Proposal, proposals: Sequence[Proposal]) -> Decision:
        edits = Decision(proposal.id, Action.SKIP)
        if self.asks_category:
            edits = replace(edits, category=self._category(proposal))
        self._show_diff(_default(proposal, edits), whole=False)
        while True:
            key = self._select(proposal, proposals)
            if key == "q":
                raise Cancelled(CANCELLED)
            if key in _EDITS:
                edits = self._edited(key, proposal, edits)
            elif key == "d":
                self._show_diff(self._choose_option(proposal, edits), whole=True)
            elif (decision := self._settled(key, proposal, proposals, edits)) is not None:
                return decision

    def _settled(self, key: str, proposal: Proposal, proposals: Sequence[Proposal], edits: Decision) -> Decision | None:
        """The decision that a key stands for; None where the person thought better of it."""
        if key == "a":
            self._takes_rest = True
            decision = followed(proposal)
            if decision is None:
                self.show("This recommendation is weak: decide on this one yourself.")
                return None
            decision = replace(edits, action=decision.action, target=decision.target)
        elif key == "o":
            another = self._another(edits)
            if another is None:
                return None
            decision = another
        elif key == "m":
            decision = replace(edits, action=Action.CREATE, merge_into=self._other(proposal, proposals))
        else:
            decision = _option(key, proposal, edits)
        if decision.action is Action.SKIP:
            return decision if self._may_skip(proposal) else None
        return decision if self._may_store(proposal) else None

    def _select(self, proposal: Proposal, proposals: Sequence[Proposal]) -> str:
        choices = [*render.options(proposal), Choice("o", "update or extend another memory")]
        if len(proposals) > 1 and self._others(proposal, proposals):
            choices.append(Choice("m", "merge with another segment"))
        choices += [
            Choice("t", "edit the topic"),
            Choice("g", "edit the category"),
            Choice("x", "edit the text"),
            Choice("d", "see the whole diff"),
            Choice("a", "accept this and all remaining recommendations (weak ones are still asked)"),
            Choice("q", "cancel"),
        ]
        return self.prompter.select("What should happen?", choices, render.recommended_key(proposal))

    def _edited(self, key: str, proposal: Proposal, edits: Decision) -> Decision:
        segment = render.segment_of(proposal)
        if key == "t":
            return self._with_topic(edits, self.prompter.text("Topic", edits.topic or segment.topic))
        if key == "g":
            return replace(edits, category=self._category(proposal))
        return replace(edits, text=self.prompter.edit(edits.text or segment.text))

    def _with_topic(self, edits: Decision, topic: str) -> Decision:
        """The edits with a topic; as they are where it is none."""
        try:
            return replace(edits, topic=topic)
        except UnusableInput as fault:
            self.show(f"{fault.message}. {fault.hint}")
            return edits

    def _category(self, proposal: Proposal) -> str:
        names = {name[0].lower(): name for name in STANDARD_CATEGORIES}
        suggested = render.segment_of(proposal).category
        default = next((key for key, name in names.items() if name == suggested), "i")
        return names[self.prompter.select("Category?", [Choice(*pair) for pair in names.items()], default)]

    def _choose_option(self, proposal: Proposal, edits: Decision) -> Decision:
        choices = [choice for choice in render.options(proposal) if choice.key != "s"]
        recommended = render.recommended_key(proposal)
        default = recommended if recommended != "s" else choices[0].key
        return _option(self.prompter.select("The diff of which?", choices, default), proposal, edits)

    def _another(self, edits: Decision) -> Decision | None:
        """To update or extend a memory that the person names; None where that cannot be, or is not wanted after all."""
        name = self.prompter.text("Which memory? Its id", "").strip()
        target = MemoryId(name if name.startswith(PREFIX) else PREFIX + name)
        ways = [Choice("u", f"update {target}"), Choice("e", f"extend {target}")]
        action = Action.UPDATE if self.prompter.select("How?", ways, "e") == "u" else Action.EXTEND
        decision = replace(edits, action=action, target=target)
        try:
            diff = self.preview(decision)
        except (UnknownMemory, Refused) as fault:
            self.show(f"{fault.message}. {fault.hint}")
            return None
        self._show(diff, whole=False)
        return decision if self.prompter.confirm("Do that?", default=True) else None

    def _show_diff(self, decision: Decision, *, whole: bool) -> None:
        if decision.action is Action.SKIP:
            return
        try:
            self._show(self.preview(decision), whole=whole)
        except Refused as fault:  # something else can be decided all the same
            self.show(f"cannot be done: {fault.message}. {fault.hint}")

    def _show(self, diff: str, *, whole: bool) -> None:
        lines = diff.splitlines()
        if not whole and len(lines) > _SHORT_DIFF_LINES:
            left = len(lines) - _SHORT_DIFF_LINES
            lines = [*lines[:_SHORT_DIFF_LINES], f"… {left} more lines (d shows them)"]
        self.show("\n".join(lines))

    def _others(self, proposal: Proposal, proposals: Sequence[Proposal]) -> list[Proposal]:
        """The segments this one may join: not itself, none that is skipped or has joined another."""
        gone = {d.proposal_id for d in self._decisions.values() if d.action is Action.SKIP or d.merge_into}
        return [other for other in proposals if other.id != proposal.id and other.id not in gone]

    def _other(self, proposal: Proposal, proposals: Sequence[Proposal]) -> str:
        others = self._others(proposal, proposals)
        keys = [
            Choice(str(number), f"{other.id}  {render.segment_of(other).title or other.summary}")
            for number, other in enumerate(others, 1)
        ]
        return others[int(self.prompter.select("Merge with which segment?", keys, "1")) - 1].id

    def _may_skip(self, proposal: Proposal) -> bool:
        joined = [d.proposal_id for d in self._decisions.values() if d.merge_into == proposal.id]
        if not joined:
            return True
        if not self.prompter.confirm(f"{', '.join(joined)} was merged into this one. Skip all of it?", default=False):
            return False
        for proposal_id in joined:
            self._decisions[proposal_id] = Decision(proposal_id, Action.SKIP)
        return True

    def _may_store(self, proposal: Proposal) -> bool:
        if proposal.id not in self.secrets:
            return True
        question = "This looks like it holds a secret, and would be stored and committed. Store it all the same?"
        wanted = self.prompter.confirm(question, default=False)
        self.accepted_secrets = self.accepted_secrets or wanted
        return wanted


_EDITS = ("t", "g", "x")


def _default(proposal: Proposal, edits: Decision) -> Decision:
    return _option(render.recommended_key(proposal), proposal, edits)


def _option(key: str, proposal: Proposal, edits: Decision) -> Decision:
    """The decision behind a key of `render.options`."""
    if key == "c":
        return replace(edits, action=Action.CREATE)
    if key == "s":
        return replace(edits, action=Action.SKIP)
    target: MemoryId = proposal.candidates[int(key[1:]) - 1].id
    return replace(edits, action=Action.UPDATE if key[0] == "u" else Action.EXTEND, target=target)


def choose_files(prompter: Prompter, files: Sequence[tuple[str, int]], page: int = 10) -> tuple[str, ...]:
    """Which of the files (path, size in bytes) a person wants, asked in pages. Raises Cancelled for none."""
    chosen: list[str] = []
    for start in range(0, len(files), page):
        shown = files[start : start + page]
        width = max(len(path) for path, _ in shown)
        choices = [Choice(path, f"{path:<{width}}  {render.size(size)}") for path, size in shown]
        where = f"Files {start + 1}-{start + len(shown)} of {len(files)}: learn which?"
        chosen.extend(prompter.checkbox(where, choices))
    if not chosen:
        raise Cancelled(CANCELLED)
    return tuple(chosen)
