"""Learning, joined: documents → segments → neighbours from the index → proposals → decisions → one change set."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memtend.change import ChangeSet, Verb
from memtend.errors import NotFound, SecretFound
from memtend.learn import secrets
from memtend.learn.acquire import Acquired, acquire, harvest
from memtend.learn.draft import draft
from memtend.learn.segment import Segment, content_map, segment
from memtend.memory import Memory, MemoryId
from memtend.review import Action, Decision
from memtend.store.receipt import Receipt
from memtend.text import fold, key_terms
from memtend.workspace.known import Known, without_copies
from memtend.workspace.naming import find, whole
from memtend.workspace.plan import LearnRequest, Listed, Operation, Plan, SecretPlace
from memtend.workspace.preview import diff
from memtend.workspace.upkeep import Upkeep

if TYPE_CHECKING:
    from memtend.workspace import Workspace

Step = Callable[[int, int, str], None]
"""Told how much of how much is done (0 of 0: not known yet) and of what; what it raises ends the work."""


def unwatched(done: int, of: int, what: str) -> None:
    """The step of work that nobody watches."""


def _stepped(segments: Sequence[Segment], step: Step) -> Iterator[Segment]:
    for done, item in enumerate(segments):
        step(done, len(segments), "comparing with what is known")
        yield item


@dataclass(frozen=True, slots=True)
class Learned:
    """What applying a plan did."""

    mode: str
    content_map: Any
    operations: tuple[Operation, ...]
    receipt: Receipt | None
    """None where there was nothing to write."""

    @property
    def memories_affected(self) -> int:
        """How many memories were created or changed."""
        return len({operation.memory_id for operation in self.operations if operation.type != "SKIP"})

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON values (vault spec, 6)."""
        return {
            "status": "completed",
            "mode": self.mode,
            "content_map": self.content_map,
            "operations": [operation.to_json() for operation in self.operations],
            "memories_affected": self.memories_affected,
            "receipt": self.receipt.to_json() if self.receipt else None,
        }


@dataclass(frozen=True, slots=True)
class Learning:
    """Learning into one vault."""

    workspace: "Workspace"

    def documents(self, request: LearnRequest) -> tuple[Listed, ...]:
        """What a request would read."""
        return tuple(Listed(document.path, document.size_bytes) for document in self._acquired(request).documents)

    def plan(self, request: LearnRequest, step: Step) -> Plan:
        """Propose what to do with each segment of what is named. Writes nothing."""
        step(0, 0, "reading")
        return self._plan(self._acquired(request), request, step)

    def harvest(self, task: int) -> Plan:
        """Propose a task's memory candidates. Writes nothing."""
        return self._plan(harvest(task, project=Path(self.workspace.project)), LearnRequest(task=task))

    def preview(self, plan: Plan, decision: Decision) -> str:
        """What one decision would change, as a unified diff of the memory's file."""
        memories = self.workspace.memories(include_retired=True)
        change_set = self._drafted(plan, [replace(decision, merge_into=None)], memories)
        ids = {memory.id: memory.place.path for memory in memories}
        paths = [ids[id] for id in change_set.memory_ids if id in ids]
        tree = {path: self.workspace.store.read_file(path) for path in paths} | self._template()
        edits = self.workspace.layout.encode(change_set, tree, self.workspace.now)
        return "".join(line for edit in edits for line in diff(edit.path, tree.get(edit.path), edit.after))

    def apply(
        self, plan: Plan, decisions: Sequence[Decision], allow_secrets: bool, allow_large: bool, commit: bool | None
    ) -> Learned:
        """Do what was decided, in one change set."""
        if not allow_secrets:
            _require_no_secrets(plan, decisions)
        paths: dict[MemoryId, str] = {}
        fresh: list[MemoryId] = []

        def decided(memories: Sequence[Memory]) -> ChangeSet:
            change_set = self._drafted(plan, decisions, memories)
            paths.update({memory.id: memory.place.path for memory in memories})
            fresh.extend(change.memory_id for change in change_set.of(Verb.CREATE))
            return change_set

        receipt = Upkeep(self.workspace).apply(decided, allow_large=allow_large, commit=commit)
        paths |= {MemoryId(Path(path).stem): path for path in receipt.paths if self.workspace.layout.claims(path)}
        operations = _operations(plan, decisions, fresh, paths)
        return Learned(plan.mode, plan.content_map, tuple(operations), receipt if receipt.id else None)

    def _acquired(self, request: LearnRequest) -> Acquired:
        limit = request.max_files if request.max_files is not None else self.workspace.settings.number("max_files")
        acquired = acquire(
            request.inputs,
            text=request.text,
            files=request.files,
            directory=request.directory,
            task=request.task,
            project=Path(self.workspace.project),
            vault=Path(self.workspace.root),
            max_files=limit,
        )
        return acquired if request.only is None else acquired.only(request.only)

    def _plan(self, acquired: Acquired, request: LearnRequest, step: Step = unwatched) -> Plan:
        step(0, 0, f"cutting {len(acquired.documents)} documents")
        known = Known(self.workspace)
        cut = segment(acquired, topic=request.topic or "", related=known.topics)
        places = {item.id: tuple(_secrets(item)) for item in cut.segments}
        segments = tuple(_without_secret_terms(item) if places[item.id] else item for item in cut.segments)
        proposals = without_copies(known.proposal(item, request.category) for item in _stepped(segments, step))
        return Plan(
            mode=acquired.mode,
            content_map=content_map(acquired, segments),
            proposals=tuple(proposals),
            warnings=(*acquired.warnings, *known.vanished(acquired, proposals)),
            skipped=tuple({"path": item.path, "reason": item.reason} for item in (*acquired.skipped, *cut.skipped)),
            secrets=tuple(place for found in places.values() for place in found),
        )

    def _drafted(self, plan: Plan, decisions: Sequence[Decision], memories: Sequence[Memory]) -> ChangeSet:
        """The change set that the decisions come to, with all memories that there are."""
        taken = {fold(memory.id) for memory in memories} | {fold(Path(memory.place.path).stem) for memory in memories}
        targets = {decision.target for decision in decisions} | {
            proposal.recommendation.target for proposal in plan.proposals
        }
        ids = {memory.id for memory in memories if memory.id in targets}
        return draft(
            plan.proposals,
            decisions,
            {id: whole(self.workspace, find(memories, id)) for id in ids},
            now=self.workspace.now,
            taken=lambda id: fold(id) in taken,
            frame=partial(self.workspace.layout.framed, tree=self._template()),
        )

    def _template(self) -> dict[str, bytes]:
        """The vault's template for new memories, where it has one."""
        path = self.workspace.layout.template_path
        with suppress(NotFound):
            return {path: self.workspace.store.read_file(path)}
        return {}


def _operations(
    plan: Plan, decisions: Sequence[Decision], created: Iterable[MemoryId], paths: Mapping[MemoryId, str]
) -> Iterator[Operation]:
    """What became of each segment that was decided on, in the order of the plan."""
    answers = {decision.proposal_id: decision for decision in decisions}
    fresh = iter(created)
    ids: dict[str, tuple[Action, MemoryId | None]] = {}
    for proposal in plan.proposals:
        decision = answers.get(proposal.id)
        if decision is None or decision.merge_into is not None:
            continue
        action = proposal.recommendation.action if decision.action is Action.ACCEPT else decision.action
        target = decision.target or proposal.recommendation.target
        ids[proposal.id] = (action, next(fresh) if action is Action.CREATE else target)
    for proposal in plan.proposals:
        if proposal.id in answers:
            action, id = ids[_root(proposal.id, answers)]
            yield Operation(action.upper(), id, proposal.id, paths.get(id, "") if id else "")


def _root(proposal_id: str, answers: dict[str, Decision]) -> str:
    """The segment that a segment has joined in the end."""
    while (into := answers[proposal_id].merge_into) is not None:
        proposal_id = into
    return proposal_id


def _secrets(item: Segment) -> Iterator[SecretPlace]:
    """Where a segment holds what looks like a secret, by the line of its source."""
    for found in secrets.find(item.text):
        yield SecretPlace(item.id, item.source_file, item.start_line + found.line - 1, found.kind)


def _without_secret_terms(item: Segment) -> Segment:
    """The segment with key terms from its other lines alone: a term is shown and indexed, a secret is not."""
    secret_lines = {found.line for found in secrets.find(item.text)}
    lines = item.text.split("\n")
    harmless = "\n".join(line for number, line in enumerate(lines, 1) if number not in secret_lines)
    kept = tuple(term for term in key_terms(item.text) if fold(term) in fold(harmless))
    return replace(item, key_terms=kept or key_terms(harmless))


def _require_no_secrets(plan: Plan, decisions: Sequence[Decision]) -> None:
    """Raise SecretFound where anything that would be stored looks like a secret."""
    stored = {decision.proposal_id: decision for decision in decisions if decision.action is not Action.SKIP}
    places = [place for place in plan.secrets if place.segment_id in stored and stored[place.segment_id].text is None]
    lines = [f"{place.path} line {place.line} ({place.kind})" for place in places]
    lines += [
        f"{decision.proposal_id}, as edited, line {found.line} ({found.kind})"
        for decision in stored.values()
        if decision.text is not None
        for found in secrets.find(decision.text)
    ]
    if lines:
        raise SecretFound(
            f"this looks like a key or password: {'; '.join(lines)}",
            hint="Take it out, leave that segment out, or store it all the same with --allow-secrets.",
        )
