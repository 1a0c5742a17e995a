"""`python -m memtend`."""

from memtend.cli import script

script()
