"""Directories and code in segments, and the content map."""

import time

from long_texts import SUBJECTS, document, prose, segments, titles

from memtend.learn.acquire import Acquired, Document
from memtend.learn.segment import Segment, Source, content_map, segment
from memtend.learn.sizes import LARGE, WHOLE, size_tokens

# --- directories ------------------------------------------------------------------------------------------------


def directory(files: dict[str, str]) -> tuple[Acquired, tuple[Segment, ...]]:
    acquired = Acquired("directory", "notes/", tuple(document(text, path) for path, text in files.items()))
    return acquired, segment(acquired).segments


def test_in_a_directory_a_file_is_a_segment_up_to_800_tokens():
    sections = f"# One\n\n{prose('garden', 16)}\n\n# Two\n\n{prose('cache', 16)}\n"
    assert WHOLE < size_tokens(sections) <= LARGE
    _, found = directory({"notes/a.md": sections, "notes/b.md": sections + f"\n# Three\n\n{prose('music', 16)}\n"})
    assert [(item.source_file, item.title) for item in found] == [
        ("notes/a.md", "One"),
        ("notes/b.md", "One"),
        ("notes/b.md", "Two"),
        ("notes/b.md", "Three"),
    ]


def test_small_files_of_a_folder_join_and_name_all_their_sources():
    acquired, found = directory(
        {
            "notes/bread/a.md": "# Rye\n\nNeeds time.\n",
            "notes/bread/b.md": "\n# Wheat\n\nNeeds salt.\n",
            "notes/bread/large.md": f"# Ovens\n\n{prose('garden', 10)}\n",
            "notes/bread/z.md": "# Oats\n\nNeed milk.\n",
            "notes/soup/a.md": "# Leek\n\nNeeds cream.\n",
        }
    )
    assert titles(found) == ["Rye, Wheat, Oats", "Ovens", "Leek"]
    assert found[0].text == "# Rye\n\nNeeds time.\n\n# Wheat\n\nNeeds salt.\n\n# Oats\n\nNeed milk."
    assert found[0].sources == (
        Source("notes/bread/a.md", 1, 3),
        Source("notes/bread/b.md", 2, 4),
        Source("notes/bread/z.md", 1, 3),
    )
    listed = content_map(acquired, found)["segments"][0]
    assert listed["source_file"] == "notes/bread/a.md; notes/bread/b.md; notes/bread/z.md"
    assert listed["source_lines"] == "1-3; 2-4; 1-3"


def test_small_files_of_different_topics_stay_apart():
    _, found = directory({"a.md": "Python and pytest.\n", "b.md": "Docker and podman.\n"})
    assert [item.topic for item in found] == ["python/testing", "docker"]


# --- content map ------------------------------------------------------------------------------------------------


def test_the_content_map_has_the_shape_of_the_specification():
    said = "Requests with Python and requests.Session retry after a timeout."
    text = f"# Retry\n\n{said} {prose('cache', 14)}\n\n## Backoff\n\n{prose('music', 16)}\n"
    acquired = Acquired("file", "guide.md", (document(text),))
    found = segment(acquired).segments
    mapped = content_map(acquired, found)
    assert list(mapped) == ["source", "segments"]
    assert mapped["source"] == {"type": "file", "path": "guide.md", "total_tokens": size_tokens(text)}
    keys = ["id", "topic", "source_file", "source_lines", "summary", "estimated_tokens", "key_terms"]
    assert [list(item) for item in mapped["segments"]] == [keys, keys]
    assert [item["id"] for item in mapped["segments"]] == ["seg-001", "seg-002"]
    assert [item["source_lines"] for item in mapped["segments"]] == ["1-3", "5-7"]
    assert all(3 <= len(item["key_terms"]) <= 5 for item in mapped["segments"])
    assert mapped["segments"][0]["summary"] == said


def test_code_is_cut_by_its_language_and_titles_name_the_file():
    text = "".join(
        f"def {name}():\n" + "".join(f'    print("step {n} of the long way home")\n' for n in range(40)) + "\n\n"
        for name in ("load", "save")
    )
    found = segment(
        Acquired("file", "src/box.py", (Document("src/box.py", text, "code", "python"),), project="p")
    ).segments
    assert [(item.title, item.language, item.topic) for item in found] == [
        ("function load (box.py)", "python", "p"),
        ("function save (box.py)", "python", "p"),
    ]


def test_a_megabyte_of_markdown_is_cut_in_about_half_a_second():
    section = (
        "## Part {0}\n\n" + "\n\n".join(prose(subject, 5) for subject in SUBJECTS) + "\n\n```sh\n# run {0}\n```\n\n"
    )
    text = "".join(section.replace("{0}", str(n)) for n in range(760))
    assert len(text) > 1_000_000
    segments("# Warm\n")
    began = time.process_time()
    found = segments(text)
    assert time.process_time() - began < 3  # 0.5 s where nothing else runs
    assert len(found) >= 740


def test_each_line_that_was_captured_is_a_segment_with_its_own_topic_and_joins_no_other():
    lines = (
        "- The staging database is rebuilt every night.\n"
        "- [ ] Never push to main.\n  Not even at night.\n\nA person's own words.\n"
    )
    acquired, found = directory(
        {
            "inbox/captured-a.md": f"---\ncaptured: 2026-06-30\ncandidates: lines\n---\n\n{lines}",
            "inbox/captured-b.md": "---\ncandidates: lines\n---\n\n- Tabs, not spaces.\n",
            "inbox/small.md": "A small note.\n",
            "inbox/smaller.md": "Another small note.\n",
        }
    )
    assert len(acquired.documents) == 4
    assert [(item.text, item.start_line, len(item.sources)) for item in found] == [
        ("The staging database is rebuilt every night.", 6, 1),
        ("Never push to main.\n  Not even at night.", 7, 1),
        ("A person's own words.", 10, 1),
        ("Tabs, not spaces.", 5, 1),
        ("A small note.\n\nAnother small note.", 1, 2),
    ]
    assert (found[0].topic, found[1].topic) == ("database", "")
