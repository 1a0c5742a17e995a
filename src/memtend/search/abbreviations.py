"""Abbreviations that people who build software write for a word, and the word: either finds the other.

Only those that stand for one word wherever they stand. `doc`, `temp`, `js` or `go` are not here: they are also a
doctor, a temperature, the end of a file's name, a verb.
"""

_WRITTEN = """
a11y accessibility|admin administrator|app application|arg argument|async asynchronous|attr attribute
auth authentication|cert certificate|cfg configuration|cmd command|conf configuration|config configuration
cred credential|ctx context|db database|dep dependency|dev development|dir directory|docs documentation|env environment
func function|i18n internationalization|impl implementation|infra infrastructure|k8s kubernetes|l10n localization
lib library|mgmt management|mongo mongodb|msg message|o11y observability|param parameter|perf performance|pkg package
postgres postgresql|prod production|regexp regex|repo repository|spec specification|tmp temporary|util utility
yml yaml
"""


def _spelled_out() -> dict[str, str]:
    pairs = [entry.split() for line in _WRITTEN.split("\n") for entry in line.split("|") if entry]
    return dict(pairs) | {f"{short}s": long for short, long in pairs if not short.endswith("s")}


SPELLED_OUT = _spelled_out()
"""The word for each abbreviation and for its plural, which the stemmer takes for the same."""


def spellings(word: str) -> list[str]:
    """The word as it may stand in a text: itself and its abbreviations."""
    return [word, *(short for short, long in SPELLED_OUT.items() if long == word)]
