"""From decisions on segments to the change set that would carry them out (vault spec, 2.4).

Pure: memories come in as values, nothing is written. A change says exactly what reading the file will give back, so
text is brought into that form here (see `memtend.body`). One memory gets one change, whatever was decided for it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from memtend.body import below, closed, earlier_version, fit, tidy
from memtend.change import Change, ChangeSet, Verb, created
from memtend.errors import Refused, StaleDecision, UnknownMemory, UnusableInput
from memtend.frontmatter import require_writable
from memtend.learn.payload import (
    LearnPayload,
    category_of,
    content_of,
    fenced,
    keywords_of,
    one_line,
    title_of,
    topic_of,
    united,
    written_summary,
)
from memtend.memory import Digest, Memory, MemoryId, Place
from memtend.review import Action, Decision, Proposal, answers_to
from memtend.text import key_terms, slug

DEFAULT_CATEGORY = "INSIGHT"


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one decision is about: a segment as the person left it, with those merged into it."""

    proposal: Proposal
    decision: Decision
    segment: LearnPayload


Frame = Callable[[Memory], Memory]
"""Adds to a memory that is created what the layout's template says around it."""


def draft(
    proposals: Sequence[Proposal],
    decisions: Sequence[Decision],
    memories: Mapping[MemoryId, Memory],
    *,
    now: datetime,
    taken: Callable[[str], bool],
    frame: Frame | None = None,
    category: str = DEFAULT_CATEGORY,
) -> ChangeSet:
    """The change set that the decisions come to, in the order of the proposals; one left out is skipped.

    `taken` says whether an id (`MEM-…`) is in use, letter case aside. `category` is for new memories that nobody
    gave one. Raises UnusableInput for decisions that cannot be followed, UnknownMemory for a target that is not
    there, StaleDecision for one that has changed since, Refused for one that is retired.
    """
    today = now.astimezone(UTC).date().isoformat()
    desk = dict(memories)
    made: dict[MemoryId, Verb] = {}
    added: dict[MemoryId, list[LearnPayload]] = {}
    replaced: dict[MemoryId, list[str]] = {}
    for piece in _pieces(proposals, decisions):
        action, target = _choice(piece)
        if action is Action.SKIP:
            continue
        if action is Action.CREATE:
            memory = _new(piece.segment, today, _id(piece.segment, taken, made), category)
            desk[memory.id] = frame(memory) if frame else memory
            made[memory.id] = Verb.CREATE
            continue
        old = _current(piece, target, memories, desk)
        if action is Action.UPDATE:
            old = _extended(old, added.pop(old.id, ()), today)
            desk[old.id], version = _updated(old, piece.segment, today)
            replaced.setdefault(old.id, []).append(version)
        else:
            added.setdefault(old.id, []).append(piece.segment)
        desk[old.id] = _as_told(desk[old.id], piece.decision)
        made[old.id] = Verb.UPDATE if Verb.UPDATE in (made.get(old.id), Verb(action)) else Verb.EXTEND
    desk |= {id: _extended(desk[id], segments, today) for id, segments in added.items()}
    desk |= {id: _with_versions(desk[id], versions) for id, versions in replaced.items()}
    changes = tuple(_change(verb, desk[id], memories.get(id)) for id, verb in made.items())
    changes = tuple(change for change in changes if change.fields)
    return ChangeSet(changes, note=f"memory: add/update {len(changes)} memories" if changes else "")


def _change(verb: Verb, new: Memory, old: Memory | None) -> Change:
    if old is None:
        return created(new)
    whole = created(new).fields
    return Change(
        verb, new.id, old.digest, {name: value for name, value in whole.items() if value != getattr(old, name)}
    )


# --- who said what ----------------------------------------------------------------------------------------


def _pieces(proposals: Sequence[Proposal], decisions: Sequence[Decision]) -> list[_Piece]:
    """What is to be done, merged segments as one."""
    answers = answers_to(proposals, decisions)
    groups: dict[str, list[LearnPayload]] = {}
    for proposal in proposals:
        if proposal.id in answers:
            root = _root(proposal.id, answers)
            groups.setdefault(root, []).append(_as_decided(proposal, answers[proposal.id]))
    roots = [proposal for proposal in proposals if proposal.id in groups]
    return [_Piece(each, answers[each.id], _joined(each, answers[each.id], groups[each.id])) for each in roots]


def _root(id: str, answers: Mapping[str, Decision]) -> str:
    """The segment that a segment joins in the end."""
    path = [id]
    while (into := answers[path[-1]].merge_into) is not None:
        if into not in answers or into in path:
            fact = "each other" if into in path else f"{into}, which is not decided"
            raise UnusableInput(f"{id} would be merged into {fact}", hint="Merge into a segment that is kept.")
        path.append(into)
    if len(path) > 1 and answers[path[-1]].action is Action.SKIP:
        raise UnusableInput(
            f"{id} would be merged into {path[-1]}, which is skipped", hint="Keep that segment, or skip both."
        )
    return path[-1]


def _as_decided(proposal: Proposal, decision: Decision) -> LearnPayload:
    """The segment with the person's own words in it."""
    segment = LearnPayload.from_json(proposal.payload)
    if decision.text is not None:
        segment = replace(segment, text=decision.text, key_terms=key_terms(decision.text))
    return segment


def _joined(root: Proposal, decision: Decision, segments: Sequence[LearnPayload]) -> LearnPayload:
    """Several segments as one: the texts in order, the rest the root's, with what the others name added."""
    own = _as_decided(root, decision)
    is_joined = len(segments) > 1
    pieces = (fit(fenced(segment.text, segment.language)) for segment in segments)
    text = "\n\n".join(pieces) if is_joined else own.text
    if not tidy(text).strip() and decision.action is not Action.SKIP:
        raise UnusableInput(f"{root.id} has no text", hint="An empty text replaces nothing; choose skip instead.")
    others = [own, *(segment for segment in segments if segment != own)]
    joined = replace(
        own,
        text=text,
        language="" if is_joined else own.language,
        title=own.title if decision.title is None else decision.title,
        topic=own.topic if decision.topic is None else decision.topic,
        category=own.category if decision.category is None else decision.category,
        tags=united(*(segment.tags for segment in others)),
        key_terms=united(*(segment.key_terms for segment in others)),
        keywords=united(*(segment.keywords for segment in others)),
        source_file="; ".join(dict.fromkeys(segment.source_file for segment in segments if segment.source_file)),
    )
    if decision.action is not Action.SKIP:
        for name in (joined.title, joined.topic, joined.category, *joined.tags):
            require_writable(name)
    return joined


def _choice(piece: _Piece) -> tuple[Action, MemoryId | None]:
    """What to do, and with which memory."""
    decision, recommended = piece.decision, piece.proposal.recommendation
    action = recommended.action if decision.action is Action.ACCEPT else decision.action
    if action not in (Action.CREATE, Action.UPDATE, Action.EXTEND, Action.SKIP):
        raise UnusableInput(
            f"{piece.proposal.id}: {action} is no answer here", hint="Choose update, extend, create or skip."
        )
    candidates = piece.proposal.candidates
    only = candidates[0].id if len(candidates) == 1 else None
    return action, decision.target or recommended.target or only


def _current(
    piece: _Piece, target: MemoryId | None, memories: Mapping[MemoryId, Memory], desk: Mapping[MemoryId, Memory]
) -> Memory:
    """The memory to change, as earlier decisions left it."""
    if target is None:
        raise UnusableInput(f"{piece.proposal.id} does not say which memory", hint='Add "target": "MEM-…".')
    relied_on, memory = piece.proposal.digests.get(target), memories.get(target)
    if memory is None and relied_on is None:
        raise UnknownMemory(f"No memory {target}", hint="`memtend list` shows the ids.")
    if memory is None or relied_on not in (None, memory.digest):
        raise StaleDecision(
            f"{target} {'is gone' if memory is None else 'has changed'} since {piece.proposal.id} was proposed",
            hint="Learn the same source again to decide on what is there now.",
        )
    if not memory.is_active:
        raise Refused(f"{target} is retired ({memory.retired_reason})", hint=f"`memtend restore {target}` first.")
    return desk[target]


# --- what becomes of a memory ------------------------------------------------------------------------------


def _new(segment: LearnPayload, today: str, id: MemoryId, default_category: str) -> Memory:
    category = category_of(segment.category) or category_of(default_category)
    title = title_of(segment)
    return Memory(
        id=id,
        place=Place(""),
        digest=Digest(""),
        title=title,
        content=content_of(segment, title),
        topic=topic_of(segment.topic),
        category=category,
        tags=united((category,) if category else (), segment.tags),
        keywords=keywords_of(segment),
        summary=written_summary(segment),
        source=segment.source,
        created=today,
        modified=today,
    )


def _id(segment: LearnPayload, taken: Callable[[str], bool], made: Mapping[MemoryId, Verb]) -> MemoryId:
    used = {id.casefold() for id in made}
    name = slug(
        topic_of(segment.topic),
        title_of(segment),
        lambda name: f"mem-{name}".casefold() in used or taken(f"MEM-{name}"),
    )
    return MemoryId(f"MEM-{name}")


def _updated(old: Memory, segment: LearnPayload, today: str) -> tuple[Memory, str]:
    """The new text, and the old one as an entry of History, empty where there is none."""
    title = title_of(segment)
    content = content_of(segment, title)
    if content == old.text and (title == old.title or content == fit(segment.text)):
        return old, ""
    new = replace(
        old,
        title=title,
        content=content,
        trailing="",
        tags=united(old.tags, (category_of(segment.category),), segment.tags),
        keywords=united(keywords_of(segment), old.keywords),
        summary=written_summary(segment),
        source=segment.source,
        modified=today,
    )
    return new, _version(old, title, segment.source, today)


def _version(old: Memory, title: str, source: str, today: str) -> str:
    if not old.text:
        return ""
    notes = [f"**Title**: {one_line(old.title)}"] if old.title != title else []
    notes += [f"**Source**: {one_line(old.source)}"] if old.source not in ("", source) else []
    date = (old.modified or old.created)[:10] or today
    return earlier_version(f"Previous Version ({one_line(date)})", old.text, notes)


def _with_versions(memory: Memory, versions: Sequence[str]) -> Memory:
    """The memory with what it said before in its History, the newest first. All at once: it may be long."""
    return replace(memory, history="\n\n".join(filter(None, (*reversed(versions), memory.history))))


def _extended(old: Memory, segments: Sequence[LearnPayload], today: str) -> Memory:
    """The old text as it is, and the new ones below it, each under its own heading. All at once: it may be long."""
    if not segments:
        return old
    return replace(
        old,
        content="\n\n".join(filter(None, (closed(old.content), *[_extension(each, today) for each in segments]))),
        tags=united(old.tags, *[segment.tags for segment in segments]),
        keywords=united(old.keywords, *[keywords_of(segment) for segment in segments]),
        modified=today,
    )


def _extension(segment: LearnPayload, today: str) -> str:
    text = below(closed(tidy(fenced(segment.text, segment.language))), 3)
    return f"## Extension ({today})\n\n**Source**: {one_line(segment.source)}\n\n{text}"


def _as_told(memory: Memory, decision: Decision) -> Memory:
    """The memory with the topic, title and category that a person gave; what was not given stays."""
    title = one_line(decision.title or "")
    if title:
        memory = replace(memory, title=title)
    if decision.topic is not None:
        memory = replace(memory, topic=topic_of(decision.topic))
    category = category_of(decision.category or "")
    if category and category != memory.category:
        memory = replace(memory, category=category, tags=united((category,), memory.tags))
    return memory
