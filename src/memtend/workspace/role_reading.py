"""What a role answers without being changed: listing, search, and what an agent's prompt gets."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from memtend.layouts.role import repair
from memtend.layouts.role.bullet import LONGEST
from memtend.layouts.role.decode import CONSOLIDATED, LEGACY, PENDING, pending_problems
from memtend.layouts.role.ids import Kind
from memtend.layouts.role.pending import UNKNOWN, WAITING
from memtend.workspace.role_answers import Hit, Issue, Line, Listed
from memtend.workspace.role_state import Entry, RoleState

if TYPE_CHECKING:
    from memtend.layouts.role.inject import Group

RANKS = {Kind.LEARNING: 0, Kind.PREFERENCE: 1, Kind.PENDING: 2, Kind.EVENT: 3}


def listed(state: RoleState, role: str, leftovers: Sequence[str] = ()) -> Listed:
    """What a role remembers and what is the matter with it. `leftovers` are files of an older layout."""
    learnings = state.of(Kind.LEARNING)
    tiers = [entry.tier for entry in learnings]
    long = tuple(entry.id for entry in state.curated if entry.kind is not Kind.EVENT and len(entry.text) > LONGEST)
    return Listed(
        role=role,
        learnings={"total": len(tiers), **{tier: tiers.count(tier) for tier in ("high", "normal", "new")}},
        preferences=_preferences(state),
        events=len(state.of(Kind.EVENT)),
        pending=_pending(state),
        issues=(*issues(state), *_leftovers(state, leftovers)),
        long=long,
        noise=tiers.count("new") / len(tiers) if tiers else 0.0,
        last_consolidated=state.page.title("last consolidated"),
        entries=tuple(line_of(entry) for entry in (*state.curated, *state.candidates)),
    )


def line_of(entry: Entry) -> Line:
    """An entry as a listing shows it."""
    return Line(
        id=entry.id,
        kind=entry.kind,
        text=entry.text,
        times=entry.times,
        tier=entry.tier,
        category=entry.category,
        tags=entry.tags,
        source=entry.source,
        date=entry.date,
        state=entry.state,
    )


def _preferences(state: RoleState) -> dict[str, int]:
    counts: dict[str, int] = {}
    for entry in state.of(Kind.PREFERENCE):
        counts[entry.category] = counts.get(entry.category, 0) + 1
    return {"total": sum(counts.values()), **counts}


def _pending(state: RoleState) -> dict[str, int]:
    states = [entry.state for entry in state.candidates]
    return {name: states.count(name) for name in (WAITING, "promoted", "discarded", UNKNOWN)}


def issues(state: RoleState) -> tuple[Issue, ...]:
    """What a person should know of, by file and line."""
    path = LEGACY if state.is_legacy else CONSOLIDATED
    found = [
        Issue(fault.code, path, fault.line, fault.message)
        for fault in repair.faults(state.page)
        if fault.code in repair.REPORTED
    ]
    found += [
        Issue(problem.code, PENDING, problem.line, problem.message) for problem in pending_problems(state.pending_page)
    ]
    return tuple(found)


def _leftovers(state: RoleState, paths: Sequence[str]) -> list[Issue]:
    message = "is of an older layout; `migrate` takes it over" + ("" if state.is_legacy else ", it is not read now")
    return [Issue("older-layout", path, 0, message) for path in paths]


def searched(
    state: RoleState,
    query: str,
    limit: int,
    similarity: Callable[[str, Sequence[str]], Sequence[float]] | None = None,
) -> tuple[Hit, ...]:
    """The entries that answer a query, best first. Changes nothing; candidates that are resolved are no answer."""
    from memtend.layouts.role import score

    entries = [entry for entry in (*state.curated, *state.candidates) if entry.state in ("", WAITING)]
    wanted = score.Query(query)
    meanings = similarity(query, [entry.text for entry in entries]) if similarity else [0.0] * len(entries)
    hits = []
    for entry, meaning in zip(entries, meanings, strict=True):
        text = f"{entry.text}\n{entry.detail}" if entry.detail else entry.text
        found = wanted.score(text, meaning)
        if found.value >= score.LOWEST:
            hits.append(
                Hit(
                    entry.id,
                    entry.kind,
                    found.value,
                    entry.times,
                    entry.text,
                    entry.category,
                    entry.state,
                    found.is_proof,
                )
            )
    hits.sort(key=lambda hit: (-hit.score, -hit.times, RANKS[hit.kind], hit.text))
    return tuple(hits[:limit])


def groups(state: RoleState, hits: Sequence[Hit], journals: Mapping[str, bytes], query: str) -> "list[Group]":
    """What a prompt gets, from the most to the least useful."""
    from memtend.layouts.role.daily import recent
    from memtend.layouts.role.inject import Group

    by_tier: dict[str, list[str]] = {"high": [], "normal": [], "new": []}
    for entry in sorted(state.of(Kind.LEARNING), key=lambda entry: (-entry.times, entry.text)):
        by_tier[entry.tier].append(f"- [{entry.times}x] {entry.text}")
    preferences = [f"- [{entry.category}] {entry.text}" for entry in state.of(Kind.PREFERENCE)]
    found = [_shown(hit) for hit in hits]
    newest = [f"- {when} {text}" for when, text in recent(dict(journals), 20)]
    return [
        Group("High priority", tuple(by_tier["high"])),
        Group(f"Found for “{query}”", tuple(found)),
        Group("Preferences", tuple(preferences)),
        Group("Normal", tuple(by_tier["normal"])),
        Group("Recent journal", tuple(newest)),
        Group("New", tuple(by_tier["new"])),
    ]


def _shown(hit: Hit) -> str:
    if hit.kind is Kind.LEARNING:
        return f"- [{hit.times}x] {hit.text}"
    return f"- [{hit.category}] {hit.text}" if hit.kind is Kind.PREFERENCE else f"- {hit.text}"
