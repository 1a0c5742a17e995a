"""What each action on a category memory proposes, and what an accepted proposal comes to.

Proposals are plain JSON; drafting one makes the edits anew on the files as they are, and refuses where those are not
the ones that were decided on. Whatever is drafted was checked before it is handed to the store.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from memtend.errors import SelfCheckFailed, StaleDecision
from memtend.layouts import Problem
from memtend.layouts.category import additions, erasure, paths
from memtend.layouts.category import split as splitting
from memtend.layouts.category.by_model import Model, condense_by
from memtend.layouts.category.compact import Candidate, Compaction, Condense, Options, choose, leaving, plan
from memtend.layouts.category.condense import Originals, condense
from memtend.layouts.category.diagnose import between_files, file_problems
from memtend.layouts.category.entries import Document, Entry
from memtend.layouts.category.folder import Edits, Folder
from memtend.layouts.category.restore import restored
from memtend.layouts.category.summary import Summary
from memtend.layouts.category.sync import day_of
from memtend.layouts.category.verify import failures
from memtend.memory import Digest, MemoryId
from memtend.review import Action, Proposal, Recommendation, Strength
from memtend.workspace.category.answers import CategoryPlan

Planner = Callable[[Folder, Candidate, Options, datetime, Condense], Compaction]
"""Who plans the compaction of a category. Whatever it plans has to pass the checks."""
REFRESH_HOURS = 48
"""Sessions older than this are compacted by `refresh` (category spec, 4)."""


class Drafted(NamedTuple):
    """What an accepted proposal comes to."""

    edits: Edits
    addresses: tuple[str, ...]
    """The entries concerned."""
    report: Mapping[str, Any]
    left: tuple[str, ...] = ()
    needles: tuple[bytes, ...] = ()
    """What the journal must not hold afterwards."""


class _Prepared(NamedTuple):
    """What was planned, and on what: the same again need not be planned again."""

    tree: Mapping[str, bytes]
    entries: Sequence[Entry]
    options: Options
    compaction: Compaction
    refused: str

    def is_for(self, folder: Folder, candidate: Candidate, options: Options) -> bool:
        """Whether it is the plan for these entries in this very tree."""
        asked = (self.entries, self.options) == (candidate.entries, options)
        return asked and self.tree == folder.tree


@dataclass
class Work:
    """Proposals and drafts for one memory at one moment."""

    now: datetime
    planner: Planner = plan
    model: Model | None = None
    _prepared: dict[str, _Prepared] = field(default_factory=dict)

    def drafted(
        self, folder: Folder, kind: str, accepted: Sequence[Proposal]
    ) -> tuple[Sequence[Drafted], dict[str, bytes | None]]:
        """What the accepted proposals of a kind come to, each on what the one before leaves, and all their edits."""
        if kind == "forget":
            whole = self.forgotten(folder, accepted)
            return (whole,), dict(whole.edits)
        draft = {
            "compact": self.compacted,
            "refresh": self.compacted,
            "split": self.split,
            "restore": self.restored,
        }[kind]
        drafted: list[Drafted] = []
        edits: dict[str, bytes | None] = {}
        for proposal in accepted:
            drafted.append(draft(folder, proposal))
            edits |= drafted[-1].edits
            folder = folder.after(drafted[-1].edits)
        return drafted, edits

    # compact and refresh

    def compactions(
        self, folder: Folder, options: Options, kind: str, *, category: str = "", task: str = "", pressure: bool = False
    ) -> CategoryPlan:
        """A proposal for each category that yields something, each planned on what the one before leaves."""
        candidates, skipped = choose(folder, options, self.now, category=category, task=task, pressure=pressure)
        proposals = []
        there = folder
        for candidate in candidates:
            compaction = self._compaction(there, candidate, options)
            proposals.append(self._compact_proposal(there, candidate, compaction, options, kind))
            there = there.after(compaction.edits)
        return CategoryPlan(
            kind,
            tuple(proposals),
            tuple({"category": each.category, "files": each.raw_count, "reason": each.reason} for each in skipped),
            tuple(_warnings(folder, {candidate.category for candidate in candidates} | ({category} - {""}), options)),
        )

    def _compaction(self, folder: Folder, candidate: Candidate, options: Options) -> Compaction:
        """What compacting a category does, checked. Raises SelfCheckFailed where one of the nine checks fails."""
        known = self._prepared.get(candidate.category)
        if known is not None and known.is_for(folder, candidate, options):
            return known.compaction
        refused: list[str] = []
        compaction = self.planner(folder, candidate, options, self.now, self._condense(refused))
        failed = failures(folder, compaction, options, self.now)
        if failed:
            reasons = "; ".join(f"{name}: {reason}" for name, reason in failed.items())
            raise SelfCheckFailed(
                f"the compaction of {candidate.category} does not pass its checks ({reasons})",
                hint="Nothing was written. Please report this with the files concerned.",
            )
        self._prepared[candidate.category] = _Prepared(
            folder.tree, candidate.entries, options, compaction, "; ".join(refused)
        )
        return compaction

    def _condense(self, refused: list[str]) -> Condense:
        model = self.model
        if model is None:
            return condense

        def by_model(originals: Originals) -> Summary:
            answered = condense_by(model, originals)
            refused.extend([answered.refused] if answered.refused else ())
            return answered.summary

        return by_model

    def _compact_proposal(
        self, folder: Folder, candidate: Candidate, compaction: Compaction, options: Options, kind: str
    ) -> Proposal:
        report = self._report(candidate, compaction)
        entries, files = len(candidate.entries), candidate.file_count
        what = "entry" if entries == 1 else "entries"
        summary = f"{candidate.category}: archive {entries} {what} of {files} {'file' if files == 1 else 'files'}"
        payload = {"category": candidate.category, "options": asdict(options), "report": report}
        relies_on = {MemoryId(entry.address): _digest(folder, entry.path) for entry in candidate.entries}
        return _proposal(f"{kind}-{candidate.category}", kind, summary, payload, relies_on)

    def _report(self, candidate: Candidate, compaction: Compaction) -> dict[str, Any]:
        """What a person sees of a compaction."""
        summary = compaction.summary
        report: dict[str, Any] = {
            "category": candidate.category,
            "files": candidate.file_count,
            "raw_files": candidate.raw_count,
            "oldest": candidate.oldest,
            "entries": list(compaction.addresses),
            "archive": compaction.archive_path,
            "summary": summary.path if summary else None,
        }
        if summary is None:
            return report
        return report | _told(summary) | {"model_refused": self._prepared[candidate.category].refused}

    def compacted(self, folder: Folder, proposal: Proposal) -> Drafted:
        """The edits of a compaction that was accepted. Raises StaleDecision where other entries would go now."""
        values = dict(proposal.payload["options"])
        options = Options(**{**values, "tags": tuple(values.get("tags", ()))})
        category = str(proposal.payload["category"])
        candidates, _ = choose(folder, options, self.now, category=category)
        found = candidates[0].entries if candidates else ()
        there = {MemoryId(entry.address): _digest(folder, entry.path) for entry in found}
        if there != dict(proposal.digests):
            raise StaleDecision(
                f"{category} has changed since this was decided", hint="Run the command again to decide on it now."
            )
        compaction = self._compaction(folder, candidates[0], options)
        return Drafted(compaction.edits, compaction.addresses, self._report(candidates[0], compaction))

    # split

    def splits(self, folder: Folder, only: str = "") -> CategoryPlan:
        """A proposal for each durable file that is too long; those that cannot be split are skipped."""
        proposals, skipped = [], []
        for document in splitting.oversized(folder):
            if only in ("", document.path):
                found = splitting.propose(folder, document)
                if not found.parts:
                    skipped.append({"path": found.path, "lines": found.lines, "reason": found.reason})
                    continue
                summary = f"{found.path} ({found.lines} lines): {len(found.parts)} new files"
                parts = [
                    {"path": part.path, "title": part.title, "entries": len(part.addresses)} for part in found.parts
                ]
                payload = {"path": found.path, "report": {"path": found.path, "lines": found.lines, "parts": parts}}
                relies_on = {MemoryId(found.path): _digest(folder, found.path)}
                proposals.append(_proposal(f"split-{found.path}", "split", summary, payload, relies_on))
        return CategoryPlan("split", tuple(proposals), tuple(skipped))

    def split(self, folder: Folder, proposal: Proposal) -> Drafted:
        """The edits of a split. Raises StaleDecision, SelfCheckFailed."""
        path = str(proposal.payload["path"])
        _require_current(folder, proposal)
        found = splitting.propose(folder, folder.document(path))
        edits = splitting.edits(folder, found, self.now)
        after = folder.after(edits)
        if _marked(folder) != _marked(after):
            raise SelfCheckFailed(f"splitting {path} would change an entry", hint="Nothing was written.")
        addresses = tuple(address for part in found.parts for address in part.addresses)
        return Drafted(edits, addresses, proposal.payload["report"])

    # restore and forget

    def restorations(self, folder: Folder, archive: str, *, keep: bool) -> CategoryPlan:
        """One proposal: what an archive would give back. Raises NotFound, Integrity, ChangedOnDisk."""
        path = archive_named(folder, archive)
        found = restored(folder, path, day_of(self.now), keep=keep)
        how = "the very tree from before" if found.is_exact else "entry by entry, since files have changed"
        summary = f"{path}: give back {len(found.addresses)} ({how})"
        report = {"archive": path, "entries": list(found.addresses), "exact": found.is_exact, "left": list(found.left)}
        payload = {"archive": path, "keep": keep, "report": report}
        proposal = _proposal(f"restore-{path}", "restore", summary, payload, {MemoryId(path): _digest(folder, path)})
        return CategoryPlan("restore", (proposal,))

    def restored(self, folder: Folder, proposal: Proposal) -> Drafted:
        """The edits of a restore. Raises StaleDecision, and what restoring raises."""
        _require_current(folder, proposal)
        path = str(proposal.payload["archive"])
        found = restored(folder, path, day_of(self.now), keep=bool(proposal.payload["keep"]))
        report = {**proposal.payload["report"], "exact": found.is_exact, "entries": list(found.addresses)}
        return Drafted(found.edits, found.addresses, report, found.left)

    def erasures(self, folder: Folder, target: str, text: str) -> CategoryPlan:
        """A proposal for each place that would be forgotten. Raises UnknownMemory."""
        proposals = []
        for number, place in enumerate(erasure.find(folder, target=target, text=text), 1):
            summary = f"{place.where}: {place.path}: {place.title}"
            payload = {
                "target": target,
                "text": text,
                "place": [place.where, place.path, place.address],
                "report": {"where": place.where, "path": place.path, "address": place.address},
            }
            relies_on = {MemoryId(place.path): _digest(folder, place.path)}
            proposals.append(_proposal(f"forget-{number:03}", "forget", summary, payload, relies_on))
        return CategoryPlan("forget", tuple(proposals))

    def forgotten(self, folder: Folder, accepted: Sequence[Proposal]) -> Drafted:
        """The edits that take all accepted places out together. Raises StaleDecision, UnknownMemory."""
        for proposal in accepted:
            _require_current(folder, proposal)
        wanted = Counter(tuple(proposal.payload["place"]) for proposal in accepted)
        first = accepted[0].payload
        places = erasure.find(folder, target=str(first["target"]), text=str(first["text"]))
        numbered = {f"forget-{number:03}": place for number, place in enumerate(places, 1)}
        chosen = [numbered[each.id] for each in accepted if each.id in numbered]
        if Counter((place.where, place.path, place.address) for place in chosen) != wanted:
            raise StaleDecision("the memory has changed since this was decided", hint="Run the command again.")
        found = erasure.erase(folder, chosen, day_of(self.now))
        texts = (str(first["text"]).encode(),) if first["text"] else ()
        report = {"places": len(chosen), "paths": sorted(found.edits)}
        return Drafted(found.edits, (), report, needles=(*found.needles, *texts))


def _told(summary: Summary) -> dict[str, Any]:
    """What a summary keeps, and how long it is."""
    kept = {name: {"kept": each[0], "total": each[1]} for name, each in asdict(summary.kept).items()}
    return kept | {
        "original_tokens": summary.original_tokens,
        "summary_tokens": summary.tokens,
        "share": summary.tokens / summary.original_tokens if summary.original_tokens else 0.0,
        "over_share": summary.excess,
        "contradictions": summary.contradictions,
        "maker": summary.maker,
    }


def added(folder: Folder, new: additions.New, now: datetime, *, force: bool) -> additions.Addition:
    """What adding an entry does; every entry that was there is there afterwards. Raises SelfCheckFailed."""
    found = additions.add(folder, new, now, force=force)
    lost = _marked(folder) - _marked(folder.after(found.edits))
    if lost:
        raise SelfCheckFailed("adding this would change another entry", hint="Nothing was written.")
    return found


def _marked(folder: Folder) -> Counter[tuple[str, bool]]:
    """Every entry by its hash and whether it is marked."""
    return Counter((entry.sha256, entry.marker is not None) for entry in folder.entries)


def archive_named(folder: Folder, name: str) -> str:
    """The path of the archive that a name means: its path, its file's name with or without ending, or its id."""
    wanted = name.removeprefix(f"{paths.ARCHIVE}/").removesuffix(".md").removesuffix(".archive")
    exact = f"{paths.ARCHIVE}/{wanted}.archive.md"
    if exact in folder.tree:
        return exact
    return next((path for path, held in folder.archives.items() if held.id == name), exact)


def _proposal(
    id: str, kind: str, summary: str, payload: Mapping[str, Any], digests: Mapping[MemoryId, Digest]
) -> Proposal:
    recommendation = Recommendation(Action.ACCEPT, None, Strength.STRONG)
    return Proposal(id, kind, summary, (Action.ACCEPT, Action.SKIP), recommendation, digests=digests, payload=payload)


def _digest(folder: Folder, path: str) -> Digest:
    return Digest(folder.digest(path) or "")


def _require_current(folder: Folder, proposal: Proposal) -> None:
    """Raise StaleDecision where a file is not the one that was decided on."""
    for path, digest in proposal.digests.items():
        if folder.digest(path) != digest:
            raise StaleDecision(f"{path} has changed since this was decided", hint="Run the command again.")


def _warnings(folder: Folder, categories: Iterable[str], options: Options) -> Iterable[Problem]:
    """What is wrong with the markers of the categories that a compaction looks at."""
    chosen = set(categories)
    for document in folder.documents.values():
        if paths.category_of(document.path) in chosen:
            yield from (problem for problem in file_problems(document) if problem.code in _MARKER_PROBLEMS)
            yield from _held_back(document, options)
    for problem in between_files(folder.documents.values(), archived_ids(folder)):
        if paths.category_of(problem.path) in chosen and problem.code != "predecessor-unmarked":
            yield problem


def _held_back(document: Document, options: Options) -> Iterable[Problem]:
    """Marked entries that stay because their neighbours would run together."""
    durability = paths.durability_of(paths.category_of(document.path))
    if durability is not paths.Durability.DURABLE or document.file_marker or not document.has_keywords:
        return
    going = leaving(document, options.heading_markers)
    for entry in document.entries:
        if entry.gate(options.heading_markers) and entry not in going:
            message = f"{entry.id or entry.title} is marked, but cannot leave without changing what stands around it"
            yield Problem("entangled", "warning", document.path, message, entry.line)


_MARKER_PROBLEMS = frozenset({"incomplete-marker", "loose-marker", "two-markers", "markers-disagree"})


def archived_ids(folder: Folder) -> list[tuple[str, str]]:
    """The ids in the archives, each with its archive."""
    return [(item.id, path) for path, held in folder.archives.items() for item in held.items if item.id]
