"""From proposals to a person's decisions, whatever the ability: asked in forms, or answered later with `apply`.

One rule holds for every tool that writes. What a person wrote, and what will be believed as knowledge, changes only
after a person's yes: through a form, or through `apply` with the proposal's digest. Only candidates (what comes from
the source `auto` or an `extract`, the inbox) and counts are written at once: of use, and of health in the log. That a
search promotes a candidate whose own words it finds is such a count of use (role spec, 3).
"""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memtend.errors import Conflict, NotFound
from memtend.mcp import forms
from memtend.mcp.answers import NOTICE, Answer, Form, Outcome, Question, page
from memtend.review import Action, Decision, Proposal, Recommendation, Strength

if TYPE_CHECKING:
    from memtend.mcp.desk import Desk
    from memtend.memory import Digest, MemoryId

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
    turn: threading.Lock = field(default_factory=threading.Lock)
    """Held from the first apply on, and let go only where that failed: a call that is made twice writes once."""

    def summary(self, proposal: Proposal) -> str:
        """A proposal in a line."""
        return forms.summary_of(proposal, proposal.id in self.secrets)


def one_change(
    kind: str,
    id: str,
    summary: str,
    payload: Mapping[str, Any],
    *,
    digests: "Mapping[MemoryId, Digest] | None" = None,
    reasons: Sequence[str] = (),
) -> Proposal:
    """The proposal of a change that is accepted as it stands or not at all.

    `payload` is whatever makes this change another one than the next, so that no decision fits both; its `diff` and
    `paths` are shown. `digests` are of what the change stands on.
    """
    recommendation = Recommendation(Action.ACCEPT, None, Strength.MEDIUM, reasons=tuple(reasons))
    actions = (Action.ACCEPT, Action.SKIP)
    return Proposal(id, kind, summary, actions, recommendation, digests=dict(digests or {}), payload=dict(payload))


def ask_once(
    desk: "Desk", proposal: Proposal, do: Callable[[], Answer], about: Mapping[str, Any] | None = None
) -> Outcome:
    """Ask about one change, and do it after a yes."""

    def apply(decided: Sequence[Decision]) -> Answer:
        return do() if any(decision.action is Action.ACCEPT for decision in decided) else declined()

    def preview(_: Decision) -> str:
        return str(proposal.payload.get("diff", ""))

    return ask(desk, Waiting(proposal.kind, (proposal,), preview, apply, about or {}))


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
    """Do what was decided; the plan waits no longer once that is done. Raises Conflict where it is done already."""
    if not waiting.turn.acquire(blocking=False):
        raise Conflict("This plan is being applied, or was", hint="See what is there now; make the plan again.")
    is_done = False
    try:
        answer = waiting.apply(decided)
        is_done = True
    finally:
        if not is_done:
            waiting.turn.release()
    desk.plans.take(name)
    return answer


def planned(name: str, waiting: Waiting, offset: int) -> Answer:
    """The proposals, for a client that answers them itself."""
    briefs = [forms.brief(proposal, has_secret=proposal.id in waiting.secrets) for proposal in waiting.proposals]
    is_single = len(briefs) == 1 and forms.is_plain(waiting.proposals[0])
    told = {"proposals": briefs} if is_single else page("proposals", briefs, offset=offset, limit=SHOWN)
    document = {"notice": NOTICE, "status": "planned", "plan": name, **waiting.about, **told}
    document |= {"secrets": {id: list(places) for id, places in waiting.secrets.items()}} if waiting.secrets else {}
    if is_single:
        return Answer(document | {"next": _call(name, waiting.proposals[0])})
    return Answer(document | {"next": _NEXT if waiting.proposals else "There is nothing to decide."})


def _call(name: str, proposal: Proposal) -> str:
    """What to do about a plan of one change, with the call that accepts it."""
    decision = {"action": str(Action.ACCEPT), "digest": forms.digest_of(proposal)}
    call = json.dumps({"plan": name, "decisions": {proposal.id: decision}}, ensure_ascii=False)
    return f"Nothing is written yet. Show the person this change; only after their yes call apply {call}."


def kept(desk: "Desk", name: str) -> Waiting:
    """The plan of a name. Raises NotFound."""
    waiting = desk.plans.get(name)
    if waiting is None:
        raise NotFound(
            f"No plan {name} is waiting here",
            hint="A plan ends when it is applied, and with the server that made it: make it again.",
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


def confirm(lines: Sequence[str], do: Callable[[], Outcome]) -> Question:
    """One yes or no before decisions are applied; who cannot be asked has brought the person's decisions along."""
    field = {"type": "boolean", "title": "Write it", "default": True}
    form = Form("\n".join(["Write this?", *lines]), {"write": field})
    return Question(form, lambda filled: do() if filled.get("write", True) is True else declined(), do)


def declined(what: str = "declined", besides: Mapping[str, Any] | None = None) -> Answer:
    """The end where a person said no (`declined`) or closed the form (`cancelled`)."""
    said = "said no" if what == "declined" else "closed the form without an answer"
    return Answer({"status": what, "message": f"The person {said}. Nothing was written.", **(besides or {})})
