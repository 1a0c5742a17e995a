"""Halves of characters: JSON can name them, and who cuts a text in the middle of an emoji leaves one. No file can."""

from typing import Any


def without_halves(value: Any) -> Any:
    """JSON values with the sign for what is missing (U+FFFD) in the place of each half of a character."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {without_halves(key): without_halves(inner) for key, inner in value.items()}
    return [without_halves(inner) for inner in value] if isinstance(value, list) else value
