"""From decisions on segments to the change set that would carry them out (vault spec, 2.4).

Pure: memories come in as values, nothing is written. A change says exactly what reading the file will give back, so
text is brought into that form here (see `memtend.body`). One memory gets one change, whatever was decided for it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

from memtend.body import below, closed, earlier_version, fit, newest_first, tidy
from memtend.change import Change, ChangeSet, Verb, created
from memtend.errors import Refused, StaleDecision, UnknownMemory, UnusableInput
from memtend.frontmatter import names
from memtend.markdown import blocks, sections
from memtend.memory import STANDARD_CATEGORIES, Digest, Memory, MemoryId, Place
from memtend.review import Action, Decision, Proposal
from memtend.text import first_line, fold, key_terms, sentences, shorten, slug

TITLE_LIMIT = 80
SUMMARY_LIMIT = 100
DEFAULT_CATEGORY = "INSIGHT"
NO_SOURCE = "user input"


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnPayload:
    """What a learn proposal carries of its segment: all that drafting needs."""

    text: str
    title: str = ""
    topic: str = ""
    category: str = ""
    """Empty where nobody said; the draft's default is used then, for a new memory only."""
    tags: tuple[str, ...] = ()
    """Beside the category, from the source's own frontmatter."""
    key_terms: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    """Beside the key terms, from the source itself."""
    language: str = ""
    """Of source code, which stands in a memory as a fenced block; empty for prose and Markdown."""
    summary: str = ""
    """Of source code, which has no sentence to take one from."""
    source_file: str = ""
    source_lines: str = ""
    """`15-42`, both ends included."""

    @property
    def source(self) -> str:
        """What a memory names as its source."""
        return self.source_file or NO_SOURCE

    def to_json(self) -> dict[str, Any]:
        """The payload as JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "LearnPayload":
        """The payload that `to_json` wrote; keys it does not know are left out. Raises UnusableInput."""
        known = {field.name for field in fields(cls)}
        given = {name: value for name, value in data.items() if name in known and value is not None}
        if not isinstance(given.get("text"), str):
            raise UnusableInput("a learn proposal without its text", hint="Make the plan again with --plan.")
        lists = {"tags", "key_terms", "keywords"}
        typed: dict[str, Any] = {n: names_of(value) if n in lists else str(value) for n, value in given.items()}
        return cls(**typed)


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
        change = _updated if action is Action.UPDATE else _extended
        desk[old.id] = _as_told(change(old, piece.segment, today), piece.decision)
        made[old.id] = Verb.UPDATE if Verb.UPDATE in (made.get(old.id), Verb(action)) else Verb.EXTEND
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
    asked = {proposal.id: proposal for proposal in proposals}
    answers: dict[str, Decision] = {}
    for decision in decisions:
        if decision.proposal_id not in asked or decision.proposal_id in answers:
            fact = "is decided twice" if decision.proposal_id in answers else "is not in the plan"
            raise UnusableInput(f"{decision.proposal_id} {fact}", hint="Give one decision for each segment.")
        answers[decision.proposal_id] = decision
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
    return replace(
        own,
        text=text,
        language="" if is_joined else own.language,
        title=own.title if decision.title is None else decision.title,
        topic=own.topic if decision.topic is None else decision.topic,
        category=own.category if decision.category is None else decision.category,
        tags=_united(*(segment.tags for segment in others)),
        key_terms=_united(*(segment.key_terms for segment in others)),
        keywords=_united(*(segment.keywords for segment in others)),
        source_file="; ".join(dict.fromkeys(segment.source_file for segment in segments if segment.source_file)),
    )


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
    content = content_of(segment, title)
    keywords = _keywords(segment)
    return Memory(
        id=id,
        place=Place(""),
        digest=Digest(""),
        title=title,
        content=content,
        topic=topic_of(segment.topic),
        category=category,
        tags=_united((category,) if category else (), segment.tags),
        keywords=keywords,
        summary=shorten(segment.summary, SUMMARY_LIMIT) or summary_of(content, title, keywords),
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


def _updated(old: Memory, segment: LearnPayload, today: str) -> Memory:
    """The new text; the old one as the newest entry of History."""
    title = title_of(segment)
    content = content_of(segment, title)
    if content == old.text and (title == old.title or content == fit(segment.text)):
        return old
    keywords = _keywords(segment)
    return replace(
        old,
        title=title,
        content=content,
        trailing="",
        history=_with_version(old, title, segment.source, today),
        tags=_united(old.tags, (category_of(segment.category),), segment.tags),
        keywords=_united(keywords, old.keywords),
        summary=shorten(segment.summary, SUMMARY_LIMIT) or summary_of(content, title, keywords),
        source=segment.source,
        modified=today,
    )


def _with_version(old: Memory, title: str, source: str, today: str) -> str:
    if not old.text:
        return old.history
    notes = [f"**Title**: {_one_line(old.title)}"] if old.title != title else []
    notes += [f"**Source**: {_one_line(old.source)}"] if old.source not in ("", source) else []
    date = (old.modified or old.created)[:10] or today
    return newest_first(earlier_version(f"Previous Version ({_one_line(date)})", old.text, notes), old.history)


def _extended(old: Memory, segment: LearnPayload, today: str) -> Memory:
    """The old text as it is, and the new one below it under its own heading."""
    text = below(closed(tidy(fenced(segment.text, segment.language))), 3)
    extension = f"## Extension ({today})\n\n**Source**: {_one_line(segment.source)}\n\n{text}"
    return replace(
        old,
        content="\n\n".join(filter(None, (closed(old.content), extension))),
        tags=_united(old.tags, segment.tags),
        keywords=_united(old.keywords, _keywords(segment)),
        modified=today,
    )


def _as_told(memory: Memory, decision: Decision) -> Memory:
    """The memory with the topic, title and category that a person gave; what was not given stays."""
    title = _one_line(decision.title or "")
    if title:
        memory = replace(memory, title=title)
    if decision.topic is not None:
        memory = replace(memory, topic=topic_of(decision.topic))
    category = category_of(decision.category or "")
    if category and category != memory.category:
        memory = replace(memory, category=category, tags=_united((category,), memory.tags))
    return memory


# --- the fields ---------------------------------------------------------------------------------------------


def title_of(segment: LearnPayload) -> str:
    """A title on one line of at most 80 characters; the text's first line where the segment has none."""
    title = segment.title if segment.title.strip() else first_line(segment.text)
    return shorten(title, TITLE_LIMIT) or shorten(segment.text, TITLE_LIMIT)


def content_of(segment: LearnPayload, title: str) -> str:
    """What a memory says of a segment: its text without a heading that says the title, or its code in a fence."""
    if segment.language:
        return fit(fenced(segment.text, segment.language))
    return fit(without_title(fit(segment.text), title))  # without its first line, the next may become a heading


def fenced(text: str, language: str) -> str:
    """Source code as a Markdown block, where `# note` is no heading; what is fenced already, and prose, as it is."""
    if not language or text.lstrip().startswith(("```", "~~~")):
        return text
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"


def without_title(text: str, title: str) -> str:
    """The text without a heading that opens it and says the title; one that is all there is stays."""
    data = text.encode()
    headings = sections(data)
    if not headings or headings[0].start or fold(_one_line(headings[0].title)) != fold(title):
        return text
    rest = data[headings[0].text_start :].decode()
    return rest if tidy(rest).strip() else text


def summary_of(content: str, title: str, keywords: Sequence[str]) -> str:
    """A sentence of at most 100 characters that the title does not say already (O-VA-04); else the keywords."""
    said = fold(title.rstrip("…").strip())
    data = content.encode()
    prose = (data[b.span.start : b.span.end].decode() for b in blocks(data) if b.kind in ("paragraph", "list", "quote"))
    for text in prose:
        for sentence in sentences(text):
            if any(char.isalnum() for char in sentence) and not fold(sentence).startswith(said):
                return shorten(sentence, SUMMARY_LIMIT)
    return shorten(", ".join(keywords), SUMMARY_LIMIT)


def topic_of(text: str) -> str:
    """A topic path: lower case, no blanks around its parts, no empty ones."""
    parts = (_one_line(part).lower() for part in text.replace("\\", "/").split("/"))
    return "/".join(filter(None, parts))


def category_of(text: str) -> str:
    """A category's name without brackets; upper case for the five standard ones."""
    name = _one_line(next(iter(names_of(text)), ""))
    return name.upper() if name.upper() in STANDARD_CATEGORIES else name


def names_of(value: object) -> tuple[str, ...]:
    """Tags or keywords by the one rule for lists (`frontmatter.names`), in a form that it no longer changes."""
    found = names(tuple(map(str, value)) if isinstance(value, list | tuple) else str(value))
    while (again := names(found)) != found:
        found = again
    return found


def _keywords(segment: LearnPayload) -> tuple[str, ...]:
    return _united(segment.keywords, segment.key_terms or key_terms(segment.text))


def _united(*groups: Sequence[str]) -> tuple[str, ...]:
    """Every name once, letter case aside, in order."""
    found: dict[str, str] = {}
    for name in names_of(tuple(name for group in groups for name in group)):
        found.setdefault(fold(name), name)
    return tuple(found.values())


def _one_line(text: str) -> str:
    return " ".join(text.split())
