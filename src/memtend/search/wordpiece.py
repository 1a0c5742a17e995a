"""How BERT models cut text: words and marks, each into the longest pieces of a vocabulary.

The vocabulary that comes with the package (`wordpiece.vocab`, one piece a line, from all-MiniLM-L6-v2, Apache-2.0) is
that of `bert-base-uncased`; another model brings its own.
"""

import os
from collections.abc import Iterator, Sequence
from unicodedata import category, normalize

VOCABULARY = os.path.join(os.path.dirname(__file__), "wordpiece.vocab")
_LONGEST_WORD = 100
_MARKS = ("[CLS]", "[SEP]", "[UNK]")


class WordPiece:
    """The tokeniser of an uncased BERT model."""

    def __init__(self, path: str = VOCABULARY) -> None:
        """Raises OSError, and ValueError for a file that is no vocabulary."""
        with open(path, encoding="utf-8") as file:
            pieces = file.read().split("\n")  # other ends of a line are pieces
        self._numbers = {piece: number for number, piece in enumerate(pieces) if piece}
        if missing := [mark for mark in _MARKS if mark not in self._numbers]:
            raise ValueError(f"{path} lacks {', '.join(missing)}")
        self._first, self._last, self._unknown = (self._numbers[mark] for mark in _MARKS)

    def numbers(self, text: str, most: int) -> list[int]:
        """The pieces' numbers between the two marks, no more than `most` with them."""
        found = [number for word in _words(text) for number in self._pieces(word)]
        return [self._first, *found[: most - 2], self._last]

    def _pieces(self, word: str) -> Sequence[int]:
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            before = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if before + word[start:end] in self._numbers), 0)
            if not end:
                return [self._unknown]
            found.append(self._numbers[before + word[start:end]])
            start = end
        return found


def _words(text: str) -> Iterator[str]:
    plain = "".join(c for c in normalize("NFD", text.lower()) if category(c) != "Mn")
    return iter("".join(map(_parted, plain)).split())


def _parted(character: str) -> str:
    """A mark or an ideograph stands for itself, between blanks."""
    code = ord(character)
    kind = category(character)
    is_mark = kind[0] == "P" or 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
    if is_mark or 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x2FA1F:
        return f" {character} "
    return " " if kind in ("Zs", "Cc", "Cf") else character
