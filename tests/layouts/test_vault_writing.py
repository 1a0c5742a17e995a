"""The vault layout: byte-precise edits, and new memories from templates."""

import json
from dataclasses import replace
from typing import Any

import pytest
from contract import NOW
from vault_case import BY_HAND, CASE, LAYOUT, NEW, TEMPLATED, WINDOWS, changed, lines, made, read

from memtend.change import Change, ChangeSet, Verb, created
from memtend.errors import OutsideStore, Refused
from memtend.memory import MemoryId, Place, Status


def test_o_fm_04_a_retrieval_touches_two_lines_and_no_other_byte() -> None:
    after = changed(TEMPLATED, Verb.REINFORCE, retrieval_count=3, last_retrieved="2026-06-30")
    pairs = [(old, new) for old, new in zip(lines(TEMPLATED), lines(after), strict=True) if old != new]
    assert pairs == [
        (b"retrieval_count: 2", b"retrieval_count: 3"),
        (b"last_retrieved: 2026-06-01", b"last_retrieved: 2026-06-30"),
    ]
    assert changed(after, Verb.REINFORCE, retrieval_count=2, last_retrieved="2026-06-01") == TEMPLATED
    added = changed(BY_HAND, Verb.REINFORCE, retrieval_count=1, last_retrieved="2026-06-30")
    new = [b"retrieval_count: 1", b"last_retrieved: 2026-06-30"]
    assert [line for line in lines(added) if line not in new] == lines(BY_HAND)


def test_o_fm_05_a_block_that_cannot_be_parsed_is_never_replaced() -> None:
    data = b'---\ntitle: "abc "def" ghi"\ntags: [a, b]\n---\nBody.\n'
    assert read(data).tags == ("a", "b")
    with pytest.raises(Refused, match="line 2"):
        changed(data, summary="s")


def test_o_fm_06_windows_line_ends_and_a_missing_last_one_stay() -> None:
    after = changed(WINDOWS, content="First.\nOther.\nSecond.", connections="- [[MEM-a]]")
    assert after.count(b"\n") == after.count(b"\r\n")
    assert after.startswith(b"\xef\xbb\xbf---\r\n")
    assert after.endswith(b"First.\r\nOther.\r\nSecond.\r\n\r\n## Connections\r\n\r\n- [[MEM-a]]")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "Quarterly notes\nstatus: purged\ntags: [x]"),
        ("summary", "ends with ---\n---\n# Fake heading"),
        ("topic", "a\u2028b"),
        ("source", 'x"\n---\n'),
    ],
)
def test_o_fm_09_a_line_break_in_a_value_stays_in_the_value(field: str, value: str) -> None:
    given: dict[str, Any] = {field: value}
    memory = read(made(replace(NEW, **given)).encode())
    assert getattr(memory, field) == value
    assert (memory.status, memory.tags, memory.content) == (Status.ACTIVE, NEW.tags, NEW.content)
    assert getattr(read(changed(TEMPLATED, **given)), field) == value


@pytest.mark.parametrize(
    "text", ["C:\\new\\table", "\\1", "\\g<0>", "C:\\", "$1,699", "a$'b", "$&", "{{content}}", "{{title}}"]
)
def test_o_md_08_signs_of_a_replacement_are_plain_text(text: str) -> None:
    tag = text.replace(",", "")
    new = replace(NEW, title=text, summary=text, tags=("INSIGHT", tag), content=text, topic=text)
    for data in (
        made(new).encode(),
        changed(TEMPLATED, title=text, summary=text, tags=("PATTERN", tag), content=text, topic=text),
    ):
        memory = read(data)
        assert (memory.title, memory.summary, memory.content, memory.topic) == (text, text, text, text)
        assert memory.tags[-1] == tag
    pages = LAYOUT.reindex([replace(new, place=Place("10-Memories/MEM-new.md"))], {}, NOW)
    assert json.loads(pages[0].after or b"")["entries"][0]["title"] == text


def test_the_heading_follows_the_title_and_sections_come_in_order() -> None:
    after = changed(
        BY_HAND, title="Gate opens", history="### Previous Version (2026-06-01)\n\nOld.", connections="- [[MEM-a]]"
    )
    assert b"\n# Gate opens\n" in after
    version = b"## History\n\n### Previous Version (2026-06-01)\n\nOld.\n\n"
    assert after.endswith(b"Before every release.\n\n" + version + b"## Connections\n\n- [[MEM-a]]\n")


def test_lines_that_stay_keep_their_bytes_in_a_file_of_mixed_line_ends() -> None:
    data = b"one\r\ntwo\nthree\r\nfour\nfive\n"
    assert changed(data, content="one\ntwo\n3\nfour\nfive") == b"one\r\ntwo\n3\nfour\nfive\n"


def test_text_that_would_swallow_a_section_is_refused() -> None:
    data = b"---\ntitle: x\n---\ntext\n\n```\nnever closed\n"
    with pytest.raises(Refused, match="read back"):
        changed(data, connections="- [[MEM-a]]")


def test_a_retired_memory_says_so_in_order_and_restoring_takes_it_back() -> None:
    after = changed(TEMPLATED, status=Status.RETIRED, retired_at="2026-06-30", retired_reason="merged_into:MEM-y")
    assert b'summary: "A probe without a timeout hangs the rollout."\nstatus: tombstoned\n' in after
    assert changed(after, status=Status.ACTIVE, retired_at="", retired_reason="") == TEMPLATED


def test_a_category_of_its_own_is_written_when_the_tags_say_another() -> None:
    after = changed(TEMPLATED, category="CONFIG")
    assert b"\ncategory: CONFIG\n" in after
    kept = changed(TEMPLATED, tags=("http",))
    assert read(kept).category == "PATTERN"
    both = changed(TEMPLATED, tags=("CONFIG",), category="CONFIG")
    assert b"category:" not in both


def test_the_token_count_follows_the_content_where_the_file_has_one() -> None:
    assert b"token_count: 88" in TEMPLATED
    after = changed(TEMPLATED, content="One word more than none.")
    assert f"token_count: {read(after).token_count}\n".encode() in after
    assert b"token_count" not in changed(BY_HAND, content="Short.")


def test_o_fs_04_an_id_that_leaves_the_folder_is_refused() -> None:
    with pytest.raises(OutsideStore):
        made(replace(NEW, id=MemoryId("../../x")))


def test_a_name_that_differs_only_in_case_is_not_admitted() -> None:
    other = replace(NEW, id=MemoryId("mem-PROBES"))
    reasons = LAYOUT.admits(ChangeSet((created(other),)), CASE.memories())
    assert len(reasons) == 1
    assert "MEM-probes" in reasons[0]


def test_o_dm_09_an_empty_text_or_title_is_not_admitted() -> None:
    memory = CASE.memories()[MemoryId("MEM-probes")]
    for fields in ({"content": " \n"}, {"title": ""}):
        change = Change(Verb.UPDATE, memory.id, memory.digest, fields)
        assert len(LAYOUT.admits(ChangeSet((change,)), CASE.memories())) == 1


# --- templates ----------------------------------------------------------------------------------------------

TEMPLATE = """\
---
# our own layout
aliases: ["{{title}}"]
title: {{title}}
tags:
  - {{tags}}
reviewed: no
created: {{date}}   # day one
updated_by: someone on {{last_updated}}
custom: {{ours}}
---

# {{title}}

> Topic {{topic}}, from {{source}}

{{content}}

## Checklist

- [ ] reviewed on {{date}}

## Connections
<!-- see [[Home]] -->
- [[Home]]
"""


def test_a_template_of_the_users_keeps_its_keys_and_comments() -> None:
    text = made(NEW, {LAYOUT.template_path: TEMPLATE.encode()})
    head = text[: text.index("\n---\n")]
    assert "# our own layout\n" in head
    assert 'aliases: ["Quote \\"it\\": C:\\\\new\\\\table"]\n' in head
    assert "\nreviewed: no\n" in head
    assert "\ncreated: 2026-06-30   # day one\n" in head
    assert "\nupdated_by: someone on 2026-06-30\n" in head
    assert 'custom: "{{ours}}"' in head
    assert '\ntags:\n  - INSIGHT\n  - "1.10"\n' in head
    assert all(
        f"\n{key}:" in head for key in ("topic", "source", "keywords", "summary", "retrieval_count", "last_retrieved")
    )
    assert read(text.encode()).content == NEW.content


def test_sections_of_the_template_reach_a_new_memory_through_framing() -> None:
    tree = {LAYOUT.template_path: TEMPLATE.encode()}
    framed = LAYOUT.framed(NEW, tree)
    assert framed.content.startswith("> Topic a/b, from notes/a.md\n\nText with `{{title}}`")
    assert framed.content.endswith("## Checklist\n\n- [ ] reviewed on 2026-06-30")
    assert framed.connections == "- [[Home]]\n\n- [[MEM-probes]]"
    text = made(framed, tree)
    assert read(text.encode()).content == framed.content
    assert "<!-- see [[Home]] -->\n- [[Home]]\n" in text
    assert LAYOUT.framed(NEW, {}) == NEW


def test_a_template_with_windows_line_ends_makes_such_files() -> None:
    text = made(NEW, {LAYOUT.template_path: TEMPLATE.replace("\n", "\r\n").encode()})
    assert text.count("\n") == text.count("\r\n")


@pytest.mark.parametrize(
    "template", ["{{content}}", "# {{title}}\n", "nothing of ours\n", "---\n---\n", "", "---\ntitle: {{title}}\n---\n"]
)
def test_any_template_gives_a_memory_that_reads_back(template: str) -> None:
    memory = read(made(NEW, {LAYOUT.template_path: template.encode()}).encode())
    assert (memory.title, memory.content, memory.history) == (NEW.title, NEW.content, NEW.history)
    assert (memory.connections, memory.tags, memory.summary) == (NEW.connections, NEW.tags, NEW.summary)


def test_a_template_that_is_broken_is_named() -> None:
    with pytest.raises(Refused, match="template cannot be used: line 2"):
        made(NEW, {LAYOUT.template_path: b'---\ntitle: "a "b"\n---\n{{content}}\n'})
