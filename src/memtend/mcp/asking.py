"""From proposals to a person's decisions, whatever the ability: asked in forms, or answered later with `apply`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memtend.errors import NotFound
from memtend.mcp import forms
from memtend.mcp.answers import NOTICE, Answer, Form, Outcome, Question, page
from memtend.mcp.arguments import SWITCH, Arguments, Parameter
from memtend.review import Action, Decision, Proposal

if TYPE_CHECKING:
    from memtend.mcp.desk import Desk

SHOWN = 20
_NEXT = (
    "Nothing is written yet. Show the person each proposal; then call apply with this plan and their decisions, each "
    "with the proposal's digest. What has no decision is skipped."
)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Proposals that wait for decisions, and what is done with those. `about` is told with the proposals."""

    kind: str
    proposals: tuple[Proposal, ...]
    preview: Callable[[Decision], str]
    apply: Callable[[Sequence[Decision]], Answer]
    about: Mapping[str, Any] = field(default_factory=dict)
    secrets: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Places of what looks like a secret, by proposal."""

    def summary(self, proposal: Proposal) -> str:
        """A proposal in a line."""
        return forms.summary_of(proposal, proposal.id in self.secrets)


def ask(desk: "Desk", waiting: Waiting) -> Outcome:
    """Ask about all proposals, some at a time; too many, or none, are told instead."""
    name = desk.plans.keep(waiting)
    if not 0 < len(waiting.proposals) <= forms.MOST:
        return planned(name, waiting, 0)
    return _form(desk, name, waiting, ())


def _form(desk: "Desk", name: str, waiting: Waiting, decided: tuple[Decision, ...]) -> Question:
    """The next form; behind the last one the decisions are applied."""
    batches = forms.batches(waiting.proposals)
    number = len(decided) // forms.AT_ONCE

    def then(filled: Mapping[str, Any]) -> Outcome:
        answered = (*decided, *forms.decisions(batches[number], filled))
        if number + 1 < len(batches):
            return _form(desk, name, waiting, answered)
        return apply(desk, name, waiting, answered)

    form = forms.form(batches[number], waiting.preview, waiting.secrets, number=number + 1, of=len(batches))
    return Question(form, then, lambda: planned(name, waiting, 0), {"plan": name})


def apply(desk: "Desk", name: str, waiting: Waiting, decided: Sequence[Decision]) -> Answer:
    """Do what was decided; the plan waits no longer once that is done."""
    answer = waiting.apply(decided)
    desk.plans.take(name)
    return answer


def planned(name: str, waiting: Waiting, offset: int) -> Answer:
    """The proposals, for a client that answers them itself."""
    briefs = [forms.brief(proposal, has_secret=proposal.id in waiting.secrets) for proposal in waiting.proposals]
    told = page("proposals", briefs, offset=offset, limit=SHOWN)
    document = {"notice": NOTICE, "status": "planned", "plan": name, **waiting.about, **told}
    document |= {"secrets": {id: list(places) for id, places in waiting.secrets.items()}} if waiting.secrets else {}
    return Answer(document | {"next": _NEXT if waiting.proposals else "There is nothing to decide."})


def kept(desk: "Desk", name: str) -> Waiting:
    """The plan of a name. Raises NotFound."""
    waiting = desk.plans.get(name)
    if waiting is None:
        raise NotFound(
            f"No plan {name} is waiting here", hint="Plans end with the server that made them: make it again."
        )
    return waiting


def lines_of(waiting: Waiting, decided: Sequence[Decision]) -> list[str]:
    """What decisions would do, a line each."""
    known = {proposal.id: waiting.summary(proposal) for proposal in waiting.proposals}
    chosen = [decision for decision in decided if decision.action is not Action.SKIP]
    lines = [
        f"{one.proposal_id}: {forms.choice_of(one.action, one.target)}, from: {known[one.proposal_id][:100]}"
        for one in chosen[:SHOWN]
    ]
    return lines + ([f"… and {len(chosen) - SHOWN} more"] if len(chosen) > SHOWN else [])


def confirm(lines: Sequence[str], do: Callable[[], Outcome], unasked: Callable[[], Outcome] | None = None) -> Question:
    """One yes or no before something is written; who cannot be asked gets `unasked`, or it is done."""
    message = "\n".join(["Write this? It can be undone.", *lines])
    form = Form(message, {"write": {"type": "boolean", "title": "Write it", "default": True}})
    return Question(form, lambda filled: do() if filled.get("write", True) is True else declined(), unasked or do)


def confirmed(tool: str, given: Arguments, lines: Sequence[str], do: Callable[[], Outcome]) -> Question:
    """The same for a tool with a parameter `confirmed`, which a client that cannot ask sets when it calls again."""
    ask = f"Nothing is written yet. Ask the person; then call {tool} again with confirmed true."
    would = Answer({"status": "planned", "action": given["action"], "about": list(lines), "next": ask})
    return confirm(lines, do, do if given["confirmed"] else lambda: would)


CONFIRMED = Parameter(
    name="confirmed",
    kind=SWITCH,
    about="The person said yes, where your client cannot ask.",
    example=True,
    default=False,
)


def declined(what: str = "declined", besides: Mapping[str, Any] | None = None) -> Answer:
    """The end where a person said no (`declined`) or closed the form (`cancelled`)."""
    said = "said no" if what == "declined" else "closed the form without an answer"
    return Answer({"status": what, "message": f"The person {said}. Nothing was written.", **(besides or {})})
