"""Texts of any script: their words, their key terms, how alike they are, and names made from them.

A leaf: plain strings in, plain values out. `tokens` knows words, `sentence` sentences, `keyterms` what a text is
about, `likeness` how two texts compare, `sameness` whether they say the same, `contradiction` where they disagree,
`naming` titles and file names.
Loaded part by part, since a hook that needs only words should not pay for the rest.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memtend.text.contradiction import Difference, conflict
    from memtend.text.keyterms import key_terms, overlap, terms
    from memtend.text.likeness import coverage, similarity
    from memtend.text.naming import names_something, require_name, shorten, slug, topic_path
    from memtend.text.sameness import sameness
    from memtend.text.sentence import first_line, sentences
    from memtend.text.tokens import count_words, estimate_tokens, fold, parts, words

__all__ = [
    "Difference",
    "conflict",
    "count_words",
    "coverage",
    "estimate_tokens",
    "first_line",
    "fold",
    "key_terms",
    "names_something",
    "overlap",
    "parts",
    "require_name",
    "sameness",
    "sentences",
    "shorten",
    "similarity",
    "slug",
    "terms",
    "topic_path",
    "words",
]

_HOME = {
    "Difference": "contradiction",
    "conflict": "contradiction",
    "coverage": "likeness",
    "similarity": "likeness",
    "sameness": "sameness",
    "first_line": "sentence",
    "sentences": "sentence",
    "names_something": "naming",
    "require_name": "naming",
    "shorten": "naming",
    "slug": "naming",
    "topic_path": "naming",
    "key_terms": "keyterms",
    "overlap": "keyterms",
    "terms": "keyterms",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOME.get(name, 'tokens')}"), name)
    globals()[name] = value
    return value
