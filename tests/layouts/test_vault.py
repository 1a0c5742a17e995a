"""The vault layout: the contract, and what reading a file has to give."""

import json

import pytest
from contract import LAWS, NOW, Law, name_of
from vault_case import BY_HAND, CASE, LAYOUT, ODD_ORDER, TEMPLATED, changed, codes, lines, read

from memtend.errors import Refused
from memtend.memory import Status


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_the_vault_keeps_the_contract(law: Law) -> None:
    law(CASE)


def test_a_memory_file_is_read_as_the_spec_says() -> None:
    memory = read(TEMPLATED)
    assert memory.title == "Probes need a timeout"
    assert memory.content.startswith("A probe without a timeout")
    assert "## Extension (2026-05-03)\n\n**Source**: notes/more.md\n\nTen seconds are enough." in memory.content
    assert memory.history == "### Previous Version (2026-04-01)\n\nProbes may take as long as they like."
    assert memory.connections == "- [[MEM-rollout]]"
    assert (memory.category, memory.tags, memory.cluster) == ("PATTERN", ("PATTERN", "http"), "ops")
    assert (memory.retrieval_count, memory.last_retrieved, memory.links) == (2, "2026-06-01", ("MEM-rollout",))


def test_headings_in_code_and_of_other_levels_cut_nothing() -> None:
    memory = read(BY_HAND)
    assert memory.history == memory.connections == ""
    assert memory.content.startswith("```sh\n## History\n")
    assert memory.content.endswith("## When\nBefore every release.")
    assert read(b"text\n\n### History\n\nmore\n").content == "text\n\n### History\n\nmore"


def test_what_stands_below_the_sections_is_still_active_text() -> None:
    memory = read(ODD_ORDER)
    assert memory.trailing == "## Also here\nMore text.\n\n## And there\nEven more."
    assert memory.text == "Text.\n\n" + memory.trailing
    assert memory.history == "### Previous Version (2026-01-01)\nOld."
    assert memory.status is Status.RETIRED


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (b"# A note\n\ntext\n", "A note"),
        (b"text\n\n## Later heading\n", "Later heading"),
        (b"just text\n", "MEM-x"),
        (b"", "MEM-x"),
        (b"---\ntitle:\n---\n# From the heading\n", "From the heading"),
        (
            b"---\ntitle: Deploy: the second attempt\n---\n# Deploy: the second attempt\nx\n",
            "Deploy: the second attempt",
        ),
    ],
)
def test_o_fm_01_a_title_is_found_in_keys_heading_or_name(data: bytes, title: str) -> None:
    assert read(data).title == title


def test_a_heading_that_says_something_else_than_the_title_is_content() -> None:
    assert read(b"---\ntitle: New name\n---\n# Old name\n\ntext\n").content == "# Old name\n\ntext"
    assert read(b'---\ntitle: "A `b` #"\n---\n# A `b` #\n\ntext\n').content == "text"


def test_o_fm_03_dates_stay_the_text_they_are() -> None:
    data = b"---\ntitle: Dates\ncreated: 2026-06-08\nmodified: 2026-06-08 10:00\n"
    data += b"last_retrieved: 2026-06-08T10:00:00+02:00\n---\n"
    memory = read(data)
    dates = (memory.created, memory.modified, memory.last_retrieved)
    assert dates == ("2026-06-08", "2026-06-08 10:00", "2026-06-08T10:00:00+02:00")
    assert codes(data) == []
    (page, *_) = LAYOUT.reindex([memory], {}, NOW)
    entry = json.loads(page.after or b"")["entries"][0]
    assert (entry["created"], entry["modified"], entry["last_retrieved"]) == dates


@pytest.mark.parametrize("text", ["soon", "2026-13-01", "2026-02-30", "0000-01-01", "[1, 2]"])
def test_a_date_that_is_none_is_reported_with_its_line_and_kept(text: str) -> None:
    data = f"---\ntitle: x\ncreated: {text}\n---\ntext\n".encode()
    assert ("unreadable-date", 3) in codes(data)
    assert changed(data, summary="s").startswith(data[: data.index(b"\n---\ntext")])


def test_o_fm_07_tags_stay_the_words_they_are() -> None:
    data = b"---\ntitle: x\ncreated: 2026-01-01\ntags: [no, on, yes, 2017, 1.10, null, 0123, 12:30:45]\n---\n"
    assert read(data).tags == ("no", "on", "yes", "2017", "1.10", "0123", "12:30:45")
    assert codes(data) == [("null-in-list", 4)]


@pytest.mark.parametrize(
    ("written", "tags", "category"),
    [
        ("Stack Overflow, votes", ("Stack Overflow", "votes"), "Stack Overflow"),
        ('"single"', ("single",), "single"),
        ("[PATTERN]", ("PATTERN",), "PATTERN"),
        ('["[pattern]", x]', ("pattern", "x"), "PATTERN"),
        ("[enforcement, b]", ("enforcement", "b"), "enforcement"),
        ("'#a, #b'", ("a", "b"), "a"),
        ("\n  - Insight\n  - b", ("Insight", "b"), "INSIGHT"),
        ("", (), ""),
    ],
)
def test_o_fm_08_tags_are_a_list_in_any_form(written: str, tags: tuple[str, ...], category: str) -> None:
    memory = read(f"---\ntags: {written}\n---\n".encode())
    assert (memory.tags, memory.category) == (tags, category)


def test_the_category_key_wins_over_the_first_tag() -> None:
    assert read(b"---\ncategory: '[config]'\ntags: [a]\n---\n").category == "CONFIG"


def test_o_fm_12_a_file_that_opens_with_a_rule_is_all_text() -> None:
    data = b"---\n\nHello, this is prose between two rules.\n---\nmore\n"
    memory = read(data)
    assert "Hello, this is prose" in memory.content
    assert memory.content.endswith("more")
    after = changed(data, summary="Kept whole")
    assert after.endswith(data)
    assert read(after).summary == "Kept whole"


def test_o_fm_10_a_key_that_stands_twice_is_reported_and_both_lines_stay() -> None:
    data = b"---\ntitle: First\ncreated: 2026-01-01\ntitle: Second\n---\n"
    assert ("duplicate-key", 4) in codes(data)
    after = lines(changed(data, summary="s"))
    assert [line for line in after if line != b"summary: s"] == lines(data)


def test_an_id_key_an_odd_count_and_an_unknown_status_are_named() -> None:
    data = b"---\nid: MEM-y\ncreated: 2026-01-01\nretrieval_count: many\nstatus: archived\n---\nText.\n"
    assert codes(data) == [("unreadable-count", 4), ("unknown-status", 5), ("id-differs", 2)]
    assert read(data).is_active


def test_o_lk_03_a_placeholder_in_a_comment_is_no_link_no_text_and_stays() -> None:
    data = b"---\ntitle: x\n---\nOne two.\n\n## Connections\n<!-- add links as [[some-name]] here -->\n"
    memory = read(data)
    assert (memory.links, memory.connections) == ((), "")
    assert memory.token_count == read(b"---\ntitle: x\n---\nOne two.\n").token_count
    after = changed(data, connections="- [[MEM-y]]")
    assert after == data + b"- [[MEM-y]]\n"
    assert read(after).links == ("MEM-y",)


def test_links_in_code_and_history_do_not_count() -> None:
    data = b"See `[[a]]`, [[10-Memories/MEM-b.md|B]] and [[40-Archive/MEM-c]].\n\n"
    data += b"## History\n\n[[MEM-d]]\n\n## Connections\n[[MEM-b]]\n"
    assert read(data).links == ("MEM-b", "40-Archive/MEM-c")


def test_history_is_left_out_of_the_token_count() -> None:
    shorter = TEMPLATED[: TEMPLATED.index(b"## History")] + TEMPLATED[TEMPLATED.index(b"## Connections") :]
    assert read(TEMPLATED).token_count == read(shorter).token_count


def test_o_fs_01_a_file_in_another_encoding_is_read_and_never_written() -> None:
    for data, code in ((b"# Caf\xe9\n\nKrak\xf3w\n", "cp1252"), ("# Café\n\nKraków\n".encode("utf-16"), "UTF-16")):
        assert (read(data).title, read(data).content) == ("Café", "Kraków")
        (problem,) = LAYOUT.decode("10-Memories/MEM-x.md", data).problems
        assert problem.code == "not-utf8"
        assert code in problem.message
        with pytest.raises(Refused, match="UTF-8"):
            changed(data, summary="s")
