"""The entries of a file as memories (see `memtend.layouts.Layout.decode`)."""

from collections.abc import Mapping, Sequence

from memtend.body import tidy
from memtend.layouts import Decoded
from memtend.layouts.category.dates import date_of, entry_date
from memtend.layouts.category.diagnose import file_problems
from memtend.layouts.category.entries import Document, Entry, read
from memtend.layouts.category.paths import Kind, claims
from memtend.markdown import Span, WikiLink, wiki_links
from memtend.memory import Digest, Memory, MemoryId, Place, Status, digest_of
from memtend.text import estimate_tokens


def decode(path: str, data: bytes) -> Decoded:
    """The memories and problems of one file; none of a file that is no memory."""
    if not claims(path):
        return Decoded()
    document = read(path, data)
    digest = digest_of(data)
    links = tuple(wiki_links(data, document.frontmatter.body_start)) if b"[[" in data else ()
    memories = tuple(_memory(document, entry, digest, links) for entry in document.entries)
    return Decoded(memories, tuple(file_problems(document)))


def _memory(document: Document, entry: Entry, digest: Digest, links: Sequence[WikiLink]) -> Memory:
    """One entry; `links` are those of the whole file, and what its keys say is said of a file that is one entry."""
    own = dict.fromkeys(link.target for link in links if entry.span.start <= link.span.start < entry.span.end)
    content = content_of(document, entry)
    is_whole = not entry.part
    return Memory(
        id=MemoryId(entry.address),
        place=Place(document.path, entry.part),
        digest=digest,
        title=entry.title,
        content=content,
        topic=document.path.rpartition("/")[0],
        category=entry.category,
        tags=document.names("tags"),
        keywords=(entry.id,) if entry.id else (),
        summary=document.key("summary") or document.key("description") if is_whole else "",
        source=document.key("source") if is_whole else "",
        created=document.key("created_at") if is_whole else "",
        modified=date_of(document) if is_whole else entry_date(document, entry),
        status=Status.RETIRED if entry.marker or entry.archived_to else Status.ACTIVE,
        retired_reason=entry.marker.summary if entry.marker else "",
        token_count=estimate_tokens(content),
        links=tuple(own),
        extra=_extra(entry),
    )


def _extra(entry: Entry) -> Mapping[str, str]:
    found = {"entry": entry.id, "archived_to": entry.archived_to}
    return {name: value for name, value in found.items() if value}


def content_of(document: Document, entry: Entry) -> str:
    """What an entry says, without its heading and marker."""
    return tidy(document.data[slice(*content_span(document, entry))].decode("utf-8", "replace"))


def content_span(document: Document, entry: Entry) -> Span:
    """Where the text of an entry stands: behind its heading and marker, up to where the entry ends."""
    start, end = entry.span
    if document.kind is Kind.FILE or not entry.part:
        start = document.frontmatter.body_start
    number = next((i for i, s in enumerate(document.sections) if start <= s.start < end), None)
    if number is None or not _begins_with(document, start, document.sections[number].start):
        return Span(start, end)
    if not entry.part and document.sections[number].title != document.title:
        return Span(start, end)
    mark = document.marks.get(number)
    return Span(min(end, mark.span.end if mark else document.sections[number].text_start), end)


def _begins_with(document: Document, start: int, heading: int) -> bool:
    return not document.data[start:heading].strip()
