"""What a learn proposal carries of its segment, and what the fields of a memory made of it say (vault spec, 2.4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from memtend.body import fit, tidy
from memtend.errors import UnusableInput
from memtend.frontmatter import names
from memtend.markdown import blocks, sections
from memtend.memory import STANDARD_CATEGORIES
from memtend.text import first_line, fold, key_terms, names_something, sentences, shorten

TITLE_LIMIT = 80
SUMMARY_LIMIT = 100
NO_SOURCE = "user input"


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnPayload:
    """What a learn proposal carries of its segment: all that drafting needs."""

    text: str
    title: str = ""
    topic: str = ""
    category: str = ""
    """Empty where nobody said; the draft's default is used then, for a new memory only."""
    tags: tuple[str, ...] = ()
    """Beside the category, from the source's own frontmatter."""
    key_terms: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    """Beside the key terms, from the source itself."""
    language: str = ""
    """Of source code, which stands in a memory as a fenced block; empty for prose and Markdown."""
    summary: str = ""
    """Of source code, which has no sentence to take one from."""
    source_file: str = ""
    source_lines: str = ""
    """`15-42`, both ends included."""

    @property
    def source(self) -> str:
        """What a memory names as its source."""
        return self.source_file or NO_SOURCE

    def to_json(self) -> dict[str, Any]:
        """The payload as JSON values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "LearnPayload":
        """The payload that `to_json` wrote; keys it does not know are left out. Raises UnusableInput."""
        known = {field.name for field in fields(cls)}
        given = {name: value for name, value in data.items() if name in known and value is not None}
        if not isinstance(given.get("text"), str):
            raise UnusableInput("a learn proposal without its text", hint="Make the plan again with --plan.")
        lists = {"tags", "key_terms", "keywords"}
        typed: dict[str, Any] = {n: names_of(value) if n in lists else str(value) for n, value in given.items()}
        return cls(**typed)


def title_of(segment: LearnPayload) -> str:
    """A title on one line of at most 80 characters; the text's first line where the segment has none."""
    title = segment.title if segment.title.strip() else first_line(segment.text)
    return shorten(title, TITLE_LIMIT) or shorten(segment.text, TITLE_LIMIT)


def content_of(segment: LearnPayload, title: str) -> str:
    """What a memory says of a segment: its text without a heading that says the title, or its code in a fence."""
    if segment.language:
        return fit(fenced(segment.text, segment.language))
    return fit(without_title(fit(segment.text), title))  # without its first line, the next may become a heading


def fenced(text: str, language: str) -> str:
    """Source code as a Markdown block, where `# note` is no heading; what is fenced already, and prose, as it is."""
    if not language or text.lstrip().startswith(("```", "~~~")):
        return text
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.strip(chr(10))}\n{fence}"


def without_title(text: str, title: str) -> str:
    """The text without a heading that opens it and says the title; one that is all there is stays."""
    data = text.encode()
    headings = sections(data)
    if not headings or headings[0].start or fold(one_line(headings[0].title)) != fold(title):
        return text
    rest = data[headings[0].text_start :].decode()
    return rest if tidy(rest).strip() else text


def summary_of(content: str, title: str, keywords: Sequence[str]) -> str:
    """A sentence of at most 100 characters that the title does not say already (O-VA-04); else the keywords."""
    data = content.encode()
    prose = (data[b.span.start : b.span.end].decode() for b in blocks(data) if b.kind in ("paragraph", "list", "quote"))
    for text in prose:
        for sentence in sentences(text):
            if any(char.isalnum() for char in sentence) and not _says(title, sentence):
                return shorten(sentence, SUMMARY_LIMIT)
    return shorten(", ".join(keywords), SUMMARY_LIMIT)


def _says(title: str, sentence: str) -> bool:
    """Whether a title has most of a sentence, or its beginning and an ellipsis."""
    said = fold(title.rstrip("…").strip())
    return fold(sentence).startswith(said) and (title.endswith("…") or 2 * len(said) > len(sentence))


def written_summary(segment: LearnPayload) -> str:
    """The summary that a memory made of the segment, or updated by it, gets: what a plan shows is what is written."""
    title = title_of(segment)
    own = shorten(segment.summary, SUMMARY_LIMIT)
    return own or summary_of(content_of(segment, title), title, keywords_of(segment))


def category_of(text: str) -> str:
    """A category's name without brackets, empty where it is none; upper case for the five standard ones."""
    name = one_line(next(iter(names_of(text)), ""))
    if not names_something(name):
        return ""
    return name.upper() if name.upper() in STANDARD_CATEGORIES else name


def names_of(value: object) -> tuple[str, ...]:
    """Tags or keywords by the one rule for lists (`frontmatter.names`), in a form that it no longer changes."""
    found = names(tuple(map(str, value)) if isinstance(value, list | tuple) else str(value))
    while (again := names(found)) != found:
        found = again
    return found


def keywords_of(segment: LearnPayload) -> tuple[str, ...]:
    """Its own keywords, then its key terms."""
    return united(segment.keywords, segment.key_terms or key_terms(segment.text))


def united(*groups: Sequence[str]) -> tuple[str, ...]:
    """Every name once, letter case aside, in order."""
    found: dict[str, str] = {}
    for name in names_of(tuple(name for group in groups for name in group)):
        found.setdefault(fold(name), name)
    return tuple(found.values())


def one_line(text: str) -> str:
    """The text with every run of white space as one blank."""
    return " ".join(text.split())
