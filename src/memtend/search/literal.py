"""Questions of fillers or marks alone (`not to be`, `"`): looked for as they are written, where that is rare enough."""

from memtend.search.candidates import HIT
from memtend.search.rank import LITERAL, Hit
from memtend.search.words import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtend.search.index import Index
    from memtend.search.scope import Scope

_RARE_COUNT, _RARE_SHARE = 10, 0.1
"""Memories that may hold one, or which share of all, to tell memories apart."""


def literal(index: "Index", query: str, scope: "Scope") -> list[Hit]:
    """Memories that hold fillers or marks as they were written. When they are everywhere, only titles count."""
    words = plain(query)
    needle = query.strip()
    text, title = ("fold(t.text)", "fold(m.title)") if words else ("t.text", "m.title")
    part = max(words.split(), key=len) if words else needle
    rows = index.rows(
        f"select {HIT}, t.text from memories m join texts t on t.n = m.n"
        f" where (instr({text}, ?) or instr({title}, ?)) and {scope.condition}",
        [part, part, *scope.bindings],
    )

    def holds(text: str) -> bool:
        return f" {words} " in f" {plain(text)} " if words else needle in text

    titled = [Hit(row[:-1], LITERAL, (("title", 1.0, 0.8),)) for row in rows if holds(row[3])]
    others = [Hit(row[:-1], LITERAL, (("text", 1.0, 0.4),)) for row in rows if not holds(row[3]) and holds(row[-1])]
    most = max(_RARE_COUNT, _RARE_SHARE * index.count())
    return [*(titled if len(titled) <= most else ()), *(others if len(others) <= most else ())]
