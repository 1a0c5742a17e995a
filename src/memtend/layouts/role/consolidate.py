"""Copies merged by rule: exact ones, then those that share nine words of ten and differ in nothing that matters.

The highest count and the longer text stay, tags are united, the later `seen` is kept. Every text that goes is
alike to the text that stays, so no unique entry is lost; every merge is reported.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from memtend.layouts.role.alike import Neighbours, difference, jaccard, tokens
from memtend.layouts.role.bullet import Item, Meta
from memtend.layouts.role.decode import identified
from memtend.layouts.role.header import with_last_consolidated
from memtend.layouts.role.ids import Kind, id_of, key_of
from memtend.layouts.role.page import Page, Section
from memtend.layouts.role.placing import laid_out, mended
from memtend.memory import MemoryId

THRESHOLD = 0.9
"""Jaccard of the words from which two lines are copies."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Lines that became one."""

    kind: Kind
    id: MemoryId
    """Of the line that stays, as it is afterwards."""
    text: str
    count: int
    removed: tuple[tuple[MemoryId, str], ...]
    """Ids and texts of the lines that went into it."""
    rule: str
    """`exact` where all were equal but for case and blanks, else `alike`."""
    score: float
    """The lowest Jaccard among them."""


@dataclass(slots=True)
class _Group:
    """Lines that say the same, the first one being the one whose place is kept."""

    members: list[tuple[MemoryId, Section, Item]]
    words: list[str]
    keys: set[str] = field(default_factory=set)
    score: float = 1.0

    @property
    def texts(self) -> list[str]:
        return [item.text for _, _, item in self.members]


def consolidated(page: Page, today: str, threshold: float = THRESHOLD) -> tuple[Page, tuple[Merge, ...]]:
    """The page without copies, in canonical layout, its `# Last Consolidated` at today; and every merge.

    `page` is changed: parse a fresh one. It raises no tier, removes no unique entry and leaves events alone.
    """
    page = mended(page)
    merges: list[Merge] = []
    by_list: dict[tuple[Kind, str], list[tuple[MemoryId, Section, Item]]] = {}
    for id, section, part in identified(page):
        if isinstance(part, Item):
            kind = Kind.LEARNING if section.is_counted else Kind.PREFERENCE
            by_list.setdefault((kind, section.name.category), []).append((id, section, part))
    for (kind, category), members in by_list.items():
        groups = _groups(members, threshold)
        merges.extend(_merge(kind, category, group) for group in groups if len(group.members) > 1)
    return with_last_consolidated(laid_out(page), today), tuple(merges)


def _groups(members: list[tuple[MemoryId, Section, Item]], threshold: float) -> Iterable[_Group]:
    """Put what says the same together, the most used and the longest first."""
    ranked = sorted(members, key=lambda member: (-member[1].count(member[2]), -len(member[2].text)))
    groups: list[_Group] = []
    by_key: dict[str, _Group] = {}
    for member in ranked:
        key = key_of(member[2].text)
        if key in by_key:
            by_key[key].members.append(member)
        else:
            by_key[key] = _Group([member], tokens(member[2].text), {key})
            groups.append(by_key[key])
    neighbours = Neighbours([group.words for group in groups], threshold)
    kept: dict[int, list[_Group]] = {}
    for number, group in enumerate(groups):
        home = next((near for near in neighbours.near(group.words) if _may_join(group, kept[near], threshold)), None)
        if home is None:
            kept[number] = [group]
            neighbours.put(number, group.words)
        else:
            kept[home].append(group)
    return [_united(together) for together in kept.values()]


def _may_join(group: _Group, others: list[_Group], threshold: float) -> bool:
    """Whether a line says the same as every one that is together already, so that each is covered by any other."""
    return all(
        jaccard(group.words, other.words) >= threshold and difference(group.texts[0], other.texts[0]) is None
        for other in others
    )


def _united(together: list[_Group]) -> _Group:
    first = together[0]
    for other in together[1:]:
        first.score = min(first.score, *(jaccard(other.words, one.words) for one in together if one is not other))
        first.members += other.members
        first.keys |= other.keys
    return first


def _merge(kind: Kind, category: str, group: _Group) -> Merge:
    """Make one line of a group's: it takes the place of the first, the others go."""
    (_, section, first), *others = group.members
    items = [first, *(item for _, _, item in others)]
    count = max(one_section.count(item) for _, one_section, item in group.members)
    text = max(group.texts, key=len)
    meta = first.meta
    for item in items[1:]:
        meta = _united_meta(meta, item.meta)
    details = dict.fromkeys(item.detail for item in items if item.detail)
    united = first._replace(
        raw=(), text=text, times=count, meta=meta, detail="\n".join(details), is_stray=False, indent=0
    )
    is_same = (text, meta, united.detail) == (first.text, first.meta, first.detail)
    _put(section, first, first._replace(times=count) if is_same and first.times == count else united)
    for _, one_section, item in others:
        _put(one_section, item, None)
    texts = [(id, item.text) for id, _, item in group.members]
    kept_id = MemoryId(id_of(kind, text, category))
    removed = list(texts)
    removed.remove(next(entry for entry in texts if entry[1] == text))
    rule = "exact" if len(group.keys) == 1 else "alike"
    return Merge(kind, kept_id, text, count, tuple(removed), rule, group.score)


def _put(section: Section, old: Item, new: Item | None) -> None:
    at = next(at for at, part in enumerate(section.parts) if part is old)
    section.parts[at : at + 1] = [] if new is None else [new]


def _united_meta(ours: Meta, theirs: Meta) -> Meta:
    return Meta(
        tags=(*ours.tags, *(tag for tag in theirs.tags if tag.lower() not in {mine.lower() for mine in ours.tags})),
        source=ours.source or theirs.source,
        seen=max(ours.seen, theirs.seen),
        other=tuple({**dict(theirs.other), **dict(ours.other)}.items()),
    )
