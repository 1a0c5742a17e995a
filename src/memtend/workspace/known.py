"""What a vault already knows about a segment: near memories, those of the same source, and retired ones."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from memtend.distill.log import LOG, hash_of_words, remembered
from memtend.errors import NotFound
from memtend.learn.acquire import USER_INPUT, Acquired
from memtend.learn.comparison import Neighbour
from memtend.learn.match import propose, topics_of
from memtend.learn.payload import LearnPayload, fenced, written_summary
from memtend.learn.segment import Segment
from memtend.memory import Digest, Memory, MemoryId
from memtend.review import Action, Proposal, Recommendation, Strength
from memtend.search import catalogue as table
from memtend.text import fold, words

if TYPE_CHECKING:
    from memtend.workspace import Workspace

CANDIDATES = 5
"""How many memories a segment is compared with (vault spec, 2.2)."""
ALIKE = 0.3
"""Similarity from which two versions of a section are taken for the same section."""


class Known:
    """A vault's memories as learning sees them, looked up once for a whole plan."""

    def __init__(self, workspace: "Workspace") -> None:
        self._index = workspace.index()
        self._read = workspace.store.read_file
        self._sections: dict[str, dict[str, Memory]] = {}
        self._neighbours: dict[tuple[str, str], Neighbour] = {}
        self._found: dict[str, tuple[Neighbour, ...]] = {}

    def topics(self, key_terms: Sequence[str]) -> tuple[str, ...]:
        """The topics of the memories that match some terms, best first."""
        return topics_of(self._near(" ".join(key_terms)), key_terms)

    def proposal(self, item: Segment, category: str | None) -> Proposal:
        """What to do with a segment."""
        near = self._near(" ".join(item.key_terms) or item.text)
        payload = _payload(item, category)
        siblings = self._from(payload.source)
        same = siblings.get(fold(item.title))
        if same is not None and all(neighbour.id != same.id for neighbour in near):
            near = (*near, self._neighbour(same))
        proposed = propose(
            item.id,
            fenced(item.text, payload.language),
            written_summary(payload) or item.summary,
            item.topic,
            item.key_terms,
            near,
            payload=payload.to_json(),
        )
        return self._unless_retired(_as_next_version(proposed, same, siblings.values()), item)

    def vanished(self, acquired: Acquired, proposals: Iterable[Proposal]) -> tuple[str, ...]:
        """What was learned from a source that no longer says it, one sentence a memory (O-DM-07)."""
        met = {
            candidate.id
            for proposal in proposals
            for candidate in proposal.candidates
            if candidate.similarity >= ALIKE or candidate.id == proposal.recommendation.target
        }
        read = {document.path for document in acquired.documents} - {USER_INPUT}
        return tuple(
            f"{source} no longer holds what {memory.id} says; it was left as it is"
            for source in sorted(read)
            for memory in self._from(source).values()
            if memory.id not in met
        )

    def _near(self, text: str) -> tuple[Neighbour, ...]:
        """The memories nearest to a text; one that has just gone is none."""
        if text not in self._found:
            kept = [self._kept(near) for near in table.neighbours(self._index, text, CANDIDATES)]
            self._found[text] = tuple([near for near in kept if near is not None])
        return self._found[text]

    def _kept(self, near: table.Neighbour) -> Neighbour | None:
        """A neighbour with its text. Each is read once: a large one may be near to many segments."""
        key = near.id, near.digest
        if key not in self._neighbours:
            text = table.text_of(self._index, near)
            if text is None:
                return None
            id, digest = MemoryId(near.id), Digest(near.digest)
            self._neighbours[key] = Neighbour(id, near.title, digest, near.topic, near.category, near.keywords, text)
        return self._neighbours[key]

    def _neighbour(self, memory: Memory) -> Neighbour:
        text = table.texts(self._index, [memory.id]).get(memory.id, "")
        return Neighbour(memory.id, memory.title, memory.digest, memory.topic, memory.category, memory.keywords, text)

    def _from(self, source: str) -> dict[str, Memory]:
        """What was learned from a source, by folded title."""
        if source not in self._sections:
            found = table.from_source(self._index, source) if source != USER_INPUT else []
            self._sections[source] = {fold(memory.title): memory for memory in found}
        return self._sections[source]

    @cached_property
    def _retired_by_words(self) -> dict[tuple[str, ...], Memory]:
        retired = {memory.id: memory for memory in table.retired(self._index)}
        texts = table.texts(self._index, list(retired))
        return {tuple(words(text)): retired[MemoryId(id)] for id, text in texts.items() if text.strip()}

    @cached_property
    def _erased_by_hash(self) -> dict[str, str]:
        """The ids of memories whose files were erased after they had been purged, by the hash of what they said."""
        with suppress(NotFound):
            return remembered(self._read(LOG))
        return {}

    def _unless_retired(self, proposed: Proposal, item: Segment) -> Proposal:
        """What was retired is not learned again unless a person says so (O-DM-08)."""
        if proposed.recommendation.action is Action.SKIP:
            return proposed
        if not (self._retired_by_words or self._erased_by_hash):
            return proposed
        said = tuple(words(fenced(item.text, _payload(item, None).language)))
        untitled = tuple(words(item.text.partition("\n")[2])) if item.text.startswith("#") else said
        reason = self._why_retired(said) or self._why_retired(untitled)
        if not reason:
            return proposed
        return replace(proposed, recommendation=Recommendation(Action.SKIP, None, Strength.STRONG, reasons=(reason,)))

    def _why_retired(self, said: tuple[str, ...]) -> str:
        """What became of a memory that said this; empty where there was none."""
        memory = self._retired_by_words.get(said)
        if memory is not None:
            was = "purged earlier" if memory.retired_reason == "purge" else "retired earlier"
            return f"{was}: {memory.id} says the same ({memory.retired_reason or 'no reason given'})"
        erased = self._erased_by_hash.get(hash_of_words(said)) if self._erased_by_hash else None
        return f"purged earlier: {erased} said the same, and its file was deleted since" if erased else ""


def _payload(item: Segment, category: str | None) -> LearnPayload:
    """What drafting needs of a segment; what its source says of itself counts less than the person."""

    def hinted(name: str) -> tuple[str, ...]:
        value = item.hints.get(name, ())
        return (value,) if isinstance(value, str) else tuple(value)

    return LearnPayload(
        text=item.text,
        title=item.title,
        topic=item.topic,
        category=category or next(iter(hinted("category")), ""),
        tags=hinted("tags"),
        key_terms=item.key_terms,
        keywords=hinted("keywords"),
        language=item.language if item.language != "markdown" else "",
        summary=item.summary if item.language not in ("", "markdown") else "",
        source_file="; ".join(source.path for source in item.sources if source.path != USER_INPUT),
        source_lines="; ".join(f"{source.start_line}-{source.end_line}" for source in item.sources),
    )


def _as_next_version(proposed: Proposal, same: Memory | None, siblings: Iterable[Memory]) -> Proposal:
    """A section that was learned before and reads otherwise now takes the place of what it was.

    That is the memory of the same source which is most alike, else the one under the same title: a heading may move
    to another section's text.
    """
    ids = {memory.id: memory for memory in siblings}
    recommended = proposed.recommendation
    is_next = recommended.action is Action.UPDATE and recommended.target in ids
    is_settled = is_next and (recommended.conflict or recommended.strength is not Strength.WEAK)
    if recommended.action is Action.SKIP or is_settled:
        return proposed
    alike = [candidate for candidate in proposed.candidates if candidate.id in ids and candidate.similarity >= ALIKE]
    nearest = max(alike, key=lambda candidate: candidate.similarity, default=None)
    if nearest is None:
        nearest = next((candidate for candidate in proposed.candidates if same and candidate.id == same.id), None)
    if nearest is None:
        return proposed
    reason = f"the section of {ids[nearest.id].source} that {nearest.id} was learned from, as it is now"
    strength = Strength.WEAK if nearest.conflict else Strength.MEDIUM
    update = Recommendation(Action.UPDATE, nearest.id, strength, nearest.conflict, (reason,))
    return replace(proposed, recommendation=update)


def without_copies(proposals: Iterable[Proposal]) -> list[Proposal]:
    """The proposals; one whose text an earlier one has already is recommended to be skipped."""
    first: dict[tuple[str, ...], str] = {}
    kept: list[Proposal] = []
    for proposal in proposals:
        said = tuple(words(str(proposal.payload.get("text", ""))))
        earlier = first.setdefault(said, proposal.id)
        if earlier != proposal.id and proposal.recommendation.action is not Action.SKIP:
            again = Recommendation(Action.SKIP, None, Strength.STRONG, reasons=(f"the same text as {earlier}",))
            proposal = replace(proposal, recommendation=again)  # noqa: PLW2901 - the proposal as it is kept
        kept.append(proposal)
    return kept
