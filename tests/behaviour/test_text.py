"""Words, sentences, counts, titles and file names in any script."""

import sys
from collections.abc import Callable

import pytest

import memtend.text
from memtend.text import (
    count_words,
    estimate_tokens,
    first_line,
    fold,
    parts,
    sentences,
    shorten,
    slug,
    words,
)


def free(_: str) -> bool:
    return False


def among(*names: str) -> Callable[[str], bool]:
    return frozenset(names).__contains__


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Call foo.bar_baz() twice", ["call", "foo.bar_baz()", "twice"]),
        ("pass --dry-run or -v.", ["pass", "--dry-run", "or", "-v"]),
        (
            "error E0277 in src/lib.rs, see C++ and c#",
            ["error", "e0277", "in", "src/lib.rs", "see", "c++", "and", "c#"],
        ),
        ("multi-agent don’t don't", ["multi-agent", "don't", "don't"]),
        ("(t)-covering e.g. this", ["t", "covering", "e.g", "this"]),
        ("~/.config/app ./run ../x /dev/shm .env", ["~/.config/app", "./run", "../x", "/dev/shm", ".env"]),
        ("@app.route $HOME std::io a->b", ["@app.route", "$home", "std::io", "a->b"]),
        ("wait... what?!", ["wait", "what"]),
        ("foo..bar", ["foo", "bar"]),
        ("Größe naïve Ёлка", ["grösse", "naïve", "ёлка"]),
        ("السلام عليكم", ["السلام", "عليكم"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("party 🎉🎊 on", ["party", "🎉", "🎊", "on"]),
        ("", []),
        ("--- *** ---", []),
    ],
)
def test_a_word_is_what_a_person_would_search_for(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_ascii_and_other_text_are_split_by_the_same_rules() -> None:
    text = "Run ./build.sh --fast, then foo::bar() in C++: v1.2.3 of my_app's e-mail."

    assert words(text + " é")[:-1] == words(text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("atomic_write_json", ("atomic", "write", "json")),
        ("atomicWriteJson", ("atomic", "write", "json")),
        ("HTTPServer2.run()", ("http", "server2", "run")),
        ("--forwarded-allow-ips", ("forwarded", "allow", "ips")),
        ("E0277", ()),
        ("plain", ()),
        ("pool's", ("pool",)),
        ("C++", ()),
    ],
)
def test_o_se_02_a_compound_has_the_same_parts_however_it_is_written(name: str, expected: tuple[str, ...]) -> None:
    assert parts(name) == expected


def test_o_se_03_chinese_text_gives_overlapping_pairs_so_that_a_word_in_the_middle_is_found() -> None:
    found = words("缓存失效的原因。BBTool 下载")

    assert {"失效", "缓存", "原因", "bbtool", "下载"} <= set(found)


def test_o_se_03_half_and_full_width_letters_are_one_word() -> None:
    assert words("ｷｬｯｼｭ") == words("キャッシュ")
    assert words("ＡＰＩ") == ["api"]


def test_o_se_03_a_pair_of_thai_characters_keeps_their_vowel_signs() -> None:
    assert words("ที่นี่") == ["ที่นี่"]


def test_folding_makes_case_and_width_equal() -> None:
    assert fold("STRASSE ﬁle Ａ") == fold("straße file a")


def test_words_are_counted_as_wc_does() -> None:
    assert count_words("  one\ttwo\n three-four  five's ") == 4


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("one", 1), ("a b c d e f g h i j", 13), ("é " * 7, 9)])
def test_western_text_has_thirteen_tokens_for_ten_words(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_text_without_spaces_has_a_token_a_character() -> None:
    assert estimate_tokens("这是一个没有空格的句子") == 11
    assert estimate_tokens("call foo 这是一个") == 2 + 4


def test_sentences_end_at_full_stops_but_not_inside_versions_and_abbreviations() -> None:
    text = "Use v1.2.3, e.g. Debian. It works! Dr. Who agrees? yes."

    assert sentences(text) == ["Use v1.2.3, e.g. Debian.", "It works!", "Dr. Who agrees? yes."]


def test_headings_items_rows_and_code_lines_are_sentences_of_their_own() -> None:
    text = (
        "# Title\nA line\nwraps.\n\n- first\n2. second\n\n| a | b |\n|---|---|\n\n```py\nx = 1\n\ny = 2\n```\n> quoted"
    )

    assert sentences(text) == ["Title", "A line wraps.", "first", "second", "a | b", "x = 1", "y = 2", "quoted"]


def test_sentences_of_scripts_with_their_own_full_stop_are_told_apart() -> None:
    assert sentences("第一句。第二句！第三句") == ["第一句。", "第二句！", "第三句"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("\n\n## Retry budget\ntext", "Retry budget"), ("```\ncode\n```", "code"), ("- [ ] do it", "do it"), (" \n", "")],
)
def test_the_first_line_says_something(text: str, expected: str) -> None:
    assert first_line(text) == expected


SENTENCE = (
    "The importer stops after the third failure and writes a line that names `import.max_failures: 3` as the "
    "setting which would have to be raised for it to go on."
)


def test_o_va_04_a_long_sentence_is_cut_at_a_word() -> None:
    assert shorten(SENTENCE, 60) == "The importer stops after the third failure and writes a…"


@pytest.mark.parametrize("limit", range(72, 100))
def test_o_va_04_a_title_is_never_cut_inside_a_code_span(limit: int) -> None:
    title = shorten(SENTENCE, limit)

    assert title.count("`") in (0, 2)
    assert len(title) <= limit


def test_o_va_04_thai_is_cut_between_characters_and_not_before_a_mark() -> None:
    sentence = "การทดสอบระบบก่อนที่จะนำขึ้นใช้งานจริงเป็นสิ่งที่ต้องทำทุกครั้ง"

    for limit in range(3, 60):
        cut = shorten(sentence, limit).removesuffix("…")
        assert sentence.startswith(cut)
        assert sentence[len(cut)] not in "ัิีึืุู็่้๊๋์ำ"


def test_o_va_04_a_code_span_too_long_to_keep_loses_its_backticks() -> None:
    assert shorten("`an_identifier_longer_than_the_title_may_be` is used", 20) == "an_identifier_longe…"


def test_a_link_is_kept_whole_or_left_out() -> None:
    assert shorten("Replaced by [[MEM-the-new-note|the new note]] last week", 30) == "Replaced by…"


def test_a_short_text_becomes_one_line() -> None:
    assert shorten("  two\n lines ", 20) == "two lines"
    assert shorten("anything", 0) == ""


O_FS_07_TITLES = ["日本語の手順", "認証の設計", "Безопасность", "🎉🎊", "!!!", "", "   "]


def test_o_fs_07_titles_without_latin_letters_give_distinct_names() -> None:
    names: list[str] = []
    for title in O_FS_07_TITLES:
        names.append(slug("", title, among(*names)))

    assert len(set(names)) == len(O_FS_07_TITLES)
    assert all(name.isascii() and name[0].isalnum() for name in names)
    assert names[2] == "bezopasnost"


O_FS_08_TITLES = [
    "What is CON?", "aux", "nul.md", "a:b", "ends with dot.", "tab\there", "a/b", "x" * 300, "..", "LPT1", "-rf",
]  # fmt: skip


@pytest.mark.parametrize("title", O_FS_08_TITLES)
def test_o_fs_08_a_name_has_only_safe_characters_and_is_no_device(title: str) -> None:
    name = slug("", title, free)

    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert 0 < len(name) <= 50
    assert name not in {"con", "prn", "aux", "nul", "com1", "lpt1"}
    assert not name.startswith("-")
    assert not name.endswith("-")


def test_o_fs_08_names_that_are_cut_to_the_same_get_numbers() -> None:
    names: list[str] = []
    for part in range(1, 4):
        names.append(slug("notes", f"{'long-' * 40}part {part}", among(*names)))

    assert names[1:] == [f"{names[0]}-2", f"{names[0]}-3"]
    assert all(len(name) <= 50 for name in names)


def test_o_fs_06_a_name_that_differs_only_in_case_is_taken() -> None:
    existing = {"MEM-Config-Loader".lower().removeprefix("mem-")}

    assert slug("", "Config LOADER", existing.__contains__) == "config-loader-2"


@pytest.mark.parametrize(
    ("topic", "title", "expected"),
    [
        ("python/libs/requests", "Retry with back-off and jitter", "requests-retry-with-back"),
        ("", "Don't pin tags", "dont-pin-tags"),
        ("web/", "Größe der Bilder prüfen", "web-grosse-der-bilder"),
        ("ops", "One `two_three` four", "ops-one-two-three"),
    ],
)
def test_a_name_is_the_last_of_the_topic_and_three_words_of_the_title(topic: str, title: str, expected: str) -> None:
    assert slug(topic, title, free) == expected


def test_every_public_name_is_there_and_an_unknown_one_is_an_error() -> None:
    assert all(hasattr(memtend.text, name) for name in memtend.text.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        memtend.text.nonsense  # noqa: B018


def test_words_alone_do_not_load_the_rest() -> None:
    import subprocess

    script = "import sys; from memtend.text import words; words('a b'); print('memtend.text.statement' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
