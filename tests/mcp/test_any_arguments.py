"""Whatever a model gives a tool, the answer is one of ours: it fits its schema and its size, or says what is wrong."""

import json
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtend.errors import MemtendError
from memtend.mcp.answers import LIMIT_BYTES, Answer, Outcome, Question, as_text
from memtend.mcp.arguments import OBJECT, SWITCH, TEXT, TEXTS, WHOLE, Parameter
from memtend.mcp.desk import Desk
from memtend.mcp.tool import Tool
from memtend.mcp.tools import tools

WORDS = st.sampled_from(
    [
        *(
            "",
            "x",
            "# A\n\nThe kiwi is cold.",
            "\x00",
            "\ud800",
            "💥" * 50,
            "../..",
            "/etc/passwd",
            "-1",
            "null",
            "[]",
            "{}",
        ),
        *(
            "[x",
            "\n",
            "a" * 5_000,
            "decisions",
            "Code",
            "core/identity.md",
            "---\n",
            "<!-- -->",
            "2026-01-01",
            "reviewer",
        ),
    ]
)
ODD = st.sampled_from([None, 0, -1, 2.5, float("inf"), True, [], {}, [[]], [""], {"a": 1}, 10**30])
OBJECTS = st.sampled_from([{}, {"seg-001": "skip"}, {"query": "x", "limit": 2}, {"content": "# T\n\nkiwi"}, "{}", [1]])
KINDS: Mapping[str, st.SearchStrategy[Any]] = {
    TEXT: WORDS,
    TEXTS: st.lists(WORDS, max_size=2) | WORDS,
    WHOLE: st.sampled_from([0, 1, 5, 50, "3", "", 10**9]),
    SWITCH: st.booleans(),
    OBJECT: OBJECTS,
}


def values(parameter: Parameter) -> st.SearchStrategy[Any]:
    """What a model may give for a parameter: mostly what it asks for, sometimes anything."""
    meant = st.sampled_from(parameter.choices) if parameter.choices else KINDS[parameter.kind]
    return st.integers(0, 4).flatmap(lambda chance: meant if chance else ODD)


def calls(tool: Tool) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments for a tool."""
    needed = {parameter.name: values(parameter) for parameter in tool.parameters if parameter.required}
    others = {parameter.name: values(parameter) for parameter in tool.parameters if not parameter.required}
    return st.fixed_dictionaries(needed, optional=others)


def ended(outcome: Outcome) -> Answer:
    """What it comes to where nobody can be asked."""
    while isinstance(outcome, Question):
        jsonschema.Draft202012Validator.check_schema(outcome.form.schema())
        outcome = outcome.unasked()
    return outcome


@pytest.mark.parametrize("name", list(tools()))
def test_whatever_a_tool_is_given_its_answer_is_one_of_ours(everything: Desk, name: str) -> None:
    tool = tools()[name]

    @given(calls(tool))
    @settings(max_examples=80, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    def run(arguments: dict[str, Any]) -> None:
        try:
            answer = ended(tool.call(everything, arguments))
        except (MemtendError, OSError):
            return
        said = as_text(answer.document)
        jsonschema.validate(json.loads(said), tool.output_schema())
        assert len(said.encode()) <= LIMIT_BYTES

    run()
