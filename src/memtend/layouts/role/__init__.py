"""Usage-counted learnings and preferences, a line each (role spec).

ids, headings, bullet, grammar   how consolidated.md is written, read without losing a line
pending, daily, header           the other files, and the lines above the sections
placing, repair, legacy          where a line belongs; what is wrong; older layouts
decode, draft, layout            memories, decided changes, and the store's port
alike, consolidate, tidy, plan   what says the same and may be merged; what may be rewritten
score, inject, extract           what is found, handed to an agent, or learned from a transcript
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtend.layouts.role.layout import RoleLayout

__all__ = ["RoleLayout"]


def __getattr__(name: str) -> object:
    # Reading a role needs the grammar alone, and is done at every prompt.
    if name != "RoleLayout":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memtend.layouts.role.layout import RoleLayout

    return RoleLayout
