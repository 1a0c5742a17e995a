"""The block of keys at the head of a file: read leniently, change one key and no other byte."""

from memtend.frontmatter.block import REMOVE, Fault, Raw, Remove, Value
from memtend.frontmatter.reader import Frontmatter, names, raw, read
from memtend.frontmatter.scalars import require_writable
from memtend.frontmatter.writer import edit, render

__all__ = [
    "REMOVE",
    "Fault",
    "Frontmatter",
    "Raw",
    "Remove",
    "Value",
    "edit",
    "names",
    "raw",
    "read",
    "render",
    "require_writable",
]
