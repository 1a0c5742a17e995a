"""A YAML parser, asked whether it would accept what the scanner does not know. Its values are never used."""

from memtend.frontmatter.block import ESCAPED

_DEEPEST = 127
"""Nested further, the parser refuses the text, but takes quadratic time to do so."""


def yaml_type(text: str) -> type | None:
    """The type a YAML parser makes of a text; None where it refuses it."""
    import ryaml

    if _depth(text) > _DEEPEST:
        return None
    try:
        return type(ryaml.loads(ESCAPED.sub("\ufffd", text)))  # type: ignore[attr-defined]
    except ryaml.InvalidYamlError:  # type: ignore[attr-defined]
        return None
    except ValueError:
        # Valid, but not as a Python value: `{{date}}` is a mapping with a mapping for its key.
        return object


def _depth(text: str) -> int:
    """How deep brackets nest at most."""
    if text.count("[") + text.count("{") <= _DEEPEST:
        return 0
    depth = deepest = 0
    for sign in text:
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest
