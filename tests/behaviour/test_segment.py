"""Documents are cut into segments (vault spec, 2.1)."""

import time
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import pytest
from long_texts import SUBJECTS, document, prose, segments, titles

from memtend.learn.acquire import USER_INPUT, Acquired, Document
from memtend.learn.segment import segment
from memtend.learn.sizes import LARGE, size_tokens

# --- small inputs -----------------------------------------------------------------------------------------------


def test_an_input_under_500_tokens_is_one_segment_even_with_headings():
    text = f"# Install\n\n{prose('garden', 8)}\n\n## Next\n\n{prose('cache', 8)}\n"
    (found,) = segments(text)
    assert (found.title, found.start_line, found.end_line) == ("Install", 1, 7)
    assert found.text == text.rstrip()


def test_the_border_lies_at_500_tokens():
    assert len(segments("word " * 384 + "\n\n# Head\n")) == 1  # 499 tokens with the heading
    assert len(segments("# One\n\n" + "word " * 190 + "\n\n# Two\n\n" + "word " * 192)) == 2


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("Use tabs.", "Use tabs."),
        ("First line\nsecond line", "First line"),
        (
            "A line of more than sixty characters is cut at a border between two words, with an ellipsis.",
            "A line of more than sixty characters is cut at a border…",
        ),
    ],
)
def test_the_summary_of_a_small_input_is_its_first_line_or_60_characters(text, summary):
    (found,) = segment(Acquired("text", USER_INPUT, (Document(USER_INPUT, text, "prose"),))).segments
    assert found.summary == summary
    assert len(found.summary) <= 60


# --- Markdown ---------------------------------------------------------------------------------------------------


def test_o_md_01_a_comment_in_a_fence_is_no_heading():
    text = (
        f"# Install\n\n```sh\n# get the tool\nmake install\n```\nAfter that, restart. {prose('garden', 20)}\n\n"
        f"## Next\n{prose('cache', 20)}\n"
    )
    install, following = segments(text)
    assert (install.title, following.title) == ("Install", "Next")
    assert "# get the tool\nmake install\n```\nAfter that" in install.text
    assert following.text.startswith("## Next")


def test_o_md_02_a_fence_of_four_backticks_holds_one_of_three():
    text = (
        f"# How to write a block\n\n{prose('garden', 18)}\n\n````markdown\n```js\n# not a heading\n```\n"
        f"## not a heading either\n````\n\n## Real section\n\n{prose('cache', 18)}\n"
    )
    assert titles(segments(text)) == ["How to write a block", "Real section"]


def test_o_md_03_frontmatter_is_neither_a_heading_nor_content_and_lines_count_from_the_file():
    head = "---\nname: example\nsummary: this line sits above the closing fence\ntags: [a, b]\n---\n"
    pasted = "---\nname: pasted\nkind: body text\n---\n"
    text = f"{head}# Title\n\n{prose('garden', 18)}\n\n{pasted}\n# Other\n\n{prose('cache', 18)}\n"
    found = segments(text)
    assert "Title" in titles(found)
    assert titles(found)[-1] == "Other"
    assert found[0].text.startswith("# Title")
    assert found[0].start_line == 6
    assert "kind: body text" in "\n".join(item.text for item in found)
    assert "example" not in "\n".join(item.text for item in found)
    assert found[0].hints == {"tags": ("a", "b")}


def test_what_frontmatter_says_goes_with_a_file_that_is_one_segment():
    head = "title: Roses\ntopic: Garden/Roses\ntags: [PATTERN]\nkeywords: rose, water\nsummary: On roses.\n"
    (found,) = segments(f"---\n{head}---\nWater.\n", path="notes/python/x.md")
    assert (found.title, found.topic, found.summary, found.text) == ("Roses", "garden/roses", "On roses.", "Water.")
    assert found.hints["tags"] == ("PATTERN",)
    assert found.hints["keywords"] == ("rose", "water")


def test_o_md_04_pages_with_rules_below_their_text_become_groups_by_size_with_short_titles():
    text = "".join(f"last line of page {n}\n---\nfirst line of page {n + 1}\nand so on\n" for n in range(300))
    found = segments(text)
    assert len(found) < 15
    assert all(len(item.title) <= 80 for item in found)
    assert all(100 <= size_tokens(item.text) <= LARGE for item in found)


HOSTILE = {
    "one run": "a" * 200_000,
    "blanks in a heading": "## x" + " " * 100_000 + "y",
    "backticks": "`" * 2_000,
    "brackets": "[[" * 50_000,
    "comment": "<!--" + "-" * 100_000,
    "link": "# [a](b" + "()" * 5_000,
    "frontmatter never closed": "---\n" + "k: v\n" * 20_000,
    "short sentences on a line": "word. " * 30_000,
    "quotes": "> q\n" * 20_000,
    "items": "- item one two\n" * 10_000,
    "emphasis": "*a " * 50_000,
    "backslashes": "\\" * 100_000,
    "no blanks": "日本語の文章です。" * 8_000,
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["markdown", "prose", "code"])
def test_o_md_05_hostile_texts_are_cut_in_linear_time_and_nothing_is_lost(name, kind):
    text = HOSTILE[name]
    language = {"code": "python"}.get(kind, "")
    began = time.process_time()
    found = segment(Acquired("file", "x", (Document("x", text, kind, language),))).segments
    assert time.process_time() - began < 5  # well under a second each where nothing else runs; quadratic takes minutes
    assert "".join("".join(item.text.split()) for item in found) == "".join(text.split())


def test_o_md_05_a_line_longer_than_a_segment_is_cut_behind_a_sentence_and_outside_code():
    text = "".join(f"Sentence {n} names `a. b` and ends. " for n in range(300))
    found = segments(text)
    assert len(found) > 1
    assert all(item.text.endswith(".") and item.text.startswith("Sentence") for item in found)
    assert {(item.start_line, item.end_line) for item in found} == {(1, 1)}


def test_o_md_06_a_file_without_headings_gives_groups_of_paragraphs():
    paragraphs = [prose(subject, 14) for subject in SUBJECTS]
    found = segments("\n\n".join(paragraphs))
    assert [item.text for item in found] == paragraphs
    assert titles(found)[0] == "Water the 0 bed of roses at dawn, and cut the dead flowers off before the…"


def test_o_md_06_a_file_of_headings_only_is_one_segment():
    (found,) = segments("# A\n## B\n### C\n")
    assert (found.title, found.text) == ("A", "# A\n## B\n### C")


@pytest.mark.parametrize(
    ("text", "reason"),
    [("", "empty"), ("\n \n\t\n", "empty"), ("---\ntitle: Only\n---\n\n", "only frontmatter")],
)
def test_o_md_06_a_file_without_content_is_skipped_with_a_reason(text, reason):
    found = segment(Acquired("file", "x.md", (document(text, "x.md"),)))
    assert found.segments == ()
    assert [(item.path, item.reason) for item in found.skipped] == [("x.md", reason)]


def test_o_md_06_a_long_text_below_one_heading_is_cut_by_size():
    paragraphs = "\n\n".join(prose(subject, 6) for _ in range(60) for subject in SUBJECTS)
    found = segments(f"# Everything\n\n{paragraphs}\n")
    assert len(found) > 30
    assert all(100 <= size_tokens(item.text) <= LARGE for item in found)
    assert titles(found)[0] == "Everything"
    assert titles(found)[1].startswith("Everything › ")


def test_o_md_06_an_empty_heading_gives_the_title_to_the_text():
    text = f"####### seven hashes\n#no-blank\n\n#\n\n{prose('garden', 40)}\n\n# Named\n\n{prose('cache', 14)}\n"
    found = segments(text)
    assert found[0].title == "####### seven hashes"
    assert found[-1].title == "Named"
    assert all(item.title for item in found)


def test_text_before_the_first_heading_is_a_segment():
    text = f"{prose('garden', 10)}\n\n# First\n\n{prose('cache', 10)}\n\n# Second\n\n{prose('music', 10)}\n"
    before, first, second = segments(text)
    assert before.text == prose("garden", 10)
    assert (first.title, second.title) == ("First", "Second")


def test_a_section_stays_with_its_small_subsections_and_apart_from_large_ones():
    text = (
        f"# Guide\n\n{prose('garden', 3)}\n\n## Tools\n\n{prose('garden', 8)}\n\n### Spade\n\n{prose('garden', 2)}\n\n"
        f"### Rake\n\n{prose('garden', 2)}\n\n## Cellar\n\n{prose('music', 20)}\n"
    )
    found = segments(text)
    assert titles(found) == ["Guide", "Cellar"]
    (tools,) = [item for item in found if "## Tools" in item.text]
    assert "### Spade" in tools.text
    assert "### Rake" in tools.text


def test_sections_that_joined_are_called_by_their_headings():
    text = (
        "# Words\n\n"
        + prose("garden", 30)
        + "\n\n"
        + "".join(f"## {name}\n\n{prose('cache', 3)}\n\n" for name in ("Alpha", "Beta", "Gamma", "Delta"))
    )
    assert titles(segments(text)) == ["Words", "Alpha, Beta, Gamma, Delta"]


def test_a_heading_that_says_nothing_alone_or_comes_twice_has_the_one_above_with_it():
    text = "".join(
        f"# {name}\n\n{prose('garden', 10)}\n\n## Usage\n\n{prose('cache', 10)}\n\n"
        f"## Limits\n\n{prose('music', 10)}\n\n"
        for name in ("Reader", "Writer")
    )
    assert titles(segments(text)) == [
        "Reader", "Reader › Usage", "Reader › Limits", "Writer", "Writer › Usage", "Writer › Limits"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "block",
    [
        "```python\n" + "\n\n".join(f"value_{n} = {n} * {n} + {n}  # of many" for n in range(200)) + "\n```",
        "| a | b |\n|---|---|\n" + "\n".join(f"| row {n} of the table | and its value |" for n in range(200)),
        "- item\n" + "\n".join(f"  Sentence {n} goes on within the same item." for n in range(200)),
        "<div>\n" + "\n".join(f"Line {n} of a block of HTML that is long." for n in range(200)) + "\n</div>",
    ],
)
def test_no_cut_falls_inside_a_fence_a_table_an_item_or_html(block):
    text = f"# Head\n\n{prose('garden', 30)}\n\n{block}\n\n{prose('cache', 30)}\n"
    (holder,) = [item for item in segments(text) if block in item.text]
    assert size_tokens(holder.text) > LARGE


def test_a_long_list_is_cut_between_its_items():
    items = "\n".join(f"- {prose('garden', 2)}\n  {prose('cache', 1)}\n  - nested {n}" for n in range(40))
    found = segments(f"# List\n\n{items}\n")
    assert len(found) > 2
    assert all(size_tokens(item.text) <= LARGE for item in found)
    assert all(item.text.startswith("- Water") for item in found[1:])


def test_a_line_that_leads_to_a_list_or_a_fence_stays_with_it():
    parts = [f"{prose('garden', 12)}\n\nRun these in order:\n\n```sh\nmake part-{n}\nmake all\n```" for n in range(6)]
    found = segments("# Build\n\n" + "\n\n".join(parts) + "\n")
    assert len(found) > 1
    assert all(item.text.count("in order:\n\n```sh") == item.text.count("in order:") for item in found)


def test_o_va_04_titles_and_summaries_are_cut_at_a_word_outside_code_and_the_text_keeps_everything():
    sentence = (
        "Set the option of the very long configuration file that nobody reads to the value `read only: yes` today"
    )
    thai = "การตั้งค่าที่ยาวมากสำหรับระบบนี้ต้องทำก่อนเริ่มใช้งานทุกครั้งและห้ามลืมบันทึกค่าที่ตั้งไว้ก่อนปิดเครื่องเสมอ"
    for line in (f"{sentence} {sentence}.", thai):
        (found,) = segments(line, path="a.txt")
        assert len(found.title) <= 80
        assert found.title.endswith("…")
        assert found.title.count("`") % 2 == 0
        assert found.text == line
    assert segments(f"{sentence} {sentence}.", path="a.txt")[0].title.rstrip("…") in sentence


# --- prose ------------------------------------------------------------------------------------------------------


def test_plain_text_is_cut_where_its_subject_changes():
    texts = ["\n\n".join([prose(subject, 6)] * 3) for subject in SUBJECTS]
    found = segments("\n\n".join(texts), path="a.txt")
    assert [item.text for item in found] == texts


def test_a_paragraph_of_one_sentence_joins_its_neighbour():
    text = f"{prose('garden', 14)}\n\n{SUBJECTS['garden'].format('last')}\n\n{prose('music', 14)}"
    first, second = segments(text, path="a.txt")
    assert first.text.endswith(SUBJECTS["garden"].format("last"))
    assert second.text == prose("music", 14)


def test_neighbours_with_the_same_key_terms_join():
    near = [f"{prose('garden', 6)} {extra}" for extra in ("They like the sun.", "They fear the frost.")]
    text = "\n\n".join([*near, prose("music", 20)])
    assert [item.text for item in segments(text, path="a.txt")] == ["\n\n".join(near), prose("music", 20)]


def test_sentences_on_lines_of_their_own_are_cut_between_them_without_any_paragraph():
    lines = [SUBJECTS[subject].format(n) for subject in SUBJECTS for n in range(20)]
    found = segments("\n".join(lines), path="a.txt")
    assert [(item.start_line, item.end_line) for item in found] == [(1, 20), (21, 40), (41, 60)]


def test_running_text_is_cut_near_where_other_texts_begin(monkeypatch: pytest.MonkeyPatch):
    root = Path(__file__).parents[2]
    archive = root.parent / "shared" / "data" / "choi" / "choi-200.zip"
    if not archive.exists():
        pytest.skip("the public set of documents is not here")
    monkeypatch.syspath_prepend(root / "benchmarks")
    benchmark = SimpleNamespace(**run_path(str(root / "benchmarks" / "segmentation.py")))
    held_out = benchmark.read(archive)[1::2]
    assert benchmark.measure(held_out, benchmark.by_subject)["all"].pk <= 0.09
    assert benchmark.measure(held_out, benchmark.as_learned)["all"].pk <= 0.12


# --- topics -----------------------------------------------------------------------------------------------------


def test_a_topic_comes_from_the_person_then_the_source_then_the_path_then_words_then_matches():
    plain, python = "Nothing to see.", "Python and pytest."
    head = "---\ntopic: Own/Topic\n---\n"
    asked: list[tuple[str, ...]] = []

    def related(terms):
        asked.append(tuple(terms))
        return ["", "from/matches"]

    def topic_of(text: str, path: str, **options: str) -> str:
        return segment(Acquired("file", path, (document(text, path),)), related=related, **options).segments[0].topic

    assert topic_of(head + python, "notes/garden/x.md", topic="given") == "given"
    assert topic_of(head + python, "notes/garden/x.md") == "own/topic"
    assert topic_of(python, "notes/garden/x.md") == "garden"
    assert topic_of(python, "x.md") == "python/testing"
    assert asked == []
    assert topic_of(plain, "x.md") == "from/matches"
    assert len(asked) == 1


def test_a_heading_that_names_another_domain_sets_its_section_apart():
    text = (
        f"# Python with pytest\n\n{prose('garden', 12)}\n\n## Docker\n\n{prose('cache', 2)}\n\n"
        f"## More\n\n{prose('music', 12)}\n"
    )
    assert [(item.title, item.topic) for item in segments(text)] == [
        ("Python with pytest", "python/testing"),
        ("Docker", "docker"),
        ("More", "python/testing"),
    ]
    assert {item.topic for item in segments(text, path="notes/garden/x.md")} == {"garden"}
