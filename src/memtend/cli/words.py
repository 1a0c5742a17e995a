"""The words of a command line that is plainly meant: options by their whole names with a value behind them, and texts.

The fast lanes and `plain` read by it, so that no option means one thing here and another there. Light: hooks load it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def parted(words: "Sequence[str]", known: "Mapping[str, bool]") -> "tuple[list[tuple[str, str]], list[str]] | None":
    """Options with their values in the order they were given, and the texts; None where anything is not plain.

    `known` says of each option whether a value follows; one without has the value "".
    """
    given: list[tuple[str, str]] = []
    texts: list[str] = []
    left = list(reversed(words))
    while left:
        word = left.pop()
        if word == "--":
            texts += reversed(left)
            break
        if word == "-" or not word.startswith("-"):
            texts.append(word)
            continue
        name, equals, value = word.partition("=")
        if name not in known or (equals and not (known[name] and name.startswith("--"))):
            return None
        if known[name] and not equals:
            value = left.pop() if left else "--"
            if value.startswith("-") and value != "-":
                return None
        given.append((name, value))
    return given, texts
