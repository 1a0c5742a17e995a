"""From decisions on segments to the change set that would carry them out (vault spec, 2.4).

Pure: memories come in as values, nothing is written. A change says exactly what reading the file will give back, so
text is brought into that form here (see `memtend.body`). One memory gets one change, whatever was decided for it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    united,
    written_summary,
)
from memtend.memory import Digest, Memory, MemoryId, Place
from memtend.review import Action, Decision, Proposal, answers_to
from memtend.text import key_terms, slug, topic_path

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
    made: dict[MemoryId, Memory | _Changing] = {}
    for piece in _pieces(proposals, decisions):
        action, target = _choice(piece)
        if action is Action.CREATE:
            memory = _new(piece.segment, today, _id(piece.segment, taken, made), category)
            made[memory.id] = frame(memory) if frame else memory
        elif action is not Action.SKIP:
            old = _current(piece, target, memories)
            changing = made.setdefault(old.id, _Changing(old))
            assert isinstance(changing, _Changing)  # what is created here is no target
            changing.follow(Verb(action), piece.segment, today)
            changing.tell(piece.decision)
    changes = tuple(
        created(each) if isinstance(each, Memory) else _change(each.verb, each.finished(today), memories[id])
        for id, each in made.items()
    )
    changes = tuple(change for change in changes if change.fields)
    return ChangeSet(changes, note=f"memory: add/update {len(changes)} memories" if changes else "")


def _change(verb: Verb, new: Memory, old: Memory) -> Change:
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


def _current(piece: _Piece, target: MemoryId | None, memories: Mapping[MemoryId, Memory]) -> Memory:
    """The memory to change, which has to be the one that was decided on."""
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
    return memory


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
        topic=topic_path(segment.topic),
        category=category,
        tags=united((category,) if category else (), segment.tags),
        keywords=keywords_of(segment),
        summary=written_summary(segment),
        source=segment.source,
        created=today,
        modified=today,
    )


def _id(segment: LearnPayload, taken: Callable[[str], bool], made: Iterable[MemoryId]) -> MemoryId:
    used = {id.casefold() for id in made}
    name = slug(
        topic_path(segment.topic),
        title_of(segment),
        lambda name: f"mem-{name}".casefold() in used or taken(f"MEM-{name}"),
    )
    return MemoryId(f"MEM-{name}")


@dataclass(slots=True)
class _Names:
    """Tags or keywords that a memory gets, in front of its own and behind them."""

    front: list[Sequence[str]] = field(default_factory=list)
    back: list[Sequence[str]] = field(default_factory=list)

    def around(self, own: tuple[str, ...]) -> tuple[str, ...]:
        """All of them, each once; its own as they are where there are no others."""
        return united(*reversed(self.front), own, *self.back) if self.front or self.back else own


@dataclass(slots=True)
class _Changing:
    """A memory that is changed, by one decision or by thousands. What grows with them is put together in the end."""

    memory: Memory
    verb: Verb = Verb.EXTEND
    added: list[LearnPayload] = field(default_factory=list)
    """What goes below its text."""
    versions: list[str] = field(default_factory=list)
    """What it said before, as entries of History; empty where that was nothing."""
    tags: _Names = field(default_factory=_Names)
    keywords: _Names = field(default_factory=_Names)

    def follow(self, verb: Verb, segment: LearnPayload, today: str) -> None:
        """Replace the text by a segment's, or extend it."""
        if verb is Verb.UPDATE:
            self.verb = verb
            self._update(segment, today)
        else:
            self.added.append(segment)

    def _update(self, segment: LearnPayload, today: str) -> None:
        old, title = self._extended(today), title_of(segment)
        content = content_of(segment, title)
        self.memory = old
        if content == old.text and (title == old.title or content == fit(segment.text)):
            return
        self.tags.back += ((category_of(segment.category),), segment.tags)
        self.keywords.front.append(keywords_of(segment))
        self.versions.append(_version(old, title, segment.source, today))
        summary = written_summary(segment)
        self.memory = replace(
            old, title=title, content=content, trailing="", summary=summary, source=segment.source, modified=today
        )

    def _extended(self, today: str) -> Memory:
        """The text as it is, and what was added below it, each part under its own heading."""
        segments, self.added = self.added, []
        if not segments:
            return self.memory
        self.tags.back += [segment.tags for segment in segments]
        self.keywords.back += [keywords_of(segment) for segment in segments]
        parts = (closed(self.memory.content), *(_extension(each, today) for each in segments))
        return replace(self.memory, content="\n\n".join(filter(None, parts)), modified=today)

    def tell(self, decision: Decision) -> None:
        """Give it the topic, title and category that a person gave; what was not given stays."""
        title, category = one_line(decision.title or ""), category_of(decision.category or "")
        if title:
            self.memory = replace(self.memory, title=title)
        if decision.topic is not None:
            self.memory = replace(self.memory, topic=topic_path(decision.topic))
        if category and category != self.memory.category:
            self.memory = replace(self.memory, category=category)
            self.tags.front.append((category,))

    def finished(self, today: str) -> Memory:
        """The memory as all decisions leave it, the newest of its earlier texts first in History."""
        memory = self._extended(today)
        return replace(
            memory,
            tags=self.tags.around(memory.tags),
            keywords=self.keywords.around(memory.keywords),
            history="\n\n".join(filter(None, (*reversed(self.versions), memory.history))),
        )


def _version(old: Memory, title: str, source: str, today: str) -> str:
    if not old.text:
        return ""
    notes = [f"**Title**: {one_line(old.title)}"] if old.title != title else []
    notes += [f"**Source**: {one_line(old.source)}"] if old.source not in ("", source) else []
    date = (old.modified or old.created)[:10] or today
    return earlier_version(f"Previous Version ({one_line(date)})", old.text, notes)


def _extension(segment: LearnPayload, today: str) -> str:
    text = below(closed(tidy(fenced(segment.text, segment.language))), 3)
    return f"## Extension ({today})\n\n**Source**: {one_line(segment.source)}\n\n{text}"
