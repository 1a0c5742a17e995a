"""Made-up notes with the statistics of real ones: a Zipf-like vocabulary, fillers, names, topics that cluster.

Everything follows from the seed. No sentence means anything.
"""

import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

_LETTERS = "b c d f g h j k l m n p r s t v w br cl cr dr fl gr pl pr sc sh sp st tr"
_VOWELS = "aeiou"
_ENDS = "b d g l m n p r s t ng st"
_FILLERS = "the of a to and in is for that with on as it by are be this from at or not an which can when"
_CATEGORIES = ("TECHNIQUE", "PATTERN", "CONFIG", "WORKFLOW", "INSIGHT")
_VOCABULARY = 12_000


class Notes:
    """A generator of notes. Two with the same seed make the same ones."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._fillers = _FILLERS.split()
        self.words = self._vocabulary()
        self._weights = list(accumulate(1 / (rank + 2.7) ** 1.05 for rank in range(len(self.words))))
        self._topics = [f"{self._word()}/{self._word()}" for _ in range(60)]

    def texts(self, count: int, words: int = 150) -> Iterator[tuple[str, str]]:
        """`(path in the vault, text)` of some notes."""
        for number in range(count):
            yield f"10-Memories/MEM-{number:06}.md", self.text(number, words)

    def text(self, number: int, words: int = 150) -> str:
        """One note with its frontmatter."""
        title = " ".join(self._some(4)).capitalize()
        keywords = ", ".join(dict.fromkeys(self._some(5)))
        day = self._random.randrange(1, 28)
        linked = self._random.randrange(number + 1)
        return (
            f"---\ntitle: {title}\ncreated: 2026-0{1 + day % 6}-{day:02}\ntags: [{self._random.choice(_CATEGORIES)}]\n"
            f"topic: {self._random.choice(self._topics)}\nsource: made up\nmodified: 2026-06-{day:02}\n"
            f"keywords: [{keywords}]\nsummary: {' '.join(self._some(9)).capitalize()}\n"
            f"retrieval_count: {self._random.randrange(9)}\nlast_retrieved:\n---\n"
            f"# {title}\n\n{self.body(words)}\n\n## Connections\n\n- [[MEM-{linked:06}]]\n"
        )

    def question(self, words: int = 6) -> str:
        """Some content words with fillers between them, as a person would ask."""
        return " ".join(f"{self._random.choice(self._fillers)} {word}" for word in self._some(words))

    def body(self, words: int) -> str:
        """The paragraphs of a note."""
        paragraphs = []
        left = words
        while left > 0:
            size = min(left, self._random.randrange(25, 60))
            paragraphs.append(self._paragraph(size))
            left -= size
        return "\n\n".join(paragraphs)

    def _paragraph(self, size: int) -> str:
        said = [
            self._random.choice(self._fillers) if self._random.random() < 0.4 else self._word() for _ in range(size - 1)
        ]
        for place in range(self._random.randrange(8, 14), len(said), 11):
            said[place] += "."
        first, second, third = self._some(3)
        name = self._random.choice((f"`{first}_{second}()`", f"`{first}.{second}`", f"{first}{second.title()}", third))
        return " ".join([*said, name]).capitalize() + "."

    def _some(self, count: int) -> list[str]:
        return self._random.choices(self.words, cum_weights=self._weights, k=count)

    def _word(self) -> str:
        return self._some(1)[0]

    def _vocabulary(self) -> list[str]:
        made: dict[str, None] = {}
        while len(made) < _VOCABULARY:
            syllables = self._random.choice((1, 2, 2, 3, 3))
            made["".join(self._syllable() for _ in range(syllables)) + self._random.choice(_ENDS.split())] = None
        return list(made)

    def _syllable(self) -> str:
        return self._random.choice(_LETTERS.split()) + self._random.choice(_VOWELS)


def write_vault(root: Path, count: int, words: int = 150, seed: int = 1) -> Notes:
    """A vault of made-up notes below `root`; gives the generator, for questions about them."""
    (root / "10-Memories").mkdir(parents=True)
    notes = Notes(seed)
    for path, text in notes.texts(count, words):
        (root / path).write_text(text, encoding="utf-8", newline="\n")
    return notes
