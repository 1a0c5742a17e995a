"""The report for people: Markdown in the source's form, tables in a terminal, and one page that needs nothing else."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from distill_case import small

from memtend.cli.distill_render import bar, report
from memtend.distill.charts import Edge, area, bars, gauge, histogram, network
from memtend.distill.likeness import candidates, signatures
from memtend.distill.markdown import markdown
from memtend.distill.page import page
from memtend.distill.report import Report

FEUD: dict[str, Any] = {"topic": "feud", "keywords": "[k, l, m]"}


@pytest.fixture
def found(tmp_path: Path) -> Report:
    """A report with something in every list."""
    workspace = small(
        tmp_path,
        stale={"created": "2026-01-01", "topic": "old/a", "tags": "[CONFIG]", "keywords": "[s1, s2]"},
        long={"text": "A sentence that says much. " * 200, "retrieval_count": 4, "tags": "[INSIGHT]"},
        one={**FEUD, "text": "The timeout is 30 seconds.", "retrieval_count": 1},
        two={**FEUD, "text": "The timeout is 45 seconds."},
        odd={"created": "2031-01-01", "title": '"<script>alert(1)</script> & | pipe"'},
        gone={"status": "tombstoned", "tombstoned_at": "2026-08-01", "tombstone_reason": "purge"},
    )
    return workspace.report(keep=False)[0]


def test_the_markdown_has_the_parts_of_the_template_in_their_order(found: Report) -> None:
    text = markdown(found)
    assert text.startswith("## Memory Vault Health Report\n\n**Generated**: 2026-08-30\n**Vault**: .memory/\n\n---\n")
    assert re.findall(r"^#{3,4} (.*)", text, re.MULTILINE) == [
        "Overview", "Category Distribution", "Topic Clusters", "Retrieval Statistics", "Maintenance Candidates",
        "Purge Candidates (score >= 0.7)", "Merge Candidates (duplicate > 0.6)", "Compress Candidates (size > 0.5)",
        "Review Candidates (score 0.3-0.7)", "Tombstoned Memories", "Health Score", "Dates That Count As Today",
        "Recommended Actions",
    ]  # fmt: skip
    assert "| Total memories | 5 |" in text
    assert "| Oldest memory | 2026-01-01 (MEM-stale) |" in text
    assert "| Never retrieved | 3 (60%) |" in text
    assert "conflict: number" in text
    assert "| MEM-gone | 2026-08-01 | purge | 0 |" in text
    assert "Formula: `100 - (purge_count * 3) - (merge_count * 5) - (compress_count * 2)`" in text
    assert "MEM-odd: created is 2031-01-01: future" in text


def test_verbose_adds_the_components_of_every_memory(found: Report) -> None:
    assert "### Scores" not in markdown(found)
    rows = markdown(found, verbose=True).partition("### Scores")[2].strip().split("\n")
    assert len(rows) == 2 + 5
    assert rows[0] == "| Memory | Staleness | Zero Retrieval | Size Penalty | Duplicate | Composite | Class |"


def test_the_terminal_has_a_gauge_and_bars_and_no_line_is_too_long(found: Report) -> None:
    text = report(found, width=100, colour=False, verbose=True)
    assert max(map(len, text.split("\n"))) <= 100
    assert "█" in text.split("\n")[1]
    assert f"{found.health}/100 {found.status}" in text
    for part in ("Topic clusters", "To compress: 1", "In conflict: 1", "Retired", "Recommended", "Scores"):
        assert part in text
    assert "\033" not in text
    assert "\033" in report(found, width=100)


@pytest.mark.parametrize(
    ("share", "shown"), [(0, "░░░░"), (1, "████"), (0.5, "██░░"), (0.53, "██▏░"), (-1, "░░░░"), (9, "████")]
)
def test_a_bar_is_as_long_as_its_share(share: float, shown: str) -> None:
    assert bar(share, 4) == shown


# --- the page -----------------------------------------------------------------------------------------------------


class _Parsed(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_needs_nothing_else_and_runs_nothing(found: Report) -> None:
    text = page(found)
    parsed = _Parsed(text)
    assert parsed.open == []
    names = {tag for tag, _ in parsed.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "form"}
    for _, attributes in parsed.tags:
        assert not {"src", "href", "onload", "onclick"} & attributes.keys()
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text)


def test_the_page_has_every_chart_and_says_in_words_what_each_shows(found: Report) -> None:
    parsed = _Parsed(page(found))
    charts = [attributes for tag, attributes in parsed.tags if tag == "svg"]
    assert [chart["class"] for chart in charts] == ["gauge", "bars", "area", "histogram", "histogram", "network"]
    assert all(chart["role"] == "img" and chart["aria-label"] for chart in charts)
    labels = " ".join(str(chart["aria-label"]) for chart in charts)
    for told in (
        f"Health {found.health} of 100",
        "Average staleness",
        "end of each month",
        "by size",
        "by retrievals",
        "alike",
    ):
        assert told in labels


def test_the_page_follows_light_dark_and_print(found: Report) -> None:
    text = page(found)
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    style = text.partition("<style>")[2].partition("</style>")[0]
    outside = re.sub(r"--[a-z]+: #[0-9a-f]+;", "", style)
    assert not re.search(r"#[0-9a-f]{3,6}\b", outside), "every colour is a variable that each scheme sets"
    assert not re.search(r'(?:fill|stroke)="(?!none)', text)


def test_what_a_memory_says_cannot_change_the_page(found: Report, tmp_path: Path) -> None:
    assert "<script" not in page(found)
    nasty = small(tmp_path / "x", **{'a"><b': {"keywords": "[k, l]"}, "a&b": {"keywords": "[k, l]"}})
    text = page(nasty.report(keep=False)[0])
    assert 'a"><b' not in text
    assert "a&quot;&gt;&lt;b" in text
    assert _Parsed(text).open == []


def test_an_empty_report_is_a_page_too(tmp_path: Path) -> None:
    empty = small(tmp_path).report(keep=False)[0]
    assert "No two memories are alike." in page(empty)
    assert "Total memories | 0" in markdown(empty)
    assert "Nothing to do." in report(empty, width=80, colour=False)


# --- charts -------------------------------------------------------------------------------------------------------


def drawn(svg: str, tag: str) -> list[dict[str, str]]:
    """The elements of a kind in a drawing."""
    root = ElementTree.fromstring(svg)
    return [dict(element.attrib) for element in root.iter(f"{{http://www.w3.org/2000/svg}}{tag}")]


def test_bars_are_as_long_as_their_values_and_never_longer_than_the_track() -> None:
    rects = drawn(bars([("a", 1.0, ""), ("b", 0.5, ""), ("c", 7.0, ""), ("d", 0, "")], "x", 1.0), "rect")
    lengths = [float(rect["width"]) for rect in rects]
    assert lengths == [260, 260, 260, 130, 260, 260, 260, 0]


def test_a_histogram_reaches_its_highest_count_and_marks_what_stands_out() -> None:
    rects = drawn(histogram([("0", 10), ("1", 5), ("2", 0)], "x", marked=[1]), "rect")
    assert [float(rect["height"]) for rect in rects] == [130, 65, 0]
    assert [rect["class"] for rect in rects] == ["fill", "fill marked", "fill"]


@pytest.mark.parametrize("points", [[], [("2026-08", 3)], [("2026-07", 0), ("2026-08", 3)]])
def test_growth_is_drawn_from_no_month_on(points: list[tuple[str, int]]) -> None:
    (line,) = drawn(area(points, "x"), "polyline")
    assert len(line["points"].split()) == (len(points) if len(points) != 1 else 2)


@pytest.mark.parametrize(("value", "end"), [(100, "210.0"), (50, "120.0"), (0, None)])
def test_the_gauge_ends_where_the_value_is(value: int, end: str | None) -> None:
    paths = [path["d"] for path in drawn(gauge(value, "healthy"), "path")]
    assert len(paths) == (2 if end else 1)
    assert end is None or f" {end} " in paths[1]


def test_the_map_has_a_dot_for_each_memory_and_none_lies_on_another() -> None:
    groups = [["a", "b"], [f"c{n}" for n in range(12)], *[[f"d{n}", f"e{n}", f"f{n}"] for n in range(9)]]
    edges = [Edge("a", "b", 1.0, "conflict", "a <-> b")]
    svg = network(groups, edges, "x")
    dots = [(float(dot["cx"]), float(dot["cy"])) for dot in drawn(svg, "circle")]
    assert len(dots) == sum(map(len, groups))
    assert min(abs(x1 - x2) + abs(y1 - y2) for i, (x1, y1) in enumerate(dots) for x2, y2 in dots[:i]) > 10
    assert drawn(svg, "line")[0]["class"] == "edge conflict"
    width, height = map(float, ElementTree.fromstring(svg).attrib["viewBox"].split()[2:])
    assert all(0 <= x <= width and 0 <= y <= height for x, y in dots)


# --- near-duplicate texts ---------------------------------------------------------------------------------------


def test_signatures_find_texts_that_differ_in_a_word_of_ten_and_no_others() -> None:
    near, far = 0, 0
    for number in range(60):
        words = [f"w{number}x{place}" for place in range(120)]
        changed = [f"new{number}x{place}" if place % 10 == 5 else word for place, word in enumerate(words)]
        other = [f"v{number}x{place}" for place in range(120)]
        found = candidates(signatures([" ".join(words), " ".join(changed), " ".join(other)]))
        near += (0, 1) in found
        far += len([pair for pair in found if pair != (0, 1)])
    assert near >= 59
    assert far == 0


def test_many_copies_are_few_pairs_and_texts_without_words_none() -> None:
    found = signatures(["The same text, again and again."] * 500 + ["", "  ", "…", "the SAME text again and again"])
    assert found[500:503] == [b"", b"", b""]
    assert len(candidates(found)) == 500
    assert candidates([]) == candidates([b""]) == []


def test_short_texts_are_compared_whole() -> None:
    assert candidates(signatures(["one two", "one two", "one three", "one"])) == [(0, 1)]
    assert candidates(signatures(["设置超时时间为三十秒钟左右", "设置超时时间为三十秒钟左右"])) == [(0, 1)]
