"""A YAML parser, asked whether it would accept what the scanner does not know. Its values are never used."""

from memtend.frontmatter.block import ESCAPED


def yaml_type(text: str) -> type | None:
    """The type a YAML parser makes of a text; None where it refuses it."""
    import ryaml

    try:
        return type(ryaml.loads(ESCAPED.sub("\ufffd", text)))  # type: ignore[attr-defined]
    except ryaml.InvalidYamlError:  # type: ignore[attr-defined]
        return None
