"""The README's first screen is what the program prints."""

from pathlib import Path

import pytest
import transcript

README = transcript.ROOT / "README.md"
SCENARIOS = transcript.read(README.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.title)
def test_the_readme_shows_what_really_happens(scenario: transcript.Scenario, tmp_path: Path):
    changed = transcript.differences(scenario, tmp_path.resolve())
    if changed and transcript.is_updating():
        transcript.rewrite(README, changed)
    elif changed:
        raise transcript.Mismatch(changed[0])


def test_the_readme_has_a_transcript():
    assert SCENARIOS


def test_the_readme_s_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    from memtend.cli import main

    monkeypatch.chdir(tmp_path)
    main(["init"])
    main(["learn", "-t", "# Retry policy\n\nRetry three times.", "--yes"])
    capsys.readouterr()
    code = README.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    exec(compile(code, "README.md", "exec"), {})
    assert "Retry policy" in capsys.readouterr().out
