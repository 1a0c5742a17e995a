"""Memories that are one: proposals of pairs, and the change that joins each group of them (vault spec, 5, merge).

Pairs that share a memory are one group with one primary, so nothing is merged by way of a memory that is retired in
the same step. Of each secondary everything goes along: its text under a heading of its own, its keywords, tags,
connections, retrievals and History; the file stays, retired. Before anything is written the merged file is read
back, and a keyword that is not in it leaves that secondary alone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from typing import Any

from memtend.body import ENTRY_LEVEL, below, closed, earlier_version, tidy
from memtend.change import DERIVED_FIELDS, Change, ChangeSet, Verb
from memtend.distill.alike import Basis, Pair
from memtend.distill.columns import Columns, day_of, digest_at
from memtend.distill.draft import Draft, Told, counted, current
from memtend.distill.likeness import NEAR, SAME
from memtend.distill.retire import MERGED_INTO
from memtend.errors import Refused
from memtend.markdown import Span, retarget, sections, splice, wiki_links
from memtend.memory import Memory, MemoryId, Status
from memtend.review import (
    Action,
    Candidate,
    Decision,
    Evidence,
    Part,
    Proposal,
    Recommendation,
    Strength,
    answered_pairs,
)
from memtend.text import fold

_TEXTS = ("content", "trailing", "connections")
"""The fields whose links are led elsewhere; History stays as it was."""


# --- proposals --------------------------------------------------------------------------------------------


def merge_proposals(columns: Columns, pairs: Iterable[Pair]) -> tuple[Proposal, ...]:
    """One question a pair. A contradiction, and likeness by text alone, are offered but not recommended."""
    rows = {id: row for row, id in enumerate(columns.ids)}
    return tuple(_proposal(columns, rows, pair) for pair in pairs)


def _proposal(columns: Columns, rows: Mapping[str, int], pair: Pair) -> Proposal:
    row, other = rows[pair.primary], rows[pair.secondary]
    similarity = pair.likeness.similarity if pair.likeness else 0.0
    return Proposal(
        id=f"{pair.primary}+{pair.secondary}",
        kind="merge",
        summary=f"{columns.titles[row]} + {columns.titles[other]}",
        actions=(Action.MERGE, Action.SKIP),
        recommendation=Recommendation(Action.MERGE, pair.primary, _strength(pair), pair.conflict, _reasons(pair)),
        candidates=(
            Candidate(
                pair.secondary,
                columns.titles[other],
                digest_at(columns, other),
                pair.overlap,
                similarity,
                pair.conflict,
                Evidence((Part("overlap", pair.overlap), Part("similarity", similarity, 0.0))),
            ),
        ),
        digests={
            pair.primary: digest_at(columns, row),
            pair.secondary: digest_at(columns, other),
        },
        payload=pair.to_json() | {"retrieval_counts": [columns.retrieval_counts[row], columns.retrieval_counts[other]]},
    )


def _strength(pair: Pair) -> Strength:
    similarity = pair.likeness.similarity if pair.likeness else 0.0
    if pair.conflict:
        return Strength.NONE
    if pair.basis is Basis.TEXT:
        return Strength.MEDIUM if similarity >= SAME else Strength.WEAK
    return Strength.STRONG if similarity >= NEAR else Strength.MEDIUM


def _reasons(pair: Pair) -> tuple[str, ...]:
    found = []
    if pair.conflict:
        found.append(f"their texts contradict each other ({pair.conflict}): decide which one holds")
    if pair.shared:
        found.append(f"{pair.overlap * 100:.0f} % of the keywords: {', '.join(pair.shared)}")
    if pair.likeness:
        found.append(f"texts {pair.likeness.similarity * 100:.0f} % alike")
    return tuple(found)


# --- drafting ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Group:
    """Memories that become one, and the merged memory as far as it has come."""

    merged: Memory
    original: Memory
    joined: list[tuple[Memory, float]] = field(default_factory=list)
    """The secondaries that are in it, with the overlap by which each came."""


def draft_merge(
    proposals: Sequence[Proposal],
    decisions: Sequence[Decision],
    memories: Mapping[MemoryId, Memory],
    linking: Iterable[Memory],
    *,
    told: Told,
    today: str,
) -> Draft:
    """Merge what was chosen, group by group.

    `memories` has the pairs' memories whole, `linking` those memories in use that link to any of them. `told` says
    how a change will read back; a group that cannot be written, and a secondary whose keywords would not all be
    there, are left alone and named.
    """
    pairs = answered_pairs(proposals, decisions, Action.MERGE)
    refused: list[str] = []
    groups = [_joined(members, overlaps, told, refused, today) for members, overlaps in _groups(pairs, memories)]
    groups = [group for group in groups if group.joined]
    led = {memory.id: group.original.id for group in groups for memory, _ in group.joined}
    changes, affected = _changes(groups, led, today)
    relinked, warnings = _relinked(linking, led, {change.memory_id for change in changes}, told)
    files = ", ".join(change.memory_id for change in relinked)
    clusters = len({group.original.cluster for group in groups})
    return Draft(
        ChangeSet((*changes, *relinked), note=f"distill merge: {counted(len(led))} into {len(groups)}")
        if led
        else ChangeSet(),
        tuple(affected),
        f"Merged {len(led)} pair(s) across {clusters} cluster(s)" + (f". Relinked: {files}" if files else ""),
        tuple(refused),
        tuple(warnings),
    )


def _groups(
    pairs: Sequence[tuple[Proposal, Decision]], memories: Mapping[MemoryId, Memory]
) -> Iterator[tuple[list[Memory], dict[MemoryId, float]]]:
    """The groups that chosen pairs form, the one that stays first, with each member's largest overlap with another.

    Who stays may be said in a decision (`target`).
    """
    group_of: dict[MemoryId, set[MemoryId]] = {}
    wanted: set[MemoryId] = set()
    overlaps: dict[MemoryId, float] = {}
    for proposal, decision in pairs:
        ids = [current(proposal, memories, id).id for id in proposal.digests]
        joined = set(ids).union(*(group_of.get(id, ()) for id in ids))
        group_of |= dict.fromkeys(joined, joined)
        for id in ids:
            overlaps[id] = max(overlaps.get(id, 0.0), float(proposal.payload.get("overlap", 0.0)))
        wanted |= {decision.target} & set(ids) if decision.target else set()
    for members in {min(group): group for group in group_of.values()}.values():
        group = [memories[id] for id in members]
        yield sorted(group, key=lambda memory: (memory.id not in wanted, *standing(memory))), overlaps


def standing(memory: Memory) -> tuple[int, str, str]:
    """The order in which memories would stay: more retrievals, then older, then first id."""
    day = day_of(memory.created)
    return -memory.retrieval_count, str(day) if day else "~", memory.id


def _joined(
    members: Sequence[Memory],
    overlaps: Mapping[MemoryId, float],
    told: Told,
    refused: list[str],
    today: str,
) -> _Group:
    """The first member with as many of the others as can be written into it."""
    group = _Group(members[0], members[0])
    for secondary in members[1:]:
        merged = merged_with(group.merged, secondary, overlaps[secondary.id], today)
        reason = _obstacle(group.original, merged, secondary, told, today)
        if reason:
            refused.append(f"{secondary.id} was not merged into {group.original.id}: {reason}")
        else:
            group.merged = merged
            group.joined.append((secondary, overlaps[secondary.id]))
    return group


def _obstacle(original: Memory, merged: Memory, secondary: Memory, told: Told, today: str) -> str:
    """Why a secondary cannot be merged; empty where it can. Both files are read back as they would be."""
    try:
        found = told(_merge_change(original, merged))
        told(_retire_change(secondary, original.id, today))
    except Refused as fault:
        return fault.message
    missing = {*original.keywords, *merged.keywords, *secondary.keywords} - set(found.keywords)
    return f"keywords would be missing: {', '.join(sorted(missing))}" if missing else ""


def _changes(
    groups: Sequence[_Group], led: Mapping[MemoryId, MemoryId], today: str
) -> tuple[list[Change], list[dict[str, Any]]]:
    changes: list[Change] = []
    affected: list[dict[str, Any]] = []
    for group in groups:
        merged = without_own_links(_led_elsewhere(group.merged, led))
        changes.append(_merge_change(group.original, merged))
        changes += [_retire_change(secondary, group.original.id, today) for secondary, _ in group.joined]
        keywords = group.original.keywords
        for secondary, overlap in group.joined:
            before = [len(keywords), len(secondary.keywords)]
            keywords = united_keywords(keywords, secondary.keywords)
            affected.append(
                {
                    "primary": group.original.id,
                    "secondary": secondary.id,
                    "overlap_score": round(overlap, 4),
                    "keywords_before": before,
                    "keywords_after": len(keywords),
                    "keyword_superset_verified": True,
                    "action": "merged",
                }
            )
    return changes, affected


def _merge_change(original: Memory, merged: Memory) -> Change:
    names = [f.name for f in fields(Memory) if f.name not in DERIVED_FIELDS and f.name != "id"]
    changed = {name: getattr(merged, name) for name in names if getattr(merged, name) != getattr(original, name)}
    return Change(Verb.MERGE, original.id, original.digest, changed)


def _retire_change(secondary: Memory, primary: MemoryId, today: str) -> Change:
    """Retired, but not gone: what it says stands in the primary, so it does not count as taken out of use."""
    gone = {"status": Status.RETIRED, "retired_at": today, "retired_reason": f"{MERGED_INTO}{primary}"}
    return Change(Verb.MERGE, secondary.id, secondary.digest, gone)


# --- one memory out of two ----------------------------------------------------------------------------------


def merged_with(primary: Memory, secondary: Memory, overlap: float, today: str) -> Memory:
    """The primary with everything of a secondary (vault spec, 5, merge)."""
    return replace(
        primary,
        created=_picked(min, primary.created, secondary.created),
        modified=today,
        tags=_united(primary.tags, secondary.tags),
        category=primary.category or secondary.category,
        keywords=united_keywords(primary.keywords, secondary.keywords),
        retrieval_count=primary.retrieval_count + secondary.retrieval_count,
        last_retrieved=_picked(max, primary.last_retrieved, secondary.last_retrieved),
        content="\n\n".join(filter(None, (closed(primary.content), _part(secondary, overlap, today)))),
        connections=united_lines(primary.connections, secondary.connections),
        history="\n\n".join(filter(None, (primary.history, labelled(secondary.history, secondary.id)))),
    )


def _part(secondary: Memory, overlap: float, today: str) -> str:
    """What a secondary says, under a heading of its own."""
    notes = (
        f"**Original Title**: {' '.join(secondary.title.split())}",
        f"**Merged**: {today}",
        f"**Overlap Score**: {overlap * 100:.0f}%",
    )
    text = below(closed(tidy(secondary.text)), 3)
    return "\n\n".join(filter(None, (f"## Merged From {secondary.id}", "\n".join(notes), text)))


def united_keywords(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    """Every keyword of both, sorted; spellings that differ in case are both kept."""
    return tuple(sorted({*ours, *theirs}, key=lambda word: (fold(word), word)))


def _united(ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    known: dict[str, str] = {}
    for name in (*ours, *theirs):
        known.setdefault(fold(name), name)
    return tuple(known.values())


def _picked(pick: Callable[[date, date], date], ours: str, theirs: str) -> str:
    """The earlier (`min`) or later (`max`) of two dates as written; one that is none gives way."""
    one, other = day_of(ours), day_of(theirs)
    if one is None or other is None:
        return theirs if one is None and (other is not None or not ours) else ours
    return ours if pick(one, other) == one else theirs


def united_lines(ours: str, theirs: str) -> str:
    """Two Connections sections as one: our lines, then theirs that say something else."""
    known = {line.strip() for line in ours.split("\n")}
    new = [line for line in theirs.split("\n") if line.strip() and line.strip() not in known]
    return "\n".join(filter(None, (ours, "\n".join(dict.fromkeys(new)))))


def labelled(history: str, id: MemoryId) -> str:
    """A History that moves: each entry says whose it was."""
    if not history:
        return ""
    data = history.encode()
    entries = [section for section in sections(data) if section.level == ENTRY_LEVEL]
    if not entries or data[: entries[0].start].strip():
        return earlier_version(f"{id}: History", history)
    marks = [Span(section.start, section.text_start) for section in entries]
    new = [f"{'#' * ENTRY_LEVEL} {id}: {section.title}\n".encode() for section in entries]
    return tidy(splice(data, list(zip(marks, new, strict=True))).decode())


# --- links --------------------------------------------------------------------------------------------------


def _relinked(
    linking: Iterable[Memory], led: Mapping[MemoryId, MemoryId], done: set[MemoryId], told: Told
) -> tuple[list[Change], list[str]]:
    """The changes of memories in use whose links lead to what was merged, and which of these are left as they are."""
    changes: list[Change] = []
    warnings: list[str] = []
    for memory in linking:
        after = _led_elsewhere(memory, led)
        if memory.id in done or after == memory:
            continue
        new = {name: getattr(after, name) for name in _TEXTS if getattr(after, name) != getattr(memory, name)}
        change = Change(Verb.RELINK, memory.id, memory.digest, new)
        try:
            told(change)
        except Refused as fault:
            warnings.append(f"the links of {memory.id} were left as they are: {fault.message}")
            continue
        changes.append(change)
    return changes, warnings


def _led_elsewhere(memory: Memory, led: Mapping[MemoryId, MemoryId]) -> Memory:
    texts: dict[str, Any] = {name: relinked(getattr(memory, name), led) for name in _TEXTS}
    return replace(memory, **texts)


def relinked(text: str, led: Mapping[MemoryId, MemoryId]) -> str:
    """The text with its wiki links to some memories leading to others; alias, part, embed mark and folder stay."""
    if "[[" not in text:
        return text
    new_names = {fold(old): new for old, new in led.items()}

    def leads_to(target: str) -> str | None:
        folder, slash, name = target.rpartition("/")
        suffix = ".md" if name.endswith(".md") else ""
        new = new_names.get(fold(name.removesuffix(".md")))
        return None if new is None else f"{folder}{slash}{new}{suffix}"

    return retarget(text.encode(), leads_to).decode()


def without_own_links(memory: Memory) -> Memory:
    """The memory without Connections that lead to itself, and without a line twice."""
    own = fold(memory.id)

    def leads_home(line: str) -> bool:
        links = wiki_links(line.encode())
        names = {fold(link.target.rpartition("/")[2].removesuffix(".md")) for link in links}
        return names == {own}

    lines = [line for line in memory.connections.split("\n") if not leads_home(line)]
    kept = [line for place, line in enumerate(lines) if not line.strip() or line not in lines[:place]]
    return replace(memory, connections=tidy("\n".join(kept)))
