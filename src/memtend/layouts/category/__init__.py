"""Category memory: folders of decisions, patterns, sessions … with a registry that people write too (category spec).

`paths` says what is memory, `ids` and `markers` read decisions' names and the gate, `entries` takes a file apart.
`decode`, `encode` and `layout` are what the store asks of a layout. `tables` and `registry` edit the index cell by
cell. `cues`, `statements` and `summary` shorten without a language model, `archive` keeps and gives back, `compact`
plans, `verify` checks. `diagnose`, `dates`, `split`, `additions` and `erasure` are the upkeep around it.
"""

from memtend.layouts.category.layout import CategoryLayout

__all__ = ["CategoryLayout"]
