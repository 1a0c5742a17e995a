"""Laws of category memory over generated memories.

Durable and session files, markers in and out of fences, CRLF, ids that stand twice. What is marked is known from how a
memory was made, not from the code that reads it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtend.layouts.category import archive
from memtend.layouts.category.compact import Compaction, Options, choose, plan
from memtend.layouts.category.entries import read
from memtend.layouts.category.folder import Folder
from memtend.layouts.category.paths import Durability, category_of, durability_of
from memtend.layouts.category.registry import faults
from memtend.layouts.category.restore import restored
from memtend.layouts.category.verify import failures

NOW = datetime(2026, 6, 30, 10, tzinfo=UTC)
LAWS = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

WHOLE = (
    "> SUPERSEDED by DEC-1",
    "> RETRACTED",
    "> OBSOLETE — nobody uses it",
    "> ⚠️ **SUPERSEDED by DEC-2026-02-20-41** — a reason",
    "> 🚫 *RETRACTED* — wrong",
    "> __OBSOLETE__: moved\n> to another team",
    "> SUPERSEDED by DEC-1, DEC-2 and DEC-49-delta-E63S06",
)
NO_MARKERS = (
    "> SUPERSEDED",
    "> OBSOLETE",
    "> OBSOLETE — {reason}",
    "> superseded by DEC-1",
    "> ~~RETRACTED~~",
    "> `RETRACTED`",
    "> - RETRACTED",
    "RETRACTED",
    "- > RETRACTED",
    "<!--\n> RETRACTED\n-->",
    "```\n> RETRACTED\n```",
    "> RETRACTED notes are not kept.",
    "> A quote\n> RETRACTED",
    "`SUPERSEDED by DEC-1`",
)
FILLERS = (
    "Plain text.",
    "- one\n- two\n  - three",
    "```markdown\n### DEC-7 — in a fence\n\n> RETRACTED\n```",
    "<!--\n### DEC-8 — in a comment\n\n> RETRACTED\n-->",
    "Some text.\n\n> RETRACTED",
    "> A quote that says nothing.",
    "| a | b |\n|---|---|\n| 1 | `x\\|y` |",
    "Wider ümlaut ünd 中文 text. 🙂",
    "C:\\new\\table \\1 \\g<0> $1,699",
    "[[decisions/_log]] and [a link](x.md)",
)
IDS = st.sampled_from(
    [
        "DEC-1",
        "DEC-13",
        "DEC-9",
        "DEC-009",
        "DEC-60",
        "DEC-60 (REVISED)",
        "DEC-2026-02-20-41",
        "DEC-E08S05-01",
        "DEC-49-delta-E63S06",
    ]
)


@dataclass
class Made:
    """A generated memory and what in it is marked, by the token that stands in every entry."""

    tree: dict[str, bytes] = field(default_factory=dict)
    marked: set[str] = field(default_factory=set)
    active: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    count: int = 0

    def token(self) -> str:
        self.count += 1
        return f"tok{self.count:04}x"

    @property
    def folder(self) -> Folder:
        return Folder(dict(self.tree))


@st.composite
def bodies(draw: st.DrawFn, made: Made) -> tuple[str, bool, str]:
    """The text below a heading, whether it is marked, and its token."""
    token = made.token()
    kind = draw(st.sampled_from(["none", "none", "none", "whole", "no marker"]))
    first = draw(st.sampled_from(WHOLE if kind == "whole" else NO_MARKERS)) if kind != "none" else ""
    fillers = draw(st.lists(st.sampled_from(FILLERS), max_size=3))
    middle = ["", *([first, ""] if first else []), f"Text {token}.", ""]
    for filler in fillers:
        middle += [filler, ""]
    return "\n".join(middle), kind == "whole", token


@st.composite
def logs(draw: st.DrawFn, made: Made) -> str:
    separator = draw(st.sampled_from(["---\n\n", "", "***\n\n"]))
    lines = ["# Decision Log", "", "> Append-only.", "", separator]
    for _ in range(draw(st.integers(0, 6))):
        level = draw(st.sampled_from([2, 3, 3, 3, 4]))
        text, is_marked, token = draw(bodies(made))
        lines.append(f"{'#' * level} {draw(IDS)} — Title {token}\n{text}\n{separator}")
        (made.marked if is_marked else made.active).add(token)
    if draw(st.booleans()):
        lines.append("<!-- Add decisions above this line -->\n")
    return "\n".join(lines)


@st.composite
def patterns(draw: st.DrawFn, made: Made) -> str:
    lines = ["# Patterns", ""]
    if draw(st.booleans()):
        token = made.token()
        lines += [f"About patterns {token}.", ""]
        made.active.add(token)
    above = False
    for _ in range(draw(st.integers(0, 5))):
        level = draw(st.sampled_from([2, 2, 3, 4]))
        if level == 4:  # it belongs to the section above it
            lines.append("#### Detail\n\nMore.\n" if any(line[:3] in ("## ", "###") for line in lines) else "")
            continue
        text, is_marked, token = draw(bodies(made))
        above = is_marked if level == 2 else above
        lines.append(f"{'#' * level} Part {draw(st.integers(1, 3))}\n{text}")
        (made.marked if is_marked or (level == 3 and above) else made.active).add(token)
    return "\n".join(lines)


@st.composite
def decisions(draw: st.DrawFn, made: Made) -> str:
    text, is_marked, token = draw(bodies(made))
    status = draw(st.sampled_from(["", "status: active\n", "status: superseded\nsuperseded_by: DEC-1\n"]))
    is_marked = is_marked or "superseded_by" in status
    (made.marked if is_marked else made.active).add(token)
    return f"---\nid: DEC-{made.count}\n{status}created_at: 2026-03-01\n---\n\n# DEC-{made.count} — {token}\n{text}"


@st.composite
def sessions(draw: st.DrawFn, made: Made) -> str:
    text, _, token = draw(bodies(made))
    made.sessions.add(token)
    rules = draw(
        st.lists(st.sampled_from(["It must never exceed 5 MB.", "We decided to use Redis for mail."]), max_size=2)
    )
    return f"---\nupdated_at: 2026-0{draw(st.integers(1, 6))}-01\n---\n# Session {token}\n{text}\n" + "\n\n".join(rules)


INDEX = """\
---
type: memory_index
id: MEMORY-INDEX
updated_at: 2026-02-22
---

# Memory Map

Prose stays.

## Active Files

| File | Category | ID | Last updated | Note |
|---|---|---|---|---|
{rows}
## More

| File | Type | Status |
|---|---|---|
| `artefacts/a.md` | PRD | Active |
"""


@st.composite
def memories(draw: st.DrawFn) -> Made:
    """A memory of a few files."""
    made = Made()
    files: dict[str, str] = {}
    if draw(st.booleans()):
        files["decisions/_log.md"] = draw(logs(made))
    for number in range(draw(st.integers(0, 2))):
        files[f"decisions/DEC-{90 + number}.md"] = draw(decisions(made))
    if draw(st.booleans()):
        files["patterns/conventions.md"] = draw(patterns(made))
    for number in range(draw(st.integers(0, 3))):
        files[f"sessions/2026-05-0{number + 1}.md"] = draw(sessions(made))
    if draw(st.booleans()):
        token = made.token()
        files["ideas/later.md"] = f"# Later\n\n> RETRACTED\n\nText {token}.\n"
        made.active.add(token)
    listed = draw(st.sampled_from(["all", "some", "none"]))
    shown = [path for i, path in enumerate(files) if listed == "all" or (listed == "some" and i % 2)]
    rows = "".join(f"| `{path}` | {category_of(path)} | — | 2026-02-22 | a \\| b |\n" for path in shown)
    files["index.md"] = INDEX.format(rows=rows)
    files["README.memory.md"] = "> RETRACTED\n"
    for path, text in files.items():
        newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
        ending = draw(st.sampled_from(["", "\n"]))
        made.tree[path] = (text.rstrip("\n") + ending).replace("\n", newline).encode()
    return made


def compacted(folder: Folder, options: Options) -> tuple[Folder, list[Compaction]]:
    """The folder after compacting whatever yields something, and what was done; every check must pass."""
    done = []
    for candidate in choose(folder, options, NOW)[0]:
        compaction = plan(folder, candidate, options, NOW)
        assert failures(folder, compaction, options, NOW) == {}
        folder = folder.after(compaction.edits)
        done.append(compaction)
    return folder, done


def tokens_in(datas: Sequence[bytes]) -> set[str]:
    text = b"\n".join(datas).decode()
    return {text[i : i + 8] for i in range(len(text) - 7) if text[i : i + 3] == "tok" and text[i + 7] == "x"}


@LAWS
@given(memories(), st.booleans())
def test_exactly_what_is_marked_leaves_a_durable_file(made: Made, move: bool) -> None:
    after, done = compacted(made.folder, Options(move=move))
    archived = tokens_in([item.data for one in done for item in one.archive.items if item.origin[:9] != "summaries"])
    torn = {
        token
        for document in made.folder.documents.values()
        for entry in document.entries
        if entry.is_entangled
        for token in tokens_in([document.data[entry.span.start : entry.span.end]])
    }
    assert (made.marked - torn) | made.sessions == archived - torn
    durable = [
        document.data
        for path, document in after.documents.items()
        if durability_of(category_of(path)) is Durability.DURABLE and not document.key("archived_to")
    ]
    assert made.active <= tokens_in(durable)
    assert not (made.marked - torn) & tokens_in(durable)


@LAWS
@given(memories(), st.booleans())
def test_no_entry_changes_and_none_is_lost(made: Made, move: bool) -> None:
    folder = made.folder
    after, done = compacted(folder, Options(move=move))
    new = Counter(entry.sha256 for entry in after.entries if entry.category == "summaries")
    assert after.hashes() - new == folder.hashes()
    for one in done:
        for item in one.archive.items:
            assert sha256(item.data).hexdigest() == item.sha256
            assert item.data in made.tree[item.origin]


@LAWS
@given(memories())
def test_a_second_run_plans_nothing(made: Made) -> None:
    after, _ = compacted(made.folder, Options())
    assert choose(after, Options(), NOW)[0] == ()


@LAWS
@given(memories(), st.booleans())
def test_restoring_the_archives_from_the_last_to_the_first_gives_the_old_tree(made: Made, move: bool) -> None:
    folder = made.folder
    after, done = compacted(folder, Options(move=move))
    for one in reversed(done):
        back = restored(after, one.archive_path, "2026-07-01")
        assert back.is_exact
        after = after.after(back.edits)
    assert after.tree == folder.tree


@LAWS
@given(memories(), st.data())
def test_restoring_in_a_memory_that_has_changed_gives_every_entry_back(made: Made, data: st.DataObject) -> None:
    folder = made.folder
    after, done = compacted(folder, Options())
    index = after.tree["index.md"] + b"\nA line of somebody's.\n"
    after = after.after({"index.md": index})
    for one in data.draw(st.permutations(done)):
        back = restored(after, one.archive_path, "2026-07-01")
        assert back.left == ()
        after = after.after(back.edits)
    made_by_us = Counter(entry.sha256 for entry in after.entries if entry.category == "summaries")
    assert after.hashes() - made_by_us == folder.hashes()
    assert after.archives == {}
    for path, document in folder.documents.items():
        if not done or document.kind != "sections":
            assert Counter(e.sha256 for e in after.document(path).entries) == Counter(
                e.sha256 for e in document.entries
            )


@LAWS
@given(memories())
def test_the_index_matches_the_files_wherever_it_did_before(made: Made) -> None:
    folder = made.folder
    after, _ = compacted(folder, Options())
    known = {(fault.code, fault.message, fault.path) for fault in index_faults(folder)}
    assert not [f for f in index_faults(after) if (f.code, f.message, f.path) not in known]
    assert b"Prose stays." in after.tree["index.md"]
    assert b"| `artefacts/a.md` | PRD | Active |" in after.tree["index.md"]


def index_faults(folder: Folder) -> list:
    return list(faults(folder.pages, folder.registrable(), folder.ids()))


@LAWS
@given(memories())
def test_the_entries_of_a_file_are_its_own_bytes_and_do_not_overlap(made: Made) -> None:
    for path, data in made.tree.items():
        document = read(path, data)
        at = 0
        for entry in document.entries:
            assert sha256(data[entry.span.start : entry.span.end]).hexdigest() == entry.sha256
            assert entry.span.end <= entry.cut.end
            if not entry.is_entangled:
                assert entry.span.start >= at
                at = entry.cut.end
        addresses = [entry.address for entry in document.entries]
        assert len(set(addresses)) == len(addresses)


@LAWS
@given(memories(), st.binary(max_size=60))
def test_an_archive_reads_back_whatever_bytes_it_holds(made: Made, junk: bytes) -> None:
    odd = junk + b"\n<!-- memtend:end -->\n<!-- memtend:entry {} -->\n" + junk
    made.tree["sessions/odd.md"] = odd
    folder = made.folder
    _, done = compacted(folder, Options())
    for one in done:
        held = archive.parse(one.archive_path, one.edits[one.archive_path] or b"")
        assert held == one.archive
        assert archive.render(held) == one.edits[one.archive_path]
