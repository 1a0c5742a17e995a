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
from memtend.review import Action, Candidate, Decision, Proposal, Strength, proposal_to_json

AT_ONCE = 8
"""Proposals in one form."""
MOST = 64
"""Proposals that a person is asked about in forms; more are answered with `apply`."""
NEAREST = 3
"""Memories that a form offers for a proposal: the recommended one and the nearest. `apply` takes any candidate."""
HIDDEN = "(not shown, since it looks like a secret)"
_DIFF_LINES, _ONE_DIFF_LINES, _WHOLE_DIFF_LINES = 12, 40, 60
"""Lines of a change in a form of several, in a form of one, and in an answer."""
_LINE = 160
_CHANGE = 600
"""Characters of a change told as old and new text."""
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
    heading = "Should this be done?" if all(map(is_plain, proposals)) else "What should be done with these?"
    heading += " Nothing is written before you accept."
    heading += f" (Form {number} of {of}.)" if of > 1 else ""
    most = _ONE_DIFF_LINES if len(proposals) == of == 1 else _DIFF_LINES
    told = [_told(proposal, diff, secrets.get(proposal.id, ()), most) for proposal in proposals]
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


def is_plain(proposal: Proposal) -> bool:
    """Whether a proposal is accepted as it stands or not at all."""
    return Action.ACCEPT in proposal.actions


def summary_of(proposal: Proposal, has_secret: bool) -> str:
    """A proposal's summary, unless it may be the secret itself."""
    return HIDDEN if has_secret else _short(proposal.summary, _CHANGE if is_plain(proposal) else _LINE)


def options(proposal: Proposal) -> list[str]:
    """What a form offers for a proposal, what is recommended first."""
    targets = _offered(proposal)
    first = choice_of(proposal.recommendation.action, proposal.recommendation.target)
    rest: list[str] = []
    for action in proposal.actions:
        rest += [choice_of(action, id) for id in targets] if action in _WITH_TARGET else [choice_of(action, None)]
    return list(dict.fromkeys([first, *rest, str(Action.SKIP)]))


def _offered(proposal: Proposal) -> list[MemoryId]:
    near = (proposal.recommendation.target, *(candidate.id for candidate in proposal.candidates))
    return list(dict.fromkeys(id for id in near if id is not None))[:NEAREST]


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


def _told(proposal: Proposal, diff: Callable[[Decision], str], secrets: Sequence[str], most: int) -> str:
    """What a person should know of one proposal, with so many lines of its change."""
    terms = ", ".join(map(str, proposal.payload.get("key_terms", ())))
    lines = [f"{proposal.id}: {summary_of(proposal, bool(secrets))}"]
    lines += [f"  topic {proposal.payload['topic']}"] if proposal.payload.get("topic") else []
    lines += [f"  key terms {_short(terms)}"] if terms and not secrets else []
    for near in (candidate for candidate in proposal.candidates if candidate.id in _offered(proposal)):
        conflict = f", differs in a {near.conflict}" if near.conflict else ""
        lines.append(f"  near {near.id} ({_short(near.title, 60)}): {near.overlap:.0%} of the terms{conflict}")
    recommended = proposal.recommendation
    reasons = f": {_short('; '.join(recommended.reasons))}" if recommended.reasons else ""
    sure = f" ({recommended.strength})" if recommended.strength is not Strength.NONE else ""
    if not is_plain(proposal) or recommended.reasons:
        lines.append(f"  recommended: {choice_of(recommended.action, recommended.target)}{sure}{reasons}")
    if secrets:
        lines.append(f"  looks like a secret, so it can only be skipped here: {'; '.join(secrets)}")
    elif recommended.action is not Action.SKIP:
        lines += _shortened(diff(Decision(proposal.id, recommended.action, recommended.target)), most)
        lines += _shortened("\n".join(proposal.payload.get("paths", ())), most) if is_plain(proposal) else []
    return "\n".join(lines)


def _shortened(diff: str, most: int) -> list[str]:
    lines = _without_new_head([line for line in diff.splitlines() if not line.startswith(("--- ", "+++ "))])
    shown = ["  " + _short(line) for line in lines[:most]]
    return shown + ([f"  … {len(lines) - most} more lines"] if len(lines) > most else [])


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
    first = {
        "segment_id": proposal.id,
        "digest": digest_of(proposal),
        "summary": summary_of(proposal, has_secret),
    }
    if is_plain(proposal):
        return first | _plain_brief(proposal)
    recommended = proposal.recommendation
    return first | {
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
        "candidates": [_brief_of(near) for near in proposal.candidates],
    }


def _brief_of(near: Candidate) -> dict[str, Any]:
    return {
        "id": near.id,
        "title": _short(near.title, 80),
        "overlap": round(near.overlap, 3),
        "similarity": round(near.similarity, 3),
        "conflict": near.conflict,
    }


def _plain_brief(proposal: Proposal) -> dict[str, Any]:
    """The rest of a proposal that is accepted as it stands: what it changes, and why where that is not clear."""
    recommended = proposal.recommendation
    why = {
        "action": recommended.action,
        "strength": recommended.strength,
        "reasons": [_short(reason) for reason in recommended.reasons],
    }
    lines = str(proposal.payload.get("diff", "")).splitlines()
    shown = [_short(line, _CHANGE) for line in lines[:_WHOLE_DIFF_LINES]]
    shown += [f"… {len(lines) - _WHOLE_DIFF_LINES} more lines"] if len(lines) > _WHOLE_DIFF_LINES else []
    paths = list(proposal.payload.get("paths", ()))[:_WHOLE_DIFF_LINES]
    found = {"recommendation": why if why["reasons"] else None, "diff": "\n".join(shown), "paths": paths}
    return {"actions": list(proposal.actions)} | {name: value for name, value in found.items() if value}


def undigested(data: Any, proposals: Sequence[Proposal]) -> dict[str, Any]:
    """Decisions without their digests, by segment, each checked against its proposal.

    `{"seg-001": {"action": …, "digest": …}}` or a list of such objects with a `segment_id`. Raises Usage where a
    digest is missing, StaleDecision where it is another proposal's.
    """
    known = {proposal.id: proposal for proposal in proposals}
    found: dict[str, Any] = {}
    for id, decision in _by_segment(data).items():
        given = decision.pop("digest", None)
        if id in known:
            _require_digest(known[id], given)
        found[id] = decision
    return found


def _require_digest(proposal: Proposal, given: Any) -> None:
    digest = digest_of(proposal)
    if given is None:
        action = Action.ACCEPT if is_plain(proposal) else Action.EXTEND
        raise Usage(f"the decision on {proposal.id} has no digest", hint=_example(proposal.id, action, digest))
    if given != digest:
        raise StaleDecision(
            f"the decision on {proposal.id} was made on another proposal (digest {given}, now {digest})",
            hint="Nothing was written. Show the person the proposal that has this digest now, or make the plan again.",
        )


def _by_segment(data: Any) -> dict[str, dict[str, Any]]:
    try:
        pairs = (
            [(str(item["segment_id"]), {k: v for k, v in item.items() if k != "segment_id"}) for item in data]
            if isinstance(data, list)
            else [(str(id), dict(answer)) for id, answer in data.items()]
        )
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        raise Usage("decisions are an object by segment", hint=_example("seg-001", Action.EXTEND, "…")) from fault
    return dict(pairs)


def _example(id: str, action: Action, digest: str) -> str:
    target = {"target": "MEM-x"} if action in _WITH_TARGET else {}
    example = {id: {"action": action, **target, "digest": digest}}
    return f"For instance {json.dumps(example, ensure_ascii=False)}."
