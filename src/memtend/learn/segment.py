"""Documents cut into segments, each about one thing and of a size that a memory should have (vault spec, 2.1).

Nothing is lost: the segments of a document, put together, hold every line of it that is not blank exactly once,
and `source_lines` point at them. A Markdown file's frontmatter is no content; it comes as hints. Only a single
line that is longer than 800 tokens is shared by several segments, each with its part. A file whose frontmatter says
`candidates: lines` (what a hook captured) is a list of things that have nothing to do with each other: each item is a
segment, and none is joined with another.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from types import MappingProxyType
from typing import Any, NamedTuple

from memtend import frontmatter
from memtend.learn import code, outline, prose
from memtend.learn.acquire import Acquired, Document, Hints, Skipped
from memtend.learn.sizes import LARGE, SMALL, WHOLE, Cut, size_tokens
from memtend.learn.topic import topic_of_heading, topic_of_matches, topic_of_path, topic_of_words
from memtend.memory import cluster_of
from memtend.text import estimate_tokens, first_line, key_terms, sentences, shorten, topic_path

TITLE_LIMIT = outline.TITLE_LIMIT
SUMMARY_LIMIT = 100
_SHORT_SUMMARY = 60
"""Characters of the summary of an input that is one segment."""
_LONG = 1000
"""Characters of a first line that are looked at."""
_NO_HINTS: Hints = MappingProxyType({})

TopicsOf = Callable[[Sequence[str]], Sequence[str]]
"""Key terms to the topics of the memories they match, best first."""


class Source(NamedTuple):
    """Lines of a document, from 1, both ends included."""

    path: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of what was acquired that may become a memory, or part of one."""

    id: str
    """`seg-001`, counted over all documents of a call."""
    topic: str
    title: str
    source_file: str
    start_line: int
    """From 1; both ends included."""
    end_line: int
    summary: str
    text: str
    """Its lines as they stand in the source, headings included, without blank lines around them."""
    estimated_tokens: int
    key_terms: tuple[str, ...]
    also: tuple[Source, ...] = ()
    """Further small files whose text has joined."""
    language: str = ""
    """`markdown`, the language of source code, or empty for prose."""
    hints: Hints = field(default_factory=lambda: _NO_HINTS)
    """What its source says about itself: `category`, `tags`, `keywords` …"""

    @property
    def sources(self) -> tuple[Source, ...]:
        """All its sources, in order."""
        return (Source(self.source_file, self.start_line, self.end_line), *self.also)


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The segments of everything acquired, and the documents that gave none."""

    segments: tuple[Segment, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def segment(acquired: Acquired, *, topic: str = "", related: TopicsOf | None = None) -> Segmentation:
    """Cut documents into segments.

    `topic`, where given, is everyone's; else it is inferred, last of all from what `related` answers for a
    segment's key terms.
    """
    segments: list[Segment] = []
    skipped: list[Skipped] = []
    apart: set[str] = set()
    for document in acquired.documents:
        body = _body(document)
        if not document.text[body.start :].strip():
            skipped.append(Skipped(document.path, "only frontmatter" if document.text.strip() else "empty"))
            continue
        segments += _segments(document, body, acquired, topic)
        apart |= {document.path} if body.by_item else set()
    if acquired.mode == "directory":
        segments = _with_small_files_joined(segments, apart)
    numbered = (replace(item, id=f"seg-{number:03d}") for number, item in enumerate(segments, 1))
    return Segmentation(tuple(_with_related_topic(item, related) for item in numbered), tuple(skipped))


def content_map(acquired: Acquired, segments: Sequence[Segment]) -> dict[str, Any]:
    """The intermediate form as JSON values (vault spec, 2.1). Several sources of a segment are parted by `; `."""
    return {
        "source": {
            "type": acquired.mode,
            "path": acquired.path,
            "total_tokens": sum(estimate_tokens(document.text) for document in acquired.documents),
        },
        "segments": [
            {
                "id": item.id,
                "topic": item.topic,
                "source_file": "; ".join(source.path for source in item.sources),
                "source_lines": "; ".join(f"{source.start_line}-{source.end_line}" for source in item.sources),
                "summary": item.summary,
                "estimated_tokens": item.estimated_tokens,
                "key_terms": list(item.key_terms),
            }
            for item in segments
        ],
    }


# --- one document -----------------------------------------------------------------------------------------------


class _Body(NamedTuple):
    """Where a document's content begins, in characters and in bytes, and what stands before it."""

    start: int
    start_byte: int
    hints: Hints
    by_item: bool = False
    """Whether each item of its list is a segment of its own."""


def _body(document: Document) -> _Body:
    if document.kind != "markdown" or not document.text.startswith("---"):
        return _Body(0, 0, document.hints)
    data = document.text.encode()
    block = frontmatter.read(data)
    if not block.is_present:
        return _Body(0, 0, document.hints)
    start = len(data[: block.body_start].decode())
    hints = {**_hints(block.values), **document.hints}
    return _Body(start, block.body_start, hints, block.values.get("candidates") == "lines")


def _hints(values: Mapping[str, Any]) -> dict[str, str | tuple[str, ...]]:
    """What frontmatter says that a memory can use."""
    hints: dict[str, str | tuple[str, ...]] = {}
    for key in ("title", "topic", "category", "summary"):
        if isinstance(values.get(key), str) and values[key].strip():
            hints[key] = " ".join(values[key].split())
    for key in ("tags", "keywords"):
        names = frontmatter.names(values.get(key))
        if names:
            hints[key] = names
    return hints


def _segments(document: Document, body: _Body, acquired: Acquired, given_topic: str) -> list[Segment]:
    settled = given_topic or topic_path(str(body.hints.get("topic", "")))
    settled = settled or topic_of_path(document.path, acquired.project)
    own_topic = settled or ("" if body.by_item else _topic_of_content(document, document.text[body.start :]))

    def topic_of(heading: str) -> str:
        """The topic of a heading that says another one than its document has."""
        named = topic_of_heading(heading)
        return named if not settled and cluster_of(named) != cluster_of(own_topic) else ""

    if body.by_item:
        cuts = [
            part if settled else _with_own_topic(document, part)
            for part in outline.items(document.text, body.start_byte)
        ]
    else:
        cuts = _cuts(document, body, is_directory=acquired.mode == "directory", topic_of=topic_of)
    lines = _Lines(document.text)
    made = [_made(document, part, own_topic, lines, body.hints, is_whole=len(cuts) == 1) for part in cuts]
    return [item for item in made if item]


def _with_own_topic(document: Document, part: Cut) -> Cut:
    return part._replace(topic=topic_of_words(document.text[part.start : part.end]))


def _topic_of_content(document: Document, text: str) -> str:
    if document.kind == "code":
        return topic_of_words(text, document.language)
    return topic_of_words(text) or (
        topic_of_heading(outline.first_heading(text)) if document.kind == "markdown" else ""
    )


def _cuts(document: Document, body: _Body, *, is_directory: bool, topic_of: outline.TopicOf) -> list[Cut]:
    text = document.text
    size = size_tokens(text[body.start :])
    if size < WHOLE or (is_directory and size <= LARGE):
        return [Cut(body.start, len(text), _title_of_whole(document, body))]
    if document.kind == "code":
        cuts = code.cut(text, document.language)
        return [part._replace(title=_in_file(part.title, document.path)) for part in cuts]
    return prose.cut(text) if document.kind == "prose" else outline.cut(text, body.start_byte, topic_of)


class _Lines:
    """Line numbers of growing offsets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def of(self, offset: int) -> int:
        """The line, from 1, that an offset lies in; it must not lie before the last one asked for."""
        self._line += self._text.count("\n", self._at, offset)
        self._at = offset
        return self._line


def _made(
    document: Document, part: Cut, own_topic: str, lines: _Lines, hints: Hints, *, is_whole: bool
) -> Segment | None:
    """The segment of a cut, None where it holds only blanks."""
    start, end = _without_blank_lines(document.text, part.start, part.end)
    if start == end:
        return None
    text = document.text[start:end]
    title = shorten((part.title or _first_sentence(text))[:_LONG], TITLE_LIMIT)
    return Segment(
        id="",
        topic=part.topic or own_topic,
        title=title,
        source_file=document.path,
        start_line=lines.of(start),
        end_line=lines.of(end),
        summary=_summary(document, text, title, hints, is_whole=is_whole),
        text=text,
        estimated_tokens=estimate_tokens(text),
        key_terms=key_terms(text),
        language=document.language,
        hints=hints if is_whole else {key: hints[key] for key in ("category", "tags", "topic") if key in hints},
    )


def _without_blank_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """The range from its first to its last character that shows; a first line that is whole keeps its indentation."""
    part = text[start:end]
    last = start + len(part.rstrip())
    if last <= start:
        return start, start
    first = start + len(part) - len(part.lstrip())
    line = text.rfind("\n", 0, first) + 1
    return line if line >= start else first, last


def _title_of_whole(document: Document, body: _Body) -> str:
    """The title of a document that is one segment: what it says itself, its first heading, its first sentence."""
    text = document.text[body.start :]
    if body.hints.get("title"):
        return str(body.hints["title"])
    if document.kind == "code":
        return _in_file(code.title(text, document.language), document.path)
    return outline.first_heading(text) if document.kind == "markdown" else ""


def _in_file(title: str, path: str) -> str:
    """A title of code with the name of its file, both within the limit."""
    name = f" ({path.rpartition('/')[2]})"
    return shorten(title, max(TITLE_LIMIT - len(name), TITLE_LIMIT // 2)) + name


def _first_sentence(text: str) -> str:
    first = (first_line(text) or text.strip().partition("\n")[0])[:_LONG]
    return next(iter(sentences(first)), first)


def _summary(document: Document, text: str, title: str, hints: Hints, *, is_whole: bool) -> str:
    """A line that says more than the title where the text has one."""
    if is_whole and hints.get("summary"):
        return shorten(str(hints["summary"]), SUMMARY_LIMIT)
    if document.kind == "code":
        return shorten(code.summary(text) or title, SUMMARY_LIMIT)
    if document.kind == "markdown":
        return shorten(outline.summary(text) or first_line(text), SUMMARY_LIMIT)
    if is_whole:
        return shorten(first_line(text), _SHORT_SUMMARY)
    said = (sentence for sentence in sentences(text[:4000]) if not title.startswith(sentence[:60].rstrip("…")))
    return shorten(next(said, "") or first_line(text), SUMMARY_LIMIT)


# --- over documents ---------------------------------------------------------------------------------------------


def _with_small_files_joined(segments: Iterable[Segment], apart: Collection[str]) -> list[Segment]:
    """Files under 100 tokens joined with others of the same folder, topic and language, up to the ideal size.

    Files that are `apart` stay as they are.
    """
    found: list[Segment] = []
    for _, neighbours in groupby(segments, key=lambda item: (item.source_file.rpartition("/")[0], item.topic)):
        open_: dict[str, int] = {}
        for item in neighbours:
            place = open_.get(item.language)
            if item.estimated_tokens >= SMALL or item.source_file in apart:
                found.append(item)
            elif place is not None and found[place].estimated_tokens + item.estimated_tokens <= WHOLE:
                found[place] = _joined(found[place], item)
            else:
                open_[item.language] = len(found)
                found.append(item)
    return found


def _joined(first: Segment, second: Segment) -> Segment:
    text = f"{first.text}\n\n{second.text}"
    return replace(
        first,
        title=shorten(f"{first.title}, {second.title}", TITLE_LIMIT),
        text=text,
        estimated_tokens=estimate_tokens(text),
        key_terms=key_terms(text),
        also=(*first.also, *second.sources),
        hints={**second.hints, **first.hints},
    )


def _with_related_topic(item: Segment, related: TopicsOf | None) -> Segment:
    if item.topic or related is None:
        return item
    return replace(item, topic=topic_of_matches(related(item.key_terms)))
