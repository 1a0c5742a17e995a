"""What the actions on a category memory answer. Each can be written as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from memtend.errors import NewerFormat, UnusableInput
from memtend.layouts import Problem
from memtend.review import Proposal, proposal_from_json, proposal_to_json
from memtend.workspace import plan_file

FORMAT = 1


@dataclass(frozen=True, slots=True)
class CategoryPlan:
    """What an action would do: one proposal for each thing that can be accepted or left."""

    kind: str
    """`compact`, `refresh`, `split`, `restore`, `forget` or `add`."""
    proposals: tuple[Proposal, ...] = ()
    skipped: tuple[Mapping[str, Any], ...] = ()
    """What yields nothing, with the reason."""
    problems: tuple[Problem, ...] = ()
    """What a person should know before deciding."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to decide."""
        return not self.proposals

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values, whole enough to be applied later."""
        return {
            "status": "planned",
            "format": FORMAT,
            "kind": self.kind,
            "proposals": [proposal_to_json(proposal) for proposal in self.proposals],
            "skipped": [dict(each) for each in self.skipped],
            "problems": [asdict(problem) for problem in self.problems],
        }

    def save(self, path: Path) -> None:
        """Write the plan to a file. Raises UnusableInput where that fails."""
        plan_file.save(path, self.to_json())


def load_plan(path: Path) -> CategoryPlan:
    """The plan that `save` wrote. Raises NotFound, UnusableInput, NewerFormat."""
    return plan_from_json(plan_file.load(path, hint="`memtend category compact --plan FILE` makes one."))


def plan_from_json(data: Any) -> CategoryPlan:
    """A plan from JSON values. Raises UnusableInput, NewerFormat."""
    if not isinstance(data, Mapping) or data.get("status") != "planned" or "kind" not in data:
        raise UnusableInput("that is no plan of a category memory", hint="Make it again with --plan.")
    if data.get("format", FORMAT) != FORMAT:
        raise NewerFormat("the plan was made by a newer memtend", hint="Update memtend, or make the plan again.")
    try:
        return CategoryPlan(
            str(data["kind"]),
            tuple(proposal_from_json(each) for each in data["proposals"]),
            tuple(dict(each) for each in data.get("skipped", ())),
            tuple(Problem(**each) for each in data.get("problems", ())),
        )
    except (KeyError, TypeError, ValueError) as fault:
        raise UnusableInput(f"the plan is damaged: {fault}", hint="Make it again with --plan.") from fault


@dataclass(frozen=True, slots=True)
class Done:
    """What an action did."""

    kind: str
    done: tuple[Mapping[str, Any], ...] = ()
    """One report for each proposal that was accepted."""
    skipped: tuple[Mapping[str, Any], ...] = ()
    left: tuple[str, ...] = ()
    """What could not be done, one sentence each."""
    problems: tuple[Problem, ...] = ()
    paths: tuple[str, ...] = ()
    receipt: str = ""
    """Empty where nothing was written."""
    warnings: tuple[str, ...] = ()
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        status = "planned" if self.dry_run else "done" if self.receipt else "unchanged"
        values = asdict(self)
        values.pop("dry_run")
        return {"status": status, **values}


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryInfo:
    """One category in the list."""

    category: str
    durability: str
    files: int
    entries: int
    tokens: int
    compactable_files: int
    compactable_entries: int
    compactable_tokens: int
    oldest: str = ""
    newest: str = ""
    is_registered: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveInfo:
    """One archive in the list."""

    path: str
    category: str
    archived_at: str
    entries: int
    forgotten: int = 0
    is_damaged: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """What a memory holds."""

    root: str
    categories: tuple[CategoryInfo, ...]
    archives: tuple[ArchiveInfo, ...] = ()
    files: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


class EntryHit(NamedTuple):
    """One entry that was found."""

    address: str
    id: str
    title: str
    category: str
    date: str
    score: float
    snippet: str = ""
    reasons: tuple[str, ...] = ()
    is_active: bool = True
    archive: str = ""


@dataclass(frozen=True, slots=True)
class SearchedEntries:
    """The answer of a search."""

    query: str
    hits: tuple[EntryHit, ...] = field(default=())
    looked_for: str = ""
    """What was looked for instead, where nothing has a word as it was spelled."""

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        instead = {"looked_for": self.looked_for} if self.looked_for else {}
        return {"query": self.query, **instead, "hits": [hit._asdict() for hit in self.hits]}
