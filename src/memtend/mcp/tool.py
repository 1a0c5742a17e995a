"""One tool: what it is called, takes and does.

Names, parameters and meanings are those of the command line. Descriptions are written for a model: what for, when,
and what to do with the answer.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memtend.mcp.answers import Outcome
from memtend.mcp.arguments import Arguments, Parameter, schema_of
from memtend.mcp.arguments import read as read_arguments
from memtend.mcp.desk import Desk, Watch

Run = Callable[[Desk, Arguments, Watch], Outcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool. `answer` are the properties of its answer, by name."""

    name: str
    title: str
    about: str
    parameters: tuple[Parameter, ...]
    run: Run
    answer: Mapping[str, Any]
    group: str = "vault"
    writes: bool = False
    """Whether it changes memories; what of that it asks about first is the same for every tool (`asking`)."""
    destroys: bool = False
    """Whether it may take something away; all but forgetting can be undone."""
    is_long: bool = False

    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return schema_of(self.parameters)

    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of its answers. None of the properties is always there: an answer may be a plan or an end."""
        return {"type": "object", "properties": dict(self.answer)}

    def call(self, desk: Desk, given: Mapping[str, Any] | None, watch: Watch | None = None) -> Outcome:
        """Read the arguments and do it. Raises MemtendError."""
        return self.run(desk, read_arguments(self.name, self.parameters, given), watch or Watch())
