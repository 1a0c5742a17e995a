"""Markdown by byte range: headings, blocks, list items and wiki links, each with where it stands.

Bytes in, byte offsets out, always counted from the first byte of the file, so that an edit is a `splice` and
no other byte changes. Nothing is raised for what a file holds: bytes that are not UTF-8 are kept, CRLF, lone
carriage returns, NUL and a byte order mark are no matter. CommonMark with tables decides what is code, what a
comment and what a heading (pulldown-cmark, linear on hostile input). `start` is always where the body begins,
behind the frontmatter (`frontmatter.read(data).body_start`).

One rule is ours, since CommonMark's makes the last line above every page rule of an exported text a heading:
a line of dashes below text makes a heading only where that text is a single line of at most 100 characters
that neither ends like a sentence nor follows another line of dashes. Otherwise it is a paragraph with a rule
below it. A line of equal signs below text always makes a heading.
"""

from memtend.markdown.links import WikiLink, relink, retarget, wiki_links
from memtend.markdown.outline import (
    Block,
    ListItem,
    Section,
    blocks,
    list_items,
    sections,
    sections_named,
    shift_headings,
)
from memtend.markdown.source import BOM, Span, newline_of, splice

__all__ = [
    "BOM",
    "Block",
    "ListItem",
    "Section",
    "Span",
    "WikiLink",
    "blocks",
    "list_items",
    "newline_of",
    "relink",
    "retarget",
    "sections",
    "sections_named",
    "shift_headings",
    "splice",
    "wiki_links",
]
