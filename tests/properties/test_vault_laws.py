"""What holds for every vault file: what is written reads back, and nothing else moves."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memtend import frontmatter
from memtend.body import below, closed, fit, tidy
from memtend.change import Change, ChangeSet, Verb, applied, created, differences
from memtend.errors import Refused
from memtend.layouts.vault import VaultLayout
from memtend.learn.draft import draft
from memtend.learn.payload import LearnPayload
from memtend.markdown import sections
from memtend.memory import STANDARD_CATEGORIES, Digest, Memory, MemoryId, Place, Status
from memtend.review import Action, Decision, Proposal, Recommendation

LAYOUT = VaultLayout()
NOW = datetime(2026, 6, 30, tzinfo=UTC)
PATH = "10-Memories/MEM-x.md"
ID = MemoryId("MEM-x")
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# Text that Markdown and YAML read something into, beside any other.
_SIGNS = st.one_of(
    st.sampled_from(
        ["\n", "\n\n", "\r\n", "\r", "  ", "\t", "#", "# ", "## ", "### ", "- ", "1. ", "> ", "---", "\n---\n"]
    ),
    st.sampled_from(
        ["## History", "## Connections", "history\n---\n", "===", "[[MEM-y]]", "[x]: /y", "| a |\n|---|\n"]
    ),
    st.sampled_from(
        ["```", "~~~", "````py\n", "<!-- ", "-->", "<pre>", "<?", "<![CDATA[", "<!X", "\x00", "\u2028", "é"]
    ),
    st.sampled_from(["{{title}}", "{{content}}", "C:\\new\\table", "\\1", "\\g<0>", "$1,699", "a$'b", "$&", "\ufeff"]),
    st.sampled_from([": ", " #x", "'", '"', "null", "0123", "1.10", "*", "&"]),
)
_ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
TEXT = st.lists(st.one_of(_SIGNS, _ANY), max_size=8).map("".join)
WORDS = TEXT.filter(lambda text: bool(tidy(text).split()))


FIT = TEXT.map(fit)
CONTENT = FIT.filter(bool)
BELOW = TEXT.map(lambda text: below(closed(tidy(text)), 3)).filter(lambda text: not text.lstrip().startswith("<!--"))
NAMES = (
    st.lists(WORDS, max_size=4)
    .map(lambda names: frontmatter.names(tuple(names)))
    .filter(lambda names: frontmatter.names(names) == names)
)
DATES = st.sampled_from(["", "2026-06-08", "2026-06-08T10:00:00+02:00", "2026-06-08 10:00", "next week", "9999-12-31"])


@st.composite
def memories(draw: st.DrawFn) -> Memory:
    tags = draw(NAMES)
    category = draw(st.one_of(st.sampled_from([*STANDARD_CATEGORIES, *tags[:1], "note", "type: x"])))
    is_retired = draw(st.booleans())
    return Memory(
        id=ID,
        place=Place(PATH),
        digest=Digest(""),
        title=draw(WORDS),
        content=draw(CONTENT),
        history=draw(BELOW),
        connections=draw(BELOW),
        trailing=draw(st.one_of(st.just(""), BELOW.map(lambda text: f"## Also\n\n{text}".rstrip(" \t\n")))),
        topic=draw(TEXT),
        category=_category(category),
        tags=tags,
        keywords=draw(NAMES),
        summary=draw(TEXT),
        source=draw(TEXT),
        created=draw(DATES),
        modified=draw(DATES),
        retrieval_count=draw(st.integers(0, 10**6)),
        last_retrieved=draw(DATES),
        status=Status.RETIRED if is_retired else Status.ACTIVE,
        retired_at=draw(DATES) if is_retired else "",
        retired_reason=draw(TEXT) if is_retired else "",
    )


def _category(text: str) -> str:
    name = text.strip().strip("[]").strip() or "note"
    return name.upper() if name.upper() in STANDARD_CATEGORIES else name


def _file(memory: Memory, template: bytes | None = None) -> bytes:
    tree = {} if template is None else {LAYOUT.template_path: template}
    (edit,) = LAYOUT.encode(ChangeSet((created(memory),)), tree, NOW)
    assert edit.path == PATH and edit.after is not None
    return edit.after


def _read(data: bytes) -> Memory:
    (memory,) = LAYOUT.decode(PATH, data).memories
    return memory


def _change(data: bytes, **fields: Any) -> bytes:
    memory = _read(data)
    change = Change(Verb.REFINE, ID, memory.digest, fields)
    edits = LAYOUT.encode(ChangeSet((change,)), {PATH: data}, NOW)
    return edits[0].after or b"" if edits else data


def _same(meant: Memory, found: Memory) -> None:
    assert differences({ID: meant}, {ID: found}) == []


@QUICK
@given(memories())
def test_whatever_is_created_reads_back_as_it_was_meant(memory: Memory) -> None:
    _same(memory, _read(_file(memory)))


@QUICK
@given(memories(), st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.booleans(), st.data())
def test_a_field_changed_and_changed_back_leaves_the_same_bytes(
    memory: Memory, newline: bytes, has_bom: bool, is_ended: bool, data: st.DataObject
) -> None:
    dated = replace(memory, modified="2026-01-02", last_retrieved="")
    file = _shaped(_file(dated), newline, has_bom, is_ended)
    before = _read(file)
    name = data.draw(st.sampled_from(sorted(_NEW)))
    value = data.draw(_NEW[name])
    if name in ("tags", "keywords"):  # names come and go; those that stay keep the way they are written
        value = (*getattr(before, name), *value)
    there = _change(file, **{name: value})
    assert getattr(_read(there), name) == value
    assert _change(there, **{name: getattr(before, name)}) == file


_NEW: dict[str, st.SearchStrategy[Any]] = {
    "title": WORDS,
    "content": CONTENT,
    "history": BELOW,
    "connections": BELOW,
    "trailing": BELOW.map(lambda text: f"## Also\n\n{text}".rstrip(" \t\n")),
    "topic": TEXT,
    "summary": TEXT,
    "source": TEXT,
    "tags": NAMES,
    "keywords": NAMES,
    "modified": st.just("2026-06-08"),
    "retrieval_count": st.integers(0, 10**6),
    "last_retrieved": st.just("2026-06-08"),
}


def _shaped(file: bytes, newline: bytes, has_bom: bool, is_ended: bool) -> bytes:
    file = file.replace(b"\n", newline)
    file = file if is_ended else file.rstrip(b"\r\n")
    return b"\xef\xbb\xbf" + file if has_bom else file


@QUICK
@given(st.lists(st.one_of(_SIGNS, _ANY), max_size=20).map("".join))
def test_any_file_is_read_and_encoding_nothing_changes_nothing(text: str) -> None:
    data = text.encode()
    memory = _read(data)
    same = Change(Verb.REFINE, ID, memory.digest, {"content": memory.content, "title": memory.title})
    assert LAYOUT.encode(ChangeSet((same,)), {PATH: data}, NOW) == ()


@QUICK
@given(st.binary(max_size=200))
def test_no_bytes_stop_the_reading(data: bytes) -> None:
    decoded = LAYOUT.decode(PATH, data)
    assert len(decoded.memories) == 1
    assert decoded.memories[0].title


@QUICK
@given(st.lists(st.one_of(_SIGNS, _ANY), max_size=20).map("".join), st.data())
def test_a_change_to_any_file_is_made_exactly_or_refused(text: str, data: st.DataObject) -> None:
    file = text.encode()
    memory = _read(file)
    name = data.draw(st.sampled_from(sorted(_NEW)))
    change = Change(Verb.REFINE, ID, memory.digest, {name: data.draw(_NEW[name])})
    try:
        edits = LAYOUT.encode(ChangeSet((change,)), {PATH: file}, NOW)
    except Refused:
        return
    found = _read(edits[0].after or b"" if edits else file)
    _same(applied({ID: memory}, [change])[ID], found)


@QUICK
@given(memories(), st.sampled_from([b"\n", b"\r\n"]), st.integers(0, 99), DATES)
def test_o_fm_04_a_count_raised_touches_its_own_lines_alone(
    memory: Memory, newline: bytes, times: int, last: str
) -> None:
    file = _file(memory).replace(b"\n", newline)
    after = _change(file, retrieval_count=times, last_retrieved=last)
    touched = (b"retrieval_count:", b"last_retrieved:")
    kept = [[line for line in data.split(newline) if not line.startswith(touched)] for data in (file, after)]
    assert kept[0] == kept[1]


@QUICK
@given(TEXT)
def test_text_made_fit_stays_fit_and_loses_no_line(text: str) -> None:
    once = fit(text)
    assert fit(once) == once
    assert not [
        s for s in sections(once.encode()) if s.level == 2 and s.title.strip().lower() in ("history", "connections")
    ]
    words = [word.strip("#=-\ufeff") for word in tidy(text).split()]
    assert [word for word in words if word and word not in once] == []


@QUICK
@given(TEXT, st.integers(1, 6))
def test_text_put_below_a_level_has_no_heading_above_it(text: str, level: int) -> None:
    assert all(section.level >= level for section in sections(below(closed(tidy(text)), level).encode()))


@QUICK
@given(st.lists(memories(), max_size=4), st.lists(TEXT, min_size=4, max_size=4))
def test_pages_drawn_twice_are_the_same_and_keep_what_people_wrote(found: list[Memory], texts: list[str]) -> None:
    listed = [
        replace(memory, id=MemoryId(f"MEM-{i}"), place=Place(f"10-Memories/MEM-{i}.md"))
        for i, memory in enumerate(found)
    ]
    prose = [f"## Mine {i}\n\n{below(closed(tidy(text)), 4)}\n" for i, text in enumerate(texts)]
    pages = {path: f"# Head\n\n{''.join(prose)}".encode() for path in LAYOUT.derived_paths[1:]}
    drawn = pages | {edit.path: edit.after or b"" for edit in LAYOUT.reindex(listed, pages, NOW)}
    assert LAYOUT.reindex(listed, drawn, datetime(2027, 1, 1, tzinfo=UTC)) == ()
    active = [memory for memory in listed if memory.is_active]
    for path in LAYOUT.derived_paths[1:]:
        assert all(piece.rstrip().encode() in drawn[path] for piece in prose)
    rows = [line for line in drawn[LAYOUT.derived_paths[1]].decode().split("\n") if line.lstrip().startswith("- [MEM-")]
    assert len(rows) == len(active) * 2 + min(len(active), 10)


@QUICK
@given(st.lists(st.tuples(WORDS, TEXT, st.sampled_from([Action.UPDATE, Action.EXTEND])), min_size=1, max_size=4))
@example([("#history\n---\nhistory\n---\n", "", Action.UPDATE)])
@example([("history\n---\n\ufeff## History", "", Action.UPDATE)])
@example([("history\n---\n\u2028", "", Action.UPDATE)])
def test_whatever_is_learned_in_whatever_order_reads_back(steps: list[tuple[str, str, Action]]) -> None:
    tree: dict[str, bytes] = {}
    known: dict[MemoryId, Memory] = {}
    texts = []
    for number, (text, title, action) in enumerate(steps):
        payload = LearnPayload(text=text, title=title, source_file=f"{number}.md").to_json()
        target = next(iter(known), None)
        recommended = Recommendation(action if known else Action.CREATE, target)
        digests = {id: memory.digest for id, memory in known.items()}
        proposal = Proposal("seg-001", "learn", "", (), recommended, digests=digests, payload=payload)
        changes = draft([proposal], [Decision("seg-001", Action.ACCEPT)], known, now=NOW, taken=lambda _: False)
        assert list(LAYOUT.admits(changes, known)) == []
        tree |= {edit.path: edit.after or b"" for edit in LAYOUT.encode(changes, tree, NOW)}
        found = {memory.id: memory for path, data in tree.items() for memory in LAYOUT.decode(path, data).memories}
        assert differences(applied(known, changes.changes), found) == []
        known = found
        texts.append(text)
    (memory,) = known.values()
    kept = f"{memory.title}\n{memory.text}\n{memory.history}"
    words = {word.strip("#=-\ufeff") for text in texts for word in tidy(text).split()}
    assert [word for word in words if word and word not in kept] == []
    levels = [section.level for section in sections(memory.history.encode())]
    assert all(level >= 3 for level in levels)
