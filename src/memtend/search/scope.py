"""Which memories may answer."""

from memtend.search.words import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DAY = "iif(m.modified = '', m.created, m.modified)"


class Scope:
    """Which memories may answer: of a topic and those below it, of a category, with all of some tags, and in use.

    Names are compared without regard to case. `since` (with that day) and `before` (without it) are days of the last
    change, `2026-06-30` or the start of one; a memory without a day is in neither.
    """

    __slots__ = ("bindings", "condition", "is_narrow", "with_retired")

    def __init__(
        self,
        topic: str = "",
        category: str = "",
        include_retired: bool = False,
        tags: "Sequence[str]" = (),
        *,
        since: str = "",
        before: str = "",
    ) -> None:
        self.with_retired = include_retired
        conditions = ["true" if include_retired else "m.status = 'active'"]
        self.bindings: list[str] = []
        if topic:
            conditions.append("instr(fold(m.topic) || '/', ? || '/') = 1")
            self.bindings.append(fold(topic.strip("/ ")))
        if category:
            conditions.append("fold(m.category) = ?")
            self.bindings.append(fold(category))
        for tag in tags:
            conditions.append("instr(char(31) || fold(m.tags) || char(31), ?)")
            self.bindings.append(f"\x1f{fold(tag)}\x1f")
        for day, comparison in ((since, ">="), (before, "<")):
            if day:
                conditions.append(f"{_DAY} != '' and {_DAY} {comparison} ?")
                self.bindings.append(day)
        self.condition = " and ".join(conditions)
        self.is_narrow = len(conditions) > 1
