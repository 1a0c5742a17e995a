"""Proposals as forms for a person, and the filled-in forms as decisions. Pure.

One field a proposal, a choice of plain words such as `extend MEM-x`; the message above says what each is about and
what would change. A field left out, and a proposal that holds what looks like a secret, is skipped.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memtend.errors import StaleDecision, UnusableInput, Usage
from memtend.mcp.answers import Form
from memtend.mcp.arguments import sound
from memtend.memory import MemoryId
from memtend.review import Action, Decision, Proposal, Strength, proposal_to_json

AT_ONCE = 8
"""Proposals in one form."""
MOST = 64
"""Proposals that a person is asked about in forms; more are answered with `apply`."""
HIDDEN = "(not shown, since it looks like a secret)"
_DIFF_LINES = 12
_LINE = 160
_WITH_TARGET = (Action.UPDATE, Action.EXTEND)


def batches(proposals: Sequence[Proposal]) -> list[tuple[Proposal, ...]]:
    """The proposals, as many together as one form asks about."""
    return [tuple(proposals[at : at + AT_ONCE]) for at in range(0, len(proposals), AT_ONCE)]


def form(
    proposals: Sequence[Proposal],
    diff: Callable[[Decision], str],
    secrets: Mapping[str, Sequence[str]],
    *,
    number: int = 1,
    of: int = 1,
) -> Form:
    """The form about some proposals. `secrets` are places by proposal, `diff` says what a decision would change."""
    heading = "What should be done with these? Nothing is written before you accept."
    heading += f" (Form {number} of {of}.)" if of > 1 else ""
    told = [_told(proposal, diff, secrets.get(proposal.id, ())) for proposal in proposals]
    fields = {proposal.id: _field(proposal, bool(secrets.get(proposal.id))) for proposal in proposals}
    return Form(sound("\n\n".join([heading, *told])), fields)


def _field(proposal: Proposal, has_secret: bool) -> dict[str, Any]:
    choices = [str(Action.SKIP)] if has_secret else options(proposal)
    recommended = choice_of(proposal.recommendation.action, proposal.recommendation.target)
    is_sure = proposal.recommendation.strength in (Strength.MEDIUM, Strength.STRONG)
    default = recommended if is_sure and recommended in choices else str(Action.SKIP)
    field = {
        "type": "string",
        "title": f"{proposal.id}: {_short(summary_of(proposal, has_secret), 80)}",
        "enum": choices,
    }
    return field | ({"default": default} if default in choices else {})


def summary_of(proposal: Proposal, has_secret: bool) -> str:
    """A proposal's summary, unless it may be the secret itself."""
    return HIDDEN if has_secret else _short(proposal.summary)


def options(proposal: Proposal) -> list[str]:
    """What may be chosen for a proposal, what is recommended first."""
    targets = dict.fromkeys(
        id for id in (proposal.recommendation.target, *(c.id for c in proposal.candidates)) if id is not None
    )
    first = choice_of(proposal.recommendation.action, proposal.recommendation.target)
    rest: list[str] = []
    for action in proposal.actions:
        rest += [choice_of(action, id) for id in targets] if action in _WITH_TARGET else [choice_of(action, None)]
    return list(dict.fromkeys([first, *rest, str(Action.SKIP)]))


def choice_of(action: Action, target: MemoryId | None) -> str:
    """A choice in words: the action, and the memory it is done to."""
    return f"{action} {target}" if target is not None and action in _WITH_TARGET else str(action)


def decisions(proposals: Sequence[Proposal], filled: Mapping[str, Any]) -> tuple[Decision, ...]:
    """What a filled-in form says. Raises UnusableInput for a choice that the form did not offer."""
    found = []
    for proposal in proposals:
        chosen = filled.get(proposal.id, str(Action.SKIP))
        if chosen not in options(proposal):
            raise UnusableInput(
                f"{proposal.id}: {chosen!r} was not among the choices", hint="Nothing was written. Ask again."
            )
        action, _, target = str(chosen).partition(" ")
        found.append(Decision(proposal.id, Action(action), MemoryId(target) if target else None))
    return tuple(found)


def _told(proposal: Proposal, diff: Callable[[Decision], str], secrets: Sequence[str]) -> str:
    """What a person should know of one proposal."""
    terms = ", ".join(map(str, proposal.payload.get("key_terms", ())))
    lines = [f"{proposal.id}: {summary_of(proposal, bool(secrets))}"]
    lines += [f"  topic {proposal.payload['topic']}"] if proposal.payload.get("topic") else []
    lines += [f"  key terms {_short(terms)}"] if terms and not secrets else []
    for near in proposal.candidates:
        conflict = f", differs in a {near.conflict}" if near.conflict else ""
        lines.append(f"  near {near.id} ({_short(near.title, 60)}): {near.overlap:.0%} of the terms{conflict}")
    recommended = proposal.recommendation
    reasons = f": {_short('; '.join(recommended.reasons))}" if recommended.reasons else ""
    sure = f" ({recommended.strength})" if recommended.strength is not Strength.NONE else ""
    lines.append(f"  recommended: {choice_of(recommended.action, recommended.target)}{sure}{reasons}")
    if secrets:
        lines.append(f"  looks like a secret, so it can only be skipped here: {'; '.join(secrets)}")
    elif recommended.action is not Action.SKIP:
        lines += _shortened(diff(Decision(proposal.id, recommended.action, recommended.target)))
    return "\n".join(lines)


def _shortened(diff: str) -> list[str]:
    lines = _without_new_head([line for line in diff.splitlines() if not line.startswith(("--- ", "+++ "))])
    shown = ["  " + _short(line) for line in lines[:_DIFF_LINES]]
    return shown + ([f"  … {len(lines) - _DIFF_LINES} more lines"] if len(lines) > _DIFF_LINES else [])


def _without_new_head(lines: list[str]) -> list[str]:
    """A new file is shown without its frontmatter: what it says is the rest."""
    if len(lines) < 2 or not lines[0].startswith("@@ -0,0") or lines[1] != "+---":
        return lines
    end = next((at for at, line in enumerate(lines[2:], 2) if line == "+---"), 0)
    return [line for line in lines[end + 1 :] if line != "+"]


def _short(text: str, most: int = _LINE) -> str:
    text = " ".join(text.split()) if "\n" in text else text
    return text if len(text) <= most else text[: most - 1] + "…"


def digest_of(proposal: Proposal) -> str:
    """What an answer to a proposal carries, so that it can only be an answer to this one."""
    text = json.dumps(proposal_to_json(proposal), ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def brief(proposal: Proposal, *, has_secret: bool = False) -> dict[str, Any]:
    """A proposal for an agent that is to show it: short, with the digest that its answer must carry."""
    recommended = proposal.recommendation
    return {
        "segment_id": proposal.id,
        "digest": digest_of(proposal),
        "summary": summary_of(proposal, has_secret),
        "topic": proposal.payload.get("topic", ""),
        "key_terms": [] if has_secret else list(proposal.payload.get("key_terms", ())),
        "actions": list(proposal.actions),
        "recommendation": {
            "action": recommended.action,
            "target": recommended.target,
            "strength": recommended.strength,
            "conflict": recommended.conflict,
            "reasons": [_short(reason) for reason in recommended.reasons],
        },
        "candidates": [
            {
                "id": near.id,
                "title": _short(near.title, 80),
                "overlap": round(near.overlap, 3),
                "similarity": round(near.similarity, 3),
                "conflict": near.conflict,
            }
            for near in proposal.candidates
        ],
    }


def undigested(data: Any, proposals: Sequence[Proposal]) -> dict[str, Any]:
    """Decisions without their digests, by segment, each checked against its proposal.

    `{"seg-001": {"action": …, "digest": …}}` or a list of such objects with a `segment_id`. Raises Usage where a
    digest is missing, StaleDecision where it is another proposal's.
    """
    known = {proposal.id: digest_of(proposal) for proposal in proposals}
    found: dict[str, Any] = {}
    for id, decision in _by_segment(data).items():
        given = decision.pop("digest", None)
        if id in known and given is None:
            raise Usage(f"the decision on {id} has no digest", hint=_example(id, known[id]))
        if id in known and given != known[id]:
            raise StaleDecision(
                f"the decision on {id} was made on another proposal (digest {given}, now {known[id]})",
                hint="Look at the proposals again, or learn once more.",
            )
        found[id] = decision
    return found


def _by_segment(data: Any) -> dict[str, dict[str, Any]]:
    try:
        pairs = (
            [(str(item["segment_id"]), {k: v for k, v in item.items() if k != "segment_id"}) for item in data]
            if isinstance(data, list)
            else [(str(id), dict(answer)) for id, answer in data.items()]
        )
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        raise Usage("decisions are an object by segment", hint=_example("seg-001", "the proposal's digest")) from fault
    return dict(pairs)


def _example(id: str, digest: str) -> str:
    return f'For instance {{"{id}": {{"action": "extend", "target": "MEM-x", "digest": "{digest}"}}}}.'
