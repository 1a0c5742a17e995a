"""Compressing: what is kept, what is refused, and that the whole text is still there."""

import random
from pathlib import Path

import pytest
from distill_case import TODAY, read, run, small
from grown_vault import Planter, tree

from memtend.distill.condense import condense, lost_facts
from memtend.distill.facts import facts
from memtend.errors import UnusableInput
from memtend.review import Action, Decision
from memtend.text import count_words
from memtend.workspace.distill_plan import Mode

PROSE = """The warehouse sends every parcel through the same gate. {filler}

## Labels

Labels are printed by the label worker. It must never run twice on one host, because the font cache is shared.
{filler} Call `render_label()` with the parcel number. {filler}

## Customs

Customs forms need the tariff number 8471.30 of each article. {filler} See [the guide](https://customs.example/guide?v=2)
and [[MEM-customs-forms]]. {filler}

```python
def tariff(article):
    return article.number  # never guess
```

| field | limit |
|---|---|
| weight | 31.5 kg |

1. Stop the worker.
2. Clear the cache.
3. Start it again.
"""


def filler(sentences: int, seed: int = 1) -> str:
    """Sentences without names and numbers."""
    rand = random.Random(seed)
    words = ["".join(rand.choice("bdfgklmnprst") + rand.choice("aeiou") for _ in range(3)) for _ in range(400)]
    return " ".join(f"The {' '.join(rand.sample(words, 12))} stays." for _ in range(sentences))


def note(words: int = 1500) -> str:
    """A long note in prose with code, a table and steps."""
    share = max(1, words // (14 * PROSE.count("{filler}")))
    text = PROSE
    for seed in range(PROSE.count("{filler}")):
        text = text.replace("{filler}", filler(share, seed), 1)
    return text


def test_a_note_of_fifteen_hundred_words_shrinks_by_forty_percent_or_more() -> None:
    text = note(1500)
    short = condense(text)
    assert 1400 < short.words_before < 1700
    assert short.reason == ""
    assert short.words_after <= 0.6 * short.words_before
    assert count_words(short.text) == short.words_after


def test_code_tables_and_steps_stay_to_the_letter_and_prose_becomes_bullets() -> None:
    text = note()
    short = condense(text).text
    for verbatim in (
        text[text.index("```python") : text.index("| field")].strip(),
        text[text.index("| field") : text.index("1. Stop")].strip(),
        "1. Stop the worker.\n2. Clear the cache.\n3. Start it again.",
    ):
        assert verbatim in short
    prose = short.replace(text[text.index("```python") :].strip(), "")
    said = [line for line in prose.split("\n") if line.strip() and not line.startswith("#")]
    assert all(line.startswith("- ") for line in said)
    assert [line for line in short.split("\n") if line.startswith("#")] == ["## Labels", "## Customs"]


def test_every_sentence_of_the_result_stands_in_the_text() -> None:
    text = " ".join(note().split())
    lines = [line for line in condense(note()).text.split("\n") if line.startswith("- ")]
    assert lines
    assert [line for line in lines if line.removeprefix("- ") not in text] == []


def test_o_dm_06_every_name_number_path_and_link_of_the_text_is_in_the_result() -> None:
    text = note() + "\n\nThe log is in /var/log/labels/print.log, flag --dry-run, error E-101, version v2.4.1.\n"
    short = condense(text)
    assert lost_facts(text, short.text) == []
    for fact in ("render_label()", "8471.30", "https://customs.example/guide?v=2", "[[MEM-customs-forms]]", "31.5",
                 "/var/log/labels/print.log", "--dry-run", "E-101", "v2.4.1"):  # fmt: skip
        assert fact in short.text


def test_o_dm_06_what_cannot_be_shortened_is_refused_with_a_reason() -> None:
    numbers = " ".join(f"Shelf {number} holds {number * 7} boxes of {number}-inch screws." for number in range(200))
    assert "numbers or links" in condense(numbers).reason
    assert "code, tables" in condense("```\n" + "make\n" * 500 + "```").reason
    assert condense("One short sentence.").reason
    assert condense("").reason
    assert all(condense(text).text == "" for text in (numbers, "One short sentence.", ""))


def test_o_dm_02_sentences_that_contradict_each_other_are_both_kept() -> None:
    text = f"{filler(40)} Feature flags default to on. {filler(40, 2)}\n\nFeature flags default to off. {filler(20, 3)}"
    short = condense(text).text
    assert "Feature flags default to on." in short
    assert "Feature flags default to off." in short


def test_what_is_said_twice_is_kept_once() -> None:
    text = "\n\n".join(f"The parcel gate closes at dusk because of the frost. {filler(10, seed)}" for seed in range(6))
    assert condense(text).text.count("parcel gate closes") == 1


def test_keywords_that_no_kept_sentence_has_get_a_line() -> None:
    short = condense(note(), ("labels", "quantum", "Gate"))
    assert short.named == ("quantum",)
    assert short.text.endswith("**Keywords**: quantum")


def test_what_is_appended_never_ends_up_in_a_code_block_that_was_left_open() -> None:
    text = f"{filler(80)}\n\n```sh\nmake all"
    assert condense(text, ("quantum",)).text.endswith("```sh\nmake all\n```\n\n**Keywords**: quantum")


def test_a_sentence_that_never_ends_is_cut_at_its_clauses() -> None:
    planter = ["alpha beta gamma delta, " + " ".join(f"{a}{b}o" for a in "bdfg" for b in "aeiou") for _ in range(30)]
    endless = "; ".join(f"{line} {chr(97 + place % 26)}x" for place, line in enumerate(planter))
    assert 0 < condense(endless).words_after < count_words(endless) * 0.6


def test_a_link_or_a_code_span_with_a_full_stop_in_it_is_not_torn() -> None:
    torn = "Run `make build. Then stop` now. See [a page. With a dot](https://x.example/a) too."
    text = f"{filler(60)} {torn} {filler(9, 5)}"
    short = condense(text).text
    assert "`make build. Then stop`" in short
    assert "[a page. With a dot](https://x.example/a)" in short


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see e.g. the and/or rule, well-known", (set(), set(), set())),
        ("port 8080, v1.2.3, E-101", ({"8080", "v1.2.3", "e-101"}, set(), set())),
        ("call foo.bar_baz() in src/a/b.py with --force", (set(), set(), {"foo.bar_baz()", "src/a/b.py", "--force"})),
        ("the HTTP API and camelCase", (set(), set(), {"http", "api", "camelcase"})),
        ("[[MEM-x#Part|a]] and <https://x.example/a?b=1>", (set(), {"mem-x#part", "https://x.example/a?b=1"}, set())),
        ("the `plain words` as code", (set(), set(), {"plain words"})),
        ("a quotation ``by two accents. It has sentences'' and more`` here", (set(), set(), set())),
    ],
)
def test_facts_are_names_numbers_and_links(text: str, found: tuple[set[str], set[str], set[str]]) -> None:
    assert tuple(map(set, facts(text))) == found


# --- in a vault -----------------------------------------------------------------------------------------------


def test_the_whole_text_goes_to_history_and_the_rest_stays(tmp_path: Path) -> None:
    text = note()
    history = "## History\n\n### Previous Version (2026-01-01)\n\nOlder.\n\n## Connections\n\n- [[MEM-x]]"
    workspace = small(
        tmp_path, a={"text": f"{text}\n{history}", "keywords": "[labels, quantum]", "custom": "kept"}, x={}
    )
    before = tree(tmp_path)
    plan = workspace.plan_distill(Mode.COMPRESS)
    assert plan.candidates == ["MEM-a"]
    tokens = read(workspace, "a").token_count
    done = run(workspace, Mode.COMPRESS)
    memory = read(workspace, "a")
    assert memory.history.startswith(f"### Pre-Compression ({TODAY})\n\n")
    assert "#### Labels" in memory.history, "headings of the old text stand below the entry's"
    assert memory.history.endswith("### Previous Version (2026-01-01)\n\nOlder.")
    assert " ".join(text.split()[-30:]) in " ".join(memory.history.split())
    assert memory.connections == "- [[MEM-x]]"
    assert (memory.modified, memory.keywords) == (TODAY, ("labels", "quantum"))
    assert memory.content.endswith("**Keywords**: quantum")
    assert memory.token_count < 0.6 * tokens, "History does not count"
    assert done.affected == (
        {
            "id": "MEM-a", "tokens_before": tokens, "tokens_after": memory.token_count,
            "compression_ratio": round(memory.token_count / tokens, 4), "keywords_preserved": True,
            "action": "compressed",
        },
    )  # fmt: skip
    assert b"custom: kept" in (tmp_path / ".memory/10-Memories/MEM-a.md").read_bytes()
    assert workspace.search("quantum").hits[0].id == "MEM-a"
    workspace.undo()
    assert {path: data for path, data in tree(tmp_path).items() if path in before} == before


def test_the_largest_come_first_and_one_that_cannot_be_shortened_says_why(tmp_path: Path) -> None:
    numbers = " ".join(f"Shelf {number} holds {number * 7} boxes." for number in range(400))
    workspace = small(tmp_path, a={"text": note(900)}, b={"text": numbers}, c={"text": note(1800)})
    plan = workspace.plan_distill(Mode.COMPRESS)
    assert plan.candidates == ["MEM-b", "MEM-c", "MEM-a"]
    stuck = plan.proposals[0]
    assert (stuck.actions, stuck.recommendation.action) == ((Action.SKIP,), Action.SKIP)
    assert "cannot be shortened" in stuck.recommendation.reasons[0]
    with pytest.raises(UnusableInput):
        workspace.apply_distill(plan, [Decision("MEM-b", Action.COMPRESS)])


@pytest.mark.parametrize("text", ["", "   \n", "\ufeff"])
def test_o_dm_06_an_empty_text_is_never_put_in_place(tmp_path: Path, text: str) -> None:
    workspace = small(tmp_path, a={"text": note()})
    before = tree(tmp_path)
    plan = workspace.plan_distill(Mode.COMPRESS)
    with pytest.raises(UnusableInput):
        workspace.apply_distill(plan, [Decision("MEM-a", Action.COMPRESS, text=text)])
    assert tree(tmp_path) == before


def test_a_persons_own_short_text_counts(tmp_path: Path) -> None:
    workspace = small(tmp_path, a={"text": note(), "keywords": "[labels]"})
    plan = workspace.plan_distill(Mode.COMPRESS)
    done = workspace.apply_distill(
        plan, [Decision("MEM-a", Action.COMPRESS, text="All about **labels**.\n\n## History\n")]
    )
    assert read(workspace, "a").content == "All about **labels**.\n\n### History"
    assert done.affected[0]["keywords_preserved"] is True


def test_a_compressed_memory_is_no_candidate_any_more(tmp_path: Path) -> None:
    Planter(tmp_path / ".memory").memory("MEM-a", note(1200))
    workspace = small(tmp_path)
    run(workspace, Mode.COMPRESS)
    assert workspace.plan_distill(Mode.COMPRESS).proposals == ()
