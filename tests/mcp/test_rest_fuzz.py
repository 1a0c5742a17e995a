"""The REST API fuzzed from its own document: whatever fits it is answered as it says, whatever does not is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import HealthCheck, given, settings

schemathesis = pytest.importorskip("schemathesis")

from agents_client import ENVIRON, LABELS, PARCELS, remember  # noqa: E402
from test_http import Serving  # noqa: E402

from memtend.mcp.rest import place_of  # noqa: E402
from memtend.mcp.tools import tools  # noqa: E402
from memtend.workspace import Workspace  # noqa: E402
from memtend.workspace.role.roles import Roles  # noqa: E402

checks = schemathesis.checks
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.unsupported_method,
]


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server of a vault and a role that may be spoilt."""
    project = tmp_path_factory.mktemp("fuzzed")
    workspace, _ = Workspace.create(start=str(project), environ=ENVIRON)
    remember(workspace, PARCELS, LABELS)
    Roles.open(str(project / "roles"), ENVIRON).create("reviewer")
    running = Serving(project, MEMTEND_ROLES=str(project / "roles"))
    yield running
    running.close()
    assert not any('"level": "error"' in line for line in running.lines)


@pytest.fixture(scope="module")
def api(serving: Serving) -> Any:
    """The API as its document describes it."""
    return schemathesis.openapi.from_url(f"http://127.0.0.1:{serving.port}/api")


@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("tool", list(tools()))
def test_the_api_keeps_its_document(api: Any, tool: str, mode: str) -> None:
    place = place_of(tools()[tool])
    operation = api[f"/api{place.path}"][place.method]

    @given(operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
    @settings(max_examples=12, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    def run(case: Any) -> None:
        answered.add(case.call_and_validate(checks=CHECKS).status_code)

    answered: set[int] = set()
    try:
        run()
        assert answered - {400} if mode == "positive" else any(400 <= status < 500 for status in answered), answered
    except hypothesis.errors.Unsatisfiable:
        assert mode == "negative", "nothing fits the document"


def test_the_document_is_one(serving: Serving, tmp_path: Path) -> None:
    status, document = serving.ask("GET", "/api")
    assert status == 200
    assert document["openapi"] == "3.1.0"
    assert set(document["paths"]) >= {"/api/search", "/api/memories/{id}", "/api/learn", "/api/apply"}
