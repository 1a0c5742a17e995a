"""What topic a source belongs to (vault spec, 2.4)."""

import pytest

from memtend.learn.domains import DOMAINS
from memtend.learn.topic import topic_of_heading, topic_of_matches, topic_of_path, topic_of_words


@pytest.mark.parametrize(
    ("path", "topic"),
    [
        ("/home/user/notes/python/x.md", "python"),
        ("/project/src/utils/x.py", "project/utils"),
        ("/anywhere/at/all/notes/python/x.md", "python"),
        ("/srv/git/project/src/utils/x.c", "project/utils"),
        ("/home/user/code/website/design/x.md", "website/design"),
        ("/Users/me/Documents/cooking/bread/x.md", "cooking/bread"),
        ("C:\\Users\\me\\Notes\\C++\\x.md", "cpp"),
        ("/tmp/build-1/x9/rust/x.md", "rust"),
        ("/usr/lib/python3.11/json/x.py", "python/json"),
        ("/home/user/.pyenv/versions/3.12.1/lib/python3.12/json/x.py", "python/json"),
        ("/home/user/.local/lib/python3.12/site-packages/requests/x.py", "python/requests"),
        ("/home/user/code/shop-1.2.3/src/basket/x.py", "shop/basket"),
        ("/home/user/notes/api/v2/x.md", "api/v2"),
        ("/home/user/notes/diary/2026/x.md", "diary/2026"),
        ("/home/user/x.md", ""),
        ("/x.md", ""),
        ("notes/git/rebase.md", "git"),
        ("src/utils/x.py", "shop/utils"),
        ("shop/src/shop/utils/x.py", "shop/utils"),
        ("src/main/java/org/parts/X.java", "shop/org/parts"),
        ("docs/api/x.md", "api"),
        ("docs/x.md", ""),
        ("x.md", ""),
        ("specs/042_retry_policy/reports/x.md", "retry-policy"),
        ("01 - Machine_Learning/x.md", "machine-learning"),
        ("Größen/日本/x.md", "größen/日本"),
        ("a/b/c/d/e/x.md", "a/b/c"),
        ("user input", ""),
    ],
)
def test_the_folders_of_a_file_name_its_topic(path, topic):
    assert topic_of_path(path, "shop") == topic


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Use requests with a retry adapter in Python for HTTP calls to the API.", "python/libs"),
        ("A Python dataclass with slots beats a decorator here.", "python/patterns"),
        ("Lint Python code in the hook.", "python"),
        ("git rebase rewrites history; never rebase what was pushed.", "git"),
        ("PostgreSQL wants a vacuum after large deletes.", "database/postgres"),
        ("The kubelet restarts pods; kubectl shows them.", "kubernetes/workloads"),
        ("The server handles requests and more requests.", ""),
        ("The pool holds twenty connections for each web node.", ""),
        ("Rails of the balcony show rust; fish swim below.", ""),
        ("The rest of the cloud drifts off.", ""),
        ("Parse the log in Rust, never in a script.", "rust"),
        ("The node process is started by npm.", "javascript"),
        ("Use Node.js for the build.", "javascript"),
        ("We met on Monday and talked about cats.", ""),
        ("", ""),
    ],
)
def test_domain_words_name_a_topic_and_everyday_words_do_not(text, topic):
    assert topic_of_words(text) == topic


def test_a_domain_named_once_in_a_long_text_is_not_its_topic():
    long = "The garden needs water in the morning and shade at noon. " * 40
    assert topic_of_words(long + "My brother likes Python.") == ""
    assert topic_of_words("My brother likes Python.") == "python"


def test_source_code_belongs_to_its_language_at_least():
    assert topic_of_words("x = 1\n", "python") == "python"
    assert topic_of_words("use tokio::net;\n", "rust") == "rust/libs"
    assert topic_of_words("echo hi\n", "bash") == "shell"
    assert topic_of_words("x: 1\n", "yaml") == ""


def test_a_heading_counts_only_where_it_names_a_domain_outright():
    assert topic_of_heading("Docker in production") == "docker"
    assert topic_of_heading("Set up") == ""
    assert topic_of_heading("Rust") == "rust"
    assert topic_of_heading("Drain a node") == ""
    assert topic_of_heading("The index") == ""


def test_the_best_match_that_has_a_topic_gives_it():
    assert topic_of_matches(["", "/Cooking/Bread/", "garden"]) == "cooking/bread"
    assert topic_of_matches([]) == ""


def test_every_branch_of_the_table_has_its_root():
    assert {topic.partition("/")[0] for topic in DOMAINS} <= set(DOMAINS)
    assert all(words == words.lower() for words in DOMAINS.values())
