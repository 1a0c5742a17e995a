"""Settings: defaults, files, environment, flags, in this order, each value with its origin."""

from pathlib import Path

import pytest

from memtend.errors import UnusableInput
from memtend.settings import load


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    settings = load(str(tmp_path), {})
    assert settings.number("recall_budget") == 2000
    assert settings.switch("commit") is True
    assert settings.origin("recall_budget") == "default"


def test_later_sources_win_and_are_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.memtend]\nrecall_budget = 100\nrecall_max = 1\nsearch_limit = 7\n")
    (tmp_path / "memtend.toml").write_text("recall_budget = 200\nrecall_max = 2\n")
    settings = load(str(tmp_path), {"MEMTEND_RECALL_BUDGET": "300"}, {"recall_max": 9})
    assert (settings.number("recall_budget"), settings.origin("recall_budget")) == (300, "MEMTEND_RECALL_BUDGET")
    assert (settings.number("recall_max"), settings.origin("recall_max")) == (9, "flag")
    assert (settings.number("search_limit"), settings.origin("search_limit")) == (7, str(tmp_path / "pyproject.toml"))


def test_the_nearest_folder_upwards_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "memtend.toml").write_text("search_limit = 3\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert load(str(inner), {}).number("search_limit") == 3


@pytest.mark.parametrize(("text", "value"), [("on", True), ("0", False), ("No", False), ("TRUE", True)])
def test_switches_are_read_from_words(tmp_path: Path, text: str, value: bool) -> None:
    assert load(str(tmp_path), {"MEMTEND_COMMIT": text}).switch("commit") is value


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("unknown = 1\n", "unknown"),
        ("search_limit = 'many'\n", "whole number"),
        ("= nonsense", "memtend.toml"),
        (f"deep = {'[' * 5000}{']' * 5000}\n", "recursion"),
    ],
    ids=["unknown", "no number", "no TOML", "too deep"],
)
def test_what_does_not_fit_is_named_with_its_place(tmp_path: Path, content: str, part: str) -> None:
    (tmp_path / "memtend.toml").write_text(content)
    with pytest.raises(UnusableInput) as fault:
        load(str(tmp_path), {})
    assert part in fault.value.message
    assert "memtend.toml" in fault.value.message
    assert fault.value.hint


def test_a_pyproject_that_has_something_else_in_our_place_is_named_or_passed_over(tmp_path: Path) -> None:
    page = tmp_path / "pyproject.toml"
    page.write_text("# tool.memtend\n[tool]\nmemtend = 3\n")
    with pytest.raises(UnusableInput, match=r"tool\.memtend is no table"):
        load(str(tmp_path), {})
    page.write_text("# tool.memtend\ntool = 3\n")
    assert load(str(tmp_path), {}).origin("search_limit") == "default"


@pytest.mark.parametrize("given", ["0", "99999999999999999999", "9" * 5000, "-1", "1e9", "nan"])
def test_a_number_that_nobody_can_mean_is_refused_with_its_limits(tmp_path: Path, given: str) -> None:
    with pytest.raises(UnusableInput, match="recall_max is a whole number from 1 to 1000000"):
        load(str(tmp_path), {"MEMTEND_RECALL_MAX": given})


def test_a_file_is_held_to_the_same_limits(tmp_path: Path) -> None:
    (tmp_path / "memtend.toml").write_text("recall_max = -3\n")
    with pytest.raises(UnusableInput, match="recall_max is a whole number from 1"):
        load(str(tmp_path), {})


def test_not_to_wait_at_all_is_a_wish(tmp_path: Path) -> None:
    assert load(str(tmp_path), {"MEMTEND_LOCK_TIMEOUT_SECONDS": "0"}).number("lock_timeout_seconds") == 0
