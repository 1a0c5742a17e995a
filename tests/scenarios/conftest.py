"""Collects the Markdown files of this folder as tests; see transcript.py for what they may hold."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import transcript


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> pytest.Collector | None:
    if file_path.suffix != ".md" or file_path.name == "README.md" or file_path.parent != Path(__file__).parent:
        return None
    return TranscriptFile.from_parent(parent, path=file_path)


class TranscriptFile(pytest.File):
    """One Markdown file, and what to rewrite in it when its tests have run."""

    def collect(self) -> Iterator[pytest.Item]:
        self.changed: transcript.Changes = []
        for scenario in transcript.read(self.path.read_text(encoding="utf-8").splitlines()):
            yield TranscriptItem.from_parent(self, name=scenario.title, scenario=scenario)

    def teardown(self) -> None:
        transcript.rewrite(self.path, self.changed)


class TranscriptItem(pytest.Item):
    """One heading of it."""

    def __init__(self, *, scenario: transcript.Scenario, **kwargs: object) -> None:
        super().__init__(**kwargs)  # type: ignore[arg-type]
        self.scenario = scenario

    def runtest(self) -> None:
        with TemporaryDirectory(prefix="scenario-") as folder:
            changed = transcript.differences(self.scenario, Path(folder).resolve())
        if transcript.is_updating():
            self.parent.changed.extend(changed)  # type: ignore[union-attr]
        elif changed:
            raise transcript.Mismatch(changed[0])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        if isinstance(excinfo.value, transcript.Mismatch):
            return f"{self.path.name}:{excinfo.value}"
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.scenario.line, self.name
