"""JSON with comments, trailing commas and blank space, written in any way that a person may."""

import json
from typing import Any

from hypothesis import strategies as st

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
BLANKS = st.sampled_from(["", " ", "\n", "\n  ", ' // a comment, with "marks"\n', "/* } ] , */"])


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, Any]:
    """A text with an object in it, written in any way, and the object."""
    value = draw(st.dictionaries(st.sampled_from(["mcpServers", "hooks", "a", "ß"]), VALUES, max_size=4))

    def written(value: Any) -> str:
        gap = lambda: draw(BLANKS)  # noqa: E731
        if isinstance(value, dict):
            inner = [f"{gap()}{json.dumps(key)}{gap()}:{gap()}{written(one)}{gap()}" for key, one in value.items()]
        elif isinstance(value, list):
            inner = [f"{gap()}{written(one)}{gap()}" for one in value]
        else:
            return json.dumps(value)
        trailing = draw(st.sampled_from(["", ","])) if inner else ""
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        return opening + ",".join(inner) + trailing + gap() + closing

    return written(value), value
