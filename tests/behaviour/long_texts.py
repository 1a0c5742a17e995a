"""Texts of any length about one subject or another, as documents and in segments."""

from memtend.learn.acquire import Acquired, Document, Mode
from memtend.learn.segment import Segment, segment

SUBJECTS = {
    "garden": "Water the {} bed of roses at dawn, and cut the dead flowers off before the summer heat.",
    "cache": "Every key of the {} cache expires after an hour, unless a client touches its entry again.",
    "music": "The {} violin plays the melody while the drums keep the rhythm of an old slow song.",
}


def prose(subject: str, sentences: int) -> str:
    """Running text of about 20 tokens a sentence."""
    return " ".join(SUBJECTS[subject].format(number) for number in range(sentences))


def document(text: str, path: str = "guide.md", **fields: str) -> Document:
    """A document of that text."""
    kind = fields.get("kind", "markdown" if path.endswith(".md") else "prose")
    language = fields.get("language", "markdown" if kind == "markdown" else "")
    return Document(path, text, kind, language)


def segments(text: str, path: str = "guide.md", mode: Mode = "file", **options: str) -> tuple[Segment, ...]:
    """The segments of a text."""
    return segment(Acquired(mode, path, (document(text, path),)), **options).segments


def titles(found: tuple[Segment, ...]) -> list[str]:
    """What segments are called."""
    return [item.title for item in found]
