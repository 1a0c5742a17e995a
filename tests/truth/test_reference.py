"""The reference says what the program does."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("docs", ROOT / "tools" / "docs.py")
assert spec is not None and spec.loader is not None
docs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docs)


def test_the_reference_pages_are_what_the_program_says():
    assert docs.stale() == [], "run `make docs`"


def test_every_command_has_help_and_examples_that_name_it():
    from memtend.cli import app

    for command in app.commands():
        name = " ".join(filter(None, ("memtend", command.group, command.name)))
        assert command.run.__doc__, name
        assert command.examples, name
        assert all(name.split()[-1] in example for example in command.examples), name


def test_every_variable_that_the_program_reads_is_on_the_page_of_settings():
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    named = set(re.findall(r"MEMTEND_[A-Z]+(?:_[A-Z]+)*", sources))
    page = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    assert named >= {"MEMTEND_VAULT", "MEMTEND_SESSION"}
    assert [name for name in sorted(named) if f"`{name}`" not in page] == []


PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests" / "README.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path):
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_about_the_command_line_names_commands_that_exist():
    from memtend.cli import app

    known = {command.group or command.name for command in app.commands()}
    for page in PAGES:
        named = re.findall(r"`memtend ([a-z_]+)", page.read_text(encoding="utf-8"))
        assert set(named) <= known, page
