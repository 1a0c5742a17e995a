"""Better names for memories (vault spec, 5, refine).

Tier 1 needs no judgement and is done without asking: keywords once, a summary where there is none, a plain topic.
Tier 2 is asked about: more keywords where there are few, a category that fits what the memory says, a topic as its
neighbours have it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from memtend.change import Change, ChangeSet, Verb
from memtend.distill.columns import Columns, digest_at
from memtend.distill.draft import Draft, current
from memtend.memory import STANDARD_CATEGORIES, Digest, Memory, MemoryId, cluster_of
from memtend.review import Action, Candidate, Decision, Proposal, Recommendation, Strength, answered_pairs
from memtend.text import first_line, fold, key_terms, shorten, topic_path, words

FEW_KEYWORDS = 4
SUMMARY_LIMIT = 100
_SUGGESTED = 5
_CLEARLY = 2.0
"""How many times as many signs another category must have, to be suggested."""
_SIGNS_NEEDED = 4
"""How many different words must speak for a category."""


class Fix(StrEnum):
    """What is mended."""

    KEYWORDS_ONCE = "keyword_dedup"
    SUMMARY = "summary_gen"
    TOPIC = "topic_normalize"
    MORE_KEYWORDS = "keyword_enrich"
    CATEGORY = "category_reclassify"
    CLUSTER = "topic_correct"


@dataclass(frozen=True, slots=True)
class Plain:
    """Tier 1 of one memory: the new values, by field, and what they mend."""

    id: MemoryId
    digest: Digest
    fixes: tuple[Fix, ...]
    fields: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """The fixes as JSON values."""
        told = {name: list(value) if isinstance(value, tuple) else value for name, value in self.fields.items()}
        return {"id": self.id, "tier": 1, "fixes": list(self.fixes), "values": told}


# --- tier 1 -------------------------------------------------------------------------------------------------


def plain_fixes(memories: Iterable[Memory], texts: Callable[[Sequence[MemoryId]], Mapping[str, str]]) -> list[Plain]:
    """What can be mended without asking. `memories` need no content; `texts` gives it where it is needed."""
    active = [memory for memory in memories if memory.is_active]
    unsummed = [memory.id for memory in active if not memory.summary.strip()]
    lines = {id: shorten(first_line(text), SUMMARY_LIMIT) for id, text in texts(unsummed).items()}
    found = [Plain(memory.id, memory.digest, *_plain(memory, lines.get(memory.id, ""))) for memory in active]
    return [plain for plain in found if plain.fixes]


def _plain(memory: Memory, line: str) -> tuple[tuple[Fix, ...], dict[str, Any]]:
    fixes: list[Fix] = []
    new: dict[str, Any] = {}
    if (once := keywords_once(memory.keywords)) != memory.keywords:
        fixes.append(Fix.KEYWORDS_ONCE)
        new["keywords"] = once
    if line and not memory.summary.strip():
        fixes.append(Fix.SUMMARY)
        new["summary"] = line
    if (topic := topic_path(memory.topic)) != memory.topic:
        fixes.append(Fix.TOPIC)
        new["topic"] = topic
    return tuple(fixes), new


def keywords_once(keywords: Sequence[str]) -> tuple[str, ...]:
    """Each keyword once, letter case aside; the first spelling is kept."""
    known: dict[str, str] = {}
    for word in keywords:
        known.setdefault(fold(word), word)
    return tuple(known.values())


# --- tier 2 -------------------------------------------------------------------------------------------------


def refine_proposals(columns: Columns, plain: Sequence[Plain], texts: Mapping[str, str]) -> tuple[Proposal, ...]:
    """What a person may want to mend, memory by memory. `plain` is done first, so it is taken as done."""
    mended = {fix.id: fix.fields for fix in plain}
    topics = [
        str(mended.get(MemoryId(id), {}).get("topic", topic))
        for id, topic in zip(columns.ids, columns.topics, strict=True)
    ]
    clusters = _Clusters(topics)
    found: list[Proposal] = []
    for row, id in enumerate(columns.ids):
        text = texts.get(id, "")
        keywords = mended.get(MemoryId(id), {}).get("keywords", columns.keywords[row])
        suggested = [
            *_more_keywords(columns, row, keywords, text),
            *_other_category(columns, row, text),
            *_other_topic(topics[row], clusters),
        ]
        found += [_proposal(columns, row, suggestion) for suggestion in suggested]
    return tuple(found)


class _Suggestion(NamedTuple):
    fix: Fix
    value: Any
    strength: Strength
    reason: str


def _more_keywords(columns: Columns, row: int, keywords: Sequence[str], text: str) -> Iterable[_Suggestion]:
    if len(keywords) >= FEW_KEYWORDS:
        return
    known = {fold(word) for word in keywords}
    title = columns.titles[row]
    suggested = [term for term in key_terms(f"{title}\n\n{text}", _SUGGESTED + len(known)) if fold(term) not in known]
    suggested = [term for term in dict.fromkeys(suggested) if "," not in term][:_SUGGESTED]
    if suggested:
        has = f"has {len(keywords)} keyword{'s' if len(keywords) != 1 else ''}"
        reason = f"{has}; its text names {', '.join(suggested)}"
        yield _Suggestion(Fix.MORE_KEYWORDS, [*keywords, *suggested], Strength.MEDIUM, reason)


def _other_category(columns: Columns, row: int, text: str) -> Iterable[_Suggestion]:
    own = columns.categories[row]
    suggested = category_of(f"{columns.titles[row]}\n\n{text}", own)
    if suggested and suggested != own:
        reason = f"reads like {suggested}" + (f" rather than {own}" if own else "; it has no category")
        yield _Suggestion(Fix.CATEGORY, suggested, Strength.WEAK, reason)


_SIGNS_TEXT = """
CONFIG: config configuration setting settings option environment env variable install installed port yaml toml json
CONFIG: enable disable default flag
WORKFLOW: step steps first then next finally before after run release deploy review process checklist every procedure
PATTERN: pattern patterns architecture design layer interface adapter factory module structure separation convention
PATTERN: component
TECHNIQUE: how use using technique method approach trick way example solve avoid instead
INSIGHT: because learned lesson found discovered turns cause caused reason why insight mistake surprising
"""


def _signs() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _SIGNS_TEXT.strip().splitlines():
        name, _, listed = line.partition(": ")
        found[name] = found.get(name, frozenset()) | frozenset(listed.split())
    return found


_SIGNS = _signs()
"""Words that a text of each category has more often than others."""


def category_of(text: str, own: str = "") -> str:
    """The standard category that a text clearly reads like; empty where none stands out, or a person's own is given.

    A category that is none of the standard five was chosen on purpose and is left alone.
    """
    if own and own not in STANDARD_CATEGORIES:
        return ""
    said = set(words(text))
    signs = {name: len(said & known) for name, known in _SIGNS.items()}
    best = max(signs, key=lambda name: signs[name])
    rival = signs.get(own, 0) if own else max(count for name, count in signs.items() if name != best)
    return best if signs[best] >= _SIGNS_NEEDED and signs[best] > _CLEARLY * rival else ""


class _Clusters:
    """How the topics of a vault are spelled."""

    def __init__(self, topics: Sequence[str]) -> None:
        self.counts = Counter(topic for topic in topics if topic)
        self.clusters = Counter(cluster_of(topic) for topic in topics if topic)

    def correction(self, topic: str) -> str:
        """A topic as its neighbours have it; empty where it fits.

        A cluster of one whose name stands within another's topics, or differs in a plural or a hyphen from a
        cluster of several, belongs there.
        """
        head, slash, rest = topic.partition("/")
        if not head or self.clusters[cluster_of(topic)] > 1:
            return ""
        for name, count in sorted(self.clusters.items(), key=lambda item: (-item[1], item[0])):
            if count > 1 and name != head and _bare(name) == _bare(head):
                return f"{name}{slash}{rest}"
        homes: Counter[str] = Counter()
        for known, count in self.counts.items():
            above, _, below = known.partition("/")
            if below.partition("/")[0] == head:
                homes[above] += count
        home, count = homes.most_common(1)[0] if homes else ("", 0)
        return f"{home}/{topic}" if count > 1 else ""


def _bare(name: str) -> str:
    return "".join(char for char in fold(name) if char.isalnum()).removesuffix("s")


def _other_topic(topic: str, clusters: _Clusters) -> Iterable[_Suggestion]:
    suggested = clusters.correction(topic)
    if suggested:
        reason = f"alone in its cluster; others of the kind are under {cluster_of(suggested)}"
        yield _Suggestion(Fix.CLUSTER, suggested, Strength.WEAK, reason)


def _proposal(columns: Columns, row: int, suggested: _Suggestion) -> Proposal:
    id, digest = MemoryId(columns.ids[row]), digest_at(columns, row)
    return Proposal(
        id=f"{id}:{suggested.fix}",
        kind="refine",
        summary=columns.titles[row],
        actions=(Action.REFINE, Action.SKIP),
        recommendation=Recommendation(Action.REFINE, id, suggested.strength, reasons=(suggested.reason,)),
        candidates=(Candidate(id, columns.titles[row], digest, 0.0, 0.0),),
        digests={id: digest},
        payload={"id": id, "fix": suggested.fix, "value": suggested.value},
    )


# --- drafting -------------------------------------------------------------------------------------------------


def draft_refine(
    plain: Sequence[Plain],
    proposals: Sequence[Proposal],
    decisions: Sequence[Decision],
    memories: Mapping[MemoryId, Memory],
    today: str,
    *,
    auto: bool = False,
) -> Draft:
    """Tier 1, and of tier 2 what was chosen: one change a memory. A person's own topic or category counts."""
    new: dict[MemoryId, dict[str, Any]] = {fix.id: dict(fix.fields) for fix in plain}
    fixes: dict[MemoryId, list[Fix]] = {fix.id: list(fix.fixes) for fix in plain}
    chosen = answered_pairs(proposals, decisions, Action.REFINE)
    for proposal, decision in chosen:
        memory = current(proposal, memories)
        fix = Fix(proposal.payload["fix"])
        new.setdefault(memory.id, {}).update(_values(fix, proposal.payload["value"], memory, decision))
        fixes.setdefault(memory.id, []).append(fix)
    first = sum(len(fix.fixes) for fix in plain)
    relied_on = {fix.id: fix.digest for fix in plain} | {
        id: d for proposal, _ in chosen for id, d in proposal.digests.items()
    }
    changes = tuple(Change(Verb.REFINE, id, relied_on[id], values | {"modified": today}) for id, values in new.items())
    notes = f"Refined {len(changes)} memories. Tier 1: {first} fixes, Tier 2: {len(chosen)} fixes"
    if auto:
        notes = f"auto mode - Tier 1 fixes only. Applied {first} fixes to {len(changes)} memories"
    return Draft(
        ChangeSet(changes, note=f"distill refine: {len(changes)} memories"),
        tuple({"id": id, "fixes_applied": list(fixes[id]), "action": "refined"} for id in new),
        notes,
    )


def _values(fix: Fix, value: Any, memory: Memory, decision: Decision) -> dict[str, Any]:
    if fix is Fix.MORE_KEYWORDS:
        return {"keywords": keywords_once(tuple(map(str, value)))}
    if fix is Fix.CLUSTER:
        return {"topic": topic_path(decision.topic or str(value))}
    category = (decision.category or str(value)).strip()
    said = {fold(category), fold(memory.category), f"[{fold(memory.category)}]"}
    others = [tag for tag in memory.tags if fold(tag) not in said]
    return {"category": category, "tags": (category, *others)}
