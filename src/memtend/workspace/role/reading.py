"""What a role answers without being changed: listing, search, and what an agent's prompt gets."""

from bisect import insort
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from memtend.layouts.role import repair
from memtend.layouts.role.bullet import LONGEST, Item
from memtend.layouts.role.decode import CONSOLIDATED, LEGACY, PENDING, pending_problems
from memtend.layouts.role.ids import TIERS, Kind, tier_of
from memtend.layouts.role.page import Event
from memtend.layouts.role.pending import DISCARDED, PROMOTED, UNKNOWN, WAITING
from memtend.workspace.role.answers import Hit, Issue, Listed
from memtend.workspace.role.state import PENDING_PLACE, Place, RoleState

if TYPE_CHECKING:
    from memtend.layouts.role.inject import Group
    from memtend.layouts.role.score import Query, Score

LOWEST = 0.1
"""A score below this is no hit."""

RANKS = {Kind.LEARNING: 0, Kind.PREFERENCE: 1, Kind.PENDING: 2, Kind.EVENT: 3}


def listed(state: RoleState, role: str, leftovers: Sequence[str] = ()) -> Listed:
    """What a role remembers and what is the matter with it. `leftovers` are files of an older layout."""
    tiers = [tier_of(entry.times) for entry in state.curated if entry.kind is Kind.LEARNING]
    categories = [entry.category for entry in state.curated if entry.kind is Kind.PREFERENCE]
    states = [entry.state for entry in state.candidates]
    return Listed(
        role=role,
        learnings={"total": len(tiers), **{tier: tiers.count(tier) for tier in TIERS}},
        preferences={"total": len(categories), **Counter(categories)},
        events=len(state.curated) - len(tiers) - len(categories),
        pending={name: states.count(name) for name in (WAITING, PROMOTED, DISCARDED, UNKNOWN)},
        issues=(*issues(state), *_leftovers(state, leftovers)),
        long=tuple(e.id for e in state.curated if len(e.text) > LONGEST and e.kind is not Kind.EVENT),
        noise=tiers.count("new") / len(tiers) if tiers else 0.0,
        last_consolidated=state.page.title("last consolidated"),
        entries=(*state.curated, *state.candidates),
    )


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

    wanted = score.Query(query)
    found = _best(wanted, _texts(state), limit, similarity)
    entries = state.entries_at([place for _, place in found])
    hits = [
        Hit(entry.id, entry.kind, one.value, entry.times, entry.text, entry.category, entry.state, one.is_proof)
        for (one, _), entry in zip(found, entries, strict=True)
    ]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, -hit.times, RANKS[hit.kind], hit.text))[:limit])


def _texts(state: RoleState) -> list[tuple[str, Place]]:
    """The text to look in of everything that may be found, with its place."""
    texts: list[tuple[str, Place]] = []
    for number, section in enumerate(state.page.sections):
        for at, part in enumerate(section.parts):
            if isinstance(part, Item):
                texts.append((part.full_text if part.detail else part.text, (number, at)))
            elif isinstance(part, Event):
                texts.append((f"{part.title}\n{part.body}", (number, at)))
    waiting = enumerate(state.pending_page.items)
    return texts + [(item.text, (PENDING_PLACE, at)) for at, item in waiting if item.state == WAITING]


def _best(
    wanted: "Query",
    texts: list[tuple[str, Place]],
    limit: int,
    similarity: Callable[[str, Sequence[str]], Sequence[float]] | None,
) -> "list[tuple[Score, Place]]":
    """The places with the highest scores, at least as many as asked for where there are so many.

    Scores are made in the order of their bounds, until no bound is as high as the last score that counts.
    """
    meanings = similarity(wanted.text, [text for text, _ in texts]) if similarity else None
    bounds = [wanted.bound(text) for text, _ in texts]
    if meanings is not None:
        bounds = [max(bound, meaning) for bound, meaning in zip(bounds, meanings, strict=True)]
    found: list[tuple[Score, Place]] = []
    best: list[float] = []
    for at in sorted((at for at, bound in enumerate(bounds) if bound >= LOWEST), key=lambda at: -bounds[at]):
        if len(best) >= limit and bounds[at] < best[-limit]:
            break
        text, place = texts[at]
        one = wanted.score(text, meanings[at] if meanings is not None else 0.0)
        if one.value >= LOWEST:
            found.append((one, place))
            insort(best, one.value)
    return found


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
