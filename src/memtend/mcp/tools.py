"""The table of tools, put together from the modules that have them. `server` and `rest` are made from it."""

from collections.abc import Sequence

from memtend.mcp import category_tools, older, reading, role_tools, tending, writing
from memtend.mcp.tool import Tool

GROUPS = ("vault", "role", "category", "execute")


def tools(groups: Sequence[str] = GROUPS) -> dict[str, Tool]:
    """The tools of some groups, by name."""
    every = (*reading.TOOLS, *writing.TOOLS, *tending.TOOLS, *role_tools.TOOLS, *category_tools.TOOLS, *older.TOOLS)
    return {tool.name: tool for tool in every if tool.group in groups}
