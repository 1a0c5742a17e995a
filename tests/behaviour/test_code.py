"""Source code is cut at its definitions (vault spec, 2.1)."""

import json
import re
from pathlib import Path

import pytest

from memtend.learn import code
from memtend.learn.grammar import LANGUAGES, parser_of
from memtend.learn.sizes import LARGE, size_tokens


def pieces(text: str, language: str) -> list[tuple[str, str]]:
    """Title and text of each segment."""
    return [(part.title, text[part.start : part.end]) for part in code.cut(text, language)]


def titles(text: str, language: str) -> list[str]:
    return [title for title, _ in pieces(text, language)]


def filler(form: str, count: int) -> str:
    """Statements that make a definition a segment of its own."""
    return "".join(form.format(number) + "\n" for number in range(count))


PY = '    print("step {} of the long way home")'

EXAMPLES = {
    "python": (
        '"""What the module is for, in a sentence that is long enough to stand."""\n\nimport os\nfrom a import b\n\n'
        f"# Loads it.\n@cached\ndef load(path):\n{filler(PY, 20)}\n\n"
        f"class Box:\n    def open(self):\n{filler('    ' + PY, 20)}",
        ["function load", "class Box"],
    ),
    "javascript": (
        "import fs from 'fs';\nconst path = require('path');\n\n/** Adds. */\nexport function add(a) {\n"
        + filler("  log('adding part {} of many');", 30)
        + "}\n\nexport const sub = (a) => {\n"
        + filler("  log('taking part {} of many');", 30)
        + "};\n\nexport default class Cart {\n  total() {\n"
        + filler("    log('summing part {} of many');", 30)
        + "  }\n}\n",
        ["function add", "function sub", "class Cart"],
    ),
    "typescript": (
        "import { A } from './a';\n\nexport interface Shape {\n"
        + filler("  side{}: number; // in metres, never negative", 15)
        + "}\n\n@Injectable()\nexport class Service {\n  run(): void {\n"
        + filler("    log('running part {} of many');", 30)
        + "  }\n}\n",
        ["interface Shape", "class Service"],
    ),
    "tsx": (
        "import React from 'react';\n\nexport const App = () => {\n"
        + filler("  const value{0} = use{0}('a thing');", 30)
        + "  return (<div>hello</div>);\n};\n\nfunction Row(props: Props) {\n"
        + filler("  const cell{0} = props.get('{0}');", 30)
        + "  return <td>x</td>;\n}\n",
        ["function App", "function Row"],
    ),
    "go": (
        'package cache\n\nimport (\n\t"fmt"\n)\n\n// Server serves.\ntype Server struct {\n'
        + filler("\tName{} string // of one part, never empty here", 15)
        + "}\n\n// Run runs it.\nfunc (s *Server) Run(port int) error {\n"
        + filler('\tfmt.Println("step {} of the run")', 30)
        + "\treturn nil\n}\n\nfunc New() *Server {\n"
        + filler('\tfmt.Println("making part {} of it")', 30)
        + "\treturn nil\n}\n",
        ["type Server", "method Server.Run", "function New"],
    ),
    "rust": (
        "use std::io;\n\n/// A point.\n#[derive(Debug)]\npub struct Point {\n"
        + filler("    pub side{}: i32, // in metres, never negative", 15)
        + "}\n\nimpl fmt::Display for Point {\n    fn fmt(&self) -> fmt::Result {\n"
        + filler('        write!("part {} of the point")?;', 30)
        + "        Ok(())\n    }\n}\n\nfn main() {\n"
        + filler('    println!("step {} of the way");', 30)
        + "}\n",
        ["struct Point", "impl fmt::Display for Point", "function main"],
    ),
    "java": (
        "package org.parts;\n\nimport java.util.List;\n\n/** A box. */\npublic class Box {\n    void open() {\n"
        + filler('        out.println("opening side {} of it");', 30)
        + "    }\n}\n\ninterface Lid {\n"
        + filler("    void lift{}(); // by hand, and never alone", 15)
        + "}\n",
        ["class Box", "interface Lid"],
    ),
    "c": (
        "#include <stdio.h>\n\n/* A point. */\nstruct point {\n"
        + filler("    int side{}; /* in metres, never negative */", 15)
        + "};\n\n/* Adds. */\nstatic int *add(int a)\n{\n"
        + filler('    printf("adding part {} of it");', 30)
        + "    return 0;\n}\n",
        ["struct point", "function add"],
    ),
    "cpp": (
        "#include <vector>\n\n// A cart.\nclass Cart {\n public:\n  void add(int n) {\n"
        + filler('    log("adding part {} of it");', 30)
        + "  }\n};\n\ntemplate <typename T>\nT best(T a) {\n"
        + filler('    log("comparing part {} of it");', 30)
        + "  return a;\n}\n",
        ["class Cart", "function best"],
    ),
    "lua": (
        "local json = require('json')\n\n-- Loads it.\nfunction M.load(path)\n"
        + filler("  print('loading part {} of it')", 30)
        + "end\n\nM.save = function(path)\n"
        + filler("  print('saving part {} of it')", 30)
        + "end\n\nlocal function helper()\n"
        + filler("  print('helping part {} of it')", 30)
        + "end\n",
        ["function M.load", "function M.save", "function helper"],
    ),
    "bash": (
        "#!/usr/bin/env bash\nsource lib.sh\n\n# Builds it.\nbuild() {\n"
        + filler('  echo "building part {} of it"', 30)
        + "}\n\nfunction ship {\n"
        + filler('  echo "shipping part {} of it"', 30)
        + "}\n",
        ["function build", "function ship"],
    ),
}


def test_there_is_an_example_and_a_grammar_for_every_language():
    assert set(EXAMPLES) == set(LANGUAGES)
    assert all(parser_of(language) for language in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_definition_is_a_segment_and_named(language):
    text, expected = EXAMPLES[language]
    assert titles(text, language) == expected
    assert "".join(piece for _, piece in pieces(text, language)) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_comments_decorators_and_attributes_stay_with_what_they_are_about(language):
    text, _ = EXAMPLES[language]
    for mark in ("Loads it.", "@cached", "/** Adds. */", "@Injectable", "// Run runs", "/// A point.", "/* Adds. */"):
        if mark in text:
            (piece,) = [piece for _, piece in pieces(text, language) if mark in piece]
            following = text[text.index(mark) :].split("\n")[1]
            assert following in piece


CLASSES = {
    "python": ("class Big:\n", "    def part_{}(self):\n", "", ""),
    "javascript": ("class Big {\n", "  part_{}() {\n", "  }\n\n", "}\n"),
    "typescript": ("class Big {\n", "  part_{}(): void {\n", "  }\n\n", "}\n"),
    "tsx": ("class Big {\n", "  part_{}(): void {\n", "  }\n\n", "}\n"),
    "rust": ("impl Big {\n", "    fn part_{}(&self) {\n", "    }\n\n", "}\n"),
    "java": ("class Big {\n", "    void part_{}() {\n", "    }\n\n", "}\n"),
    "cpp": ("class Big {\n", "  void part_{}() {\n", "  }\n\n", "};\n"),
}


@pytest.mark.parametrize("language", CLASSES)
def test_a_class_that_is_too_large_is_cut_at_its_methods(language):
    opening, head, foot, closing = CLASSES[language]
    body = filler('        print("step {} of a rather long way")' + (";" if foot else ""), 30)
    text = opening + "".join(head.replace("{}", str(number)) + body + foot for number in range(6)) + closing
    found = pieces(text, language)
    assert len(found) == 6
    assert all(piece.count("part_") == 1 for _, piece in found)
    assert all("Big" in title for title, _ in found)
    assert "part_3" in found[3][0]


def test_a_function_that_is_too_large_is_cut_between_its_statements():
    block = "    if ready:\n" + filler('        print("step {} of the long way home")', 20)
    text = "def run():\n" + block * 8
    found = pieces(text, "python")
    assert len(found) > 1
    assert all(re.match(r"(def run|\s+if ready)", piece) for _, piece in found)
    assert [title for title, _ in found][:2] == ["function run", "function run (continued)"]


def test_a_head_that_is_too_large_is_cut_like_plain_lines():
    text = "def run(\n" + filler("    part_{0}: int = {0},  # one of very many", 200) + "):\n    go()\n    stop()\n"
    found = pieces(text, "python")
    assert "".join(piece for _, piece in found) == text
    assert all(size_tokens(piece) <= LARGE for _, piece in found)


def test_a_string_is_not_taken_for_code_whatever_stands_in_it():
    query = "\n\ndef not_a_function():\n\nclass NotAClass:\n\n" + filler("select {} from a table of things;", 30)
    text = f'QUERY = """{query}"""\n\n\ndef real():\n{filler(PY, 20)}'
    assert titles(text, "python") == ["QUERY =", "function real"]


def test_imports_stay_together_and_so_do_constants():
    imports = filler("from package{0}.module{0} import name{0}, other{0}", 30)
    constants = filler("LIMIT_{0} = {0}  # in bytes of one part", 25)
    assert titles(imports + "\n\n" + constants, "python") == ["imports", "LIMIT_0 = 0  # in bytes of one part"]


def test_a_comment_that_stands_alone_is_documentation():
    comment = filler("# Rule {} is one that nobody may ever break.", 20)
    text = comment.replace("# Rule 0 is", "# How retries work:", 1) + f"\n\ndef retry():\n{filler(PY, 20)}"
    assert titles(text, "python") == ["How retries work: one that nobody may ever break.", "function retry"]


def test_small_neighbours_join_up_to_the_ideal_size():
    text = "\n\n".join(f"def get_{name}(box):\n    return box.{name}\n" for name in ("width", "height", "depth"))
    assert titles(text, "python") == ["functions get_width, get_height, get_depth"]
    many = "\n\n".join(f"def get_{n}(box):\n    return box.part_{n} or 1 or 2 or 3 or 4\n" for n in range(120))
    assert all(400 <= size_tokens(piece) <= 500 for _, piece in pieces(many, "python")[:-1])


@pytest.mark.parametrize("language", ["ruby", "yaml", "", "python"])
def test_without_a_grammar_or_a_sound_tree_blocks_between_blank_lines_are_kept_whole(language):
    block = (
        "begin thing number {} ((( of the list )\n"
        + "  with a detail that is indented\n\n  and another one of them\n" * 9
    )
    text = "\n".join(block.replace("{}", str(n)) for n in range(6))
    found = pieces(text, language)
    assert len(found) == 6
    assert all(piece.startswith("begin thing number") for _, piece in found)


def test_minified_code_on_one_line_is_cut_at_a_safe_place():
    text = "".join(f"function f{n}(a){{return a+{n};}}" for n in range(2000))
    found = pieces(text, "javascript")
    assert "".join(piece for _, piece in found) == text
    assert len(found) > 1
    assert all(size_tokens(piece) <= LARGE for _, piece in found)


def test_the_whole_file_is_called_by_its_first_comment_or_by_what_it_defines():
    assert code.title('"""Loads boxes.\n\nMore."""\nimport a\n', "python") == "Loads boxes."
    assert code.title("#!/bin/bash\n# Ships it.\nship\n", "bash") == "Ships it."
    assert code.title("// Copyright somebody\nfunction ship() {}\n", "javascript") == "function ship"
    assert code.title("import a\nimport b\n", "python") == "imports"


def test_the_summary_is_what_the_code_says_of_itself():
    assert code.summary('def load(path):\n    """Load a box.\n\n    More."""\n') == "Load a box."
    assert code.summary("/// Makes one.\nfn new() {}\n") == "Makes one."
    assert code.summary("#include <a.h>\n/* Adds. */\nint add();\n") == "Adds."
    assert code.summary("x = 1\ny = 2\n") == "x = 1"


@pytest.mark.parametrize("name", ["__init__.py", "decoder.py", "encoder.py", "scanner.py", "tool.py"])
def test_the_standard_library_s_json_package_is_cut_into_segments_of_good_size(name):
    text = (Path(json.__file__).parent / name).read_text(encoding="utf-8")
    found = pieces(text, "python")
    assert "".join(piece for _, piece in found) == text
    assert all(100 <= size_tokens(piece) <= LARGE for _, piece in found)
    for function in re.findall(r"^def (\w+)", text, re.MULTILINE):
        assert any(function in title for title, _ in found) or len(found) == 1
