"""Abbreviations that people who build software write for a word, and the word: either finds the other.

Only those that stand for one word wherever they stand. `doc`, `temp`, `js` or `go` are not here: they are also a
doctor, a temperature, the end of a file's name, a verb. The first of a pair is kept as the second, which is the
abbreviation where the stemmer takes the word for an everyday one: `localization` for `local`, `specification` for
`specific`.
"""

_WRITTEN = """
accessibility a11y|admin administrator|app application|arg argument|async asynchronous|attr attribute
auth authentication|cert certificate|cfg configuration|cmd command|conf configuration|config configuration
cred credential|ctx context|db database|dep dependency|dev development|dir directory|docs documentation
env environment|func function|impl implementation|infra infrastructure|internationalisation i18n
internationalization i18n|k8s kubernetes|lib library|localisation l10n|localization l10n|mgmt management|mongo mongodb
msg message|observability o11y|param parameter|perf performance|pkg package|postgres postgresql|production prod
regexp regex|repo repository|specification spec|tmp temporary|util utility|yml yaml
"""


def _spelled_out() -> dict[str, str]:
    pairs = [entry.split() for line in _WRITTEN.split("\n") for entry in line.split("|") if entry]
    return dict(pairs) | {f"{written}s": kept for written, kept in pairs if not written.endswith("s")}


SPELLED_OUT = _spelled_out()
"""What each of them is kept as, and its plural, which the stemmer takes for the same."""


def spellings(word: str) -> list[str]:
    """A word that is kept, as it may stand in a text: itself and what is kept as it."""
    return [word, *(written for written, kept in SPELLED_OUT.items() if kept == word)]
