"""The R7 gate: what is a marker, how far it reaches, and what is told of everything that is none."""

import pytest

from memtend.layouts.category.compact import leaving
from memtend.layouts.category.diagnose import between_files, file_problems, resolve
from memtend.layouts.category.entries import Entry, read
from memtend.layouts.category.ids import heading_id, ids_in, slug_of
from memtend.layouts.category.markers import read_quote

LOG = "decisions/_log.md"


def entries(text: str, path: str = LOG) -> dict[str, Entry]:
    return {entry.part or entry.path: entry for entry in read(path, text.encode()).entries}


def marked(text: str, path: str = LOG) -> dict[str, str]:
    return {part: entry.marker.summary for part, entry in entries(text, path).items() if entry.marker}


def problems(text: str, path: str = LOG) -> list[tuple[str, int]]:
    return [(problem.code, problem.line) for problem in file_problems(read(path, text.encode()))]


def told(text: str, path: str = LOG) -> str:
    return "\n".join(problem.message for problem in file_problems(read(path, text.encode())))


# --- the words of a marker -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "summary", "reason"),
    [
        ("> SUPERSEDED by DEC-2", "SUPERSEDED by DEC-2", ""),
        ("> RETRACTED", "RETRACTED", ""),
        ("> OBSOLETE — no longer sold", "OBSOLETE — no longer sold", "no longer sold"),
        (
            "> ⚠️ **SUPERSEDED by DEC-2026-02-20-41** — closed since",
            "SUPERSEDED by DEC-2026-02-20-41",
            "closed since",
        ),
        ("> SUPERSEDED by DEC-1, DEC-2 and DEC-3 — split", "SUPERSEDED by DEC-1, DEC-2, DEC-3", "split"),
        ("> SUPERSEDED by DEC-1; DEC-49-delta-E63S06", "SUPERSEDED by DEC-1, DEC-49-delta-E63S06", ""),
        ("> **SUPERSEDED** by **[DEC-41](DEC-41.md)**: moved", "SUPERSEDED by DEC-41", "moved"),
        ("> SUPERSEDED BY `DEC-3`, `DEC-4`", "SUPERSEDED by DEC-3, DEC-4", ""),
        ("> SUPERSEDED by DEC-60 (REVISED)", "SUPERSEDED by DEC-60 (REVISED)", ""),
        ("> SUPERSEDED\n> by DEC-4", "SUPERSEDED by DEC-4", ""),
        ("> _OBSOLETE_: moved\r\n> to the shelf", "OBSOLETE — moved to the shelf", "moved to the shelf"),
        ("> 🚫 __RETRACTED__", "RETRACTED", ""),
        ("> [RETRACTED]", "RETRACTED", ""),
        ("> *RETRACTED* on Monday", "RETRACTED — on Monday", "on Monday"),
        (">RETRACTED.", "RETRACTED", ""),
    ],
)
def test_a_marker_is_read_through_its_decoration(quote: str, summary: str, reason: str) -> None:
    found = read_quote(quote)
    assert found is not None
    assert found.is_complete
    assert (found.summary, found.reason) == (summary, reason)


@pytest.mark.parametrize(
    "quote",
    ["> SUPERSEDED", "> SUPERSEDED by DEC-XX", "> SUPERSEDED by the new one", "> OBSOLETE", "> OBSOLETE — {reason}"],
)
def test_a_marker_that_lacks_its_id_or_reason_does_not_count(quote: str) -> None:
    found = read_quote(quote)
    assert found is not None
    assert not found.is_complete


@pytest.mark.parametrize(
    "quote",
    [
        "> superseded by DEC-2",
        "> Superseded by DEC-2",
        "> ~~RETRACTED~~",
        "> `RETRACTED`",
        '> "RETRACTED" is what they said',
        "> - RETRACTED",
        "> 1. RETRACTED",
        "> > RETRACTED",
        "> # RETRACTED",
        "> RETRACTED-ish",
        "> UNRETRACTED",
        "> RETRACTED decisions stay in the log.",
        "> This was RETRACTED",
        "> A note.\n> RETRACTED",
        "RETRACTED",
    ],
)
def test_talk_about_markers_is_none(quote: str) -> None:
    assert read_quote(quote) is None


# --- ids -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "whole", "base"),
    [
        ("DEC-9 — Title", "DEC-9", "DEC-9"),
        ("DEC-009: Title", "DEC-009", "DEC-009"),
        ("DEC-2026-02-20-41 — Booking", "DEC-2026-02-20-41", "DEC-2026-02-20-41"),
        ("DEC-E08S05-01 Title", "DEC-E08S05-01", "DEC-E08S05-01"),
        ("DEC-49-delta-E63S06", "DEC-49-delta-E63S06", "DEC-49-delta-E63S06"),
        ("DEC-60 (REVISED) — Title", "DEC-60 (REVISED)", "DEC-60"),
        ("[DEC-7] Title", "DEC-7", "DEC-7"),
        ("DEC-12 (RETRACTED) — Title", "DEC-12", "DEC-12"),
    ],
)
def test_every_shape_of_id_is_found_at_the_start_of_a_heading(title: str, whole: str, base: str) -> None:
    found = heading_id(title)
    assert found is not None
    assert (found.whole, found.base) == (whole, base)


@pytest.mark.parametrize("title", ["About DEC-1", "DEC-XX", "DEC-YYYY-MM-DD-NN — Title", "Decisions", "dec-1"])
def test_a_heading_that_does_not_begin_with_an_id_has_none(title: str) -> None:
    assert heading_id(title) is None


def test_an_id_is_found_whole_or_not_at_all() -> None:
    text = "see DEC-1, DEC-13.md, (DEC-2026-02-20-41), xDEC-3, DEC-5.1, DEC-6. DEC-7–9, pre-DEC-8"
    assert list(ids_in(text)) == ["DEC-1", "DEC-13", "DEC-2026-02-20-41", "DEC-5.1", "DEC-6", "DEC-7"]
    found = {entry.id: [entry] for entry in entries("# L\n\n## DEC-13\n\na\n\n## DEC-1\n\nb\n").values()}
    assert [entry.part for entry in resolve("DEC-1", found)] == ["dec-1"]
    assert resolve("DEC-3", found) == ()


def test_an_id_with_brackets_is_another_one_and_stands_in_where_the_plain_one_is_missing() -> None:
    both = "## DEC-60 (REVISED)\n\na\n\n## DEC-60\n\nb\n"
    found = {entry.id: [entry] for entry in entries(both).values()}
    assert [entry.part for entry in resolve("DEC-60", found)] == ["dec-60"]
    assert [entry.part for entry in resolve("DEC-60 (REVISED)", found)] == ["dec-60-revised"]
    del found["DEC-60"]
    assert [entry.part for entry in resolve("DEC-60", found)] == ["dec-60-revised"]


def test_slugs_keep_letters_of_any_script() -> None:
    assert slug_of("Critères & Façon : 日志 (v2)") == "critères-façon-日志-v2"
    assert slug_of("???") == "section"


# --- how far a marker reaches ----------------------------------------------------------------------------


def test_directly_below_a_heading_it_marks_that_section_alone() -> None:
    text = "# Log\n\n### DEC-3\n\na\n\n### DEC-2\n\n> RETRACTED\n\nb\n\n### DEC-1\n\nc\n"
    assert marked(text) == {"dec-2": "RETRACTED"}


def test_below_the_title_it_marks_the_whole_file() -> None:
    text = "# Log\n\n> OBSOLETE — another log\n\n### DEC-3\n\na\n\n### DEC-2\n\nb\n"
    assert marked(text) == {"dec-3": "OBSOLETE — another log", "dec-2": "OBSOLETE — another log"}
    one = "# DEC-4 — Title\n\n> RETRACTED\n\n## Context\n\na\n"
    assert marked(one, "decisions/DEC-4.md") == {"decisions/DEC-4.md": "RETRACTED"}


def test_below_a_title_that_is_an_entry_of_a_log_it_marks_that_entry_alone() -> None:
    text = "# DEC-3 — Title\n\n> RETRACTED\n\na\n\n## DEC-2\n\nb\n"
    assert marked(text) == {"dec-3": "RETRACTED"}


def test_below_a_heading_that_groups_entries_it_marks_the_group() -> None:
    text = "# Log\n\n## 2025\n\n> OBSOLETE — last year\n\n### DEC-2\n\na\n\n## 2026\n\n### DEC-3\n\nb\n"
    assert marked(text) == {"dec-2": "OBSOLETE — last year"}
    sections = "# P\n\n## Old\n\n> RETRACTED\n\n### A\n\na\n\n#### Deep\n\nb\n\n## New\n\n### B\n\nc\n"
    assert marked(sections, "patterns/p.md") == {"old": "RETRACTED", "a": "RETRACTED"}


def test_the_frontmatter_marks_the_whole_file_where_it_names_a_successor() -> None:
    text = "---\nstatus: superseded\nsuperseded_by: {}\n---\n# DEC-4\n\na\n"
    path = "decisions/DEC-4.md"
    assert marked(text.format("DEC-9"), path) == {path: "SUPERSEDED by DEC-9"}
    assert marked(text.format("[DEC-9, DEC-10]"), path) == {path: "SUPERSEDED by DEC-9, DEC-10"}
    assert marked(text.format("null"), path) == {}
    assert problems(text.format("null"), path) == [("incomplete-marker", 2)]
    assert marked("---\namends: DEC-2\namended_by: DEC-9\nstatus: active\n---\n# DEC-4\n\na\n", path) == {}


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("text\n\n> RETRACTED\n", "in a quote that is not directly below a heading"),
        ("```\n> RETRACTED\n```\n", "in code"),
        ("- > RETRACTED\n", "in a list"),
        ("<!--\n> RETRACTED\n-->\n", "in a comment"),
        ("It was RETRACTED.\n", "in running text"),
        ("| a |\n|---|\n| RETRACTED |\n", "in a table"),
    ],
)
def test_anywhere_else_it_is_no_marker_but_is_reported(body: str, place: str) -> None:
    text = f"# Log\n\n### DEC-1\n\n{body}"
    assert marked(text) == {}
    assert [code for code, _ in problems(text)] == ["loose-marker"]
    assert told(text) == f"RETRACTED stands {place}: no marker"


def test_only_in_a_heading_it_is_a_marker_for_those_who_ask_for_it() -> None:
    text = "# Log\n\n### DEC-2 — RETRACTED: two queues\n\na\n\n### DEC-1 — UNRETRACTED\n\nb\n"
    found = entries(text)
    assert found["dec-2"].gate() is None
    gate = found["dec-2"].gate(heading_markers=True)
    assert gate is not None
    assert gate.summary == "RETRACTED"
    assert found["dec-1"].gate(heading_markers=True) is None
    assert told(text) == "RETRACTED stands only in a heading: no marker"


def test_a_marker_below_a_part_of_a_decision_file_marks_nothing_and_is_reported() -> None:
    text = "# DEC-4\n\na\n\n## Impact\n\n> RETRACTED\n\nb\n"
    assert marked(text, "decisions/DEC-4.md") == {}
    assert "stands below a heading that is no entry's" in told(text, "decisions/DEC-4.md")


def test_an_entry_template_in_a_fence_is_no_entry_and_marks_nothing() -> None:
    text = "# Log\n\n## Template\n\n```markdown\n### DEC-1 — Title\n\n> SUPERSEDED by DEC-2\n```\n\n### DEC-2\n\na\n"
    assert list(entries(text)) == ["dec-2"]
    assert marked(text) == {}


def test_windows_line_ends_change_nothing() -> None:
    text = "# Log\n\n### DEC-2\n\n> OBSOLETE — since\n> always\n\nb\n".replace("\n", "\r\n")
    assert marked(text) == {"dec-2": "OBSOLETE — since always"}


# --- what is diagnosed -----------------------------------------------------------------------------------


def test_two_markers_are_named_and_the_first_counts() -> None:
    text = (
        "# Log\n\n### DEC-2\n\n> SUPERSEDED by DEC-3\n> RETRACTED\n\na\n\n### DEC-1\n\n> RETRACTED\n\n> OBSOLETE — b\n"
    )
    assert marked(text) == {"dec-2": "SUPERSEDED by DEC-3", "dec-1": "RETRACTED"}
    assert [found for found in problems(text) if found[0] == "two-markers"] == [("two-markers", 6), ("two-markers", 14)]


@pytest.mark.parametrize(
    ("keys", "quote", "says"),
    [
        ("status: active", "> SUPERSEDED by DEC-3", "status: active, the quote SUPERSEDED by DEC-3"),
        (
            "status: superseded\nsuperseded_by: DEC-9",
            "> SUPERSEDED by DEC-3",
            "SUPERSEDED by DEC-9, the quote SUPERSEDED by DEC-3",
        ),
        ("status: superseded\nsuperseded_by: DEC-9", "> RETRACTED", "SUPERSEDED by DEC-9, the quote RETRACTED"),
        ("status: active\nsuperseded_by: DEC-9", "text", "names a successor, but status is active"),
    ],
)
def test_frontmatter_and_quote_that_disagree_are_named(keys: str, quote: str, says: str) -> None:
    text = f"---\n{keys}\n---\n# DEC-4\n\n{quote}\n\na\n"
    assert [code for code, _ in problems(text, "decisions/DEC-4.md")] == ["markers-disagree"]
    assert says in told(text, "decisions/DEC-4.md")


def test_frontmatter_and_quote_that_agree_are_not() -> None:
    text = "---\nstatus: superseded\nsuperseded_by: DEC-3\n---\n# DEC-4\n\n> SUPERSEDED by DEC-3\n\na\n"
    assert problems(text, "decisions/DEC-4.md") == []


def between(*texts: str) -> list[tuple[str, str]]:
    documents = [read(f"decisions/log-{n}.md", text.encode()) for n, text in enumerate(texts)]
    return [(problem.code, problem.message) for problem in between_files(documents)]


def test_a_successor_that_is_missing_or_gone_itself_is_named() -> None:
    text = (
        "## DEC-1\n\n> SUPERSEDED by DEC-2\n\n## DEC-2\n\n> RETRACTED\n\n"
        "## DEC-3\n\n> SUPERSEDED by DEC-33\n\n## DEC-4\n\n> SUPERSEDED by DEC-5\n\n## DEC-5\n\na\n"
    )
    assert between(text) == [
        ("successor-gone", "DEC-1 is superseded by DEC-2, which is itself retracted"),
        ("successor-missing", "DEC-3 is superseded by DEC-33, which is not there"),
    ]


def test_a_successor_in_an_archive_is_not_missing() -> None:
    document = read(LOG, b"## DEC-1\n\n> SUPERSEDED by DEC-2\n")
    assert [problem.code for problem in between_files([document])] == ["successor-missing"]
    assert list(between_files([document], [("DEC-2", "archive/a.archive.md")])) == []


def test_decisions_that_supersede_each_other_in_a_circle_are_an_error() -> None:
    found = between(
        "## DEC-1\n\n> SUPERSEDED by DEC-2\n",
        "## DEC-2\n\n> SUPERSEDED by DEC-3\n\n## DEC-3\n\n> SUPERSEDED by DEC-1\n",
    )
    assert [code for code, _ in found] == ["marker-cycle"] * 3
    assert between("## DEC-1\n\n> SUPERSEDED by DEC-1\n")[0][0] == "marker-cycle"


def test_an_id_that_stands_twice_is_two_entries_and_a_warning() -> None:
    text = "## DEC-1\n\na\n\n## DEC-1\n\nb\n"
    assert list(entries(text)) == ["dec-1", "dec-1-2"]
    assert problems(text) == [("duplicate-id", 5)]
    assert between("## DEC-1\n\na\n", "## DEC-1\n\nb\n") == [
        ("duplicate-id", "DEC-1 also stands in decisions/log-0.md")
    ]


def test_a_log_that_points_to_the_file_of_a_decision_does_not_double_it() -> None:
    log = read(LOG, b"## DEC-1 \xe2\x80\x94 Title\nFile: `decisions/DEC-1.md`\n")
    file = read("decisions/DEC-1.md", b"# DEC-1 \xe2\x80\x94 Title\n\na\n")
    assert list(between_files([log, file])) == []


def test_a_decision_that_says_it_supersedes_an_unmarked_one_is_named() -> None:
    old = read("decisions/DEC-1.md", b"# DEC-1\n\na\n")
    new = read("decisions/DEC-2.md", b"---\nsupersedes: DEC-1\n---\n# DEC-2\n\nb\n")
    assert [problem.code for problem in between_files([old, new])] == ["predecessor-unmarked"]


# --- entries ---------------------------------------------------------------------------------------------


def test_an_entry_leaves_its_separator_to_the_next_and_the_comment_at_the_end_to_the_file() -> None:
    text = "# Log\n\n---\n\n### DEC-2\n\na\n\n---\n\n### DEC-1\n\nb\n\n---\n\n<!-- newest first -->\n"
    found = entries(text)
    data = text.encode()
    for part, left in (
        ("dec-2", "# Log\n\n---\n\n### DEC-1\n\nb\n\n---\n\n<!-- newest first -->\n"),
        ("dec-1", "# Log\n\n---\n\n### DEC-2\n\na\n\n---\n\n<!-- newest first -->\n"),
    ):
        cut = found[part].cut
        assert (data[: cut.start] + data[cut.end :]).decode() == left
    assert data[slice(*found["dec-1"].span)] == b"### DEC-1\n\nb"


def test_entries_that_lie_within_each_other_stay() -> None:
    text = "## DEC-1\n\na\n\n### DEC-2\n\n> RETRACTED\n\nb\n\n### More of DEC-1\n\nc\n"
    found = entries(text)
    assert found["dec-2"].gate() is not None
    assert found["dec-1"].is_entangled
    assert leaving(read(LOG, text.encode()), False) == ()
    assert ("entangled", 5) in problems(text)


def test_an_entry_whose_neighbours_would_run_together_stays_and_the_others_leave() -> None:
    text = "## DEC-1\n\na\n## DEC-2\n> RETRACTED\n---\n\n## DEC-3\n\n> RETRACTED\n\nc\n"
    document = read("patterns/p.md", text.encode())
    assert [entry.part for entry in document.entries if entry.marker] == ["dec-2", "dec-3"]
    assert [entry.part for entry in leaving(document, False)] == ["dec-3"]


def test_a_section_ends_where_the_next_one_begins_and_bullets_are_no_entries() -> None:
    text = "# P\n\nIntro.\n\n## A\n\n- x\n- y\n\n### B\n\nb\n\n#### C\n\nc\n\n## Empty\n\n### D\n\nd\n"
    found = entries(text, "patterns/p.md")
    assert list(found) == ["patterns/p.md", "a", "b", "d"]
    assert text.encode()[slice(*found["b"].span)] == b"### B\n\nb\n\n#### C\n\nc"


def test_o_md_07_a_heading_in_a_fence_ends_no_entry() -> None:
    text = "## DEC-1\n\n```\n## DEC-2\n```\n\nstill one\n\n## DEC-3\n\nc\n"
    found = entries(text)
    assert list(found) == ["dec-1", "dec-3"]
    assert text.encode()[slice(*found["dec-1"].span)].endswith(b"still one")


@pytest.mark.parametrize(
    ("path", "is_memory"),
    [
        ("decisions/_log.md", True),
        ("domains/auth/rules.md", True),
        ("ideas/x.md", True),
        ("README.memory.md", False),
        ("decisions/README.md", False),
        ("_template.md", False),
        ("decisions/_template.decision.md", False),
        ("decisions/_log.example.md", False),
        ("archive/sessions-2026-06-30.archive.md", False),
        ("index.md", False),
        ("index-decisions.md", False),
        ("sessions/.gitkeep", False),
        (".memtend/x.md", False),
    ],
)
def test_read_mes_templates_examples_registries_and_archives_are_no_memory(path: str, is_memory: bool) -> None:
    from memtend.layouts.category.paths import claims

    assert claims(path) is is_memory
