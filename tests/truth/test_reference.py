"""The reference says what the program does."""

import importlib.util
from pathlib import Path

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
